/* hand_over.c: what must hold in every order of locks, channels and groups:
 * what one waits for is handed over to it, or goes to another; never lost,
 * never twice. The code is src/sync's, compiled as async C. */
#include "frames.h"

#include <sync/channel.h>

#include <string.h>

/* Async functions, as they are after the split. */
struct split_int {
    int value;
    void *end;
};
void *fm__lock(fm_mutex *m) __asm__("fm_lock.fm1");
void *fm__send(fm_channel *c, const void *value) __asm__("fm_abi_send.fm1");
struct split_bool fm__receive(fm_channel *c,
                              void *out) __asm__("fm_abi_receive.fm1");
struct split_int fm__select(int64_t ns, const fm_choice *choices,
                            int n) __asm__("fm_abi_select.fm1");
void *fm__group_reserve(fm_group *g) __asm__("fm_abi_group_reserve.fm1");
void *fm__group_close(fm_group *g) __asm__("fm_group_close.fm1");

/* ---- a mutex ------------------------------------------------------------ */

static fm_mutex mutex;

/* Who has it gives it back at once. */
static void *
locked(struct op *o, void *fault)
{
    if (!fault)
        fm_unlock(&mutex);
    return ends(o, 1, fault);
}

void *
lock_resume(struct fm_record *record, void *fault)
{
    return locked(((struct frame *)record)->op, fault);
}
POINT(lock_point, lock_resume, 32, 1);

static void *
locks(struct op *o)
{
    void *end = fm__lock(&mutex);

    if (!end || (uintptr_t)end & FM_ABI_FAULT_BIT)
        return locked(o, end);
    return link_frame(end, &lock_point, o);
}

static void
setup_locked(void)
{
    begin_setup(false);
    memset(&mutex, 0, sizeof mutex);
    HOLDS(fm_try_lock(&mutex));
    start(&task, locks, &op);
}

static void
setup_two_lock(void)
{
    setup_locked();
    ground_on(1);
    start(&task2, locks, &other);
    ground_on(0);
}

static void
setup_to_be_locked(void)
{
    begin_setup(false);
    memset(&mutex, 0, sizeof mutex);
    HOLDS(fm_try_lock(&mutex));
}

static void
starts_to_lock(void)
{
    ground_on(0);
    start(&task, locks, &op);
    ground_drive();
}

static void
unlocks(void)
{
    ground_on(3);
    fm_unlock(&mutex);
}

static void
finish_locked(void)
{
    HOLDS(op.outcome == 1 || op.outcome == FM__ECANCELED);
    is_over(&task, &op);
    HOLDS(fm_try_lock(&mutex));
    HOLDS(model_live() == 0);
}

static void
finish_locked_for_sure(void)
{
    HOLDS(op.outcome == 1);
    finish_locked();
}

static void
finish_two_locked(void)
{
    HOLDS(other.outcome == 1); /* nobody cancels that one */
    is_over(&task2, &other);
    finish_locked();
}

/* ---- a channel ------------------------------------------------------------ */

static fm_channel *channel, *channel2;
static long into, values[2];
static int index_of_select;

void *
receive_resume(struct fm_record *record, void *fault)
{
    struct frame *f = (struct frame *)record;

    return ends(f->op, *(uint8_t *)&f->result, fault);
}
POINT(receive_point, receive_resume, 32, 1);

static void *
receives(struct op *o)
{
    struct split_bool s = fm__receive(channel, &into);

    if (!s.end || (uintptr_t)s.end & FM_ABI_FAULT_BIT)
        return ends(o, s.value, s.end);
    return link_frame(s.end, &receive_point, o);
}

static void *
sends(struct op *o)
{
    return after(fm__send(channel, &values[0]), o);
}

void *
select_resume(struct fm_record *record, void *fault)
{
    struct frame *f = (struct frame *)record;

    if (!fault)
        index_of_select = *(int *)&f->result;
    return ends(f->op, 1, fault);
}
POINT(select_point, select_resume, 32, 1);

