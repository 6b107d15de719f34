// A job's function may lie at any address: -Os packs functions.
#include "ok.h"
#include <fermata.h>

static int ran;

__attribute__((used)) static void
count(fm_job *job)
{
    (void)job;
    ran++;
}

#if defined(__x86_64__)
void odd(fm_job *job);
void odder(fm_job *job);
__asm__(".text\n.balign 16\nnop\nodd: jmp count\n"
        ".balign 16\n.byte 0x90, 0x90, 0x90\nodder: jmp count\n");
#else
#define odd count
#define odder count
#endif

int
main(void)
{
    fm_job jobs[2] = {{.run = odd}, {.run = odder}};

    fm_job_run(&jobs[0]);
    fm_job_run(&jobs[1]);
    OK(ran == 2);
    return 0;
}
