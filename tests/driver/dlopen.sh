#!/bin/sh
# A program that has no part in Fermata opens a plugin that has, and closes it.
cat >plugin.c <<'END'
#include <fermata.h>
#include <fermata/io.h>
static async int twice(int x)
{
    await fm_sleep(1000);
    return 2 * x;
}
__attribute__((visibility("default"))) int entry(int x)
{
    return fm_wait(twice(x));
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void *use(void *arg)
{
    void *h = dlopen("./plugin.so", RTLD_NOW);
    int (*entry)(int) = h ? (int (*)(int))dlsym(h, "entry") : NULL;
    if (!entry)
        return puts(dlerror()), NULL;
    printf("%d\n", entry(21));
    dlclose(h);
    return arg;
}
int main(void)
{
    pthread_t thread; /* its end comes after the close */
    void *ended;
    pthread_create(&thread, NULL, use, &thread);
    pthread_join(thread, &ended);
    return !ended || !use(&thread);
}
END
clang-19 -w host.c -o host -lpthread || exit 1
printf '42\n42\n' >want
lib=$(dirname "$CC")/../lib
$CC -O1 -fPIC -shared -shared-libfermata plugin.c -o plugin.so \
    -Wl,-rpath,"$lib" || exit 1
timeout 10 ./host >got || { cat got; exit 1; }
cmp want got || exit 1
