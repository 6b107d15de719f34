// An async main that ends without return exits with 0, after awaiting.
#include <fermata.h>
#include <stdio.h>

static async void greet(void)
{
    await fm_yield();
    printf("hello\n");
}

async int main(void)
{
    await greet();
}
