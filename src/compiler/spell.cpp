// spell.cpp: types in clang's messages as a person writes them.
//
// A handle is FM_TASK(int), not a pointer to a function with an attribute; an
// async function is 'async int (int)'. What clang calls to write a type into
// a message is replaced by a function of ours before it.

#include "frontend.h"

#include "clang/AST/ASTDiagnostic.h"

namespace check
{
namespace
{

// The type without the typeof and the parentheses of our macros.
QualType
written_type(const ASTContext &context, intptr_t opaque)
{
    QualType type = QualType::getFromOpaquePtr((void *)opaque);
    while (isa<TypeOfExprType, TypeOfType, ParenType>(type.getTypePtr()))
        type = type.getSingleStepDesugaredType(context);
    return type;
}

// How a handle's type is written, or nothing: FM_TASK(int).
std::string
handle_spelled(const ASTContext &context, QualType type)
{
    const auto *function = function_of(type);
    if (!function || !type->isPointerType() || !is_handle(function))
        return "";
    const auto *proto = function->castAs<FunctionProtoType>();
    const auto *tag = function_of(proto->getParamType(1));
    const auto *first =
        proto->getParamType(0)->getPointeeType()->getAsRecordDecl();
    bool value = tag->castAs<FunctionProtoType>()->getNumParams() == 2;
    QualType result = proto->getReturnType();
    result = written_type(context, (intptr_t)result.getAsOpaquePtr());
    return std::string(first->getName() == "fm_source"    ? "FM_SOURCE("
                       : first->getName() == "fm_channel" ? "FM_CHANNEL("
                       : value                            ? "FM_VALUE("
                                                          : "FM_TASK(") +
           result.getAsString(context.getPrintingPolicy()) + ")";
}

// The same for pointers to handles and arrays of them.
std::string
spelled(const ASTContext &context, QualType type)
{
    std::string name = handle_spelled(context, type);
    std::string mark = type.isConstQualified() ? "const " : "";
    if (!name.empty())
        return mark + name;
    if (const auto *array = context.getAsConstantArrayType(type)) {
        name = spelled(context, array->getElementType());
        return name.empty()
                   ? ""
                   : name + "[" + std::to_string(array->getZExtSize()) + "]";
    }
    if (const auto *pointer = type->getAs<PointerType>())
        name = spelled(context, pointer->getPointeeType());
    return name.empty() ? "" : name + " *";
}

// In a text of clang's, each quoted type of an async function: clang writes
// the attribute behind it, people write async before.
std::string
async_before(StringRef text)
{
    static const char attribute[] = " __attribute__((preserve_most))";
    std::string out;
    while (!text.empty()) {
        auto [before, rest] = text.split('\'');
        out += before;
        if (before.size() == text.size())
            break;
        auto [quoted, after] = rest.split('\'');
        std::string type = quoted.str();
        bool async = quoted.ends_with(attribute);
        for (size_t at;
             async && (at = type.find(attribute)) != std::string::npos;)
            type.erase(at, sizeof attribute - 1);
        for (size_t at; (at = type.find("((*))")) != std::string::npos;)
            type.replace(at, 5, "(*)");
        out += std::string(async ? "'async " : "'") + type + "'";
        text = after;
    }
    return out;
}

// What clang calls to write a type into a message.
void
spell(DiagnosticsEngine::ArgumentKind kind, intptr_t value, StringRef modifier,
      StringRef argument, ArrayRef<DiagnosticsEngine::ArgumentValue> previous,
      SmallVectorImpl<char> &out, void *cookie, ArrayRef<intptr_t> types)
{
    auto &context = *static_cast<ASTContext *>(cookie);
    SmallString<128> text;

    // A pair of types is written as its members, one after the other; in C++
    // clang shows how two templates differ.
    if (kind == DiagnosticsEngine::ak_qualtype_pair) {
        const auto &pair = *reinterpret_cast<const TemplateDiffTypes *>(value);
        intptr_t one = pair.PrintFromType ? pair.FromType : pair.ToType;
        if (!pair.PrintTree &&
            (!context.getLangOpts().CPlusPlus ||
             !spelled(context, written_type(context, one)).empty())) {
            kind = DiagnosticsEngine::ak_qualtype;
            value = one;
            modifier = argument = "";
        }
    }
    if (kind == DiagnosticsEngine::ak_qualtype) {
        QualType type = written_type(context, value);
        std::string name = spelled(context, type);
        if (!name.empty()) {
            const auto *alias = type->getAs<TypedefType>();
            text = alias ? "'" + alias->getDecl()->getNameAsString() +
                               "' (aka '" + name + "')"
                         : "'" + name + "'";
            out.append(text.begin(), text.end());
            return;
        }
        value = (intptr_t)type.getAsOpaquePtr();
    }
    FormatASTNodeDiagnosticArgument(kind, value, modifier, argument, previous,
                                    text, cookie, types);
    std::string written = async_before(text);
    out.append(written.begin(), written.end());
}

} // namespace

void
spell_types(DiagnosticsEngine &diags, ASTContext &context)
{
    diags.SetArgToStringFn(spell, &context);
}

} // namespace check
