/* verify.c: the compiler half's own invariants, and LLVM's, after the split.
 *
 * FERMATA_VERIFY=1 asks for them in a release build; without NDEBUG they are
 * always checked. A violation is our own mistake: it is reported with the
 * function and compilation ends.
 */
#include "late.h"

#include <stdio.h>
#include <stdlib.h>

static bool
is_on(void)
{
#ifdef FERMATA_CHECKED
    return true;
#else
    return getenv("FERMATA_VERIFY") != NULL;
#endif
}

void
verify(struct activation *a)
{
    if (!is_on())
        return;
    if (shim_verify(a->split) || (a->resume && shim_verify(a->resume))) {
        fprintf(stderr, "fermata: the split of this function is wrong:\n");
        LLVMDumpValue(a->split);
        if (a->resume)
            LLVMDumpValue(a->resume);
        abort();
    }
}
