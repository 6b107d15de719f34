/* early_call.c: calls made after the pattern of another call: the same
 * arguments with their attributes, less or more of them, another callee. */
#include "early.h"

#include <stdlib.h>
#include <string.h>

unsigned
arg_count(LLVMValueRef call)
{
    return LLVMGetNumArgOperands(call);
}

int
nest_index(LLVMValueRef call)
{
    for (unsigned i = 0; i < arg_count(call); i++)
        if (call_attribute(call, i + 1, "nest"))
            return (int)i;
    return -1;
}

LLVMTypeRef
result_type(LLVMValueRef call)
{
    return LLVMGetReturnType(LLVMGetCalledFunctionType(call));
}

LLVMTypeRef
sret_type(LLVMValueRef call)
{
    LLVMAttributeRef sret =
        arg_count(call) ? call_attribute(call, 1, "sret") : NULL;

    return sret ? LLVMGetTypeAttributeValue(sret) : NULL;
}

void
new_call_init(struct new_call *c, LLVMValueRef pattern, LLVMValueRef callee,
              LLVMTypeRef result)
{
    size_t room = arg_count(pattern) + 4;

    *c = (struct new_call){
        .pattern = pattern,
        .callee = callee,
        .result = result,
        .args = calloc(room, sizeof *c->args),
        .types = calloc(room, sizeof *c->types),
        .from = calloc(room, sizeof *c->from),
    };
    if (!c->args || !c->types || !c->from)
        abort();
}

void
new_call_add(struct new_call *c, LLVMValueRef value, int from)
{
    c->args[c->n] = value;
    c->types[c->n] = LLVMTypeOf(value);
    c->from[c->n++] = from;
}

void
new_call_add_all(struct new_call *c, int skip)
{
    int nest = nest_index(c->pattern);

    for (unsigned i = 0; i < arg_count(c->pattern); i++) {
        if ((skip & SKIP_NEST) && (int)i == nest)
            continue;
        if ((skip & SKIP_SRET) && !i && sret_type(c->pattern))
            continue;
        new_call_add(c, LLVMGetOperand(c->pattern, i), (int)i);
    }
}

/* The attributes of a call at an index; the caller frees. */
static LLVMAttributeRef *
attributes_of(LLVMValueRef call, LLVMAttributeIndex index, unsigned *n)
{
    LLVMAttributeRef *all;

    *n = LLVMGetCallSiteAttributeCount(call, index);
    all = calloc(*n ? *n : 1, sizeof *all);
    if (!all)
        abort();
    LLVMGetCallSiteAttributes(call, index, all);
    return all;
}

/* `returned` promises something of the old result. */
static bool
attribute_is_of_value(LLVMAttributeRef attribute)
{
    return !LLVMIsEnumAttribute(attribute) ||
           LLVMGetEnumAttributeKind(attribute) !=
               LLVMGetEnumAttributeKindForName("returned", 8);
}

static void
attributes_copy(LLVMValueRef to, LLVMAttributeIndex at, LLVMValueRef from,
                LLVMAttributeIndex index)
{
    unsigned n;
    LLVMAttributeRef *all = attributes_of(from, index, &n);

    for (unsigned i = 0; i < n; i++)
        if (attribute_is_of_value(all[i]))
            LLVMAddCallSiteAttribute(to, at, all[i]);
    free(all);
}

void
attributes_to_param(LLVMValueRef function, unsigned param, LLVMValueRef call,
                    unsigned arg)
{
    unsigned n;
    LLVMAttributeRef *all = attributes_of(call, arg + 1, &n);

    for (unsigned i = 0; i < n; i++)
        if (attribute_is_of_value(all[i]))
            LLVMAddAttributeAtIndex(function, param + 1, all[i]);
    free(all);
}

/* Of a variadic pattern's arguments the mark's is one of the named. */
static LLVMTypeRef
new_call_type(struct new_call *c)
{
    LLVMTypeRef like = LLVMGetCalledFunctionType(c->pattern);
    unsigned named = LLVMCountParamTypes(like);

    if (!c->variadic || !LLVMIsFunctionVarArg(like))
        return LLVMFunctionType(c->result, c->types, c->n, 0);
    return LLVMFunctionType(c->result, c->types,
                            named - (nest_index(c->pattern) >= 0), 1);
}

LLVMValueRef
new_call_emit(struct new_call *c, LLVMBuilderRef builder, LLVMValueRef edges)
{
    LLVMTypeRef type = new_call_type(c);
    LLVMValueRef made;

    if (edges && LLVMIsAInvokeInst(edges))
        made = LLVMBuildInvoke2(builder, type, c->callee, c->args, c->n,
                                LLVMGetNormalDest(edges),
                                LLVMGetUnwindDest(edges), "");
    else
        made = LLVMBuildCall2(builder, type, c->callee, c->args, c->n, "");
    LLVMSetInstructionCallConv(made, c->convention);
    for (unsigned i = 0; i < c->n; i++)
        if (c->from[i] >= 0)
            attributes_copy(made, i + 1, c->pattern,
                            (LLVMAttributeIndex)(c->from[i] + 1));
    if (!LLVMIsAFunction(c->callee)) /* kcfi's: the type to find there */
        made = shim_bundles_copy(made, c->pattern);
    free(c->args);
    free(c->types);
    free(c->from);
    return made;
}

void
new_call_like(LLVMValueRef made, LLVMValueRef pattern)
{
    LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(pattern));
    attributes_copy(made, LLVMAttributeReturnIndex, pattern,
                    LLVMAttributeReturnIndex);
    attributes_copy(made, FUNCTION_INDEX, pattern, FUNCTION_INDEX);
}

LLVMValueRef
call_unmark(LLVMValueRef call)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context_of(call));
    struct new_call c;
    LLVMValueRef made;

    new_call_init(&c, call, LLVMGetCalledValue(call), result_type(call));
    new_call_add_all(&c, SKIP_NEST);
    LLVMPositionBuilderBefore(builder, call);
    made = new_call_emit(&c, builder, call);
    new_call_like(made, call);
    LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(builder);
    return made;
}
