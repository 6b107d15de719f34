"""Compiles programs in both spellings, runs them every way, compares."""
import difflib
import os
import random
import re
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(TOP, "tests", "gen"))

import classes                                             # noqa: E402
from grow import grow                                      # noqa: E402
from spell import spell                                    # noqa: E402
from spell_async import Async, AsyncCplusplus              # noqa: E402
from spell_plain import Plain                              # noqa: E402

COMMON = ["-w", "-fwrapv", "-I" + HERE]
# What a level's programs and stage are compiled with, and by which variant.
LEVELS = {
    "O0": (["-O0"], ""), "O1": (["-O1", "-g"], ""), "O2": (["-O2"], ""),
    "O3": (["-O3"], ""), "Os": (["-Os"], ""), "O0g": (["-O0", "-g"], ""),
    "asan": (["-O1", "-g", "-fsanitize=address,undefined",
              "-fno-sanitize=alignment,function",
              "-fno-sanitize-recover=undefined"], "address"),
    "c++0": (["-O0"], ""), "c++2": (["-O2"], ""),
    "tsan": (["-O1", "-g", "-fsanitize=thread"], "thread"),
}
STARVED = 2                     # allocations of a program that fail, in turn
SENTENCE = r"(fermata|stage): .*(out of memory|no event loop|cannot have a " \
    r"loop|no loop for|for its event loop|" \
    r"no memory for the pool)"
POOL = 20                       # programs that choose from the same types


def run(command, env=None, limit=600):
    """The exit status, what was printed, and errors."""
    done = subprocess.Popen(command, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True,
                            env=dict(os.environ, **(env or {})))
    try:
        out, err = done.communicate(timeout=limit)
    except BaseException as why:
        os.killpg(done.pid, signal.SIGKILL)     # a compiler's children too
        out, err = done.communicate()
        if not isinstance(why, subprocess.TimeoutExpired):
            raise
        err += b"did not end in %d s\n" % limit
        return -1, out.decode("utf-8", "replace"), err.decode("utf-8",
                                                              "replace")
    return done.returncode, out.decode("utf-8", "replace"), \
        err.decode("utf-8", "replace")


