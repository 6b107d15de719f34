/* find.c: finds what is async in clang's output and gives it its split
 * symbol.
 *
 * Needs clang's own module. Leaves: annotations read and deleted, the guard
 * against a missing plugin deleted, every async function, alias and ifunc
 * renamed to `name.fm1`. The annotations must go before anything else: they
 * are uses of locals that block their promotion, and keep statics alive.
 */
#include "early.h"

#include <llvm-c/Comdat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANNOTATION "fermata.async"

static bool
is_our_string(LLVMValueRef pointer)
{
    size_t length;
    const char *text = shim_string_of(pointer, &length);

    return text && length == strlen(ANNOTATION) &&
           !memcmp(text, ANNOTATION, length);
}

/* One entry of llvm.global.annotations: {what, string, file, line, args}. */
static void
global_annotation_read(LLVMValueRef what)
{
    size_t length;
    const char *name;

    if (!LLVMIsAFunction(what) || function_is_async(what))
        return;
    name = LLVMGetValueName2(what, &length);
    if (length == 4 && !memcmp(name, "main", 4))
        LLVMSetFunctionCallConv(what, FM_ABI_CONV_NUMBER);
    else
        diag_at(what, NULL, DIAG_ERROR,
                "'%.*s' cannot be async: the name is one of clang's builtin "
                "functions; give it another name",
                (int)length, name);
}

static void
global_annotations_read(LLVMModuleRef module)
{
    LLVMValueRef all = LLVMGetNamedGlobal(module, "llvm.global.annotations");
    struct value_list kept = {0};
    LLVMValueRef entries, made;
    LLVMTypeRef element;

    if (!all)
        return;
    entries = LLVMGetInitializer(all);
    element = LLVMGetElementType(LLVMTypeOf(entries));
    for (int i = 0; i < LLVMGetNumOperands(entries); i++) {
        LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);

        if (is_our_string(LLVMGetOperand(entry, 1)))
            global_annotation_read(LLVMGetOperand(entry, 0));
        else
            list_add(&kept, entry);
    }
    LLVMSetValueName2(all, "", 0);
    if (kept.n) {
        made = LLVMConstArray(element, kept.at, (unsigned)kept.n);
        entries =
            LLVMAddGlobal(module, LLVMTypeOf(made), "llvm.global.annotations");
        LLVMSetInitializer(entries, made);
        LLVMSetLinkage(entries, LLVMAppendingLinkage);
        LLVMSetSection(entries, "llvm.metadata");
    }
    LLVMDeleteGlobal(all);
    list_free(&kept);
}

/* llvm.var.annotation and llvm.ptr.annotation: (pointer, string, ...). */
static void
annotation_calls_delete(LLVMValueRef intrinsic)
{
    LLVMUseRef next;

    for (LLVMUseRef use = LLVMGetFirstUse(intrinsic); use; use = next) {
        LLVMValueRef call = LLVMGetUser(use);

        next = LLVMGetNextUse(use);
        if (!is_call(call) || !is_our_string(LLVMGetOperand(call, 1)))
            continue;
        if (LLVMGetFirstUse(call))
            LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
        LLVMInstructionEraseFromParent(call);
    }
}

static bool
name_starts(LLVMValueRef value, const char *prefix)
{
    size_t length, n = strlen(prefix);
    const char *name = LLVMGetValueName2(value, &length);

    return length >= n && !memcmp(name, prefix, n);
}

/* The strings of annotations, ours and their files' names. */
static bool
is_metadata(LLVMValueRef global)
{
    const char *section = LLVMGetSection(global);

    return section && !strcmp(section, "llvm.metadata") &&
           LLVMGetLinkage(global) == LLVMPrivateLinkage;
}

static void
annotations_delete(LLVMModuleRef module)
{
    LLVMValueRef next;

    global_annotations_read(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!name_starts(f, "llvm.var.annotation") &&
            !name_starts(f, "llvm.ptr.annotation"))
            continue;
        annotation_calls_delete(f);
        if (!LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (is_metadata(g) && shim_is_unused(g))
            LLVMDeleteGlobal(g);
    }
}

