/* live.c: what each await must carry.
 *
 * Needs the function in canonical form. A value is carried by the await at
 * whose `resumed` block it is live. Found value by value, from its uses
 * backwards to its definition (Boissinot and others, "Fast liveness checking
 * for SSA-form programs", 2008, after Appel): the work is the length of the
 * live ranges, so a function with thousands of awaits takes linear time, and
 * no set is ever compared with another.
 */
#include "late.h"

#include <stdlib.h>

/* ---- the graph ---------------------------------------------------------- */

static void
edges_count(struct graph *g)
{
    g->pred_first = memory(g->n + 2, sizeof(unsigned));
    g->succ_first = memory(g->n + 2, sizeof(unsigned));
    for (unsigned i = 0; i < g->n; i++) {
        value t = LLVMGetBasicBlockTerminator(g->blocks[i]);
        unsigned n = LLVMGetNumSuccessors(t);

        g->succ_first[i + 1] = g->succ_first[i] + n;
        for (unsigned k = 0; k < n; k++)
            g->pred_first[map_get(&g->index, LLVMGetSuccessor(t, k)) + 2]++;
    }
    for (unsigned i = 0; i < g->n; i++)
        g->pred_first[i + 1] += g->pred_first[i];
    g->pred_first[g->n + 1] += g->pred_first[g->n];
}

/* pred_first is kept one place ahead while the edges are filled in. */
static void
edges_fill(struct graph *g)
{
    unsigned n = g->succ_first[g->n];

    g->preds = memory(n, sizeof(unsigned));
    g->succs = memory(n, sizeof(unsigned));
    for (unsigned i = 0; i < g->n; i++) {
        value t = LLVMGetBasicBlockTerminator(g->blocks[i]);
        unsigned out = g->succ_first[i];

        for (unsigned k = 0; out + k < g->succ_first[i + 1]; k++) {
            unsigned s = map_get(&g->index, LLVMGetSuccessor(t, k));

            g->succs[out + k] = s;
            g->preds[g->pred_first[s + 1]++] = i;
        }
    }
}

static void
again_mark(struct activation *a)
{
    struct graph *g = &a->graph;
    unsigned *stack = memory(g->n, sizeof *stack), n = 0;

    for (unsigned i = 0; i < g->n; i++)
        if (g->resumes[i] != NONE) {
            g->again[i] = true;
            stack[n++] = i;
        }
    while (n) {
        unsigned i = stack[--n];

        for (unsigned k = g->succ_first[i]; k < g->succ_first[i + 1]; k++) {
            unsigned s = g->succs[k];

            if (!g->again[s]) {
                g->again[s] = true;
                stack[n++] = s;
            }
        }
    }
    free(stack);
}

void
graph_build(struct activation *a)
{
    struct graph *g = &a->graph;

    graph_drop(a);
    g->n = LLVMCountBasicBlocks(a->function);
    g->blocks = memory(g->n, sizeof *g->blocks);
    g->resumes = memory(g->n, sizeof *g->resumes);
    g->again = memory(g->n, sizeof *g->again);
    LLVMGetBasicBlocks(a->function, g->blocks);
    for (unsigned i = 0; i < g->n; i++) {
        map_put(&g->index, g->blocks[i], i);
        g->resumes[i] = NONE;
    }
    for (unsigned i = 0; i < a->n_points; i++)
        g->resumes[map_get(&g->index, a->points[i].resumed)] = i;
    edges_count(g);
    edges_fill(g);
    again_mark(a);
}

void
graph_drop(struct activation *a)
{
    struct graph *g = &a->graph;

    free(g->blocks);
    free(g->preds);
    free(g->pred_first);
    free(g->succs);
    free(g->succ_first);
    free(g->resumes);
    free(g->again);
    map_free(&g->index);
    *g = (struct graph){0};
}

/* ---- what is carried ------------------------------------------------------ */

static void *
grown(void *items, unsigned capacity, size_t bytes)
{
    items = realloc(items, capacity * bytes);
    if (!items)
        abort();
    return items;
}

static struct carried *
carried_new(struct activation *a, value of, bool is_local)
{
    struct carried *c;

    if (a->n_carried == a->carried_capacity) {
        a->carried_capacity =
            a->carried_capacity ? 2 * a->carried_capacity : 16;
        a->carried = grown(a->carried, a->carried_capacity, sizeof *a->carried);
    }
    c = &a->carried[a->n_carried++];
    *c = (struct carried){
        .of = of,
        .type = LLVMTypeOf(of),
        .is_local = is_local,
        .from = NONE,
    };
    return c;
}

/* All calls for one value come one after the other: it is the last one in
 * each point's list until the next value's turn. */
