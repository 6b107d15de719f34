/* trace.c: where suspended chains wait, for people.
 *
 * The chain of records is the async stack: each has a point, which names its
 * function and line. What is printed must not run meanwhile. */
#include <string.h>

#include "runtime/entry.h"

enum { FRAMES_MOST = 64, TASKS_MOST = 8 };

static const char *
relative_string(const int32_t *at)
{
    return *at ? (const char *)((uintptr_t)at + (uintptr_t)(intptr_t)*at)
               : NULL;
}

struct fm_place
fm__point_place(const struct fm_point *p)
{
    const struct fm_point_info *info = point_info(p);

    if (!info)
        return (struct fm_place){"?", NULL, 0};
    return (struct fm_place){relative_string(&info->function),
                             relative_string(&info->file), info->line};
}

/* What the compiler half made (`fm.start(f)`) and what is inside the library
 * (`fm__raise`) are no functions of the user's. */
bool
fm__point_is_made(const struct fm_point *p)
{
    const char *function = fm__point_place(p).function;

    return !function || !strncmp(function, "fm.", 3) ||
           !strncmp(function, "fm__", 4);
}

void
fm__say_frame(const struct fm_point *p)
{
    struct fm_place place = fm__point_place(p);

    if (fm__point_is_made(p))
        return;
    if (place.file)
        fm__sys_say("  at %s (%s:%u)", place.function, place.file, place.line);
    else
        fm__sys_say("  at %s", place.function);
}

static void
say_chain(struct fm_record *r)
{
    for (unsigned n = 0; r && r->point; r = r->next) {
        if (++n > FRAMES_MOST) {
            fm__sys_say("  ...");
            return;
        }
        if (r->point != &fm__begin_point)
            fm__say_frame(r->point);
        if (r->point->flags & FM_POINT_TASK)
            return;
    }
}

void
fm__say_task(struct task *t)
{
    char name[64];

    fm__task_name(t, name, sizeof name);
    if (*name)
        fm__sys_say("  task \"%s\"", name);
    if (fm__load(&t->refs) & REFS_SOURCE)
        fm__sys_say("  a source that nobody completes");
    else
        say_chain(task_head(t));
}

static struct task *
awaited(const struct task *t)
{
    void *p = (void *)(t->wait & ~(uintptr_t)HELD_BITS);
    struct watch *w = p;

    if (fm__load(&t->refs) & REFS_SOURCE)
        return NULL;
    switch (t->wait & HELD_KIND) {
    case HELD_TASK:
    case HELD_JOIN:
        return p;
    case HELD_WATCH:
        return w->kind == LEAF_UNTIL ? NULL : w->awaited;
    }
    return NULL;
}

void
fm__say_tasks(struct task *t)
{
    fm__say_task(t);
    for (unsigned n = 1; (t = awaited(t)); n++) {
        if (n == TASKS_MOST) {
            fm__sys_say(" and so on");
            return;
        }
        fm__sys_say(" for a task that waits");
        fm__say_task(t);
    }
}
