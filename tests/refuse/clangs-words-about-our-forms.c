// What clang finds wrong with a form of ours is told in the user's words.
#include <fermata.h>
static async int f(int x)
{
    return x;
}
static async void v(void)
{
}
struct conn {
    int async;
};
static async int forms(void)
{
    char out;
    fm_fault *e = await fm_attempt(f(3));

    e = await fm_attempt(&out, f(3));
    e = await fm_attempt(0, v());
    fm_try { await v(); } fm_catch (nowhere) { }
    FM_DEFER { out = 1; } FM_DEFER { out = 2; }
    fm_with_timeout(FM_S(1)) { await v(); }
    int await = 3;
    return await fm_within(FM_S(1)) + fm_catch;
}
int later(int x);
async int later(int x)
{
    fm_throw(x);
}
async int main(void)
{
    fm_try {
        await v();
    }
    return 0;
}
