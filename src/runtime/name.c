/* name.c: names of tasks, for dumps: few tasks have one, so they are kept
 * beside the tasks. */
#include <string.h>

#include "runtime/entry.h"

struct name {
    struct name *next;
    struct task *task;
    char text[];
};

enum { BUCKETS = 64 };
static struct name *buckets[BUCKETS];

static struct name **
bucket(const struct task *t)
{
    return &buckets[((uintptr_t)t >> 6) % BUCKETS];
}

static void
remove_name(struct task *t)
{
    struct name *found = NULL;

    lock_take(&fm__locks[LOCK_NAMES]);
    for (struct name **at = bucket(t); *at; at = &(*at)->next)
        if ((*at)->task == t) {
            found = *at;
            *at = found->next;
            break;
        }
    lock_give(&fm__locks[LOCK_NAMES]);
    fm__sys_free(found);
}

void
fm_abi_task_name(fm_task *handle, const char *name)
{
    struct task *t = task_of(handle);
    size_t bytes = name ? strlen(name) + 1 : 0;
    struct name *n;

    if (fm__load(&t->sync) & SYNC_NAMED)
        remove_name(t);
    if (!name || !(n = fm__sys_alloc(sizeof *n + bytes)))
        return;
    n->task = t;
    memcpy(n->text, name, bytes);
    fm__or(&t->sync, SYNC_NAMED);
    lock_take(&fm__locks[LOCK_NAMES]);
    n->next = *bucket(t);
    *bucket(t) = n;
    lock_give(&fm__locks[LOCK_NAMES]);
}

/* Copies the name; "" if it has none. */
void
fm__task_name(struct task *t, char *out, size_t bytes)
{
    out[0] = '\0';
    if (!(fm__load(&t->sync) & SYNC_NAMED))
        return;
    lock_take(&fm__locks[LOCK_NAMES]);
    for (struct name *n = *bucket(t); n; n = n->next)
        if (n->task == t) {
            strncpy(out, n->text, bytes - 1);
            out[bytes - 1] = '\0';
        }
    lock_give(&fm__locks[LOCK_NAMES]);
}
