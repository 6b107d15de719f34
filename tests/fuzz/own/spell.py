"""Spells a program in C, twice.

Async spells it as it is meant. Plain erases it: an await is a call and a test
of cx->fault; a scope that ends by a cleanup has one end, to which every way
out of it goes, noting which way it is, as a compiler would do it; faults are
passed on by goto. Both evaluate in the order in which clang does.
"""


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
        return "unsigned %s[%d] = {%s};" % (
            n.name, n.size, ", ".join(self.e(v) for v in n.values))

    def s_declare_vla(self, n):
        return "unsigned %s[%s %% 6u + 1u];\n" \
            "for (unsigned i = 0; i < sizeof(%s) / 4; i++) %s[i] = i;" % (
                n.name, self.e(n.size), n.name, n.name)

    def s_declare_pointer(self, n):
        return "unsigned *%s = %s;" % (n.name, self.e(n.of))

    def s_declare_typed(self, n):
        return "%s %s = %s;" % (n.type.c, n.name, self.e(n.value))

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


class Async(Speller):
    leading = ""

    def block_of(self, nodes):
        return self.block(nodes)

    def breakable(self, target, nodes):
        return self.block(nodes)

    def reachable(self, label, nodes):
        return self.block(nodes)

    # ---- awaits ------------------------------------------------------------

    def called(self, call, cx="cx", name=None):
        args = [cx] + [self.e(a) for a in call.args]
        return "%s(%s)" % (name or self.callee(call), ", ".join(args))

    def e_num(self, n):
        return "(await num(cx, %s))" % self.e(n.of)

    def e_call(self, n):
        call = self.called(n)
        if n.form in ("within", "over"):
            call = "fm_within(%s, %s)" % (
                "0" if n.form == "over" else "FM_S(1000)", call)
        elif n.form == "anywhere":
            call = "fm_anywhere(%s)" % call
        return "(%sawait %s)" % ("(unsigned)" if isinstance(
            n.function.result, str) else "", call)

    def s_discard(self, n):
        return self.e(n.call) + ";"

    def s_point(self, n):
        return "await point(cx);"

    def s_errno(self, n):
        return "errno = %d;\nawait point(cx);\n" \
            "note(cx, \"errno\", (unsigned)errno);" % n.code

    def s_hop(self, n):
        return "await fm_switch(SEAT(cx, %d));\nnote_here(cx);" % n.k

    def s_expire(self, n):
        return "{\nfm_with_timeout(FM_US(20));\n" \
            "await fm_sleep(FM_FOREVER);\n}"

    def s_fire(self, n):
        return "if (%s) await fire(cx, %s);" % (self.e(n.test), n.token)

    def s_check(self, n):
        return "await fm_token_check(fm_cancel_source_token(%s));" % n.token

    # ---- leaving ---------------------------------------------------------------

    def leave(self, n):
        if n.way == "goto":
            return "goto %s;" % n.target
        if n.way == "return":
            return "return %s;" % (self.e(n.value) if n.value else "")
        return n.way + ";"

    # ---- scopes ----------------------------------------------------------------

    def guard(self, name, end, values):
        return "struct guard %s CLEANUP(%s) = {cx, %s};\n" \
            "cx->run->opened++;" % (name, end, values)

    def s_guard(self, n):
        return self.guard(n.name, "end_guard", "%du" % n.n)

    def s_later(self, n):
        return self.guard(n.name, n.end, self.e(n.n))

    def s_held(self, n):
        return self.guard(n.name, "end_held", "0, &" + n.variable) + \
            "\nhold(cx, &%s);" % n.variable

    def s_defer(self, n):
        return "cx->run->opened++;\nFM_DEFER {\ncx->run->closed++;\n" \
            "await point(cx);\n%s\n}" % self.list(n.body)

    def s_token(self, n):
        return "fm_cancel_source *%s CLEANUP(end_source) = " \
            "fm_cancel_source_new();\n" \
            "fm_with_token(fm_cancel_source_token(%s));" % (n.name, n.name)

    def s_shield(self, n):
        return "fm_with_shield();"

    def s_timeout(self, n):
        return "fm_with_timeout(FM_S(1000));"

    def s_local(self, n):
        return "fm_with_local(&keys[%d], (uintptr_t)%s);" % (
            n.key, self.e(n.value))

    # ---- faults -------------------------------------------------------------------

    def s_try(self, n):
        return "{\nfm_fault *%s;\nfm_try %s fm_catch (%s) {\n" \
            "note_fault(cx, %s);\n%s\n}\n}" % (
                n.fault, self.block(n.body), n.fault, n.fault,
                self.list(n.handler))

    def s_throw(self, n):
        return "if (%s %% 3u == 0) fm_throw(CODE + %d, \"thrown %%d\", %d);" \
            % (self.e(n.test), n.code, n.code)

    def s_rethrow(self, n):
        return "if (%s) fm_rethrow(%s);" % (self.e(n.test), n.fault)

    def s_attempt(self, n):
        e = "e%d" % self.fresh()
        return "{ fm_fault *%s = await fm_attempt(%s, %s);\n" \
            "note_fault(cx, %s); }" % (
                e, "&" + n.variable if n.variable else "NULL",
                self.called(n.call), e)

    # ---- tasks ---------------------------------------------------------------------

    def child(self, n, form):
        """Statements that start it, then its handle's name."""
        f = n.call.function
        out, args = [], ["c_" + n.name]
        for k, (argument, param) in enumerate(zip(n.call.args, f.params)):
            name = "a%d_%s" % (k, n.name)
            c = "unsigned *" if param[1] == "pointer" else \
                self.c_type(param[2]) + " "
            out.append("%s%s = %s;" % (c, name, self.e(argument)))
            args.append(name)
        out.append("struct cx *c_%s CLEANUP(drop) = child_new(cx, %d, %d);" %
                   (n.name, n.cancel_at, n.where))
        call = "own_%s(%s)" % (f.name, ", ".join(args))
        start = "fm_start(%s)" % call if n.where == 3 else \
            "fm_start_on(SEAT(cx, %d), %s)" % (n.where, call)
        r = self.c_type(f.result)
        if form == "detach":
            out.append("fm_detach(%s);" % call if n.where == 3 else
                       "fm_release(%s);" % start)
        elif form == "take":
            out.append("FM_VALUE(%s) t_%s = fm_value(%s);" % (
                r, n.name, call))
        elif form == "begin":
            if f.result:
                out.append("%s r_%s;" % (r, n.name))
            out.append("FM_TASK(%s) t_%s = fm_begin(%s, %s);" % (
                r, n.name, "&r_" + n.name if f.result else "NULL", call))
        else:
            out.append("%sFM_TASK(%s) t_%s = %s;" % (
                "" if form == "join" else "FM_AUTO ", r, n.name, start))
        return out

    def got(self, n, awaited):
        f = n.call.function
        fold = "child_fold(cx, c_%s);" % n.name
        if f.result is None:
            return "%s;\n%s" % (awaited, fold)
        if isinstance(f.result, str):
            return "note(cx, \"got\", (unsigned)%s);\n%s" % (awaited, fold)
        return "note(cx, \"got\", h_%s(%s));\n%s" % (f.result.name, awaited,
                                                    fold)

    def begun(self, n):
        text = "if (t_%s) %sawait fm_join(t_%s); " \
            "else await fm_raise_cancelled();" % (
                n.name, "r_%s = " % n.name if n.call.function.result else "",
                n.name)
        if n.call.function.result:
            return text + "\n" + self.got(n, "r_" + n.name)
        return text + "\nchild_fold(cx, c_%s);" % n.name

    def s_task(self, n):
        out = ["fm_with_shield();"] if n.form == "shared" else []
        for child in n.children:
            out += self.child(child, n.form)
        first = n.children[0]
        if n.form == "any":
            out.append("struct cx *n_%s = child_new(cx, 0, 3), "
                       "*m_%s CLEANUP(drop) = n_%s;\n"
                       "FM_TASK(void) never_%s CLEANUP(end_never) = "
                       "fm_start(never(n_%s));" % ((first.name,) * 5))
        out.append("note(cx, \"started\", 1);")
        out.append(self.block(n.between))
        names = ["t_" + child.name for child in n.children]
        if n.form == "detach":
            return "{\n%s\n}" % "\n".join(out)
        if n.form == "begin":
            return "{\n%s\n%s\n}" % ("\n".join(out), self.begun(first))
        if n.form == "all":
            out.append("await fm_all_of(%s);" % ", ".join(names))
        if n.form == "any":
            out.append("note(cx, \"any\", await fm_any_of(%s, never_%s));" %
                       (names[0], first.name))
        word = {"take": "await fm_take(&t_%s)", "join": "await fm_join(t_%s)"
                }.get(n.form, "await fm_get(t_%s)")
        for child in n.children:
            out.append(self.got(child, word % child.name))
        return "{\n%s\n}" % "\n".join(out)

    # ---- functions ---------------------------------------------------------------

    def prototype(self, f):
        return "%sasync %s\n%s(%s)" % (f.attributes, self.c_type(f.result),
                                       f.name, self.parameters(f))

    def function(self, f):
        text = self.head(f)
        if f.loose:
            text += "struct cx *loose CLEANUP(end_loose) = cx;\n" \
                "cx->loose++;\n"
        text += self.list(f.body)
        if f.result is not None:
            text += "\nreturn %s;" % self.e(f.value)
        return "%s\n{\n%s\n}\n" % (self.prototype(f), text)

    def prototypes(self, program):
        """And for those that are started: what gives back their cx."""
        out = [Speller.prototypes(self, program)]
        for f in program.functions:
            if not f.started:
                continue
            names = ["cx"] + [p[0] for p in f.params]
            out.append(
                "static async %s\nown_%s(%s)\n{\n"
                "struct cx *own CLEANUP(drop) = cx;\n%sawait %s(%s);\n}\n" % (
                    self.c_type(f.result), f.name, self.parameters(f),
                    "return " if f.result is not None else "", f.name,
                    ", ".join(names)))
        return "".join(out)

    def main_function(self, program, body):
        loose = "struct cx *loose CLEANUP(end_loose) = cx;\ncx->loose++;\n" \
            if program.main.loose else ""
        return "static async void\n%s(struct cx *cx)\n{\n%s%s\n}\n" % (
            program.main.name, loose, body)


