# SPDX-License-Identifier: Apache-2.0
"""Python environments of test machines and what pip lays down in them.

Packages are consistent: RECORD names every file with its hash and size, and a package that is installed over another one
overwrites its files, as pip does. Layouts, NEEDED and RPATH are those of the published wheels.
"""
import base64
import csv
import hashlib
import io
import os
import struct

import elfw
from elfw import Sym

# torch release and build: requirements of the wheel's METADATA (nvidia name -> version), read from the published wheels
CU121 = {"cublas": "12.1.3.1", "cuda-cupti": "12.1.105", "cuda-nvrtc": "12.1.105", "cuda-runtime": "12.1.105", "cudnn": "8.9.2.26",
         "cufft": "11.0.2.54", "curand": "10.3.2.106", "cusolver": "11.4.5.107", "cusparse": "12.1.0.106", "nccl": "2.20.5"}
CU124 = {"cublas": "12.4.5.8", "cuda-cupti": "12.4.127", "cuda-nvrtc": "12.4.127", "cuda-runtime": "12.4.127", "cudnn": "9.1.0.70",
         "cufft": "11.2.1.3", "curand": "10.3.5.147", "cusolver": "11.6.1.9", "cusparse": "12.3.1.170", "nccl": "2.21.5",
         "nvjitlink": "12.4.127"}
CU126 = {"cublas": "12.6.4.1", "cuda-cupti": "12.6.80", "cuda-nvrtc": "12.6.77", "cuda-runtime": "12.6.77", "cudnn": "9.10.2.21",
         "cufft": "11.3.0.4", "curand": "10.3.7.77", "cusolver": "11.7.1.2", "cusparse": "12.5.4.2", "nccl": "2.27.5", "nvjitlink": "12.6.85"}
CU128 = {"cublas": "12.8.4.1", "cuda-cupti": "12.8.90", "cuda-nvrtc": "12.8.93", "cuda-runtime": "12.8.90", "cudnn": "9.10.2.21",
         "cufft": "11.3.3.83", "curand": "10.3.9.90", "cusolver": "11.7.3.90", "cusparse": "12.5.8.93", "nccl": "2.27.5",
         "nvjitlink": "12.8.93"}
CU130 = {"cublas": "13.1.0.3", "cuda-cupti": "13.0.85", "cuda-nvrtc": "13.0.88", "cuda-runtime": "13.0.96", "cudnn": "9.13.0.50",
         "cufft": "12.0.0.61", "curand": "10.4.0.35", "cusolver": "12.0.4.66", "cusparse": "12.6.3.3", "nccl": "2.27.7", "nvjitlink": "13.0.88"}
CU118 = {"cublas": "11.11.3.6", "cuda-cupti": "11.8.87", "cuda-nvrtc": "11.8.89", "cuda-runtime": "11.8.89", "cudnn": "8.7.0.84",
         "cufft": "10.9.0.58", "curand": "10.3.0.86", "cusolver": "11.4.1.48", "cusparse": "11.7.5.86", "nccl": "2.19.3"}
