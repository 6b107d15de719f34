/* exit.c: what an activation does last, whichever way it ends.
 *
 * Two things hang on the whole function: faults that were handed to the
 * program (caught, attempted) are released, and a function that hops between
 * executors returns to its caller's. Both run before every `ret` and every
 * `resume`; an await that had no unwind edge gets one. The hop comes first.
 */
#include "control.h"

#include <string.h>

#define SLOT_KIND "fm.fault"

/* What one function's exits have to run. */
struct exits {
    LLVMValueRef function;
    struct value_list slots;
    LLVMValueRef array;    /* of the slots, if they are many */
    LLVMValueRef caught;   /* whether any slot was ever used */
    LLVMValueRef executor; /* the caller's; null where nothing hops */
};

static unsigned
slot_kind(LLVMValueRef function)
{
    return LLVMGetMDKindIDInContext(
        LLVMGetModuleContext(LLVMGetGlobalParent(function)), SLOT_KIND,
        (unsigned)strlen(SLOT_KIND));
}

LLVMValueRef
fault_slot_new(LLVMValueRef function)
{
    LLVMBuilderRef b = build_before(first_after_allocas(function));
    LLVMContextRef context =
        LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMTypeRef pointer = pointer_type(context);
    LLVMMetadataRef none = LLVMMDNodeInContext2(context, NULL, 0);
    LLVMValueRef slot;

    LLVMSetCurrentDebugLocation2(b, NULL);
    slot = LLVMBuildAlloca(b, pointer, "fm.caught");
    LLVMBuildStore(b, LLVMConstNull(pointer), slot);
    LLVMSetMetadata(slot, slot_kind(function),
                    LLVMMetadataAsValue(context, none));
    LLVMDisposeBuilder(b);
    return slot;
}

/* Cuts the block before `before`; where the test holds, what is built now
 * runs first. Returns the block to branch to in the end. */
static LLVMBasicBlockRef
build_aside(LLVMBuilderRef b, LLVMValueRef test, LLVMValueRef before)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(before);
    LLVMBasicBlockRef rest = shim_cut_before(before, "released");
    LLVMBasicBlockRef aside = block_new(function_of(before), "release");

    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(block));
    LLVMPositionBuilderAtEnd(b, block);
    LLVMBuildCondBr(b, test, aside, rest);
    LLVMPositionBuilderAtEnd(b, aside);
    return rest;
}

/* Releases what is in the slot; code after `before` goes on from there. */
static void
slot_release(LLVMValueRef slot, LLVMValueRef before)
{
    LLVMBuilderRef b = build_before(before);
    LLVMTypeRef pointer = pointer_type(context_of(before));
    LLVMValueRef fault = LLVMBuildLoad2(b, pointer, slot, "");
    LLVMValueRef test =
        LLVMBuildICmp(b, LLVMIntNE, fault, LLVMConstNull(pointer), "");
    LLVMBasicBlockRef rest = build_aside(b, test, before);

    runtime_call(b, "fm_fault_release", false, &fault, 1);
    LLVMBuildBr(b, rest);
    LLVMDisposeBuilder(b);
}

void
fault_slot_set(LLVMValueRef slot, LLVMValueRef fault, LLVMValueRef before)
{
    LLVMBuilderRef b;

    slot_release(slot, before);
    b = build_before(before);
    LLVMBuildStore(b, fault, slot);
    LLVMDisposeBuilder(b);
}

/* Many slots, each a value carried over every await behind its handler, would
 * make code and compile time grow with their square. So they become one array
 * in memory, lent to the runtime at the exits (hence pinned), and one flag
 * that says whether anything was ever caught. */
enum { SLOTS_CARRIED = 3 };

static void
slot_moves(struct exits *exits, LLVMValueRef slot, LLVMValueRef to)
{
    for (LLVMUseRef u = LLVMGetFirstUse(slot); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef store = LLVMGetUser(u);
        LLVMBuilderRef b;

        if (!LLVMIsAStoreInst(store) || LLVMIsNull(LLVMGetOperand(store, 0)))
            continue;
        b = build_before(store);
        LLVMBuildStore(
            b, LLVMConstInt(LLVMInt1TypeInContext(context_of(store)), 1, 0),
            exits->caught);
        LLVMDisposeBuilder(b);
    }
    LLVMReplaceAllUsesWith(slot, to);
    LLVMInstructionEraseFromParent(slot);
}

