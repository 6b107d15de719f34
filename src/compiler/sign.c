/* sign.c: signatures. An async function `T f(args)` becomes a function of the
 * C convention that returns {T, ptr}, or ptr where T is void or comes back
 * through memory; so do its declarations and its calls. Raw calls, starts
 * and thread-local accessors become what they stand for.
 */
#include "late.h"

#include <stdlib.h>
#include <string.h>

static bool
is_half(type t)
{
    return LLVMGetTypeKind(t) == LLVMHalfTypeKind ||
           LLVMGetTypeKind(t) == LLVMBFloatTypeKind;
}

/* The C convention returns a _Bool in a whole byte. Two or four _Float16 come
 * back in one register, but LLVM's fast selector (-O0) splits them when they
 * stand in a struct: they travel as a float or double, the same register. */
static type
part_in_register(struct unit *u, type t)
{
    if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind &&
        LLVMGetIntTypeWidth(t) == 1)
        return u->i8;
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
        is_half(LLVMGetElementType(t))) {
        if (LLVMGetVectorSize(t) == 2)
            return LLVMFloatTypeInContext(u->context);
        if (LLVMGetVectorSize(t) == 4)
            return LLVMDoubleTypeInContext(u->context);
    }
    return t;
}

#define PARTS_MOST 4 /* of a result in registers */

static bool
is_parts(type t)
{
    return LLVMGetTypeKind(t) == LLVMStructTypeKind &&
           LLVMCountStructElementTypes(t) <= PARTS_MOST;
}

static type
in_register(struct unit *u, type t)
{
    unsigned n;
    type parts[PARTS_MOST];
    bool same = true;

    if (!is_parts(t))
        return part_in_register(u, t);
    n = LLVMCountStructElementTypes(t);
    LLVMGetStructElementTypes(t, parts);
    for (unsigned i = 0; i < n; i++) {
        type wide = part_in_register(u, parts[i]);

        same &= wide == parts[i];
        parts[i] = wide;
    }
    return same ? t
                : LLVMStructTypeInContext(u->context, parts, n,
                                          LLVMIsPackedStruct(t));
}

static value
converted(struct unit *u, value v, type t)
{
    type from = LLVMTypeOf(v);

    if (from == t)
        return v;
    if (t == u->i8)
        return LLVMBuildZExt(u->b, v, t, "");
    return from == u->i8 ? LLVMBuildTrunc(u->b, v, t, "")
                         : LLVMBuildBitCast(u->b, v, t, "");
}

/* The same value in a type of as many parts. */
value
from_register(struct unit *u, value v, type t)
{
    value made;

    if (LLVMTypeOf(v) == t)
        return v;
    if (!is_parts(t))
        return converted(u, v, t);
    made = LLVMGetPoison(t);
    for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
        made = LLVMBuildInsertValue(
            u->b, made,
            converted(u, LLVMBuildExtractValue(u->b, v, i, ""),
                      LLVMStructGetTypeAtIndex(t, i)),
            i, "");
    return made;
}

value
to_register(struct unit *u, value v)
{
    return from_register(u, v, in_register(u, LLVMTypeOf(v)));
}

type
split_result(struct unit *u, type mid_result)
{
    type pair[2] = {NULL, u->ptr};

    if (ir_is_void(mid_result))
        return u->ptr;
    pair[0] = in_register(u, mid_result);
    return LLVMStructTypeInContext(u->context, pair, 2, 0);
}

static type
with_result(type t, type result)
{
    unsigned n = LLVMCountParamTypes(t);
    type *params = memory(n, sizeof *params), made;

    LLVMGetParamTypes(t, params);
    made = LLVMFunctionType(result, params, n, 0);
    free(params);
    return made;
}

type
split_type(struct unit *u, type mid)
{
    return with_result(mid, split_result(u, LLVMGetReturnType(mid)));
}

value
sign_call(struct unit *u, value call)
{
    return shim_call_again(call, LLVMGetCalledValue(call),
                           split_type(u, LLVMGetCalledFunctionType(call)), 0);
}

/* A new function with f's name, linkage and uses. */
static value
function_replace(struct unit *u, value f, type t)
{
    value made = LLVMAddFunction(u->module, "", t);
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    char *copy = memory(length + 1, 1);

    memcpy(copy, name, length);
    LLVMSetLinkage(made, LLVMGetLinkage(f));
    shim_function_attributes(made, f, 1);
    LLVMSetValueName2(f, "", 0);
    LLVMSetValueName2(made, copy, length);
    LLVMReplaceAllUsesWith(f, made);
    free(copy);
    return made;
}

void
sign_declaration(struct unit *u, value f)
{
    function_replace(u, f, split_type(u, LLVMGlobalGetValueType(f)));
    LLVMDeleteFunction(f);
}

value
sign_definition(struct unit *u, value f, bool thunk)
{
    type mid = LLVMGlobalGetValueType(f);
    type t = thunk ? with_result(mid, u->ptr) : split_type(u, mid);
    value made = function_replace(u, f, t);

    shim_splice(made, f);
    LLVMDeleteFunction(f);
    return made;
}

