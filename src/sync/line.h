/* line.h: a queue of waits, first come, first served, with hand-over. */
#ifndef FM_SYNC_LINE_H
#define FM_SYNC_LINE_H

#include <base/atomic.h>
#include <fermata/sync.h>

/* One wait, in memory of its own. Linked while it is queued, under the line's
 * lock; who takes it out of the queue resumes it, once. */
struct fm__wait {
    struct fm_abi_park park; /* first */
    struct fm__wait *next, *prev;
    struct fm_line *line;
    size_t n;     /* what it asks for, if that is a number */
    bool queued;
    /* Under the lock, for the first in the line: takes what it waits for if
     * that is there. Null: it is let go by name only. */
    bool (*take)(struct fm_line *line, size_t n);
};

static inline struct lock *
fm__line_lock(struct fm_line *line)
{
    _Static_assert(sizeof(struct lock) == sizeof(line->lock),
                   "the public struct has room for a lock");
    return (struct lock *)(void *)&line->lock;
}

/* Under the lock, all three. */
void fm__line_add(struct fm_line *line, struct fm__wait *w);
void fm__line_remove(struct fm_line *line, struct fm__wait *w);
/* Takes out all in front that may go on now; they are to be handed to
 * fm__line_resume. */
struct fm__wait *fm__line_grant(struct fm_line *line);
/* Without the lock: nothing of the line may be touched afterwards. */
void fm__line_resume(struct fm__wait *granted);

/* Takes n at once, unless others wait. */
bool fm__line_try(struct fm_line *line, size_t n,
                  bool (*take)(struct fm_line *line, size_t n));
/* The same, but waits. Raises the cancellation. */
fm_async void fm__line_wait(struct fm_line *line, size_t n,
                            bool (*take)(struct fm_line *line, size_t n));
/* After an operation that succeeded at once, when fm_abi_may_go says so:
 * others have their turn. Not before it, or who comes later would come first.
 * Never interrupted: what was taken is taken. */
fm_async void fm__sync_yield(void);
/* Ends the program with a sentence if somebody waits. */
void fm__line_fini(struct fm_line *line, const char *what);
__attribute__((noreturn, cold)) void fm__sync_die(const char *what);

#endif
