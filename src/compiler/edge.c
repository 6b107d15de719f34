/* edge.c: how is code put on one edge out of one call?
 *
 * An invoke's pad is shared with others, a plain call has no unwind edge at
 * all: here each gets a place of its own. New calls get a place, because
 * LLVM wants one in functions with debug information.
 */
#include "control.h"

/* The instruction's place, else that of one near it in its block, else the
 * function's. */
static LLVMMetadataRef
place_near(LLVMValueRef inst)
{
    LLVMValueRef function = function_of(inst);
    LLVMMetadataRef place = NULL, subprogram;

    for (LLVMValueRef i = inst; i && !place; i = LLVMGetNextInstruction(i))
        place = LLVMInstructionGetDebugLoc(i);
    for (LLVMValueRef i = inst; i && !place; i = LLVMGetPreviousInstruction(i))
        place = LLVMInstructionGetDebugLoc(i);
    subprogram = LLVMGetSubprogram(function);
    if (!place && subprogram)
        place = LLVMDIBuilderCreateDebugLocation(
            context_of(inst), LLVMDISubprogramGetLine(subprogram), 0,
            subprogram, NULL);
    return place;
}

LLVMBuilderRef
build_before(LLVMValueRef inst)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context_of(inst));

    LLVMPositionBuilderBefore(b, inst);
    LLVMSetCurrentDebugLocation2(b, place_near(inst));
    return b;
}

LLVMBuilderRef
build_end(LLVMBasicBlockRef block, LLVMValueRef like)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context_of(like));

    LLVMPositionBuilderAtEnd(b, block);
    LLVMSetCurrentDebugLocation2(b, place_near(like));
    return b;
}

LLVMBasicBlockRef
block_new(LLVMValueRef function, const char *name)
{
    LLVMContextRef context =
        LLVMGetModuleContext(LLVMGetGlobalParent(function));

    return LLVMAppendBasicBlockInContext(context, function, name);
}

LLVMTypeRef
pad_type(LLVMContextRef context)
{
    LLVMTypeRef parts[] = {pointer_type(context),
                           LLVMInt32TypeInContext(context)};

    return LLVMStructTypeInContext(context, parts, 2, false);
}

LLVMValueRef
runtime_call(LLVMBuilderRef b, const char *name, bool returns,
             LLVMValueRef *args, unsigned n)
{
    LLVMBasicBlockRef block = LLVMGetInsertBlock(b);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(block));
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef pointer = pointer_type(context);
    LLVMTypeRef parameters[] = {pointer, pointer, pointer};
    LLVMTypeRef type =
        LLVMFunctionType(returns ? pointer : LLVMVoidTypeInContext(context),
                         parameters, n, false);
    LLVMValueRef function = declare(module, name, type);

    LLVMAddAttributeAtIndex(function, FUNCTION_INDEX,
                            enum_attribute(context, "nounwind"));
    return LLVMBuildCall2(b, type, function, args, n, "");
}

void
personality_ensure(LLVMValueRef function)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMTypeRef type;

    if (LLVMHasPersonalityFn(function))
        return;
    type = LLVMFunctionType(
        LLVMInt32TypeInContext(LLVMGetModuleContext(module)), NULL, 0, true);
    LLVMSetPersonalityFn(function,
                         declare(module, "__gcc_personality_v0", type));
}

/* A block with a pad that goes on unwinding; returns its resume. */
static LLVMValueRef
pad_new(LLVMValueRef like, LLVMValueRef *pad)
{
    LLVMValueRef function = function_of(like);
    LLVMBasicBlockRef block = block_new(function, "unwind");
    LLVMBuilderRef b = build_end(block, like);
    LLVMValueRef resume;

    personality_ensure(function);
    *pad = LLVMBuildLandingPad(b, pad_type(context_of(like)), NULL, 0, "");
    LLVMSetCleanup(*pad, true);
    resume = LLVMBuildResume(b, *pad);
    LLVMDisposeBuilder(b);
    return resume;
}

LLVMValueRef
edge_unwind(LLVMValueRef *call, LLVMValueRef *pad)
{
    LLVMBasicBlockRef own;
    LLVMValueRef end;

    if (LLVMIsACallInst(*call)) {
        end = pad_new(*call, pad);
        *call = shim_call_to_invoke(*call, LLVMGetInstructionParent(end));
        return end;
    }
    own = shim_pad_split(LLVMGetUnwindDest(*call),
                         LLVMGetInstructionParent(*call));
    *pad = LLVMGetFirstInstruction(own);
    while (LLVMIsAPHINode(*pad))
        *pad = LLVMGetNextInstruction(*pad);
    return LLVMGetBasicBlockTerminator(own);
}

LLVMValueRef
edge_normal(LLVMValueRef call)
{
    if (LLVMIsACallInst(call))
        return LLVMGetNextInstruction(call);
    return LLVMGetBasicBlockTerminator(shim_normal_split(call));
}

LLVMValueRef
first_after_allocas(LLVMValueRef function)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

    while (LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

void
mark_variable_delete(LLVMValueRef variable)
{
    LLVMUseRef use, next;

    for (use = LLVMGetFirstUse(variable); use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);

        next = LLVMGetNextUse(use);
        if (LLVMIsAGetElementPtrInst(user))
            mark_variable_delete(user);
        else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable)
            LLVMInstructionEraseFromParent(user);
        else if (LLVMIsAIntrinsicInst(user))
            LLVMInstructionEraseFromParent(user);
    }
    if (!LLVMGetFirstUse(variable))
        LLVMInstructionEraseFromParent(variable);
}
