// check.cpp: the frontend check: what is wrong with async in the tree that
// clang has parsed, said with clang's own diagnostics and carets.
//
// Runs before code generation in every compilation that loads the plugin
// with -fplugin. It reads only the tree: an async function is one whose type
// has the calling convention of abi.h (main is known by its annotation, its
// convention is reset), an await is an `__extension__`. One that was not
// written by our macro is nobody's await, but serves as one, so that
// preprocessed sources compile. What clang's tree does not show, the early
// half refuses.

#include "compiler.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

bool frontend_checked;

namespace
{

enum level { SILENT, WARNING, ERROR };

// The warnings of ours. They belong to no group of clang's, so what -w,
// -Werror and -W... say of them is kept here.
enum warning {
    MISSING_AWAIT,
    DROPPED_TASK,
    DROPPED_PROMISE,
    RELEASED_FAULT,
    WARNINGS
};
const char *const warning_names[WARNINGS] = {"await", "dropped", "promise",
                                             "fault"};
struct warning_levels {
    level of[WARNINGS] = {WARNING, WARNING, WARNING, WARNING};
};

// ---- what a type is ------------------------------------------------------

const FunctionType *
function_of(QualType type)
{
    if (type.isNull())
        return nullptr;
    if (const auto *pointer = type->getAs<PointerType>())
        type = pointer->getPointeeType();
    return type->getAs<FunctionType>();
}

// A handle (FM_TASK(T) and its sisters) is an async function pointer by type
// only: nobody calls it.
bool
is_handle(const FunctionType *type)
{
    const auto *proto = type->getAs<FunctionProtoType>();
    if (!proto || proto->getNumParams() != 2 ||
        !function_of(proto->getParamType(1)))
        return false;
    const auto *record =
        proto->getParamType(0)->getPointeeType().isNull()
            ? nullptr
            : proto->getParamType(0)->getPointeeType()->getAsRecordDecl();
    return record &&
           (record->getName() == "fm_task" || record->getName() == "fm_source");
}

bool
is_async(const FunctionType *type)
{
    return type && type->getCallConv() == CC_PreserveMost;
}

bool
is_async(const FunctionDecl *function)
{
    if (is_async(function->getType()->getAs<FunctionType>()))
        return true;
    for (const auto *each : function->redecls())
        for (const auto *note : each->specific_attrs<AnnotateAttr>())
            if (note->getAnnotation() == "fermata.async")
                return true;
    return false;
}

// ---- what an expression is -------------------------------------------------

// The declaration that a callee names, seen through the casts of fm_get.
const FunctionDecl *
callee_of(const CallExpr *call)
{
    const Expr *callee = call->getCallee()->IgnoreParenCasts();
    const ValueDecl *decl = nullptr;
    if (const auto *name = dyn_cast<DeclRefExpr>(callee))
        decl = name->getDecl();
    else if (const auto *member = dyn_cast<MemberExpr>(callee))
        decl = member->getMemberDecl();
    return dyn_cast_or_null<FunctionDecl>(decl);
}

bool
is_async(const CallExpr *call)
{
    if (const auto *type = function_of(call->getCallee()->getType()))
        return is_async(type);
    const auto *method = callee_of(call); // C++: its callee has no type
    return method && is_async(method);
}

// A mark (fm_start, fm_within, ...) and the call that it stands around.
struct marked {
    const CallExpr *call = nullptr; // null: no mark of ours
    StringRef mark;                 // "start" for fm_abi_mark_start
};

marked
mark_of(const CallExpr *call)
{
    const auto *builtin = callee_of(call);
    if (!builtin ||
        builtin->getBuiltinID() != Builtin::BI__builtin_call_with_static_chain)
        return {};
    const auto *inner =
        dyn_cast<CallExpr>(call->getArg(0)->IgnoreParenImpCasts());
    const auto *chain =
        dyn_cast<CallExpr>(call->getArg(1)->IgnoreParenImpCasts());
    const auto *mark = chain ? callee_of(chain) : nullptr;
    if (!inner || !mark || !mark->getIdentifier())
        return {};
    StringRef name = mark->getName();
    if (!name.consume_front("fm_abi_mark_"))
        return {};
    return {inner, name};
}

bool
mark_awaits(StringRef mark)
{
    return mark == "within" || mark == "anywhere" || mark == "attempt" ||
           mark == "blocking";
}

// The name that a person would use of what is called.
std::string
name_of(const CallExpr *call)
{
    const auto *function = callee_of(call);
    if (!function || !function->getIdentifier())
        return "this call";
    StringRef name = function->getName();
    if (name.consume_front("fm_abi_"))
        return ("'fm_" + name + "'").str();
    return ("'" + name + "'").str();
}

// ---- how it is said ---------------------------------------------------------

struct voice {
    ASTContext &context;
    DiagnosticsEngine &diags;
    const warning_levels &levels;

