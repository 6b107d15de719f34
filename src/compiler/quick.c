/* quick.c: what compiled code does of the runtime's work on tasks without a
 * call.
 *
 * Where time counts and nothing watches memory, a call of the runtime is put
 * on the slow way out of a few tests: a task's block is taken from the
 * thread's list, a root is entered, a call that is complete is a task that is
 * complete, a join of such a task goes on, its last handle gives the block
 * back. Each test is one that abi.h names; whatever fails one is called for.
 * After the split, so that nothing here is carried anywhere. */
#include "late.h"

#include <stddef.h>
#include <string.h>

#define HEAD(field)                                                            \
    ((uint64_t)(offsetof(struct fm_task_head, field)) - FM_ABI_TASK_HEAD)
#define HERE(field) offsetof(struct fm_here, field)
#define ROOT(field) offsetof(struct fm_root, field)

static bool
is_watched(value function)
{
    static const char *const names[] = {
        "sanitize_address", "sanitize_thread",
        "sanitize_memory",  "sanitize_hwaddress",
        "sanitize_memtag",  "optnone",
        "minsize",          "optsize",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (LLVMGetEnumAttributeAtIndex(
                function, FUNCTION,
                LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]))))
            return true;
    return false;
}

/* Compiled code may do the runtime's work itself. */
bool
quick_is_allowed(struct unit *u, value function)
{
    return u->level > 0 && !frontend_emulated_tls && !is_watched(function);
}

/* A field of struct fm_here. */
value
here_field(struct unit *u, uint64_t offset)
{
    value here = LLVMGetNamedGlobal(u->module, "fm_abi_here");

    if (!here) {
        here = LLVMAddGlobal(u->module, u->ptr, "fm_abi_here");
        LLVMSetAlignment(here, sizeof(void *));
        LLVMSetThreadLocalMode(here, LLVMInitialExecTLSModel);
    }
    return offset_by(u, shim_tls_address(u->b, here), offset, "fm.here");
}

/* ---- the two ways ------------------------------------------------------------- */

struct quick {
    struct unit *u;
    value call;
    block slow, after; /* with the call; where both ways meet */
};

/* Cuts around the call; the builder stands before it, on the quick way. */
static struct quick
quick_begin(struct unit *u, value call)
{
    block b = LLVMGetInstructionParent(call), to;
    struct quick q = {.u = u, .call = call};

    q.slow = shim_split_before(call, "fm.slow");
    if (LLVMIsAInvokeInst(call)) {
        to = LLVMGetNormalDest(call);
        q.after =
            new_block(u, LLVMGetBasicBlockParent(q.slow), "fm.quick.after");
        at_end(u, q.after);
        LLVMBuildBr(u->b, to);
        shim_phi_replace_block(to, q.slow, q.after);
        LLVMSetNormalDest(call, q.after);
    } else {
        q.after =
            shim_split_before(LLVMGetNextInstruction(call), "fm.quick.after");
    }
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(b));
    at_end(u, b);
    return q;
}

/* On where it holds, else to the call. */
static void
quick_if(struct quick *q, value holds)
{
    block on = new_block(q->u, LLVMGetBasicBlockParent(q->slow), "fm.quick");

    shim_weights(LLVMBuildCondBr(q->u->b, holds, on, q->slow), 2000, 1);
    at_end(q->u, on);
}

static bool
has_one_use(value v)
{
    return LLVMGetFirstUse(v) && !LLVMGetNextUse(LLVMGetFirstUse(v));
}

/* Where the way on from the call goes if its result is null, or is not, if
 * that is all that is asked there; `asks` is the block that asks. */
static block
way_on(struct quick *q, bool is_null, block *asks)
{
    value ask = LLVMGetFirstInstruction(q->after), end;
    block to;

    while (LLVMIsABranchInst(ask) && !LLVMIsConditional(ask) &&
           has_one_use(LLVMBasicBlockAsValue(LLVMGetSuccessor(ask, 0))))
        ask = LLVMGetFirstInstruction(LLVMGetSuccessor(ask, 0));
    *asks = LLVMGetInstructionParent(ask);
    if (!LLVMIsAICmpInst(ask) || LLVMGetOperand(ask, 0) != q->call ||
        !LLVMIsNull(LLVMGetOperand(ask, 1)))
        return NULL;
    end = LLVMGetNextInstruction(ask);
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
        LLVMGetCondition(end) != ask)
        return NULL;
    to = LLVMGetSuccessor(end,
                          is_null != (LLVMGetICmpPredicate(ask) == LLVMIntEQ));
    return is_null || has_one_use(LLVMBasicBlockAsValue(to)) ? to : NULL;
}

