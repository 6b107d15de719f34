/* flow.c: what of a function runs while an exception is under way?
 *
 * From each landing pad forward, up to a call that takes the exception. Needs
 * nothing, changes nothing. In clang's C code such blocks never join the
 * normal ones again before they have taken the exception.
 */
#include "control.h"

#include <stdlib.h>

static size_t
slot_of(const struct set *set, const void *what)
{
    size_t k = ((uintptr_t)what >> 4) * 0x9e3779b97f4a7c15u >> 20;

    for (k &= set->capacity - 1; set->at[k] && set->at[k] != what;
         k = (k + 1) & (set->capacity - 1))
        ;
    return k;
}

static void
grow(struct set *set)
{
    struct set old = *set;

    set->capacity = old.capacity ? 2 * old.capacity : 32;
    set->at = calloc(set->capacity, sizeof *set->at);
    if (!set->at)
        abort();
    for (size_t k = 0; k < old.capacity; k++)
        if (old.at[k])
            set->at[slot_of(set, old.at[k])] = old.at[k];
    free(old.at);
}

bool
set_add(struct set *set, const void *what)
{
    size_t k;

    if (2 * set->n >= set->capacity)
        grow(set);
    k = slot_of(set, what);
    if (set->at[k])
        return false;
    set->at[k] = what;
    set->n++;
    return true;
}

bool
set_has(const struct set *set, const void *what)
{
    return set->capacity && set->at[slot_of(set, what)];
}

void
set_free(struct set *set)
{
    free(set->at);
    *set = (struct set){0};
}

static bool
takes_exception(LLVMValueRef inst)
{
    return calls_named(inst, "fm_abi_caught") ||
           calls_named(inst, "__cxa_begin_catch");
}

/* Walks one block; false if the exception is taken in it. */
static bool
walk(struct flow *flow, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
         i = LLVMGetNextInstruction(i)) {
        if (takes_exception(i))
            return false;
        if (is_call(i))
            set_add(&flow->calls, i);
    }
    return true;
}

void
flow_from(struct flow *flow, LLVMBasicBlockRef block)
{
    struct value_list work = {0};

    if (set_add(&flow->blocks, block))
        list_add(&work, (LLVMValueRef)(void *)block);
    while (work.n) {
        LLVMBasicBlockRef at = (LLVMBasicBlockRef)(void *)work.at[--work.n];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(at);

        if (!walk(flow, at) || !end)
            continue;
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, k);

            if (set_add(&flow->blocks, next))
                list_add(&work, (LLVMValueRef)(void *)next);
        }
    }
    list_free(&work);
}

static LLVMValueRef
pad_of(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);

    while (i && LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i && LLVMIsALandingPadInst(i) ? i : NULL;
}

void
flow_of(struct flow *flow, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        if (pad_of(b))
            flow_from(flow, b);
}

void
flow_free(struct flow *flow)
{
    set_free(&flow->blocks);
    set_free(&flow->calls);
}

/* The alloca into which part `index` of the pad is stored, or null. A pad
 * that was split in two (edge.c) is one again in a phi. */
static LLVMValueRef
part_slot(LLVMValueRef pad, unsigned index)
{
    for (LLVMUseRef u = LLVMGetFirstUse(pad); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef part = LLVMGetUser(u);

        if (LLVMIsAPHINode(part) && LLVMIsALandingPadInst(pad))
            return part_slot(part, index);
        if (!LLVMIsAExtractValueInst(part) || LLVMGetIndices(part)[0] != index)
            continue;
        for (LLVMUseRef v = LLVMGetFirstUse(part); v; v = LLVMGetNextUse(v)) {
            LLVMValueRef store = LLVMGetUser(v);

            if (LLVMIsAStoreInst(store) &&
                LLVMIsAAllocaInst(LLVMGetOperand(store, 1)))
                return LLVMGetOperand(store, 1);
        }
    }
    return NULL;
}

struct exn
exn_slots(LLVMValueRef function)
{
    struct exn exn = {0};

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef pad = pad_of(b);

        if (!pad)
            continue;
        exn.exception = part_slot(pad, 0);
        exn.selector = part_slot(pad, 1);
        if (exn.exception && exn.selector)
            return exn;
    }
    return (struct exn){0};
}
