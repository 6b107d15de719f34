/* explore.c: the explorer: fibers, a depth-first walk over their orders. */
#include "explore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ucontext.h>

#include <base/atomic.h>

enum { DEPTH_MAX = 4000, STACK = 64 * 1024, ARENA = 256 * 1024 };

/* What a thread is about to do. */
enum kind { STEP_READ, STEP_WRITE, STEP_LOCK, STEP_WAIT, STEP_SPIN };
struct op {
    const volatile void *at;
    enum kind kind;
};

static struct fiber {
    ucontext_t context; /* of its first step only: swapcontext makes a */
    jmp_buf at;         /* system call, longjmp does not */
    char *stack;
    void *tls, *own;
    struct op next;
    bool done, woken, idle_over;
} fibers[THREADS_MAX];
static unsigned count, self;
static jmp_buf walk;
void **model_own;
static const struct scenario *scenario;
static bool free_running; /* setup and finish: no steps */

/* One node of the walk: who went, and who need not. */
static struct node {
    uint8_t chosen, asleep, enabled; /* the last two: bits of threads */
    struct op ops[THREADS_MAX];
} path[DEPTH_MAX];
static unsigned depth;
static unsigned replay; /* nodes before it go the same way again ... */
static bool again;      /* ... and in it another thread is to go */

/* ---- memory --------------------------------------------------------------- */

static _Alignas(16) char arena[ARENA];
static uint8_t shadow[ARENA / 16]; /* 1 = may be touched */
static size_t arena_used, live;

void *
model_alloc(size_t bytes)
{
    size_t n = (bytes + 15 + 16) & ~(size_t)15;
    char *p = arena + arena_used + 16;

    if (arena_used + n > ARENA)
        model_fail("the arena is used up");
    *(size_t *)(void *)(p - 16) = n;
    memset(shadow + (arena_used + 16) / 16, 1, (n - 16) / 16);
    arena_used += n;
    live++;
    return p;
}

void
model_free(void *p)
{
    size_t at = (size_t)((char *)p - arena), n;

    if (!p)
        return;
    n = *(size_t *)(void *)((char *)p - 16);
    if (at >= ARENA || !shadow[at / 16])
        model_fail("a block is freed twice");
    memset(shadow + at / 16, 0, (n - 16) / 16);
    memset(p, 0xdd, n - 16);
    live--;
}

size_t
model_live(void)
{
    return live;
}

static void
check_touch(const volatile void *at)
{
    size_t n = (size_t)((const volatile char *)at - arena);

    if ((const volatile char *)at >= arena && n < ARENA && !shadow[n / 16])
        model_fail("a freed block is touched");
}

/* ---- fibers ----------------------------------------------------------------- */

unsigned
model_self(void)
{
    return self;
}

static void
thread_leave(struct fiber *f)
{
    memcpy(f->tls, model_tls, model_tls_bytes);
    f->own = model_own ? *model_own : NULL;
}

static void
thread_enter(const struct fiber *f)
{
    memcpy(model_tls, f->tls, model_tls_bytes);
    if (model_own)
        *model_own = f->own;
}

/* To the walk, until it is this one's turn. */
static void
give_turn(const volatile void *at, enum kind kind)
{
    struct fiber *f = &fibers[self];

    f->next = (struct op){at, kind};
    thread_leave(f);
    if (!_setjmp(f->at))
        _longjmp(walk, 1);
    thread_enter(&fibers[self]);
}

static const volatile void *last_touched[THREADS_MAX];

void
model_step(const volatile void *at, bool writes)
{
    check_touch(at);
    if (free_running)
        return;
    give_turn(at, writes ? STEP_WRITE : STEP_READ);
    last_touched[self] = at;
    check_touch(at);
}

void
model_lock(const volatile void *at)
{
    check_touch(at);
    if (free_running)
        return;
    give_turn(at, STEP_LOCK);
}

bool
model_wait(void *const volatile *flag)
{
    if (free_running)
        return *flag != NULL;
    fibers[self].idle_over = false;
    give_turn(flag, STEP_WAIT);
    return !fibers[self].idle_over;
}

void
model_spin(const volatile void *at)
{
    if (free_running)
        return;
    fibers[self].woken = false;
    give_turn(at, STEP_SPIN);
}

/* The runtime's: it waits for another to change what it looked at last. */
void fm__sys_yield_thread(void);
void
fm__sys_yield_thread(void)
{
    model_spin(last_touched[self]);
}

static void
enter(void)
{
    thread_enter(&fibers[self]);
    scenario->threads[self]();
    fibers[self].done = true;
    thread_leave(&fibers[self]);
    _longjmp(walk, 1);
}

static void
resume(unsigned i)
{
    self = i;
    if (!_setjmp(walk))
        _longjmp(fibers[i].at, 1);
}

