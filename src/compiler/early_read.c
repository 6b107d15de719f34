/* early_read.c: typed reads of tasks: fm_get, fm_join, fm_take,
 * fm_wait_task.
 *
 * clang has written each as a call of one symbol with the handle's result
 * type, in the target's own ABI. It becomes an await (or a blocking wait) of
 * the task, after which the result is loaded from the task in that type.
 */
#include "early.h"

struct read {
    LLVMValueRef call, task;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
};

static LLVMTypeRef
void_type(struct read *r)
{
    return LLVMVoidTypeInContext(r->context);
}

/* Emits the await of `name`(task) in the call's place, with its edges; the
 * builder goes on after it. */
static void
await_emit(struct read *r, const char *name)
{
    LLVMTypeRef ptr = pointer_type(r->context);
    LLVMTypeRef type = LLVMFunctionType(void_type(r), &ptr, 1, 0);
    LLVMValueRef made, after;
    LLVMAttributeRef anywhere = LLVMGetCallSiteStringAttribute(
        r->call, FUNCTION_INDEX, "fm-anywhere", 11);
    struct new_call c;

    new_call_init(&c, r->call, declare_async(r->module, name, type),
                  void_type(r));
    c.convention = FM_ABI_CONV_NUMBER;
    new_call_add(&c, r->task, -1);
    LLVMPositionBuilderBefore(r->builder, r->call);
    after = place_after(r->call);
    made = new_call_emit(&c, r->builder, r->call);
    if (anywhere)
        LLVMAddCallSiteAttribute(made, FUNCTION_INDEX, anywhere);
    LLVMPositionBuilderBefore(r->builder, after);
}

/* Loads the result of `task` and puts it in the call's place. */
static void
result_emit(struct read *r, LLVMValueRef task)
{
    LLVMTypeRef type = result_type(r->call);

    if (sret_type(r->call))
        emit_slot_to_sret(r->builder, r->call, task);
    else if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(
            r->call, emit_load(r->builder, type,
                               emit_result_slot(r->builder, task), 16));
}

/* The handle goes with the value. */
static void
join_end_emit(struct read *r, LLVMValueRef task)
{
    emit_runtime(r->builder, r->module, "fm_abi_join_end", void_type(r), &task,
                 1);
}

static void
read_get(struct read *r)
{
    await_emit(r, "fm_abi_await");
    result_emit(r, r->task);
}

static void
read_join(struct read *r)
{
    await_emit(r, "fm_abi_join_wait");
    result_emit(r, r->task);
    join_end_emit(r, r->task);
}

static void
read_take(struct read *r)
{
    LLVMValueRef task;

    await_emit(r, "fm_abi_take_wait");
    task = emit_runtime(r->builder, r->module, "fm_abi_take_finish",
                        pointer_type(r->context), &r->task, 1);
    result_emit(r, task);
    join_end_emit(r, task);
}

static void
read_wait(struct read *r)
{
    LLVMValueRef after = place_after(r->call);

    LLVMPositionBuilderBefore(r->builder, after);
    emit_runtime(r->builder, r->module, "fm_abi_wait", void_type(r), &r->task,
                 1);
    result_emit(r, r->task);
    if (LLVMIsAInvokeInst(r->call))
        shim_invoke_end(r->call);
}

/* The runtime reports a wait that has timed out and does not return. */
static void
read_wait_for(struct read *r)
{
    LLVMValueRef args[2] = {r->task,
                            LLVMGetOperand(r->call, arg_count(r->call) - 1)};
    LLVMValueRef after = place_after(r->call), in_time, end;
    LLVMBasicBlockRef go, late;

    LLVMPositionBuilderBefore(r->builder, after);
    in_time = emit_runtime(r->builder, r->module, "fm_abi_wait_for",
                           LLVMInt1TypeInContext(r->context), args, 2);
    LLVMAddCallSiteAttribute(in_time, LLVMAttributeReturnIndex,
                             enum_attribute(r->context, "zeroext"));
    go = shim_cut_before(after, "in.time");
    late = block_after(LLVMGetPreviousBasicBlock(go), "late");
    end = LLVMGetBasicBlockTerminator(LLVMGetPreviousBasicBlock(late));
    LLVMPositionBuilderBefore(r->builder, end);
    LLVMBuildCondBr(r->builder, in_time, go, late);
    LLVMInstructionEraseFromParent(end);
    LLVMPositionBuilderAtEnd(r->builder, late);
    emit_runtime(r->builder, r->module, "fm_abi_wait_timed_out", void_type(r),
                 &r->task, 1);
    LLVMBuildUnreachable(r->builder);
    LLVMPositionBuilderBefore(r->builder, after);
    result_emit(r, r->task);
    if (LLVMIsAInvokeInst(r->call))
        shim_invoke_end(r->call);
}

static const struct {
    const char *name;
    void (*rewrite)(struct read *r);
} reads[] = {
    {"fm_abi_get", read_get},
    {"fm_abi_join", read_join},
    {"fm_abi_take", read_take},
    {"fm_abi_wait_get", read_wait},
    {"fm_abi_wait_get_for", read_wait_for},
};

static void
read_rewrite(LLVMModuleRef module, LLVMValueRef call)
{
    struct read r = {
        .call = call,
        .task = LLVMGetOperand(call, sret_type(call) ? 1 : 0),
        .module = module,
        .context = LLVMGetModuleContext(module),
    };

    r.builder = LLVMCreateBuilderInContext(r.context);
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        if (calls_named(call, reads[i].name)) {
            reads[i].rewrite(&r);
            LLVMInstructionEraseFromParent(call);
            break;
        }
    LLVMDisposeBuilder(r.builder);
}

void
early_reads(LLVMModuleRef module)
{
    struct value_list calls = {0};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                for (size_t k = 0; k < sizeof reads / sizeof *reads; k++)
                    if (calls_named(i, reads[k].name))
                        list_add(&calls, i);
    for (size_t i = 0; i < calls.n; i++)
        read_rewrite(module, calls.at[i]);
    list_free(&calls);
}
