// A mark around anything but one call of an async function is an error.
#include <fermata.h>
int plain(int x);
async int one(void);
async void marks(void)
{
    int n = 0;
    (void)fm_start(plain(1));
    fm_detach(plain(2));
    await fm_within(FM_MS(1), plain(3));
    (void)await fm_attempt(&n, plain(4));
    (void)fm_start(one() + 1);
    (void)fm_start(await one());
    (void)fm_start((one()));
    (void)fm_start(n);
    (void)fm_start(fm_within(1, one()));
}
