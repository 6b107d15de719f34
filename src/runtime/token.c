/* token.c: tokens: who is told when one fires, callbacks, clocks, sources.
 *
 * A token has one list of nodes: waits under it (cancel.c), callbacks, linked
 * tokens. Firing sets the flag under the lock, collects what is due and posts
 * it after: nobody's code runs inside fire. */
#include <string.h>

#include "runtime/entry.h"

/* ---- callbacks ------------------------------------------------------------------------ */

/* refs: one of the caller, until fm_token_off; one of the list or the job. */
struct fm_token_reg {
    struct node node;
    fm_token *token; /* one reference */
    fm_executor *executor;
    fm_token_fn *fn;
    void *arg;
    fm_job job;
    _Atomic uint32_t refs;
    _Atomic uint32_t off; /* 1: not to be run any more; 2: was run */
};

static void
reg_drop(fm_token_reg *r)
{
    if (fm__sub(&r->refs, 1) != 1)
        return;
    fm_token_release(r->token);
    fm__sys_free(r);
}

static void
reg_run(fm_job *job)
{
    fm_token_reg *r =
        (void *)((char *)job - offsetof(struct fm_token_reg, job));
    fm_executor *outer = fm__thread.executor;
    uint32_t on = 0;

    if (atomic_compare_exchange_strong(&r->off, &on, 2)) {
        fm__thread.executor = r->executor;
        r->fn(r->arg);
        fm__thread.executor = outer;
    }
    reg_drop(r);
}

fm_token_reg *
fm_token_on(fm_token *tok, fm_token_fn *fn, void *arg)
{
    fm_token_reg *r = fm__sys_alloc(sizeof *r);
    bool fired;

    if (!r)
        return NULL;
    memset(r, 0, sizeof *r);
    r->node.kind = NODE_CALL;
    r->token = fm_token_retain(tok);
    r->executor = fm__executor_here();
    r->fn = fn;
    r->arg = arg;
    r->job.run = reg_run;
    fm__store(&r->refs, 2);
    lock_take(&tok->lock);
    fired = fm__load(&tok->fired);
    if (!fired)
        node_add(tok, &r->node);
    lock_give(&tok->lock);
    if (fired)
        r->executor->vtable->post(r->executor->arg, &r->job);
    return r;
}

bool
fm_token_off(fm_token_reg *r)
{
    uint32_t on = 0;
    bool listed, never;

    if (!r)
        return true;
    lock_take(&r->token->lock);
    listed = r->node.token != NULL;
    if (listed)
        node_remove(&r->node);
    lock_give(&r->token->lock);
    never = listed || atomic_compare_exchange_strong(&r->off, &on, 1);
    if (listed)
        fm__sub(&r->refs, 1); /* not the last: the caller's is left */
    reg_drop(r);
    return never;
}

/* ---- tokens ------------------------------------------------------------------------------ */

fm_token *
fm__token_new(void)
{
    fm_token *tok = fm__record_must(sizeof *tok);

    memset(tok, 0, sizeof *tok);
    tok->up.kind = NODE_CHILD;
    fm__store(&tok->refs, 1);
    return tok;
}

/* A job that somebody else must run, and where. */
struct due {
    fm_job *first;
};

static void
due_add(struct due *d, fm_job *job)
{
    job->next = d->first;
    d->first = job;
}

static void
due_post(struct due *d)
{
    fm_job *next;

    for (fm_job *j = d->first; j; j = next) {
        fm_executor *ex;
        next = j->next;
        ex =
            job_is_task(j)
                ? task_executor(task_of_job(j))
                : ((fm_token_reg *)(void *)((char *)j -
                                            offsetof(struct fm_token_reg, job)))
                      ->executor;
        ex->vtable->post(ex->arg, j);
    }
}

static bool
token_catch(fm_token *tok)
{
    uint32_t refs = fm__load(&tok->refs);

    while (refs)
        if (atomic_compare_exchange_weak(&tok->refs, &refs, refs + 1))
            return true;
    return false;
}

/* Fires one token. Its children come to *children, linked by up.next, with a
 * reference each. */
static void
token_fire(fm_token *tok, fm_token **children)
{
    struct due due = {NULL};
    struct node *next;

    lock_take(&tok->lock);
    if (fm__load(&tok->fired)) {
        lock_give(&tok->lock);
        return;
    }
    fm__store_release(&tok->fired, true); /* pairs with `pending` */
    for (struct node *n = tok->nodes; n; n = next) {
        next = n->next;
        if (n->kind == NODE_WAIT) {
            struct watch *w = ((struct wait_node *)(void *)n)->watch;
            if (fm__wait_claim(w->task, 0))
                due_add(&due, &w->task->job);
        } else if (n->kind == NODE_CALL) {
            node_remove(n);
            due_add(&due, &((fm_token_reg *)(void *)n)->job);
        } else {
            fm_token *child =
                (void *)((char *)n - offsetof(struct fm_token, up));
            if (!token_catch(child))
                continue;
            node_remove(n);
            n->next = *children ? &(*children)->up : NULL;
            *children = child;
        }
    }
    lock_give(&tok->lock);
    due_post(&due);
}

static void
fire_all(fm_token *tok)
{
    fm_token *children = NULL;

    token_fire(tok, &children);
    while (children) {
        fm_token *child = children;
        struct node *next = child->up.next;
        children = next ? (void *)((char *)next - offsetof(struct fm_token, up))
                        : NULL;
        token_fire(child, &children);
        fm_token_release(child);
    }
}

