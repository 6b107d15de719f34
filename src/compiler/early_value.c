/* early_value.c: results between registers and memory, and small words of
 * control flow.
 *
 * clang may return a struct in registers that are wider than it (12 bytes as
 * {i64, i32}, 16 in memory): so what goes to the user's object is copied by
 * the C size. A _Bool is i1 in a register and a byte in memory.
 */
#include "early.h"

#include <string.h>

/* These call user code, by which a C++ exception may come through. */
static bool
runtime_may_unwind(const char *name)
{
    static const char *const names[] = {
        "fm_abi_start_leave",        "fm_abi_begin_leave",
        "fm_abi_begin_leave_memory", "fm_abi_wait",
        "fm_abi_wait_leave",         "fm_abi_wait_leave_memory",
        "fm_abi_wait_attempt",       "fm_abi_wait_for",
        "fm_abi_stress_wait",        "fm_abi_main",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

LLVMValueRef
emit_runtime(LLVMBuilderRef builder, LLVMModuleRef module, const char *name,
             LLVMTypeRef result, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef types[8], type;
    LLVMValueRef call;

    for (unsigned i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(result, types, n, 0);
    call =
        LLVMBuildCall2(builder, type, declare(module, name, type), args, n, "");
    if (!runtime_may_unwind(name))
        LLVMAddCallSiteAttribute(
            call, FUNCTION_INDEX,
            enum_attribute(LLVMGetModuleContext(module), "nounwind"));
    return call;
}

LLVMValueRef
emit_slot(LLVMValueRef function, LLVMTypeRef type, unsigned align)
{
    LLVMContextRef context =
        LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMValueRef slot;

    LLVMPositionBuilderBefore(
        builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMSetCurrentDebugLocation2(builder, NULL);
    slot = LLVMBuildAlloca(builder, type, "");
    LLVMSetAlignment(slot, align);
    LLVMDisposeBuilder(builder);
    return slot;
}

static bool
type_is_bit(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(type) == 1;
}

static LLVMTypeRef
type_in_memory(LLVMTypeRef type)
{
    return type_is_bit(type) ? LLVMInt8TypeInContext(LLVMGetTypeContext(type))
                             : type;
}

uint64_t
result_bytes(LLVMValueRef call)
{
    LLVMTypeRef type = sret_type(call);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module_of(call));

    if (type)
        return LLVMABISizeOfType(layout, type);
    type = result_type(call);
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
        return 0;
    return LLVMStoreSizeOfType(layout, type_in_memory(type));
}

void
emit_store(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef value,
           LLVMValueRef to, uint64_t bytes)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    LLVMTypeRef type = type_in_memory(LLVMTypeOf(value));
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef slot = to;
    bool wide = LLVMStoreSizeOfType(layout, type) > bytes;

    if (type != LLVMTypeOf(value))
        value = LLVMBuildZExt(builder, value, type, "");
    if (wide) {
        slot = emit_slot(function, type, 16);
        shim_lifetime(builder, slot, true);
    }
    LLVMSetAlignment(LLVMBuildStore(builder, value, slot), wide ? 16 : 1);
    if (!wide)
        return;
    LLVMBuildMemCpy(builder, to, 1, slot, 16, LLVMConstInt(i64, bytes, 0));
    shim_lifetime(builder, slot, false);
}

LLVMValueRef
emit_load(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef from,
          unsigned align)
{
    LLVMTypeRef memory = type_in_memory(type);
    LLVMValueRef value = LLVMBuildLoad2(builder, memory, from, "");

    LLVMSetAlignment(value, align);
    return memory == type ? value : LLVMBuildTrunc(builder, value, type, "");
}

LLVMValueRef
emit_result_slot(LLVMBuilderRef builder, LLVMValueRef task)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(task));
    LLVMValueRef offset =
        LLVMConstInt(LLVMInt64TypeInContext(context), FM_ABI_RESULT, 0);

    return LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(context), task,
                                 &offset, 1, "");
}

void
emit_slot_to_sret(LLVMBuilderRef builder, LLVMValueRef call, LLVMValueRef task)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context_of(call));
    LLVMAttributeRef align = call_attribute(call, 1, "align");

    LLVMBuildMemCpy(builder, LLVMGetOperand(call, 0),
                    align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1,
                    emit_result_slot(builder, task), 16,
                    LLVMConstInt(i64, result_bytes(call), 0));
}

LLVMBasicBlockRef
block_after(LLVMBasicBlockRef block, const char *name)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(block);
    LLVMContextRef context =
        LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMBasicBlockRef made =
        LLVMAppendBasicBlockInContext(context, function, name);

    LLVMMoveBasicBlockAfter(made, block);
    return made;
}

LLVMValueRef
emit_phi(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef a,
         LLVMBasicBlockRef from_a, LLVMValueRef b, LLVMBasicBlockRef from_b)
{
    LLVMValueRef phi = LLVMBuildPhi(builder, type, "");

    LLVMAddIncoming(phi, &a, &from_a, 1);
    LLVMAddIncoming(phi, &b, &from_b, 1);
    return phi;
}

LLVMValueRef
place_after(LLVMValueRef call)
{
    if (LLVMIsAInvokeInst(call))
        return LLVMGetBasicBlockTerminator(shim_split_normal(call));
    return LLVMGetNextInstruction(call);
}
