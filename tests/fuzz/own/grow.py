"""Grows a random program without undefined behaviour and without races.

Numbers are unsigned, indices are reduced, loops are bounded, calls run out
of a task's share. What another task may see is handed over by an await: a
child has a log of its own, which is folded in when it is joined. Nobody but
the task itself, at points that are counted, cancels it.
"""
import random

from grow_together import WHERE, Together
from tree import Function, Node, Program, Variable

INTS = ("unsigned", "unsigned", "unsigned long", "unsigned char",
        "unsigned short", "_Bool", "int", "short", "signed char", "long")
ATTRIBUTES = ("", "static ", "static ", "static inline ",
              "static __attribute__((noinline)) ",
              "static __attribute__((noinline)) ",
              "static __attribute__((always_inline)) inline ",
              "__attribute__((cold)) ", "__attribute__((weak)) ")


class Place:
    """Where a statement stands: what it may see and how it may leave."""

    def __init__(self, scope=(), depth=3):
        self.scope = list(scope)
        self.depth = depth
        self.loop = None            # what break and continue leave
        self.breaks = None
        self.labels = ()            # that goto may reach
        self.returns = True
        self.handler = None         # the fault that may be rethrown
        self.fires = True           # tokens further out may fire

    def inside(self, **changes):
        new = Place(self.scope, self.depth - 1)
        for name in ("loop", "breaks", "labels", "returns", "handler",
                     "fires"):
            setattr(new, name, getattr(self, name))
        for name, value in changes.items():
            setattr(new, name, value)
        return new


