/* compiler.h: what the passes of the compiler half share.
 *
 * The plugin calls compile_early at the start of clang's pipeline (before
 * any optimisation, also at -O0) and compile_late after all of them. Both
 * are lists of passes in lower.c.
 */
#ifndef FERMATA_COMPILER_H
#define FERMATA_COMPILER_H

#include "ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Symbols of split functions end in this: 1 is the ABI's version. */
#define SPLIT_SUFFIX ".fm1"

/* Both return whether they changed the module. `level` is clang's speed
 * level (0 to 3), `size` 1 for -Os, 2 for -Oz. */
bool compile_early(LLVMModuleRef module, int level, int size);
bool compile_late(LLVMModuleRef module, int level, int size);

/* The frontend check has read this file: what it warns of is said. */
extern bool frontend_checked;
/* What is compiled is written as LLVM IR, and may be optimised again. */
extern bool frontend_writes_ir;
/* Thread-locals are emulated: those of the runtime, which are not, are out of
 * reach. */
extern bool frontend_emulated_tls;

/* ---- passes of the early half, in this order ---------------------------- */

/* With FERMATA_STRESS in the environment: what is ordinary becomes async. */
void early_stress(LLVMModuleRef module);
/* Reads and deletes the annotations, deletes the guard; false = the module
 * has nothing async and the other passes are not needed. */
bool early_find(LLVMModuleRef module);
/* `async main` becomes fm.main and a plain main that starts it. */
void early_main(LLVMModuleRef module);
/* Gives everything async its split symbol. */
void early_rename(LLVMModuleRef module);
/* Reports what cannot be lowered; true = no errors. The functions concerned
 * lose their bodies by early_refused_drop, after early_control has said what
 * it has to say about them. */
bool early_refuse(LLVMModuleRef module);
void early_refused_drop(LLVMModuleRef module);
/* Drops const, pure, nothrow, leaf and malloc from what is async. */
void early_promises(LLVMModuleRef module);
/* try, throw, defer, with scopes, exit scopes, async cleanups. Sees the
 * marks on calls as clang left them: a `nest` operand; a marked call of the
 * async convention may unwind like any other. */
void early_control(LLVMModuleRef module);
/* A start that is joined at once becomes an await. */
void early_elide(LLVMModuleRef module);
/* Marks on calls and typed reads of tasks become calls and awaits. A start
 * thunk's attribute "fm-start" has as its value the decimal size in bytes of
 * the result slot. */
void early_marks(LLVMModuleRef module);
/* What runs when an activation ends, whichever way: faults that it owns are
 * released, a function that hops returns to its caller's executor. */
void early_exit(LLVMModuleRef module);
/* Thread-local addresses become calls of fm_tls.K. */
void early_tls(LLVMModuleRef module);
/* No two awaits are joined to one: each has its line. */
void early_apart(LLVMModuleRef module);
/* What would be inlined into an async function is weighed twice. */
void early_inline(LLVMModuleRef module, int level, int size);
/* After an error: no object will be written, so all bodies go, and the
 * passes that follow have nothing to trip over. */
void early_abandon(LLVMModuleRef module);
/* With FERMATA_CHECK in the environment: LLVM's verifier; ends the compiler
 * where it finds a fault of ours. */
void early_check(LLVMModuleRef module);

/* A slot for one fault that the activation owns (caught, attempted): null at
 * entry, released when the activation ends. To be made before early_exit. */
LLVMValueRef fault_slot_new(LLVMValueRef function);
/* Releases what is in the slot and puts the fault there; cuts the block
 * before `before`. */
void fault_slot_set(LLVMValueRef slot, LLVMValueRef fault, LLVMValueRef before);

#ifdef __cplusplus
}
#endif

#endif
