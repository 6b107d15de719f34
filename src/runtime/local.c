/* local.c: the ambient list: async-local values, tokens, deadlines, shields.
 *
 * Gives: scopes, opened and left by compiled code. The list is persistent:
 * an entry never changes, a started task shares what it was started under.
 * The trick: which entries a task opened itself is told by one bit of its own
 * (root.own) and one of the entry (floor), so a start costs nothing. */
#include "runtime/entry.h"

void
fm__scope_release(struct scope *s)
{
    while (s && fm__sub(&s->refs, 1) == 1) {
        struct scope *next = s->next;
        if (s->kind == SCOPE_TOKEN || s->kind == SCOPE_DEADLINE)
            fm_token_release(s->token);
        fm_abi_record_free(s, sizeof *s);
        s = next;
    }
}

/* Opens a scope; returns the outer list, which the cleanup puts back. */
static void *
scope_open(enum scope_kind kind, const void *key, void *value)
{
    struct thread *th = &fm__thread;
    struct scope *s = fm__record_must(sizeof *s), *outer = th->context;

    scope_retain(outer);
    s->next = outer;
    s->kind = (uint8_t)kind;
    s->floor = th->root && !th->root->own;
    if (th->root)
        th->root->own = true;
    if (kind == SCOPE_TOKEN || kind == SCOPE_DEADLINE) {
        s->token = value;
    } else {
        s->key = key;
        s->value = value;
    }
    fm__store(&s->refs, 1);
    th->context = s;
    return outer;
}

/* A list that the root came with stays alive until it suspends or ends: so
 * does all that lies behind it. */
void
fm_abi_scope_leave(void *outer)
{
    struct thread *th = &fm__thread;

    while (th->context != outer) {
        struct scope *s = th->context;
        check(s);
        th->context = s->next;
        if (th->root && s->floor)
            th->root->own = false;
        fm__scope_release(s);
    }
}

void
fm_abi_with_end(struct fm_scope *s)
{
    fm_abi_scope_leave(s->saved);
}

void *
fm_abi_with_local(const fm_local *key, void *value)
{
    return scope_open(SCOPE_LOCAL, key, value);
}

void *
fm_local_get(const fm_local *key)
{
    for (struct scope *s = fm__thread.context; s; s = s->next)
        if (s->kind == SCOPE_LOCAL && s->key == key)
            return s->value;
    return NULL;
}

void *
fm_abi_with_shield(void)
{
    return scope_open(SCOPE_SHIELD, NULL, NULL);
}

void *
fm_abi_with_token(fm_token *tok)
{
    if (!tok)
        return fm__thread.context;
    return scope_open(SCOPE_TOKEN, NULL, fm_token_retain(tok));
}

void *
fm_abi_with_timeout(int64_t ns)
{
    fm_token *tok;

    if (ns == FM_FOREVER)
        return fm__thread.context;
    tok = fm__token_new();
    tok->is_deadline = true;
    tok->clock = CLOCK_IDLE;
    if (ns <= 0) {
        fm__store(&tok->fired, true);
    } else {
        int64_t now = fm_now();
        tok->timer.deadline = ns > INT64_MAX - now ? INT64_MAX : now + ns;
    }
    return scope_open(SCOPE_DEADLINE, NULL, tok);
}
