/* try.c: fm_try and fm_catch.
 *
 * `if (fm_abi_try()) { open; body; end } else { f = fm_abi_catch(); handler }`
 * with the end mark as a cleanup of the body. The body is always entered; on
 * the unwinding way out the end mark becomes a test: a fault of ours goes to
 * the handler, anything else goes on. The fault belongs to the activation
 * (fault_slot_new); the handler reads it there.
 */
#include "control.h"

/* One try: the parts that belong together. */
struct attempt {
    LLVMValueRef mark;     /* fm_abi_try() */
    LLVMValueRef open;     /* fm_abi_try_open() */
    LLVMValueRef variable; /* of the cleanup that ends the body */
    LLVMValueRef caught;   /* fm_abi_catch() */
    LLVMValueRef slot;
};

/* The first call of that name in a block or in what it only leads to. */
static LLVMValueRef
call_ahead(LLVMBasicBlockRef block, const char *name)
{
    LLVMValueRef end;

    for (int hops = 0; hops < 8; hops++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
             i = LLVMGetNextInstruction(i))
            if (calls_named(i, name))
                return i;
        end = LLVMGetBasicBlockTerminator(block);
        if (!LLVMIsABranchInst(end) || LLVMIsConditional(end))
            return NULL;
        block = LLVMGetSuccessor(end, 0);
    }
    return NULL;
}

/* The alloca behind what fm_abi_try_open's result is stored to. */
static LLVMValueRef
opened_variable(LLVMValueRef open)
{
    for (LLVMUseRef u = LLVMGetFirstUse(open); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef store = LLVMGetUser(u), to;

        if (!LLVMIsAStoreInst(store))
            continue;
        to = LLVMGetOperand(store, 1);
        return LLVMIsAGetElementPtrInst(to) ? LLVMGetOperand(to, 0) : to;
    }
    return NULL;
}

static bool
parts_find(struct attempt *t)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(t->mark);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, k);

        if (!t->open)
            t->open = call_ahead(to, "fm_abi_try_open");
        if (!t->caught)
            t->caught = call_ahead(to, "fm_abi_catch");
    }
    if (!t->open || !t->caught)
        return false;
    t->variable = opened_variable(t->open);
    return t->variable && LLVMIsAAllocaInst(t->variable);
}

/* The end mark on the unwinding way: a fault goes to the handler. */
static void
branch_to_handler(struct attempt *t, LLVMValueRef end, struct exn exn)
{
    LLVMValueRef function = function_of(end);
    LLVMContextRef context = context_of(end);
    LLVMBasicBlockRef before = LLVMGetInstructionParent(end);
    LLVMBasicBlockRef rest = shim_cut_before(end, "try.pass");
    LLVMBasicBlockRef caught = block_new(function, "try.caught");
    LLVMValueRef exception, bit, fault, jump;
    LLVMBuilderRef b = build_before(LLVMGetBasicBlockTerminator(before));

    exception = LLVMBuildLoad2(b, pointer_type(context), exn.exception, "");
    bit = LLVMBuildPtrToInt(b, exception, LLVMInt64TypeInContext(context), "");
    bit = LLVMBuildTrunc(b, bit, LLVMInt1TypeInContext(context), "");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(b, before);
    LLVMBuildCondBr(b, bit, caught, rest);
    LLVMPositionBuilderAtEnd(b, caught);
    fault = runtime_call(b, "fm_abi_caught", true, &exception, 1);
    jump = LLVMBuildBr(b, LLVMGetInstructionParent(t->caught));
    fault_slot_set(t->slot, fault, jump);
    LLVMDisposeBuilder(b);
}

static void
ends_lower(struct attempt *t, struct flow *flow, struct exn exn)
{
    struct value_list ends = {0};

    for (LLVMUseRef u = LLVMGetFirstUse(t->variable); u; u = LLVMGetNextUse(u))
        if (calls_named(LLVMGetUser(u), "fm_abi_try_end"))
            list_add(&ends, LLVMGetUser(u));
    for (size_t k = 0; k < ends.n; k++) {
        if (set_has(&flow->calls, ends.at[k]))
            branch_to_handler(t, ends.at[k], exn);
        LLVMInstructionEraseFromParent(ends.at[k]);
    }
    list_free(&ends);
}

static void
try_lower(struct attempt *t, struct flow *flow, struct exn exn)
{
    LLVMValueRef function = function_of(t->mark), stored;
    LLVMBuilderRef b;

    if (!parts_find(t)) {
        diag_at(function, t->mark, DIAG_ERROR,
                "fm_try and its fm_catch do not belong together here: write "
                "fm_try { ... } fm_catch (f) { ... }");
        return;
    }
    t->slot = fault_slot_new(function);
    shim_cut_before(t->caught, "try.handler"); /* it is jumped to */
    ends_lower(t, flow, exn);
    b = build_before(t->caught);
    stored =
        LLVMBuildLoad2(b, pointer_type(context_of(t->caught)), t->slot, "");
    LLVMDisposeBuilder(b);
    LLVMReplaceAllUsesWith(t->caught, stored);
    LLVMInstructionEraseFromParent(t->caught);
    mark_variable_delete(t->variable);
    LLVMInstructionEraseFromParent(t->open);
    shim_call_decide(t->mark, 1);
}

bool
control_try(LLVMValueRef function)
{
    struct value_list marks = {0};
    struct flow flow = {0};
    bool changed;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && calls_named(i, "fm_abi_try"))
                list_add(&marks, i);
    changed = marks.n > 0;
    if (changed && !function_is_async(function))
        diag_at(function, marks.at[0], DIAG_WARNING,
                "fm_try in an ordinary function catches nothing: only async "
                "functions end with faults; fm_attempt_wait hands one out");
    if (changed)
        flow_of(&flow, function);
    for (size_t k = 0; k < marks.n; k++) {
        struct attempt t = {.mark = marks.at[k]};

        try_lower(&t, &flow, exn_slots(function));
    }
    list_free(&marks);
    flow_free(&flow);
    return changed;
}
