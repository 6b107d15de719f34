/* canon.c: one await per block, its outcomes as ordinary control flow (see
 * late.h), and every way out of the function in one of three forms.
 *
 * The one trick: the branch in `check` asks a stand-in what came back, so
 * that the edge from a suspension to the code after it is there for all
 * analyses, although no code will ever go along it.
 */
#include "late.h"

#include <stdlib.h>
#include <string.h>

struct found {
    struct list awaits, raises, returns, resumes;
};

static void
find(struct activation *a, struct found *f)
{
    unsigned noreturn = LLVMGetEnumAttributeKindForName("noreturn", 8);

    for (block b = LLVMGetFirstBasicBlock(a->function); b;
         b = LLVMGetNextBasicBlock(b))
        for (value i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            if (ir_is_await(i) && calls(i, "fm_abi_raise" SPLIT_SUFFIX))
                list_push(&f->raises, i);
            else if (ir_is_await(i)) {
                LLVMRemoveCallSiteEnumAttribute(i, FUNCTION, noreturn);
                list_push(&f->awaits, i);
            } else if (LLVMIsAReturnInst(i))
                list_push(&f->returns, i);
            else if (LLVMIsAResumeInst(i))
                list_push(&f->resumes, i);
            if (f->raises.n && f->raises.at[f->raises.n - 1] == i)
                break; /* what follows in this block is dead */
        }
}

static void
exit_add(struct activation *a, enum exit_kind kind, value inst)
{
    a->exits[a->n_exits++] = (struct exit){kind, inst};
}

/* The block in which the function ends with a fault: a phi of faults and
 * fm.exit. Made at its first use. */
static block
fault_exit(struct activation *a, value *phi)
{
    struct unit *u = a->u;

    if (!*phi) {
        block b = new_block(u, a->function, "fm.faulted");
        value end;

        at_end(u, b);
        *phi = shim_phi(b, u->ptr, "fm.leaves");
        end = stand_in(u, "fm.exit", u->nothing, phi, 1);
        LLVMBuildUnreachable(u->b);
        exit_add(a, EXIT_FAULT, end);
    }
    return LLVMGetInstructionParent(*phi);
}

/* ---- landing pads ------------------------------------------------------ */

/* A landing pad that faults of ours reach too: the code after the landingpad
 * is a block of its own, `body`, whose phis also take what comes along the
 * fault edges. */
struct pad {
    block landing, body;
    value exception;       /* phi in body */
    struct list old, made; /* the pad's phis and their doubles in body */
};

static void
pad_open(struct pad *p, block landing)
{
    value inst = LLVMGetFirstInstruction(landing), lands;

    p->landing = landing;
    for (; LLVMIsAPHINode(inst); inst = LLVMGetNextInstruction(inst))
        list_push(&p->old, inst);
    lands = inst;
    p->body = shim_split_before(LLVMGetNextInstruction(lands), "fm.caught");
    p->exception = shim_phi(p->body, LLVMTypeOf(lands), "fm.exception");
    LLVMReplaceAllUsesWith(lands, p->exception);
    LLVMAddIncoming(p->exception, &lands, &landing, 1);
    for (size_t i = 0; i < p->old.n; i++) {
        value phi = p->old.at[i];
        value made = shim_phi(p->body, LLVMTypeOf(phi), "");

        LLVMReplaceAllUsesWith(phi, made);
        LLVMAddIncoming(made, &phi, &landing, 1);
        list_push(&p->made, made);
    }
}

static struct pad *
pad_of(struct list *pads, block landing)
{
    struct pad *p;

    for (size_t i = pads->n; i-- > 0;) {
        p = pads->at[i];
        if (p->landing == landing)
            return p;
    }
    p = memory(1, sizeof *p);
    pad_open(p, landing);
    list_push(pads, p);
    return p;
}

static void
pads_drop(struct list *pads)
{
    for (size_t i = 0; i < pads->n; i++) {
        struct pad *p = pads->at[i];

        list_drop(&p->old);
        list_drop(&p->made);
        free(p);
    }
    list_drop(pads);
}

static value
incoming_from(value phi, block from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return LLVMGetPoison(LLVMTypeOf(phi));
}

/* From `edge`, where the builder stands, on to the pad's body with the fault
 * `tagged`; `from` is the block of the invoke. */
static void
pad_enter(struct activation *a, struct pad *p, block edge, block from,
          value tagged)
{
    struct unit *u = a->u;
    type t = LLVMTypeOf(p->exception);
    value x = LLVMBuildInsertValue(u->b, LLVMGetPoison(t), tagged, 0, "");

    x = LLVMBuildInsertValue(u->b, x, word32(u, 0), 1, "");
    LLVMBuildBr(u->b, p->body);
    LLVMAddIncoming(p->exception, &x, &edge, 1);
    for (size_t i = 0; i < p->old.n; i++) {
        value v = incoming_from(p->old.at[i], from);

        LLVMAddIncoming(p->made.at[i], &v, &edge, 1);
    }
}

