// check_body.cpp: one function, call by call: a call without await, an await
// before what is no async call, a mark around what is not one call of an async
// function, a dropped task, a cast that drops async. What clang's tree does
// not show, the early half refuses.

#include "frontend.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"

namespace check
{

namespace
{

bool
in_our_macro(const SourceManager &sources, SourceLocation at)
{
    return at.isMacroID() &&
           sources.isInSystemHeader(sources.getSpellingLoc(at));
}

// Takes off as many levels of pointers as both types have.
int
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

} // namespace

void
cast_check(const voice &v, const CastExpr *cast, SourceLocation at)
{
    const Expr *from = cast->getSubExpr();
    QualType a = from->getType(), b = cast->getType();
    if (a.isNull() || b.isNull() || !a->isPointerType() ||
        !b->isPointerType() || reworded_at(at) ||
        in_our_macro(v.context.getSourceManager(), at) ||
        from->isNullPointerConstant(v.context,
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
        v.error(at, cast->getSourceRange(),
                "this conversion drops 'async' from the function's type: "
                "keep it in the type of the pointer");
    else if (f && !is_async(f) && is_async(g))
        v.error(at, cast->getSourceRange(),
                "this conversion calls an ordinary function 'async': wrap "
                "it in an async function");
}

namespace
{

class body : public RecursiveASTVisitor<body>, public voice
{
    bool async; // the function is
    reach awaits;
    faults own;
    // Calls that have a mark: found before they are visited themselves.
    llvm::SmallPtrSet<const CallExpr *, 16> with_mark;

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

    bool
    from_await(const UnaryOperator *op) const
    {
        SourceLocation at = op->getOperatorLoc();
        return at.isMacroID() && Lexer::getImmediateMacroName(
                                     at, context.getSourceManager(),
                                     context.getLangOpts()) == "fm_await";
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
        const Expr *e = op->getSubExpr();
        if (!awaits.covers(e) && from_await(op))
            error(op->getOperatorLoc(), e->getSourceRange(),
                  await_useless(context, e));
        return true;
    }

    void
    mark_check(const CallExpr *chain, const marked &m)
    {
        with_mark.insert(m.call);
        std::string name = mark_name(context, chain, m.mark);
        if (m.mark == "blocking") {
            if (is_async(m.call))
                error(m.call->getBeginLoc(), m.call->getSourceRange(),
                      name + " is for calls of ordinary functions: " +
                          name_of(m.call) + " is async; await it");
            else if (async && !awaits.has(chain))
                await_missing(chain, name);
        } else if (!is_async(m.call))
            error(m.call->getBeginLoc(), m.call->getSourceRange(),
                  name + " needs a call of an async function: " +
                      name_of(m.call) + " is not async");
        else if (m.mark.contains("wait") &&async)
            error(m.call->getBeginLoc(), m.call->getSourceRange(),
                  name + " blocks the thread, and this function is async: "
                         "await the call instead");
        else if (mark_awaits(m.mark) && !async)
            outside_async(m.call);
        else if (mark_awaits(m.mark) && !awaits.has(chain))
            await_missing(chain, name);
    }

    void
    join_check(const CallExpr *call)
    {
        if (callee_name(call) != "fm_abi_join" || call->getNumArgs() < 1)
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
        StringRef name = callee_name(call);
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

    bool
    VisitBinaryOperator(BinaryOperator *op)
    {
        const Decl *variable =
            op->getOpcode() == BO_Assign ? variable_of(op->getLHS()) : nullptr;
        if (variable)
            own.note(variable, op->getRHS());
        return true;
    }

    bool
    VisitReturnStmt(ReturnStmt *stmt)
    {
        own.note_return(stmt->getRetValue());
        return true;
    }

    bool
    VisitVarDecl(VarDecl *variable)
    {
        if (variable->getInit())
            own.note(variable, variable->getInit());
        return true;
    }

    bool
    VisitCallExpr(CallExpr *call)
    {
        if (call->containsErrors() || call->isTypeDependent()) {
            for (const Expr *argument : call->arguments())
                if (const auto *inner = dyn_cast<CallExpr>(argument))
                    with_mark.insert(inner);
            return true;
        }
        marked m = mark_of(call);
        if (m.call) {
            mark_check(call, m);
            return true;
        }
        join_check(call);
        own.note_call(call);
        place_check(call);
        if (with_mark.count(call) || !is_async(call))
            return true;
        if (!async)
            outside_async(call);
        else if (!awaits.has(call))
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
        std::string mark = mark_result(context, e);
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
        handles_check(*this, block);
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
            cast_check(*this, cast, cast->getBeginLoc());
        return true;
    }

    bool
    VisitExplicitCastExpr(ExplicitCastExpr *cast)
    {
        cast_check(*this, cast, cast->getBeginLoc());
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
        body_check(*this, is, stmt);
    }
    void
    read(Stmt *stmt)
    {
        TraverseStmt(stmt);
        own.say(*this);
    }
};

} // namespace

void
body_check(const voice &v, bool async, Stmt *stmt)
{
    body(v, async).read(stmt);
}

} // namespace check
