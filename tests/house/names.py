#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No paths of a workplace and no host names of registries in what is under version control.

Addresses that users type live in kb/index.tsv; kb/SOURCES names sources by title.
"""
import re

import house

HOSTS = [a + "." + b for a, b in (
    ("pypi", "org"), ("pythonhosted", "org"), ("download.pytorch", "org"), ("deb.debian", "org"), ("archive.ubuntu", "com"),
    ("registry.npmjs", "org"), ("anaconda", "org"), ("crates", "io"), ("docker", "io"), ("ghcr", "io"), ("quay", "io"), ("nvcr", "io"),
    ("developer.download.nvidia", "com"), ("pypi.nvidia", "com"), ("pypi.jetson-ai-lab", "io"), ("pypi.jetson-ai-lab", "dev"),
    ("developer.download.nvidia", "cn"), ("proxy.golang", "org"), ("files.pythonhosted", "org"))]
WORKPLACE = [re.compile(p) for p in (r"(?<![\w.])/" + "work/", r"\." + "library/", "farm-" + "bench", "farm-" + "studio")]
HOST = re.compile("|".join(re.escape(h) for h in HOSTS))
MAY_NAME_HOSTS = ("kb/index.tsv", "kb/SOURCES")
BINARY = re.compile(r"\.(zst|gz|xz|whl|so|ko|bin|note|png|onnx)$")


def one(path, text):
    for n, line in enumerate(text.split("\n"), 1):
        if path not in MAY_NAME_HOSTS:
            for m in HOST.finditer(line):
                yield "%s:%d: names the host %s" % (path, n, m.group(0))
        for p in WORKPLACE:
            if p.search(line):
                yield "%s:%d: names a path of a workplace" % (path, n)


def check(root):
    faults, seen = [], 0
    for p in house.tracked(root):
        if BINARY.search(p) or "/corpus/" in p:
            continue
        seen += 1
        faults += one(p, house.read(root, p))
    return seen, faults


PLANTS = [
    ("a registry's host", lambda r: house.write(r, "docs/planted.md", "see https://" + "download.pytorch" + ".org/whl\n"), "docs/planted.md:1: names the host"),
    ("a path of the workplace", lambda r: house.write(r, "src/base/planted.c", "/* see /" + "work/main */\n"), "planted.c:1: names a path"),
]

if __name__ == "__main__":
    house.main(check, PLANTS, copies=("src", "docs"))
