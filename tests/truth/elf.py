#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the ELF parser see what readelf sees? Every ELF file of the given directories; by default this machine's libraries.

  elf.py [--limit N] [FILE|DIRECTORY...]

Prints "readelf: N agree / N differ". Exit 1 where anything differs.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEFAULT = ["/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib32", "/usr/bin"]
SYM_TYPES = {"NOTYPE": 0, "OBJECT": 1, "FUNC": 2, "SECTION": 3, "FILE": 4, "COMMON": 5, "TLS": 6, "IFUNC": 10}
SYM_BINDS = {"LOCAL": 0, "GLOBAL": 1, "WEAK": 2, "UNIQUE": 10}
SYM_NDX = {"UND": 0, "ABS": 0xfff1, "COM": 0xfff2}


def build(directory):
    out = os.path.join(directory, "elfdump")
    src = os.path.join(ROOT, "src")
    files = [os.path.join(src, d, f) for d in ("parse", "base") for f in sorted(os.listdir(os.path.join(src, d)))
             if f.endswith(".c") and (d == "base" or f.startswith("elf"))]
    subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-O2", "-I" + src, "-I" + os.path.join(ROOT, "include"),
                    "-o", out, os.path.join(ROOT, "tests/helpers/elfdump.c")] + files, check=True)
    return out


def readelf(path, *options):
    return subprocess.run(["readelf", "-W"] + list(options) + [path], capture_output=True, text=True, errors="replace",
                          env=dict(os.environ, LC_ALL="C")).stdout


def numbers(words, base=16):
    return " ".join("%x" % int(w, base) for w in words)


def want_segments(path):
    for m in re.finditer(r"^  \S+ +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x(\w+) ([R ])([W ])([E ]) ", readelf(path, "-l"), re.M):
        flags = 4 * (m[5] == "R") + 2 * (m[6] == "W") + (m[7] == "E")
        yield "segment %s %d" % (numbers(m.groups()[:4]), flags)


def want_dynamic(path):
    text = readelf(path, "-d")
    for tag, key in (("NEEDED", "needed"), ("SONAME", "soname"), ("RPATH", "rpath"), ("RUNPATH", "runpath")):
        for m in re.finditer(r"\(%s\) +Library [a-z ]+: \[(.*)\]$" % tag, text.replace("Shared library", "Library shared library"), re.M):
            yield "%s %s" % (key, m[1])
    interp = re.search(r"Requesting program interpreter: (.*)\]", readelf(path, "-l"))
    if interp:
        yield "interp " + interp[1]
    now = "BIND_NOW" in text or re.search(r"\(FLAGS_1\).*\bNOW\b", text)
    yield "now %d textrel %d symbolic %d" % (bool(now), "TEXTREL" in text, "SYMBOLIC" in text)


def want_versions(path):
    text = readelf(path, "-V")
    for m in re.finditer(r"Rev: 1  Flags: (\w+)\s*(?:\| WEAK\s*)?Index: (\d+)  Cnt: \d+  Name: (.*)$", text, re.M):
        yield "verdef %s %s%s" % (m[2], m[3], " BASE" if m[1] == "BASE" else " WEAK" if m[1] == "WEAK" else "")
    name = "?"
    for line in text.splitlines():
        m = re.search(r"Version: 1  File: (.*)  Cnt: \d+$", line)
        if m:
            name = m[1]
        m = re.search(r"  Name: (.*)  Flags: (\w+)\s+Version: (\d+)$", line)
        if m:
            yield "verneed %s %s %s%s" % (name, m[3], m[1], " WEAK" if m[2] == "WEAK" else "")


def want_sections(path):
    text = readelf(path, "-S")
    for m in re.finditer(r"^  \[ *(\d+)\] (\S*) +[A-Z]\S*(?: \S+)? +([0-9a-f]{8,}) ([0-9a-f]{6,}) ([0-9a-f]{6,}) ", text, re.M):
        yield "section %s %s %s" % (m[1], m[2], numbers(m.groups()[2:]))