    DiagnosticBuilder
    say(SourceLocation at, DiagnosticsEngine::Level level, const char *text)
    {
        const auto id = diags.getDiagnosticIDs()->getCustomDiagID(
            DiagnosticIDs::Level(level), text);
        return diags.Report(context.getSourceManager().getFileLoc(at), id);
    }

    void
    error(SourceLocation at, SourceRange range, const Twine &text)
    {
        say(at, DiagnosticsEngine::Error, "%0") << text.str() << range;
    }

    void
    warn(warning which, SourceRange range, const Twine &text,
         const char *insert = "")
    {
        level l = levels.of[which];
        SourceLocation at = range.getBegin();
        if (l == SILENT)
            return;
        auto report = say(
            at,
            l == ERROR ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning,
            l == ERROR ? "%0 [-Werror,-Wfermata-%1]" : "%0 [-Wfermata-%1]");
        report << text.str() << warning_names[which] << range;
        if (at.isFileID() && *insert)
            report << FixItHint::CreateInsertion(at, insert);
    }
};

// ---- one function -----------------------------------------------------------

class body : public RecursiveASTVisitor<body>, voice
{
    bool async; // the function is
    // Async calls and chain builtins that an await reaches; calls that have
    // a mark. Both are found before the calls themselves are visited.
    llvm::SmallPtrSet<const CallExpr *, 16> awaited, with_mark;
    // Variables whose fault the function itself frees, and those that hold
    // one more reference; what is released by hand.
    llvm::SmallPtrSet<const Decl *, 4> faults, retained;
    llvm::SmallVector<const CallExpr *, 4> releases;

    void
    await_missing(const CallExpr *call, const std::string &name)
    {
        warn(MISSING_AWAIT, call->getSourceRange(),
             name + " is async and is awaited here: write 'await' before it",
             "await ");
    }

    void
    outside_async(const CallExpr *call)
    {
        error(call->getBeginLoc(), call->getSourceRange(),
              name_of(call) +
                  " is async, but this function is not: start it with "
                  "fm_start or fm_detach, wait for it with fm_wait, or make "
                  "this function async");
    }

    // The mark as the user wrote it: the outermost macro of ours around it.
    std::string
    mark_name(const CallExpr *chain, StringRef mark) const
    {
        const auto &sources = context.getSourceManager();
        std::string name = ("fm_" + mark).str();
        for (SourceLocation at = chain->getBeginLoc(); at.isMacroID();
             at = sources.getImmediateMacroCallerLoc(at)) {
            StringRef macro = Lexer::getImmediateMacroName(
                at, sources, context.getLangOpts());
            if (macro.starts_with("fm_"))
                name = macro.str();
        }
        return name;
    }

    bool
    from_await(const UnaryOperator *op) const
    {
        SourceLocation at = op->getOperatorLoc();
        return at.isMacroID() && Lexer::getImmediateMacroName(
                                     at, context.getSourceManager(),
                                     context.getLangOpts()) == "fm_await";
    }

