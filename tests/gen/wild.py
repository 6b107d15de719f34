"""Random async C programs without undefined behaviour.

Every value is unsigned or a small double, every index is reduced, every loop
is bounded, calls run out of steps; so plain C gives the one right answer.
Addresses of locals go to callees, to variables and to others who change them
at each point. What order of evaluation clang chooses is part of the answer.
With faults (storm programs) there are throws, handlers, deferred code, async
cleanups and async-locals as well; then -O0 without suspensions is the answer.
"""
import random

STRUCTS = (
    ("s0", (("unsigned", "a"), ("unsigned", "b"))),
    ("s1", (("unsigned char", "a"), ("unsigned", "b"), ("unsigned", "c"),
            ("unsigned", "d"), ("unsigned", "e"), ("unsigned", "f"))),
    ("s2", (("unsigned short", "a"), ("unsigned char", "b"))),
    ("s3", (("unsigned long", "a"), ("double", "x"), ("unsigned", "b"))),
    ("s4", (("float", "x"), ("unsigned char", "a"))),
)
INTS = ("unsigned", "unsigned", "unsigned long", "unsigned char",
        "unsigned short", "_Bool")
ATTRS = ("__attribute__((noinline)) ", "", "", "static inline ", "static ",
         "static ", "static ", "static __attribute__((always_inline)) inline ",
         "static __attribute__((noinline)) ", "__attribute__((cold)) ",
         "__attribute__((weak)) ")

PROLOGUE = r"""
#include "point.h"
struct guard { struct cx *cx; unsigned n; unsigned *p; };
static void
end_guard(struct guard *g)
{
    note(g->cx, "end", g->n);
}
static void
end_hold(struct guard *g)
{
    unhold(g->cx, g->p);
}
#define GUARD(name, n)                                                       \
    __attribute__((cleanup(end_guard))) struct guard name = {cx, (n), 0}
#define HELD(name, var)                                                      \
    __attribute__((cleanup(end_hold))) struct guard name = {cx, 0, &(var)};  \
    hold(cx, &(var))
__attribute__((noinline)) static unsigned
bump(unsigned *p)
{
    return *p += 3;
}
"""


STORM = r"""
static fm_local key = {"key"};
static async void
end_later(struct guard *g)
{
    note(g->cx, "end later", g->n);
    await point(g->cx);
    if (g->n % 8 == 5)
        fm_throw(FM_CODE_USER + (int)(g->n & 255), "cleanup");
    note(g->cx, "ended", g->n ^ (unsigned)(uintptr_t)fm_local_get(&key));
}
#define LATER(name, n)                                                       \
    __attribute__((cleanup(end_later))) struct guard name = {cx, (n), 0}
static void
caught(struct cx *cx, fm_fault *f)
{
    for (; f; f = fm_fault_cause(f))
        note(cx, "caught", (unsigned)fm_fault_code(f));
    note(cx, "local", (unsigned long)(uintptr_t)fm_local_get(&key));
}
"""


class Function:
    def __init__(self, name, params, result, attr):
        self.name, self.params, self.result = name, params, result
        self.attr = attr


