/* early_start.c: fm_start, fm_start_on, fm_begin, fm_wait, fm_attempt_wait.
 *
 * The marked call becomes a raw call between the two halves of a root: of
 * the callee itself where the result may come back at once (begin, wait), of
 * a start thunk where the call is to be a task from the beginning. Of a result
 * through memory the runtime copies what the callee has written when it
 * suspends: it must lie in the new task's slot before anything resumes it.
 */
#include "early.h"

#include <stdio.h>
#include <string.h>

static LLVMTypeRef
void_type(struct marked *m)
{
    return LLVMVoidTypeInContext(m->context);
}

/* Puts the builder before an instruction and notes the place. */
static void
go_on(struct marked *m, LLVMValueRef place)
{
    LLVMPositionBuilderBefore(m->builder, place);
    m->place = place;
}

static LLVMValueRef
root_slot(struct marked *m)
{
    LLVMTypeRef type = LLVMArrayType(pointer_type(m->context),
                                     sizeof(struct fm_root) / sizeof(void *));

    return emit_slot(m->function, type, 16);
}

/* What happens where there is no memory for the task: ENOMEM for an async
 * starter, the end of the program for an ordinary one. */
static void
no_memory_emit(struct marked *m, LLVMBasicBlockRef block)
{
    LLVMBuilderRef b = m->builder;
    LLVMTypeRef ptr = pointer_type(m->context), type;
    LLVMValueRef fault, raise;
    LLVMBasicBlockRef after;

    LLVMPositionBuilderAtEnd(b, block);
    if (!function_is_async(m->function)) {
        emit_runtime(b, m->module, "fm_abi_no_memory_start", void_type(m), NULL,
                     0);
        LLVMBuildUnreachable(b);
        return;
    }
    fault = emit_runtime(b, m->module, "fm_abi_enomem_fault", ptr, NULL, 0);
    type = LLVMFunctionType(void_type(m), &ptr, 1, 0);
    raise = declare_async(m->module, "fm_abi_raise", type);
    if (!LLVMIsAInvokeInst(m->call)) {
        raise = LLVMBuildCall2(b, type, raise, &fault, 1, "");
        LLVMSetInstructionCallConv(raise, FM_ABI_CONV_NUMBER);
        LLVMBuildUnreachable(b);
        return;
    }
    after = block_after(block, "");
    raise = LLVMBuildInvoke2(b, type, raise, &fault, 1, after,
                             LLVMGetUnwindDest(m->call), "");
    LLVMSetInstructionCallConv(raise, FM_ABI_CONV_NUMBER);
    shim_edge_like(raise, m->call);
    LLVMPositionBuilderAtEnd(b, after);
    LLVMBuildUnreachable(b);
}

/* The task's memory, tested for null; the builder goes on before the call. */
static LLVMValueRef
task_new_emit(struct marked *m, LLVMValueRef thunk)
{
    LLVMTypeRef ptr = pointer_type(m->context);
    LLVMValueRef make = declare_typed(m->module, "fm_start_new",
                                      LLVMFunctionType(ptr, &ptr, 1, 0));
    LLVMValueRef task, none, head;
    LLVMBasicBlockRef go, empty;

    /* Else the inliner may make it an invoke. */
    LLVMAddAttributeAtIndex(make, FUNCTION_INDEX,
                            enum_attribute(m->context, "nounwind"));
    LLVMPositionBuilderBefore(m->builder, m->call);
    task = LLVMBuildCall2(m->builder, LLVMFunctionType(ptr, &ptr, 1, 0), make,
                          &thunk, 1, "");
    none = LLVMBuildIsNull(m->builder, task, "");
    go = shim_cut_before(m->call, "start");
    empty = block_after(LLVMGetPreviousBasicBlock(go), "start.empty");
    head = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(none));
    LLVMPositionBuilderBefore(m->builder, head);
    shim_unlikely(LLVMBuildCondBr(m->builder, none, empty, go));
    LLVMInstructionEraseFromParent(head);
    no_memory_emit(m, empty);
    LLVMPositionBuilderBefore(m->builder, m->call);
    return task;
}