static void *
selects(struct op *o)
{
    fm_choice choices[] = {{channel, &into, NULL, false},
                           {channel2, &into, NULL, false}};
    struct split_int s = fm__select(FM_FOREVER, choices, 2);

    if (!s.end || (uintptr_t)s.end & FM_ABI_FAULT_BIT) {
        index_of_select = s.value;
        return ends(o, 1, s.end);
    }
    return link_frame(s.end, &select_point, o);
}

static void
channels(size_t capacity)
{
    begin_setup(false);
    into = 0;
    values[0] = 41;
    values[1] = 42;
    index_of_select = -1;
    channel = fm_abi_channel_new(sizeof(long), capacity);
    channel2 = fm_abi_channel_new(sizeof(long), capacity);
}

static void
setup_receives(void)
{
    channels(1);
    start(&task, receives, &op);
}

static void
setup_to_receive(void)
{
    channels(1);
}

static void
setup_meets(void)
{
    channels(0);
    start(&task, receives, &op);
}

static void
setup_selects(void)
{
    channels(1);
    start(&task, selects, &op);
}

static void
starts_to_receive(void)
{
    ground_on(0);
    start(&task, receives, &op);
    ground_drive();
}

static void
sends_one(void)
{
    ground_on(3);
    HOLDS(fm_abi_try_send(channel, &values[0]));
}

static void
sends_other(void)
{
    ground_on(2);
    HOLDS(fm_abi_try_send(channel2, &values[1]));
}

static void
starts_to_send(void)
{
    ground_on(1);
    start(&task2, sends, &other);
    ground_drive();
}

static void
closes(void)
{
    ground_on(3);
    fm_abi_channel_close(channel);
}

static void
cancels_sender(void)
{
    ground_on(2);
    if (model_wait((void *const volatile *)&task2))
        fm_abi_cancel(task2);
}

static void
finish_channels(void)
{
    is_over(&task, &op);
    fm_abi_channel_release(channel);
    fm_abi_channel_release(channel2);
    HOLDS(model_live() == 0);
}

/* It has arrived, or is there for the next one. */
static void
finish_received(void)
{
    bool came = op.outcome == 1;

    HOLDS(came || op.outcome == FM__ECANCELED);
    HOLDS(came ? into == 41 : into == 0);
    HOLDS(fm_abi_try_receive(channel, &into) == !came);
    HOLDS(into == 41);
    finish_channels();
}

static void
finish_received_for_sure(void)
{
    HOLDS(op.outcome == 1);
    finish_received();
}

/* Both have met, or neither; who was not cancelled still waits then. */
static void
finish_met(void)
{
    bool met = op.outcome == 1;

    if (other.ended) {
        HOLDS(met ? other.outcome == 1 : other.outcome == FM__ECANCELED);
    } else {
        HOLDS(!met && op.outcome == FM__ECANCELED);
        HOLDS(fm_abi_try_receive(channel, &into) && into == 41);
        ground_on(1);
        ground_drive();
    }
    HOLDS(!(met && into != 41));
    is_over(&task2, &other);
    if (!op.ended) { /* the sender was cancelled, and it waits on */
        HOLDS(fm_abi_try_send(channel, &values[0]));
        ground_on(0);
        ground_drive();
        HOLDS(into == 41);
    }
    finish_channels();
}

static void
finish_closed(void)
{
    bool came = op.outcome == 1;

    HOLDS(came || op.outcome == 0);
    HOLDS(came == (into == 41));
    HOLDS(other.outcome == 1 || other.outcome == 32 /* EPIPE */);
    HOLDS(came == (other.outcome == 1));
    is_over(&task2, &other);
    finish_channels();
}

/* One of the two was taken, the other is there. */
static void
finish_selected(void)
{
    long rest = 0;
    int i = index_of_select;

    HOLDS(op.outcome == 1 && (i == 0 || i == 1));
    HOLDS(into == values[i]);
    HOLDS(!fm_abi_try_receive(i ? channel2 : channel, &rest));
    HOLDS(fm_abi_try_receive(i ? channel : channel2, &rest));
    HOLDS(rest == values[!i]);
    finish_channels();
}

static void
finish_select_cancelled(void)
{
    long rest = 0;

    HOLDS(op.outcome == 1 ? into == 41 : op.outcome == FM__ECANCELED);
    HOLDS(fm_abi_try_receive(channel, &rest) == (op.outcome != 1));
    finish_channels();
}

