// reword.cpp: clang's own messages about our macros, in the user's words.
//
// The header's forms are made of clang's builtins, attributes and function
// types, and a mistake in one of them would be told in those: `fm_start((f()))`
// as "first argument to __builtin_call_with_static_chain must be a ...". A
// consumer in front of clang's rewrites such a message, adds what to do, and
// shows the place that the user wrote without the macros' insides.
// Everything else passes through untouched.

#include "frontend.h"

#include "clang/Basic/AllDiagnostics.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"

#include <set>

namespace check
{
namespace
{

// ---- what to do ----------------------------------------------------------

const char keywords[] =
    ": 'async' and 'await' are keywords after fermata.h; include it later, or "
    "define FERMATA_NO_KEYWORDS and write fm_async, fm_await";

// How each form that takes more than a call is written.
StringRef
usage_of(StringRef form)
{
    return llvm::StringSwitch<StringRef>(form)
        .Case("fm_attempt", "fm_attempt(&out, f(x)), with NULL for &out when "
                            "the call returns void or its result is not "
                            "wanted")
        .Case("fm_attempt_wait", "fm_attempt_wait(&out, f(x)), with NULL for "
                                 "&out when the call returns void")
        .Case("fm_begin", "fm_begin(&out, f(x)), with NULL for &out when the "
                          "call returns void")
        .Case("fm_within", "fm_within(FM_MS(n), f(x))")
        .Case("fm_start_on", "fm_start_on(executor, f(x))")
        .Case("fm_start", "fm_start(f(x))")
        .Case("fm_wait_task_for", "fm_wait_task_for(task, FM_MS(n))")
        .Case("fm_all", "fm_all(tasks, n), or fm_all_of(a, b, ...)")
        .Case("fm_any", "fm_any(tasks, n), or fm_any_of(a, b, ...)")
        .Case("fm_completed", "fm_completed(type, value)")
        .Case("fm_with_local", "fm_with_local(&key, value);")
        .Case("fm_throw", "fm_throw(code, \"why, as for printf\", ...)")
        .Case("fm_catch", "fm_fault *f; fm_try { ... } fm_catch (f) { ... }")
        .Case("FM_TASK", "FM_TASK(type of the result)")
        .Default("");
}

// The forms that a person writes around a call.
bool
is_mark(StringRef form)
{
    return llvm::StringSwitch<bool>(form)
        .Cases("fm_start", "fm_start_on", "fm_detach", "fm_value", true)
        .Cases("fm_begin", "fm_wait", "fm_attempt", "fm_attempt_wait", true)
        .Cases("fm_within", "fm_anywhere", "fm_blocking", true)
        .Default(false);
}

// What is wrong with what stands in a mark, by how it is written.
std::string
not_a_call(StringRef form, StringRef written)
{
    std::string text =
        form.str() + " takes exactly one call, as in " +
        (usage_of(form).empty() ? form.str() + "(f(x))" : usage_of(form).str());
    StringRef first = written.take_while(
        [](char c) { return isAlphanumeric(c) || c == '_'; });
    if (first == "await" || first == "fm_await")
        return text + ": remove the 'await' in it";
    if (written.starts_with("("))
        return text + ": remove the parentheses around the call";
    if (is_mark(first))
        return text + ": " + first.str() + " is no call but another form; " +
               (first == "fm_within"
                    ? "instead, 'fm_with_timeout(ns);' holds in the enclosing "
                      "block"
                    : "put it into an async function of its own and call "
                      "that here");
    return text;
}

QualType
type_in(const Diagnostic &info, unsigned at)
{
    return at < info.getNumArgs() &&
                   info.getArgKind(at) == DiagnosticsEngine::ak_qualtype
               ? QualType::getFromOpaquePtr((void *)info.getRawArg(at))
               : QualType();
}

bool
is_handle_type(QualType type)
{
    const auto *function = type.isNull() ? nullptr : function_of(type);
    return function && type->isPointerType() && is_handle(function);
}

// A form that wants a handle was given something of that type.
std::string
no_handle(StringRef form, QualType got, const std::string &text)
{
    if (is_mark(form) || got.isNull())
        return text;
    const auto *pointee = function_of(got->getPointeeType());
    if (pointee && is_handle(pointee))
        return (form + " takes the handle itself, not its address: remove "
                       "the '&'")
            .str();
    if (form.contains("channel") || form == "fm_send" || form == "fm_receive" ||
        form.starts_with("fm_try_"))
        return (form + " takes a channel, FM_CHANNEL(type), and this is none")
            .str();
    return (form + " takes a handle, FM_TASK(type) or its sisters, and this "
                   "is none")
        .str();
}

// A form that wants a task was given a handle whose tag is of that type.
std::string
other_handle(StringRef form, QualType wanted, const std::string &text)
{
    const auto *tag = wanted.isNull() ? nullptr : function_of(wanted);
    const auto *proto = tag ? tag->getAs<FunctionProtoType>() : nullptr;
    if (!StringRef(text).contains("fm__") || !proto)
        return text;
    if (proto->getNumParams() == 2)
        return (form + " takes a task: await a value with fm_take(&v), or "
                       "make it one with fm_value_task(&v)")
            .str();
    return (form + " takes a task: fm_source_task(s) is a source's").str();
}

// What one does about a value that is not of the wanted type.
std::string
conversion_advice(const Diagnostic &info, StringRef text)
{
    QualType a = type_in(info, 0), b = type_in(info, 1);
    if (a.isNull() || b.isNull())
        return "";
    bool x = is_async(function_of(a)), y = is_async(function_of(b));
    if (!is_handle_type(a) && !is_handle_type(b) && x != y) {
        // "passing A to B", but "initializing A with B".
        bool to_first =
            text.contains(" initializing ") || text.contains(" assigning ");
        return (to_first ? y : x)
                   ? "an async function is called through pointers to async "
                     "only: write 'async' in the pointer's type, or hand over "
                     "an ordinary function that starts it"
                   : "an ordinary function is no async one: wrap it in an "
                     "async function";
    }
    if (is_handle_type(a) == is_handle_type(b))
        return "";
    QualType other = is_handle_type(a) ? b : a;
    if (const auto *record = other->getPointeeType().isNull()
                                 ? nullptr
                                 : other->getPointeeType()->getAsRecordDecl())
        if (record->getName() == "fm_task")
            return "fm_task_of(t) is the untyped task";
    if (!other->isPointerType())
        return "'await fm_get(t)' is a task's result, 'fm_start(f(x))' makes "
               "a task of a call";
    return "";
}

// Where the expressions begin whose conversion was told.
std::set<SourceLocation> reworded;

// ---- the consumer ----------------------------------------------------------

class rewording : public DiagnosticConsumer
{
    std::unique_ptr<DiagnosticConsumer> owned;
    DiagnosticConsumer *next; // clang's
    CompilerInstance &compiler;
    DiagnosticsEngine again; // gives next what is reworded
    // Where the last error in a form of ours was, and whether the notes
    // that come now belong to it, or to one that was dropped.
    SourceLocation last;
    SourceLocation ended; // where a brace was missing
    bool follows = false, dropped = false;
    // A form with too few arguments: told when the note names the form. What
    // else clang says of that line would be about our macro's name.
    std::string too_few;
    SourceLocation too_few_at;
    llvm::SmallVector<std::pair<FileID, unsigned>, 2> told;