/* The raw call's result is the callee's, but the type it travels in. */
static value
raw_result(struct unit *u, value made, type wanted)
{
    type pair_types[2];
    value v, pair;

    if (LLVMTypeOf(made) == wanted)
        return made;
    v = LLVMBuildExtractValue(u->b, made, 0, "");
    LLVMGetStructElementTypes(wanted, pair_types);
    v = from_register(u, v, pair_types[0]);
    pair = LLVMBuildInsertValue(u->b, LLVMGetPoison(wanted), v, 0, "");
    return LLVMBuildInsertValue(
        u->b, pair, LLVMBuildExtractValue(u->b, made, 1, ""), 1, "");
}

static type
raw_type(struct unit *u, value call)
{
    type old = LLVMGetCalledFunctionType(call), made, result;
    unsigned n = LLVMCountParamTypes(old);
    type *params = memory(n, sizeof *params), pair[2];

    LLVMGetParamTypes(old, params);
    result = LLVMGetReturnType(old);
    if (LLVMGetTypeKind(result) == LLVMStructTypeKind) {
        LLVMGetStructElementTypes(result, pair);
        result = split_result(u, pair[0]);
    }
    made = LLVMFunctionType(result, params + 1, n - 1, 0);
    free(params);
    return made;
}

/* Where a call's or an invoke's result can first be used. */
static void
at_result(struct unit *u, value call)
{
    if (LLVMIsAInvokeInst(call)) {
        block b = LLVMGetNormalDest(call);
        block between = new_block(u, LLVMGetBasicBlockParent(b), "fm.raw");

        at_end(u, between);
        LLVMBuildBr(u->b, b);
        shim_phi_replace_block(b, LLVMGetInstructionParent(call), between);
        LLVMSetNormalDest(call, between);
        at_start(u, between);
    } else {
        at(u, LLVMGetNextInstruction(call));
    }
}

static void
raw_lower(struct unit *u, value call)
{
    value made =
        shim_call_again(call, LLVMGetArgOperand(call, 0), raw_type(u, call), 1);

    if (LLVMGetFirstUse(call)) {
        if (LLVMTypeOf(made) != LLVMTypeOf(call)) {
            at_result(u, made);
            LLVMReplaceAllUsesWith(call, raw_result(u, made, LLVMTypeOf(call)));
        } else {
            LLVMReplaceAllUsesWith(call, made);
        }
    }
    LLVMInstructionEraseFromParent(call);
}

/* Every call of a function of the family `stem.K`; the declarations go. */
static void
stem_lower(struct unit *u, const char *stem,
           void (*lower)(struct unit *, value))
{
    size_t n = strlen(stem), length;
    value next;

    for (value f = LLVMGetFirstFunction(u->module); f; f = next) {
        const char *name = LLVMGetValueName2(f, &length);
        LLVMUseRef use;

        next = LLVMGetNextFunction(f);
        if (length <= n || memcmp(name, stem, n) || name[n] != '.')
            continue;
        while ((use = LLVMGetFirstUse(f)))
            lower(u, LLVMGetUser(use));
        LLVMDeleteFunction(f);
    }
}

void
sign_raw(struct unit *u)
{
    stem_lower(u, "fm_raw", raw_lower);
}

/* What a call that cannot unwind became stands before it. */
static void
call_drop(struct unit *u, value call, value instead)
{
    block b = LLVMGetInstructionParent(call);

    LLVMReplaceAllUsesWith(call, instead);
    if (LLVMIsAInvokeInst(call)) {
        shim_remove_predecessor(LLVMGetUnwindDest(call), b);
        at(u, call);
        LLVMBuildBr(u->b, LLVMGetNormalDest(call));
    }
    LLVMInstructionEraseFromParent(call);
}

static void
tls_lower(struct unit *u, value call)
{
    value address;

    at(u, call);
    address = shim_tls_address(u->b, LLVMGetArgOperand(call, 0));
    call_drop(u, call, address);
}

void
sign_tls(struct unit *u)
{
    stem_lower(u, "fm_tls", tls_lower);
}

/* The thunk, by now split, carries the size of its record. */
static void
start_lower(struct unit *u, value call)
{
    value thunk = LLVMGetArgOperand(call, 0), bytes, task;
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(
        thunk, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "fm-record", 9);
    unsigned length;
    const char *text = a ? LLVMGetStringAttributeValue(a, &length) : "16";

    uint64_t n = strtoull(text, NULL, 10);

    bytes = LLVMConstInt(LLVMInt64TypeInContext(u->context), n, 0);
    at(u, call);
    task = call_runtime(u, "fm_abi_task_new", u->ptr, &bytes, 1);
    call_drop(u, call, task);
    quick_task_new(u, task, n);
}

void
sign_start(struct unit *u)
{
    stem_lower(u, "fm_start_new", start_lower);
}
