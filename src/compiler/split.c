/* split.c: the lowering that this exists for.
 *
 * The function becomes two: the ramp keeps its ordinary path, with a cold
 * exit per await; the resume function, a copy of it, is entered at an await
 * by the state in the record. Carried values pass through memory slots while
 * this happens and are values again afterwards, so that neither half needs
 * repairing: where the resume function jumps in, it first fills the slots.
 */
#include "late.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the two functions while it is made: its own points, exits, slots
 * and locals. */
struct half {
    struct activation *a;
    value function;
    bool resumes;          /* the resume function */
    struct point *points;
    struct exit *exits;
    value *slots;          /* per carried value: its slot or its alloca */
    value *locals;         /* per local */
    value *reloaded;       /* per carried value, in one reload block */
    value record;          /* null in a ramp without pins */
};

/* ---- memory -------------------------------------------------------------- */

static void
copy(struct unit *u, value to, uint64_t to_align, value from,
     uint64_t from_align, uint64_t bytes)
{
    LLVMBuildMemCpy(u->b, to, (unsigned)to_align, from, (unsigned)from_align,
                    LLVMConstInt(u->word, bytes, 0));
}

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
        copy(u, place, c->align, slot, c->align, c->bytes);
    else
        store_aligned(u, LLVMBuildLoad2(u->b, c->type, slot, ""), place);
}

/* The value after a resume: out of the record, or made again from another
 * one. `made` remembers what this reload block has. */
static value
reload_value(struct half *h, unsigned n, value *made)
{
    struct unit *u = h->a->u;
    struct carried *c = &h->a->carried[n];

    if (made[n])
        return made[n];
    if (c->from == NONE) {
        made[n] = LLVMBuildLoad2(
            u->b, c->type, offset_by(u, h->record, c->offset, "fm.saved"), "");
        LLVMSetAlignment(made[n], (unsigned)c->align);
    } else {
        value from = reload_value(h, c->from, made);

        made[n] = LLVMInstructionClone(c->of);
        LLVMSetOperand(made[n], c->operand, from);
        LLVMInstructionSetDebugLoc(made[n], NULL);
        LLVMInsertIntoBuilderWithName(u->b, made[n], "fm.again");
    }
    LLVMBuildStore(u->b, made[n], h->slots[n]);
    return made[n];
}

static void
reload_local(struct half *h, struct carried *c, value slot)
{
    struct unit *u = h->a->u;

    copy(u, slot, c->align, offset_by(u, h->record, c->offset, "fm.saved"),
         c->align, c->bytes);
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

/* Returns from the half: `came` is null, a fault or a record. */
static void
leave(struct half *h, value result, value came)
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
    leave(h, result, null_of(h->a->u));
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
    leave(h, NULL, fault);
    LLVMInstructionEraseFromParent(inst);
}

static void
exits_lower(struct half *h)
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
link_call(struct half *h, struct point *p, value came)
{
    value args[2] = {came, p->descriptor};

    return call_runtime(h->a->u, "fm_abi_link", h->a->u->ptr, args, 2);
}

/* The activation's own record, linked behind the callee's. */
static void
record_publish(struct half *h, struct point *p, value came)
{
    struct unit *u = h->a->u;

    LLVMBuildStore(u->b, p->descriptor,
                   offset_by(u, h->record, sizeof(void *), "fm.at"));
    LLVMBuildStore(u->b, h->record, came);
}

static void
suspend_fill(struct half *h, unsigned n, value linked, value call)
{
    struct unit *u = h->a->u;
    struct point *p = &h->points[n], *q = &h->a->points[n];
    value record = linked;

    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(p->suspend));
    at_end(u, p->suspend);
    if (h->record) {
        record = h->record;
        record_publish(h, q, linked);
    }
    for (unsigned i = 0; i < q->n_carries; i++) {
        struct carried *c = &h->a->carried[q->carries[i]];

        if (c->from == NONE && (!h->resumes || q->stale[i]))
            save(h, c, h->slots[q->carries[i]], record);
    }
    if (q->sret && q->sret_bytes)
        copy(u, offset_by(u, record, FM_ABI_RESULT, "fm.slot"), 16,
             LLVMGetArgOperand(call, q->sret_index), 1, q->sret_bytes);
    leave(h, NULL, record);
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
    leave(h, NULL, came);
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

