#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Load maps against the loader of this machine, over every ELF file of some directories.

    lddtruth.py DUMP [--limit N] [--symbols] [--env NAME=VALUE] DIR...

The loader is asked as ldd asks it (LD_TRACE_LOADED_OBJECTS). Compared are the files in their order, the missing ones, the version
messages and the error that ends a load; with --symbols what "ldd -r" says of undefined symbols too. Prints each difference and closes with "loader-ldd: N agree / N differ".
"""
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LINE = re.compile(r"^\t(.*?)(?: => (.*?))?(?: \(0x[0-9a-f]+\))?$")
RTLD = {2: "/lib64/ld-linux-x86-64.so.2", 1: "/lib/ld-linux.so.2"}  # by ELF class


def elf_files(dirs, limit):
    seen = set()
    for top in dirs:
        for base, subdirs, names in os.walk(top):
            subdirs.sort()
            for name in sorted(names):
                path = os.path.join(base, name)
                try:
                    st = os.stat(path)
                    if os.path.islink(path) or (st.st_dev, st.st_ino) in seen or not os.path.isfile(path):
                        continue
                    with open(path, "rb") as f:
                        head = f.read(20)
                except OSError:
                    continue
                # programs and shared objects of this machine, 64-bit or 32-bit
                kind = head[:6], head[18:20]
                if head[16:17] in (b"\2", b"\3") and kind in ((b"\x7fELF\2\1", b"\x3e\0"), (b"\x7fELF\1\1", b"\3\0")):
                    seen.add((st.st_dev, st.st_ino))
                    yield path
                    if limit and len(seen) >= limit:
                        return


def interp(path):
    """Does the kernel start it through an interpreter? Then ldd runs it, else it gives it to the loader."""
    with open(path, "rb") as f:
        head = f.read(64)
        wide = head[4] == 2

        def number(at, size):
            return int.from_bytes(at[:size], "little")
        phoff, phnum = (number(head[32:], 8), number(head[56:], 2)) if wide else (number(head[28:], 4), number(head[44:], 2))
        f.seek(phoff)
        step = 56 if wide else 32
        table = f.read(step * phnum)
        for i in range(phnum):
            p = table[step * i:step * i + step]
            if number(p, 4) == 3:
                f.seek(number(p[8:], 8) if wide else number(p[4:], 4))
                return f.read(number(p[32:], 8) if wide else number(p[16:], 4)).rstrip(b"\0").decode()
    return None


def real(path, env):
    """What the loader says: found paths in order, missing names, messages, error."""
    loader = interp(path)
    if loader and not os.path.exists(loader):
        return None
    plain = loader and os.access(path, os.X_OK) and not os.stat(path).st_mode & 0o6000
    with open(path, "rb") as f:
        rtld = RTLD[f.read(5)[4]]
    if not os.path.exists(rtld):
        return None
    cmd = [path] if plain else [rtld, path]
    full = dict({k: v for k, v in os.environ.items() if not k.startswith("LD_")}, LC_ALL="C", LD_TRACE_LOADED_OBJECTS="1", **env)
    try:
        p = subprocess.run(cmd, env=full, capture_output=True, timeout=60)
    except OSError as e:
        return {"error": e.strerror}
    out, err = p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")
    r = {"found": [], "missing": [], "said": [], "static": False, "undefined": set()}
    for line in out.splitlines():
        if line == "\tstatically linked":
            r["static"] = True
            continue
        m = LINE.match(line)
        if not m:
            continue
        if m.group(2) == "not found":
            r["missing"].append(m.group(1))
        elif m.group(1) not in ("linux-vdso.so.1", "linux-gate.so.1"):
            r["found"].append(m.group(2) or m.group(1))
    for line in err.splitlines():
        if line.endswith(")") and "\t(" in line:
            r["undefined"].add(tuple(line[:-1].rsplit("\t(", 1)))
            continue
        r["said"].append(line[len(path) + 2:] if line.startswith(path + ": ") else line)
    return r


def ours(dump, args, paths):
    """The same of the load map, per path."""
    p = subprocess.run([dump, "-q"] + args + paths, capture_output=True)
    if p.returncode:
        sys.exit("lddtruth: %s: %d %s" % (dump, p.returncode, p.stderr.decode()))
    result = {}
    for line in p.stdout.decode("utf-8", "replace").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "file":
            path = rest
            r = result[rest] = {"found": [], "missing": [], "said": [], "libc": None, "troubles": [], "undefined": set()}
        elif kind == "libc":
            r["libc"] = rest
        elif kind == "chain":
            r["found"].append(rest.split(" ", 1)[1])
        elif kind == "edge":
            by, mode, name, step, detail, obj = rest.split("\t")
            if step == "missing" and (mode in ("needed", "filter") or (mode == "auxiliary" and by != path)):
                r["missing"].append(name)
        elif kind == "trouble":
            what, fatal, text = rest.split(" ", 2)
            if what == "undefined":
                _, who, text = text.split(": ", 2)
                r["undefined"].add((text, who))
                continue
            r["troubles"].append((what, fatal.rstrip(":"), text))
        elif kind == "error":
            r["error"] = rest
    return result


def differences(path, a, b):
    """a: real, b: ours."""
    if "error" in a or "error" in b:
        if ("error" in a) != ("error" in b):
            yield "error: real %s, ours %s" % (a.get("error"), b.get("error"))
        return
    fatal = [t for k, f, t in b["troubles"] if k == "wrong-format" and f == "fatal" and "wrong ELF class" not in t]
    said = [t for k, f, t in b["troubles"] if k == "no-version" or f == "note"] + fatal
    if a["static"] or b["libc"] == "static":
        return
    real_said = [s for s in a["said"] if "wrong ELF class" not in s or s.startswith("ERROR")]
    if real_said != said:
        yield "said:\n  real %s\n  ours %s" % ("\n       ".join(real_said), "\n       ".join(said))
    if fatal:
        return
    if a["found"] != b["found"][1:]:
        yield "found:\n  real %s\n  ours %s" % (" ".join(a["found"]), " ".join(b["found"][1:]))
    if a["missing"]:  # a trace forgets the versions that missing providers should have had
        a["undefined"], b["undefined"] = ({(t.split(", version")[0], o) for t, o in x["undefined"]} for x in (a, b))
    if a["undefined"] != b["undefined"]:
        yield "undefined:\n  only real %s\n  only ours %s" % (sorted(a["undefined"] - b["undefined"])[:5], sorted(b["undefined"] - a["undefined"])[:5])
    if a["missing"] != b["missing"]:
        yield "missing: real %s, ours %s" % (a["missing"], b["missing"])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dump")
    p.add_argument("dirs", nargs="+")
    p.add_argument("--limit", type=int, default=0)
    p.add_argument("--symbols", action="store_true")
    p.add_argument("--env", action="append", default=[])
    a = p.parse_args()
    env = dict(e.split("=", 1) for e in a.env)
    args = ["-C", os.getcwd()]
    if a.symbols:
        env.update(LD_WARN="yes", LD_BIND_NOW="yes")
        args += ["-s", "-b"]
    if "LD_LIBRARY_PATH" in env:
        args += ["-L", env["LD_LIBRARY_PATH"]]
    if "LD_PRELOAD" in env:
        args += ["-P", env["LD_PRELOAD"]]
    paths = list(elf_files(a.dirs, a.limit))
    theirs = {}
    with ThreadPoolExecutor(2) as pool:
        for path, r in zip(paths, pool.map(lambda x: real(x, env), paths)):
            theirs[path] = r
    agree = differ = skipped = 0
    for i in range(0, len(paths), 500):
        mine = ours(a.dump, args, paths[i:i + 500])
        for path in paths[i:i + 500]:
            if theirs[path] is None:
                skipped += 1
                continue
            diff = list(differences(path, theirs[path], mine[path]))
            agree, differ = agree + (not diff), differ + bool(diff)
            for d in diff:
                print("%s: %s" % (path, d))
    if skipped:
        print("skipped: %d for a loader that is not here" % skipped)
    print("loader-ldd: %d agree / %d differ" % (agree, differ))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
