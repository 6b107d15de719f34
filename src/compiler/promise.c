/* promise.c: what the user promised of an async function and an await breaks.
 *
 * const, pure, nothrow, leaf and malloc are promises about everything that
 * runs until the function returns; while an await waits, anything runs, and a
 * fault leaves it as an exception would. They are dropped, with a warning,
 * from functions and calls. What clang itself has found out of a body without
 * awaits is true and stays.
 */
#include "early.h"

#include <string.h>

static const char *const dropped[] = {"memory", "willreturn", "nocallback",
                                      "nosync", "nofree"};

static unsigned
kind_of(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static bool
has(LLVMValueRef function, LLVMAttributeIndex index, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, index, kind_of(name));
}

/* Whether clang may have found out by itself that nothing unwinds. */
static bool
body_cannot_unwind(LLVMValueRef function)
{
    if (LLVMIsDeclaration(function))
        return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (is_await(i) || (is_call(i) && shim_may_unwind(i)))
                return false;
    return true;
}

/* The word that the user wrote, or null. */
static const char *
promise_of(LLVMValueRef function)
{
    if (has(function, FUNCTION_INDEX, "memory"))
        return shim_reads_nothing(function) ? "const" : "pure";
    if (has(function, LLVMAttributeReturnIndex, "noalias"))
        return "malloc";
    if (has(function, FUNCTION_INDEX, "nocallback"))
        return "leaf";
    if (has(function, FUNCTION_INDEX, "nounwind") &&
        LLVMIsDeclaration(function)) /* clang infers it for definitions */
        return "nothrow";
    return NULL;
}

static void
function_free(LLVMValueRef function)
{
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_INDEX,
                                       kind_of(dropped[i]));
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeReturnIndex,
                                   kind_of("noalias"));
    if (!body_cannot_unwind(function))
        LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_INDEX,
                                       kind_of("nounwind"));
}

static void
call_free(LLVMValueRef call)
{
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        LLVMRemoveCallSiteEnumAttribute(call, FUNCTION_INDEX,
                                        kind_of(dropped[i]));
    LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeReturnIndex,
                                    kind_of("noalias"));
    LLVMRemoveCallSiteEnumAttribute(call, FUNCTION_INDEX, kind_of("nounwind"));
}

void
early_promises(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f)) {
        const char *word = function_is_async(f) ? promise_of(f) : NULL;

        if (word && !frontend_checked)
            diag_at(f, shim_first_use(f), DIAG_WARNING,
                    "'%s' is dropped from an async function: while it waits "
                    "anything may run, and it may end with a fault",
                    word);
        if (function_is_async(f))
            function_free(f);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                if (is_await(i))
                    call_free(i);
    }
}
