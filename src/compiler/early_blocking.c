/* early_blocking.c: fm_blocking(call of an ordinary function).
 *
 * The call becomes an await of the runtime's, which gets a block of the
 * function's memory and a function made here that makes the call out of it:
 * on another thread, while the chain is suspended, so the block is pinned. In
 * the block lie the callee where it is a pointer, the arguments by value
 * (memory passed by value too), the result.
 *
 * A function that is declared not to unwind is called, not invoked; the await
 * may raise all the same. So the mark is one that may, and the edge is taken
 * from there.
 */
#include "early.h"

#include <stdio.h>
#include <stdlib.h>

struct layout {
    uint64_t bytes;
    unsigned align;
    uint64_t callee, result, *args; /* offsets */
};

static LLVMTargetDataRef
data_layout(struct marked *m)
{
    return LLVMGetModuleDataLayout(m->module);
}

static LLVMTypeRef
byval_type(LLVMValueRef call, unsigned i)
{
    LLVMAttributeRef byval = call_attribute(call, i + 1, "byval");

    return byval ? LLVMGetTypeAttributeValue(byval) : NULL;
}

/* Room for a value of the type; `align` is what the call says of its memory,
 * or null. */
static uint64_t
layout_add(struct marked *m, struct layout *l, LLVMTypeRef type,
           LLVMAttributeRef align)
{
    unsigned a = LLVMABIAlignmentOfType(data_layout(m), type);
    uint64_t at;

    if (align && LLVMGetEnumAttributeValue(align) > a)
        a = (unsigned)LLVMGetEnumAttributeValue(align);
    if (a > l->align)
        l->align = a;
    at = (l->bytes + a - 1) / a * a;
    l->bytes = at + LLVMABISizeOfType(data_layout(m), type);
    return at;
}

static bool
is_skipped(struct marked *m, unsigned i)
{
    return (int)i == nest_index(m->call) || (!i && sret_type(m->call));
}

static bool
returns_value(struct marked *m)
{
    return LLVMGetTypeKind(result_type(m->call)) != LLVMVoidTypeKind;
}

static struct layout
layout_of(struct marked *m)
{
    struct layout l = {.align = 16};
    LLVMTypeRef sret = sret_type(m->call);
    unsigned n = arg_count(m->call);

    l.args = calloc(n + 1, sizeof *l.args);
    if (!l.args)
        abort();
    l.callee = layout_add(m, &l, pointer_type(m->context), NULL);
    for (unsigned i = 0; i < n; i++) {
        LLVMTypeRef type = byval_type(m->call, i);
        if (is_skipped(m, i))
            continue;
        l.args[i] = layout_add(
            m, &l, type ? type : LLVMTypeOf(LLVMGetOperand(m->call, i)),
            type ? call_attribute(m->call, i + 1, "align") : NULL);
    }
    if (sret)
        l.result = layout_add(m, &l, sret, call_attribute(m->call, 1, "align"));
    else if (returns_value(m))
        l.result = layout_add(m, &l, result_type(m->call), NULL);
    return l;
}

static LLVMValueRef
place_in(struct marked *m, LLVMBuilderRef b, LLVMValueRef block, uint64_t at)
{
    LLVMValueRef offset =
        LLVMConstInt(LLVMInt64TypeInContext(m->context), at, 0);

    return LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(m->context), block,
                                 &offset, 1, "");
}

static LLVMValueRef
size_value(struct marked *m, LLVMTypeRef type)
{
    return LLVMConstInt(LLVMInt64TypeInContext(m->context),
                        LLVMABISizeOfType(data_layout(m), type), 0);
}

static bool
is_indirect(struct marked *m)
{
    return !LLVMIsConstant(LLVMGetCalledValue(m->call));
}

/* ---- the function that makes the call ------------------------------------ */

static void
call_out_of(struct marked *m, struct layout *l, LLVMBuilderRef b,
            LLVMValueRef made)
{
    LLVMValueRef block = LLVMGetParam(made, 0), callee, call;
    LLVMTypeRef ptr = pointer_type(m->context), type = result_type(m->call);
    struct new_call c;

    callee = is_indirect(m)
                 ? emit_load(b, ptr, place_in(m, b, block, l->callee), 8)
                 : LLVMGetCalledValue(m->call);
    new_call_init(&c, m->call, callee, type);
    c.variadic = true;
    for (unsigned i = 0; i < arg_count(m->call); i++) {
        LLVMTypeRef of = LLVMTypeOf(LLVMGetOperand(m->call, i));
        LLVMValueRef at;
        if ((int)i == nest_index(m->call))
            continue;
        at = place_in(m, b, block, is_skipped(m, i) ? l->result : l->args[i]);
        if (!is_skipped(m, i) && !byval_type(m->call, i))
            at = emit_load(b, of, at,
                           LLVMABIAlignmentOfType(data_layout(m), of));
        new_call_add(&c, at, (int)i);
    }
    call = new_call_emit(&c, b, NULL);
    new_call_like(call, m->call);
    if (returns_value(m))
        emit_store(b, made, call, place_in(m, b, block, l->result),
                   LLVMABISizeOfType(data_layout(m), type));
    LLVMBuildRetVoid(b);
}

