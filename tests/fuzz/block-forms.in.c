/* block-forms.in.c: random programs made of the block forms, and what they
 * must print.
 *
 *     block-forms SEED program   the C text
 *     block-forms SEED output    what it prints, by interpreting the same tree
 *
 * Blocks hold cleanups, async cleanups that may fault, deferred code, scopes
 * of an async-local, tries, loops, switches; they are left by return, goto,
 * break, continue, throw and rethrow, and switch between executors. Program and interpreter decide by the same hash of a counter.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    SAY, STEP, CHECK, HOP, LARGE, WITHIN, START, ATTEMPT, CALL, BLOCK, IF,
    LOOP, SWITCH, TRY, DEFER, CLEANUP, ASYNC_CLEANUP, LOCAL, RETURN, GOTO,
    BREAK, CONTINUE, THROW, RETHROW
};

struct node {
    enum kind kind;
    int id;
    int arg;              /* CALL: which; LOOP: times; RETHROW: of which */
    struct node *part[3]; /* lists */
    struct node *next;
};

/* What may stand here. */
struct place {
    int depth, function, handler; /* handler: the try whose it is, or 0 */
    bool leaves, breaks, continues;
};

enum { FUNCTIONS = 3, RUNS = 12 };
static struct node *functions[FUNCTIONS];
static int last_id;
static uint32_t random_state;

static unsigned
roll(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % n;
}

/* ---- the tree ------------------------------------------------------------ */

static struct node *list_make(struct place place);

static struct node *
node_new(enum kind kind)
{
    struct node *node = calloc(1, sizeof *node);

    if (!node)
        abort();
    node->kind = kind;
    node->id = ++last_id;
    return node;
}

static bool
fits(enum kind kind, struct place place)
{
    switch (kind) {
    case SAY: case STEP: case CHECK: case HOP: case LARGE: case WITHIN:
    case START: case ATTEMPT: case THROW:
        return true;
    case CALL:
        return place.function > 0;
    case BLOCK: case IF: case LOOP: case SWITCH: case TRY: case DEFER:
        return place.depth > 0;
    case RETURN: case GOTO:
        return place.leaves;
    case BREAK:
        return place.breaks;
    case CONTINUE:
        return place.continues;
    case RETHROW:
        return place.handler > 0;
    case CLEANUP: case ASYNC_CLEANUP: case LOCAL:
        break;
    }
    return false;
}

static struct node *
node_make(struct place place)
{
    enum kind kind;
    struct node *node;
    struct place inside = place;

    do
        kind = (enum kind)roll(RETHROW + 1);
    while (!fits(kind, place));
    node = node_new(kind);
    inside.depth--;
    switch (kind) {
    case CALL:
        node->arg = (int)roll((unsigned)place.function);
        break;
    case IF:
        node->part[1] = list_make(inside);
        /* fall through */
    case BLOCK:
        node->part[0] = list_make(inside);
        break;
    case LOOP:
        inside.breaks = inside.continues = true;
        node->arg = 1 + (int)roll(3);
        node->part[0] = list_make(inside);
        break;
    case SWITCH:
        inside.breaks = true;
        for (int k = 0; k < 3; k++)
            node->part[k] = list_make(inside);
        break;
    case TRY:
        node->part[0] = list_make(inside);
        inside.handler = node->id;
        node->part[1] = list_make(inside);
        break;
    case DEFER:
        inside.leaves = inside.breaks = inside.continues = false;
        node->part[0] = list_make(inside);
        break;
    case RETHROW:
        node->arg = place.handler;
        break;
    default:
        break;
    }
    if (kind >= RETURN) { /* not always */
        struct node *choice = node_new(IF);

        choice->part[0] = node;
        return choice;
    }
    return node;
}

static struct node *
list_make(struct place place)
{
    struct node *first = NULL, **end = &first;

    for (unsigned count = 2 + roll(4); count; count--) {
        unsigned cleanup = roll(9);

        if (cleanup < 3) {
            *end = node_new(CLEANUP + (enum kind)cleanup);
            end = &(*end)->next;
        }
        *end = node_make(place);
        end = &(*end)->next;
    }
    return first;
}

/* ---- the program --------------------------------------------------------- */

