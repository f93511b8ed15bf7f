#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The built archive: every global name begins with cv_, no mutable globals, no constructors: symbols.py BUILD_DIR"""
import os
import re
import subprocess
import sys

import house

BUILD = sys.argv[1] if len(sys.argv) > 1 else os.path.join(house.ROOT, "build")
STATE = re.compile(r"^\.(data|bss|tdata|tbss|init_array|fini_array|ctors|dtors|preinit_array)(\.(?!rel\.ro)|$)")
SECTION = re.compile(r"^\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)")


def tool(*args):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, env=dict(os.environ, LC_ALL="C")).stdout.decode()


def names(path):
    member = os.path.basename(path)
    for line in tool("nm", "-g", "--defined-only", path).split("\n"):
        if line.endswith(":"):
            member = line[:-1]
        parts = line.split()
        if len(parts) == 3 and not parts[2].startswith("cv_"):
            yield "%s: the global name %s does not begin with cv_" % (member, parts[2])


def state(path):
    member = os.path.basename(path)
    for line in tool("readelf", "-SW", path).split("\n"):
        if line.startswith("File: "):
            member = line[6:].strip()
        m = SECTION.match(line)
        if m and STATE.match(m.group(1)) and int(m.group(2), 16):
            yield "%s: section %s of %d bytes: a mutable global or a constructor" % (member, m.group(1), int(m.group(2), 16))


def check(root):
    archive = os.path.join(BUILD, "libcuvet.a")
    paths = [archive] if root == house.ROOT else [os.path.join(root, n) for n in sorted(os.listdir(root)) if n.endswith(".o")]
    paths = [p for p in paths if os.path.exists(p)]
    seen = sum(tool("nm", "-g", "--defined-only", p).count(" T ") for p in paths)
    return seen, [f for p in paths for f in list(names(p)) + list(state(p))]


def plant(text):
    def build(root):
        house.write(root, "planted.c", text)
        tool(os.environ.get("CC", "cc"), "-c", "-o", os.path.join(root, "planted.o"), os.path.join(root, "planted.c"))
    return build


PLANTS = [
    ("a name without prefix", plant("int helper(void);\nint helper(void) { return 1; }\n"), "the global name helper"),
    ("a counter", plant("int cv_next(void);\nint cv_next(void) { static int n; return n++; }\n"), "section .bss"),
    ("an initialised global", plant("int cv_level = 3;\n"), "section .data"),
    ("a constructor", plant("__attribute__((constructor)) static void f(void) { }\n"), ".init_array"),
]

if __name__ == "__main__":
    house.main(check, PLANTS, copies=())