PINS = {
    ("1.13.1", "cu117"): {"cublas": "11.10.3.66", "cuda-nvrtc": "11.7.99", "cuda-runtime": "11.7.99", "cudnn": "8.5.0.96"},
    ("2.0.1", "cu117"): {"cublas": "11.10.3.66", "cuda-nvrtc": "11.7.99", "cuda-runtime": "11.7.99", "cudnn": "8.5.0.96",
                         "cufft": "10.9.0.58", "curand": "10.2.10.91", "cusolver": "11.4.0.1", "cusparse": "11.7.4.91", "nccl": "2.14.3"},
    ("2.1.2", "cu121"): dict(CU121, nccl="2.18.1"), ("2.3.1", "cu121"): CU121, ("2.4.1", "cu121"): dict(CU121, cudnn="9.1.0.70"),
    ("2.5.1", "cu124"): CU124, ("2.6.0", "cu124"): CU124, ("2.7.1", "cu126"): dict(CU126, cudnn="9.5.1.17", nccl="2.26.2"),
    ("2.8.0", "cu126"): CU126, ("2.9.0", "cu126"): CU126, ("2.9.1", "cu126"): CU126, ("2.14.0", "cu126"): dict(CU126, nccl="2.29.3"),
    ("2.7.1", "cu128"): dict(CU128, cudnn="9.7.1.26", nccl="2.26.2"), ("2.8.0", "cu128"): dict(CU128, nccl="2.27.3"),
    ("2.9.0", "cu128"): CU128, ("2.9.1", "cu128"): CU128, ("2.10.0", "cu128"): CU128,
    ("2.11.0", "cu128"): dict(CU128, cudnn="9.17.1.4", nccl="2.28.9"), ("2.9.0", "cu130"): CU130,
    ("2.11.0", "cu130"): dict(CU130, cudnn="9.19.0.56", nccl="2.28.9"), ("2.12.0", "cu130"): dict(CU130, cudnn="9.20.0.48", nccl="2.29.7"),
    ("2.12.0", "cu132"): dict(CU130, cudnn="9.20.0.48", nccl="2.29.7"), ("2.14.0", "cu130"): dict(CU130, cudnn="9.24.0.43", nccl="2.30.7"),
    ("2.15.0", "cu132"): {"cublas": "13.4.1.2", "cuda-cupti": "13.2.75", "cuda-nvrtc": "13.2.78", "cuda-runtime": "13.2.75",
                          "cudnn": "9.26.0.51", "cufft": "12.2.0.46", "cusolver": "12.2.0.1", "cusparse": "12.7.10.1", "nccl": "2.30.7",
                          "nvjitlink": "13.2.78"},
}
TORCH_CODE = {  # build -> GPU code of libtorch_cuda.so, by release where it changed
    "cu117": ["sm_37", "sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86"],
    "cu118": ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_37", "sm_90"],
    "cu129": ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120"],
    "cu121": ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"],
    "cu124": ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"],
    "cu126": ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"],
    "cu128": ["sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"],
    ("2.11.0", "cu128"): ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"],
    "cu130": ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"],
    "cu132": ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"],
}
TORCHVISION = {"2.0.1": "0.15.2", "2.1.2": "0.16.2", "2.3.1": "0.18.1", "2.4.1": "0.19.1", "2.5.1": "0.20.1", "2.6.0": "0.21.0",
               "2.7.1": "0.22.1", "2.8.0": "0.23.0", "2.9.0": "0.24.0", "2.9.1": "0.24.1", "2.10.0": "0.25.0", "2.11.0": "0.26.0",
               "2.12.0": "0.27.0", "2.14.0": "0.29.0", "2.15.0": "0.29.2"}
