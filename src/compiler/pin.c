/* pin.c: memory that lies in a stack frame.
 *
 * A local (an alloca) whose address may be held by anyone, or by a carried
 * value, across a suspension is pinned: it gets its place in the record, for
 * its whole life. So is one that is large and carried. The contents of other
 * locals are copied out and in. Memory of the caller's frame that the
 * function was given (a result's, a by-value argument's) is gone after a
 * suspension; where more is done with it than we can redirect, the function
 * works on a copy of its own (locals_borrowed).
 */
#include "late.h"

#include <stdlib.h>

#define COPIED_MOST 64 /* bytes; larger contents are pinned, not copied */
#define COPIES_MOST 256 /* awaits times locals; beyond that all are pinned */

/* ---- what is done with a local -------------------------------------------- */

static void
use_add(struct local *l, value inst, unsigned kind)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 8;
        l->uses = realloc(l->uses, l->capacity * sizeof *l->uses);
        if (!l->uses)
            abort();
    }
    l->uses[l->n++] = (struct use){inst, kind};
    l->marked |= (kind & (USE_START | USE_END)) != 0;
}

static unsigned
argument_use(struct activation *a, struct local *l, value call, value pointer,
             unsigned i)
{
    type t;

    if (call_has(call, i, "byval"))
        return USE_READ;
    if (ir_is_await(call)) {
        t = shim_type_attribute(call, i, "sret");
        if (!t)
            return USE_ESCAPE;
        return pointer == l->of && bytes_of(a->u, t) >= l->bytes
                   ? USE_SRET | USE_KILL
                   : USE_SRET;
    }
    if (shim_captures(call, i))
        return USE_ESCAPE | USE_WRITE;
    return shim_only_reads(call, i) ? USE_READ : USE_READ | USE_WRITE;
}

static unsigned
memory_call_use(struct local *l, value call, value pointer)
{
    unsigned kind = 0;

    if (LLVMGetArgOperand(call, 0) == pointer)
        kind |= pointer == l->of && shim_const_length(call) >= l->bytes
                    ? USE_KILL
                    : USE_WRITE;
    if (LLVMGetArgOperand(call, 1) == pointer)
        kind |= USE_READ;
    return kind & USE_READ ? kind & ~(unsigned)USE_KILL : kind;
}

static unsigned
call_use(struct activation *a, struct local *l, value call, value pointer)
{
    unsigned kind = 0;

    switch (shim_lifetime_marker(call)) {
    case 1:
        return USE_START;
    case 2:
        return USE_END;
    }
    if (LLVMIsAMemIntrinsic(call))
        return memory_call_use(l, call, pointer);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (LLVMGetArgOperand(call, i) == pointer)
            kind |= argument_use(a, l, call, pointer, i);
    if (LLVMGetCalledValue(call) == pointer ||
        shim_is_bundle_use(call, pointer))
        kind |= USE_ESCAPE;
    return kind;
}

static unsigned
store_use(struct activation *a, struct local *l, value store, value pointer)
{
    value what = LLVMGetOperand(store, 0);

    if (what == pointer)
        return USE_ESCAPE;
    return pointer == l->of && bytes_of(a->u, LLVMTypeOf(what)) >= l->bytes
               ? USE_KILL
               : USE_WRITE;
}

static bool
is_derivation(value user)
{
    return LLVMIsAGetElementPtrInst(user) || LLVMIsAPHINode(user) ||
           LLVMIsASelectInst(user) || LLVMIsABitCastInst(user) ||
           LLVMIsAAddrSpaceCastInst(user) || LLVMIsAFreezeInst(user);
}

static unsigned
kind_of(struct activation *a, struct local *l, value user, value pointer)
{
    if (LLVMIsALoadInst(user))
        return USE_READ;
    if (LLVMIsAStoreInst(user))
        return store_use(a, l, user, pointer);
    if (ir_is_call(user))
        return call_use(a, l, user, pointer);
    if (LLVMIsAICmpInst(user))
        return 0;
    if (LLVMIsAAtomicRMWInst(user) || LLVMIsAAtomicCmpXchgInst(user))
        return LLVMGetOperand(user, 0) == pointer ? USE_READ | USE_WRITE
                                                  : USE_ESCAPE;
    return USE_ESCAPE | USE_READ;
}

