# SPDX-License-Identifier: Apache-2.0
"""What the loader takes and refuses: libraries beside its path, hidden by others, of two releases, of a system that is too old."""
import pyenv
from boxes import VENV, box, ort_box, ort_libs, torch_box
from recipe import F, case

OK = "driver=ok loads=ok code=native verdict=ok"
BAD = "loads=bad verdict=problem"
ORT, TORCH = "onnxruntime:cuda|0", "torch|0"
H100 = "NVIDIA H100 80GB HBM3"
SITE = VENV + "/lib/python3.11/site-packages"
MULTI = "/usr/lib/x86_64-linux-gnu"


def toolkit(m, at, parts, major="12"):
    """Libraries as a toolkit lays them down: the whole version in the file's name."""
    for part, version in parts.items():
        for lib in pyenv.NVLIBS[part][major]:
            name = "%s.so.%s" % (lib.split(".so")[0], version)
            m.write("%s/%s" % (at, name), pyenv.nvidia_lib(m.arch, part, lib, version, major)).link("%s/%s" % (at, lib), name)
            if at == MULTI:
                m.libs.append((lib, "%s/%s" % (at, lib)))
    return m


def cudnn(e, version, at, cuda="12", parts=""):
    """cuDNN as NVIDIA's packages for a distribution lay it down; parts: only those whose name holds this."""
    for path, data in e.cudnn_files(version, at, cuda).items():
        if parts in path:
            name = path.split(".so.")[0] + ".so." + version
            e.m.write(name, data).link(path, name.split("/")[-1])
            if at == MULTI:
                e.m.libs.append((path.split("/")[-1], path))
    return e


def path(build, *dirs):
    """The same machine with these on LD_LIBRARY_PATH."""
    def go(m):
        build(m)
        m.var("LD_LIBRARY_PATH", ":".join(dirs))
    return go


def hidden(version, build, parts, at="/usr/local/cuda-12.1/lib64", newer=()):
    """torch, and a toolkit's directory before all that its wheels name; newer: wheels upgraded by hand."""
    def go(m):
        e = torch_box(m, version, build, H100, "580.95.05")
        for part in newer:
            e.nvidia(part, newer[part], "12")
        toolkit(m, at, parts)
    return path(go, at)


def cudnn_first(version, build, release, parts=""):
    def go(m):
        cudnn(torch_box(m, version, build, H100, "580.95.05"), release, "/opt/cudnn/lib", parts=parts)
    return path(go, "/opt/cudnn/lib")


def wheels(*names):
    return [SITE + "/nvidia/%s/lib" % n for n in names]


def ort_halves(lt, at="/opt/lt"):
    """cuBLAS of the wheel, cuBLASLt of another directory that comes before."""
    def go(m):
        ort_box(m, "1.26.0", "NVIDIA A10", "570.124.06")
        lib = pyenv.NVLIBS["cublas"]["12"][1]
        m.write("%s/libcublasLt.so.%s" % (at, lt), pyenv.nvidia_lib(m.arch, "cublas", lib, lt, "12")).link(at + "/" + lib, "libcublasLt.so." + lt)
    return path(go, at, *wheels("cublas", "cuda_runtime", "cufft", "curand", "cudnn"))


def ort_parts(release, at="/opt/parts"):
    """One part of another cuDNN before the directories of the wheels: both come from LD_LIBRARY_PATH."""
    def go(m):
        cudnn(ort_box(m, "1.26.0", "NVIDIA A10", "570.124.06"), release, at, parts="libcudnn_ops")
    return path(go, at, *wheels("cublas", "cuda_runtime", "cufft", "curand", "cudnn"))


def system_cudnn(torch, ort, release, part="12"):
    """torch and onnxruntime; the system has a toolkit and a cuDNN of its own, which ld.so.cache names."""
    pins = {"12": pyenv.CU128, "13": pyenv.CU130}[part]

    def go(m):
        e = torch_box(m, *torch, gpu=H100, driver="580.95.05").ort(ort, gpu=True)
        toolkit(m, MULTI, {p: pins[p] for p in ("cublas", "cuda-runtime", "cufft", "curand")}, part)
        cudnn(e, release, MULTI, part)
        m.cache()
    return go


def made(library, env=None, distro=("debian", "12"), **kw):
    """torch with one of its libraries made in another way."""
    def go(m):
        box(m, "NVIDIA A10", "570.124.06", distro=distro)
        e = env(m) if env else pyenv.venv(m)
        e.special[library] = lambda: e.so(library, ["libc10.so", "libcudart.so.12", "libstdc++.so.6", "libc.so.6"],
                                          rpath="$ORIGIN/../../nvidia/cuda_runtime/lib:$ORIGIN", **kw)
        return e.torch("2.9.0", "cu128")
    return go


