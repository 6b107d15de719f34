/* refuse.c: what cannot be lowered, and the sentence that says so. */
#include "early.h"

bool
early_refuse(LLVMModuleRef module)
{
    (void)module;
    return true;
}
