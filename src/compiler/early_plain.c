/* early_plain.c: which functions of a -ffermata-stress unit stay plain, and
 * why; what those need that are jumped back to.
 *
 * Needs clang's own module. Told apart by what is in it, no more: a handler
 * of signals is taken for one by its type and as its address is taken where
 * signal or sigaction is called; one that another unit sets is told of when it
 * runs, what one calls in another unit is not seen. Nor can it be seen that a program looks through
 * its own stack, as a conservative collector does: what is carried over a
 * suspension lies elsewhere.
 */
#include "control.h"

#include <llvm-c/Comdat.h>

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *
name_of(LLVMValueRef v)
{
    size_t length;

    return LLVMGetValueName2(v, &length);
}

static bool
is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static LLVMValueRef
callee_of(LLVMValueRef inst)
{
    return is_call(inst) ? LLVMGetCalledValue(inst) : NULL;
}

static bool
calls_one_of(LLVMValueRef inst, const char *const *names, size_t n)
{
    LLVMValueRef callee = callee_of(inst);

    return callee && LLVMIsAFunction(callee) &&
           is_one_of(name_of(callee), names, n);
}

static bool
callee_jumps(LLVMValueRef inst)
{
    static const char *const names[] = {"longjmp", "_longjmp", "siglongjmp",
                                        "__longjmp_chk"};

    return calls_one_of(inst, names, COUNT(names));
}

static bool
callee_switches(LLVMValueRef inst)
{
    static const char *const names[] = {"swapcontext", "setcontext"};

    return calls_one_of(inst, names, COUNT(names));
}

/* pthread_exit unwinds the stack, where suspended frames are not. */
static bool
callee_cleans_thread(LLVMValueRef inst)
{
    static const char *const names[] = {"__pthread_cleanup_routine",
                                        "__pthread_register_cancel"};

    return calls_one_of(inst, names, COUNT(names));
}

/* Frames that are left by longjmp, or looked at from outside. */
static const char *
inst_obstacle(LLVMValueRef inst)
{
    LLVMValueRef callee = callee_of(inst);
    const char *name;

    if (LLVMGetInstructionOpcode(inst) == LLVMIndirectBr)
        return "it jumps to computed labels";
    if (!callee)
        return NULL;
    if (shim_returns_twice(inst))
        return "what it calls returns twice, as setjmp does";
    if (LLVMIsACallInst(inst) && shim_is_musttail(inst))
        return "a call in it must be a jump (musttail)";
    if (!LLVMIsAFunction(callee))
        return NULL;
    if (callee_jumps(inst))
        return "it calls longjmp";
    if (callee_switches(inst))
        return "it changes stacks (swapcontext, setcontext)";
    if (callee_cleans_thread(inst))
        return "it has cleanups of pthread_exit (pthread_cleanup_push)";
    name = name_of(callee);
    if (!strncmp(name, "llvm.returnaddress", 18) ||
        !strncmp(name, "llvm.frameaddress", 17))
        return "it asks for its frame or its caller";
    return NULL;
}

static const char *
body_obstacle(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            const char *why = inst_obstacle(i);

            if (why)
                return why;
        }
    return NULL;
}

/* It runs while the program is still being linked. */
static bool
is_resolver(LLVMModuleRef module, LLVMValueRef f)
{
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(module); i;
         i = LLVMGetNextGlobalIFunc(i))
        if (LLVMGetGlobalIFuncResolver(i) == f)
            return true;
    return false;
}

/* Constructors run before the runtime does. */
static bool
is_listed(LLVMModuleRef module, const char *list, LLVMValueRef f)
{
    LLVMValueRef all = LLVMGetNamedGlobal(module, list), entries;

    if (!all || !(entries = LLVMGetInitializer(all)))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(entries); i++)
        if (LLVMGetOperand(LLVMGetOperand(entries, (unsigned)i), 1) == f)
            return true;
    return false;
}

static bool
main_is_odd(LLVMValueRef f)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f), params[3], result;

    if (strcmp(name_of(f), "main"))
        return false;
    if (LLVMGetFirstUse(f)) /* it calls itself */
        return true;
    result = LLVMGetReturnType(type);
    if (LLVMCountParamTypes(type) > 3 ||
        LLVMGetTypeKind(result) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(result) != 32)
        return true;
    LLVMGetParamTypes(type, params);
    return LLVMCountParamTypes(type) &&
           LLVMGetTypeKind(params[0]) != LLVMIntegerTypeKind;
}

static bool
has_attribute(LLVMValueRef f, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(
        f, FUNCTION_INDEX, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* ---- handlers of signals ------------------------------------------------- */

static bool
is_in(const struct value_list *list, LLVMValueRef f)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == f)
            return true;
    return false;
}

/* The handler is their second argument; sigaction's in what that points to. */
static const char *const setters[] = {"sigaction",     "signal",
                                      "bsd_signal",    "sysv_signal",
                                      "__sysv_signal", "sigset"};

static bool
module_sets_signals(LLVMModuleRef module)
{
    for (size_t i = 0; i < COUNT(setters); i++)
        if (LLVMGetNamedFunction(module, setters[i]))
            return true;
    return false;
}

