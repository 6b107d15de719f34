/* remat.c: values that are cheaper made again after a resume than carried:
 * constant offsets from memory that has its address anyway (locals, globals,
 * the result's memory), and thread-local addresses, which must not be
 * carried at all. Each use in another block gets its own copy. LLVM joins
 * what it can of them afterwards.
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
