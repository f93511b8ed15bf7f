#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fixtures stay small: under 20 MiB in all, 2 MiB a file; no caches, no bytecode."""
import os

import house

TOTAL, EACH = 20 << 20, 2 << 20


def check(root):
    faults, total, seen = [], 0, 0
    for p in house.tracked(root):
        size = os.lstat(os.path.join(root, p)).st_size
        seen += 1
        if p.startswith("tests/"):
            total += size
        if size > EACH:
            faults.append("%s: %d bytes in one file" % (p, size))
        if "__pycache__" in p or p.endswith((".pyc", ".o", ".orig", ".rej")):
            faults.append("%s: does not belong under version control" % p)
    if total > TOTAL:
        faults.append("tests hold %d bytes, more than %d" % (total, TOTAL))
    return seen, faults


def big(n, size):
    def plant(root):
        for i in range(n):
            path = os.path.join(root, "tests", "planted%d.dat" % i)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.truncate(size)
    return plant


PLANTS = [
    ("a large file", big(1, EACH + 1), "bytes in one file"), ("many files", big(12, EACH - 1), "tests hold"),
    ("bytecode", lambda r: house.write(r, "src/a.pyc", "x"), "does not belong"),
]

if __name__ == "__main__":
    house.main(check, PLANTS, copies=("src",))
