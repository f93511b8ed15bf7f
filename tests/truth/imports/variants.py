# SPDX-License-Identifier: Apache-2.0
"""Programs, and the settings in which they run: driver, search path, and a library that is gone."""
import glob
import hashlib
import os
import shutil
import subprocess

import model

STUB = """
#define OK(name) int name(void) { return 0; }
int cuInit(unsigned flags) { (void)flags; return INIT; }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGetCount(int *count) { *count = 0; return INIT; }
int cuGetProcAddress_v2(const char *s, void **f, int v, unsigned long fl, int *st) { (void)s; (void)v; (void)fl; *f = 0; if (st) *st = 1; return 500; }
int cuGetProcAddress(const char *s, void **f, int v, unsigned long fl) { (void)s; (void)v; (void)fl; *f = 0; return 500; }
int cuGetExportTable(const void **t, const void *id) { (void)id; *t = 0; return 500; }
"""
# All of a session that can be seen without a GPU: its libraries are loaded, then CUDA says that there is no device.
SESSION = "onnxruntime.providers_cuda()"
SESSION_OF = """
try:
    onnxruntime.InferenceSession("%%(model)s", providers=["%sExecutionProvider"])
except Exception as e:
    if "CUDA failure" not in str(e) and "CUDA error" not in str(e):
        raise
"""
# What Python runs for a statement of cuvet's that is none of Python's.
REAL = {SESSION: SESSION_OF % "CUDA", "onnxruntime:tensorrt": SESSION_OF % "Tensorrt", "jax:cuda": "jax.devices()",
        "tensorflow:cuda": "tensorflow.config.list_physical_devices()"}


class Program:
    """A program: as cuvet takes it (text), and as Python runs it. quiet: without a driver it goes on with the CPU and does not say so."""

    def __init__(self, text, needs, least=None, some=False, quiet=False):
        self.text, self.needs, self.least, self.some, self.quiet = text, needs, least or {}, some, quiet

    def code(self, setting):
        return "\n".join(REAL.get(s, s) for s in self.text.split("; ")) % {"model": model.path(setting.work)}


ORT = "import onnxruntime; "
PROGRAMS = [
    Program("import torch", ["torch"]),
    Program("import onnxruntime", ["onnxruntime"]),
    Program("import torch; import onnxruntime", ["torch", "onnxruntime"]),
    Program("import onnxruntime; import torch", ["torch", "onnxruntime"]),
    Program("import torch; torch.cuda.is_available()", ["torch"]),
    Program(ORT + SESSION, ["onnxruntime"], some=True),
    Program("import torch; " + ORT + SESSION, ["torch", "onnxruntime"], some=True),
    Program(ORT + SESSION + "; import torch", ["torch", "onnxruntime"]),
    Program(ORT + "onnxruntime.preload_dlls(); " + SESSION, ["onnxruntime"], {"onnxruntime": (1, 21)}),
    Program(ORT + "onnxruntime.preload_dlls(); import torch; " + SESSION, ["torch", "onnxruntime"], {"onnxruntime": (1, 21)}),
    Program(ORT + "onnxruntime:tensorrt", ["onnxruntime"], some=True),
    Program("import jax; jax:cuda", ["jax"], some=True, quiet=True),
    Program("import cupy", ["cupy_cuda12x"]),
    Program("import tensorflow; tensorflow:cuda", ["tensorflow"], some=True, quiet=True),
    Program("import ctranslate2", ["ctranslate2"]),
    Program("import torchvision", ["torchvision"], some=True),
    Program("import torchaudio", ["torchaudio"]),
    Program("import onnxruntime; import torchvision; import torchaudio", ["torchvision", "torchaudio", "onnxruntime"]),
]


def site(env):
    return glob.glob(env + "/lib/python3.*/site-packages")[0]


def version(env, package):
    """(1, 23) of an installed package, or None."""
    for d in glob.glob("%s/%s*.dist-info" % (site(env), package)):
        name, number = os.path.basename(d)[:-10].rsplit("-", 1)
        if name in (package, package + "_gpu") and number[0].isdigit():
            return tuple(int(x) for x in number.split("+")[0].split(".")[:2])
    return None


