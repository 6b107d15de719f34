/* stage_both.h: what both stages do alike. */
static bool trace;

unsigned
errno_set(unsigned code)
{
    errno = (int)code;
    return code * 3;
}

void
note(struct cx *cx, const char *what, unsigned long value)
{
    cx->hash = (cx->hash ^ value) * 0x100000001b3UL + (unsigned char)*what;
    if (trace)
        printf("%s/%u/%lx %s %lx\n", cx->run->play->name, cx->run->cancel_at,
               cx->id, what, value);
}

void
hold(struct cx *cx, unsigned *p)
{
    if (cx->held < HELD_MAX)
        cx->hold[cx->held++] = p;
}

void
unhold(struct cx *cx, unsigned *p)
{
    for (unsigned i = cx->held; i-- > 0;)
        if (cx->hold[i] == p) {
            memmove(&cx->hold[i], &cx->hold[i + 1],
                    (--cx->held - i) * sizeof(cx->hold[0]));
            return;
        }
}

void
change_held(struct cx *cx)
{
    for (unsigned i = 0; i < cx->held; i++)
        *cx->hold[i] = *cx->hold[i] * 3 + 1;
}

unsigned
bump(unsigned *p)
{
    return *p += 3;
}

void
end_guard(struct guard *g)
{
    g->cx->run->closed++;
    note(g->cx, "end", g->n);
}

void
end_held(struct guard *g)
{
    g->cx->run->closed++;
    unhold(g->cx, g->held);
}

static void
cx_init(struct cx *cx, struct run *run)
{
    cx->run = run;
    cx->id = 1;
    cx->left = 60;
    cx->cancel_at = run->cancel_at;
}

static void
child_init(struct cx *cx, struct cx *child, unsigned at)
{
    child->run = cx->run;
    child->id = cx->id << 4 | ++cx->children;
    child->left = cx->left / 2;
    cx->left -= child->left;
    child->cancel_at = at;
    child->loose = cx->loose;
}

void
child_fold(struct cx *cx, struct cx *child)
{
    note(cx, "child", child->hash);
}

/* A program is run once, and once more for each of these points, at which it
 * is cancelled: all of the first, then fewer. */
enum { CANCELS = 16 };

static unsigned
cancels(const struct run *first)
{
    return first->points < CANCELS ? first->points : CANCELS;
}

static unsigned
cancel_at(const struct run *first, unsigned n)
{
    if (first->points <= CANCELS || n < CANCELS / 2)
        return n + 1;
    return CANCELS / 2 + 1 +
           (n - CANCELS / 2) * (first->points - CANCELS / 2) / (CANCELS / 2);
}

static void
report(const struct run *run)
{
    printf("%s/%u: %lx, %u points, %s\n", run->play->name, run->cancel_at,
           run->hash, run->points,
           run->opened == run->closed ? "all closed" : "NOT ALL CLOSED");
}
