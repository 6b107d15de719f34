/* early_stress.c: every function of an ordinary unit becomes async, every direct
 * call of one an await, and suspension is forced at calls and loop back-edges
 * (-ffermata-stress).
 *
 * Needs clang's own module, before anything else has looked at it. Each
 * function F that can be converted keeps its body under the async convention;
 * its plain symbol becomes an entry that starts F and blocks until it ends,
 * for callers that know nothing: other units, tables, the C library. A direct
 * call goes to F; one into another unit goes to that unit's F by a weak
 * symbol that names the type of the call, if there is such an F; an indirect
 * one looks the plain address up at run time. Where types differ the plain
 * entry is called, which is always right.
 *
 * What stays plain, and why: early_plain.c; -Rpass-missed=fermata says it.
 */
#include "early.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stress {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    LLVMTypeRef i32, i64, ptr;
    uint32_t seed, density; /* one suspension in `density` is made */
    struct value_list made; /* functions converted */
    struct value_list plain; /* their entries, in the same order */
    struct value_list handlers; /* of signals, and what they call */
};

static const char *
name_of(LLVMValueRef v)
{
    size_t length;

    return LLVMGetValueName2(v, &length);
}

/* ---- types ----------------------------------------------------------------- */

static uint64_t
type_hash(LLVMTypeRef type)
{
    char *text = LLVMPrintTypeToString(type);
    uint64_t h = 14695981039346656037u;

    for (const char *p = text; *p; p++)
        h = (h ^ (unsigned char)*p) * 1099511628211u;
    LLVMDisposeMessage(text);
    return h;
}

static uint32_t
next_random(struct stress *s)
{
    s->seed = s->seed * 1664525u + 1013904223u;
    return s->seed >> 8;
}

/* ---- entries ------------------------------------------------------------------ */

static void
attributes_copy(LLVMValueRef to, LLVMValueRef from)
{
    unsigned params = LLVMCountParams(from);

    for (unsigned k = 0; k <= params + 1; k++) {
        LLVMAttributeIndex at = k > params ? FUNCTION_INDEX : k;
        unsigned n = LLVMGetAttributeCountAtIndex(from, at);
        LLVMAttributeRef *all = calloc(n + 1, sizeof *all);

        if (!all)
            abort();
        LLVMGetAttributesAtIndex(from, at, all);
        for (unsigned i = 0; i < n; i++)
            LLVMAddAttributeAtIndex(to, at, all[i]);
        free(all);
    }
}

static void
attributes_drop(LLVMValueRef f, LLVMValueRef call)
{
    static const char *const promises[] = {
        "nounwind",  "memory",     "willreturn", "mustprogress",
        "norecurse", "nosync",     "nofree",     "speculatable",
        "allockind", "nocallback", "allocsize",
    };

    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        unsigned kind =
            LLVMGetEnumAttributeKindForName(promises[i], strlen(promises[i]));

        if (call)
            LLVMRemoveCallSiteEnumAttribute(call, FUNCTION_INDEX, kind);
        else
            LLVMRemoveEnumAttributeAtIndex(f, FUNCTION_INDEX, kind);
    }
}

/* Attributes of the function's parameter for the call's argument. */
static void
attributes_to_call(LLVMValueRef call, unsigned arg, LLVMValueRef f,
                   unsigned param)
{
    unsigned n = LLVMGetAttributeCountAtIndex(f, param + 1);
    LLVMAttributeRef *all = calloc(n + 1, sizeof *all);

    if (!all)
        abort();
    LLVMGetAttributesAtIndex(f, param + 1, all);
    for (unsigned i = 0; i < n; i++)
        LLVMAddCallSiteAttribute(call, arg + 1, all[i]);
    free(all);
}

/* The call of F with the mark of a blocking entry, as clang would have left
 * fm_wait(F(...)). */
