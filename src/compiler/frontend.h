// frontend.h: what the parts of the frontend check share. They read clang's tree
// and speak by clang's diagnostics, before anything is compiled:
//
//   check.cpp        FRONT DOOR   one file: its functions, our warnings' levels
//   check_tree.cpp   what a type and an expression are: async, a handle, a mark
//   check_await.cpp  what an await reaches
//   check_body.cpp   one function, call by call
//   check_fault.cpp  which faults a function may release
//   check_handle.cpp which handles are dead
//   spell.cpp        types in messages as a person writes them
//   reword.cpp       clang's own messages about our macros
#ifndef FERMATA_FRONTEND_H
#define FERMATA_FRONTEND_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Frontend/CompilerInstance.h"

namespace check
{

using namespace clang;

// ---- warnings of ours ------------------------------------------------------

enum level { SILENT, WARNING, ERROR };

// They belong to no group of clang's, so what -w, -Werror and -W... say of
// them is kept here.
enum warning {
    MISSING_AWAIT,
    DROPPED_TASK,
    DROPPED_PROMISE,
    SILENT_ASYNC,
    RELEASED_FAULT,
    DEAD_HANDLE,
    WARNINGS
};
extern const char *const warning_names[WARNINGS];
struct warning_levels {
    level of[WARNINGS] = {WARNING, WARNING, WARNING, WARNING, WARNING, WARNING};
};

struct voice {
    ASTContext &context;
    DiagnosticsEngine &diags;
    const warning_levels &levels;

    DiagnosticBuilder say(SourceLocation at, DiagnosticsEngine::Level level,
                          const char *text) const;
    void error(SourceLocation at, SourceRange range, const Twine &text) const;
    // insert: what would put it right, before the range.
    void warn(warning which, SourceRange range, const Twine &text,
              const char *insert = "") const;
};

// ---- what a type is --------------------------------------------------------

// The function behind a pointer, or the function; null: neither.
const FunctionType *function_of(QualType type);
// A handle (FM_TASK(T) and its sisters) is an async function pointer by type
// only: nobody calls it.
bool is_handle(const FunctionType *type);
bool is_channel(const FunctionType *type); // one of those
bool is_async(const FunctionType *type);
bool is_async(const FunctionDecl *function);

// ---- what an expression is -------------------------------------------------

// The declaration that a callee names, seen through the casts of fm_get.
const FunctionDecl *callee_of(const CallExpr *call);
// Its name, or "".
StringRef callee_name(const CallExpr *call);
bool is_async(const CallExpr *call);
const Decl *variable_of(const Expr *e);
// The call at the right end of commas.
const CallExpr *last_call(const Expr *e);
// The name that a person would use of what is called.
std::string name_of(const CallExpr *call);

// A mark (fm_start, fm_within, ...) and the call that it stands around.
struct marked {
    const CallExpr *call = nullptr; // null: no mark of ours
    StringRef mark; // "start" for fm_abi_mark_start
};
marked mark_of(const CallExpr *call);
bool mark_awaits(StringRef mark);
// The mark as the user wrote it: the outermost macro of ours around it.
std::string mark_name(const ASTContext &context, const CallExpr *chain,
                      StringRef mark);
// The mark whose result e is, as the user wrote it: fm_start(x) is a cast of
// a comma. "" for none.
std::string mark_result(const ASTContext &context, const Expr *e);

// ---- the parts ---------------------------------------------------------------

// What the awaits of one function reach. An await is seen before the calls
// below it, so these sets are whole when a call is asked about.
class reach
{
    llvm::SmallPtrSet<const CallExpr *, 16> awaited;
    bool attempt(const Expr *e);
    bool call(const CallExpr *call);
    bool comma(const BinaryOperator *op);

  public:
    // Whether an await before e waits for something; notes for what.
    bool covers(const Expr *e);
    bool has(const CallExpr *call) const;
};
// Why an await before e waits for nothing.
std::string await_useless(const ASTContext &context, const Expr *e);

// The faults of one function: those of its own fm_attempt or fm_catch are the
// function's, which releases them when it ends.
class faults
{
    llvm::SmallPtrSet<const Decl *, 4> owned, retained;
    llvm::SmallVector<const CallExpr *, 4> releases;
    llvm::SmallVector<const Expr *, 4> returned;

  public:
    void note(const Decl *variable, const Expr *e);
    void note_call(const CallExpr *call);
    void note_return(const Expr *e);
    // To be called when the whole function was read.
    void say(const voice &v) const;
};

// A conversion to or from the type of an async function.
void cast_check(const voice &v, const CastExpr *cast, SourceLocation at);
// A handle that is used after it was given back, in one block.
void handles_check(const voice &v, const CompoundStmt *block);
// Reads a function's body, or an initialiser, in which `async` or not.
void body_check(const voice &v, bool async, Stmt *body);

// ---- clang's own words -------------------------------------------------------

// From now on types in messages are spelled as a person writes them.
void spell_types(DiagnosticsEngine &diags, ASTContext &context);
// Puts a consumer before clang's that rewords messages about our macros.
void reword_messages(CompilerInstance &compiler);
// A conversion about which reword said all.
bool reworded_at(SourceLocation at);

} // namespace check

#endif
