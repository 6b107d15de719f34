/* control.h: words shared by the passes that turn the block forms (try,
 * defer, cleanups, scopes) into explicit control flow.
 *
 * They run on clang's output when async functions already have their split
 * symbols. clang has made every call in a scope with a cleanup an invoke;
 * its pads store the exception in one slot of the function, run the cleanups
 * in line, inner first, and end in `resume`. Each cleanup stands twice: on
 * the normal way out and on the unwinding one.
 */
#ifndef FERMATA_CONTROL_H
#define FERMATA_CONTROL_H

#include "early.h"

#ifdef __cplusplus
extern "C" {
#endif

/* On a variable whose cleanup function is async: annotate.cpp. */
#define ASYNC_CLEANUP_ANNOTATION "fermata.cleanup"

/* ---- flow.c ------------------------------------------------------------ */

/* A set of addresses. */
struct set {
    const void **at;
    size_t n, capacity;
};
bool set_add(struct set *set, const void *what); /* false: was in already */
bool set_has(const struct set *set, const void *what);
void set_free(struct set *set);

/* What runs while an exception is under way: reached from a landing pad
 * before anything has taken the exception. */
struct flow {
    struct set blocks; /* entered so */
    struct set calls;  /* calls and invokes that run so */
};
void flow_of(struct flow *flow, LLVMValueRef function);
void flow_from(struct flow *flow, LLVMBasicBlockRef block);
void flow_free(struct flow *flow);

/* Where clang's pads keep the exception; null where there are none. */
struct exn {
    LLVMValueRef exception, selector;
};
struct exn exn_slots(LLVMValueRef function);

/* ---- edge.c ------------------------------------------------------------ */

/* Builders with a place: before an instruction, or at a block's end with
 * another instruction's place. The caller disposes of them. */
LLVMBuilderRef build_before(LLVMValueRef inst);
LLVMBuilderRef build_end(LLVMBasicBlockRef block, LLVMValueRef like);
LLVMBasicBlockRef block_new(LLVMValueRef function, const char *name);
LLVMTypeRef pad_type(LLVMContextRef context);
/* A call of a runtime function over pointers that never unwinds. */
LLVMValueRef runtime_call(LLVMBuilderRef b, const char *name, bool returns,
                          LLVMValueRef *args, unsigned n);
/* An instruction that only this call's unwind edge reaches: code goes before
 * it. *pad is the landing pad. Makes *call an invoke if it is none. */
LLVMValueRef edge_unwind(LLVMValueRef *call, LLVMValueRef *pad);
/* The same for the normal way out of the call. */
LLVMValueRef edge_normal(LLVMValueRef call);
/* Gives a function that is to have landing pads its personality. */
void personality_ensure(LLVMValueRef function);
LLVMValueRef first_after_allocas(LLVMValueRef function);
/* Deletes a mark's variable with its stores, once its marks are gone. */
void mark_variable_delete(LLVMValueRef variable);

/* ---- one pass each, over one function; true = changed it --------------- */

bool control_scope(LLVMValueRef function);
bool control_throw(LLVMValueRef function);
bool control_try(LLVMValueRef function);
bool control_cleanup(LLVMValueRef function);
bool control_defer(LLVMValueRef function);
bool control_exit(LLVMValueRef function);

/* ---- shim_control.cpp -------------------------------------------------- */

/* Gives the predecessor a landing pad block of its own, which goes on to the
 * shared one; returns it. */
LLVMBasicBlockRef shim_pad_split(LLVMBasicBlockRef pad,
                                 LLVMBasicBlockRef predecessor);
LLVMBasicBlockRef shim_normal_split(LLVMValueRef invoke);
LLVMValueRef shim_call_to_invoke(LLVMValueRef call, LLVMBasicBlockRef pad);
/* Clones blocks that may go round among themselves; successors outside are
 * kept, predecessors outside are forgotten. */
void shim_blocks_clone(LLVMBasicBlockRef *blocks, size_t n,
                       LLVMBasicBlockRef *clones);
/* The call's result is this constant: folds the branches on it, deletes the
 * call. */
void shim_call_decide(LLVMValueRef call, int result);
bool shim_unreachable_delete(LLVMValueRef function);
void shim_copy_arguments(LLVMValueRef to, LLVMValueRef from);
bool shim_is_musttail(LLVMValueRef call);

#ifdef __cplusplus
}
#endif

#endif
