/* verify.c: the compiler half's own invariants, looked at in other ways than
 * the passes do, and LLVM's.
 *
 *   overlap    at no await do two carried values, a pin or the result share
 *              a byte of the record
 *   unwritten  what an await reloads, every way into it has written: the
 *              resume function leaves out a save only where the record has
 *              the value already
 *   address    no carried value points into a local that is not pinned
 *   thread     no carried value comes from a thread's identity
 *
 * FERMATA_VERIFY=1 asks for them; a compiler half built with
 * -DFERMATA_CHECKED always checks. A violation is our own mistake:
 * compilation ends.
 */
#include "late.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_on(void)
{
#ifdef FERMATA_CHECKED
    return true;
#else
    return getenv("FERMATA_VERIFY") != NULL;
#endif
}

static void
violated(struct activation *a, const char *what, value v)
{
    size_t n;
    const char *name = LLVMGetValueName2(a->function, &n);

    fprintf(stderr, "fermata: %.*s: %s\n", (int)n, name, what);
    if (v)
        LLVMDumpValue(v);
    fprintf(stderr, "\n");
    abort();
}

/* ---- overlap -------------------------------------------------------------- */

struct span {
    uint64_t from, to;
};

static int
by_start(const void *x, const void *y)
{
    const struct span *l = x, *r = y;

    return l->from < r->from ? -1 : l->from > r->from;
}

static void
spans_check(struct activation *a, struct span *s, unsigned n)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < n; i++) /* what has no bytes shares none */
        if (s[i].from != s[i].to)
            s[kept++] = s[i];
    n = kept;
    qsort(s, n, sizeof *s, by_start);
    for (unsigned i = 0; i + 1 < n; i++)
        if (s[i].to > s[i + 1].from)
            violated(a, "two slots of the record overlap", NULL);
    if (n && s[n - 1].to > a->record_bytes)
        violated(a, "a slot lies past the record's end", NULL);
}

static void
overlap_check(struct activation *a)
{
    struct span *s = memory(a->n_carried + a->n_locals + 2, sizeof *s);

    for (unsigned i = 0; i < a->n_points; i++) {
        struct point *p = &a->points[i];
        unsigned n = 0;

        if (p->tail)
            continue;
        s[n++] = (struct span){0, FM_ABI_RESULT + p->result_bytes};
        for (unsigned k = 0; k < p->n_carries; k++) {
            struct carried *c = &a->carried[p->carries[k]];

            if (c->from == NONE)
                s[n++] = (struct span){c->offset, c->offset + c->bytes};
        }
        for (unsigned k = 0; k < a->n_locals; k++)
            if (a->locals[k].pinned &&
                (!a->locals[k].alive || a->locals[k].alive[i]))
                s[n++] =
                    (struct span){a->locals[k].offset,
                                  a->locals[k].offset + a->locals[k].bytes};
        spans_check(a, s, n);
    }
    free(s);
}

/* ---- unwritten -------------------------------------------------------------- */

/* Per block, which carried values the record has in their newest form at the
 * block's start: a must-analysis forward from the resumes, iterated. */
struct sync {
    struct activation *a;
    unsigned words;
    uint64_t *in, *out, *made; /* made: changed in the block */
    bool *reached;
};

static uint64_t *
row(struct sync *s, uint64_t *rows, unsigned b)
{
    return rows + (size_t)b * s->words;
}

static void
bit_set(uint64_t *r, unsigned i)
{
    r[i / 64] |= (uint64_t)1 << i % 64;
}

static bool
bit_get(const uint64_t *r, unsigned i)
{
    return r[i / 64] >> i % 64 & 1;
}

static void
made_find(struct sync *s)
{
    struct activation *a = s->a;

    for (unsigned i = 0; i < a->n_carried; i++) {
        struct carried *c = &a->carried[i];

        if (!c->is_local && LLVMIsAInstruction(c->of))
            bit_set(
                row(s, s->made,
                    map_get(&a->graph.index, LLVMGetInstructionParent(c->of))),
                i);
        for (unsigned k = 0; c->is_local && k < a->n_locals; k++) {
            struct local *l = &a->locals[k];

            for (size_t u = 0; l->of == c->of && u < l->n; u++)
                if (l->uses[u].kind &
                    (USE_WRITE | USE_KILL | USE_ESCAPE | USE_SRET))
                    bit_set(
                        row(s, s->made,
                            map_get(&a->graph.index,
                                    LLVMGetInstructionParent(l->uses[u].inst))),
                        i);
        }
    }
}