static void
slots_gather(struct exits *exits)
{
    LLVMBuilderRef b = build_before(first_after_allocas(exits->function));
    LLVMContextRef context =
        LLVMGetModuleContext(LLVMGetGlobalParent(exits->function));
    LLVMTypeRef pointer = pointer_type(context);
    LLVMTypeRef flag = LLVMInt1TypeInContext(context);

    LLVMSetCurrentDebugLocation2(b, NULL);
    exits->array = LLVMBuildAlloca(b, LLVMArrayType2(pointer, exits->slots.n),
                                   "fm.caught");
    exits->caught = LLVMBuildAlloca(b, flag, "fm.any");
    LLVMBuildStore(b, LLVMConstNull(flag), exits->caught);
    for (size_t k = 0; k < exits->slots.n; k++) {
        LLVMValueRef at =
            LLVMConstInt(LLVMInt64TypeInContext(context), k, false);

        slot_moves(exits, exits->slots.at[k],
                   LLVMBuildGEP2(b, pointer, exits->array, &at, 1, ""));
    }
    LLVMDisposeBuilder(b);
}

static void
array_release(struct exits *exits, LLVMValueRef before)
{
    LLVMBuilderRef b = build_before(before);
    LLVMContextRef context = context_of(before);
    LLVMTypeRef types[] = {pointer_type(context),
                           LLVMInt64TypeInContext(context)};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(context), types, 2, false);
    LLVMValueRef args[] = {exits->array,
                           LLVMConstInt(types[1], exits->slots.n, false)};
    LLVMValueRef test =
        LLVMBuildLoad2(b, LLVMInt1TypeInContext(context), exits->caught, "");
    LLVMBasicBlockRef rest = build_aside(b, test, before);
    LLVMValueRef call = LLVMBuildCall2(
        b, type, declare(module_of(before), "fm_abi_faults_release", type),
        args, 2, "");

    LLVMAddCallSiteAttribute(call, FUNCTION_INDEX,
                             enum_attribute(context, "nounwind"));
    LLVMBuildBr(b, rest);
    LLVMDisposeBuilder(b);
}

static void
slots_release(struct exits *exits, LLVMValueRef before)
{
    if (exits->array) {
        array_release(exits, before);
        return;
    }
    for (size_t k = 0; k < exits->slots.n; k++)
        slot_release(exits->slots.at[k], before);
}

/* The await that goes back to the caller's executor. */
static LLVMValueRef
hop_back(struct exits *exits, LLVMValueRef before)
{
    LLVMContextRef context = context_of(before);
    LLVMTypeRef pointer = pointer_type(context);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false);
    LLVMBuilderRef b = build_before(before);
    LLVMValueRef call = LLVMBuildCall2(
        b, type, declare_async(module_of(before), "fm_abi_hop_back", type),
        &exits->executor, 1, "");

    LLVMSetInstructionCallConv(call, FM_ABI_CONV_NUMBER);
    LLVMDisposeBuilder(b);
    return call;
}

static LLVMValueRef
part(LLVMBuilderRef b, LLVMValueRef pad, unsigned index)
{
    return LLVMBuildExtractValue(b, pad, index, "");
}

/* Before a resume: hop back, unless the exception is a foreign one (a real
 * unwinder is at work below: nothing may suspend). The hop's own fault
 * becomes the cause of the one under way. */
static void
hop_while_unwinding(struct exits *exits, LLVMValueRef resume)
{
    LLVMContextRef context = context_of(resume);
    LLVMBasicBlockRef block, rest, hop;
    LLVMBuilderRef b = build_before(resume);
    LLVMValueRef joined[2], bit, call, pad, end;

    joined[0] = part(b, LLVMGetOperand(resume, 0), 0);
    bit = LLVMBuildPtrToInt(b, joined[0], LLVMInt64TypeInContext(context), "");
    bit = LLVMBuildTrunc(b, bit, LLVMInt1TypeInContext(context), "");
    block = LLVMGetInstructionParent(resume);
    rest = shim_cut_before(resume, "hopped");
    hop = block_new(exits->function, "hop");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(block));
    LLVMPositionBuilderAtEnd(b, block);
    LLVMBuildCondBr(b, bit, hop, rest);
    LLVMPositionBuilderAtEnd(b, hop);
    call = hop_back(exits, LLVMBuildBr(b, rest));
    end = edge_unwind(&call, &pad);
    LLVMDisposeBuilder(b);
    b = build_before(end);
    joined[1] = part(b, pad, 0);
    runtime_call(b, "fm_abi_fault_join", true, joined, 2);
    LLVMBuildBr(b, rest);
    LLVMInstructionEraseFromParent(end);
    LLVMDisposeBuilder(b);
}

