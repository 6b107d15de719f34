/* places.c: what people want to know of a suspension point: its function,
 * file and line, those of the functions into which LLVM inlined that one,
 * and what is carried there. Lies apart in the section fm_info, which can be
 * stripped. Strings, and the places of inlined calls, stand there once for
 * each function. Offsets are relative to the field that holds them: no
 * dynamic relocations.
 */
#include "late.h"

#include <stdlib.h>
#include <string.h>

#define INFO_SECTION "fm_info"
#define BUCKETS 256

struct text {
    const char *bytes; /* the initializer's own copy is not reachable */
    size_t n;
    value global;
    struct text *next;
};

/* What the function that is split now has in fm_info already. */
struct tables {
    struct text *texts[BUCKETS];
    struct map outer; /* location of an inlined call: index into infos */
    struct list infos;
};

/* Each entry is tied to its function, so the linker drops both together. */
value
places_entry(struct activation *a, type t, const char *section)
{
    value g = LLVMAddGlobal(a->u->module, t, "fm.point");

    LLVMSetGlobalConstant(g, 1);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetSection(g, section);
    LLVMSetAlignment(g, 4);
    shim_associate(g, a->function);
    return g;
}

/* What a field at `offset` bytes in `holder` says to mean `target`. */
value
places_relative(struct unit *u, value target, value holder, uint64_t offset)
{
    value to, from, by = LLVMConstInt(u->word, offset, 0);

    if (!target)
        return word32(u, 0);
    from = LLVMConstInBoundsGEP2(u->i8, holder, &by, 1);
    to = LLVMConstPtrToInt(target, u->word);
    from = LLVMConstPtrToInt(from, u->word);
    return LLVMConstTrunc(LLVMConstSub(to, from), u->i32);
}

/* ---- strings ------------------------------------------------------------- */

static value
text_new(struct activation *a, const char *bytes, size_t n)
{
    struct unit *u = a->u;
    value string = LLVMConstStringInContext(u->context, bytes, (unsigned)n, 0);
    value g = places_entry(a, LLVMTypeOf(string), INFO_SECTION);

    LLVMSetInitializer(g, string);
    LLVMSetAlignment(g, 1);
    return g;
}

static unsigned
bucket_of(const char *bytes, size_t n)
{
    uint64_t h = 14695981039346656037u;

    while (n-- > 0)
        h = (h ^ (unsigned char)*bytes++) * 1099511628211u;
    return (unsigned)(h >> 32) % BUCKETS;
}

static struct tables *
tables_of(struct unit *u)
{
    if (!u->tables)
        u->tables = memory(1, sizeof *u->tables);
    return u->tables;
}

static value
text(struct activation *a, const char *bytes, size_t n)
{
    struct text **bucket = &tables_of(a->u)->texts[bucket_of(bytes, n)], *t;
    char *mine;

    for (t = *bucket; t; t = t->next)
        if (t->n == n && !memcmp(t->bytes, bytes, n))
            return t->global;
    mine = memory(n + 1, 1);
    memcpy(mine, bytes, n);
    t = memory(1, sizeof *t);
    *t = (struct text){mine, n, text_new(a, bytes, n), *bucket};
    *bucket = t;
    return t->global;
}

/* ---- what is carried ------------------------------------------------------ */

struct line {
    value offset, bytes, name, pin;
};

static struct line
line_of(struct activation *a, value of, uint64_t offset, uint64_t bytes)
{
    size_t length;
    const char *name = shim_variable(of, &length);

    return (struct line){word32(a->u, offset), word32(a->u, bytes),
                         text(a, name, length), NULL};
}