static void
setter_watch(LLVMBuilderRef b, LLVMValueRef call, bool is_action)
{
    LLVMContextRef context = context_of(call);
    LLVMValueRef args[2];

    if (LLVMGetNumArgOperands(call) < 2)
        return;
    args[0] = LLVMGetOperand(call, 1);
    args[1] = LLVMConstInt(LLVMInt32TypeInContext(context), is_action, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(args[0])) != LLVMPointerTypeKind)
        return;
    LLVMPositionBuilderBefore(b, call);
    emit_runtime(b, module_of(call), "fm_abi_stress_handler",
                 LLVMVoidTypeInContext(context), args, 2);
}

/* A handler that another unit defines was not known there for one: at run time
 * it is told of. */
void
stress_setters(LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

    for (size_t i = 0; i < COUNT(setters); i++) {
        LLVMValueRef f = LLVMGetNamedFunction(module, setters[i]);

        for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u;
             u = LLVMGetNextUse(u))
            if (callee_of(LLVMGetUser(u)) == f)
                setter_watch(b, LLVMGetUser(u), i == 0);
    }
    LLVMDisposeBuilder(b);
}

/* void f(int), void f(int, siginfo_t *, void *) */
static bool
has_handlers_type(LLVMValueRef f)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f), params[3];
    unsigned n = LLVMCountParamTypes(type);

    if (LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind ||
        LLVMIsFunctionVarArg(type) || (n != 1 && n != 3))
        return false;
    LLVMGetParamTypes(type, params);
    return LLVMGetTypeKind(params[0]) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(params[0]) == 32 &&
           (n == 1 || (LLVMGetTypeKind(params[1]) == LLVMPointerTypeKind &&
                       LLVMGetTypeKind(params[2]) == LLVMPointerTypeKind));
}

static bool
address_is_taken(LLVMValueRef f)
{
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
        if (callee_of(LLVMGetUser(u)) != f)
            return true;
    return false;
}

static void
add_callees(struct value_list *list, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = callee_of(i);

            if (callee && LLVMIsAFunction(callee) &&
                !LLVMIsDeclaration(callee) && !is_in(list, callee))
                list_add(list, callee);
        }
}

/* A signal may come while the runtime is at work, which must not be entered
 * once more then: handlers and all that they call stay plain. */
void
stress_handlers(LLVMModuleRef module, struct value_list *list)
{
    if (!module_sets_signals(module))
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && has_handlers_type(f) &&
            address_is_taken(f))
            list_add(list, f);
    for (size_t i = 0; i < list->n; i++)
        add_callees(list, list->at[i]);
}

/* ---- the answer ------------------------------------------------------------ */

const char *
stress_obstacle(LLVMValueRef f, const struct value_list *handlers)
{
    LLVMModuleRef module = LLVMGetGlobalParent(f);

    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)))
        return "it is variadic";
    if (LLVMCountParams(f) > STRESS_PARAMS_MAX)
        return "it has very many parameters";
    if (strlen(name_of(f)) > STRESS_NAME_MAX)
        return "its name is very long";
    if (LLVMGetFunctionCallConv(f) != LLVMCCallConv)
        return "it has a calling convention of its own";
    if (LLVMGetComdat(f))
        return "it is one of many copies of an inline function";
    if (has_attribute(f, "naked"))
        return "it is naked";
    if (main_is_odd(f))
        return "it is an unusual main";
    if (is_listed(module, "llvm.global_ctors", f) ||
        is_listed(module, "llvm.global_dtors", f))
        return "it runs before main or after it";
    if (is_resolver(module, f))
        return "it runs while the program is linked (ifunc)";
    /* Another unit's may take its place, and that one may stay plain. */
    if (LLVMGetLinkage(f) == LLVMWeakAnyLinkage)
        return "it is weak, and another may take its place";
    if (is_in(handlers, f))
        return "it handles signals, or is called where they are";
    return body_obstacle(f);
}

/* ---- jumps back -------------------------------------------------------------- */

static void
state_emit(LLVMBuilderRef b, const char *name, LLVMValueRef state,
           LLVMValueRef before)
{
    LLVMContextRef context = context_of(before);

    LLVMPositionBuilderBefore(b, before);
    emit_runtime(b, module_of(before), name, LLVMVoidTypeInContext(context),
                 &state, 1);
}

static void
jump_keeps_state(LLVMBuilderRef b, LLVMValueRef call)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(context_of(call));
    LLVMTypeRef room = LLVMArrayType2(word, FM_ABI_STRESS_WORDS);
    LLVMValueRef state = emit_slot(function_of(call), room, 8);

    state_emit(b, "fm_abi_stress_save", state, call);
    state_emit(b, "fm_abi_stress_restore", state, LLVMGetNextInstruction(call));
}

/* Where the thread gets another stack, or this one back by longjmp, what it
 * ran when it was here last is what it runs again. */
void
stress_jumps(LLVMValueRef f)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(
        LLVMGetModuleContext(LLVMGetGlobalParent(f)));
    struct value_list jumps = {0};

    for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(f); at;
         at = LLVMGetNextBasicBlock(at))
        for (LLVMValueRef i = LLVMGetFirstInstruction(at); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) &&
                (shim_returns_twice(i) || callee_switches(i)))
                list_add(&jumps, i);
    for (size_t i = 0; i < jumps.n; i++)
        jump_keeps_state(b, jumps.at[i]);
    list_free(&jumps);
    LLVMDisposeBuilder(b);
}
