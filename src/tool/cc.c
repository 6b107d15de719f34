/* cc.c: fermata-cc: clang with what Fermata adds.
 *
 * Reads the command line only as far as it must (is there an input, is it
 * linked, into what), puts the plugin's options before it and the runtime
 * behind it, and becomes clang. clang's own "no unused arguments" brackets
 * make the additions silent where they have nothing to do (-E, -c of an
 * assembler file, linking alone), so no mode needs a case of its own.
 */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct list {
    char **item;
    int n, room;
};

static void
add(struct list *list, const char *text)
{
    if (list->n + 1 >= list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->item =
            realloc(list->item, (size_t)list->room * sizeof *list->item);
        if (!list->item)
            abort();
    }
    list->item[list->n++] = (char *)(size_t)text;
    list->item[list->n] = NULL;
}

static char *
text_join(const char *a, const char *b)
{
    size_t n = strlen(a) + strlen(b) + 1;
    char *out = malloc(n);

    if (!out)
        abort();
    snprintf(out, n, "%s%s", a, b);
    return out;
}

/* ---- @files ------------------------------------------------------------ */

static char *
file_read(const char *name)
{
    FILE *f = fopen(name, "rb");
    size_t n = 0, room = 4096, got;
    char *text = f ? malloc(room) : NULL;

    while (text && (got = fread(text + n, 1, room - n - 1, f)) > 0) {
        n += got;
        if (room - n < 2)
            text = realloc(text, room *= 2);
    }
    if (text)
        text[n] = '\0';
    if (f)
        fclose(f);
    return text;
}

/* The next word of a response file, quotes and backslashes taken away in
 * place (GNU rules, as clang has them on Unix); moves *at behind it. */
static char *
word_take(char **at)
{
    char *s = *at + strspn(*at, " \t\r\n"), *out = s, *word = s, quote = 0;
    bool end = false;

    if (!*s)
        return NULL;
    for (; *s && !end; s++) {
        if (quote ? *s == quote : *s == '"' || *s == '\'')
            quote = quote ? '\0' : *s;
        else if (*s == '\\' && quote != '\'' && s[1])
            *out++ = *++s;
        else if (!quote && strchr(" \t\r\n", *s))
            end = true;
        else
            *out++ = *s;
    }
    *at = s;
    *out = '\0';
    return word;
}

/* Copies the arguments with @files replaced by what they say. */
static void
expand(struct list *flat, char **args, int n, int depth)
{
    for (int i = 0; i < n; i++) {
        struct list inner = {0};
        char *word, *at = NULL;

        if (args[i][0] == '@' && depth < 16)
            at = file_read(args[i] + 1);
        if (!at) {
            add(flat, args[i]);
            continue;
        }
        while ((word = word_take(&at)))
            add(&inner, word);
        expand(flat, inner.item, inner.n, depth + 1);
    }
}

/* ---- what the command line asks for ---------------------------- */

struct asked {
    bool input;      /* there is something to compile or link */
    bool library;    /* -shared */
    bool no_link;    /* -c and the like, or a header to precompile */
    bool no_program; /* -shared or -r: the runtime is the program's */
    bool no_runtime; /* -nostdlib, -nodefaultlibs */
    bool shared_lib; /* -shared-libfermata */
    bool is_static;  /* -static, -static-pie */
    bool uv;         /* -luv */
    bool own;        /* an option of ours is among the user's */
    int dashes;      /* where `--` stands; -1 = nowhere */
};

static bool
ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Our own options among the user's: -shared-libfermata, the warnings of the
 * frontend check, which clang would not know, and the plugin itself, which
 * pkg-config names too: loaded twice it would run twice. */
static bool
is_own(const char *arg)
{
    static const char *const starts[] = {
        "-shared-libfermata", "-Wfermata-",          "-Wno-fermata-",
        "-Werror=fermata-",   "-Wno-error=fermata-", "-ffermata-stress"};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(arg, starts[i], strlen(starts[i])) == 0)
            return true;
    return strncmp(arg, "-f", 2) == 0 && strstr(arg, "plugin=") &&
           ends_with(arg, "/fermata-" LLVM_MAJOR ".so");
}

/* Options whose value is the next argument, so that the value is not taken
 * for an input. */
static const char with_value[] =
    " -o -x -I -D -U -L -F -l -T -u -z -e -h -y -Z -A -B -b -V -G -arch "
    " -include -imacros -isystem -idirafter -iquote -iprefix -iwithprefix "
    " -iwithprefixbefore -isysroot -include-pch -cxx-isystem -ivfsoverlay "
    " -Xclang -Xlinker -Xassembler -Xpreprocessor -Xanalyzer -mllvm "
    " -target --target -MF -MT -MQ -MJ --param -rpath -soname --config "
    " --sysroot -working-directory -dependency-file -dumpbase -dumpdir "
    " -serialize-diagnostics --serialize-diagnostics -wrapper -aux-info ";

