/* cleanup.c: __attribute__((cleanup(fn))) with an async fn.
 *
 * Such a cleanup is an await in a landing pad. clang lets an exception that
 * leaves it there end the program; instead the inner fault becomes the cause
 * of the one under way, and the outer cleanups go on. Around both copies of
 * the call, the normal and the unwinding one, the ambient token is held off:
 * a cancelled function must still be able to clean up.
 *
 * IR does not tell the normal copy from a call that the program wrote. It is
 * known by its unwinding copy, and where there is none by an annotation that
 * annotate.cpp puts on the variable, if the plugin runs in the front end.
 */
#include "control.h"

#include <string.h>

/* Takes the shield off again before `before`. */
static void
shield_leave(LLVMValueRef shield, LLVMValueRef before)
{
    LLVMBuilderRef b = build_before(before);

    runtime_call(b, "fm_abi_scope_leave", false, &shield, 1);
    LLVMDisposeBuilder(b);
}

static LLVMValueRef
shield_enter(LLVMValueRef before)
{
    LLVMBuilderRef b = build_before(before);
    LLVMValueRef shield = runtime_call(b, "fm_abi_with_shield", true, NULL, 0);

    LLVMDisposeBuilder(b);
    return shield;
}

/* A copy on the unwinding way: an invoke that ends the program if it is
 * left by an exception. */
static void
unwinding_lower(LLVMValueRef call, struct exn exn)
{
    LLVMValueRef shield = shield_enter(call), pad, end, parts[2], joined;
    LLVMBasicBlockRef after, block;
    LLVMBuilderRef b;

    after = LLVMGetInstructionParent(edge_normal(call));
    shield_leave(shield, LLVMGetFirstInstruction(after));
    block = block_new(function_of(call), "cleanup.fault");
    b = build_end(block, call);
    pad = LLVMBuildLandingPad(b, pad_type(context_of(call)), NULL, 0, "");
    LLVMSetCleanup(pad, true);
    parts[0] =
        LLVMBuildLoad2(b, pointer_type(context_of(call)), exn.exception, "");
    parts[1] = LLVMBuildExtractValue(b, pad, 0, "");
    joined = runtime_call(b, "fm_abi_fault_join", true, parts, 2);
    LLVMBuildStore(b, joined, exn.exception);
    end =
        LLVMBuildBr(b, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(after), 0));
    shield_leave(shield, end);
    LLVMSetUnwindDest(call, block);
    LLVMDisposeBuilder(b);
}

static void
normal_lower(LLVMValueRef call)
{
    LLVMValueRef shield = shield_enter(call), pad;

    shield_leave(shield, edge_normal(call));
    shield_leave(shield, edge_unwind(&call, &pad));
}

/* The same cleanup of the same variable. */
static bool
same_cleanup(LLVMValueRef a, LLVMValueRef b)
{
    return LLVMGetNumArgOperands(a) == 1 && LLVMGetNumArgOperands(b) == 1 &&
           LLVMGetCalledValue(a) == LLVMGetCalledValue(b) &&
           LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0);
}

/* A normal copy stands outside of its own scope: where it unwinds to, it is
 * not run again. A call that the program wrote inside the scope is. */
static bool
call_is_copy_of(LLVMValueRef call, LLVMValueRef cleanup)
{
    struct flow flow = {0};
    bool again;

    if (!same_cleanup(call, cleanup))
        return false;
    if (LLVMIsACallInst(call))
        return true;
    flow_from(&flow, LLVMGetUnwindDest(call));
    again = set_has(&flow.calls, cleanup);
    flow_free(&flow);
    return !again;
}

static bool
ends_program(LLVMValueRef invoke)
{
    LLVMValueRef pad = LLVMGetFirstInstruction(LLVMGetUnwindDest(invoke));

    return LLVMIsALandingPadInst(pad) && LLVMGetNumClauses(pad) == 1 &&
           LLVMIsNull(LLVMGetClause(pad, 0));
}

static void
awaits_sort(LLVMValueRef function, struct flow *flow,
            struct value_list *unwinding, struct value_list *normal)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            if (!is_await(i))
                continue;
            if (!set_has(&flow->calls, i))
                list_add(normal, i);
            else if (LLVMIsAInvokeInst(i) && ends_program(i))
                list_add(unwinding, i);
        }
}

static bool
is_our_annotation(LLVMValueRef inst)
{
    size_t length;
    const char *text;

    if (!LLVMIsAIntrinsicInst(inst) || LLVMGetNumArgOperands(inst) != 5)
        return false;
    text = shim_string_of(LLVMGetOperand(inst, 1), &length);
    return text && length == strlen(ASYNC_CLEANUP_ANNOTATION) &&
           !memcmp(text, ASYNC_CLEANUP_ANNOTATION, length);
}

/* Reads and deletes what annotate.cpp has noted: the variables whose cleanup
 * is async. */
static void
annotations_take(LLVMValueRef function, struct set *variables)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!is_our_annotation(i))
                continue;
            set_add(variables, LLVMGetOperand(i, 0));
            LLVMInstructionEraseFromParent(i);
        }
}

/* Whatever function it calls. */
static bool
same_variable(LLVMValueRef a, LLVMValueRef b)
{
    return LLVMGetNumArgOperands(a) == 1 && LLVMGetNumArgOperands(b) == 1 &&
           LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0);
}

/* Of the awaits outside of cleanups, those that are normal copies. Where
 * nothing in a scope can unwind there is no unwinding copy of its cleanup:
 * then every await of the annotated variable is one, for one that the program
 * wrote could unwind. Where there is one, the others are the program's. */
static bool
is_normal_copy(LLVMValueRef call, const struct value_list *unwinding,
               const struct set *annotated)
{
    bool alone = LLVMGetNumArgOperands(call) == 1 &&
                 set_has(annotated, LLVMGetOperand(call, 0));

    for (size_t k = 0; k < unwinding->n; k++) {
        if (call_is_copy_of(call, unwinding->at[k]))
            return true;
        alone &= !same_variable(call, unwinding->at[k]);
    }
    return alone;
}

bool
control_cleanup(LLVMValueRef function)
{
    struct value_list unwinding = {0}, normal = {0}, copies = {0};
    struct flow flow = {0};
    struct set annotated = {0};
    bool changed;

    annotations_take(function, &annotated);
    if (function_is_async(function)) {
        flow_of(&flow, function);
        awaits_sort(function, &flow, &unwinding, &normal);
    }
    for (size_t k = 0; k < normal.n; k++)
        if (is_normal_copy(normal.at[k], &unwinding, &annotated))
            list_add(&copies, normal.at[k]);
    changed = copies.n > 0 || unwinding.n > 0;
    for (size_t k = 0; k < copies.n; k++)
        normal_lower(copies.at[k]);
    for (size_t k = 0; k < unwinding.n; k++)
        unwinding_lower(unwinding.at[k], exn_slots(function));
    list_free(&unwinding);
    list_free(&normal);
    list_free(&copies);
    flow_free(&flow);
    set_free(&annotated);
    return changed;
}