/* A root that seemed alive where a C++ exception has left the raw call would
 * seem alive across the awaits of the handler. */
static void
root_end_on_unwind(struct marked *m, LLVMValueRef raw, LLVMValueRef root)
{
    LLVMBasicBlockRef pad = shim_own_pad(&raw);

    LLVMPositionBuilderBefore(m->builder, LLVMGetBasicBlockTerminator(pad));
    shim_lifetime(m->builder, root, false);
}

/* Emits root entry and raw call of `callee` before the marked call, leaves
 * the builder after it, and returns what the callee returned. */
static LLVMValueRef
raw_emit(struct marked *m, struct new_call *c, LLVMTypeRef result,
         LLVMValueRef root, LLVMValueRef task)
{
    LLVMTypeRef ptr = pointer_type(m->context);
    LLVMTypeRef both[] = {result, ptr};
    LLVMTypeRef type = LLVMGetTypeKind(result) == LLVMVoidTypeKind
                           ? ptr
                           : LLVMStructTypeInContext(m->context, both, 2, 0);
    LLVMValueRef enter[] = {root, task ? task : LLVMConstNull(ptr)};
    LLVMValueRef raw, after;

    shim_lifetime(m->builder, root, true);
    emit_runtime(m->builder, m->module, "fm_abi_root_enter", void_type(m),
                 enter, 2);
    c->result = type;
    c->callee = declare_typed(m->module, "fm_raw",
                              LLVMFunctionType(type, c->types, c->n, 0));
    after = place_after(m->call);
    raw = new_call_emit(c, m->builder, m->call);
    if (LLVMIsAInvokeInst(raw))
        root_end_on_unwind(m, raw, root);
    go_on(m, after);
    return raw;
}

/* Starts the call as a task and returns it; the builder stands after it. */
static LLVMValueRef
start_emit(struct marked *m, LLVMValueRef executor)
{
    LLVMValueRef thunk = start_thunk(m, executor != NULL);
    LLVMValueRef root = root_slot(m), task = task_new_emit(m, thunk), args[2];
    struct new_call c;

    new_call_init(&c, m->call, NULL, NULL);
    new_call_add(&c, thunk, -1);
    new_call_add(&c, task, -1);
    if (executor)
        new_call_add(&c, executor, -1);
    if (!LLVMIsConstant(LLVMGetCalledValue(m->call)))
        new_call_add(&c, LLVMGetCalledValue(m->call), -1);
    new_call_add_all(&c, SKIP_SRET | SKIP_NEST);
    args[0] = root;
    args[1] = raw_emit(m, &c, void_type(m), root, task);
    emit_runtime(m->builder, m->module, "fm_abi_start_leave", void_type(m),
                 args, 2);
    shim_lifetime(m->builder, root, false);
    return task;
}

static void
started_yield(struct marked *m, LLVMValueRef place, LLVMValueRef task)
{
    if (!yield_replace(place, "fm_abi_started", task) && !frontend_checked)
        diag_at(m->function, m->call, DIAG_WARNING,
                "the started task's handle is dropped: use fm_detach");
}

void
mark_start(struct marked *m)
{
    LLVMValueRef task = start_emit(m, NULL);

    started_yield(m, m->place, task);
}

/* Forms whose macro puts their values into the block that they stand in. When
 * they begin elsewhere, later, that may be left. */
static void
refuse_borrowed(struct marked *m)
{
    static const struct {
        const char *symbol, *form;
    } forms[] = {{"fm_abi_send", "fm_send"}, {"fm_abi_select", "fm_select"}};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (calls_named(m->call, forms[i].symbol))
            diag_at(m->function, m->call, DIAG_ERROR,
                    "%s reads its values where it is written, and may begin "
                    "too late for that on another executor: call it in an "
                    "async function and start that",
                    forms[i].form);
}

