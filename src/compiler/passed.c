/* passed.c: how many functions does a fault pass that comes out of a call?
 *
 * LLVM inlines async functions into one another, and a fault that one of
 * them catches goes no further. In the code that the landing pad leads to,
 * the first instruction that takes the tag off the exception stands in the
 * function of the handler: the fault has passed the functions from that of
 * the call out to that one.
 */
#include "late.h"

#include <stdlib.h>

#define BLOCKS_MOST 200 /* of cleanups that are looked through */

static unsigned
depth_of(const void *location)
{
    unsigned n = 0;

    while (location && (location = shim_location_outer(location)))
        n++;
    return n;
}

/* An exception's pointer: its part of a landing pad, or where those of
 * several pads, or a slot at -O0, have come together. */
static bool
is_exception(value v)
{
    return LLVMIsAExtractValueInst(v) || LLVMIsAPHINode(v) ||
           (LLVMIsALoadInst(v) && LLVMIsAAllocaInst(LLVMGetOperand(v, 0)));
}

/* exception - 1: the fault without its tag. */
static bool
is_taker(value i)
{
    value by;

    if (!LLVMIsAGetElementPtrInst(i) || LLVMGetNumOperands(i) != 2 ||
        !is_exception(LLVMGetOperand(i, 0)) || !shim_location(i))
        return false;
    by = LLVMGetOperand(i, 1);
    return LLVMIsAConstantInt(by) &&
           LLVMConstIntGetSExtValue(by) == -(long long)FM_ABI_FAULT_BIT;
}

static value
taker_in(block b)
{
    for (value i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (is_taker(i))
            return i;
    return NULL;
}

static value
taker_from(block start)
{
    struct map seen = {0};
    struct list queue = {0};
    value taker = NULL;

    list_push(&queue, start);
    map_put(&seen, start, 1);
    for (size_t i = 0; i < queue.n && !taker; i++) {
        value end = LLVMGetBasicBlockTerminator(queue.at[i]);

        taker = taker_in(queue.at[i]);
        /* null: the block is being rewritten now */
        for (unsigned k = 0; end && k < LLVMGetNumSuccessors(end); k++) {
            block next = LLVMGetSuccessor(end, k);

            if (queue.n == BLOCKS_MOST || map_get(&seen, next) != NONE)
                continue;
            map_put(&seen, next, 1);
            list_push(&queue, next);
        }
    }
    map_free(&seen);
    list_drop(&queue);
    return taker;
}

/* 0: all of them. */
unsigned
places_passed(value call)
{
    const void *location = shim_location(call);
    unsigned depth = depth_of(location), at;
    value taker;

    if (depth == 0 || !LLVMIsAInvokeInst(call))
        return 0;
    taker = taker_from(LLVMGetUnwindDest(call));
    if (!taker)
        return 0;
    at = depth_of(shim_location(taker));
    return at <= depth && depth - at < 0xffff ? depth - at + 1 : 0;
}
