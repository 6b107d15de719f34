/* early_main.c: `async int main` becomes the async function fm.main and a
 * plain main that starts it as a task and runs the loop until it ends. */
#include "early.h"

/* Calls of main, from main itself or from elsewhere, were made under the C
 * convention: clang takes main's away. */
static void
calls_convert(LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use;
         use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);

        if (is_call(call) && LLVMGetCalledValue(call) == function)
            LLVMSetInstructionCallConv(call, FM_ABI_CONV_NUMBER);
    }
}

/* Emits `fm_start(fm.main(argc, argv, envp))`, the mark as clang would have
 * left it, and returns the task. */
static LLVMValueRef
start_emit(LLVMBuilderRef builder, LLVMValueRef target, LLVMValueRef made)
{
    LLVMModuleRef module = LLVMGetGlobalParent(made);
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef ptr = pointer_type(context);
    LLVMTypeRef mark_type = LLVMFunctionType(ptr, NULL, 0, 0);
    unsigned n = LLVMCountParams(target);
    LLVMTypeRef types[4] = {ptr};
    LLVMValueRef args[4], call;

    args[0] = LLVMBuildCall2(builder, mark_type,
                             declare(module, "fm_abi_mark_start", mark_type),
                             NULL, 0, "");
    for (unsigned i = 0; i < n; i++) {
        args[i + 1] = LLVMGetParam(made, i);
        types[i + 1] = LLVMTypeOf(args[i + 1]);
    }
    call = LLVMBuildCall2(
        builder,
        LLVMFunctionType(LLVMInt32TypeInContext(context), types, n + 1, 0),
        target, args, n + 1, "");
    LLVMSetInstructionCallConv(call, FM_ABI_CONV_NUMBER);
    LLVMAddCallSiteAttribute(call, 1, enum_attribute(context, "nest"));
    return LLVMBuildCall2(builder, mark_type,
                          declare(module, "fm_abi_started", mark_type), NULL, 0,
                          "");
}

static void
body_emit(LLVMValueRef target, LLVMValueRef made)
{
    LLVMModuleRef module = LLVMGetGlobalParent(made);
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef ptr = pointer_type(context);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
    LLVMTypeRef types[] = {i32, ptr, ptr, ptr};
    LLVMTypeRef enter =
        LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
    LLVMTypeRef run = LLVMFunctionType(i32, types, 4, 0);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMValueRef args[4], code;

    LLVMPositionBuilderAtEnd(
        builder, LLVMAppendBasicBlockInContext(context, made, "entry"));
    LLVMSetCurrentDebugLocation2(builder,
                                 shim_artificial(made, target, "main"));
    LLVMBuildCall2(builder, enter, declare(module, "fm_abi_main_enter", enter),
                   NULL, 0, "");
    for (unsigned i = 0; i < 3; i++)
        args[i] = LLVMGetParam(made, i);
    args[3] = start_emit(builder, target, made);
    code = LLVMBuildCall2(builder, run, declare(module, "fm_abi_main", run),
                          args, 4, "");
    LLVMBuildRet(builder, code);
    LLVMDisposeBuilder(builder);
}

void
early_main(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef ptr = pointer_type(context);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
    LLVMTypeRef params[] = {i32, ptr, ptr};
    LLVMValueRef target = LLVMGetNamedFunction(module, "main"), made;

    if (!target || !function_is_async(target) || LLVMIsDeclaration(target))
        return;
    LLVMSetValueName2(target, "fm.main", 7);
    calls_convert(target);
    made = function_like(target, "main", LLVMFunctionType(i32, params, 3, 0));
    LLVMSetLinkage(made, LLVMExternalLinkage);
    LLVMSetVisibility(made, LLVMGetVisibility(target));
    LLVMSetLinkage(target, LLVMInternalLinkage);
    LLVMSetVisibility(target, LLVMDefaultVisibility);
    body_emit(target, made);
}
