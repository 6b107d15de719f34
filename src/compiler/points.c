/* points.c: the static descriptor of each suspension point, and beside it,
 * where it can be stripped, what people want to know about it.
 *
 * Offsets are relative to the field that holds them: no dynamic relocations.
 * Each entry is tied to its function, so the linker drops both together.
 */
#include "late.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_SECTION "fm_points"
#define INFO_SECTION "fm_info"

static value
table_entry(struct activation *a, type t, const char *section)
{
    value g = LLVMAddGlobal(a->u->module, t, "fm.point");

    LLVMSetGlobalConstant(g, 1);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetSection(g, section);
    LLVMSetAlignment(g, 4);
    shim_associate(g, a->function);
    return g;
}

/* What a field at `at` bytes in `holder` says to mean `target`. */
static value
relative(struct unit *u, value target, value holder, uint64_t offset)
{
    value to, from, by = LLVMConstInt(u->word, offset, 0);

    if (!target)
        return word32(u, 0);
    from = LLVMConstInBoundsGEP2(u->i8, holder, &by, 1);
    to = LLVMConstPtrToInt(target, u->word);
    from = LLVMConstPtrToInt(from, u->word);
    return LLVMConstTrunc(LLVMConstSub(to, from), u->i32);
}

static value
text(struct activation *a, const char *bytes, size_t n)
{
    struct unit *u = a->u;
    value string = LLVMConstStringInContext(u->context, bytes, (unsigned)n, 0);
    value g = table_entry(a, LLVMTypeOf(string), INFO_SECTION);

    LLVMSetInitializer(g, string);
    LLVMSetAlignment(g, 1);
    return g;
}

struct texts {
    char *bytes;
    size_t n;
    value of, global;
    struct texts *next;
};

/* The function's strings, each once: a file's name is at every point. */
static value
text_once(struct activation *a, const char *bytes, size_t n)
{
    struct unit *u = a->u;
    struct texts *t;

    for (t = u->texts; t; t = t->next)
        if (t->of == a->function && t->n == n && !memcmp(t->bytes, bytes, n))
            return t->global;
    t = memory(1, sizeof *t);
    t->bytes = memory(n + 1, 1);
    memcpy(t->bytes, bytes, n);
    t->n = n;
    t->of = a->function;
    t->global = text(a, bytes, n);
    t->next = u->texts;
    u->texts = t;
    return t->global;
}

struct line {
    value offset, bytes, name, pin;
};

static void
info_lines(struct activation *a, struct point *p, struct line *lines,
           unsigned *n)
{
    struct unit *u = a->u;
    const char *name;
    size_t length;

    for (unsigned i = 0; i < p->n_carries; i++) {
        struct carried *c = &a->carried[p->carries[i]];

        if (c->from != NONE)
            continue;
        name = shim_variable(c->of, &length);
        lines[(*n)++] = (struct line){word32(u, c->offset), word32(u, c->bytes),
                                      text_once(a, name, length), NULL};
    }
    for (unsigned i = 0; i < a->n_locals; i++) {
        struct local *l = &a->locals[i];

        if (!l->pinned || (l->shown && p->state > 0))
            continue;
        name = shim_variable(l->of, &length);
        lines[(*n)++] =
            (struct line){word32(u, l->offset), word32(u, l->bytes),
                          text_once(a, name, length),
                          text_once(a, l->reason, strlen(l->reason))};
    }
}

static void
place_find(struct activation *a, value call, value *function, value *file,
           unsigned *line, unsigned *column)
{
    const char *name = NULL, *path = NULL;
    size_t length, path_length = 0;

    if (!shim_place(call, a->function, &name, &length, &path, &path_length,
                    line, column)) {
        name = LLVMGetValueName2(a->function, &length);
        if (length > strlen(SPLIT_SUFFIX))
            length -= strlen(SPLIT_SUFFIX);
    }
    *function = text_once(a, name, length);
    *file = path_length ? text_once(a, path, path_length) : NULL;
}

/* struct fm_point_info and the struct fm_carried that follow it. */
static value
info(struct activation *a, struct point *p, bool lists)
{
    struct unit *u = a->u;
    struct line *lines = memory(p->n_carries + a->n_locals, sizeof *lines);
    unsigned n = 0, line, column, k = 0, total;
    value function, file, g, *words;
    type array;

    place_find(a, p->call, &function, &file, &line, &column);
    if (lists)
        info_lines(a, p, lines, &n);
    total = 5 + 4 * n;
    words = memory(total, sizeof *words);
    array = LLVMArrayType2(u->i32, total);
    g = table_entry(a, array, INFO_SECTION);
    words[k++] = relative(u, function, g, 0);
    words[k++] = relative(u, file, g, 4);
    words[k++] = word32(u, line);
    words[k++] = word32(u, column);
    words[k++] = word32(u, n);
    for (unsigned i = 0; i < n; i++) {
        words[k] = relative(u, lines[i].name, g, 4 * k);
        words[k + 1] = lines[i].offset;
        words[k + 2] = lines[i].bytes;
        words[k + 3] = relative(u, lines[i].pin, g, 4 * k + 12);
        k += 4;
    }
    LLVMSetInitializer(g, LLVMConstArray2(u->i32, words, total));
    free(words);
    free(lines);
    return g;
}

static unsigned
flags_of(struct activation *a, struct point *p)
{
    return (p->handler || a->vla ? FM_POINT_HANDLER : 0) |
           (p->anywhere ? FM_POINT_ANYWHERE : 0) |
           (a->thunk ? FM_POINT_TASK : 0);
}

static value
descriptor(struct activation *a, struct point *p, bool lists)
{
    struct unit *u = a->u;
    type array = LLVMArrayType2(u->i32, 5);
    value g = table_entry(a, array, POINTS_SECTION);
    value words[] = {
        relative(u, a->resume, g, 0),
        word32(u, p->state),
        word32(u, a->record_bytes),
        word32(u, flags_of(a, p)),
        relative(u, info(a, p, lists), g, 16),
    };

    LLVMSetInitializer(g, LLVMConstArray2(u->i32, words, 5));
    return g;
}

/* What is carried is listed as long as the lists are not much longer than
 * the code. */
#define LINES_MOST 8192

static bool
is_listed(struct activation *a)
{
    size_t lines = 0;

    for (unsigned i = 0; i < a->n_points; i++)
        lines += a->points[i].n_carries;
    return lines <= LINES_MOST;
}

void
points(struct activation *a)
{
    bool lists = is_listed(a);
    unsigned state = 0;

    for (unsigned i = 0; i < a->n_points; i++) {
        struct point *p = &a->points[i];

        if (p->tail)
            continue;
        p->state = state++;
        p->descriptor = descriptor(a, p, lists);
    }
}

/* A place in the trace of the faults that are raised there; nothing is ever
 * resumed at it. */
value
points_raise(struct activation *a, value call)
{
    struct point p = {.call = call};
    value g = table_entry(a, LLVMArrayType2(a->u->i32, 5), INFO_SECTION);
    value none = word32(a->u, 0);
    value words[] = {none, none, none, none,
                     relative(a->u, info(a, &p, false), g, 16)};

    LLVMSetInitializer(g, LLVMConstArray2(a->u->i32, words, 5));
    return g;
}

void
points_done(struct unit *u)
{
    while (u->texts) {
        struct texts *t = u->texts;

        u->texts = t->next;
        free(t->bytes);
        free(t);
    }
}
