"""traces.py SEED: a program of small async functions that call one another,
throw, catch, clean up and rethrow, and print each trace that they catch.
Which of them LLVM inlines differs with the level; what is printed must not.
"""
import random
import sys

rng = random.Random(int(sys.argv[1]))
N = rng.randrange(6, 14)
print("""#include <fermata.h>
#include <stdio.h>

static int depth;
static void
show(const char *who, fm_fault *f)
{
    struct fm_place at[12];
    size_t n = fm_fault_trace(f, at, 12);
    printf("%s:", who);
    for (size_t i = 0; i < n && i < 12; i++)
        printf(" %s:%u", at[i].function, at[i].line);
    printf("\\n");
}
static async void
tidy(int *x)
{
    if (*x & 1)
        await fm_yield();
}
""")


def call(k):
    """An expression that goes down, to a function with a lower number."""
    if k == 0:
        return "(x & 1)"
    return "await f%d(x * 3 + %d)" % (rng.randrange(k), rng.randrange(5))


def body(k, level=1):
    pad = "    " * level
    kind = rng.choice(["call", "call", "throw", "yield", "try", "if", "defer",
                       "loop", "rethrow"] if level < 3 else
                      ["call", "throw", "yield"])
    if kind == "call":
        return "%sr += %s;\n" % (pad, call(k))
    if kind == "yield":
        return "%sif (x & %d)\n%s    await fm_yield();\n" % (
            pad, 1 << rng.randrange(4), pad)
    if kind == "throw":
        return "%sif ((x & %d) == %d)\n%s    fm_throw(%d, \"f%d\");\n" % (
            pad, 7, rng.randrange(8), pad, rng.randrange(1, 90), k)
    if kind == "if":
        return "%sif (x & %d) {\n%s%s} else {\n%s%s}\n" % (
            pad, 1 << rng.randrange(4), body(k, level + 1), pad,
            body(k, level + 1), pad)
    if kind == "loop":
        return "%sfor (int i = 0; i < 2; i++) {\n%s%s}\n" % (
            pad, body(k, level + 1), pad)
    if kind == "defer":
        return ("%s{\n%s    __attribute__((cleanup(tidy))) int t = x;\n"
                "%s%s    r += t;\n%s}\n" %
                (pad, pad, body(k, level + 1), pad, pad))
    name = "e%d" % level
    again = "%s    fm_rethrow(%s);\n" % (pad, name) if kind == "rethrow" \
        else ""
    return ("%s{\n%sfm_fault *%s;\n%sfm_try {\n%s%s} fm_catch (%s) {\n"
            "%s    show(\"f%d\", %s);\n%s    r -= 1;\n%s%s}\n%s}\n" %
            (pad, pad, name, pad, body(k, level + 1), pad, name, pad, k, name,
             pad, again, pad, pad))


for k in range(N):
    how = rng.choice(["", "", "", "__attribute__((noinline)) ",
                      "__attribute__((always_inline)) inline "])
    print("static %sasync int\nf%d(int x)\n{\n    int r = x;" % (how, k))
    if rng.randrange(4) == 0:
        print("    FM_DEFER r += 0;")
    for _ in range(rng.randrange(1, 4)):
        print(body(k), end="")
    print("    return r + 1;\n}\n")
print("""async int
main(void)
{
    for (volatile int i = 0; i < 24; i++) {
        fm_fault *f;
        int x = i;
        fm_try {
            printf("%%d\\n", await f%d(x));
        } fm_catch (f) {
            show("main", f);
        }
    }
    return depth;
}""" % (N - 1))
