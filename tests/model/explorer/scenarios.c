/* scenarios.c: what must hold in every order: of completions, cancellations,
 * ends, fires and releases, over the runtime's own code. */
#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a wait that is completed and cancelled ---------------------------------------- */

static void
setup_alone(void)
{
    begin_setup(false);
}

static void
setup_shared(void)
{
    begin_setup(true);
}

static void
setup_suspended(void)
{
    begin_setup(false);
    start(&task, until, &op);
}

static void
setup_at_place(void)
{
    begin_setup(false);
    start(&task, at_place, &op);
}

static void
starts_park(void)
{
    ground_on(0);
    start(&task, park, &op);
    ground_drive();
}

static void
starts_until(void)
{
    ground_on(0);
    start(&task, until, &op);
    ground_drive();
}

static void
completes(void)
{
    ground_on(3);
    op_complete(&op);
}

static void
completes_cancels(void)
{
    completes();
    cancels();
}

static void
finish_until(void)
{
    HOLDS(op.armed <= 1 && op.disarmed <= 1);
    HOLDS(op.ended && op.outcome == (op.armed && op.decided == 1));
    is_over(&task, &op);
    HOLDS(model_live() == 0);
}

/* A wait that raises what it was given up for. */
static void
finish_raised(void)
{
    HOLDS(op.armed <= 1 && op.disarmed <= 1);
    HOLDS(op.outcome == (op.armed && op.decided == 1 ? 1 : FM__ECANCELED));
    is_over(&task, &op);
    HOLDS(model_live() == 0);
}

/* Nobody cancels: it must be completed. */
static void
finish_completed(void)
{
    HOLDS(op.armed == 1 && op.outcome == 1);
    finish_until();
}

/* Nobody completes: it must be given up. */
static void
finish_cancelled(void)
{
    HOLDS(op.outcome == 0 && op.disarmed == op.armed);
    finish_until();
}

/* ---- a task that ends while somebody who awaits it is cancelled ---------------------- */

static fm_source *source, *source2;

static void *
get(struct op *o)
{
    struct task *t = task_of(fm_abi_source_task(source));
    void *end = after(fm__await(task_handle(t)), o);

    fm__task_release(t);
    return end;
}

static void
setup_source(void)
{
    begin_setup(false);
    source = fm_abi_source_new(8, false);
}

static void
setup_source_shared(void)
{
    begin_setup(true);
    source = fm_abi_source_new(8, false);
}

static void
setup_getting(void)
{
    setup_source();
    start(&task, get, &op);
}

static void
setup_two_getting(void)
{
    setup_getting();
    ground_on(1);
    start(&task2, get, &other);
    ground_on(0);
}

static void
starts_get(void)
{
    ground_on(0);
    start(&task, get, &op);
    ground_drive();
}

static void
sets(void)
{
    long n = 7;

    ground_on(3);
    HOLDS(fm_abi_source_set(source, &n, sizeof n));
}

static void
cancels_drives_second(void)
{
    ground_on(1);
    fm_abi_cancel(task2);
    ground_drive();
}

static void
finish_get(void)
{
    HOLDS(op.outcome == 1 || op.outcome == FM__ECANCELED);
    is_over(&task, &op);
    fm_abi_source_release(source);
    HOLDS(model_live() == 0);
}

static void
finish_got(void)
{
    HOLDS(op.outcome == 1);
    finish_get();
}

static void
finish_not_got(void)
{
    HOLDS(op.outcome == FM__ECANCELED);
    finish_get();
}

static void
finish_two(void)
{
    HOLDS(op.outcome == 1);
    HOLDS(other.outcome == 1 || other.outcome == FM__ECANCELED);
    is_over(&task2, &other);
    finish_get();
}

/* ---- who completes a source -------------------------------------------------------------- */

static int wins;

static void
setup_contest(void)
{
    setup_source();
    wins = 0;
    task = fm_abi_source_task(source);
    fm_abi_source_retain(source);
    fm_abi_source_retain(source);
}

static void
contest_set(void)
{
    long n = 7;

    wins += fm_abi_source_set(source, &n, sizeof n);
    fm_abi_source_release(source);
}

static void
contest_cancel(void)
{
    wins += fm_abi_source_cancel(source);
    fm_abi_source_release(source);
}

static void
contest_drop(void)
{
    fm_abi_cancel(task);
    fm_abi_source_release(source);
}

