/* early.h: words shared by the passes of the early half.
 *
 * They work on clang's own output, before any optimisation: an await is a
 * call or invoke of the async convention, a mark is the `nest` operand of
 * such a call.
 */
#ifndef FERMATA_EARLY_H
#define FERMATA_EARLY_H

#include "compiler.h"

#include <fermata/abi.h>

/* The index of a function's own attributes, in the type that wants it. */
#define FUNCTION_INDEX ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

#ifdef __cplusplus
extern "C" {
#endif

/* ---- early_ir.c -------------------------------------------------------- */

/* A list of values that is collected first and changed afterwards. */
struct value_list {
    LLVMValueRef *at;
    size_t n, capacity;
};
void list_add(struct value_list *list, LLVMValueRef value);
void list_free(struct value_list *list);

bool is_call(LLVMValueRef inst);          /* call or invoke */
bool is_await(LLVMValueRef inst);         /* one of the async convention */
bool function_is_async(LLVMValueRef function);
/* The directly called function's name without SPLIT_SUFFIX, or "". */
const char *callee_name(LLVMValueRef call, size_t *length);
bool calls_named(LLVMValueRef call, const char *name);
LLVMValueRef function_of(LLVMValueRef inst);
LLVMModuleRef module_of(LLVMValueRef inst);
LLVMContextRef context_of(LLVMValueRef inst);
LLVMTypeRef pointer_type(LLVMContextRef context);
/* The attribute at an index of the call, or null. */
LLVMAttributeRef call_attribute(LLVMValueRef call, LLVMAttributeIndex index,
                                const char *name);
LLVMAttributeRef enum_attribute(LLVMContextRef context, const char *name);
bool name_has_suffix(const char *name, size_t length, const char *suffix);

/* A declaration of that name and type; the async ones get SPLIT_SUFFIX and
 * the convention. */
LLVMValueRef declare(LLVMModuleRef module, const char *name, LLVMTypeRef type);
LLVMValueRef declare_async(LLVMModuleRef module, const char *name,
                           LLVMTypeRef type);
/* A declaration `stem.K` of a type: one for each type of the module. */
LLVMValueRef declare_typed(LLVMModuleRef module, const char *stem,
                           LLVMTypeRef type);
/* A new internal function that may stand beside `like`: target, sanitizer
 * and unwind attributes are taken over from there. */
LLVMValueRef function_like(LLVMValueRef like, const char *name,
                           LLVMTypeRef type);

/* ---- shim_early.cpp ---------------------------------------------------- */

/* Deletes the variable from llvm.used and llvm.compiler.used. */
void shim_unuse(LLVMModuleRef module, LLVMValueRef variable);
/* The string that a constant points to, or null. */
const char *shim_string_of(LLVMValueRef pointer, size_t *length);
/* No use is left but by constants that nothing uses; these are deleted. */
bool shim_is_unused(LLVMValueRef constant);
/* Cuts the block before the instruction; what follows is returned. */
LLVMBasicBlockRef shim_cut_before(LLVMValueRef inst, const char *name);
/* Gives a made function an artificial subprogram at the line of `like`'s (or
 * of its caller's), and returns the location for its instructions. */
LLVMMetadataRef shim_artificial(LLVMValueRef function, LLVMValueRef like,
                                const char *name);
/* memory(inaccessiblemem: read) */
void shim_reads_inaccessible(LLVMValueRef function);
void shim_copy_metadata(LLVMValueRef to, LLVMValueRef from);

#ifdef __cplusplus
}
#endif

#endif
