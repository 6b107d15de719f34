// shim_early.cpp: the primitives that LLVM-C lacks and only the early half
// needs, without any policy.

#include "early.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

extern "C" void
shim_unuse(LLVMModuleRef module, LLVMValueRef variable)
{
    Value *v = unwrap(variable);
    removeFromUsedLists(*unwrap(module), [v](Constant *c) { return c == v; });
}

extern "C" void
shim_use(LLVMModuleRef module, LLVMValueRef variable)
{
    appendToUsed(*unwrap(module), {cast<GlobalValue>(unwrap(variable))});
}

extern "C" const char *
shim_string_of(LLVMValueRef pointer, size_t *length)
{
    StringRef text;
    if (!getConstantStringInfo(unwrap(pointer), text))
        return nullptr;
    *length = text.size();
    return text.data();
}

extern "C" bool
shim_is_unused(LLVMValueRef constant)
{
    auto *c = cast<Constant>(unwrap(constant));
    c->removeDeadConstantUsers();
    return c->use_empty();
}

// -Rpass-missed=fermata, at the function.
extern "C" void
shim_remark_missed(LLVMValueRef function, const char *message)
{
    auto *f = cast<Function>(unwrap(function));
    OptimizationRemarkMissed remark("fermata", "Stress",
                                    DiagnosticLocation(f->getSubprogram()),
                                    &f->getEntryBlock());
    remark << message;
    f->getContext().diagnose(remark);
}

extern "C" LLVMBasicBlockRef
shim_cut_before(LLVMValueRef inst, const char *name)
{
    auto *i = cast<Instruction>(unwrap(inst));
    return wrap(i->getParent()->splitBasicBlock(i->getIterator(), name));
}

extern "C" LLVMMetadataRef
shim_artificial(LLVMValueRef function, LLVMValueRef like, const char *name)
{
    auto *f = cast<Function>(unwrap(function));
    DISubprogram *model = cast<Function>(unwrap(like))->getSubprogram();
    if (!model || !model->getUnit())
        return nullptr;
    DIBuilder builder(*f->getParent(), false, model->getUnit());
    auto *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
    auto *made = builder.createFunction(
        model->getFile(), name, f->getName(), model->getFile(),
        model->getLine(), type, model->getLine(), DINode::FlagArtificial,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit);
    builder.finalizeSubprogram(made);
    f->setSubprogram(made);
    return wrap(DILocation::get(f->getContext(), model->getLine(), 0, made));
}

extern "C" LLVMBasicBlockRef
shim_split_normal(LLVMValueRef invoke)
{
    auto *i = cast<InvokeInst>(unwrap(invoke));
    BasicBlock *from = i->getParent(), *to = i->getNormalDest();
    auto *made = BasicBlock::Create(i->getContext(), "", from->getParent(),
                                    from->getNextNode());
    BranchInst::Create(to, made)->setDebugLoc(i->getDebugLoc());
    i->setNormalDest(made);
    to->replacePhiUsesWith(from, made);
    return wrap(made);
}

// A landing pad in a block of its own whose value is given on by `resume`.
static LandingPadInst *
new_pad(CallBase *call)
{
    Function *f = call->getFunction();
    LLVMContext &context = f->getContext();
    auto *type = StructType::get(PointerType::get(context, 0),
                                 Type::getInt32Ty(context));
    auto *block = BasicBlock::Create(context, "", f);
    auto *pad = LandingPadInst::Create(type, 0, "", block);
    pad->setCleanup(true);
    pad->setDebugLoc(call->getDebugLoc());
    if (!f->hasPersonalityFn())
        f->setPersonalityFn(cast<Constant>(
            f->getParent()
                ->getOrInsertFunction(
                    "__gcc_personality_v0",
                    FunctionType::get(Type::getInt32Ty(context), true))
                .getCallee()));
    return pad;
}

// Makes the pad go on as the invoke's old pad would have.
static void
chain_pad(InvokeInst *invoke, LandingPadInst *pad)
{
    BasicBlock *outer = invoke->getUnwindDest(), *from = invoke->getParent();
    LandingPadInst *old = outer->getLandingPadInst();
    BasicBlock *rest = outer->splitBasicBlock(std::next(old->getIterator()),
                                              outer->getName() + ".rest");
    auto join = [&](Instruction *inner, Value *mine) {
        auto *phi = PHINode::Create(inner->getType(), 2, "", rest->begin());
        inner->replaceUsesWithIf(phi, [&](Use &u) {
            auto *user = cast<Instruction>(u.getUser());
            return user != phi && user->getParent() != outer;
        });
        phi->addIncoming(inner, outer);
        phi->addIncoming(mine, pad->getParent());
    };
    for (unsigned k = 0; k < old->getNumClauses(); k++)
        pad->addClause(old->getClause(k));
    join(old, pad);
    for (PHINode &phi : outer->phis()) {
        join(&phi, phi.getIncomingValueForBlock(from));
        phi.removeIncomingValue(from, false);
    }
    BranchInst::Create(rest, pad->getParent())->setDebugLoc(pad->getDebugLoc());
    invoke->setUnwindDest(pad->getParent());
    if (pred_empty(outer))
        DeleteDeadBlock(outer);
}