static LLVMValueRef
entry_call(struct stress *s, LLVMValueRef f, LLVMValueRef entry)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f), types[STRESS_PARAMS_MAX + 1];
    unsigned n = LLVMCountParams(f), k = 0, at;
    LLVMValueRef args[STRESS_PARAMS_MAX + 1], call;
    LLVMTypeRef mark = LLVMFunctionType(s->ptr, NULL, 0, 0);
    unsigned sret = LLVMGetEnumAttributeKindForName("sret", 4);

    at = n && LLVMGetEnumAttributeAtIndex(f, 1, sret) ? 1 : 0;
    for (unsigned i = 0; i <= n; i++) {
        args[i] =
            i == at
                ? LLVMBuildCall2(s->b, mark,
                                 declare(s->module, "fm_abi_mark_stress", mark),
                                 NULL, 0, "")
                : LLVMGetParam(entry, k++);
        types[i] = LLVMTypeOf(args[i]);
    }
    call = LLVMBuildCall2(
        s->b, LLVMFunctionType(LLVMGetReturnType(type), types, n + 1, 0), f,
        args, n + 1, "");
    LLVMSetInstructionCallConv(call, FM_ABI_CONV_NUMBER);
    for (unsigned i = 0, p = 0; i <= n; i++) {
        if (i == at)
            LLVMAddCallSiteAttribute(call, i + 1,
                                     enum_attribute(s->context, "nest"));
        else
            attributes_to_call(call, i, f, p++);
    }
    return call;
}

static void
entry_body(struct stress *s, LLVMValueRef f, LLVMValueRef entry)
{
    LLVMValueRef call;

    LLVMPositionBuilderAtEnd(
        s->b, LLVMAppendBasicBlockInContext(s->context, entry, "entry"));
    LLVMSetCurrentDebugLocation2(s->b, NULL);
    call = entry_call(s, f, entry);
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(s->b);
    else
        LLVMBuildRet(s->b, call);
}

/* What an indirect call and another unit find the function by. */
static void
function_publish(struct stress *s, LLVMValueRef f, LLVMValueRef entry,
                 const char *name)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    LLVMValueRef fields[] = {entry, f,
                             LLVMConstInt(s->i64, type_hash(type), 0)};
    LLVMValueRef row = LLVMConstStructInContext(s->context, fields, 3, 0);
    LLVMValueRef global = LLVMAddGlobal(s->module, LLVMTypeOf(row), "");
    char alias[512];

    LLVMSetInitializer(global, row);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetValueName2(global, "fm.stress", 9);
    LLVMSetSection(global, "fm_stress");
    LLVMSetAlignment(global, 8);
    shim_use(s->module, global);
    if (LLVMGetLinkage(entry) == LLVMInternalLinkage)
        return;
    snprintf(alias, sizeof alias, "%s.s%016llx", name,
             (unsigned long long)type_hash(type));
    LLVMSetLinkage(LLVMAddAlias2(s->module, type, 0, f, alias),
                   LLVMGetLinkage(entry));
}

static void
function_convert(struct stress *s, LLVMValueRef f)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    char name[480], split[512];
    LLVMValueRef entry;

    snprintf(name, sizeof name, "%s", name_of(f));
    attributes_drop(f, NULL);
    LLVMSetFunctionCallConv(f, FM_ABI_CONV_NUMBER);
    list_add(&s->made, f);
    if (!strcmp(name, "main")) {
        list_add(&s->plain, NULL);
        return;
    }
    snprintf(split, sizeof split, "%s%s", name, SPLIT_SUFFIX);
    LLVMSetValueName2(f, split, strlen(split));
    entry = LLVMAddFunction(s->module, name, type);
    LLVMReplaceAllUsesWith(f, entry);
    attributes_copy(entry, f);
    LLVMSetLinkage(entry, LLVMGetLinkage(f));
    LLVMSetVisibility(entry, LLVMGetVisibility(f));
    list_add(&s->plain, entry);
    entry_body(s, f, entry);
    function_publish(s, f, entry, name);
}

/* ---- calls ------------------------------------------------------------------------ */

static LLVMValueRef
converted(struct stress *s, LLVMValueRef callee)
{
    for (size_t i = 0; callee && i < s->plain.n; i++)
        if (s->plain.at[i] == callee)
            return s->made.at[i];
    return NULL;
}

