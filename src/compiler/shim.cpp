// shim.cpp: the primitives that LLVM-C lacks, without any policy.

#include "compiler.h"
#include "late.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

static Instruction *
inst_of(value v)
{
    return cast<Instruction>(unwrap(v));
}
static Function *
function_of_value(value v)
{
    return cast<Function>(unwrap(v));
}

extern "C" void
shim_diagnose(LLVMValueRef function, LLVMValueRef instruction, int error,
              const char *message)
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

// ---- blocks and phis --------------------------------------------------------

extern "C" block
shim_split_before(value inst, const char *name)
{
    Instruction *i = inst_of(inst);
    return wrap(i->getParent()->splitBasicBlock(i->getIterator(), name));
}

extern "C" value
shim_phi(block b, type t, const char *name)
{
    return wrap(PHINode::Create(unwrap(t), 2, name, unwrap(b)->begin()));
}

extern "C" void
shim_remove_predecessor(block b, block from)
{
    unwrap(b)->removePredecessor(unwrap(from), true);
}

extern "C" void
shim_phi_replace_block(block b, block old, block now)
{
    unwrap(b)->replacePhiUsesWith(unwrap(old), unwrap(now));
}

extern "C" void
shim_drop_unreachable(value function)
{
    removeUnreachableBlocks(*function_of_value(function));
}

extern "C" void
shim_weights(value branch, unsigned taken, unsigned other)
{
    Instruction *i = inst_of(branch);
    i->setMetadata(
        LLVMContext::MD_prof,
        MDBuilder(i->getContext()).createBranchWeights(taken, other));
}

// ---- values in memory and back ------------------------------------------------

extern "C" value
shim_demote(value inst)
{
    Instruction *i = inst_of(inst);
    auto place = i->getFunction()->getEntryBlock().getFirstInsertionPt();
#if LLVM_VERSION_MAJOR >= 19
    return wrap(DemoteRegToStack(*i, false,
                                 std::optional<BasicBlock::iterator>(place)));
#else
    return wrap(DemoteRegToStack(*i, false, &*place));
#endif
}

// The load that a use at the end of `b` (a phi's edge) reads.
extern "C" void
shim_demote_argument(value arg, value slot)
{
    auto *a = cast<Argument>(unwrap(arg));
    Value *s = unwrap(slot);
    DenseMap<BasicBlock *, Value *> edge;
    SmallVector<Use *, 16> uses;
    for (Use &use : a->uses())
        uses.push_back(&use);
    for (Use *use : uses) {
        auto *user = cast<Instruction>(use->getUser());
        if (auto *phi = dyn_cast<PHINode>(user)) {
            BasicBlock *from = phi->getIncomingBlock(*use);
            Value *&load = edge[from];
            if (!load)
                load = new LoadInst(a->getType(), s, "", from->getTerminator());
            use->set(load);
        } else {
            use->set(new LoadInst(a->getType(), s, "", user));
        }
    }
}

extern "C" void
shim_promote(value function, value *slots, unsigned n)
{
    Function *f = function_of_value(function);
    DominatorTree dominators(*f);
    SmallVector<AllocaInst *, 32> allocas;
    for (unsigned i = 0; i < n; i++) {
        auto *a =
            dyn_cast_or_null<AllocaInst>(slots[i] ? unwrap(slots[i]) : nullptr);
        if (a && isAllocaPromotable(a))
            allocas.push_back(a);
    }
    if (!allocas.empty())
        PromoteMemToReg(allocas, dominators);
}

// ---- functions -------------------------------------------------------------------