/* A forwarded await in the ramp: what came back is what goes back. */
static void
await_forward(struct half *h, struct point *p, value call)
{
    struct unit *u = h->a->u;

    LLVMReplaceAllUsesWith(p->call, LLVMGetPoison(LLVMTypeOf(p->call)));
    shim_remove_predecessor(p->cont, p->check);
    shim_remove_predecessor(p->fault, p->check);
    check_drop(p);
    at_end(u, p->check);
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
away_links(struct half *h, unsigned n, value came)
{
    struct unit *u = h->a->u;
    struct point *p = &h->points[n], *q = &h->a->points[n];
    type t = split_result(u, h->a->result), f, takes[2] = {u->ptr, u->ptr};
    value call, callee;

    if (u->level == 0 || h->record || q->handler || h->a->vla || q->n_carries ||
        (q->sret && q->sret_bytes) || !is_answered_by_link(t))
        return false;
    call = link_call(h, q, came);
    callee = LLVMGetCalledValue(call);
    LLVMInstructionEraseFromParent(call);
    f = LLVMFunctionType(t, takes, 2, false);
    call =
        LLVMBuildCall2(u->b, f, callee, (value[]){came, q->descriptor}, 2, "");
    LLVMSetTailCall(call, true);
    LLVMBuildRet(u->b, call);
    shim_remove_predecessor(p->fault, p->check);
    return true;
}

/* Something else than a result came back. A ramp without a record asks for
 * one and learns from the answer which it is. */
static void
away_fill(struct half *h, unsigned n, block away, value came, value call)
{
    struct unit *u = h->a->u;
    struct point *p = &h->points[n], *q = &h->a->points[n];
    block passed;

    at_end(u, away);
    if (away_links(h, n, came))
        return;
    if (!h->record) {
        came = link_call(h, q, came);
        LLVMBuildCondBr(u->b, low_bit(u, came), p->fault, p->suspend);
        arrived_set(p, away, came);
    } else if (q->tail) {
        LLVMBuildCondBr(u->b, low_bit(u, came), p->fault, p->suspend);
        arrived_set(p, away, came);
        suspend_forward(h, p, came);
        return;
    } else {
        passed = new_block(u, h->function, "fm.passed");
        LLVMBuildCondBr(u->b, low_bit(u, came), passed, p->suspend);
        at_end(u, passed);
        arrived_set(p, passed, link_call(h, q, came));
        LLVMBuildBr(u->b, p->fault);
    }
    suspend_fill(h, n, came, call);
}

static void
await_branch(struct half *h, unsigned n, value call)
{
    struct unit *u = h->a->u;
    struct point *p = &h->points[n], *q = &h->a->points[n];
    block away = new_block(u, h->function, "fm.away");
    value came = call, v, done;

    check_drop(p);
    at_end(u, p->check);
    if (!ir_is_void(q->result_type)) {
        v = LLVMBuildExtractValue(u->b, call, 0, "");
        v = from_register(u, v, q->result_type);
        came = LLVMBuildExtractValue(u->b, call, 1, "fm.came");
        LLVMReplaceAllUsesWith(p->call, v);
    }
    done = LLVMBuildICmp(u->b, LLVMIntEQ, came, null_of(u), "");
    shim_weights(LLVMBuildCondBr(u->b, done, p->cont, away), 2000, 1);
    away_fill(h, n, away, came, call);
}

static void
awaits_lower(struct half *h)
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

/* ---- pins ----------------------------------------------------------------------- */

static void
markers_drop(struct local *l, value alloca)
{
    struct list markers = {0};
    value marker;

    (void)l;
    for (LLVMUseRef use = LLVMGetFirstUse(alloca); use;
         use = LLVMGetNextUse(use))
        if (ir_is_call(LLVMGetUser(use)) &&
            shim_lifetime_marker(LLVMGetUser(use)))
            list_push(&markers, LLVMGetUser(use));
    while ((marker = list_pop(&markers)))
        LLVMInstructionEraseFromParent(marker);
    list_drop(&markers);
}

static value
pin_address(struct half *h, struct local *l)
{
    struct unit *u = h->a->u;
    value place = offset_by(u, h->record, l->offset, "fm.pin"), bits;

    if (l->align <= 16)
        return place;
    place = offset_by(u, place, l->align - 1, "");
    bits = LLVMBuildPtrToInt(u->b, place, u->word, "");
    bits = LLVMBuildAnd(u->b, bits, LLVMConstInt(u->word, l->align - 1, 0), "");
    bits = LLVMBuildNeg(u->b, bits, "");
    return LLVMBuildGEP2(u->b, u->i8, place, &bits, 1, "fm.pin");
}

/* The builder stands where the record is known. */
static void
pins_place(struct half *h)
{
    for (unsigned i = 0; i < h->a->n_locals; i++) {
        struct local *l = &h->a->locals[i];

        if (!l->pinned)
            continue;
        markers_drop(l, h->locals[i]);
        LLVMReplaceAllUsesWith(h->locals[i], pin_address(h, l));
    }
}

static void
pins_drop(struct half *h)
{
    for (unsigned i = 0; i < h->a->n_locals; i++)
        if (h->a->locals[i].pinned) {
            LLVMInstructionEraseFromParent(h->locals[i]);
            h->locals[i] = NULL;
        }
}

/* ---- the ramp --------------------------------------------------------------------- */

static void
allocas_gather(struct unit *u, block from, block to)
{
    value next;

    at_end(u, to);
    for (value i = LLVMGetFirstInstruction(from); i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilderWithName(u->b, i, LLVMGetValueName(i));
    }
}

/* A ramp with pins takes its record first; without memory it ends with a
 * fault. */
static void
ramp_enter(struct half *h)
{
    struct unit *u = h->a->u;
    block old = LLVMGetEntryBasicBlock(h->function);
    block entry = LLVMInsertBasicBlockInContext(u->context, old, "fm.entry");
    block poor;

    allocas_gather(u, old, entry);
    if (h->a->thunk) {
        h->record = LLVMGetParam(h->function, 0);
        at_end(u, entry);
        pins_place(h);
        LLVMBuildBr(u->b, old);
    } else if (h->a->pins) {
        poor = new_block(u, h->function, "fm.poor");
        at_end(u, poor);
        leave(h, NULL, call_runtime(u, "fm_abi_enomem", u->ptr, NULL, 0));
        at_end(u, entry);
        h->record = record_take(h->a, h->function, poor);
        pins_place(h);
        LLVMBuildBr(u->b, old);
    } else {
        at_end(u, entry);
        LLVMBuildBr(u->b, old);
    }
    pins_drop(h);
}

/* ---- the resume function ------------------------------------------------------------- */

static void
starts_place(struct half *h, unsigned n, value before)
{
    for (unsigned i = 0; i < h->a->n_locals; i++) {
        struct local *l = &h->a->locals[i];

        if (l->alive && l->alive[n] && !l->pinned && h->locals[i])
            shim_lifetime_start(before, h->locals[i], l->bytes);
    }
}

static block
reload_block(struct half *h, unsigned n)
{
    struct unit *u = h->a->u;
    struct point *q = &h->a->points[n];
    block b = new_block(u, h->function, "fm.reload");

    at_end(u, b);
    LLVMBuildBr(u->b, h->points[n].resumed);
    starts_place(h, n, LLVMGetBasicBlockTerminator(b));
    at(u, LLVMGetBasicBlockTerminator(b));
    for (unsigned i = 0; i < q->n_carries; i++) {
        unsigned k = q->carries[i];

        if (h->a->carried[k].is_local)
            reload_local(h, &h->a->carried[k], h->slots[k]);
        else
            reload_value(h, k, h->reloaded);
    }
    for (unsigned i = 0; i < q->n_carries; i++)
        h->reloaded[q->carries[i]] = NULL;
    return b;
}

static unsigned
states_count(struct activation *a)
{
    unsigned n = 0;

    for (unsigned i = 0; i < a->n_points; i++)
        n += !a->points[i].tail;
    return n;
}

/* At the end of `entry`: on to where the record says. */
static void
dispatch(struct half *h, block entry)
{
    struct unit *u = h->a->u;
    unsigned n = states_count(h->a);
    block never = new_block(u, h->function, "fm.never");
    value at_point, state, choice = NULL;

    at_end(u, never);
    LLVMBuildUnreachable(u->b);
    at_end(u, entry);
    if (n > 1) {
        at_point = LLVMBuildLoad2(
            u->b, u->ptr, offset_by(u, h->record, sizeof(void *), "fm.at"),
            "fm.point");
        state = LLVMBuildLoad2(u->b, u->i32, offset_by(u, at_point, 4, ""),
                               "fm.state");
        choice = LLVMBuildSwitch(u->b, state, never, n);
    }
    for (unsigned i = 0; i < h->a->n_points; i++) {
        block b;

        if (h->a->points[i].tail)
            continue;
        b = reload_block(h, i);
        if (choice)
            LLVMAddCase(choice, word32(u, h->a->points[i].state), b);
        else {
            at_end(u, entry);
            LLVMBuildBr(u->b, b);
        }
    }
}

static void
stand_ins_replace(struct half *h)
{
    struct unit *u = h->a->u;
    value poison = LLVMGetPoison(u->ptr);
    value next;

    for (unsigned i = 0; i < h->a->n_points; i++) {
        block b = h->points[i].resumed;

        for (value v = LLVMGetFirstInstruction(b); v; v = next) {
            value instead = NULL;

            next = LLVMGetNextInstruction(v);
            if (calls(v, "fm.record"))
                instead = h->resumes ? LLVMGetParam(h->function, 0) : poison;
            else if (calls(v, "fm.fault"))
                instead = h->resumes ? LLVMGetParam(h->function, 1) : poison;
            if (!instead)
                continue;
            LLVMReplaceAllUsesWith(v, instead);
            LLVMInstructionEraseFromParent(v);
        }
    }
}

static void
resume_name(struct activation *a, char *name, size_t size)
{
    size_t length;
    const char *old = LLVMGetValueName2(a->function, &length);
    size_t suffix = strlen(SPLIT_SUFFIX);

    if (length > suffix && !memcmp(old + length - suffix, SPLIT_SUFFIX, suffix))
        length -= suffix;
    snprintf(name, size, "%.*s.resume", (int)length, old);
}

static void
resume_declare(struct activation *a)
{
    struct unit *u = a->u;
    type params[2] = {u->ptr, u->ptr};
    char name[1024];

    resume_name(a, name, sizeof name);
    a->resume = LLVMAddFunction(u->module, name,
                                LLVMFunctionType(u->ptr, params, 2, 0));
    LLVMSetLinkage(a->resume, LLVMInternalLinkage);
    shim_function_attributes(a->resume, a->function, 0);
}

/* What the copied body's parameters become: memory of the caller is the
 * next record's slot now, the rest comes out of slots. */
static void
arguments_map(struct half *h, value *args)
{
    struct activation *a = h->a;
    struct unit *u = a->u;

    for (unsigned i = 0; i < LLVMCountParams(a->function); i++) {
        value v = LLVMGetParam(a->function, i);

        args[i] = LLVMGetPoison(LLVMTypeOf(v));
        if (a->thunk && i == 0)
            args[i] = h->record;
        if (v == a->sret) {
            args[i] = LLVMBuildLoad2(u->b, u->ptr, h->record, "fm.next");
            args[i] = offset_by(u, args[i], FM_ABI_RESULT, "fm.result");
        }
    }
}

/* ---- both ------------------------------------------------------------------------------ */

static void
values_demote(struct activation *a, struct half *h)
{
    struct unit *u = a->u;

    for (unsigned i = 0; i < a->n_carried; i++) {
        struct carried *c = &a->carried[i];

        if (c->is_local) {
            h->slots[i] = c->of;
            continue;
        }
        if (LLVMIsAArgument(c->of)) {
            at(u, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(a->function)));
            h->slots[i] = LLVMBuildAlloca(u->b, LLVMTypeOf(c->of), "fm.slot");
            shim_demote_argument(c->of, h->slots[i]);
            at(u, LLVMGetNextInstruction(h->slots[i]));
            LLVMBuildStore(u->b, c->of, h->slots[i]);
        } else {
            h->slots[i] = shim_demote(c->of);
        }
        shim_declare_slot(c->of, h->slots[i]);
    }
}

