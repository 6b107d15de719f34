/* check.h: what must hold in our own code, and how a program of ours ends
 * when it cannot go on. */
#ifndef FM_BASE_CHECK_H
#define FM_BASE_CHECK_H

/* Says one line on standard error and aborts. */
__attribute__((noreturn, cold, format(printf, 1, 2))) void fm__die(
    const char *fmt, ...);

/* Kept in release builds: use where it is cheap. */
#define check(cond)                                                            \
    (__builtin_expect(!!(cond), 1)                                             \
         ? (void)0                                                             \
         : fm__die("internal error: %s does not hold (%s:%d)", #cond,          \
                   __FILE__, __LINE__))

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define FM_PLAIN_MALLOC 1
#endif
#ifdef FM_CHECK
#define FM_PLAIN_MALLOC 1
#endif
#if __has_feature(address_sanitizer)
#define FM_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define FM_TSAN 1
#endif
#if __has_feature(memory_sanitizer)
#define FM_MSAN 1
#endif
#endif

#endif
