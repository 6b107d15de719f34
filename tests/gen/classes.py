"""The types that generated programs carry, and C to fill and hash each.

A type is made of places: (expression below a pointer, kind). fill_N writes a
value that depends on a seed into every place, hash_N reads every place back,
so padding never counts.
"""
import random

KINDS = {
    # kind: (how to write seed s, how to read as unsigned long)
    "int": ("({c})({s})", "(unsigned long)({e})"),
    "bool": ("(({s}) & 1) != 0", "(unsigned long)({e})"),
    "i128": ("(({c})({s}) << 64) | ({c})(({s}) * 31)",
             "(unsigned long)({e}) ^ (unsigned long)((unsigned __int128)({e})"
             " >> 64) * 7"),
    "bitint": ("({c})({s})", "(unsigned long)({e})"),
    "float": ("({c})(int)(({s}) & 0x7ff)", "bits((double)({e}))"),
    "ptr": ("({c})(ground + ({s}) % 251)",
            "(unsigned long)((const char *)({e}) - ground)"),
    "cfn": ("({s}) & 1 ? plain_one : plain_two",
            "(unsigned long)({e})(3)"),
    "afn": ("({s}) & 1 ? later_one : later_two",
            "(unsigned long)(({e}) == later_one)"),
    "complex": ("({c})(int)(({s}) & 0x3ff) + ({c})((int)(({s}) & 0xff)) *"
                " 1.0iF",
                "bits((double)__real__({e})) ^ bits((double)__imag__({e})) *"
                " 3"),
}

PROLOGUE = """\
static char ground[256];

static unsigned long
bits(double d)
{
    unsigned long u;
    memcpy(&u, &d, sizeof(u));
    return u;
}

static int plain_one(int x) { return x + 1; }
static int plain_two(int x) { return x + 2; }
static async int
later_one(struct cx *cx, int x)
{
    await point(cx);
    return x + 1;
}
static async int
later_two(struct cx *cx, int x)
{
    await point(cx);
    return x + 2;
}
typedef int plain_fn(int);
typedef async int later_fn(struct cx *, int);
"""


class Type:
    """name: an identifier; c: the C type; decl: what declares it; places:
    (suffix after `(*p)`, kind, C type of the place, count or 0)."""

    def __init__(self, name, c, places, decl=""):
        self.name, self.c, self.places, self.decl = name, c, places, decl

    def words(self):
        fill, hash_ = [], []
        for n, (suffix, kind, c, count) in enumerate(self.places):
            write, read = KINDS[kind]
            seed = "(s * 2654435761UL + %du) >> 7" % (n * 97 + 5)
            if count:
                each = "for (unsigned i = 0; i < %d; i++)\n        " % count
                place = "(*p)%s[i]" % suffix
                seed = "(s * 2654435761UL + i * 53 + %du) >> 7" % (n * 97 + 5)
            else:
                each, place = "", "(*p)%s" % suffix
            fill.append("    %s%s = %s;" %
                        (each, place, write.format(c=c, s=seed)))
            hash_.append("    %sh = (h ^ (%s)) * 0x100000001b3UL;" %
                         (each, read.format(e=place)))
        return """\
%s
static void
fill_%s(%s *p, unsigned long s)
{
    (void)p, (void)s;
%s
}
static unsigned long
hash_%s(const %s *p)
{
    unsigned long h = 99;
    (void)p;
%s
    return h;
}
""" % (self.decl, self.name, self.c, "\n".join(fill), self.name, self.c,
            "\n".join(hash_))


def scalar(name, c, kind="int", decl=""):
    return Type(name, c, [("", kind, c, 0)], decl)


def struct(name, members, attr="", word="struct"):
    """members: (C type, declarator, kind, count); for a vector also its
    element's type and how many."""
    lines, places = [], []
    for m in members:
        c, declarator, kind, count = m[:4]
        dim = "[%d]" % count if count else ""
        width = declarator.partition(":")[2]
        member = declarator.partition(":")[0]
        lines.append("    %s %s%s%s;" %
                     (c, member, dim, ":" + width if width else ""))
        if len(m) > 4:
            c, count = m[4:]
        places.append(("." + member, kind, c, count))
    if word == "union":
        places = places[-1:]
    decl = "%s %s {\n%s\n}%s;" % (word, name, "\n".join(lines),
                                  " " + attr if attr else "")
    return Type(name, "%s %s" % (word, name), places, decl)