    bool
    attempt_note(const Expr *e)
    {
        const auto *comma = dyn_cast<BinaryOperator>(e->IgnoreParenCasts());
        if (comma && comma->getOpcode() == BO_Comma)
            return attempt_note(comma->getRHS()) ||
                   attempt_note(comma->getLHS());
        const auto *call = dyn_cast<CallExpr>(e->IgnoreParenCasts());
        return call && mark_of(call).mark == "attempt" &&
               awaited.insert(call).second;
    }

    bool
    await_call(const CallExpr *call)
    {
        marked m = mark_of(call);
        if (m.call) {
            awaited.insert(call);
            return mark_awaits(m.mark);
        }
        // A template's pattern does not know yet what it calls.
        if (!is_async(call) && !call->isTypeDependent())
            return false;
        awaited.insert(call);
        return true;
    }

    bool
    await_comma(const BinaryOperator *op)
    {
        const auto *last = dyn_cast<CallExpr>(op->getRHS()->IgnoreParenCasts());
        const auto *name = last ? callee_of(last) : nullptr;
        if (name && name->getIdentifier() &&
            name->getName() == "fm_abi_attempted")
            return attempt_note(op->getLHS());
        return await_covers(op->getRHS());
    }

    // Whether an await before e waits for something; notes for what. An
    // await reaches through whatever binds tighter than it, and through
    // parentheses, commas and both arms of a condition.
    bool
    await_covers(const Expr *e)
    {
        e = e->IgnoreParenCasts();
        if (const auto *call = dyn_cast<CallExpr>(e))
            return await_call(call);
        if (const auto *op = dyn_cast<BinaryOperator>(e))
            return op->getOpcode() == BO_Comma && await_comma(op);
        if (const auto *op = dyn_cast<UnaryOperator>(e))
            return await_covers(op->getSubExpr());
        if (const auto *member = dyn_cast<MemberExpr>(e))
            return await_covers(member->getBase());
        if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(e))
            return await_covers(subscript->getLHS()) ||
                   await_covers(subscript->getRHS());
        if (const auto *full = dyn_cast<FullExpr>(e))
            return await_covers(full->getSubExpr());
        if (const auto *made = dyn_cast<MaterializeTemporaryExpr>(e))
            return await_covers(made->getSubExpr());
        if (const auto *bound = dyn_cast<CXXBindTemporaryExpr>(e))
            return await_covers(bound->getSubExpr());
        if (const auto *either = dyn_cast<AbstractConditionalOperator>(e)) {
            bool yes = await_covers(either->getTrueExpr());
            bool no = await_covers(either->getFalseExpr());
            return yes || no;
        }
        if (const auto *block = dyn_cast<StmtExpr>(e)) {
            const Stmt *last = block->getSubStmt()->getStmtExprResult();
            return last && isa<Expr>(last) && await_covers(cast<Expr>(last));
        }
        return false;
    }

    // The mark whose result e is, as the user wrote it: fm_start(x) is a
    // cast of a comma.
    std::string
    mark_result(const Expr *e) const
    {
        e = e->IgnoreParenCasts();
        const auto *op = dyn_cast<BinaryOperator>(e);
        if (op && op->getOpcode() == BO_Comma) {
            const auto *last =
                dyn_cast<CallExpr>(op->getRHS()->IgnoreParenCasts());
            const auto *name = last ? callee_of(last) : nullptr;
            return mark_result(name && name->getIdentifier() &&
                                       name->getName().starts_with("fm_abi_")
                                   ? op->getLHS()
                                   : op->getRHS());
        }
        const auto *call = dyn_cast<CallExpr>(e);
        marked m = call ? mark_of(call) : marked();
        return m.call ? mark_name(call, m.mark) : "";
    }

    static const CallExpr *
    last_call(const Expr *e)
    {
        e = e->IgnoreParenCasts();
        while (const auto *op = dyn_cast<BinaryOperator>(e))
            e = op->getRHS()->IgnoreParenCasts();
        return dyn_cast<CallExpr>(e);
    }

