// arr[i] += k across 20,000 suspensions adds to the right element.
// plain
// id: L10
#include <fermata.h>
#include <stdio.h>

static long shared[8];

static async void
add(long *arr, int i, long k)
{
    arr[i & 7] += k;
    await fm_yield();
    arr[i & 7] += 1;
}

static async long
count(int n)
{
    long arr[8] = {0};
    for (int i = 0; i < n; i++) {
        arr[i & 7] += i;
        await fm_yield();
        shared[i & 7] += arr[i & 7];
    }
    return arr[0] + arr[1] + arr[2] + arr[3] + arr[4] + arr[5] + arr[6] +
           arr[7];
}

async int
main(void)
{
    long arr[8] = {0}, sum = 0;
    printf("%ld\n", await count(20000));
    for (int i = 0; i < 100; i++)
        await add(arr, i, i);
    for (int i = 0; i < 8; i++)
        sum = sum * 3 + arr[i];
    printf("%ld %ld\n", sum, shared[3]);
    return 0;
}
