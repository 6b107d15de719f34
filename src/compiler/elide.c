/* elide.c: a start whose handle goes nowhere but to the join that follows is
 * an await, and a completed task that is awaited at once is its value.
 *
 * `t = fm_start(f(x)); v = await fm_join(t)` with nothing between but the
 * handle's own way through its variable: only fm_self, and what cancels the
 * starter, can tell it from `v = await f(x)`, which makes no task (fm_start(3)
 * says so). Anything else that is read or written between might see how far f
 * has come; then it stays a start.
 */
#include "early.h"

struct pair {
    LLVMValueRef start, mark;   /* null: a completed task */
    LLVMValueRef started, join; /* what gives the handle, what takes it */
    LLVMValueRef variable;      /* the alloca between, or null */
};

static LLVMValueRef
only_user(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);

    return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

/* A marker may end the life of a copied argument, or of the value. */
static bool
marker_is_between(struct pair *p, LLVMValueRef inst)
{
    LLVMValueRef slot = LLVMGetOperand(inst, arg_count(inst) - 1);

    if (!p->start)
        return slot == p->variable;
    for (unsigned i = sret_type(p->start) ? 1 : 0; i < arg_count(p->start); i++)
        if (LLVMGetOperand(p->start, i) == slot)
            return false;
    return true;
}

/* Neither reads nor writes but by the two results that nobody looks at. */
static bool
is_between(struct pair *p, LLVMValueRef inst)
{
    if (LLVMIsAStoreInst(inst))
        return (p->start && LLVMGetOperand(inst, 0) == p->start) ||
               (p->variable && LLVMGetOperand(inst, 1) == p->variable);
    if (LLVMIsALoadInst(inst))
        return p->variable && LLVMGetOperand(inst, 0) == p->variable;
    if (LLVMIsABranchInst(inst))
        return !LLVMIsConditional(inst);
    if (shim_is_marker(inst))
        return marker_is_between(p, inst);
    return inst == p->mark || inst == p->started;
}

/* The next instruction of the only way on. */
static LLVMValueRef
next_of(LLVMValueRef inst)
{
    LLVMBasicBlockRef block;

    if (LLVMIsAInvokeInst(inst))
        block = LLVMGetNormalDest(inst);
    else if (LLVMIsABranchInst(inst))
        block = LLVMGetSuccessor(inst, 0);
    else
        return LLVMGetNextInstruction(inst);
    return shim_has_one_predecessor(block) ? LLVMGetFirstInstruction(block)
                                           : NULL;
}

/* The handle's uses: stored once, loaded once, for the join. */
static bool
variable_is_private(struct pair *p)
{
    unsigned loads = 0, stores = 0;

    for (LLVMUseRef u = LLVMGetFirstUse(p->variable); u;
         u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);

        if (LLVMIsALoadInst(user))
            loads++;
        else if (LLVMIsAStoreInst(user) &&
                 LLVMGetOperand(user, 1) == p->variable)
            stores++;
        else if (!shim_is_marker(user))
            return false;
    }
    return loads == 1 && stores == 1;
}

static bool
handle_follow(struct pair *p)
{
    LLVMValueRef user = only_user(p->started);

    if (user && LLVMIsAStoreInst(user) &&
        LLVMGetOperand(user, 0) == p->started) {
        p->variable = LLVMGetOperand(user, 1);
        if (!LLVMIsAAllocaInst(p->variable) || !variable_is_private(p))
            return false;
        for (LLVMUseRef u = LLVMGetFirstUse(p->variable); u;
             u = LLVMGetNextUse(u))
            if (LLVMIsALoadInst(LLVMGetUser(u)))
                user = only_user(LLVMGetUser(u));
    }
    p->join = user;
    return user && is_call(user) && is_await(user) && !mark_of(user);
}

/* Nothing happens from there to the join. */
static bool
join_follows(struct pair *p, LLVMValueRef from)
{
    LLVMValueRef at;

    for (at = next_of(from); at && at != p->join; at = next_of(at))
        if (!is_between(p, at))
            return false;
    return at;
}