def libstdcxx(m, at, newest):
    names = ["GLIBCXX_3.4"] + ["GLIBCXX_3.4.%d" % i for i in range(1, newest + 1)]
    return m.lib(at + "/libstdc++.so.6", "libstdc++.so.6", verdef=names)


def stdcxx(system, needs, conda=None, way=None):
    """A system's libstdc++, in a conda environment another one; way: one that LD_LIBRARY_PATH leads to."""
    def go(m):
        make = made("libtorch_cpu.so", pyenv.conda if conda else None, verneed={"libstdc++.so.6": ["GLIBCXX_3.4.%d" % needs]})
        make(m)
        libstdcxx(m, MULTI, system)
        if conda:
            libstdcxx(m, "/opt/conda/lib", conda)
        if way:
            libstdcxx(m, "/opt/gcc/lib64", way)
            m.var("LD_LIBRARY_PATH", "/opt/gcc/lib64")
    return go


def wsl_ort(m):
    m.distro("ubuntu", "22.04").wsl2().cache()
    return ort_libs(pyenv.venv(m).ort("1.20.1", gpu=True), "1.20.1")


def beside(version, *extra, driver="580.95.05"):
    """onnxruntime-gpu with the wheels that it needs, and more."""
    def go(m):
        e = ort_box(m, version, H100, driver)
        for torch in extra:
            e.torch(*torch)
    return go


def order(torch_first, preload):
    """import-order is there with exactly these ways out."""
    def check(doc):
        found = [f for f in doc["findings"] if f["id"] == "import-order"]
        fixes = " ;; ".join("%s %s" % (x.get("command") or "", x.get("text") or "") for f in found for x in f["fixes"])
        for part, want in (("import torch before", torch_first), ("preload_dlls()", preload), ("export LD_LIBRARY_PATH=", True)):
            if (part in fixes) != want:
                yield "a fix of import-order says %r: %s, not %s" % (part, not want, want)
    return check


def off_path(soname, *parts, **kw):
    return F("library-not-on-loader-path", role="primary", cells=[ORT], soname=soname, fix=["export LD_LIBRARY_PATH="] + list(parts), **kw)


