"""Spells what takes several tasks: channels, groups, meetings.

Whatever order the tasks run in, the same comes out: one task sends and one
receives, or all is added up; a child of a group keeps its own faults (quiet) or is not to be
interrupted (loud, at most one); a meeting's total is a sum. What a child has
noted is folded in only where it has certainly run to its own end.
"""


def sent_type(speller, t):
    return t.c if t else "unsigned"


def hashed(speller, t, text):
    """A result as a number."""
    if t is None or isinstance(t, str):
        return "(unsigned)" + text
    return "h_%s(%s)" % (t.name, text)


class TogetherAsync:
    def wrapper(self, f, kind):
        """The async function that runs f as a task, in one of these ways."""
        name, t = kind if isinstance(kind, tuple) else (kind, None)
        head = "struct cx *own CLEANUP(drop) = cx;\n"
        call = "await %s(%s)" % (f.name, ", ".join(
            ["cx"] + [p[0] for p in f.params]))
        body, more = getattr(self, "wrap_" + name)(f, call, t)
        full = name + ("_" + (t.name if t else "u") if name == "drain"
                       else "")
        inline = "" if name == "own" else "__attribute__((noinline)) "
        return "static %sasync %s\n%s_%s(%s)\n{\n%s%s\n}\n" % (
            inline, self.c_type(f.result) if name in ("own", "drain") else "void",
            full, f.name, self.parameters(f).replace(
                "struct cx *cx", "struct cx *cx" + more, 1), head, body)

    def wrap_own(self, f, call, t):
        return "%s%s;" % ("return " if f.result is not None else "",
                          call), ""

    def value_of(self, f, call):
        """Statements that make the call, and its value as a number."""
        if f.result is None:
            return call + ";", "1u"
        return "%s r = %s;" % (self.c_type(f.result), call), \
            hashed(self, f.result, "r")

    def wrap_feed(self, f, call, t):
        return "FM_DEFER fm_channel_close(to);\nfor (unsigned i = 0; i < n; i++) {\n%s r = %s;\n" \
            "await fm_send(to, r);\n}" % (self.c_type(f.result), call), \
            ", FM_CHANNEL(%s) to, unsigned n" % self.c_type(f.result)

    def wrap_pour(self, f, call, t):
        return "fm_fault *e;\nfm_try {\n%sfor (unsigned i = 0; i < n; i++) {" \
            "\n%s r = %s;\nawait fm_send(to, r);\n}\n} fm_catch (e) {\n" \
            "note_fault(cx, e);\n}" % (self.go_there(),
                                      self.c_type(f.result), call), \
            ", unsigned where, FM_CHANNEL(%s) to, unsigned n" % \
            self.c_type(f.result)

    def wrap_drain(self, f, call, t):
        c = sent_type(self, t)
        return "FM_DEFER fm_channel_close(from);\n%s v;\n" \
            "while (await fm_receive(from, &v))\n" \
            "note(cx, \"drained\", %s);\n%s%s;" % (
                c, hashed(self, t, "v"),
                "return " if f.result is not None else "", call), \
            ", FM_CHANNEL(%s) from" % c

    def go_there(self):
        return "if (where != HERE)\nawait fm_switch(SEAT(cx, where));\n"

    def wrap_quiet(self, f, call, t):
        make, value = self.value_of(f, call)
        return "fm_fault *e;\nfm_try {\n%s%s\nnote(cx, \"got\", %s);\n} " \
            "fm_catch (e) {\nnote_fault(cx, e);\n}" % (
                self.go_there(), make, value), ", unsigned where"

    def wrap_loud(self, f, call, t):
        return "fm_with_shield();\n%sfm_fault *e = await fm_attempt(NULL, " \
            "%s);\nlook_starved(e);\n" \
            "if (e && fm_fault_code(e) == ENOMEM)\nfm_rethrow(e);\n" \
            "if (e)\nfm_throw(CODE + 1000 + fm_fault_code(e) %% 256, " \
            "\"loud\");" % (self.go_there(), call[6:]), ", unsigned where"

    def wrap_meet(self, f, call, t, turn="struct meeting *turn CLEANUP("
                  "meeting_turn_over) = await meeting_turn(m);\n"
                  "(void)turn;\n"):
        make, value = self.value_of(f, call)
        return "fm_fault *e;\nfm_try {\n%sawait meeting_join(m);\n%s" \
            "unsigned total = m->total;\n%s\nm->total = total + %s;\n} " \
            "fm_catch (e) {\nmeeting_fail(m, e);\nnote_fault(cx, e);\n}" % (
                self.go_there(), turn, make, value), \
            ", unsigned where, struct meeting *m"

    def wrap_lock(self, f, call, t):
        return self.wrap_meet(f, call, t, "fm_with_lock(&m->lock);\n")

    # ---- channels --------------------------------------------------------

    def channel(self, n, t):
        """Declares one, and starts the child with it."""
        child = n.child
        out, args = self.prepared(child)
        c = sent_type(self, t) if n.kind == "drained" else self.c_type(t)
        name = "ch_" + child.name
        out.append("FM_CHANNEL(%s) %s = fm_channel_new(%s, %d);\n"
                   "if (!%s)\nfm_throw(ENOMEM, \"no channel\");" % (
                       c, name, c, n.capacity, name))
        out.append("FM_DEFER {\nfm_channel_close(%s);\n"
                   "fm_channel_release(%s);\n}\nc_%s->channel = "
                   "FM__CHANNEL_OF(fm_channel_retain(%s));\n"
                   "fm_with_timeout(ages);" % (name, name, child.name, name))
        return out, name, args

    def within(self, how, text):
        return "fm_within(FM_S(1000), %s)" % text if how == "within" \
            else text

    def received(self, n, name, v):
        """Statements that leave the loop at the channel's end."""
        plain = "if (!await %s)\nbreak;" % self.within(
            n.how, "fm_receive(%s, &%s)" % (name, v))
        if n.how == "try":
            return "await fm_raise_cancelled();\nif (!fm_try_receive(%s, " \
                "&%s)) {\n%s\n}" % (name, v, plain)
        if n.how in ("receive", "within"):
            return plain
        at = "FM_RECEIVE(%s, &%s, &more)" % (name, v)
        text = "await fm_select(%s, %s)" % (
            "FM_US(20)" if n.how == "timed" else "FM_FOREVER",
            "FM_RECEIVE(idle, &none, NULL), " + at if n.how == "either"
            else at)
        wait = "while (%s < 0)\ncontinue;" % text if n.how == "timed" \
            else text + ";"
        return "bool more = true;\n%s\nif (!more)\nbreak;" % wait

    def s_fed(self, n):
        f, child = n.child.call.function, n.child
        out, name, call = self.channel(n, f.result)
        if n.how == "either":
            out.append("unsigned none;\nFM_CHANNEL(unsigned) idle = "
                       "fm_channel_new(unsigned, 1);\nif (!idle)\n"
                       "fm_throw(ENOMEM, \"no channel\");\n"
                       "FM_DEFER fm_channel_release(idle);")
        out.append("FM_AUTO FM_TASK(void) t_%s = %s;" % (
            child.name, self.started(child, "feed", call, [
                name, "%du" % n.count])))
        v = "v_" + child.name
        out.append("for (;;) {\n%s %s;\n%s\nnote(cx, \"received\", %s);\n"
                   "%s\n}" % (self.c_type(f.result), v,
                              self.received(n, name, v),
                              hashed(self, f.result, v),
                              self.block(n.body)))
        out.append("await fm_get(t_%s);\nchild_fold(cx, c_%s);" % (
            child.name, child.name))
        return "{\n%s\n}" % "\n".join(out)

    def send(self, n, name, value):
        c = sent_type(self, n.type)
        text = "{\n%s s = %s;\n" % (c, self.e(value))
        plain = "await %s;" % self.within(n.how, "fm_send(%s, s)" % name)
        if n.how == "select":
            plain = "await fm_select(FM_FOREVER, FM_SEND(%s, s));" % name
        elif n.how == "try":
            plain = "await fm_raise_cancelled();\n" \
                "if (!fm_try_send(%s, s))\n%s" % (name, plain)
        return text + plain + "\n}"

    def s_drained(self, n):
        f, child = n.child.call.function, n.child
        out, name, call = self.channel(n, n.type)
        out.append("FM_AUTO FM_TASK(%s) t_%s = %s;" % (
            self.c_type(f.result), child.name, self.started(
                child, "drain_" + (n.type.name if n.type else "u"), call,
                [name])))
        out += [self.send(n, name, value) for value in n.values]
        out.append("fm_channel_close(%s);" % name)
        out.append(self.got(child, "await fm_get(t_%s)" % child.name))
        return "{\n%s\n}" % "\n".join(out)

    def s_mill(self, n):
        """Senders in one group, receivers in one around it."""
        c, name = self.c_type(n.type), n.name
        out = ["_Atomic unsigned sum_%s = 0;\nfm_with_timeout(ages);\n"
               "FM_CHANNEL(%s) ch_%s = fm_channel_new(%s, %d);\n"
               "if (!ch_%s)\nfm_throw(ENOMEM, \"no channel\");\n"
               "FM_DEFER fm_channel_release(ch_%s);\nFM_GROUP(e_%s);" % (
                   name, c, name, c, n.capacity, name, name, name)]
        for k in range(n.eaters):
            out.append("fm_group_start(&e_%s, %s_eat_%s(cx, %d, ch_%s, "
                       "&sum_%s));" % (
                           name, n.children[0].call.function.name.split(
                               "_")[0], self.named(n.type), (3, 4, 0)[k],
                           name, name))
        out.append("{\nFM_GROUP(p_%s);" % name)
        out += self.members_of(n, "p_" + name, ["ch_" + name,
                                                "%du" % n.count])
        out.append("note(cx, \"started\", 1);\nawait fm_group_close(&p_%s);"
                   % name)
        out += ["child_fold(cx, c_%s);" % ch.name for ch in n.children]
        out.append("}\nfm_channel_close(ch_%s);\n"
                   "await fm_group_close(&e_%s);\n"
                   "note(cx, \"sum\", sum_%s);" % (name, name, name))
        return "{\n%s\n}" % "\n".join(out)

    def named(self, t):
        return t.replace(" ", "_") if isinstance(t, str) else t.name

    def eaters(self, program):
        """For each type that a mill carries: receives until the end."""
        types = {self.named(node.type): node.type
                 for f in program.functions for s in f.body
                 for node in s.walk() if node.kind == "mill"}
        return ["static async void\n%s_eat_%s(struct cx *cx, unsigned where, "
                "FM_CHANNEL(%s) from, _Atomic unsigned *sum)\n{\n"
                "fm_fault *e;\nfm_try {\n%s%s v;\n"
                "while (await fm_receive(from, &v))\n*sum += %s;\n"
                "} fm_catch (e) {\nlook_starved(e);\n}\n}\n" % (
                    program.name, name, self.c_type(t), self.go_there(),
                    self.c_type(t), hashed(self, t, "v"))
                for name, t in types.items()]

    # ---- groups ------------------------------------------------------------

    def members_of(self, n, group, more=()):
        out = []
        for child in n.children:
            made, args = self.prepared(child)
            out += made
            out.append("fm_group_start(&%s, %s_%s(%s));" % (
                group, child.temper, child.call.function.name, ", ".join(
                    args[:1] + ["%du" % child.where, *more] + args[1:])))
        return out

    def s_group(self, n):
        out = ["FM_GROUP(%s);" % n.name] + self.members_of(n, n.name)
        if n.lingers:
            out.append("struct cx *l_%s = child_new(cx, 0, HERE), *k_%s "
                       "CLEANUP(drop) = l_%s;\nfm_group_start(&%s, "
                       "linger(l_%s));" % ((n.name,) * 5))
        out.append("note(cx, \"started\", 1);")
        out.append(self.block(n.between))
        if n.ends == "cancel":
            out.append("fm_group_cancel(&%s);" % n.name)
        if n.ends != "leave":
            out.append("await fm_group_close(&%s);" % n.name)
        if n.ends == "close":
            out += ["child_fold(cx, c_%s);" % c.name for c in n.children]
        return "{\n%s\n}" % "\n".join(out)

    def s_meeting(self, n):
        group = "g_" + n.name
        out = ["struct meeting %s;\nfm_with_timeout(ages);\nFM_GROUP(%s);\n"
               "meeting_open(&%s, &%s, %s, %s, %du);" % (
                   n.name, group, n.name, group, n.meet, n.turn,
                   len(n.children))]
        out += self.members_of(n, group, ["&" + n.name])
        out.append("note(cx, \"started\", 1);")
        out.append(self.block(n.between))
        out.append("fm_event_set(&%s.event);\nawait fm_group_close(&%s);" % (
            n.name, group))
        out += ["child_fold(cx, c_%s);" % c.name for c in n.children]
        out.append("note(cx, \"total\", %s.total);" % n.name)
        if n.meet == "MEET_BARRIER":
            out.append("note(cx, \"last\", %s.last);" % n.name)
        return "{\n%s\n}" % "\n".join(out)

    # ---- calls that block ----------------------------------------------------

    def e_hash_blocked(self, n):
        return "(await fm_blocking(h_%s(%s)))" % (n.type.name, self.e(n.of))

    def e_make_blocked(self, n):
        return "(await fm_blocking(mk_%s(%s)))" % (n.type.name, self.e(n.of))

    def s_errno_blocked(self, n):
        return "{\nunsigned set = await fm_blocking(errno_set(%d));\n" \
            "note(cx, \"errno\", (unsigned)errno + set);\n}" % n.code

    def s_bump_blocked(self, n):
        return "note(cx, \"bumped\", await fm_blocking(bump(%s)));" % \
            self.e(n.of)


