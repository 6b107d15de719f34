// Tasks that yield take turns, first come first served.
// not: alloc
#include "chain.h"

POINT(point, resume, 40, 4, "turns");

static char order[64];
static int n;

void *
resume(struct fm_record *record, void *fault)
{
    struct frame *f = (struct frame *)record;
    struct fm_record *leaf;
    OK(!fault);
    order[n++] = (char)f->a;
    if (--f->b == 0)
        return NULL;
    leaf = h_yield();
    leaf->next = record;
    return record;
}

static fm_task *
start(char name, long turns)
{
    struct fm_root root;
    struct frame *f = fm_abi_task_new(sizeof *f);
    struct fm_record *leaf;
    fm_abi_root_enter(&root, f);
    f->a = name;
    f->b = turns;
    f->r.point = &point;
    leaf = h_yield();
    leaf->next = &f->r;
    fm_abi_start_leave(&root, f);
    return (fm_task *)f;
}

int
main(void)
{
    fm_task *a = start('a', 3), *b = start('b', 2);
    fm_abi_wait(a);
    fm_abi_wait(b);
    OK(n == 5 && !strncmp(order, "ababa", 5));
    OK(fm_abi_status(a) == FM_DONE);
    fm_abi_release(a);
    fm_abi_release(b);
}
