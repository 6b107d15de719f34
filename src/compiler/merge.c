/* merge.c: awaits that continue at the same place share one state.
 *
 *     r = odd ? await f(x) : await g(x);
 *
 * Both awaits go on at the same block, in which their results meet in one
 * phi, both carry the same, and their faults go the same way. So one entry of
 * the resume function serves both, and in either half one exit block. Each
 * keeps a descriptor of its own, which names its line in traces: two
 * descriptors with the same state. Not at -O0, where code is as it was
 * written.
 */
#include "late.h"

#include <stdlib.h>
#include <string.h>

#define COMPARED_MOST 8 /* with so many others that continue there */

/* Where cont leads to when it does nothing else; else null. */
static block
destination(struct point *p)
{
    value i = LLVMGetFirstInstruction(p->cont);

    if (i == p->result)
        i = LLVMGetNextInstruction(i);
    if (!LLVMIsABranchInst(i) || LLVMIsConditional(i))
        return NULL;
    return LLVMGetSuccessor(i, 0);
}

static value
incoming_from(value phi, block from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

static bool
is_result(struct point *p, value v)
{
    return p->result && v == p->result;
}

static bool
results_meet(struct point *p, struct point *q, block where)
{
    for (value phi = LLVMGetFirstInstruction(where); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        value v = incoming_from(phi, p->cont), w = incoming_from(phi, q->cont);

        if (v != w && !(is_result(p, v) && is_result(q, w)))
            return false;
    }
    return true;
}

static bool
is_made_in(value v, block b)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == b;
}

/* What canon made in the block of a fault is made of the fault alone. */
static bool
faults_meet(struct point *p, struct point *q)
{
    block where = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(p->fault), 0);

    if (LLVMGetSuccessor(LLVMGetBasicBlockTerminator(q->fault), 0) != where)
        return false;
    for (value phi = LLVMGetFirstInstruction(where); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        value v = incoming_from(phi, p->fault);
        value w = incoming_from(phi, q->fault);

        if (v != w && !(is_made_in(v, p->fault) && is_made_in(w, q->fault)))
            return false;
    }
    return true;
}

/* Lists are in the order of the values. */
static bool
carry_same(struct activation *a, unsigned i, unsigned k)
{
    struct point *p = &a->points[i], *q = &a->points[k];

    if (p->n_carries != q->n_carries ||
        (p->n_carries &&
         memcmp(p->carries, q->carries, p->n_carries * sizeof *p->carries)))
        return false;
    for (unsigned n = 0; n < a->n_locals; n++) {
        struct local *l = &a->locals[n];

        if (l->alive && !l->pinned && l->alive[i] != l->alive[k])
            return false;
    }
    return true;
}

static bool
is_unused(struct point *p)
{
    return !p->result || !LLVMGetFirstUse(p->result);
}

static bool
is_same(struct activation *a, unsigned i, unsigned k, block where)
{
    struct point *p = &a->points[i], *q = &a->points[k];

    if (p->result_type != q->result_type && !(is_unused(p) && is_unused(q)))
        return false;
    return p->sret == q->sret && p->sret_bytes == q->sret_bytes &&
           p->handler == q->handler && carry_same(a, i, k) &&
           results_meet(p, q, where) && faults_meet(p, q);
}

/* What is old in the record at either is stored at both. */
static void
share(struct activation *a, unsigned i, unsigned leader)
{
    struct point *p = &a->points[i], *q = &a->points[leader];

    p->shares = leader;
    q->leads = true;
    for (unsigned k = 0; k < p->n_carries; k++)
        q->stale[k] |= p->stale[k];
}

void
merge(struct activation *a)
{
    unsigned *before = memory(a->n_points, sizeof *before);
    struct map last = {0}; /* the newest leader that continues there */

    for (unsigned i = 0; a->u->level > 0 && i < a->n_points; i++) {
        block where = a->points[i].tail ? NULL : destination(&a->points[i]);
        unsigned leader = where ? map_get(&last, where) : NONE, n = 0;

        if (!where)
            continue;
        before[i] = leader;
        for (; leader != NONE && n < COMPARED_MOST; n++) {
            if (is_same(a, i, leader, where))
                break;
            leader = before[leader];
        }
        if (leader != NONE && n < COMPARED_MOST)
            share(a, i, leader);
        else
            map_put(&last, where, i);
    }
    map_free(&last);
    free(before);
}
