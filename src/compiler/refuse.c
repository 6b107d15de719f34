/* refuse.c: what cannot be lowered, and the sentence that says so.
 *
 * Looks at clang's output before anything but names has changed in it, so
 * that all of a file's mistakes come in one run. A function with an error
 * keeps its type and, once the block forms have been looked at too, loses its
 * body: later passes have nothing to trip over.
 */
#include "early.h"

#include <stdio.h>
#include <string.h>

#define REFUSED "fm-refused"

/* One function under inspection. */
struct inspected {
    LLVMValueRef function;
    bool is_async;
    bool failed;
};

static void
refuse(struct inspected *f, LLVMValueRef inst, const char *sentence,
       LLVMValueRef call)
{
    char quoted[160] = "this call";
    size_t n = 0;
    const char *name = call ? callee_name(call, &n) : "";

    if (n && n < sizeof quoted - 2) {
        if (*name == '\1') { /* an assembler label: taken as it is */
            name++;
            n--;
        }
        quoted[0] = '\'';
        memcpy(quoted + 1, name, n);
        memcpy(quoted + 1 + n, "'", 2);
    }
    if (call)
        diag_at(f->function, inst, DIAG_ERROR, "%s%s", quoted, sentence);
    else
        diag_at(f->function, inst, DIAG_ERROR, "%s", sentence);
    f->failed = true;
}

static bool
function_has(LLVMValueRef function, const char *attribute)
{
    unsigned kind =
        LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));

    return LLVMGetEnumAttributeAtIndex(function, FUNCTION_INDEX, kind);
}

static void
inspect_function(struct inspected *f)
{
    if (!f->is_async || LLVMIsDeclaration(f->function))
        return; /* the calls have a place */
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f->function)))
        refuse(f, NULL,
               "an async function cannot be variadic: pass a va_list, or an "
               "array and its length",
               NULL);
    if (function_has(f->function, "naked"))
        refuse(f, NULL,
               "an async function cannot be naked: put the assembly into an "
               "ordinary function",
               NULL);
}

/* The name that the user wrote for a mark, or null. */
static const char *
mark_name(LLVMValueRef mark)
{
    static const char *const names[][2] = {
        {"fm_abi_mark_start", "fm_start"},
        {"fm_abi_mark_start_on", "fm_start_on"},
        {"fm_abi_mark_begin", "fm_begin"},
        {"fm_abi_mark_wait", "fm_wait"},
        {"fm_abi_mark_attempt", "fm_attempt"},
        {"fm_abi_mark_attempt_wait", "fm_attempt_wait"},
        {"fm_abi_mark_within", "fm_within"},
        {"fm_abi_mark_anywhere", "fm_anywhere"},
        {"fm_abi_mark_blocking", "fm_blocking"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (calls_named(mark, names[i][0]))
            return names[i][1];
    return NULL;
}

/* within, attempt and anywhere stand around awaits. */
static bool
mark_awaits(LLVMValueRef mark)
{
    return calls_named(mark, "fm_abi_mark_attempt") ||
           calls_named(mark, "fm_abi_mark_within") ||
           calls_named(mark, "fm_abi_mark_anywhere") ||
           calls_named(mark, "fm_abi_mark_blocking");
}

static bool
mark_blocks(LLVMValueRef mark)
{
    return calls_named(mark, "fm_abi_mark_wait") ||
           calls_named(mark, "fm_abi_mark_attempt_wait");
}

/* clang ends the block after a call that never returns and emits nothing of
 * what the mark yields. */
static bool
is_followed_by_nothing(LLVMValueRef call)
{
    LLVMValueRef next = LLVMIsAInvokeInst(call)
                            ? LLVMGetFirstInstruction(LLVMGetNormalDest(call))
                            : LLVMGetNextInstruction(call);

    return LLVMIsAUnreachableInst(next);
}

static bool
mark_yields(LLVMValueRef mark)
{
    return !calls_named(mark, "fm_abi_mark_wait") &&
           !calls_named(mark, "fm_abi_mark_within") &&
           !calls_named(mark, "fm_abi_mark_anywhere") &&
           !calls_named(mark, "fm_abi_mark_blocking");
}

static void
inspect_marked(struct inspected *f, LLVMValueRef call, LLVMValueRef mark)
{
    char sentence[160];
    const char *name = mark_name(mark);
    bool plain = calls_named(mark, "fm_abi_mark_blocking");

    if (plain && is_await(call)) {
        refuse(f, call,
               " is async: fm_blocking is for calls of ordinary functions; "
               "await it",
               call);
    } else if (!plain && !is_await(call)) {
        snprintf(sentence, sizeof sentence,
                 " is not async: %s needs a call of an async function", name);
        refuse(f, call, sentence, call);
    } else if (mark_yields(mark) && is_followed_by_nothing(call)) {
        snprintf(sentence, sizeof sentence,
                 " is declared to never return, so clang drops what %s gives: "
                 "take _Noreturn off",
                 name);
        refuse(f, call, sentence, call);
    } else if (f->is_async && mark_blocks(mark)) {
        snprintf(sentence, sizeof sentence,
                 "%s blocks the thread, and this function is async: await the "
                 "call instead",
                 name);
        refuse(f, call, sentence, NULL);
    } else if (!f->is_async && mark_awaits(mark)) {
        snprintf(sentence, sizeof sentence,
                 "%s awaits, but this function is not async: wait with "
                 "fm_wait or fm_attempt_wait, or make this function async",
                 name);
        refuse(f, call, sentence, NULL);
    }
}

static bool
calls_async_directly(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    return LLVMIsAFunction(callee) && function_is_async(callee);
}

static void
inspect_await(struct inspected *f, LLVMValueRef call, LLVMValueRef mark)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    if (LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call)) ||
        (LLVMIsAFunction(callee) &&
         LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee)) &&
         !callee_is_read(call)))
        refuse(f, call,
               " is async and is called without a prototype: declare its "
               "parameters, (void) where there are none",
               call);
    else if (LLVMIsAFunction(callee) && !function_is_async(callee))
        refuse(f, call,
               " is an ordinary function and is called as an async one "
               "through a cast: wrap it in an async function",
               call);
    else if (!f->is_async && calls_named(call, "fm_abi_group_leave"))
        refuse(f, call,
               "FM_GROUP belongs in an async function: leaving the block "
               "waits for its tasks",
               NULL);
    else if (!f->is_async && !mark)
        refuse(f, call,
               " is async, but this function is not: start it with fm_start "
               "or fm_detach, wait for it with fm_wait, or make this function "
               "async",
               call);
}

