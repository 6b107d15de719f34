"""An await in every position that C's grammar has, over arithmetic types.

Each entry of POSITIONS is the body of one async function. V(k) awaits a
number of type $T near k, B(k) awaits a bool-like int, R(x) notes a number.
"""

TYPES = (("i", "int"), ("uc", "unsigned char"), ("l", "long"),
         ("d", "double"), ("b", "_Bool"), ("f", "float"),
         ("s", "signed char"), ("u", "unsigned"), ("us", "unsigned short"),
         ("ld", "long double"), ("x", "__int128"))

PROLOGUE = r"""
#include "point.h"
#define R(x) note(cx, __func__, (unsigned long)(long)(x))
#define B(k) (await num(cx, (k)))
"""

PER_TYPE = r"""
static async $T
val_$N(struct cx *cx, int k)
{
    await point(cx);
    note(cx, "val", (unsigned long)k);
    return ($T)k;
}
static async $T
add_$N(struct cx *cx, $T a, $T b, $T c)
{
    await point(cx);
    return ($T)(a + b * 2 + c * 3);
}
struct s_$N { $T a; char c; $T b[3]; };
static async struct s_$N
str_$N(struct cx *cx, int k)
{
    struct s_$N s = {($T)k, 1, {($T)(k + 1), ($T)(k + 2), ($T)(k + 3)}};
    await point(cx);
    return s;
}
static async $T *
place_$N(struct cx *cx, $T *p, unsigned i)
{
    await point(cx);
    note(cx, "place", i);
    return p + i;
}
static async void
run_$N(struct cx *cx, int *n)
{
    await point(cx);
    ++*n;
}
"""