static void
half_init(struct half *h, struct activation *a, bool resumes)
{
    *h = (struct half){.a = a, .resumes = resumes};
    h->points = memory(a->n_points, sizeof *h->points);
    h->exits = memory(a->n_exits, sizeof *h->exits);
    h->slots = memory(a->n_carried, sizeof *h->slots);
    h->reloaded = memory(a->n_carried, sizeof *h->reloaded);
    h->locals = memory(a->n_locals, sizeof *h->locals);
}

static void
half_fini(struct half *h)
{
    free(h->points);
    free(h->exits);
    free(h->slots);
    free(h->reloaded);
    free(h->locals);
}

/* Everything of a half that refers to its function, one after the other. */
static unsigned
anchors(struct half *h, value *v, bool write)
{
    unsigned k = 0;

#define ANCHOR(field)                                                          \
    do {                                                                       \
        if (write)                                                             \
            (field) = v[k];                                                    \
        else                                                                   \
            v[k] = (field);                                                    \
        k++;                                                                   \
    } while (0)
#define ANCHOR_BLOCK(field)                                                    \
    do {                                                                       \
        if (write)                                                             \
            (field) = LLVMValueAsBasicBlock(v[k]);                             \
        else                                                                   \
            v[k] = LLVMBasicBlockAsValue(field);                               \
        k++;                                                                   \
    } while (0)
    for (unsigned i = 0; i < h->a->n_points; i++) {
        struct point *p = &h->points[i];

        ANCHOR(p->call);
        ANCHOR(p->result);
        ANCHOR(p->arrived);
        ANCHOR_BLOCK(p->check);
        ANCHOR_BLOCK(p->cont);
        ANCHOR_BLOCK(p->fault);
        ANCHOR_BLOCK(p->suspend);
        ANCHOR_BLOCK(p->resumed);
    }
    for (unsigned i = 0; i < h->a->n_exits; i++)
        ANCHOR(h->exits[i].inst);
    for (unsigned i = 0; i < h->a->n_carried; i++)
        ANCHOR(h->slots[i]);
    for (unsigned i = 0; i < h->a->n_locals; i++)
        ANCHOR(h->locals[i]);
    return k;
}

