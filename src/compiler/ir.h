/* ir.h: short checked words over LLVM-C, and what LLVM-C lacks (shim.cpp).
 *
 * Passes write `value`, `block` and `type`; nothing outside the compiler
 * folder sees LLVM.
 */
#ifndef FERMATA_IR_H
#define FERMATA_IR_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A message through clang's own diagnostics, at the instruction's place or,
 * where it has none, at the function's. All of a file come in one run. */
enum diag_kind { DIAG_ERROR, DIAG_WARNING };
void diag_at(LLVMValueRef function, LLVMValueRef instruction,
             enum diag_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Counts errors anew for a module; whether there was one. */
void diag_begin(void);
bool diag_failed(void);

/* shim.cpp */
void shim_diagnose(LLVMValueRef function, LLVMValueRef instruction, int error,
                   const char *message);

#ifdef __cplusplus
}
#endif

#endif