void
carry(struct activation *a, value of, bool is_local, unsigned point)
{
    struct carried *c = a->n_carried ? &a->carried[a->n_carried - 1] : NULL;
    struct point *p = &a->points[point];

    if (!c || c->of != of)
        c = carried_new(a, of, is_local);
    if (c->n == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 4;
        c->points = grown(c->points, c->capacity, sizeof *c->points);
    }
    c->points[c->n++] = point;
    if (p->n_carries == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 4;
        p->carries = grown(p->carries, p->capacity, sizeof *p->carries);
        p->stale = grown(p->stale, p->capacity, sizeof *p->stale);
    }
    p->stale[p->n_carries] = false;
    p->carries[p->n_carries++] = a->n_carried - 1;
}

void
carried_drop(struct activation *a)
{
    for (unsigned i = 0; i < a->n_carried; i++)
        free(a->carried[i].points);
    for (unsigned i = 0; i < a->n_points; i++) {
        free(a->points[i].carries);
        free(a->points[i].stale);
        a->points[i].carries = NULL;
        a->points[i].stale = NULL;
        a->points[i].n_carries = a->points[i].capacity = 0;
    }
    free(a->carried);
    a->carried = NULL;
    a->n_carried = a->carried_capacity = 0;
}

/* ---- the walks ---------------------------------------------------------------- */

struct walk {
    struct activation *a;
    unsigned *stamp; /* per block: the number of the walk that was there */
    unsigned *stale; /* per point: the same, of the forward walk */
    unsigned *stack, n;
    unsigned now;
};

static void
visit(struct walk *w, unsigned b)
{
    if (w->stamp[b] == w->now)
        return;
    w->stamp[b] = w->now;
    w->stack[w->n++] = b;
}

static void
visit_preds(struct walk *w, unsigned b)
{
    struct graph *g = &w->a->graph;

    for (unsigned k = g->pred_first[b]; k < g->pred_first[b + 1]; k++)
        visit(w, g->preds[k]);
}

/* Goes forward from the definitions on the stack through the blocks where
 * the value is live (stamped `live`) and marks the points that it reaches
 * without having been saved on the way: there the record's copy is old. */
static void
stale_find(struct walk *w, struct carried *c, unsigned live)
{
    struct graph *g = &w->a->graph;

    while (w->n) {
        unsigned b = w->stack[--w->n];

        for (unsigned k = g->succ_first[b]; k < g->succ_first[b + 1]; k++) {
            unsigned s = g->succs[k];

            if (g->resumes[s] != NONE)
                w->stale[g->resumes[s]] = w->now;
            else if (w->stamp[s] == live)
                visit(w, s);
        }
    }
    for (unsigned i = 0; i < c->n; i++) {
        struct point *p = &w->a->points[c->points[i]];

        p->stale[p->n_carries - 1] = w->stale[c->points[i]] == w->now;
    }
}

static void
uses_visit(struct walk *w, value v, block home)
{
    struct graph *g = &w->a->graph;

    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        value user = LLVMGetUser(use);

        if (LLVMIsAPHINode(user)) {
            for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
                if (LLVMGetIncomingValue(user, i) == v &&
                    LLVMGetIncomingBlock(user, i) != home)
                    visit(w, map_get(&g->index, LLVMGetIncomingBlock(user, i)));
        } else if (LLVMGetInstructionParent(user) != home) {
            visit(w, map_get(&g->index, LLVMGetInstructionParent(user)));
        }
    }
}

static void
value_walk(struct walk *w, value v, block home)
{
    struct activation *a = w->a;
    struct graph *g = &a->graph;
    unsigned at_home = map_get(&g->index, home), before = a->n_carried;
    unsigned live = ++w->now;

    w->n = 0;
    uses_visit(w, v, home);
    w->stamp[at_home] = live; /* its definition: not live in */
    while (w->n) {
        unsigned b = w->stack[--w->n];

        if (b == at_home)
            continue;
        if (g->resumes[b] != NONE)
            carry(a, v, false, g->resumes[b]);
        visit_preds(w, b);
    }
    if (a->n_carried == before)
        return;
    w->now++;
    w->n = 0;
    if (g->again[at_home])
        w->stack[w->n++] = at_home;
    stale_find(w, &a->carried[before], live);
}

static void
walk_init(struct walk *w, struct activation *a)
{
    *w = (struct walk){.a = a};
    w->stamp = memory(a->graph.n, sizeof *w->stamp);
    w->stack = memory(a->graph.n + 1, sizeof *w->stack);
    w->stale = memory(a->n_points, sizeof *w->stale);
}

static void
walk_fini(struct walk *w)
{
    free(w->stamp);
    free(w->stack);
    free(w->stale);
}

/* The value of an await is born in `cont`; memory that lies in this frame
 * or the caller's is the business of live_locals and pin. */
