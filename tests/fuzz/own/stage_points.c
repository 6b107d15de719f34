/* stage_points.c: the points at which programs suspend, and who wakes them. */
#include "stage_inner.h"
#include <pthread.h>

struct wake {
    struct cx *cx;
    fm_waiter *waiter;
    FM_SOURCE(unsigned) source;
    fm_task *cancel;        /* is cancelled before it is woken */
    fm_cancel_source *fire; /* fires before it is woken */
    struct wake *next;
};

unsigned
next_random(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

static void
wake_now(const struct wake *wake)
{
    if (wake->cancel)
        fm_abi_cancel(wake->cancel);
    else if (wake->fire)
        fm_cancel_source_fire(wake->fire);
    else
        change_held(wake->cx);
    if (wake->source) {
        fm_source_set(wake->source, 7u);
        fm_source_release(wake->source);
    } else {
        fm_resume(wake->waiter);
    }
}

/* ---- from a thread of no executor --------------------------------------------- */

static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct wake *first;
    void *race[64];         /* ... and waits that it may be too late for */
    unsigned races;
    bool ends;
} foreign = {.lock = PTHREAD_MUTEX_INITIALIZER,
             .some = PTHREAD_COND_INITIALIZER};

/* What it wakes may be over before: it has a copy. */
static void
foreign_post(const struct wake *wake)
{
    struct wake *copy = malloc(sizeof *copy);

    if (!copy)
        abort();
    *copy = *wake;
    pthread_mutex_lock(&foreign.lock);
    copy->next = foreign.first;
    foreign.first = copy;
    pthread_cond_signal(&foreign.some);
    pthread_mutex_unlock(&foreign.lock);
}

static void race_wake(void *race);

static void *
foreign_main(void *arg)
{
    pthread_mutex_lock(&foreign.lock);
    for (;;) {
        struct wake *wake = foreign.first;
        void *race = foreign.races ? foreign.race[--foreign.races] : NULL;

        if (!wake && !race) {
            if (foreign.ends)
                break;
            pthread_cond_wait(&foreign.some, &foreign.lock);
            continue;
        }
        if (wake)
            foreign.first = wake->next;
        pthread_mutex_unlock(&foreign.lock);
        if (race)
            race_wake(race);
        if (wake)
            wake_now(wake);
        free(wake);
        pthread_mutex_lock(&foreign.lock);
    }
    pthread_mutex_unlock(&foreign.lock);
    return arg;
}

void
foreign_open(void)
{
    if (pthread_create(&foreign.thread, NULL, foreign_main, NULL))
        abort();
}

void
foreign_close(void)
{
    pthread_mutex_lock(&foreign.lock);
    foreign.ends = true;
    pthread_cond_signal(&foreign.some);
    pthread_mutex_unlock(&foreign.lock);
    pthread_join(foreign.thread, NULL);
}

/* ---- from a task ------------------------------------------------------------------ */

static async void
wake_run(struct wake wake)
{
    await fm_yield();
    wake_now(&wake);
}

static fm_executor *
afar_of(struct cx *cx)
{
    return next_random(&cx->random) % 2 ? pool : helper;
}

/* It outlives whom it wakes: nothing of what that ran under is its own. */
static void
wake_start(struct wake *wake, bool afar)
{
    fm_with_shield();
    FM_TASK(void) t = afar
                          ? fm_start_on(afar_of(wake->cx), wake_run(*wake))
                          : fm_start(wake_run(*wake));
    fm_release(t);
}

static void
arm_at_once(fm_waiter *waiter, void *arg)
{
    struct wake *wake = arg;

    change_held(wake->cx);
    fm_resume(waiter);
}

static void
arm_later(fm_waiter *waiter, void *arg)
{
    struct wake *wake = arg;

    wake->waiter = waiter;
    wake_start(wake, false);
}

static void
arm_afar(fm_waiter *waiter, void *arg)
{
    struct wake *wake = arg;

    wake->waiter = waiter;
    wake_start(wake, true);
}

static void
arm_foreign(fm_waiter *waiter, void *arg)
{
    struct wake *wake = arg;

    wake->waiter = waiter;
    foreign_post(wake);
}

/* fm_resume is always called. */
static bool
disarm(fm_waiter *waiter, void *arg)
{
    (void)waiter, (void)arg;
    return false;
}

/* Also if it is given up: whoever sets the source uses its cx before. */
static async void
by_source(struct wake *wake, enum way way)
{
    FM_SOURCE(unsigned) s = fm_source_new(unsigned);
    FM_AUTO FM_TASK(unsigned) t = fm_source_task(s);
    unsigned value = 0;
    fm_fault *f;

    if (way == READY) {
        fm_source_set(s, 7u);
        fm_source_release(s);
        change_held(wake->cx);
    } else {
        wake->source = s;
        wake_start(wake, way == SOURCE_AFAR);
    }
    f = await fm_attempt(&value, fm_get(t));
    fm_with_shield();
    if (f && await fm_get(t) == 7)
        fm_rethrow(f);
    if (value != 7)
        abort();
}

/* ---- two at once ------------------------------------------------------------------ */

