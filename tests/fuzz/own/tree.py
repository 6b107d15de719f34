"""What a program is made of: a tree, grown by grow.py, spelled by spell.py.

A node has a kind and named parts. A part is a node, a list of nodes (a block
of statements, or arguments), or plain text; so the shrinker can walk any
program without knowing what it means.
"""


class Node:
    def __init__(self, kind, **parts):
        self.kind = kind
        self.__dict__.update(parts)

    def parts(self):
        """(name, node or list) of every part that holds nodes."""
        for name, part in self.__dict__.items():
            if isinstance(part, Node) or (
                    isinstance(part, list) and part and
                    isinstance(part[0], Node)):
                yield name, part

    def walk(self):
        yield self
        for _, part in self.parts():
            for node in part if isinstance(part, list) else [part]:
                yield from node.walk()


class Variable:
    """kind: int (of the C type `type`), array, vla (of unsigned), pointer (to
    unsigned), typed (of a Type of classes.py), counter, token."""

    def __init__(self, name, kind, type=None, size=0, addressable=True,
                 align=0):
        self.name, self.kind, self.type = name, kind, type
        self.size, self.addressable, self.align = size, addressable, align


class Function:
    """params: (name, kind, type) with kind int, typed, pointer or out.
    role: plain; step (one of the table); cleanup (takes a guard)."""

    def __init__(self, name, params, result, role="plain"):
        self.name, self.params, self.result = name, params, result
        self.role = role
        self.attributes = ""
        self.body = []
        self.value = None           # what it returns in the end
        self.hops = False           # holds an fm_switch
        self.loose = False          # holds an fm_anywhere
        self.wrappers = set()       # ways in which it is run as a task

    @property
    def inlined(self):
        return "always_inline" in self.attributes


class Program:
    def __init__(self, name, types, functions, main):
        self.name, self.types, self.functions = name, types, functions
        self.main = main            # a function: calls, each in a try
