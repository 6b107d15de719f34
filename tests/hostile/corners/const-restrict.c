#include "corner.h"
static async const int
ci(const int *restrict a, int *restrict b, const char s[static 3])
{
    *b = *a;
    SUSPEND();
    return *a + s[1];
}
static const int tab[4] = {1, 2, 3, 4};
async int
main(void)
{
    const int k = await val(4);
    int b;
    const char *const s = "xyz";
    enum { A, B = 7 } e = (await val(1)) ? B : A;
    const struct {
        const int a;
        const char *p;
    } st = {await val(k), &s[await val(1)]};
    printf("%d %d %d %d %s %d\n", await ci(&k, &b, s), b, e, st.a, st.p,
           tab[await val(2)]);
    return 0;
}
