#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real environment, broken in the ways of the loader: does check say exactly what was done to it, and does its fix heal?

	breakages.py [--cuvet PROGRAM] [--envs DIR] [-k NAME]

torch 2.6 and onnxruntime-gpu 1.23 as installed from the package index (the environments of import truth, below ${CUVET_CACHE:-~/.cache/cuvet}/imports),
copied by hard links; a machine with an H100 is laid over. A fix that sets LD_LIBRARY_PATH is applied, and then nothing of it may be left.
Prints "N agree / N differ" and the usual close; exit 77 without such an environment.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "machines", "lib"))
import elfw   # noqa: E402
import pyenv  # noqa: E402
import tree   # noqa: E402

CACHE = os.path.join(os.environ.get("CUVET_CACHE") or os.path.expanduser("~/.cache/cuvet"), "imports", "envs")
GLIBC = tuple(int(x) for x in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))
BOTH = ["onnxruntime:cuda", "torch"]


class World:
    """A copy of an environment, and a folder for what comes on LD_LIBRARY_PATH."""

    def __init__(self, source, work):
        self.env, self.extra = os.path.join(work, "env"), os.path.join(work, "extra")
        shutil.copytree(source, self.env, symlinks=True, copy_function=os.link)
        os.mkdir(self.extra)
        self.site = glob.glob(self.env + "/lib/python3*/site-packages")[0]
        self.maker = pyenv.Env(tree.Machine(os.path.join(work, "none")), "/none", "/none/site", "3.11.2")

    def put(self, name, data):
        with open(os.path.join(self.extra, name), "wb") as f:
            f.write(data)
        return self.extra

    def drop(self, *patterns):
        """Never writes into a file: it is the source's too."""
        for pattern in patterns:
            found = glob.glob(os.path.join(self.site, pattern))
            assert found, pattern
            for path in found:
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    def cut(self, name, size):
        path = os.path.join(self.site, name)
        with open(path, "rb") as f:
            data = f.read(size)
        os.unlink(path)
        with open(path, "wb") as f:
            f.write(data)

    def cudnn(self, version, part=""):
        for path, data in self.maker.cudnn_files(version, self.extra, "12").items():
            if part in path:
                self.put(os.path.basename(path), data)
        return self.extra

    def toolkit(self, version, *parts):
        """Libraries of NVIDIA's in this version, named as a toolkit names them."""
        for stem, part, soname in [("libcublasLt", "cublas", "libcublasLt.so.12"), ("libcublas", "cublas", "libcublas.so.12"),
                                   ("libnvJitLink", "nvjitlink", "libnvJitLink.so.12")]:
            if not parts or stem in parts:
                self.put("%s.so.%s" % (stem, version), pyenv.nvidia_lib("x86_64", part, soname, version, "12"))
                os.symlink("%s.so.%s" % (stem, version), os.path.join(self.extra, soname))
        return self.extra

    def stdcxx(self, newest, **kw):
        names = ["GLIBCXX_3.4"] + ["GLIBCXX_3.4.%d" % i for i in range(1, newest + 1)] + ["CXXABI_1.3"] + ["CXXABI_1.3.%d" % i for i in range(1, 14)]
        return self.put("libstdc++.so.6", elfw.build(soname="libstdc++.so.6", needed=["libc.so.6"], verdef=names, **kw))

    def wheels(self):
        return [d for d in sorted(glob.glob(self.site + "/nvidia/*/lib"))]


def before_wheels(make):
    return lambda w: [make(w)] + w.wheels()


def without_torch(w):
    w.drop("torch", "torch-*.dist-info", "functorch", "torchgen")


def gone(*patterns):
    return lambda w: w.drop(*patterns)