class TogetherPlain:
    def run_child(self, n, target=""):
        """The call, in the child's cx."""
        out, names = self.arguments(n.call, n.name)
        f = n.call.function
        out.append("struct cx *c_%s = child_new(cx, %d, %s);" % (
            n.name, n.cancel_at, n.where if n.kind == "child" and
            not hasattr(n, "temper") else "HERE"))
        call = "%s(%s)" % (f.name, ", ".join(["c_" + n.name] + names))
        return out, call

    # ---- channels --------------------------------------------------------

    def s_fed(self, n):
        f, child = n.child.call.function, n.child
        out, call = self.run_child(child)
        r, c, v = self.c_type(f.result), "c_" + child.name, "v_" + child.name
        name = "ch_" + child.name
        out.append("struct channel %s = {0};\n"
                   "for (unsigned i = 0; i < %du; i++) {\n%s r = %s;\n"
                   "if (%s->fault || raise_pending(%s))\nbreak;\n"
                   "channel_put(&%s, &r, sizeof r);\n}" % (
                       name, n.count, r, call, c, c, name))
        out.append("for (;;) {\n%s %s;\n%s\nif (!channel_get(&%s, &%s, "
                   "sizeof %s))\nbreak;\nnote(cx, \"received\", %s);\n"
                   "%s\n}" % (r, v, self.waited(), name, v, v,
                              hashed(self, f.result, v),
                              self.block(n.body)))
        out += [self.waited(), self.raised(child),
                "child_fold(cx, %s);" % c]
        return "{\n%s\n}" % "\n".join(out)

    def s_drained(self, n):
        f, child = n.child.call.function, n.child
        out, call = self.run_child(child)
        t, c, v = sent_type(self, n.type), "c_" + child.name, \
            "v_" + child.name
        name = "ch_" + child.name
        out.append("struct channel %s = {0};" % name)
        for value in n.values:
            out.append("{\n%s s = %s;\n%s\nchannel_put(&%s, &s, sizeof s);"
                       "\n}" % (t, self.e(value), self.waited(), name))
        out.append("%s %s;\nwhile (!raise_pending(%s) && channel_get(&%s, "
                   "&%s, sizeof %s))\nnote(%s, \"drained\", %s);" % (
                       t, v, c, name, v, v, c, hashed(self, n.type, v)))
        if f.result is not None:
            out.append("%s r_%s;\nmemset(&r_%s, 0, sizeof r_%s);" % (
                (self.c_type(f.result),) + (child.name,) * 3))
        out.append("if (!%s->fault) %s%s;" % (
            c, "r_%s = " % child.name if f.result is not None else "", call))
        return "{\n%s\n%s\n}" % ("\n".join(out), self.taken(child))

    def s_mill(self, n):
        name = "sum_" + n.name
        out = ["unsigned %s = 0;" % name]
        for child in n.children:
            made, call = self.run_child(child)
            f, c = child.call.function, "c_" + child.name
            out += made
            out.append("%sfor (unsigned i = 0; i < %du && !%s->fault; i++) "
                       "{\n%s r = %s;\nif (!%s->fault && !raise_pending(%s))"
                       "\n%s += %s;\n}\nif (%s->fault) note_fault(%s, "
                       "fault_take(%s));" % (
                           self.go_there(child), n.count, c,
                           self.c_type(f.result), call, c, c, name,
                           hashed(self, f.result, "r"), c, c, c))
        out.append("note(cx, \"started\", 1);\n%s" % self.waited())
        out += ["child_fold(cx, c_%s);" % ch.name for ch in n.children]
        out.append("%s\nnote(cx, \"sum\", %s);" % (self.waited(), name))
        return "{\n%s\n}" % "\n".join(out)

    # ---- groups ------------------------------------------------------------

    def valued(self, child, call):
        """Statements that make the call, and its value as a number."""
        f = child.call.function
        if f.result is None:
            return call + ";", "1u"
        r = "r_" + child.name
        return "%s %s = %s;" % (self.c_type(f.result), r, call), \
            hashed(self, f.result, r)

    def go_there(self, child):
        if child.where == 3:
            return ""
        return "hop(c_%s, %d);\n" % (child.name, child.where)

    def member(self, n, child):
        """Statements that run one; a loud one's fault is the group's."""
        out, call = self.run_child(child)
        c, shield = "c_" + child.name, child.temper == "loud"
        make, value = self.valued(child, call)
        if shield:
            out.append("with_shield(%s);" % c)
        elif child.temper in ("meet", "lock"):
            value = "0, total_%s += %s" % (n.name, value)
        text = "%s\nif (!%s->fault) " % (make, c)
        if child.temper == "quiet":
            text += "note(%s, \"got\", %s);" % (c, value)
        elif shield:
            text += ";"
        else:
            text += "{ %s; }" % value[3:]
        if child.temper in ("meet", "lock"):
            text = "if (!raise_pending(%s)) {\n%s\n}" % (c, text)
        out.append("%sif (!%s->fault) {\n%s\n}" % (self.go_there(child), c,
                                                   text))
        if shield:
            out.append("if (%s->fault) {\nraise_new(%s, CODE + 1000 + "
                       "%s->fault->code %% 256);\nfault_%s = %s->fault;\n}"
                       % (c, c, c, n.name, c))
        else:
            out.append("if (%s->fault) note_fault(%s, fault_take(%s));" % (
                c, c, c))
        return out

    def s_group(self, n):
        return self.together(n, ["child_fold(cx, c_%s);" % c.name
                                 for c in n.children]
                             if n.ends == "close" else [])

    def s_meeting(self, n):
        last = ["child_fold(cx, c_%s);" % c.name for c in n.children]
        last.append("note(cx, \"total\", total_%s);" % n.name)
        if n.meet == "MEET_BARRIER":
            last.append("note(cx, \"last\", %d);" % bool(n.children))
        return self.together(n, last)

    def together(self, n, last):
        """The block; its end takes a fault that nobody was told of."""
        name, k = n.name, self.fresh()
        fault = "fault_" + name
        self.frames.append(self.scope_frame(k))
        out = []
        for child in n.children:
            out += self.member(n, child)
        if getattr(n, "lingers", False):
            out.append("child_new(cx, 0, HERE);")
        out.append("note(cx, \"started\", 1);")
        out.append(self.block(n.between))
        if getattr(n, "ends", "close") != "leave":
            out.append("if (raise_pending(cx) || %s) {\ncx->fault = "
                       "fault_join(cx->fault, %s);\n%s = NULL;\n%s\n}" % (
                           fault, fault, fault, self.exit("fault")))
        out += last
        frame = self.frames.pop()
        text = "{\nstruct fault *%s = NULL;\nunsigned total_%s = 0;\n" \
            "unsigned way_%d = 0;\n{\n%s\n}\nend_%d:;\n" \
            "cx->fault = fault_join(cx->fault, %s);\n%s" % (
                fault, name, k, "\n".join(out), k, fault, self.test())
        return text + self.ways_on(frame) + "\n}"

    # ---- calls that block ----------------------------------------------------

    def e_hash_blocked(self, n):
        return "({ %s b_ = %s; %s h_%s(b_); })" % (
            n.type.c, self.e(n.of), self.waited(), n.type.name)

    def e_make_blocked(self, n):
        return "({ unsigned b_ = %s; %s mk_%s(b_); })" % (
            self.e(n.of), self.waited(), n.type.name)

    def s_errno_blocked(self, n):
        return "%s\nnote(cx, \"errno\", %du + errno_set(%d));" % (
            self.waited(), n.code, n.code)

    def s_bump_blocked(self, n):
        return "{\nunsigned *b_ = %s;\n%s\n" \
            "note(cx, \"bumped\", bump(b_));\n}" % (self.e(n.of),
                                                  self.waited())