// `to` may have an entry block already; the copy of from's body follows it.
extern "C" void
shim_clone(value to, value from, value *args, value *in, value *out, unsigned n)
{
    Function *target = function_of_value(to);
    Function *source = function_of_value(from);
    ValueToValueMapTy map;
    SmallVector<ReturnInst *, 8> returns;
    unsigned k = 0;
    for (Argument &a : source->args())
        map[&a] = unwrap(args[k++]);
    CloneFunctionInto(target, source, map,
                      CloneFunctionChangeType::LocalChangesOnly, returns);
    for (unsigned i = 0; i < n; i++)
        out[i] = in[i] ? wrap(map[unwrap(in[i])]) : nullptr;
    // What belongs to the symbol and its type stays with the original.
    target->eraseMetadata(LLVMContext::MD_type);
    target->eraseMetadata(LLVMContext::MD_kcfi_type);
    target->eraseMetadata(LLVMContext::MD_func_sanitize);
    if (target->hasPrefixData())
        target->setPrefixData(nullptr);
    if (target->hasPrologueData())
        target->setPrologueData(nullptr);
}

extern "C" void
shim_splice(value to, value from)
{
    Function *target = function_of_value(to);
    Function *source = function_of_value(from);
    target->splice(target->begin(), source);
    target->copyMetadata(source, 0);
    source->setSubprogram(nullptr);
    for (unsigned i = 0; i < source->arg_size(); i++) {
        target->getArg(i)->takeName(source->getArg(i));
        source->getArg(i)->replaceAllUsesWith(target->getArg(i));
    }
    if (source->hasPersonalityFn())
        target->setPersonalityFn(source->getPersonalityFn());
    if (source->hasGC())
        target->setGC(source->getGC());
    if (source->hasPrefixData())
        target->setPrefixData(source->getPrefixData());
    if (source->hasPrologueData())
        target->setPrologueData(source->getPrologueData());
}

// What holds for the source of a function need not hold for its halves.
static const Attribute::AttrKind not_for_halves[] = {
    Attribute::Memory,       Attribute::NoSync,       Attribute::NoFree,
    Attribute::WillReturn,   Attribute::NoUnwind,     Attribute::NoRecurse,
    Attribute::MustProgress, Attribute::Speculatable, Attribute::NoReturn,
    Attribute::NoCallback,   Attribute::Naked,        Attribute::ReturnsTwice,
    Attribute::AlwaysInline,
};
static const Attribute::AttrKind argument_keeps[] = {
    Attribute::ZExt,
    Attribute::SExt,
    Attribute::NoUndef,
    Attribute::InReg,
};

static void
attributes_keep(AttrBuilder &to, AttributeSet from)
{
    for (auto kind : argument_keeps)
        if (from.hasAttribute(kind))
            to.addAttribute(kind);
    if (Type *t = from.getByValType()) {
        to.addByValAttr(t);
        if (from.getAlignment())
            to.addAlignmentAttr(from.getAlignment());
    }
}

extern "C" void
shim_function_attributes(value to, value from, int with_parameters)
{
    Function *target = function_of_value(to);
    Function *source = function_of_value(from);
    LLVMContext &context = target->getContext();
    AttributeList old = source->getAttributes();
    AttrBuilder kept(context, old.getFnAttrs());
    for (auto kind : not_for_halves)
        kept.removeAttribute(kind);
    kept.removeAttribute("fm-start");
    AttributeList made =
        AttributeList::get(context, AttributeList::FunctionIndex, kept);
    for (unsigned i = 0; with_parameters && i < source->arg_size(); i++) {
        AttrBuilder argument(context);
        attributes_keep(argument, old.getParamAttrs(i));
        made = made.addParamAttributes(context, i, argument);
    }
    target->setAttributes(made);
    target->setSection(source->getSection());
    target->setAlignment(source->getAlign());
    target->setUnnamedAddr(source->getUnnamedAddr());
    if (target->hasLocalLinkage()) {
        target->setVisibility(GlobalValue::DefaultVisibility);
        target->setDLLStorageClass(GlobalValue::DefaultStorageClass);
        target->setDSOLocal(true);
    } else {
        target->setVisibility(source->getVisibility());
        target->setDLLStorageClass(source->getDLLStorageClass());
        target->setDSOLocal(source->isDSOLocal());
    }
    target->setComdat(source->getComdat());
}

// ---- calls --------------------------------------------------------------------------

