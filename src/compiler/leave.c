/* leave.c: where a half leaves: at its awaits, and at its ends.
 *
 * An await's block `check` now asks what the call really gave: null goes on,
 * anything else goes through `away`, where a record is linked and what is
 * carried is stored, or a fault goes its way. Awaits that share a state share
 * `away` too (merge.c): only the descriptor, which names the line, differs.
 */
#include "late.h"

/* ---- memory -------------------------------------------------------------- */

static void
store_aligned(struct unit *u, value what, value place)
{
    uint64_t align = align_of(u, LLVMTypeOf(what));

    LLVMSetAlignment(LLVMBuildStore(u->b, what, place),
                     align > 16 ? 16 : (unsigned)align);
}

static void
save(struct half *h, struct carried *c, value slot, value record)
{
    struct unit *u = h->a->u;
    value place = offset_by(u, record, c->offset, "fm.save");

    if (c->is_local)
        copy_memory(u, place, c->align, slot, c->align, c->bytes);
    else
        store_aligned(u, LLVMBuildLoad2(u->b, c->type, slot, ""), place);
}

/* ---- leaving -------------------------------------------------------------- */

/* Before `inst`, where the builder stands too and stays. Only where nobody
 * else does it: whoever called the resume function frees the record when it
 * has ended. */
static void
record_free(struct half *h, value inst, bool often)
{
    if (h->record && !h->a->thunk)
        record_give(h->a, h->record, inst, often);
}

void
half_leave(struct half *h, value result, value came)
{
    struct unit *u = h->a->u;
    type t = split_result(u, h->a->result);
    value pair;

    if (h->resumes || h->a->thunk ||
        LLVMGetTypeKind(t) == LLVMPointerTypeKind) {
        LLVMBuildRet(u->b, came);
        return;
    }
    pair = LLVMGetPoison(t);
    if (result)
        pair = LLVMBuildInsertValue(u->b, pair, to_register(u, result), 0, "");
    LLVMBuildRet(u->b, LLVMBuildInsertValue(u->b, pair, came, 1, ""));
}

static void
result_deliver(struct half *h, value result)
{
    struct unit *u = h->a->u;
    value to = h->record;

    if (!result || (!h->resumes && !h->a->thunk))
        return;
    if (!h->a->thunk)
        to = LLVMBuildLoad2(u->b, u->ptr, h->record, "fm.next");
    store_aligned(u, to_register(u, result),
                  offset_by(u, to, FM_ABI_RESULT, "fm.slot"));
}

static void
return_lower(struct half *h, value inst)
{
    value result = LLVMGetNumOperands(inst) ? LLVMGetOperand(inst, 0) : NULL;

    at(h->a->u, inst);
    result_deliver(h, result);
    if (!h->resumes)
        record_free(h, inst, true);
    half_leave(h, result, null_of(h->a->u));
    LLVMInstructionEraseFromParent(inst);
}

/* fm.exit(fault), unreachable */
static void
fault_lower(struct half *h, value inst)
{
    value fault = LLVMGetArgOperand(inst, 0);

    LLVMInstructionEraseFromParent(LLVMGetNextInstruction(inst));
    at(h->a->u, inst);
    if (!h->resumes)
        record_free(h, inst, false);
    half_leave(h, NULL, fault);
    LLVMInstructionEraseFromParent(inst);
}

void
half_exits(struct half *h)
{
    for (unsigned i = 0; i < h->a->n_exits; i++) {
        value inst = h->exits[i].inst;

        switch (h->exits[i].kind) {
        case EXIT_RETURN:
            return_lower(h, inst);
            break;
        case EXIT_FAULT:
            fault_lower(h, inst);
            break;
        case EXIT_UNWIND:
            at(h->a->u, inst);
            record_free(h, inst, false);
            break;
        }
    }
}

/* ---- suspending ------------------------------------------------------------- */

/* fm_abi_link: gives a record linked behind the callee's or, where a fault
 * came back, enters this frame into its trace and gives the fault. */
static value
link_call(struct half *h, value came, value descriptor)
{
    value args[2] = {came, descriptor};

    return call_runtime(h->a->u, "fm_abi_link", h->a->u->ptr, args, 2);
}

/* The activation's own record, linked behind the callee's. */
static void
record_publish(struct half *h, value came, value descriptor)
{
    struct unit *u = h->a->u;

    LLVMBuildStore(u->b, descriptor,
                   offset_by(u, h->record, sizeof(void *), "fm.at"));
    LLVMBuildStore(u->b, h->record, came);
}

