/* throw.c: fm_throw and fm_rethrow.
 *
 * Each becomes a call that makes (or retains) the fault and one that always
 * ends with it, on the same unwind edge; the block goes on to be
 * unreachable. Only an async function can end with a fault.
 */
#include "control.h"

#include <stdlib.h>
#include <string.h>

static void
add_attribute(LLVMValueRef call, const char *name)
{
    LLVMAddCallSiteAttribute(call, FUNCTION_INDEX,
                             enum_attribute(context_of(call), name));
}

/* The format says all by itself: nothing to be filled in, nothing to copy. */
static bool
is_plain_text(LLVMValueRef throw_call)
{
    unsigned n = LLVMGetNumArgOperands(throw_call);
    LLVMValueRef format = LLVMGetOperand(throw_call, n - 1), text;
    const char *bytes;
    size_t length;

    if (n != LLVMCountParamTypes(LLVMGetCalledFunctionType(throw_call)) ||
        !LLVMIsAGlobalVariable(format) || !LLVMIsGlobalConstant(format))
        return false;
    text = LLVMGetInitializer(format);
    if (!text || !LLVMIsAConstantDataSequential(text) ||
        !LLVMIsConstantString(text))
        return false;
    bytes = LLVMGetAsString(text, &length);
    return length && !bytes[length - 1] && !memchr(bytes, '%', length);
}

static LLVMValueRef
fault_new(LLVMBuilderRef b, LLVMValueRef throw_call)
{
    LLVMTypeRef old = LLVMGetCalledFunctionType(throw_call), type;
    LLVMTypeRef parameters[8];
    unsigned n = LLVMGetNumArgOperands(throw_call);
    LLVMValueRef *args = malloc((n + 1) * sizeof *args), callee, made;
    bool plain = is_plain_text(throw_call);

    if (!args || LLVMCountParamTypes(old) > 8)
        abort();
    LLVMGetParamTypes(old, parameters);
    type = LLVMFunctionType(pointer_type(context_of(throw_call)), parameters,
                            LLVMCountParamTypes(old), !plain);
    for (unsigned k = 0; k < n; k++)
        args[k] = LLVMGetOperand(throw_call, k);
    callee = declare(module_of(throw_call),
                     plain ? "fm_abi_fault_plain" : "fm_abi_fault_new", type);
    made = LLVMBuildCall2(b, type, callee, args, n, "");
    shim_copy_arguments(made, throw_call);
    add_attribute(made, "nounwind");
    free(args);
    return made;
}

/* Ends the function with the fault, in the place of `call`. */
static void
raise_instead(LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef fault)
{
    LLVMContextRef context = context_of(call);
    LLVMTypeRef pointer = pointer_type(context);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false);
    LLVMValueRef raise = declare_async(module_of(call), "fm_abi_raise", type);
    LLVMValueRef made;

    if (LLVMIsAInvokeInst(call))
        made =
            LLVMBuildInvoke2(b, type, raise, &fault, 1, LLVMGetNormalDest(call),
                             LLVMGetUnwindDest(call), "");
    else
        made = LLVMBuildCall2(b, type, raise, &fault, 1, "");
    LLVMSetInstructionCallConv(made, FM_ABI_CONV_NUMBER);
    add_attribute(made, "cold");
    LLVMInstructionEraseFromParent(call);
}

static void
throw_lower(LLVMValueRef call)
{
    bool again = calls_named(call, "fm_abi_rethrow");
    LLVMValueRef fault;
    LLVMBuilderRef b;

    if (!function_is_async(function_of(call))) {
        diag_at(function_of(call), call, DIAG_ERROR,
                "%s in an ordinary function: only an async function can end "
                "with a fault; return an error code, or make it async",
                again ? "fm_rethrow" : "fm_throw");
        return;
    }
    b = build_before(call);
    if (again) {
        fault = LLVMGetOperand(call, 0);
        fault = runtime_call(b, "fm_fault_retain", true, &fault, 1);
    } else {
        fault = fault_new(b, call);
    }
    raise_instead(b, call, fault);
    LLVMDisposeBuilder(b);
}

bool
control_throw(LLVMValueRef function)
{
    struct value_list calls = {0};
    bool changed;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (calls_named(i, "fm_abi_throw") ||
                calls_named(i, "fm_abi_rethrow"))
                list_add(&calls, i);
    for (size_t k = 0; k < calls.n; k++)
        throw_lower(calls.at[k]);
    changed = calls.n > 0;
    list_free(&calls);
    return changed;
}