class Grower(Together):
    def __init__(self, name, seed, all_types):
        self.rnd = random.Random(seed)
        self.name = name
        self.count = 0
        self.types = self.rnd.sample(all_types, self.rnd.randint(2, 4))
        self.functions = []
        self.visible = []           # those that the function may call
        self.now = None             # the function that grows
        self.large = False

    def roll(self, n):
        return self.rnd.randrange(n)

    def often(self, p):
        return self.rnd.random() < p

    def pick(self, *choices):
        return self.rnd.choice(choices)

    def fresh(self, prefix):
        self.count += 1
        return "%s%d" % (prefix, self.count)

    # ---- expressions: unsigned ------------------------------------------

    def number(self):
        return Node("number", text=self.pick(
            "0u", "1u", "2u", "5u", "7u", "255u", "65535u", "0xffffffffu",
            "%du" % self.roll(100)))

    def index(self, place, size):
        if self.often(.6):
            return Node("number", text="%du" % self.roll(size))
        return Node("reduce", of=self.unsigned(place, 0), size=size)

    def readable(self, place):
        out = []
        for v in place.scope:
            if v.kind in ("int", "counter"):
                out.append(Node("variable", name=v.name))
            elif v.kind == "array":
                out.append(Node("element", name=v.name,
                                index=self.index(place, v.size)
                                if self.often(.2) else self.index(
                                    Place(), v.size)))
            elif v.kind == "vla":
                out.append(Node("vla_element", name=v.name,
                                index=self.number()))
            elif v.kind == "pointer":
                out.append(Node("deref", name=v.name))
            elif v.kind == "typed":
                out.append(Node("hash", type=v.type,
                                of=Node("typed", name=v.name)))
                out += [Node("member", name=v.name, member=m)
                        for m, _ in members(v.type)]
        return out

    def unsigned(self, place, depth):
        if depth <= 0 or self.often(.2):
            options = self.readable(place) if self.often(.8) else ()
            return self.rnd.choice(options) if options else self.number()
        e = lambda: self.unsigned(place, depth - 1)
        which = self.roll(20)
        if which < 4:
            return Node("binary", op=self.pick("+", "-", "*", "^", "|", "&"),
                        left=e(), right=e())
        if which == 4:
            return Node("shift", op=self.pick("<<", ">>"), left=e(),
                        right=e())
        if which == 5:
            return Node("divide", op=self.pick("/", "%"), left=e(), right=e())
        if which == 6:
            return Node("compare", op=self.pick("<", "==", ">=", "!=", "&&",
                                                "||"), left=e(), right=e())
        if which == 7:
            return Node("choose", test=e(), left=e(), right=e())
        if which == 8:
            return Node("comma", left=e(), right=e())
        if which == 9:
            return Node("narrow", to=self.rnd.choice(INTS), of=e())
        if which == 10:
            return Node("local_get", key=self.roll(2))
        if which < 13:
            return Node("num", of=e())
        if which == 17:
            return Node("mine", k=self.roll(4))
        if which == 18 and self.often(.4):
            return self.blocked_value(place, depth - 1)
        if which == 13 and place.depth > 0:
            t = self.rnd.choice(self.types)
            return Node("hash", type=t, of=self.typed(place, t, depth - 1))
        return self.call_of(place, lambda f: f.result is not None,
                            depth - 1) or e()

    # ---- expressions: of a type ------------------------------------------

    def typed(self, place, t, depth):
        have = [v for v in place.scope if v.kind == "typed" and v.type is t]
        which = self.roll(5)
        if have and (which < 2 or depth <= 0):
            return Node("typed", name=self.rnd.choice(have).name)
        if which == 2 and depth > 0:
            return Node("choose", test=self.unsigned(place, 1),
                        left=self.typed(place, t, depth - 1),
                        right=self.typed(place, t, depth - 1))
        if which > 2 and depth > 0:
            call = self.call_of(place, lambda f: f.result is t, depth - 1,
                                bare=True)
            if call:
                return call
        return Node("make_blocked" if self.often(.04) else "make", type=t,
                    of=self.unsigned(place, depth - 1))

    # ---- calls -----------------------------------------------------------

    def call_of(self, place, wanted, depth, bare=False, form=None):
        """A call, or None. Of a type unless bare: as its hash."""
        fit = [f for f in self.visible if wanted(f)]
        if not fit:
            return None
        f = self.rnd.choice(fit)
        if not form:
            form = self.pick("within", "within", "over", "anywhere") \
                if self.often(.12) else "await"
            self.now.loose |= form == "anywhere"
        how = "name"
        if f.role == "step" and not f.inlined:
            how = self.pick("name", "table", "pointer")
        elif not f.inlined and self.often(.15):
            how = "pointer"
        if form == "start":
            how = "name"
        call = Node("call", function=f, form=form, how=how, args=[
            self.argument(place, p, depth) for p in f.params])
        if isinstance(f.result, str) or f.result is None or bare:
            return call
        return Node("hash", type=f.result, of=call)

    def argument(self, place, param, depth):
        _, kind, t = param
        if kind == "int":
            return Node("narrow", to=t, of=self.unsigned(place, depth))
        if kind == "typed":
            return self.typed(place, t, depth)
        return self.address(place)

    def address(self, place):
        out = [Node("literal_address", text=self.number().text)]
        for v in place.scope:
            if v.kind == "int" and v.type == "unsigned" and v.addressable:
                out += [Node("address", name=v.name)] * 2
            elif v.kind == "array":
                out.append(Node("element_address", name=v.name,
                                index=self.index(place, v.size)))
            elif v.kind == "pointer":
                out.append(Node("pointer", name=v.name))
        return self.rnd.choice(out)

    # ---- statements: declarations and assignments --------------------------

    def declare(self, place):
        which = self.roll(12)
        name = self.fresh("v")
        align = self.pick(32, 64, 256, 4096) if self.often(.2) else 0
        if which < 4:
            t = self.rnd.choice(INTS)
            storage = self.pick("", "", "", "volatile ", "_Alignas(64) ") \
                if t == "unsigned" else ""
            node = Node("declare", storage=storage, type=t, name=name,
                        value=self.unsigned(place, 2))
            place.scope.append(Variable(name, "int", t, 0,
                                        storage != "volatile "))
            return node
        if which < 6:
            size = self.pick(1, 2, 5, 9, 40)
            node = Node("declare_array", name=name, size=size, align=align,
                        values=[self.unsigned(place, 1)
                                for _ in range(min(size, 3))])
            place.scope.append(Variable(name, "array", size=size,
                                        align=align))
            return node
        if which == 6:
            node = Node("declare_vla", name=name, align=align,
                        size=self.unsigned(place, 1))
            place.scope.append(Variable(name, "vla", align=align))
            return node
        if which == 7:
            node = Node("declare_pointer", name=name,
                        of=self.address(place))
            place.scope.append(Variable(name, "pointer"))
            return node
        if which == 8:
            size = self.pick(1, 2, 7, 30)
            node = Node("declare_alloca", name=name, size=size, align=align,
                        more=self.unsigned(place, 1))
            place.scope.append(Variable(name, "array", size=size,
                                        align=align))
            return node
        t = self.rnd.choice(self.types)
        node = Node("declare_typed", name=name, type=t, align=align,
                    value=self.typed(place, t, 2))
        place.scope.append(Variable(name, "typed", t, align=align))
        return node

    def assign(self, place):
        targets = []
        for v in place.scope:
            if v.kind == "int":
                targets.append((Node("variable", name=v.name), v.type))
            elif v.kind == "array":
                targets.append((Node("element", name=v.name, index=self.index(
                    place, v.size)), "unsigned"))
                targets.append((Node("element", name=v.name, index=Node(
                    "reduce", of=self.unsigned(place, 1), size=v.size)),
                    "unsigned"))
            elif v.kind == "pointer":
                targets.append((Node("deref", name=v.name), "unsigned"))
            elif v.kind == "typed":
                targets.append((None, v))
                targets += [(Node("member", name=v.name, member=m), c)
                            for m, c in members(v.type)]
        if not targets:
            return Node("note", of=self.unsigned(place, 2))
        target, t = self.rnd.choice(targets)
        if target is None:
            return Node("assign_typed", name=t.name, value=self.typed(
                place, t.type, 2))
        op = self.pick("", "", "+", "-", "^", "*", "|") if t != "_Bool" \
            else ""
        return Node("assign", target=target, op=op, type=t,
                    value=self.unsigned(place, 2))

    # ---- statements: control ------------------------------------------------

    def block(self, place, most=4):
        return [self.statement(place)
                for _ in range(1 + self.roll(most))]

    def loop(self, place):
        form = self.pick("for", "while", "do")
        k = self.fresh("k")
        inner = place.inside(loop=k, breaks=k)
        inner.scope.append(Variable(k, "counter"))
        return Node(form, counter=k, bound=1 + self.roll(3),
                    test=self.unsigned(place, 1), body=self.block(inner))

    def switch(self, place):
        inner = lambda: place.inside(breaks="switch")
        cases = [Node("case", label="case %d" % n, body=self.block(inner(), 3),
                      ends=self.often(.6)) for n in range(1 + self.roll(4))]
        cases.append(Node("case", label="default", body=self.block(inner(), 2),
                          ends=self.often(.5)))
        self.rnd.shuffle(cases)
        return Node("switch", test=self.unsigned(place, 2), cases=cases)

    def labelled(self, place):
        label = self.fresh("label")
        inner = place.inside(labels=place.labels + (label,))
        if self.often(.5):
            return Node("forward", label=label, body=self.block(inner))
        return Node("again", label=label, bound=1 + self.roll(3),
                    test=self.unsigned(place, 1), body=self.block(inner))

    def leave(self, place):
        ways = [("goto", label) for label in place.labels]
        if place.breaks:
            ways.append(("break", place.breaks))
        if place.loop:
            ways.append(("continue", place.loop))
        if place.returns:
            ways += [("return", None)] * 2
        if not ways:
            return Node("point")
        way, target = self.rnd.choice(ways)
        value = None
        if way == "return":
            value = self.result(place)
        return Node("leave", way=way, target=target, value=value,
                    test=self.unsigned(place, 1))

    def result(self, place):
        r = self.now.result
        if r is None:
            return None
        if isinstance(r, str):
            return Node("narrow", to=r, of=self.unsigned(place, 2))
        return self.typed(place, r, 2)

    # ---- statements: scopes, faults -------------------------------------------

    def scope(self, place):
        """Holds to the end of the block."""
        which = self.roll(11)
        if which > 8:
            which = 6
        if which < 2:
            return Node("guard", name=self.fresh("g"), n=self.roll(100))
        if which < 4:
            ends = [f for f in self.functions if f.role == "cleanup"]
            end = self.rnd.choice(ends).name if ends and self.often(.6) \
                else "end_later"
            return Node("later", name=self.fresh("g"), end=end,
                        n=self.unsigned(place, 1))
        if which == 4:
            able = [v.name for v in place.scope if v.kind == "int" and
                    v.type == "unsigned" and v.addressable]
            if able:
                return Node("held", name=self.fresh("h"),
                            variable=self.rnd.choice(able))
        if which == 5:
            inner = place.inside(loop=None, breaks=None, labels=(),
                                 returns=False)
            return Node("defer", body=self.block(inner, 3))
        if which == 6:
            token, outer = self.fresh("token"), [
                v.name for v in place.scope if v.kind == "token"]
            place.scope.append(Variable(token, "token"))
            return Node("token", name=token, link=self.rnd.choice(outer)
                        if outer and self.often(.7) else None)
        if which == 7:
            return Node(self.pick("shield", "timeout"))
        return Node("local", key=self.roll(2), value=self.unsigned(place, 1))

    def faulty(self, place):
        which = self.roll(10)
        if which < 4 and place.depth > 0:
            f = self.fresh("fault")
            body = self.block(place.inside())
            return Node("try", fault=f, body=body, handler=self.block(
                place.inside(handler=f), 2))
        if which < 6:
            return Node("throw", test=self.unsigned(place, 1),
                        code=self.roll(1000))
        if which == 6 and place.handler:
            return Node("rethrow", fault=place.handler,
                        test=self.unsigned(place, 1))
        if which == 7:
            return Node("expire") if self.often(.3) else Node("point")
        return self.attempt(place)

    def attempt(self, place):
        able = [v for v in place.scope if v.addressable and
                v.kind in ("int", "typed")]
        results = [v.type for v in able]
        call = self.call_of(place, lambda f: f.result is None or
                            f.result in results, 1, bare=True, form="attempt")
        if not call:
            return Node("point")
        r = call.function.result
        return Node("attempt", call=call, variable=self.rnd.choice(
            [v.name for v in able if v.type == r]) if r else None)

    # ---- statements: tasks ---------------------------------------------------

    def task(self, place):
        """Children, something between, what comes of them."""
        form = self.pick("join", "get", "get", "take", "begin", "all", "any",
                         "detach", "shared")
        count = 1 + self.roll(3) if form in ("get", "all") else 1
        pointers = form == "shared"
        children = []
        for _ in range(count):
            call = self.call_of(
                place, lambda f: pointers or not any(
                    p[1] == "pointer" for p in f.params), 1, bare=True,
                form="start")
            if not call:
                return Node("point")
            call.function.wrappers.add("own")
            children.append(Node(
                "child", call=call, name=self.fresh("c"),
                where=self.pick(*WHERE) if form not in ("take", "begin") and
                self.often(.6) else 3,
                cancel_at=self.roll(4) if form != "begin" and self.often(.3)
                else 0))
        between = []
        if form in ("get", "all", "any") and place.depth > 0:
            between = self.block(place.inside(
                loop=place.loop, fires=False), 2)
        return Node("task", form=form, children=children, between=between)

    # ---- statements --------------------------------------------------------------

    def token_word(self, place):
        tokens = [v.name for v in place.scope if v.kind == "token"]
        if not tokens or not place.fires:
            return None
        return Node(self.pick("fire", "fire", "check"),
                    token=self.rnd.choice(tokens), test=self.unsigned(place, 1))

    def statement(self, place):
        which = self.roll(37)
        if self.often(.3):
            word = self.token_word(place)
            if word:
                return word
        if place.depth <= 0:
            which = which % 15
        if which < 3:
            return self.declare(place)
        if which < 6:
            return self.assign(place)
        if which < 8:
            return Node("note", of=self.unsigned(place, 2))
        if which == 8:
            return Node("point")
        if which == 9:
            return Node("bump", of=self.address(place))
        if which == 10:
            return self.leave(place)
        if which == 11:
            return self.odd(place)
        if which < 14:
            return self.scope(place)
        if which < 16 or which == 33:
            return self.faulty(place)
        if which < 18:
            return Node("if", test=self.unsigned(place, 2),
                        body=self.block(place.inside()),
                        other=self.block(place.inside(), 2)
                        if self.often(.5) else [])
        if which < 21:
            return self.loop(place)
        if which == 21:
            return self.switch(place)
        if which == 22:
            return self.labelled(place)
        if which < 25:
            return Node("block", body=self.block(place.inside()))
        if which < 28:
            return self.task(place)
        if which == 28 or which > 34:
            return self.together(place)
        if which == 29:
            call = self.call_of(place, lambda f: True, 1, bare=True)
            return Node("discard", call=call) if call else Node("point")
        return self.faulty(place)

    def odd(self, place):
        which = self.roll(6)
        aligned = [v for v in place.scope if v.align]
        if aligned and self.often(.5):
            v = self.rnd.choice(aligned)
            return Node("aligned", name=v.name, align=v.align,
                        itself=v.kind == "typed")
        if which == 0:
            return Node("seat", k=self.roll(4), value=self.number())
        if which == 1:
            return Node("errno", code=1 + self.roll(100))
        if which < 4:
            self.now.hops = True
            return Node("hop", k=self.pick(0, 1, 2, 4, 4))
        if which == 4:
            return self.blocked(place)
        return Node("here")

    # ---- functions -----------------------------------------------------------------

    def function(self, n, role):
        rnd = self.rnd
        if role == "step":
            f = Function("step%d" % n, [("p0", "int", "unsigned")],
                         "unsigned", role)
        elif role == "cleanup":
            f = Function("clean%d" % n, [], None, role)
        else:
            params = []
            for k in range(rnd.randint(0, 8 if self.often(.15) else 3)):
                kind = self.pick("int", "typed", "typed", "pointer")
                params.append(("p%d" % k, kind, rnd.choice(INTS) if kind ==
                               "int" else rnd.choice(self.types) if kind ==
                               "typed" else None))
            f = Function("f%d" % n, params, self.pick(
                rnd.choice(INTS), rnd.choice(self.types),
                rnd.choice(self.types), None if self.often(.4)
                else "unsigned"))
            f.attributes = rnd.choice(ATTRIBUTES)
        f.name = "%s_%s" % (self.name, f.name)
        if not f.attributes:
            f.attributes = "static " if role != "plain" else ""
        return f

    def fill(self, f):
        self.now = f
        place = Place(depth=3 if self.large or f.role == "plain" and
                      self.often(.5) else 2)
        for name, kind, t in f.params:
            place.scope.append(Variable(name, kind, t))
        if f.role == "cleanup":
            place.scope.append(Variable("p0", "int", "unsigned"))
            place.returns = False
        f.body = [self.statement(place)
                  for _ in range(2 + self.roll(
                      5 if self.large else 4 if f.role == "plain" else 1))]
        f.value = self.result(place)

    def visible_to(self, f):
        """What f may call: those before it, and some that may come back to
        it. What is always inlined only calls what stands before it."""
        n = self.functions.index(f)
        later = [] if f.inlined else [
            g for g in self.functions[n:] if not g.inlined and self.often(.5)]
        return [g for g in self.functions[:n] + later if g.role != "cleanup"]

    def main(self):
        main = Function(self.name + "_main", [], None)
        self.now = main
        self.visible = [f for f in self.functions if f.role != "cleanup"]
        main.body = [
            Node("try", fault=self.fresh("fault"), handler=[], body=[
                Node("discard", call=self.call_of(
                    Place(), lambda f: True, 1, bare=True))])
            for _ in range(4)]
        return main

    def program(self):
        self.large = self.often(.06)
        roles = ["step"] * 2 + ["plain"] * (
            4 + self.roll(4) if self.large else 2 + self.roll(2)) + \
            ["cleanup"] * self.roll(2)
        self.functions = [self.function(n, role)
                          for n, role in enumerate(roles)]
        for f in self.functions:
            self.visible = self.visible_to(f)
            self.fill(f)
        return Program(self.name, self.types, self.functions, self.main())


def members(t):
    """(member, C type) of the places of a struct that take a number."""
    return [(s[1:], c) for s, kind, c, count in t.places
            if kind == "int" and not count and s]


def grow(name, seed, all_types):
    return Grower(name, seed, all_types).program()
