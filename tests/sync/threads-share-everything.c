// Tasks on several threads share locks and channels and are cancelled at any
// moment: no value is lost or doubled, no grant is lost, one holds the lock.
// threads
// time: 60
#include "../rt/ok.h"
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdatomic.h>

enum { LOOPS = 4, TASKS = 6, ROUNDS = 60 };
static fm_executor *loops[LOOPS];
static fm_mutex mutex;
static fm_sem sem;
static fm_barrier barrier;
static FM_CHANNEL(unsigned) narrow, wide;
static int inside; /* plain: the mutex orders it */
static atomic_uint sent, received, count_sent, count_received, in_sem;

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

async void lock_once(void)
{
    fm_with_lock(&mutex);
    OK(++inside == 1);
    FM_DEFER OK(inside-- == 1); /* also when the yield is cancelled */
    await fm_yield();
}

static void post(int *n)
{
    in_sem -= (unsigned)*n;
    fm_sem_post(&sem, (size_t)*n);
}

async void sem_once(int n)
{
    await fm_sem_wait(&sem, (size_t)n);
    __attribute__((cleanup(post))) int had = n;
    OK((in_sem += (unsigned)had) <= 4);
    await fm_yield();
}

async void send_once(unsigned value)
{
    await fm_send(value & 1 ? narrow : wide, value);
    sent += value;
    count_sent++;
}

async void receive_once(unsigned how)
{
    unsigned value = 0;
    bool more = true;
    if (how & 1)
        more = await fm_receive(how & 2 ? narrow : wide, &value);
    else if (await fm_select(FM_US(how % 100), FM_RECEIVE(wide, &value, &more),
                             FM_RECEIVE(narrow, &value, &more)) < 0)
        return;
    if (!more)
        return;
    received += value;
    count_received++;
}

async void one(unsigned how)
{
    switch (how % 7) {
    case 0:
    case 1:
        await lock_once();
        break;
    case 2:
        await sem_once(1 + (int)(how / 7 % 4));
        break;
    case 3:
    case 4:
        await send_once(how);
        break;
    default:
        await receive_once(how / 7);
    }
}

async void some(unsigned seed)
{
    for (int i = 0; i < ROUNDS; i++) {
        FM_TASK(void) t = fm_start_on(loops[next(&seed) % LOOPS],
                                      one(next(&seed)));
        if (next(&seed) % 2)
            await fm_yield();
        else if (next(&seed) % 2)
            await fm_sleep(FM_US(next(&seed) % 1000));
        fm_cancel(t);
        fm_fault *f = await fm_attempt(NULL, fm_join(t));
        OK(!f || fm_fault_code(f) == ECANCELED);
    }
    await fm_barrier_wait(&barrier);
}

/* What nobody received. */
async void drain(FM_CHANNEL(unsigned) c)
{
    unsigned value;
    fm_channel_close(c);
    while (await fm_receive(c, &value)) {
        received += value;
        count_received++;
    }
    fm_channel_release(c);
}

async int main(void)
{
    for (int i = 0; i < LOOPS; i++)
        loops[i] = i < 2 ? fm_loop_new() : fm_pool();
    narrow = fm_channel_new(unsigned, 0);
    wide = fm_channel_new(unsigned, 5);
    fm_sem_init(&sem, 4);
    fm_barrier_init(&barrier, TASKS);
    {
        FM_GROUP(g);
        for (unsigned i = 0; i < TASKS; i++)
            fm_group_start(&g, some(i * 77 + 5));
        await fm_group_close(&g);
    }
    await drain(narrow);
    await drain(wide);
    OK(sent == received && count_sent == count_received);
    OK(count_sent > 0);
    OK(fm_try_lock(&mutex) && fm_sem_try(&sem, 4));
    for (int i = 0; i < 2; i++)
        fm_executor_free(loops[i]);
    return 0;
}
