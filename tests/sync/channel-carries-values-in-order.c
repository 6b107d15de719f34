// A channel hands values on in order, with and without room, until its end.
// smoke
#include <errno.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdio.h>
#include <string.h>

struct big {
    char text[200];
    int number;
};

async void count_to(FM_CHANNEL(int) c, int n)
{
    for (int i = 1; i <= n; i++)
        await fm_send(c, i);
    fm_channel_close(c);
}

async long sum(FM_CHANNEL(int) c)
{
    long total = 0;
    int last = 0, value;
    while (await fm_receive(c, &value)) {
        if (value != last + 1)
            printf("%d after %d\n", value, last);
        last = value;
        total += value;
    }
    return total;
}

async void talk(size_t room)
{
    FM_CHANNEL(int) c = fm_channel_new(int, room);
    FM_DEFER fm_channel_release(c);
    FM_TASK(void) counter = fm_start(count_to(c, 1000));
    printf("room %zu: %ld\n", room, await sum(c));
    await fm_join(counter);
    fm_fault *f = await fm_attempt(NULL, fm_send(c, 7));
    printf("closed: %d, %d\n", f && fm_fault_code(f) == EPIPE,
           fm_try_send(c, 7));
}

async void send_big(FM_CHANNEL(struct big) c, int n)
{
    struct big b = {.number = n};
    snprintf(b.text, sizeof b.text, "this is number %d", n);
    await fm_send(c, b);
}

static FM_TASK(void) send_from_a_block(FM_CHANNEL(struct big) c)
{
    return fm_start(fm_send(c, {"from a block", 4}));
}

async void large_values(void)
{
    FM_CHANNEL(struct big) c = fm_channel_new(struct big, 1);
    struct big b;
    FM_TASK(void) t[3];
    for (int i = 0; i < 3; i++)
        t[i] = fm_start(send_big(c, i + 1));
    FM_TASK(void) last = send_from_a_block(c);
    char other[400]; /* where the block was */
    memset(other, 'x', sizeof other);
    for (int i = 0; i < 4; i++) {
        await fm_receive(c, &b);
        printf("%s, %d%c\n", b.text, b.number, other[399]);
    }
    for (int i = 0; i < 3; i++)
        await fm_join(t[i]);
    await fm_join(last);
    fm_channel_release(c);
}

async void closed_while_they_wait(void)
{
    FM_CHANNEL(char *) c = fm_channel_new(char *, 1);
    char *text = "nothing";
    FM_TASK(bool) reader = fm_start(fm_receive(c, &text));
    await fm_yield();
    fm_channel_close(c);
    printf("%d %s\n", await fm_join(reader), text);
    fm_channel_release(c);
    c = fm_channel_new(char *, 1);
    await fm_send(c, "kept");
    FM_TASK(void) writer = fm_start(fm_send(c, "lost"));
    fm_channel_close(c);
    fm_channel_close(c);
    fm_fault *f = await fm_attempt(NULL, fm_join(writer));
    printf("writer %d\n", f ? fm_fault_code(f) == EPIPE : -1);
    printf("%d ", await fm_receive(c, &text));
    printf("%s ", text);
    printf("%d\n", await fm_receive(c, &text));
    fm_channel_release(c);
    fm_channel_release((FM_CHANNEL(int))NULL);
}

async int main(void)
{
    await talk(0);
    await talk(1);
    await talk(100);
    await large_values();
    await closed_while_they_wait();
    printf("%d\n", fm_abi_channel_new(SIZE_MAX / 2, 3) == NULL);
    return 0;
}
