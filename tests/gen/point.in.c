/* point.in.c: main of every generated program, and its suspension points.
 *
 * POINT=none    nothing suspends
 * POINT=yield   every point suspends (fm_yield)
 * POINT=mix:N   each point chooses by seed N: nothing, a yield, two yields, a
 *               suspension resumed from inside arm, one resumed later by
 *               another task, a source, an already completed source
 * POINT=many:N  as mix, eight activations of the program at once, which must
 *               all come to the same hash
 * POINT=hop     every point resumes on the completing thread
 */
#include "point.h"
#include <pthread.h>

void
note(struct cx *cx, const char *what, unsigned long v)
{
    cx->hash = (cx->hash ^ v) * 0x100000001b3UL + (unsigned char)*what;
    if (!cx->quiet)
        printf("%s %lx\n", what, v);
}

void
hold(struct cx *cx, unsigned *p)
{
    if (cx->held < sizeof(cx->hold) / sizeof(cx->hold[0]))
        cx->hold[cx->held++] = p;
}

void
unhold(struct cx *cx, unsigned *p)
{
    for (unsigned i = 0; i < cx->held; i++)
        if (cx->hold[i] == p) {
            memmove(&cx->hold[i], &cx->hold[i + 1],
                    (--cx->held - i) * sizeof(cx->hold[0]));
            return;
        }
}

void *
opaque(void *p)
{
    __asm__ volatile("" : "+r"(p) : : "memory");
    return p;
}

static void
change_held(struct cx *cx)
{
    for (unsigned i = 0; i < cx->held; i++)
        *cx->hold[i] = *cx->hold[i] * 3 + 1;
}

#ifdef FERMATA_PLAIN

void
point(struct cx *cx)
{
    change_held(cx);
}

static void
run(struct cx *cx)
{
    program(cx);
}

#else

static enum { NONE, YIELD, TWICE, AT_ONCE, LATER, SOURCE, READY, HOP,
              MIX } mode;
static bool many;
static unsigned seed;

static void
arm_at_once(fm_waiter *waiter, void *arg)
{
    change_held(arg);
    fm_resume(waiter);
}

static async void
resume_later(struct cx *cx, fm_waiter *waiter)
{
    await fm_yield();
    change_held(cx);
    fm_resume(waiter);
}

static void
arm_later(fm_waiter *waiter, void *arg)
{
    fm_detach(resume_later(arg, waiter));
}

struct hop {
    struct cx *cx;
    fm_waiter *waiter;
};

static void *
resume_thread(void *arg)
{
    struct hop *hop = arg;
    change_held(hop->cx);
    fm_resume(hop->waiter);
    return NULL;
}

static void
arm_hop(fm_waiter *waiter, void *arg)
{
    struct hop *hop = arg;
    pthread_t thread;

    hop->waiter = waiter;
    if (pthread_create(&thread, NULL, resume_thread, hop))
        abort();
    pthread_detach(thread);
}

static async void
set_later(struct cx *cx, FM_SOURCE(unsigned) s)
{
    await fm_yield();
    change_held(cx);
    fm_source_set(s, 7u);
    fm_source_release(s);
}

static async void
by_source(struct cx *cx, bool ready)
{
    FM_SOURCE(unsigned) s = fm_source_new(unsigned);
    FM_TASK(unsigned) t = fm_source_task(s);

    if (ready) {
        change_held(cx);
        fm_source_set(s, 7u);
        fm_source_release(s);
    } else {
        fm_detach(set_later(cx, s));
    }
    if (await fm_join(t) != 7)
        abort();
}

async void
point(struct cx *cx)
{
    unsigned kind = mode;

    if (mode == MIX) {
        cx->random = cx->random * 1103515245u + 12345u;
        kind = (cx->random >> 16) % HOP;
    }
    switch (kind) {
    case YIELD:
    case TWICE:
        await fm_yield();
        change_held(cx);
        if (kind == TWICE)
            await fm_yield();
        break;
    case AT_ONCE:
        await fm_suspend(arm_at_once, cx);
        break;
    case LATER:
        await fm_suspend(arm_later, cx);
        break;
    case SOURCE:
    case READY:
        await by_source(cx, kind == READY);
        break;
    case HOP: {
        struct hop hop = {cx, NULL};
        await fm_anywhere(fm_suspend(arm_hop, &hop));
        break;
    }
    default:
        change_held(cx);
        break;
    }
}

static void
choose(const char *how)
{
    mode = !how || !strcmp(how, "none") ? NONE
           : !strcmp(how, "yield")      ? YIELD
           : !strcmp(how, "hop")        ? HOP
                                        : MIX;
    many = how && !strncmp(how, "many:", 5);
    if (mode == MIX)
        seed = (unsigned)atoi(strchr(how, ':') + 1);
}

#define ACTIVATIONS 8

static async void
run(struct cx *cx)
{
    static struct cx all[ACTIVATIONS];
    FM_TASK(void) task[ACTIVATIONS];

    choose(getenv("POINT"));
    cx->random = seed;
    if (many)
        for (unsigned i = 0; i < ACTIVATIONS; i++) {
            all[i].quiet = true;
            all[i].id = i + 1;
            all[i].random = seed + i;
            task[i] = fm_start(program(&all[i]));
        }
    await program(cx);
    if (many)
        for (unsigned i = 0; i < ACTIVATIONS; i++) {
            await fm_join(task[i]);
            if (all[i].hash != cx->hash)
                printf("activation %u differs: %lx\n", i, all[i].hash);
        }
}

#endif

async unsigned
num(struct cx *cx, unsigned v)
{
    await point(cx);
    return v;
}

async int
main(void)
{
    static struct cx cx;

    await run(&cx);
    printf("hash %lx\n", cx.hash);
    return 0;
}
