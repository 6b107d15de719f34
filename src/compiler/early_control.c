/* early_control.c: the block forms become explicit control flow: in which
 * order?
 *
 * Scopes first (they want joins as marks), throws before tries (a throw is
 * an await that a try may catch), cleanups before defers (which put deferred
 * code, with awaits of its own, on the unwinding ways). Exits come later, on
 * their own, when marks have become calls.
 */
#include "control.h"

#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <stdlib.h>

typedef bool pass(LLVMValueRef function);

static bool
run(LLVMValueRef function, pass *const *passes, size_t n)
{
    bool changed = false;

    if (LLVMIsDeclaration(function))
        return false;
    for (size_t k = 0; k < n; k++)
        changed |= passes[k](function);
    if (changed)
        shim_unreachable_delete(function);
    return changed;
}

/* Our own mistakes are found here, not in LLVM's optimiser. */
static void
verify(LLVMValueRef function)
{
#ifndef NDEBUG
    if (LLVMVerifyFunction(function, LLVMPrintMessageAction)) {
        fprintf(stderr, "fermata: internal error in control flow:\n");
        LLVMDumpValue(function);
        abort();
    }
#else
    (void)function;
#endif
}

static void
run_all(LLVMModuleRef module, pass *const *passes, size_t n)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        if (run(f, passes, n))
            verify(f);
}

void
early_control(LLVMModuleRef module)
{
    static pass *const passes[] = {control_scope, control_throw, control_try,
                                   control_cleanup, control_defer};

    run_all(module, passes, sizeof passes / sizeof *passes);
}

/* No pass asks any more where an exception is taken, so the call becomes
 * what it does: it takes the tag off. */
static void
caught_inline(LLVMModuleRef module)
{
    LLVMValueRef caught = LLVMGetNamedFunction(module, "fm_abi_caught");
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef byte = LLVMInt8TypeInContext(context);
    LLVMValueRef minus_one =
        LLVMConstInt(LLVMInt64TypeInContext(context), UINT64_MAX, true);
    LLVMUseRef use;

    while (caught && (use = LLVMGetFirstUse(caught)) &&
           is_call(LLVMGetUser(use))) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMValueRef tagged = LLVMGetOperand(call, 0);
        LLVMBuilderRef b = build_before(call);

        LLVMReplaceAllUsesWith(
            call, LLVMBuildGEP2(b, byte, tagged, &minus_one, 1, ""));
        LLVMInstructionEraseFromParent(call);
        LLVMDisposeBuilder(b);
    }
    if (caught && !LLVMGetFirstUse(caught))
        LLVMDeleteFunction(caught);
}

void
early_exit(LLVMModuleRef module)
{
    static pass *const passes[] = {control_exit};

    run_all(module, passes, 1);
    caught_inline(module);
}