/* An await that does nothing but suspend now and then. */
static void
point_emit(struct stress *s, LLVMValueRef before)
{
    LLVMTypeRef types[] = {s->i32, s->i32};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(s->context), types, 2, 0);
    LLVMValueRef args[2], call;

    if (s->density > 1 && next_random(s) % 2)
        return;
    args[0] = LLVMConstInt(s->i32, next_random(s), 0);
    args[1] = LLVMConstInt(s->i32, s->density, 0);
    LLVMPositionBuilderBefore(s->b, before);
    call = LLVMBuildCall2(s->b, type,
                          declare_async(s->module, "fm_abi_stress_point", type),
                          args, 2, "");
    LLVMSetInstructionCallConv(call, FM_ABI_CONV_NUMBER);
}

static void
call_redirect(LLVMValueRef call, LLVMValueRef to)
{
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, to);
    LLVMSetInstructionCallConv(call, FM_ABI_CONV_NUMBER);
    attributes_drop(NULL, call);
}

/* `split ? await split(args) : callee(args)`; `split` may be null at run
 * time. Only for calls: an invoke stays with the plain entry. */
static void
call_choose(struct stress *s, LLVMValueRef call, LLVMValueRef split)
{
    LLVMBasicBlockRef head = LLVMGetInstructionParent(call), yes, no, rest;
    LLVMValueRef copy = LLVMInstructionClone(call), phi;
    bool gives = LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind &&
                 LLVMGetFirstUse(call);

    no = shim_cut_before(call, "stress.plain");
    rest = shim_cut_before(LLVMGetNextInstruction(call), "stress.rest");
    yes = block_after(no, "stress.await");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
    LLVMPositionBuilderAtEnd(s->b, head);
    LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(call));
    LLVMBuildCondBr(s->b, LLVMBuildIsNotNull(s->b, split, ""), yes, no);
    LLVMPositionBuilderAtEnd(s->b, yes);
    LLVMInsertIntoBuilder(s->b, copy);
    LLVMBuildBr(s->b, rest);
    call_redirect(copy, split);
    if (!gives)
        return;
    LLVMPositionBuilderBefore(s->b, LLVMGetFirstInstruction(rest));
    phi = LLVMBuildPhi(s->b, LLVMTypeOf(call), "");
    LLVMReplaceAllUsesWith(call, phi);
    LLVMAddIncoming(phi, &copy, &yes, 1);
    LLVMAddIncoming(phi, &call, &no, 1);
}

static void
indirect_convert(struct stress *s, LLVMValueRef call, LLVMValueRef callee)
{
    LLVMTypeRef types[] = {s->ptr, s->i64};
    LLVMTypeRef type = LLVMFunctionType(s->ptr, types, 2, 0);
    LLVMValueRef args[] = {
        callee,
        LLVMConstInt(s->i64, type_hash(LLVMGetCalledFunctionType(call)), 0)};

    LLVMPositionBuilderBefore(s->b, call);
    call_choose(s, call,
                LLVMBuildCall2(s->b, type,
                               declare(s->module, "fm_abi_stress_split", type),
                               args, 2, ""));
}

static void
foreign_convert(struct stress *s, LLVMValueRef call, LLVMValueRef callee)
{
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    LLVMValueRef weak;
    char name[512];

    snprintf(name, sizeof name, "%s.s%016llx", name_of(callee),
             (unsigned long long)type_hash(type));
    weak = LLVMGetNamedFunction(s->module, name);
    if (!weak) {
        weak = LLVMAddFunction(s->module, name, type);
        for (unsigned i = 0; i < arg_count(call); i++)
            attributes_to_param(weak, i, call, i);
        LLVMSetFunctionCallConv(weak, FM_ABI_CONV_NUMBER);
        LLVMSetLinkage(weak, LLVMExternalWeakLinkage);
    }
    call_choose(s, call, weak);
}