def scalars():
    yield scalar("i8", "signed char")
    yield scalar("u8", "unsigned char")
    yield scalar("ch", "char")
    yield scalar("i16", "short")
    yield scalar("u16", "unsigned short")
    yield scalar("i32", "int")
    yield scalar("u32", "unsigned int")
    yield scalar("i64", "long")
    yield scalar("u64", "unsigned long long")
    yield scalar("i128", "__int128", "i128")
    yield scalar("u128", "unsigned __int128", "i128")
    yield scalar("bl", "_Bool", "bool")
    yield scalar("f32", "float", "float")
    yield scalar("f64", "double", "float")
    yield scalar("f80", "long double", "float")
    yield scalar("f16", "_Float16", "float")
    yield scalar("c16", "_Complex _Float16", "complex")
    yield scalar("c32", "_Complex float", "complex")
    yield scalar("c64", "_Complex double", "complex")
    yield scalar("c80", "_Complex long double", "complex")
    for name, c, kind in (("ptr", "char *", "ptr"), ("cptr", "void *", "ptr"),
                          ("pfn", "plain_fn *", "cfn"),
                          ("lfn", "later_fn *", "afn")):
        yield scalar(name, "p_" + name, kind,
                     "typedef %s p_%s;" % (c, name))
    yield scalar("en", "enum en", "int",
                 "enum en { EN_A, EN_B = 0x7fffffff };")
    yield scalar("sen", "enum sen", "int",
                 "enum __attribute__((packed)) sen { SEN_A, SEN_B = 200 };")
    for n in (3, 17, 37, 64, 65, 128):
        yield scalar("bi%d" % n, "_BitInt(%d)" % n, "bitint")
    yield scalar("ub33", "unsigned _BitInt(33)", "bitint")


def vectors():
    for elem, name, kind, size in (("int", "vi", "int", 4),
                                   ("float", "vf", "float", 4),
                                   ("double", "vd", "float", 8),
                                   ("unsigned char", "vb", "int", 1),
                                   ("short", "vs", "int", 2),
                                   ("long", "vl", "int", 8)):
        for bytes_ in (8, 16, 32):
            n = bytes_ // size
            full = "%s%d" % (name, bytes_)
            yield Type(full, full, [("", kind, elem, n)],
                       "typedef %s %s __attribute__((vector_size(%d)));" %
                       (elem, full, bytes_))
    for n in (3,):
        for elem, kind in (("int", "int"), ("float", "float")):
            full = "e%s%d" % (elem[0], n)
            yield Type(full, full, [("", kind, elem, n)],
                       "typedef %s %s __attribute__((ext_vector_type(%d)));" %
                       (elem, full, n))


def bytes_structs():
    for n in list(range(1, 65)) + [65, 128, 200, 4096]:
        yield struct("b%d" % n, [("unsigned char", "b", "int", n)])


