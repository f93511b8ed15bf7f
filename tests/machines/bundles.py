#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real machines, gathered and redacted: bundles.py CUVET [--update]

Each tests/bundles/NAME.tar.zst is judged as it was on its machine; NAME.txt is what people see there. A question that a later
collector asks is not in an old bundle: the verdict must not change for that, and the picture only where it says so in a diff.
"""
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUNDLES = os.path.join(HERE, "..", "bundles")

EXPECT = {  # what the issue demands of these machines, apart from the golden text
    "h200-580-torch-2.11-cu130": {
        "verdict": "problem", "status": 1, "errors": ["cpu-only-build"], "gpu": "NVIDIA H200", "cc": "9.0",
        "ok": ["torch", "jax", "cupy"], "module": "580.159.04"},
    "debian-12-cuda-13.0-no-driver": {
        "verdict": "problem", "status": 1, "errors": ["no-nvidia-gpu"], "gpu": None, "cc": None, "ok": [], "module": None},
}


def run(cuvet, *args):
    p = subprocess.run([cuvet, "check"] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                       env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
    return p.returncode, p.stdout.decode()


def facts_of(doc):
    gpus = doc["machine"]["gpus"]
    counted = [e["selected"] for e in doc["environments"]]
    return {
        "verdict": doc["verdict"],
        "errors": sorted({f["id"] for f in doc["findings"] if f["severity"] == "error"}),
        "gpu": gpus[0]["name"] if gpus else None, "cc": gpus[0]["cc"] if gpus else None,
        "ok": [c["workload"] for c in doc["cells"] if c["verdict"] == "ok" and counted[c["environment"]]],
        "module": doc["machine"]["driver"]["module"],
    }


def check(cuvet, path, update):
    name = os.path.basename(path)[:-len(".tar.zst")]
    golden = path[:-len(".tar.zst")] + ".txt"
    faults = []
    status, out = run(cuvet, "--root", path, "--json")
    got = dict(facts_of(json.loads(out)), status=status)
    if got != EXPECT.get(name):
        faults.append("%s is not %s" % (got, EXPECT.get(name)))
    if run(cuvet, "--root", path, "--json")[1] != out:
        faults.append("two runs differ")
    text = run(cuvet, "--root", path)[1]
    if update:
        with open(golden, "w") as f:
            f.write(text)
    with open(golden) as f:
        if f.read() != text:
            faults.append("the text differs from %s (--update writes it anew)" % os.path.basename(golden))
    return name, faults


def main():
    args = [a for a in sys.argv[1:] if a != "--update"]
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(BUNDLES, "*.tar.zst"))):
        name, faults = check(os.path.abspath(args[0]), path, "--update" in sys.argv)
        passed, failed = passed + (not faults), failed + bool(faults)
        for f in faults:
            print("fail %s: %s" % (name, f))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
