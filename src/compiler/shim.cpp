// shim.cpp: the primitives that LLVM-C lacks, without any policy.

#include "ir.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

extern "C" void shim_diagnose(LLVMValueRef function, LLVMValueRef instruction,
                              int error, const char *message)
{
    auto *f = cast<Function>(unwrap(function));
    DiagnosticLocation place;
    if (instruction)
        place = DiagnosticLocation(
            cast<Instruction>(unwrap(instruction))->getDebugLoc());
    if (!place.isValid())
        place = DiagnosticLocation(f->getSubprogram());
    f->getContext().diagnose(DiagnosticInfoUnsupported(
        *f, message, place, error ? DS_Error : DS_Warning));
}