static const char preamble[] =
    "#include <fermata.h>\n"
    "#include <stdio.h>\n"
    "static unsigned n, seed, y, mode;\n"
    "static unsigned hash(unsigned a)\n"
    "{ a ^= seed; a ^= a >> 16; a *= 0x7feb352du; a ^= a >> 15;\n"
    "  a *= 0x846ca68bu; return a ^ a >> 16; }\n"
    "static int decide(int id, unsigned k)\n"
    "{ n++; return (int)(hash(n * 977u + (unsigned)id) % k); }\n"
    "static async void maybe(void)\n"
    "{ y = y * 1103515245u + 12345u;\n"
    "  if (mode == 1 || (mode == 2 && y >> 30 == 0)) await fm_yield(); }\n"
    "static fm_executor *on[3];\n"
    "static int here(void) { for (int k = 0; k < 3; k++)\n"
    "  if (on[k] == fm_executor_self()) return k;\n"
    "  return -1; }\n"
    "static async int step(int v)\n"
    "{ await maybe(); printf(\" a%d@%d\", v, here()); return v; }\n"
    "static async int check(int v)\n"
    "{ await maybe(); printf(\" c%d\", v);\n"
    "  if (decide(v, 6) == 0) fm_throw(v, \"check\");\n"
    "  await maybe(); return v; }\n"
    "struct large { long v[9]; };\n"
    "static async struct large large(int v)\n"
    "{ struct large s = {{v}}; s.v[8] = await check(v); return s; }\n"
    "static fm_local key = {\"key\"};\n"
    "static int local(void) { return (int)(long)fm_local_get(&key); }\n"
    "static void plain(const int *v) { printf(\" C%d\", *v); }\n"
    "static async void slow(const int *v)\n"
    "{ printf(\" A%d\", *v); await check(*v + 10000); }\n"
    "static void tell(fm_fault *f)\n"
    "{ printf(\" <\"); for (; f; f = fm_fault_cause(f))\n"
    "  printf(\"%d,\", fm_fault_code(f)); printf(\">\"); }\n";

static void list_print(const struct node *list);

static void
node_print(const struct node *s)
{
    switch (s->kind) {
    case SAY:
        printf("printf(\" s%d/%%d@%%d\", local(), here());\n", s->id);
        return;
    case STEP:
        printf("x += await step(%d);\n", s->id);
        return;
    case CHECK:
        printf("x = await check(%d);\n", s->id);
        return;
    case HOP:
        printf("await fm_switch(on[%d]);\n", s->id % 3);
        return;
    case LARGE:
        printf("x = (int)(await large(%d)).v[8];\n", s->id);
        return;
    case WITHIN:
        printf("x = await fm_within(FM_S(100), check(%d));\n", s->id);
        return;
    case START:
        printf("{ FM_AUTO FM_TASK(int) t = fm_start(check(%d));\n"
               "x = await fm_get(t); }\n", s->id);
        return;
    case ATTEMPT:
        printf("{ fm_fault *g = await fm_attempt(&x, check(%d));\n"
               "if (g) tell(g); }\n", s->id);
        return;
    case CALL:
        printf("x ^= await fn%d();\n", s->arg);
        return;
    case BLOCK:
        printf("{\n");
        list_print(s->part[0]);
        printf("}\n");
        return;
    case IF:
        printf("if (decide(%d, 2) == 0) {\n", s->id);
        list_print(s->part[0]);
        printf("} else {\n");
        list_print(s->part[1]);
        printf("}\n");
        return;
    case LOOP:
        printf("for (int i = 0; i < %d; i++) {\n", s->arg);
        list_print(s->part[0]);
        printf("}\n");
        return;
    case SWITCH:
        printf("switch (decide(%d, 4)) {\n", s->id);
        for (int k = 0; k < 3; k++) {
            printf("case %d: {\n", k);
            list_print(s->part[k]);
            printf("}\n");
        }
        printf("}\n");
        return;
    case TRY:
        printf("fm_try {\n");
        list_print(s->part[0]);
        printf("} fm_catch (f%d) {\ntell(f%d);\n", s->id, s->id);
        list_print(s->part[1]);
        printf("}\n");
        return;
    case DEFER:
        printf("FM_DEFER {\nprintf(\" d%d\");\n", s->id);
        list_print(s->part[0]);
        printf("}\n");
        return;
    case CLEANUP:
    case ASYNC_CLEANUP:
        printf("__attribute__((cleanup(%s))) int v%d = %d;\n",
               s->kind == CLEANUP ? "plain" : "slow", s->id, s->id);
        return;
    case LOCAL:
        printf("fm_with_local(&key, %dl);\n", s->id);
        return;
    case RETURN:
        printf("return %d;\n", s->id);
        return;
    case GOTO:
        printf("x = %d;\ngoto out;\n", s->id);
        return;
    case BREAK:
        printf("break;\n");
        return;
    case CONTINUE:
        printf("continue;\n");
        return;
    case THROW:
        printf("fm_throw(%d, \"throw\");\n", s->id);
        return;
    case RETHROW:
        printf("fm_rethrow(f%d);\n", s->arg);
        return;
    }
}

static void
list_print(const struct node *list)
{
    for (; list; list = list->next)
        node_print(list);
}