/* The header's `fm__guard` refers to a symbol that nobody defines. */
static void
guard_delete(LLVMModuleRef module)
{
    LLVMValueRef missing = LLVMGetNamedGlobal(
        module, "fermata_plugin_missing_compile_with_fermata_cc");
    LLVMUseRef use;

    while (missing && (use = LLVMGetFirstUse(missing))) {
        LLVMValueRef guard = LLVMGetUser(use);

        if (!LLVMIsAGlobalVariable(guard))
            return; /* the user's own use: the link says what is wrong */
        shim_unuse(module, guard);
        LLVMReplaceAllUsesWith(guard, LLVMGetUndef(LLVMTypeOf(guard)));
        LLVMDeleteGlobal(guard);
    }
    if (missing)
        LLVMDeleteGlobal(missing);
}

/* A function that was declared under its split symbol by hand as well. */
static void
merge_with_namesake(LLVMModuleRef module, LLVMValueRef value, const char *name)
{
    LLVMValueRef other = LLVMGetNamedFunction(module, name);

    if (!other || other == value || !LLVMIsDeclaration(other))
        return;
    LLVMReplaceAllUsesWith(other, value);
    LLVMDeleteFunction(other);
}

static void
comdat_rename(LLVMModuleRef module, LLVMValueRef value, const char *old,
              const char *name)
{
    LLVMComdatRef comdat = LLVMGetComdat(value), made;

    if (!comdat || comdat != LLVMGetOrInsertComdat(module, old))
        return;
    made = LLVMGetOrInsertComdat(module, name);
    LLVMSetComdatSelectionKind(made, LLVMGetComdatSelectionKind(comdat));
    LLVMSetComdat(value, made);
}

static void
rename_split(LLVMModuleRef module, LLVMValueRef value)
{
    size_t length;
    const char *old = LLVMGetValueName2(value, &length);
    char *before, *after;

    if (!length || name_has_suffix(old, length, SPLIT_SUFFIX))
        return;
    before = malloc(length + 1);
    after = malloc(length + sizeof SPLIT_SUFFIX);
    if (!before || !after)
        abort();
    snprintf(before, length + 1, "%.*s", (int)length, old);
    snprintf(after, length + sizeof SPLIT_SUFFIX, "%s%s", before, SPLIT_SUFFIX);
    merge_with_namesake(module, value, after);
    if (LLVMIsAFunction(value))
        comdat_rename(module, value, before, after);
    LLVMSetValueName2(value, after, strlen(after));
    free(before);
    free(after);
}

/* An alias or ifunc has no convention of its own. */
static bool
alias_is_async(LLVMValueRef aliasee)
{
    while (aliasee && LLVMIsAGlobalAlias(aliasee))
        aliasee = LLVMAliasGetAliasee(aliasee);
    return aliasee && LLVMIsAFunction(aliasee) && function_is_async(aliasee);
}

static bool
is_awaited(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use;
         use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (is_await(user) && LLVMGetCalledValue(user) == value)
            return true;
    }
    return false;
}

/* An ifunc whose resolver names an async function chooses among such. */
static bool
ifunc_is_async(LLVMValueRef ifunc)
{
    LLVMValueRef resolver = LLVMGetGlobalIFuncResolver(ifunc);

    if (is_awaited(ifunc))
        return true;
    if (!resolver || !LLVMIsAFunction(resolver))
        return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(resolver); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            for (int k = 0; k < LLVMGetNumOperands(i); k++) {
                LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);

                if (LLVMIsAFunction(v) && function_is_async(v))
                    return true;
            }
    return false;
}

bool
early_find(LLVMModuleRef module)
{
    guard_delete(module);
    annotations_delete(module);
    if (LLVMGetNamedFunction(module, "fm_abi_mark_blocking"))
        return true; /* its calls are ordinary ones */
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        if (function_is_async(f))
            return true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                if (is_await(i))
                    return true;
    return false;
}

void
early_rename(LLVMModuleRef module)
{
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(module); i;
         i = LLVMGetNextGlobalIFunc(i))
        if (ifunc_is_async(i))
            rename_split(module, i);
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a;
         a = LLVMGetNextGlobalAlias(a))
        if (alias_is_async(LLVMAliasGetAliasee(a)))
            rename_split(module, a);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f))
        if (function_is_async(f) && !LLVMGetIntrinsicID(f))
            rename_split(module, f);
}
