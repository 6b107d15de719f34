/* early_thunk.c: functions made for started calls.
 *
 * A start thunk is an async function whose record is its task: it awaits the
 * callee and its result is the task's. There is one for each callee, type
 * and kind; where the callee is a pointer it comes as a parameter. An
 * adapter stands for an awaitable that is no function of its own (fm_get)
 * where a raw call needs one.
 */
#include "early.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_direct(LLVMValueRef call)
{
    return LLVMIsConstant(LLVMGetCalledValue(call));
}

/* The await inside a thunk: the call before its `ret`. */
static LLVMValueRef
inner_call(LLVMValueRef thunk)
{
    LLVMValueRef inst =
        LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(thunk));

    while (inst && !is_await(inst))
        inst = LLVMGetPreviousInstruction(inst);
    return inst;
}

static bool
attributes_equal(LLVMValueRef a, unsigned at, LLVMValueRef b, unsigned index)
{
    LLVMAttributeRef in_a[32], in_b[32];
    unsigned n = LLVMGetCallSiteAttributeCount(a, at);

    if (n != LLVMGetCallSiteAttributeCount(b, index) || n > 32)
        return false;
    LLVMGetCallSiteAttributes(a, at, in_a);
    LLVMGetCallSiteAttributes(b, index, in_b);
    return !memcmp(in_a, in_b, n * sizeof *in_a);
}

/* Whether the thunk's await is the marked call less its mark. */
static bool
calls_alike(LLVMValueRef inner, LLVMValueRef marked)
{
    int nest = nest_index(marked);
    unsigned k = 0;

    if (is_direct(inner) != is_direct(marked) ||
        (is_direct(inner) &&
         LLVMGetCalledValue(inner) != LLVMGetCalledValue(marked)) ||
        result_type(inner) != result_type(marked) ||
        arg_count(inner) + 1 != arg_count(marked))
        return false;
    for (unsigned i = 0; i < arg_count(marked); i++) {
        if ((int)i == nest)
            continue;
        if (LLVMTypeOf(LLVMGetOperand(inner, k)) !=
                LLVMTypeOf(LLVMGetOperand(marked, i)) ||
            !attributes_equal(inner, k + 1, marked, i + 1))
            return false;
        k++;
    }
    return true;
}

static LLVMValueRef
thunk_find(struct marked *m, unsigned params)
{
    for (size_t i = 0; i < m->thunks->n; i++) {
        LLVMValueRef thunk = m->thunks->at[i];

        if (LLVMCountParams(thunk) == params &&
            calls_alike(inner_call(thunk), m->call))
            return thunk;
    }
    return NULL;
}

/* An internal async function named after the callee whose parameters are
 * `first` pointers and then the marked call's arguments. */
static LLVMValueRef
bridge_new(struct marked *m, const char *suffix, unsigned first, int skip,
           LLVMTypeRef result)
{
    LLVMValueRef callee = LLVMGetCalledValue(m->call), like = m->function;
    unsigned n = arg_count(m->call), k = first;
    LLVMTypeRef *types = calloc(n + first + 1, sizeof *types);
    LLVMValueRef made;
    size_t length;
    const char *name = callee_name(m->call, &length);
    char full[256];

    if (!types)
        abort();
    for (unsigned i = 0; i < first; i++)
        types[i] = pointer_type(m->context);
    for (unsigned i = 0; i < n; i++)
        if (!((int)i == nest_index(m->call) ||
              ((skip & SKIP_SRET) && !i && sret_type(m->call))))
            types[k++] = LLVMTypeOf(LLVMGetOperand(m->call, i));
    snprintf(full, sizeof full, "%.*s.%s", length ? (int)length : 2,
             length ? name : "fm", suffix);
    if (LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee))
        like = callee;
    made = function_like(like, full, LLVMFunctionType(result, types, k, 0));
    LLVMSetFunctionCallConv(made, FM_ABI_CONV_NUMBER);
    LLVMAppendBasicBlockInContext(m->context, made, "entry");
    free(types);
    return made;
}

/* Emits the await of the marked call's callee with the bridge's parameters
 * from `first` on; `sret` stands for the memory of its result. */
static LLVMValueRef
inner_emit(struct marked *m, LLVMBuilderRef builder, LLVMValueRef bridge,
           unsigned first, LLVMValueRef callee, LLVMValueRef sret)
{
    struct new_call c;
    unsigned k = first;

    new_call_init(&c, m->call, callee, result_type(m->call));
    c.convention = FM_ABI_CONV_NUMBER;
    for (unsigned i = 0; i < arg_count(m->call); i++) {
        if ((int)i == nest_index(m->call))
            continue;
        if (sret && !i) {
            new_call_add(&c, sret, 0);
            continue;
        }
        attributes_to_param(bridge, k, m->call, i);
        new_call_add(&c, LLVMGetParam(bridge, k++), (int)i);
    }
    return new_call_emit(&c, builder, NULL);
}

