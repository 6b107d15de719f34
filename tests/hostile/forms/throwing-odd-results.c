/* See corner.h. */
#include "corner.h"
static async _Noreturn void
die(int c)
{
    SUSPEND();
    fm_throw(c, "%s %d %Lg", "die", c, 1.5L);
}
static async long double
ldt(int c)
{
    if (c)
        await die(c);
    return 2.5L;
}
static async double _Complex cx(int c)
{
    long double l = await ldt(c);
    return (double)l;
}
async int
main(void)
{
    long double l = 7;
    double _Complex z = 3;
    fm_fault *f = await fm_attempt(&l, ldt(4));
    printf("%s %Lg ", fm_fault_message(f), l);
    f = await fm_attempt(&z, cx(5));
    printf("%s %g ", fm_fault_message(f), __real__ z);
    f = await fm_attempt(&z, cx(0));
    printf("%d %g\n", f == NULL, __real__ z);
    fm_try
        {
            l = await ldt(1) + await ldt(0);
        }
        fm_catch(f)
        {
            printf("%d %Lg\n", fm_fault_code(f), l);
        }
        return 0;
}
