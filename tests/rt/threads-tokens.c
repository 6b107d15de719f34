// A token is fired, watched, left and freed by several threads at once.
// threads
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>

enum { ROUNDS = 300, TASKS = 4 };
static fm_executor *other;

static async int
waits(fm_token *tok, int i)
{
    fm_fault *f;
    fm_with_token(tok);
    fm_try {
        await fm_sleep(i % 2 ? FM_S(50) : FM_US(20));
        await fm_yield();
    } fm_catch (f) {
        OK(fm_fault_code(f) == ECANCELED && fm_fault_token(f) == tok);
        return 1;
    }
    return 0;
}
static void
called(void *arg)
{
    ++*(int *)arg;
}
static void *
fires(void *arg)
{
    fm_cancel_source *s = arg;
    fm_cancel_source_fire(s);
    fm_cancel_source_release(s);
    return NULL;
}
async int
main(void)
{
    OK(other = fm_loop_new());
    for (int r = 0; r < ROUNDS; r++) {
        pthread_t thread;
        int calls = 0, cancelled = 0;
        fm_cancel_source *s = fm_cancel_source_new();
        fm_cancel_source *child =
            fm_cancel_source_link(fm_cancel_source_token(s));
        fm_token *tok = fm_cancel_source_token(child);
        FM_TASK(int) t[TASKS];
        fm_token_reg *reg = fm_token_on(tok, called, &calls);
        for (int i = 0; i < TASKS; i++)
            t[i] = i < 2 ? fm_start(waits(tok, i))
                         : fm_start_on(other, waits(tok, i));
        OK(!pthread_create(&thread, NULL, fires, s));
        for (int i = 0; i < TASKS; i++)
            cancelled += await fm_join(t[i]);
        OK(cancelled >= 2);
        pthread_join(thread, NULL);
        await fm_yield();
        OK(fm_token_off(reg) == !calls);
        fm_cancel_source_release(child);
    }
    fm_executor_free(other);
    return 0;
}
