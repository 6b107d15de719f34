/* defer.c: FM_DEFER { ... }.
 *
 * `if (!fm_abi_defer(&d)) {} else body`, and fm_abi_defer_run(&d) as the
 * cleanup of d: once on the normal way out of the block, once on the
 * unwinding one. The body is skipped where it stands and cloned to each of
 * its run sites, inner defers first. What the body itself leaves as a fault
 * goes on with the cleanups outside of d, whether the block was being left
 * normally (it is then the fault) or unwound (it becomes the cause of the
 * one under way). So each path runs it exactly once, and no flag is needed.
 *
 * clang's slots for the exception under way and for the way out of nested
 * cleanups are the function's: a body that uses them finds them in use, so
 * they are saved around it.
 */
#include "control.h"

#include <stdlib.h>
#include <string.h>

struct site {
    LLVMBasicBlockRef ahead; /* what of the block stands before the run */
    LLVMBasicBlockRef run;   /* begins with fm_abi_defer_run */
    LLVMBasicBlockRef after; /* what follows */
    bool unwinding;
};

struct defer {
    LLVMValueRef function, mark, variable;
    const struct flow *flow; /* as clang left the function */
    LLVMBasicBlockRef entry, end; /* of the body; end is outside of it */
    struct site *sites;
    size_t site_count;
    struct set inside;       /* the body's blocks */
    LLVMBasicBlockRef *body; /* the same, in order of discovery */
    LLVMValueRef *body_jump; /* the jump that led there */
    size_t body_count, body_capacity;
    bool awaits;
    struct exn exn;
    LLVMValueRef dest; /* clang's slot for the way out, or null */
};

static void
defer_free(struct defer *d)
{
    free(d->sites);
    free(d->body);
    free(d->body_jump);
    set_free(&d->inside);
}

/* ---- the parts ----------------------------------------------------------- */

/* The mark's two edges: the one that leads through an empty block to where
 * the other one ends too is the skip. The mark's result is compared with 0
 * before the branch: not equal takes the body. */
static bool
edges_find(struct defer *d)
{
    LLVMValueRef end =
        LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(d->mark));
    LLVMValueRef test, skip_end;
    LLVMBasicBlockRef yes, no;
    bool equal;

    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
        return false;
    test = LLVMGetCondition(end);
    if (!LLVMIsAICmpInst(test) || LLVMGetOperand(test, 0) != d->mark)
        return false;
    equal = LLVMGetICmpPredicate(test) == LLVMIntEQ;
    yes = LLVMGetSuccessor(end, equal ? 1 : 0);
    no = LLVMGetSuccessor(end, equal ? 0 : 1);
    skip_end = LLVMGetBasicBlockTerminator(no);
    if (!LLVMIsABranchInst(skip_end) || LLVMIsConditional(skip_end))
        return false;
    d->entry = yes;
    d->end = LLVMGetSuccessor(skip_end, 0);
    return true;
}

/* Cuts out one run site. */
static struct site
site_cut(LLVMValueRef run, bool unwinding)
{
    struct site site = {.ahead = LLVMGetInstructionParent(run),
                        .unwinding = unwinding};

    site.run = shim_cut_before(run, "defer.run");
    if (LLVMIsAInvokeInst(run))
        site.after = LLVMGetInstructionParent(edge_normal(run));
    else
        site.after =
            shim_cut_before(LLVMGetNextInstruction(run), "defer.after");
    return site;
}

static void
sites_find(struct defer *d)
{
    struct value_list runs = {0};

    for (LLVMUseRef u = LLVMGetFirstUse(d->variable); u; u = LLVMGetNextUse(u))
        if (calls_named(LLVMGetUser(u), "fm_abi_defer_run"))
            list_add(&runs, LLVMGetUser(u));
    d->sites = calloc(runs.n + 1, sizeof *d->sites);
    if (!d->sites)
        abort();
    for (size_t k = 0; k < runs.n; k++)
        d->sites[d->site_count++] =
            site_cut(runs.at[k], set_has(&d->flow->calls, runs.at[k]));
    list_free(&runs);
}

static struct site *
site_at(struct defer *d, LLVMBasicBlockRef block)
{
    for (size_t k = 0; k < d->site_count; k++)
        if (d->sites[k].run == block)
            return &d->sites[k];
    return NULL;
}

/* ---- the body ------------------------------------------------------------ */

static void
body_add(struct defer *d, LLVMBasicBlockRef block, LLVMValueRef jump)
{
    size_t n = d->body_capacity;

    if (!set_add(&d->inside, block))
        return;
    if (d->body_count == n) {
        d->body_capacity = n = n ? 2 * n : 16;
        d->body = realloc(d->body, n * sizeof *d->body);
        d->body_jump = realloc(d->body_jump, n * sizeof *d->body_jump);
        if (!d->body || !d->body_jump)
            abort();
    }
    d->body_jump[d->body_count] = jump;
    d->body[d->body_count++] = block;
}

/* The jump by which the body has come to its k-th block: the one in the
 * deferred code itself, not in clang's way out. */
