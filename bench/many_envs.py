#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A machine with many virtual environments: many_envs.py DIR [--envs N] [--packages N] [--files N]

Each environment holds torch's CUDA build and N - 1 other packages, each with METADATA, WHEEL, INSTALLER and a RECORD of N files that
exist. With --grow CUVET it also measures: 200 environments must take no more than eight times the CPU time of 25, give or take a half.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = os.path.join(HERE, "..", "tests", "machines")
sys.path.insert(0, os.path.join(MACHINES, "lib"))
import boxes  # noqa: E402
import pyenv  # noqa: E402
import tree   # noqa: E402


def package(m, site, name, version, files):
    info = "%s/%s-%s.dist-info" % (site, name, version)
    paths = ["%s/module_%d.py" % (name, i) for i in range(files)]
    for p in paths:
        m.write(site + "/" + p, "x = 1\n")
    m.write(info + "/METADATA", "Metadata-Version: 2.1\nName: %s\nVersion: %s\nRequires-Dist: numpy>=1.20\n\nA package.\n" % (name, version))
    m.write(info + "/WHEEL", "Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    m.write(info + "/INSTALLER", "pip\n")
    m.write(info + "/RECORD", "".join("%s,sha256=x,6\n" % p for p in paths) + "%s-%s.dist-info/RECORD,,\n" % (name, version))


def build(root, envs, packages, files):
    m = tree.Machine(root)
    boxes.box(m, "NVIDIA A10", "570.124.06")
    for i in range(envs):
        path = "/srv/env%03d" % i
        env = pyenv.venv(m, path)
        env.torch("2.9.0", "cu128")
        for k in range(packages - 1):
            package(m, path + "/lib/python3.11/site-packages", "package_%03d" % k, "1.%d" % (i % 10), files)
    return m


def measure(cuvet, root):
    """The least CPU time of five runs, in seconds (other work on the machine blurs the clock); how many environments were judged."""
    best, doc = None, None
    for _ in range(5):
        p = subprocess.Popen([cuvet, "check", "--root", root, "--json"], stdout=subprocess.PIPE, env={"PATH": "/usr/bin:/bin"})
        doc = p.stdout.read()
        usage = os.wait4(p.pid, 0)[2]
        took = usage.ru_utime + usage.ru_stime
        best = took if best is None else min(best, took)
    return best, len(json.loads(doc)["environments"])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("directory")
    p.add_argument("--envs", type=int, default=200)
    p.add_argument("--packages", type=int, default=100)
    p.add_argument("--files", type=int, default=3)
    p.add_argument("--grow", metavar="CUVET")
    opts = p.parse_args()
    if not opts.grow:
        build(opts.directory, opts.envs, opts.packages, opts.files)
        return 0
    times = {}
    for n in (25, 50, 100, 200):
        root = os.path.join(opts.directory, "envs%d" % n)
        build(root, n, opts.packages, opts.files)
        times[n], seen = measure(opts.grow, root)
        print("%3d environments, %5d packages: %7.1f ms, %.2f ms each%s" %
              (n, n * opts.packages, times[n] * 1e3, times[n] * 1e3 / n, "" if seen >= n else "; only %d were seen" % seen))
        if seen < n:
            return 1
    ratio = times[200] / times[25] / 8
    print("200 against 25 environments: %.2f of linear" % ratio)
    return 0 if ratio < 1.5 else 1


if __name__ == "__main__":
    sys.exit(main())
