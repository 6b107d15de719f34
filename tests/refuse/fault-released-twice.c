// Releasing the fault of an attempt, which its function frees, is a warning.
#include <fermata.h>
async int one(void);
async int attempts(void)
{
    int n = 0;
    fm_fault *f = await fm_attempt(&n, one()), *g, *h, *mine;
    fm_fault_release(f);
    fm_try {
        n += await one();
    } fm_catch (g) {
        fm_fault_release(g);
    }
    h = await fm_attempt(&n, one());
    if (h)
        fm_fault_retain(h);
    fm_fault_release(h);
    mine = fm_fault_new(1, "mine");
    fm_fault_release(mine);
    return n;
}
int ordinary(void)
{
    int n = 0;
    fm_fault *f = fm_attempt_wait(&n, one());

    if (f)
        fm_fault_release(f);
    return n;
}
async fm_fault *returned(void)
{
    int n = 0;
    fm_fault *f = await fm_attempt(&n, one()), *g;

    fm_try {
        n += await one();
    } fm_catch (g) {
        return g;
    }
    return n ? f : fm_fault_retain(f);
}
async fm_fault *returned_at_once(int kept)
{
    int n = 0;
    fm_fault *f = await fm_attempt(&n, one());

    if (kept)
        return fm_fault_retain(f);
    return await fm_attempt(&n, one());
}
