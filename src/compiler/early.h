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
/* fm_get and its like: the callee is no function that could be called raw. */
bool callee_is_read(LLVMValueRef call);
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

/* ---- early_call.c: a call made after the pattern of another ------------- */

/* Arguments are added one by one; `from` is the pattern's argument whose
 * attributes the new one takes over, or -1. */
struct new_call {
    LLVMValueRef pattern, callee;
    LLVMTypeRef result;
    unsigned convention, n;
    bool variadic; /* as far as its pattern is */
    LLVMValueRef *args;
    LLVMTypeRef *types;
    int *from;
};
enum { SKIP_SRET = 1, SKIP_NEST = 2 };
void new_call_init(struct new_call *c, LLVMValueRef pattern,
                   LLVMValueRef callee, LLVMTypeRef result);
void new_call_add(struct new_call *c, LLVMValueRef value, int from);
/* Adds the pattern's arguments but those of `skip`. */
void new_call_add_all(struct new_call *c, int skip);
/* Emits it at the builder, an invoke with the edges of `edges` if that is
 * one (null: never). Frees the arrays. */
LLVMValueRef new_call_emit(struct new_call *c, LLVMBuilderRef builder,
                           LLVMValueRef edges);
/* Makes a call with the result and function attributes of its pattern. */
void new_call_like(LLVMValueRef made, LLVMValueRef pattern);
void attributes_to_param(LLVMValueRef function, unsigned param,
                         LLVMValueRef call, unsigned arg);
unsigned arg_count(LLVMValueRef call);
int nest_index(LLVMValueRef call);        /* -1 = none */
/* The type returned through memory, or null. */
LLVMTypeRef sret_type(LLVMValueRef call);
LLVMTypeRef result_type(LLVMValueRef call);
/* Takes the mark off: the call is made again without it, in its place. */
LLVMValueRef call_unmark(LLVMValueRef call);

/* ---- early_value.c: results between registers and memory ----------------- */

LLVMValueRef emit_runtime(LLVMBuilderRef builder, LLVMModuleRef module,
                          const char *name, LLVMTypeRef result,
                          LLVMValueRef *args, unsigned n);
/* An alloca in the entry block. */
LLVMValueRef emit_slot(LLVMValueRef function, LLVMTypeRef type, unsigned align);
/* Bytes that a result of the call takes in memory. */
uint64_t result_bytes(LLVMValueRef call);
void emit_store(LLVMBuilderRef builder, LLVMValueRef function,
                LLVMValueRef value, LLVMValueRef to, uint64_t bytes);
LLVMValueRef emit_load(LLVMBuilderRef builder, LLVMTypeRef type,
                       LLVMValueRef from, unsigned align);
/* task + FM_ABI_RESULT */
LLVMValueRef emit_result_slot(LLVMBuilderRef builder, LLVMValueRef task);
/* Copies a task's result slot to where the call returns its result through
 * memory. */
void emit_slot_to_sret(LLVMBuilderRef builder, LLVMValueRef call,
                       LLVMValueRef task);
LLVMBasicBlockRef block_after(LLVMBasicBlockRef block, const char *name);
LLVMValueRef emit_phi(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef a,
                      LLVMBasicBlockRef from_a, LLVMValueRef b,
                      LLVMBasicBlockRef from_b);
/* The place after the call on its normal path; the edge of an invoke gets a
 * block of its own. */
LLVMValueRef place_after(LLVMValueRef call);

/* ---- early_plain.c: what of a -ffermata-stress unit stays plain ----------- */

enum { STRESS_PARAMS_MAX = 250, STRESS_NAME_MAX = 450 };
/* Handlers of signals, and what they call. */
void stress_handlers(LLVMModuleRef module, struct value_list *list);
/* Before each call that sets a handler. */
void stress_setters(LLVMModuleRef module);
/* Why the function stays plain; null: it is converted. */
const char *stress_obstacle(LLVMValueRef f, const struct value_list *handlers);
/* For one that stays plain: longjmp and its like do not lose the thread. */
void stress_jumps(LLVMValueRef f);

/* ---- the kinds of marks --------------------------------------------------- */