static void
suspend_fill(struct half *h, unsigned n, value linked, value descriptor,
             value call)
{
    struct unit *u = h->a->u;
    struct point *p = &h->points[n], *q = &h->a->points[n];
    value record = linked;

    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(p->suspend));
    at_end(u, p->suspend);
    if (h->record) {
        record = h->record;
        record_publish(h, linked, descriptor);
    }
    for (unsigned i = 0; i < q->n_carries; i++) {
        struct carried *c = &h->a->carried[q->carries[i]];

        if (c->from == NONE && (!h->resumes || q->stale[i]))
            save(h, c, h->slots[q->carries[i]], record);
    }
    if (q->sret && q->sret_bytes)
        copy_memory(u, offset_by(u, record, FM_ABI_RESULT, "fm.slot"), 16,
                    LLVMGetArgOperand(call, q->sret_index), 1, q->sret_bytes);
    half_leave(h, NULL, record);
}

/* A forwarded await in the resume function: the callee's record takes this
 * one's place in the chain. */
static void
suspend_forward(struct half *h, struct point *p, value came)
{
    struct unit *u = h->a->u;

    value end = LLVMGetBasicBlockTerminator(p->suspend);

    at(u, end);
    LLVMBuildStore(u->b, LLVMBuildLoad2(u->b, u->ptr, h->record, "fm.next"),
                   came);
    record_free(h, end, true);
    half_leave(h, NULL, came);
    LLVMInstructionEraseFromParent(end);
}

/* ---- awaits ------------------------------------------------------------------ */

static void
check_drop(struct point *p)
{
    value choice = LLVMGetBasicBlockTerminator(p->check);
    value hook = LLVMGetOperand(choice, 0);

    LLVMInstructionEraseFromParent(choice);
    LLVMInstructionEraseFromParent(hook);
}

/* A forwarded await in the ramp: what came back is what goes back, by a jump:
 * no local is lent, as it would be pinned. */
static void
await_forward(struct half *h, struct point *p, value call)
{
    struct unit *u = h->a->u;

    LLVMReplaceAllUsesWith(p->call, LLVMGetPoison(LLVMTypeOf(p->call)));
    shim_remove_predecessor(p->cont, p->check);
    shim_remove_predecessor(p->fault, p->check);
    check_drop(p);
    at_end(u, p->check);
    if (yield_is_inline(h->a, call)) {
        LLVMBuildRet(u->b, here_leaf(u));
        LLVMInstructionEraseFromParent(call);
        return;
    }
    LLVMSetTailCall(call, true);
    LLVMBuildRet(u->b, call);
}

static void
arrived_set(struct point *p, block from, value fault)
{
    for (unsigned i = 0; i < LLVMCountIncoming(p->arrived); i++)
        if (LLVMGetIncomingBlock(p->arrived, i) == p->check)
            LLVMSetOperand(p->arrived, i, fault);
    shim_phi_replace_block(p->fault, p->check, from);
}

/* The pointer that link gives in two registers is where this type has its
 * own: the second, or the first if what precedes it is in no such register. */
static bool
is_answered_by_link(type t)
{
    type first;

    if (LLVMGetTypeKind(t) != LLVMStructTypeKind)
        return true;
    first = LLVMStructGetTypeAtIndex(t, 0);
    switch (LLVMGetTypeKind(first)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(first) <= 64;
    case LLVMPointerTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return true;
    default:
        return false;
    }
}

/* A ramp that saves nothing and does nothing at a fault ends with what link
 * gives, be it a record or a fault: a jump. */
static bool
ends_with_link(struct half *h, unsigned n, value came, value descriptor)
{
    struct unit *u = h->a->u;
    struct point *q = &h->a->points[n];
    type t = split_result(u, h->a->result), f, takes[2] = {u->ptr, u->ptr};
    value call, callee;

    if (u->level == 0 || h->record || q->handler || h->a->vla || q->n_carries ||
        (q->sret && q->sret_bytes) || !is_answered_by_link(t))
        return false;
    call = link_call(h, came, descriptor);
    callee = LLVMGetCalledValue(call);
    LLVMInstructionEraseFromParent(call);
    f = LLVMFunctionType(t, takes, 2, false);
    call = LLVMBuildCall2(u->b, f, callee, (value[]){came, descriptor}, 2, "");
    LLVMSetTailCall(call, true);
    LLVMBuildRet(u->b, call);
    return true;
}

