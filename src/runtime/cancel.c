/* cancel.c: giving up a wait.
 *
 * Gives: what may give a wait up, and how. Exactly one of {fm_resume, a
 * canceller} ends a wait: both change one byte of the task (sync, rt.h). A
 * canceller that claimed a wait owns the task's job; disarm runs on the
 * waiter's executor. Nothing here allocates once a wait has begun. */
#include "runtime/audit.h"
#include "runtime/entry.h"

/* ---- is something pending ---------------------------------------------------- */

static bool
task_flag(void)
{
    struct root *root = fm__thread.root;

    return root && (fm__load(&root->task->sync) & SYNC_CANCEL) != 0;
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

void
fm__wait_poor(struct root *root)
{
    fm__sys_alloc_told();
    root->poor = true;
}

static bool
is_poor(void)
{
    struct root *root = fm__thread.root;

    return root && root->poor;
}

fm_fault *
fm__cancel_fault(void)
{
    fm_token *token;

    if (unlikely(is_poor())) {
        fm__thread.root->poor = false;
        return fm_abi_enomem_fault();
    }
    pending(&token);
    if (token && token->is_deadline)
        return fm__fault_make(FM__ETIMEDOUT, NULL, "timed out");
    return fm__fault_make(FM__ECANCELED, token, "cancelled");
}

void *
fm__raise_cancelled(void)
{
    return fm__cancel_pending() || is_poor() ? fault_tag(fm__cancel_fault())
                                             : NULL;
}

void *
fm__token_check(fm_token *tok)
{
    if (!tok || !fm_token_fired(tok))
        return NULL;
    return fault_tag(fm__fault_make(FM__ECANCELED, tok, "cancelled"));
}

/* ---- giving up a wait ----------------------------------------------------------- */

struct task *
fm__wait_awaited(const struct task *t)
{
    void *p = (void *)(t->wait & ~(uintptr_t)HELD_BITS);
    struct watch *w = p;

    switch (t->wait & HELD_KIND) {
    case HELD_TASK:
    case HELD_JOIN:
        return p;
    case HELD_WATCH:
        return watch_disarms(w) ? NULL : w->awaited;
    }
    return NULL;
}

bool
fm__wait_claimed(struct task *t)
{
    struct task *awaited = fm__wait_awaited(t);

    if (!awaited || fm__task_unlisten(awaited, &t->job))
        return true;
    /* Its end is under way. Whoever brings it has met the claim already and
     * left the waking to us, or will not meet it any more. */
    return (fm__clear(&t->sync, SYNC_ARMED | SYNC_CLAIMED) & SYNC_DONE) != 0;
}

bool
fm__wait_claim(struct task *t, unsigned unless)
{
    uint8_t s = fm__load_acquire(&t->sync);

    do {
        if (!(s & (SYNC_ARMED | SYNC_ARMING)) ||
            (s & (SYNC_CLAIMED | SYNC_DONE | unless)))
            return false;
    } while (!fm__cas8(&t->sync, &s, s | SYNC_CLAIMED));
    return !(s & SYNC_ARMING) && fm__wait_claimed(t);
}

void
fm__task_interrupt(struct task *t)
{
    if (fm__wait_claim(t, SYNC_SHIELD))
        fm__task_post(t);
}

void
fm_abi_cancel(fm_task *handle)
{
    struct task *t;

    if (!handle)
        return;
    t = task_of(handle);
    fm__audit_task(t, "fm_cancel");
    if (fm__load(&t->refs) & REFS_SOURCE)
        fm__source_cancel_task(t);
    else if (fm__or(&t->sync, SYNC_CANCEL) & (SYNC_ARMED | SYNC_ARMING))
        fm__task_interrupt(t);
}

/* It cannot be given up: from here on only fm_resume ends it. */
static bool
claim_fails(struct task *t, struct watch *w)
{
    uint8_t s;
    unsigned now;

    if (w)
        fm__watch_detach(w);
    s = fm__load_acquire(&t->sync);
    do {
        now = s & ~(SYNC_ARMED | SYNC_CLAIMED);
        if (!(s & SYNC_DONE))
            now |= SYNC_ARMED | SYNC_SHIELD;
    } while (!fm__cas8(&t->sync, &s, now));
    return (s & SYNC_DONE) != 0;
}

bool
fm__claim_settle(struct task *t)
{
    struct fm_abi_place *place = wait_place(t->wait);
    struct watch *w = NULL;
    fm_disarm *disarm = place ? place->disarm : NULL;
    void *arg = place;

    if (!place) {
        w = (void *)(t->wait & ~(uintptr_t)HELD_BITS);
        if ((t->wait & HELD_KIND) != HELD_WATCH || !watch_disarms(w))
            return true;
        disarm = w->disarm;
        arg = w->arg;
    }
    if (!(fm__load_acquire(&t->sync) & SYNC_DONE) && disarm &&
        disarm((fm_waiter *)t, arg)) {
        fm__audit_given_up(t);
        return true;
    }
    return claim_fails(t, w);
}

/* ---- a wait's watch ---------------------------------------------------------------- */

struct watch *
fm__watch_with(struct root *root, size_t bytes)
{
    bool own = root->own, shielded = false;
    size_t behind = sizeof(struct watch) + ((bytes + 15) & ~(size_t)15);
    uint32_t n = 0;
    struct watch *w;

    for (struct scope *s = fm__thread.context; s; s = s->next) {
        if (s->kind == SCOPE_SHIELD) {
            shielded = own;
            break;
        }
        n += scope_has_token(s);
        if (s->floor)
            own = false;
    }
    if (bytes > PTRDIFF_MAX)
        return NULL;
    w = fm__record_new(behind + n * sizeof(struct wait_node));
    if (!w)
        return NULL;
    *w = (struct watch){.bytes = behind + n * sizeof(struct wait_node),
                        .count = n,
                        .shielded = shielded};
    for (uint32_t i = 0; i < n; i++)
        watch_nodes(w)[i].node.token = NULL;
    return w;
}

bool
fm__watch_new(struct root *root, struct watch **watch)
{
    bool needed = fm__thread.context != NULL;

    *watch = needed ? fm__watch_with(root, 0) : NULL;
    return !needed || *watch;
}

void
fm__watch_arm(struct watch *w)
{
    struct task *t = w->task;
    bool fired = false;
    uint32_t i = 0;

    for (struct scope *s = w->context; s && i < w->count; s = s->next) {
        fm_token *tok = s->token;
        struct wait_node *n = &watch_nodes(w)[i];
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
            fm__clock_start(tok);
        }
        lock_give(&tok->lock);
    }
    if (fired && fm__wait_claim(t, 0))
        fm__task_post(t);
}

void
fm__watch_detach(struct watch *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        struct node *n = &watch_nodes(w)[i].node;
        fm_token *tok = n->token;
        if (!tok)
            continue;
        lock_take(&tok->lock);
        node_remove(n);
        lock_give(&tok->lock);
    }
}

void
fm__watch_free(struct watch *w)
{
    fm__watch_detach(w);
    fm_abi_record_free(w, w->bytes);
}
