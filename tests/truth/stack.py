#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real bookworm, Debian's libcuda1 535 and published wheels (bookworm.sh), with machines laid over: is the verdict right?

	stack.py CUVET ROOT

Then the oracle is the stack itself: its Python is asked for versions, sys.path and packages, and cuvet's facts must say the same.
Prints "N agree / N differ" and the usual close.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "machines", "lib"))
import recipe  # noqa: E402
import tree    # noqa: E402
from recipe import F, case  # noqa: E402

OK = "driver=ok code=native verdict=ok"
BAD = "driver=bad verdict=problem"
NONE = "code=none verdict=problem"
OLD, NEW = "/opt/cu128", "/opt/cu130"  # torch 2.9.1 + onnxruntime-gpu 1.26.0; torch 2.11.0 + 1.31.1
NOTE = F(("not-a-fault", "driver-minor-version"), "note", optional=True)


def old_gpu(cells, sm):
    return F("gpu-too-old-for-build", cells=cells, sm=sm)


def box(gpu, driver, **kw):
    """What --machine lays over: /proc, /sys, /dev and the driver's files."""
    def build(m):
        m.kernel("6.1.0-28-amd64").gpu(gpu, bound=kw.pop("bound", "nvidia"))
        if driver:
            m.driver(driver, **kw)
        return m
    return build


def cases(d535):
    mine = {"torch|0": OK, "onnxruntime:cuda|0": OK}
    return [
        (OLD, case("t4-cu128", box("Tesla T4", d535), verdict="ok", cells=mine, findings=[NOTE, NOTE],
                   machine={"driver": {"module": d535, "cuda_api": "12.2"}, "glibc": "2.36"})),
        (NEW, case("t4-cu130", box("Tesla T4", d535), verdict="problem", cells={"torch|0": BAD, "onnxruntime:cuda|0": BAD},
                   findings=[F("driver-too-old", found=d535, needed="580.65.06", cells=["torch|0"]),
                             F("driver-too-old", found=d535, needed="580.65.06", cells=["onnxruntime:cuda|0"])])),
        (NEW, case("v100-cu130", box("Tesla V100-PCIE-32GB", "580.95.05"), verdict="problem", cells={"torch|0": NONE, "onnxruntime:cuda|0": NONE},
                   findings=[old_gpu(["torch|0"], "7.0"), old_gpu(["onnxruntime:cuda|0"], "7.0")])),
        (OLD, case("gtx1080ti-cu128", box("NVIDIA GeForce GTX 1080 Ti", d535), verdict="problem", cells={"torch|0": NONE, "onnxruntime:cuda|0": OK},
                   findings=[old_gpu(["torch|0"], "6.1"), NOTE, NOTE])),
        (OLD, case("no-driver", box("Tesla T4", None, bound=None), verdict="problem", cells={"torch|0": BAD, "onnxruntime:cuda|0": BAD},
                   findings=[F("driver-not-loaded", role="primary")])),  # libcuda1 is there, in the environment's own files
        (NEW, case("h100-580", box("NVIDIA H100 80GB HBM3", "580.95.05"), verdict="ok", cells=mine)),
        (OLD, case("rtx5090-570", box("NVIDIA GeForce RTX 5090", "570.124.06", open_module=True), verdict="ok",
                   cells={"torch|0": OK, "onnxruntime:cuda|0": "driver=ok code=ptx-jit verdict=ok"}, findings=[NOTE, NOTE])),
        (OLD, case("mismatch", box("Tesla T4", "550.90.07", library=d535), verdict="problem", cells={"torch|0": BAD},
                   findings=[F("driver-library-mismatch", role="primary", module="550.90.07", library=d535)])),
        (OLD, case("no-machine-at-all", None, verdict="cannot-tell")),
    ]


