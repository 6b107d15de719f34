/* tail.c: `return await g(x)` with nothing left to do is forwarded: what the
 * callee returns is returned, the function has no record then, and a chain
 * of such calls is as short as its last. Not at -O0 nor with
 * -fno-optimize-sibling-calls: it takes a frame out of traces.
 */
#include "late.h"

#include <string.h>

static bool
is_nothing(value i)
{
    return ir_is_call(i) && shim_lifetime_marker(i) == 2;
}

static value
phi_from(value phi, block from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

/* Does the way on from the point lead straight to a return of its result? */
static bool
returns_result(struct point *p)
{
    block b = p->cont, from = p->check;
    value is = p->result ? p->result : NULL;

    for (unsigned steps = 0; steps < 16; steps++) {
        value i = LLVMGetFirstInstruction(b);

        for (; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            if (is && i != is && phi_from(i, from) == is) {
                is = i;
                break;
            }
        for (; LLVMIsAPHINode(i) || is_nothing(i);)
            i = LLVMGetNextInstruction(i);
        if (LLVMIsAReturnInst(i))
            return LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) == is : !is;
        if (!LLVMIsABranchInst(i) || LLVMIsConditional(i))
            return false;
        from = b;
        b = LLVMGetSuccessor(i, 0);
    }
    return false;
}

static bool
is_tail(struct activation *a, struct point *p)
{
    if (p->handler || p->n_carries || p->result_type != a->result)
        return false;
    if (p->sret ? p->sret != a->sret : a->sret != NULL)
        return false;
    return returns_result(p);
}

static bool
has_enum(value function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(
               function, FUNCTION,
               LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

void
tail(struct activation *a)
{
    if (a->u->level == 0 || has_enum(a->function, "optnone") ||
        function_has(a->function, "disable-tail-calls") || a->pins || a->vla ||
        a->thunk)
        return;
    for (unsigned i = 0; i < a->n_points; i++)
        a->points[i].tail = is_tail(a, &a->points[i]);
}
