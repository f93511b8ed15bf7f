#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are versions ordered as `packaging` and dpkg order them? Random pairs, the same every run for one --seed.

  versions.py [--pairs N] [--deb-pairs N] [--seed N]

Prints "oracle: N agree / N differ"; a missing oracle is skipped and said. Exit 1 where anything differs.
"""
import argparse
import importlib
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCES = ["tests/helpers/vercmp.c", "src/base/version.c", "src/base/version_spec.c", "src/base/str.c", "src/base/arena.c"]


def load_packaging():
    """(version module, specifiers module or None, release), or None. Copies before 26 judge specifiers by older rules."""
    for name in ("packaging", "pip._vendor.packaging"):
        try:
            release = getattr(importlib.import_module(name), "__version__", "0")
            version = importlib.import_module(name + ".version")
            specifiers = importlib.import_module(name + ".specifiers")
        except ImportError:
            continue
        return version, specifiers if int(release.split(".")[0]) >= 26 else None, release
    return None


def build(directory):
    out = os.path.join(directory, "vercmp")
    subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-O1", "-I" + os.path.join(ROOT, "src"),
                    "-I" + os.path.join(ROOT, "include"), "-o", out] + [os.path.join(ROOT, s) for s in SOURCES], check=True)
    return out


def number(r):
    return r.choice([str(r.randint(0, 3)), str(r.randint(0, 3)), "0", "00", "01", str(r.randint(0, 200)),
                     str(r.randint(0, 10 ** 25)), "2026" + str(r.randint(0, 9))])


def release(r):
    return ".".join(number(r) for _ in range(r.choice([1, 1, 2, 2, 3, 4])))


def cased(r, text):
    return text.upper() if r.random() < 0.1 else text


def suffixes(r):
    s = ""
    if r.random() < 0.35:
        s += (r.choice(["", "", ".", "-", "_"]) + cased(r, r.choice("a b c rc alpha beta pre preview".split()))
              + r.choice(["", "", ".", "-", "_"]) + r.choice(["", number(r), number(r)]))
    if r.random() < 0.3:
        s += r.choice(["-" + number(r), r.choice(["", ".", "-", "_"]) + cased(r, r.choice(["post", "rev", "r"]))
                       + r.choice(["", "", ".", "-", "_"]) + r.choice(["", number(r)])])
    if r.random() < 0.25:
        s += r.choice(["", ".", "-", "_"]) + cased(r, "dev") + r.choice(["", "", ".", "-"]) + r.choice(["", number(r)])
    return s


def local(r):
    part = lambda: r.choice([number(r), "cu128", "CU128", "cpu", "ubuntu", "a", "1a", "g" + str(r.randint(0, 99))])
    return "+" + r.choice(".-_").join(part() for _ in range(r.choice([1, 1, 2, 3])))


def epoch(r):
    return r.choice(["0!", "1!", "01!", "7!"]) if r.random() < 0.1 else ""


def garbage(r, s):
    """Now and then one character is changed, so that the two must agree on what is a version at all."""
    if r.random() < 0.08:
        i = r.randint(0, len(s))
        s = s[:i] + r.choice(list("+-._!v~* axrc0") + ["dev", "post", ".*"]) + s[i + r.choice([0, 1]):]
    return s.replace("\t", " ")


def pep440(r):
    s = r.choice(["", "", "", "v", "V"]) + epoch(r) + release(r) + suffixes(r)
    if r.random() < 0.25:
        s += local(r)
    return garbage(r, s)


def near(r, s):
    """A version that shares much with s, so that ties are common."""
    if r.random() < 0.5:
        return pep440(r)
    base = s.split("+")[0]
    return garbage(r, r.choice([s, base, base + local(r), base + ".0", base + suffixes(r), "v" + base, s.lower()]))


def specifier(r, v):
    op = r.choice(["==", "==", "!=", "<=", ">=", "<", ">", "~=", "===", "=="])
    base = r.choice([pep440(r), near(r, v), near(r, v)])
    if op in ("==", "!=") and r.random() < 0.5:
        base = ".".join(base.split("+")[0].split(".")[:r.choice([1, 2, 3])]) + ".*"
    elif op not in ("==", "!=", "===") and r.random() < 0.9:
        base = base.split("+")[0]
    return op + r.choice(["", " "]) + base.replace(",", "")


def ask(helper, lines):
    out = subprocess.run([helper], input="".join("\t".join(x) + "\n" for x in lines), capture_output=True, text=True, check=True)
    got = out.stdout.split("\n")[:-1]
    assert len(got) == len(lines), (len(got), len(lines))
    return got


def relation(a, b):
    return "<" if a < b else ">" if a > b else "="


def want_pep440(version, a, b):
    try:
        return relation(version.Version(a), version.Version(b))
    except version.InvalidVersion:
        return "?"


def want_spec(version, specifiers, spec, v):
    try:
        s = specifiers.SpecifierSet(spec)
    except specifiers.InvalidSpecifier:
        return "?"
    try:
        version.Version(v)
    except version.InvalidVersion:
        # Unknown to us, False to packaging; but a text can still be identical.
        if any(x.operator != "===" for x in s):
            return "?"
        return "y" if all(x.version.lower() == v.strip().lower() for x in s) else "n"
    identical = [x for x in s if x.operator == "==="]
    rest = specifiers.SpecifierSet(",".join(str(x) for x in s if x.operator != "==="))
    ok = rest.contains(version.Version(v), prereleases=True) and all(x.version.lower() == v.strip().lower() for x in identical)
    return "y" if ok else "n"


def report(name, lines, got, want):
    differ = [(x, g, w) for x, g, w in zip(lines, got, want) if g != w]
    for x, g, w in differ[:10]:
        print("  %s: got %s, want %s" % (" | ".join(x), g, w))
    print("%s: %d agree / %d differ" % (name, len(lines) - len(differ), len(differ)))
    return bool(differ)


def check_pep440(helper, modules, r, n):
    version, specifiers, release = modules
    pairs = []
    for _ in range(n):
        a = pep440(r)
        pairs.append(("pep440", a, near(r, a)))
    bad = report("packaging, order", pairs, ask(helper, pairs), [want_pep440(version, a, b) for _, a, b in pairs])
    if not specifiers:
        print("packaging, specifiers: skipped (packaging %s here, 26 or newer needed)" % release)
        return bad
    specs = []
    for _ in range(n):
        v = pep440(r)
        specs.append(("spec", ",".join(specifier(r, v) for _ in range(r.choice([1, 1, 1, 2, 3]))), v))
    want = [want_spec(version, specifiers, s, v) for _, s, v in specs]
    return report("packaging, specifiers", specs, ask(helper, specs), want) or bad


def deb(r):
    piece = lambda: r.choice(["~", "+", ".", "a", "z", "rc", "dfsg", "ubuntu", "deb12u", "-", "A", ":"]) if r.random() < 0.6 else number(r)
    s = r.choice(["0", "1", "12", "007", number(r)[:8]]) + "".join(piece() for _ in range(r.randint(0, 5)))
    if r.random() < 0.2:
        s = r.choice(["0:", "1:", "2:"]) + s
    if r.random() < 0.5:
        s += "-" + r.choice(["0", "1", "0ubuntu1", "1~bpo12+1", "1+b1", "2.1"])
    return s


def want_deb(a, b):
    for op, sign in (("lt", "<"), ("gt", ">"), ("eq", "=")):
        p = subprocess.run(["dpkg", "--compare-versions", a, op, b], capture_output=True)
        if p.returncode == 2 or p.stderr:
            return "?"
        if p.returncode == 0:
            return sign
    return "?"


def check_deb(helper, r, n):
    pairs = []
    for _ in range(n):
        a = deb(r)
        pairs.append(("deb", a, deb(r) if r.random() < 0.6 else a + r.choice(["~", "~1", "+b1", "a", ".0", "-0", "0"])))
    return report("dpkg", pairs, ask(helper, pairs), [want_deb(a, b) for _, a, b in pairs])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--pairs", type=int, default=20000)
    ap.add_argument("--deb-pairs", type=int, default=1000)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    bad = False
    with tempfile.TemporaryDirectory() as d:
        helper = build(d)
        modules = load_packaging()
        if modules:
            bad |= check_pep440(helper, modules, random.Random(a.seed), a.pairs)
        else:
            print("packaging: skipped (not here)")
        if shutil.which("dpkg"):
            bad |= check_deb(helper, random.Random(a.seed), a.deb_pairs)
        else:
            print("dpkg: skipped (not here)")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
