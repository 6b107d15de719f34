/* dump.c: what a pass found, in a text of our own that does not change with
 * LLVM. FERMATA_DUMP=canon,live,pin,frame,split (or all) asks for it;
 * FERMATA_DUMP_FUNCTION=name for one function only.
 */
#include "late.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_listed(const char *list, const char *word)
{
    size_t n = strlen(word);

    while (list && *list) {
        size_t length = strcspn(list, ",");

        if ((length == n && !memcmp(list, word, n)) ||
            (length == 3 && !memcmp(list, "all", 3)))
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

/* The C name of a function: without the suffix of split symbols. */
static int
name_length(value function, const char **name)
{
    size_t n, suffix = strlen(SPLIT_SUFFIX);

    *name = LLVMGetValueName2(function, &n);
    if (n > suffix && !memcmp(*name + n - suffix, SPLIT_SUFFIX, suffix))
        n -= suffix;
    return (int)n;
}

static void
print_name(value v)
{
    size_t n;
    const char *name = shim_variable(v, &n);

    if (n)
        fprintf(stderr, "%.*s", (int)n, name);
    else
        fprintf(stderr, "a value");
}

static void
print_callee(value call)
{
    value callee = LLVMGetCalledValue(call);
    const char *name;
    int n;

    if (!LLVMIsAGlobalValue(callee)) {
        fprintf(stderr, "through a pointer");
        return;
    }
    n = name_length(callee, &name);
    fprintf(stderr, "%.*s", n, name);
}

static void
print_point(struct activation *a, unsigned i)
{
    struct point *p = &a->points[i];
    struct place place;

    shim_place(shim_location(p->call), a->function, &place);
    fprintf(stderr, "  await %u ", i);
    print_callee(p->call);
    if (place.line)
        fprintf(stderr, " at line %u", place.line);
}

static void
dump_canon(struct activation *a)
{
    for (unsigned i = 0; i < a->n_points; i++) {
        print_point(a, i);
        fprintf(stderr, "%s%s%s\n", a->points[i].handler ? ", handler" : "",
                a->points[i].anywhere ? ", anywhere" : "",
                a->points[i].sret ? ", result in memory" : "");
    }
}

static void
dump_live(struct activation *a)
{
    for (unsigned i = 0; i < a->n_points; i++) {
        struct point *p = &a->points[i];

        print_point(a, i);
        fprintf(stderr, " carries");
        for (unsigned k = 0; k < p->n_carries; k++) {
            fprintf(stderr, k ? ", " : " ");
            print_name(a->carried[p->carries[k]].of);
            if (a->carried[p->carries[k]].is_local)
                fprintf(stderr, " (contents)");
        }
        fprintf(stderr, p->n_carries ? "\n" : " nothing\n");
    }
}

static void
dump_pin(struct activation *a)
{
    for (unsigned i = 0; i < a->n_locals; i++) {
        struct local *l = &a->locals[i];

        if (!l->pinned)
            continue;
        fprintf(stderr, "  ");
        print_name(l->of);
        fprintf(stderr, " is pinned: %s\n", l->reason);
    }
}

static void
dump_frame(struct activation *a)
{
    fprintf(stderr, "  record of %llu bytes\n",
            (unsigned long long)a->record_bytes);
    for (unsigned i = 0; i < a->n_locals; i++) {
        struct local *l = &a->locals[i];

        if (!l->pinned)
            continue;
        fprintf(stderr, "  %4llu %4llu ", (unsigned long long)l->offset,
                (unsigned long long)l->bytes);
        print_name(l->of);
        fprintf(stderr, ", pinned\n");
    }
    for (unsigned i = 0; i < a->n_carried; i++) {
        struct carried *c = &a->carried[i];

        if (c->from != NONE) {
            fprintf(stderr, "     made anew ");
            print_name(c->of);
            fprintf(stderr, ", from ");
            print_name(a->carried[c->from].of);
            fprintf(stderr, "\n");
            continue;
        }
        fprintf(stderr, "  %4llu %4llu ", (unsigned long long)c->offset,
                (unsigned long long)c->bytes);
        print_name(c->of);
        fprintf(stderr, ", at %u await%s\n", c->n, c->n > 1 ? "s" : "");
    }
}

static void
dump_split(struct activation *a)
{
    for (unsigned i = 0; i < a->n_points; i++) {
        struct point *p = &a->points[i];

        print_point(a, i);
        if (p->tail)
            fprintf(stderr, " is forwarded\n");
        else
            fprintf(stderr, " is state %u%s\n", p->state,
                    p->shares == NONE ? "" : ", shared");
    }
}

static const struct dumper {
    const char *pass;
    void (*print)(struct activation *);
} dumpers[] = {
    {"canon", dump_canon}, {"live", dump_live},   {"pin", dump_pin},
    {"frame", dump_frame}, {"split", dump_split},
};

void
dump(struct activation *a, const char *pass)
{
    const char *only = getenv("FERMATA_DUMP_FUNCTION"), *name;
    int n;

    if (!is_listed(getenv("FERMATA_DUMP"), pass))
        return;
    n = name_length(a->function, &name);
    if (only && ((size_t)n != strlen(only) || memcmp(name, only, (size_t)n)))
        return;
    fprintf(stderr, "%s %.*s\n", pass, n, name);
    for (size_t i = 0; i < sizeof dumpers / sizeof *dumpers; i++)
        if (!strcmp(dumpers[i].pass, pass))
            dumpers[i].print(a);
}