static void
faults_declare(const struct node *list)
{
    for (; list; list = list->next) {
        if (list->kind == TRY)
            printf("fm_fault *f%d;\n", list->id);
        for (int k = 0; k < 3; k++)
            faults_declare(list->part[k]);
    }
}

static void
program_print(void)
{
    fputs(preamble, stdout);
    for (int k = 0; k < FUNCTIONS; k++) {
        printf("static async int fn%d(void)\n{\nint x = 1;\n", k);
        faults_declare(functions[k]);
        printf("{\n");
        list_print(functions[k]);
        printf("}\ngoto out;\nout:\nreturn x;\n}\n");
    }
    printf("async int main(void)\n{\nfm_fault *f;\n"
           "on[0] = fm_executor_self();\n"
           "on[1] = fm_loop_new();\non[2] = fm_loop_new();\n"
           "for (mode = 0; mode < 3; mode++)\n"
           "for (unsigned k = 0; k < %du; k++) {\n"
           "printf(\"%%u:\", k); n = k * 10007u; seed = 0; seed = hash(k);\n"
           "fm_try { int x = await fn%d(); printf(\" = %%d\\n\", x); }\n"
           "fm_catch (f) { tell(f); printf(\" fault\\n\"); }\n"
           "}\nfm_executor_free(on[1]);\nfm_executor_free(on[2]);\n"
           "return 0;\n}\n",
           RUNS, FUNCTIONS - 1);
}

/* ---- what it prints -------------------------------------------------------- */

struct fault {
    int code;
    struct fault *cause;
};
struct outcome {
    enum { WENT_ON, FAULTED, RETURNED, WENT_OUT, BROKE, CONTINUED } way;
    int value;
    struct fault *fault;
};
struct frame {
    int x;
    struct fault **caught; /* by id of the try */
};

static char *text;
static size_t text_length;
static const size_t text_limit = 400000;
static uint32_t n, seed;
static int local; /* the ambient value */
static int here;  /* the executor */

static void
say(const char *format, ...)
{
    va_list args;

    /* Too long a program, or a cycle of causes: not a case worth running. */
    if (text_length + 64 > text_limit)
        exit(77);
    va_start(args, format);
    text_length +=
        (size_t)vsnprintf(text + text_length, 64, format, args);
    va_end(args);
}

static uint32_t
hash(uint32_t a)
{
    a ^= seed;
    a ^= a >> 16;
    a *= 0x7feb352du;
    a ^= a >> 15;
    a *= 0x846ca68bu;
    return a ^ a >> 16;
}

static int
decide(int id, uint32_t k)
{
    n++;
    return (int)(hash(n * 977u + (uint32_t)id) % k);
}

static void
tell(const struct fault *f)
{
    say(" <");
    for (; f; f = f->cause)
        say("%d,", f->code);
    say(">");
}

static struct outcome
fault(int code)
{
    struct outcome outcome = {FAULTED, 0, calloc(1, sizeof(struct fault))};

    if (!outcome.fault)
        abort();
    outcome.fault->code = code;
    return outcome;
}

static struct outcome
check(int id)
{
    say(" c%d", id);
    if (decide(id, 6) == 0)
        return fault(id);
    return (struct outcome){WENT_ON, id, NULL};
}

static struct outcome list_run(const struct node *list, struct frame *frame);

static bool
is_among(const struct fault *f, const struct fault *causes)
{
    while (causes && causes != f)
        causes = causes->cause;
    return causes;
}

/* Inner first: those behind it in the list, then this one. */
static struct outcome
cleanup_run(const struct node *s, struct frame *frame, struct outcome why)
{
    struct outcome own = {WENT_ON, 0, NULL};
    struct fault *last;

    if (s->kind == CLEANUP) {
        say(" C%d", s->id);
    } else if (s->kind == ASYNC_CLEANUP) {
        say(" A%d", s->id);
        own = check(s->id + 10000);
    } else {
        say(" d%d", s->id);
        own = list_run(s->part[0], frame);
    }
    if (own.way != FAULTED)
        return why;
    if (why.way != FAULTED)
        return own;
    if (is_among(own.fault, why.fault) || is_among(why.fault, own.fault))
        exit(77); /* a rethrown fault cannot be its own cause */
    for (last = why.fault; last->cause; last = last->cause)
        ;
    last->cause = own.fault;
    return why;
}

static struct outcome
call_run(int which)
{
    struct frame frame = {
        1, calloc((size_t)last_id + 1, sizeof(struct fault *))};
    struct outcome outcome;
    int caller = here;

    if (!frame.caught)
        abort();
    outcome = list_run(functions[which], &frame);
    if (outcome.way != FAULTED && outcome.way != RETURNED)
        outcome.value = frame.x;
    here = caller;
    free(frame.caught);
    return outcome;
}