extern "C" value
shim_call_again(value old, value callee, type function_type, unsigned shift)
{
    auto *call = cast<CallBase>(unwrap(old));
    auto *type = cast<FunctionType>(unwrap(function_type));
    LLVMContext &context = call->getContext();
    SmallVector<Value *, 8> args(call->arg_begin() + shift, call->arg_end());
    SmallVector<OperandBundleDef, 1> bundles;
    AttributeList attributes;
    CallBase *made;

    call->getOperandBundlesAsDefs(bundles);
    if (auto *invoke = dyn_cast<InvokeInst>(call))
        made = InvokeInst::Create(type, unwrap(callee), invoke->getNormalDest(),
                                  invoke->getUnwindDest(), args, bundles, "",
                                  call);
    else
        made = CallInst::Create(type, unwrap(callee), args, bundles, "", call);
    for (unsigned i = 0; i < args.size(); i++) {
        AttrBuilder argument(context);
        attributes_keep(argument,
                        call->getAttributes().getParamAttrs(i + shift));
        attributes = attributes.addParamAttributes(context, i, argument);
    }
    made->setAttributes(attributes);
    made->setDebugLoc(call->getDebugLoc());
    return wrap(made);
}

extern "C" int
shim_captures(value call, unsigned arg)
{
    return !cast<CallBase>(unwrap(call))->doesNotCapture(arg);
}

extern "C" int
shim_only_reads(value call, unsigned arg)
{
    auto *c = cast<CallBase>(unwrap(call));
    return c->onlyReadsMemory(arg) || c->onlyReadsMemory();
}

extern "C" int
shim_is_bundle_use(value call, value operand)
{
    auto *c = cast<CallBase>(unwrap(call));
    if (!c->hasOperandBundles())
        return 0;
    for (unsigned i = c->getBundleOperandsStartIndex();
         i < c->getBundleOperandsEndIndex(); i++)
        if (c->getOperand(i) == unwrap(operand))
            return 1;
    return 0;
}

extern "C" type
shim_type_attribute(value holder, unsigned arg, const char *name)
{
    AttributeList list;
    if (auto *f = dyn_cast<Function>(unwrap(holder)))
        list = f->getAttributes();
    else
        list = cast<CallBase>(unwrap(holder))->getAttributes();
    Attribute found =
        list.getParamAttr(arg, Attribute::getAttrKindFromName(name));
    return found.isValid() ? wrap(found.getValueAsType()) : nullptr;
}

extern "C" uint64_t
shim_align_attribute(value holder, unsigned arg)
{
    MaybeAlign align;
    if (auto *f = dyn_cast<Function>(unwrap(holder)))
        align = f->getParamAlign(arg);
    else
        align = cast<CallBase>(unwrap(holder))->getParamAlign(arg);
    return align ? align->value() : 1;
}

// ---- intrinsics -----------------------------------------------------------------------

extern "C" int
shim_lifetime_marker(value inst)
{
    auto *i = dyn_cast<IntrinsicInst>(unwrap(inst));
    if (!i)
        return 0;
    if (i->getIntrinsicID() == Intrinsic::lifetime_start)
        return 1;
    return i->getIntrinsicID() == Intrinsic::lifetime_end ? 2 : 0;
}

extern "C" value
shim_lifetime_pointer(value inst)
{
    auto *i = cast<IntrinsicInst>(unwrap(inst));
    return wrap(i->getArgOperand(i->arg_size() - 1));
}

extern "C" void
shim_lifetime_start(value before, value alloca, uint64_t bytes)
{
    auto *a = cast<AllocaInst>(unwrap(alloca));
    IRBuilder<> builder(inst_of(before));
    builder.SetCurrentDebugLocation(DebugLoc());
#if LLVM_VERSION_MAJOR >= 22
    (void)bytes;
    builder.CreateLifetimeStart(a);
#else
    builder.CreateLifetimeStart(a, builder.getInt64(bytes));
#endif
}

extern "C" uint64_t
shim_const_length(value inst)
{
    auto *i = dyn_cast<AnyMemIntrinsic>(unwrap(inst));
    auto *n = i ? dyn_cast<ConstantInt>(i->getLength()) : nullptr;
    return n ? n->getZExtValue() : 0;
}

