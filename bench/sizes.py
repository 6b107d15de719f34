"""sizes.py: s12, bytes of code of ten small functions, from the object file.

Code is every executable section; .rodata, .eh_frame and the table of
suspension points are reported apart and never added to it.
"""
import re
import subprocess

FUNCTIONS = 10


def sections(path):
    """[(name, bytes, flags)] as readelf prints them."""
    out = subprocess.run(["readelf", "-SW", path], capture_output=True,
                         text=True, check=True).stdout
    line = re.compile(r"\]\s+(\S+)\s+\S+\s+[0-9a-f]{16} [0-9a-f]+ "
                      r"([0-9a-f]+) [0-9a-f]+\s+(\w*)")
    found = []
    for text in out.splitlines():
        match = line.search(text)
        if match:
            found.append((match.group(1), int(match.group(2), 16),
                          match.group(3)))
    return found


def kind(name, flags):
    if "X" in flags:
        return "sample"
    for prefix, what in ((".rodata", "rodata"), (".eh_frame", "eh_frame"),
                         (".gcc_except", "eh_frame"), ("fm_", "points"),
                         (".fm_", "points"), (".data.rel.ro", "rodata")):
        if name.startswith(prefix):
            return what
    return None


def measure(bin_dir, peer):
    path = "%s/ten_%s.o" % (bin_dir, peer)
    try:
        listed = sections(path)
    except subprocess.CalledProcessError:
        return None
    found = {"sample": [0], "rodata": [0], "eh_frame": [0], "points": [0]}
    for name, size, flags in listed:
        what = kind(name, flags)
        if what and "A" in flags:
            found[what][0] += size / FUNCTIONS
    return found


def apart(results):
    """A line for each peer: what is not code."""
    text = ""
    for peer, found in results.items():
        if found:
            text += "s12 %s, bytes a function: .text %.1f" % (
                peer, found["sample"][0])
            for name in ("rodata", "eh_frame", "points"):
                text += ", %s %.1f" % (name, found[name][0])
            text += "\n\n"
    return text
