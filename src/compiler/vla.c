/* vla.c: memory of variable size that must outlive a suspension.
 *
 * Where an await can be reached from a dynamic alloca before its scope ends,
 * the function's dynamic allocas become blocks chained to one another; a
 * local, `head`, holds the newest. What saved and restored the stack pointer
 * saves and restores the head. Every way out frees the chain, so faults must
 * be given to the resume function. Runs before canon.
 */
#include "late.h"

#include <stdlib.h>
#include <string.h>

struct dynamic {
    struct list allocas, saves, restores;
};

static bool
is_dynamic(value i)
{
    return LLVMIsAAllocaInst(i) && !shim_is_static_alloca(i);
}

static bool
is_named(value call, const char *prefix)
{
    size_t length, n = strlen(prefix);
    value callee = ir_is_call(call) ? LLVMGetCalledValue(call) : NULL;
    const char *name = callee && LLVMIsAFunction(callee)
                           ? LLVMGetValueName2(callee, &length)
                           : NULL;

    return name && length >= n && !memcmp(name, prefix, n);
}

static void
find(struct activation *a, struct dynamic *d)
{
    for (block b = LLVMGetFirstBasicBlock(a->function); b;
         b = LLVMGetNextBasicBlock(b))
        for (value i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i)) {
            if (is_dynamic(i))
                list_push(&d->allocas, i);
            else if (is_named(i, "llvm.stacksave"))
                list_push(&d->saves, i);
            else if (is_named(i, "llvm.stackrestore"))
                list_push(&d->restores, i);
        }
}

/* Looks at what follows `from` in its block: an await (1), the end of the
 * scope (2), or neither (0). */
static int
block_meets(value from, value alloca)
{
    for (value i = from; i; i = LLVMGetNextInstruction(i)) {
        if (ir_is_await(i))
            return 1;
        if (is_named(i, "llvm.stackrestore") &&
            LLVMIsAInstruction(LLVMGetArgOperand(i, 0)) &&
            (LLVMGetArgOperand(i, 0) == alloca ||
             shim_dominates(LLVMGetArgOperand(i, 0), alloca)))
            return 2;
    }
    return 0;
}

/* An await can be reached from a dynamic alloca, or the mark before it,
 * inside its scope. */
static bool
crosses(value alloca)
{
    struct list work = {0};
    struct map seen = {0};
    block b = LLVMGetInstructionParent(alloca);
    int met = block_meets(LLVMGetNextInstruction(alloca), alloca);

    while (b && met != 1) {
        value t = LLVMGetBasicBlockTerminator(b);

        for (unsigned k = 0; met != 2 && k < LLVMGetNumSuccessors(t); k++) {
            block s = LLVMGetSuccessor(t, k);

            if (map_get(&seen, s) != NONE)
                continue;
            map_put(&seen, s, 1);
            list_push(&work, s);
        }
        b = list_pop(&work);
        if (b)
            met = block_meets(LLVMGetFirstInstruction(b), alloca);
    }
    map_free(&seen);
    list_drop(&work);
    return met == 1;
}

static bool
any_crosses(struct dynamic *d)
{
    for (size_t i = 0; i < d->allocas.n; i++)
        if (crosses(d->allocas.at[i]))
            return true;
    return false;
}

/* ---- the chain ----------------------------------------------------------- */

static void
head_make(struct activation *a)
{
    struct unit *u = a->u;
    value first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(a->function));

    at(u, first);
    a->vla_head = LLVMBuildAlloca(u->b, u->ptr, "fm.head");
    LLVMBuildStore(u->b, null_of(u), a->vla_head);
    a->vla = true;
}

static value
head_load(struct activation *a)
{
    return LLVMBuildLoad2(a->u->b, a->u->ptr, a->vla_head, "");
}

static value
alloca_bytes(struct unit *u, value alloca)
{
    value n =
        LLVMBuildZExtOrBitCast(u->b, LLVMGetOperand(alloca, 0), u->word, "");
    uint64_t each = bytes_of(u, LLVMGetAllocatedType(alloca));

    return LLVMBuildMul(u->b, n, LLVMConstInt(u->word, each, 0), "");
}

/* There is always memory: the runtime has a reserve. */
static void
alloca_chain(struct activation *a, value alloca)
{
    struct unit *u = a->u;
    value args[3], made;

    at(u, alloca);
    args[0] = head_load(a);
    args[1] = alloca_bytes(u, alloca);
    args[2] = LLVMConstInt(u->word, LLVMGetAlignment(alloca), 0);
    made = call_runtime(u, "fm_abi_vla_new", u->ptr, args, 3);
    LLVMBuildStore(u->b, made, a->vla_head);
    LLVMReplaceAllUsesWith(alloca, made);
    LLVMInstructionEraseFromParent(alloca);
}

static void
save_chain(struct activation *a, value save)
{
    at(a->u, save);
    LLVMReplaceAllUsesWith(save, head_load(a));
    LLVMInstructionEraseFromParent(save);
}

static void
free_to(struct activation *a, value to)
{
    value args[2] = {head_load(a), to};

    call_runtime(a->u, "fm_abi_vla_free_to", a->u->nothing, args, 2);
}

static void
restore_chain(struct activation *a, value restore)
{
    value to = LLVMGetArgOperand(restore, 0);

    at(a->u, restore);
    free_to(a, to);
    LLVMBuildStore(a->u->b, to, a->vla_head);
    LLVMInstructionEraseFromParent(restore);
}

/* A scope whose memory the optimiser took away keeps its marks, and may hold
 * an await: a stack pointer from before a suspension must not come back. */
static void
stale_restores_drop(struct dynamic *d)
{
    for (size_t i = 0; i < d->restores.n; i++) {
        value save = LLVMGetArgOperand(d->restores.at[i], 0);

        if (!is_named(save, "llvm.stacksave") || crosses(save))
            LLVMInstructionEraseFromParent(d->restores.at[i]);
    }
}

void
vla(struct activation *a)
{
    struct dynamic d = {0};

    find(a, &d);
    if (any_crosses(&d)) {
        head_make(a);
        for (size_t i = 0; i < d.allocas.n; i++)
            alloca_chain(a, d.allocas.at[i]);
        for (size_t i = 0; i < d.saves.n; i++)
            save_chain(a, d.saves.at[i]);
        for (size_t i = 0; i < d.restores.n; i++)
            restore_chain(a, d.restores.at[i]);
    } else {
        stale_restores_drop(&d);
    }
    list_drop(&d.allocas);
    list_drop(&d.saves);
    list_drop(&d.restores);
}

void
vla_exits(struct activation *a)
{
    for (unsigned i = 0; a->vla && i < a->n_exits; i++) {
        at(a->u, a->exits[i].inst);
        free_to(a, null_of(a->u));
    }
}