static void
finish_contest(void)
{
    HOLDS(wins <= 1);
    HOLDS(fm_abi_status(task) == (wins ? fm_abi_status(task) : FM_CANCELLED));
    HOLDS(fm_abi_status(task) != FM_RUNNING);
    fm_abi_release(task);
    HOLDS(model_live() == 0);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static fm_cancel_source *fires, *child;
static fm_token_reg *reg;
static int called, never;

static void *
until_token(struct op *o)
{
    void *outer = fm_abi_with_token(fm_cancel_source_token(child));
    void *end = until(o);

    (void)outer; /* the frame that opened it would close it when it ends */
    return end;
}

void *
token_resume(struct fm_record *record, void *fault)
{
    void *end = until_resume(record, fault);

    fm_abi_scope_leave(NULL);
    return end;
}
POINT(token_point, token_resume, 32, 1);

/* The scope is closed by the frame that opened it, however it ends. */
static void *
under_token(struct op *o)
{
    void *outer = fm__thread.context;
    void *end = until_token(o);

    if (end)
        ((struct fm_record *)end)->point = &token_point;
    else
        fm_abi_scope_leave(outer);
    return end;
}

static void
setup_token(void)
{
    begin_setup(false);
    fires = fm_cancel_source_new();
    child = fm_cancel_source_link(fm_cancel_source_token(fires));
    start(&task, under_token, &op);
}

static void
setup_token_unstarted(void)
{
    begin_setup(false);
    fires = fm_cancel_source_new();
    child = fm_cancel_source_link(fm_cancel_source_token(fires));
}

static void
starts_under_token(void)
{
    ground_on(0);
    start(&task, under_token, &op);
    ground_drive();
}

static void
fire(void)
{
    ground_on(2);
    fm_cancel_source_fire(fires);
}

static void
fire_cancel(void)
{
    fire();
    cancels();
}

static void
finish_token(void)
{
    fm_cancel_source_release(child);
    fm_cancel_source_release(fires);
    finish_until();
}

static void
finish_fired(void)
{
    HOLDS(op.outcome == 0);
    finish_token();
}

static void
callback(void *arg)
{
    (void)arg;
    called++;
}

static void
setup_callback(void)
{
    begin_setup(false);
    called = never = 0;
    fires = fm_cancel_source_new();
    reg = fm_token_on(fm_cancel_source_token(fires), callback, NULL);
}

static void
fires_releases(void)
{
    ground_on(1);
    fm_cancel_source_fire(fires);
    fm_cancel_source_release(fires);
}

static void
takes_off(void)
{
    ground_on(2);
    never = fm_token_off(reg);
}

static void
finish_callback(void)
{
    HOLDS(called + never == 1);
    HOLDS(model_live() == 0);
}

static void
setup_family(void)
{
    begin_setup(false);
    fires = fm_cancel_source_new();
    child = fm_cancel_source_link(fm_cancel_source_token(fires));
}

static void
releases_child(void)
{
    ground_on(2);
    fm_cancel_source_release(child);
}

static void
links_another(void)
{
    ground_on(0);
    fm_cancel_source_release(fm_cancel_source_link(
        fm_cancel_source_token(child)));
    fm_cancel_source_release(child);
}

static void
finish_family(void)
{
    HOLDS(model_live() == 0);
}

static void
setup_family_shared(void)
{
    setup_family();
    fm_token_retain(fm_cancel_source_token(child));
}

/* ---- all and any ------------------------------------------------------------------------------ */

static fm_task *both[2];

static void *
all(struct op *o)
{
    return after(fm__all(both, 2), o);
}

void *
any_resume_frame(struct fm_record *record, void *fault)
{
    struct frame *f = (struct frame *)record;

    HOLDS(fault || f->result == 0 || f->result == 1);
    return ends(f->op, 1, fault);
}
POINT(anyof_point, any_resume_frame, 32, 1);

static void *
any(struct op *o)
{
    struct split_size s = fm__any(both, 2);

    if (!s.end || (uintptr_t)s.end & FM_ABI_FAULT_BIT)
        return ends(o, 1, s.end);
    return link_frame(s.end, &anyof_point, o);
}

static void
two_sources(void)
{
    source = fm_abi_source_new(8, false);
    source2 = fm_abi_source_new(8, false);
    both[0] = fm_abi_source_task(source);
    both[1] = fm_abi_source_task(source2);
}

static void
setup_all(void)
{
    begin_setup(false);
    two_sources();
    start(&task, all, &op);
}

static void
setup_any(void)
{
    begin_setup(false);
    two_sources();
    start(&task, any, &op);
}

static void
setup_both(void)
{
    begin_setup(false);
    two_sources();
}

static void
starts_all(void)
{
    ground_on(0);
    start(&task, all, &op);
    ground_drive();
}

static void
starts_any(void)
{
    ground_on(0);
    start(&task, any, &op);
    ground_drive();
}

static void
sets_second(void)
{
    long n = 8;

    ground_on(2);
    HOLDS(fm_abi_source_set(source2, &n, sizeof n));
}

static void
cancels_sets_second(void)
{
    cancels();
    sets_second();
}

static void
finish_both(void)
{
    HOLDS(op.outcome == 1 || op.outcome == FM__ECANCELED);
    is_over(&task, &op);
    for (int i = 0; i < 2; i++)
        fm_abi_release(both[i]);
    fm_abi_source_release(source);
    fm_abi_source_release(source2);
    HOLDS(model_live() == 0);
}

static void
finish_both_got(void)
{
    HOLDS(op.outcome == 1);
    finish_both();
}

/* ---- references ---------------------------------------------------------------------------------- */

static void
setup_references(void)
{
    setup_source();
    task = fm_abi_source_task(source);
    fm_abi_retain(task);
}

static void
retains_releases(void)
{
    ground_on(model_self());
    fm_abi_retain(task);
    fm_abi_release(task);
    fm_abi_release(task);
}

static void
finish_references(void)
{
    fm_abi_source_release(source);
    HOLDS(model_live() == 0);
}

/* ---- the table ------------------------------------------------------------------------------------- */

static const struct scenario table[] = {
    {"a completion and a cancellation: one ends the wait",
     setup_suspended, {drives, completes, cancels}, finish_until},
    {"the same while it is being armed",
     setup_alone, {starts_until, completes, cancels}, finish_until},
    {"a completion while it is being armed",
     setup_alone, {starts_until, completes}, finish_completed},
    {"on the pool: resumed elsewhere while it is being armed",
     setup_shared, {starts_until, drives_second, completes}, finish_completed},
    {"on the pool: the same, and cancelled",
     setup_shared, {starts_until, drives_second, completes_cancels},
     finish_until},
    {"at a place: a completion and a cancellation",
     setup_at_place, {drives, completes, cancels}, finish_raised},
    {"in its own memory: the same while it is being armed",
     setup_alone, {starts_park, completes, cancels}, finish_raised},
    {"on the pool: in its own memory, resumed elsewhere and cancelled",
     setup_shared, {starts_park, drives_second, completes_cancels},
     finish_raised},
    {"in its own memory: two cancellations and a completion",
     setup_alone, {starts_park, completes_cancels, cancels}, finish_raised},
    {"a cancellation while it is being armed",
     setup_alone, {starts_until, cancels}, finish_cancelled},
    {"on the pool: a cancellation while it is being armed",
     setup_shared, {starts_until, drives_second, cancels}, finish_cancelled},
    {"a cancellation while a task begins to wait for another",
     setup_source, {starts_get, cancels}, finish_not_got},
    {"two cancellations and a completion",
     setup_suspended, {drives, completes_cancels, cancels}, finish_until},
    {"a task ends while who awaits it is cancelled",
     setup_getting, {drives, sets, cancels}, finish_get},
    {"the same while that one begins to wait",
     setup_source, {starts_get, sets, cancels}, finish_get},
    {"a task ends while another begins to await it",
     setup_source, {starts_get, sets}, finish_got},
    {"on the pool: a task ends while another begins to await it",
     setup_source_shared, {starts_get, drives_second, sets}, finish_got},
    {"one of two waiters is cancelled while the task ends",
     setup_two_getting, {drives, cancels_drives_second, sets}, finish_two},
    {"a source is completed once", setup_contest,
     {contest_set, contest_cancel, contest_drop}, finish_contest},
    {"a token fires while the wait is completed", setup_token,
     {drives, fire, completes}, finish_token},
    {"a token fires while the wait begins", setup_token_unstarted,
     {starts_under_token, fire, completes}, finish_token},
    {"a token fires while a wait begins that nobody completes",
     setup_token_unstarted, {starts_under_token, fire}, finish_fired},
    {"a token fires and the task is cancelled", setup_token,
     {drives, fire_cancel, completes}, finish_token},
    {"a callback is called or taken off", setup_callback,
     {drives, fires_releases, takes_off}, finish_callback},
    {"a parent fires while its child is released", setup_family,
     {drives, fires_releases, releases_child}, finish_family},
    {"a child gets a child while its parent fires", setup_family_shared,
     {links_another, fires_releases, releases_child}, finish_family},
    {"all: two tasks end", setup_all, {drives, sets, sets_second},
     finish_both_got},
    {"all: two tasks end while it begins", setup_both,
     {starts_all, sets, sets_second}, finish_both_got},
    {"all: cancelled while the tasks end", setup_all,
     {drives, sets, cancels_sets_second}, finish_both},
    {"any: two tasks end", setup_any, {drives, sets, sets_second},
     finish_both_got},
    {"any: two tasks end while it begins", setup_both,
     {starts_any, sets, sets_second}, finish_both_got},
    {"any: cancelled while the tasks end", setup_any,
     {drives, sets, cancels_sets_second}, finish_both},
    {"a task is freed once", setup_references,
     {retains_releases, retains_releases, sets}, finish_references},
};

static size_t only = SIZE_MAX, number;

static void
explore_all(const struct scenario *s, size_t n, unsigned long most)
{
    for (; n--; s++, number++) {
        unsigned long runs;

        if (only != SIZE_MAX && only != number)
            continue;
        runs = explore(s, most);
        printf("%2zu %8lu%s %s\n", number, runs, runs < most ? " " : "+",
               s->name);
        fflush(stdout);
    }
}

int
main(int argc, char **argv)
{
    unsigned long most = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;

    if (argc > 2)
        only = strtoul(argv[2], NULL, 10);
    model_tls = &fm__thread;
    explore_all(table, sizeof table / sizeof table[0], most);
    explore_all(hand_over, hand_overs, most);
    explore_all(workers, worker_scenarios, most);
    return 0;
}
