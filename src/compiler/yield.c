/* yield.c: an await of fm_yield without the call.
 *
 * To yield is to suspend behind the innermost root's leaf, no more (abi.h,
 * struct fm_here): whoever has the root sees to all the rest, cancellation
 * included. So a loop that yields keeps nothing across a call, and what
 * follows the await is reached by resuming only. */
#include "late.h"

#include <stddef.h>

value
here_leaf(struct unit *u)
{
    return LLVMBuildLoad2(
        u->b, u->ptr, here_field(u, offsetof(struct fm_here, leaf)), "fm.leaf");
}

bool
yield_is_inline(struct activation *a, value call)
{
    return calls(call, "fm_yield" SPLIT_SUFFIX) &&
           record_is_inline(
               a, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
}

/* Replaces `call`, an await, by a way to p->suspend.
 * Returns the leaf to suspend behind; null: it is no yield, or not to be done
 * inline. */
value
yield_inline(struct activation *a, struct point *p, value call)
{
    struct unit *u = a->u;
    block b = LLVMGetInstructionParent(call);
    value leaf, choice = LLVMGetBasicBlockTerminator(p->check);
    value hook = LLVMGetOperand(choice, 0);

    if (!yield_is_inline(a, call))
        return NULL;
    at(u, call);
    leaf = here_leaf(u);
    if (LLVMIsAInvokeInst(call)) {
        shim_remove_predecessor(LLVMGetUnwindDest(call), b);
        at_end(u, b);
        LLVMBuildBr(u->b, p->check);
    }
    LLVMInstructionEraseFromParent(call);
    shim_remove_predecessor(p->cont, p->check);
    shim_remove_predecessor(p->fault, p->check);
    LLVMInstructionEraseFromParent(choice);
    LLVMInstructionEraseFromParent(hook);
    at_end(u, p->check);
    LLVMBuildBr(u->b, p->suspend);
    return leaf;
}
