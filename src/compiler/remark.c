/* remark.c: -Rpass=fermata says, in the source, what a suspension costs: at
 * each function its suspension points and the bytes of its record, what is
 * pinned there and why, and at each await what it carries. A function that
 * was inlined is part of the one around it; its awaits are said at their own
 * lines all the same. Normal builds ask for nothing and hear nothing.
 */
#include "late.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A pin of more than that is remarked on: every activation's record then
 * comes from malloc and takes that much. */
#define PIN_LARGE 65536

struct message {
    char text[2048];
    size_t n;
};

static void __attribute__((format(printf, 2, 3)))
say(struct message *m, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(m->text + m->n, sizeof m->text - m->n, format, args);
    va_end(args);
    if (n > 0)
        m->n += (size_t)n;
    if (m->n >= sizeof m->text)
        m->n = sizeof m->text - 1;
}

static void
say_count(struct message *m, uint64_t n, const char *what)
{
    say(m, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

/* A variable's name, or what stands for a value that has none. */
static void
say_name(struct message *m, value v)
{
    size_t n;
    const char *name = shim_variable(v, &n);

    if (n)
        say(m, "'%.*s'", (int)n, name);
    else
        say(m, "a value");
}

/* What the early half makes of a word, and the word. */
static const struct made {
    const char *name, *is;
} words[] = {
    {"fm_abi_await", "fm_get"},
    {"fm_abi_join_wait", "fm_join"},
    {"fm_abi_take_wait", "fm_take"},
    {"fm_abi_hop_back", "the return to the caller's executor"},
    {"fm.main", "main"},
};

/* The function as it is called in the source: a start thunk, f.start, by what
 * it starts. */
static void
say_function(struct message *m, value function)
{
    size_t n, suffix = strlen(SPLIT_SUFFIX);
    const char *name = LLVMGetValueName2(function, &n);
    const char *start = strstr(name, ".start");

    if (start)
        n = (size_t)(start - name);
    else if (n > suffix && !memcmp(name + n - suffix, SPLIT_SUFFIX, suffix))
        n -= suffix;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == n && !memcmp(name, words[i].name, n)) {
            name = words[i].is;
            n = strlen(name);
        }
    say(m, "'%.*s'", (int)n, name);
}

static void
say_callee(struct message *m, value call)
{
    value callee = LLVMGetCalledValue(call);

    if (LLVMIsAFunction(callee))
        say_function(m, callee);
    else
        say(m, "a function pointer");
}

static void
say_carried(struct activation *a, struct message *m, struct point *p)
{
    uint64_t sum = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < p->n_carries; i++) {
        struct carried *c = &a->carried[p->carries[i]];

        if (c->from != NONE)
            continue;
        say(m, n++ ? ", " : " carries ");
        say_name(m, c->of);
        say(m, " (%llu)", (unsigned long long)c->bytes);
        sum += c->bytes;
    }
    if (!n) {
        say(m, " carries nothing");
        return;
    }
    say(m, ": ");
    say_count(m, sum, "byte");
}

static void
remark_point(struct activation *a, struct point *p)
{
    struct message m = {.n = 0};
    struct place place;

    say(&m, "await of ");
    say_callee(&m, p->call);
    if (p->tail) {
        say(&m, " is forwarded: no record is made");
    } else {
        say_carried(a, &m, p);
        if (p->shares != NONE &&
            shim_place(shim_location(a->points[p->shares].call), a->function,
                       &place) &&
            place.line)
            say(&m, "; shares the state of line %u", place.line);
    }
    shim_remark(a->function, shim_location(p->call), m.text);
}

static void
remark_pin(struct activation *a, struct local *l)
{
    struct message m = {.n = 0};

    say_name(&m, l->of);
    say(&m, " is pinned, ");
    say_count(&m, l->bytes, "byte");
    say(&m, ": %s", l->reason);
    if (l->bytes > PIN_LARGE)
        say(&m, "; so much is taken from malloc at every call");
    shim_remark(a->function, NULL, m.text);
}

static void
remark_function(struct activation *a)
{
    struct message m = {.n = 0};
    unsigned n = 0;

    for (unsigned i = 0; i < a->n_points; i++)
        n += !a->points[i].tail;
    if (a->thunk)
        say(&m, "a task that starts with ");
    say_function(&m, a->function);
    say(&m, " has ");
    say_count(&m, n, "suspension point");
    if (n || a->thunk) {
        say(&m, " and a record of ");
        say_count(&m, a->record_bytes, "byte");
        say(&m, a->thunk  ? ", its own"
                : a->pins ? ", taken at entry"
                          : ", taken when it suspends");
    }
    shim_remark(a->function, NULL, m.text);
}

void
remark(struct activation *a)
{
    if (!shim_is_remarked(a->function))
        return;
    remark_function(a);
    for (unsigned i = 0; i < a->n_locals; i++)
        if (a->locals[i].pinned)
            remark_pin(a, &a->locals[i]);
    for (unsigned i = 0; i < a->n_points; i++)
        remark_point(a, &a->points[i]);
}