static LLVMValueRef
caller_new(struct marked *m, struct layout *l)
{
    LLVMTypeRef ptr = pointer_type(m->context);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(m->context), &ptr, 1, 0);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->context);
    size_t length;
    const char *name = callee_name(m->call, &length);
    LLVMValueRef made;
    char full[256];

    snprintf(full, sizeof full, "%.*s.blocking", length ? (int)length : 2,
             length ? name : "fm");
    made = function_like(m->function, full, type);
    LLVMPositionBuilderAtEnd(
        b, LLVMAppendBasicBlockInContext(m->context, made, "entry"));
    LLVMSetCurrentDebugLocation2(
        b, shim_artificial(made, m->function, "fm.blocking"));
    call_out_of(m, l, b, made);
    LLVMDisposeBuilder(b);
    return made;
}

/* ---- the await ------------------------------------------------------------ */

static void
arguments_emit(struct marked *m, struct layout *l, LLVMValueRef block)
{
    LLVMBuilderRef b = m->builder;

    if (is_indirect(m))
        LLVMBuildStore(b, LLVMGetCalledValue(m->call),
                       place_in(m, b, block, l->callee));
    for (unsigned i = 0; i < arg_count(m->call); i++) {
        LLVMTypeRef type = byval_type(m->call, i);
        LLVMValueRef value = LLVMGetOperand(m->call, i), at;
        if (is_skipped(m, i))
            continue;
        at = place_in(m, b, block, l->args[i]);
        if (type)
            LLVMBuildMemCpy(b, at, 1, value, 1, size_value(m, type));
        else
            emit_store(b, m->function, value, at,
                       LLVMABISizeOfType(data_layout(m), LLVMTypeOf(value)));
    }
}

/* Emits the await before the call; leaves the builder where it has ended. */
static LLVMValueRef
await_emit(struct marked *m, LLVMValueRef *args)
{
    LLVMTypeRef types[2], type;
    LLVMValueRef callee, made;
    LLVMBasicBlockRef after;

    for (unsigned i = 0; i < 2; i++)
        types[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(LLVMVoidTypeInContext(m->context), types, 2, 0);
    callee = declare_async(m->module, "fm_abi_blocking", type);
    if (LLVMIsAInvokeInst(m->call)) {
        after = shim_split_normal(m->call);
        made = LLVMBuildInvoke2(m->builder, type, callee, args, 2, after,
                                LLVMGetUnwindDest(m->call), "");
        LLVMPositionBuilderBefore(m->builder,
                                  LLVMGetBasicBlockTerminator(after));
    } else if (LLVMIsAInvokeInst(m->mark)) {
        LLVMBasicBlockRef head = LLVMGetInstructionParent(m->call);
        LLVMValueRef end;
        after = shim_cut_before(m->call, "blocking");
        end = LLVMGetBasicBlockTerminator(head);
        LLVMPositionBuilderBefore(m->builder, end);
        made = LLVMBuildInvoke2(m->builder, type, callee, args, 2, after,
                                LLVMGetUnwindDest(m->mark), "");
        LLVMInstructionEraseFromParent(end);
        shim_edge_like(made, m->mark);
        LLVMPositionBuilderBefore(m->builder, m->call);
    } else {
        made = LLVMBuildCall2(m->builder, type, callee, args, 2, "");
    }
    LLVMSetInstructionCallConv(made, FM_ABI_CONV_NUMBER);
    return made;
}

static void
result_emit(struct marked *m, struct layout *l, LLVMValueRef block)
{
    LLVMTypeRef type = result_type(m->call), sret = sret_type(m->call);
    LLVMValueRef at = place_in(m, m->builder, block, l->result), value;

    if (sret)
        LLVMBuildMemCpy(m->builder, LLVMGetOperand(m->call, 0), 1, at, 1,
                        size_value(m, sret));
    if (!returns_value(m))
        return;
    value = emit_load(m->builder, type, at,
                      LLVMABIAlignmentOfType(data_layout(m), type));
    LLVMReplaceAllUsesWith(m->call, value);
}

void
mark_blocking(struct marked *m)
{
    struct layout l = layout_of(m);
    LLVMTypeRef bytes =
        LLVMArrayType(LLVMInt8TypeInContext(m->context), (unsigned)l.bytes);
    LLVMValueRef block = emit_slot(m->function, bytes, l.align);
    LLVMValueRef args[] = {caller_new(m, &l), block};
    LLVMValueRef call = m->call, made;

    LLVMPositionBuilderBefore(m->builder, call);
    shim_lifetime(m->builder, block, true);
    arguments_emit(m, &l, block);
    made = await_emit(m, args);
    result_emit(m, &l, block);
    shim_lifetime(m->builder, block, false);
    LLVMInstructionEraseFromParent(call);
    m->call = made;
    free(l.args);
}
