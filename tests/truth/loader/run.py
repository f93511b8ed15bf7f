#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random worlds under the real loaders of several glibc versions, against load maps of the same roots.

    run.py DUMP [--worlds N] [--seed S] [--glibc all|SUITE,...] [--cache DIR] [--keep FILE] [--symbols some|only|""] [--no-shrink]
           [--world FILE]

DUMP is tests/helpers/loadmap_dump.c, built. Worlds that differ are shrunk and printed as JSON (--keep: also appended to FILE).
Closes with "loader-worlds SUITE: N agree / N differ". Exit status 77 where it cannot be run (not root, no such loaders).
"""
import argparse
import copy
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import real  # noqa: E402
import worlds  # noqa: E402


def put(root, world):
    """The objects that found their place free."""
    place = worlds.place if root.merged else str
    taken = {place(path) for path, target in world["links"]}
    for o in world["objects"]:
        if place(o["path"]) not in taken:
            taken.add(place(o["path"]))
            yield o


def ours(dump, root, world):
    args = [dump, "-q", "-t", "-r", root.path, "-C", world["cwd"]]
    env = world["env"]
    if "LD_LIBRARY_PATH" in env:
        args += ["-L", env["LD_LIBRARY_PATH"]]
    if "LD_PRELOAD" in env:
        args += ["-P", env["LD_PRELOAD"]]
    if env.get("LD_BIND_NOW"):
        args += ["-b"]
    if any(o.get("refs") or o.get("dlopen") or "ld-linux-x86-64.so.2" in o.get("needed", []) for o in world["objects"]):
        args += ["-s"]
    args.append(world["program"])
    opens = []
    if not world.get("loader"):  # constructors first, then the program
        opens = [(o["path"], x) for o in put(root, world) if o.get("kind", "lib") == "lib" for x in o.get("dlopen", [])]
        opens += [("", x) for o in world["objects"] if o.get("kind", "lib") != "lib" for x in o.get("dlopen", [])]
    if opens:
        args.append("--")
        for by, (name, mode) in opens:
            args.append({1: "lazy", 2: "now", 0x101: "global", 0x102: "globalnow"}[mode] + (("@" + by) if by else "") + ":" + name)

    def become():
        if world.get("user"):
            os.setgroups([])
            os.setgid(real.NOBODY)
            os.setuid(real.NOBODY)
    def once(args):
        p = subprocess.run(args, capture_output=True, timeout=60, preexec_fn=become)
        if p.returncode:
            return {"crash": "%s: %s" % (p.returncode, p.stderr.decode()[-2000:])}
        return parse(p.stdout.decode("utf-8", "replace"))
    result = once(args)
    # Without the list of what is tried the search takes shortcuts, and it looks for losers: nothing else may change.
    other = once([args[0]] + args[3:])
    if without_tries(result) != without_tries(other):
        return {"crash": "another answer without -q -t: %s" % json.dumps(other)}
    return result


def without_tries(o):
    return dict(o, edges=[dict(e, tries=[]) for e in o.get("edges", [])])


# What is found wrong only when a file is mapped, behind the message about it.
MAPPING = ["object file has no", "cannot dynamically load", "ELF load command", "shared object cannot be", "cannot enable executable stack"]


def parse(text):
    r = {"found": [], "missing": [], "edges": [], "troubles": [], "dl": [], "libc": None, "loaded": []}
    edge, aborted = None, False
    for line in text.split("\n"):
        kind, _, rest = line.partition(" ")
        if kind == "libc":
            r["libc"] = rest
        elif kind == "chain":
            r["found"].append(rest.split(" ", 1)[1])
        elif kind == "atstart":
            r.setdefault("chain_start", []).append(rest)
        elif kind == "edge":
            by, mode, name, step, detail, obj = rest.split("\t")
            edge = {"by": by, "mode": mode, "name": name, "step": step, "object": obj, "tries": []}
            r["edges"].append(edge)
        elif kind == "refused":
            edge["refused"] = True
            edge["mapped"] = any(w in rest for w in MAPPING)
        elif kind == "try":
            edge["tries"].append(rest)
        elif kind == "dlopen":
            if not aborted:
                r["dl"].append("DL: ok" if rest.endswith(" 1") else None)
        elif kind == "dlerror" and r["dl"][-1] is None:
            aborted = rest.startswith("Inconsistency")
            r["dl"][-1] = rest if aborted else "DL: " + rest
        elif kind == "start":
            r["start"] = int(rest)
        elif kind == "trouble":
            what, fatal, message = rest.split(" ", 2)
            r["troubles"].append((what, fatal.rstrip(":") == "fatal", message))
        elif kind == "error":
            r["error"] = rest
    return r


def events(o, edges):
    out = []
    for e in edges:
        if e["mode"] == "exec":
            continue
        if e["step"] != "already loaded" or e["tries"]:
            if "/" not in e["name"]:
                out.append(("find", e["name"]))
                out += [("try", t) for t in e["tries"]]
            if e["step"] not in ("missing", "already loaded") or e.get("mapped"):
                out.append(("map", e["name"]))
    return out


def strip_line(said):
    return [worlds_line(s) for s in said]


def worlds_line(s):
    """Assertions of the loader name a line, which differs from version to version."""
    return re.sub(r"((?:dl-\w+|rtld)\.c: )\d+: ", r"\1", s) if "Assertion" in s else s


def said_of(o, world, at_start, trace=False):
    """What the real one prints at the start: notes, then the first thing that ends it, or all version errors."""
    out = []
    who = world["program"] + ": "
    troubles = o["troubles"][:at_start]
    for what, fatal, text in troubles:
        if text.startswith("ERROR: ld.so"):
            out.append(text)
    for what, fatal, text in troubles:
        if text.startswith("Inconsistency") and what == "wrong-format" and "dl-deps" in text:
            return out + [text]
    for what, fatal, text in troubles:
        if fatal and what in ("missing", "wrong-format") and "Inconsistency" not in text and (not trace or (what == "wrong-format" and "wrong ELF class" not in text)):
            return out + [who + text]
    versions = [(fatal, text) for what, fatal, text in troubles if what == "no-version"]
    out += [text if text.startswith("Inconsistency") else who + text for fatal, text in versions]
    if any(fatal for fatal, text in versions) and not trace:
        return out
    out += [text for what, fatal, text in troubles if "init_tls" in text]
    if trace or (out and "init_tls" in out[-1]):
        return out
    for what, fatal, text in troubles:
        if fatal and what == "isa-level":
            return out + [text]
    for what, fatal, text in troubles:
        if fatal and what == "undefined":
            return out + [text if text.startswith("Inconsistency") else who + text]
    return out + o["dl"]


def compare(world, run, trace, o):
    if "crash" in o:
        return "ours crashes: " + o["crash"]
    if "error" in o:
        return None if str(run["rc"]).startswith("exec") or not run["started"] else "ours: %s, real %s %s" % (o["error"], run["rc"], run["said"])
    if str(run["rc"]).startswith("exec"):
        return "real: %s, ours loads" % run["rc"]
    if world.get("loader"):
        run = trace  # a library is only listed
    if run["rc"] in (-11, -7, "hang") or trace["rc"] in (-11, -7, "hang"):
        if os.environ.get("SHOW_SKIPS"):
            print("skip %s %s: %s" % (run["rc"], trace["rc"], json.dumps(world)))
        return "skip"  # the loader itself crashes or hangs: nothing to predict
    at_start = o.get("start", len(o["troubles"]))
    # the trace: everything at start
    fatal = [t for k, f, t in o["troubles"][:at_start] if f and k == "wrong-format" and "wrong ELF class" not in t]
    fatal += [t for k, f, t in o["troubles"][:at_start] if t.startswith("Inconsistency") or "DT_RELR" in t]
    # Only a trace looks at versions although a file is missing.
    if any("dl-version.c" in t for t in trace["said"]) and any(f and k == "missing" for k, f, t in o["troubles"][:at_start]):
        return None if world.get("loader") or strip_line(run["said"]) == said_of(o, world, at_start) else "said: real %s" % run["said"]
    if not trace.get("static"):
        if not same_missing(trace["missing"], o_missing(world, o)) and not fatal:
            return "missing: real %s, ours %s" % (trace["missing"], [n for n, sure in o_missing(world, o)])
        if trace["found"] != o["found_start"] and not fatal:
            return "found: real %s, ours %s" % (trace["found"], o["found_start"])
        mine = events(o, o["edges_start"])
        if trace["events"] != mine:
            return difference("trace events", trace["events"], mine)
    if world.get("loader"):
        said = said_of(o, world, at_start, True)
        return None if strip_line(trace["said"]) == said else "said: real %s\n      ours %s" % (trace["said"], said)
    # the run: up to the first thing that ends it, then dlopen
    said = said_of(o, world, at_start)
    if strip_line(run["said"]) != said:
        return "said: real %s\n      ours %s" % (run["said"], said)
    if run["started"]:
        mine = events(o, o["edges_start"]) + [("started", "")] + events(o, o["edges"][len(o["edges_start"]):])
        if run["events"] != mine:
            return difference("run events", run["events"], mine)
    return None


def difference(what, a, b):
    i = 0
    while i < len(a) and i < len(b) and a[i] == b[i]:
        i += 1
    return "%s: behind %s: real %s, ours %s" % (what, a[max(0, i - 2):i], a[i:i + 3], b[i:i + 3])


def o_missing(world, o):
    """Names, and whether the trace is sure to show them: a filter may be out of its sight."""
    return [(e["name"], e["mode"] == "needed") for e in o["edges_start"] if e["step"] == "missing" and
            (e["mode"] == "needed" or (e["mode"] in ("filter", "auxiliary") and not e.get("refused")))]


def same_missing(real_ones, mine):
    left = list(real_ones)
    for name, sure in sorted(mine, key=lambda x: not x[1]):
        if name in left:
            left.remove(name)
        elif sure:
            return False
    return not left


def judge(dump, root, world):
    root.fill(world)
    trace = root.ask(world, True)
    run = copy.deepcopy(trace) if world.get("loader") else root.ask(world, False)
    if world.get("loader"):
        for r in (trace, run):
            if r["events"][:1] == [("map", world["program"])]:
                del r["events"][0]
    o = ours(dump, root, world)
    if "crash" not in o and "error" not in o:
        n = o.pop("edge_n", len(o["edges"]))
        opens = [i for i, e in enumerate(o["edges"]) if e["mode"] == "dlopen"]
        n = opens[0] if opens else n
        o["edges_start"] = o["edges"][:n]
        o["found_start"] = [x for x in o.get("chain_start", o["found"])[1:] if x != "linux-vdso.so.1"]
    return compare(world, run, trace, o)


def parts(world):
    """Smaller worlds."""
    def without(key, i):
        w = copy.deepcopy(world)
        del w[key][i]
        return w
    for key in ("objects", "links", "dirs", "files"):
        for i in range(len(world[key]) - 1, -1, -1):
            if key != "objects" or world["objects"][i]["path"] not in (world["program"], "/p/bin/main"):
                yield without(key, i)
    if world["conf"] is not None:
        yield dict(copy.deepcopy(world), conf=None)
        for i in range(len(world["conf"])):
            yield without("conf", i)
    for k in world["env"]:
        w = copy.deepcopy(world)
        v = w["env"].pop(k)
        yield w
        for sep in ":;":
            items = v.split(sep)
            for i in range(len(items)):
                w = copy.deepcopy(world)
                w["env"][k] = sep.join(items[:i] + items[i + 1:])
                if len(items) > 1:
                    yield w
    for i, o in enumerate(world["objects"]):
        for k, v in o.items():
            if k in ("path", "kind"):
                continue
            w = copy.deepcopy(world)
            if isinstance(v, list):
                for j in range(len(v)):
                    w2 = copy.deepcopy(world)
                    del w2["objects"][i][k][j]
                    yield w2
            elif isinstance(v, str) and ":" in v:
                items = v.split(":")
                for j in range(len(items)):
                    w2 = copy.deepcopy(world)
                    w2["objects"][i][k] = ":".join(items[:j] + items[j + 1:])
                    yield w2
            if k != "needed":
                del w["objects"][i][k]
                yield w


def shrink(dump, root, world, kind, limit=400):
    """kind: what a smaller world must differ in."""
    again = True
    while again and limit > 0:
        again = False
        for smaller in parts(world):
            limit -= 1
            if limit <= 0:
                break
            try:
                d = judge(dump, root, smaller)
            except Exception:
                continue
            if d and d != "skip" and d.split(":")[0] == kind:
                world, again = smaller, True
                break
    return world


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dump")
    p.add_argument("--worlds", type=int, default=200)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--glibc", default="all")
    p.add_argument("--cache", default=os.path.expanduser("~/.cache/cuvet"))
    p.add_argument("--keep")
    p.add_argument("--world")
    p.add_argument("--symbols", choices=["some", "only", ""], default="some", help="which worlds have symbols")
    p.add_argument("--no-shrink", action="store_true")
    p.add_argument("--max-differ", type=int, default=20)
    a = p.parse_args()
    suites = list(real.SUITES) if a.glibc == "all" else a.glibc.split(",")
    suites = [s for s in suites if os.path.isdir(os.path.join(a.cache, "glibc", s, "root"))]
    if os.geteuid() != 0 or not suites:
        print("skipped: needs root and the loaders under %s/glibc" % a.cache)
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what is mounted is let go
    failed = False
    for suite in suites:
        # A place that other users may reach, on the file system of the cache, so that links do.
        place = tempfile.mkdtemp(prefix="cuvet-worlds-", dir="/var/tmp")
        os.chmod(place, 0o755)
        root = real.Root(a.cache, suite, place)
        agree = differ = skipped = 0
        try:
            if a.world:
                todo = [json.load(open(a.world))]
            else:
                todo = (worlds.make(s, a.symbols) for s in range(a.seed, a.seed + a.worlds))
            for n, world in enumerate(todo):
                d = judge(a.dump, root, world)
                if d == "skip":
                    skipped += 1
                elif d is None:
                    agree += 1
                else:
                    differ += 1
                    small = world if a.no_shrink else shrink(a.dump, root, world, d.split(":")[0])
                    print("seed %d, %s: %s" % (a.seed + n, suite, judge(a.dump, root, small)))
                    print("  " + json.dumps(small))
                    sys.stdout.flush()
                    if a.keep:
                        with open(a.keep, "a") as f:
                            f.write(json.dumps({"suite": suite, "world": small}) + "\n")
                    if differ >= a.max_differ:
                        break
        finally:
            root.close()
        if skipped:
            print("skipped: %d worlds where the loader itself crashes or hangs" % skipped)
        print("loader-worlds %s: %d agree / %d differ" % (suite, agree, differ))
        failed |= differ > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
