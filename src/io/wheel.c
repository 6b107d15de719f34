/* wheel.c: when does which timer fire?
 *
 * Gives start, stop and the order of deadline, never early, in
 * constant time for long waits. Needs nothing but the clock's reading.
 * The trick: a timer further away than NEAR ticks (about 17 ms) lies in a
 * slot of a hierarchical wheel (Varghese and Lauck, scheme 7) and fires
 * when its slot of 1.05 ms has passed: 100,000 sleeps wake the thread once
 * a millisecond, not 100,000 times. Nearer ones are kept in a pairing heap
 * and fire as exactly as the kernel wakes us. All firing goes through the
 * heap, so the order is that of the deadlines.
 */
#include <io/wheel.h>

#define TICK_BITS 20 /* a tick is 2^20 ns */
#define NEAR 16      /* ticks: nearer timers go to the heap at once */
#define NEAR_MASK ((1 << FM__WHEEL_NEAR_BITS) - 1)
#define FAR_MASK ((1 << FM__WHEEL_FAR_BITS) - 1)

/* ---- the pairing heap: link = {first child, next sibling, before} ------ */

static fm_timer *
heap_meld(fm_timer *a, fm_timer *b)
{
    if (!a || !b)
        return a ? a : b;
    if (b->deadline < a->deadline) {
        fm_timer *swap = a;
        a = b;
        b = swap;
    }
    b->link[1] = a->link[0];
    if (b->link[1])
        b->link[1]->link[2] = b;
    a->link[0] = b;
    b->link[2] = a;
    return a;
}

/* Melds siblings pair by pair, then the pairs from the last to the first. */
static fm_timer *
heap_meld_children(fm_timer *child)
{
    fm_timer *pairs = NULL, *all = NULL;
    while (child) {
        fm_timer *a = child, *b = a->link[1];
        child = b ? b->link[1] : NULL;
        a->link[1] = NULL;
        if (b)
            b->link[1] = NULL;
        a = heap_meld(a, b);
        a->link[1] = pairs;
        pairs = a;
    }
    while (pairs) {
        fm_timer *next = pairs->link[1];
        pairs->link[1] = NULL;
        all = heap_meld(all, pairs);
        pairs = next;
    }
    return all;
}

static void
heap_set(struct fm__wheel *w, fm_timer *first)
{
    w->heap = first;
    if (first)
        first->link[2] = &w->above;
}

static void
heap_add(struct fm__wheel *w, fm_timer *t)
{
    t->link[0] = t->link[1] = NULL;
    heap_set(w, heap_meld(w->heap, t));
}

static void
heap_remove(struct fm__wheel *w, fm_timer *t)
{
    fm_timer *children = heap_meld_children(t->link[0]);
    if (t == w->heap) {
        heap_set(w, children);
        return;
    }
    fm_timer *before = t->link[2], *next = t->link[1];
    before->link[before->link[0] == t ? 0 : 1] = next;
    if (next)
        next->link[2] = before;
    heap_set(w, heap_meld(w->heap, children));
}

/* ---- slots: link = {next, the pointer that points here, itself} -------- */

static void
slot_add(struct fm__wheel *w, struct fm__wheel_slot *slot, fm_timer *t)
{
    fm_timer **chain = &slot->chain[w->turn++ % FM__WHEEL_CHAINS];
    t->link[0] = *chain;
    if (*chain)
        (*chain)->link[1] = (fm_timer *)(void *)&t->link[0];
    t->link[1] = (fm_timer *)(void *)chain;
    t->link[2] = t;
    *chain = t;
}

static void
slot_remove(fm_timer *t)
{
    fm_timer **from = (fm_timer **)(void *)t->link[1];
    *from = t->link[0];
    if (t->link[0])
        t->link[0]->link[1] = (fm_timer *)(void *)from;
}

/* The level whose block of ticks holds both `now` and `tick`; the lowest is
 * -1, FM__WHEEL_FAR says that none does. */
static int
level_of(int64_t now, int64_t tick)
{
    int64_t apart = (now ^ tick) >> FM__WHEEL_NEAR_BITS;
    int level = -1;
    for (; apart; apart >>= FM__WHEEL_FAR_BITS)
        if (++level == FM__WHEEL_FAR)
            break;
    return level;
}

static int
level_shift(int level)
{
    return FM__WHEEL_NEAR_BITS + level * FM__WHEEL_FAR_BITS;
}

/* Into the slot of its tick, which is not before w->tick. */
static void
place(struct fm__wheel *w, fm_timer *t)
{
    int64_t tick = t->deadline >> TICK_BITS;
    int level = level_of(w->tick, tick);
    if (level < 0) {
        int64_t i = tick & NEAR_MASK;
        w->near_bits[i >> 6] |= UINT64_C(1) << (i & 63);
        slot_add(w, &w->near[i], t);
    } else if (level < FM__WHEEL_FAR) {
        int64_t i = (tick >> level_shift(level)) & FAR_MASK;
        w->far_bits[level] |= UINT64_C(1) << i;
        slot_add(w, &w->far[level][i], t);
    } else {
        slot_add(w, &w->beyond, t);
    }
}

