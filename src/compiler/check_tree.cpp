// check_tree.cpp: what a type and an expression are to the frontend check.
//
// An async function is one whose type has the calling convention of abi.h
// (main is known by its annotation, its convention is reset). A mark is our
// call in the second place of the static chain builtin.

#include "frontend.h"

#include "clang/Lex/Lexer.h"

namespace check
{

const FunctionType *
function_of(QualType type)
{
    if (type.isNull())
        return nullptr;
    if (const auto *pointer = type->getAs<PointerType>())
        type = pointer->getPointeeType();
    return type->getAs<FunctionType>();
}

// The record that a handle's first parameter points to; empty: it is none.
static StringRef
handle_record(const FunctionType *type)
{
    const auto *proto = type->getAs<FunctionProtoType>();
    if (!proto || proto->getNumParams() != 2 ||
        !function_of(proto->getParamType(1)))
        return "";
    QualType first = proto->getParamType(0)->getPointeeType();
    const auto *record = first.isNull() ? nullptr : first->getAsRecordDecl();
    return record ? record->getName() : "";
}

bool
is_channel(const FunctionType *type)
{
    return handle_record(type) == "fm_channel";
}

bool
is_handle(const FunctionType *type)
{
    StringRef record = handle_record(type);
    return record == "fm_task" || record == "fm_source" ||
           record == "fm_channel";
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

StringRef
callee_name(const CallExpr *call)
{
    const auto *callee = call ? callee_of(call) : nullptr;
    return callee && callee->getIdentifier() ? callee->getName() : "";
}

bool
is_async(const CallExpr *call)
{
    if (const auto *type = function_of(call->getCallee()->getType()))
        return is_async(type);
    const auto *method = callee_of(call); // C++: its callee has no type
    return method && is_async(method);
}

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

std::string
name_of(const CallExpr *call)
{
    const auto *function = callee_of(call);
    if (!function || !function->getIdentifier())
        return "this call";
    StringRef name = function->getName();
    if (name == "fm_abi_group_reserve")
        return "'fm_group_start'";
    if (name.consume_front("fm_abi_"))
        return ("'fm_" + name + "'").str();
    return ("'" + name + "'").str();
}

std::string
mark_name(const ASTContext &context, const CallExpr *chain, StringRef mark)
{
    const auto &sources = context.getSourceManager();
    std::string name = ("fm_" + mark).str();
    for (SourceLocation at = chain->getBeginLoc(); at.isMacroID();
         at = sources.getImmediateMacroCallerLoc(at)) {
        StringRef macro =
            Lexer::getImmediateMacroName(at, sources, context.getLangOpts());
        if (macro.starts_with("fm_"))
            name = macro.str();
    }
    return name;
}

std::string
mark_result(const ASTContext &context, const Expr *e)
{
    e = e->IgnoreParenCasts();
    const auto *op = dyn_cast<BinaryOperator>(e);
    if (op && op->getOpcode() == BO_Comma) {
        const auto *last = dyn_cast<CallExpr>(op->getRHS()->IgnoreParenCasts());
        return mark_result(context, callee_name(last).starts_with("fm_abi_")
                                        ? op->getLHS()
                                        : op->getRHS());
    }
    const auto *call = dyn_cast<CallExpr>(e);
    marked m = call ? mark_of(call) : marked();
    return m.call ? mark_name(context, call, m.mark) : "";
}

const CallExpr *
last_call(const Expr *e)
{
    e = e->IgnoreParenCasts();
    while (const auto *op = dyn_cast<BinaryOperator>(e))
        e = op->getRHS()->IgnoreParenCasts();
    return dyn_cast<CallExpr>(e);
}

const Decl *
variable_of(const Expr *e)
{
    const auto *name = dyn_cast<DeclRefExpr>(e->IgnoreParenCasts());
    return name ? name->getDecl() : nullptr;
}

} // namespace check
