# A large helper called once stays a function, a small one is inlined.
cat >p.c <<'END'
#include <fermata.h>
extern async int next(void);
static int
small(int a)
{
    return a * 3 + 1;
}
static int
large(char *to, const char *line, int bytes)
{
    int at = 0, n = 0;
    while (at < bytes && line[at] != ' ' && at < 31) {
        to[at] = line[at] >= 'a' && line[at] <= 'z' ? line[at] - 32 : line[at];
        at++;
    }
    for (at++; at < bytes; at++) {
        if (line[at] < '0' || line[at] > '9')
            return -1;
        n = n * 10 + line[at] - '0';
    }
    return to[0] == 'G' ? 1 : to[0] == 'P' ? 2 : n;
}
async int
session(char *to, const char *line)
{
    int n = 0, got;
    while ((got = await next()) > 0)
        n += large(to, line, got) + small(got);
    return n;
}
END
for level in -O2 -O3 -Os; do
    $CC $level -c -o p.o p.c || exit
    nm p.o | sed -n 's/.* t //p' | tr '\n' ' '
    echo $level
done