/* The block gets another predecessor, `from`, as it has `like`. */
static void
predecessor_add(block b, block from, block like)
{
    for (value phi = LLVMGetFirstInstruction(b); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi))
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
            if (LLVMGetIncomingBlock(phi, i) == like) {
                value v = LLVMGetIncomingValue(phi, i);

                LLVMAddIncoming(phi, &v, &from, 1);
                break;
            }
}

/* From `meet` on the result is the call's, which comes from `call_from`, or
 * the quick way's. */
static void
results_merge(struct quick *q, block meet, block call_from, value result,
              block from)
{
    value phi = shim_phi(meet, LLVMTypeOf(result), ""), user;
    struct list users = {0};

    for (LLVMUseRef use = LLVMGetFirstUse(q->call); use;
         use = LLVMGetNextUse(use))
        if (meet == q->after ||
            LLVMGetInstructionParent(LLVMGetUser(use)) != call_from)
            list_push(&users, LLVMGetUser(use));
    while ((user = list_pop(&users)))
        for (int i = 0; i < LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, (unsigned)i) == q->call)
                LLVMSetOperand(user, (unsigned)i, phi);
    LLVMAddIncoming(phi, &q->call, &call_from, 1);
    LLVMAddIncoming(phi, &result, &from, 1);
}

/* The quick way ends with `result` in place of the call's; null: of none. It
 * does not ask whether that is null. */
static void
quick_end(struct quick *q, value result)
{
    block from = LLVMGetInsertBlock(q->u->b), to = NULL, asks;

    if (result)
        to = way_on(q, LLVMIsNull(result), &asks);
    LLVMBuildBr(q->u->b, to ? to : q->after);
    if (to && LLVMIsNull(result))
        predecessor_add(to, from, asks);
    else if (to)
        results_merge(q, to, asks, result, from);
    else if (result)
        results_merge(q, q->after, q->slow, result, from);
}

static value
load(struct unit *u, type t, value from, uint64_t offset)
{
    return LLVMBuildLoad2(u->b, t, offset_by(u, from, offset, ""), "");
}

static void
store(struct unit *u, value what, value to, uint64_t offset)
{
    LLVMBuildStore(u->b, what, offset_by(u, to, offset, ""));
}

static value
number(struct unit *u, uint64_t n)
{
    return LLVMConstInt(LLVMInt64TypeInContext(u->context), n, 0);
}

static value
is(struct unit *u, value what, value that)
{
    return LLVMBuildICmp(u->b, LLVMIntEQ, what, that, "");
}

static void
if_number(struct quick *q, value from, uint64_t offset, uint64_t n)
{
    value want = number(q->u, n);

    quick_if(q, is(q->u, load(q->u, LLVMTypeOf(want), from, offset), want));
}

static value
here_load(struct unit *u, uint64_t offset)
{
    return LLVMBuildLoad2(u->b, u->ptr, here_field(u, offset), "");
}

/* The process has one thread. */
static void
if_alone(struct quick *q)
{
    struct unit *u = q->u;
    value alone = LLVMBuildLoad2(u->b, u->i8, here_load(u, HERE(alone)), "");

    quick_if(q, LLVMBuildICmp(u->b, LLVMIntNE, alone, LLVMConstInt(u->i8, 0, 0),
                              ""));
}

/* ---- starts -------------------------------------------------------------------- */

/* fm_abi_task_new(bytes) */
void
quick_task_new(struct unit *u, value call, uint64_t record_bytes)
{
    uint64_t bytes = round_up(FM_ABI_TASK_HEAD + record_bytes, 8);
    value list, top, task, counts;
    struct quick q;

    if (bytes > FM_ABI_TASK_MAX ||
        !quick_is_allowed(
            u, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))))
        return;
    q = quick_begin(u, call);
    list = here_load(u, HERE(tasks));
    list = offset_by(u, list, bytes / 8 * sizeof(struct fm_free), "fm.list");
    top = LLVMBuildLoad2(u->b, u->ptr, list, "");
    top = offset_by(u, top, -sizeof(void *), "");
    task = LLVMBuildLoad2(u->b, u->ptr, top, "fm.task");
    quick_if(&q, LLVMBuildICmp(u->b, LLVMIntNE, task, null_of(u), ""));
    LLVMBuildStore(u->b, top, list);
    task = offset_by(u, task, FM_ABI_TASK_HEAD, "");
    store(u, number(u, 0), task, HEAD(word));
    counts = LLVMBuildStore(u->b, number(u, 2),
                            offset_by(u, task, HEAD(counts), ""));
    LLVMSetOrdering(counts, LLVMAtomicOrderingRelease);
    LLVMSetAlignment(counts, 8);
    quick_end(&q, task);
}

