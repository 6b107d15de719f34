/* diag.c: messages with a place, through clang's own diagnostics. */
#include "ir.h"

#include <stdarg.h>
#include <stdio.h>

static unsigned errors;

void
diag_begin(void)
{
    errors = 0;
}

bool
diag_failed(void)
{
    return errors > 0;
}

void
diag_at(LLVMValueRef function, LLVMValueRef instruction, enum diag_kind kind,
        const char *format, ...)
{
    char message[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    errors += kind == DIAG_ERROR;
    shim_diagnose(function, instruction, kind == DIAG_ERROR, message);
}
