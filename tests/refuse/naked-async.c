// A naked function cannot be async.
#include <fermata.h>
async __attribute__((naked)) int bare(void) { __asm__("ret"); }