class Frame:
    """What encloses the statement being spelled."""

    def __init__(self, kind, target=None):
        self.kind, self.target = kind, target
        self.ways = []              # of a scope: how it is left, [0] on


class Plain(Speller):
    leading = "#define STAGE_PLAIN\n"

    def __init__(self):
        Speller.__init__(self)
        self.frames = []

    def inside(self, frame, nodes):
        self.frames.append(frame)
        text = self.block(nodes)
        self.frames.pop()
        return text

    def breakable(self, target, nodes):
        return self.inside(Frame("breakable", target), nodes)

    def reachable(self, label, nodes):
        return self.inside(Frame("label", label), nodes)

    # ---- leaving ---------------------------------------------------------------

    def exit(self, way, target=None):
        """Leaves by that way: to the innermost scope's end if there is one
        between, which goes on from there."""
        for frame in reversed(self.frames):
            if frame.kind == "scope":
                if (way, target) not in frame.ways:
                    frame.ways.append((way, target))
                return "{ way_%d = %d; goto end_%d; }" % (
                    frame.target, frame.ways.index((way, target)) + 1,
                    frame.target)
            if frame.kind == "try" and way == "fault":
                return "goto catch_%d;" % frame.target
            if frame.kind == "breakable" and frame.target == target and \
                    way in ("break", "continue"):
                return way + ";"
            if frame.kind == "label" and frame.target == target:
                return "goto %s;" % target
        return "goto out;"

    def leave(self, n):
        if n.way == "return":
            value = "ret = %s; " % self.e(n.value) if n.value else ""
            return "{ %s%s }" % (value, self.exit("return"))
        return self.exit(n.way, n.target)

    def test(self):
        return "if (cx->fault) %s" % self.exit("fault")

    # ---- awaits ------------------------------------------------------------

    def e_num(self, n):
        return "({ unsigned r_ = num(cx, %s); %s r_; })" % (
            self.e(n.of), self.test())

    def arguments(self, call, suffix):
        """Declarations of the values, in order, and their names."""
        out, names = [], []
        for k, (argument, param) in enumerate(zip(call.args,
                                                  call.function.params)):
            c = "unsigned *" if param[1] == "pointer" else \
                self.c_type(param[2]) + " "
            names.append("a%d_%s" % (k, suffix))
            out.append("%s%s = %s;" % (c, names[-1], self.e(argument)))
        return out, names

    def e_call(self, n):
        out, names = self.arguments(n, "x%d" % self.fresh())
        f = n.function
        within = n.form in ("within", "over")
        if within:
            out.append("struct scope *outer_ = with_deadline(cx, %d);" %
                       (n.form == "over"))
        call = "%s(%s)" % (self.callee(n), ", ".join(["cx"] + names))
        if f.result is None:
            out.append(call + ";")
        else:
            out.append("%s r_ = %s;" % (self.c_type(f.result), call))
        if within:
            out.append("cx->ambient = outer_;")
        out.append(self.test())
        if f.result is not None:
            out.append("%sr_;" % ("(unsigned)" if isinstance(f.result, str)
                                  else ""))
        return "({ %s })" % "\n".join(out)

    def s_discard(self, n):
        return self.e(n.call) + ";"

    def s_point(self, n):
        return "point(cx);\n" + self.test()

    def s_errno(self, n):
        return "point(cx);\n%s\nnote(cx, \"errno\", %d);" % (self.test(),
                                                             n.code)

    def s_hop(self, n):
        return "hop(cx, %d);\n%s\nnote_here(cx);" % (n.k, self.test())

    def s_expire(self, n):
        return "expire(cx);\n" + self.test()

    def s_fire(self, n):
        return "if (%s) fire(cx, %s);\n%s" % (self.e(n.test), n.token,
                                             self.test())

    def s_check(self, n):
        return "token_check(cx, %s);\n%s" % (n.token, self.test())

    # ---- scopes ------------------------------------------------------------------

    def list(self, nodes):
        """The statements; what follows one that opens a scope is inside."""
        out = []
        for k, node in enumerate(nodes):
            opened = getattr(self, "open_" + node.kind, None)
            if opened:
                before, close = opened(node)
                out.append(self.scoped(before, nodes[k + 1:], close))
                return "\n".join(out)
            out.append(self.s(node))
        return "\n".join(out)

    def scoped(self, before, rest, close):
        n = self.fresh()
        frame = Frame("scope", n)
        body = self.inside(frame, rest)
        text = "%s\n{ unsigned way_%d = 0;\n%s\nend_%d:;\n%s\n%s" % (
            before, n, body, n, close() if callable(close) else close,
            self.test())
        for k, (way, target) in enumerate(frame.ways):
            text += "\nif (way_%d == %d) %s" % (n, k + 1,
                                               self.exit(way, target))
        return text + "\n}"

    def shielded(self, text):
        """Runs code as a cleanup: not interrupted, its fault a cause."""
        n = self.fresh()
        return "{ struct fault *under_%d = fault_take(cx);\n" \
            "struct scope *out_%d = with_shield(cx);\n%s\n" \
            "cx->ambient = out_%d;\n" \
            "cx->fault = fault_join(under_%d, cx->fault); }" % (
                n, n, text, n, n)

    def guard(self, name, values):
        return "struct guard %s = {cx, %s};\ncx->run->opened++;" % (name,
                                                                   values)

    def open_guard(self, n):
        return self.guard(n.name, "%du" % n.n), "end_guard(&%s);" % n.name

    def open_later(self, n):
        return self.guard(n.name, self.e(n.n)), \
            self.shielded("%s(&%s);" % (n.end, n.name))

    def open_held(self, n):
        return self.guard(n.name, "0, &" + n.variable) + \
            "\nhold(cx, &%s);" % n.variable, "end_held(&%s);" % n.name

    def open_defer(self, n):
        return "cx->run->opened++;", lambda: self.deferred(n)

    def deferred(self, n):
        """A fault of its own goes to its end."""
        k = self.fresh()
        frame = Frame("try", k)
        self.frames.append(frame)
        text = "cx->run->closed++;\npoint(cx);\n%s\n%s" % (
            self.test(), self.block(n.body))
        self.frames.pop()
        return self.shielded("%s\ncatch_%d:;" % (text, k))

    def ambient(self, how):
        k = self.fresh()
        return "struct scope *scope_%d = %s;" % (k, how), \
            "cx->ambient = scope_%d;" % k

    def open_token(self, n):
        before, close = self.ambient("with_token(cx, %s)" % n.name)
        return "struct token *%s = token_new();\n%s" % (n.name, before), close

    def open_shield(self, n):
        return self.ambient("with_shield(cx)")

    def open_timeout(self, n):
        return self.ambient("with_deadline(cx, false)")

    def open_local(self, n):
        return self.ambient("with_local(cx, %d, %s)" % (n.key,
                                                        self.e(n.value)))

    # ---- faults -------------------------------------------------------------------

    def s_try(self, n):
        k = self.fresh()
        body = self.inside(Frame("try", k), n.body)
        return "{\nstruct fault *%s;\n%s\nif (0) {\ncatch_%d:;\n" \
            "%s = fault_take(cx);\nnote_fault(cx, %s);\n%s\n}\n}" % (
                n.fault, body, k, n.fault, n.fault, self.block(n.handler))

    def s_throw(self, n):
        return "if (%s %% 3u == 0) { raise_new(cx, CODE + %d); %s }" % (
            self.e(n.test), n.code, self.exit("fault"))

    def s_rethrow(self, n):
        return "if (%s) { cx->fault = %s; %s }" % (
            self.e(n.test), n.fault, self.exit("fault"))

    def s_attempt(self, n):
        k = self.fresh()
        out, names = self.arguments(n.call, "x%d" % k)
        f = n.call.function
        call = "%s(%s)" % (self.callee(n.call), ", ".join(["cx"] + names))
        out.append("%s%s;" % ("%s r_%d = " % (self.c_type(f.result), k)
                              if f.result is not None else "", call))
        out.append("struct fault *e%d = fault_take(cx);" % k)
        if n.variable:
            out.append("if (!e%d) %s = r_%d;" % (k, n.variable, k))
        return "{\n%s\nnote_fault(cx, e%d);\n}" % ("\n".join(out), k)

    # ---- tasks ---------------------------------------------------------------------

    def child(self, n):
        out, names = self.arguments(n.call, n.name)
        f = n.call.function
        out.append("struct cx *c_%s = child_new(cx, %d, %d);" %
                   (n.name, n.cancel_at, n.where))
        out.append("%s%s(%s);" % (
            "%s r_%s = " % (self.c_type(f.result), n.name)
            if f.result is not None else "", f.name,
            ", ".join(["c_" + n.name] + names)))
        return out

    def raised(self, n):
        return "if (c_%s->fault) { cx->fault = fault_copy(c_%s->fault); %s }" \
            % (n.name, n.name, self.exit("fault"))

    def waited(self):
        return "if (raise_pending(cx)) %s" % self.exit("fault")

    def s_task(self, n):
        if n.form == "shared":
            before, close = self.ambient("with_shield(cx)")
            inner = Frame("scope", self.fresh())
            self.frames.append(inner)
            text = self.task(n)
            self.frames.pop()
            return self.ended(before, text, close, inner)
        return "{\n%s\n}" % self.task(n)

    def ended(self, before, text, close, frame):
        n = frame.target
        text = "{ %s\nunsigned way_%d = 0;\n{\n%s\n}\nend_%d:;\n%s\n%s" % (
            before, n, text, n, close, self.test())
        return text + "\n}"

    def task(self, n):
        out = []
        for child in n.children:
            out += self.child(child)
        if n.form == "any":
            out.append("child_new(cx, 0, 3);")
        out.append("note(cx, \"started\", 1);")
        out.append(self.block(n.between))
        if n.form == "detach":
            return "\n".join(out)
        if n.form == "all":
            out += [self.waited(), self.all(n.children)]
        if n.form == "any":
            out += [self.waited(), "note(cx, \"any\", 0);"]
        for child in n.children:
            r = child.call.function.result
            out += [self.waited(), self.raised(child)]
            if isinstance(r, str):
                out.append("note(cx, \"got\", (unsigned)r_%s);" % child.name)
            elif r is not None:
                out.append("note(cx, \"got\", h_%s(r_%s));" % (r.name,
                                                              child.name))
            out.append("child_fold(cx, c_%s);" % child.name)
        return "\n".join(out)

    def all(self, children):
        """The first fault, with the others as its causes."""
        out = ["if (c_%s->fault) cx->fault = fault_join(cx->fault, "
               "fault_copy(c_%s->fault));" % (c.name, c.name)
               for c in children]
        return "\n".join(out + [self.test()])

    # ---- functions ---------------------------------------------------------------

    def prototype(self, f):
        static = "" if f.role == "plain" and "static" not in f.attributes \
            else "static "
        return "%s%s\n%s(%s)" % (static, self.c_type(f.result), f.name,
                                 self.parameters(f))

    def body(self, f, text):
        loose = ("cx->loose++;\n", "cx->loose--;\n") if f.loose else ("", "")
        return "unsigned here = cx->here;\n%s{\n%s\n}\nout:;\n%s" \
            "cx->here = here;\n" % (loose[0], text, loose[1])

    def function(self, f):
        self.frames = []
        last = text = ""
        if f.result is not None:
            text = "%s ret;\nmemset(&ret, 0, sizeof ret);\n" % \
                self.c_type(f.result)
            last = "return ret;\n"
        ending = Ending(f)
        body = self.list(f.body + [ending])
        return "%s\n{\n%s%s%s%s}\n" % (self.prototype(f), self.head(f), text,
                                       self.body(f, body), last)

    def s_ending(self, n):
        f = n.function
        if f.result is None:
            return ";"
        return "ret = %s;" % self.e(f.value)

    def main_function(self, program, body):
        return "static void\n%s(struct cx *cx)\n{\n%s}\n" % (
            program.main.name, self.body(program.main, body))


class Ending:
    """A function's last return, inside all scopes that its body opens."""
    kind = "ending"

    def __init__(self, f):
        self.function = f


def spell(programs, speller):
    """The C text of several programs in one file."""
    import classes
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