/* A marked call, while it is rewritten. */
struct marked {
    LLVMValueRef call, mark, function;
    LLVMValueRef place; /* where the rewriting goes on, after the call */
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    struct value_list *thunks; /* start thunks made so far */
};
void mark_start(struct marked *m);
void mark_start_on(struct marked *m);
void mark_begin(struct marked *m);
void mark_wait(struct marked *m);
void mark_stress(struct marked *m);
void mark_attempt_wait(struct marked *m);
void mark_attempt(struct marked *m);
void mark_within(struct marked *m);
void mark_anywhere(struct marked *m);
void mark_blocking(struct marked *m);
/* The mark on a call, or null. */
LLVMValueRef mark_of(LLVMValueRef call);
/* early_thunk.c */
LLVMValueRef start_thunk(struct marked *m, bool on);
LLVMValueRef adapter(struct marked *m);
/* early_read.c: fm_get, fm_join, fm_take, fm_wait_task. */
void early_reads(LLVMModuleRef module);
/* Replaces the next fm_abi_started or fm_abi_attempted on the normal path
 * from `place`; false = its value is not used. */
bool yield_replace(LLVMValueRef place, const char *name, LLVMValueRef value);

/* ---- shim_early.cpp ---------------------------------------------------- */

/* Deletes the variable from llvm.used and llvm.compiler.used. */
void shim_unuse(LLVMModuleRef module, LLVMValueRef variable);
/* Keeps the variable: the linker may see no use of it. */
void shim_use(LLVMModuleRef module, LLVMValueRef variable);
/* The string that a constant points to, or null. */
const char *shim_string_of(LLVMValueRef pointer, size_t *length);
/* No use is left but by constants that nothing uses; these are deleted. */
bool shim_is_unused(LLVMValueRef constant);
/* -Rpass-missed=fermata, at the function. */
void shim_remark_missed(LLVMValueRef function, const char *message);
/* Cuts the block before the instruction; what follows is returned. */
LLVMBasicBlockRef shim_cut_before(LLVMValueRef inst, const char *name);
/* Gives a made function an artificial subprogram at the line of `like`'s (or
 * of its caller's), and returns the location for its instructions. */
LLVMMetadataRef shim_artificial(LLVMValueRef function, LLVMValueRef like,
                                const char *name);
/* A new block on an invoke's normal edge. */
LLVMBasicBlockRef shim_split_normal(LLVMValueRef invoke);
/* Makes the call an invoke (returned through the pointer) with a landing pad
 * of its own, a cleanup; the new block ends by going on with the unwinding
 * as before. */
LLVMBasicBlockRef shim_own_pad(LLVMValueRef *call);
/* Gives the phis of an invoke's landing block what they get from the other
 * invoke, which unwinds there too. */
void shim_edge_like(LLVMValueRef invoke, LLVMValueRef other);
/* The call with the operand bundles of another: a new one, if it has any. */
LLVMValueRef shim_bundles_copy(LLVMValueRef call, LLVMValueRef from);
/* Puts a branch to the normal path before an invoke that is to be erased. */
void shim_invoke_end(LLVMValueRef invoke);
/* The branch goes to its second block in almost all cases. */
void shim_unlikely(LLVMValueRef branch);
void shim_lifetime(LLVMBuilderRef builder, LLVMValueRef slot, bool start);
/* A call that may unwind, or return twice, by its attributes and its
 * callee's. */
bool shim_may_unwind(LLVMValueRef call);
bool shim_returns_twice(LLVMValueRef call);
bool shim_reads_nothing(LLVMValueRef function);
/* A lifetime marker or another instruction that only tells. */
bool shim_is_marker(LLVMValueRef inst);
bool shim_has_one_predecessor(LLVMBasicBlockRef block);
/* Takes a symbol out of everything that still refers to it: what is loaded
 * from its surroundings is zero, its address null. */
void shim_forget(LLVMValueRef function);
/* For a declaration, a call of it: a place to name; else null. */
LLVMValueRef shim_first_use(LLVMValueRef function);
/* Leaves `unreachable` of a function's body, linkage as it was. */
void shim_body_drop(LLVMValueRef function);
/* memory(inaccessiblemem: read) */
void shim_reads_inaccessible(LLVMValueRef function);

#ifdef __cplusplus
}
#endif

#endif