/* ---- a group ---------------------------------------------------------------- */

static fm_group group;
static fm_source *source;

static void *
gets(struct op *o)
{
    struct task *t = task_of(fm_abi_source_task(source));
    void *end = after(fm__await(task_handle(t)), o);

    fm__task_release(t);
    return end;
}

static void *
closes_group(struct op *o)
{
    return after(fm__group_close(&group), o);
}

static void
setup_group(void)
{
    begin_setup(false);
    memset(&group, 0, sizeof group);
    source = fm_abi_source_new(8, false);
    HOLDS(!fm__group_reserve(&group));
    ground_on(1);
    start(&task2, gets, &other);
    fm_abi_group_add(&group, task2);
    ground_on(0);
    start(&task, closes_group, &op);
}

static void
setup_to_be_grouped(void)
{
    begin_setup(true);
    memset(&group, 0, sizeof group);
    source = fm_abi_source_new(8, false);
}

static void
starts_in_group(void)
{
    ground_on(0);
    HOLDS(!fm__group_reserve(&group));
    start(&task2, gets, &other);
    fm_abi_group_add(&group, task2);
    start(&task, closes_group, &op);
    ground_drive();
}

static void
sets_source(void)
{
    long n = 7;

    ground_on(3);
    fm_abi_source_set(source, &n, sizeof n);
}

static void
cancels_group(void)
{
    ground_on(2);
    fm_group_cancel(&group);
}

static void
finish_group(void)
{
    HOLDS(other.ended == 1);
    HOLDS(op.outcome == 1 || op.outcome == FM__ECANCELED);
    is_over(&task, &op);
    fm_abi_source_release(source);
    HOLDS(model_live() == 0);
}

/* Cancelling the group is no fault of it. */
static void
finish_group_cancelled(void)
{
    HOLDS(op.outcome == 1);
    finish_group();
}

/* ---- the table ---------------------------------------------------------------- */

const struct scenario hand_over[] = {
    {"mutex: given back while its waiter is cancelled", setup_locked,
     {drives, unlocks, cancels}, finish_locked},
    {"mutex: given back while one begins to wait", setup_to_be_locked,
     {starts_to_lock, unlocks}, finish_locked_for_sure},
    {"mutex: given back and cancelled while one begins to wait",
     setup_to_be_locked, {starts_to_lock, unlocks, cancels}, finish_locked},
    {"mutex: a cancelled waiter takes no grant with it", setup_two_lock,
     {drives, drives_second, unlocks, cancels}, finish_two_locked},
    {"channel: a value comes while the receiver is cancelled", setup_receives,
     {drives, sends_one, cancels}, finish_received},
    {"channel: the same while it begins to wait", setup_to_receive,
     {starts_to_receive, sends_one, cancels}, finish_received},
    {"channel: a value comes while one begins to wait", setup_to_receive,
     {starts_to_receive, sends_one}, finish_received_for_sure},
    {"channel: two meet while one is cancelled", setup_meets,
     {drives, starts_to_send, cancels}, finish_met},
    {"channel: two meet while the other is cancelled", setup_meets,
     {drives, starts_to_send, cancels_sender}, finish_met},
    {"channel: closed while two meet", setup_meets,
     {drives, starts_to_send, closes}, finish_closed},
    {"select: two values come, one is taken", setup_selects,
     {drives, sends_one, sends_other}, finish_selected},
    {"select: a value comes while it is cancelled", setup_selects,
     {drives, sends_one, cancels}, finish_select_cancelled},
    {"group: its task ends while who closes it is cancelled", setup_group,
     {drives, drives_second, sets_source, cancels}, finish_group},
    {"group: on the pool: its task ends while it is entered",
     setup_to_be_grouped, {starts_in_group, drives_second, sets_source},
     finish_group_cancelled},
    {"group: its task ends while the group is cancelled", setup_group,
     {drives, drives_second, sets_source, cancels_group},
     finish_group_cancelled},
};
const size_t hand_overs = sizeof hand_over / sizeof *hand_over;
