// One function with 2,000 suspension points, and 2,000 functions, are right.
// id: T15
// plain
// time: 60
// only: O0 O2 clang
#include <fermata.h>
#include <stdio.h>

static async unsigned
step(unsigned v)
{
    if (v % 3 == 0)
        await fm_yield();
    return v * 5 + 1;
}
#define S1 v = await step(v);
#define S10 S1 S1 S1 S1 S1 S1 S1 S1 S1 v ^= 3;
#define S100 S10 S10 S10 S10 S10 S10 S10 S10 S10 S10
#define S1000 S100 S100 S100 S100 S100 S100 S100 S100 S100 S100

static async unsigned
straight(unsigned v)
{
    S1000 S1000
    return v;
}

#define F1(n) static async unsigned f##n(unsigned v)                         \
    { v = await step(v + n); return await step(v); }
#define F10(n) F1(n##0) F1(n##1) F1(n##2) F1(n##3) F1(n##4) F1(n##5)         \
    F1(n##6) F1(n##7) F1(n##8) F1(n##9)
#define F100(n) F10(n##0) F10(n##1) F10(n##2) F10(n##3) F10(n##4) F10(n##5)  \
    F10(n##6) F10(n##7) F10(n##8) F10(n##9)
F100(1) F100(2) F100(3) F100(4) F100(5)
#define P10(n) f##n##0, f##n##1, f##n##2, f##n##3, f##n##4, f##n##5,         \
    f##n##6, f##n##7, f##n##8, f##n##9,
#define P100(n) P10(n##0) P10(n##1) P10(n##2) P10(n##3) P10(n##4) P10(n##5)  \
    P10(n##6) P10(n##7) P10(n##8) P10(n##9)
static async unsigned (*const table[])(unsigned) = {
    P100(1) P100(2) P100(3) P100(4) P100(5)
};

async int
main(void)
{
    unsigned v = 1;
    printf("%u\n", await straight(1));
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        v = await table[i](v);
    printf("%u\n", v);
    return 0;
}