class Maker:
    def __init__(self, seed, storm=False):
        self.rnd = random.Random(seed)
        self.storm = storm
        self.deferred = False       # inside code that must not leave itself
        self.count = 0
        self.functions = []

    def pick(self, *choices):
        return self.rnd.choice(choices)

    def often(self, p):
        return self.rnd.random() < p

    def fresh(self, prefix):
        self.count += 1
        return "%s%d" % (prefix, self.count)

    # ---- expressions: all unsigned -------------------------------------

    def number(self):
        return self.pick("0u", "1u", "2u", "7u", "255u", "65535u",
                         "0xffffffffu", "%du" % self.rnd.randint(0, 99))

    def readable(self, scope):
        out = []
        for name, kind, extra in scope:
            if kind in INTS:
                out.append("(unsigned)" + name)
            elif kind == "array":
                out.append("%s[%s]" % (name, self.index(extra, scope)))
            elif kind == "vla":
                out.append("%s[%du %% (sizeof(%s) / sizeof(unsigned))]" %
                           (name, self.rnd.randint(0, 9), name))
            elif kind == "pointer":
                out.append("*" + name)
            elif kind == "struct":
                for c, member in extra[1]:
                    if c not in ("double", "float"):
                        out.append("(unsigned)%s.%s" % (name, member))
        return out

    def index(self, size, scope):
        if self.often(.5):
            return "%du" % self.rnd.randrange(size)
        return "(%s) %% %du" % (self.leaf(scope), size)

    def leaf(self, scope):
        ints = [n for n, k, _ in scope if k in INTS]
        if ints and self.often(.7):
            return "(unsigned)" + self.rnd.choice(ints)
        return self.number()

    def expr(self, scope, depth):
        if depth <= 0 or self.often(.15):
            options = self.readable(scope)
            if options and self.often(.8):
                return self.rnd.choice(options)
            return self.number()
        e = lambda: self.expr(scope, depth - 1)
        which = self.rnd.randint(0, 15)
        if which < 4:
            return "(%s %s %s)" % (e(), self.pick("+", "-", "*", "^", "|",
                                                  "&"), e())
        if which == 4:
            return "(%s %s (%s & 7u))" % (e(), self.pick("<<", ">>"), e())
        if which == 5:
            return "(%s %s (%s | 1u))" % (e(), self.pick("/", "%"), e())
        if which == 6:
            return "(unsigned)(%s %s %s)" % (e(), self.pick(
                "<", "==", ">=", "!=", "&&", "||"), e())
        if which == 7:
            return "(%s ? %s : %s)" % (e(), e(), e())
        if which == 8:
            return "(%s, %s)" % (e(), e())
        if which == 9:
            return "(unsigned)(unsigned char)(%s)" % e()
        if which == 10:
            return "(unsigned)%s(%s)" % (self.pick("!", "~", "-"), e())
        if which < 13:
            return "(await num(cx, %s))" % e()
        return self.call(scope, depth - 1)

    def call(self, scope, depth):
        if not self.functions or self.often(.2):
            return "(await table[%s %% 4u](cx, %s))" % (
                self.leaf(scope), self.expr(scope, depth))
        f = self.rnd.choice(self.functions)
        args = ["cx"] + [self.argument(p, scope, depth) for p in f.params]
        text = "await %s(%s)" % (f.name, ", ".join(args))
        if f.result in INTS:
            return "(unsigned)(%s)" % text
        struct = STRUCTS[int(f.result[-1])]
        member = self.rnd.choice([m for c, m in struct[1]
                                  if c not in ("double", "float")])
        return "(unsigned)(%s).%s" % (text, member)

    def argument(self, kind, scope, depth):
        if kind in INTS:
            return "(%s)(%s)" % (kind, self.expr(scope, depth))
        if kind == "double":
            return "(double)(%s & 15u)" % self.expr(scope, depth)
        if kind == "pointer":
            return self.address(scope)
        same = [n for n, k, x in scope if k == "struct" and
                "struct " + x[0] == kind]
        if same and self.often(.6):
            return self.rnd.choice(same)
        return self.literal(kind, scope, depth)

    def literal(self, kind, scope, depth):
        struct = STRUCTS[int(kind[-1])]
        values = []
        for c, m in struct[1]:
            values.append(".%s = (%s)(%s & 63u)" %
                          (m, c, self.expr(scope, min(depth, 1))))
        return "(%s){%s}" % (kind, ", ".join(values))

    def address(self, scope):
        out = ["&(unsigned){%s}" % self.number()]
        for name, kind, extra in scope:
            if kind == "unsigned":
                out += ["&" + name] * 2
            elif kind == "array":
                out.append("&%s[%s]" % (name, self.index(extra, scope)))
            elif kind == "pointer":
                out.append(name)
            elif kind == "struct" and extra[0] in ("s0", "s1"):
                out.append("&%s.b" % name)
        return self.rnd.choice(out)

    # ---- statements ------------------------------------------------------

    def declare(self, scope, depth):
        which = self.rnd.randint(0, 11)
        name = self.fresh("v")
        if which < 5:
            kind = self.rnd.choice(INTS)
            storage = self.pick("", "", "", "volatile ", "_Alignas(64) ",
                                "register ") if kind == "unsigned" else ""
            text = "%s%s %s = (%s)(%s);" % (storage, kind, name, kind,
                                            self.expr(scope, depth))
            if storage in ("volatile ", "register "):
                kind = "unsigned long"     # its address is not taken
            scope.append((name, kind, None))
            return text
        if which < 7:
            size = self.pick(1, 2, 5, 9, 40)
            scope.append((name, "array", size))
            init = ", ".join(self.expr(scope[:-1], 1)
                             for _ in range(min(size, self.rnd.randint(1, 4))))
            return "unsigned %s[%d] = {%s};" % (name, size, init)
        if which == 7:
            text = "unsigned %s[%s %% 6u + 1u];\n" \
                   "for (unsigned i = 0; i < sizeof(%s) / 4; i++) %s[i] = i;" \
                   % (name, self.expr(scope, 1), name, name)
            scope.append((name, "vla", None))
            return text
        if which == 8:
            text = "unsigned *%s = %s;" % (name, self.address(
                [s for s in scope if s[1] != "vla"]))
            scope.append((name, "pointer", None))
            return text
        struct = self.rnd.choice(STRUCTS)
        text = "struct %s %s = %s;" % (struct[0], name, self.literal(
            "struct " + struct[0], scope, depth))
        scope.append((name, "struct", struct))
        return text

    def assign(self, scope, depth):
        targets = []
        for name, kind, extra in scope:
            if name.startswith("k"):
                continue                   # a loop's counter
            if kind in INTS:
                targets.append((name, kind))
            elif kind == "array":
                targets.append(("%s[%s]" % (name, self.index(extra, scope)),
                                "unsigned"))
                targets.append(("%s[(%s) %% %du]" %
                                (name, self.expr(scope, 1), extra),
                                "unsigned"))
            elif kind == "pointer":
                targets.append(("*" + name, "unsigned"))
            elif kind == "struct":
                c, m = self.rnd.choice(extra[1])
                targets.append(("%s.%s" % (name, m), c))
        structs = [s for s in scope if s[1] == "struct"]
        if structs and self.often(.3):
            name, _, extra = self.rnd.choice(structs)
            makers = [f for f in self.functions
                      if f.result == "struct " + extra[0]]
            if makers:
                f = self.rnd.choice(makers)
                return "%s = await %s(%s);" % (name, f.name, ", ".join(
                    ["cx"] + [self.argument(p, scope, depth - 1)
                              for p in f.params]))
            return "%s = %s;" % (name, self.literal("struct " + extra[0],
                                                    scope, depth))
        if not targets:
            return "note(cx, \"x\", %s);" % self.expr(scope, depth)
        target, kind = self.rnd.choice(targets)
        if kind in ("double", "float"):
            return "%s = %s + (%s)(%s & 7u);" % (target, target, kind,
                                                 self.expr(scope, depth))
        if kind != "_Bool" and self.often(.4):
            return "%s %s= (%s)(%s);" % (target, self.pick("+", "-", "^",
                                                           "*", "|"), kind,
                                         self.expr(scope, depth))
        return "%s = (%s)(%s);" % (target, kind, self.expr(scope, depth))

    def block(self, scope, depth, loop, label):
        inner = list(scope)
        out = []
        for _ in range(self.rnd.randint(1, 4)):
            out.append(self.statement(inner, depth, loop, label))
        return "{\n%s\n}" % "\n".join(out)

    def stormy(self, scope, depth, loop, label):
        """A throw, a handler, deferred code, an async cleanup, a local."""
        e = lambda: self.expr(scope, 1)
        which = self.rnd.randint(0, 6)
        if which == 0:
            return "if (%s %% 3u == 0) fm_throw(FM_CODE_USER + %d, \"t\");" % (
                e(), self.rnd.randint(1, 999))
        if which < 4 and depth > 0:
            f = self.fresh("fault")
            return "{ fm_fault *%s; fm_try %s fm_catch (%s) {\n" \
                "caught(cx, %s);\n%s\n} }" % (
                    f, self.block(scope, depth - 1, loop, label), f, f,
                    self.pick("", "fm_rethrow(%s);" % f,
                              self.block(scope, depth - 1, loop, label)))
        if which == 4 and not self.deferred:
            self.deferred = True
            body = self.block(scope, min(depth, 1), False, None)
            self.deferred = False
            return "FM_DEFER {\nnote(cx, \"defer\", 1);\n%s\n}" % body
        if which == 5:
            return "fm_with_local(&key, (uintptr_t)(%s & 255u));" % e()
        return "LATER(%s, %s);" % (self.fresh("g"), e())

    def statement(self, scope, depth, loop, label):
        if self.storm and self.often(.25):
            return self.stormy(scope, depth, loop, label)
        which = self.rnd.randint(0, 21)
        e = lambda: self.expr(scope, 2)
        if depth <= 0:
            which = self.pick(0, 1, 4, 6, 7, 8, 9)
        if which < 4:
            return self.declare(scope, 2)
        if which < 7:
            return self.assign(scope, 3)
        if which == 7:
            return "note(cx, \"n\", %s);" % e()
        if which == 8:
            return "await point(cx);"
        if which == 9:
            return "bump(%s);" % self.address(scope)
        if which < 12:
            text = "if (%s) %s" % (e(), self.block(scope, depth - 1, loop,
                                                   label))
            if self.often(.5):
                text += " else " + self.block(scope, depth - 1, loop, label)
            return text
        if which < 15:
            k = self.fresh("k")
            bound = self.rnd.randint(1, 4)
            inner = scope + [(k, "unsigned char", None)]
            body = self.block(inner, depth - 1, True, label)
            form = self.rnd.randint(0, 2)
            if form == 0:
                return "for (unsigned %s = 0; %s < %du && (%s | 1u); %s++) %s" \
                    % (k, k, bound, e(), k, body)
            if form == 1:
                return "{ unsigned %s = 0; while (%s++ < %du) %s }" % \
                    (k, k, bound, body)
            return "{ unsigned %s = 0; do %s while (%s++ < %du && %s); }" % \
                (k, body, k, bound, e())
        if which == 15:
            cases = []
            for n in range(self.rnd.randint(1, 4)):
                cases.append("case %d: %s %s" % (
                    n, self.block(scope, depth - 1, loop, label),
                    self.pick("break;", "", "break;")))
            cases.append("default: await point(cx);")
            self.rnd.shuffle(cases)
            return "switch (%s %% 5u) {\n%s\n}" % (e(), "\n".join(cases))
        if which == 16:
            name = self.fresh("g")
            return "GUARD(%s, %s);" % (name, self.number())
        if which == 17:
            able = [n for n, k, _ in scope if k == "unsigned"]
            if not able:
                return "await point(cx);"
            return "HELD(%s, %s);" % (self.fresh("h"), self.rnd.choice(able))
        if which == 18 and loop:
            return "if (%s) %s;" % (e(), self.pick("break", "continue"))
        if which == 19 and label:
            return "if (%s) goto %s;" % (e(), label)
        if which == 20:
            done = self.fresh("done")
            return "{\n%s\n%s: note(cx, \"g\", %s);\n}" % (
                self.block(scope, depth - 1, loop, done), done, self.number())
        if self.deferred:
            return "await point(cx);"
        return "if (%s) return %s;" % (e(), self.value)

    # ---- functions -------------------------------------------------------

    def function(self, n):
        name = "f%d" % n
        params = [self.pick(*INTS, "unsigned", "double", "pointer",
                            "struct s0", "struct s1", "struct s2",
                            "struct s3", "struct s4")
                  for _ in range(self.rnd.randint(0, 9 if self.often(.2)
                                                  else 3))]
        result = self.pick(*INTS, "unsigned", "struct s0", "struct s1",
                           "struct s2", "struct s3", "struct s4")
        scope, text = [], []
        for i, p in enumerate(params):
            pname = "p%d" % i
            if p == "pointer":
                text.append("unsigned *" + pname)
                scope.append((pname, "pointer", None))
            else:
                text.append("%s %s" % (p, pname))
                if p.startswith("struct"):
                    scope.append((pname, "struct", STRUCTS[int(p[-1])]))
                elif p != "double":
                    scope.append((pname, p, None))
        if result in INTS:
            self.value = "(%s)(%s)" % (result, self.expr(scope, 2))
        else:
            self.value = self.literal(result, scope, 1)
        body = ["if (cx->steps++ > 200) return %s;" %
                (self.literal(result, [], 0) if result.startswith("struct")
                 else "(%s)1" % result)]
        for i, p in enumerate(params):
            if p == "double":
                body.append("note(cx, \"d\", (unsigned long)(p%d * 4));" % i)
        inner = list(scope)
        for _ in range(self.rnd.randint(2, 7)):
            body.append(self.statement(inner, 3, False, None))
        body.append("return %s;" % self.value)
        f = Function(name, params, result, self.rnd.choice(ATTRS))
        self.functions.append(f)
        return "%sasync %s\n%s(%s)\n{\n%s\n}\n" % (
            f.attr, result, name, ", ".join(["struct cx *cx"] + text),
            "\n".join(body))


