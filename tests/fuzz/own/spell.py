"""Spells a program in C: what both spellings have in common.

spell_async.py spells it as it is meant, spell_plain.py erases async and
await. Both evaluate in the order in which clang does.
"""
import classes


class Speller:
    def __init__(self):
        self.count = 0

    def fresh(self):
        self.count += 1
        return self.count

    def e(self, node):
        return getattr(self, "e_" + node.kind)(node)

    def s(self, node):
        return getattr(self, "s_" + node.kind)(node)

    def block(self, nodes):
        return "{\n%s\n}" % self.list(nodes)

    def list(self, nodes):
        return "\n".join(self.s(node) for node in nodes)

    # ---- expressions ------------------------------------------------------

    def e_number(self, n):
        return n.text

    def e_variable(self, n):
        return "(unsigned)" + n.name

    def e_reduce(self, n):
        return "%s %% %du" % (self.e(n.of), n.size)

    def e_element(self, n):
        return "%s[%s]" % (n.name, self.e(n.index))

    def e_vla_element(self, n):
        return "%s[%s %% (sizeof(%s) / sizeof(unsigned))]" % (
            n.name, self.e(n.index), n.name)

    def e_deref(self, n):
        return "*" + n.name

    def e_typed(self, n):
        return n.name

    def e_member(self, n):
        return "(unsigned)%s.%s" % (n.name, n.member)

    def e_hash(self, n):
        return "h_%s(%s)" % (n.type.name, self.e(n.of))

    def e_make(self, n):
        return "mk_%s(%s)" % (n.type.name, self.e(n.of))

    def e_binary(self, n):
        return "(%s %s %s)" % (self.e(n.left), n.op, self.e(n.right))

    def e_shift(self, n):
        return "(%s %s (%s & 7u))" % (self.e(n.left), n.op, self.e(n.right))

    def e_divide(self, n):
        return "(%s %s (%s | 1u))" % (self.e(n.left), n.op, self.e(n.right))

    def e_compare(self, n):
        return "(unsigned)(%s %s %s)" % (self.e(n.left), n.op,
                                         self.e(n.right))

    def e_choose(self, n):
        return "(%s ? %s : %s)" % (self.e(n.test), self.e(n.left),
                                   self.e(n.right))

    def e_comma(self, n):
        return "(%s, %s)" % (self.e(n.left), self.e(n.right))

    def e_narrow(self, n):
        return "(unsigned)(%s)(%s)" % (n.to, self.e(n.of))

    def e_mine(self, n):
        return "(unsigned)seat_is_mine(&seat.scratch[%d], %d)" % (n.k, n.k)

    def e_local_get(self, n):
        return "local_get(cx, %d)" % n.key

    def e_literal_address(self, n):
        return "&(unsigned){%s}" % n.text

    def e_address(self, n):
        return "&" + n.name

    def e_element_address(self, n):
        return "&%s[%s]" % (n.name, self.e(n.index))

    def e_pointer(self, n):
        return n.name

    def callee(self, call):
        if call.how == "name":
            return call.function.name
        if call.how == "table":
            return "%s_table[%d]" % (call.function.name.split("_")[0],
                                     int(call.function.name[-1]))
        return "at_" + call.function.name

    # ---- statements ---------------------------------------------------------

    def s_declare(self, n):
        return "%s%s %s = (%s)(%s);" % (n.storage, n.type, n.name, n.type,
                                        self.e(n.value))

    def s_declare_array(self, n):
        return "%sunsigned %s[%d] = {%s};" % (
            self.aligned(n), n.name, n.size,
            ", ".join(self.e(v) for v in n.values))

    def aligned(self, n):
        return "__attribute__((aligned(%d))) " % n.align if n.align else ""

    def s_aligned(self, n):
        return "note(cx, \"aligned\", (uintptr_t)%s%s %% %du);" % (
            "&" if n.itself else "", n.name, n.align)

    def s_declare_alloca(self, n):
        k = "n_" + n.name
        bytes_ = "sizeof(unsigned) * %s" % k
        return "unsigned %s = %d + %s %% 6u;\nunsigned *%s = %s;\n" \
            "for (unsigned i = 0; i < %s; i++) %s[i] = i;" % (
                k, n.size, self.e(n.more), n.name,
                "(unsigned *)__builtin_alloca_with_align(%s, %d)" % (
                    bytes_, n.align * 8) if n.align else
                "(unsigned *)__builtin_alloca(%s)" % bytes_, k, n.name)

    def s_declare_vla(self, n):
        return "unsigned %s[%s %% 6u + 1u]%s;\n" \
            "for (unsigned i = 0; i < sizeof(%s) / 4; i++) %s[i] = i;" % (
                n.name, self.e(n.size), " __attribute__((aligned(%d)))" %
                n.align if n.align else "", n.name, n.name)

    def s_declare_pointer(self, n):
        return "unsigned *%s = %s;" % (n.name, self.e(n.of))

    def s_declare_typed(self, n):
        return "%s%s %s = %s;" % (self.aligned(n), n.type.c, n.name,
                                  self.e(n.value))

    def s_assign(self, n):
        target = self.e(n.target).replace("(unsigned)", "", 1) \
            if n.target.kind in ("variable", "member") else self.e(n.target)
        return "%s %s= (%s)(%s);" % (target, n.op, n.type, self.e(n.value))

    def s_assign_typed(self, n):
        return "%s = %s;" % (n.name, self.e(n.value))

    def s_note(self, n):
        return "note(cx, \"n\", %s);" % self.e(n.of)

    def s_bump(self, n):
        return "bump(%s);" % self.e(n.of)

    def s_here(self, n):
        return "note_here(cx);"

    def s_seat(self, n):
        place = "seat.scratch[%d]" % n.k
        return "%s = %s;\nnote(cx, \"seat\", %s + seat_is_mine(&%s, %d));" % (
            place, self.e(n.value), place, place, n.k)

    def s_block(self, n):
        return self.block(n.body)

    def s_if(self, n):
        text = "if (%s) %s" % (self.e(n.test), self.block(n.body))
        return text + (" else " + self.block(n.other) if n.other else "")

    def s_for(self, n):
        return "for (unsigned %s = 0; %s < %du && (%s | 1u); %s++) %s" % (
            n.counter, n.counter, n.bound, self.e(n.test), n.counter,
            self.breakable(n.counter, n.body))

    def s_while(self, n):
        return "{ unsigned %s = 0; while (%s++ < %du && (%s | 2u)) %s }" % (
            n.counter, n.counter, n.bound, self.e(n.test),
            self.breakable(n.counter, n.body))

    def s_do(self, n):
        return "{ unsigned %s = 0; do %s while (%s++ < %du && %s); }" % (
            n.counter, self.breakable(n.counter, n.body), n.counter, n.bound,
            self.e(n.test))

    def s_switch(self, n):
        cases = ["%s: %s %s" % (c.label, self.breakable("switch", c.body),
                                "break;" if c.ends else "")
                 for c in n.cases]
        return "switch (%s %% 5u) {\n%s\n}" % (self.e(n.test),
                                               "\n".join(cases))

    def s_forward(self, n):
        return "{\n%s\n%s: note(cx, \"label\", 1);\n}" % (
            self.reachable(n.label, n.body), n.label)

    def s_again(self, n):
        k = "n_" + n.label
        return "{ unsigned %s = 0;\n%s: if (%s++ < %du && (%s | 1u)) %s }" % (
            k, n.label, k, n.bound, self.e(n.test),
            self.reachable(n.label, n.body))

    def s_leave(self, n):
        return "if (%s) %s" % (self.e(n.test), self.leave(n))

    # ---- functions -------------------------------------------------------------

    def c_type(self, t):
        return "void" if t is None else t if isinstance(t, str) else t.c

    def parameters(self, f, names=True):
        if f.role == "cleanup":
            return "struct guard *g"
        out = ["struct cx *cx"]
        for name, kind, t in f.params:
            c = "unsigned *" if kind == "pointer" else self.c_type(t) + " "
            out.append(c + name)
        return ", ".join(out)

    def nothing(self, f):
        """What a function returns that may not go on."""
        if f.result is None:
            return ""
        return "(%s)1" % f.result if isinstance(f.result, str) else \
            "mk_%s(1u)" % f.result.name

    def head(self, f):
        text = ""
        if f.role == "cleanup":
            text = "struct cx *cx = g->cx;\nunsigned p0 = g->n;\n" \
                "cx->run->closed++;\nnote(cx, \"clean\", p0);\n"
        return text + "if (!cx->left) return %s;\ncx->left--;\n" % \
            self.nothing(f)

    def prototypes(self, program):
        out = []
        for f in program.functions:
            out.append(self.prototype(f) + ";\n")
            out.append("static __typeof__(%s) *volatile at_%s = %s;\n" %
                       (f.name, f.name, f.name))
        steps = [f.name for f in program.functions if f.role == "step"]
        if steps:
            out.append("static __typeof__(%s) *volatile %s_table[] = {%s};\n"
                       % (steps[0], program.name, ", ".join(steps)))
        return "".join(out)

    def program(self, program):
        out = [self.prototypes(program)]
        for f in program.functions:
            out.append(self.function(f))
        out.append(self.main(program))
        return "".join(out)

    def main(self, program):
        body = "\n".join("cx->left = 60;\n" + self.s(call)
                         for call in program.main.body)
        return self.main_function(program, body)


def spell(programs, speller):
    """The C text of several programs in one file."""
    types = {}
    for program in programs:
        for t in program.types:
            types.setdefault(t.name, t)
    out = [speller.leading, "#include \"stage.h\"\n", classes.PROLOGUE,
           "typedef int vi32t __attribute__((vector_size(32)));\n"]
    for t in types.values():
        out.append(t.words())
        out.append("""\
static inline %(c)s mk_%(n)s(unsigned s)
{ %(c)s v; fill_%(n)s(&v, s); return v; }
static inline unsigned h_%(n)s(%(c)s v)
{ unsigned long h = hash_%(n)s(&v); return (unsigned)(h ^ h >> 32); }
""" % {"c": t.c, "n": t.name})
    plays = []
    for program in programs:
        out.append("\n/* ---- %s ---- */\n" % program.name)
        out.append(speller.program(program))
        plays.append("    {\"%s\", %s},\n" % (program.name,
                                              program.main.name))
    out.append("\nconst struct play plays[] = {\n%s};\n"
               "const unsigned plays_count = %du;\n" % ("".join(plays),
                                                        len(plays)))
    return "".join(out)
