// coro.hpp: the peer "C++20 coroutines", as fast as we could write it.
//
// task<T> starts when it is awaited or when run() is called, and goes on in
// its awaiter by symmetric transfer. With POOL defined, frames come from a
// thread's free lists by size class, else from operator new. Faults travel as
// values; with THROWING defined an exception is passed on at each level.
#ifndef BENCH_CORO_HPP
#define BENCH_CORO_HPP

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <utility>

namespace coro {

#ifdef POOL
struct free_lists {
    static constexpr std::size_t step = 16, classes = 64;
    struct block {
        block *next;
    };
    static inline constinit thread_local block *list[classes] = {};

    static void *
    take(std::size_t n)
    {
        std::size_t c = (n + step - 1) / step;
        if (c >= classes)
            return std::malloc(n);
        block *b = list[c];
        if (!b)
            return std::malloc(c * step);
        list[c] = b->next;
        return b;
    }

    static void
    give(void *p, std::size_t n)
    {
        std::size_t c = (n + step - 1) / step;
        if (c >= classes)
            return std::free(p);
        block *b = static_cast<block *>(p);
        b->next = list[c];
        list[c] = b;
    }
};
#endif

struct promise_base {
    std::coroutine_handle<> awaiter = std::noop_coroutine();
#ifdef THROWING
    std::exception_ptr error;
    void unhandled_exception() { error = std::current_exception(); }
#else
    void unhandled_exception() noexcept { std::terminate(); }
#endif

    std::suspend_always initial_suspend() noexcept { return {}; }

    struct final_awaiter {
        bool await_ready() noexcept { return false; }
        template <class P>
        std::coroutine_handle<>
        await_suspend(std::coroutine_handle<P> h) noexcept
        {
            return h.promise().awaiter;
        }
        void await_resume() noexcept {}
    };
    final_awaiter final_suspend() noexcept { return {}; }

#ifdef POOL
    static void *operator new(std::size_t n) { return free_lists::take(n); }
    static void
    operator delete(void *p, std::size_t n)
    {
        free_lists::give(p, n);
    }
#endif
};

template <class T> struct [[nodiscard]] task {
    struct promise_type : promise_base {
        T value;
        task
        get_return_object() noexcept
        {
            return task(
                std::coroutine_handle<promise_type>::from_promise(*this));
        }
        void return_value(T v) noexcept { value = v; }
    };
    using handle = std::coroutine_handle<promise_type>;
    handle h;

    explicit task(handle coroutine) noexcept : h(coroutine) {}
    task(task &&o) noexcept : h(std::exchange(o.h, nullptr)) {}
    task(const task &) = delete;
    ~task()
    {
        if (h)
            h.destroy();
    }

    struct awaiter {
        handle h;
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<>
        await_suspend(std::coroutine_handle<> caller) noexcept
        {
            h.promise().awaiter = caller;
            return h;
        }
        T
        await_resume()
        {
#ifdef THROWING
            if (h.promise().error)
                std::rethrow_exception(h.promise().error);
#endif
            return h.promise().value;
        }
    };
    awaiter operator co_await() && noexcept { return {h}; }

    // For a root: runs until its end or its first suspension.
    void run() { h.resume(); }
    T value() const { return h.promise().value; }
    bool done() const { return h.done(); }
};

// An event for one waiter, opened once for each wait.
struct gate {
    std::coroutine_handle<> waiter;
    bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) noexcept { waiter = h; }
    void await_resume() noexcept {}
    void open() { std::exchange(waiter, nullptr).resume(); }
};

// The queue of what is ready: a ring, on one thread.
struct run_queue {
    static constexpr unsigned size = 1024;
    std::coroutine_handle<> ring[size];
    unsigned head = 0, tail = 0;

    void push(std::coroutine_handle<> h) { ring[tail++ % size] = h; }
    void
    run()
    {
        while (head != tail)
            ring[head++ % size].resume();
    }
};
inline run_queue ready;

struct yield {
    bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) noexcept { ready.push(h); }
    void await_resume() noexcept {}
};

// Runs a root to its end on this thread.
template <class T>
T
wait(task<T> t)
{
    t.run();
    ready.run();
    return t.value();
}

} // namespace coro
#endif
