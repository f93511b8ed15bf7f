# SPDX-License-Identifier: Apache-2.0
"""Fixes that cost something, and the same where they cost nothing. What a fix does is tried on the facts before it is printed."""
import pyenv
from boxes import box, torch_box
from recipe import F, case

RTX50 = "NVIDIA GeForce RTX 5090"


def with_package(name, version, requires, *args, **kw):
    def build(m):
        return torch_box(m, *args, **kw).pure(name, version, requires)
    return build


def ort_asked_for(driver):
    """A package asks for a newer onnxruntime-gpu, which is built for CUDA 13."""
    def build(m):
        box(m, "NVIDIA A10", driver)
        env = pyenv.venv(m).torch("2.6.0", "cu124").ort("1.26.0", gpu=True)
        return env.pure("tritonserver", "2.60.0", ["onnxruntime-gpu>=1.27"])
    return build


def unmet(price, **kw):
    return F("package-requirement-unmet", "warning", price=price, **kw)


CASES = [
    # Another torch for the GPU breaks what was built for the old one.
    case("rtx5090-torch-2.6-and-xformers-of-it", with_package("xformers", "0.0.29.post3", ["torch==2.6.0"], "2.6.0", "cu124", RTX50, "570.124.06"),
         verdict="problem", golden=True, says=["price: xformers"],
         findings=[F("gpu-too-new-for-build", role="primary", price={"torch==2.13.0+cu129": "package-requirement-unmet",
                                                                     "torch==2.11.0+cu128": "package-requirement-unmet"})]),
    case("twin-xformers-that-takes-any-torch", with_package("xformers", "0.0.35", ["torch>=2.6"], "2.6.0", "cu124", RTX50, "570.124.06"), verdict="problem",
         findings=[F("gpu-too-new-for-build", role="primary", price={"torch==2.13.0+cu129": "", "torch==2.11.0+cu128": ""})]),
    case("gtx1080ti-vllm-pins-torch", with_package("vllm", "0.11.0", ["torch==2.8.0"], "2.8.0", "cu128", "NVIDIA GeForce GTX 1080 Ti", "570.124.06"),
         verdict="problem", findings=[F("gpu-too-old-for-build", role="primary", price={"torch==2.8.0+cu126": ""})]),

    # What a package asks for, taken from the package index, is built for another CUDA: its wheels lie over the old ones, and the driver
    # may not run it.
    case("vllm-asks-for-torch-2.11-on-550", with_package("vllm", "0.20.0", ["torch==2.11.0"], "2.9.0", "cu128", "NVIDIA A10", "550.54.15"),
         verdict="ok", minor=True, findings=[unmet({"torch==2.11.0": "damaged-installation driver-too-old mixed-cuda-wheels"}, subject="vllm")]),
    case("twin-vllm-asks-for-torch-2.11-on-580", with_package("vllm", "0.20.0", ["torch==2.11.0"], "2.9.0", "cu128", "NVIDIA A10", "580.95.05"),
         verdict="ok", findings=[unmet({"torch==2.11.0": "damaged-installation mixed-cuda-wheels"}, subject="vllm")]),
    case("newer-onnxruntime-asked-for-on-550", ort_asked_for("550.54.15"), verdict="ok",
         findings=[unmet({"onnxruntime-gpu>=1.27": "cuda-major-mismatch driver-too-old"}, subject="tritonserver")]),
    case("newer-onnxruntime-asked-for-on-580", ort_asked_for("580.95.05"), verdict="ok",
         findings=[unmet({"onnxruntime-gpu>=1.27": "cuda-major-mismatch"}, subject="tritonserver")]),
]
