"""Spells a program in plain C: its meaning.

An await is a call and a test of cx->fault. A scope that ends by a cleanup has
one end, to which every way out of it goes, noting which way it is, as a
compiler would do it. Faults are passed on by goto.
"""
from spell import Speller
from spell_together import TogetherPlain
from tree import Node


class Frame:
    """What encloses the statement being spelled."""

    def __init__(self, kind, target=None):
        self.kind, self.target = kind, target
        self.ways = []              # of a scope: how it is left, [0] on


class Plain(TogetherPlain, Speller):
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
        return "hop(cx, %d);\n%s\nnote_here(cx);\n" \
            "note(cx, \"mine\", %s);" % (
                n.k, self.test(), self.e_mine(Node("mine", k=0)))

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
        return text + self.ways_on(frame) + "\n}"

    def scope_frame(self, n):
        return Frame("scope", n)

    def ways_on(self, frame):
        """What follows a scope's end: on the way by which it was left."""
        return "".join("\nif (way_%d == %d) %s" % (
            frame.target, k + 1, self.exit(way, target))
            for k, (way, target) in enumerate(frame.ways))

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
        return "struct token *%s = token_new(%s);\n%s" % (
            n.name, n.link or "NULL", before), close

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
        return "\n".join(out + [self.taken(child) for child in n.children])

    def taken(self, child):
        """Its result, noted; what it has noted, folded in."""
        out = [self.waited(), self.raised(child)]
        r = child.call.function.result
        if isinstance(r, str):
            out.append("note(cx, \"got\", (unsigned)r_%s);" % child.name)
        elif r is not None:
            out.append("note(cx, \"got\", h_%s(r_%s));" % (r.name,
                                                          child.name))
        return "\n".join(out + ["child_fold(cx, c_%s);" % child.name])

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
