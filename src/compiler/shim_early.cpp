// shim_early.cpp: the primitives that LLVM-C lacks and only the early half
// needs, without any policy.

#include "early.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

extern "C" void shim_unuse(LLVMModuleRef module, LLVMValueRef variable)
{
    Value *v = unwrap(variable);
    removeFromUsedLists(*unwrap(module),
                        [v](Constant *c) { return c == v; });
}

extern "C" const char *shim_string_of(LLVMValueRef pointer, size_t *length)
{
    StringRef text;
    if (!getConstantStringInfo(unwrap(pointer), text))
        return nullptr;
    *length = text.size();
    return text.data();
}

extern "C" bool shim_is_unused(LLVMValueRef constant)
{
    auto *c = cast<Constant>(unwrap(constant));
    c->removeDeadConstantUsers();
    return c->use_empty();
}

extern "C" LLVMBasicBlockRef shim_cut_before(LLVMValueRef inst,
                                             const char *name)
{
    auto *i = cast<Instruction>(unwrap(inst));
    return wrap(i->getParent()->splitBasicBlock(i->getIterator(), name));
}

extern "C" LLVMMetadataRef shim_artificial(LLVMValueRef function,
                                           LLVMValueRef like,
                                           const char *name)
{
    auto *f = cast<Function>(unwrap(function));
    DISubprogram *model = cast<Function>(unwrap(like))->getSubprogram();
    if (!model || !model->getUnit())
        return nullptr;
    DIBuilder builder(*f->getParent(), false, model->getUnit());
    auto *type =
        builder.createSubroutineType(builder.getOrCreateTypeArray({}));
    auto *made = builder.createFunction(
        model->getFile(), name, f->getName(), model->getFile(),
        model->getLine(), type, model->getLine(), DINode::FlagArtificial,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit);
    builder.finalizeSubprogram(made);
    f->setSubprogram(made);
    return wrap(DILocation::get(f->getContext(), model->getLine(), 0, made));
}

extern "C" void shim_reads_inaccessible(LLVMValueRef function)
{
    cast<Function>(unwrap(function))
        ->setMemoryEffects(
            MemoryEffects::inaccessibleMemOnly(ModRefInfo::Ref));
}

extern "C" void shim_copy_metadata(LLVMValueRef to, LLVMValueRef from)
{
    cast<Instruction>(unwrap(to))
        ->copyMetadata(*cast<Instruction>(unwrap(from)));
}
