#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports wrapped in the output of programs that have nothing to do with them: noise.py CUVET [--verbose] [FOLDER]

Threads are long: pip lists, server logs and training logs stand before, behind and between the lines that matter. The texts of
tests/cases/noise were written by real programs. Each report of FOLDER (the open reports beside the tree; skipped where absent) is
scored bare and in each wrapping; no wrapping may cost more than three points, or say "confirmed" of something wrong more often.
Where nothing but the report of another machine surrounds a report that names hardly a fact, a reader cannot tell them apart either:
those two wrappings are held to their own, wider bounds.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COST_MAX, WRONG_MAX = 0.03, 0.02
WIDER = {"another machine behind": (0.10, 0.05), "another machine thread": (0.20, 0.08)}
# what says nothing of the GPU stack, and what speaks of another machine
PLAIN = ["server", "pip-install", "training", "pip-list-web", "uv-install", "keras"]
OTHER = ["pip-list-torch", "collect-env", "nvidia-smi"]


def noise(name):
    with open(os.path.join(HERE, "noise", name + ".txt"), encoding="utf-8") as f:
        return f.read()


def texts(case):
    out = []
    for name in sorted(os.listdir(case)):
        if name != "expected.json":
            with open(os.path.join(case, name), "rb") as f:
                out.append((name, f.read().decode("utf-8", "replace")))
    return out


def pieces(text, n):
    """Noise in n pieces of whole lines."""
    lines = text.splitlines(True)
    step = max(1, -(-len(lines) // n))
    return ["".join(lines[i:i + step]) for i in range(0, len(lines), step)]


def before(files, kinds):
    head = "".join(noise(k) + "\n" for k in kinds)
    return [(files[0][0], head + files[0][1])] + files[1:]


def behind(files, kinds):
    tail = "".join("\n" + noise(k) for k in kinds)
    return files[:-1] + [(files[-1][0], files[-1][1] + tail)]


def thread(files, kinds):
    """One text: each file, with a noise of its own around it."""
    out = noise(kinds[0]) + "\n"
    for i, (_, text) in enumerate(files):
        out += text.rstrip("\n") + "\n\n" + noise(kinds[(i + 1) % len(kinds)]) + "\n"
    return [("thread.md", out)]


def between(files, kinds):
    """Noise at the blank lines of each file, else at its end: never inside what one program printed."""
    parts = [p for k in kinds for p in pieces(noise(k), 3)]
    out = []
    for name, text in files:
        blocks = text.split("\n\n")
        out.append((name, "".join(b + "\n\n" + parts[(i * 7) % len(parts)] + "\n" for i, b in enumerate(blocks))))
    return out


WRAPPINGS = [
    ("plain before", before, PLAIN), ("plain behind", behind, PLAIN), ("plain thread", thread, PLAIN), ("plain between", between, PLAIN),
    ("another machine before", before, OTHER), ("another machine behind", behind, OTHER), ("another machine thread", thread, OTHER),
    ("everything before", before, PLAIN + OTHER), ("everything behind", behind, PLAIN + OTHER),
]


def ask(cuvet, files):
    with tempfile.TemporaryDirectory() as d:
        for name, text in files:
            with open(os.path.join(d, name), "w", encoding="utf-8") as f:
                f.write(text)
        r = subprocess.run([cuvet, "explain", "--json"] + sorted(n for n, _ in files), cwd=d, stdout=subprocess.PIPE, timeout=60)
        return json.loads(r.stdout)["diagnoses"]


def score(cuvet, cases, wrap, kinds, verbose):
    n = collections.Counter()
    for case, accepted in cases:
        files = texts(case)
        found = ask(cuvet, wrap(files, kinds) if wrap else files)
        ids = [{d["id"], d.get("parent")} for d in found]
        right = bool(ids and ids[0] & set(accepted)) if accepted else not [d for d in found if d["status"] != "possible"]
        n["right"] += right
        n["wrong"] += bool(found) and not right and found[0]["status"] == "confirmed"
        if verbose and not right:
            print("    %s: accepted %s, said %s" % (os.path.basename(case), accepted, [(d["id"], d["status"]) for d in found[:3]]))
    return n["right"] / len(cases), n["wrong"] / len(cases)


def main():
    verbose = "--verbose" in sys.argv
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    if not args:
        sys.exit(__doc__)
    cuvet = os.path.abspath(args[0])
    folder = args[1] if len(args) > 1 else os.path.join(ROOT, "..", "shared", "cases")
    if not os.path.isdir(folder):
        print("skip %s: not here" % os.path.relpath(folder, ROOT))
        return 0
    cases = []
    for name in sorted(os.listdir(folder)):
        spec = os.path.join(folder, name, "expected.json")
        if os.path.isfile(spec):
            with open(spec) as f:
                cases.append((os.path.join(folder, name), json.load(f)["accepted"]))
    bare, bare_wrong = score(cuvet, cases, None, None, False)
    print("%-24s %5.1f %% right, %4.1f %% confidently wrong, of %d" % ("bare", 100 * bare, 100 * bare_wrong, len(cases)))
    failed = 0
    for title, wrap, kinds in WRAPPINGS:
        right, wrong = score(cuvet, cases, wrap, kinds, verbose)
        cost_max, wrong_max = WIDER.get(title, (COST_MAX, WRONG_MAX))
        bad = right < bare - cost_max or wrong > max(bare_wrong, wrong_max)
        failed += bad
        print("%-24s %5.1f %% right, %4.1f %% confidently wrong%s" % (title, 100 * right, 100 * wrong, "  FAIL" if bad else ""))
    print("%d passed, %d failed" % (len(WRAPPINGS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