def hand_structs():
    I, F = "int", "float"
    yield struct("empty", [])
    yield struct("sf", [("float", "a", F, 0)])
    yield struct("sff", [("float", "a", F, 0), ("float", "b", F, 0)])
    yield struct("sfi", [("float", "a", F, 0), ("int", "b", I, 0)])
    yield struct("sfff", [("float", "a", F, 3)])
    yield struct("sffff", [("float", "a", F, 4)])
    yield struct("sf5", [("float", "a", F, 5)])
    yield struct("sd", [("double", "a", F, 0)])
    yield struct("sdd", [("double", "a", F, 0), ("double", "b", F, 0)])
    yield struct("sdl", [("double", "a", F, 0), ("long", "b", I, 0)])
    yield struct("sld", [("long", "a", I, 0), ("double", "b", F, 0)])
    yield struct("sll", [("long", "a", I, 0), ("long", "b", I, 0)])
    yield struct("slll", [("long", "a", I, 3)])
    yield struct("sl4", [("long", "a", I, 4)])
    yield struct("sic", [("int", "a", I, 0), ("char", "b", I, 0)])
    yield struct("sfd", [("float", "a", F, 0), ("double", "b", F, 0)])
    yield struct("sffd", [("float", "a", F, 2), ("double", "b", F, 0)])
    yield struct("sxl", [("long double", "a", F, 0)])
    yield struct("sxli", [("long double", "a", F, 0), ("int", "b", I, 0)])
    yield struct("sci", [("_Complex float", "a", "complex", 0),
                         ("int", "b", I, 0)])
    yield struct("scd", [("_Complex double", "a", "complex", 0)])
    yield struct("s128", [("__int128", "a", "i128", 0)])
    yield struct("s128c", [("char", "c", I, 0), ("__int128", "a", "i128", 0)])
    yield struct("spp", [("char *", "a", "ptr", 0), ("char *", "b", "ptr", 0)])
    yield struct("sp4", [("char *", "a", "ptr", 4)])
    yield struct("s3b", [("_Bool", "a", "bool", 3)])
    yield struct("s3h", [("short", "a", I, 3)])
    for n in (1, 2, 3, 4, 5, 8):
        yield struct("sh%d" % n, [("_Float16", "a", F, n)])
    yield struct("shf", [("_Float16", "a", F, 0), ("float", "b", F, 0)])
    yield struct("shi", [("_Float16", "a", F, 2), ("int", "b", I, 0)])
    yield struct("slf", [("later_fn *", "f", "afn", 0), ("int", "x", I, 0)])
    yield struct("spf", [("char", "c", I, 0), ("plain_fn *", "f", "cfn", 0)])
    # bit-fields
    yield struct("bf1", [("unsigned", "a:3", I, 0), ("int", "b:7", I, 0),
                         ("unsigned", "c:22", I, 0)])
    yield struct("bf2", [("unsigned long", "a:33", I, 0),
                         ("long", "b:20", I, 0), ("char", "c", I, 0)])
    yield struct("bf3", [("_Bool", "a:1", "bool", 0),
                         ("unsigned char", "b:5", I, 0),
                         ("short", "c:11", I, 0), ("float", "f", F, 0)])
    yield struct("bf4", [("unsigned", "a:1", I, 0),
                         ("unsigned long", "b:63", I, 0),
                         ("int", "c:17", I, 0)], "__attribute__((packed))")
    # packed, over-aligned
    P = "__attribute__((packed))"
    yield struct("pk1", [("char", "a", I, 0), ("int", "b", I, 0)], P)
    yield struct("pk2", [("char", "a", I, 0), ("double", "b", F, 0)], P)
    yield struct("pk3", [("char", "a", I, 0), ("long", "b", I, 0),
                         ("short", "c", I, 0), ("float", "d", F, 0)], P)
    yield struct("pk4", [("char", "a", I, 0), ("long double", "b", F, 0)], P)
    for n in (8, 16, 32, 64, 128):
        yield struct("al%d" % n, [("int", "a", I, 0), ("char", "b", I, 0)],
                     "__attribute__((aligned(%d)))" % n)
    yield struct("al512", [("int", "a", I, 3)],
                 "__attribute__((aligned(512)))")
    yield struct("alv", [("int", "a", I, 0), ("vi32t", "v", I, 0, "int", 8)],
                 "__attribute__((aligned(32)))")
    # unions
    for n, members in enumerate((
            [("int", "a", I, 0), ("float", "f", F, 0)],
            [("double", "a", F, 0), ("char", "b", I, 5)],
            [("char", "a", I, 3), ("long", "b", I, 0)],
            [("float", "a", F, 2), ("double", "b", F, 2)],
            [("char", "a", I, 0), ("char", "b", I, 31)],
            [("long double", "a", F, 0), ("char", "b", I, 16)],
            [("__int128", "a", "i128", 0), ("char", "b", I, 9)],
            [("int", "a", I, 0), ("char", "b", I, 3)])):
        yield struct("un%d" % n, members, word="union")


def random_structs(count, seed):
    rnd = random.Random(seed)
    members = [("char", "int"), ("signed char", "int"), ("short", "int"),
               ("unsigned", "int"), ("long", "int"), ("float", "float"),
               ("double", "float"), ("_Bool", "bool"), ("char *", "ptr"),
               ("unsigned char", "int"), ("_Complex float", "complex"),
               ("long double", "float"), ("__int128", "i128"),
               ("unsigned __int128", "i128")]
    small = members[:10]
    for n in range(count):
        pool = small if rnd.random() < .7 else members
        fields = []
        for m in range(rnd.randint(1, 6)):
            c, kind = rnd.choice(pool)
            width = ""
            dim = rnd.choice((0, 0, 0, 2, 3, 5, 7))
            if kind == "int" and not dim and rnd.random() < .2:
                size = {"char": 8, "signed char": 8, "unsigned char": 8,
                        "short": 16, "unsigned": 32, "long": 64}[c]
                width = ":%d" % rnd.randint(1, size)
            fields.append((c, "m%d%s" % (m, width), kind, dim))
        attr = ""
        if rnd.random() < .15:
            attr = "__attribute__((packed))"
        elif rnd.random() < .1:
            attr = "__attribute__((aligned(%d)))" % rnd.choice((8, 16, 32))
        yield struct("r%d" % n, fields, attr)


def all_types(extra=0, seed=1):
    yield from scalars()
    yield from vectors()
    yield from bytes_structs()
    yield from hand_structs()
    yield from random_structs(32 + extra, seed)
