#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuvet kb add` reads rows out of wheels made here and out of directories: kb_add.py CUVET"""
import os
import shutil
import sys
import zipfile

import harness
from harness import Cuvet, main, need, same

import documents  # the schemas
import elfw       # noqa: E402

DAY = {"SOURCE_DATE_EPOCH": "1796000000"}  # 2026-11-30
NEEDS = {"libc.so.6": ["GLIBC_2.17", "GLIBC_2.28"]}


def lib(soname, code=None, needed=(), stray=(), **kw):
    sections = {".nv_fatbin": elfw.fatbin(code, containers=100, stray=stray)} if code else None
    return elfw.build(soname=soname, needed=list(needed) + ["libc.so.6"], verneed=kw.pop("verneed", NEEDS), sections=sections, **kw)


def wheel(directory, name, version, files, requires=(), tag="cp311-cp311-manylinux_2_17_x86_64"):
    """A wheel of a few members, stored and packed ones."""
    stem = "%s-%s" % (name.replace("-", "_"), version)
    path = os.path.join(directory, "%s-%s.whl" % (stem, tag))
    info = stem.split("+")[0] + ".dist-info/"
    meta = "Metadata-Version: 2.1\nName: %s\nVersion: %s\nRequires-Python: >=3.10\n" % (name, version)
    meta += "".join("Requires-Dist: %s\n" % r for r in requires) + "\nRequires-Dist: not-a-header\n"
    with zipfile.ZipFile(path, "w") as z:
        for i, (member, data) in enumerate(sorted(files.items())):
            z.writestr(member, data, zipfile.ZIP_STORED if i % 2 else zipfile.ZIP_DEFLATED)
        z.writestr(info + "METADATA", meta, zipfile.ZIP_DEFLATED)
        z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nTag: %s\n" % tag, zipfile.ZIP_DEFLATED)
    return path


def rows(cuvet, *paths, status=0):
    r = cuvet("kb", "add", *paths, env=DAY)
    same(r.status, status, "status of kb add %s: %s" % (paths, r.err))
    out = {}
    for line in r.out.split("\n"):
        if line and not line.startswith("#"):
            col = line.split("\t")
            need(len(col) == 8, "%d columns: %s" % (len(col), line))
            same(col[6:], ["2026-11-30", "artifact"], "date and tier")
            out[(col[0], col[3])] = (col[1], col[2], col[4])
    return out, r


def torch_wheel(d):
    return wheel(d, "torch", "2.9.1", {
        "torch/version.py": "__version__ = '2.9.1+cu128'\ncuda: Optional[str] = '12.8'\n",
        "torch/lib/libtorch_cuda.so": lib("libtorch_cuda.so", ["sm_75", "sm_90a", "compute_120"], ["libcudart.so.12"], stray=["sm_70"]),
        "torch/lib/libc10.so": lib("libc10.so", verneed={"libc.so.6": ["GLIBC_2.27"]}),
    }, requires=["numpy>=1.26", "nvidia-cudnn-cu12==9.10.2.21; platform_system == \"Linux\"",
                 "nvidia-nccl-cu12 (==2.27.5)", "triton==3.5.1", "opt-einsum>=3.3; extra == \"opt-einsum\""])


def torch(cuvet):
    with harness.scratch() as d:
        got, r = rows(cuvet, torch_wheel(d))
    for prop, value in (("release", "1"), ("code:cu128", "sm_75 sm_90a compute_120"), ("min_glibc", "2.28"), ("cudnn:cu128", "9.10.2.21"),
                        ("nccl:cu128", "2.27.5"), ("triton", "3.5.1"), ("python_spec", ">=3.10"),
                        ("pins:cu128", "nvidia-cudnn-cu12==9.10.2.21 nvidia-nccl-cu12==2.27.5")):
        same(got.get(("torch", prop)), ("2.9.1", "=", value), prop)
    need("# kb/SOURCES: artifact_torch\t" in r.out, "the line of SOURCES is missing")
    need("Python tag cp311" in r.out, "the Python tag is not told")


def a_directory_says_the_same(cuvet):
    with harness.scratch() as d:
        path = torch_wheel(d)
        into = os.path.join(d, "unpacked")
        with zipfile.ZipFile(path) as z:
            z.extractall(into)
        same(rows(cuvet, into)[0], rows(cuvet, path)[0], "rows of the directory")