static void
exit_by_resume(struct exits *exits, LLVMValueRef resume)
{
    if (exits->executor)
        hop_while_unwinding(exits, resume);
    slots_release(exits, resume);
}

static void
exit_by_return(struct exits *exits, LLVMValueRef ret)
{
    LLVMValueRef call, pad, resume;

    if (exits->executor) {
        call = hop_back(exits, ret);
        if (exits->slots.n) {
            resume = edge_unwind(&call, &pad);
            slots_release(exits, resume);
        }
    }
    slots_release(exits, ret);
}

/* Every await that is not an invoke unwinds to one new pad, whose resume is
 * returned. */
static LLVMValueRef
calls_protect(struct value_list *calls)
{
    LLVMValueRef resume = NULL, pad, call;

    for (size_t k = 0; k < calls->n; k++) {
        call = calls->at[k];
        if (shim_is_musttail(call)) {
            diag_at(function_of(call), call, DIAG_ERROR,
                    "a musttail call leaves nothing that could release the "
                    "caught fault or hop back: await it without musttail");
            continue;
        }
        if (!resume)
            resume = edge_unwind(&call, &pad);
        else
            shim_call_to_invoke(call, LLVMGetInstructionParent(resume));
    }
    return resume;
}

static bool
hops(LLVMValueRef inst)
{
    static const char mark[] = "fm-anywhere";

    return calls_named(inst, "fm_switch") ||
           LLVMGetCallSiteStringAttribute(inst, FUNCTION_INDEX, mark,
                                          sizeof mark - 1);
}

/* The root's own functions have no caller to go back to. */
static bool
function_is_root(LLVMValueRef function)
{
    static const char thunk[] = "fm-start";
    size_t n;
    const char *name = LLVMGetValueName2(function, &n);

    return (n >= 7 && !memcmp(name, "fm.main", 7)) ||
           LLVMGetStringAttributeAtIndex(function, FUNCTION_INDEX, thunk,
                                         sizeof thunk - 1);
}

struct found {
    struct value_list ends, calls; /* ret and resume; awaits without pad */
    bool hops;
};

static void
scan(struct exits *exits, struct found *found)
{
    unsigned kind = slot_kind(exits->function);

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(exits->function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAAllocaInst(i) && LLVMGetMetadata(i, kind))
                list_add(&exits->slots, i);
            if (LLVMIsAReturnInst(i) || LLVMIsAResumeInst(i))
                list_add(&found->ends, i);
            if (!is_await(i))
                continue;
            found->hops |= hops(i);
            if (LLVMIsACallInst(i))
                list_add(&found->calls, i);
        }
}

static void
exits_lower(struct exits *exits, struct found *found)
{
    LLVMValueRef resume = calls_protect(&found->calls);

    if (exits->slots.n > SLOTS_CARRIED)
        slots_gather(exits);
    if (found->hops) {
        LLVMBuilderRef b = build_before(first_after_allocas(exits->function));

        exits->executor = runtime_call(b, "fm_abi_exit_scope", true, NULL, 0);
        LLVMDisposeBuilder(b);
    }
    if (resume)
        list_add(&found->ends, resume);
    for (size_t k = 0; k < found->ends.n; k++) {
        if (LLVMIsAReturnInst(found->ends.at[k]))
            exit_by_return(exits, found->ends.at[k]);
        else
            exit_by_resume(exits, found->ends.at[k]);
    }
}

bool
control_exit(LLVMValueRef function)
{
    struct exits exits = {.function = function};
    struct found found = {0};
    bool changed;

    scan(&exits, &found);
    if (function_is_root(function))
        found.hops = false;
    changed = exits.slots.n || found.hops;
    if (changed)
        exits_lower(&exits, &found);
    list_free(&exits.slots);
    list_free(&found.ends);
    list_free(&found.calls);
    return changed;
}