    static const Decl *
    variable_of(const Expr *e)
    {
        const auto *name = dyn_cast<DeclRefExpr>(e->IgnoreParenCasts());
        return name ? name->getDecl() : nullptr;
    }

    // Notes that the variable gets what fm_attempt or fm_catch gives.
    void
    fault_note(const Decl *variable, const Expr *e)
    {
        e = e->IgnoreParenCasts();
        if (const auto *op = dyn_cast<UnaryOperator>(e))
            e = op->getSubExpr();
        const CallExpr *call = last_call(e);
        const auto *callee = call ? callee_of(call) : nullptr;
        if (!callee || !callee->getIdentifier())
            return;
        StringRef name = callee->getName();
        if (name == "fm_abi_attempted" || name == "fm_abi_catch")
            faults.insert(variable);
        else
            retained.insert(variable);
    }

    void
    await_useless(const UnaryOperator *op)
    {
        const Expr *e = op->getSubExpr();
        const FunctionType *type = function_of(e->getType());
        std::string mark = mark_result(e);
        std::string text = "'await' stands before no async call";
        if (StringRef(mark).contains("wait"))
            text = "'await' before " + mark +
                   ", which waits by blocking: remove it";
        else if (!mark.empty())
            text =
                "'await' before " + mark + ", which does not wait: remove it";
        else if (type && is_handle(type))
            text = "'await' stands before a task, not before a call: write "
                   "'await fm_get(...)', or 'await fm_join(...)' to release "
                   "it too";
        else if (const auto *call = dyn_cast<CallExpr>(e->IgnoreParenCasts()))
            text = "'await' before a call of " + name_of(call) +
                   ", which is not async: remove it";
        error(op->getOperatorLoc(), e->getSourceRange(), text);
    }

    // ---- casts

    // Takes off as many levels of pointers as both types have.
    static int
    peel(QualType &a, QualType &b)
    {
        for (int depth = 0;; depth++) {
            QualType x = a->getPointeeType(), y = b->getPointeeType();
            if (x.isNull() || y.isNull())
                return depth;
            a = x;
            b = y;
        }
    }

    bool
    in_our_macro(SourceLocation at) const
    {
        const auto &sources = context.getSourceManager();
        return at.isMacroID() &&
               sources.isInSystemHeader(sources.getSpellingLoc(at));
    }

    void
    cast_check(const CastExpr *cast, SourceLocation at)
    {
        const Expr *from = cast->getSubExpr();
        QualType a = from->getType(), b = cast->getType();
        if (a.isNull() || b.isNull() || !a->isPointerType() ||
            !b->isPointerType() || in_our_macro(at) ||
            from->isNullPointerConstant(context,
                                        Expr::NPC_ValueDependentIsNotNull))
            return;
        int depth = peel(a, b);
        const auto *f = a->getAs<FunctionType>();
        const auto *g = b->getAs<FunctionType>();
        if ((f && is_handle(f)) || (g && is_handle(g)))
            return;
        if (depth > 1 && b->isVoidType())
            return; // *(void **)&pointer = dlsym(...)
        if (is_async(f) && !is_async(g))
            error(at, cast->getSourceRange(),
                  "this conversion drops 'async' from the function's type: "
                  "keep it in the type of the pointer");
        else if (f && !is_async(f) && is_async(g))
            error(at, cast->getSourceRange(),
                  "this conversion calls an ordinary function 'async': wrap "
                  "it in an async function");
    }

  public:
    body(const voice &v, bool a) : voice(v), async(a)
    {
    }

    bool
    VisitUnaryOperator(UnaryOperator *op)
    {
        if (op->getOpcode() != UO_Extension ||
            op->getSubExpr()->containsErrors())
            return true;
        if (!await_covers(op->getSubExpr()) && from_await(op))
            await_useless(op);
        return true;
    }

