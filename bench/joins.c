/* joins.c: many tasks on one thread, in Fermata: s7 starts and joins, s9
 * sends to and fro.
 */
#include "joins.h"

#include <fermata.h>
#include <fermata/sync.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE async int
at_once(int v)
{
    return v + 1;
}

static NOINLINE async int
yields(int v)
{
    await fm_yield();
    return v + 1;
}

static async uint64_t
once_loop(uint64_t n)
{
    FM_TASK(int) tasks[BATCH];
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n * BATCH; i += BATCH) {
        for (uint64_t k = 0; k < BATCH; k++)
            tasks[k] = fm_start(at_once(input(i + k)));
        for (uint64_t k = 0; k < BATCH; k++)
            sum += (uint64_t)await fm_join(tasks[k]);
    }
    return sum;
}

static async uint64_t
yield_loop(uint64_t n)
{
    FM_TASK(int) tasks[BATCH];
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n * BATCH; i += BATCH) {
        for (uint64_t k = 0; k < BATCH; k++)
            tasks[k] = fm_start(yields(input(i + k)));
        for (uint64_t k = 0; k < BATCH; k++)
            sum += (uint64_t)await fm_join(tasks[k]);
    }
    return sum;
}

uint64_t
joins_once(uint64_t n)
{
    return fm_wait(once_loop(n));
}

uint64_t
joins_yield(uint64_t n)
{
    return fm_wait(yield_loop(n));
}

static async void
answer(FM_CHANNEL(int) ping, FM_CHANNEL(int) pong)
{
    int v;

    while (await fm_receive(ping, &v))
        await fm_send(pong, v + 1);
}

static async uint64_t
ask(uint64_t n)
{
    FM_CHANNEL(int) ping = fm_channel_new(int, 1);
    FM_CHANNEL(int) pong = fm_channel_new(int, 1);
    FM_TASK(void) other = fm_start(answer(ping, pong));
    uint64_t sum = 0;
    int v = 0;

    for (uint64_t i = 0; i < n; i++) {
        await fm_send(ping, input(i));
        await fm_receive(pong, &v);
        sum += (uint64_t)v;
    }
    fm_channel_close(ping);
    await fm_join(other);
    fm_channel_release(ping);
    fm_channel_release(pong);
    return sum;
}

uint64_t
joins_ping(uint64_t n)
{
    return fm_wait(ask(n));
}