static bool
block_flow(struct sync *s, unsigned b)
{
    struct graph *g = &s->a->graph;
    uint64_t *in = row(s, s->in, b), *out = row(s, s->out, b);
    bool first = true, changed = false;

    memset(in, 0, s->words * sizeof *in);
    if (g->resumes[b] != NONE) {
        struct point *p = &s->a->points[g->resumes[b]];

        for (unsigned k = 0; k < p->n_carries; k++)
            bit_set(in, p->carries[k]);
        s->reached[b] = true;
    }
    for (unsigned k = g->pred_first[b]; k < g->pred_first[b + 1]; k++) {
        unsigned q = g->preds[k];

        if (g->resumes[b] != NONE || !s->reached[q])
            continue;
        for (unsigned w = 0; w < s->words; w++)
            in[w] = first ? row(s, s->out, q)[w] : in[w] & row(s, s->out, q)[w];
        first = false;
        s->reached[b] = true;
    }
    for (unsigned w = 0; s->reached[b] && w < s->words; w++) {
        uint64_t now = in[w] & ~row(s, s->made, b)[w];

        changed |= now != out[w];
        out[w] = now;
    }
    return changed;
}

static void
saves_check(struct sync *s)
{
    struct activation *a = s->a;

    for (unsigned i = 0; i < a->n_points; i++) {
        struct point *p = &a->points[i];
        unsigned b = map_get(&a->graph.index, p->check);

        for (unsigned k = 0; s->reached[b] && k < p->n_carries; k++)
            if (!p->stale[k] && !bit_get(row(s, s->in, b), p->carries[k]))
                violated(a, "a slot is read that was not written",
                         a->carried[p->carries[k]].of);
    }
}

static void
unwritten_check(struct activation *a)
{
    struct sync s = {.a = a, .words = (a->n_carried + 63) / 64};
    size_t n = (size_t)a->graph.n * s.words;
    bool changed = true;

    s.in = memory(n, sizeof *s.in);
    s.out = memory(n, sizeof *s.out);
    s.made = memory(n, sizeof *s.made);
    s.reached = memory(a->graph.n, sizeof *s.reached);
    memset(s.out, 0xff, n * sizeof *s.out);
    made_find(&s);
    while (changed) {
        changed = false;
        for (unsigned b = 0; b < a->graph.n; b++) {
            bool was = s.reached[b];

            changed |= block_flow(&s, b) || s.reached[b] != was;
        }
    }
    saves_check(&s);
    free(s.in);
    free(s.out);
    free(s.made);
    free(s.reached);
}

/* ---- address, thread --------------------------------------------------------- */

static bool
is_pinned(struct activation *a, value alloca)
{
    for (unsigned i = 0; i < a->n_locals; i++)
        if (a->locals[i].of == alloca)
            return a->locals[i].pinned;
    return false;
}

/* Follows a pointer back to what it is made from. */
static void
origin_check(struct activation *a, value v, struct map *seen)
{
    if (map_get(seen, v) != NONE || !LLVMIsAInstruction(v))
        return;
    map_put(seen, v, 1);
    if (LLVMIsAAllocaInst(v) && !is_pinned(a, v))
        violated(a, "the address of a local that is not pinned is carried", v);
    if (calls_stem(v, "fm_tls"))
        violated(a, "a thread-local address is carried", v);
    if (LLVMIsAGetElementPtrInst(v) || LLVMIsABitCastInst(v))
        origin_check(a, LLVMGetOperand(v, 0), seen);
    if (LLVMIsAPHINode(v) || LLVMIsASelectInst(v))
        for (int i = 0; i < LLVMGetNumOperands(v); i++)
            origin_check(a, LLVMGetOperand(v, (unsigned)i), seen);
}

static void
origins_check(struct activation *a)
{
    for (unsigned i = 0; i < a->n_carried; i++) {
        struct map seen = {0};

        if (!a->carried[i].is_local &&
            LLVMGetTypeKind(a->carried[i].type) == LLVMPointerTypeKind)
            origin_check(a, a->carried[i].of, &seen);
        map_free(&seen);
    }
}

void
verify_frame(struct activation *a)
{
    if (!is_on())
        return;
    overlap_check(a);
    unwritten_check(a);
    origins_check(a);
}

void
verify(struct activation *a)
{
    if (!is_on())
        return;
    if (!shim_verify(a->split) && (!a->resume || !shim_verify(a->resume)))
        return;
    fprintf(stderr, "fermata: the split of this function is wrong:\n");
    LLVMDumpValue(a->split);
    if (a->resume)
        LLVMDumpValue(a->resume);
    abort();
}