/* Something else than a result came back. A ramp without a record asks for
 * one and learns from the answer which it is. */
static void
away_fill(struct half *h, unsigned n, value came, value descriptor, value call)
{
    struct unit *u = h->a->u;
    struct point *p = &h->points[n], *q = &h->a->points[n];
    block passed;

    at_end(u, p->away);
    if (ends_with_link(h, n, came, descriptor)) {
        shim_remove_predecessor(p->fault, p->check);
        return;
    }
    if (!h->record) {
        came = link_call(h, came, descriptor);
        LLVMBuildCondBr(u->b, low_bit(u, came), p->fault, p->suspend);
        arrived_set(p, p->away, came);
    } else if (q->tail) {
        LLVMBuildCondBr(u->b, low_bit(u, came), p->fault, p->suspend);
        arrived_set(p, p->away, came);
        suspend_forward(h, p, came);
        return;
    } else {
        passed = new_block(u, h->function, "fm.passed");
        LLVMBuildCondBr(u->b, low_bit(u, came), passed, p->suspend);
        at_end(u, passed);
        arrived_set(p, passed, link_call(h, came, descriptor));
        LLVMBuildBr(u->b, p->fault);
    }
    suspend_fill(h, n, came, descriptor, call);
}

/* The block `away` of the await n, with what came back from `check`: its own
 * or, where it shares another's state, that one's. */
static block
away_from(struct half *h, unsigned n, value came, value call)
{
    struct unit *u = h->a->u;
    struct point *p = &h->points[n], *q = &h->a->points[n];
    struct point *leader = q->shares == NONE ? p : &h->points[q->shares];

    if (q->shares == NONE && !q->leads) {
        p->away = new_block(u, h->function, "fm.away");
        away_fill(h, n, came, q->descriptor, call);
        return p->away;
    }
    if (leader == p) {
        p->away = new_block(u, h->function, "fm.away");
        p->came = shim_phi(p->away, u->ptr, "fm.came");
        p->at = shim_phi(p->away, u->ptr, "fm.at");
        away_fill(h, n, p->came, p->at, call);
    } else {
        shim_remove_predecessor(p->fault, p->check);
    }
    LLVMAddIncoming(leader->came, &came, &p->check, 1);
    LLVMAddIncoming(leader->at, &q->descriptor, &p->check, 1);
    return leader->away;
}

/* A yield, which needs no call: behind the leaf. */
static void
yield_fill(struct half *h, unsigned n, value leaf)
{
    struct unit *u = h->a->u;
    struct point *p = &h->points[n], *q = &h->a->points[n];
    value end = LLVMGetBasicBlockTerminator(p->suspend);

    at(u, end);
    if (ends_with_link(h, n, leaf, q->descriptor)) {
        LLVMInstructionEraseFromParent(end);
        return;
    }
    if (!h->record)
        leaf = link_call(h, leaf, q->descriptor);
    suspend_fill(h, n, leaf, q->descriptor, NULL);
}

static void
await_branch(struct half *h, unsigned n, value call)
{
    struct unit *u = h->a->u;
    struct point *p = &h->points[n], *q = &h->a->points[n];
    value came = call, v, done;
    block away;

    if (!q->tail && q->shares == NONE && !q->leads &&
        (came = yield_inline(h->a, p, call))) {
        yield_fill(h, n, came);
        return;
    }
    came = call;
    check_drop(p);
    at_end(u, p->check);
    if (!ir_is_void(q->result_type)) {
        v = LLVMBuildExtractValue(u->b, call, 0, "");
        v = from_register(u, v, q->result_type);
        came = LLVMBuildExtractValue(u->b, call, 1, "fm.came");
        LLVMReplaceAllUsesWith(p->call, v);
    }
    away = away_from(h, n, came, call);
    at_end(u, p->check);
    done = LLVMBuildICmp(u->b, LLVMIntEQ, came, null_of(u), "");
    shim_weights(LLVMBuildCondBr(u->b, done, p->cont, away), 2000, 1);
}

void
half_awaits(struct half *h)
{
    for (unsigned i = 0; i < h->a->n_points; i++) {
        struct point *p = &h->points[i];
        value call = sign_call(h->a->u, p->call);

        if (h->a->points[i].tail && !h->resumes)
            await_forward(h, p, call);
        else
            await_branch(h, i, call);
        LLVMInstructionEraseFromParent(p->call);
    }
}