static void
start(unsigned i)
{
    struct fiber *f = &fibers[i];

    if (!f->stack) {
        f->stack = malloc(STACK);
        f->tls = malloc(model_tls_bytes);
    }
    thread_leave(f);
    f->done = f->woken = f->idle_over = false;
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = STACK;
    f->context.uc_link = NULL;
    makecontext(&f->context, enter, 0);
    self = i;
    if (!_setjmp(walk)) /* to its first step */
        setcontext(&f->context);
}

/* ---- the walk ------------------------------------------------------------------- */

static bool
enabled(unsigned i)
{
    const struct fiber *f = &fibers[i];

    if (f->done)
        return false;
    switch (f->next.kind) {
    case STEP_LOCK:
        return *(const volatile uint32_t *)f->next.at == 0;
    case STEP_WAIT:
        return *(void *const volatile *)f->next.at != NULL || f->idle_over;
    case STEP_SPIN:
        return f->woken;
    case STEP_READ:
    case STEP_WRITE:
        break;
    }
    return true;
}

static bool
depend(struct op a, struct op b)
{
    bool reads = a.kind == STEP_READ && b.kind == STEP_READ;

    return a.at == b.at && !reads;
}

/* Nobody can go on. Those who wait for work are told that there will be none;
 * anything else is a deadlock. False: the run is over. */
static bool
all_stuck(void)
{
    bool some = false, waits = false;

    for (unsigned i = 0; i < count; i++) {
        if (fibers[i].done)
            continue;
        some = true;
        if (fibers[i].next.kind == STEP_WAIT)
            waits = fibers[i].idle_over = true;
    }
    if (some && !waits)
        model_fail("all threads are stuck");
    return some;
}

static int
first_awake(struct node *n)
{
    for (unsigned i = 0; i < count; i++)
        if (enabled(i) && !(n->asleep >> i & 1))
            return (int)i;
    return -1;
}

static void
note_write(struct op op)
{
    for (unsigned i = 0; i < count; i++)
        if (op.kind != STEP_READ && fibers[i].next.at == op.at && i != self)
            fibers[i].woken = true;
}

/* One run along the path, then on by the first thread that is awake. False:
 * cut short, as the rest was seen in another order. */
static bool
run_once(void)
{
    uint8_t asleep = 0;

    for (depth = 0;; depth++) {
        struct node *n = &path[depth];
        uint8_t can = 0;
        int who;

        if (depth == DEPTH_MAX)
            model_fail("it does not end");
        for (unsigned i = 0; i < count; i++)
            can |= (uint8_t)(enabled(i) << i);
        if (!can) {
            if (!all_stuck())
                return true;
            depth--;
            asleep = 0;
            continue;
        }
        if (depth >= replay) {
            if (depth > replay || !again)
                n->asleep = asleep;
            n->enabled = can;
            who = first_awake(n);
            if (who < 0)
                return false;
            n->chosen = (uint8_t)who;
        }
        for (unsigned i = 0; i < count; i++)
            n->ops[i] = fibers[i].next;
        asleep = n->asleep;
        for (unsigned i = 0; i < count; i++)
            if (depend(n->ops[i], n->ops[n->chosen]))
                asleep &= (uint8_t)~(1u << i);
        self = n->chosen;
        note_write(n->ops[n->chosen]);
        resume(n->chosen);
    }
}

/* To the next order: false = there is none. */
static bool
advance(void)
{
    while (depth-- > 0) {
        struct node *n = &path[depth];

        n->asleep |= (uint8_t)(1u << n->chosen);
        if (!(n->enabled & ~n->asleep))
            continue;
        replay = depth;
        return again = true;
    }
    return false;
}

void
model_fail(const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "%s: ", scenario->name);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\n    order:");
    for (unsigned i = 0; i < depth && i < DEPTH_MAX; i++)
        fprintf(stderr, " %u", path[i].chosen);
    fprintf(stderr, "\n");
    exit(1);
}

static void
reset(void)
{
    memset(shadow, 0, (arena_used + 15) / 16);
    arena_used = live = 0;
    self = 0;
}

/* Everything once more up to the node at `replay`, where another thread is to
 * go: which one is only known when it is reached. */
static bool
one_run(void)
{
    reset();
    free_running = true;
    scenario->setup();
    free_running = false;
    for (count = 0; count < THREADS_MAX && scenario->threads[count]; count++)
        start(count);
    return run_once();
}

static _Alignas(16) char tls_clean[4096];

unsigned long
explore(const struct scenario *s, unsigned long most)
{
    unsigned long runs = 0;

    scenario = s;
    depth = replay = 0;
    again = false;
    memcpy(tls_clean, model_tls, model_tls_bytes);
    do {
        bool whole;

        memcpy(model_tls, tls_clean, model_tls_bytes);
        whole = one_run();
        runs += whole;
        if (whole) {
            free_running = true;
            memcpy(model_tls, fibers[0].tls, model_tls_bytes);
            self = 0;
            scenario->finish();
            free_running = false;
        }
    } while (runs < most && advance());
    memcpy(model_tls, tls_clean, model_tls_bytes);
    return runs;
}