# name, what is done to it (directories for LD_LIBRARY_PATH come back), the primary error or None, workloads it hits, more that must be there
BREAKAGES = [
    ("whole", lambda w: None, None, []),
    ("cudnn-9.10-first", lambda w: [w.cudnn("9.10.2.21")], "cudnn-sublibrary-mix", ["torch"]),
    ("one-part-of-cudnn-9.5-first", lambda w: [w.cudnn("9.5.1.17", "libcudnn_cnn")], "cudnn-sublibrary-mix", ["torch"]),
    ("one-part-of-cudnn-9.0-before-the-wheels", before_wheels(lambda w: w.cudnn("9.0.0.312", "libcudnn_ops")), "cudnn-sublibrary-mix", BOTH),
    ("cudnn-8-first", lambda w: [w.cudnn("8.9.7.29")], None, []),
    ("cublaslt-12.1-before-the-wheels", before_wheels(lambda w: w.toolkit("12.1.3.1", "libcublasLt")), "cuda-libraries-mixed", ["onnxruntime:cuda"]),
    ("toolkit-12.1-first", lambda w: [w.toolkit("12.1.105")], None, []),
    ("all-wheels-on-the-path", lambda w: w.wheels(), None, []),
    ("libstdcxx-3.4.18-first", lambda w: [w.stdcxx(18)], "libstdcxx-too-old", BOTH),
    ("libstdcxx-3.4.19-first", lambda w: [w.stdcxx(19)], "libstdcxx-too-old", ["onnxruntime:cuda"]),
    ("libstdcxx-3.4.30-first", lambda w: [w.stdcxx(30)], None, []),
    ("libstdcxx-for-a-newer-glibc", lambda w: [w.stdcxx(30, verneed={"libc.so.6": ["GLIBC_2.%d" % (GLIBC[1] + 1)]})], "glibc-too-old", BOTH),
    ("libstdcxx-with-large-tls", lambda w: [w.stdcxx(30, static_tls=8192)], "static-tls-exhausted", BOTH),
    ("libstdcxx-with-exec-stack", lambda w: [w.stdcxx(30, exec_stack=True)], "exec-stack-refused" if GLIBC >= (2, 41) else None, BOTH),
    ("no-torch", without_torch, None, []),
    ("no-libtorch-cpu", gone("torch/lib/libtorch_cpu.so"), "damaged-installation", ["torch"]),
    ("no-libc10", gone("torch/lib/libc10.so"), "damaged-installation", ["torch"]),
    ("libtorch-cpu-cut", lambda w: w.cut("torch/lib/libtorch_cpu.so", 8192), "damaged-installation", ["torch"]),
]
OLDER = [  # of torch 2.4 and onnxruntime-gpu 1.20, which cannot preload
    # Its provider needs libnvrtc.so.12 too, which torch 2.4 does not load: importing torch first is no help.
    ("older-whole", lambda w: None, "library-not-on-loader-path", ["onnxruntime:cuda"]),
    ("older-wheels-on-the-path", lambda w: w.wheels(), None, []),
    ("older-nvjitlink-12.4-first", before_wheels(lambda w: w.toolkit("12.4.127", "libnvJitLink")), None, []),
    ("older-nvjitlink-12.0-first", before_wheels(lambda w: w.toolkit("12.0.76", "libnvJitLink")), "library-shadowed", ["torch"]),
    ("older-no-torch", without_torch, "library-not-on-loader-path", ["onnxruntime:cuda"]),
]


class Oracle:
    def __init__(self, cuvet):
        self.cuvet, self.agree, self.differ = os.path.abspath(cuvet), 0, 0

    def check(self, box, env, path):
        args = [self.cuvet, "check", "--json", "--machine", box, "--env", env] + (["--set", "LD_LIBRARY_PATH=" + path] if path else [])
        p = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"})
        if p.returncode not in (0, 1, 3):
            raise RuntimeError("status %s: %s" % (p.returncode, p.stderr.decode("utf-8", "replace")))
        return json.loads(p.stdout.decode())

    def same(self, what, got, want):
        if got == want:
            self.agree += 1
            print("ok   " + what)
        else:
            self.differ += 1
            print("fail %s: %r, not %r" % (what, got, want))

    def judge(self, name, doc, want, cells):
        errors = [f for f in doc["findings"] if f["severity"] == "error"]
        self.same(name, sorted({f["id"] for f in errors if f["role"] == "primary"}), [want] if want else [])
        if want:
            hit = {k.split("|")[1] for f in errors if f["id"] == want for k in f["cells"]}
            self.same(name + ": cells", sorted(hit), sorted(cells))
        else:
            self.same(name + ": verdict", doc["verdict"], "ok")
        return errors

    def heal(self, name, doc, errors, box, env, path):
        """Applies the first fix of each that sets LD_LIBRARY_PATH, as the shell would."""
        for f in errors:
            typed = [x["command"] for x in f["fixes"] if x.get("command") and "LD_LIBRARY_PATH" in x["command"]][:1]
            for command in typed:
                out = subprocess.run(["sh", "-c", command + '; printf %s "${LD_LIBRARY_PATH-}"'], stdout=subprocess.PIPE, check=True,
                                     env=dict({"LD_LIBRARY_PATH": path} if path else {}, PATH="/usr/bin:/bin")).stdout.decode()
                after = self.check(box, env, out)
                self.same("%s: %s healed" % (name, f["id"]), [g["title"] for g in after["findings"] if g["severity"] == "error"], [])
                return

    def run(self, source, box, case):
        name, make, want, cells = case
        with tempfile.TemporaryDirectory(prefix="breakage.", dir=os.path.dirname(source)) as work:
            w = World(source, work)
            path = ":".join(make(w) or [])
            doc = self.check(box, w.env, path)
            self.heal(name, doc, self.judge(name, doc, want, cells), box, w.env, path)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cuvet", default=os.environ.get("CUVET", "build/cuvet"))
    p.add_argument("--envs", default=CACHE)
    p.add_argument("-k", default="")
    opts = p.parse_args()
    oracle = Oracle(opts.cuvet)
    ran = 0
    with tempfile.TemporaryDirectory(prefix="breakages.") as work:
        box = os.path.join(work, "box")
        tree.Machine(box).kernel("6.1.0-28-amd64").gpu("NVIDIA H100 80GB HBM3").driver("580.95.05")
        for name, cases in (("torch-26", BREAKAGES), ("torch-24", OLDER)):
            source = os.path.join(os.path.abspath(opts.envs), name)
            if not os.path.exists(source + "/.done"):
                print("skip %s: not in %s" % (name, opts.envs))
                continue
            for case in cases:
                if opts.k in case[0]:
                    ran += 1
                    oracle.run(source, box, case)
    if not ran:
        return 77
    print("breakages: %d agree / %d differ" % (oracle.agree, oracle.differ))
    print("%d passed, %d failed" % (oracle.agree, oracle.differ))
    return 1 if oracle.differ or not oracle.agree else 0


if __name__ == "__main__":
    sys.exit(main())
