// check_fault.cpp: which faults a function may release and return.
//
// The fault that fm_attempt gives or fm_catch stores belongs to the function,
// which releases it when it ends: released by hand it would be freed twice,
// returned it would be dead, unless fm_fault_retain keeps it.

#include "frontend.h"

namespace check
{

void
faults::note(const Decl *variable, const Expr *e)
{
    e = e->IgnoreParenCasts();
    if (const auto *op = dyn_cast<UnaryOperator>(e))
        e = op->getSubExpr();
    StringRef name = callee_name(last_call(e));
    if (name == "fm_abi_attempted" || name == "fm_abi_catch")
        owned.insert(variable);
    else if (!name.empty())
        retained.insert(variable);
}

void
faults::note_call(const CallExpr *call)
{
    if (call->getNumArgs() != 1)
        return;
    if (callee_name(call) == "fm_fault_release")
        releases.push_back(call);
    else if (callee_name(call) == "fm_fault_retain")
        retained.insert(variable_of(call->getArg(0)));
}

void
faults::note_return(const Expr *e)
{
    if (e)
        returned.push_back(e);
}

void
faults::say(const voice &v) const
{
    for (const CallExpr *call : releases) {
        const Decl *variable = variable_of(call->getArg(0));
        if (owned.count(variable) && !retained.count(variable))
            v.warn(RELEASED_FAULT, call->getSourceRange(),
                   "this function frees the fault of its own fm_attempt or "
                   "fm_catch: release only what fm_fault_retain kept");
    }
    for (const Expr *e : returned) {
        const Decl *variable = variable_of(e);
        StringRef name = callee_name(last_call(e));
        if ((owned.count(variable) && !retained.count(variable)) ||
            name == "fm_abi_attempted")
            v.warn(RELEASED_FAULT, e->getSourceRange(),
                   "this fault belongs to the function and dies when it "
                   "returns: return fm_fault_retain of it, or fm_rethrow it");
    }
}

} // namespace check