static unsigned
lines_fill(struct activation *a, struct point *p, struct line *lines)
{
    unsigned n = 0;

    for (unsigned i = 0; i < p->n_carries; i++) {
        struct carried *c = &a->carried[p->carries[i]];

        if (c->from == NONE)
            lines[n++] = line_of(a, c->of, c->offset, c->bytes);
    }
    for (unsigned i = 0; i < a->n_locals; i++) {
        struct local *l = &a->locals[i];

        if (!l->pinned || (l->shown && p->state > 0))
            continue;
        lines[n] = line_of(a, l->of, l->offset, l->bytes);
        lines[n++].pin = text(a, l->reason, strlen(l->reason));
    }
    return n;
}

/* ---- places ---------------------------------------------------------------- */

/* struct fm_point_info up to `carried`. */
#define HEAD (sizeof(struct fm_point_info) / 4)

/* struct fm_point_info and the struct fm_carried that follow it. */
static value
info_new(struct activation *a, const void *location, value outer,
         unsigned passes, struct line *lines, unsigned n)
{
    struct unit *u = a->u;
    unsigned total = HEAD + 4 * n, k = 0;
    value g, *words = memory(total, sizeof *words), function;
    struct place place;

    g = places_entry(a, LLVMArrayType2(u->i32, total), INFO_SECTION);
    if (!shim_place(location, a->function, &place)) {
        place.function = LLVMGetValueName2(a->function, &place.function_length);
        if (place.function_length > strlen(SPLIT_SUFFIX))
            place.function_length -= strlen(SPLIT_SUFFIX);
    }
    function = text(a, place.function, place.function_length);
    words[k++] = places_relative(u, function, g, 0);
    words[k++] = places_relative(
        u, place.file_length ? text(a, place.file, place.file_length) : NULL, g,
        4);
    words[k++] = places_relative(u, outer, g, 8);
    words[k++] = word32(u, place.line);
    words[k++] = word32(u, (place.column & 0xffff) | passes << 16);
    words[k++] = word32(u, n);
    for (unsigned i = 0; i < n; i++) {
        words[k] = places_relative(u, lines[i].name, g, 4 * k);
        words[k + 1] = lines[i].offset;
        words[k + 2] = lines[i].bytes;
        words[k + 3] = places_relative(u, lines[i].pin, g, 4 * k + 12);
        k += 4;
    }
    LLVMSetInitializer(g, LLVMConstArray2(u->i32, words, total));
    free(words);
    return g;
}

/* The info of the place where the function at `location` was called that is
 * inlined there; null: it was not inlined. Outermost first, so that a deep
 * list needs no recursion. */
static value
outer_of(struct activation *a, const void *location)
{
    struct tables *t = tables_of(a->u);
    struct list calls = {0};
    value outer = NULL;

    while (location && (location = shim_location_outer(location))) {
        unsigned known = map_get(&t->outer, location);

        if (known != NONE) {
            outer = t->infos.at[known];
            break;
        }
        list_push(&calls, (void *)location);
    }
    while ((location = list_pop(&calls))) {
        outer = info_new(a, location, outer, 0, NULL, 0);
        map_put(&t->outer, location, (unsigned)t->infos.n);
        list_push(&t->infos, outer);
    }
    list_drop(&calls);
    return outer;
}

value
places_info(struct activation *a, struct point *p, bool lists)
{
    const void *location = shim_location(p->call);
    struct line *lines = NULL;
    unsigned n = 0;
    value g;

    if (lists) {
        lines = memory(p->n_carries + a->n_locals, sizeof *lines);
        n = lines_fill(a, p, lines);
    }
    g = info_new(a, location, outer_of(a, location), places_passed(p->call),
                 lines, n);
    free(lines);
    return g;
}

void
places_done(struct unit *u)
{
    for (unsigned i = 0; u->tables && i < BUCKETS; i++)
        for (struct text *t = u->tables->texts[i], *next; t; t = next) {
            next = t->next;
            free((void *)t->bytes);
            free(t);
        }
    if (u->tables) {
        map_free(&u->tables->outer);
        list_drop(&u->tables->infos);
    }
    free(u->tables);
    u->tables = NULL;
}
