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

#ifdef __cplusplus
}
#endif

#endif
