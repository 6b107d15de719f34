// Tasks on several loops start more into their group, fault and are
// cancelled; close returns when the last has ended, with one fault.
// threads
#include "../rt/ok.h"
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdatomic.h>

enum { LOOPS = 3, ROUNDS = 100 };
static fm_executor *loops[LOOPS];
static atomic_int running;

static void left(int *one)
{
    running -= *one;
}

async void grow(fm_group *g, int depth, int fails)
{
    __attribute__((cleanup(left))) int one = 1;
    running++;
    await fm_switch(loops[depth % LOOPS]);
    if (depth)
        for (int i = 0; i < 3; i++)
            fm_group_start(g, grow(g, depth - 1, fails));
    if (depth == fails)
        fm_throw(FM_CODE_USER + depth, "at depth %d", depth);
    await fm_yield();
}

async void one_round(int i)
{
    FM_GROUP(g);
    for (int k = 0; k < 2; k++)
        fm_group_start(&g, grow(&g, 3, i % 5 - 1));
    if (i % 7 == 0)
        fm_group_cancel(&g);
    if (i % 3)
        await fm_group_close(&g);
}

async int main(void)
{
    for (int i = 0; i < LOOPS; i++)
        loops[i] = i < 2 ? fm_loop_new() : fm_pool();
    for (int i = 0; i < ROUNDS; i++) {
        fm_fault *f = await fm_attempt(NULL, one_round(i));
        OK(running == 0);
        OK(!f || fm_fault_code(f) == FM_CODE_USER + i % 5 - 1);
        OK(f || i % 3 == 0 || i % 7 == 0 || i % 5 == 0);
    }
    for (int i = 0; i < 2; i++)
        fm_executor_free(loops[i]);
    return 0;
}
