// Inline assembly before, after and with goto keeps its operands.
// plain
#include <fermata.h>
#include <stdio.h>

static async long val(long v) { await fm_yield(); return v; }

static async long
operands(long a)
{
    long b, c = 5, mem[3] = {1, 2, 3};
    __asm__("lea 3(%1), %0" : "=r"(b) : "r"(a));
    await fm_yield();
    __asm__ volatile("addq %1, %0" : "+m"(mem[1]) : "r"(b) : "cc");
    __asm__ volatile("xchgq %0, %1" : "+r"(c), "+r"(b));
    await fm_yield();
    __asm__ volatile("" : "+m"(mem), "+r"(c) : : "memory");
    return mem[1] * 10000 + b * 100 + c + await val(1);
}
static async long
jumping(long a)
{
    await fm_yield();
    __asm__ goto("testq %0, %0; jz %l1" : : "r"(a) : "cc" : zero);
    a += await val(100);
    return a;
zero:
    a -= await val(7);
    return a;
}
static async long
tied(long a)
{
    register long fixed __asm__("r12") = a;
    __asm__ volatile("" : "+r"(fixed));
    long copy = fixed;
    await fm_yield();
    return copy;
}

async int
main(void)
{
    printf("%ld %ld %ld %ld\n", await operands(7), await jumping(0),
           await jumping(1), await tied(9));
    return 0;
}
