#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the reader of ld.so.cache see what `ldconfig -p` prints? The machine's own cache, and, as root, caches of each format that
ldconfig writes for a tree with glibc-hwcaps.

Prints "ldconfig: N agree / N differ" (entries). Exit 1 where anything differs.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LDCONFIG = shutil.which("ldconfig") or "/sbin/ldconfig"
SOURCES = ["tests/helpers/ldcachedump.c", "src/parse/ldcache.c", "src/base/arena.c", "src/base/str.c", "src/base/diag.c", "src/base/vec.c"]


def build(directory):
    out = os.path.join(directory, "ldcachedump")
    subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-O1", "-I" + os.path.join(ROOT, "src"),
                    "-I" + os.path.join(ROOT, "include"), "-o", out] + [os.path.join(ROOT, s) for s in SOURCES], check=True)
    return out


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", env=dict(os.environ, LC_ALL="C")).stdout


def compare(what, got, want):
    want = [line for line in want.splitlines() if " libs found in cache " not in line]
    got = got.splitlines()
    wrong = [(a, b) for a, b in zip(got, want) if a != b]
    for a, b in wrong[:5]:
        print("  %s: got %s, want %s" % (what, a, b))
    if len(got) != len(want):
        print("  %s: %d lines, want %d" % (what, len(got), len(want)))
    differ = len(wrong) + abs(len(got) - len(want))
    return max(len(got), len(want)) - differ, differ


def make_tree(root):
    for d in ("etc", "usr/lib/glibc-hwcaps/x86-64-v3", "usr/lib/glibc-hwcaps/x86-64-v2", "opt/x"):
        os.makedirs(os.path.join(root, d))
    with open(os.path.join(root, "etc/ld.so.conf"), "w") as f:
        f.write("/opt/x\n")
    for path, soname, flags in (("usr/lib/libfoo.so.1", "libfoo.so.1", []), ("opt/x/libbar.so.2.3", "libbar.so.2", []),
                                ("usr/lib/glibc-hwcaps/x86-64-v3/libfoo.so.1", "libfoo.so.1", ["-Wl,-z,x86-64-v3"]),
                                ("usr/lib/glibc-hwcaps/x86-64-v2/libfoo.so.1", "libfoo.so.1", ["-Wl,-z,x86-64-v2"])):
        subprocess.run(["gcc", "-shared", "-fPIC", "-xc", "/dev/null", "-Wl,-soname," + soname, "-o", os.path.join(root, path)] + flags,
                       check=True)


def check_tree(helper, d):
    """ldconfig cannot print hwcaps names of "compat" files right, so the new format is the oracle for both."""
    agree = differ = 0
    root = os.path.join(d, "root")
    make_tree(root)
    for fmt in ("new", "compat", "old"):
        subprocess.run([LDCONFIG, "-r", root, "-c", fmt, "-C", "/etc/cache." + fmt], check=True, capture_output=True)
        want = output(LDCONFIG, "-r", root, "-p", "-C", "/etc/cache." + ("old" if fmt == "old" else "new"))
        a, b = compare(fmt, output(helper, os.path.join(root, "etc/cache." + fmt)), want)
        agree, differ = agree + a, differ + b
    return agree, differ


def main():
    if not os.access(LDCONFIG, os.X_OK):
        print("ldconfig: skipped (not here)")
        return 0
    with tempfile.TemporaryDirectory() as d:
        helper = build(d)
        agree, differ = compare("/etc/ld.so.cache", output(helper, "/etc/ld.so.cache"), output(LDCONFIG, "-p"))
        if os.geteuid() == 0 and shutil.which("gcc") and os.uname().machine == "x86_64":
            a, b = check_tree(helper, d)
            agree, differ = agree + a, differ + b
        else:
            print("ldconfig, trees: skipped (needs root, gcc and x86_64)")
    print("ldconfig: %d agree / %d differ" % (agree, differ))
    return 1 if differ or not agree else 0


if __name__ == "__main__":
    sys.exit(main())