def program_of(seed):
    types = list(classes.all_types(24, seed // POOL))
    return grow("p%d" % seed, seed, types)


def modes(seed):
    return ["still", "yield", "mix:%d" % seed, "one:%d" % seed,
            "many:%d" % seed]


class Reader:
    """Reads files of programs; everything that is made stays in `folder`."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.made = set()

    def path(self, name):
        return os.path.join(self.folder, name)

    def cc(self, level, cplusplus=False):
        driver, standard = ("fermata-c++", ["-std=gnu++17",
                                            "-DFERMATA_KEYWORDS"]) \
            if cplusplus else ("fermata-cc", ["-std=gnu17"])
        return [os.path.join(TOP, "build", LEVELS[level][1], "bin", driver),
                *LEVELS[level][0], *standard, *COMMON]

    def stage(self, level):
        """The stage's objects, made once."""
        sources = ["stage_plain"] if level == "plain" else \
            ["stage_async", "stage_points", "stage_meet"]
        outs = [self.path("%s.%s.o" % (s, level)) for s in sources]
        if level not in self.made:
            cc = ["clang-19", "-O1", "-std=gnu17", *COMMON] if level == "plain" \
                else self.cc(level)
            for source, out in zip(sources, outs):
                status, _, err = run([*cc, "-c", "-o", out, os.path.join(
                    HERE, source + ".c")])
                if status:
                    sys.exit("%s.c does not compile: %s" % (source, err))
            self.made.add(level)
        return outs

    def expected(self, name, programs, trace=False):
        """What the plain spelling prints; None and why if it cannot be."""
        source, binary = self.path(name + ".plain.c"), self.path(
            name + ".plain")
        with open(source, "w") as f:
            f.write(spell(programs, Plain()))
        status, _, err = run(["clang-19", "-O0", "-std=gnu17", *COMMON, source,
                              *self.stage("plain"), "-o", binary])
        if status:
            return None, err
        status, out, err = run([binary], {"TRACE": "1"} if trace else None,
                               60)
        return (out, "") if status == 0 else (None, "exit %d\n%s" % (status,
                                                                     err))

    def compile(self, name, programs, level):
        """The binary; None and what the compiler says."""
        cplusplus = level.startswith("c++")
        source = self.path(name + (".cpp" if cplusplus else ".c"))
        binary = self.path(name + "." + level)
        with open(source, "w") as f:
            f.write(spell(programs, AsyncCplusplus() if cplusplus
                          else Async()))
        status, _, err = run([*self.cc(level, cplusplus), source, *self.stage(level),
                              "-lpthread", "-o", binary], limit=900)
        return (binary, "") if status == 0 else (None, telling(err))

    def read(self, name, programs, level, chosen=None):
        """A list of (mode, difference); empty: all agree. A program that has
        no plain reading is (\"plain\", why)."""
        expected, why = self.expected(name, programs)
        if expected is None:
            return [("plain", why)]
        binary, why = self.compile(name, programs, level)
        if not binary:
            return [("compile", why)]
        bad = []
        for mode in chosen or modes(int(programs[0].name[1:])):
            status, out, err = run([binary], {"STAGE": mode})
            if status or out != expected:
                bad.append((mode, difference(expected, out, err, status)))
        if not chosen and level != "tsan":
            bad += self.starve(binary, int(programs[0].name[1:]),
                               len(programs), expected)
        return bad


    def starve(self, binary, seed, count, expected):
        """Each program with some of the runtime's allocations failing: it
        must come out the same, or say that a fault ENOMEM was seen; one run
        at most. Who ends with the runtime's own sentence does not count."""
        rnd, bad = random.Random(seed), []
        want = dict(line.split(": ", 1) for line in expected.splitlines())
        for k in range(count):
            def fail(n):
                return run([binary], {"STAGE": "fail:%d" % seed,
                                      "PLAY": "%d" % k,
                                      "FERMATA_FAIL_ALLOC": "%d" % n})
            status, out, err = fail(0)
            made = re.search(r"fermata: (\d+) allocations", err)
            tries = [0] + [rnd.randint(1, int(made.group(1)))
                           for _ in range(STARVED)] if made else [0]
            for n in tries:
                if n:
                    status, out, err = fail(n)
                why = starved_wrong(want, out, err, status, n)
                if why:
                    bad.append(("fail:%d program %d allocation %d" % (
                        seed, seed + k, n), why))
        return bad


def starved_wrong(want, out, err, status, n):
    """What is wrong with a run; nothing = it is right."""
    if status == -6 and n and re.search(SENTENCE, err) and \
            "Sanitizer" not in err:
        return ""
    if status:
        return "exit %d\n%s" % (status, err[:1500])
    told = {line.split()[0] for line in out.splitlines()
            if line.endswith(" starved")}
    wrong = [line for line in out.splitlines() if ": " in line and
             line.split(": ")[0] not in told and
             want.get(line.split(": ")[0], "") != line.split(": ", 1)[1] and
             not (told and line.split(": ")[0] not in want)]
    if len(told) > (n > 0):
        wrong.append("starved in %d runs" % len(told))
    return "\n".join(wrong[:5])


def telling(text):
    """What a failed compilation says, without the noise of a crash."""
    lines = [line for line in text.splitlines()
             if "error:" in line or "ERROR" in line or "Assertion" in line or
             line.lstrip()[:2] in ("1.", "2.", "3.", "4.", "5.", "#4", "#5",
                                   "#6", "#7", "#8")]
    return "\n".join(line[:200] for line in lines[:14]) or text[:2000]


def difference(expected, got, err, status):
    lines = difflib.unified_diff(expected.splitlines(), got.splitlines(),
                                 "plain", "got", lineterm="", n=0)
    head = [line for _, line in zip(range(12), lines)]
    return "exit %d\n%s\n%s" % (status, "\n".join(head), err[:1500])
