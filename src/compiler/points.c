/* points.c: the static descriptor of each suspension point: what resumes it,
 * in which state, and how large its record is. What people want to know of
 * it lies elsewhere (places.c).
 */
#include "late.h"

#define POINTS_SECTION "fm_points"

static unsigned
flags_of(struct activation *a, struct point *p)
{
    return (p->handler || a->vla ? FM_POINT_HANDLER : 0) |
           (p->anywhere ? FM_POINT_ANYWHERE : 0) |
           (a->thunk ? FM_POINT_TASK : 0);
}

static value
descriptor(struct activation *a, struct point *p, bool lists)
{
    struct unit *u = a->u;
    type array = LLVMArrayType2(u->i32, 5);
    value g = places_entry(a, array, POINTS_SECTION);
    value words[] = {
        places_relative(u, a->resume, g, 0),
        word32(u, p->state),
        word32(u, a->record_bytes),
        word32(u, flags_of(a, p)),
        places_relative(u, places_info(a, p, lists), g, 16),
    };

    LLVMSetInitializer(g, LLVMConstArray2(u->i32, words, 5));
    return g;
}

/* What is carried is listed as long as the lists are not much longer than
 * the code. */
#define LINES_MOST 8192

static bool
is_listed(struct activation *a)
{
    size_t lines = 0;

    for (unsigned i = 0; i < a->n_points; i++)
        lines += a->points[i].n_carries;
    for (unsigned i = 0; i < a->n_locals; i++)
        if (a->locals[i].pinned)
            lines += a->locals[i].shown ? 1 : a->n_points;
    return lines <= LINES_MOST;
}

void
points(struct activation *a)
{
    bool lists = is_listed(a);
    unsigned state = 0;

    for (unsigned i = 0; i < a->n_points; i++) {
        struct point *p = &a->points[i];

        if (p->tail)
            continue;
        p->state = p->shares == NONE ? state++ : a->points[p->shares].state;
        p->descriptor = descriptor(a, p, lists);
    }
}

/* A place in the trace of the faults that are raised there; nothing is ever
 * resumed at it. */
value
points_raise(struct activation *a, value call)
{
    struct point p = {.call = call};
    value g = places_entry(a, LLVMArrayType2(a->u->i32, 5), "fm_info");
    value none = word32(a->u, 0);
    value words[] = {none, none, none, none,
                     places_relative(a->u, places_info(a, &p, false), g, 16)};

    LLVMSetInitializer(g, LLVMConstArray2(a->u->i32, words, 5));
    return g;
}
