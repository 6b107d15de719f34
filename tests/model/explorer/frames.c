/* frames.c: what the scenarios are made of. */
#include "frames.h"

#include <string.h>

POINT(thunk_point, thunk_resume, 24, 4);
POINT(until_point, until_resume, 32, 1);
POINT(get_point, get_resume, 32, 1);

/* ---- an operation that somebody completes or that is given up -------------- */

struct op op, other;

static void
op_arm(fm_waiter *w, void *arg)
{
    struct op *o = arg;

    o->armed++;
    model_step(&o->waiter, true);
    o->waiter = w;
}

static bool
op_disarm(fm_waiter *w, void *arg)
{
    struct op *o = arg;
    uint32_t nobody = 0;

    HOLDS(o->waiter == w);
    o->disarmed++;
    return atomic_compare_exchange_strong(&o->decided, &nobody, 2);
}

void
op_complete(struct op *o)
{
    uint32_t nobody = 0;

    if (model_wait(&o->waiter) &&
        atomic_compare_exchange_strong(&o->decided, &nobody, 1))
        fm_resume(o->waiter);
}

/* ---- two async functions, and a start ------------------------------------------ */

void *
thunk_resume(struct fm_record *record, void *fault)
{
    (void)record;
    return fault;
}

static void
end_with(struct op *o, long outcome)
{
    HOLDS(!o->ended);
    o->ended++;
    o->outcome = outcome;
}

/* Caught: it ends well, whatever came. */
void *
ends(struct op *o, long value, void *fault)
{
    fm_fault *f = fault ? fm_abi_caught(
                              (void *)((uintptr_t)fault - FM_ABI_FAULT_BIT))
                        : NULL;

    end_with(o, f ? fm_fault_code(f) : value);
    fm_fault_release(f);
    return NULL;
}

void *
until_resume(struct fm_record *record, void *fault)
{
    struct frame *f = (struct frame *)record;

    return ends(f->op, *(uint8_t *)&f->result, fault);
}

void *
get_resume(struct fm_record *record, void *fault)
{
    return ends(((struct frame *)record)->op, 1, fault);
}

void *
link_frame(void *end, const struct fm_point *p, struct op *o)
{
    struct frame *f = fm_abi_link(end, p).record;

    f->op = o;
    return f;
}

void *
until(struct op *o)
{
    struct split_bool s = fm__suspend_until(op_arm, op_disarm, o);

    if (!s.end || (uintptr_t)s.end & FM_ABI_FAULT_BIT)
        return ends(o, s.value, s.end);
    return link_frame(s.end, &until_point, o);
}

void *
at_place(struct op *o)
{
    o->armed++;
    o->place.disarm = op_disarm;
    o->waiter = fm__thread.root->task;
    return link_frame(fm__place_wait(&o->place).end, &until_point, o);
}

struct op_park {
    struct fm_abi_park park; /* first */
    struct op *op;
};

static void
park_arm(fm_waiter *w, void *arg)
{
    op_arm(w, ((struct op_park *)arg)->op);
}

static bool
park_disarm(fm_waiter *w, void *arg)
{
    return op_disarm(w, ((struct op_park *)arg)->op);
}

void *
park(struct op *o)
{
    struct op_park *p;

    if (fm_abi_may_go() == FM_ABI_CANCELLED)
        return ends(o, 0, fm__raise_cancelled());
    p = fm_abi_park_new(sizeof *p, park_arm, park_disarm);
    p->op = o;
    p->park.value = true;
    return link_frame(fm__park_value(&p->park).end, &until_point, o);
}

void *
after(void *end, struct op *o)
{
    if (!end || (uintptr_t)end & FM_ABI_FAULT_BIT)
        return ends(o, 1, end);
    return link_frame(end, &get_point, o);
}

void *task, *task2;

/* What a start thunk does. */
void
start(void **handle, void *(*function)(struct op *o), struct op *o)
{
    struct fm_root root;
    struct fm_record *r = fm_abi_task_new(24);
    void *end;

    model_step(handle, true);
    *handle = r;
    fm_abi_root_enter(&root, r);
    end = function(o);
    if (end) {
        r->point = &thunk_point;
        ((struct fm_record *)end)->next = r;
        end = r;
    }
    fm_abi_start_leave(&root, end);
}

void
is_over(void **handle, struct op *o)
{
    HOLDS(fm_abi_status(*handle) == FM_DONE);
    HOLDS(o->ended == 1);
    fm_abi_release(*handle);
}

void
begin_setup(bool shared)
{
    memset(&op, 0, sizeof op);
    memset(&other, 0, sizeof other);
    task = task2 = NULL;
    ground_reset(shared);
}

/* ---- threads --------------------------------------------------------- */

void
drives(void)
{
    ground_on(0);
    ground_drive();
}

void
drives_second(void)
{
    ground_on(1);
    ground_drive();
}

void
cancels(void)
{
    ground_on(2);
    if (model_wait((void *const volatile *)&task))
        fm_abi_cancel(task);
}