class Stack:
    def __init__(self, cuvet, root):
        self.cuvet, self.root, self.agree, self.differ = os.path.abspath(cuvet), root, 0, 0

    def check(self, *args):
        p = subprocess.run([self.cuvet, "check", "--root", self.root] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                           env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")

    def python(self, env, code):
        out = subprocess.run(["chroot", self.root, env + "/bin/python", "-c", code], stdout=subprocess.PIPE, check=True, timeout=300,
                             env={"PATH": "/usr/sbin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root", "ORT_DISABLE_TELEMETRY": "1"}).stdout
        return json.loads(out.decode().strip().split("\n")[-1])

    def same(self, what, got, want):
        if got == want:
            self.agree += 1
        else:
            self.differ += 1
            print("fail %s: cuvet says %r, the stack %r" % (what, got, want))

    def judge(self, env, c):
        with tempfile.TemporaryDirectory(prefix="stack.") as work:
            args = ["--env", env, "--json"]
            if c.build:
                m = tree.Machine(os.path.join(work, "box"))
                c.build(m)
                args += ["--machine", m.root]
            status, out, err = self.check(*args)
        if status not in (0, 1, 3):
            faults = ["status %s: %s" % (status, err)]
        else:
            doc = json.loads(out)
            doc["environments"], doc["cells"], doc["findings"] = only(doc, env)
            faults = recipe.compare(c, doc, status) + recipe.contradictions(doc)
        self.same(c.name, faults, [])

    def facts(self, env):
        doc = json.loads(self.check("--env", env, "--format", "facts")[1])
        return doc


def only(doc, env):
    """The parts of a document that are about one environment, renumbered to 0."""
    n = [i for i, e in enumerate(doc["environments"]) if e["path"] == env]
    if not n:
        return doc["environments"], doc["cells"], doc["findings"]

    def mine(key):
        return key.split("|")[0] == str(n[0])

    def renumber(key):
        return "0|" + key.split("|", 1)[1]
    cells = [dict(c, key=renumber(c["key"])) for c in doc["cells"] if mine(c["key"])]
    findings = [dict(f, cells=[renumber(k) for k in f["cells"] if mine(k)]) for f in doc["findings"]
                if not f["cells"] or any(mine(k) for k in f["cells"])]
    return [doc["environments"][n[0]]], cells, findings


ASK = """
import importlib.metadata as m, json, re, sys
import torch
import onnxruntime
from onnxruntime.capi import build_and_package_info as b
print(json.dumps({
  "packages": sorted([re.sub(r"[-_.]+", "-", d.metadata["Name"]).lower(), d.version] for d in m.distributions()),
  "sys_path": [p for p in sys.path if p],
  "torch": [torch.__version__, torch.version.cuda],
  "cudnn": torch.backends.cudnn.version(),
  "ort": [b.package_name, b.__version__, b.cuda_version],
  "python": ".".join(map(str, sys.version_info[:3])),
}))
"""


def values(doc, kind, field):
    """{key: first known value} of a field in the facts document."""
    out = {}
    for s in doc["facts"].get(kind, []):
        out[s["key"]] = next((v["value"] for v in s.get(field, []) if "value" in v), None)
    return out


def ask(stack, env):
    said = stack.python(env, ASK)
    doc = stack.facts(env)
    site = env + "/lib/python3.11/site-packages"
    stack.same(env + ": Python", values(doc, "env", "python").get(env), said["python"])
    stack.same(env + ": sys.path", [p for p in values(doc, "env", "sys_path").get(env) or []], said["sys_path"])
    stack.same(env + ": number of packages", values(doc, "env", "packages").get(env), len(said["packages"]))
    names, versions = values(doc, "package", "name"), values(doc, "package", "version")
    have = sorted([names[k], versions[k]] for k in names if k.startswith(site))
    stack.same(env + ": packages of the GPU stack are installed ones", [p for p in have if p not in said["packages"]], [])
    wanted = [p for p in said["packages"] if p[0].startswith(("nvidia-", "torch", "onnxruntime", "triton")) or p[0] == "numpy"]
    stack.same(env + ": installed ones of the GPU stack are seen", [p for p in wanted if p not in have], [])
    version, cuda = values(doc, "framework", "version"), values(doc, "framework", "cuda")
    stack.same(env + ": torch", [version.get(env + "|torch"), cuda.get(env + "|torch")], said["torch"])
    stack.same(env + ": onnxruntime", [values(doc, "framework", "package").get(env + "|onnxruntime"), version.get(env + "|onnxruntime"),
                                       cuda.get(env + "|onnxruntime")], said["ort"])
    n = said["cudnn"]
    text = "%d.%d.%d" % (n // 10000, n // 100 % 100, n % 100)
    family, libv = values(doc, "lib", "family"), values(doc, "lib", "version")
    mine = sorted({".".join(str(libv[k]).split(".")[:3]) for k in family
                   if k.startswith(site) and str(family[k]).startswith("cudnn") and libv[k]})  # some parts do not tell
    stack.same(env + ": cuDNN", mine, [text])


def driver_files(stack, version):
    """Debian keeps the driver in a folder of its own and links to it through alternatives."""
    doc = stack.facts(OLD)
    found = {k: v for k, v in values(doc, "lib", "version").items() if re.search(r"/libcuda\.so", k)}
    stack.same("Debian's libcuda1", sorted(set(found.values())), [version])
    stack.same("its origin", sorted({values(doc, "lib", "origin")[k] for k in found}), ["host"])


def main():
    stack = Stack(sys.argv[1], sys.argv[2])
    files = glob.glob(stack.root + "/usr/lib/x86_64-linux-gnu/nvidia/current/libcuda.so.[0-9]*.*")
    d535 = files[0].split("libcuda.so.")[1]
    for env, c in cases(d535):
        stack.judge(env, c)
    for env in (OLD, NEW):
        ask(stack, env)
    driver_files(stack, d535)
    print("real stack: %d agree / %d differ" % (stack.agree, stack.differ))
    print("%d passed, %d failed" % (stack.agree, stack.differ))
    return 1 if stack.differ or not stack.agree else 0


if __name__ == "__main__":
    sys.exit(main())