static bool
pair_find(struct pair *p)
{
    LLVMValueRef at = p->start;

    for (at = next_of(at); at && !calls_named(at, "fm_abi_started");
         at = next_of(at))
        if (!is_between(p, at))
            return false;
    p->started = at;
    return at && handle_follow(p) && calls_named(p->join, "fm_abi_join") &&
           result_type(p->join) == result_type(p->start) &&
           sret_type(p->join) == sret_type(p->start) && join_follows(p, at);
}

static void
erase(LLVMValueRef inst)
{
    if (LLVMGetFirstUse(inst))
        LLVMReplaceAllUsesWith(inst, LLVMGetUndef(LLVMTypeOf(inst)));
    LLVMInstructionEraseFromParent(inst);
}

/* The call moves to where the join stands and takes over its edges. */
static void
pair_join(struct pair *p)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context_of(p->start));
    struct new_call c;
    LLVMValueRef made;

    new_call_init(&c, p->start, LLVMGetCalledValue(p->start),
                  result_type(p->start));
    if (sret_type(p->start))
        new_call_add(&c, LLVMGetOperand(p->join, 0), 0);
    new_call_add_all(&c, SKIP_SRET | SKIP_NEST);
    LLVMPositionBuilderBefore(builder, p->join);
    made = new_call_emit(&c, builder, p->join);
    new_call_like(made, p->start);
    LLVMReplaceAllUsesWith(p->join, made);
    LLVMInstructionEraseFromParent(p->join);
    if (LLVMIsAInvokeInst(p->start))
        shim_invoke_end(p->start);
    erase(p->start);
    erase(p->started);
    erase(p->mark);
    LLVMDisposeBuilder(builder);
}

/* A handle that nobody releases, if it is only looked at: that is no worse. */
static bool
completed_find(struct pair *p)
{
    LLVMValueRef bytes = LLVMGetOperand(p->started, 1);

    return handle_follow(p) &&
           (calls_named(p->join, "fm_abi_join") ||
            calls_named(p->join, "fm_abi_get")) &&
           LLVMIsAConstantInt(bytes) &&
           LLVMConstIntGetZExtValue(bytes) <= result_bytes(p->join) &&
           join_follows(p, p->started);
}

/* The value is still where fm_abi_completed would have copied it from. */
static void
completed_fold(struct pair *p)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context_of(p->join));
    LLVMValueRef value = LLVMGetOperand(p->started, 0);
    LLVMValueRef bytes = LLVMGetOperand(p->started, 1);
    LLVMTypeRef type = result_type(p->join);
    LLVMValueRef slot;

    LLVMPositionBuilderBefore(builder, p->join);
    if (sret_type(p->join)) {
        LLVMBuildMemCpy(builder, LLVMGetOperand(p->join, 0), 1, value, 1,
                        bytes);
    } else if (LLVMGetTypeKind(type) != LLVMVoidTypeKind) {
        /* The registers may be wider than the value. */
        slot = emit_slot(function_of(p->join), type, 16);
        LLVMBuildMemCpy(builder, slot, 16, value, 1, bytes);
        LLVMReplaceAllUsesWith(p->join, emit_load(builder, type, slot, 16));
    }
    if (LLVMIsAInvokeInst(p->join))
        shim_invoke_end(p->join);
    LLVMInstructionEraseFromParent(p->join);
    erase(p->started);
    LLVMDisposeBuilder(builder);
}

static void
elide(LLVMValueRef call)
{
    struct pair p = {.mark = mark_of(call)};

    if (p.mark) {
        p.start = call;
        if (pair_find(&p))
            pair_join(&p);
    } else {
        p.started = call;
        if (completed_find(&p))
            completed_fold(&p);
    }
}

static bool
may_elide(LLVMValueRef inst)
{
    LLVMValueRef mark = mark_of(inst);

    return mark ? calls_named(mark, "fm_abi_mark_start")
                : calls_named(inst, "fm_abi_completed");
}

void
early_elide(LLVMModuleRef module)
{
    struct value_list calls = {0};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f)) {
        if (!function_is_async(f))
            continue;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                if (may_elide(i))
                    list_add(&calls, i);
    }
    for (size_t k = 0; k < calls.n; k++)
        elide(calls.at[k]);
    list_free(&calls);
}