/* ---- raises ------------------------------------------------------------- */

/* Everything after `inst` in its block, its terminator too. */
static void
cut_after(value inst)
{
    block b = LLVMGetInstructionParent(inst);
    value t = LLVMGetBasicBlockTerminator(b), last;

    for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++)
        shim_remove_predecessor(LLVMGetSuccessor(t, i), b);
    while ((last = LLVMGetLastInstruction(b)) != inst) {
        if (LLVMGetFirstUse(last))
            LLVMReplaceAllUsesWith(last, LLVMGetPoison(LLVMTypeOf(last)));
        LLVMInstructionEraseFromParent(last);
    }
}

static void
raise_lower(struct activation *a, struct list *pads, value *leaves, value call)
{
    struct unit *u = a->u;
    block b = LLVMGetInstructionParent(call), out = NULL;
    struct pad *p = NULL;
    value tagged, args[2];

    if (LLVMIsAInvokeInst(call)) {
        p = pad_of(pads, LLVMGetUnwindDest(call));
        shim_remove_predecessor(LLVMGetNormalDest(call), b);
    } else {
        cut_after(call);
        out = fault_exit(a, leaves);
    }
    at_end(u, b);
    tagged =
        offset_by(u, LLVMGetArgOperand(call, 0), FM_ABI_FAULT_BIT, "fm.raised");
    args[0] = tagged;
    args[1] = points_raise(a, call);
    tagged = call_runtime(u, "fm_abi_link", u->ptr, args, 2);
    if (p) {
        pad_enter(a, p, b, b, tagged);
        shim_remove_predecessor(p->landing, b);
    } else {
        LLVMBuildBr(u->b, out);
        LLVMAddIncoming(*leaves, &tagged, &b, 1);
    }
    LLVMInstructionEraseFromParent(call);
}

/* ---- awaits ---------------------------------------------------------------- */

static void
sret_find(struct activation *a, struct point *p)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(p->call) && i < 2; i++) {
        type t = call_has(p->call, i, "sret")
                     ? shim_type_attribute(p->call, i, "sret")
                     : NULL;

        if (!t)
            continue;
        p->sret = LLVMGetArgOperand(p->call, i);
        p->sret_index = i;
        p->sret_bytes = bytes_of(a->u, t);
    }
}

static bool
call_marked(value call, const char *attribute)
{
    return LLVMGetCallSiteStringAttribute(
               call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute,
               (unsigned)strlen(attribute)) != NULL;
}

/* The call becomes last in its block, followed by `check` on the normal edge
 * and that by `cont`. */
static void
blocks_part(struct activation *a, struct point *p)
{
    struct unit *u = a->u;
    block b = LLVMGetInstructionParent(p->call), normal;

    p->check = new_block(u, a->function, "fm.check");
    if (LLVMIsAInvokeInst(p->call)) {
        normal = LLVMGetNormalDest(p->call);
        p->cont = new_block(u, a->function, "fm.cont");
        at_end(u, p->cont);
        LLVMBuildBr(u->b, normal);
        shim_phi_replace_block(normal, b, p->cont);
        LLVMSetNormalDest(p->call, p->check);
    } else {
        p->cont = shim_split_before(LLVMGetNextInstruction(p->call), "fm.cont");
        LLVMSetSuccessor(LLVMGetBasicBlockTerminator(b), 0, p->check);
    }
    LLVMMoveBasicBlockAfter(p->check, b);
    LLVMMoveBasicBlockAfter(p->cont, p->check);
}

static void
result_join(struct point *p)
{
    if (ir_is_void(p->result_type))
        return;
    p->result = shim_phi(p->cont, p->result_type, "fm.result");
    LLVMReplaceAllUsesWith(p->call, p->result);
    LLVMAddIncoming(p->result, &p->call, &p->check, 1);
}

/* What stands in a record's result slot. */
static value
result_load(struct unit *u, value record, type t)
{
    value place = offset_by(u, record, FM_ABI_RESULT, "fm.slot"), v;
    bool is_bool = LLVMGetTypeKind(t) == LLVMIntegerTypeKind &&
                   LLVMGetIntTypeWidth(t) == 1;
    uint64_t align = align_of(u, t);

    v = LLVMBuildLoad2(u->b, is_bool ? u->i8 : t, place, "fm.landed");
    LLVMSetAlignment(v, align > 16 ? 16 : (unsigned)align);
    return is_bool ? LLVMBuildTrunc(u->b, v, t, "") : v;
}

