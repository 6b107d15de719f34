// check_handle.cpp: handles that are used after they were given back.
//
// `await fm_join(t)` and `fm_release(t)` end what the variable t holds. Where
// one of them stands in a block, for certain, and a later statement of the
// same block hands t to the library again without having set it, that is told.
// Only straight lines are read: no false alarm is worth a true one.

#include "frontend.h"

#include "clang/AST/RecursiveASTVisitor.h"

namespace check
{

namespace
{

// The local variable that the call takes as its handle, or null.
const VarDecl *
handle_argument(const CallExpr *call)
{
    if (!callee_name(call).starts_with("fm_abi_") || call->getNumArgs() < 1)
        return nullptr;
    const Expr *e = call->getArg(0)->IgnoreParenCasts();
    while (const auto *op = dyn_cast<BinaryOperator>(e)) { // fm_task_of
        if (op->getOpcode() != BO_Comma)
            return nullptr;
        e = op->getRHS()->IgnoreParenCasts();
    }
    const auto *variable = dyn_cast_or_null<VarDecl>(variable_of(e));
    return variable && variable->hasLocalStorage() ? variable : nullptr;
}

bool
gives_back(const CallExpr *call)
{
    StringRef name = callee_name(call);

    return name == "fm_abi_join" || name == "fm_abi_release";
}

// What a statement does for certain: arms of conditions are left out.
class given : public RecursiveASTVisitor<given>
{
  public:
    llvm::SmallPtrSet<const VarDecl *, 2> variables;

    bool
    VisitCallExpr(CallExpr *call)
    {
        if (const VarDecl *variable = handle_argument(call))
            if (gives_back(call))
                variables.insert(variable);
        return true;
    }
    bool
    TraverseConditionalOperator(ConditionalOperator *)
    {
        return true;
    }
    bool
    TraverseBinaryOperator(BinaryOperator *op)
    {
        return op->isLogicalOp() ||
               RecursiveASTVisitor<given>::TraverseBinaryOperator(op);
    }
    bool
    TraverseStmtExpr(StmtExpr *)
    {
        return true;
    }
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
};

// Variables of which more than what is read here may be true: with a second
// reference, or known to others.
class loose : public RecursiveASTVisitor<loose>
{
  public:
    llvm::SmallPtrSet<const Decl *, 4> variables;

    bool
    VisitCallExpr(CallExpr *call)
    {
        if (callee_name(call) == "fm_abi_retain")
            variables.insert(handle_argument(call));
        return true;
    }
    bool
    VisitUnaryOperator(UnaryOperator *op)
    {
        if (op->getOpcode() == UO_AddrOf)
            variables.insert(variable_of(op->getSubExpr()));
        return true;
    }
};

// The first use of a variable in a statement: whether it may set it, and
// which call takes it if not.
class use : public RecursiveASTVisitor<use>
{
    const VarDecl *variable;

  public:
    const CallExpr *call = nullptr;
    bool sets = false;

    explicit use(const VarDecl *v) : variable(v)
    {
    }
    bool
    VisitBinaryOperator(BinaryOperator *op)
    {
        sets |= op->isAssignmentOp() && variable_of(op->getLHS()) == variable;
        return true;
    }
    bool
    VisitCallExpr(CallExpr *at)
    {
        if (!call && handle_argument(at) == variable)
            call = at;
        return true;
    }
};

bool
is_plain(const Stmt *stmt)
{
    return isa<Expr>(stmt) || isa<DeclStmt>(stmt);
}

} // namespace

void
handles_check(const voice &v, const CompoundStmt *block)
{
    llvm::SmallPtrSet<const VarDecl *, 2> dead;
    loose unknown;

    unknown.TraverseStmt(const_cast<CompoundStmt *>(block));
    for (Stmt *stmt : block->body()) {
        if (isa<LabelStmt, SwitchCase>(stmt))
            dead.clear(); // reached otherwise too
        llvm::SmallVector<const VarDecl *, 2> over;
        for (const VarDecl *variable : dead) {
            use u(variable);
            u.TraverseStmt(stmt);
            if (!u.sets && u.call)
                v.warn(DEAD_HANDLE, u.call->getSourceRange(),
                       "'" + variable->getName() +
                           "' was given back by fm_join or fm_release before "
                           "this: its task may be gone");
            if (u.sets || u.call)
                over.push_back(variable);
        }
        for (const VarDecl *variable : over)
            dead.erase(variable);
        if (!is_plain(stmt))
            continue;
        given g;
        g.TraverseStmt(stmt);
        for (const VarDecl *variable : g.variables) {
            use u(variable);
            u.TraverseStmt(stmt);
            if (!u.sets && !unknown.variables.count(variable))
                dead.insert(variable);
        }
    }
}

} // namespace check
