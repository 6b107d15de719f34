// A signal's handler runs at any moment, and what it calls.
// flags: -ffermata-stress=7,1 -w
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks, raised;
static sigjmp_buf place;
static char buffer[64];

static int add(int a, int b) { return a + b; }
static void count(int n) { ticks += n; }
static void tick(int sig) { count(sig == SIGALRM); }
static void jump(int sig) { siglongjmp(place, sig); }
static void tell(int sig, siginfo_t *info, void *context)
{
    raised = add(raised, info->si_signo);
}

static int work(int n)
{
    char *p = malloc((size_t)n % 60 + 1);
    int got = n ? add(n, work(n - 1)) : 0;

    free(p);
    return got;
}

int main(void)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0}};
    struct sigaction sa = {0};
    int rounds = 0, how;

    signal(SIGALRM, tick);
    sa.sa_sigaction = tell;
    sa.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &sa, NULL);
    raise(SIGUSR1);
    raise(SIGUSR1);
    setitimer(ITIMER_REAL, &often, NULL);
    while (ticks < 200 && rounds < 100000) {
        if (work(30) != 465)
            printf("wrong\n");
        rounds = add(rounds, 1);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d %d\n", raised == 2 * SIGUSR1, ticks >= 200 || rounds == 100000);
    signal(SIGUSR2, jump);
    if (!(how = sigsetjmp(place, 1)))
        raise(SIGUSR2);
    printf("%d %d\n", how == SIGUSR2, work(4));
    return 0;
}