POSITIONS = {
    "both_operands": "R(V(3) + V(4)); R(V(9) - V(4) * V(2));",
    "operands_and_locals": """
        $T a = V(5), b = V(6);
        R(a + V(1)); R(V(1) + a); R((a + b) * V(2) + (b - a) * V(1));
        R((a + 1) * (b + 2) + V(3) * (a + 3));""",
    "compare": """
        R(V(1) < V(2)); R(V(2) == V(2)); R(V(0) != V(1)); R(V(1) >= V(0));""",
    "unary": "R(!V(0)); R(-V(1)); R(+V(2)); R(!!V(1)); R(sizeof(V(1)));",
    "nested_calls": """
        R(await add_$N(cx, V(1), await add_$N(cx, V(2), V(3), V(4)), V(5)));
        R(await val_$N(cx, (int)await val_$N(cx, (int)V(1))));""",
    "conditional": """
        R(B(1) ? V(1) : V(2)); R(B(0) ? V(3) : V(4));
        R(B(1) ? B(0) ? V(5) : V(6) : V(7)); R(V(1) ?: V(0));""",
    "and_or": """
        R(V(1) && V(0)); R(V(0) && V(1)); R(V(1) || V(1)); R(V(0) || V(1));
        R(V(1) && (V(0) || V(1)) && !V(0)); if (V(0) || V(1) && V(1)) R(77);
        """,
    "comma": "R((V(1), V(2), V(3))); int k = ((void)V(1), (int)V(2)); R(k);",
    "statement_expression": """
        R(({ $T a = V(1); $T b = V(2); a + b; }));
        R(({ int n = 0; while (B(n < 3)) n++; n; }) + V(1));""",
    "if_else": """
        if (V(0)) R(1); else if (V(1)) R(2); else R(3);
        if (!V(0)) { R(V(4)); } else { R(V(5)); }""",
    "while_head": "int n = 0; while (B(n < 4)) { R(V(1)); n++; } R(n);",
    "while_assign": """
        $T left = 5; $T got; int n = 3;
        while ((got = V(n)) != 0) { n--; left = ($T)(left + got); }
        R(left);""",
    "do_while": "int n = 0; do { n++; R(V(0)); } while (B(n < 3)); R(n);",
    "for_heads": """
        for (int i = (int)V(0); B(i < 3); i += (int)V(1)) R(i);
        for (int i = 0, j = (int)V(1); i < 3; i++, j += (int)V(1)) R(j);
        for (await run_$N(cx, &(int){0}); B(0); await run_$N(cx, &(int){1}))
            R(1);""",
    "endless_break": """
        int n = 0;
        for (;;) { if (B(n == 3)) break; n++; if (V(0)) continue; R(n); }
        while (1) { await run_$N(cx, &n); if (n > 6) break; }
        R(n);""",
    "nested_loops": """
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; B(j < 4); j++) {
                if (j == 1) continue;
                if (i + j == 4) break;
                sum = sum * 3 + i + (int)V(1) * j;
            }
            if (B(i == 1)) continue;
            sum += (int)V(1);
        }
        R(sum);""",
    "switch_head": """
        for (unsigned i = 0; i < 4; i++)
            switch (B(i)) {
            case 0: R(V(1)); break;
            case 1: R(V(2)); /* fall through */
            case 2: R(V(3)); break;
            default: R(V(4));
            }""",
    "switch_between_cases": """
        for (int i = 0; i < 6; i++) {
            $T x = 0;
            switch (i) {
            case 0: x = V(1);
            case 1: x = ($T)(x + V(2)); if (B(1)) break;
            case 2: { $T y = V(3); case 3: y = V(4); x = y; } break;
            case 4: do { x = V(1); case 5: x = ($T)(x + V(0)); } while (B(0));
            }
            R(x);
        }""",
    "duff": """
        int n = 11, sum = 0, k = (n + 3) / 4;
        switch (n % 4) {
        case 0: do { sum += (int)B(1);
        case 3:      sum += (int)B(2);
        case 2:      sum += (int)B(3);
        case 1:      sum += (int)B(4);
                } while (--k > 0);
        }
        R(sum);""",
    "switch_range": """
        switch (B(57)) { case 0 ... 9: R(0); break; case 50 ... 60: R(V(1));
        break; default: R(2); }
        switch ((long)B(3) << 40) { case 3L << 40: R(V(1)); }""",
    "subscript": """
        $T a[8] = {0};
        a[B(3)] = V(1); a[B(2) + B(3)] = ($T)(a[B(3)] + V(1));
        R(a[3]); R(a[5]); R((*await place_$N(cx, a, 3)));
        R(B(5)[a]);""",
    "subscript_2d": """
        $T a[3][4] = {{0}};
        for (unsigned i = 0; i < 3; i++)
            for (unsigned j = 0; j < 4; j++)
                a[B(i)][B(j)] = V((int)(i * 4 + j));
        unsigned long h = 0;
        for (unsigned i = 0; i < 12; i++) h = h * 5 + (unsigned)a[i / 4][i % 4];
        R(h);""",
    "compound_assign": """
        $T x = 3; x = ($T)(x + V(1)); x += V(2); x -= V(1); x *= V(1);
        R(x); $T a[5] = {1, 1, 1, 1, 1}; int i = 0;
        a[i++] += V(1); a[i++] *= V(1); a[++i] -= V(1); a[B(1)] += V(1);
        R(i); R(a[0]); R(a[1]); R(a[3]);
        *await place_$N(cx, a, 2) += V(1); R(a[2]);""",
    "compound_pointer": """
        $T a[6] = {1, 0, 1, 0, 1, 0}; $T *p = a;
        *p++ = V(1); *p++ += V(1); *++p = ($T)(*p + V(0)); p[B(1)] += V(1);
        R(p - a); for (int i = 0; i < 6; i++) R(a[i]);
        *(p - B(2)) = V(0); R(a[1]);""",
    "side_effects_in_arguments": """
        int i = 0; $T a[4] = {1, 0, 1, 0};
        R(await add_$N(cx, a[i++], V(1), a[3])); R(i);
        R(await add_$N(cx, V(i), a[++i], V(1))); R(i);""",
    "initialisers": """
        $T a[] = {V(1), V(2), V(3)}; R(a[0]); R(a[1]); R(a[2]);
        struct s_$N s = {.b = {V(4), [2] = V(5)}, .a = V(6)};
        R(s.a); R(s.b[0]); R(s.b[1]); R(s.b[2]); R(s.c);
        struct s_$N t[2] = {{V(7)}, await str_$N(cx, 8)};
        R(t[0].a); R(t[1].b[1]);""",
    "compound_literal": """
        struct s_$N *p = &(struct s_$N){.a = V(1), .b = {V(2)}};
        $T *q = ($T[]){V(3), V(4), V(5)};
        await point(cx);
        R(p->a); R(p->b[0]); R(q[0]); R(q[B(2)]);
        q[1] = V(9); p->b[B(1)] = q[1]; R(p->b[1]);""",
    "member_of_result": """
        R((await str_$N(cx, 3)).a); R((await str_$N(cx, 4)).b[B(1)]);
        R((await str_$N(cx, 3)).a + (await str_$N(cx, 5)).b[2]);""",
    "member_assign": """
        struct s_$N s = await str_$N(cx, 1), t, *p = &t;
        s.a = V(5); s.b[B(0)] = V(6); *p = s; p->b[1] = V(7); p->c += (char)V(1);
        t = B(1) ? s : *p; R(t.a); R(t.b[0]); R(t.b[1]); R(t.c);
        *p = await str_$N(cx, 8); R(t.b[2]);""",
    "return_chain": "R(V(1)); if (B(1)) { R(V(2)); return; } R(V(3));",
    "goto_back": """
        int n = 0; $T x = 0;
    again:
        x = ($T)(x + V(1)); n++;
        if (B(n < 4)) goto again;
        R(x); R(n);""",
    "goto_forward": """
        for (int i = 0; i < 4; i++) {
            if (B(i == 1)) goto skip;
            if (B(i == 3)) goto out;
            R(V(1));
        skip:
            R(V(2));
        }
    out:
        R(V(3));""",
    "goto_into": """
        int n = 0;
        if (B(1)) goto inside;
        while (n < 5) { R(V(1)); inside: n += (int)B(2); R(n); }""",
    "goto_out_of_depth": """
        for (int i = 0;; i++) for (int j = 0;; j++) switch (B(i * 3 + j)) {
            case 4: goto out; case 2: goto next; default: R(V(1)); continue;
            next: R(V(2)); if (j > 1) goto row; }
            row: R(3);
    out: R(V(4));""",
    "recursion_in_operand": "R(await fib_$N(cx, 7)); R(await odd_$N(cx, 5));",
    "function_pointers": """
        async $T (*p)(struct cx *, int) = val_$N;
        async $T (*table[3])(struct cx *, int) = {val_$N, alt_$N, val_$N};
        struct { int x; async $T (*f)(struct cx *, int); } s = {1, alt_$N};
        R(await p(cx, 1)); R(await (*p)(cx, 2)); R(await table[B(1)](cx, 3));
        R(await s.f(cx, 4)); p = B(1) ? alt_$N : val_$N; R(await p(cx, 5));
        R(await (B(0) ? alt_$N : val_$N)(cx, 6));
        R(await apply_$N(cx, table[B(2)], 7));
        R(await pick_$N(cx, 1)(cx, 8)); R(await (***p)(cx, 9));""",
    "address_held": """
        unsigned x = 5, y[3] = {1, 2, 3};
        hold(cx, &x); hold(cx, &y[1]);
        R(V(1)); R(x); R(y[1]); x += B(1); R(x); y[1] = x;
        for (int i = 0; i < 3; i++) { R(V(0)); R(x + y[1]); x = 1; }
        unhold(cx, &x); R(V(1)); R(x); R(y[1]); unhold(cx, &y[1]);
        R(V(1)); R(y[1]);""",
    "address_held_in_block": """
        for (unsigned i = 0; i < 4; i++) {
            unsigned x = i, other[40]; 
            hold(cx, &x); other[i] = i; hold(cx, &other[i]);
            R(V(1)); R(x); if (B(i == 1)) { unhold(cx, &x);
                unhold(cx, &other[i]); continue; }
            { unsigned z = x; hold(cx, &z); R(V(1)); R(z); unhold(cx, &z); }
            R(V(1)); R(x); R(other[i]);
            unhold(cx, &other[i]); unhold(cx, &x);
        }""",
    "pointer_to_local": """
        $T x = V(1), y = V(2), *p = B(1) ? &x : &y, **pp = &p;
        *p = ($T)(*p + V(1)); R(x); p = B(0) ? &x : &y; **pp = V(3); R(y);
        $T a[5] = {1, 1, 0, 1, 1}, *end = a + 5; int n = 0;
        for ($T *q = a; q < end; q++) { *q = ($T)(*q + V(n++)); R(*q); }""",
    "array_local": """
        unsigned char buf[300]; unsigned h = 0;
        for (unsigned i = 0; i < 300; i++) buf[i] = (unsigned char)(i * 7);
        R(V(1)); for (unsigned i = 0; i < 300; i++) h = h * 31 + buf[i]; R(h);
        memset(buf + B(10), 3, B(100)); R(V(1));
        for (unsigned i = 0; i < 300; i++) h = h * 31 + buf[i]; R(h);""",
    "volatile_local": """
        volatile $T x = V(1); volatile int n = 0;
        for (n = 0; n < 3; n++) { x = ($T)(x + V(1)); R(x); }
        $T y = x; x = V(0); R(y); R(x); R(n);""",
    "overaligned": """
        _Alignas(64) $T a[3] = {1, 0, 1}; _Alignas(512) unsigned b = 7;
        _Alignas(4096) char c[10] = "aligned";
        hold(cx, &b); R(V(1)); a[B(1)] = V(1); R(V(1)); unhold(cx, &b);
        R((uintptr_t)opaque(a) % 64); R((uintptr_t)opaque(&b) % 512);
        R((uintptr_t)opaque(c) % 4096); R(a[1]); R(b); R(c[B(2)]);""",
    "vla": """
        for (unsigned n = 1; n < 40; n += 13) {
            unsigned a[n + B(2)]; unsigned h = 0;
            for (unsigned i = 0; i < n + 2; i++) a[i] = i * n;
            hold(cx, &a[n]); R(V(1)); a[B(0)] += B(n); R(sizeof(a));
            for (unsigned i = 0; i < n + 2; i++) h = h * 31 + a[i];
            R(h); unhold(cx, &a[n]);
            if (B(n == 14)) continue;
            { char s[n][B(3)]; s[n - 1][2] = 'x'; R(V(1)); R(s[n - 1][2]);
              R(sizeof(s)); }
        }""",
    "alloca": """
        unsigned *list[4];
        for (unsigned i = 0; i < 4; i++) {
            list[i] = __builtin_alloca(sizeof(unsigned) * (i * 50 + B(1)));
            list[i][i * 50] = i;
            hold(cx, &list[i][i * 50]); R(V(1));
        }
        for (unsigned i = 0; i < 4; i++) R(list[i][i * 50]);
        while (cx->held) unhold(cx, cx->hold[0]);
        char *c = __builtin_alloca_with_align(B(9), 1024); c[8] = 1; R(V(1));
        R((uintptr_t)c % 128 + (unsigned)c[8]);""",
    "bit_fields": """
        struct { unsigned a : 3; int b : 9; unsigned long c : 40; _Bool d : 1;
                 $T after; } s = {0};
        s.a = B(5); s.b = -(int)B(3); s.c = (unsigned long)B(9) << 33;
        s.d = B(1); s.after = V(1); s.a += B(1); s.b -= (int)B(250);
        R(V(1)); R(s.a); R(s.b); R(s.c); R(s.d); R(s.after);
        s.a++; R(V(1)); s.c |= B(1); R(s.a); R(s.c);""",
    "atomic_local": """
        _Atomic unsigned x = 1; _Atomic long y = 2; unsigned *raw = (void *)&x;
        hold(cx, raw); R(V(1)); R(x); x += B(2); y ^= (long)B(3); R(x); R(y);
        unhold(cx, raw); x++; R(V(1)); R(x);""",
    "statics": """
        static $T kept[9]; static unsigned held[9][2]; unsigned n = cx->id;
        kept[n] = 0; held[n][1] = 1; hold(cx, &held[n][1]);
        kept[n] = ($T)(kept[n] + V(1)); R(kept[n]); held[n][B(0)] = 5;
        held[n][1] += B(1); R(held[n][1]); unhold(cx, &held[n][1]);
        kept[n] = V(1); R(kept[n]);""",
    "cleanups": """
        for (unsigned i = 0; i < 4; i++) {
            __attribute__((cleanup(end_unsigned))) struct guard g = {cx, i};
            R(V(1));
            if (B(i == 1)) continue;
            __attribute__((cleanup(end_unsigned))) struct guard h = {cx, 10};
            h.n += B(i);
            if (B(i == 2)) break;
            R(V(2));
            { __attribute__((cleanup(end_unsigned))) struct guard k = {cx, 20};
              if (i == 3) goto out; R(V(3)); }
        }
    out:
        R(V(4));""",
    "cleanup_return": """
        __attribute__((cleanup(end_unsigned))) struct guard g = {cx, 1};
        if (B(1)) { __attribute__((cleanup(end_unsigned))) struct guard h =
            {cx, 2}; R(V(1)); return; }
        R(9);""",
    "cast_and_convert": """
        R((unsigned char)(long)V(300)); R((short)(long)V(70000)); R((_Bool)V(2));
        R((long)(float)V(3)); long l = (long)V(-1); R(l); unsigned char c =
        (unsigned char)(long)V(200); R(c + V(1)); _Bool b = V(1); R(b + 1);""",
    "generic_and_typeof": """
        __typeof__(V(1)) x = V(3); R(x);
        R(_Generic(x, $T: V(1), default: V(0)));
        R(sizeof(char[2 + sizeof(V(1))]));""",
    "discard": "V(1); (void)V(2); V(3) + V(4); await str_$N(cx, 1); R(1);",
    "builtin_expect": """
        if (__builtin_expect(V(1) != 0, 1)) R(1); if (__builtin_expect(
        !V(1), 0)) R(2); int n = 0; while (__builtin_expect(B(n++ < 2), 1))
        R(n);""",
    "asm_between": """
        unsigned x = B(3), y; __asm__ volatile("movl %1, %0" : "=r"(y) :
        "r"(x)); R(V(1)); R(y + x); __asm__ volatile("" ::: "memory");
        __asm__ volatile("addl %1, %0" : "+m"(x) : "r"(y)); R(V(1)); R(x);""",
    "many_live": """
        $T a = V(1), b = V(2), c = V(3), d = V(4), e = V(5), f = V(6), g =
        V(7), h = V(8), i = V(9), j = V(10), k = V(11), l = V(12), m = V(13);
        long p = (long)B(1), q = (long)B(2), r = (long)B(3), s = (long)B(4),
        t = (long)B(5); double u = B(6), v = B(7), w = B(8); float x =
        (float)B(9); R(V(1));
        R(a + b + c + d + e + f + g + h + i + j + k + l + m);
        R(p + q + r + s + t); R(u + v * w); R(x); R(V(2));
        R(a + c + e + g + i + k + m); R(p - q - r - s - t); R(u - v - w);""",
    "swap_in_loop": """
        $T a = V(0), b = V(1); long x = 1, y = 2, z = 3;
        for (int i = 0; i < 5; i++) { $T t = a; a = b; b = ($T)(t + V(1));
            long w = x; x = y; y = z; z = w + (long)B(1); R(a); R(x * 9 + y); }
        R(b); R(z);""",
    "unused_result_of_branch": """
        int n = 0; B(1) ? await run_$N(cx, &n) : (void)0;
        B(0) ? (void)V(1) : await run_$N(cx, &n); (void)(B(1) && V(1)); R(n);
        """,
    "unreachable_after": """
        if (B(1)) { R(V(1)); return; } await run_$N(cx, 0);
        __builtin_unreachable();""",
    "memcpy_of_locals": """
        struct s_$N a = await str_$N(cx, 1), b; memcpy(&b, &a, sizeof(b));
        R(V(1)); a.a = V(0); R(b.a); R(b.b[2]); memmove(&a.b[0], &b.b[1],
        sizeof($T)); R(V(1)); R(a.b[0]); struct s_$N c = a; a = b; b = c;
        R(V(1)); R(a.b[0]); R(b.b[0]); R(c.b[0]);""",
}

