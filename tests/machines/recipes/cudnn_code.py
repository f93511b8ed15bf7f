# SPDX-License-Identifier: Apache-2.0
"""The framework has code for the GPU, and the cuDNN that it gets has none."""
import pyenv
from boxes import VENV, box, ort_box, torch_box
from recipe import F, case

OK = "driver=ok loads=ok code=native verdict=ok"
BAD = "driver=ok loads=ok code=partial verdict=problem"
V100, P100, H100, RTX50 = "Tesla V100-PCIE-32GB", "Tesla P100-SXM2-16GB", "NVIDIA H100 80GB HBM3", "NVIDIA GeForce RTX 5090"
ORT = "onnxruntime:cuda|0"
PIN = F("package-requirement-unmet", "warning", optional=True)


def torch_with(version, build, gpu, cudnn, driver="580.95.05"):
    """Another cuDNN than torch pins, as an upgrade of it leaves it."""
    def make(m):
        return torch_box(m, version, build, gpu, driver).nvidia("cudnn", cudnn, "12")
    return make


def ort_with(version, gpu, cudnn, driver="580.95.05"):
    """onnxruntime-gpu pins nothing: whatever cuDNN 9 is newest gets installed."""
    def make(m):
        return ort_box(m, version, gpu, driver).nvidia("cudnn", cudnn, "12")
    return make


def dropped(cells, **kw):
    return F("cudnn-dropped-gpu", role="primary", cells=cells, fix="nvidia-cudnn-cu12==9.10.2.21", **kw)


def both(m):
    env = torch_box(m, "2.9.0", "cu126", V100, "580.95.05").ort("1.26.0", gpu=True)
    return env.nvidia("cudnn", "9.17.1.4", "12")


def no_ptx(m):
    """cuDNN's CUDA 11 wheels end at 9.0 and hold no PTX; the provider's PTX serves the newer GPU."""
    box(m, RTX50, "580.95.05")
    env = pyenv.venv(m, VENV).ort("1.26.0", gpu=True)
    for part in ("cublas", "cuda-runtime", "cuda-nvrtc", "cufft", "curand", "nvjitlink"):
        env.nvidia(part, pyenv.CU128[part], "12")
    return env.nvidia("cudnn", "9.10.2.21", "11")


CASES = [
    case("v100-torch-2.9-cudnn-9.17", torch_with("2.9.0", "cu128", V100, "9.17.1.4"), verdict="problem", cells={"torch|0": BAD},
         findings=[dropped(["torch|0"], sm="7.0", cudnn="9.17.1"), PIN], ruled_out=["gpu-too-old-for-build", "cudnn-older-than-gpu"], golden=True),
    case("p100-torch-2.14-cu126-cudnn-9.28", torch_with("2.14.0", "cu126", P100, "9.28.0.10"), verdict="problem", cells={"torch|0": BAD},
         findings=[dropped(["torch|0"], sm="6.0", cudnn="9.28.0"), PIN]),
    case("v100-ort-1.26-newest-cudnn", ort_with("1.26.0", V100, "9.28.0.10"), verdict="problem", cells={ORT: BAD},
         findings=[dropped([ORT], sm="7.0")]),
    case("v100-torch-and-ort-share-it", both, verdict="problem", cells={"torch|0": BAD, ORT: BAD},
         findings=[dropped(["torch|0", ORT], sm="7.0"), PIN]),
    case("v100-and-h100", torch_with("2.9.0", "cu126", [V100, H100], "9.11.0.98"), verdict="problem",
         cells={"torch|0": BAD, "torch|1": OK}, findings=[dropped(["torch|0"], sm="7.0"), PIN]),
    case("rtx5090-ort-1.26-cudnn-of-cuda-11", no_ptx, verdict="problem", cells={ORT: BAD},
         findings=[F("cudnn-older-than-gpu", role="primary", cells=[ORT], sm="12.0"), F("mixed-cuda-wheels", "note", optional=True),
                   F("cuda-libraries-mixed", "warning", optional=True)]),
    case("twin-v100-torch-2.9", torch_with("2.9.0", "cu128", V100, "9.10.2.21"), verdict="ok", cells={"torch|0": OK},
         ruled_out=["cudnn-dropped-gpu", "cudnn-older-than-gpu"]),
    case("twin-h100-torch-2.9-cudnn-9.17", torch_with("2.9.0", "cu126", H100, "9.17.1.4"), verdict="ok", cells={"torch|0": OK}, findings=[PIN],
         ruled_out=["cudnn-dropped-gpu", "cudnn-older-than-gpu"]),
    case("twin-v100-ort-1.26", ort_with("1.26.0", V100, "9.10.2.21"), verdict="ok", cells={ORT: OK}, ruled_out=["cudnn-dropped-gpu"]),
]
