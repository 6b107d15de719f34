/* tool.h: what the files of the command share. */
#ifndef FERMATA_TOOL_H
#define FERMATA_TOOL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The LLVM that the plugin beside us was built for. */
#ifndef FERMATA_LLVM
#define FERMATA_LLVM 19
#endif
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
#define LLVM_MAJOR TEXT(FERMATA_LLVM)

/* Where the parts are, found from our own executable's place: build/ has the
 * shape of an installed prefix (bin, lib, include), so there is one layout.
 * `include` is empty where clang looks by itself. A part that is not there
 * has its expected path all the same: `part_is_there` asks. */
struct parts {
    char clang[PATH_MAX];   /* empty = not found */
    char clangxx[PATH_MAX]; /* empty = not found */
    char plugin[PATH_MAX];
    char include[PATH_MAX];
    char header[PATH_MAX];  /* fermata.h */
    char archive[PATH_MAX]; /* libfermata.a */
    char archive_uv[PATH_MAX]; /* libfermata-uv.a; "" = built without libuv */
    char lib[PATH_MAX];     /* the folder of libfermata.so */
    char self[PATH_MAX];    /* fermata-cc beside us */
};
void parts_find(struct parts *parts);
bool part_is_there(const char *path);

/* Subcommands: argv[0] is the name they were called by. Return the exit
 * code; cc_main does not return when it finds clang. */
int cc_main(int argc, char **argv);
int doctor_main(int argc, char **argv);

#endif