/* ---- clocks -------------------------------------------------------------------------------- */

static fm_token *
token_of_timer(fm_timer *timer)
{
    return (void *)((char *)timer - offsetof(struct fm_token, timer));
}

/* On the pool the token may be freed on another thread just now: the later
 * one of the two, by the token's lock, gives the memory back. */
static void
clock_fire(fm_timer *timer)
{
    fm_token *tok = token_of_timer(timer);
    bool left, caught;

    lock_take(&tok->lock);
    left = tok->clock == CLOCK_LEFT;
    tok->clock = CLOCK_FIRED;
    caught = !left && token_catch(tok);
    lock_give(&tok->lock);
    if (left)
        fm_abi_record_free(tok, sizeof *tok);
    if (left || !caught)
        return;
    fire_all(tok);
    fm_token_release(tok);
}

/* Under the token's lock. */
void
fm__clock_start(fm_token *tok)
{
    fm_executor *ex;

    if (tok->clock != CLOCK_IDLE || tok->timer.deadline == INT64_MAX)
        return;
    ex = fm__executor_timers(fm__executor_here());
    tok->clock = CLOCK_STARTED;
    tok->executor = ex;
    tok->timer.fire = clock_fire;
    ex->vtable->timer_start(ex->arg, &tok->timer);
}

/* A chain yields under this list: no watch will start its deadlines. */
void
fm__clocks_start(const struct scope *s)
{
    for (; s; s = s->next) {
        if (s->kind != SCOPE_DEADLINE)
            continue;
        lock_take(&s->token->lock);
        if (!fm__load(&s->token->fired))
            fm__clock_start(s->token);
        lock_give(&s->token->lock);
    }
}

/* False: the clock is firing on another thread, and frees the token. */
static bool
clock_end(fm_token *tok)
{
    bool started, fired;

    lock_take(&tok->lock);
    started = tok->clock == CLOCK_STARTED;
    lock_give(&tok->lock);
    if (!started ||
        tok->executor->vtable->timer_stop(tok->executor->arg, &tok->timer))
        return true;
    lock_take(&tok->lock);
    fired = tok->clock == CLOCK_FIRED;
    if (!fired)
        tok->clock = CLOCK_LEFT;
    lock_give(&tok->lock);
    return fired;
}

static void
token_free(fm_token *tok)
{
    if (clock_end(tok))
        fm_abi_record_free(tok, sizeof *tok);
}

static void
token_free_job(fm_job *job)
{
    token_free((void *)((char *)job - offsetof(struct fm_token, free_job)));
}

fm_token *
fm_token_retain(fm_token *tok)
{
    if (tok)
        fm__add(&tok->refs, 1);
    return tok;
}

void
fm_token_release(fm_token *tok)
{
    while (tok && fm__sub(&tok->refs, 1) == 1) {
        fm_token *parent = tok->parent;
        fm_executor *ex = tok->executor;
        if (parent) {
            lock_take(&parent->lock);
            if (tok->up.token)
                node_remove(&tok->up);
            lock_give(&parent->lock);
        }
        if (!ex || ex == fm__thread.executor) {
            token_free(tok);
        } else {
            tok->free_job.run = token_free_job;
            ex->vtable->post(ex->arg, &tok->free_job);
        }
        tok = parent;
    }
}

bool
fm_token_fired(const fm_token *tok)
{
    return fm__load_acquire(&tok->fired);
}

/* ---- sources: the same object ---------------------------------------------------------------- */

static fm_token *
token_of(fm_cancel_source *s)
{
    return (fm_token *)(void *)s;
}

fm_cancel_source *
fm_cancel_source_new(void)
{
    return (fm_cancel_source *)(void *)fm__token_new();
}

fm_token *
fm_cancel_source_token(fm_cancel_source *s)
{
    return token_of(s);
}

void
fm_cancel_source_fire(fm_cancel_source *s)
{
    fire_all(token_of(s));
}

void
fm_cancel_source_release(fm_cancel_source *s)
{
    fm_token_release(token_of(s));
}

fm_cancel_source *
fm_cancel_source_link(fm_token *parent)
{
    fm_token *tok = fm__token_new();
    bool fired;

    if (!parent)
        return (fm_cancel_source *)(void *)tok;
    tok->parent = fm_token_retain(parent);
    lock_take(&parent->lock);
    fired = fm__load(&parent->fired);
    if (!fired)
        node_add(parent, &tok->up);
    lock_give(&parent->lock);
    if (fired)
        fm__store(&tok->fired, true);
    return (fm_cancel_source *)(void *)tok;
}

void
fm_cancel_source_fire_after(fm_cancel_source *s, int64_t ns)
{
    fm_token *tok = token_of(s);
    int64_t now = fm_now();

    if (ns <= 0) {
        fire_all(tok);
        return;
    }
    if (ns == FM_FOREVER)
        return;
    lock_take(&tok->lock);
    if (tok->clock == CLOCK_NONE && !fm__load(&tok->fired)) {
        tok->clock = CLOCK_IDLE;
        tok->timer.deadline = ns > INT64_MAX - now ? INT64_MAX : now + ns;
        fm__clock_start(tok);
    }
    lock_give(&tok->lock);
}
