// check.cpp: FRONT DOOR of the frontend check: what is wrong with async in the
// tree that clang has parsed, said with clang's own diagnostics and carets.
//
// Runs before code generation in every compilation that loads the plugin
// with -fplugin, and reads only the tree. The parts are listed in frontend.h.

#include "frontend.h"

#include "compiler.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Sema/SemaConsumer.h"

using namespace clang;

bool frontend_checked, frontend_writes_ir, frontend_emulated_tls;

namespace check
{

const char *const warning_names[WARNINGS] = {"await",      "dropped", "promise",
                                             "definition", "fault",   "handle"};

DiagnosticBuilder
voice::say(SourceLocation at, DiagnosticsEngine::Level level,
           const char *text) const
{
    const auto id = diags.getDiagnosticIDs()->getCustomDiagID(
        DiagnosticIDs::Level(level), text);
    return diags.Report(context.getSourceManager().getFileLoc(at), id);
}

void
voice::error(SourceLocation at, SourceRange range, const Twine &text) const
{
    say(at, DiagnosticsEngine::Error, "%0") << text.str() << range;
}

void
voice::warn(warning which, SourceRange range, const Twine &text,
            const char *insert) const
{
    level l = levels.of[which];
    SourceLocation at = range.getBegin();
    if (l == SILENT)
        return;
    auto report = say(
        at, l == ERROR ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning,
        l == ERROR ? "%0 [-Werror,-Wfermata-%1]" : "%0 [-Wfermata-%1]");
    report << text.str() << warning_names[which] << range;
    if (at.isFileID() && *insert)
        report << FixItHint::CreateInsertion(at, insert);
}

namespace
{

class file : public RecursiveASTVisitor<file>, voice
{
    bool
    is_foreign(const Decl *decl) const
    {
        const auto &sources = context.getSourceManager();
        return sources.isInSystemHeader(
            sources.getExpansionLoc(decl->getLocation()));
    }

    // What an async function cannot promise, as it waits and may fault.
    void
    promises_check(const FunctionDecl *function)
    {
        for (const auto *each : function->attrs()) {
            if (each->isInherited() || each->isImplicit() ||
                !isa<ConstAttr, PureAttr, NoThrowAttr, LeafAttr, RestrictAttr>(
                    each))
                continue;
            warn(DROPPED_PROMISE, each->getRange(),
                 Twine("'") + each->getSpelling() +
                     "' is dropped from an async function: while it waits "
                     "anything may run, and it may end with a fault");
        }
    }

    // clang takes the mark over from a declaration before: right, but whoever
    // reads only the definition does not see it.
    void
    definition_check(const FunctionDecl *function)
    {
        if (!function->getPreviousDecl() || function->isImplicit() ||
            function->isTemplateInstantiation())
            return;
        for (const auto *each : function->specific_attrs<AnnotateAttr>())
            if (each->getAnnotation() == "fermata.async" &&
                !each->isInherited())
                return;
        warn(SILENT_ASYNC,
             SourceRange(function->getBeginLoc(), function->getLocation()),
             "'" + function->getNameAsString() +
                 "' is async, as it was declared; say so here too",
             "async ");
    }

    void
    async_check(const FunctionDecl *function)
    {
        const auto *type = function->getType()->getAs<FunctionType>();
        if (!is_async(type) && !function->isMain())
            error(function->getLocation(), function->getSourceRange(),
                  "'" + function->getNameAsString() +
                      "' cannot be async: the name is one of clang's builtin "
                      "functions; give it another name");
        if (function->isVariadic())
            error(function->getLocation(), function->getSourceRange(),
                  "an async function cannot be variadic: hand the values over "
                  "in an array or a struct");
        promises_check(function);
        if (function->doesThisDeclarationHaveABody())
            definition_check(function);
    }

  public:
    explicit file(const voice &v) : voice(v)
    {
    }

    bool
    VisitFunctionDecl(FunctionDecl *function)
    {
        if (is_foreign(function))
            return true;
        if (is_async(function))
            async_check(function);
        if (function->doesThisDeclarationHaveABody())
            body_check(*this, is_async(function), function->getBody());
        return true;
    }

    // The initialiser of a variable outside functions.
    bool
    VisitVarDecl(VarDecl *variable)
    {
        if (variable->getInit() && !is_foreign(variable))
            body_check(*this, false, variable->getInit());
        return true;
    }

    // Bodies and initialisers are read above.
    bool
    TraverseStmt(Stmt *)
    {
        return true;
    }
};

class consumer : public SemaConsumer
{
    CompilerInstance &compiler;
    warning_levels levels;

  public:
    consumer(CompilerInstance &c, warning_levels l) : compiler(c), levels(l)
    {
    }

    void
    InitializeSema(Sema &) override
    {
        spell_types(compiler.getDiagnostics(), compiler.getASTContext());
    }

    void
    HandleTranslationUnit(ASTContext &context) override
    {
        frontend_checked = true;
        file(voice{context, compiler.getDiagnostics(), levels})
            .TraverseDecl(context.getTranslationUnitDecl());
    }
};

class action : public PluginASTAction
{
    warning_levels levels;
    bool given[WARNINGS] = {};

    std::unique_ptr<ASTConsumer>
    CreateASTConsumer(CompilerInstance &compiler, StringRef) override
    {
        const auto &diags = compiler.getDiagnostics();
        for (int i = 0; i < WARNINGS; i++) {
            if (!given[i] && diags.getWarningsAsErrors())
                levels.of[i] = ERROR;
            if (diags.getIgnoreAllWarnings())
                levels.of[i] = SILENT;
        }
        auto output = compiler.getFrontendOpts().ProgramAction;
        frontend_writes_ir =
            output == frontend::EmitBC || output == frontend::EmitLLVM;
        frontend_emulated_tls = compiler.getCodeGenOpts().EmulatedTLS;
        reword_messages(compiler);
        return std::make_unique<consumer>(compiler, levels);
    }

    // -fplugin-arg-fermata-WARNING-LEVEL: what fermata-cc makes of
    // -Wno-fermata-WARNING, -Werror=fermata-WARNING and their sisters.
    bool
    ParseArgs(const CompilerInstance &,
              const std::vector<std::string> &args) override
    {
        static const char *const names[] = {"silent", "warning", "error"};
        for (const auto &arg : args)
            for (int i = 0; i < WARNINGS; i++)
                for (int l = SILENT; l <= ERROR; l++)
                    if (arg == std::string(warning_names[i]) + "-" + names[l]) {
                        levels.of[i] = level(l);
                        given[i] = true;
                    }
        return true;
    }

    ActionType
    getActionType() override
    {
        return AddBeforeMainAction;
    }
};

FrontendPluginRegistry::Add<action> registered(
    "fermata", "checks the use of async and await");

} // namespace

} // namespace check
