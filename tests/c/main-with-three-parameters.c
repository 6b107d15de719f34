// An async main gets argc, argv and envp, and its value is the exit code.
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>

async int main(int argc, char **argv, char **envp)
{
    await fm_yield();
    printf("%d %d %d\n", argc, argv[argc] == NULL, envp[0] == NULL ||
           getenv("PATH") != NULL);
    return 3;
}
