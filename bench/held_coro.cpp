// held_coro.cpp: s8 in C++20 coroutines.
#include "coro.hpp"
#include "held.h"

using coro::task;

static void **arrays[2]; // gates' waiters, tasks' handles

struct slot_gate {
    uint64_t i;
    bool await_ready() noexcept { return false; }
    void
    await_suspend(std::coroutine_handle<> h) noexcept
    {
        arrays[0][i] = h.address();
    }
    void await_resume() noexcept {}
};

LEVEL task<int64_t>
held_leaf(uint64_t i, int64_t v)
{
    HELD_LOCALS(v);
    co_await slot_gate{i};
    co_return a + b + c + d;
}

LEVEL task<int64_t>
held_middle(uint64_t i, int64_t v)
{
    HELD_LOCALS(v);
    int64_t below = co_await held_leaf(i, v + 1);
    co_return a + b + c + d + below;
}

LEVEL task<int64_t>
held_outer(uint64_t i, int64_t v)
{
    HELD_LOCALS(v);
    int64_t below = co_await held_middle(i, v + 1);
    co_return a + b + c + d + below;
}

static void
start(uint64_t i)
{
    task<int64_t> t = held_outer(i, (int64_t)i);
    t.run();
    arrays[1][i] = std::exchange(t.h, nullptr).address();
}

static uint64_t
finish(uint64_t i)
{
    std::coroutine_handle<>::from_address(arrays[0][i]).resume();
    task<int64_t> t(task<int64_t>::handle::from_address(arrays[1][i]));
    return (uint64_t)t.value();
}

int
main(int argc, char **argv)
{
    static const held peer = {start, finish};
    return held_main(argc, argv, &peer, arrays);
}
