/* early_control.c: try, throw, defer, scopes and async cleanups become
 * explicit control flow. */
#include "early.h"

void
early_control(LLVMModuleRef module)
{
    (void)module;
}