static void
resume_clone(struct half *ramp, struct half *h)
{
    struct activation *a = ramp->a;
    unsigned n = 8 * a->n_points + a->n_exits + a->n_carried + a->n_locals;
    value *in = memory(n, sizeof *in), *out = memory(n, sizeof *out);
    value *args = memory(LLVMCountParams(a->function), sizeof *args);
    block entry = new_block(a->u, a->resume, "fm.entry"), old;

    h->function = a->resume;
    h->record = LLVMGetParam(a->resume, 0);
    LLVMSetValueName2(h->record, "fm.record", 9);
    LLVMSetValueName2(LLVMGetParam(a->resume, 1), "fm.fault", 8);
    at_end(a->u, entry);
    arguments_map(h, args);
    for (unsigned i = 0; i < a->n_exits; i++)
        h->exits[i] = ramp->exits[i];
    anchors(ramp, in, false);
    shim_clone(a->resume, a->function, args, in, out, n);
    anchors(h, out, true);
    shim_function_attributes(a->resume, a->function, 0);
    LLVMSetFunctionCallConv(a->resume, LLVMCCallConv);
    old = LLVMGetNextBasicBlock(entry);
    allocas_gather(a->u, old, entry);
    at_end(a->u, entry);
    pins_place(h);
    pins_drop(h);
    dispatch(h, entry);
    shim_hoist_declares(a->resume);
    shim_linkage_name(a->resume);
    free(in);
    free(out);
    free(args);
}