static void
resumed_fill(struct activation *a, struct point *p, bool faults)
{
    struct unit *u = a->u;
    value record, fault, loaded, is_fault;

    at_end(u, p->resumed);
    record = stand_in(u, "fm.record", u->ptr, NULL, 0);
    if (p->sret && p->sret_bytes)
        LLVMBuildMemCpy(u->b, p->sret, 1,
                        offset_by(u, record, FM_ABI_RESULT, "fm.slot"), 16,
                        LLVMConstInt(u->word, p->sret_bytes, 0));
    if (p->result) {
        loaded = result_load(u, record, p->result_type);
        LLVMAddIncoming(p->result, &loaded, &p->resumed, 1);
    }
    if (!faults) {
        LLVMBuildBr(u->b, p->cont);
        return;
    }
    fault = stand_in(u, "fm.fault", u->ptr, NULL, 0);
    LLVMAddIncoming(p->arrived, &fault, &p->resumed, 1);
    is_fault = LLVMBuildICmp(u->b, LLVMIntNE, fault, null_of(u), "");
    shim_weights(LLVMBuildCondBr(u->b, is_fault, p->fault, p->cont), 1, 2000);
}

static void
await_open(struct activation *a, struct list *pads, value *leaves,
           struct point *p)
{
    struct unit *u = a->u;
    block from = LLVMGetInstructionParent(p->call), out;
    value hook, choice, nothing = LLVMGetPoison(u->ptr);

    blocks_part(a, p);
    result_join(p);
    p->fault = new_block(u, a->function, "fm.fault");
    p->suspend = new_block(u, a->function, "fm.suspend");
    p->resumed = new_block(u, a->function, "fm.resumed");
    at_end(u, p->check);
    hook = stand_in(u, "fm.hook", u->i32, NULL, 0);
    choice = LLVMBuildSwitch(u->b, hook, p->cont, 3);
    LLVMAddCase(choice, word32(u, 1), p->fault);
    LLVMAddCase(choice, word32(u, 2), p->suspend);
    LLVMAddCase(choice, word32(u, 3), p->resumed);
    at_end(u, p->suspend);
    LLVMBuildUnreachable(u->b);
    at_end(u, p->fault);
    p->arrived = shim_phi(p->fault, u->ptr, "fm.arrived");
    LLVMAddIncoming(p->arrived, &nothing, &p->check, 1);
    if (p->handler) {
        pad_enter(a, pad_of(pads, LLVMGetUnwindDest(p->call)), p->fault, from,
                  p->arrived);
    } else {
        out = fault_exit(a, leaves);
        at_end(u, p->fault);
        LLVMBuildBr(u->b, out);
        LLVMAddIncoming(*leaves, &p->arrived, &p->fault, 1);
    }
    resumed_fill(a, p, p->handler || a->vla);
}

/* ---- exits ------------------------------------------------------------------- */

/* `resume` ends the function with a fault, or goes on unwinding for an
 * exception that is none of ours. */
static void
resume_lower(struct activation *a, value *leaves, value inst)
{
    struct unit *u = a->u;
    value exception = LLVMGetOperand(inst, 0), pointer, ours;
    block b = LLVMGetInstructionParent(inst), out, foreign;

    foreign = shim_split_before(inst, "fm.unwind");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(b));
    out = fault_exit(a, leaves);
    at_end(u, b);
    pointer = LLVMBuildExtractValue(u->b, exception, 0, "");
    ours = low_bit(u, pointer);
    LLVMBuildCondBr(u->b, ours, out, foreign);
    LLVMAddIncoming(*leaves, &pointer, &b, 1);
    exit_add(a, EXIT_UNWIND, inst);
}

static void
result_measure(struct unit *u, struct point *p)
{
    p->result_bytes = p->sret_bytes;
    p->result_align =
        p->sret ? shim_align_attribute(p->call, p->sret_index) : 1;
    if (!p->sret && !ir_is_void(p->result_type)) {
        p->result_bytes = bytes_of(u, p->result_type);
        p->result_align = align_of(u, p->result_type);
    }
}

void
canon(struct activation *a)
{
    struct found f = {0};
    struct list pads = {0};
    value leaves = NULL;

    shim_drop_unreachable(a->function);
    find(a, &f);
    a->points = memory(f.awaits.n, sizeof *a->points);
    a->exits = memory(f.returns.n + f.resumes.n + 1, sizeof *a->exits);
    for (size_t i = 0; i < f.returns.n; i++)
        exit_add(a, EXIT_RETURN, f.returns.at[i]);
    for (size_t i = 0; i < f.raises.n; i++)
        raise_lower(a, &pads, &leaves, f.raises.at[i]);
    for (size_t i = 0; i < f.awaits.n; i++) {
        struct point *p = &a->points[a->n_points++];

        p->call = f.awaits.at[i];
        p->shares = NONE;
        p->result_type = LLVMGetReturnType(LLVMGetCalledFunctionType(p->call));
        p->handler = LLVMIsAInvokeInst(p->call);
        p->anywhere = call_marked(p->call, "fm-anywhere");
        sret_find(a, p);
        result_measure(a->u, p);
        await_open(a, &pads, &leaves, p);
    }
    for (size_t i = 0; i < f.resumes.n; i++)
        resume_lower(a, &leaves, f.resumes.at[i]);
    pads_drop(&pads);
    list_drop(&f.awaits);
    list_drop(&f.raises);
    list_drop(&f.returns);
    list_drop(&f.resumes);
}