static struct outcome
loop_run(const struct node *s, struct frame *frame)
{
    struct outcome outcome = {WENT_ON, 0, NULL};

    for (int k = 0; k < s->arg; k++) {
        outcome = list_run(s->part[0], frame);
        if (outcome.way == CONTINUED)
            outcome.way = WENT_ON;
        if (outcome.way != WENT_ON)
            break;
    }
    if (outcome.way == BROKE)
        outcome.way = WENT_ON;
    return outcome;
}

static struct outcome
switch_run(const struct node *s, struct frame *frame)
{
    struct outcome outcome = {WENT_ON, 0, NULL};

    for (int k = decide(s->id, 4); k < 3 && outcome.way == WENT_ON; k++)
        outcome = list_run(s->part[k], frame);
    if (outcome.way == BROKE)
        outcome.way = WENT_ON;
    return outcome;
}

static struct outcome
node_run(const struct node *s, struct frame *frame)
{
    struct outcome outcome = {WENT_ON, 0, NULL};
    int before = frame->x;

    switch (s->kind) {
    case SAY:
        say(" s%d/%d@%d", s->id, local, here);
        return outcome;
    case STEP:
        say(" a%d@%d", s->id, here);
        frame->x += s->id;
        return outcome;
    case HOP:
        here = s->id % 3;
        return outcome;
    case CHECK: case LARGE: case WITHIN: case START:
        outcome = check(s->id);
        if (outcome.way == WENT_ON)
            frame->x = s->id;
        return outcome;
    case ATTEMPT:
        outcome = check(s->id);
        if (outcome.way == FAULTED)
            tell(outcome.fault);
        else
            frame->x = s->id;
        return (struct outcome){WENT_ON, 0, NULL};
    case CALL:
        outcome = call_run(s->arg);
        if (outcome.way == FAULTED)
            return outcome;
        frame->x = before ^ outcome.value;
        return (struct outcome){WENT_ON, 0, NULL};
    case BLOCK:
        return list_run(s->part[0], frame);
    case IF:
        return list_run(s->part[decide(s->id, 2) ? 1 : 0], frame);
    case LOOP:
        return loop_run(s, frame);
    case SWITCH:
        return switch_run(s, frame);
    case TRY:
        outcome = list_run(s->part[0], frame);
        if (outcome.way != FAULTED)
            return outcome;
        frame->caught[s->id] = outcome.fault;
        tell(outcome.fault);
        return list_run(s->part[1], frame);
    case DEFER: case CLEANUP: case ASYNC_CLEANUP: case LOCAL:
        return outcome;
    case RETURN:
        return (struct outcome){RETURNED, s->id, NULL};
    case GOTO:
        frame->x = s->id;
        return (struct outcome){WENT_OUT, 0, NULL};
    case BREAK:
        return (struct outcome){BROKE, 0, NULL};
    case CONTINUE:
        return (struct outcome){CONTINUED, 0, NULL};
    case THROW:
        return fault(s->id);
    case RETHROW:
        return (struct outcome){FAULTED, 0, frame->caught[s->arg]};
    }
    return outcome;
}

static struct outcome
list_run(const struct node *list, struct frame *frame)
{
    struct outcome outcome;
    int outside = local;

    if (!list)
        return (struct outcome){WENT_ON, 0, NULL};
    if (list->kind == LOCAL)
        local = list->id;
    outcome = node_run(list, frame);
    if (outcome.way == WENT_ON)
        outcome = list_run(list->next, frame);
    if (list->kind == DEFER || list->kind == CLEANUP ||
        list->kind == ASYNC_CLEANUP)
        outcome = cleanup_run(list, frame, outcome);
    if (list->kind == LOCAL)
        local = outside;
    return outcome;
}

static void
output_make(void)
{
    text = malloc(text_limit);
    if (!text)
        abort();
    for (uint32_t k = 0; k < RUNS; k++) {
        struct outcome outcome;

        say("%u:", k);
        n = k * 10007u;
        seed = 0;
        seed = hash(k);
        outcome = call_run(FUNCTIONS - 1);
        if (outcome.way == FAULTED) {
            tell(outcome.fault);
            say(" fault\n");
        } else {
            say(" = %d\n", outcome.value);
        }
    }
}

int
main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    random_state = (uint32_t)atoi(argv[1]) * 2654435761u + 1;
    for (int k = 0; k < 8; k++)
        roll(2);
    for (int k = 0; k < FUNCTIONS; k++)
        functions[k] = list_make((struct place){
            .depth = 2 + (int)roll(2), .function = k, .leaves = true});
    output_make();
    if (!strcmp(argv[2], "program"))
        program_print();
    else
        for (int mode = 0; mode < 3; mode++)
            fputs(text, stdout);
    return 0;
}