static void
inspect_call(struct inspected *f, LLVMValueRef call)
{
    LLVMValueRef mark = mark_of(call);

    if (mark)
        inspect_marked(f, call, mark);
    if (is_await(call))
        inspect_await(f, call, mark);
    else if (calls_async_directly(call))
        refuse(f, call,
               " is async and is called as an ordinary function through a "
               "cast: keep async in the type",
               call);
    if (!f->is_async)
        return;
    if (calls_named(call, "fm_abi_wait_get") ||
        calls_named(call, "fm_abi_wait_get_for"))
        refuse(f, call,
               "fm_wait_task blocks the thread, and this function is async: "
               "use await fm_get",
               NULL);
    if (shim_returns_twice(call))
        refuse(f, call,
               " returns twice, which an async function cannot: it goes on "
               "in other frames after an await; use fm_try and fm_throw, or "
               "call it in an ordinary function",
               call);
}

/* clang joins all `goto *` of a function in one instruction without a place;
 * the jumps to it have theirs. */
static void
inspect_computed_goto(struct inspected *f, LLVMValueRef inst)
{
    LLVMValueRef address = LLVMGetOperand(inst, 0), place = inst;

    if (LLVMIsAPHINode(address) && LLVMCountIncoming(address))
        place = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(address, 0));
    refuse(f, place,
           "computed goto in an async function: its labels are not those of "
           "the resumed code; use a switch",
           NULL);
}

static void
inspect_instruction(struct inspected *f, LLVMValueRef inst)
{
    if (is_call(inst))
        inspect_call(f, inst);
    else if (f->is_async && LLVMIsAIndirectBrInst(inst))
        inspect_computed_goto(f, inst);
}

static bool
inspect(LLVMValueRef function)
{
    struct inspected f = {.function = function,
                          .is_async = function_is_async(function)};

    inspect_function(&f);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            inspect_instruction(&f, i);
    if (f.failed)
        LLVMAddAttributeAtIndex(
            function, FUNCTION_INDEX,
            LLVMCreateStringAttribute(
                LLVMGetModuleContext(LLVMGetGlobalParent(function)), REFUSED,
                sizeof REFUSED - 1, "", 0));
    return !f.failed;
}

/* Entries of llvm.global_ctors and its like: {priority, function, what}. */
static bool
inspect_start_up(LLVMModuleRef module, const char *list, const char *sentence)
{
    LLVMValueRef all = LLVMGetNamedGlobal(module, list), entries;
    bool right = true;

    entries = all ? LLVMGetInitializer(all) : NULL;
    for (int i = 0; entries && i < LLVMGetNumOperands(entries); i++) {
        LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
        LLVMValueRef function;

        if (LLVMGetNumOperands(entry) < 2)
            continue;
        function = LLVMGetOperand(entry, 1);
        if (!LLVMIsAFunction(function) || !function_is_async(function))
            continue;
        diag_at(function, NULL, DIAG_ERROR, "%s", sentence);
        right = false;
    }
    return right;
}

bool
early_refuse(LLVMModuleRef module)
{
    bool right = true;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        right &= inspect(f);
    right &= inspect_start_up(module, "llvm.global_ctors",
                              "an async function cannot be a constructor: "
                              "nothing runs it before main");
    right &= inspect_start_up(module, "llvm.global_dtors",
                              "an async function cannot be a destructor: "
                              "nothing runs it after main");
    return right;
}

void
early_refused_drop(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) &&
            LLVMGetStringAttributeAtIndex(f, FUNCTION_INDEX, REFUSED,
                                          sizeof REFUSED - 1))
            shim_body_drop(f);
}

void
early_abandon(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            shim_body_drop(f);
}