static bool
is_carriable(struct activation *a, value v)
{
    if (ir_is_void(LLVMTypeOf(v)) || !LLVMGetFirstUse(v))
        return false;
    if (LLVMIsAAllocaInst(v) && shim_is_static_alloca(v))
        return false;
    return v != a->sret && LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMTokenTypeKind;
}

void
live_values(struct activation *a)
{
    block entry = LLVMGetEntryBasicBlock(a->function);
    struct walk w;

    carried_drop(a);
    walk_init(&w, a);
    for (unsigned i = 0; i < LLVMCountParams(a->function); i++) {
        value v = LLVMGetParam(a->function, i);

        if (is_carriable(a, v) && !(a->thunk && i == 0))
            value_walk(&w, v, entry);
    }
    for (unsigned i = 0; i < a->graph.n; i++) {
        block b = a->graph.blocks[i];

        for (value v = LLVMGetFirstInstruction(b); v;
             v = LLVMGetNextInstruction(v))
            if (is_carriable(a, v))
                value_walk(&w, v, b);
    }
    walk_fini(&w);
}

/* ---- contents of locals --------------------------------------------------------- */

/* What decides in this block whether the contents are live at its start:
 * a use that reads them, one that ends them, or 0, nothing. */
static unsigned
block_decides(struct map *kinds, block b)
{
    unsigned decides = 0;

    for (value i = LLVMGetLastInstruction(b); i;
         i = LLVMGetPreviousInstruction(i)) {
        unsigned kind = map_get(kinds, i);

        if (kind == NONE)
            continue;
        if (kind & (USE_READ | USE_ESCAPE))
            decides = USE_READ;
        else if (kind & (USE_KILL | USE_START | USE_END))
            decides = USE_KILL;
    }
    return decides;
}

/* What each block with a use of the local decides. */
static struct map
decisions(struct local *l)
{
    struct map kinds = {0}, decided = {0};

    for (size_t i = 0; i < l->n; i++) {
        unsigned old = map_get(&kinds, l->uses[i].inst);

        map_put(&kinds, l->uses[i].inst,
                (old == NONE ? 0 : old) | l->uses[i].kind);
    }
    for (size_t i = 0; i < l->n; i++) {
        block b = LLVMGetInstructionParent(l->uses[i].inst);

        if (map_get(&decided, b) == NONE)
            map_put(&decided, b, block_decides(&kinds, b));
    }
    map_free(&kinds);
    return decided;
}

static unsigned
use_block(struct walk *w, struct local *l, size_t i)
{
    return map_get(&w->a->graph.index,
                   LLVMGetInstructionParent(l->uses[i].inst));
}

static void
local_backwards(struct walk *w, struct local *l)
{
    struct graph *g = &w->a->graph;
    struct map decided = decisions(l);

    for (size_t i = 0; i < l->n; i++)
        if (map_get(&decided, LLVMGetInstructionParent(l->uses[i].inst)) ==
            USE_READ)
            visit(w, use_block(w, l, i));
    while (w->n) {
        unsigned b = w->stack[--w->n];

        if (map_get(&decided, g->blocks[b]) == USE_KILL) {
            w->stamp[b] = 0; /* not live in */
            continue;
        }
        if (g->resumes[b] != NONE)
            carry(w->a, l->of, true, g->resumes[b]);
        visit_preds(w, b);
    }
    map_free(&decided);
}

static void
local_walk(struct walk *w, struct local *l)
{
    struct activation *a = w->a;
    unsigned before = a->n_carried, live = ++w->now;
    const unsigned changes =
        USE_WRITE | USE_KILL | USE_ESCAPE | USE_SRET | USE_START;

    w->n = 0;
    local_backwards(w, l);
    if (a->n_carried == before)
        return;
    w->now++;
    w->n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->uses[i].kind & changes && a->graph.again[use_block(w, l, i)])
            visit(w, use_block(w, l, i));
    stale_find(w, &a->carried[before], live);
}

/* With -O0 -g the debugger is to see every local after a resume, as long as
 * that is no more than this many copies in a function. */
#define COPIES_MOST 20000

static void
local_everywhere(struct walk *w, struct local *l)
{
    for (unsigned i = 0; i < w->a->n_points; i++) {
        struct point *p = &w->a->points[i];

        carry(w->a, l->of, true, i);
        p->stale[p->n_carries - 1] = true;
    }
}

void
live_locals(struct activation *a)
{
    bool all = a->naked && (size_t)a->n_locals * a->n_points <= COPIES_MOST;
    struct walk w;

    walk_init(&w, a);
    for (unsigned i = 0; i < a->n_locals; i++) {
        struct local *l = &a->locals[i];

        if (!LLVMIsAAllocaInst(l->of) || l->pinned)
            continue;
        if (all && !l->marked)
            local_everywhere(&w, l);
        else
            local_walk(&w, l);
    }
    walk_fini(&w);
}
