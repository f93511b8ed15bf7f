#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cuvet explain against folders of reports: run.py CUVET [FOLDER]...

A report is a folder of texts with an expected.json: "accepted" (ids, empty for a text without a fault). Without FOLDER: those of this
tree (tests/explain/*), each of which must be right, and the sets that lie beside the tree, which are held to shares and skipped (and
counted) where they are absent.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OWN = [os.path.join(ROOT, "tests", "explain", d) for d in ("pairs", "healthy")]
SHARED = [  # folder beside the tree, least share that is right
    ("cases", 0.92), ("cases_healthy", 1.0), ("cases_pairs", 1.0),
]


def reports(folder):
    for name in sorted(os.listdir(folder)):
        spec = os.path.join(folder, name, "expected.json")
        if os.path.isfile(spec):
            with open(spec) as f:
                yield os.path.join(folder, name), json.load(f)["accepted"]


def explain(cuvet, case):
    """(diagnoses as (id, parent, status), fault or None)"""
    names = sorted(n for n in os.listdir(case) if n != "expected.json")
    r = subprocess.run([cuvet, "explain", "--json"] + names, cwd=case, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if r.returncode not in (0, 1, 3):
        return [], "exit %d: %s" % (r.returncode, r.stderr.decode(errors="replace").strip()[:200])
    found = [(d["id"], d.get("parent"), d["status"]) for d in json.loads(r.stdout)["diagnoses"]]
    above = any(status != "possible" for _, _, status in found)
    if r.returncode != (1 if above else 3 if found or json.loads(r.stdout)["cannot_tell"] else 0):
        return found, "exit %d does not fit the document" % r.returncode
    return found, None


def judge(cuvet, case, accepted):
    """None if right, otherwise what is wrong."""
    found, fault = explain(cuvet, case)
    if fault:
        return fault
    if not accepted:
        above = [f for f in found if f[2] != "possible"]
        return "no fault is expected, but said: %s" % above if above else None
    if not found or not {found[0][0], found[0][1]} & set(accepted):
        return "accepted %s, said %s" % (accepted, found[:3])
    return None


def run_set(cuvet, folder, least):
    """(passed, failed): each report counts; within the allowed share, what is wrong is told and does not fail."""
    wrong = []
    total = 0
    for case, accepted in reports(folder):
        total += 1
        why = judge(cuvet, case, accepted)
        if why:
            wrong.append("%s: %s" % (os.path.relpath(case, ROOT), why))
    good = total - len(wrong)
    ok = total > 0 and good >= least * total
    for w in wrong:
        print(("note " if ok else "fail ") + w)
    return good, 0 if ok else max(1, len(wrong))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    cuvet = os.path.abspath(sys.argv[1])
    sets = [(d, 1.0) for d in sys.argv[2:]] or [(d, 1.0) for d in OWN] + [(os.path.join(ROOT, "..", "shared", d), s) for d, s in SHARED]
    passed = failed = 0
    for folder, least in sets:
        if not os.path.isdir(folder):
            print("skip %s: not here" % os.path.relpath(folder, ROOT))
            continue
        good, bad = run_set(cuvet, folder, least)
        passed += good
        failed += bad
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
