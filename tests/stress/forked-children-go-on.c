// A child of fork goes on as the parent does.
// flags: -ffermata-stress=11,1 -w
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int add(int a, int b) { return a + b; }
static int fall(int n) { return n ? add(fall(n - 1), n) : 0; }

static int child(int n)
{
    int status, turns = 0;
    pid_t pid = fork();

    while (turns < 2000)
        turns = add(turns, 1);

    if (pid == 0)
        exit(n ? add(child(n - 1), 1) : fall(4));
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(void)
{
    int status;
    pid_t pid = vfork();

    if (pid == 0)
        _exit(9);
    waitpid(pid, &status, 0);
    printf("%d %d\n", WEXITSTATUS(status), child(3));
    return 0;
}
