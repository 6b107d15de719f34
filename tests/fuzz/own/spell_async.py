"""Spells a program in async C: as it is meant."""
from spell import Speller
from spell_together import TogetherAsync
from tree import Node


class Async(TogetherAsync, Speller):
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
        return "await fm_switch(SEAT(cx, %d));\nnote_here(cx);\n" \
            "note(cx, \"mine\", %s);" % (n.k, self.e_mine(Node("mine", k=0)))

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
            "%s;\n" \
            "if (!%s)\nfm_throw(ENOMEM, \"no source\");\n" \
            "fm_with_token(fm_cancel_source_token(%s));" % (
                n.name, "fm_cancel_source_link(fm_cancel_source_token(%s))"
                % n.link if n.link else "fm_cancel_source_new()", n.name,
                n.name)

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

    def prepared(self, n):
        """Statements that evaluate its arguments and make its cx; and the
        arguments."""
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
        return out, args

    def started(self, n, wrapper, args, more=()):
        call = "%s_%s(%s)" % (wrapper, n.call.function.name, ", ".join(
            args[:1] + list(more) + args[1:]))
        return "fm_start(%s)" % call if n.where == 3 else \
            "fm_start_on(SEAT(cx, %d), %s)" % (n.where, call)

    def child(self, n, form):
        """Statements that start it, with its handle's name."""
        f = n.call.function
        out, args = self.prepared(n)
        call = "own_%s(%s)" % (f.name, ", ".join(args))
        start = self.started(n, "own", args)
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
        out += self.eaters(program)
        for f in program.functions:
            out += [self.wrapper(f, kind)
                    for kind in sorted(f.wrappers, key=str)]
        return "".join(out)

    def main_function(self, program, body):
        loose = "struct cx *loose CLEANUP(end_loose) = cx;\ncx->loose++;\n" \
            if program.main.loose else ""
        return "static async void\n%s(struct cx *cx)\n{\n%s%s\n}\n" % (
            program.main.name, loose, body)


class AsyncCplusplus(Async):
    """The same text, read by C++, but for the addresses of literals."""

    def e_literal_address(self, n):
        return "cell(cx, %s)" % n.text
