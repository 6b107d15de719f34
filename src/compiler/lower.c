/* lower.c: FRONT DOOR of the compiler half: the order of its passes. */
#include "compiler.h"

bool
compile_early(LLVMModuleRef module, int level, int size)
{
    (void)module;
    (void)level;
    (void)size;
    return false;
}

bool
compile_late(LLVMModuleRef module, int level, int size)
{
    (void)module;
    (void)level;
    (void)size;
    return false;
}
