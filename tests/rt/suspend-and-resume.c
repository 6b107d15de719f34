// A chain of two frames gives its result through the slots when resumed.
#include "chain.h"

POINT(leaf_point, leaf_resume, 40, 0, "leaf");
POINT(top_point, top_resume, 40, 0, "top");

void *
leaf_resume(struct fm_record *record, void *fault)
{
    struct frame *f = (struct frame *)record;
    OK(!fault);
    ((struct frame *)f->r.next)->result = f->a + 1;
    return NULL;
}

static void *
leaf(long x)
{
    void *end = h_suspend(gate_arm, NULL);
    struct frame *f = LINK(end, leaf_point);
    f->a = x;
    return f;
}

void *
top_resume(struct fm_record *record, void *fault)
{
    struct frame *f = (struct frame *)record;
    OK(!fault);
    ((struct frame *)f->r.next)->result = f->result * f->a;
    return NULL;
}

static void *
top(long x)
{
    struct frame *f = LINK(leaf(x), top_point);
    f->a = 10;
    return f;
}

int
main(void)
{
    fm_task *t;
    BEGIN(t, top(4));
    OK(t && fm_abi_status(t) == FM_RUNNING && gate);
    errno = EDOM;
    fm_resume(gate);
    OK(errno == EDOM);
    OK(fm_abi_status(t) == FM_DONE);
    OK(((struct frame *)t)->result == 50);
    fm_abi_wait(t);
    fm_abi_release(t);
}
