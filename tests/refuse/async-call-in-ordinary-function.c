// An async call in an ordinary function is an error that names the marks.
#include <fermata.h>
async int one(void);
async void other(void);
int ordinary(void)
{
    other();
    fm_detach(other());
    int a = await one() + fm_wait(one());
    return a + (int)sizeof(one()) + fm_within(1, one());
}
int main(void)
{
    return one() + ordinary();
}