extern "C" value
shim_tls_address(LLVMBuilderRef b, value variable)
{
    return wrap(unwrap(b)->CreateThreadLocalAddress(unwrap(variable)));
}

extern "C" int
shim_is_static_alloca(value inst)
{
    auto *a = dyn_cast<AllocaInst>(unwrap(inst));
    return a && a->isStaticAlloca();
}

// Builds the dominators anew: for what is rarely asked.
extern "C" int
shim_dominates(value inst, value other)
{
    DominatorTree dominators(*inst_of(inst)->getFunction());
    return dominators.dominates(inst_of(inst), inst_of(other));
}

// ---- debug info ---------------------------------------------------------------------------

extern "C" int
shim_has_debug_info(value function)
{
    auto *s = function_of_value(function)->getSubprogram();
    return s && s->getUnit() &&
           s->getUnit()->getEmissionKind() == DICompileUnit::FullDebug;
}

// Locations that are there for our messages only (-Rpass without -g) cost
// code generation time and end up nowhere. They stay where some remark of
// code generation or a warning of it may still name them.
extern "C" void
shim_places_drop(LLVMModuleRef module)
{
    Module &m = *unwrap(module);
    auto *handler = m.getContext().getDiagHandlerPtr();
    if (m.getContext().getLLVMRemarkStreamer())
        return; // -fsave-optimization-record
    for (const char *pass : {"asm-printer", "prologepilog", "regalloc"})
        if (handler && handler->isAnyRemarkEnabled(pass))
            return;
    for (Function &f : m) {
        auto *s = f.getSubprogram();
        if (!s || !s->getUnit() || f.hasFnAttribute("warn-stack-size") ||
            s->getUnit()->getEmissionKind() != DICompileUnit::NoDebug)
            continue;
        stripDebugInfo(f);
    }
}

extern "C" void
shim_linkage_name(value function)
{
    Function *f = function_of_value(function);
    if (auto *s = f->getSubprogram())
        if (s->isDistinct())
            s->replaceLinkageName(MDString::get(f->getContext(), f->getName()));
}

// Declares stand where clang put them; a clone's old entry is unreachable.
extern "C" void
shim_hoist_declares(value function)
{
    Function *f = function_of_value(function);
    BasicBlock &entry = f->getEntryBlock();
    Instruction *end = entry.getTerminator();
    SmallVector<DbgDeclareInst *, 16> declares;
#if LLVM_VERSION_MAJOR >= 19
    SmallVector<DbgVariableRecord *, 16> records;
    for (BasicBlock &b : *f)
        for (Instruction &i : b)
            if (&b != &entry)
                for (DbgVariableRecord &r :
                     filterDbgVars(i.getDbgRecordRange()))
                    if (r.isDbgDeclare())
                        records.push_back(&r);
    for (auto *r : records) {
        r->removeFromParent();
        entry.insertDbgRecordBefore(r, end->getIterator());
    }
#endif
    for (BasicBlock &b : *f)
        for (Instruction &i : b)
            if (auto *d = dyn_cast<DbgDeclareInst>(&i))
                if (&b != &entry)
                    declares.push_back(d);
    for (auto *d : declares) {
        d->removeFromParent();
        d->insertBefore(end);
    }
}

// The variables that had this value are declared in its slot, so that
// promotion of the slot gives them values at every reload.
extern "C" void
shim_declare_slot(value v, value slot)
{
#if LLVM_VERSION_MAJOR >= 19
    auto *a = dyn_cast<AllocaInst>(unwrap(slot));
    SmallVector<DbgValueInst *, 4> old;
    SmallVector<DbgVariableRecord *, 4> records;
    SmallPtrSet<DILocalVariable *, 4> seen;
    if (!a)
        return;
    findDbgValues(old, unwrap(v), &records);
    for (auto *r : records) {
        if (r->getNumVariableLocationOps() != 1 ||
            r->getExpression()->getNumElements() ||
            !seen.insert(r->getVariable()).second)
            continue;
        auto *made = DbgVariableRecord::createDVRDeclare(
            a, r->getVariable(), r->getExpression(), r->getDebugLoc().get());
        BasicBlock *b = a->getParent();
        b->insertDbgRecordBefore(made, b->getTerminator()->getIterator());
    }
#else
    (void)v;
    (void)slot;
#endif
}

