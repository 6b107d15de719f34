/* fault.c: errors that travel through await.
 *
 * Gives: fault objects: code, message, place, cause, token and the frames that
 * the fault passed. Making one never fails: out of memory yields the one
 * static fault ENOMEM. A fault that a task ended with is shared; who raises it
 * again raises a copy that only adds to the trace. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/entry.h"

fm_fault fm__no_memory = {
    .code = FM__ENOMEM, .immortal = true, .message = "out of memory"};

static inline void
fault_init(fm_fault *f, int code, size_t bytes)
{
    memset(f, 0, offsetof(fm_fault, first));
    f->bytes = bytes;
    f->code = code;
    fm__store(&f->refs, 1);
}

/* With room for a text. */
static fm_fault *
fault_block(int code, size_t room)
{
    size_t bytes = (sizeof(fm_fault) + room + 7) & ~(size_t)7;
    fm_fault *f = fm__record_new(bytes);

    if (!f)
        return fm_abi_enomem_fault();
    fault_init(f, code, bytes);
    return f;
}

fm_fault *
fm__fault_make(int code, fm_token *token, const char *text)
{
    fm_fault *f = fault_block(code, 0);

    if (f->immortal)
        return f;
    f->message = text;
    f->token = fm_token_retain(token);
    return f;
}

static fm_fault *
fault_format(int code, const char *fmt, va_list ap)
{
    char text[512];
    const char *message = fmt;
    size_t n;
    fm_fault *f;

    if (code == FM__ENOMEM)
        fm__sys_alloc_told();
    if (strchr(fmt, '%')) {
        int m = vsnprintf(text, sizeof text, fmt, ap);
        message = m < 0 ? fmt : text;
    }
    n = strlen(message) + 1;
    f = fault_block(code, n);
    if (!f->immortal) {
        memcpy(f->text, message, n);
        f->message = f->text;
    }
    return f;
}

fm_fault *
fm_abi_fault_new(int code, const char *function, const char *file, int line,
                 const char *fmt, ...)
{
    va_list ap;
    fm_fault *f;

    va_start(ap, fmt);
    f = fault_format(code, fmt, ap);
    va_end(ap);
    if (!f->immortal)
        f->place = (struct fm_place){function, file, (unsigned)line};
    return f;
}

__attribute__((noinline)) static fm_fault *
fault_plain_slow(int code, const char *function, const char *file, int line,
                 const char *text)
{
    fm_fault *f = fault_block(code, 0);

    if (!f->immortal) {
        f->message = text;
        f->place = (struct fm_place){function, file, (unsigned)line};
    }
    return f;
}

/* The same with a message that is a constant of the program. */
fm_fault *
fm_abi_fault_plain(int code, const char *function, const char *file, int line,
                   const char *text)
{
    size_t bytes = (sizeof(fm_fault) + 7) & ~(size_t)7;
    fm_fault *f = record_take(bytes);

    if (unlikely(!f))
        return fault_plain_slow(code, function, file, line, text);
    fault_init(f, code, bytes);
    f->message = text;
    f->place = (struct fm_place){function, file, (unsigned)line};
    return f;
}

fm_fault *
fm__fault_again(fm_fault *f)
{
    fm_fault *copy;

    if (f->immortal)
        return f;
    copy = fault_block(f->code, 0);
    if (copy->immortal)
        return copy;
    copy->message = f->message;
    copy->place = f->place;
    copy->base = fm_fault_retain(f);
    copy->cause = fm_fault_retain(f->cause);
    copy->token = fm_token_retain(f->token);
    return copy;
}

fm_fault *
fm_fault_retain(fm_fault *f)
{
    if (f && !f->immortal)
        fm__add(&f->refs, 1);
    return f;
}

__attribute__((noinline)) static void
fault_release_slow(fm_fault *f)
{
    while (f && !f->immortal && fm__sub(&f->refs, 1) == 1) {
        fm_fault *base = f->base;
        if (unlikely(f->cause != NULL))
            fm_fault_release(f->cause);
        if (unlikely(f->token != NULL))
            fm_token_release(f->token);
        record_give(f, f->bytes);
        f = base;
    }
}

void
fm_fault_release(fm_fault *f)
{
    if (likely(f != NULL) && likely(fault_is_ours(f)) &&
        likely(!f->base && !f->cause && !f->token))
        record_give(f, f->bytes);
    else
        fault_release_slow(f);
}

/* What one activation caught; null where it did not. */
void
fm_abi_faults_release(fm_fault **faults, size_t n)
{
    for (size_t k = 0; k < n; k++)
        fm_fault_release(faults[k]);
}

/* ---- raising ------------------------------------------------------------------ */

void *
fm__raise(fm_fault *f)
{
    return fault_tag(f);
}

void *
fm_abi_enomem(void)
{
    return fault_tag(fm_abi_enomem_fault());
}

fm_fault *
fm_abi_enomem_fault(void)
{
    fm__sys_alloc_told();
    return &fm__no_memory;
}

void
fm_abi_no_memory_start(void)
{
    fm__die("fm_start: out of memory");
}

fm_fault *
fm_abi_caught(void *tagged)
{
    return fault_untag(tagged);
}

