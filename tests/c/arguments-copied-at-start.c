// Arguments of a started call, structs included, are copied at the start.
#include <fermata.h>
#include <stdio.h>
#include <string.h>

struct small { int a; };
struct pair { long a, b; };
struct big { char text[100]; };
struct aligned { _Alignas(64) int a; };

static async int
takes(struct small s, struct pair p, struct big b, struct aligned al, int n)
{
    await fm_yield();
    printf("%d %ld %ld %s %d %d\n", s.a, p.a, p.b, b.text, al.a, n);
    return n;
}

async int
main(void)
{
    FM_TASK(int) t[3];
    struct small s = {0};
    struct pair p = {0, 0};
    struct big b;
    struct aligned al = {0};
    for (int i = 0; i < 3; i++) {
        s.a = i, p.a = i * 2, p.b = i * 3, al.a = i * 4;
        snprintf(b.text, sizeof(b.text), "text %d", i);
        t[i] = fm_start(takes(s, p, b, al, i));
    }
    memset(&b, 'x', sizeof(b));
    s.a = p.a = p.b = al.a = 99;
    for (int i = 0; i < 3; i++)
        await fm_join(t[i]);
    FM_TASK(int) on = fm_start_on(fm_executor_self(), takes(s, p,
        (struct big){"literal"}, al, 7));
    s.a = 0;
    await fm_join(on);
    return 0;
}
