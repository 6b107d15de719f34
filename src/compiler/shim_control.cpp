// shim_control.cpp: the primitives that LLVM-C lacks and only the passes for
// control flow need, without any policy.

#include "control.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

extern "C" LLVMBasicBlockRef
shim_pad_split(LLVMBasicBlockRef pad, LLVMBasicBlockRef predecessor)
{
    SmallVector<BasicBlock *, 2> made;
    BasicBlock *from[] = {unwrap(predecessor)};
    SplitLandingPadPredecessors(unwrap(pad), from, ".own", ".rest", made);
    return wrap(made[0]);
}

extern "C" LLVMBasicBlockRef
shim_normal_split(LLVMValueRef invoke)
{
    auto *i = cast<InvokeInst>(unwrap(invoke));
    BasicBlock *to = i->getNormalDest();
    auto *made =
        BasicBlock::Create(i->getContext(), "left", i->getFunction(), to);
    BranchInst::Create(to, made)->setDebugLoc(i->getDebugLoc());
    to->replacePhiUsesWith(i->getParent(), made);
    i->setNormalDest(made);
    return wrap(made);
}

extern "C" LLVMValueRef
shim_call_to_invoke(LLVMValueRef call, LLVMBasicBlockRef pad)
{
    auto *c = cast<CallInst>(unwrap(call));
    BasicBlock *block = c->getParent();
    changeToInvokeAndSplitBasicBlock(c, unwrap(pad));
    return wrap(block->getTerminator());
}

extern "C" void
shim_blocks_clone(LLVMBasicBlockRef *blocks, size_t n,
                  LLVMBasicBlockRef *clones)
{
    ValueToValueMapTy map;
    SmallPtrSet<BasicBlock *, 16> made;
    for (size_t k = 0; k < n; k++) {
        BasicBlock *from = unwrap(blocks[k]);
        BasicBlock *to = CloneBasicBlock(from, map, "", from->getParent());
        map[from] = to;
        made.insert(to);
        clones[k] = wrap(to);
    }
    const auto flags = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;
    for (BasicBlock *block : made)
        for (Instruction &i : *block) {
#if LLVM_VERSION_MAJOR >= 19
            RemapDbgRecordRange(i.getModule(), i.getDbgRecordRange(), map,
                                flags);
#endif
            RemapInstruction(&i, map, flags);
        }
    for (BasicBlock *block : made)
        for (PHINode &phi : make_early_inc_range(block->phis()))
            for (unsigned k = phi.getNumIncomingValues(); k-- > 0;)
                if (!is_contained(predecessors(block), phi.getIncomingBlock(k)))
                    phi.removeIncomingValue(k, false);
}

extern "C" void
shim_call_decide(LLVMValueRef call, int result)
{
    auto *c = cast<CallInst>(unwrap(call));
    c->replaceAllUsesWith(ConstantInt::getSigned(c->getType(), result));
    // The users are few: a comparison, perhaps a negation, and the branch.
    BasicBlock *block = c->getParent();
    const DataLayout &layout = c->getModule()->getDataLayout();
    c->eraseFromParent();
    for (Instruction &i : make_early_inc_range(*block)) {
        if (!isa<CmpInst>(i) && !isa<BinaryOperator>(i) && !isa<CastInst>(i))
            continue;
        if (Constant *k = ConstantFoldInstruction(&i, layout)) {
            i.replaceAllUsesWith(k);
            i.eraseFromParent();
        }
    }
    ConstantFoldTerminator(block);
}

extern "C" bool
shim_unreachable_delete(LLVMValueRef function)
{
    return removeUnreachableBlocks(*cast<Function>(unwrap(function)));
}

extern "C" void
shim_copy_arguments(LLVMValueRef to, LLVMValueRef from)
{
    auto *t = cast<CallBase>(unwrap(to));
    AttributeList old = cast<CallBase>(unwrap(from))->getAttributes();
    SmallVector<AttributeSet, 8> sets;
    for (unsigned k = 0; k < t->arg_size(); k++)
        sets.push_back(old.getParamAttrs(k));
    t->setAttributes(AttributeList::get(t->getContext(), AttributeSet(),
                                        AttributeSet(), sets));
}

extern "C" bool
shim_is_musttail(LLVMValueRef call)
{
    return cast<CallInst>(unwrap(call))->isMustTailCall();
}