void
mark_start_on(struct marked *m)
{
    refuse_borrowed(m);

    LLVMValueRef task = start_emit(m, LLVMGetOperand(m->mark, 0));

    started_yield(m, m->place, task);
}

/* Calls the callee raw and leaves the root by `leave`, or for a result through
 * memory by its like. Returns the task, null when the call is complete, and the
 * result, null for void. */
static LLVMValueRef
begin_emit(struct marked *m, const char *leave, LLVMValueRef *result)
{
    LLVMTypeRef type = result_type(m->call), ptr = pointer_type(m->context);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(m->context);
    LLVMValueRef callee =
        callee_is_read(m->call) ? adapter(m) : LLVMGetCalledValue(m->call);
    LLVMValueRef root = root_slot(m), args[4], raw, task;
    bool memory = sret_type(m->call);
    struct new_call c;
    char name[64];

    LLVMPositionBuilderBefore(m->builder, m->call);
    new_call_init(&c, m->call, NULL, NULL);
    new_call_add(&c, callee, -1);
    new_call_add_all(&c, SKIP_NEST);
    raw = raw_emit(m, &c, type, root, NULL);
    *result = NULL;
    args[1] = raw;
    if (LLVMGetTypeKind(type) != LLVMVoidTypeKind) {
        *result = LLVMBuildExtractValue(m->builder, raw, 0, "");
        args[1] = LLVMBuildExtractValue(m->builder, raw, 1, "");
    }
    args[0] = root;
    args[2] = LLVMConstInt(i64, result_bytes(m->call), 0);
    args[3] = LLVMGetOperand(m->call, 0);
    snprintf(name, sizeof name, "%s%s", leave, memory ? "_memory" : "");
    task = emit_runtime(m->builder, m->module, name, ptr, args, memory ? 4 : 3);
    shim_lifetime(m->builder, root, false);
    return task;
}

/* Cuts at the builder: `then` is entered where the condition holds, and both
 * ways meet at the builder's new place, the first of the returned block. */
static LLVMBasicBlockRef
fork_emit(struct marked *m, LLVMValueRef condition, LLVMBasicBlockRef *head,
          LLVMBasicBlockRef *then)
{
    LLVMBasicBlockRef join = shim_cut_before(m->place, "joined");
    LLVMValueRef end;

    *head = LLVMGetPreviousBasicBlock(join);
    *then = block_after(*head, "suspended");
    end = LLVMGetBasicBlockTerminator(*head);
    LLVMPositionBuilderBefore(m->builder, end);
    LLVMBuildCondBr(m->builder, condition, *then, join);
    LLVMInstructionEraseFromParent(end);
    LLVMPositionBuilderAtEnd(m->builder, *then);
    go_on(m, LLVMBuildBr(m->builder, join));
    return join;
}

static LLVMValueRef
out_copy(struct marked *m, LLVMValueRef task)
{
    LLVMValueRef out = LLVMGetOperand(m->mark, 0);
    LLVMValueRef bytes = LLVMGetOperand(m->mark, 1);

    if (result_bytes(m->call) && !LLVMIsNull(out))
        LLVMBuildMemCpy(m->builder, out, 1, emit_result_slot(m->builder, task),
                        16, bytes);
    return out;
}

static void
task_release(struct marked *m, LLVMValueRef task, const char *release)
{
    emit_runtime(m->builder, m->module, release, void_type(m), &task, 1);
}

/* Puts a result that is there at once where the out parameter points: from
 * the register, or from the memory that clang gave the call. */
