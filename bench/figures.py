#!/usr/bin/env python3
"""figures.py: measures every scenario, prints the table, keeps the samples.

Each scenario of each peer is a process of its own. A figure's ratio is taken
within one run only: the peers of a scenario run one after the other, in the
reverse order in every second round. Times are processor time of the process,
so that another program on the machine costs precision and not truth;
instruction counts (valgrind) do not depend on the machine at all.

    figures.py [--quick] [--only "s2.*,s14"] [--doc FILE]
"""
import argparse
import hashlib
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compile_time  # noqa: E402
import echo  # noqa: E402
import sizes  # noqa: E402

BIN = "build/bench"
PEERS = {
    "plain": "plain C",
    "pool": "C++20, pooled frames",
    "new": "C++20, operator new",
    "throw": "C++20, pooled, throws",
    "epoll": "epoll by hand",
    "go": "Go",
    "fermata": "Fermata",
}


class Row:
    """One scenario: what it is, whom it is measured against, what to reach.

    `target` is a ratio to `reference`; `instructions` is how many more than
    the reference an operation may take; `limit` is absolute.
    """

    def __init__(self, name, title, peers, unit="ns", reference=None,
                 target=None, instructions=None, limit=None, no_malloc=False,
                 not_above=None, linear_to=None, rounds=None):
        self.name, self.title, self.peers = name, title, peers.split()
        self.unit, self.reference, self.target = unit, reference, target
        self.instructions, self.limit = instructions, limit
        self.no_malloc, self.not_above = no_malloc, not_above
        self.linear_to, self.rounds = linear_to, rounds


CALLS = "plain pool new fermata"
WAITS = "pool new fermata"
FAULTS = "pool throw fermata"
# fib(25) makes 121,393 calls once LLVM has made a loop of the second one,
# and a figure is given for each of the 242,785 in the source.
FIB_ALLOWED = 4 * 121393 / 242785
ROWS = [
    Row("s1", "chain of 3, done at once, noinline", CALLS,
        reference="plain", instructions=3 * 3 + 3, no_malloc=True),
    Row("s1root", "the same, each a root", CALLS, reference="plain",
        no_malloc=True),
    Row("s1inline", "the same, inlining allowed", CALLS, reference="plain",
        instructions=0, no_malloc=True),
    Row("s6", "recursive fib(25), per call", CALLS, reference="plain",
        instructions=FIB_ALLOWED, no_malloc=True),
    Row("s14", "three layers lend a buffer and an out parameter", CALLS,
        reference="plain", target=1.6, no_malloc=True),
    Row("s2", "chain of 3 waits for a gate, in a task", WAITS,
        reference="pool", target=0.8, no_malloc=True),
    Row("s2root", "the same, each a task", WAITS, reference="pool",
        target=0.8, no_malloc=True),
    Row("s3", "two layers, the inner yields once, in a task", WAITS,
        reference="pool", target=0.8, no_malloc=True),
    Row("s3root", "the same, each a task", WAITS, reference="pool",
        target=0.8, no_malloc=True),
    Row("s4ok1", "depth 1, the leaf yields, succeeds", WAITS,
        reference="pool", target=0.7, no_malloc=True),
    Row("s4fail1", "depth 1, the leaf yields, fails", FAULTS,
        reference="pool", target=0.7, not_above="s4ok1"),
    Row("s4ok30", "depth 30, the leaf yields, succeeds", WAITS,
        reference="pool", target=0.7, no_malloc=True),
    Row("s4fail30", "depth 30, the leaf yields, fails", FAULTS,
        reference="pool", target=0.7, not_above="s4ok30"),
    Row("s5one", "yield, one task", WAITS, reference="pool", target=1.2),
    Row("s5two", "yield, two tasks in turn", WAITS, reference="pool",
        target=1.2),
    Row("s5deep", "yield under 30 awaits", WAITS, reference="pool",
        target=1.2, not_above="s5one"),
    Row("s7once", "tasks started, then joined, done at once", WAITS,
        reference="pool", target=1.0, no_malloc=True),
    Row("s7yield", "the same, each yields once", WAITS, reference="pool",
        target=1.0, no_malloc=True),
    Row("s8", "suspended task, 3 deep, 4 locals a level", WAITS,
        unit="resident bytes", limit=200),
    Row("s8apart", "the same, the three kept out of line", WAITS,
        unit="resident bytes", limit=200),
    Row("s9", "there and back over two channels", WAITS, reference="pool",
        target=1.1),
    Row("s10", "a million small tasks on the pool, for each", "go fermata",
        unit="ns", limit=100, rounds=2),
    Row("s11", "TCP echo, 64 connections, server CPU a request",
        "epoll go fermata", unit="us", reference="epoll", target=1.03),
    Row("s11pool", "the same on the pool, on all CPUs", "go fermata",
        unit="us"),
    Row("s11rate", "the same, how many requests", "go fermata", unit="1/s"),
    Row("s13", "100,000 sleeps of up to 1 s, processor time", "go fermata",
        unit="ms", limit=120, rounds=3),
    Row("s13late", "the same, the latest one", "go fermata", unit="ms",
        limit=5, rounds=3),
    Row("s12", "ten small functions, .text each", "plain pool fermata",
        unit="bytes", limit=80, rounds=1),
    Row("compile1", "compile time, 40 functions", "plain fermata",
        unit="ms", reference="plain", target=1.5, rounds=7),
    Row("compile4", "compile time, 160 functions", "plain fermata",
        unit="ms", reference="plain", target=1.5, rounds=7,
        linear_to="compile1"),
    Row("compile16", "compile time, 640 functions", "plain fermata",
        unit="ms", reference="plain", target=1.5, rounds=7,
        linear_to="compile4"),
    Row("compiledense", "160 functions, an await every third line",
        "plain fermata", unit="ms", reference="plain", target=1.5, rounds=7),
]
LINEAR_NOISE = 1.1  # four times the text, at most 4.4 times the time
OWN_NOISE = 1.05  # "the same" between two figures of our own


