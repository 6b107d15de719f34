/* early_inline.c: a call in an async function is weighed at twice its size.
 *
 * What LLVM inlines there is compiled twice: the split copies all that lies
 * behind an await. So what LLVM would let it grow by is halved, and a static
 * function is not inlined for the sole reason that it is called only once:
 * the call is weighed as if it were one of two. A large async function has
 * two halves anyway; but one made of hundreds of others would be compiled in
 * more than linear time. What a start thunk calls goes into it: that makes
 * spawn and first suspension one allocation.
 */
#include "early.h"

#include <stdio.h>
#include <string.h>

/* Instructions of clang's own output, from which on a call is weighed; what
 * is smaller is LLVM's business alone. */
#define PLAIN_MOST 60
#define ASYNC_MOST 400

/* What LLVM takes off for the last call of a local function. */
#define LAST_CALL 15000

static bool
is_larger(LLVMValueRef function, unsigned most)
{
    unsigned n = 0;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (++n > most)
                return true;
    return false;
}

static bool
is_only_call(LLVMValueRef function)
{
    LLVMLinkage linkage = LLVMGetLinkage(function);

    return (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage) &&
           !LLVMGetNextUse(LLVMGetFirstUse(function));
}

static bool
has(LLVMValueRef function, const char *attribute)
{
    return LLVMGetEnumAttributeAtIndex(
               function, FUNCTION_INDEX,
               LLVMGetEnumAttributeKindForName(attribute, strlen(attribute))) !=
           NULL;
}

/* LLVM's threshold at these levels. */
static int
growth(LLVMValueRef function, int level, int size)
{
    if (size)
        return size > 1 ? 5 : 50;
    if (has(function, "inlinehint"))
        return 325;
    return level > 2 ? 250 : 225;
}

static void
call_weigh(LLVMValueRef call, int level, int size)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    LLVMContextRef context = context_of(call);
    char text[16];
    int most, n;

    if (!LLVMIsAFunction(f) || LLVMIsDeclaration(f) || has(f, "alwaysinline") ||
        has(f, "noinline") || has(f, "cold") ||
        !is_larger(f, function_is_async(f) ? ASYNC_MOST : PLAIN_MOST))
        return;
    most = growth(f, level, size) / (function_is_async(f) ? 1 : 2);
    if (is_only_call(f))
        most -= LAST_CALL;
    n = snprintf(text, sizeof text, "%d", most);
    LLVMAddCallSiteAttribute(
        call, FUNCTION_INDEX,
        LLVMCreateStringAttribute(context, "function-inline-threshold",
                                  strlen("function-inline-threshold"), text,
                                  (unsigned)n));
}

static bool
has_await(LLVMValueRef function, struct value_list *calls)
{
    bool found = false;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            found |= is_await(i);
            if (is_call(i))
                list_add(calls, i);
        }
    return found;
}

void
early_inline(LLVMModuleRef module, int level, int size)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f)) {
        struct value_list calls = {0};

        if (LLVMIsDeclaration(f) || !function_is_async(f) ||
            LLVMGetStringAttributeAtIndex(f, FUNCTION_INDEX, "fm-start", 8))
            continue;
        if (has_await(f, &calls))
            for (size_t i = 0; i < calls.n; i++)
                call_weigh(calls.at[i], level, size);
        list_free(&calls);
    }
}
