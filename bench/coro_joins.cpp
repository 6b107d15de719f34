// coro_joins.cpp: the peer C++20 coroutines, many tasks on one thread.
//
// A task is started by running it to its first suspension and joined as an
// awaiter of one that runs already. The channel has one place; whoever makes
// it full or empty queues the other side.
#include "coro.hpp"
#include "joins.h"

#include <optional>

#define NOINLINE __attribute__((noinline))

using coro::task;

namespace {

template <class T> struct join {
    task<T> &t;
    bool await_ready() noexcept { return t.done(); }
    void
    await_suspend(std::coroutine_handle<> caller) noexcept
    {
        t.h.promise().awaiter = caller;
    }
    T await_resume() noexcept { return t.value(); }
};

struct channel {
    int value = 0;
    bool full = false;
    std::coroutine_handle<> sender, receiver;

    static void
    wake(std::coroutine_handle<> &who)
    {
        if (who)
            coro::ready.push(std::exchange(who, nullptr));
    }

    struct send_awaiter {
        channel &c;
        int value;
        bool await_ready() noexcept { return !c.full; }
        void
        await_suspend(std::coroutine_handle<> h) noexcept
        {
            c.sender = h;
        }
        void
        await_resume() noexcept
        {
            c.value = value;
            c.full = true;
            wake(c.receiver);
        }
    };
    send_awaiter send(int v) { return {*this, v}; }

    struct receive_awaiter {
        channel &c;
        bool await_ready() noexcept { return c.full; }
        void
        await_suspend(std::coroutine_handle<> h) noexcept
        {
            c.receiver = h;
        }
        int
        await_resume() noexcept
        {
            c.full = false;
            wake(c.sender);
            return c.value;
        }
    };
    receive_awaiter receive() { return {*this}; }
};

NOINLINE task<int>
at_once(int v)
{
    co_return v + 1;
}

NOINLINE task<int>
yields(int v)
{
    co_await coro::yield();
    co_return v + 1;
}

task<uint64_t>
batches(uint64_t n, task<int> (*make)(int))
{
    std::optional<task<int>> tasks[BATCH];
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n * BATCH; i += BATCH) {
        for (uint64_t k = 0; k < BATCH; k++) {
            tasks[k].emplace(make(input(i + k)));
            tasks[k]->run();
        }
        for (uint64_t k = 0; k < BATCH; k++) {
            sum += (uint64_t)co_await join<int>{*tasks[k]};
            tasks[k].reset();
        }
    }
    co_return sum;
}

task<int>
answer(uint64_t n, channel &ping, channel &pong)
{
    for (uint64_t i = 0; i < n; i++)
        co_await pong.send(co_await ping.receive() + 1);
    co_return 0;
}

task<uint64_t>
ask(uint64_t n)
{
    channel ping, pong;
    task<int> other = answer(n, ping, pong);
    uint64_t sum = 0;

    other.run();
    for (uint64_t i = 0; i < n; i++) {
        co_await ping.send(input(i));
        sum += (uint64_t)co_await pong.receive();
    }
    co_await join<int>{other};
    co_return sum;
}

} // namespace

uint64_t
joins_once(uint64_t n)
{
    return coro::wait(batches(n, at_once));
}

uint64_t
joins_yield(uint64_t n)
{
    return coro::wait(batches(n, yields));
}

uint64_t
joins_ping(uint64_t n)
{
    return coro::wait(ask(n));
}
