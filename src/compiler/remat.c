/* remat.c: values that are cheaper made again after a resume than carried.
 *
 * Constant offsets from memory that has its address anyway (locals, globals,
 * the result's memory), and thread-local addresses, which must not be
 * carried at all: each use in another block gets its own copy (remat). LLVM
 * joins what it can of them afterwards.
 * One instruction on a constant and a value that is carried wherever its
 * result is: it is made again at the reload, nowhere else, so the ordinary
 * path does not pay for it (remat_reloads).
 */
#include "late.h"

#include <stdlib.h>

static bool
is_constant_offset(value v)
{
    if (!LLVMIsAGetElementPtrInst(v))
        return false;
    for (int i = 1; i < LLVMGetNumOperands(v); i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(v, (unsigned)i)))
            return false;
    return true;
}

/* The memory whose address is there in the ramp and after each resume. */
static bool
is_rooted(struct activation *a, value v)
{
    if (LLVMIsAConstant(v) || v == a->sret)
        return true;
    if (LLVMIsAAllocaInst(v))
        return shim_is_static_alloca(v);
    if (a->thunk && v == LLVMGetParam(a->function, 0))
        return true;
    if (calls_stem(v, "fm_tls"))
        return true;
    return is_constant_offset(v) && is_rooted(a, LLVMGetOperand(v, 0));
}

static bool
is_made_again(struct activation *a, value v)
{
    return calls_stem(v, "fm_tls") ||
           (is_constant_offset(v) && is_rooted(a, v));
}

/* A copy of v, and of what it is made from, at the builder's place. */
static value
copy_here(struct unit *u, value v)
{
    value copy = LLVMInstructionClone(v);

    for (int i = 0; is_constant_offset(v) && i < 1; i++) {
        value base = LLVMGetOperand(v, 0);

        if (LLVMIsAInstruction(base) && !LLVMIsAAllocaInst(base))
            LLVMSetOperand(copy, 0, copy_here(u, base));
    }
    LLVMInsertIntoBuilderWithName(u->b, copy, "fm.again");
    return copy;
}

/* One use of v becomes a use of a copy; a phi's operands from one block
 * must stay equal. */
static void
use_copy(struct unit *u, value v, value user)
{
    block edge = NULL;
    value copy;

    for (int i = 0; i < LLVMGetNumOperands(user); i++) {
        if (LLVMGetOperand(user, (unsigned)i) != v)
            continue;
        if (LLVMIsAPHINode(user)) {
            block from = LLVMGetIncomingBlock(user, (unsigned)i);

            if (edge && from != edge)
                continue;
            if (!edge) {
                edge = from;
                at(u, LLVMGetBasicBlockTerminator(from));
                copy = copy_here(u, v);
            }
        } else if (!edge) {
            edge = LLVMGetInstructionParent(user);
            at(u, user);
            copy = copy_here(u, v);
        }
        LLVMSetOperand(user, (unsigned)i, copy);
    }
}

static void
copies_place(struct unit *u, value v)
{
    LLVMUseRef use;

    while ((use = LLVMGetFirstUse(v)))
        use_copy(u, v, LLVMGetUser(use));
    LLVMInstructionEraseFromParent(v);
}

bool
remat(struct activation *a)
{
    struct list again = {0};
    bool any;

    for (unsigned i = 0; i < a->n_carried; i++)
        if (LLVMIsAInstruction(a->carried[i].of) &&
            is_made_again(a, a->carried[i].of))
            list_push(&again, a->carried[i].of);
    any = again.n > 0;
    for (size_t i = 0; i < again.n; i++)
        copies_place(a->u, again.at[i]);
    list_drop(&again);
    return any;
}

/* ---- at the reload ------------------------------------------------------- */

static bool
is_one_step(value v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    return is_constant_offset(v) || LLVMIsABinaryOperator(v) ||
           LLVMIsAICmpInst(v) || LLVMIsAZExtInst(v) || LLVMIsASExtInst(v) ||
           LLVMIsATruncInst(v);
}

/* Division may trap on a value that its own path has excluded. */
static bool
may_trap(value v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);

    return op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
}

/* The only operand of v that is no constant; NONE: none, or several. */
static unsigned
varying_operand(value v)
{
    unsigned found = NONE;

    for (int i = 0; i < LLVMGetNumOperands(v); i++) {
        if (LLVMIsAConstant(LLVMGetOperand(v, (unsigned)i)))
            continue;
        if (found != NONE)
            return NONE;
        found = (unsigned)i;
    }
    return found;
}

static bool
is_within(struct carried *c, struct carried *in, unsigned *stamp, unsigned now)
{
    for (unsigned i = 0; i < in->n; i++)
        stamp[in->points[i]] = now;
    for (unsigned i = 0; i < c->n; i++)
        if (stamp[c->points[i]] != now)
            return false;
    return true;
}

void
remat_reloads(struct activation *a)
{
    unsigned *stamp = memory(a->n_points, sizeof *stamp);
    struct map index = {0};

    if (a->naked)
        goto done;
    for (unsigned i = 0; i < a->n_carried; i++)
        if (!a->carried[i].is_local)
            map_put(&index, a->carried[i].of, i);
    for (unsigned i = 0; i < a->n_carried; i++) {
        struct carried *c = &a->carried[i];
        unsigned operand, from;

        if (c->is_local || !is_one_step(c->of) || may_trap(c->of))
            continue;
        operand = varying_operand(c->of);
        if (operand == NONE)
            continue;
        from = map_get(&index, LLVMGetOperand(c->of, operand));
        if (from == NONE || !is_within(c, &a->carried[from], stamp, i + 1))
            continue;
        c->from = from;
        c->operand = operand;
    }
done:
    free(stamp);
    map_free(&index);
}
