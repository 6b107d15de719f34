/* early_marks.c: finds the marks on calls and has each rewritten.
 *
 * A mark is the `nest` operand of a call or invoke, the result of a call of
 * one of the fm_abi_mark_ functions, put there by clang's static chain
 * builtin. Start, begin and attempt yield a value: the next call of
 * fm_abi_started or fm_abi_attempted on the normal path; between lie only
 * stores of the result.
 */
#include "early.h"

static const struct {
    const char *name;
    void (*rewrite)(struct marked *m);
} marks[] = {
    {"fm_abi_mark_start", mark_start},
    {"fm_abi_mark_start_on", mark_start_on},
    {"fm_abi_mark_begin", mark_begin},
    {"fm_abi_mark_wait", mark_wait},
    {"fm_abi_mark_stress", mark_stress},
    {"fm_abi_mark_attempt", mark_attempt},
    {"fm_abi_mark_attempt_wait", mark_attempt_wait},
    {"fm_abi_mark_within", mark_within},
    {"fm_abi_mark_anywhere", mark_anywhere},
    {"fm_abi_mark_blocking", mark_blocking},
};

LLVMValueRef
mark_of(LLVMValueRef call)
{
    int nest = is_call(call) ? nest_index(call) : -1;
    LLVMValueRef mark = nest < 0 ? NULL : LLVMGetOperand(call, (unsigned)nest);

    if (!mark || !is_call(mark))
        return NULL;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (calls_named(mark, marks[i].name))
            return mark;
    return NULL;
}

/* Where a block goes on normally: not to landing pads. */
static void
successors_add(struct value_list *blocks, LLVMValueRef end)
{
    unsigned n = LLVMIsAInvokeInst(end) ? 1 : LLVMGetNumSuccessors(end);

    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef block = LLVMBasicBlockAsValue(LLVMGetSuccessor(end, i));
        size_t k = 0;

        while (k < blocks->n && blocks->at[k] != block)
            k++;
        if (k == blocks->n)
            list_add(blocks, block);
    }
}

/* The nearest call of that name on the normal ways from `place`. There is one
 * way but where temporaries of a conditional operand are ended. */
static LLVMValueRef
yield_find(LLVMValueRef place, const char *name)
{
    struct value_list blocks = {0};
    LLVMValueRef found = NULL;

    for (size_t next = 0; !found; next++) {
        for (; place; place = LLVMGetNextInstruction(place)) {
            if (calls_named(place, name)) {
                found = place;
                break;
            }
            if (LLVMIsATerminatorInst(place))
                successors_add(&blocks, place);
        }
        if (next == blocks.n)
            break;
        place = LLVMGetFirstInstruction(LLVMValueAsBasicBlock(blocks.at[next]));
    }
    list_free(&blocks);
    return found;
}

bool
yield_replace(LLVMValueRef place, const char *name, LLVMValueRef value)
{
    LLVMValueRef call = yield_find(place, name);
    bool used;

    if (!call) {
        diag_at(function_of(place), NULL, DIAG_ERROR,
                "internal error: a mark without its %s", name);
        return true;
    }
    used = LLVMGetFirstUse(call) != NULL;
    LLVMReplaceAllUsesWith(call, value);
    LLVMInstructionEraseFromParent(call);
    return used;
}

static void
mark_rewrite(LLVMModuleRef module, LLVMValueRef call, LLVMValueRef mark,
             struct value_list *thunks)
{
    struct marked m = {
        .call = call,
        .mark = mark,
        .function = function_of(call),
        .module = module,
        .context = LLVMGetModuleContext(module),
        .thunks = thunks,
    };
    bool awaits = false;

    m.builder = LLVMCreateBuilderInContext(m.context);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (calls_named(mark, marks[i].name)) {
            marks[i].rewrite(&m);
            awaits = m.call != call; /* then it is already gone */
        }
    if (!awaits) {
        if (LLVMGetFirstUse(call))
            LLVMReplaceAllUsesWith(call, LLVMGetUndef(LLVMTypeOf(call)));
        LLVMInstructionEraseFromParent(call);
    }
    if (LLVMIsAInvokeInst(mark))
        shim_invoke_end(mark);
    LLVMInstructionEraseFromParent(mark);
    LLVMDisposeBuilder(m.builder);
}

/* What only marks and reads were made of: no object may refer to it.
 * -fsanitize=function reads before the symbol of a read to see whether it has
 * the type of the call, and lets pass what has no such mark. */
static void
declarations_delete(LLVMModuleRef module)
{
    static const char *const names[] = {
        "fm_abi_started",      "fm_abi_attempted", "fm_abi_get.fm1",
        "fm_abi_join.fm1",     "fm_abi_take.fm1",  "fm_abi_wait_get",
        "fm_abi_wait_get_for",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, names[i]);

        if (!function)
            continue;
        shim_forget(function);
        LLVMDeleteFunction(function);
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, marks[i].name);

        if (function && !LLVMGetFirstUse(function))
            LLVMDeleteFunction(function);
    }
}

void
early_marks(LLVMModuleRef module)
{
    struct value_list calls = {0}, thunks = {0};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                if (mark_of(i))
                    list_add(&calls, i);
    for (size_t i = 0; i < calls.n; i++)
        mark_rewrite(module, calls.at[i], mark_of(calls.at[i]), &thunks);
    early_reads(module);
    declarations_delete(module);
    list_free(&calls);
    list_free(&thunks);
}