extern "C" LLVMBasicBlockRef
shim_own_pad(LLVMValueRef *call)
{
    auto *old = cast<CallBase>(unwrap(*call));
    LandingPadInst *pad = new_pad(old);
    if (auto *invoke = dyn_cast<InvokeInst>(old)) {
        chain_pad(invoke, pad);
        return wrap(pad->getParent());
    }
    ResumeInst::Create(pad, pad->getParent())->setDebugLoc(pad->getDebugLoc());
    BasicBlock *from = old->getParent();
    changeToInvokeAndSplitBasicBlock(cast<CallInst>(old), pad->getParent());
    *call = wrap(from->getTerminator());
    return wrap(pad->getParent());
}

// The call with the operand bundles of another: a new instruction, if any.
extern "C" LLVMValueRef
shim_bundles_copy(LLVMValueRef call, LLVMValueRef from)
{
    auto *old = cast<CallBase>(unwrap(call));
    SmallVector<OperandBundleDef, 1> bundles;
    cast<CallBase>(unwrap(from))->getOperandBundlesAsDefs(bundles);
    if (bundles.empty())
        return call;
    CallBase *made = CallBase::Create(old, bundles, old);
    old->replaceAllUsesWith(made);
    old->eraseFromParent();
    return wrap(made);
}

extern "C" void
shim_edge_like(LLVMValueRef invoke, LLVMValueRef other)
{
    auto *mine = cast<InvokeInst>(unwrap(invoke));
    auto *theirs = cast<InvokeInst>(unwrap(other));
    for (PHINode &phi : mine->getUnwindDest()->phis())
        phi.addIncoming(phi.getIncomingValueForBlock(theirs->getParent()),
                        mine->getParent());
}

extern "C" void
shim_invoke_end(LLVMValueRef invoke)
{
    auto *i = cast<InvokeInst>(unwrap(invoke));
    i->getUnwindDest()->removePredecessor(i->getParent(), true);
    BranchInst::Create(i->getNormalDest(), i)->setDebugLoc(i->getDebugLoc());
}

extern "C" void
shim_unlikely(LLVMValueRef branch)
{
    auto *b = cast<BranchInst>(unwrap(branch));
    b->setMetadata(LLVMContext::MD_prof,
                   MDBuilder(b->getContext()).createBranchWeights(1, 2000));
}

extern "C" void
shim_lifetime(LLVMBuilderRef builder, LLVMValueRef slot, bool start)
{
    auto *alloca = cast<AllocaInst>(unwrap(slot));
    IRBuilder<> *b = unwrap(builder);
#if LLVM_VERSION_MAJOR >= 22
    start ? b->CreateLifetimeStart(alloca) : b->CreateLifetimeEnd(alloca);
#else
    const DataLayout &layout = alloca->getModule()->getDataLayout();
    ConstantInt *size =
        b->getInt64(alloca->getAllocationSize(layout)->getFixedValue());
    start ? b->CreateLifetimeStart(alloca, size)
          : b->CreateLifetimeEnd(alloca, size);
#endif
}

extern "C" bool
shim_may_unwind(LLVMValueRef call)
{
    return !cast<CallBase>(unwrap(call))->doesNotThrow();
}

extern "C" bool
shim_returns_twice(LLVMValueRef call)
{
    auto *c = cast<CallBase>(unwrap(call));
    return c->hasFnAttr(Attribute::ReturnsTwice);
}

extern "C" bool
shim_reads_nothing(LLVMValueRef function)
{
    return cast<Function>(unwrap(function))->doesNotAccessMemory();
}

extern "C" bool
shim_is_marker(LLVMValueRef inst)
{
    auto *i = dyn_cast<IntrinsicInst>(unwrap(inst));
    return i && (i->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(i));
}

extern "C" bool
shim_has_one_predecessor(LLVMBasicBlockRef block)
{
    return unwrap(block)->getSinglePredecessor() != nullptr;
}

static void
forget_loads(Constant *address)
{
    for (User *user : make_early_inc_range(address->users())) {
        if (auto *inner = dyn_cast<ConstantExpr>(user)) {
            forget_loads(inner);
        } else if (auto *load = dyn_cast<LoadInst>(user)) {
            load->replaceAllUsesWith(Constant::getNullValue(load->getType()));
            load->eraseFromParent();
        }
    }
}

extern "C" void
shim_forget(LLVMValueRef function)
{
    auto *f = cast<Function>(unwrap(function));
    forget_loads(f);
    f->replaceAllUsesWith(ConstantPointerNull::get(f->getType()));
}

extern "C" LLVMValueRef
shim_first_use(LLVMValueRef function)
{
    auto *f = cast<Function>(unwrap(function));
    if (!f->isDeclaration())
        return nullptr;
    CallBase *first = nullptr; // uses are listed last first
    for (User *user : f->users())
        if (auto *call = dyn_cast<CallBase>(user))
            first = call;
    return wrap(first);
}

extern "C" void
shim_body_drop(LLVMValueRef function)
{
    auto *f = cast<Function>(unwrap(function));
    auto linkage = f->getLinkage();
    auto *subprogram = f->getSubprogram();
    f->deleteBody();
    f->setLinkage(linkage);
    f->setSubprogram(subprogram);
    auto *block = BasicBlock::Create(f->getContext(), "", f);
    new UnreachableInst(f->getContext(), block);
}

extern "C" void
shim_reads_inaccessible(LLVMValueRef function)
{
    cast<Function>(unwrap(function))
        ->setMemoryEffects(MemoryEffects::inaccessibleMemOnly(ModRefInfo::Ref));
}
