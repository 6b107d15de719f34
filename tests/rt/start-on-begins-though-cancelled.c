// A call started on an executor begins there though it is cancelled by then.
// threads
#include "ok.h"
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>

static fm_executor *other;
static _Atomic int given_back;

static async void
owns(void *p)
{
    OK(fm_executor_self() == other);
    FM_DEFER {
        free(p);
        given_back++;
    }
    await fm_sleep(FM_FOREVER);
}
static async void
under_fired_token(void)
{
    fm_cancel_source *source = fm_cancel_source_new();
    FM_DEFER fm_cancel_source_release(source);
    fm_with_token(fm_cancel_source_token(source));
    fm_cancel_source_fire(source);
    FM_TASK(void) t = fm_start_on(other, owns(malloc(1)));
    fm_with_shield();
    fm_fault *f = await fm_attempt(NULL, fm_get(t));
    OK(f && fm_fault_code(f) == ECANCELED);
    fm_release(t);
}
static async void
cancelled_at_once(void)
{
    FM_TASK(void) t = fm_start_on(other, owns(malloc(1)));
    fm_cancel(t);
    fm_fault *f = await fm_attempt(NULL, fm_get(t));
    OK(f && fm_fault_code(f) == ECANCELED);
    fm_release(t);
}
async int
main(void)
{
    OK(other = fm_loop_new());
    await under_fired_token();
    await cancelled_at_once();
    OK(given_back == 2);
    fm_executor_free(other);
    return 0;
}