def cudnn(cuvet):
    """What decides is what ops, cnn and adv all have; the libraries stand for themselves too."""
    code = {"ops": ["sm_80", "sm_90", "compute_90"], "cnn": ["sm_75", "sm_80", "sm_90", "compute_90"], "adv": ["sm_80", "sm_86", "sm_90", "compute_90"]}
    with harness.scratch() as d:
        files = {"nvidia/cudnn/lib/libcudnn_%s.so.9" % k: lib("libcudnn_%s.so.9" % k, v, runpath="$ORIGIN") for k, v in code.items()}
        files["nvidia/cudnn/lib/libcudnn.so.9"] = lib("libcudnn.so.9")
        got, _ = rows(cuvet, wheel(d, "nvidia-cudnn-cu12", "9.99.1.7", files, requires=["nvidia-cublas-cu12"], tag="py3-none-manylinux_2_27_x86_64"))
    for prop, value in (("code:cu12", "sm_80 sm_90 compute_90"), ("code_lib:cu12:libcudnn_adv", "sm_80 sm_86 sm_90 compute_90"),
                        ("wheel:cu12", "9.99.1.7"), ("dir:cu12", "nvidia/cudnn/lib"), ("rpath:cu12", "RUNPATH $ORIGIN"),
                        ("min_glibc:cu12", "2.28"), ("requires:cu12", "nvidia-cublas-cu12")):
        same(got.get(("cudnn", prop)), ("9.99.1", "9.99.2", value), prop)


def onnxruntime(cuvet):
    with harness.scratch() as d:
        path = wheel(d, "onnxruntime-gpu", "1.99.0", {
            "onnxruntime/capi/build_and_package_info.py": "package_name = 'onnxruntime-gpu'\ncuda_version = '13.0'\n",
            "onnxruntime/capi/libonnxruntime_providers_cuda.so": lib(None, ["sm_80"], ["libcudart.so.13", "libcudnn.so.9", "libcuda.so.1"]),
            "onnxruntime/capi/libonnxruntime_providers_tensorrt.so": lib(None, None, ["libnvinfer.so.10"]),
        }, requires=["numpy>=1.21.6", "nvidia-cuda-runtime~=13.0; extra == 'cuda'"])
        got, _ = rows(cuvet, path)
    for prop, value in (("cuda", "13"), ("cudnn", "9"), ("tensorrt", "10"), ("built_cuda", "13.0"), ("rpath", "none"), ("code", "sm_80"),
                        ("needs", "libcudart.so.13 libcudnn.so.9 libcuda.so.1"), ("extra:cuda", "nvidia-cuda-runtime~=13.0"), ("numpy", ">=1.21.6")):
        same(got.get(("onnxruntime-gpu", prop)), ("1.99.0", "=", value), prop)


def rows_build(cuvet):
    """What is printed is a file of kb/: laid over the built-in one, it answers."""
    with harness.scratch() as d:
        path = wheel(d, "nvidia-nccl-cu13", "9.9.9", {"nvidia/nccl/lib/libnccl.so.2": lib("libnccl.so.2", ["sm_90", "compute_90"])},
                     tag="py3-none-manylinux_2_18_x86_64")
        over = os.path.join(d, "kb")
        os.mkdir(over)
        with open(os.path.join(over, "new.tsv"), "w") as f:
            f.write(cuvet("kb", "add", path, env=DAY).out)
        r = cuvet("kb", "nccl", "9.9.9", "--kb", over)
    same(r.status, 0, r.err)
    need("sm_90 compute_90" in r.out and "9.9.9" in r.out, r.out)


def as_json(cuvet):
    with harness.scratch() as d:
        doc = documents.valid(cuvet, "rows", "kb", "add", torch_wheel(d), "--json", status=0)
    need(len(doc["artifacts"]) == 1 and len(doc["artifacts"][0]["rows"]) > 5, "rows of the document")


def unknown_distribution(cuvet):
    with harness.scratch() as d:
        got, r = rows(cuvet, wheel(d, "something-else", "1.0", {"x/libx.so": lib("libx.so", ["sm_80"])}))
    same(set(got), {("package:something-else", "release")}, "rows of a distribution that has no recipe")
    need("no recipe" in r.out, r.out)


def no_artifact(cuvet):
    with harness.scratch() as d:
        empty = os.path.join(d, "empty")
        os.mkdir(empty)
        text = os.path.join(d, "x.whl")
        with open(text, "w") as f:
            f.write("not a wheel")
        two = os.path.join(d, "two")
        for i, name in enumerate(("a", "b")):
            with zipfile.ZipFile(wheel(d, name, "1.%d" % i, {})) as z:
                z.extractall(two)
        for path, says in ((empty, "no distribution"), (text, "x.whl"), (os.path.join(d, "gone.whl"), "gone.whl"), (two, "several distributions")):
            r = cuvet("kb", "add", path)
            same((r.status, r.out), (2, ""), path)
            need(says in r.err, r.err)
        # a wheel that ends early
        whole = torch_wheel(d)
        with open(whole, "rb") as f:
            data = f.read()
        for cut in (0, 10, len(data) // 2, len(data) - 10):
            with open(text, "wb") as f:
                f.write(data[:cut])
            same(cuvet("kb", "add", text).status, 2, "status of a wheel cut at %d" % cut)
        shutil.rmtree(two)
    same(cuvet("kb", "add").status, 2, "status without a path")


TESTS = [torch, a_directory_says_the_same, cudnn, onnxruntime, rows_build, as_json, unknown_distribution, no_artifact]

if __name__ == "__main__":
    sys.exit(main(TESTS, Cuvet(sys.argv[1])))