static LLVMValueRef
leaving_jump(struct defer *d, size_t k, const struct site *site)
{
    LLVMBasicBlockRef block = d->body[k];
    LLVMValueRef first = LLVMGetFirstInstruction(block);

    if ((block == site->ahead || LLVMIsABranchInst(first)) && d->body_jump[k])
        return d->body_jump[k];
    return LLVMGetBasicBlockTerminator(block);
}

/* Walks the body; false if it leaves itself. Its end and its own run sites
 * on the unwinding way are where it ends; to come upon a run site on the
 * normal way is to leave. */
static bool
body_find(struct defer *d)
{
    d->inside = (struct set){0};
    body_add(d, d->entry, NULL);
    for (size_t k = 0; k < d->body_count; k++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(d->body[k]);

        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, s);
            struct site *site = site_at(d, to);

            if (to == d->end || (site && site->unwinding))
                continue;
            if (site) {
                diag_at(d->function, leaving_jump(d, k, site), DIAG_ERROR,
                        "deferred code must not leave itself by break, "
                        "continue, goto or return: it runs when the "
                        "enclosing block is left already");
                return false;
            }
            body_add(d, to, end);
        }
    }
    return true;
}

static bool
block_is_pad(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);

    while (i && LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i && LLVMIsALandingPadInst(i);
}

static bool
jumps_on(LLVMBasicBlockRef block)
{
    return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block)) > 0;
}

/* An edge between the body and the rest of the function, other than its
 * entry: somebody jumped in or out. What runs while unwinding, and blocks
 * that only end the program, are shared by right. */
static bool
body_is_whole(struct defer *d)
{
    LLVMBasicBlockRef mark = LLVMGetInstructionParent(d->mark);

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(d->function); b;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

        if (b == mark || set_has(&d->inside, b))
            continue;
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, s);

            if (!set_has(&d->inside, to) || block_is_pad(to) ||
                set_has(&d->flow->blocks, to) || !jumps_on(to))
                continue;
            diag_at(d->function, d->mark, DIAG_ERROR,
                    "deferred code must not be jumped into or out of by "
                    "goto: it runs where the enclosing block is left");
            return false;
        }
    }
    return true;
}

static LLVMValueRef
mark_inside(struct defer *d)
{
    for (size_t k = 0; k < d->body_count; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->body[k]); i;
             i = LLVMGetNextInstruction(i)) {
            if (calls_named(i, "fm_abi_defer"))
                return i;
            d->awaits |= is_await(i);
        }
    return NULL;
}

/* ---- running it ---------------------------------------------------------- */

/* What is saved at a run site. */
struct saved {
    LLVMValueRef shield, exception, selector, dest;
};

static LLVMTypeRef
word(struct defer *d)
{
    return LLVMInt32TypeInContext(context_of(d->mark));
}

static struct saved
run_begin(struct defer *d, struct site *site)
{
    LLVMValueRef run = LLVMGetFirstInstruction(site->run);
    LLVMBuilderRef b = build_before(run);
    struct saved saved = {0};

    if (site->unwinding) {
        saved.exception = LLVMBuildLoad2(b, pointer_type(context_of(run)),
                                         d->exn.exception, "");
        saved.selector = LLVMBuildLoad2(b, word(d), d->exn.selector, "");
    }
    if (d->dest)
        saved.dest = LLVMBuildLoad2(b, word(d), d->dest, "");
    if (d->awaits)
        saved.shield = runtime_call(b, "fm_abi_with_shield", true, NULL, 0);
    LLVMDisposeBuilder(b);
    return saved;
}

static void
run_left(struct defer *d, const struct saved *saved, LLVMBuilderRef b)
{
    LLVMValueRef shield = saved->shield;

    if (shield)
        runtime_call(b, "fm_abi_scope_leave", false, &shield, 1);
    if (saved->dest)
        LLVMBuildStore(b, saved->dest, d->dest);
    if (saved->selector)
        LLVMBuildStore(b, saved->selector, d->exn.selector);
}

/* The body's end: goes on where the run site stood. */
static LLVMBasicBlockRef
run_end(struct defer *d, struct site *site, const struct saved *saved)
{
    LLVMBasicBlockRef block = block_new(d->function, "defer.end");
    LLVMBuilderRef b = build_end(block, LLVMGetFirstInstruction(site->run));

    run_left(d, saved, b);
    if (saved->exception)
        LLVMBuildStore(b, saved->exception, d->exn.exception);
    LLVMBuildBr(b, site->after);
    LLVMDisposeBuilder(b);
    return block;
}

/* A fault has left the body: to the cleanups outside. */
static LLVMBasicBlockRef
run_faulted(struct defer *d, struct site *site, struct site *own,
            const struct saved *saved)
{
    LLVMBasicBlockRef block = block_new(d->function, "defer.fault");
    LLVMBuilderRef b = build_end(block, LLVMGetFirstInstruction(site->run));
    LLVMValueRef parts[2], joined;

    run_left(d, saved, b);
    if (saved->exception) {
        parts[0] = saved->exception;
        parts[1] = LLVMBuildLoad2(b, pointer_type(context_of(d->mark)),
                                  d->exn.exception, "");
        joined = runtime_call(b, "fm_abi_fault_join", true, parts, 2);
        LLVMBuildStore(b, joined, d->exn.exception);
    }
    LLVMBuildBr(b, own->after);
    LLVMDisposeBuilder(b);
    return block;
}