    const SourceManager &
    sources() const
    {
        return compiler.getSourceManager();
    }

    bool
    is_ours(SourceLocation at) const
    {
        StringRef name = sources().getFilename(sources().getSpellingLoc(at));
        return name.ends_with("fermata.h") || name.contains("fermata/");
    }

    // The outermost macro of ours at that place, or nothing.
    std::string
    form_at(SourceLocation at) const
    {
        std::string form;
        for (; at.isMacroID(); at = sources().getImmediateMacroCallerLoc(at)) {
            StringRef name = Lexer::getImmediateMacroName(
                at, sources(), compiler.getLangOpts());
            if (name.starts_with("fm_") || name.starts_with("FM_"))
                form = name.str();
        }
        return form == "fm_await" || form == "fm_async" ? "" : form;
    }

    // A place as the user's file has it, or none.
    CharSourceRange
    range_in_file(CharSourceRange range) const
    {
        SourceLocation a = sources().getFileLoc(range.getBegin());
        SourceLocation b = sources().getFileLoc(range.getEnd());
        if (a.isInvalid() || b.isInvalid() || b < a ||
            sources().getFileID(a) != sources().getFileID(b))
            return {};
        return CharSourceRange(SourceRange(a, b), range.isTokenRange());
    }

    void
    say(DiagnosticsEngine::Level level, const Diagnostic &info,
        const std::string &text)
    {
        StringRef flag = DiagnosticIDs::getWarningOptionForDiag(info.getID());
        std::string whole = text;
        if (!flag.empty() && level >= DiagnosticsEngine::Warning)
            whole += (level == DiagnosticsEngine::Error &&
                              compiler.getDiagnostics().getWarningsAsErrors()
                          ? " [-Werror,-W"
                          : " [-W") +
                     flag.str() + "]";
        auto report = again.Report(sources().getFileLoc(info.getLocation()),
                                   again.getDiagnosticIDs()->getCustomDiagID(
                                       DiagnosticIDs::Level(level), "%0"));
        report << whole;
        for (const auto &range : info.getRanges()) {
            CharSourceRange r = range_in_file(range);
            if (r.isValid())
                report << r;
        }
    }

