// -Rpass-missed=fermata tells at each function that stays plain why it does.
// flags: -ffermata-stress -Rpass-missed=fermata
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

static jmp_buf place;
static sigjmp_buf place_of_signals;
static ucontext_t here, there;
static volatile int hit;

static int
note(int n)
{
    return hit = n;
}
static void
on_signal(int sig)
{
    note(sig);
}
static void
on_more(int sig, siginfo_t *more, void *context)
{
    hit = sig;
}
int
sum(int n, ...)
{
    return n;
}
int
jumper(void)
{
    return setjmp(place);
}
int
jumper_of_signals(void)
{
    return sigsetjmp(place_of_signals, 1);
}
int
forks(void)
{
    return vfork();
}
void
jumps(void)
{
    longjmp(place, 1);
}
void
switches(void)
{
    swapcontext(&here, &there);
}
void *
frame(void)
{
    return __builtin_frame_address(0);
}
void *
returns_to(void)
{
    return __builtin_return_address(0);
}
__attribute__((weak)) int
weak(void)
{
    return 1;
}
__attribute__((constructor)) static void
before(void)
{
    hit = 1;
}
__attribute__((destructor)) static void
after(void)
{
    hit = 1;
}
__attribute__((naked)) void
naked(void)
{
    __asm__("ret");
}
__attribute__((preserve_all)) void
keeps_registers(void)
{
    hit = 2;
}
int
go(int n)
{
    static void *const to[] = {&&one, &&two};
    goto *to[n];
one:
    return 1;
two:
    return 2;
}
static void
clean(void *at)
{
    hit = 3;
}
void
cleans(void)
{
    pthread_cleanup_push(clean, NULL);
    pthread_cleanup_pop(1);
}
int
jumps_on(int n)
{
    __attribute__((musttail)) return note(n);
}
static int
one(void)
{
    return 1;
}
static int (*
resolve(void))(void)
{
    return one;
}
int chosen(void) __attribute__((ifunc("resolve")));
int
converted(int n)
{
    return n ? converted(n - 1) : note(n);
}
int
main(void)
{
    struct sigaction action = {.sa_sigaction = on_more};

    signal(SIGUSR1, on_signal);
    sigaction(SIGUSR2, &action, NULL);
    return converted(3);
}