def want_symbols(path):
    for m in re.finditer(r"^ +(\d+): ([0-9a-f]+) +(0x[0-9a-f]+|\d+) (\S+) +(\S+) +\S+ +(?:\[.*\] +)?(\S+)(?: (.*))?$",
                         readelf(path, "--dyn-syms"), re.M):
        num, value, size, kind, bind, ndx, name = m.groups()
        if kind not in SYM_TYPES or bind not in SYM_BINDS or not (ndx in SYM_NDX or ndx.isdigit()):
            continue
        name = re.sub(r" \(\d+\)$", "", name or "")
        yield "symbol %s %x %d %d %d %d %s" % (num, int(value, 16), int(size, 0), SYM_TYPES[kind], SYM_BINDS[bind],
                                              SYM_NDX.get(ndx) if ndx in SYM_NDX else int(ndx), name)


def want_build_id(path):
    m = re.search(r"Build ID: (\w+)", readelf(path, "-n"))
    if m:
        yield "build-id " + m[1]


def got_comparable(lines):
    """The dump's lines in the form of the want_ functions, by kind."""
    out = {}
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "segment":
            rest = rest.split(" ", 1)[1]
        if kind == "symbol":
            rest = re.sub(r" ([^ @]+)@@?\1$", r" \1", rest)  # readelf leaves out the version of the symbol that stands for it
        if kind == "now":
            rest = rest.rsplit(" df1", 1)[0]
        group = {"needed": "dynamic", "soname": "dynamic", "rpath": "dynamic", "runpath": "dynamic", "interp": "dynamic", "now": "dynamic",
                 "verdef": "versions", "verneed": "versions"}.get(kind, kind)
        out.setdefault(group, []).append(kind + " " + rest)
    return out


def compare(path, lines):
    got = got_comparable(lines)
    bad = [x for k in ("section-lost", "symbol-lost", "symbol-not-found") for x in got.get(k, [])]
    if got.get("damaged") != ["damaged 0"]:
        bad.append(str(got.get("damaged")))
    for group, want in (("segment", want_segments), ("dynamic", want_dynamic), ("versions", want_versions),
                        ("section", want_sections), ("symbol", want_symbols), ("build-id", want_build_id)):
        w, g = list(want(path)), got.get(group, [])
        if group == "symbol":
            seen = {x.split(" ")[1] for x in w}
            g = [x for x in g if x.split(" ")[1] in seen]
        if group == "section":
            g = [x for x in g if not x.startswith("section 0 ")]
            w = [x for x in w if not x.startswith("section 0 ")]
        if sorted(w) != sorted(g):
            bad += ["readelf only: " + x for x in sorted(set(w) - set(g))[:5]] + ["ours only: " + x for x in sorted(set(g) - set(w))[:5]]
    return bad


def elf_files(paths):
    seen = set()
    for p in paths:
        names = [p] if os.path.isfile(p) else [os.path.join(p, n) for n in sorted(os.listdir(p))] if os.path.isdir(p) else []
        for f in names:
            real = os.path.realpath(f)
            if real in seen or not os.path.isfile(real) or not os.access(real, os.R_OK):
                continue
            seen.add(real)
            with open(real, "rb") as h:
                if h.read(4) == b"\x7fELF":
                    yield real


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("paths", nargs="*", default=DEFAULT)
    ap.add_argument("--limit", type=int, default=10 ** 9)
    a = ap.parse_args()
    if not shutil.which("readelf"):
        print("readelf: skipped (not here)")
        return 0
    agree = differ = 0
    with tempfile.TemporaryDirectory() as d:
        helper = build(d)
        for path in list(elf_files(a.paths))[:a.limit]:
            out = subprocess.run([helper, path], capture_output=True, text=True, errors="replace", check=True).stdout
            bad = compare(path, out.splitlines())
            agree, differ = agree + (not bad), differ + bool(bad)
            for x in bad[:10] if differ < 4 else []:
                print("  %s: %s" % (path, x))
    print("readelf: %d agree / %d differ" % (agree, differ))
    return 1 if differ or not agree else 0


if __name__ == "__main__":
    sys.exit(main())
