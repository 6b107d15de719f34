# FERMATA_DUMP=stress tells which functions stay plain, and why.
cat >x.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
static jmp_buf place;
static volatile int hit;
static int note(int n) { return hit = n; }
static void on_signal(int sig) { note(sig); }
int sum(int n, ...) { return n; }
int jumper(void) { return setjmp(place); }
void jumps(void) { longjmp(place, 1); }
void *frame(void) { return __builtin_frame_address(0); }
__attribute__((weak)) int weak(void) { return 1; }
__attribute__((constructor)) static void before(void) { hit = 1; }
int go(int n)
{
    static void *const to[] = {&&one, &&two};
    goto *to[n];
one:
    return 1;
two:
    return 2;
}
int converted(int n) { return n ? converted(n - 1) : note(n); }
int main(void)
{
    signal(SIGUSR1, on_signal);
    return converted(3);
}
END
FERMATA_DUMP=stress $CC -w -O2 -ffermata-stress x.c -c -o x.o 2>&1 |
    grep '^stress: ' | sort
