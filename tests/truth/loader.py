#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Load maps against real loaders: ldd and ldd -r over this machine's files, and random worlds under several glibc versions.

  loader.py [--worlds N] [--limit N] [DIRECTORY...]

Directories beyond the machine's own (environments with real wheels, say) are added to those that ldd is asked about. The loaders of other
glibc versions are looked for in ${CUVET_CACHE:-~/.cache/cuvet}/glibc/SUITE/root, unpacked packages libc6 and libc-bin of Debian's
suites. Prints "NAME: N agree / N differ" for each. Exit 1 where anything differs.
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DIRS = ["/usr/bin", "/usr/sbin", "/usr/lib/x86_64-linux-gnu", "/usr/local"]
VARIANTS = [
    [],
    ["--symbols"],
    ["--env", "LD_LIBRARY_PATH=/usr/local/cuda/lib64:/usr/local/cuda/compat:/usr/lib"],
    ["--env", "LD_LIBRARY_PATH=/lib32:;/nowhere:$ORIGIN/../lib:/usr/lib/../lib/x86_64-linux-gnu/"],
    ["--env", "LD_LIBRARY_PATH=${LIB}::/opt/$PLATFORM:."],
    ["--env", "LD_PRELOAD=libstdc++.so.6 nosuch.so:libm.so.6"],
]


def sources():
    for room in ("base", "view", "loadmap"):
        for name in sorted(os.listdir(os.path.join(ROOT, "src", room))):
            if name.endswith(".c"):
                yield os.path.join(ROOT, "src", room, name)
    for name in sorted(os.listdir(os.path.join(ROOT, "src/parse"))):
        if name.endswith(".c") and (name.startswith("elf") or name in ("ldcache.c", "recindex.c")):
            yield os.path.join(ROOT, "src/parse", name)


def build(directory):
    out = os.path.join(directory, "loadmap_dump")
    subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-DCUVET_VERSION=\"truth\"", "-O2", "-I" + os.path.join(ROOT, "src"),
                    "-I" + os.path.join(ROOT, "include"), "-o", out, os.path.join(ROOT, "tests/helpers/loadmap_dump.c")] + list(sources())
                   + ["-larchive", "-liberty"], check=True)
    os.chmod(directory, 0o755)
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dirs", nargs="*")
    p.add_argument("--worlds", type=int, default=1250)
    p.add_argument("--limit", type=int, default=0)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    cache = os.environ.get("CUVET_CACHE", os.path.expanduser("~/.cache/cuvet"))
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        dump = build(directory)
        for variant in VARIANTS:
            print("ldd %s" % " ".join(variant))
            sys.stdout.flush()
            dirs = [d for d in DIRS + a.dirs if os.path.isdir(d)]
            failed |= subprocess.run([sys.executable, os.path.join(HERE, "loader/lddtruth.py"), dump, "--limit", str(a.limit)] + variant + dirs).returncode
        r = subprocess.run([sys.executable, os.path.join(HERE, "loader/run.py"), dump, "--worlds", str(a.worlds), "--seed", str(a.seed), "--cache", cache])
        if r.returncode != 77:
            failed |= r.returncode
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
