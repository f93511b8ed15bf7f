# SPDX-License-Identifier: Apache-2.0
"""Machines where nothing is wrong. Many are the healthy twins of recipes beside this file."""
import pyenv
from boxes import VENV, box, ort_box, torch_box
from recipe import F, case

OK = "driver=ok code=native verdict=ok"


def conda(m):
    box(m, "NVIDIA A10", "550.54.15")
    pyenv.conda_package(m, "/opt/conda", "pytorch-cuda", "12.1", "ha16c6d3_6", "pytorch")
    return pyenv.conda(m).torch("2.3.1", "cu121")


def in_usr_local(m):
    """A container image habit: pip as root, no virtual environment."""
    box(m, "NVIDIA L4", "550.90.07", distro=("ubuntu", "22.04"))
    return pyenv.local_packages(m).torch("2.5.1", "cu124", index="pypi")


def user_site(m):
    box(m, "NVIDIA GeForce RTX 3090", "560.35.03", distro=("ubuntu", "20.04"))
    return pyenv.user_site(m, "/home/ada").torch("2.4.1", "cu121", index="pypi")


def all_four(m):
    env = torch_box(m, "2.9.0", "cu128", "NVIDIA A100-SXM4-40GB", "570.124.06")
    return env.torchvision("0.24.0", "cu128", "2.9.0").ort("1.26.0", gpu=True).jax("0.7.0", "cuda12").cupy("14.2.0")


CASES = [
    case("t4-535-torch-cu121", lambda m: torch_box(m, "2.3.1", "cu121"), verdict="ok", cells={"torch|0": OK}, golden=True, minor=False,
         machine={"kind": "bare", "os": "Debian GNU/Linux 12 (bookworm)", "glibc": "2.36", "arch": "x86_64",
                  "driver": {"module": "535.183.01", "library": "535.183.01", "cuda_api": "12.2", "open": False}},
         gpus=[{"index": 0, "name": "Tesla T4", "pci": "0000:01:00.0", "cc": "7.5"}],
         packages={VENV: {"torch": {"version": "2.3.1+cu121", "build": "cu121", "installer": "pip"}}},
         envs={VENV: {"kind": "venv", "python": "3.11.2", "selected": True, "verdict": "ok"}}, says=["535.183.01", "Tesla T4"],
         ruled_out=["driver-missing", "driver-library-mismatch", "cpu-only-build"]),
    case("rtx4090-has-no-cubin-of-its-own", lambda m: torch_box(m, "2.11.0", "cu130", "NVIDIA GeForce RTX 4090", "580.95.05"), verdict="ok",
         cells={"torch|0": OK}, gpus=[{"cc": "8.9"}]),
    case("l4-has-no-cubin-of-its-own", lambda m: torch_box(m, "2.9.0", "cu130", "NVIDIA L4", "580.82.07", uv=True), verdict="ok",
         cells={"torch|0": OK}, envs={VENV: {"kind": "uv"}}),
    case("h100-580-cu130", lambda m: torch_box(m, "2.11.0", "cu130", "NVIDIA H100 80GB HBM3", "580.65.06", open_module=True), verdict="ok", minor=False,
         cells={"torch|0": OK}, machine={"driver": {"open": True, "cuda_api": "13.0", "firmware": "580.65.06"}}),
    case("rtx5090-570-cu128", lambda m: torch_box(m, "2.9.0", "cu128", "NVIDIA GeForce RTX 5090", "570.86.16"), verdict="ok",
         cells={"torch|0": OK}, gpus=[{"cc": "12.0"}]),
    case("b200-570-cu128", lambda m: torch_box(m, "2.9.0", "cu128", "NVIDIA B200", "570.124.06"), verdict="ok", cells={"torch|0": OK}),
    case("gtx1080ti-580-cu126", lambda m: torch_box(m, "2.9.0", "cu126", "NVIDIA GeForce GTX 1080 Ti", "580.95.05"), verdict="ok",
         cells={"torch|0": OK}, gpus=[{"cc": "6.1"}]),
    case("v100-570-cu128", lambda m: torch_box(m, "2.9.0", "cu128", "Tesla V100-PCIE-32GB", "570.124.06"), verdict="ok", cells={"torch|0": OK}),
    case("550-runs-cu128", lambda m: torch_box(m, "2.9.0", "cu128", "NVIDIA A10", "550.54.14"), verdict="ok", minor=True,
         cells={"torch|0": OK}),
    case("535-runs-cu126", lambda m: torch_box(m, "2.9.0", "cu126", "NVIDIA A10", "535.104.05"), verdict="ok", minor=True,
         cells={"torch|0": OK}),
    case("580-runs-cu132", lambda m: torch_box(m, "2.12.0", "cu132", "NVIDIA A10", "580.65.06"), verdict="ok", minor=True,
         cells={"torch|0": OK}),
    case("525-60-13-runs-cu121", lambda m: torch_box(m, "2.3.1", "cu121", "NVIDIA A10", "525.60.13"), verdict="ok", minor=True,
         cells={"torch|0": OK}),
    case("torch-of-the-package-index", lambda m: torch_box(m, "2.9.0", "cu128", "NVIDIA A10", "570.124.06", index="pypi"), verdict="ok",
         cells={"torch|0": OK}, packages={VENV: {"torch": {"version": "2.9.0"}}}),
    case("ort-1.26", lambda m: ort_box(m, "1.26.0", driver="550.54.15"), verdict="ok", minor=True, order=True, cells={"onnxruntime:cuda|0": OK},
         packages={VENV: {"onnxruntime-gpu": {"version": "1.26.0"}}}),
    case("ort-1.31-cuda-13", lambda m: ort_box(m, "1.31.1", "NVIDIA H100 80GB HBM3", "580.95.05"), verdict="ok",
         cells={"onnxruntime:cuda|0": OK}),
    case("ort-1.27-on-b200", lambda m: ort_box(m, "1.28.0", "NVIDIA B200", "580.95.05"), verdict="ok", cells={"onnxruntime:cuda|0": OK}),
    case("conda", conda, verdict="ok", order=False, cells={"torch|0": OK}, envs={"/opt/conda": {"kind": "conda", "python": "3.11.9"}}),
    case("pip-into-usr-local", in_usr_local, verdict="ok", cells={"torch|0": OK}),
    case("pip-into-user-site", user_site, verdict="ok", cells={"torch|0": OK}),
    case("four-frameworks", all_four, verdict="ok", cells={"torch|0": OK, "onnxruntime:cuda|0": OK}),
    case("toolkit-beside-torch-is-no-matter", lambda m: torch_box(m, "2.9.0", "cu128", "NVIDIA A10", "570.124.06").m.toolkit("11.8.0"),
         verdict="ok", cells={"torch|0": OK}),
]
