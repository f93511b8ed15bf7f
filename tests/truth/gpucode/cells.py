#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `cuvet check` say of real environments what the bytes of their libraries say? cells.py CUVET CUOBJDUMP ENVIRONMENT...

Machines with one GPU each, from Pascal to Blackwell, are laid over each environment. What a cell must say of code follows from
cuobjdump's lists of libtorch_cuda, of ONNX Runtime's provider and of the cuDNN that lies in the environment, by the rules of
matrix.py. A cell whose files cuobjdump cannot read is skipped, and counted.
"""
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "..", "machines", "lib"))
import boxes   # noqa: E402
import cuob    # noqa: E402
import matrix  # noqa: E402
import tree    # noqa: E402

GPUS = {"Tesla P100-SXM2-16GB": 60, "Tesla V100-PCIE-32GB": 70, "Tesla T4": 75, "NVIDIA A100-SXM4-40GB": 80, "NVIDIA GeForce RTX 4090": 89,
        "NVIDIA H100 80GB HBM3": 90, "NVIDIA B200": 100, "NVIDIA GeForce RTX 5090": 120, "NVIDIA GB10": 121}
DRIVER = "580.95.05"
LIBRARIES = {"torch": "torch/lib/libtorch_cuda.so", "onnxruntime:cuda": "onnxruntime/capi/libonnxruntime_providers_cuda.so"}
CUDNN = ["nvidia/cudnn/lib/libcudnn_%s.so.[89]" % part for part in ("ops", "cnn", "adv", "ops_infer", "cnn_infer", "adv_infer")]
ORDER = ["none", "partial", "ptx-jit", "native"]


def word(counts, cc):
    """By names that at least 2 % of the most frequent one have: whole files of the vendors are built for one list."""
    most = max(counts.values())
    names = [k for k, n in counts.items() if n * 50 >= most]
    answers = {(kind, matrix.fits(kind, name, cc)) for kind, name in names}
    if ("cubin", "yes") in answers:
        return "native"
    if ("ptx", "yes") in answers:
        return "ptx-jit"
    return "partial" if any(matrix.fits(k[0], k[1], cc) == "yes" for k in counts) else "none"


def add_suffixes(cuvet, path, counts):
    """cuobjdump prints no f for cubins: where cuvet reads one, its name stands for the count (run.py compares the counts)."""
    out = collections.Counter(counts)
    for (kind, name), n in cuob.counts(cuob.ask(cuvet, [path]).get(path)).items():
        if kind == "cubin" and name.endswith("f"):
            out[(kind, name)] = n
            out[(kind, name[:-1])] -= n
    return collections.Counter({k: n for k, n in out.items() if n > 0})


def listing(cuvet, cuobjdump, path, cache={}):
    if path not in cache:
        found = cuob.listing(cuobjdump, path)
        cache[path] = None if found.doubt or not found.counts else add_suffixes(cuvet, path, found.counts)
    return cache[path]


def expected(lists, cc):
    own, beside = word(lists[0], cc), [word(x, cc) for x in lists[1:]]
    if own in ("none", "partial"):
        return own
    worst = min([own] + beside, key=ORDER.index)
    return "partial" if worst in ("none", "partial") else worst


def judged(cuvet, cuobjdump, env, machine, cc):
    """(workload, what the cell says, what it must say or None where no oracle tells) of each cell."""
    site = glob.glob(os.path.join(env, "lib/python3*/site-packages"))[0]
    cudnn = [p for pattern in CUDNN for p in glob.glob(os.path.join(site, pattern))]
    out = subprocess.run([cuvet, "check", "--json", "--env", env, "--machine", machine], stdout=subprocess.PIPE).stdout
    for cell in json.loads(out)["cells"]:
        paths = [os.path.join(site, LIBRARIES.get(cell["workload"], "-"))] + cudnn
        lists = [listing(cuvet, cuobjdump, p) if os.path.exists(p) else None for p in paths]
        yield cell["workload"], cell["code"], None if None in lists or not cudnn else expected(lists, cc)


def compare(cuvet, cuobjdump, envs):
    agree = differ = skipped = 0
    with tempfile.TemporaryDirectory() as d:
        try:
            for gpu in GPUS:
                boxes.box(tree.Machine(os.path.join(d, gpu)), gpu, DRIVER)
        except tree.NeedsRoot:
            print("skipped: only root can make the device nodes of test machines")
            return True
        for env in envs:
            for gpu, cc in GPUS.items():
                for workload, says, want in judged(cuvet, cuobjdump, env, os.path.join(d, gpu), cc):
                    skipped += want is None
                    agree += says == want
                    differ += want is not None and says != want
                    if want is not None and says != want:
                        print("  %s, %s on %s: %s, not %s" % (env, workload, gpu, says, want))
    print("  %d cells without an oracle: files that cuobjdump does not read whole, no cuDNN in the environment, other frameworks" % skipped)
    print("code in cells: %d agree / %d differ" % (agree, differ))
    return differ == 0


if __name__ == "__main__":
    sys.exit(0 if compare(os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]) else 1)