/* Follows the local's address through all that is derived from it: a select
 * or a phi may be derived from several. */
static void
uses_find(struct activation *a, struct local *l)
{
    struct list work = {0};
    value pointer;

    list_push(&work, l->of);
    map_put(&l->derived, l->of, 1);
    while ((pointer = list_pop(&work))) {
        for (LLVMUseRef use = LLVMGetFirstUse(pointer); use;
             use = LLVMGetNextUse(use)) {
            value user = LLVMGetUser(use);

            if (!is_derivation(user))
                use_add(l, user, kind_of(a, l, user, pointer));
            else if (map_get(&l->derived, user) == NONE) {
                map_put(&l->derived, user, 1);
                list_push(&work, user);
            }
        }
    }
    list_drop(&work);
}

static void
local_add(struct activation *a, value of, uint64_t bytes, uint64_t align)
{
    struct local *l = &a->locals[a->n_locals];

    *l = (struct local){.of = of, .bytes = bytes, .align = align};
    uses_find(a, l);
    a->n_locals++;
}

void
locals_drop(struct activation *a)
{
    for (unsigned i = 0; i < a->n_locals; i++) {
        free(a->locals[i].uses);
        free(a->locals[i].alive);
        free(a->locals[i].here);
        map_free(&a->locals[i].derived);
    }
    free(a->locals);
    a->locals = NULL;
    a->n_locals = 0;
}

static unsigned
allocas_count(block entry)
{
    unsigned n = 0;

    for (value i = LLVMGetFirstInstruction(entry); i;
         i = LLVMGetNextInstruction(i))
        n += LLVMIsAAllocaInst(i) && shim_is_static_alloca(i);
    return n;
}

/* Without padding at the end, as its lifetime markers have it: a piece of
 * padding would be alive at some places only. */
static uint64_t
alloca_bytes(struct activation *a, value alloca)
{
    uint64_t n = LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0));
    type t = LLVMGetAllocatedType(alloca);

    return n == 1 ? LLVMStoreSizeOfType(a->u->layout, t)
                  : n * bytes_of(a->u, t);
}

void
locals_find(struct activation *a)
{
    block entry = LLVMGetEntryBasicBlock(a->function);
    unsigned params = LLVMCountParams(a->function);

    locals_drop(a);
    a->locals = memory(allocas_count(entry) + params, sizeof *a->locals);
    for (value i = LLVMGetFirstInstruction(entry); i;
         i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && shim_is_static_alloca(i))
            local_add(a, i, alloca_bytes(a, i), LLVMGetAlignment(i));
    for (unsigned i = 0; i < params; i++) {
        value v = LLVMGetParam(a->function, i);
        type t = shim_type_attribute(a->function, i, "byval");

        if (a->thunk && i == 0)
            local_add(a, v, FM_ABI_RESULT + a->thunk_bytes, 16);
        else if (v == a->sret || t)
            local_add(a, v, t ? bytes_of(a->u, t) : a->sret_bytes,
                      shim_align_attribute(a->function, i));
    }
}

/* ---- does the address outlive a suspension? ------------------------------- */

/* Marks where the local's life ends or begins anew: 1 for a block with a
 * marker of it. */
static struct map
markers(struct local *l)
{
    struct map m = {0};

    for (size_t i = 0; i < l->n; i++)
        if (l->uses[i].kind & (USE_START | USE_END))
            map_put(&m, LLVMGetInstructionParent(l->uses[i].inst), 1);
    return m;
}

static bool
marker_follows(struct local *l, struct map *marked, value inst)
{
    if (map_get(marked, LLVMGetInstructionParent(inst)) == NONE)
        return false;
    for (value i = inst; i; i = LLVMGetNextInstruction(i))
        if (ir_is_call(i) && shim_lifetime_marker(i) &&
            shim_lifetime_pointer(i) == l->of)
            return true;
    return false;
}

