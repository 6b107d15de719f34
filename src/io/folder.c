/* folder.c: what concerns a path: stat, unlink, rename, mkdir, lists. */
#include <base/memory.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fermata/io.h>
#include <io/descriptor.h>
#include <io/lane.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct path {
    struct fm__errand errand; /* first */
    const char *path, *other;
    void *out;
    int mode;
    int error; /* an errno value */
};

static void
run_stat(struct fm__errand *e)
{
    struct path *p = (struct path *)e;
    p->error = stat(p->path, p->out) ? errno : 0;
}

static void
run_unlink(struct fm__errand *e)
{
    struct path *p = (struct path *)e;
    p->error = unlink(p->path) ? errno : 0;
}

static void
run_rename(struct fm__errand *e)
{
    struct path *p = (struct path *)e;
    p->error = rename(p->path, p->other) ? errno : 0;
}

static void
run_mkdir(struct fm__errand *e)
{
    struct path *p = (struct path *)e;
    p->error = mkdir(p->path, (mode_t)p->mode) ? errno : 0;
}

static void
run_rmdir(struct fm__errand *e)
{
    struct path *p = (struct path *)e;
    p->error = rmdir(p->path) ? errno : 0;
}

static fm_async void
on_lane(struct path p, const char *what)
{
    if (fm_await fm__lane_run(&fm__lane_files, &p.errand) != FM__RAN)
        fm_await fm_raise_cancelled();
    if (p.error)
        fm_abi_throw(p.error, what, NULL, 0, "%s: %s", p.path,
                     strerror(p.error));
}

fm_async void
fm_stat(const char *path, struct stat *out)
{
    struct path p = {.errand.run = run_stat, .path = path, .out = out};
    fm_await on_lane(p, "fm_stat");
}

fm_async void
fm_unlink(const char *path)
{
    struct path p = {.errand.run = run_unlink, .path = path};
    fm_await on_lane(p, "fm_unlink");
}

fm_async void
fm_rename(const char *from, const char *to)
{
    struct path p = {.errand.run = run_rename, .path = from, .other = to};
    fm_await on_lane(p, "fm_rename");
}

fm_async void
fm_mkdir(const char *path, int mode)
{
    struct path p = {.errand.run = run_mkdir, .path = path, .mode = mode};
    fm_await on_lane(p, "fm_mkdir");
}

fm_async void
fm_rmdir(const char *path)
{
    struct path p = {.errand.run = run_rmdir, .path = path};
    fm_await on_lane(p, "fm_rmdir");
}

/* ---- lists ---- */

struct list {
    struct fm__errand errand; /* first */
    const char *path;
    fm_entry *entries; /* malloced, the names behind them */
    size_t n;
    int error;
};

/* Grows while the folder is read: names by their place, as they move. */
struct names {
    struct {
        size_t at;
        unsigned type;
    } *entry;
    size_t n, entries;
    char *text;
    size_t used, room;
};

static bool
grow(void **block, size_t *room, size_t needed, size_t each)
{
    if (needed <= *room)
        return true;
    size_t more = *room ? *room * 2 : 64;
    while (more < needed)
        more *= 2;
    void *grown = fm__sys_realloc(*block, more * each);
    if (!grown)
        return false;
    *block = grown;
    *room = more;
    return true;
}

/* Some file systems do not say what an entry is. */
static unsigned
type_of(DIR *dir, const struct dirent *e)
{
    struct stat st;
    if (e->d_type != DT_UNKNOWN ||
        fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
        return e->d_type;
    return IFTODT(st.st_mode);
}

static bool
add(struct names *names, const char *name, unsigned type)
{
    size_t bytes = strlen(name) + 1;
    if (!grow((void **)&names->entry, &names->entries, names->n + 1,
              sizeof *names->entry) ||
        !grow((void **)&names->text, &names->room, names->used + bytes, 1))
        return false;
    names->entry[names->n].at = names->used;
    names->entry[names->n++].type = type;
    memcpy(names->text + names->used, name, bytes);
    names->used += bytes;
    return true;
}

static int
read_all(DIR *dir, struct names *names)
{
    struct dirent *e;
    while (errno = 0, (e = readdir(dir)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
            !add(names, e->d_name, type_of(dir, e)))
            return ENOMEM;
    return errno;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const fm_entry *)a)->name, ((const fm_entry *)b)->name);
}

/* One block: the entries, one without a name behind them, the names. */
static fm_entry *
pack(const struct names *names)
{
    size_t head = (names->n + 1) * sizeof(fm_entry);
    fm_entry *list = fm__sys_alloc(head + names->used);
    if (!list)
        return NULL;
    char *text = (char *)list + head;
    if (names->used)
        memcpy(text, names->text, names->used);
    for (size_t i = 0; i < names->n; i++)
        list[i] = (fm_entry){text + names->entry[i].at, names->entry[i].type};
    list[names->n] = (fm_entry){NULL, DT_UNKNOWN};
    if (names->n)
        qsort(list, names->n, sizeof *list, by_name);
    return list;
}

static void
run_list(struct fm__errand *e)
{
    struct list *l = (struct list *)e;
    struct names names = {0};
    DIR *dir = opendir(l->path);
    l->error = dir ? read_all(dir, &names) : errno;
    if (!l->error) {
        l->n = names.n;
        l->entries = pack(&names);
        l->error = l->entries ? 0 : ENOMEM;
    }
    if (dir)
        closedir(dir);
    fm__sys_free(names.entry);
    fm__sys_free(names.text);
}

fm_async size_t
fm_dir_list(const char *path, fm_entry **list)
{
    struct list l = {.errand.run = run_list, .path = path};
    if (fm_await fm__lane_run(&fm__lane_files, &l.errand) != FM__RAN)
        fm_await fm_raise_cancelled();
    if (l.error)
        fm_abi_throw(l.error, "fm_dir_list", NULL, 0, "%s: %s", path,
                     strerror(l.error));
    *list = l.entries;
    return l.n;
}

void
fm_dir_free(fm_entry *list)
{
    fm__sys_free(list);
}
