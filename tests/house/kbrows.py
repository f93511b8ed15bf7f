#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The build refuses a bad row of the knowledge base, naming file and line, and makes the same file twice from good ones."""
import atexit
import filecmp
import os
import shutil
import subprocess
import tempfile

import house

TOOL = tempfile.mkdtemp(prefix="house.kbc.")
atexit.register(shutil.rmtree, TOOL, True)
KBC = os.path.join(TOOL, "kbc")
BASE = ("arena", "buf", "diag", "map", "str", "vec", "version")


def build():
    sources = ["tools/kbc.c", "src/kb/tsv.c"] + ["src/base/%s.c" % n for n in BASE]
    subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-O1", "-Isrc", "-Iinclude", "-o", KBC] + sources,
                   cwd=house.ROOT, check=True)


def check(root):
    outs = [os.path.join(TOOL, "a.c"), os.path.join(TOOL, "b.c")]
    kb = os.path.join(root, "kb")
    for out in outs:
        r = subprocess.run([KBC, kb, out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if r.returncode:
            return 1, r.stderr.decode(errors="replace").splitlines() or ["kbc failed silently"]
    if not filecmp.cmp(*outs, shallow=False):
        return 1, ["kb: two runs make different files"]
    rows = sum(house.read(root, p).count("\n") for p in house.files(root, "kb", ends=(".tsv",)))
    return rows, []


def row(line, path="kb/zz.tsv"):
    return lambda root: house.write(root, path, line + "\n", append=False)


def both(*plants):
    return lambda root: [p(root) for p in plants] and None


GOOD = "driver\t1\t2\tcuda\t1.0\tartifact_torch\t2026\tderived"
PLANTS = [
    ("seven columns", row("driver\t1\t2\tcuda\t1.0\tartifact_torch\t2026"), "kb/zz.tsv:1: 7 columns, 8 wanted"),
    ("an unknown subject", row(GOOD.replace("driver", "driven")), "kb/zz.tsv:1: subject is not in SCHEMA: 'driven'"),
    ("an unknown property", row(GOOD.replace("cuda", "cudda")), "kb/zz.tsv:1: property is not in SCHEMA for this subject: 'cudda'"),
    ("an unknown source", row(GOOD.replace("artifact_torch", "hearsay")), "kb/zz.tsv:1: source is not in SOURCES: 'hearsay'"),
    ("an unknown tier", row(GOOD.replace("derived", "certain")), "kb/zz.tsv:1: unknown tier 'certain'"),
    ("a date that is none", row(GOOD.replace("2026", "2026-13")), "kb/zz.tsv:1: not a date: '2026-13'"),
    ("an empty value", row(GOOD.replace("1.0", "")), "kb/zz.tsv:1: the value is empty"),
    ("from above to", row(GOOD.replace("\t1\t2", "\t10\t9")), "kb/zz.tsv:1: 'to' is not above 'from'"),
    ("from that is no version", row(GOOD.replace("\t1\t2", "\tx\t9")), "kb/zz.tsv:1: 'from' is not a version"),
    ("exactly nothing", row(GOOD.replace("\t1\t2", "\t\t=")), "kb/zz.tsv:1: 'to' is '=' with an empty 'from'"),
    ("a control byte", row(GOOD.replace("1.0", "1.\x1b[31m0")), "kb/zz.tsv:1: a control byte"),
    ("rows out of order", row(GOOD.replace("\t1\t2", "\t10\t11") + "\n" + GOOD), "kb/zz.tsv:2: not in order"),
    ("an overlap across files", row(GOOD.replace("\t1\t2", "\t535.50\t535.60")), "overlaps the interval of kb/"),
    ("a source that no row uses", lambda root: house.write(root, "kb/SOURCES", "zz_unused\ta title\tnowhere\t2026\n"),
     "no row uses source 'zz_unused'"),
    ("a second line for a source", lambda root: house.write(root, "kb/SOURCES", "artifact_torch\tagain\tnowhere\t2026\n"),
     "a second line for source 'artifact_torch'"),
    ("another scheme for a subject", lambda root: house.write(root, "kb/SCHEMA", "driver\tpep440\tzz\tnothing\n"),
     "another version scheme than before"),
]

if __name__ == "__main__":
    build()
    house.main(check, PLANTS, copies=("kb",))
