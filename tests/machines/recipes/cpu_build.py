# SPDX-License-Identifier: Apache-2.0
"""A package without GPU support on a machine with a GPU."""
import pyenv
from boxes import VENV, box, torch_box
from recipe import F, case


def cpu(fix, **kw):
    return F("cpu-only-build", role="primary", fix=fix, **kw)


def with_env(gpu, driver, fill, uv=False):
    def build(m):
        box(m, gpu, driver)
        return fill(pyenv.venv(m, uv=uv))
    return build


CASES = [
    case("torch-cpu-on-a100", lambda m: torch_box(m, "2.9.0", "cpu", "NVIDIA A100-SXM4-40GB", "570.124.06"), verdict="problem", golden=True,
         findings=[cpu(["pip", "cu128"], cells=["torch|0"])], cells={"torch|0": "verdict=problem"},
         packages={VENV: {"torch": {"version": "2.9.0+cpu", "build": "cpu"}}}),
    case("torch-cpu-in-uv-environment", lambda m: torch_box(m, "2.6.0", "cpu", "NVIDIA GeForce RTX 3090", "550.90.07", uv=True), verdict="problem",
         findings=[cpu("uv pip install", cells=["torch|0"])], cells={"torch|0": "verdict=problem"}),
    case("torch-cpu-of-the-package-index", lambda m: torch_box(m, "2.5.1", "cpu", "Tesla T4", "535.183.01", index="pypi"), verdict="problem",
         findings=[cpu("pip", cells=["torch|0"])], cells={"torch|0": "verdict=problem"}),
    case("onnxruntime-on-t4", with_env("Tesla T4", "550.54.15", lambda e: e.ort("1.26.0")), verdict="problem",
         findings=[cpu("onnxruntime-gpu", cells=["onnxruntime:cuda|0"])], cells={"onnxruntime:cuda|0": "verdict=problem"}),
    case("onnxruntime-beside-torch-cu130", with_env("NVIDIA H100 80GB HBM3", "580.95.05", lambda e: e.torch("2.11.0", "cu130").ort("1.31.1")),
         verdict="problem", findings=[cpu("onnxruntime-gpu", cells=["onnxruntime:cuda|0"])],
         cells={"torch|0": "driver=ok code=native verdict=ok", "onnxruntime:cuda|0": "verdict=problem"}),
    case("tensorflow-cpu", with_env("NVIDIA A10", "550.54.15", lambda e: e.tensorflow("2.18.0", cuda=False)), verdict="problem",
         findings=[cpu("tensorflow[and-cuda]")]),
    case("jax-without-plugin", with_env("NVIDIA A10", "570.124.06", lambda e: e.jax("0.7.0")), verdict="problem",
         findings=[cpu("cuda12")]),
    case("twin-torch-cu128", lambda m: torch_box(m, "2.9.0", "cu128", "NVIDIA A100-SXM4-40GB", "570.124.06"), verdict="ok",
         ruled_out=["cpu-only-build"]),
    case("twin-onnxruntime-gpu", with_env("Tesla T4", "550.54.15", lambda e: e.torch("2.9.0", "cu128").ort("1.26.0", gpu=True)), verdict="ok",
         ruled_out=["cpu-only-build"]),
    case("twin-jax-with-plugin", with_env("NVIDIA A10", "570.124.06", lambda e: e.jax("0.7.0", "cuda12")), verdict="ok"),
]
