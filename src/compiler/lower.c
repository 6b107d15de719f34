/* lower.c: FRONT DOOR of the compiler half: the order of its passes. */
#include "compiler.h"

bool
compile_early(LLVMModuleRef module, int level, int size)
{
    (void)level;
    (void)size;
    diag_begin();
    if (!early_find(module)) {
        early_control(module); /* FM_DEFER and FM_AUTO in ordinary C */
        return true;
    }
    early_main(module);
    early_rename(module);
    early_promises(module);
    early_refuse(module);
    early_control(module);
    early_marks(module);
    early_exit(module);
    early_tls(module);
    if (diag_failed())
        early_abandon(module);
    early_check(module);
    return true;
}

bool
compile_late(LLVMModuleRef module, int level, int size)
{
    (void)module;
    (void)level;
    (void)size;
    return false;
}
