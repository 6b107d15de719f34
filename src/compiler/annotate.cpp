// annotate.cpp: notes in the tree what IR will not show: which variables have
// an async cleanup function.
//
// Runs in the front end, where the plugin is loaded with -fplugin, on each
// top-level declaration before code is generated for it. The compiler half
// reads the annotation in cleanup.c and deletes it.

#include "control.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

using namespace clang;

namespace
{

class variables : public RecursiveASTVisitor<variables>
{
  public:
    bool
    VisitVarDecl(VarDecl *variable)
    {
        const auto *cleanup = variable->getAttr<CleanupAttr>();
        if (!cleanup || variable->hasAttr<AnnotateAttr>())
            return true;
        const auto *type =
            cleanup->getFunctionDecl()->getType()->getAs<FunctionType>();
        if (type && type->getCallConv() == CC_PreserveMost)
            variable->addAttr(AnnotateAttr::CreateImplicit(
                variable->getASTContext(), ASYNC_CLEANUP_ANNOTATION, nullptr,
                0));
        return true;
    }
};

class consumer : public ASTConsumer
{
    bool
    HandleTopLevelDecl(DeclGroupRef group) override
    {
        for (Decl *each : group)
            variables().TraverseDecl(each);
        return true;
    }
};

class action : public PluginASTAction
{
    std::unique_ptr<ASTConsumer>
    CreateASTConsumer(CompilerInstance &, StringRef) override
    {
        return std::make_unique<consumer>();
    }

    bool
    ParseArgs(const CompilerInstance &,
              const std::vector<std::string> &) override
    {
        return true;
    }

    ActionType
    getActionType() override
    {
        return AddBeforeMainAction;
    }
};

FrontendPluginRegistry::Add<action> registered(
    "fermata-annotate", "notes which cleanups are async");

} // namespace