/* Turns the clone's edges to what is not in it. */
static void
clone_join(struct defer *d, LLVMBasicBlockRef *clone, struct site *site,
           const struct saved *saved)
{
    LLVMBasicBlockRef end = run_end(d, site, saved);
    LLVMBasicBlockRef *faulted =
        calloc(d->site_count, sizeof(LLVMBasicBlockRef));

    if (!faulted)
        abort();
    for (size_t k = 0; k < d->body_count; k++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(clone[k]);

        for (unsigned s = 0; s < LLVMGetNumSuccessors(last); s++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(last, s);
            struct site *own = site_at(d, to);

            if (to == d->end)
                LLVMSetSuccessor(last, s, end);
            if (!own)
                continue;
            if (!faulted[own - d->sites])
                faulted[own - d->sites] = run_faulted(d, site, own, saved);
            LLVMSetSuccessor(last, s, faulted[own - d->sites]);
        }
    }
    free(faulted);
}

static void
site_lower(struct defer *d, struct site *site, LLVMBasicBlockRef *clone)
{
    struct saved saved = run_begin(d, site);
    LLVMValueRef last = LLVMGetBasicBlockTerminator(site->run);
    LLVMBuilderRef b;

    clone_join(d, clone, site, &saved);
    b = build_before(last);
    LLVMBuildBr(b, clone[0]);
    LLVMDisposeBuilder(b);
    if (LLVMIsAInvokeInst(last)) {
        LLVMInstructionEraseFromParent(last);
        return;
    }
    LLVMInstructionEraseFromParent(last); /* the branch of the cut */
    for (LLVMValueRef i = LLVMGetFirstInstruction(site->run); i;
         i = LLVMGetNextInstruction(i))
        if (calls_named(i, "fm_abi_defer_run")) {
            LLVMInstructionEraseFromParent(i);
            return;
        }
}

static void
run_all(struct defer *d)
{
    size_t n = d->body_count;
    LLVMBasicBlockRef *clones =
        calloc(n * d->site_count + 1, sizeof(LLVMBasicBlockRef));

    if (!clones)
        abort();
    /* All cloned first: a body on the unwinding way must not be cloned with
     * what another site has put into it. */
    for (size_t k = 0; k < d->site_count; k++)
        shim_blocks_clone(d->body, n, clones + k * n);
    for (size_t k = 0; k < d->site_count; k++)
        site_lower(d, &d->sites[k], clones + k * n);
    free(clones);
}

static LLVMValueRef
dest_slot(LLVMValueRef function)
{
    for (LLVMValueRef i =
             LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
         i; i = LLVMGetNextInstruction(i)) {
        static const char name[] = "cleanup.dest.slot";
        size_t n;
        const char *named = LLVMGetValueName2(i, &n);

        if (LLVMIsAAllocaInst(i) && n == sizeof name - 1 &&
            !memcmp(named, name, n))
            return i;
    }
    return NULL;
}

static void defer_lower(LLVMValueRef mark, const struct flow *flow);

/* The body's blocks, once the defers in it are lowered. */
static bool
body_settle(struct defer *d)
{
    LLVMValueRef inner;

    for (;;) {
        if (!body_find(d))
            return false;
        inner = mark_inside(d);
        if (!inner)
            return true;
        defer_lower(inner, d->flow);
        d->body_count = 0;
        set_free(&d->inside);
    }
}

/* After a refusal the body is skipped: there will be no object file, and the
 * others are looked at. */
static void
defer_lower(LLVMValueRef mark, const struct flow *flow)
{
    struct defer d = {.function = function_of(mark),
                      .mark = mark,
                      .variable = LLVMGetOperand(mark, 0),
                      .flow = flow};
    bool good;

    d.exn = exn_slots(d.function);
    d.dest = dest_slot(d.function);
    sites_find(&d);
    good = edges_find(&d) && body_settle(&d) && body_is_whole(&d);
    if (good)
        run_all(&d);
    shim_call_decide(mark, 0);
    if (good) {
        mark_variable_delete(d.variable);
        shim_unreachable_delete(d.function);
    }
    defer_free(&d);
}

static LLVMValueRef
mark_next(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && calls_named(i, "fm_abi_defer"))
                return i;
    return NULL;
}

bool
control_defer(LLVMValueRef function)
{
    LLVMValueRef mark = mark_next(function);
    struct flow flow = {0};

    if (!mark)
        return false;
    shim_unreachable_delete(function);
    flow_of(&flow, function);
    while ((mark = mark_next(function)))
        defer_lower(mark, &flow);
    flow_free(&flow);
    return true;
}
