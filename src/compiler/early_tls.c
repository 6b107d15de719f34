/* early_tls.c: thread identity.
 *
 * An await may go on, on another thread. Nothing that is derived from a
 * thread's identity may be joined across it, and LLVM joins what it takes
 * for pure: so each llvm.threadlocal.address becomes a call that reads
 * inaccessible memory, which every await may have written. The late half
 * turns it back. Functions of libc whose result depends on the thread and
 * that are declared pure lose that promise, in every function of the module:
 * ordinary ones are inlined into async ones.
 */
#include "early.h"

#include <string.h>

static const char *const thread_functions[] = {
    "pthread_self",
    "thrd_current",
    "gettid",
    "__errno_location",
    "__h_errno_location",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__error",
    "___errno",
    "__errno",
    "_errno",
};

static LLVMValueRef
tls_accessor(LLVMModuleRef module)
{
    static const char *const names[] = {"nounwind", "willreturn", "nofree"};
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef ptr = pointer_type(context);
    LLVMValueRef made =
        declare_typed(module, "fm_tls", LLVMFunctionType(ptr, &ptr, 1, 0));

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        LLVMAddAttributeAtIndex(made, FUNCTION_INDEX,
                                enum_attribute(context, names[i]));
    shim_reads_inaccessible(made);
    return made;
}

static void
addresses_replace(LLVMModuleRef module, LLVMValueRef intrinsic)
{
    LLVMTypeRef ptr = pointer_type(LLVMGetModuleContext(module));
    LLVMTypeRef type = LLVMFunctionType(ptr, &ptr, 1, 0);
    LLVMBuilderRef builder =
        LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMUseRef use;

    while ((use = LLVMGetFirstUse(intrinsic))) {
        LLVMValueRef old = LLVMGetUser(use), made;
        LLVMValueRef variable = LLVMGetOperand(old, 0);

        LLVMPositionBuilderBefore(builder, old);
        made = LLVMBuildCall2(builder, type, tls_accessor(module), &variable, 1,
                              "");
        LLVMReplaceAllUsesWith(old, made);
        LLVMInstructionEraseFromParent(old);
    }
    LLVMDisposeBuilder(builder);
}

static void
promises_drop(LLVMValueRef function)
{
    static const char *const names[] = {"memory", "speculatable"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind =
            LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));

        LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_INDEX, kind);
        for (LLVMUseRef use = LLVMGetFirstUse(function); use;
             use = LLVMGetNextUse(use)) {
            LLVMValueRef call = LLVMGetUser(use);

            if (is_call(call) && LLVMGetCalledValue(call) == function)
                LLVMRemoveCallSiteEnumAttribute(call, FUNCTION_INDEX, kind);
        }
    }
}

void
early_tls(LLVMModuleRef module)
{
    LLVMValueRef next;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        static const char name[] = "llvm.threadlocal.address";
        size_t length;
        const char *is = LLVMGetValueName2(f, &length);

        next = LLVMGetNextFunction(f);
        if (length >= sizeof name - 1 && !memcmp(is, name, sizeof name - 1))
            addresses_replace(module, f);
    }
    for (size_t i = 0; i < sizeof thread_functions / sizeof(char *); i++) {
        LLVMValueRef f = LLVMGetNamedFunction(module, thread_functions[i]);

        if (f)
            promises_drop(f);
    }
}
