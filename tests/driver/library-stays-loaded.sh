#!/bin/sh
# A task whose code lies in a library that was closed meanwhile goes on: the
# library stays loaded.
cat >plugin.c <<'END'
#include <fermata.h>
#include <fermata/io.h>
static async int slow(int x)
{
    await fm_sleep(FM_MS(50));
    return 2 * x;
}
FM_TASK(int) begin(int x)
{
    return fm_start(slow(x));
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>

#include <fermata.h>
#include <fermata/io.h>
async int main(void)
{
    await fm_sleep(1); /* the plugin takes it from here */
    void *h = dlopen("./plugin.so", RTLD_NOW);
    if (!h)
        return puts(dlerror()), 1;
    FM_TASK(int) (*begin)(int) =
        (FM_TASK(int) (*)(int))dlsym(h, "begin");
    FM_TASK(int) t = begin(21);
    dlclose(h);
    printf("%d\n", await fm_join(t));
    return 0;
}
END
$CC -O1 -fPIC -shared plugin.c -o plugin.so && $CC -w -O1 host.c -o host ||
    exit 1
timeout 10 ./host >got || { cat got; exit 1; }
[ "$(cat got)" = 42 ]