    void
    mark_check(const CallExpr *chain, const marked &m)
    {
        with_mark.insert(m.call);
        if (m.mark == "blocking")
            return;
        std::string name = mark_name(chain, m.mark);
        if (!is_async(m.call))
            error(m.call->getBeginLoc(), m.call->getSourceRange(),
                  name + " needs a call of an async function: " +
                      name_of(m.call) + " is not async");
        else if (m.mark.contains("wait") &&async)
            error(m.call->getBeginLoc(), m.call->getSourceRange(),
                  name + " blocks the thread, and this function is async: "
                         "await the call instead");
        else if (mark_awaits(m.mark) && !async)
            outside_async(m.call);
        else if (mark_awaits(m.mark) && !awaited.count(chain))
            await_missing(chain, name);
    }

    void
    join_check(const CallExpr *call)
    {
        const auto *join = callee_of(call);
        if (!join || !join->getIdentifier() ||
            join->getName() != "fm_abi_join" || call->getNumArgs() < 1)
            return;
        const auto *name =
            dyn_cast<DeclRefExpr>(call->getArg(0)->IgnoreParenCasts());
        const auto *cleanup =
            name ? name->getDecl()->getAttr<CleanupAttr>() : nullptr;
        if (cleanup &&
            cleanup->getFunctionDecl()->getName() == "fm_abi_auto_release")
            error(call->getBeginLoc(), name->getSourceRange(),
                  "fm_join of an FM_AUTO handle would release it twice: use "
                  "fm_get");
    }

    // Calls that only one kind of function may make.
    void
    place_check(const CallExpr *call)
    {
        const auto *callee = callee_of(call);
        if (!callee || !callee->getIdentifier())
            return;
        StringRef name = callee->getName();
        if (!name.consume_front("fm_abi_"))
            return;
        if (!async && (name == "throw" || name == "rethrow"))
            error(call->getBeginLoc(), call->getSourceRange(),
                  "fm_" + name +
                      " in an ordinary function: only an async function can "
                      "end with a fault; return an error code, or make it "
                      "async");
        else if (async && (name == "wait_get" || name == "wait_get_for"))
            error(call->getBeginLoc(), call->getSourceRange(),
                  (name == "wait_get" ? "fm_wait_task" : "fm_wait_task_for") +
                      Twine(" blocks the thread, and this function is async: "
                            "await fm_get of the task instead"));
    }

    void
    release_note(const CallExpr *call)
    {
        const auto *callee = callee_of(call);
        if (!callee || !callee->getIdentifier() || call->getNumArgs() != 1)
            return;
        if (callee->getName() == "fm_fault_release")
            releases.push_back(call);
        else if (callee->getName() == "fm_fault_retain")
            retained.insert(variable_of(call->getArg(0)));
    }

    // To be called when the whole function was read.
    void
    faults_check()
    {
        for (const CallExpr *call : releases) {
            const Decl *variable = variable_of(call->getArg(0));
            if (faults.count(variable) && !retained.count(variable))
                warn(RELEASED_FAULT, call->getSourceRange(),
                     "this function frees the fault of its own fm_attempt "
                     "or fm_catch: release only what fm_fault_retain kept");
        }
    }

    bool
    VisitBinaryOperator(BinaryOperator *op)
    {
        const Decl *variable =
            op->getOpcode() == BO_Assign ? variable_of(op->getLHS()) : nullptr;
        if (variable)
            fault_note(variable, op->getRHS());
        return true;
    }

    bool
    VisitVarDecl(VarDecl *variable)
    {
        if (variable->getInit())
            fault_note(variable, variable->getInit());
        return true;
    }