def wild_program(seed, storm=False):
    maker = Maker(seed, storm)
    out = [PROLOGUE, STORM if storm else ""]
    for name, members in STRUCTS:
        out.append("struct %s { %s };\n" % (name, " ".join(
            "%s %s;" % m for m in members)))
    out.append("typedef async unsigned step_fn(struct cx *, unsigned);\n"
               "static step_fn *table[4];\n")
    out += [maker.function(n) for n in range(maker.rnd.randint(6, 14))]
    steps = []
    for n in range(4):
        scope = [("p0", "unsigned", None)]
        maker.value = maker.expr(scope, 2)
        body = "\n".join(maker.statement(scope, 2, False, None)
                         for _ in range(3))
        steps.append("static async unsigned\nstep%d(struct cx *cx, unsigned "
                     "p0)\n{\nif (cx->steps++ > 200) return p0;\n%s\n"
                     "return %s;\n}\n" % (n, body, maker.value))
    out += steps
    out.append("static step_fn *table[4] = {step0, step1, step2, step3};\n")
    call = "    note(cx, \"call\", %s);"
    if storm:
        call = "    fm_try {" + call + " } fm_catch (f) { caught(cx, f); }"
    calls = "\n".join(call % maker.call([], 2) for _ in range(8))
    if storm:
        calls = "    fm_fault *f;\n" + calls
    out.append("async void\nprogram(struct cx *cx)\n{\n%s\n}\n" %
               calls.replace("\n", "\n    cx->steps = 0;\n"))
    return "".join(out)
