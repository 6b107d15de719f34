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

    copy_memory(u, slot, c->align,
                offset_by(u, h->record, c->offset, "fm.saved"), c->align,
                c->bytes);
}

/* ---- pins ----------------------------------------------------------------------- */

static void
markers_drop(value alloca)
{
    struct list markers = {0};
    value marker;

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
        markers_drop(h->locals[i]);
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
        half_leave(h, NULL, call_runtime(u, "fm_abi_enomem", u->ptr, NULL, 0));
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

static bool
has_state(struct point *p)
{
    return !p->tail && p->shares == NONE;
}

static unsigned
states_count(struct activation *a)
{
    unsigned n = 0;

    for (unsigned i = 0; i < a->n_points; i++)
        n += has_state(&a->points[i]);
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

        if (!has_state(&h->a->points[i]))
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

    half_awaits(h);
    half_exits(h);
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