    bool
    VisitCallExpr(CallExpr *call)
    {
        if (call->containsErrors() || call->isTypeDependent())
            return true;
        marked m = mark_of(call);
        if (m.call) {
            mark_check(call, m);
            return true;
        }
        join_check(call);
        release_note(call);
        place_check(call);
        if (with_mark.count(call) || !is_async(call))
            return true;
        if (!async)
            outside_async(call);
        else if (!awaited.count(call))
            await_missing(call, name_of(call));
        return true;
    }

    // A statement that is fm_start(call) alone. A cast to void says that it
    // is meant.
    void
    dropped_check(const Stmt *stmt)
    {
        const auto *e = dyn_cast_or_null<Expr>(stmt);
        if (!e || e->getType()->isVoidType() || e->containsErrors())
            return;
        std::string mark = mark_result(e);
        const CallExpr *call = mark.empty() ? nullptr : last_call(e);
        if (call &&
            (StringRef(mark).starts_with("fm_start") || mark == "fm_value"))
            warn(DROPPED_TASK, call->getSourceRange(),
                 "the task that " + mark +
                     " gives is dropped here: keep it, or use fm_detach",
                 "");
    }

    bool
    VisitCompoundStmt(CompoundStmt *block)
    {
        for (const Stmt *stmt : block->body())
            dropped_check(stmt);
        return true;
    }
    bool
    VisitIfStmt(IfStmt *choice)
    {
        dropped_check(choice->getThen());
        dropped_check(choice->getElse());
        return true;
    }
    bool
    VisitForStmt(ForStmt *loop)
    {
        dropped_check(loop->getBody());
        return true;
    }
    bool
    VisitWhileStmt(WhileStmt *loop)
    {
        dropped_check(loop->getBody());
        return true;
    }

    bool
    VisitImplicitCastExpr(ImplicitCastExpr *cast)
    {
        if (cast->getCastKind() == CK_BitCast)
            cast_check(cast, cast->getBeginLoc());
        return true;
    }

    bool
    VisitExplicitCastExpr(ExplicitCastExpr *cast)
    {
        cast_check(cast, cast->getBeginLoc());
        return true;
    }

    // What clang could not read is no ground for words of ours.
    bool
    TraverseRecoveryExpr(RecoveryExpr *)
    {
        return true;
    }

    // What is not evaluated awaits nothing.
    bool
    TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *)
    {
        return true;
    }
    bool
    TraverseTypeOfExprTypeLoc(TypeOfExprTypeLoc)
    {
        return true;
    }
    bool
    TraverseDecltypeTypeLoc(DecltypeTypeLoc)
    {
        return true;
    }
    bool
    TraverseGenericSelectionExpr(GenericSelectionExpr *choice)
    {
        return choice->isResultDependent() ||
               TraverseStmt(choice->getResultExpr());
    }
    // Functions within functions are async by their own type.
    bool
    TraverseLambdaExpr(LambdaExpr *lambda)
    {
        inside(is_async(lambda->getCallOperator()), lambda->getBody());
        return true;
    }
    bool
    TraverseBlockExpr(BlockExpr *block)
    {
        inside(is_async(block->getFunctionType()), block->getBody());
        return true;
    }
    void
    inside(bool is, Stmt *stmt)
    {
        body(*this, is).TraverseStmt(stmt);
    }
};

// ---- one file ---------------------------------------------------------------

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
        if (function->doesThisDeclarationHaveABody()) {
            body inside(*this, is_async(function));
            inside.TraverseStmt(function->getBody());
            inside.faults_check();
        }
        return true;
    }

    // The initialiser of a variable outside functions.
    bool
    VisitVarDecl(VarDecl *variable)
    {
        if (variable->getInit() && !is_foreign(variable))
            body(*this, false).TraverseStmt(variable->getInit());
        return true;
    }

    // Bodies and initialisers are read above.
    bool
    TraverseStmt(Stmt *)
    {
        return true;
    }
};

class consumer : public ASTConsumer
{
    CompilerInstance &compiler;
    warning_levels levels;

  public:
    consumer(CompilerInstance &c, warning_levels l) : compiler(c), levels(l)
    {
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
