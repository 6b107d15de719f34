/* where.c: where clang, the plugin, the headers and the runtime are. */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
part_is_there(const char *path)
{
    return path[0] && access(path, R_OK) == 0;
}

/* Puts the parts together in out; empty when that is too long. */
static void
join(char *out, const char *folder, const char *name)
{
    int n = snprintf(out, PATH_MAX, "%s/%s", folder, name);

    if (n < 0 || n >= PATH_MAX)
        out[0] = '\0';
}

/* The prefix of the tree that this executable stands in: /usr for
 * /usr/bin/fermata. Links are followed, so a link to it may stand anywhere. */
static void
prefix_find(char *out)
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
    char *slash;

    out[n > 0 ? n : 0] = '\0';
    for (int up = 0; up < 2; up++)
        if ((slash = strrchr(out, '/')))
            *slash = '\0';
}

static bool
is_program(const char *path)
{
    return path[0] && access(path, X_OK) == 0;
}

/* The first program of that name in PATH, then in LLVM's own folder. */
static void
program_find(char *out, const char *name, const char *plain)
{
    const char *path = getenv("PATH");
    char folder[PATH_MAX];

    while (path && *path) {
        size_t n = strcspn(path, ":");

        if (n && n < sizeof folder) {
            memcpy(folder, path, n);
            folder[n] = '\0';
            join(out, folder, name);
            if (is_program(out))
                return;
        }
        path += n + (path[n] == ':');
    }
    join(out, "/usr/lib/llvm-" LLVM_MAJOR "/bin", plain);
    if (!is_program(out))
        out[0] = '\0';
}

/* FERMATA_CLANG names the clang to use; its ++ is looked for beside it. */
static void
clang_find(struct parts *parts)
{
    const char *given = getenv("FERMATA_CLANG");
    const char *base = given ? strrchr(given, '/') : NULL;
    const char *name = base ? base + 1 : given;
    int n;

    if (!given || !*given) {
        program_find(parts->clang, "clang-" LLVM_MAJOR, "clang");
        program_find(parts->clangxx, "clang++-" LLVM_MAJOR, "clang++");
        return;
    }
    snprintf(parts->clang, PATH_MAX, "%s", given);
    parts->clangxx[0] = '\0';
    if (strncmp(name, "clang", 5) == 0) {
        n = snprintf(parts->clangxx, PATH_MAX, "%.*sclang++%s",
                     (int)(name - given), given, name + 5);
        if (n < 0 || n >= PATH_MAX)
            parts->clangxx[0] = '\0';
    }
}

void
parts_find(struct parts *parts)
{
    char prefix[PATH_MAX], include[PATH_MAX];

    prefix_find(prefix);
    clang_find(parts);
    join(parts->plugin, prefix, "lib/fermata-" LLVM_MAJOR ".so");
    join(parts->archive, prefix, "lib/libfermata.a");
    join(parts->archive_uv, prefix, "lib/libfermata-uv.a");
    if (!part_is_there(parts->archive_uv))
        parts->archive_uv[0] = '\0';
    join(parts->lib, prefix, "lib");
    join(parts->self, prefix, "bin/fermata-cc");
    join(include, prefix, "include");
    /* build/include is a link: show people the folder behind it. */
    if (!realpath(include, parts->include))
        snprintf(parts->include, PATH_MAX, "%s", include);
    snprintf(include, sizeof include, "%s", parts->include);
    join(parts->header, include, "fermata.h");
    /* Named again, clang's own folders would lose their place in the order,
     * which breaks C++'s #include_next. */
    if (strcmp(parts->include, "/usr/include") == 0 ||
        strcmp(parts->include, "/usr/local/include") == 0)
        parts->include[0] = '\0';
}