/* Whoever takes the waiter ends the wait: fm_resume, or the cancellation. */
struct race {
    _Atomic(fm_waiter *) waiter;
    _Atomic unsigned refs;
};

static void
race_drop(struct race **race)
{
    if (!--(*race)->refs)
        free(*race);
}

static void
race_wake(void *arg)
{
    struct race *race = arg;
    fm_waiter *waiter = atomic_exchange(&race->waiter, NULL);

    if (waiter)
        fm_resume(waiter);
    race_drop(&race);
}

static void
race_arm(fm_waiter *waiter, void *arg)
{
    struct race *race = arg;
    bool posted;

    race->refs++;
    race->waiter = waiter;
    pthread_mutex_lock(&foreign.lock);
    posted = foreign.races < sizeof foreign.race / sizeof foreign.race[0];
    if (posted)
        foreign.race[foreign.races++] = race;
    pthread_cond_signal(&foreign.some);
    pthread_mutex_unlock(&foreign.lock);
    if (!posted)
        race_wake(race);
}

static bool
race_disarm(fm_waiter *waiter, void *arg)
{
    struct race *race = arg;

    (void)waiter;
    return atomic_exchange(&race->waiter, NULL) != NULL;
}

static async void
cancel_run(struct wake wake)
{
    if (wake.cancel)
        fm_abi_cancel(wake.cancel);
    else
        fm_cancel_source_fire(wake.fire);
}

/* A deadline that may be over before. */
static async void
race_deadline(struct cx *cx, struct race *race)
{
    fm_fault *f;

    fm_with_timeout(FM_US(next_random(&cx->random) % 40));
    if (await fm_suspend_until(race_arm, race_disarm, race))
        return;
    f = await fm_attempt(NULL, fm_raise_cancelled());
    if (!f)
        abort();
}

/* Whatever came first: then both have come. */
static async void
by_race(struct wake *wake)
{
    struct race *race CLEANUP(race_drop) = calloc(1, sizeof *race);
    fm_fault *f = NULL;

    if (!race)
        abort();
    race->refs = 1;
    if (!wake->cancel && !wake->fire) {
        await race_deadline(wake->cx, race);
        change_held(wake->cx);
        return;
    }
    FM_TASK(void) t = fm_start_on(afar_of(wake->cx), cancel_run(*wake));
    if (!await fm_suspend_until(race_arm, race_disarm, race))
        f = await fm_attempt(NULL, fm_raise_cancelled());
    fm_with_shield();
    await fm_join(t);
    if (f)
        fm_rethrow(f);
}

/* ---- points ----------------------------------------------------------------------- */

static async void
wait_by(enum way way, struct wake *wake)
{
    switch (way) {
    case STILL:
        change_held(wake->cx);
        break;
    case YIELD:
    case TWICE:
        await fm_yield();
        change_held(wake->cx);
        if (way == TWICE)
            await fm_yield();
        break;
    case SLEEP:
        await fm_sleep(FM_US(20));
        change_held(wake->cx);
        break;
    case AT_ONCE:
        await fm_suspend_until(arm_at_once, disarm, wake);
        break;
    case LATER:
        await fm_suspend_until(arm_later, disarm, wake);
        break;
    case AFAR:
        await fm_suspend_until(arm_afar, disarm, wake);
        break;
    case FOREIGN:
        await fm_suspend_until(arm_foreign, disarm, wake);
        break;
    case RACE:
        await by_race(wake);
        break;
    default:
        await by_source(wake, way);
        break;
    }
}

static enum way
way_of(struct cx *cx)
{
    unsigned way;

    if (how.points != WAYS)
        return how.points;
    way = next_random(&cx->random) % 20;
    if (how.starving && way >= LATER && way < WAYS)
        return FOREIGN; /* the others start tasks */
    return way == SLEEP && next_random(&cx->random) % 8 ? YIELD
           : way < WAYS                                 ? (enum way)way
                                                        : way % 3;
}

async void
point(struct cx *cx)
{
    struct wake wake = {.cx = cx};
    enum way way = way_of(cx);

    await fm_raise_cancelled();
    if (++cx->points == cx->cancel_at) {
        wake.cancel = fm_self();
        if (way < LATER) {
            fm_abi_cancel(wake.cancel);
            await fm_raise_cancelled();
            wake.cancel = NULL;
        }
    }
    await wait_by(way, &wake);
    if (!wake.cancel)
        return;
    await fm_raise_cancelled();
    change_held(cx);
}

async void
fire(struct cx *cx, fm_cancel_source *source)
{
    struct wake wake = {.cx = cx};
    enum way way = way_of(cx);

    await fm_raise_cancelled();
    if (way < LATER) {
        fm_cancel_source_fire(source);
        await fm_raise_cancelled();
        await wait_by(way, &wake);
        return;
    }
    wake.fire = source;
    await wait_by(way, &wake);
    await fm_raise_cancelled();
    change_held(cx);
}

async unsigned
num(struct cx *cx, unsigned v)
{
    await point(cx);
    return v;
}

async void
errno_kept(struct cx *cx, unsigned code)
{
    errno = (int)code;
    await point(cx);
    note(cx, "errno", (unsigned)errno);
}