/* Can an await be reached from one of the local's uses of this kind while
 * the local lives? */
static bool
reaches_await(struct activation *a, struct local *l, unsigned kinds)
{
    struct graph *g = &a->graph;
    struct map marked = markers(l);
    bool *seen = memory(g->n, sizeof *seen), found = false;
    unsigned *stack = memory(g->n + l->n, sizeof *stack), n = 0;

    for (size_t i = 0; i < l->n; i++)
        if (l->uses[i].kind & kinds &&
            !marker_follows(l, &marked, l->uses[i].inst))
            stack[n++] =
                map_get(&g->index, LLVMGetInstructionParent(l->uses[i].inst));
    while (n && !found) {
        unsigned b = stack[--n];

        for (unsigned k = g->succ_first[b]; k < g->succ_first[b + 1]; k++) {
            unsigned s = g->succs[k];

            found |= g->resumes[s] != NONE;
            if (seen[s] || map_get(&marked, g->blocks[s]) != NONE)
                continue;
            seen[s] = true;
            stack[n++] = s;
        }
    }
    free(seen);
    free(stack);
    map_free(&marked);
    return found;
}

/* A carried value that points into the local. */
static bool
is_carried_into(struct activation *a, struct local *l)
{
    for (unsigned i = 0; i < a->n_carried; i++)
        if (!a->carried[i].is_local &&
            map_get(&l->derived, a->carried[i].of) != NONE)
            return true;
    return false;
}

static bool
has_use(struct local *l, unsigned kinds)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->uses[i].kind & kinds)
            return true;
    return false;
}

static const char *
reason_to_pin(struct activation *a, unsigned number)
{
    struct local *l = &a->locals[number];

    if (is_carried_into(a, l))
        return "a carried pointer points into it";
    if (has_use(l, USE_ESCAPE) && reaches_await(a, l, USE_ESCAPE))
        return "its address is held across an await";
    return NULL;
}

static bool
is_carried_large(struct activation *a, struct local *l)
{
    if (l->bytes <= COPIED_MOST)
        return false;
    for (unsigned i = 0; i < a->n_carried; i++)
        if (a->carried[i].of == l->of)
            return true;
    return false;
}

/* With -O0 -g every await carries every local for the debugger: with many of
 * both, copies would make the code grow by their product. */
static bool
is_for_debugger(struct activation *a, struct local *l)
{
    return a->naked && !l->marked &&
           (uint64_t)a->n_points * a->n_locals > COPIES_MOST;
}

/* After a resume a local that may be alive must be so again before anything
 * is put into it. */
static void
alive_find(struct activation *a, struct local *l)
{
    struct graph *g = &a->graph;
    struct map marked = markers(l);
    bool *seen = memory(g->n, sizeof *seen);
    unsigned *stack = memory(g->n + l->n, sizeof *stack), n = 0;

    l->alive = memory(a->n_points, sizeof *l->alive);
    for (size_t i = 0; i < l->n; i++)
        if (l->uses[i].kind & USE_START &&
            !marker_follows(l, &marked,
                            LLVMGetNextInstruction(l->uses[i].inst)))
            stack[n++] =
                map_get(&g->index, LLVMGetInstructionParent(l->uses[i].inst));
    while (n) {
        unsigned b = stack[--n];

        for (unsigned k = g->succ_first[b]; k < g->succ_first[b + 1]; k++) {
            unsigned s = g->succs[k];

            if (g->resumes[s] != NONE)
                l->alive[g->resumes[s]] = true;
            if (seen[s] || map_get(&marked, g->blocks[s]) != NONE)
                continue;
            seen[s] = true;
            stack[n++] = s;
        }
    }
    /* What is used in a block is alive there, wherever the walk has been:
     * only said now, as the walk goes on through such blocks. */
    for (size_t i = 0; i < l->n; i++)
        seen[map_get(&g->index, LLVMGetInstructionParent(l->uses[i].inst))] =
            true;
    l->here = seen;
    free(stack);
    map_free(&marked);
}

