/* doctor.c: fermata doctor: can this machine compile and run Fermata? */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Suspends once and prints what came through. */
static const char program[] =
    "#include <fermata.h>\n"
    "#include <stdio.h>\n"
    "async int later(int n) { await fm_yield(); return n; }\n"
    "async int main(void)\n"
    "{ printf(\"%d\\n\", await later(42)); return 0; }\n";

static bool
say(bool ok, const char *what, const char *detail, const char *advice)
{
    printf("%-7s  %s%s%s\n", ok ? "ok" : "MISSING", what, *detail ? ": " : "",
           detail);
    if (!ok)
        printf("         %s\n", advice);
    return ok;
}

/* Runs argv, its standard output into out (cut at `room`), standard error
 * left alone; true if it exited with 0. */
static bool
run(char *const *argv, char *out, size_t room)
{
    int ends[2], status = 1;
    size_t n = 0;
    ssize_t got;
    pid_t pid;

    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        alarm(60);
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execv(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    while (n + 1 < room && (got = read(ends[0], out + n, room - 1 - n)) > 0)
        n += (size_t)got;
    out[n] = '\0';
    close(ends[0]);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static bool
clang_check(const struct parts *parts)
{
    char out[4096] = "";
    char *argv[] = {(char *)(size_t)parts->clang, "--version", NULL};
    bool ok = parts->clang[0] && run(argv, out, sizeof out) &&
              strstr(out, "version " LLVM_MAJOR ".");

    return say(ok, "clang-" LLVM_MAJOR, parts->clang,
               "apt-get install clang-" LLVM_MAJOR
               ", or set FERMATA_CLANG to a clang " LLVM_MAJOR);
}

/* A new folder in that one; its name in path. */
static bool
folder_new(char *path, size_t room, const char *in)
{
    int n = snprintf(path, room, "%s/fermata-doctor-", in);

    if (n < 0 || (size_t)n + 7 > room)
        return false;
    memset(path + n, 'X', 6); /* for mkdtemp to replace */
    path[n + 6] = 0;
    return mkdtemp(path) != NULL;
}

/* Compiles the program above and runs it, in a folder of its own. */
static bool
program_check(const struct parts *parts)
{
    const char *temporary = getenv("TMPDIR");
    char folder[4000], source[4096], binary[4096], out[64] = "";
    bool compiles, runs;
    FILE *f;
    char *cc[] = {
        (char *)(size_t)parts->self, "-O2", source, "-o", binary, NULL};
    char *start[] = {binary, NULL};

    if (!temporary || !*temporary)
        temporary = P_tmpdir;
    if (!folder_new(folder, sizeof folder, temporary))
        return say(false, "a folder for temporary files", temporary,
                   "set TMPDIR to a folder that can be written");
    snprintf(source, sizeof source, "%s/t.c", folder);
    snprintf(binary, sizeof binary, "%s/t", folder);
    f = fopen(source, "w");
    if (f) {
        fputs(program, f);
        fclose(f);
    }
    compiles = say(run(cc, out, sizeof out), "a program compiles and links", "",
                   "what clang said above tells why");
    runs =
        compiles && say(run(start, out, sizeof out) && strcmp(out, "42\n") == 0,
                        "it suspends, resumes and prints 42", "",
                        "please report this as a fault of Fermata");
    remove(binary);
    remove(source);
    rmdir(folder);
    return runs;
}

int
doctor_main(int argc, char **argv)
{
    struct parts parts;
    bool ok;

    (void)argv;
    if (argc > 1) {
        fputs("fermata doctor: takes no arguments\n", stderr);
        return 2;
    }
    parts_find(&parts);
    ok = clang_check(&parts);
    ok &= say(part_is_there(parts.plugin), "compiler half", parts.plugin,
              "run make, or install Fermata again");
    ok &= say(part_is_there(parts.archive), "runtime", parts.archive,
              "run make, or install Fermata again");
    ok &= say(part_is_there(parts.header), "headers", parts.header,
              "run make, or install Fermata again");
    ok = ok && program_check(&parts);
    puts(ok ? "This machine is able." : "This machine is not able yet.");
    return ok ? 0 : 1;
}
