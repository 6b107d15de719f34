/* forms.h: the words that the programs of marks.in.c are made of. */
#include <stdint.h>
#include <stdio.h>

#ifdef PLAIN
#define async
#define await
#else
#include <fermata.h>
#endif

#define SHAPE(name, type, member, index)                                     \
    typedef struct { type member; } name;                                    \
    static inline int int_##name(name v) { return (int)v.index; }            \
    static inline name make_##name(int x)                                    \
    {                                                                        \
        name v;                                                              \
        __builtin_memset(&v, 0, sizeof v);                                   \
        v.index = (__typeof__(v.index))x;                                    \
        return v;                                                            \
    }
#define SCALAR(name, type)                                                   \
    static inline int int_##name(type v) { return (int)v; }                  \
    static inline type make_##name(int x) { return (type)x; }
#define c3 c[3]
#define a3 a[3]
#define l2 l[2]
#define l5 l[5]
typedef long double longdouble;
SCALAR(int, int)
SCALAR(_Bool, _Bool)
SCALAR(double, double)
SCALAR(longdouble, longdouble)
SHAPE(three, unsigned char, c3, c[2])
SHAPE(twelve, int, a3, a[2])
SHAPE(sixteen, long, l2, l[1])
SHAPE(large, long, l5, l[4])
typedef struct { _Alignas(64) int x; } aligned;
static inline int int_aligned(aligned v) { return v.x; }
static inline aligned make_aligned(int x) { return (aligned){x}; }

static unsigned seen, tick, left;
static inline int fuel(void) { return left && left--; }
static inline void refuel(int i) { left = 300; tick = (unsigned)i; }
#define SEE(v) (seen = seen * 31 + (unsigned)(v))
/* As often as not. */
static inline int paused(void)
{
    tick = tick * 1664525 + 1013904223;
    return tick >> 31;
}

/* main is async or waits in as many forms as it has turns. */
#if defined(PLAIN)
#define WAITING
#define WAIT(v, T, call) v = int_##T(call)
#elif !defined(WAITS)
#define WAITING async
#define WAIT(v, T, call) v = int_##T(await call)
#else
#define WAITING
#define WAIT(v, T, call)                                                     \
    do {                                                                     \
        T w;                                                                 \
        FM_TASK(T) t = NULL;                                                 \
        if (i == 0)                                                          \
            w = fm_wait(call);                                               \
        else if (i == 1 && fm_attempt_wait(&w, call))                        \
            return 1;                                                        \
        else if (i == 2 && (t = fm_start(call)))                             \
            w = fm_wait_task(t);                                             \
        else if (i == 3 && (t = fm_begin(&w, call)))                         \
            w = fm_wait_task_for(t, FM_S(60));                               \
        if (t)                                                               \
            fm_release(t);                                                   \
        v = int_##T(w);                                                      \
    } while (0)
#endif

#ifdef PLAIN
#define PAUSE() ((void)paused())
#define AWAIT(T, call) (call)
#define JOIN(T, call) (call)
#define JOIN_ON(T, call) (call)
#define TAKE(T, call) (call)
#define WITHIN(T, call) (call)
#define ANYWHERE(T, call) (call)
#define GET(v, T, call) v = int_##T(call)
#define BEGIN(v, T, call) v = int_##T(call)
#define ATTEMPT(v, T, call) v = int_##T(call)
#define KEEP(v, T, call) v = int_##T(call)
#else
#define PAUSE() do { if (paused()) await fm_yield(); } while (0)
#define AWAIT(T, call) await call
#define JOIN(T, call) await fm_join(fm_start(call))
#define JOIN_ON(T, call) await fm_join(fm_start_on(fm_executor_self(), call))
#define TAKE(T, call) await fm_take(&(FM_VALUE(T)){fm_value(call)})
#define WITHIN(T, call) await fm_within(FM_S(60), call)
#define ANYWHERE(T, call) await fm_anywhere(call)
#define GET(v, T, call)                                                      \
    do {                                                                     \
        FM_AUTO FM_TASK(T) t = fm_start(call);                               \
        v = int_##T(await fm_get(t));                                        \
    } while (0)
#define BEGIN(v, T, call)                                                    \
    do {                                                                     \
        T r;                                                                 \
        FM_TASK(T) t = fm_begin(&r, call);                                   \
        if (t)                                                               \
            r = await fm_join(t);                                            \
        v = int_##T(r);                                                      \
    } while (0)
#define ATTEMPT(v, T, call)                                                  \
    do {                                                                     \
        T r;                                                                 \
        fm_fault *f = await fm_attempt(&r, call);                            \
        v = f ? -1 : int_##T(r);                                             \
    } while (0)
#define KEEP(v, T, call)                                                     \
    do {                                                                     \
        FM_TASK(T) t = fm_start(call);                                       \
        T r = await fm_get(t);                                               \
        v = int_##T(r) ^ int_##T(await fm_join(t)) ^ int_##T(r);             \
    } while (0)
#endif
