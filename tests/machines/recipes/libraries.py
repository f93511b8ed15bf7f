# SPDX-License-Identifier: Apache-2.0
"""Libraries that a build needs: of another major, or not there at all."""
import pyenv
from boxes import VENV, box, ort_box, ort_libs, torch_box
from recipe import F, case

OK = "driver=ok loads=ok code=native verdict=ok"
BAD = "loads=bad verdict=problem"
ORT = "onnxruntime:cuda|0"


def env(fill, gpu="NVIDIA H100 80GB HBM3", driver="580.95.05"):
    def build(m):
        box(m, gpu, driver)
        return fill(pyenv.venv(m))
    return build


def only(*parts, major="12"):
    """A few of the nvidia wheels and no others."""
    pins = {"11": pyenv.CU118, "12": pyenv.CU128, "13": pyenv.CU130}[major]

    def fill(e):
        for p in parts:
            name, _, version = p.partition("=")
            e.nvidia(name, version or pins[name], major)
        return e
    return fill


def other_major(have, needs, **kw):
    return F("cuda-major-mismatch", role="primary", cells=[ORT], **kw)


ALL = ("cublas", "cuda-runtime", "cuda-nvrtc", "cufft", "curand", "nvjitlink")
CASES = [
    case("ort-cuda12-beside-torch-cu130", env(lambda e: e.torch("2.11.0", "cu130").ort("1.26.0", gpu=True)), verdict="problem",
         findings=[other_major("13", "12", fix="onnxruntime-gpu")], cells={"torch|0": OK, ORT: BAD}),
    case("ort-cuda13-beside-torch-cu128", env(lambda e: e.torch("2.9.0", "cu128").ort("1.31.1", gpu=True)), verdict="problem",
         findings=[other_major("12", "13", fix="onnxruntime-gpu==1.26")], cells={"torch|0": OK, ORT: BAD}),
    case("ort-cuda11-beside-torch-cu126", env(lambda e: e.torch("2.9.0", "cu126").ort("1.18.1", gpu=True), "Tesla T4"), verdict="problem",
         findings=[other_major("12", "11"), F("cudnn-major-mismatch", optional=True)], cells={ORT: BAD}),
    case("twin-ort-cuda12-beside-torch-cu128", env(lambda e: e.torch("2.9.0", "cu128").ort("1.26.0", gpu=True)), verdict="ok", cells={"torch|0": OK, ORT: OK},
         ruled_out=["cuda-major-mismatch", "cudnn-major-mismatch", "library-missing"]),
    case("twin-ort-cuda13-beside-torch-cu130", env(lambda e: e.torch("2.11.0", "cu130").ort("1.31.1", gpu=True)), verdict="ok", cells={ORT: OK}),

    case("ort-1.26-with-cudnn-8", env(lambda e: only(*ALL, "cudnn=8.9.7.29")(e.ort("1.26.0", gpu=True))), verdict="problem",
         findings=[F("cudnn-major-mismatch", role="primary", cells=[ORT], fix="nvidia-cudnn-cu12")], cells={ORT: BAD}),
    case("ort-1.18-with-cudnn-9", env(lambda e: only("cublas", "cuda-runtime", "cufft", "curand", "cudnn=9.10.2.21", major="11")(e.ort("1.18.1", gpu=True)),
                                      "Tesla T4", "535.183.01"), verdict="problem",
         findings=[F("cudnn-major-mismatch", role="primary", cells=[ORT])], cells={ORT: BAD}),
    case("twin-ort-1.26-with-cudnn-9", env(lambda e: only(*ALL, "cudnn=9.10.2.21")(e.ort("1.26.0", gpu=True))), verdict="ok", cells={ORT: OK}),

    case("ort-1.26-without-any", lambda m: ort_box(m, "1.26.0", "NVIDIA A10", "570.124.06", libs=False), verdict="problem",
         findings=[F("library-missing", role="primary", cells=[ORT], fix="[cuda,cudnn]")], cells={ORT: BAD}),
    case("ort-1.31-without-any", lambda m: ort_box(m, "1.31.1", libs=False, driver="580.95.05"), verdict="problem",
         findings=[F("library-missing", role="primary", cells=[ORT], fix="[cuda,cudnn]")], cells={ORT: BAD}),
    case("ort-1.26-without-cudnn", env(lambda e: only(*ALL)(e.ort("1.26.0", gpu=True))), verdict="problem",
         findings=[F("library-missing", role="primary", cells=[ORT], soname=lambda got: got == "libcudnn.so.9" or "libcudnn.so.9" in (got or []))],
         cells={ORT: BAD}, says=["libcudnn.so.9"]),
    case("torch-without-its-wheels", lambda m: pyenv.venv(box(m, "NVIDIA A10", "570.124.06")).torch("2.9.0", "cu128", deps=False), verdict="problem",
         findings=[F("library-missing", role="primary", cells=["torch|0"]), F("package-requirement-unmet", "warning", optional=True),
                   F("package-requirement-unmet", "warning", optional=True)] + [F("package-requirement-unmet", "warning", optional=True)] * 10,
         cells={"torch|0": BAD}),
    case("twin-ort-1.26-with-wheels", lambda m: ort_box(m, "1.26.0", "NVIDIA A10", "570.124.06"), verdict="ok", cells={ORT: OK}),
    case("twin-ort-1.26-with-a-toolkit-on-the-loader-path", lambda m: toolkit_box(m), verdict="ok", cells={ORT: OK}),
]


def toolkit_box(m):
    """No wheels: the toolkit and cuDNN of the system, where ld.so.cache names them."""
    e = ort_box(m, "1.26.0", "NVIDIA A10", "570.124.06", libs=False)
    lib = "/usr/lib/x86_64-linux-gnu"
    for soname in ("libcublas.so.12", "libcublasLt.so.12", "libcudart.so.12", "libcufft.so.11", "libcurand.so.10"):
        m.lib("%s/%s" % (lib, soname), soname, verdef=[soname], on_loader_path=True)
    for path, data in e.cudnn_files("9.10.2.21", lib, "12").items():
        m.write(path, data)
        m.libs.append((path.split("/")[-1], path))
    return m.cache()
