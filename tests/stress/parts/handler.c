#include <signal.h>
extern volatile sig_atomic_t hits;
void
on_signal(int sig)
{
    hits += sig == SIGUSR1;
}