/* ---- what comes next ---- */

/* The first set bit from `from` on, or -1. */
static int
bit_from(uint64_t bits, int64_t from)
{
    if (from > 63)
        return -1;
    bits &= ~UINT64_C(0) << from;
    return bits ? __builtin_ctzll(bits) : -1;
}

static int
near_from(const struct fm__wheel *w, int64_t from)
{
    for (int64_t word = from >> 6; word < 4; word++) {
        int bit = bit_from(w->near_bits[word], from & 63);
        if (bit >= 0)
            return (int)(word * 64) + bit;
        from = 0;
    }
    return -1;
}

static bool
slot_is_used(const struct fm__wheel_slot *slot)
{
    for (unsigned i = 0; i < FM__WHEEL_CHAINS; i++)
        if (slot->chain[i])
            return true;
    return false;
}

/* The first tick from w->tick on whose slot may hold timers, and the slot's
 * level; timers of a lower level always come before those of a higher. */
static int64_t
next_slot(const struct fm__wheel *w, int *level)
{
    *level = -1;
    int bit = near_from(w, w->tick & NEAR_MASK);
    if (bit >= 0)
        return (w->tick & ~(int64_t)NEAR_MASK) + bit;
    for (*level = 0; *level < FM__WHEEL_FAR; ++*level) {
        int shift = level_shift(*level);
        int64_t at = w->tick >> shift;
        bit = bit_from(w->far_bits[*level], (at & FAR_MASK) + 1);
        if (bit >= 0)
            return ((at & ~(int64_t)FAR_MASK) + bit) << shift;
    }
    int shift = level_shift(FM__WHEEL_FAR);
    return slot_is_used(&w->beyond) ? ((w->tick >> shift) + 1) << shift
                                    : INT64_MAX;
}

/* Empties the slot that begins at w->tick: the near ones into the heap, the
 * others to where they belong now. */
static void
slot_empty(struct fm__wheel *w, int level)
{
    struct fm__wheel_slot *slot = &w->beyond, all;
    unsigned left = FM__WHEEL_CHAINS;
    int64_t i = w->tick & NEAR_MASK;
    if (level < 0) {
        slot = &w->near[i];
        w->near_bits[i >> 6] &= ~(UINT64_C(1) << (i & 63));
    } else if (level < FM__WHEEL_FAR) {
        i = (w->tick >> level_shift(level)) & FAR_MASK;
        slot = &w->far[level][i];
        w->far_bits[level] &= ~(UINT64_C(1) << i);
    }
    all = *slot;
    *slot = (struct fm__wheel_slot){{NULL}};
    while (left) {
        left = 0;
        for (unsigned c = 0; c < FM__WHEEL_CHAINS; c++) {
            fm_timer *t = all.chain[c];
            if (!t)
                continue;
            all.chain[c] = t->link[0];
            __builtin_prefetch(t->link[0], 1);
            if (level < 0)
                heap_add(w, t);
            else
                place(w, t);
            left++;
        }
    }
}

void
fm__wheel_advance(struct fm__wheel *w, int64_t now)
{
    int64_t target = now >> TICK_BITS;
    for (;;) {
        int level;
        int64_t tick = next_slot(w, &level);
        /* A slot of the lowest level is due at its end, one of the others
         * is taken apart at its beginning. */
        if (level < 0 ? tick >= target : tick > target)
            break;
        w->tick = tick;
        slot_empty(w, level);
    }
    if (target > w->tick)
        w->tick = target;
}

int64_t
fm__wheel_next(const struct fm__wheel *w)
{
    if (!w->count)
        return FM_FOREVER;
    int level;
    int64_t tick = next_slot(w, &level), at = INT64_MAX;
    if (tick < INT64_MAX >> TICK_BITS)
        at = (tick + (level < 0)) << TICK_BITS;
    return w->heap && w->heap->deadline < at ? w->heap->deadline : at;
}

void
fm__wheel_start(struct fm__wheel *w, fm_timer *t)
{
    if (!w->count++)
        w->tick = fm_now() >> TICK_BITS;
    if (t->deadline >> TICK_BITS < w->tick + NEAR)
        heap_add(w, t);
    else
        place(w, t);
}

bool
fm__wheel_stop(struct fm__wheel *w, fm_timer *t)
{
    if (!t->link[2])
        return false;
    if (t->link[2] == t)
        slot_remove(t);
    else
        heap_remove(w, t);
    t->link[2] = NULL;
    w->count--;
    return true;
}

fm_timer *
fm__wheel_take(struct fm__wheel *w, int64_t now)
{
    if (!w->heap || w->heap->deadline > now)
        return NULL;
    /* Somebody of this tick fires exactly: so that the order stays that of
     * the deadlines, its slot does too. */
    if (w->heap->deadline >> TICK_BITS == w->tick &&
        slot_is_used(&w->near[w->tick & NEAR_MASK]))
        slot_empty(w, -1);
    fm_timer *t = w->heap;
    heap_remove(w, t);
    t->link[2] = NULL;
    w->count--;
    return t;
}
