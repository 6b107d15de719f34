/* early_ir.c: the early half's short words over LLVM-C: what is a call, who
 * is called, declarations and new functions. */
#include "early.h"

#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
list_add(struct value_list *list, LLVMValueRef value)
{
    if (list->n == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 16;
        list->at = realloc(list->at, list->capacity * sizeof *list->at);
        if (!list->at)
            abort();
    }
    list->at[list->n++] = value;
}

void
list_free(struct value_list *list)
{
    free(list->at);
    *list = (struct value_list){0};
}

bool
is_call(LLVMValueRef inst)
{
    return LLVMIsACallInst(inst) || LLVMIsAInvokeInst(inst);
}

bool
is_await(LLVMValueRef inst)
{
    return is_call(inst) &&
           LLVMGetInstructionCallConv(inst) == FM_ABI_CONV_NUMBER;
}

bool
function_is_async(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == FM_ABI_CONV_NUMBER;
}

bool
name_has_suffix(const char *name, size_t length, const char *suffix)
{
    size_t n = strlen(suffix);

    return length > n && !memcmp(name + length - n, suffix, n);
}

const char *
callee_name(LLVMValueRef call, size_t *length)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name;

    *length = 0;
    if (!callee || !LLVMIsAGlobalValue(callee))
        return "";
    name = LLVMGetValueName2(callee, length);
    if (name_has_suffix(name, *length, SPLIT_SUFFIX))
        *length -= strlen(SPLIT_SUFFIX);
    return name;
}

bool
calls_named(LLVMValueRef call, const char *name)
{
    size_t length;
    const char *called;

    if (!is_call(call))
        return false;
    called = callee_name(call, &length);
    return length == strlen(name) && !memcmp(called, name, length);
}

bool
callee_is_read(LLVMValueRef call)
{
    return calls_named(call, "fm_abi_get") ||
           calls_named(call, "fm_abi_join") || calls_named(call, "fm_abi_take");
}

LLVMValueRef
function_of(LLVMValueRef inst)
{
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
}

LLVMModuleRef
module_of(LLVMValueRef inst)
{
    return LLVMGetGlobalParent(function_of(inst));
}

LLVMContextRef
context_of(LLVMValueRef inst)
{
    return LLVMGetModuleContext(module_of(inst));
}

LLVMTypeRef
pointer_type(LLVMContextRef context)
{
    return LLVMPointerTypeInContext(context, 0);
}

LLVMAttributeRef
call_attribute(LLVMValueRef call, LLVMAttributeIndex index, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    return LLVMGetCallSiteEnumAttribute(call, index, kind);
}

LLVMAttributeRef
enum_attribute(LLVMContextRef context, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    return LLVMCreateEnumAttribute(context, kind, 0);
}

LLVMValueRef
declare(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
    LLVMValueRef found = LLVMGetNamedFunction(module, name);

    return found ? found : LLVMAddFunction(module, name, type);
}

LLVMValueRef
declare_async(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
    char split[128];
    LLVMValueRef function;

    snprintf(split, sizeof split, "%s%s", name, SPLIT_SUFFIX);
    function = declare(module, split, type);
    LLVMSetFunctionCallConv(function, FM_ABI_CONV_NUMBER);
    return function;
}

LLVMValueRef
declare_typed(LLVMModuleRef module, const char *stem, LLVMTypeRef type)
{
    for (unsigned k = 0;; k++) {
        char name[64];
        LLVMValueRef found;

        snprintf(name, sizeof name, "%s.%u", stem, k);
        found = LLVMGetNamedFunction(module, name);
        if (!found)
            return LLVMAddFunction(module, name, type);
        if (LLVMGlobalGetValueType(found) == type)
            return found;
    }
}

/* Attributes of a function that say how it is to be compiled, not what it
 * does: the only ones that a made function may take over. */
static bool
attribute_is_manner(LLVMAttributeRef attribute)
{
    static const char *const names[] = {
        "uwtable",
        "sanitize_address",
        "sanitize_thread",
        "sanitize_memory",
        "sanitize_hwaddress",
        "sanitize_memtag",
        "safestack",
        "ssp",
        "sspstrong",
        "sspreq",
        "nonlazybind",
        "null_pointer_is_valid",
        "minsize",
        "optsize",
        "shadowcallstack",
        "strictfp",
    };

    if (LLVMIsStringAttribute(attribute)) {
        unsigned length;
        const char *kind = LLVMGetStringAttributeKind(attribute, &length);

        return length < 3 || memcmp(kind, "fm-", 3) != 0; /* not our own */
    }
    if (!LLVMIsEnumAttribute(attribute))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (LLVMGetEnumAttributeKind(attribute) ==
            LLVMGetEnumAttributeKindForName(names[i], strlen(names[i])))
            return true;
    return false;
}

LLVMValueRef
function_like(LLVMValueRef like, const char *name, LLVMTypeRef type)
{
    LLVMModuleRef module = LLVMGetGlobalParent(like);
    LLVMValueRef made = LLVMAddFunction(module, name, type);
    unsigned n = LLVMGetAttributeCountAtIndex(like, FUNCTION_INDEX);
    LLVMAttributeRef *all = calloc(n ? n : 1, sizeof *all);

    if (!all)
        abort();
    LLVMGetAttributesAtIndex(like, FUNCTION_INDEX, all);
    for (unsigned i = 0; i < n; i++)
        if (attribute_is_manner(all[i]))
            LLVMAddAttributeAtIndex(made, FUNCTION_INDEX, all[i]);
    free(all);
    LLVMSetLinkage(made, LLVMInternalLinkage);
    return made;
}

void
early_check(LLVMModuleRef module)
{
    if (getenv("FERMATA_CHECK"))
        LLVMVerifyModule(module, LLVMAbortProcessAction, NULL);
}