HELPERS = r"""
static async $T
alt_$N(struct cx *cx, int k)
{
    return ($T)(await val_$N(cx, k + 1));
}
static async $T
apply_$N(struct cx *cx, async $T (*f)(struct cx *, int), int k)
{
    $T r = await f(cx, k);
    return ($T)(r + await f(cx, 0));
}
typedef async $T fn_$N(struct cx *, int);
static fn_$N *
pick_$N(struct cx *cx, int which)
{
    (void)cx;
    return which ? alt_$N : val_$N;
}
static async unsigned
fib_$N(struct cx *cx, unsigned n)
{
    if (n < 2)
        return (unsigned)await val_$N(cx, (int)n);
    return await fib_$N(cx, n - 1) + await fib_$N(cx, n - 2);
}
static async unsigned odd_$N(struct cx *cx, unsigned n);
__attribute__((noinline)) static async unsigned
even_$N(struct cx *cx, unsigned n)
{
    return n == 0 ? 1 : await odd_$N(cx, n - 1);
}
static async unsigned
odd_$N(struct cx *cx, unsigned n)
{
    await point(cx);
    return n == 0 ? 0 : await even_$N(cx, n - 1);
}
"""

GUARD = r"""
struct guard { struct cx *cx; unsigned n; };
static void
end_unsigned(struct guard *g)
{
    note(g->cx, "end", g->n);
}
"""


def position_program(types):
    out = [PROLOGUE, GUARD]
    calls = []
    for name, c in types:
        text = [PER_TYPE, HELPERS,
                "#undef V\n#define V(k) (await val_$N(cx, (k)))\n"]
        for n, (position, body) in enumerate(POSITIONS.items()):
            # Most stay apart: one function of a thousand awaits is slow to
            # compile, and tested by many-states.c.
            text.append("%sstatic async void\n%s_$N(struct cx *cx)\n{\n"
                        "    %s\n}\n" % (
                            "__attribute__((noinline)) " if n % 5 else "",
                            position, body.strip()))
            calls.append("    await %s_%s(cx);" % (position, name))
        out.append("".join(text).replace("$N", name).replace("$T", c))
    out.append("async void\nprogram(struct cx *cx)\n{\n%s\n}\n" %
               "\n".join(calls))
    return "".join(out)