static value
no_task(struct unit *u)
{
    value t = LLVMGetNamedGlobal(u->module, "fm_abi_no_task");

    return t ? t : LLVMAddGlobal(u->module, u->i8, "fm_abi_no_task");
}

/* fm_abi_root_enter(root, record or null) */
static void
quick_root_enter(struct unit *u, value call)
{
    value root = LLVMGetArgOperand(call, 0), task = LLVMGetArgOperand(call, 1);

    at(u, call);
    task = LLVMIsNull(task)
               ? no_task(u)
               : offset_by(u, task, -(uint64_t)FM_ABI_TASK_HEAD, "");
    store(u, here_load(u, HERE(leaf)), root, ROOT(outer));
    store(u, task, root, ROOT(task));
    store(u, here_load(u, HERE(context)), root, ROOT(outer_context));
    store(u, number(u, 0), root, ROOT(held));
    store(u, number(u, 0), root, ROOT(state));
    LLVMBuildStore(u->b, root, here_field(u, HERE(leaf)));
    LLVMInstructionEraseFromParent(call);
}

static void
root_leave(struct unit *u, value root)
{
    LLVMBuildStore(u->b, load(u, u->ptr, root, ROOT(outer)),
                   here_field(u, HERE(leaf)));
    LLVMBuildStore(u->b, load(u, u->ptr, root, ROOT(outer_context)),
                   here_field(u, HERE(context)));
}

/* fm_abi_start_leave(root, what the thunk returned) */
static void
quick_start_leave(struct unit *u, value call)
{
    value root = LLVMGetArgOperand(call, 0), came = LLVMGetArgOperand(call, 1);
    struct quick q;
    value task;

    if (!ir_is_call(came) || !LLVMIsAFunction(LLVMGetCalledValue(came)) ||
        !function_has(LLVMGetCalledValue(came), "fm-record"))
        return;
    task = LLVMGetArgOperand(came, 0);
    q = quick_begin(u, call);
    quick_if(&q, is(u, came, null_of(u)));
    if_alone(&q);
    if_number(&q, task, HEAD(counts), 2);
    if_number(&q, task, HEAD(word), 0);
    store(u, number(u, FM_ABI_TASK_DONE), task, HEAD(word));
    store(u, number(u, 1), task, HEAD(counts));
    root_leave(u, root);
    quick_end(&q, NULL);
}

/* fm_abi_begin_leave(root, what the call returned, bytes), and its like */
static void
quick_begin_leave(struct unit *u, value call)
{
    struct quick q = quick_begin(u, call);

    quick_if(&q, is(u, LLVMGetArgOperand(call, 1), null_of(u)));
    root_leave(u, LLVMGetArgOperand(call, 0));
    quick_end(&q, null_of(u));
}

/* ---- joins ------------------------------------------------------------------------ */

/* A look that another thread may be writing meanwhile. */
static value
look(struct unit *u, type t, value from, uint64_t offset,
     LLVMAtomicOrdering order)
{
    value v = load(u, t, from, offset);

    LLVMSetOrdering(v, order);
    LLVMSetAlignment(v, (unsigned)bytes_of(u, t));
    return v;
}

/* fm_abi_join_wait(task), fm_abi_await(task): it ended well, nothing is to be
 * cancelled, and the turn is not over. */
