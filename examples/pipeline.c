/* pipeline.c: words go through three stages, each a task of its own. */
#include <fermata.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <ctype.h>
#include <stdio.h>

struct word {
    char text[24];
    int letters;
};
typedef FM_CHANNEL(struct word) words;

async void split(const char *line, words out)
{
    struct word w = {0};
    for (; *line; line++) {
        if (isalpha((unsigned char)*line)) {
            if (w.letters < 23)
                w.text[w.letters++] = *line;
        } else if (w.letters) {
            await fm_send(out, w); /* waits while the next one is behind */
            w = (struct word){0};
        }
    }
    fm_channel_close(out);
}

/* Several of these share the work; the last to end closes what they fill. */
async void shout(words in, words out, int *left)
{
    struct word w;
    while (await fm_receive(in, &w)) {
        for (int i = 0; i < w.letters; i++)
            w.text[i] = (char)toupper((unsigned char)w.text[i]);
        await fm_sleep(FM_US(100)); /* as if it were hard */
        await fm_send(out, w);
    }
    if (!--*left)
        fm_channel_close(out);
}

async int main(void)
{
    words plain = fm_channel_new(struct word, 4);
    words loud = fm_channel_new(struct word, 4);
    int left = 3, count = 0, letters = 0;
    struct word w;
    FM_GROUP(stages);
    fm_group_start(&stages, split("One reads, three work, one counts.", plain));
    for (int i = 0; i < 3; i++)
        fm_group_start(&stages, shout(plain, loud, &left));
    for (; await fm_receive(loud, &w); count++)
        letters += w.letters;
    await fm_group_close(&stages);
    printf("%d words, %d letters\n", count, letters);
    fm_channel_release(plain);
    fm_channel_release(loud);
    return 0;
}
