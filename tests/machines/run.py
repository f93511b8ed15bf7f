#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cuvet on test machines and compares what it says with what the recipes expect.

	run.py CUVET [--jobs N] [-k PATTERN] [--expects ID] [--quick] [--update] [--keep DIR] [--schema DIR] [--show]

For every machine: the expectation; two runs give the same bytes; a gathered bundle replays to the same bytes; the JSON keeps
its schema and contradicts itself nowhere; the terminal report keeps to 80 columns and sends no control bytes but colours.
--update rewrites the golden terminal reports of the recipes marked golden; review them as a diff. Closes with
"N passed, N failed".
"""
import argparse
import importlib.util
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "lib"))
import apply   # noqa: E402
import program  # noqa: E402
import recipe  # noqa: E402
import schema  # noqa: E402
import tree    # noqa: E402

SGR = re.compile(r"\x1b\[[0-9;]*m")
INDEX = re.compile(r"https://[\w./-]*/whl/")  # addresses of indexes are kb's alone
TIMEOUT = 60
NOBODY = 65534


def load_cases():
    cases = []
    for name in sorted(os.listdir(os.path.join(HERE, "recipes"))):
        if name.endswith(".py"):
            spec = importlib.util.spec_from_file_location("recipe_" + name[:-3], os.path.join(HERE, "recipes", name))
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            for c in module.CASES:
                c.name = "%s/%s" % (name[:-3], c.name)
                cases.append(c)
    return cases


class Run:
    """One cuvet on one machine."""

    def __init__(self, opts, case, machine, work):
        self.opts, self.case, self.work = opts, case, work
        self.where = ["--root", machine.root]
        if machine.machine:
            self.where += ["--machine", machine.machine]
        self.extra = [a for s in machine.set for a in ("--set", s)] + list(machine.args)

    def cuvet(self, args, env=None):
        """status, stdout, stderr; status None: it did not end in time."""
        full = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
        full.update({k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "LSAN_"))})
        full.update(env or {})
        demote = None
        if self.case.user == "nobody" and os.geteuid() == 0:
            def demote():
                os.setgid(NOBODY)
                os.setuid(NOBODY)
        try:
            p = subprocess.run([self.opts.cuvet] + args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               timeout=TIMEOUT, env=full, preexec_fn=demote, cwd=self.work)
        except subprocess.TimeoutExpired:
            return None, b"", b""
        return p.returncode, p.stdout, p.stderr

    def check(self, where=None, fmt=("--json",), env=None):
        return self.cuvet(["check"] + (where or self.where) + self.extra + list(fmt), env)


def overlong(line):
    """Lines may pass 80 columns only for what must stay in one piece: commands to copy and paths."""
    return len(line) > 80 and not line.strip().startswith("$") and not any(len(w) > 12 and "/" in w for w in line.split())


def terminal_faults(run):
    """The report as a terminal gets it, in colour."""
    out = []
    status, text, err = run.check(fmt=(), env={"CLICOLOR_FORCE": "1", "COLUMNS": "80", "TERM": "xterm"})
    if status is None:
        return ["the terminal report did not end in time"], ""
    try:
        text = text.decode("utf-8")
    except UnicodeDecodeError as e:
        return ["the terminal report is not UTF-8: %s" % e], ""
    plain = SGR.sub("", text)
    bad = sorted({"%02x" % ord(c) for c in plain if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160})
    if bad:
        out.append("control bytes in the terminal report: " + " ".join(bad))
    out += ["over 80 columns: " + repr(line) for line in plain.split("\n") if overlong(line)][:3]
    if SGR.search(run.check(fmt=(), env={"NO_COLOR": "1"})[1].decode("utf-8", "replace")):
        out.append("NO_COLOR is not honoured")
    return out, plain


def golden_faults(opts, case, plain, root):
    path = os.path.join(HERE, "golden", case.name.replace("/", ".") + ".txt")
    plain = INDEX.sub("INDEX/", plain.replace(root, "ROOT"))
    if opts.update:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(plain)
        return []
    if not os.path.exists(path):
        return ["no golden report %s (make it with --update)" % path]
    with open(path) as f:
        want = f.read()
    if want == plain:
        return []
    import difflib
    diff = list(difflib.unified_diff(want.split("\n"), plain.split("\n"), "golden", "now", lineterm="", n=1))
    return ["the terminal report differs from its golden copy:\n        " + "\n        ".join(diff[:40])]


def replay_faults(run, first, status):
    """gather, then check of the bundle: the same bytes and status."""
    bundle = os.path.join(run.work, "out", "bundle.tar.zst")
    got, _, err = run.cuvet(["gather"] + run.where + run.extra + ["-o", bundle])
    if got != 0:
        return ["gather ends with %s: %s" % (got, err.decode("utf-8", "replace").strip()[-300:])]
    again, text, err = run.check(where=["--root", bundle])
    out = []
    if again != status:
        out.append("replay ends with %s, not %s: %s" % (again, status, err.decode("utf-8", "replace").strip()[-300:]))
    if text != first:
        a, b = first.decode("utf-8", "replace").split("\n"), text.decode("utf-8", "replace").split("\n")
        lines = [(x, y) for x, y in zip(a, b) if x != y][:2]
        out.append("replay prints other bytes: %s" % (lines or "%d lines against %d" % (len(a), len(b))))
    size = os.path.getsize(bundle)
    if size > 16 << 20:
        out.append("the bundle has %d bytes" % size)
    return out


def fix_faults(opts, case, work, doc):
    """
    Types each pip or uv command that the report proposes, on a fresh copy of the machine: its finding must be gone, and what is new
    must be what the report says of the fix, no more and no less.
    """
    ids = {f["id"] for f in doc["findings"]}
    out, typed = [], 0
    for f in doc["findings"]:
        for fix in f["fixes"]:
            if not fix.get("command") or f["severity"] == "note":
                continue
            root = os.path.join(work, "fixed")
            shutil.rmtree(root, ignore_errors=True)
            machine = tree.Machine(root)
            case.build(machine)
            try:
                apply.apply(machine, fix["command"])
            except apply.Unknown:
                continue
            run = Run(opts, case, machine, work)
            status, text, _ = run.check()
            typed += 1
            after = json.loads(text.decode("utf-8"))
            left = [g for g in after["findings"] if g["id"] == f["id"] and set(g["cells"]) & set(f["cells"])]
            new = {g["id"] for g in after["findings"] if g["severity"] != "note" and g["id"] not in ids}
            if "LD_LIBRARY_PATH" in (fix.get("risk") or ""):  # the price that the fix itself names
                new.discard("library-not-on-loader-path")
            if fix.get("not_judged"):
                new -= {"import-order", "library-not-on-loader-path"}
            said = {p["id"] for p in fix.get("price", [])} - ids
            if left and fix.get("heals", True):
                out.append("%s is still there after %r" % (f["id"], fix["command"]))
            if new != said:
                out.append("%r makes %s, and the report says %s" % (fix["command"], sorted(new), sorted(said)))
    return out, typed


def judge(opts, case, work):
    """The faults of one case, and what the flip test needs."""
    os.makedirs(os.path.join(work, "out"))
    os.chmod(work, 0o755)
    os.chmod(os.path.join(work, "out"), 0o777)
    machine = tree.Machine(os.path.join(work, "root"))
    case.build(machine)
    run = Run(opts, case, machine, work)
    status, text, err = run.check()
    message = err.decode("utf-8", "replace").strip()
    if status is None:
        return ["did not end within %d s" % TIMEOUT], None
    if status not in (0, 1, 3):
        return ["exit status %s: %s" % (status, message[-2000:])], None
    try:
        doc = json.loads(text.decode("utf-8"))
    except ValueError as e:
        return ["stdout is not JSON: %s" % e], None
    out = [] if case.hostile else recipe.compare(case, doc, status)
    out += recipe.contradictions(doc)
    out += schema.faults(doc, opts.schemas.get("check"))
    if opts.quick:
        return out, None
    if run.check()[1] != text:
        out.append("two runs print different bytes")
    faults, plain = terminal_faults(run)
    out += faults
    out += ["the report does not say %r" % s for s in case.says if s not in " ".join(plain.split())]
    out += ["the report says %r" % s for s in case.says_not if s in " ".join(plain.split())]
    if case.golden:
        out += golden_faults(opts, case, plain, machine.root)
    if case.replay:
        out += replay_faults(run, text, status)
    if not case.hostile:
        faults, typed = fix_faults(opts, case, work, doc)
        out += faults
    if opts.show:
        out = out and out + ["report:\n" + plain]
    return out, {"verdict": doc["verdict"], "ids": sorted(f["id"] for f in doc["findings"] if f["severity"] != "note")}


def work_one(job):
    opts, index = job
    case = CASES[index]
    work = tempfile.mkdtemp(prefix="machine.", dir=opts.keep or None)
    try:
        faults, flip = judge(opts, case, work)
        return index, "fail" if faults else "ok", faults, flip
    except tree.NeedsRoot as e:
        return index, "skip", ["only root can do this: %s" % e], None
    except Exception:
        return index, "fail", [traceback.format_exc()], None
    finally:
        if not opts.keep:
            shutil.rmtree(work, ignore_errors=True)


def flips(results):
    """Pairs of machines that differ in one fact and must be judged differently."""
    import flips as table
    faults = []
    for a, b, fact in table.FLIPS:
        if a not in results and b not in results:
            continue
        missing = [n for n in (a, b) if n not in ALL_NAMES]
        if missing:
            faults.append("flip names an unknown machine: %s" % missing)
        elif results.get(a) is None or results.get(b) is None:
            continue
        elif results[a] == results[b]:
            faults.append("%s and %s differ in the %s and are judged alike: %s" % (a, b, fact, results[a]))
    return faults, len(table.FLIPS)


def main():
    global CASES, ALL_NAMES
    p = argparse.ArgumentParser()
    p.add_argument("cuvet")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("-k", default="", help="only machines whose name holds this")
    p.add_argument("--expects", default="", help="only machines that expect this finding")
    p.add_argument("--quick", action="store_true", help="only the expectation: no replay, no terminal report")
    p.add_argument("--update", action="store_true")
    p.add_argument("--keep", help="build the trees below this directory and leave them there")
    p.add_argument("--schema", help="directory of the shipped JSON schemas", default=os.path.join(HERE, "..", "..", "share", "schema"))
    p.add_argument("--show", action="store_true", help="print the report of a failing machine")
    opts = p.parse_args()
    stage = tempfile.TemporaryDirectory(prefix="machines.")
    os.chmod(stage.name, 0o755)
    opts.cuvet = program.for_everybody(opts.cuvet, stage.name)
    opts.schemas = schema.load(opts.schema)
    if opts.keep:
        os.makedirs(opts.keep, exist_ok=True)
        os.chmod(opts.keep, 0o755)
    CASES = load_cases()
    ALL_NAMES = {c.name for c in CASES}
    wanted = [i for i, c in enumerate(CASES) if opts.k in c.name
              and (not opts.expects or any(opts.expects in f.ids and not f.optional for f in c.findings)
                   or any(opts.expects == i and getattr(c, w[0]) for i, w in recipe.WEATHER.items()))]
    count = {"ok": 0, "fail": 0, "skip": 0}
    results = {}
    with multiprocessing.get_context("fork").Pool(max(1, opts.jobs)) as pool:
        for index, state, faults, flip in pool.imap(work_one, [(opts, i) for i in wanted]):
            count[state] += 1
            results[CASES[index].name] = flip
            print("%-4s %s" % (state, CASES[index].name), flush=True)
            for f in faults:
                print("     - " + f, flush=True)
    if not opts.k and not opts.expects:
        faults, n = flips(results)
        for f in faults:
            print("fail flip: " + f)
        count["fail"] += len(faults)
        count["ok"] += n - len(faults)
    tail = ", %d skipped" % count["skip"] if count["skip"] else ""
    print("%d passed, %d failed%s" % (count["ok"], count["fail"], tail))
    return 1 if count["fail"] or not count["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
