/* frame.c: one layout per function: header, result slot, pins, what is
 * carried.
 *
 * Values that no await carries together share their bytes. Found by raising
 * a skyline: each await remembers the first byte that is free in its view of
 * the record; a value goes to the highest of its awaits' marks and raises
 * them all. The longest-lived come first, so they lie at the bottom and the
 * rest packs above. Linear in what is carried; a slot keeps its value's
 * width, for store forwarding.
 */
#include "late.h"

#include <stdlib.h>

static uint64_t
largest_result(struct activation *a)
{
    uint64_t most = a->thunk ? a->thunk_bytes : 0;

    for (unsigned i = 0; i < a->n_points; i++)
        if (a->points[i].result_bytes > most)
            most = a->points[i].result_bytes;
    return most;
}

static uint64_t
pin_bytes(struct local *l)
{
    return round_up(l->bytes, l->align) + (l->align > 16 ? l->align - 16 : 0);
}

/* Can both be alive at once? Where one has no lifetime markers: yes. */
static bool
conflict(struct activation *a, struct local *l, struct local *m)
{
    if (!l->here || !m->here)
        return true;
    for (unsigned b = 0; b < a->graph.n; b++)
        if (l->here[b] && m->here[b])
            return true;
    return false;
}

/* The first offset from `top` on that no conflicting pin before `n` uses. */
static uint64_t
pin_offset(struct activation *a, unsigned n, uint64_t top)
{
    struct local *l = &a->locals[n];
    uint64_t align = l->align < 16 ? l->align : 16;
    uint64_t offset = round_up(top, align);
    bool moved = true;

    while (moved) {
        moved = false;
        for (unsigned i = 0; i < n; i++) {
            struct local *m = &a->locals[i];

            if (!m->pinned || m->offset >= offset + pin_bytes(l) ||
                offset >= m->offset + pin_bytes(m) || !conflict(a, l, m))
                continue;
            offset = round_up(m->offset + pin_bytes(m), align);
            moved = true;
        }
    }
    return offset;
}

/* Pins stand after the largest result: they are in use at every await.
 * Records are 16-aligned; what wants more is aligned within a wider place.
 * Pins that are never alive at once share. */
static uint64_t
pins_place(struct activation *a)
{
    uint64_t start = FM_ABI_RESULT + largest_result(a), top = start;

    for (unsigned i = 0; i < a->n_locals; i++) {
        struct local *l = &a->locals[i];

        if (!l->pinned)
            continue;
        l->offset = pin_offset(a, i, start);
        if (l->offset + pin_bytes(l) > top)
            top = l->offset + pin_bytes(l);
    }
    return top;
}

static void
size_find(struct activation *a, struct carried *c)
{
    if (c->is_local) {
        for (unsigned i = 0; i < a->n_locals; i++)
            if (a->locals[i].of == c->of) {
                c->bytes = a->locals[i].bytes;
                c->align = a->locals[i].align;
            }
    } else {
        c->bytes = bytes_of(a->u, LLVMTypeOf(c->of));
        c->align = align_of(a->u, LLVMTypeOf(c->of));
    }
    if (c->align > 16)
        c->align = 16;
}

static int
longest_first(const void *x, const void *y)
{
    const struct carried *const *l = x, *const *r = y;

    if ((*l)->n != (*r)->n)
        return (*l)->n > (*r)->n ? -1 : 1;
    if ((*l)->align != (*r)->align)
        return (*l)->align > (*r)->align ? -1 : 1;
    return *l < *r ? -1 : *l > *r;
}

static void
carried_place(struct activation *a, struct carried *c)
{
    uint64_t top = 0;

    for (unsigned i = 0; i < c->n; i++)
        if (a->points[c->points[i]].top > top)
            top = a->points[c->points[i]].top;
    c->offset = round_up(top, c->align);
    for (unsigned i = 0; i < c->n; i++)
        a->points[c->points[i]].top = c->offset + c->bytes;
}

/* Records are 16-aligned where their size is a multiple of 16, else
 * 8-aligned. */
static uint64_t
align_most(struct activation *a)
{
    /* A result that wants 16 has a size that is a multiple of it. */
    bool wide = a->thunk && a->thunk_bytes && a->thunk_bytes % 16 == 0;

    for (unsigned i = 0; i < a->n_carried; i++)
        wide |= a->carried[i].from == NONE && a->carried[i].align > 8;
    for (unsigned i = 0; i < a->n_points; i++)
        wide |= a->points[i].result_align > 8;
    for (unsigned i = 0; i < a->n_locals; i++)
        wide |= a->locals[i].pinned && a->locals[i].align > 8;
    return wide ? 16 : 8;
}

void
frame(struct activation *a)
{
    struct carried **order = memory(a->n_carried, sizeof *order);
    uint64_t pinned = pins_place(a), top = pinned;

    if (!a->pins && !a->thunk)
        top = FM_ABI_RESULT;
    for (unsigned i = 0; i < a->n_points; i++) {
        struct point *p = &a->points[i];

        p->top = FM_ABI_RESULT + p->result_bytes;
        if (p->top < top)
            p->top = top;
    }
    for (unsigned i = 0; i < a->n_carried; i++) {
        order[i] = &a->carried[i];
        size_find(a, order[i]);
    }
    qsort(order, a->n_carried, sizeof *order, longest_first);
    for (unsigned i = 0; i < a->n_carried; i++)
        if (order[i]->from == NONE)
            carried_place(a, order[i]);
    for (unsigned i = 0; i < a->n_points; i++)
        if (a->points[i].top > top)
            top = a->points[i].top;
    a->record_bytes = round_up(top, align_most(a));
    free(order);
}
