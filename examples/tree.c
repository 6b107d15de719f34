/* tree.c [FOLDER]: counts lines, words and bytes of all files below a folder,
 * all at once on all cores, as wc does. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <fermata.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
typedef struct path {
    char text[1024];
} path;
static atomic_long lines, words, bytes;
static fm_sem room; /* for open files */

async void count_file(path p)
{
    unsigned char buf[16384];
    long l = 0, w = 0, at = 0, in_word = 0;
    await fm_sem_wait(&room, 1);
    FM_DEFER fm_sem_post(&room, 1);
    fm_file *f = await fm_file_open(p.text, O_RDONLY, 0);
    FM_DEFER await fm_file_close(f);
    for (size_t n; (n = await fm_file_read(f, buf, 16384, at)) > 0; at += n)
        for (size_t i = 0; i < n; i++) {
            l += buf[i] == '\n';
            w += isgraph(buf[i]) && !in_word;
            in_word = isgraph(buf[i]) || (in_word && !isspace(buf[i]));
        }
    lines += l, words += w, bytes += at;
}

async void count_folder(path p)
{
    fm_entry *list;
    size_t n = await fm_dir_list(p.text, &list);
    FM_DEFER fm_dir_free(list);
    FM_GROUP(g);
    for (path below; n-- > 0;) {
        snprintf(below.text, sizeof below.text, "%s/%s", p.text, list[n].name);
        if (list[n].type == DT_DIR)
            fm_group_start(&g, count_folder(below)); /* gets a copy */
        else if (list[n].type == DT_REG)
            fm_group_start(&g, count_file(below));
    }
    await fm_group_close(&g);
}

async int main(int argc, char **argv)
{
    if (argc > 1 && chdir(argv[1]))
        return 1;
    fm_sem_init(&room, 64);
    await fm_switch(fm_pool());
    await count_folder((path){"."});
    printf("%ld lines, %ld words, %ld bytes\n", lines, words, bytes);
    return 0;
}