static void
ret_emit(LLVMBuilderRef builder, LLVMValueRef value)
{
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(builder);
    else
        LLVMBuildRet(builder, value);
}

/* The name of the bridge's own frame; traces hide what begins with `fm.`. */
static void
bridge_title(struct marked *m, char *title, size_t size)
{
    size_t length;
    const char *name = callee_name(m->call, &length);

    if (length && *name == '\1') {
        name++;
        length--;
    }
    if (length == 7 && !memcmp(name, "fm.main", 7)) {
        name = "main";
        length = 4;
    }
    snprintf(title, size, length ? "fm.start(%.*s)" : "fm.start", (int)length,
             name);
}

/* A builder in the bridge's entry block. */
static LLVMBuilderRef
bridge_builder(struct marked *m, LLVMValueRef bridge)
{
    LLVMValueRef callee = LLVMGetCalledValue(m->call), like = m->function;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(m->context);
    char title[256];

    bridge_title(m, title, sizeof title);
    if (LLVMIsAFunction(callee) && LLVMGetSubprogram(callee))
        like = callee;
    LLVMPositionBuilderAtEnd(builder, LLVMGetEntryBasicBlock(bridge));
    LLVMSetCurrentDebugLocation2(builder, shim_artificial(bridge, like, title));
    return builder;
}

/* Where the inner await of a thunk writes a result through memory: the
 * task's slot, or a copy where that is not aligned enough. */
static LLVMValueRef
sret_place(struct marked *m, LLVMBuilderRef builder, LLVMValueRef thunk)
{
    LLVMAttributeRef align = call_attribute(m->call, 1, "align");
    unsigned bytes = align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
    LLVMValueRef place;

    if (bytes <= 16)
        return emit_result_slot(builder, LLVMGetParam(thunk, 0));
    place = LLVMBuildAlloca(builder, sret_type(m->call), "");
    LLVMSetAlignment(place, bytes); /* clang's type is not aligned by itself */
    return place;
}

static LLVMValueRef
thunk_new(struct marked *m, bool on)
{
    bool direct = is_direct(m->call);
    LLVMTypeRef sret = sret_type(m->call);
    LLVMValueRef thunk = bridge_new(m, "start", 1 + on + !direct, SKIP_SRET,
                                    result_type(m->call));
    LLVMBuilderRef builder = bridge_builder(m, thunk);
    LLVMValueRef place = sret ? sret_place(m, builder, thunk) : NULL;
    LLVMValueRef callee =
        direct ? LLVMGetCalledValue(m->call) : LLVMGetParam(thunk, 1 + on);
    LLVMTypeRef ptr = pointer_type(m->context);
    char bytes[24];
    int n = snprintf(bytes, sizeof bytes, "%llu",
                     (unsigned long long)result_bytes(m->call));

    LLVMAddAttributeAtIndex(thunk, FUNCTION_INDEX,
                            LLVMCreateStringAttribute(m->context, "fm-start", 8,
                                                      bytes, (unsigned)n));
    if (on) {
        LLVMTypeRef type =
            LLVMFunctionType(LLVMVoidTypeInContext(m->context), &ptr, 1, 0);
        LLVMValueRef ex = LLVMGetParam(thunk, 1);

        LLVMSetInstructionCallConv(
            LLVMBuildCall2(builder, type,
                           declare_async(m->module, "fm_abi_begin_on", type),
                           &ex, 1, ""),
            FM_ABI_CONV_NUMBER);
    }
    place = inner_emit(m, builder, thunk, 1 + on + !direct, callee, place);
    if (sret && LLVMIsAAllocaInst(LLVMGetOperand(place, 0)))
        LLVMBuildMemCpy(builder,
                        emit_result_slot(builder, LLVMGetParam(thunk, 0)), 16,
                        LLVMGetOperand(place, 0), 16,
                        LLVMConstInt(LLVMInt64TypeInContext(m->context),
                                     result_bytes(m->call), 0));
    ret_emit(builder, place);
    LLVMDisposeBuilder(builder);
    return thunk;
}

LLVMValueRef
start_thunk(struct marked *m, bool on)
{
    unsigned params = arg_count(m->call) - 1 - !!sret_type(m->call) + 1 + on +
                      !is_direct(m->call);
    LLVMValueRef thunk = thunk_find(m, params);

    if (!thunk) {
        thunk = thunk_new(m, on);
        list_add(m->thunks, thunk);
    }
    return thunk;
}

LLVMValueRef
adapter(struct marked *m)
{
    LLVMValueRef made = bridge_new(m, "raw", 0, 0, result_type(m->call));
    LLVMBuilderRef builder = bridge_builder(m, made);

    ret_emit(builder, inner_emit(m, builder, made, 0,
                                 LLVMGetCalledValue(m->call), NULL));
    LLVMDisposeBuilder(builder);
    return made;
}
