# SPDX-License-Identifier: Apache-2.0
"""The build has no code for the GPU: dropped an old one, or does not know a new one."""
from boxes import VENV, ort_box, torch_box
from recipe import F, case

NONE = "driver=ok code=none verdict=problem"
OK = "driver=ok code=native verdict=ok"
GTX, V100 = "NVIDIA GeForce GTX 1080 Ti", "Tesla V100-PCIE-32GB"
RTX50, B200 = "NVIDIA GeForce RTX 5090", "NVIDIA B200"


def torch(version, build, gpu, driver, fid, sm, **kw):
    return dict(build=lambda m: torch_box(m, version, build, gpu, driver), verdict="problem", cells={"torch|0": NONE},
                findings=[F(fid, role="primary", cells=["torch|0"], sm=sm, **kw)])


def hits_only_the_old_one(m):
    return torch_box(m, "2.11.0", "cu128", [V100, "NVIDIA H100 80GB HBM3"], "580.95.05")


def both_old_and_new(m):
    return torch_box(m, "2.6.0", "cu124", [GTX, RTX50], "580.95.05", open_module=True)


CASES = [
    case("gtx1080ti-cu128", **torch("2.9.0", "cu128", GTX, "570.124.06", "gpu-too-old-for-build", "6.1", fix="cu126", not_fix=["cu130", "cu132"]),
         golden=True),
    case("gtx1080ti-cu128-2.8", **torch("2.8.0", "cu128", "GeForce GTX 980", "570.124.06", "gpu-too-old-for-build", "5.2")),
    case("v100-cu128-2.11", **torch("2.11.0", "cu128", V100, "580.95.05", "gpu-too-old-for-build", "7.0", fix="cu126", not_fix=["cu130", "driver 590"])),
    case("v100-cu130", **torch("2.9.0", "cu130", V100, "580.95.05", "gpu-too-old-for-build", "7.0")),
    case("p100-cu132", **torch("2.15.0", "cu132", "Tesla P100-SXM2-16GB", "580.95.05", "gpu-too-old-for-build", "6.0")),
    case("rtx5090-cu124-2.6", **torch("2.6.0", "cu124", RTX50, "570.86.16", "gpu-too-new-for-build", "12.0", fix="cu128"), golden=True),
    case("rtx5090-cu126-2.9", **torch("2.9.0", "cu126", RTX50, "580.95.05", "gpu-too-new-for-build", "12.0")),
    case("b200-cu126", **torch("2.9.0", "cu126", B200, "580.95.05", "gpu-too-new-for-build", "10.0")),
    case("h100-cu117", **torch("2.0.1", "cu117", "NVIDIA H100 80GB HBM3", "535.183.01", "gpu-too-new-for-build", "9.0")),
    case("b200-ort-1.29", lambda m: ort_box(m, "1.29.0", B200, "580.95.05"), verdict="problem", cells={"onnxruntime:cuda|0": NONE},
         findings=[F(("gpu-too-new-for-build", "gpu-too-old-for-build"), role="primary", cells=["onnxruntime:cuda|0"], sm="10.0")]),
    case("v100-ort-1.27", lambda m: ort_box(m, "1.28.0", V100, "580.95.05"), verdict="problem", cells={"onnxruntime:cuda|0": NONE},
         findings=[F("gpu-too-old-for-build", role="primary", cells=["onnxruntime:cuda|0"], sm="7.0", price={"onnxruntime-gpu[cuda,cudnn]": ""})]),
    case("rtx5090-ort-1.26-by-ptx", lambda m: ort_box(m, "1.26.0", RTX50, "580.95.05"), verdict="ok",
         cells={"onnxruntime:cuda|0": "driver=ok code=ptx-jit verdict=ok"}, findings=[F("ptx-jit", "note", optional=True)]),
    case("twin-v100-ort-1.26", lambda m: ort_box(m, "1.26.0", V100, "580.95.05"), verdict="ok", cells={"onnxruntime:cuda|0": OK}),
    case("two-gpus-v100-and-h100", hits_only_the_old_one, verdict="problem", golden=True,
         findings=[F("gpu-too-old-for-build", role="primary", cells=["torch|0"], sm="7.0")], cells={"torch|0": NONE, "torch|1": OK}),
    case("two-gpus-one-too-old-one-too-new", lambda m: torch_box(m, "2.6.0", "cu124", ["Tesla K80", "NVIDIA A10"], "470.256.02"),
         verdict="problem", findings=[F("driver-too-old", role="primary"), F("gpu-too-old-for-build", cells=["torch|0"], sm="3.7")],
         cells={"torch|0": "code=none verdict=problem", "torch|1": "driver=bad code=native verdict=problem"}),
    case("twin-two-gpus-cu128-2.10", lambda m: torch_box(m, "2.10.0", "cu128", [V100, "NVIDIA H100 80GB HBM3"], "580.95.05"), verdict="ok",
         cells={"torch|0": OK, "torch|1": OK}),
    case("twin-rtx5090-cu128", lambda m: torch_box(m, "2.7.1", "cu128", RTX50, "570.86.16"), verdict="ok", cells={"torch|0": OK},
         ruled_out=["gpu-too-new-for-build", "gpu-too-old-for-build"]),
    case("twin-v100-cu126-2.14", lambda m: torch_box(m, "2.14.0", "cu126", V100, "580.95.05"), verdict="ok", cells={"torch|0": OK}),
]
