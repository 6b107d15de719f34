/* early_apart.c: each await and each raise stays a place of its own.
 *
 * LLVM joins two calls of one function at the ends of two branches and takes
 * the line from both, and then nobody could say where a chain waits or where
 * a fault came from. What it saves is little: awaits that meet share a state
 * anyway (merge.c).
 */
#include "early.h"

static void
awaits_keep(LLVMValueRef function, LLVMAttributeRef nomerge)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (is_await(i))
                LLVMAddCallSiteAttribute(i, FUNCTION_INDEX, nomerge);
}

void
early_apart(LLVMModuleRef module)
{
    LLVMAttributeRef nomerge =
        enum_attribute(LLVMGetModuleContext(module), "nomerge");

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        if (function_is_async(f))
            awaits_keep(f, nomerge);
}