static bool
takes_value(const char *arg)
{
    size_t n = strlen(arg);

    for (const char *s = with_value; n && (s = strstr(s, arg)); s += n)
        if (s[-1] == ' ' && s[n] == ' ')
            return true;
    return false;
}

/* `next` is the argument behind it, or "". */
static void
option_note(struct asked *asked, const char *arg, const char *next)
{
    static const char *const stops[] = {"-c", "-S",  "-E",
                                        "-M", "-MM", "-fsyntax-only"};

    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (strcmp(arg, stops[i]) == 0)
            asked->no_link = true;
    if (strcmp(arg, "-shared") == 0 || strcmp(arg, "--shared") == 0)
        asked->library = true;
    if (strncmp(arg, "-x", 2) == 0 && ends_with(arg[2] ? arg : next, "header"))
        asked->no_link = true;
    if (strcmp(arg, "-shared") == 0 || strcmp(arg, "--shared") == 0 ||
        strcmp(arg, "-r") == 0)
        asked->no_program = true;
    else if (strcmp(arg, "-nostdlib") == 0 ||
             strcmp(arg, "-nodefaultlibs") == 0)
        asked->no_runtime = true;
    else if (strcmp(arg, "-shared-libfermata") == 0)
        asked->shared_lib = true;
    else if (strcmp(arg, "-static") == 0 || strcmp(arg, "-static-pie") == 0)
        asked->is_static = true;
    else if (strcmp(arg, "-luv") == 0)
        asked->uv = asked->input = true;
    else if (strncmp(arg, "-l", 2) == 0 || strncmp(arg, "-Wl,", 4) == 0)
        asked->input = true;
}

static struct asked
command_read(const struct list *flat)
{
    struct asked asked = {.dashes = -1};

    for (int i = 1; i < flat->n; i++) {
        const char *arg = flat->item[i];

        if (strcmp(arg, "--") == 0) {
            asked.dashes = i;
            asked.input |= i + 1 < flat->n;
            break;
        }
        if (arg[0] != '-' || !arg[1]) {
            asked.input = true;
            asked.no_link |= ends_with(arg, ".h") || ends_with(arg, ".hpp");
        } else {
            option_note(&asked, arg, i + 1 < flat->n ? flat->item[i + 1] : "");
        }
        asked.own |= is_own(arg);
        if (takes_value(arg))
            i++;
    }
    return asked;
}

/* ---- the command that clang gets ------------------------------- */

static void
compiler_options(struct list *out, const struct parts *parts)
{
    add(out, "--start-no-unused-arguments");
    add(out, "-fexceptions");
    add(out, "-fno-discard-value-names");
    /* Matches no remark of anybody: it makes clang keep every instruction's
     * line without -g. A -Rpass of the user's comes later and wins. */
    add(out, "-Rpass=^$fermata");
    add(out, text_join("-fpass-plugin=", parts->plugin));
    add(out, text_join("-fplugin=", parts->plugin));
    add(out, "--end-no-unused-arguments");
}

/* Behind the user's own: their folders come first. */
static void
header_options(struct list *out, const struct parts *parts)
{
    if (!parts->include[0])
        return;
    add(out, "--start-no-unused-arguments");
    add(out, "-isystem");
    add(out, parts->include);
    add(out, "--end-no-unused-arguments");
}

/* A library stays where it is after dlclose: suspended chains point into its
 * code, and nobody knows which. */
static void
library_options(struct list *out, const struct asked *asked)
{
    if (!asked->library || !asked->input || asked->no_link)
        return;
    add(out, "--start-no-unused-arguments");
    add(out, "-Xlinker");
    add(out, "-z");
    add(out, "-Xlinker");
    add(out, "nodelete");
    add(out, "--end-no-unused-arguments");
}

static void
runtime_options(struct list *out, const struct parts *parts,
                const struct asked *asked)
{
    /* A shared library leaves the runtime to the program that loads it: a
     * copy in each would be several runtimes in one process. */
    if (!asked->input || asked->no_link || asked->no_runtime ||
        (asked->no_program && !asked->shared_lib))
        return;
    add(out, "--start-no-unused-arguments");
    if (parts->archive_uv[0]) {
        add(out, "-Xlinker");
        add(out, parts->archive_uv);
        if (asked->uv) /* again, for what that asks of an archive */
            add(out, "-luv");
    }
    if (asked->shared_lib) {
        add(out, text_join("-L", parts->lib));
        add(out, "-Xlinker");
        add(out, text_join("-rpath=", parts->lib));
        add(out, "-Xlinker");
        add(out, "-lfermata");
    } else {
        add(out, "-Xlinker");
        add(out, parts->archive);
        /* Libraries that are loaded while it runs use this runtime. A static
         * program loads none, and glibc's start of a static-pie one ends in
         * a crash over an exported thread-local. */
        if (!asked->is_static) {
            add(out, "-Xlinker");
            add(out, "--export-dynamic-symbol=fm_*");
        }
    }
    add(out, "-lpthread");
    add(out, "--end-no-unused-arguments");
}

