# An async function loaded with dlopen is right while its library is loaded.
set -e
cat >plug.c <<'E'
#include <fermata.h>
async int answer(int v)
{
    for (int i = 0; i < 3; i++) {
        await fm_yield();
        v++;
    }
    return v;
}
async void hidden(void) { await fm_yield(); }
E
echo '{ global: answer.fm*; local: *; };' >plug.map
"$CC" -O2 -fPIC -shared plug.c -Wl,--version-script=plug.map -o libplug.so
cat >main.c <<'E'
#include <fermata.h>
#include <dlfcn.h>
#include <stdio.h>
typedef async int answer_fn(int);
async int main(void)
{
    void *lib = dlopen("./libplug.so", RTLD_NOW);
    answer_fn *answer = (answer_fn *)dlsym(lib, "answer.fm1");
    if (!answer)
        return 2;
    FM_TASK(int) t = fm_start(answer(10));
    printf("%d %d %d\n", await answer(1), await fm_join(t),
           dlsym(lib, "hidden.fm1") == NULL);
    dlclose(lib);
    return 0;
}
E
for level in -O0 -O2; do
    "$CC" $level main.c -ldl -o t
    [ "$(./t)" = "4 13 1" ]
done
