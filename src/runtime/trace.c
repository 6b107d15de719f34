/* trace.c: where suspended chains wait, for people.
 *
 * The chain of records is the async stack: each has a point, which names its
 * function and line, and the functions into which that one was inlined. What
 * is printed must not run meanwhile. */
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
static bool
is_made(const char *function)
{
    return !function || !strncmp(function, "fm.", 3) ||
           !strncmp(function, "fm__", 4) || !strncmp(function, "fm_abi_", 7);
}

static const struct fm_point_info *
info_outer(const struct fm_point_info *info)
{
    return info->outer
               ? (const struct fm_point_info *)((uintptr_t)&info->outer +
                                                (uintptr_t)(intptr_t)
                                                    info->outer)
               : NULL;
}

void
fm__point_each(const struct fm_point *p, enum fm__extent extent,
               void (*fn)(void *arg, const struct fm_place *place), void *arg)
{
    const struct fm_point_info *info = point_info(p);
    unsigned most = !info || extent == POINT_WHOLE ? 0 : info->passes;
    struct fm_place place = fm__point_place(p);

    if (!is_made(place.function))
        fn(arg, &place);
    for (unsigned n = 1; info && n != most && (info = info_outer(info)); n++) {
        place = (struct fm_place){relative_string(&info->function),
                                  relative_string(&info->file), info->line};
        if (!is_made(place.function))
            fn(arg, &place);
    }
}

void
fm__say_place(void *arg, const struct fm_place *place)
{
    (void)arg;
    if (place->file)
        fm__sys_say("  at %s (%s:%u)", place->function, place->file,
                    place->line);
    else
        fm__sys_say("  at %s", place->function);
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
            fm__point_each(r->point, POINT_WHOLE, fm__say_place, NULL);
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

struct task *
fm__task_awaited(const struct task *t)
{
    bool source = (fm__load(&t->refs) & REFS_SOURCE) != 0;

    return source ? NULL : fm__wait_awaited(t);
}

void
fm__say_tasks(struct task *t)
{
    fm__say_task(t);
    for (unsigned n = 1; (t = fm__task_awaited(t)); n++) {
        if (n == TASKS_MOST) {
            fm__sys_say(" and so on");
            return;
        }
        fm__sys_say(" for a task that waits");
        fm__say_task(t);
    }
}
