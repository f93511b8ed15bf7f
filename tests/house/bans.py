#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Banned calls, marks of unfinished work, and sizes."""
import re

import house

EVERYWHERE = ("strcpy strcat strncat strncpy sprintf vsprintf strtok strtok_r atoi atol atoll atof gets system popen alloca ctime asctime "
              "gmtime localtime tmpnam mktemp qsort_r strdupa strndupa").split()
LIBRARY = ("getenv secure_getenv exit _exit _Exit quick_exit abort printf fprintf vprintf vfprintf puts fputs putchar putc fputc perror assert "
           "setlocale time clock_gettime gettimeofday rand random srand signal sigaction fork vfork execve dlopen dlsym strtol strtoul "
           "strtoll strtoull strtod").split()
FILES = ("open openat openat2 creat fopen freopen fdopen stat lstat fstat fstatat statx readdir opendir fdopendir scandir access faccessat "
         "readlink readlinkat realpath glob nftw ftw getcwd chdir mkdir unlink rename").split()
LOOK_AT_FILES = {"view"}
MARKS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
MAX_FILE, MAX_FUNCTION = 800, 100


def calls(code, names):
    """(line, name) of calls; members such as ops->open(...) and own names such as cv_open( are none."""
    pattern = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(map(re.escape, names)))
    for m in pattern.finditer(code):
        yield code.count("\n", 0, m.start()) + 1, m.group(1)


def functions(code):
    """(line of the brace, length) of function bodies: braces in the first column."""
    lines = code.split("\n")
    start = None
    for i, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = i
        elif line.startswith("}") and start:
            yield start, i - start + 2
            start = None


def vla_or_global(path, code):
    for m in re.finditer(r"^static (?!const\b|inline\b|_Thread_local\b)[\w* ]+\b(\w+)(\[[^\]]*\])*\s*(=|;)", code, re.M):
        text = m.group(0)
        if "const" not in text and "(" not in text:
            yield "%s:%d: mutable file-scope variable %s" % (path, code.count("\n", 0, m.start()) + 1, m.group(1))
    for m in re.finditer(r"\btypedef\s+(struct|union|enum)\b", code):
        yield "%s:%d: typedef of a %s" % (path, code.count("\n", 0, m.start()) + 1, m.group(1))
    for m in re.finditer(r"__attribute__\s*\(\(\s*(constructor|destructor)", code):
        yield "%s:%d: %s" % (path, code.count("\n", 0, m.start()) + 1, m.group(1))


def one(path, text):
    code = house.code_only(text)
    parts = path.split("/")
    room = parts[1] if parts[0] == "src" else None
    for line, name in calls(code, EVERYWHERE):
        yield "%s:%d: banned call %s()" % (path, line, name)
    if room and room != "cli":
        for line, name in calls(code, LIBRARY):
            yield "%s:%d: the library may not call %s()" % (path, line, name)
        for fault in vla_or_global(path, code):
            yield fault
    if room and room not in LOOK_AT_FILES | {"cli"}:
        for line, name in calls(code, FILES):
            yield "%s:%d: only the view looks at files, not %s()" % (path, line, name)
    length = text.count("\n")
    if length > MAX_FILE:
        yield "%s: %d lines, more than %d" % (path, length, MAX_FILE)
    if parts[0] in ("src", "tools"):
        for line, n in functions(code):
            if n > MAX_FUNCTION:
                yield "%s:%d: a function of %d lines, more than %d" % (path, line, n, MAX_FUNCTION)
    for m in MARKS.finditer(text):
        yield "%s:%d: mark %s" % (path, text.count("\n", 0, m.start()) + 1, m.group(1))


def check(root):
    faults = []
    paths = house.files(root, "src", "include", "tools", "tests", "examples", ends=(".c", ".h", ".def"))
    for p in paths:
        faults += one(p, house.read(root, p))
    for p in house.files(root, "kb", "docs", "cmake", ends=(".tsv", ".md", ".cmake", "SCHEMA", "SOURCES")):
        faults += ["%s: mark %s" % (p, m.group(1)) for m in MARKS.finditer(house.read(root, p))]
    return len(paths), faults


def plant(path, text):
    return lambda root: house.write(root, path, text, append=True)


PLANTS = [
    ("strcpy", plant("src/base/planted.c", "void f(char *d, const char *s)\n{\n\tstrcpy(d, s);\n}\n"), "planted.c:3: banned call strcpy()"),
    ("getenv in the library", plant("src/collect/planted.c", "static const char *f(void)\n{\n\treturn getenv (\"HOME\");\n}\n"), "may not call getenv()"),
    ("exit in the library", plant("src/engine/planted.c", "void f(void)\n{\n\texit(1);\n}\n"), "may not call exit()"),
    ("a file opened by a collector", plant("src/collect/planted.c", "int f(void)\n{\n\treturn open(\"/x\", 0);\n}\n"), "not open()"),
    ("an unfinished mark", plant("src/parse/planted.c", "/* %s: later */\n" % ("TO" + "DO")), "planted.c:1: mark"),
    ("a long function", plant("src/judge/planted.c", "void f(void)\n{\n" + "\t;\n" * 120 + "}\n"), "a function of 123 lines"),
    ("a long file", plant("src/report/planted.c", "\n" * 801), "801 lines"),
    ("a mutable global", plant("src/base/planted.c", "static int counter;\n"), "mutable file-scope variable counter"),
    ("a struct typedef", plant("src/base/planted.h", "typedef struct cv_x cv_x;\n"), "typedef of a struct"),
]

if __name__ == "__main__":
    # a ban inside a comment or a string must not count, a member call neither
    assert not list(one("src/judge/a.c", "/* strcpy(a, b) */\nconst char *s = \"exit(1)\";\n\tv->ops->open(v);\n"))
    house.main(check, PLANTS, copies=("src", "include"))