    StringRef
    written(const Diagnostic &info) const
    {
        CharSourceRange r = info.getNumRanges()
                                ? range_in_file(info.getRange(0))
                                : CharSourceRange();
        return r.isValid()
                   ? Lexer::getSourceText(r, sources(), compiler.getLangOpts())
                   : StringRef();
    }

    std::pair<FileID, unsigned>
    line_of(SourceLocation at) const
    {
        at = sources().getFileLoc(at);
        return {sources().getFileID(at), sources().getSpellingLineNumber(at)};
    }

    // What the user's file has in that line, before or from that place.
    StringRef
    line_part(SourceLocation at, bool before) const
    {
        auto [file, offset] =
            sources().getDecomposedLoc(sources().getFileLoc(at));
        StringRef text = sources().getBufferData(file);
        return before ? text.take_front(offset).rsplit('\n').second
                      : text.drop_front(offset).split('\n').first;
    }

    StringRef
    text_between(SourceLocation from, SourceLocation to) const
    {
        auto [file, a] = sources().getDecomposedLoc(from);
        auto [other, b] = sources().getDecomposedLoc(to);
        return to.isValid() && file == other && a <= b
                   ? sources().getBufferData(file).slice(a, b)
                   : "";
    }

    std::string better(const Diagnostic &info, StringRef form,
                       const std::string &text);
    std::string better_anywhere(const Diagnostic &info,
                                const std::string &text);
    bool too_few_told(DiagnosticsEngine::Level level, const Diagnostic &info,
                      const std::string &text);
    bool is_half_told(const Diagnostic &info) const;
    bool is_dropped(DiagnosticsEngine::Level level, const Diagnostic &info);
    void pass(DiagnosticsEngine::Level level, const Diagnostic &info,
              const std::string &text);

  public:
    rewording(CompilerInstance &c, DiagnosticConsumer *n,
              std::unique_ptr<DiagnosticConsumer> o)
        : owned(std::move(o)), next(n), compiler(c),
          again(c.getDiagnostics().getDiagnosticIDs(),
                &c.getDiagnostics().getDiagnosticOptions(), n, false)
    {
        again.setSourceManager(&c.getSourceManager());
    }

