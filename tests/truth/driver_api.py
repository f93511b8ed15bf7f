#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the real cudart, and the real torch, refuse the drivers that `check` calls too old?

  driver_api.py [--cuvet CUVET] [ENV...]

A fake libcuda.so.1 answers with the CUDA version of each driver branch of the knowledge base; the cudart and torch of real
environments (those named, or those that imports/run.py made) are loaded over it. Against it stands `cuvet check` of the same
environment with a machine laid over that has a driver of that branch. cudart says 35 for a driver that is too old; torch names
the version that it found. Prints "N agree / N differ"; 77 without an environment.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "machines", "lib"))
import tree  # noqa: E402

CACHE = os.path.join(os.environ.get("CUVET_CACHE") or os.path.expanduser("~/.cache/cuvet"), "imports", "envs")
FAKE = """#include <stdlib.h>
int cuInit(unsigned flags) { (void)flags; return 100; }
int cuDriverGetVersion(int *v) { *v = atoi(getenv("FAKE_API")); return 0; }
"""
ASK_CUDART = "import ctypes, sys; n = ctypes.c_int(); print(ctypes.CDLL(sys.argv[1]).cudaGetDeviceCount(ctypes.byref(n)))"
ASK_TORCH = "import torch\ntry:\n    torch.cuda.init()\nexcept Exception as e:\n    print(e)"
TOO_OLD = 35
FULL = {"450": "450.80.02", "525": "525.60.13", "580": "580.65.06"}  # the first of these branches that are out as stable


def branches(cuvet):
    """{CUDA version of the API: a driver of that branch}, from 11.0 on."""
    rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(HERE, "..", "..", "kb", "driver.tsv"))]
    out = {}
    for r in rows:
        if len(r) > 4 and r[0] == "driver" and r[3] == "cuda" and float(r[4].split(".")[0]) >= 11:
            out[r[4]] = FULL.get(r[1], r[1] + ".99.01")
    return out


def says(cuvet, env, driver, work):
    """Is driver-too-old among the findings, for torch or whatever the environment holds?"""
    root = os.path.join(work, "machine-" + driver)
    if not os.path.isdir(root):
        tree.Machine(root).kernel("6.1.0-28-amd64").gpu("NVIDIA A100-SXM4-40GB", bound="nvidia").driver(driver)
    p = subprocess.run([cuvet, "check", "--json", "--env", env, "--machine", root], stdout=subprocess.PIPE)
    doc = json.loads(p.stdout)
    return {c["workload"]: c["driver"] for c in doc["cells"]}


def real(env, code, arg, api, lib):
    major, minor = api.split(".")
    e = dict(os.environ, LD_LIBRARY_PATH=lib, FAKE_API=str(int(major) * 1000 + int(minor) * 10), PYTHONWARNINGS="ignore")
    p = subprocess.run([os.path.join(env, "bin", "python3"), "-c", code] + arg, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=e, cwd="/",
                       timeout=300)
    return p.stdout.decode().strip()


def cudarts(env):
    found = glob.glob(env + "/lib/python3*/site-packages/nvidia/cu*/lib/libcudart.so.*")
    return sorted(f for f in found if not os.path.islink(f))


def one(cuvet, env, lib, work):
    """Yields (what, real says too old, cuvet says too old)."""
    for api, driver in sorted(branches(cuvet).items(), key=lambda x: [int(n) for n in x[0].split(".")]):
        cells = says(cuvet, env, driver, work)
        for path in cudarts(env):
            workload = "torch" if "torch" in cells else "onnxruntime:cuda"
            if workload in cells:
                yield "%s under CUDA %s" % (os.path.basename(path), api), int(real(env, ASK_CUDART, [path], api, lib)) == TOO_OLD, cells[workload] == "bad"
        if "torch" in cells:
            text = real(env, ASK_TORCH, [], api, lib)
            number = str(int(api.split(".")[0]) * 1000 + int(api.split(".")[1]) * 10)
            yield "torch under CUDA %s" % api, "too old (found version %s)" % number in text, cells["torch"] == "bad"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cuvet", default=os.environ.get("CUVET", "build/cuvet"))
    p.add_argument("envs", nargs="*")
    a = p.parse_args()
    envs = [e for e in a.envs or sorted(glob.glob(CACHE + "/*")) if cudarts(e)]
    if not envs:
        print("driver_api: no environment with a CUDA run-time is here")
        return 77
    agree = differ = 0
    with tempfile.TemporaryDirectory() as work:
        lib = os.path.join(work, "lib")
        os.mkdir(lib)
        subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", lib + "/libcuda.so.1"],
                       input=FAKE.encode(), check=True)
        for env in envs:
            for what, theirs, ours in one(a.cuvet, env, lib, work):
                agree, differ = agree + (theirs == ours), differ + (theirs != ours)
                if theirs != ours:
                    print("%s: %s: real %s, cuvet %s" % (env, what, "too old" if theirs else "not too old", "too old" if ours else "not"))
    print("driver_api: %d agree / %d differ" % (agree, differ))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