def output_of(argv, timeout=120):
    """A child's figures: {name: [value, ...]}; a failing child ends us."""
    done = subprocess.run(argv, capture_output=True, text=True,
                          timeout=timeout)
    if done.returncode:
        sys.exit("%s: exit %d\n%s%s" % (" ".join(argv), done.returncode,
                                        done.stdout, done.stderr))
    found = {}
    for line in done.stdout.splitlines():
        name, value = line.split()
        found.setdefault(name, []).append(float(value))
    return found


def instructions(program, scenario, n):
    """Instructions of one operation: those of 2n less those of n, over n.

    Valgrind 3.19 does not read clang 19's debug information, and stops.
    """
    bare = program + ".bare"
    subprocess.run(["strip", "--strip-debug", program, "-o", bare],
                   check=True)

    def collected(ops):
        done = subprocess.run(
            ["valgrind", "--tool=callgrind",
             "--callgrind-out-file=/dev/null", bare, scenario,
             "=%d" % ops], capture_output=True, text=True, timeout=300)
        match = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not match:
            sys.exit("valgrind %s %s: %s" % (program, scenario, done.stderr))
        return int(match.group(1))
    return (collected(2 * n) - collected(n)) / n


def built(peer):
    return os.path.exists("%s/%s" % (BIN, peer))


def measure_timed(row, peer, options):
    return output_of(["%s/%s" % (BIN, peer), row.name, str(options.ms),
                      str(options.samples)])


def measure_held(program, options):
    if not built(program):
        return None
    tasks = 200000 if options.quick else 1000000
    found = output_of(["%s/%s" % (BIN, program), str(tasks)])
    return {"sample": found["resident"]}


def measure_sleeps(row, peer, options):
    """Sleepers that wake early end with a failure, which ends us."""
    if not built("sleeps_" + peer):
        return None
    found = output_of(["%s/sleeps_%s" % (BIN, peer),
                       str(20000 if options.quick else 100000)])
    return {"sample": found["late"]} if row.name == "s13late" else found


def measure_echo(row, peer, options):
    if not built("echo_" + peer):
        return None
    found = echo.measure(BIN, peer, options.quick, pool=row.name != "s11")
    return {"sample": found["rate"]} if row.name == "s11rate" else found