    void
    BeginSourceFile(const LangOptions &options, const Preprocessor *p) override
    {
        next->BeginSourceFile(options, p);
    }
    void
    EndSourceFile() override
    {
        next->EndSourceFile();
    }
    void
    finish() override
    {
        next->finish();
    }
    void
    clear() override
    {
        DiagnosticConsumer::clear();
        next->clear();
    }
    bool
    IncludeInDiagnosticCounts() const override
    {
        return next->IncludeInDiagnosticCounts();
    }
    void HandleDiagnostic(DiagnosticsEngine::Level level,
                          const Diagnostic &info) override;
};

// A message inside one of our forms.
std::string
rewording::better(const Diagnostic &info, StringRef form,
                  const std::string &text)
{
    switch (info.getID()) {
    case diag::err_first_argument_to_cwsc_not_call:
    case diag::err_first_argument_to_cwsc_builtin_call:
    case diag::err_first_argument_to_cwsc_block_call:
    case diag::err_first_argument_to_cwsc_pdtor_call:
        return not_a_call(form, written(info));
    case diag::err_func_returning_array_function:
        return is_mark(form) ? not_a_call(form, "") : text;
    case diag::err_static_assert_requirement_failed: {
        auto [before, sentence] = StringRef(text).split("': ");
        return sentence.empty() ? text : (form + ": " + sentence).str();
    }
    case diag::err_typecheck_indirection_requires_pointer:
    case diag::err_typecheck_call_not_function:
        return no_handle(form, type_in(info, 0), text);
    case diag::err_subscript_function_type:
    case diag::err_typecheck_subscript_value:
        return form == "fm_take" || form == "fm_value_task"
                   ? (form + " takes the address of an FM_VALUE variable").str()
                   : text;
    case diag::err_typecheck_convert_incompatible_function_pointer:
    case diag::ext_typecheck_convert_incompatible_function_pointer:
        return other_handle(form, type_in(info, 1), text);
    case diag::err_redefinition:
        return (form + " stands twice in one line: give each its own").str();
    case diag::err_expected_expression:
        return usage_of(form).empty()
                   ? text
                   : text + ": write " + usage_of(form).str();
    case diag::err_undeclared_var_use:
    case diag::err_undeclared_var_use_suggest:
        return form == "fm_catch"
                   ? text + ": the variable for the fault is declared before "
                            "fm_try, as 'fm_fault *f;'"
                   : text;
    case diag::note_matching:
        return form == "fm_try" ? "fm_try opens it and fm_catch (f) closes "
                                  "it, with all braces between closed"
                                : text;
    default:
        return text;
    }
}

// A message outside them that has to do with async.
std::string
rewording::better_anywhere(const Diagnostic &info, const std::string &text)
{
    switch (info.getID()) {
    case diag::err_cconv_change:
        return "async here and not async in an earlier declaration: both "
               "must say 'async'";
    case diag::err_undeclared_var_use:
    case diag::err_undeclared_var_use_suggest: {
        StringRef name = StringRef(text).split('\'').second.split('\'').first;
        return usage_of(name).empty()
                   ? text
                   : "'" + name.str() + "' is written " + usage_of(name).str();
    }
    case diag::err_expected_semi_declaration: {
        StringRef line = line_part(info.getLocation(), true);
        size_t at = line.rfind("fm_with_");
        StringRef form = at == StringRef::npos ? "" : line.drop_front(at);
        return form.empty() || form.contains(';')
                   ? text
                   : form.split('(').first.str() +
                         " holds to the end of the enclosing block and has "
                         "none of its own: write ';' after it";
    }
    case diag::ext_no_declarators: {
        StringRef line = line_part(info.getLocation(), false).split(';').first;
        return line.contains(" async") || line.contains(" await")
                   ? text + keywords
                   : text;
    }
    case diag::err_expected_unqualified_id:
    case diag::err_expected_either: {
        StringRef line = line_part(info.getLocation(), true).rtrim();
        StringRef next = line_part(info.getLocation(), false);
        return line.ends_with("async") || line.ends_with("await") ||
                       next.starts_with("async") || next.starts_with("await")
                   ? text + keywords
                   : text;
    }
    case diag::err_keyword_as_parameter:
        return text + keywords;
    case diag::note_matching: {
        StringRef body = text_between(info.getLocation(), ended);
        return body.count("fm_try") > body.count("fm_catch")
                   ? text + ": an fm_try in it has no fm_catch (f) { ... }"
                   : text;
    }
    default:
        return text;
    }
}

// A form with too few arguments is told in one message; true: this is it, or
// its beginning.
bool
rewording::too_few_told(DiagnosticsEngine::Level level, const Diagnostic &info,
                        const std::string &text)
{
    if (info.getID() == diag::err_too_few_args_in_macro_invoc) {
        too_few = text;
        too_few_at = sources().getFileLoc(info.getLocation());
        return true;
    }
    if (too_few.empty())
        return false;
    StringRef form;
    if (info.getID() == diag::note_macro_here &&
        info.getArgKind(0) == DiagnosticsEngine::ak_identifierinfo)
        form = info.getArgIdentifier(0)->getName();
    std::string use = usage_of(form).str();
    DiagnosticConsumer::HandleDiagnostic(DiagnosticsEngine::Error, info);
    again.Report(too_few_at,
                 again.getCustomDiagID(DiagnosticsEngine::Error, "%0"))
        << (use.empty() ? too_few : "too few arguments: it is written " + use);
    too_few.clear();
    if (!use.empty())
        told.push_back(line_of(too_few_at));
    return !use.empty();
}

// A task for a source and a tag for a tag are told once, at the tag.
bool
rewording::is_half_told(const Diagnostic &info) const
{
    std::string form = form_at(info.getLocation());
    QualType a = type_in(info, 0), b = type_in(info, 1);
    if ((form != "fm_get" && form != "fm_join") || a.isNull() || b.isNull())
        return false;
    const auto *from = a->getPointeeType().isNull()
                           ? nullptr
                           : a->getPointeeType()->getAsRecordDecl();
    return from && from->getName() == "fm_task";
}

// What clang says besides about a mistake that was told.
bool
rewording::is_dropped(DiagnosticsEngine::Level level, const Diagnostic &info)
{
    SourceLocation at = info.getLocation();

    if (level == DiagnosticsEngine::Note)
        return dropped || (follows && (is_ours(at) || !form_at(at).empty()));
    if (info.getID() == diag::err_expected)
        ended = sources().getFileLoc(at);
    follows = false;
    dropped = llvm::is_contained(told, line_of(at)) ||
              (at.isMacroID() && sources().getFileLoc(at) == last) ||
              is_half_told(info);
    return dropped;
}

void
rewording::pass(DiagnosticsEngine::Level level, const Diagnostic &info,
                const std::string &text)
{
    SourceLocation at = info.getLocation();
    std::string form = form_at(at);
    std::string said =
        form.empty() ? better_anywhere(info, text) : better(info, form, text);
    std::string advice = conversion_advice(info, text);
    static const char convention[] = "preserve_most";
    size_t at_name = said.find(convention);

    if (at_name != std::string::npos) // "... attributes are not compatible"
        said.replace(at_name, sizeof convention - 1, "async");

    if (!advice.empty()) {
        said += ": " + advice;
        if (info.getNumRanges())
            reworded.insert(info.getRange(0).getBegin());
    }
    if (form.empty() && said == text) {
        next->HandleDiagnostic(level, info);
        return;
    }
    if (level == DiagnosticsEngine::Note) {
        next->HandleDiagnostic(level, Diagnostic(info.getDiags(), said));
        return;
    }
    follows = true;
    if (level >= DiagnosticsEngine::Error)
        last = form.empty() ? SourceLocation() : sources().getFileLoc(at);
    say(level, info, said);
}

void
rewording::HandleDiagnostic(DiagnosticsEngine::Level level,
                            const Diagnostic &info)
{
    SmallString<256> text;

    if (info.getLocation().isInvalid() || !info.hasSourceManager()) {
        DiagnosticConsumer::HandleDiagnostic(level, info);
        next->HandleDiagnostic(level, info);
        return;
    }
    info.FormatDiagnostic(text);
    if (too_few_told(level, info, text.str().str()) || is_dropped(level, info))
        return;
    DiagnosticConsumer::HandleDiagnostic(level, info);
    pass(level, info, text.str().str());
}

} // namespace

void
reword_messages(CompilerInstance &compiler)
{
    DiagnosticsEngine &diags = compiler.getDiagnostics();
    DiagnosticConsumer *next = diags.getClient();
    auto owned = diags.takeClient();
    diags.setClient(new rewording(compiler, next, std::move(owned)), true);
}

bool
reworded_at(SourceLocation at)
{
    return reworded.count(at);
}

} // namespace check
