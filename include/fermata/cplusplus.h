/* cplusplus.h: what fermata.h writes otherwise in C++, which has neither
 * compound literals of arrays nor _Generic. Included by fermata.h alone. */
#ifndef FERMATA_CPLUSPLUS_H
#define FERMATA_CPLUSPLUS_H
#pragma clang system_header

/* A null pointer as an out parameter: nullptr, and NULL, which is a long. */
template <class out> struct fm__null {
    static constexpr bool is = __is_same(out, decltype(nullptr)) ||
                               __is_same(out, decltype(__null));
};

template <class out, class result> struct fm__out {
    static constexpr bool right =
        __is_same(out, result *) || fm__null<out>::is;
};
template <class out> struct fm__out<out, void> {
    static constexpr bool right = fm__null<out>::is;
};
/* Structs: the body of a function would not be looked at in a sizeof. */
template <class out, class result> struct fm__out_check {
    static_assert(fm__out<out, result>::right,
                  "the out parameter must point to what the call returns "
                  "(nullptr for one that returns void, or to drop "
                  "the result)");
};
#define FM__OUT(out, call)                                                   \
    sizeof(fm__out_check<__typeof__(out), __typeof__(call)>)

template <bool condition> struct fm__check {
    static_assert(condition, "fm_source_set_void of a source with a value: "
                             "use fm_source_set(s, value)");
};
#define FM__CHECK(condition, sentence) sizeof(fm__check<(condition)>)

template <class T> struct fm__size {
    static constexpr size_t of = sizeof(T);
};
template <> struct fm__size<void> {
    static constexpr size_t of = 0;
};
#define FM__SIZEOF(T) (fm__size<__typeof__(T)>::of)
#define FM__IS_VOID(T) __is_same(T, void)

template <class out> struct fm__room {
    static constexpr size_t bytes = 1;
};
template <class T> struct fm__room<T *> {
    static constexpr size_t bytes = sizeof(T);
};
template <> struct fm__room<void *> {
    static constexpr size_t bytes = 1;
};
#define FM__BYTES(out) (fm__room<__typeof__(out)>::bytes)

/* Lives to the end of the full expression. */
template <class T> struct fm__box {
    static_assert(__is_trivially_copyable(T),
                  "a task's result is copied as bytes: hand over a pointer");
    T value[1];
};
#define FM__BOX(T, ...) ((const void *)fm__box<T>{{__VA_ARGS__}}.value)

template <class T> using fm__takes = FM_ABI_CONV T (*)(void *,
                                                      fm__value_tag *);
template <class T> using fm__waits = T (*)(fm_task *);
template <class T> using fm__waits_for = T (*)(fm_task *, int64_t);
#define FM__TAKES(T) fm__takes<T>
#define FM__WAITS(T) fm__waits<T>
#define FM__WAITS_FOR(T) fm__waits_for<T>

struct fm__tasks {
    fm_task *of[8];
};
#define FM__TASKS_OF(...)                                                    \
    ((fm_task *const *)fm__tasks{{FM__EACH(__VA_ARGS__)}}.of)

#endif