extern "C" const void *
shim_location(value inst)
{
    return inst_of(inst)->getDebugLoc().get();
}

extern "C" const void *
shim_location_outer(const void *location)
{
    return static_cast<const DILocation *>(location)->getInlinedAt();
}

extern "C" int
shim_place(const void *location, value function, struct place *place)
{
    auto *at = static_cast<const DILocation *>(location);
    DISubprogram *s = at ? at->getScope()->getSubprogram()
                         : function_of_value(function)->getSubprogram();
    *place = {};
    if (!s)
        return 0;
    StringRef path = at ? at->getFilename() : s->getFilename();
    place->line = at ? at->getLine() : s->getLine();
    place->column = at ? at->getColumn() : 0;
    place->function = s->getName().data();
    place->function_length = s->getName().size();
    place->file = path.data();
    place->file_length = path.size();
    return 1;
}

extern "C" int
shim_is_remarked(value function)
{
    auto *handler =
        function_of_value(function)->getContext().getDiagHandlerPtr();
    return handler && handler->isPassedOptRemarkEnabled("fermata");
}

extern "C" void
shim_remark(value function, const void *location, const char *message)
{
    Function *f = function_of_value(function);
    DiagnosticLocation place(f->getSubprogram());
    if (location)
        place = DiagnosticLocation(
            DebugLoc(static_cast<const DILocation *>(location)));
    OptimizationRemark remark("fermata", "Await", place, &f->getEntryBlock());
    remark << message;
    f->getContext().diagnose(remark);
}

extern "C" const char *
shim_variable(value of, size_t *length)
{
    StringRef name = unwrap(of)->getName();
    // No name of C's has a dot: LLVM adds it when it copies the value.
    if (!name.starts_with("fm."))
        name = name.substr(0, name.find('.'));
#if LLVM_VERSION_MAJOR >= 19
    SmallVector<DbgVariableIntrinsic *, 4> old;
    SmallVector<DbgVariableRecord *, 4> records;
    findDbgUsers(old, unwrap(of), &records);
    for (auto *r : records)
        if (r->getVariable()) {
            name = r->getVariable()->getName();
            break;
        }
#endif
    *length = name.size();
    return name.data();
}

extern "C" void
shim_associate(value global, value function)
{
    auto *g = cast<GlobalObject>(unwrap(global));
    auto *f = function_of_value(function);
    // The module linker of LTO loses the function behind !associated and then
    // refuses the module. What clang's driver says of LTO stands in this flag.
    // So does whoever optimises again what is written as LLVM IR.
    if (!frontend_writes_ir &&
        !f->getParent()->getModuleFlag("EnableSplitLTOUnit"))
        g->setMetadata(LLVMContext::MD_associated,
                       MDNode::get(g->getContext(), ValueAsMetadata::get(f)));
    if (f->hasComdat())
        g->setComdat(f->getComdat());
}

// ---- after the split ------------------------------------------------------------------------

extern "C" int
shim_verify(value function)
{
    return verifyFunction(*function_of_value(function), &errs());
}

extern "C" void
shim_clean(value *functions, unsigned n, int promote)
{
    if (!n)
        return;
    LoopAnalysisManager loops;
    FunctionAnalysisManager here;
    CGSCCAnalysisManager graphs;
    ModuleAnalysisManager modules;
    PassBuilder builder;
    FunctionPassManager passes;

    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(here);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, here, graphs, modules);
    if (promote)
        passes.addPass(SROAPass(SROAOptions::ModifyCFG));
    passes.addPass(EarlyCSEPass(true));
    passes.addPass(InstCombinePass());
    passes.addPass(SimplifyCFGPass());
    passes.addPass(ADCEPass());
    for (unsigned i = 0; i < n; i++) {
        Function *f = function_of_value(functions[i]);
        if (!f->hasOptNone() && !f->isDeclaration())
            passes.run(*f, here);
    }
}
