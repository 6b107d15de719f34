// A chain of a million frames resumes in constant stack and linear time.
// not: alloc
#include "chain.h"

POINT(point, resume, 40, 0, "deep");

void *
resume(struct fm_record *record, void *fault)
{
    struct frame *f = (struct frame *)record;
    if (!fault)
        ((struct frame *)f->r.next)->result = f->result + 1;
    return fault;
}

/* As if a million ramps had linked themselves, without their stack. */
static void *
deep(long n)
{
    struct frame *f = h_suspend(gate_arm, NULL);
    for (long i = 0; i < n; i++) {
        f = LINK(f, point);
        f->result = 0;
    }
    return f;
}

static int64_t
run(long n)
{
    fm_task *t;
    int64_t start = fm_now();
    BEGIN(t, deep(n));
    fm_resume(gate);
    OK(fm_abi_status(t) == FM_DONE && ((struct frame *)t)->result == n);
    fm_abi_release(t);
    return fm_now() - start;
}

int
main(void)
{
    int64_t small = run(100000), large = run(1000000);
    for (int i = 0; i < 5 && large > small * 30; i++)
        small = run(100000), large = run(1000000);
    OK(large < small * 30);
}