static void
quick_await(struct unit *u, value call)
{
    value task = LLVMGetArgOperand(call, 0), root, flags, budget;
    struct quick q = quick_begin(u, call);

    budget = LLVMBuildLoad2(u->b, u->i32, here_field(u, HERE(budget)), "");
    quick_if(&q, LLVMBuildICmp(u->b, LLVMIntUGT, budget, word32(u, 1), ""));
    quick_if(&q, is(u, here_load(u, HERE(context)), null_of(u)));
    root = here_load(u, HERE(leaf));
    flags = look(u, u->i8, load(u, u->ptr, root, ROOT(task)), FM_ABI_TASK_FLAGS,
                 LLVMAtomicOrderingMonotonic);
    flags = LLVMBuildAnd(u->b, flags,
                         LLVMConstInt(u->i8, FM_ABI_TASK_CANCEL, 0), "");
    quick_if(&q, is(u, flags, LLVMConstInt(u->i8, 0, 0)));
    quick_if(&q, is(u,
                    look(u, LLVMInt64TypeInContext(u->context), task,
                         HEAD(word), LLVMAtomicOrderingAcquire),
                    number(u, FM_ABI_TASK_DONE)));
    LLVMBuildStore(u->b, LLVMBuildSub(u->b, budget, word32(u, 1), ""),
                   here_field(u, HERE(budget)));
    quick_end(&q, null_of(u));
}

/* The list of blocks as the one at `block`. */
static value
task_list(struct unit *u, value block)
{
    value slab = LLVMBuildPtrToInt(u->b, block, u->word, ""), bytes;

    slab = LLVMBuildAnd(u->b, slab,
                        LLVMConstInt(u->word, -(uint64_t)FM_ABI_SLAB, 0), "");
    slab = LLVMBuildIntToPtr(u->b, slab, u->ptr, "fm.slab");
    bytes = LLVMBuildZExt(u->b, load(u, u->i32, slab, FM_ABI_SLAB_SIZE),
                          u->word, "");
    _Static_assert(sizeof(struct fm_free) == 8, "a list for each 8 bytes");
    return LLVMBuildInBoundsGEP2(u->b, u->i8, here_load(u, HERE(tasks)), &bytes,
                                 1, "fm.list");
}

/* fm_abi_join_end(task): it has ended well and its value was read. */
static void
quick_join_end(struct unit *u, value call)
{
    value task = LLVMGetArgOperand(call, 0), block, list, top, over;
    struct quick q = quick_begin(u, call);

    if_alone(&q);
    if_number(&q, task, HEAD(counts), 1);
    block = offset_by(u, task, -(uint64_t)FM_ABI_TASK_HEAD, "");
    list = task_list(u, block);
    top = LLVMBuildLoad2(u->b, u->ptr, list, "");
    over = LLVMBuildAnd(u->b, LLVMBuildPtrToInt(u->b, top, u->word, ""),
                        LLVMConstInt(u->word, FM_ABI_FREE_STACK - 1, 0), "");
    quick_if(&q,
             LLVMBuildICmp(u->b, LLVMIntNE, over, LLVMConstNull(u->word), ""));
    store(u, number(u, 0), task, HEAD(counts));
    LLVMBuildStore(u->b, block, top);
    LLVMBuildStore(u->b, offset_by(u, top, sizeof(void *), ""), list);
    quick_end(&q, NULL);
}

/* ---- all of a module ----------------------------------------------------------------- */

static void
quick_calls(struct unit *u, const char *name,
            void (*lower)(struct unit *, value))
{
    value f = LLVMGetNamedFunction(u->module, name);
    struct list found = {0};

    for (LLVMUseRef use = f ? LLVMGetFirstUse(f) : NULL; use;
         use = LLVMGetNextUse(use)) {
        value call = LLVMGetUser(use);

        if (calls(call, name) &&
            quick_is_allowed(
                u, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))))
            list_push(&found, call);
    }
    for (size_t i = 0; i < found.n; i++)
        lower(u, found.at[i]);
    list_drop(&found);
}

void
quick(struct unit *u)
{
    quick_calls(u, "fm_abi_root_enter", quick_root_enter);
    quick_calls(u, "fm_abi_start_leave", quick_start_leave);
    quick_calls(u, "fm_abi_begin_leave", quick_begin_leave);
    quick_calls(u, "fm_abi_begin_leave_memory", quick_begin_leave);
    quick_calls(u, "fm_abi_wait_leave", quick_begin_leave);
    quick_calls(u, "fm_abi_wait_leave_memory", quick_begin_leave);
    quick_calls(u, "fm_abi_join_wait" SPLIT_SUFFIX, quick_await);
    quick_calls(u, "fm_abi_await" SPLIT_SUFFIX, quick_await);
    quick_calls(u, "fm_abi_join_end", quick_join_end);
}