/* Copies of one fault count as that one. */
static const fm_fault *
origin(const fm_fault *f)
{
    while (f->base)
        f = f->base;
    return f;
}

static bool
fault_is_among(const fm_fault *f, const fm_fault *causes)
{
    while (causes && origin(causes) != origin(f))
        causes = causes->cause;
    return causes;
}

/* A fault that may be changed, in place of f: f itself if nobody else holds
 * it, else a copy; null: no memory. */
static fm_fault *
fault_own(fm_fault *f)
{
    fm_fault *copy;

    if (fm__load_acquire(&f->refs) == 1)
        return f;
    copy = fm__fault_again(f);
    if (copy->immortal)
        return NULL;
    fm_fault_release(f);
    return copy;
}

/* The inner one goes to the end of the outer one's causes, which others may
 * hold too: those are copied on the way. A fault that was rethrown, in a handler and in its deferred code, may meet itself:
 * it does not become its own cause. */
void *
fm_abi_fault_join(void *outer_tagged, void *inner_tagged)
{
    fm_fault *outer = fault_untag(outer_tagged);
    fm_fault *inner = fault_untag(inner_tagged), **at = &outer->cause;

    if (!((uintptr_t)outer_tagged & (uintptr_t)inner_tagged & FM_ABI_FAULT_BIT))
        fm__die("an exception left a cleanup while another, or a fault, was "
                "under way");
    if (outer->immortal || fault_is_among(inner, outer) ||
        fault_is_among(outer, inner)) {
        fm_fault_release(inner);
        return outer_tagged;
    }
    while (*at && !(*at)->immortal) {
        fm_fault *own = fault_own(*at);
        if (!own)
            break;
        *at = own;
        at = &own->cause;
    }
    if (*at)
        fm_fault_release(inner);
    else
        *at = inner;
    return outer_tagged;
}

/* ---- looking at one --------------------------------------------------------------- */

int
fm_fault_code(const fm_fault *f)
{
    return f->code;
}

const char *
fm_fault_message(const fm_fault *f)
{
    return f->message;
}

fm_fault *
fm_fault_cause(const fm_fault *f)
{
    return f->cause;
}

struct fm_place
fm_fault_place(const fm_fault *f)
{
    if (!f->place.file) /* one of the library's own */
        return (struct fm_place){f->place.function ? f->place.function : "", "",
                                 0};
    return f->place;
}

fm_token *
fm_fault_token(const fm_fault *f)
{
    return f->token;
}

/* ---- the trace --------------------------------------------------------------------- */

/* Who retained a fault that then goes on keeps it as it was: a copy goes on,
 * which is returned. */
fm_fault *
fm__fault_goes_on(fm_fault *f)
{
    fm_fault *own = f->immortal ? f : fault_own(f);

    return own ? own : f;
}

/* The i-th frame that f itself passed; null: it was not kept. */
static const struct fm_point *
frame_at(const fm_fault *f, size_t i)
{
    if (i < TRACE_FIRST)
        return f->first[i];
    if (f->passed - i > TRACE_LAST)
        return NULL;
    return f->last[(i - TRACE_FIRST) % TRACE_LAST];
}

/* A walk over a trace; place null: what was not kept. */
struct walk {
    void (*fn)(void *arg, size_t at, const struct fm_place *place);
    void *arg;
    size_t n;
};

static void
walk_place(void *arg, const struct fm_place *place)
{
    struct walk *w = arg;

    w->fn(w->arg, w->n++, place);
}

/* A fault's bases, oldest first, then itself. */
static void
walk(struct walk *w, const fm_fault *f)
{
    if (f->base)
        walk(w, f->base);
    for (size_t i = 0; i < f->passed; i++) {
        const struct fm_point *p = frame_at(f, i);

        if (p)
            fm__point_each(p, POINT_PASSED, walk_place, w);
        else if (frame_at(f, i - 1))
            walk_place(w, NULL);
    }
}

struct trace_copy {
    struct fm_place *out;
    size_t n;
};

static void
copy_place(void *arg, size_t at, const struct fm_place *place)
{
    struct trace_copy *c = arg;

    if (at < c->n)
        c->out[at] = place ? *place : (struct fm_place){"...", NULL, 0};
}

size_t
fm_fault_trace(const fm_fault *f, struct fm_place *out, size_t n)
{
    struct trace_copy c = {out, n};
    struct walk w = {copy_place, &c, 0};

    walk(&w, f);
    return w.n;
}

static void
print_place(void *arg, size_t at, const struct fm_place *place)
{
    (void)at;
    if (place)
        fm__say_place(arg, place);
    else
        fm__sys_say("  ...");
}

void
fm__fault_print(const char *who, fm_fault *f)
{
    const char *lead = who;

    for (; f; f = f->cause, lead = "caused by") {
        if (f->place.file)
            fm__sys_say("%s: fault %d (%s): %s, at %s:%u", lead, f->code,
                        fm__sys_error_name(f->code), f->message, f->place.file,
                        f->place.line);
        else
            fm__sys_say("%s: fault %d (%s): %s", lead, f->code,
                        fm__sys_error_name(f->code), f->message);
        walk(&(struct walk){print_place, NULL, 0}, f);
    }
}
