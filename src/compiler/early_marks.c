/* early_marks.c: finds the marks on calls and the typed reads of tasks. */
#include "early.h"

void
early_marks(LLVMModuleRef module)
{
    (void)module;
}
