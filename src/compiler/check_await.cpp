// check_await.cpp: what an await reaches.
//
// An await is an `__extension__`. One that was not written by our macro is
// nobody's await, but serves as one, so that preprocessed sources compile. It
// reaches through whatever binds tighter than it, and through parentheses,
// commas and both arms of a condition.

#include "frontend.h"

namespace check
{

bool
reach::attempt(const Expr *e)
{
    const auto *comma = dyn_cast<BinaryOperator>(e->IgnoreParenCasts());
    if (comma && comma->getOpcode() == BO_Comma)
        return attempt(comma->getRHS()) || attempt(comma->getLHS());
    const auto *chain = dyn_cast<CallExpr>(e->IgnoreParenCasts());
    return chain && mark_of(chain).mark == "attempt" &&
           awaited.insert(chain).second;
}

bool
reach::call(const CallExpr *call)
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
reach::comma(const BinaryOperator *op)
{
    const auto *last = dyn_cast<CallExpr>(op->getRHS()->IgnoreParenCasts());
    if (callee_name(last) == "fm_abi_attempted")
        return attempt(op->getLHS());
    return covers(op->getRHS());
}

bool
reach::covers(const Expr *e)
{
    e = e->IgnoreParenCasts();
    if (const auto *one = dyn_cast<CallExpr>(e))
        return call(one);
    if (const auto *op = dyn_cast<BinaryOperator>(e))
        return op->getOpcode() == BO_Comma && comma(op);
    if (const auto *op = dyn_cast<UnaryOperator>(e))
        return covers(op->getSubExpr());
    if (const auto *member = dyn_cast<MemberExpr>(e))
        return covers(member->getBase());
    if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(e))
        return covers(subscript->getLHS()) || covers(subscript->getRHS());
    if (const auto *full = dyn_cast<FullExpr>(e))
        return covers(full->getSubExpr());
    if (const auto *made = dyn_cast<MaterializeTemporaryExpr>(e))
        return covers(made->getSubExpr());
    if (const auto *bound = dyn_cast<CXXBindTemporaryExpr>(e))
        return covers(bound->getSubExpr());
    if (const auto *either = dyn_cast<AbstractConditionalOperator>(e)) {
        bool yes = covers(either->getTrueExpr());
        bool no = covers(either->getFalseExpr());
        return yes || no;
    }
    if (const auto *block = dyn_cast<StmtExpr>(e)) {
        const Stmt *last = block->getSubStmt()->getStmtExprResult();
        return last && isa<Expr>(last) && covers(cast<Expr>(last));
    }
    return false;
}

bool
reach::has(const CallExpr *call) const
{
    return awaited.count(call);
}

std::string
await_useless(const ASTContext &context, const Expr *e)
{
    const FunctionType *type = function_of(e->getType());
    std::string mark = mark_result(context, e);

    if (StringRef(mark).contains("wait"))
        return "'await' before " + mark +
               ", which waits by blocking: remove it";
    if (!mark.empty())
        return "'await' before " + mark + ", which does not wait: remove it";
    if (type && is_channel(type))
        return "'await' stands before a channel, not before a call: write "
               "'await fm_receive(...)' or 'await fm_send(...)'";
    if (type && is_handle(type))
        return "'await' stands before a task, not before a call: write "
               "'await fm_get(...)', or 'await fm_join(...)' to release it "
               "too";
    const auto *call = dyn_cast<CallExpr>(e->IgnoreParenCasts());
    if (call && callee_name(call) == "main")
        return "main is not called: put what it does into an async function "
               "of its own";
    if (call)
        return "'await' before a call of " + name_of(call) +
               ", which is not async: remove it";
    return "'await' stands before no async call";
}

} // namespace check