def programs(env):
    if not version(env, "torch"):
        yield Program("import torch", [])
    for p in PROGRAMS:
        have = {n: version(env, n) for n in p.needs}
        if all(have.values()) and all(have[n] >= least for n, least in p.least.items()):
            yield p


class Setting:
    def __init__(self, name, work, env, path=(), some=False):
        self.name, self.work, self.env, self.path, self.some = name, work, env, list(path), some
        self.cwd = os.path.join(work, "empty")
        os.makedirs(self.cwd, exist_ok=True)
        self.temporary = False

    def environ(self):
        e = {"PATH": "/usr/bin:/bin", "HOME": self.work, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
             "TORCHVISION_WARN_WHEN_EXTENSION_LOADING_FAILS": "1"}
        if self.path:
            e["LD_LIBRARY_PATH"] = ":".join(self.path)
        return e

    def takes(self, program):
        return not self.some or program.some

    def key(self):
        """What decides what Python says: the packages, and the files on the search path."""
        parts = [self.name] + sorted(os.listdir(site(self.env)))
        for d in self.path:
            parts += [d] + sorted(os.listdir(d))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def close(self):
        if self.temporary:
            shutil.rmtree(self.env)


def stub(work, code):
    """A directory with a libcuda.so.1 whose cuInit answers code."""
    d = os.path.join(work, "stub-%d" % code)
    if not os.path.isdir(d):
        os.makedirs(d)
        with open(d + "/stub.c", "w") as f:
            f.write(STUB)
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-DINIT=%d" % code, "-Wl,-soname,libcuda.so.1", "-o", d + "/libcuda.so.1",
                        d + "/stub.c"], check=True)
    return d


def without(work, env, pattern):
    """A copy of env, of hard links, without the files of a pattern."""
    copy = os.path.join(work, os.path.basename(env) + "-less")
    subprocess.run(["cp", "-al", env, copy], check=True)
    gone = glob.glob(site(copy) + "/" + pattern)
    for f in gone:
        os.unlink(f)
    if gone:
        return copy
    shutil.rmtree(copy)
    return None


# Libraries that are taken away, one at a time.
GONE = ["nvidia/cudnn/lib/libcudnn.so.*", "nvidia/*/lib/libcudart.so.*", "nvidia/*/lib/libcublas.so.*", "nvidia/*/lib/libcublasLt.so.*",
        "nvidia/*/lib/libnvJitLink.so.*", "nvidia/*/lib/libnvrtc.so.*", "nvidia/*/lib/libcufft.so.*", "nvidia/nccl/lib/libnccl.so.*",
        "nvidia/*/lib/libcusparseLt.so.*", "torch/lib/libc10_cuda.so", "torch/lib/libgomp*", "torch/lib/libtorch_global_deps.so",
        "onnxruntime/capi/libonnxruntime_providers_shared.so", "torchvision/_C.so", "torchvision/image.so", "torch/_C.*.so"]


def toolkits(top, name):
    """Search paths of other libraries: this machine's toolkit, and those of the other environments."""
    for d in ("/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"):
        if os.path.isdir(d):
            yield "toolkit", [d]
            break
    for other in ("torch-20", "torch-24", "torch-26", "torch-29", "torch-211"):
        if other == name or not os.path.isdir(os.path.join(top, other)):
            continue
        libs = site(os.path.join(top, other)) + "/nvidia"
        yield "cuDNN of " + other, [libs + "/cudnn/lib"]
        yield "all of " + other, sorted(glob.glob(libs + "/*/lib"))


def settings(work, top, name, env, fast):
    """Every setting of an environment; the caller closes each before it takes the next. Most run some of the programs only."""
    yield Setting("plain", work, env)
    yield Setting("stub", work, env, [stub(work, 0)])
    if fast:
        return
    yield Setting("stub refuses", work, env, [stub(work, 100)], some=True)
    own = sorted(glob.glob(site(env) + "/nvidia/*/lib"))
    if own:
        yield Setting("its own", work, env, own, some=True)
    for what, path in toolkits(top, name):
        yield Setting(what, work, env, [stub(work, 100)] + path, some=True)
    for pattern in GONE:
        less = without(work, env, pattern)
        if less:
            s = Setting("without " + os.path.basename(pattern), work, less, some=True)
            s.temporary = True
            yield s
