#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cuvet ld against libtree over the same files, one process each: ld.py CUVET [FILE|DIRECTORY...]

libtree has three forms: as it comes it leaves out the C and C++ libraries and what needs them, with -vv it shows each library under
the first file that needs it, with -vvv under every file. The last is what cuvet ld answers, which also checks versions and finds
what the loader would refuse. Times are the processor's, user and system together, medians of interleaved runs. Fails if cuvet is
slower than libtree -vvv; skips, and says so, where there is no libtree.
"""
import os
import random
import resource
import shutil
import subprocess
import sys

FILES = 400
RUNS = 15
PLACES = ["/usr/bin", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]


def is_elf(path):
    try:
        if os.path.islink(path) or os.path.getsize(path) < 8192:
            return False
        with open(path, "rb") as f:
            head = f.read(18)
    except OSError:
        return False
    return head[:5] == b"\x7fELF\x02" and head[16:18] in (b"\2\0", b"\3\0")


def files_of(places):
    found = []
    for place in places:
        if os.path.isfile(place):
            found.append(place)
        for top, dirs, names in os.walk(place):
            dirs.sort()
            found += [os.path.join(top, n) for n in sorted(names) if is_elf(os.path.join(top, n))]
    random.Random(1).shuffle(found)
    return sorted(found[:FILES])


def cost(argv):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    cuvet = os.path.abspath(sys.argv[1])
    libtree = shutil.which("libtree")
    if not libtree:
        print("ld: skipped: there is no libtree to compare with")
        return 0
    files = files_of(sys.argv[2:] or PLACES)
    programs = [[cuvet, "ld"], [cuvet, "ld", "--json"], [libtree], [libtree, "-vv"], [libtree, "-vvv"]]
    times = [[] for _ in programs]
    for run in range(RUNS):
        for i, p in enumerate(programs):
            if run < 3 or p[-1] != "-vvv":
                times[i].append(cost(p + files))
    medians = [sorted(t)[len(t) // 2] * 1e3 for t in times]
    for p, ms in zip(programs, medians):
        print("%-16s %8.1f ms for %d files, %.3f ms a file" % (" ".join([os.path.basename(p[0])] + p[1:]), ms, len(files), ms / len(files)))
    slow = max(medians[:2]) > medians[4]
    print("ld: %s than libtree -vvv, %.1f times its speed" % ("slower" if slow else "faster", medians[4] / medians[0]))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