static void
out_emit(struct marked *m, LLVMValueRef result)
{
    LLVMValueRef out = LLVMGetOperand(m->mark, 0);
    LLVMValueRef bytes = LLVMGetOperand(m->mark, 1);

    if (LLVMIsNull(out))
        return;
    if (sret_type(m->call))
        LLVMBuildMemCpy(m->builder, out, 1, LLVMGetOperand(m->call, 0), 1,
                        bytes);
    else if (result)
        emit_store(m->builder, m->function, result, out,
                   LLVMConstIntGetZExtValue(bytes));
}

void
mark_begin(struct marked *m)
{
    LLVMValueRef task, result, none;
    LLVMBasicBlockRef head, then, join;

    task = begin_emit(m, "fm_abi_begin_leave", &result);
    if (result_bytes(m->call)) {
        none = LLVMBuildIsNull(m->builder, task, "");
        join = fork_emit(m, none, &head, &then);
        out_emit(m, result);
        go_on(m, LLVMGetFirstInstruction(join));
    }
    started_yield(m, m->place, task);
}

/* `wait` is null where leaving waits. */
static void
wait_rewrite(struct marked *m, const char *leave, const char *wait)
{
    LLVMValueRef task, now, later = NULL;
    LLVMTypeRef type = result_type(m->call);
    LLVMBasicBlockRef head, then, join;

    task = begin_emit(m, leave, &now);
    join = fork_emit(m, LLVMBuildIsNotNull(m->builder, task, ""), &head, &then);
    if (wait)
        emit_runtime(m->builder, m->module, wait, void_type(m), &task, 1);
    if (sret_type(m->call))
        emit_slot_to_sret(m->builder, m->call, task);
    else if (now)
        later =
            emit_load(m->builder, type, emit_result_slot(m->builder, task), 16);
    task_release(m, task, "fm_abi_join_end");
    if (!now)
        return;
    go_on(m, LLVMGetFirstInstruction(join));
    LLVMReplaceAllUsesWith(m->call,
                           emit_phi(m->builder, type, now, head, later, then));
}

void
mark_wait(struct marked *m)
{
    wait_rewrite(m, "fm_abi_wait_leave", NULL);
}

/* The plain entry of a converted function: it may be called from anywhere. */
void
mark_stress(struct marked *m)
{
    wait_rewrite(m, "fm_abi_begin_leave", "fm_abi_stress_wait");
}

/* Waits for the task; its result goes to the out parameter unless there is a
 * fault, which is returned. */
static LLVMValueRef
wait_attempt_emit(struct marked *m, LLVMValueRef task)
{
    LLVMValueRef fault =
        emit_runtime(m->builder, m->module, "fm_abi_wait_attempt",
                     pointer_type(m->context), &task, 1);
    LLVMBasicBlockRef head, then, join;

    if (result_bytes(m->call)) {
        join =
            fork_emit(m, LLVMBuildIsNull(m->builder, fault, ""), &head, &then);
        out_copy(m, task);
        go_on(m, LLVMGetFirstInstruction(join));
    }
    task_release(m, task, "fm_abi_release");
    fault_slot_set(fault_slot_new(m->function), fault, m->place);
    return fault;
}

void
mark_attempt_wait(struct marked *m)
{
    LLVMTypeRef ptr = pointer_type(m->context);
    LLVMValueRef task, now, fault;
    LLVMBasicBlockRef head, then, join, wait;

    task = begin_emit(m, "fm_abi_begin_leave", &now);
    join = fork_emit(m, LLVMBuildIsNull(m->builder, task, ""), &head, &then);
    out_emit(m, now);
    /* The other way, from head straight to join, waits. */
    wait = block_after(then, "wait");
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(head), 1, wait);
    LLVMPositionBuilderAtEnd(m->builder, wait);
    go_on(m, LLVMBuildBr(m->builder, join));
    fault = wait_attempt_emit(m, task);
    wait = LLVMGetInstructionParent(m->place);
    go_on(m, LLVMGetFirstInstruction(join));
    fault = emit_phi(m->builder, ptr, LLVMConstNull(ptr), then, fault, wait);
    yield_replace(fault, "fm_abi_attempted", fault);
}
