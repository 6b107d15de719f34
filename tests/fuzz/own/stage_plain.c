/* stage_plain.c: the stage of programs spelled in plain C: their meaning.
 *
 * Nothing suspends, and nothing is freed: a program is short. */
#define STAGE_PLAIN
#include "stage.h"
#include "stage_both.h"

struct seat seat;

static void *
made(size_t bytes)
{
    void *p = calloc(1, bytes);

    if (!p)
        abort();
    return p;
}

void
note_here(struct cx *cx)
{
    if (!cx->loose)
        note(cx, "here", cx->here);
}

bool
seat_is_mine(const unsigned *p, unsigned k)
{
    return p == &seat.scratch[k];
}

/* ---- faults --------------------------------------------------------------- */

void
raise_new(struct cx *cx, int code)
{
    struct fault *f = made(sizeof *f);

    f->code = code;
    f->origin = f;
    cx->fault = f;
}

struct fault *
fault_take(struct cx *cx)
{
    struct fault *f = cx->fault;

    cx->fault = NULL;
    return f;
}

struct fault *
fault_copy(struct fault *f)
{
    struct fault *copy = made(sizeof *copy);

    *copy = *f;
    return copy;
}

static bool
is_among(const struct fault *f, const struct fault *causes)
{
    while (causes && causes->origin != f->origin)
        causes = causes->cause;
    return causes;
}

/* Causes may be held by others too: they are copied on the way. */
struct fault *
fault_join(struct fault *outer, struct fault *inner)
{
    struct fault *end;

    if (!outer || !inner)
        return outer ? outer : inner;
    if (is_among(inner, outer) || is_among(outer, inner))
        return outer;
    for (end = outer; end->cause; end = end->cause)
        end->cause = fault_copy(end->cause);
    end->cause = inner;
    return outer;
}

void
note_fault(struct cx *cx, struct fault *f)
{
    note(cx, "fault", f ? (unsigned)f->code : 0);
    for (; f && f->cause; f = f->cause)
        note(cx, "cause", (unsigned)f->cause->code);
}

/* ---- the ambient list ------------------------------------------------------ */

struct token *
token_new(struct token *parent)
{
    struct token *t = made(sizeof *t);

    t->parent = parent;
    return t;
}

static bool
token_fired(const struct token *t)
{
    return t->fired || (t->parent && token_fired(t->parent));
}

static struct scope *
open(struct cx *cx, struct scope s)
{
    struct scope *outer = cx->ambient, *now = made(sizeof *now);

    *now = s;
    now->next = outer;
    cx->ambient = now;
    return outer;
}

struct scope *
with_local(struct cx *cx, unsigned key, unsigned value)
{
    return open(cx, (struct scope){.kind = LOCAL, .key = key, .value = value});
}

struct scope *
with_token(struct cx *cx, struct token *t)
{
    return open(cx, (struct scope){.kind = TOKEN, .token = t});
}

struct scope *
with_deadline(struct cx *cx, bool over)
{
    struct token *t = token_new(NULL);

    t->fired = over;
    return open(cx, (struct scope){.kind = DEADLINE, .token = t});
}

struct scope *
with_shield(struct cx *cx)
{
    return open(cx, (struct scope){.kind = SHIELD});
}

unsigned
local_get(struct cx *cx, unsigned key)
{
    for (struct scope *s = cx->ambient; s; s = s->next)
        if (s->kind == LOCAL && s->key == key)
            return s->value;
    return 0;
}

/* The task's own flag lies between its scopes and those it started under. */
static int
pending(struct cx *cx)
{
    for (struct scope *s = cx->ambient;; s = s->next) {
        if (s == cx->base && cx->cancelled)
            return ECANCELED;
        if (!s || s->kind == SHIELD)
            return 0;
        if (s->kind != LOCAL && token_fired(s->token))
            return s->kind == TOKEN ? ECANCELED : ETIMEDOUT;
    }
}

bool
raise_pending(struct cx *cx)
{
    int code = pending(cx);

    if (code)
        raise_new(cx, code);
    return code;
}

/* ---- awaits ------------------------------------------------------------------ */

void
point(struct cx *cx)
{
    if (raise_pending(cx))
        return;
    if (++cx->points == cx->cancel_at) {
        cx->cancelled = true;
        if (raise_pending(cx))
            return;
    }
    change_held(cx);
}

unsigned
num(struct cx *cx, unsigned v)
{
    point(cx);
    return v;
}

void
fire(struct cx *cx, struct token *t)
{
    if (raise_pending(cx))
        return;
    t->fired = true;
    if (!raise_pending(cx))
        change_held(cx);
}

void
token_check(struct cx *cx, struct token *t)
{
    if (token_fired(t))
        raise_new(cx, ECANCELED);
}

void
hop(struct cx *cx, unsigned k)
{
    if (!raise_pending(cx))
        cx->here = k;
}

void
expire(struct cx *cx)
{
    if (!raise_pending(cx))
        raise_new(cx, ETIMEDOUT);
}

void
errno_kept(struct cx *cx, unsigned code)
{
    point(cx);
    if (!cx->fault)
        note(cx, "errno", code);
}

void
end_later(struct guard *g)
{
    struct cx *cx = g->cx;

    cx->run->closed++;
    note(cx, "later", g->n);
    point(cx);
    if (cx->fault)
        return;
    if (g->n % 8 == 5)
        raise_new(cx, CODE + (int)(g->n & 255));
    else
        note(cx, "ended", g->n ^ local_get(cx, 0));
}

struct cx *
child_new(struct cx *cx, unsigned cancel_at, unsigned where)
{
    struct cx *child = made(sizeof *child);

    child_init(cx, child, cancel_at);
    child->ambient = child->base = cx->ambient;
    child->here = where == HERE ? cx->here : where;
    return child;
}

/* ---- channels ---- */

void
channel_put(struct channel *c, const void *value, size_t bytes)
{
    c->room = realloc(c->room, (c->sent + 1) * bytes + 1);
    if (!c->room)
        abort();
    memcpy(c->room + c->sent++ * bytes, value, bytes);
}

bool
channel_get(struct channel *c, void *value, size_t bytes)
{
    if (c->received == c->sent)
        return false;
    memcpy(value, c->room + c->received++ * bytes, bytes);
    return true;
}

/* ---- running ------------------------------------------------------------------ */

static void
run_play(struct run *run)
{
    struct cx *cx = made(sizeof *cx);

    cx_init(cx, run);
    run->play->program(cx);
    note_fault(cx, cx->fault);
    note_here(cx);
    run->hash = cx->hash;
    run->points = cx->points;
}

int
main(void)
{
    trace = getenv("TRACE") != NULL;
    for (unsigned i = 0; i < plays_count; i++) {
        struct run first = {.play = &plays[i]};
        run_play(&first);
        report(&first);
        for (unsigned n = 0; n < cancels(&first); n++) {
            struct run run = {.play = &plays[i],
                              .cancel_at = cancel_at(&first, n)};
            run_play(&run);
            report(&run);
        }
    }
    return 0;
}