def measure(row, peer, options):
    """One round of one peer in one scenario, or None if it is not built."""
    if row.name.startswith("s8"):
        return measure_held("held%s_%s" % (row.name[2:], peer), options)
    if row.name.startswith("s11"):
        return measure_echo(row, peer, options)
    if row.name == "s10":
        have = built("crowd_" + peer)
        return output_of([BIN + "/crowd_" + peer]) if have else None
    if row.name.startswith("s13"):
        return measure_sleeps(row, peer, options)
    if row.name == "s12":
        return sizes.measure(BIN, peer)
    if row.name.startswith("compile"):
        dense = row.name.endswith("dense")
        return compile_time.measure(
            BIN, peer, 160 if dense else int(row.name[7:]) * 40, dense)
    return measure_timed(row, peer, options) if built(peer) else None


def count_instructions(row, peer, options):
    if row.unit != "ns" or peer in ("throw", "new", "go") or \
            row.name == "s10" or not built(peer):
        return None
    if options.quick and row.instructions is None:
        return None
    scale = 242785 if row.name == "s6" else 1
    n = 2 if row.name == "s6" else 2000
    program = "%s/%s" % (BIN, peer)
    return instructions(program, row.name, n) / scale


def measure_all(rows, options):
    """{row name: {peer: {figure: [values]}}}"""
    results = {row.name: {} for row in rows}
    for row in rows:
        for round_number in range(row.rounds or options.rounds):
            order = row.peers[::-1] if round_number % 2 else row.peers
            for peer in order:
                found = measure(row, peer, options)
                kept = results[row.name].setdefault(peer, {})
                for name, values in (found or {}).items():
                    kept.setdefault(name, []).extend(values)
        for peer in row.peers:
            count = count_instructions(row, peer, options)
            if count is not None:
                results[row.name][peer]["instructions"] = [count]
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return results


def middle(found, name="sample"):
    values = found.get(name) if found else None
    return statistics.median(values) if values else None


def verdict(row, results):
    """(what to reach, reached: True, False or None if not measured)"""
    ours = results[row.name].get("fermata")
    theirs = results[row.name].get(row.reference)
    goals, kept = [], []

    def goal(text, value, most):
        goals.append(text)
        kept.append(None if value is None or most is None
                    else value <= most + 1e-9)
    value, base = middle(ours), middle(theirs)
    if row.target:
        goal("%gx %s" % (row.target, row.reference), value,
             base and row.target * base)
    if row.instructions is not None:
        theirs_count = middle(theirs, "instructions")
        goal("%s + %.2g instr." % (row.reference, row.instructions),
             middle(ours, "instructions"),
             None if theirs_count is None
             else theirs_count + row.instructions + 0.01)
    if row.limit:
        goal("%g %s" % (row.limit, row.unit), value, row.limit)
    if row.no_malloc:
        goal("0 mallocs", middle(ours, "allocations"), 0.001)
    if row.not_above and row.not_above in results:
        other = middle(results[row.not_above].get("fermata"))
        goal("as %s" % row.not_above, value, other and OWN_NOISE * other)
    if row.linear_to and row.linear_to in results:
        small = middle(results[row.linear_to].get("fermata"))
        goal("linear", value, small and 4 * LINEAR_NOISE * small)
    if not goals or all(k is None for k in kept):
        return ", ".join(goals), None
    return ", ".join(goals), all(k is not False for k in kept)


def number(value):
    if value is None:
        return ""
    if abs(value) >= 1000:
        return "%.0f" % value
    return "%.3g" % value if abs(value) < 100 else "%.1f" % value


def cells(row, results):
    """The lines of one scenario, as lists of strings."""
    base = middle(results[row.name].get(row.reference))
    lines = []
    for peer in row.peers:
        found = results[row.name].get(peer) or {}
        value = middle(found)
        ratio = value / base if value and base else None
        span = found.get("sample") or []
        goal, reached = verdict(row, results) if peer == "fermata" else \
            ("", None)
        lines.append([
            row.name if peer == row.peers[0] else "", PEERS[peer],
            number(value) or "not measured",
            "%s-%s" % (number(min(span)), number(max(span))) if span else "",
            row.unit if value else "", "%.2f" % ratio if ratio else "",
            number(middle(found, "instructions")),
            number(middle(found, "allocations")),
            number(middle(found, "bytes")), goal,
            {True: "reached", False: "NOT REACHED", None: ""}[reached]])
    return lines