static bool
is_library(LLVMValueRef callee)
{
    size_t length;
    const char *name = LLVMGetValueName2(callee, &length);

    return LLVMGetIntrinsicID(callee) || !strncmp(name, "fm_", 3) ||
           !strncmp(name, "__", 2) || length > STRESS_NAME_MAX ||
           LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee));
}

static void
call_convert(struct stress *s, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    LLVMValueRef split = converted(s, callee);

    if (LLVMIsAInlineAsm(callee) || is_await(call) ||
        LLVMIsFunctionVarArg(type))
        return;
    if (LLVMIsAFunction(callee) && !split &&
        (is_library(callee) || !LLVMIsDeclaration(callee)))
        return;
    point_emit(s, call);
    if (split) {
        if (LLVMGlobalGetValueType(split) == type)
            call_redirect(call, split);
    } else if (LLVMIsAInvokeInst(call)) {
        return;
    } else if (LLVMIsAFunction(callee)) {
        if (LLVMGlobalGetValueType(callee) == type)
            foreign_convert(s, call, callee);
    } else if (!LLVMIsConstant(callee)) {
        indirect_convert(s, call, callee);
    }
}

/* A branch to a block that stands before: near enough to a loop's end. */
static bool
goes_back(LLVMBasicBlockRef block, struct value_list *seen)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

    if (!LLVMIsABranchInst(end))
        return false;
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
        for (size_t i = 0; i < seen->n; i++)
            if (seen->at[i] == LLVMBasicBlockAsValue(LLVMGetSuccessor(end, k)))
                return true;
    return false;
}

static void
body_convert(struct stress *s, LLVMValueRef f)
{
    struct value_list calls = {0}, seen = {0}, ends = {0};

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b)) {
        list_add(&seen, LLVMBasicBlockAsValue(b));
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (is_call(i))
                list_add(&calls, i);
        if (goes_back(b, &seen))
            list_add(&ends, LLVMGetBasicBlockTerminator(b));
    }
    for (size_t i = 0; i < ends.n; i++)
        point_emit(s, ends.at[i]);
    for (size_t i = 0; i < calls.n; i++)
        call_convert(s, calls.at[i]);
    list_free(&calls);
    list_free(&seen);
    list_free(&ends);
}

/* ---- the unit ------------------------------------------------------------------------- */

/* "seed" or "seed,density" in the environment, put there by the driver. */
static bool
options_read(struct stress *s)
{
    const char *text = getenv("FERMATA_STRESS"), *comma;

    if (!text)
        return false;
    s->seed = (uint32_t)strtoul(text, NULL, 10);
    comma = strchr(text, ',');
    s->density = comma ? (uint32_t)strtoul(comma + 1, NULL, 10) : 4;
    if (!s->density)
        s->density = 1;
    return true;
}

static void
stays_plain(LLVMValueRef f, const char *why)
{
    char message[1024];

    snprintf(message, sizeof message, "'%s' stays plain: %s", name_of(f), why);
    shim_remark_missed(f, message);
}

void
early_stress(LLVMModuleRef module)
{
    struct stress s = {.module = module};
    struct value_list all = {0};

    if (!options_read(&s))
        return;
    s.context = LLVMGetModuleContext(module);
    s.b = LLVMCreateBuilderInContext(s.context);
    s.i32 = LLVMInt32TypeInContext(s.context);
    s.i64 = LLVMInt64TypeInContext(s.context);
    s.ptr = pointer_type(s.context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !function_is_async(f) &&
            LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage)
            list_add(&all, f);
    stress_handlers(module, &s.handlers);
    for (size_t i = 0; i < all.n; i++) {
        const char *why = stress_obstacle(all.at[i], &s.handlers);

        if (!why) {
            function_convert(&s, all.at[i]);
            continue;
        }
        stress_jumps(all.at[i]);
        stays_plain(all.at[i], why);
    }
    stress_setters(module);
    for (size_t i = 0; i < s.made.n; i++)
        body_convert(&s, s.made.at[i]);
    list_free(&all);
    list_free(&s.made);
    list_free(&s.plain);
    list_free(&s.handlers);
    LLVMDisposeBuilder(s.b);
}
