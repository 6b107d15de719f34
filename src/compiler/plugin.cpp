// plugin.cpp: registers the two callbacks with clang, nothing else.

#include "compiler.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

using namespace llvm;

namespace
{

using half = bool (*)(LLVMModuleRef, int, int);

template <half run_half> struct HalfPass : PassInfoMixin<HalfPass<run_half>> {
    int level, size;
    explicit HalfPass(OptimizationLevel l)
        : level(int(l.getSpeedupLevel())), size(int(l.getSizeLevel()))
    {
    }
    static bool
    isRequired()
    {
        return true;
    }
    PreservedAnalyses
    run(Module &m, ModuleAnalysisManager &)
    {
        return run_half(wrap(&m), level, size) ? PreservedAnalyses::none()
                                               : PreservedAnalyses::all();
    }
};

void
register_halves(PassBuilder &builder)
{
    builder.registerPipelineStartEPCallback(
        [](ModulePassManager &passes, OptimizationLevel level) {
            passes.addPass(HalfPass<compile_early>(level));
        });
    builder.registerOptimizerLastEPCallback(
        [](ModulePassManager &passes, OptimizationLevel level
#if LLVM_VERSION_MAJOR >= 20
           ,
           ThinOrFullLTOPhase
#endif
        ) { passes.addPass(HalfPass<compile_late>(level)); });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "fermata", "1", register_halves};
}