HEAD = ["", "peer", "median", "min-max", "unit", "ratio", "instr.",
        "mallocs", "bytes", "to reach", ""]


def plain_table(lines):
    widths = [max(len(line[i]) for line in [HEAD] + lines)
              for i in range(len(HEAD))]
    for line in [HEAD] + lines:
        print("  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip())


def machine():
    def first(argv):
        try:
            out = subprocess.run(argv, capture_output=True, text=True).stdout
            return out.strip().splitlines()[0]
        except (OSError, IndexError):
            return "unknown"
    with open("/proc/cpuinfo") as f:
        model = re.search(r"model name\s*: (.*)", f.read())
    return {
        "cpu": model.group(1) if model else platform.machine(),
        "cpus": os.cpu_count(), "kernel": platform.release(),
        "clang": first(["clang-19", "--version"]),
        "revision": first(["git", "rev-parse", "--short", "HEAD"]),
        "load": os.getloadavg()[0],
        "time": time.strftime("%Y-%m-%d %H:%M:%S"),
    }


def hashes():
    found = {}
    for name in sorted(os.listdir(BIN)):
        path = "%s/%s" % (BIN, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            with open(path, "rb") as f:
                found[name] = hashlib.sha256(f.read()).hexdigest()[:16]
    return found


def noisy(rows, results):
    """Scenarios whose range is wide against their median."""
    found = []
    for row in rows:
        for peer, figures in results[row.name].items():
            span = figures.get("sample") or []
            if len(span) > 2 and max(span) - min(span) > \
                    0.3 * statistics.median(span):
                found.append("%s %s" % (row.name, peer))
    return found


DOC = """# Figures

Made by `make bench` (about ten minutes; `make bench QUICK=1` is the short
form), on {cpus} CPUs of {cpu}, kernel {kernel}, {clang},
revision {revision}, {time}.

Times are processor time of the process, medians of at least seven samples
with their range; ratios are within this one run, to the peer named under "to
reach". "instr." is exact (valgrind), "mallocs" and "bytes" are what one
operation asks malloc for. All peers are compiled with -O2, the coroutines
without exceptions where they are the faster for it.

{table}

{titles}

{noise}
{sizes}
Every sample is in build/bench/figures.json. A figure that is not reached has
its page in docs/notes/.
"""


def markdown(rows, results):
    lines = [line for row in rows for line in cells(row, results)]
    head = [h or " " for h in HEAD]
    out = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(HEAD)]
    out += ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join(out)


def write_doc(path, rows, results, about):
    titles = "\n".join("- %s: %s" % (r.name, r.title) for r in rows)
    wide = noisy(rows, results)
    noise = "Noisy in this run (range over 30 % of the median): " + \
        ", ".join(wide) + ".\n" if wide else ""
    apart = sizes.apart(results.get("s12", {}))
    with open(path, "w") as f:
        f.write(DOC.format(table=markdown(rows, results), titles=titles,
                           noise=noise, sizes=apart, **about))


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--quick", action="store_true")
    p.add_argument("--only", default="")
    p.add_argument("--doc", default="")
    options = p.parse_args()
    options.ms = 10 if options.quick else 40
    options.samples = 7
    options.rounds = 1 if options.quick else 2
    return options


def main():
    options = parse()
    wanted = [w for w in options.only.split(",") if w]
    rows = [r for r in ROWS
            if (any(re.fullmatch(w, r.name) for w in wanted) if wanted
                else not (options.quick and r.name == "compile16"))]
    about = machine()
    results = measure_all(rows, options)
    plain_table([line for row in rows for line in cells(row, results)])
    print(sizes.apart(results.get("s12", {})), end="")
    for name in noisy(rows, results):
        print("noisy: " + name)
    with open(BIN + "/figures.json", "w") as f:
        json.dump({"machine": about, "quick": options.quick,
                   "artefacts": hashes(), "results": results}, f, indent=1)
    if options.doc:
        write_doc(options.doc, rows, results, about)
    missed = [r.name for r in rows if verdict(r, results)[1] is False]
    print("not reached: " + (", ".join(missed) or "none"))


if __name__ == "__main__":
    main()
