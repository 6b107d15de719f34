/* scope.c: what ends at the end of a block by itself: `fm_with_...` scopes
 * and FM_AUTO handles.
 *
 * Their cleanup calls take the variable's address; they become calls that
 * take its value, so that the variable lives in a register and nothing is
 * pinned. Runs while joins are still marks, because FM_AUTO and fm_join on
 * one variable would release twice: refused.
 */
#include "control.h"

static void
by_value(LLVMValueRef call, const char *name)
{
    LLVMBuilderRef b = build_before(call);
    LLVMValueRef variable = LLVMGetOperand(call, 0);
    LLVMValueRef value =
        LLVMBuildLoad2(b, pointer_type(context_of(call)), variable, "");

    runtime_call(b, name, false, &value, 1);
    LLVMDisposeBuilder(b);
    LLVMInstructionEraseFromParent(call);
}

static bool
is_joined(LLVMValueRef load, LLVMValueRef *join)
{
    for (LLVMUseRef u = LLVMGetFirstUse(load); u; u = LLVMGetNextUse(u)) {
        *join = LLVMGetUser(u);
        if (calls_named(*join, "fm_abi_join"))
            return true;
    }
    return false;
}

/* Once a variable: the joins of its value. */
static void
refuse_joins(LLVMValueRef variable, struct set *seen)
{
    LLVMValueRef join;

    if (!set_add(seen, variable))
        return;
    for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef load = LLVMGetUser(u);

        if (LLVMIsALoadInst(load) && is_joined(load, &join))
            diag_at(function_of(join), join, DIAG_ERROR,
                    "fm_join of an FM_AUTO handle would release it twice: "
                    "use fm_get");
    }
}

bool
control_scope(LLVMValueRef function)
{
    struct value_list ends = {0};
    struct set seen = {0};
    bool changed;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && (calls_named(i, "fm_abi_with_end") ||
                                       calls_named(i, "fm_abi_auto_release")))
                list_add(&ends, i);
    for (size_t k = 0; k < ends.n; k++) {
        LLVMValueRef end = ends.at[k];

        if (calls_named(end, "fm_abi_with_end")) {
            by_value(end, "fm_abi_scope_leave");
            continue;
        }
        refuse_joins(LLVMGetOperand(end, 0), &seen);
        by_value(end, "fm_abi_release");
    }
    changed = ends.n > 0;
    list_free(&ends);
    set_free(&seen);
    return changed;
}
