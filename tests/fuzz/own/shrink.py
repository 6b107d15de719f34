"""Makes a failing program smaller while it still fails.

Each edit of the tree is kept if the program then still has a plain reading
and differs from it, in one of the modes in which it did. Edits that leave no
program (a variable without its declaration) have no plain reading.
"""
from spell import spell
from spell_async import Async
from tree import Node

STATEMENTS = ("body", "other", "cases", "handler", "between", "children")
TYPED = ("typed", "make", "make_blocked")


class Shrinker:
    def __init__(self, reader, program, level, mode):
        self.reader, self.program, self.level = reader, program, level
        self.mode = [mode] if mode else None
        self.kind = None            # how it failed first
        self.tries = 0

    def fails(self):
        if any(node.kind in ("task", "meeting", "mill") and not node.children
               for nodes in self.lists() for node in nodes):
            return False
        self.tries += 1
        bad = self.reader.read("shrunk", [self.program], self.level,
                               self.mode)
        kinds = {mode for mode, _ in bad}
        if self.kind is None:
            self.kind = kinds - {"plain"}
            if self.kind and self.kind != {"compile"}:
                self.mode = [sorted(self.kind)[0]]
        return bool(kinds & self.kind)

    # ---- lists --------------------------------------------------------------

    def lists(self):
        """Every list of statements, outermost first."""
        for f in [self.program.main] + self.program.functions:
            yield f.body
            for node in [n for s in f.body for n in s.walk()]:
                for name in STATEMENTS:
                    part = getattr(node, name, None)
                    if isinstance(part, list):
                        yield part

    def drop_from(self, nodes):
        """Drops runs of a list, long ones first."""
        size, dropped = len(nodes), False
        while size:
            at = 0
            while at < len(nodes):
                kept = nodes[at:at + size]
                del nodes[at:at + size]
                if self.fails():
                    dropped = True
                else:
                    nodes[at:at] = kept
                    at += size
            size //= 2
        return dropped

    def open_in(self, nodes):
        """Puts what a statement holds in place of it."""
        opened = False
        for at in range(len(nodes) - 1, -1, -1):
            node = nodes[at]
            for name in ("body", "handler", "other", "between"):
                inside = getattr(node, name, None)
                if not inside or node.kind == "case":
                    continue
                nodes[at:at + 1] = inside
                if self.fails():
                    opened = True
                    break
                nodes[at:at + len(inside)] = [node]
        return opened

    # ---- functions ------------------------------------------------------------

    def drop_functions(self):
        dropped = False
        for f in list(self.program.functions):
            at = self.program.functions.index(f)
            del self.program.functions[at]
            if self.fails():
                dropped = True
            else:
                self.program.functions.insert(at, f)
        for f in self.program.functions:
            old = f.attributes
            f.attributes = "static "
            if old != f.attributes and not self.fails():
                f.attributes = old
            for kind in list(f.wrappers):
                f.wrappers.discard(kind)
                if not self.fails():
                    f.wrappers.add(kind)
        return dropped

    # ---- expressions ------------------------------------------------------------

    def simpler(self, node):
        """What may stand in an expression's place."""
        typed = node.kind in TYPED or node.kind in ("choose", "call")
        if node.kind == "make" or node.kind == "number":
            return
        if not typed or node.kind == "choose":
            yield Node("number", text="1u")
        for name in ("right", "left", "of"):
            part = getattr(node, name, None)
            if isinstance(part, Node):
                yield part

    def simplify(self, owner, parts):
        changed = False
        for name, part in parts:
            if name in STATEMENTS or name in ("call", "child", "target"):
                continue
            for at, node in enumerate(part if isinstance(part, list)
                                      else [part]):
                for new in self.simpler(node):
                    self.put(owner, name, at, new)
                    if self.fails():
                        changed = True
                        break
                    self.put(owner, name, at, node)
        return changed

    def put(self, owner, name, at, node):
        part = getattr(owner, name)
        if isinstance(part, list):
            part[at] = node
        else:
            setattr(owner, name, node)

    # ---- all of it -----------------------------------------------------------------

    def run(self):
        if not self.fails():
            print("it does not fail")
            return
        again = True
        while again:
            again = False
            for nodes in list(self.lists()):
                again |= self.drop_from(nodes)
            again |= self.drop_functions()
            for nodes in list(self.lists()):
                again |= self.open_in(nodes)
            for f in [self.program.main] + self.program.functions:
                if f.value:
                    again |= self.simplify(f, [("value", f.value)])
                for node in [n for s in f.body for n in s.walk()]:
                    again |= self.simplify(node, list(node.parts()))
        text = spell([self.program], Async())
        print(text[text.index("/* ---- "):])
        print("/* fails at %s %s, after %d tries */" % (
            self.level, self.mode or "when compiled", self.tries))


def shrink(reader, program, level, mode):
    Shrinker(reader, program, level, mode).run()
