/* marks.in.c: random programs of calls that are awaited in random forms.
 *
 *     marks SEED   the C text; with -DPLAIN each form is the call itself
 *
 * Functions of many result and parameter types call those before them, from
 * expressions, loops, switches and conditions, by await, start and join, get,
 * begin, value and take, attempt, within, anywhere. All forms mean the same
 * value; what each function sees is hashed in order, so that order counts
 * too. Whether a function suspends is decided by a counter.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FUNCTIONS = 9, TYPES = 9 };
static const char *const types[TYPES] = {
    "int", "_Bool", "double", "longdouble", "three", "twelve", "sixteen",
    "large", "aligned",
};
static int result[FUNCTIONS], parameter[FUNCTIONS];
static uint32_t random_state;

static int
roll(int n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (int)(random_state % (uint32_t)n);
}

static void
head(void)
{
    puts("#include \"forms.h\"\n");
    for (int i = 0; i < FUNCTIONS; i++) {
        result[i] = roll(TYPES);
        parameter[i] = roll(TYPES);
        printf("static async %s f%d(int n, %s p, int *out);\n",
               types[result[i]], i, types[parameter[i]]);
        printf("typedef async %s F%d(int, %s, int *);\n", types[result[i]], i,
               types[parameter[i]]);
        printf("static F%d *volatile p%d = f%d;\n", i, i, i);
    }
}

static void expression(int function, int depth);

/* A call of an earlier function, in one of the forms that are expressions. */
static void
call(int function, int depth)
{
    static const char *const forms[] = {"AWAIT", "JOIN", "JOIN_ON", "TAKE",
                                        "WITHIN", "ANYWHERE"};
    int callee = roll(function);

    printf("int_%s(%s(%s, %s%d(", types[result[callee]],
           forms[depth ? roll(6) : 0], types[result[callee]],
           roll(3) ? "f" : "p", callee);
    expression(function, depth - 1);
    printf(", make_%s(", types[parameter[callee]]);
    expression(function, depth - 1);
    printf("), &v%d)))", roll(3));
}

static void
expression(int function, int depth)
{
    static const char *const operators[] = {"+", "^", "-", "*", "&&", "<"};

    if (depth < 1 || !function) {
        if (roll(2))
            printf("v%d", roll(3));
        else
            printf("%d", roll(100));
        return;
    }
    switch (roll(5)) {
    case 0:
        printf("(");
        expression(function, depth - 1);
        printf(" %s ", operators[roll(6)]);
        expression(function, depth - 1);
        printf(")");
        return;
    case 1:
        printf("(");
        expression(function, depth - 1);
        printf(" ? ");
        call(function, depth - 1);
        printf(" : ");
        expression(function, depth - 1);
        printf(")");
        return;
    default:
        call(function, depth);
    }
}

/* The forms that are statements: they need a variable. */
static void
statement_form(int function)
{
    static const char *const forms[] = {"GET", "BEGIN", "ATTEMPT", "KEEP"};
    int callee = roll(function);

    printf("    %s(v%d, %s, f%d(", forms[roll(4)], roll(3),
           types[result[callee]], callee);
    expression(function, 1);
    printf(", make_%s(", types[parameter[callee]]);
    expression(function, 1);
    printf("), &v%d));\n", roll(3));
}

static void
statement(int function, int depth)
{
    int kind = roll(depth ? 6 : 3);

    if (kind < 2 || !function) {
        printf("    v%d = ", roll(3));
        expression(function, 2);
        puts(";");
    } else if (kind == 2) {
        statement_form(function);
    } else if (kind == 3) {
        printf("    for (int i%d = 0; i%d < %d; i%d++) {\n", depth, depth,
               1 + roll(2), depth);
        statement(function, depth - 1);
        printf("    if (v%d & 8) continue;\n", roll(3));
        statement(function, depth - 1);
        puts("    }");
    } else if (kind == 4) {
        printf("    if (");
        expression(function, 1);
        puts(") {");
        statement(function, depth - 1);
        puts("    }");
    } else {
        printf("    switch (");
        expression(function, 1);
        puts(" & 3) {\n    case 0:");
        statement(function, depth - 1);
        puts("    case 1:");
        statement(function, depth - 1);
        puts("        break;\n    default:");
        statement(function, depth - 1);
        puts("    }");
    }
}

static void
body(int function)
{
    printf("\nstatic async %s f%d(int n, %s p, int *out)\n{\n"
           "    int v0 = n, v1 = int_%s(p), v2 = *out;\n"
           "    SEE(v0); SEE(v1); SEE(v2);\n"
           "    if (!fuel()) return make_%s(v1);\n",
           types[result[function]], function, types[parameter[function]],
           types[parameter[function]], types[result[function]]);
    for (int i = 2 + roll(2); i > 0; i--)
        statement(function, 2);
    printf("    PAUSE();\n    SEE(v0); SEE(v1);\n    *out = v1 ^ %d;\n"
           "    return make_%s(v%d);\n}\n",
           function, types[result[function]], roll(3));
}

int
main(int argc, char **argv)
{
    int last = FUNCTIONS - 1;

    random_state = argc > 1 ? (uint32_t)atoi(argv[1]) * 2654435761u + 1 : 1;
    head();
    for (int i = 0; i < FUNCTIONS; i++)
        body(i);
    printf("\nWAITING int main(void)\n{\n    int out = 1, r = 0;\n"
           "    for (int i = 0; i < 4; i++) {\n"
           "        refuel(i);\n"
           "        WAIT(r, %s, f%d(i, make_%s(i), &out));\n"
           "        printf(\"%%d %%d %%u\\n\", r, out, seen);\n"
           "    }\n    return 0;\n}\n",
           types[result[last]], last, types[parameter[last]]);
    return 0;
}
