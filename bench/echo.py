"""echo.py: s11, an echo server under 64 connections, both on one CPU; or each
on all CPUs there are, the server on a pool of threads.

What counts is the server's processor time for a request: the rate also moves
with everything else on the machine. The load reads it from the server's own
clock; see echo_load.c.
"""
import os
import subprocess
import sys

CONNECTIONS = "64"


def pinned():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def measure(bin_dir, peer, quick, pool=False):
    where = None if pool else pinned
    argv = ["%s/echo_%s" % (bin_dir, peer)] + (["pool"] if pool else [])
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True,
                              preexec_fn=where)
    try:
        port = server.stdout.readline().strip()
        load = subprocess.run(
            ["%s/echo_load" % bin_dir, port, str(server.pid), CONNECTIONS,
             "0.2" if quick else "0.4", "7"], capture_output=True,
            text=True, timeout=60, preexec_fn=where)
    finally:
        server.kill()
        server.wait()
    if load.returncode:
        sys.exit("echo_load against %s: %s" % (peer, load.stderr))
    found = {}
    for line in load.stdout.splitlines():
        name, value = line.split()
        found.setdefault(name, []).append(float(value))
    return found
