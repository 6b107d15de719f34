// A handler of signals that another unit has defined, and converted, is told of
// where it is set; one of this unit is not.
// flags: -ffermata-stress=7,1 -w
// with: parts/handler.c
#include <signal.h>
#include <stdio.h>
#include <string.h>
volatile sig_atomic_t hits;
void on_signal(int sig);

static void
own(int sig)
{
    hits += 2 * (sig == SIGUSR1);
}

static void
set(void (*handler)(int))
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
}

int
main(void)
{
    signal(SIGUSR1, own);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_IGN);
    set(SIG_DFL);
    set(own);
    raise(SIGUSR1);
    set(on_signal); /* told */
    raise(SIGUSR1);
    printf("%d\n", (int)hits);
    return 0;
}
