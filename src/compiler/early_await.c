/* early_await.c: fm_attempt, fm_within, fm_anywhere: marks on awaits.
 *
 * The call stays an await; what the mark adds goes around it, on the normal
 * path and into a landing pad of its own on the other.
 */
#include "early.h"

#include <string.h>

void
mark_anywhere(struct marked *m)
{
    LLVMAttributeRef anywhere =
        LLVMCreateStringAttribute(m->context, "fm-anywhere", 11, "", 0);

    m->call = call_unmark(m->call);
    LLVMAddCallSiteAttribute(m->call, FUNCTION_INDEX, anywhere);
}

static void
leave_emit(struct marked *m, LLVMValueRef place, LLVMValueRef outer)
{
    LLVMPositionBuilderBefore(m->builder, place);
    emit_runtime(m->builder, m->module, "fm_abi_scope_leave",
                 LLVMVoidTypeInContext(m->context), &outer, 1);
}

/* The deadline is set at the call, not where the mark stands, which is
 * before the arguments. */
void
mark_within(struct marked *m)
{
    LLVMValueRef outer, ns = LLVMGetOperand(m->mark, 0);
    LLVMBasicBlockRef pad;

    LLVMPositionBuilderBefore(m->builder, m->call);
    outer = emit_runtime(m->builder, m->module, "fm_abi_with_timeout",
                         pointer_type(m->context), &ns, 1);
    m->call = call_unmark(m->call);
    pad = shim_own_pad(&m->call);
    leave_emit(m, LLVMGetBasicBlockTerminator(pad), outer);
    leave_emit(m, place_after(m->call), outer);
}

/* In the pad: a fault is taken and goes to `join`, anything else goes on
 * unwinding. Returns the fault and the block that it comes from. */
static LLVMValueRef
fault_take(struct marked *m, LLVMBasicBlockRef pad, LLVMBasicBlockRef join,
           LLVMBasicBlockRef *from)
{
    LLVMValueRef exception = LLVMGetFirstInstruction(pad), tagged, bit, end;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(m->context);
    LLVMBasicBlockRef foreign;

    foreign = shim_cut_before(LLVMGetBasicBlockTerminator(pad), "foreign");
    *from = block_after(pad, "attempted");
    end = LLVMGetBasicBlockTerminator(pad);
    LLVMPositionBuilderBefore(m->builder, end);
    tagged = LLVMBuildExtractValue(m->builder, exception, 0, "");
    bit =
        LLVMBuildAnd(m->builder, LLVMBuildPtrToInt(m->builder, tagged, i64, ""),
                     LLVMConstInt(i64, FM_ABI_FAULT_BIT, 0), "");
    bit =
        LLVMBuildICmp(m->builder, LLVMIntNE, bit, LLVMConstInt(i64, 0, 0), "");
    LLVMBuildCondBr(m->builder, bit, *from, foreign);
    LLVMInstructionEraseFromParent(end);
    LLVMPositionBuilderAtEnd(m->builder, *from);
    tagged = emit_runtime(m->builder, m->module, "fm_abi_caught",
                          pointer_type(m->context), &tagged, 1);
    end = LLVMBuildBr(m->builder, join);
    fault_slot_set(fault_slot_new(m->function), tagged, end);
    *from = LLVMGetInstructionParent(end);
    return tagged;
}

/* Writes the result to the mark's out parameter, if there is one. */
static void
out_emit(struct marked *m, LLVMValueRef place)
{
    LLVMValueRef out = LLVMGetOperand(m->mark, 0);
    LLVMValueRef bytes = LLVMGetOperand(m->mark, 1);
    LLVMAttributeRef align;

    if (LLVMIsNull(out))
        return;
    LLVMPositionBuilderBefore(m->builder, place);
    if (sret_type(m->call)) {
        align = call_attribute(m->call, 1, "align");
        LLVMBuildMemCpy(m->builder, out, 1, LLVMGetOperand(m->call, 0),
                        align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1,
                        bytes);
    } else if (result_bytes(m->call)) {
        emit_store(m->builder, m->function, m->call, out,
                   LLVMConstIntGetZExtValue(bytes));
    }
}

void
mark_attempt(struct marked *m)
{
    LLVMTypeRef type = result_type(m->call), ptr = pointer_type(m->context);
    LLVMValueRef place, fault, phi, value;
    LLVMBasicBlockRef pad, join, normal, from;

    m->call = call_unmark(m->call);
    pad = shim_own_pad(&m->call);
    place = place_after(m->call);
    join = shim_cut_before(place, "joined");
    normal = LLVMGetNormalDest(m->call);
    fault = fault_take(m, pad, join, &from);
    LLVMPositionBuilderBefore(m->builder, LLVMGetFirstInstruction(join));
    phi = emit_phi(m->builder, ptr, LLVMConstNull(ptr), normal, fault, from);
    if (LLVMGetTypeKind(type) != LLVMVoidTypeKind) {
        LLVMValueRef none = LLVMGetUndef(type);

        value = LLVMBuildPhi(m->builder, type, "");
        LLVMReplaceAllUsesWith(m->call, value);
        LLVMAddIncoming(value, &m->call, &normal, 1);
        LLVMAddIncoming(value, &none, &from, 1);
    }
    out_emit(m, LLVMGetBasicBlockTerminator(normal));
    yield_replace(phi, "fm_abi_attempted", phi);
}