/* -Wno-fermata-await and its sisters as arguments of the plugin;
 * -ffermata-stress[=seed[,density]] by the environment, as a pass plugin has
 * no arguments; nothing for the rest of our own. */
static void
own_option(struct list *out, const char *arg)
{
    const char *what = strstr(arg, "fermata-");
    const char *level = "warning";
    char text[128];

    if (strncmp(arg, "-ffermata-stress", 16) == 0)
        setenv("FERMATA_STRESS", arg[16] == '=' ? arg + 17 : "1", 1);
    if (strncmp(arg, "-W", 2) != 0)
        return;
    if (strncmp(arg, "-Wno-fermata-", 13) == 0)
        level = "silent";
    else if (strncmp(arg, "-Werror=", 8) == 0)
        level = "error";
    snprintf(text, sizeof text, "-fplugin-arg-%s-%s", what, level);
    add(out, "--start-no-unused-arguments");
    add(out, text_join(text, ""));
    add(out, "--end-no-unused-arguments");
}

/* The user's arguments. Behind `--` all are inputs: ours must come after
 * them, so the dashes go and no name may look like an option. */
static void
user_options(struct list *out, const struct list *args, int dashes)
{
    for (int i = 1; i < args->n; i++) {
        const char *arg = args->item[i];

        if (i == dashes)
            continue;
        if (is_own(arg) && (dashes < 0 || i < dashes)) {
            own_option(out, arg);
            continue;
        }
        if (dashes >= 0 && i > dashes && (arg[0] == '-' || arg[0] == '@'))
            arg = text_join("./", arg);
        add(out, arg);
    }
}

static int
help(void)
{
    puts("fermata-cc: clang-" LLVM_MAJOR " with async and await\n\n"
         "usage: fermata-cc FILE... [what clang takes]\n\n"
         "It adds the compiler half, the headers and, when a program is "
         "linked, the runtime.\n"
         "Its own options:\n"
         "  -shared-libfermata  link libfermata.so instead of libfermata.a\n"
         "  -Rpass=fermata      say what each await saves, where it stands\n"
         "  -ffermata-stress[=SEED[,DENSITY]]  a test aid: all of an ordinary "
         "program async,\n"
         "                      suspended in a seeded order\n"
         "  -Rpass-missed=fermata  say what stays plain there, and why\n"
         "  -Wno-fermata-await  be silent about calls without await (likewise\n"
         "                      -dropped, -fault, -handle, -promise; "
         "-Werror=fermata-await)\n"
         "Environment: FERMATA_CLANG, the clang to use.\n"
         "All else: clang-" LLVM_MAJOR " --help");
    return 0;
}

static bool
parts_are_there(const struct parts *parts, const char *clang, const char *name)
{
    if (!clang[0]) {
        fprintf(stderr,
                "%s: %s is not installed: apt-get install clang-" LLVM_MAJOR
                ", or set FERMATA_CLANG to where it is\n",
                name, "clang-" LLVM_MAJOR);
        return false;
    }
    if (!part_is_there(parts->plugin)) {
        fprintf(stderr,
                "%s: the compiler half is not at %s: run make, or install "
                "Fermata again\n",
                name, parts->plugin);
        return false;
    }
    return true;
}

int
cc_main(int argc, char **argv)
{
    static struct parts parts;
    size_t length = strlen(argv[0]);
    bool cxx = length >= 2 && strcmp(argv[0] + length - 2, "++") == 0;
    const char *clang = cxx ? parts.clangxx : parts.clang;
    const char *name = cxx ? "fermata-c++" : "fermata-cc";
    struct list given = {argv, argc, argc}, flat = {0}, out = {0};
    struct asked asked;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return help();
    parts_find(&parts);
    if (!parts_are_there(&parts, clang, name))
        return 1;
    expand(&flat, argv, argc, 0);
    asked = command_read(&flat);
    add(&out, clang);
    if (argc > 1 && strncmp(argv[1], "-cc1", 4) == 0) {
        user_options(&out, &given, -1);
    } else {
        compiler_options(&out, &parts);
        user_options(&out, asked.dashes >= 0 || asked.own ? &flat : &given,
                     asked.dashes);
        header_options(&out, &parts);
        library_options(&out, &asked);
        runtime_options(&out, &parts, &asked);
    }
    execv(clang, out.item);
    fprintf(stderr, "%s: cannot run ", name);
    perror(clang);
    return 1;
}