void
pin(struct activation *a)
{
    bool large = false;

    for (unsigned i = 0; i < a->n_locals; i++) {
        struct local *l = &a->locals[i];

        if (!LLVMIsAAllocaInst(l->of))
            continue;
        l->reason = reason_to_pin(a, i);
        l->shown = !l->reason && is_for_debugger(a, l);
        if (l->shown)
            l->reason = "the debugger is to find it after every await";
        l->pinned = l->reason != NULL;
        a->pins |= l->pinned;
        if (l->marked)
            alive_find(a, l);
    }
    live_locals(a);
    for (unsigned i = 0; i < a->n_locals; i++) {
        struct local *l = &a->locals[i];

        if (!LLVMIsAAllocaInst(l->of) || l->pinned || !is_carried_large(a, l))
            continue;
        l->pinned = large = a->pins = true;
        l->reason = "it is larger than what is copied";
    }
    if (large) {
        live_values(a);
        live_locals(a);
    }
}

/* ---- memory of the caller's frame ----------------------------------------------- */

static void
at_entry(struct activation *a)
{
    value i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(a->function));

    while (LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    at(a->u, i);
}

static value
alloca_at_entry(struct activation *a, uint64_t bytes, uint64_t align)
{
    struct unit *u = a->u;
    value made;

    at(u, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(a->function)));
    made = LLVMBuildAlloca(u->b, LLVMArrayType2(u->i8, bytes), "fm.copy");
    LLVMSetAlignment(made, align < 16 ? 16 : (unsigned)align);
    return made;
}

static void
copy(struct unit *u, value to, value from, uint64_t bytes)
{
    LLVMBuildMemCpy(u->b, to, 1, from, 1, LLVMConstInt(u->word, bytes, 0));
}

/* The argument's bytes are copied at entry; all uses go to the copy. */
static void
argument_copy(struct activation *a, struct local *l)
{
    value mine = alloca_at_entry(a, l->bytes, l->align);

    LLVMReplaceAllUsesWith(l->of, mine);
    at_entry(a);
    copy(a->u, mine, l->of, l->bytes);
}

/* The result is built in a copy; each return copies it out. */
static void
result_copy(struct activation *a, struct local *l, uint64_t skip)
{
    struct unit *u = a->u;
    value mine = alloca_at_entry(a, l->bytes, l->align);

    LLVMReplaceAllUsesWith(l->of, mine);
    for (unsigned i = 0; i < a->n_exits; i++) {
        if (a->exits[i].kind != EXIT_RETURN)
            continue;
        at(u, a->exits[i].inst);
        copy(u, offset_by(u, l->of, skip, ""), offset_by(u, mine, skip, ""),
             l->bytes - skip);
    }
}

static bool
is_used_again(struct activation *a, struct local *l)
{
    for (size_t i = 0; i < l->n; i++) {
        block b = LLVMGetInstructionParent(l->uses[i].inst);

        if (a->graph.again[map_get(&a->graph.index, b)])
            return true;
    }
    return false;
}

/* A task's result slot, written while awaits may still land in it. */
static bool
is_slot_written(struct local *l)
{
    return has_use(l, ~(unsigned)USE_SRET & ~(unsigned)USE_KILL);
}

bool
locals_borrowed(struct activation *a)
{
    for (unsigned i = 0; i < a->n_locals; i++) {
        struct local *l = &a->locals[i];
        const char *held;

        if (!LLVMIsAArgument(l->of))
            continue;
        held = reason_to_pin(a, i);
        if (a->thunk && l->of == LLVMGetParam(a->function, 0)) {
            if (!a->slot_copied && a->n_points && is_slot_written(l)) {
                result_copy(a, l, FM_ABI_RESULT);
                a->slot_copied = true;
                return true;
            }
        } else if (l->of == a->sret) {
            if (!a->sret_copied && (held || l->align > 16)) {
                result_copy(a, l, 0);
                a->sret_copied = true;
                return true;
            }
        } else if (held || is_used_again(a, l)) {
            argument_copy(a, l);
            return true;
        }
    }
    return false;
}
