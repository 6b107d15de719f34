/* elide.c: a start whose handle goes nowhere but to the join that follows is
 * an await.
 *
 * `t = fm_start(f(x)); v = await fm_join(t)` with nothing between but the
 * handle's own way through its variable: nobody can tell it from
 * `v = await f(x)`, which makes no task. Anything else that is read or
 * written between might see how far f has come; then it stays a start.
 */
#include "early.h"

struct pair {
    LLVMValueRef start, mark, started, join;
    LLVMValueRef variable; /* the alloca between, or null */
};

static LLVMValueRef
only_user(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);

    return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

/* A marker may end the life of a copied argument. */
static bool
marker_is_between(struct pair *p, LLVMValueRef inst)
{
    LLVMValueRef slot = LLVMGetOperand(inst, arg_count(inst) - 1);

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
        return LLVMGetOperand(inst, 0) == p->start ||
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
    return user && calls_named(user, "fm_abi_join") && !mark_of(user) &&
           is_await(user) && result_type(user) == result_type(p->start) &&
           sret_type(user) == sret_type(p->start);
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
    if (!at || !handle_follow(p))
        return false;
    for (at = next_of(at); at && at != p->join; at = next_of(at))
        if (!is_between(p, at))
            return false;
    return at;
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

void
early_elide(LLVMModuleRef module)
{
    struct value_list starts = {0};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
         f = LLVMGetNextFunction(f)) {
        if (!function_is_async(f))
            continue;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                 i = LLVMGetNextInstruction(i))
                if (mark_of(i) && calls_named(mark_of(i), "fm_abi_mark_start"))
                    list_add(&starts, i);
    }
    for (size_t k = 0; k < starts.n; k++) {
        struct pair p = {.start = starts.at[k], .mark = mark_of(starts.at[k])};

        if (pair_find(&p))
            pair_join(&p);
    }
    list_free(&starts);
}
