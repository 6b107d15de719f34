/* What a busy worker's tasks sleep and wait for comes all the same: an idle
 * one sees to it. */
// threads
#include <fermata.h>
#include <fermata/io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static atomic_int over;

/* Begins beside another on the same worker, sleeps there. */
async void
nap(void)
{
    for (int i = 0; i < 3; i++)
        await fm_sleep(FM_MS(3));
    atomic_fetch_add(&over, 1);
}

async void
hear(fm_stream *s)
{
    char c;
    await fm_read(s, &c, 1);
    atomic_fetch_add(&over, 1);
}

async bool
hog(fm_stream *s, int other)
{
    FM_TASK(void) a = fm_start(nap());
    FM_TASK(void) b = fm_start(hear(s));
    FM_TASK(void) c = fm_start(hear(s));
    int64_t end = fm_now() + FM_S(20);

    if (write(other, "xx", 2) != 2)
        return false;
    while (atomic_load(&over) < 3 && fm_now() < end)
        continue; /* no await: this worker looks at nothing */
    await fm_join(a);
    await fm_join(b);
    await fm_join(c);
    return fm_now() < end;
}

/* Several workers, however many cores there are. */
__attribute__((constructor)) static void
size_of_pool(void)
{
    setenv("FERMATA_POOL", "3", 0);
}

async int
main(void)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 1;
    fm_stream *s = fm_stream_open(pair[0]);
    printf("%d\n", await fm_join(fm_start_on(fm_pool(), hog(s, pair[1]))));
    fm_close(s);
    close(pair[1]);
    return 0;
}
