/* sink.c: an address at a fixed distance from a record is made anew in each
 * block that uses it. Kept in a register it would have to survive the await
 * before that block, beside the record itself; made anew it is mostly part
 * of the access. Last of all, as any clean-up would join them again.
 */
#include "late.h"

static bool
is_fixed_distance(value inst)
{
    if (!LLVMIsAGetElementPtrInst(inst))
        return false;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(inst); i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(inst, i)))
            return false;
    return true;
}

static void
operands_replace(value user, value old, value made)
{
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
        if (LLVMGetOperand(user, i) == old)
            LLVMSetOperand(user, i, made);
}

static void
address_sink(LLVMBuilderRef b, value address)
{
    block home = LLVMGetInstructionParent(address);
    struct list away = {0};
    value user, made;

    for (LLVMUseRef use = LLVMGetFirstUse(address); use;
         use = LLVMGetNextUse(use)) {
        user = LLVMGetUser(use);
        if (!LLVMIsAPHINode(user) && LLVMGetInstructionParent(user) != home)
            list_push(&away, user);
    }
    while ((user = list_pop(&away))) {
        made = LLVMInstructionClone(address);
        LLVMPositionBuilderBefore(b, user);
        LLVMInsertIntoBuilder(b, made);
        operands_replace(user, address, made);
        if (!LLVMGetFirstUse(made))
            LLVMInstructionEraseFromParent(made);
    }
    list_drop(&away);
    if (!LLVMGetFirstUse(address))
        LLVMInstructionEraseFromParent(address);
}

void
sink(value function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(
        LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    value next;

    for (block at = LLVMGetFirstBasicBlock(function); at;
         at = LLVMGetNextBasicBlock(at))
        for (value i = LLVMGetFirstInstruction(at); i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (is_fixed_distance(i))
                address_sink(b, i);
        }
    LLVMDisposeBuilder(b);
}
