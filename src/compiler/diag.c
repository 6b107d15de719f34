/* diag.c: messages with a place, through clang's own diagnostics. */
#include "ir.h"

#include <stdarg.h>
#include <stdio.h>

void
diag_at(LLVMValueRef function, LLVMValueRef instruction, enum diag_kind kind,
        const char *format, ...)
{
    char message[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    shim_diagnose(function, instruction, kind == DIAG_ERROR, message);
}