# nvidia wheel -> libraries: (file, SONAME); M is the CUDA major
NVLIBS = {
    "cublas": {"11": ["libcublas.so.11", "libcublasLt.so.11"], "12": ["libcublas.so.12", "libcublasLt.so.12"],
               "13": ["libcublas.so.13", "libcublasLt.so.13"]},
    "cuda-cupti": {"11": ["libcupti.so.11.7"], "12": ["libcupti.so.12"], "13": ["libcupti.so.13"]},
    "cuda-nvrtc": {"11": ["libnvrtc.so.11.2"], "12": ["libnvrtc.so.12"], "13": ["libnvrtc.so.13"]},
    "cuda-runtime": {"11": ["libcudart.so.11.0"], "12": ["libcudart.so.12"], "13": ["libcudart.so.13"]},
    "cufft": {"11": ["libcufft.so.10"], "12": ["libcufft.so.11"], "13": ["libcufft.so.12"]},
    "curand": {"11": ["libcurand.so.10"], "12": ["libcurand.so.10"], "13": ["libcurand.so.10"]},
    "cusolver": {"11": ["libcusolver.so.11"], "12": ["libcusolver.so.11"], "13": ["libcusolver.so.12"]},
    "cusparse": {"11": ["libcusparse.so.11"], "12": ["libcusparse.so.12"], "13": ["libcusparse.so.12"]},
    "nccl": {"11": ["libnccl.so.2"], "12": ["libnccl.so.2"], "13": ["libnccl.so.2"]},
    "nvjitlink": {"12": ["libnvJitLink.so.12"], "13": ["libnvJitLink.so.13"]},
}
NVDIR = {"cuda-cupti": "cuda_cupti", "cuda-nvrtc": "cuda_nvrtc", "cuda-runtime": "cuda_runtime"}
CUDNN8 = ["ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train"]
CUDNN9 = ["graph", "ops", "cnn", "adv", "engines_precompiled", "engines_runtime_compiled", "heuristic"]
CUDNN_CODE = {  # CUDA major, first release -> GPU code of its ops, cnn and adv, as read from the x86_64 wheels
    ("11", (8, 5)): ["sm_35", "sm_50", "sm_60", "sm_61", "sm_70", "sm_75", "sm_80", "sm_86", "compute_70"],
    ("11", (9, 0)): ["sm_50", "sm_60", "sm_61", "sm_70", "sm_80", "sm_90"],
    ("12", (8, 9)): ["sm_50", "sm_60", "sm_61", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "compute_90"],
    ("12", (9, 7)): ["sm_50", "sm_60", "sm_61", "sm_70", "sm_80", "sm_90a", "sm_100", "sm_120", "compute_120"],
    ("12", (9, 11)): ["sm_75", "sm_80", "sm_90a", "sm_100f", "sm_120f", "sm_121", "compute_121"],
    ("13", (9, 12)): ["sm_75", "sm_80", "sm_90a", "sm_100f", "sm_120f", "sm_121", "compute_121"],
}
CUDNN_PTX_ISA = {"11": "7.5", "12": "8.4", "13": "9.0"}  # not newer than any CUDA that a build of that major was made with
ORT_CODE = {  # first release -> GPU code of the CUDA provider
    (1, 16): ["sm_52", "sm_60", "sm_61", "sm_70", "sm_75", "sm_80", "compute_80"],
    (1, 21): ["sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "compute_90"],
    (1, 23): ["sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90a", "compute_90"],
    (1, 27): ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a", "compute_120"],
    (1, 29): ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_120a"],
}
PTX_ISA = {"11.7": "7.7", "11.8": "7.8", "12.1": "8.1", "12.2": "8.2", "12.4": "8.4", "12.5": "8.5", "12.6": "8.5", "12.8": "8.7", "12.9": "8.8",
           "13.0": "9.0", "13.2": "9.2"}
ORT_CUDA = {(1, 16): "11.8", (1, 19): "12.2", (1, 24): "12.8", (1, 27): "13.0"}


DEPENDENCIES = {"numpy": "2.2.6", "flatbuffers": "25.2.10", "packaging": "25.0", "protobuf": "6.31.1", "keras": "3.10.0", "pillow": "11.3.0",
                "filelock": "3.18.0", "typing-extensions": "4.14.0", "sympy": "1.14.0", "networkx": "3.4.2", "jinja2": "3.1.6", "fsspec": "2025.5.1"}


def since(table, version):
    """The row of the newest release that is not newer than version."""
    key = tuple(int(x) for x in version.split(".")[:2])
    return table[max(k for k in table if k <= key)]


def cuda_of(build):
    """cu128 -> 12.8; cpu -> None."""
    return None if build == "cpu" else "%s.%s" % (build[2:-1], build[-1])


def record_hash(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class Env:
    """A Python environment on a machine. Methods return the environment, so that calls chain."""

    def __init__(self, machine, prefix, site, python, installer="pip"):
        self.m, self.prefix, self.site, self.python, self.installer = machine, prefix, site, python, installer
        self.short = ".".join(python.split(".")[:2])
        self.tag = "cp" + self.short.replace(".", "")
        self.plat = "manylinux_2_28_" + machine.arch
        self.ext = "cpython-%s-%s.so" % (self.tag[2:], machine.multi)
        self.installed = {}
        self.special = {}  # name of a library -> what makes its bytes instead, for the next packages
        machine.dir(site)
        machine.envs.append(self)

    # --- the installer

    def install(self, name, version, files, requires=(), tag=None, pure=False, installer=None, top=None):
        """files: {path below site-packages: bytes or text}. Writes dist-info last, as pip does."""
        info = "%s-%s.dist-info" % (name.replace("-", "_"), version)
        tag = tag or ("py3-none-any" if pure else "%s-%s-%s" % (self.tag, self.tag, self.plat))
        files = {p: self.special.get(os.path.basename(p), lambda d=d: d)() for p, d in files.items()}
        files = {p: d if isinstance(d, bytes) else d.encode() for p, d in files.items()}
        meta = "Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: test package\n" % (name, version)
        meta += "".join("Requires-Dist: %s\n" % r for r in requires) + "\nA package of a test machine.\n"
        files[info + "/METADATA"] = meta.encode()
        files[info + "/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: setuptools (80.9.0)\nRoot-Is-Purelib: %s\nTag: %s\n\n"
                                  % ("true" if pure else "false", tag)).encode()
        if top:
            files[info + "/top_level.txt"] = ("\n".join(top) + "\n").encode()
        files[info + "/INSTALLER"] = ((installer or self.installer) + "\n").encode()
        files[info + "/REQUESTED"] = b""
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        for p in sorted(files):
            rows.writerow([p, record_hash(files[p]), len(files[p])])
        rows.writerow([info + "/RECORD", "", ""])
        files[info + "/RECORD"] = out.getvalue().encode()
        for p, d in files.items():
            self.m.write(self.site + "/" + p, d)
        self.installed[name] = (info, sorted(files))
        return self

    def uninstall(self, name):
        """What pip does: every file of RECORD goes, whoever wrote it last."""
        info, files = self.installed.pop(name)
        for p in files:
            self.m.remove(self.site + "/" + p)
        return self.prune()

    def replace(self, name):
        """Before another version: what pip removes first."""
        return self.uninstall(name) if name in self.installed else self

    def prune(self):
        host = self.m.host(self.site)
        for base, dirs, files in os.walk(host, topdown=False):
            if base != host and not dirs and not files:
                os.rmdir(base)
        return self

    def so(self, soname=None, needed=("libc.so.6",), **kw):
        return elfw.build(self.m.arch, soname=soname, needed=list(needed), **kw)

    # --- NVIDIA's wheels

    def nvidia(self, part, version, major, pip_name=None, old=False):
        """One nvidia wheel: part as in NVLIBS or cudnn, major of CUDA ("12"). Those for CUDA before 12.8 ask for glibc 2.17 only (old)."""
        new_style = major == "13"
        name = pip_name or ("nvidia-%s%s" % (part, "" if new_style and part not in ("cudnn", "nccl") else "-cu" + major))
        where = "nvidia/" + ("cu13" if new_style and part not in ("cudnn", "nccl") else NVDIR.get(part, part)) + "/lib"
        files = {}
        if part == "cudnn":
            files = self.cudnn_files(version, where, major)
        else:
            for lib in NVLIBS[part][major]:
                files["%s/%s" % (where, lib)] = nvidia_lib(self.m.arch, part, lib, version, major)
        base = "" if new_style and part not in ("cudnn", "nccl") else "nvidia/%s/__init__.py" % NVDIR.get(part, part)
        if base:
            files[base] = ""
        self.replace(name)
        old = old or major == "11"
        return self.install(name, version, files, tag="py3-none-%s_%s" % ("manylinux2014" if old else "manylinux_2_27", self.m.arch), top=["nvidia"])

    def cudnn_files(self, version, where, cuda):
        numbers = [int(x) for x in version.split(".")[:3]]
        blob = struct.pack("<BBBB", numbers[2], numbers[1], numbers[0], 0)
        code = {".cudnn_code": b"\0" * (16 * (numbers[1] * 10 + numbers[2]))}  # no two releases have one size
        targets = since({v: code for (major, v), code in CUDNN_CODE.items() if major == cuda}, version)
        fatbin = elfw.fatbin(targets, isa=CUDNN_PTX_ISA[cuda])
        major = str(numbers[0])
        shim = "libcudnn.so." + major
        files = {"%s/%s" % (where, shim): self.so(shim, ["libdl.so.2", "libc.so.6"], runpath="$ORIGIN", verdef=[shim],
                                                  symbols=[Sym("cudnnGetVersion", version=shim)])}
        for sub in CUDNN8 if major == "8" else CUDNN9:
            lib = "libcudnn_%s.so.%s" % (sub, major)
            symbol = {"ops": "ops_infer", "cnn": "cnn_infer", "adv": "adv_infer"}.get(sub, sub)
            has_code = sub.split("_")[0] in ("ops", "cnn", "adv") and self.m.arch == "x86_64"
            files["%s/%s" % (where, lib)] = self.so(
                lib, ["libdl.so.2", "libc.so.6"], runpath="$ORIGIN:$ORIGIN/../../cublas/lib", verdef=[lib],
                sections=dict(code, **{".nv_fatbin": fatbin}) if has_code else code,
                symbols=[Sym("cudnn_%s_version" % symbol, data=blob, version=lib)])
        return files

    # --- frameworks

    def torch(self, version, build, index="pytorch", deps=True, code=None, rpath=True, python_tag=None):
        """torch from the vendor's index (its local version is in the metadata too) or from the package index (it is not)."""
        cuda = cuda_of(build)
        meta_version = version if index == "pypi" else "%s+%s" % (version, build)
        pins = PINS[(version, build)] if cuda else {}
        major = cuda.split(".")[0] if cuda else None
        files = {"torch/__init__.py": "from .version import __version__\n", "torch/version.py": torch_version_py(version, build, cuda),
                 "torch/_C.%s" % self.ext: self.so(None, ["libtorch_python.so", "libc.so.6"], rpath="$ORIGIN/lib")}
        files.update(self.torch_libs(version, build, major, code))
        requires = ["filelock", "typing-extensions>=4.10.0", "sympy>=1.13.3", "networkx", "jinja2", "fsspec"]
        for part, pin in sorted(pins.items()):
            requires.append("%s==%s; platform_system == \"Linux\"" % (self.nvidia_name(part, major), pin))
        self.brings("filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec")
        old = tuple(int(x) for x in version.split(".")[:2]) < (2, 7) and build != "cu126"
        tag = "%s-%s-%s" % (self.tag, self.tag, "manylinux1_" + self.m.arch if old else self.plat)
        self.install("torch", meta_version, files, requires, tag=tag, top=["functorch", "torch", "torchgen"])
        if deps and cuda:
            for part, pin in sorted(pins.items()):
                self.nvidia(part, pin, major, old=build in ("cu121", "cu124", "cu126"))
        return self

    @staticmethod
    def nvidia_name(part, major):
        return "nvidia-%s%s" % (part, "" if major == "13" and part not in ("cudnn", "nccl") else "-cu" + major)

    def torch_libs(self, version, build, major, code):
        lib = "torch/lib/"
        if not major:
            return {lib + "libtorch.so": self.so("libtorch.so", ["libtorch_cpu.so", "libc.so.6"]),
                    lib + "libtorch_cpu.so": self.so("libtorch_cpu.so", ["libc10.so", "libc.so.6"]), lib + "libc10.so": self.so("libc10.so"),
                    lib + "libtorch_python.so": self.so("libtorch_python.so", ["libtorch.so", "libc10.so", "libc.so.6"]),
                    lib + "libtorch_global_deps.so": self.so("libtorch_global_deps.so")}
        cudart = NVLIBS["cuda-runtime"][major][0]
        names = ["cublas", "cuda_cupti", "cuda_nvrtc", "cuda_runtime", "cudnn", "cufft", "curand", "cusolver", "cusparse", "nccl", "nvjitlink"]
        dirs = ["nvidia/%s/lib" % n for n in names] if major != "13" else ["nvidia/cudnn/lib", "nvidia/nccl/lib", "nvidia/cu13/lib"]
        rpath = ":".join(["$ORIGIN/../../" + d for d in dirs] + ["$ORIGIN"])
        cudnn = "libcudnn.so." + PINS[(version, build)]["cudnn"].split(".")[0]
        pins = PINS[(version, build)]
        cuda_libs = [s for p in ("cusparse", "cufft", "curand", "cublas", "nccl") if p in pins for s in NVLIBS[p][major]]
        code = code or TORCH_CODE.get((version, build)) or TORCH_CODE[build]
        cuda_needed = ["libc10_cuda.so", cudart] + cuda_libs + [cudnn, "libc10.so", "libtorch_cpu.so", "libc.so.6"]
        return {
            lib + "libtorch.so": self.so("libtorch.so", ["libtorch_cpu.so", "libtorch_cuda.so", "libc.so.6"], rpath=rpath),
            lib + "libtorch_cpu.so": self.so("libtorch_cpu.so", ["libc10.so", NVLIBS["cuda-runtime"][major][0], "libc.so.6"], rpath=rpath),
            lib + "libc10.so": self.so("libc10.so", rpath=rpath),
            lib + "libc10_cuda.so": self.so("libc10_cuda.so", ["libc10.so", cudart, "libc.so.6"], rpath=rpath, verneed={cudart: [cudart]}),
            lib + "libtorch_cuda.so": self.so("libtorch_cuda.so", cuda_needed, rpath=rpath, verneed={cudart: [cudart], cudnn: [cudnn]},
                                              sections={".nv_fatbin": elfw.fatbin(code, isa=PTX_ISA[cuda_of(build)])}),
            lib + "libtorch_python.so": self.so("libtorch_python.so", ["libtorch.so", "libtorch_cuda.so", "libc10.so", cudnn, "libc.so.6"], rpath=rpath),
            lib + "libcaffe2_nvrtc.so": self.so("libcaffe2_nvrtc.so", NVLIBS["cuda-nvrtc"][major] + ["libcuda.so.1", "libc.so.6"], rpath=rpath),
            lib + "libtorch_global_deps.so": self.so("libtorch_global_deps.so", [cudart, "libc.so.6"], rpath=rpath),
        }

    def torchvision(self, version, build=None, torch=None):
        cuda = cuda_of(build) if build else None
        full = version + ("+" + build if build else "")
        self.brings("numpy", "pillow")
        needed = ["libc10.so", "libtorch.so", "libtorch_cpu.so"] + (["libc10_cuda.so", "libtorch_cuda.so"] if cuda else []) + ["libc.so.6"]
        return self.install("torchvision", full, {
            "torchvision/__init__.py": "", "torchvision/version.py": "__version__ = '%s'\ngit_version = 'abc'\n" % full,
            "torchvision/_C.so": self.so(None, needed)}, ["numpy", "torch" + ("==" + torch if torch else ""), "pillow!=8.3.*,>=5.3.0"],
            top=["torchvision"])

    def ort(self, version, gpu=False, cuda=None, files=()):
        """onnxruntime or onnxruntime-gpu as on the package index."""
        name = "onnxruntime-gpu" if gpu else "onnxruntime"
        cuda = (cuda or since(ORT_CUDA, version)) if gpu else None
        info = "package_name = '%s'\n__version__ = '%s'\n" % (name, version)
        if cuda and tuple(int(x) for x in version.split(".")[:2]) >= (1, 21):
            info += "cuda_version = '%s'\n" % cuda
        core = "libonnxruntime.so." + version
        base = "onnxruntime/capi/"
        early = gpu and version.startswith("1.27.")  # this release alone needs the CUDA run-time to be imported at all
        own = ["libcudart.so.13", "libc.so.6"] if early else ["libc.so.6"]
        own_path = "$ORIGIN:/usr/local/cuda-13.0/targets/%s-linux/lib" % self.m.arch if early else "$ORIGIN"
        # the two builds differ in every compiled file
        mark = Sym("build_" + ("gpu" if gpu else "cpu") + "_" * (8 if gpu else 1))
        out = {"onnxruntime/__init__.py": "__version__ = \"%s\"\nfrom onnxruntime.capi._pybind_state import get_available_providers\n" % version,
               base + "__init__.py": "", base + "_pybind_state.py": "from .onnxruntime_pybind11_state import *\n",
               base + "build_and_package_info.py": info,
               base + core: self.so("libonnxruntime.so.1", ["libc.so.6"], runpath="$ORIGIN", verdef=["VERS_" + version],
                                    symbols=[Sym("OrtGetApiBase", version="VERS_" + version), mark]),
               base + "onnxruntime_pybind11_state." + self.ext: self.so(None, own, runpath=own_path, verdef=["VERS_1.0"],
                                                                        symbols=[Sym("PyInit_onnxruntime_pybind11_state", version="VERS_1.0"), mark]),
               base + "libonnxruntime_providers_shared.so": self.so("libonnxruntime_providers_shared.so", verdef=["VERS_1.0"],
                                                                    symbols=[Sym("Provider_GetHost", version="VERS_1.0")])}
        requires = ["flatbuffers", "numpy>=1.21.6", "packaging", "protobuf"]
        if gpu:
            out[base + "libonnxruntime_providers_cuda.so"] = self.ort_cuda(version, cuda)
            out[base + "libonnxruntime_providers_tensorrt.so"] = self.so(None, ["libnvinfer.so.10", "libnvonnxparser.so.10", "libc.so.6"], verdef=["VERS_1.0"])
            suffix = "-cu" + cuda.split(".")[0] if cuda < "13" else ""
            requires += ['nvidia-cuda-runtime%s~=%s.0; extra == "cuda"' % (suffix, cuda.split(".")[0]),
                         'nvidia-cudnn-cu%s~=9.0; extra == "cudnn"' % cuda.split(".")[0]]
        for f in files:
            out.pop(base + f)
        self.brings("flatbuffers", "numpy", "packaging", "protobuf")
        return self.install(name, version, out, requires, top=["onnxruntime"])

    def ort_cuda(self, version, cuda):
        major = cuda.split(".")[0]
        key = tuple(int(x) for x in version.split(".")[:2])
        cudnn = "libcudnn.so.8" if major == "11" else "libcudnn.so.9"
        needed = NVLIBS["cublas"][major][::-1] + NVLIBS["curand"][major] + ([] if key >= (1, 28) else NVLIBS["cufft"][major])
        cudart = NVLIBS["cuda-runtime"][major][0]
        needed += [cudart] + ([] if key >= (1, 28) else [cudnn]) + (["libcuda.so.1"] if key >= (1, 27) else [])
        return self.so(None, needed + ["libdl.so.2", "libstdc++.so.6", "libm.so.6", "libc.so.6"], verdef=["VERS_1.0"], verneed={cudart: [cudart]},
                       symbols=[Sym("GetProvider", version="VERS_1.0")], sections={".nv_fatbin": elfw.fatbin(since(ORT_CODE, version), isa=PTX_ISA[cuda])})

    def tensorflow(self, version, cuda=True, extra=False, pins=None):
        """tensorflow (with GPU support built in) or tensorflow-cpu; extra: with the nvidia wheels of [and-cuda]."""
        name = "tensorflow" if cuda else "tensorflow-cpu"
        info = ("# Test copy of the generated file\nimport collections\n\nbuild_info = collections.OrderedDict([('is_cuda_build', %s), "
                "('is_rocm_build', False), ('is_tensorrt_build', %s)%s])\n"
                % (cuda, cuda, ", ('cpu_compiler', '/usr/lib/llvm-18/bin/clang'), ('cuda_compute_capabilities', ['sm_60', 'sm_70', 'sm_80', 'sm_89', "
                   "'compute_90']), ('cuda_version', '12.5.1'), ('cudnn_version', '9')" if cuda else ""))
        lib = {"tensorflow/libtensorflow_cc.so.2": self.so("libtensorflow_cc.so.2", ["libtensorflow_framework.so.2", "libc.so.6"], verdef=["tensorflow"],
                                                           symbols=[Sym("TF_Version", version="tensorflow")],
                                                           sections={".nv_fatbin": elfw.fatbin(["sm_60", "sm_70", "sm_80", "sm_89", "sm_90", "compute_90"], isa="8.5")} if cuda else None),
               "tensorflow/libtensorflow_framework.so.2": self.so("libtensorflow_framework.so.2")}
        lib.update({"tensorflow/__init__.py": "", "tensorflow/python/platform/build_info.py": info,
                    "tensorflow/tools/pip_package/__init__.py": ""})
        self.brings("numpy", "protobuf", "keras")
        self.install(name, version, lib, ["numpy>=1.26.0", "protobuf>=5.28.0", "keras>=3.10.0"], top=["tensorflow"])
        for part, pin in (pins or {}).items() if extra else ():
            self.nvidia(part, pin, "12")
        return self

    def jax(self, version, plugin=None, plugin_version=None, jaxlib=None):
        """jax + jaxlib; plugin "cuda12" or "cuda13" with its pjrt package."""
        jaxlib = jaxlib or version
        self.brings("numpy")
        self.install("jax", version, {"jax/__init__.py": "", "jax/version.py": "_version = \"%s\"\n" % version},
                     ["jaxlib<=%s,>=%s" % (version, version), "numpy>=2.0"], pure=True, top=["jax"])
        self.install("jaxlib", jaxlib, {"jaxlib/__init__.py": "", "jaxlib/version.py": "_version = \"%s\"\n" % jaxlib,
                                        "jaxlib/libjax_common.so": self.so("libjax_common.so")}, ["numpy>=2.0"], top=["jaxlib"])
        if plugin:
            pv = plugin_version or version
            self.install("jax-%s-plugin" % plugin, pv, {
                "jax_%s_plugin/__init__.py" % plugin: "", "jax_%s_plugin/version.py" % plugin: "_version = \"%s\"\n" % pv,
                "jax_%s_plugin/_solver.so" % plugin: self.so()}, ["jax-%s-pjrt==%s" % (plugin, pv)], top=["jax_%s_plugin" % plugin])
            self.install("jax-%s-pjrt" % plugin, pv, {
                "jax_plugins/xla_%s/__init__.py" % plugin: "", "jax_plugins/xla_%s/version.py" % plugin: "_version = \"%s\"\n" % pv,
                "jax_plugins/xla_%s/xla_cuda_plugin.so" % plugin: self.so(verdef=["VERS_1.0"], sections={".nv_fatbin": elfw.fatbin(
                    ["sm_50", "sm_60", "sm_70", "sm_80", "sm_90", "sm_100", "sm_120", "compute_120"] if plugin == "cuda12" else
                    ["sm_75", "sm_80", "sm_90", "sm_100", "sm_110", "sm_120", "compute_120"])})}, top=["jax_plugins"])
        return self

    def cupy(self, version, cuda_major="12"):
        self.brings("numpy")
        return self.install("cupy-cuda%sx" % cuda_major, version, {
            "cupy/__init__.py": "", "cupy/_version.py": "__version__ = '%s'\n" % version, "cupy_backends/__init__.py": "",
            "cupy/.data/_wheel.json": '{"cuda": "%s.x", "packaging": "pip", "cutensor": {"version": "2.2.0", "filenames": []}}\n' % cuda_major,
            "cupy/_core/__init__.py": "", "cupy/_core/core." + self.ext: self.so(),
            "cupy_backends/cuda/libs/cublas." + self.ext: self.so(None, NVLIBS["cublas"][cuda_major][:1] + ["libc.so.6"])},
            ["numpy<2.6,>=2.0"], top=["cupy", "cupy_backends", "cupyx"])

    def brings(self, *names):
        """What pip installs along: packages that others require."""
        for name in names:
            if name not in self.installed:
                self.pure(name, DEPENDENCIES[name])
        return self

    def pure(self, name, version, requires=()):
        """A package that has nothing to do with GPUs."""
        mod = name.replace("-", "_").lower()
        return self.install(name, version, {mod + "/__init__.py": "__version__ = '%s'\n" % version}, requires, pure=True, top=[mod])

    # --- damage

    def damage(self, package, name, data):
        """Overwrites a file of a package's dist-info."""
        self.m.write("%s/%s/%s" % (self.site, self.installed[package][0], name), data)
        return self

    def drop(self, path):
        self.m.remove(self.site + "/" + path)
        return self

    def put(self, path, data):
        self.m.write(self.site + "/" + path, data)
        return self


# file -> function that tells its version, how its number is made
GETTERS = {"libcublasLt": ("cublasLtGetVersion", 10000), "libnccl": ("ncclGetVersion", 10000), "libcufft": ("cufftGetVersion", 1000),
           "libcurand": ("curandGetVersion", 1000), "libcusolver": ("cusolverGetVersion", 1000), "libcusparse": ("cusparseGetVersion", 1000),
           "libnvJitLink": ("nvJitLinkVersion", 0)}
BESIDE = {"libcublas": "cublas", "libcusparse": "nvjitlink"}  # file -> part whose library it asks for, by its own RUNPATH


def nvidia_lib(arch, part, lib, version, major):
    """One of NVIDIA's libraries as its wheel has it: named like its SONAME, so that only its own code tells the version."""
    ver = [] if part == "nccl" else [lib]
    needed, runpath, stem = ["libdl.so.2", "libc.so.6"], None, lib.split(".so")[0]
    symbols = [Sym("entry_" + part.replace("-", "_"), version=ver[0] if ver else None)]
    n = [int(x) for x in version.split(".")[:3]]
    if stem in GETTERS:
        name, base = GETTERS[stem]
        code = elfw.returns(arch, *([n[0] * base + n[1] * 100 + n[2]] if base else n[:2]))
        symbols.append(Sym(name, version=ver[0] if ver else None, code=code))
    beside = BESIDE.get(stem)
    if beside and major in NVLIBS[beside] and (beside == "cublas" or (n[0], n[1]) >= (12, 3)):
        needed.insert(0, NVLIBS[beside][major][-1])
        runpath = "$ORIGIN" if beside == "cublas" or major == "13" else "$ORIGIN/../../%s/lib" % beside
    return elfw.build(arch, soname=lib, needed=needed, runpath=runpath, verdef=ver, symbols=symbols)


def torch_version_py(version, build, cuda):
    major, minor = (int(x) for x in version.split(".")[:2])
    names = ["__version__", "debug", "cuda", "git_version", "hip"] + (["rocm", "xpu"] if (major, minor) >= (2, 9) else ["xpu"] if minor >= 5 else [])
    out = "from typing import Optional\n\n__all__ = [%s]\n" % ", ".join("'%s'" % n for n in names)
    out += "__version__ = '%s+%s'\ndebug = False\ncuda: Optional[str] = %s\n" % (version, build, "'%s'" % cuda if cuda else None)
    out += "git_version = '0fabc3ba44823f257e70ce397d989c8de5e362c1'\n"
    return out + "".join("%s: Optional[str] = None\n" % n for n in names[4:])


def venv(m, prefix="/opt/venv", python=None, uv=False, system_site=False):
    """python3 -m venv (or uv venv) of the machine's Python."""
    python = python or m.python
    short = ".".join(python.split(".")[:2])
    cfg = "home = /usr/bin\n" + ("implementation = CPython\nuv = 0.5.11\nversion_info = %s\n" % python if uv else "")
    cfg += "include-system-site-packages = %s\n" % str(system_site).lower()
    cfg += "" if uv else "version = %s\nexecutable = /usr/bin/python%s\ncommand = /usr/bin/python3 -m venv %s\n" % (python, short, prefix)
    m.write(prefix + "/pyvenv.cfg", cfg)
    if uv:
        m.link(prefix + "/bin/python", "/usr/bin/python" + short).link(prefix + "/bin/python3", "python")
    else:
        m.link(prefix + "/bin/python3", "/usr/bin/python3").link(prefix + "/bin/python", "python3")
    m.link(prefix + "/bin/python" + short, "python" if uv else "python3").link(prefix + "/lib64", "lib")
    m.write(prefix + "/bin/activate", "# This file must be used with \"source bin/activate\"\n")
    return Env(m, prefix, "%s/lib/python%s/site-packages" % (prefix, short), python, "uv" if uv else "pip")


def dist_packages(m):
    """Packages that apt laid down."""
    return Env(m, "/usr", "/usr/lib/python3/dist-packages", m.python, "debian")


def local_packages(m):
    """What pip as root puts into /usr/local (containers do this)."""
    short = ".".join(m.python.split(".")[:2])
    return Env(m, "/usr/local", "/usr/local/lib/python%s/dist-packages" % short, m.python)


def user_site(m, home="/root"):
    short = ".".join(m.python.split(".")[:2])
    return Env(m, home + "/.local", "%s/.local/lib/python%s/site-packages" % (home, short), m.python)


def conda(m, prefix="/opt/conda", python="3.11.9"):
    """A conda environment with its own Python."""
    short = ".".join(python.split(".")[:2])
    m.write(prefix + "/bin/python" + short, elfw.build(m.arch, needed=["libc.so.6"], interp=elfw.INTERP[m.arch], rpath="$ORIGIN/../lib"), 0o755)
    m.link(prefix + "/bin/python3", "python" + short).link(prefix + "/bin/python", "python" + short)
    m.write(prefix + "/conda-meta/history", "==> 2024-05-01 10:00:00 <==\n# cmd: conda create\n")
    conda_package(m, prefix, "python", python, "h955ad1f_0")
    m.write("%s/include/python%s/patchlevel.h" % (prefix, short), '#define PY_VERSION "%s"\n' % python)
    m.write("%s/lib/python%s/os.py" % (prefix, short), "")
    return Env(m, prefix, "%s/lib/python%s/site-packages" % (prefix, short), python, "conda")


def conda_package(m, prefix, name, version, build, channel="conda-forge"):
    m.write("%s/conda-meta/%s-%s-%s.json" % (prefix, name, version, build),
            '{\n  "build": "%s",\n  "build_number": 0,\n  "channel": "%s",\n  "depends": [],\n  "files": [],\n  "name": "%s",\n'
            '  "subdir": "linux-64",\n  "version": "%s"\n}\n' % (build, channel, name, version))
