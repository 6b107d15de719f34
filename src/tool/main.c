/* main.c: FRONT DOOR of the command `fermata`: the table of its commands.
 *
 * One binary, several names: called as fermata-cc or fermata-c++ it is the
 * compiler, called as fermata its first argument says which.
 */
#include "tool.h"

#include <fermata/version.h>
#include <stdio.h>
#include <string.h>

static int help_main(int argc, char **argv);
static int version_main(int argc, char **argv);

static const struct command {
    const char *name;   /* as typed after `fermata` */
    const char *binary; /* the name of the link that means it, or null */
    int (*run)(int argc, char **argv);
    const char *says;
} commands[] = {
    {"cc", "fermata-cc", cc_main, "compile C: takes what clang takes"},
    {"c++", "fermata-c++", cc_main, "the same for C++"},
    {"doctor", NULL, doctor_main, "is this machine able? says what is missing"},
    {"--version", NULL, version_main, "the version of Fermata"},
    {"--help", NULL, help_main, "this text"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int
help_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("fermata: async and await for C\n\nusage: fermata COMMAND ...\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-10s  %s\n", commands[i].name, commands[i].says);
    puts("\nfermata-cc FILE.c -o PROGRAM compiles and links. "
         "Start with fermata doctor.");
    return 0;
}

static int
version_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("fermata " FERMATA_VERSION " (LLVM " LLVM_MAJOR ")");
    return 0;
}

int
main(int argc, char **argv)
{
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc ? argv[0] : "fermata";

    for (int i = 0; i < COMMANDS; i++)
        if (commands[i].binary && strcmp(name, commands[i].binary) == 0)
            return commands[i].run(argc, argv);
    if (argc < 2) {
        help_main(0, NULL);
        return 2;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "fermata: there is no command '%s': see fermata --help\n",
            argv[1]);
    return 2;
}
