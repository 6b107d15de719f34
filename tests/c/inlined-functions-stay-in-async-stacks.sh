# The async stack of what waits for ever names inlined functions too.
cat >p.c <<'END'
#include <fermata.h>

static fm_task *never;

static async int
waits(void)
{
    await fm_get((FM_TASK(void))never);
    return 1;
}
static async int
first(void)
{
    int got = await waits();
    return got + 1;
}
static async int
second(void)
{
    int got = await first();
    return got + 1;
}

async int
main(void)
{
    FM_SOURCE(void) source = fm_source_new(void);
    int got;
    never = fm_task_of(fm_source_task(source));
    got = await second();
    return got;
}
END
for level in -O0 -O1 -O2 -O3 -Os; do
    $CC $level -o p p.c || exit
    ./p 2>&1 | grep ' at ' >is
    grep -q 'waits (p.c:8)' is && [ "$(wc -l <is)" = 4 ] || exit 1
    cmp -s is first || [ $level = -O0 ] || exit 1
    cp is first
done
cat first
