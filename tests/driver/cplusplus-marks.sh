# Marks, faults and C++ exceptions do in C++ what they do in C.
# time: 120
cat >t.cpp <<'END'
#include <fermata.h>
#include <cstdio>
#include <stdexcept>
#include <string>
static int w;
struct noisy {
    int v;
    noisy(int x) : v(x) {}
    ~noisy() { printf("~%d\n", v); }
};
struct large {
    long a[5];
};
static fm_async int leaf(int x)
{
    if (w) fm_await fm_yield();
    return x + 1;
}
static fm_async large more(large b)
{
    fm_await leaf(1);
    b.a[4]++;
    return b;
}
template <class T> fm_async T twice(T x)
{
    noisy n(1);
    int v = fm_await leaf(2);
    return x + x + v;
}
static inline fm_async int fails(int x)
{
    noisy n(x);
    if (w) fm_await fm_yield();
    fm_throw(40 + x, "fails");
}
static fm_async int throws(int x)
{
    noisy n(x);
    throw std::runtime_error("foreign");
}
static fm_async int work()
{
    noisy a(100);
    int v = 0;
    fm_fault *f = fm_await fm_attempt(&v, fails(2));
    printf("%d %d\n", v, fm_fault_code(f));
    FM_TASK(int) t = fm_start(twice<int>(4));
    printf("%d\n", fm_await fm_join(t));
    large b{{1, 2, 3, 4, 5}};
    auto u = fm_start(more(b));
    b = fm_await fm_join(u);
    printf("%ld\n", b.a[4]);
    b = fm_await fm_within(FM_S(1), more(b));
    try {
        v = fm_await throws(7);
    } catch (std::exception &e) {
        printf("caught %s\n", e.what());
    }
    std::string s = "abc" + std::to_string(fm_await leaf(3));
    printf("%s\n", s.c_str());
    fm_try {
        v = fm_await fails(3);
    } fm_catch (f) {
        printf("fault %d\n", fm_fault_code(f));
    }
    return v + (int)b.a[4];
}
int plain()
{
    noisy n(55);
    large b{{1, 2, 3, 4, 5}};
    int out = 0;
    b = fm_wait(more(b));
    return (int)b.a[4] + (fm_attempt_wait(&out, fails(1)) != nullptr);
}
fm_async int main()
{
    for (w = 0; w < 2; w++)
        printf("-> %d\n", fm_await work());
    return 0;
}
END
cat >want <<'END'
~2
0 42
~1
11
6
~7
caught foreign
abc4
~3
fault 43
~100
-> 7
~2
0 42
~1
11
6
~7
caught foreign
abc4
~3
fault 43
~100
-> 7
END
for level in -O0 "-O1 -g" -O2; do
    "${CC%cc}c++" -std=c++11 $level -Wall t.cpp -o t 2>log || {
        cat log
        exit 1
    }
    if [ -s log ]; then echo "not silent: $level"; cat log; exit 1; fi
    ./t >got || exit 1
    diff want got || exit 1
done
