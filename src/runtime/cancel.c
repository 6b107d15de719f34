/* cancel.c: sticky cancellation: tokens, deadlines, a task's own flag.
 *
 * Gives: what may give a wait up, and how. Exactly one of {fm_resume, a
 * canceller} ends a wait: both change one byte of the task (sync, rt.h). A
 * canceller that claimed a wait owns the task's job; disarm runs on the
 * waiter's executor. Callbacks are queued, never run inside fire. Nothing here
 * allocates once a wait has begun. */
#include <string.h>

#include "runtime/entry.h"

/* ---- is something pending ---------------------------------------------------- */

static bool
task_flag(void)
{
    struct root *root = fm__thread.root;

    return root &&
           (fm__load(&root->task->sync) & SYNC_CANCEL) != 0;
}

static bool
scope_has_token(const struct scope *s)
{
    return s->kind == SCOPE_TOKEN || s->kind == SCOPE_DEADLINE;
}

/* The innermost cause that a wait here would be given up for. The task's own
 * flag lies between its own scopes and those that it was started under. */
static bool
pending(fm_token **token)
{
    struct root *root = fm__thread.root;
    bool own = root && root->own;

    *token = NULL;
    if (!own && task_flag())
        return true;
    for (struct scope *s = fm__thread.context; s; s = s->next) {
        if (s->kind == SCOPE_SHIELD)
            return false;
        if (scope_has_token(s) && fm__load_acquire(&s->token->fired)) {
            *token = s->token;
            return true;
        }
        if (own && s->floor) {
            own = false;
            if (task_flag())
                return true;
        }
    }
    return false;
}

bool
fm__cancel_pending_slow(void)
{
    fm_token *token;

    return pending(&token);
}

bool
fm_cancel_pending(void)
{
    return fm__cancel_pending();
}

fm_fault *
fm__cancel_fault(void)
{
    fm_token *token;

    pending(&token);
    if (token && token->is_deadline)
        return fm__fault_make(FM__ETIMEDOUT, NULL, "timed out");
    return fm__fault_make(FM__ECANCELED, token, "cancelled");
}

void *
fm__raise_cancelled(void)
{
    return fm__cancel_pending() ? fault_tag(fm__cancel_fault()) : NULL;
}

void *
fm__token_check(fm_token *tok)
{
    if (!tok || !fm_token_fired(tok))
        return NULL;
    return fault_tag(fm__fault_make(FM__ECANCELED, tok, "cancelled"));
}

/* ---- giving up a wait ----------------------------------------------------------- */

static struct task *
wait_awaited(struct task *t)
{
    void *p = (void *)(t->wait & ~(uintptr_t)HELD_BITS);
    struct watch *w = p;

    switch (t->wait & HELD_KIND) {
    case HELD_TASK:
    case HELD_JOIN:
        return p;
    case HELD_WATCH:
        return w->kind == LEAF_UNTIL ? NULL : w->awaited;
    }
    return NULL;
}

/* Claims the wait of t, unless a bit of `unless` is set. True: the caller has
 * t's job and must post it. */
static bool
wait_claim(struct task *t, unsigned unless)
{
    uint8_t s = fm__load_acquire(&t->sync);
    struct task *awaited;

    do {
        if (!(s & SYNC_ARMED) || (s & (SYNC_CLAIMED | unless)))
            return false;
    } while (!fm__cas8(&t->sync, &s, s | SYNC_CLAIMED));
    awaited = wait_awaited(t);
    if (!awaited || fm__task_unlisten(awaited, &t->job))
        return true;
    /* Its end is under way. Whoever brings it has met the claim already and
     * left the waking to us, or will not meet it any more. */
    return (fm__clear(&t->sync, SYNC_ARMED | SYNC_CLAIMED) & SYNC_DONE) != 0;
}

void
fm__task_interrupt(struct task *t)
{
    if (wait_claim(t, SYNC_SHIELD))
        fm__task_post(t);
}

void
fm_abi_cancel(fm_task *handle)
{
    struct task *t;

    if (!handle)
        return;
    t = task_of(handle);
    if (fm__load(&t->refs) & REFS_SOURCE)
        fm__source_cancel_task(t);
    else if (fm__or(&t->sync, SYNC_CANCEL) & SYNC_ARMED)
        fm__task_interrupt(t);
}

