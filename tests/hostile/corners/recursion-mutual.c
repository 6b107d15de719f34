#include "corner.h"
static async int even(int);
static async int
odd(int n)
{
    return n ? await even(n - 1) : 0;
}
static async int
even(int n)
{
    if (n % 50 == 0)
        SUSPEND();
    return n ? await odd(n - 1) : 1;
}
static async int
ack(int m, int n)
{
    if (!m)
        return n + 1;
    if (!n) {
        if (W)
            SUSPEND();
        return await ack(m - 1, 1);
    }
    return await ack(m - 1, await ack(m, n - 1));
}
static async void
hanoi(int n, char a, char b, char c, int *moves)
{
    if (!n)
        return;
    await hanoi(n - 1, a, c, b, moves);
    *moves += await val(1);
    await hanoi(n - 1, c, b, a, moves);
}
async int
main(void)
{
    int m = 0;
    await hanoi(8, 'a', 'b', 'c', &m);
    printf("%d %d %d %d\n", await even(1000), await odd(777), await ack(2, 5),
           m);
    return 0;
}