E216 = ("debian", "12", "x86_64", "2.41")
CASES = [
    case("ort-1.18-with-wheels-only", lambda m: ort_box(m, "1.18.1"), verdict="problem", order=False, cells={ORT: BAD},
         findings=[off_path("libcublasLt.so.11", SITE + "/nvidia/cublas/lib", SITE + "/nvidia/cudnn/lib")], golden=True),
    case("ort-1.20-with-wheels-only", lambda m: ort_box(m, "1.20.1", "NVIDIA A10", "570.124.06"), verdict="problem", order=False, cells={ORT: BAD},
         findings=[off_path("libcublasLt.so.12", SITE + "/nvidia/cuda_runtime/lib")]),
    case("ort-1.27-is-not-even-imported", lambda m: ort_box(m, "1.27.0", H100, "580.95.05"), verdict="problem", order=False, cells={ORT: BAD},
         findings=[off_path("libcudart.so.13", SITE + "/nvidia/cu13/lib")]),
    case("ort-1.20-under-wsl", wsl_ort, verdict="problem", machine={"kind": "wsl"},
         findings=[F("library-not-on-loader-path", role="primary", soname="libcublasLt.so.12", fix="export LD_LIBRARY_PATH=")]),
    case("twin-ort-1.20-with-the-path", path(lambda m: ort_box(m, "1.20.1", "NVIDIA A10", "570.124.06"),
                                             *wheels("cublas", "cuda_runtime", "cufft", "curand", "cudnn")), verdict="ok", order=False,
         cells={ORT: OK}, ruled_out=["library-not-on-loader-path", "import-order"]),

    case("order-torch-or-preload", beside("1.26.0", ("2.9.0", "cu128")), verdict="ok", order=True, check=order(True, True)),
    case("order-torch-alone", beside("1.20.1", ("2.6.0", "cu124")), verdict="ok", order=True, check=order(True, False)),
    case("order-preload-alone", beside("1.23.0"), verdict="ok", order=True, check=order(False, True)),
    case("order-torch-before-1.27", beside("1.27.0", ("2.11.0", "cu130")), verdict="ok", order=True, check=order(True, False)),
    case("twin-order-with-the-path", path(beside("1.26.0"), *wheels("cublas", "cuda_runtime", "cufft", "curand", "cudnn")), verdict="ok",
         order=False, ruled_out=["import-order"]),

    case("nvjitlink-12.1-hides-12.4", hidden("2.5.1", "cu124", {"nvjitlink": "12.1.105"}), verdict="problem", cells={TORCH: BAD}, golden=True,
         findings=[F("library-shadowed", role="primary", cells=[TORCH], soname="libnvJitLink.so.12", found="12.1.105", needed="12.4",
                     fix=["unset LD_LIBRARY_PATH", "take /usr/local/cuda-12.1/lib64 out of LD_LIBRARY_PATH"])]),
    case("nvjitlink-12.2-hides-12.8", hidden("2.9.0", "cu128", {"nvjitlink": "12.2.140"}, "/usr/local/cuda-12.2/lib64"), verdict="problem",
         cells={TORCH: BAD}, findings=[F("library-shadowed", role="primary", cells=[TORCH], found="12.2.140", needed="12.8",
                                         fix="take /usr/local/cuda-12.2/lib64 out")]),
    case("twin-nvjitlink-12.4", hidden("2.5.1", "cu124", {"nvjitlink": "12.4.99"}, "/usr/local/cuda-12.4/lib64"), verdict="ok",
         cells={TORCH: OK}, ruled_out=["library-shadowed"]),

    case("twin-nvjitlink-12.4-is-all-that-cu124-needs", hidden("2.5.1", "cu124", {"nvjitlink": "12.4.99"}, "/usr/local/cuda-12.4/lib64",
                                                              newer={"nvjitlink": "12.8.93"}), verdict="ok", cells={TORCH: OK},
         findings=[F("package-requirement-unmet", "warning")], ruled_out=["library-shadowed"]),

    case("cudnn-9.1-parts-first", cudnn_first("2.9.0", "cu128", "9.1.0"), verdict="problem", cells={TORCH: BAD}, golden=True,
         findings=[F("cudnn-sublibrary-mix", role="primary", cells=[TORCH], found="9.1.0", needed="9.10.2",
                     fix="take /opt/cudnn/lib out of LD_LIBRARY_PATH")]),
    case("cudnn-8.9.0-parts-first", cudnn_first("2.3.1", "cu121", "8.9.0"), verdict="problem", cells={TORCH: BAD},
         findings=[F("cudnn-sublibrary-mix", role="primary", cells=[TORCH], found="8.9.0", needed="8.9.2", fix="take /opt/cudnn/lib out")]),
    case("cudnn-9.14-parts-beside-9.19-seen-to-work", cudnn_first("2.11.0", "cu130", "9.14.0"), verdict="ok", cells={TORCH: OK},
         findings=[F("cudnn-sublibrary-mix", "warning", found="9.14.0", needed="9.19.0", fix="take /opt/cudnn/lib out of LD_LIBRARY_PATH")]),
    case("twin-cudnn-9.10.2-first", cudnn_first("2.9.0", "cu128", "9.10.2"), verdict="ok", cells={TORCH: OK}, ruled_out=["cudnn-sublibrary-mix"]),

    case("cublaslt-12.4-first-torch-2.10", hidden("2.10.0", "cu128", {"cublas": "12.4.5.8"}, "/usr/local/cuda-12.4/lib64"), verdict="problem",
         cells={TORCH: BAD}, golden=True, findings=[F("cuda-libraries-mixed", role="primary", cells=[TORCH], fix="take /usr/local/cuda-12.4/lib64 out")]),
    case("cublaslt-12.1-beside-the-wheels", ort_halves("12.1.3.1"), verdict="problem", cells={ORT: BAD},
         findings=[F("cuda-libraries-mixed", role="primary", cells=[ORT], fix=["export LD_LIBRARY_PATH=" + SITE + "/nvidia/cublas/lib:", "take /opt/lt out of LD_LIBRARY_PATH"])]),
    case("cudnn-9.1-parts-before-the-wheels", ort_parts("9.1.0"), verdict="problem", cells={ORT: BAD},
         findings=[F("cudnn-sublibrary-mix", role="primary", cells=[ORT], fix="take /opt/parts out of LD_LIBRARY_PATH")]),
    case("twin-cublaslt-12.8-beside-the-wheels", ort_halves("12.8.3.14"), verdict="ok", cells={ORT: OK}, ruled_out=["cuda-libraries-mixed"]),
    case("twin-cublaslt-12.4-and-torch-2.11", hidden("2.11.0", "cu128", {"cublas": "12.4.5.8"}), verdict="ok", cells={TORCH: OK},
         ruled_out=["cuda-libraries-mixed", "library-shadowed"]),

    case("system-cudnn-9.1-first", system_cudnn(("2.9.0", "cu128"), "1.26.0", "9.1.0"), verdict="ok", golden=True,
         findings=[F("cudnn-older-loaded-first", "warning", found="9.1.0", needed="9.10.2", fix="import torch before onnxruntime")]),
    case("system-cudnn-9.14-first", system_cudnn(("2.11.0", "cu130"), "1.31.1", "9.14.0", "13"), verdict="ok",
         findings=[F("cudnn-older-loaded-first", "warning", found="9.14.0", needed="9.19.0", fix="import torch before onnxruntime")]),
    case("twin-system-cudnn-9.10.2", system_cudnn(("2.9.0", "cu128"), "1.26.0", "9.10.2"), verdict="ok", ruled_out=["cudnn-older-loaded-first"]),

    case("conda-libstdcxx-of-gcc-9", stdcxx(30, 30, conda=28), verdict="problem", cells={TORCH: BAD}, golden=True,
         findings=[F("libstdcxx-too-old", role="primary", cells=[TORCH], needed="GLIBCXX_3.4.30", found="/opt/conda/lib/libstdc++.so.6",
                     fix="libstdcxx-ng")]),
    case("path-to-an-old-libstdcxx", stdcxx(32, 32, way=26), verdict="problem", cells={TORCH: BAD},
         findings=[F("libstdcxx-too-old", role="primary", cells=[TORCH], needed="GLIBCXX_3.4.32", found="/opt/gcc/lib64/libstdc++.so.6",
                     fix="take /opt/gcc/lib64 out of LD_LIBRARY_PATH")]),
    case("system-libstdcxx-too-old", stdcxx(28, 30), verdict="problem", cells={TORCH: BAD},
         findings=[F("libstdcxx-too-old", role="primary", needed="GLIBCXX_3.4.30", found=MULTI + "/libstdc++.so.6", not_fix="LD_LIBRARY_PATH")]),
    case("twin-conda-libstdcxx-of-gcc-12", stdcxx(28, 30, conda=30), verdict="ok", cells={TORCH: OK}, ruled_out=["libstdcxx-too-old"]),

    case("libtorch-needs-glibc-2.38", made("libtorch_cpu.so", verneed={"libc.so.6": ["GLIBC_2.38"]}), verdict="problem", cells={TORCH: BAD},
         findings=[F("glibc-too-old", role="primary", cells=[TORCH], needed="GLIBC_2.38")]),
    case("libc10-needs-glibc-2.41", made("libc10.so", distro=("ubuntu", "24.04"), verneed={"libc.so.6": ["GLIBC_2.41"]}), verdict="problem",
         cells={TORCH: BAD}, findings=[F("glibc-too-old", role="primary", cells=[TORCH], needed="GLIBC_2.41")]),
    case("twin-glibc-2.39", made("libtorch_cpu.so", distro=("ubuntu", "24.04"), verneed={"libc.so.6": ["GLIBC_2.38"]}), verdict="ok",
         cells={TORCH: OK}, ruled_out=["glibc-too-old"]),

    case("exec-stack-libtorch-glibc-2.41", made("libtorch_cpu.so", distro=E216, exec_stack=True), verdict="problem", cells={TORCH: BAD}, golden=True,
         findings=[F("exec-stack-refused", role="primary", cells=[TORCH], soname="libtorch_cpu.so", found=SITE + "/torch/lib/libtorch_cpu.so",
                     fix="patchelf --clear-execstack " + SITE)]),
    case("exec-stack-libc10-glibc-2.41", made("libc10.so", distro=E216, exec_stack=True), verdict="problem", cells={TORCH: BAD},
         findings=[F("exec-stack-refused", role="primary", cells=[TORCH], soname="libc10.so")]),
    case("twin-exec-stack-glibc-2.36", made("libtorch_cpu.so", exec_stack=True), verdict="ok", cells={TORCH: OK}, ruled_out=["exec-stack-refused"]),

    case("static-tls-of-libtorch", made("libtorch_cpu.so", static_tls=4096), verdict="problem", cells={TORCH: BAD}, golden=True,
         findings=[F("static-tls-exhausted", role="primary", cells=[TORCH], fix="LD_PRELOAD", soname=lambda s: s.endswith("libtorch_cpu.so"))]),
    case("static-tls-of-libc10", made("libc10.so", static_tls=2048), verdict="problem", cells={TORCH: BAD},
         findings=[F("static-tls-exhausted", role="primary", cells=[TORCH], soname=lambda s: s.endswith("libc10.so"))]),
    case("twin-static-tls-fits", made("libtorch_cpu.so", static_tls=256), verdict="ok", cells={TORCH: OK}, ruled_out=["static-tls-exhausted"]),
]