bool
fm__claim_settle(struct task *t)
{
    struct watch *w = (void *)(t->wait & ~(uintptr_t)HELD_BITS);

    if ((t->wait & HELD_KIND) != HELD_WATCH || w->kind != LEAF_UNTIL)
        return true;
    if (!(fm__load_acquire(&t->sync) & SYNC_DONE) && w->disarm &&
        w->disarm((fm_waiter *)t, w->arg))
        return true;
    return (fm__clear(&t->sync, SYNC_ARMED | SYNC_CLAIMED) & SYNC_DONE) != 0;
}

/* ---- a wait's watch ---------------------------------------------------------------- */

bool
fm__watch_new(struct root *root, bool always, struct watch **watch)
{
    bool own = root->own, shielded = false;
    uint32_t n = 0;
    struct watch *w;

    *watch = NULL;
    if (!fm__thread.context && !always)
        return true;
    for (struct scope *s = fm__thread.context; s; s = s->next) {
        if (s->kind == SCOPE_SHIELD) {
            shielded = own;
            break;
        }
        n += scope_has_token(s);
        if (s->floor)
            own = false;
    }
    w = fm__record_new(sizeof *w + n * sizeof w->nodes[0]);
    if (!w)
        return false;
    w->count = n;
    w->shielded = shielded;
    for (uint32_t i = 0; i < n; i++)
        w->nodes[i].node.token = NULL;
    *watch = w;
    return true;
}

static void
node_add(fm_token *tok, struct node *n)
{
    n->token = tok;
    n->prev = NULL;
    n->next = tok->nodes;
    if (n->next)
        n->next->prev = n;
    tok->nodes = n;
}

static void
node_remove(struct node *n)
{
    if (n->prev)
        n->prev->next = n->next;
    else
        n->token->nodes = n->next;
    if (n->next)
        n->next->prev = n->prev;
    n->token = NULL;
}

static void clock_start(fm_token *tok);

void
fm__watch_arm(struct watch *w)
{
    struct task *t = w->task;
    bool fired = false;
    uint32_t i = 0;

    for (struct scope *s = w->context; s && i < w->count; s = s->next) {
        fm_token *tok = s->token;
        struct wait_node *n = &w->nodes[i];
        if (!scope_has_token(s))
            continue;
        n->node.kind = NODE_WAIT;
        n->watch = w;
        i++;
        lock_take(&tok->lock);
        if (fm__load(&tok->fired)) {
            fired = true;
        } else {
            node_add(tok, &n->node);
            clock_start(tok);
        }
        lock_give(&tok->lock);
    }
    if (fired && wait_claim(t, 0))
        fm__task_post(t);
}

void
fm__watch_free(struct watch *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        struct node *n = &w->nodes[i].node;
        fm_token *tok = n->token;
        if (!tok)
            continue;
        lock_take(&tok->lock);
        node_remove(n);
        lock_give(&tok->lock);
    }
    fm_abi_record_free(w, sizeof *w + w->count * sizeof w->nodes[0]);
}

/* ---- callbacks ------------------------------------------------------------------------ */

/* refs: one of the caller, until fm_token_off; one of the list or the job. */
struct fm_token_reg {
    struct node node;
    fm_token *token;            /* one reference */
    fm_executor *executor;
    fm_token_fn *fn;
    void *arg;
    fm_job job;
    _Atomic uint32_t refs;
    _Atomic uint32_t off;       /* 1: not to be run any more; 2: was run */
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
        ex = job_is_task(j)
                 ? task_executor(task_of_job(j))
                 : ((fm_token_reg *)(void *)((char *)j -
                                             offsetof(struct fm_token_reg,
                                                      job)))
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
            if (wait_claim(w->task, 0))
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
        children = next ? (void *)((char *)next -
                                   offsetof(struct fm_token, up))
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

static void
clock_fire(fm_timer *timer)
{
    fm_token *tok = token_of_timer(timer);

    lock_take(&tok->lock);
    tok->clock = CLOCK_FIRED;
    lock_give(&tok->lock);
    if (!token_catch(tok))
        return; /* its free job is on the way */
    fire_all(tok);
    fm_token_release(tok);
}

/* Under the token's lock. */
static void
clock_start(fm_token *tok)
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

static void
token_free(fm_token *tok)
{
    if (tok->clock == CLOCK_STARTED)
        tok->executor->vtable->timer_stop(tok->executor->arg, &tok->timer);
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
        clock_start(tok);
    }
    lock_give(&tok->lock);
}
