#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may include whom: the layering of docs/ARCHITECTURE.md as a table."""
import re

import house

ALLOWED = {  # room -> rooms whose headers it may include, besides its own
    "base": [],
    "parse": ["base"],
    "facts": ["base"],
    "view": ["base", "parse"],  # parse holds the format of a record's index; parse itself never sees the view
    "kb": ["base", "view", "gpucode"],  # the rules of matching alone: match.h
    "gpucode": ["base", "parse"],
    "loadmap": ["base", "view", "parse"],
    "collect": ["base", "view", "parse", "facts", "kb", "gpucode", "loadmap"],
    "judge": ["base", "facts", "kb", "gpucode"],  # the rules of matching and weighing code, not its reader
    "explain": ["base", "parse", "facts", "kb", "judge"],
    "report": ["base", "facts", "judge", "kb", "gpucode", "loadmap"],
    "engine": ["base", "parse", "facts", "view", "kb", "gpucode", "loadmap", "collect", "judge", "explain", "report"],
    "cli": [],
}
# everybody may have the error numbers; the rooms from the judge up share the public types
PUBLIC = {"judge", "report", "engine", "cli"}
# headers that only these rooms may include: file system, libraries
SYSTEM = {
    "fcntl.h": ["view", "cli"], "sys/stat.h": ["view", "cli"], "dirent.h": ["view"], "unistd.h": ["view", "base", "cli"],
    "archive.h": ["view", "collect"], "archive_entry.h": ["view", "collect"], "jansson.h": ["parse", "engine", "facts"],
    "pcre2.h": ["explain"], "libiberty/demangle.h": ["base"], "time.h": ["cli", "view"], "locale.h": ["cli"],
    "error.h": [], "fts.h": [], "argp.h": [], "obstack.h": [], "execinfo.h": [], "alloca.h": [], "pthread.h": [],
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)


def one(path, text):
    room = path.split("/")[1]
    if room not in ALLOWED:
        yield "%s: the room %s is not in the table of tests/house/includes.py" % (path, room)
        return
    for m in INCLUDE.finditer(text):
        line = text.count("\n", 0, m.start()) + 1
        kind, name = m.groups()
        top = name.split("/")[0] if "/" in name else room if kind == '"' else None
        if kind == "<":
            if name in SYSTEM and room not in SYSTEM[name]:
                yield "%s:%d: %s may not include <%s>" % (path, line, room, name)
        elif top == "cuvet":
            if room not in PUBLIC and name != "cuvet/err.h":
                yield "%s:%d: %s may not include %s" % (path, line, room, name)
        elif top != room and top not in ALLOWED[room]:
            yield "%s:%d: %s may not include %s" % (path, line, room, name)


def check(root):
    faults = []
    paths = house.files(root, "src", ends=(".c", ".h", ".def"))
    for p in paths:
        faults += one(p, house.read(root, p))
    return len(paths), faults


def plant(path, line):
    return lambda root: house.write(root, path, line + "\n", append=True)


PLANTS = [
    ("the judge looks at the file system", plant("src/judge/planted.c", '#include "view/view.h"'), "src/judge/planted.c:1: judge may not include view"),
    ("a parser uses the view", plant("src/parse/planted.c", "\n# include  \"view/view.h\""), "src/parse/planted.c:2: parse may not include view"),
    ("the command line uses an inner header", plant("src/cli/planted.c", '#include "facts/facts.h"'), "cli may not include facts"),
    ("the base uses facts", plant("src/base/planted.h", '#include "facts/facts.h"'), "base may not include facts"),
    ("a collector opens files", plant("src/collect/planted.c", "#include <fcntl.h>"), "collect may not include <fcntl.h>"),
    ("a glibc-only header", plant("src/base/planted.c", "#include <argp.h>"), "<argp.h>"),
    ("a room nobody knows", plant("src/cellar/planted.c", ""), "the room cellar"),
]

if __name__ == "__main__":
    house.main(check, PLANTS)
