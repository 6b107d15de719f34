# In C++ every form of the header compiles and does what it does in C.
# time: 120
cat >t.cpp <<'END'
#include <fermata.h>
#include <fermata/io.h>
#include <cstdio>
struct big { int a[20]; };
static fm_async int f(int x) { fm_await fm_yield(); return x; }
static fm_async int g(int x) { return x; }
static fm_async void v() { fm_await fm_yield(); }
static fm_async big b(int x) { fm_await fm_yield(); return big{{x}}; }
static fm_local key = {"k"};
static fm_async int thr(int c) { fm_await fm_yield(); fm_throw(c, "no %d", c); }
static fm_async int scoped(fm_token *k) {
    fm_with_token(k); fm_with_timeout(FM_S(1)); fm_with_shield(); fm_with_local(&key, (void *)5);
    FM_DEFER { printf("deferred\n"); }
    fm_await fm_yield();
    return (int)(long)fm_local_get(&key);
}
static fm_async int all() {
    FM_TASK(int) t = fm_start(f(4));
    FM_TASK(int) t2 = fm_retain(t);
    printf("%d %d\n", fm_await fm_get(t), fm_await fm_get(t2));
    fm_release(t2);
    fm_task_name(t, "x");
    printf("%d\n", (int)fm_status(t));
    fm_cancel(t);
    printf("%d\n", fm_await fm_join(t));
    FM_VALUE(int) val = fm_value(g(6));
    printf("%d\n", fm_await fm_take(&val));
    val = fm_value(f(6));
    FM_TASK(int) vt = fm_value_task(&val);
    printf("%d\n", fm_await fm_join(vt));
    FM_VALUE(big) bv = fm_value(b(6));
    printf("%d\n", (fm_await fm_take(&bv)).a[0]);
    int out = -1;
    FM_TASK(int) bt = fm_begin(&out, g(8));
    printf("%d %d\n", bt == nullptr, out);
    FM_TASK(void) bvv = fm_begin(NULL, v());
    fm_await fm_join(bvv);
    bvv = fm_begin(nullptr, v());
    fm_await fm_join(bvv);
    fm_fault *x = fm_await fm_attempt(&out, thr(5));
    printf("%s\n", fm_fault_message(x));
    x = fm_await fm_attempt(NULL, v());
    x = fm_await fm_attempt(nullptr, v());
    x = fm_await fm_attempt(&out, fm_get(fm_completed(int, 3)));
    FM_SOURCE(int) s = fm_source_new(int);
    FM_TASK(int) st = fm_source_task(s);
    fm_source_set(s, 5);
    printf("%d\n", fm_await fm_join(st));
    fm_source_release(fm_source_retain(s)); fm_source_release(s);
    FM_SOURCE(void) sv = fm_source_new_queued(void);
    fm_source_set_void(sv);
    FM_TASK(void) svt = fm_source_task(sv);
    fm_await fm_join(svt); fm_source_release(sv);
    FM_SOURCE(big) sb = fm_source_new(big);
    FM_TASK(big) sbt = fm_source_task(sb);
    fm_source_set(sb, big{{4}});
    printf("%d\n", (fm_await fm_join(sbt)).a[0]);
    fm_source_cancel(sb); fm_source_release(sb);
    FM_AUTO FM_TASK(big) cb = fm_completed(big, {{3}});
    printf("%d\n", (fm_await fm_get(cb)).a[0]);
    FM_AUTO FM_TASK(void) cv = fm_completed_void();
    fm_await fm_get(cv);
    FM_TASK(int) ts[3] = {fm_start(f(1)), fm_start(f(2)), fm_start_on(fm_executor_self(), g(3))};
    fm_await fm_all(ts, 3);
    printf("any %zu\n", fm_await fm_any(ts, 3));
    fm_await fm_all_of(ts[0], cb, cv);
    printf("any %zu\n", fm_await fm_any_of(cb, ts[1]));
    for (auto t : ts) fm_release(t);
    fm_detach(f(3)); fm_detach(v());
    printf("%d\n", fm_await fm_within(FM_S(1), f(3)));
    printf("%d\n", fm_await fm_anywhere(f(3)));
    fm_cancel_source *cs = fm_cancel_source_new();
    printf("%d\n", fm_await scoped(fm_cancel_source_token(cs)));
    fm_cancel_source_release(cs);
    fm_fault *e;
    fm_try { fm_await thr(3); } fm_catch (e) { printf("%s\n", fm_fault_message(e)); }
    return 0;
}
int main() {
    FM_TASK(int) t = fm_start(all());
    int r = fm_wait_task_for(t, FM_S(5));
    r += fm_wait_task(t);
    r += fm_wait(f(0));
    fm_release(t);
    fm_fault *x = fm_attempt_wait(nullptr, v());
    int out;
    x = fm_attempt_wait(&out, thr(7));
    printf("%s\n", fm_fault_message(x));
    return r;
}
END
cat >out <<'END'
4 4
1
4
6
6
6
1 8
no 5
5
4
3
any 0
any 0
3
3
deferred
5
no 3
no 7
END
for standard in c++17 c++20; do
    for level in -O0 -O2; do
        "$TOP"/build/bin/fermata-c++ -std=$standard $level -Wall -Wextra \
            -Wpedantic -Werror t.cpp -o t || exit 1
        ./t >got || exit 1
        diff out got || exit 1
    done
done