/* Every slot is reloaded into a phi per state. Past this many, code
 * generation (the register coalescer) takes time in their square, and the
 * slots stay in memory. */
#define RELOADS_MOST 1500

bool
is_sprawling(struct activation *a)
{
    size_t reloads = 0;

    for (unsigned i = 0; i < a->n_points; i++)
        reloads += a->points[i].n_carries + 1;
    return reloads > RELOADS_MOST;
}

static void
half_finish(struct half *h)
{
    struct activation *a = h->a;
    value *slots = memory(a->n_carried + 1, sizeof *slots);
    bool keep = h->resumes && is_sprawling(a);
    unsigned n = 0;

    awaits_lower(h);
    exits_lower(h);
    stand_ins_replace(h);
    shim_drop_unreachable(h->function);
    for (unsigned i = 0; i < a->n_carried; i++)
        if (!a->carried[i].is_local && !keep)
            slots[n++] = h->slots[i];
    shim_promote(h->function, slots, n);
    free(slots);
}

static void
ramp_init(struct half *h)
{
    struct activation *a = h->a;

    h->function = a->function;
    for (unsigned i = 0; i < a->n_points; i++)
        h->points[i] = a->points[i];
    for (unsigned i = 0; i < a->n_exits; i++)
        h->exits[i] = a->exits[i];
    for (unsigned i = 0; i < a->n_locals; i++)
        h->locals[i] =
            LLVMIsAAllocaInst(a->locals[i].of) ? a->locals[i].of : NULL;
}

void
split(struct activation *a)
{
    struct half ramp, resume;

    half_init(&ramp, a, false);
    half_init(&resume, a, true);
    if (states_count(a)) {
        resume_declare(a);
        points(a);
    }
    dump(a, "split");
    ramp_init(&ramp);
    values_demote(a, &ramp);
    if (a->resume) {
        resume_clone(&ramp, &resume);
        half_finish(&resume);
    }
    a->split = ramp.function = sign_definition(a->u, a->function, a->thunk);
    if (a->pins || a->thunk)
        ramp_enter(&ramp);
    half_finish(&ramp);
    half_fini(&ramp);
    half_fini(&resume);
}
