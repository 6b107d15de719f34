// Files are written, read at offsets, listed, renamed and removed; what goes
// wrong is a fault with the errno value.
// smoke
// threads
#include "../rt/ok.h"
#include <dirent.h>
#include <fcntl.h>
#include <fermata/io.h>
#include <sys/stat.h>
#include <unistd.h>

static char big[300000], back[sizeof big];

async void whole_life(void)
{
    struct stat st;
    fm_file *f = await fm_file_open("d/a", O_RDWR | O_CREAT | O_EXCL, 0600);
    OK(!(fcntl(fm_file_fd(f), F_GETFL) & O_NONBLOCK));
    OK(fcntl(fm_file_fd(f), F_GETFD) & FD_CLOEXEC);
    for (size_t i = 0; i < sizeof big; i++)
        big[i] = (char)(i * 7 >> 3);
    OK(await fm_file_write(f, big, sizeof big, 5) == sizeof big);
    OK(await fm_file_write(f, "start", 5, 0) == 5);
    await fm_file_sync(f);
    OK(await fm_file_read(f, back, sizeof back, 5) == sizeof back);
    OK(!memcmp(big, back, sizeof back));
    OK(await fm_file_read(f, back, 100, (int64_t)sizeof big) == 5);
    OK(await fm_file_read(f, back, 100, 1 << 20) == 0);
    OK(await fm_file_read(f, back, 0, 0) == 0);
    await fm_file_resize(f, 3);
    await fm_file_stat(f, &st);
    OK(st.st_size == 3);
    OK(await fm_file_read(f, back, 100, 0) == 3 && !memcmp(back, "sta", 3));
    await fm_file_close(f);
    await fm_file_close(NULL);
    await fm_rename("d/a", "d/b");
    await fm_stat("d/b", &st);
    OK(st.st_size == 3 && S_ISREG(st.st_mode));
}

async void lists(void)
{
    fm_entry *list;
    await fm_mkdir("d/sub", 0700);
    OK(!symlink("nowhere", "d/link"));
    OK(await fm_dir_list("d", &list) == 3);
    OK(!strcmp(list[0].name, "b") && list[0].type == DT_REG);
    OK(!strcmp(list[1].name, "link") && list[1].type == DT_LNK);
    OK(!strcmp(list[2].name, "sub") && list[2].type == DT_DIR);
    OK(!list[3].name);
    fm_dir_free(list);
    OK(await fm_dir_list("d/sub", &list) == 0 && !list[0].name);
    fm_dir_free(list);
    for (int i = 0; i < 500; i++) {
        char path[64];
        snprintf(path, sizeof path, "d/sub/a-somewhat-longer-name-%03d", i);
        close(open(path, O_CREAT | O_WRONLY, 0600));
    }
    OK(await fm_dir_list("d/sub", &list) == 500);
    OK(!strcmp(list[499].name, "a-somewhat-longer-name-499"));
    for (int i = 0; i < 500; i++) {
        char path[300];
        snprintf(path, sizeof path, "d/sub/%s", list[i].name);
        await fm_unlink(path);
    }
    fm_dir_free(list);
    await fm_rmdir("d/sub");
    await fm_unlink("d/link");
}

async void wrong(void)
{
    fm_file *f = NULL;
    fm_entry *list = NULL;
    size_t n;
    fm_fault *e = await fm_attempt(&f, fm_file_open("none", O_RDONLY, 0));
    OK(e && fm_fault_code(e) == ENOENT && !f);
    OK(!strcmp(fm_fault_message(e), "none: No such file or directory"));
    e = await fm_attempt(&n, fm_dir_list("d/b", &list));
    OK(e && fm_fault_code(e) == ENOTDIR && !list);
    e = await fm_attempt(NULL, fm_rmdir("d"));
    OK(e && fm_fault_code(e) == ENOTEMPTY);
    f = await fm_file_open("d/b", O_RDONLY, 0);
    e = await fm_attempt(&n, fm_file_write(f, "x", 1, 0));
    OK(e && fm_fault_code(e) == EBADF);
    e = await fm_attempt(&n, fm_file_read(f, big, 1, -1));
    OK(e && fm_fault_code(e) == EINVAL);
    await fm_file_close(f);
    f = await fm_file_open("d", O_RDONLY, 0);
    e = await fm_attempt(&n, fm_file_read(f, big, 1, 0));
    OK(e && fm_fault_code(e) == EISDIR);
    await fm_file_close(f);
    OK(!mkfifo("d/pipe", 0600));
    f = await fm_file_open("d/pipe", O_RDONLY, 0); /* waits for nobody */
    await fm_file_close(f);
}

async void cancelled(void)
{
    fm_cancel_source *s = fm_cancel_source_new();
    fm_cancel_source_fire(s);
    fm_file *f = await fm_file_open("d/c", O_RDWR | O_CREAT, 0600);
    fm_with_token(fm_cancel_source_token(s));
    size_t n;
    fm_fault *e = await fm_attempt(&n, fm_file_write(f, "x", 1, 0));
    OK(e && fm_fault_code(e) == ECANCELED);
    e = await fm_attempt(&n, fm_file_read(f, big, 1, 0));
    OK(e && fm_fault_code(e) == ECANCELED);
    int fd = fm_file_fd(f);
    await fm_file_close(f); /* although it is cancelled */
    OK(fcntl(fd, F_GETFD) < 0);
    fm_cancel_source_release(s);
}

async int main(void)
{
    await fm_mkdir("d", 0700);
    await whole_life();
    await lists();
    await wrong();
    await cancelled();
    return 0;
}
