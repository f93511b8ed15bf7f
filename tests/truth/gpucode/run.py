#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does cuvet list the GPU code that is there? Against cuobjdump on real files, and against the command lines that made the files.

    run.py CUVET [--small] [--dir DIR]... [--wheel SPEC]... [--cuobjdump PATH] [--only cuobjdump,cells,wheels,matrix] [--seed N]

Without --dir: the CUDA toolkit of this machine and two environments that are made below ${CUVET_CACHE:-~/.cache/cuvet} if they are
not there (20 GB). Without --wheel: onnxruntime-gpu and cuDNN releases and an older torch, downloaded one by one and deleted again.
--small is the part that takes seconds, for the normal test run; it closes with "N passed, N failed, N skipped".
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cells  # noqa: E402
import cuob  # noqa: E402
import matrix  # noqa: E402

CACHE = os.environ.get("CUVET_CACHE") or os.path.expanduser("~/.cache/cuvet")
ENVIRONMENTS = {"torch-211": ["torch==2.11.0", "torchvision", "torchaudio", "onnxruntime-gpu==1.31.1"],
                "jaxcupy": ["jax[cuda12]", "cupy-cuda12x"]}
WHEELS = ["onnxruntime-gpu==1.17.0", "onnxruntime-gpu==1.20.0", "onnxruntime-gpu==1.23.0", "onnxruntime-gpu==1.27.0",
          "nvidia-cudnn-cu12==9.10.2.21", "torch==2.4.0"]
NEEDED = 24 << 30  # bytes free for the environments


def is_object(path):
    """An ELF file or a static archive: what cuobjdump takes."""
    try:
        with open(path, "rb") as f:
            return f.read(8)[:4] == b"\x7fELF" or f.seek(0) == 0 and f.read(8) == b"!<arch>\n"
    except OSError:
        return False


def objects(directory):
    seen = set()
    for top, _dirs, files in os.walk(os.path.realpath(directory)):
        for name in sorted(files):
            path = os.path.join(top, name)
            if os.path.islink(path) or not (".so" in name or name.endswith((".a", ".o"))) or not is_object(path):
                continue
            identity = (os.stat(path).st_dev, os.stat(path).st_ino)
            if identity not in seen:
                seen.add(identity)
                yield path


def compare_directory(cuvet, cuobjdump, directory):
    paths = list(objects(directory))
    tally = cuob.Tally("cuobjdump " + os.path.basename(directory.rstrip("/")))
    got = cuob.ask(cuvet, paths)
    for path in paths:
        tally.compare(path, cuob.listing(cuobjdump, path), cuob.counts(got.get(path), family=False))
    ok = tally.close()
    # The same files by their directory: other reads, the same counts.
    listed = cuob.ask(cuvet, [os.path.realpath(directory)])
    same = differ = 0
    for path in paths:
        if ".so" not in os.path.basename(path):
            continue
        whole = got.get(path, {})
        if cuob.counts(listed.get(path)) == cuob.counts(whole) and (path in listed) == bool(cuob.counts(whole)):
            same += 1
        else:
            differ += 1
            print("  %s: another list when its directory was named" % path)
    print("by directory %s: %d agree / %d differ" % (os.path.basename(directory.rstrip("/")), same, differ))
    return ok and not differ


def pip(*args):
    return subprocess.run([sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"] + list(args), stdout=subprocess.DEVNULL).returncode


def environment(name, packages):
    """The directory of the environment, made if need be; None if it cannot be."""
    path = os.path.join(CACHE, "gpucode", name)
    if os.path.exists(os.path.join(path, ".complete")):
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if shutil.disk_usage(os.path.dirname(path)).free < NEEDED:
        print("skipped: %s needs %d GB" % (name, NEEDED >> 30))
        return None
    subprocess.run([sys.executable, "-m", "venv", path], check=True)
    done = subprocess.run([os.path.join(path, "bin", "pip"), "install", "-q"] + packages, stdout=subprocess.DEVNULL).returncode == 0
    if not done:
        print("skipped: %s could not be installed" % name)
        shutil.rmtree(path, ignore_errors=True)
        return None
    open(os.path.join(path, ".complete"), "w").close()
    return path


def fetch(spec, directory):
    """The wheel of spec: one that is in the cache, or downloaded into directory; None."""
    name, version = spec.split("==")
    stem = "%s-%s-" % (name.replace("-", "_"), version)
    cached = os.path.join(CACHE, "wheels")
    for where in (cached, directory):
        if where == directory and pip("download", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11", "-d", directory, spec):
            return None
        for f in sorted(os.listdir(where)) if os.path.isdir(where) else []:
            if f.startswith(stem) and f.endswith(".whl"):
                return os.path.join(where, f)
    return None


def compare_wheel(cuvet, cuobjdump, wheel, scratch):
    tally = cuob.Tally("cuobjdump " + "-".join(os.path.basename(wheel).split("-")[:2]))
    got = cuob.ask(cuvet, [wheel])
    with zipfile.ZipFile(wheel) as z:
        for info in z.infolist():
            if ".so" not in os.path.basename(info.filename) or info.file_size < 4096:
                continue
            path = z.extract(info, scratch)
            if is_object(path):
                tally.compare(info.filename, cuob.listing(cuobjdump, path),
                              cuob.counts(got.get(wheel + ":" + info.filename), family=False))
            os.unlink(path)
    return tally.close()


def wheels(cuvet, cuobjdump, specs):
    ok = True
    for spec in specs:
        with tempfile.TemporaryDirectory(dir=CACHE) as d:
            wheel = fetch(spec, d)
            if wheel:
                ok &= compare_wheel(cuvet, cuobjdump, wheel, d)
            else:
                print("skipped: %s could not be downloaded" % spec)
    return ok


def small(cuvet):
    made, differ = matrix.small(cuvet)
    if made is None:
        print("0 passed, 0 failed, 1 skipped")
        return 0
    print("%d passed, %d failed" % (made - differ, differ))
    return 1 if differ or not made else 0


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("cuvet", type=os.path.abspath)
    ap.add_argument("--small", action="store_true")
    ap.add_argument("--dir", action="append", default=[])
    ap.add_argument("--wheel", action="append", default=[])
    ap.add_argument("--cuobjdump")
    ap.add_argument("--only", default="cuobjdump,cells,wheels,matrix")
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    if a.small:
        return small(a.cuvet)
    os.makedirs(CACHE, exist_ok=True)
    parts, ok = a.only.split(","), True
    cuobjdump = cuob.find(a.cuobjdump, CACHE) if parts != ["matrix"] else None
    dirs = a.dir or (["/usr/local/cuda"] + [environment(*e) for e in sorted(ENVIRONMENTS.items())] if cuobjdump else [])
    dirs = [d for d in dirs if d and os.path.isdir(d)]
    if cuobjdump is None and parts != ["matrix"]:
        print("skipped: cuobjdump is not here")
    for directory in dirs if cuobjdump and "cuobjdump" in parts else []:
        ok &= compare_directory(a.cuvet, cuobjdump, directory)
    if cuobjdump and "cells" in parts:
        ok &= cells.compare(a.cuvet, cuobjdump, [d for d in dirs if os.path.exists(os.path.join(d, "pyvenv.cfg"))])
    if cuobjdump and "wheels" in parts:
        ok &= wheels(a.cuvet, cuobjdump, a.wheel or WHEELS)
    if "matrix" in parts:
        ok &= matrix.large(a.cuvet, CACHE, a.seed)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
