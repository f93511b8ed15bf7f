# SPDX-License-Identifier: Apache-2.0
"""The CUDA build needs a newer driver. The floor is that of the CUDA major, not of the toolkit release."""
import pyenv
from boxes import box, ort_box, torch_box
from recipe import F, case

BAD = "driver=bad code=native verdict=problem"


def old(found, needed, **kw):
    return F("driver-too-old", role="primary", found=found, needed=needed, **kw)


def tf(m):
    box(m, "NVIDIA A10", "470.256.02", distro=("ubuntu", "22.04"))
    return pyenv.venv(m).tensorflow("2.20.0", extra=True, pins=pyenv.CU124)


CASES = [
    case("470-cu121", lambda m: torch_box(m, "2.3.1", "cu121", "Tesla T4", "470.256.02"), verdict="problem", golden=True,
         findings=[old("470.256.02", "525.60.13", cells=["torch|0"])], cells={"torch|0": BAD}),
    case("470-cu124", lambda m: torch_box(m, "2.6.0", "cu124", "NVIDIA A100-SXM4-40GB", "470.82.01"), verdict="problem",
         findings=[old("470.82.01", "525.60.13")], cells={"torch|0": BAD}),
    case("525-60-13-cu130", lambda m: torch_box(m, "2.9.0", "cu130", "NVIDIA A10", "525.60.13"), verdict="problem",
         findings=[old("525.60.13", "580.65.06")], cells={"torch|0": BAD}),
    case("550-cu130-on-t4", lambda m: torch_box(m, "2.11.0", "cu130", "Tesla T4", "550.54.15"), verdict="problem",
         findings=[old("550.54.15", "580.65.06", cells=["torch|0"])], cells={"torch|0": BAD}),
    case("575-cu130", lambda m: torch_box(m, "2.11.0", "cu130", "NVIDIA L4", "575.57.08"), verdict="problem",
         findings=[old("575.57.08", "580.65.06")], cells={"torch|0": BAD}),
    case("515-cu121", lambda m: torch_box(m, "2.1.2", "cu121", "NVIDIA GeForce RTX 3090", "515.105.01"), verdict="problem",
         findings=[old("515.105.01", "525.60.13")], cells={"torch|0": BAD}),
    case("ort-1.31-on-570", lambda m: ort_box(m, "1.31.1", "NVIDIA H100 80GB HBM3", "570.124.06"), verdict="problem",
         findings=[old("570.124.06", "580.65.06", cells=["onnxruntime:cuda|0"], fix="onnxruntime-gpu")], cells={"onnxruntime:cuda|0": BAD}),
    case("tensorflow-on-470", tf, verdict="problem", findings=[old("470.256.02", "525.60.13")]),
    case("twin-525-cu121", lambda m: torch_box(m, "2.3.1", "cu121", "Tesla T4", "525.147.05"), verdict="ok", minor=True, ruled_out=["driver-too-old"], cells={"torch|0": "driver=ok code=native verdict=ok"}),
    case("twin-470-cu117", lambda m: torch_box(m, "2.0.1", "cu117", "Tesla T4", "470.256.02"), verdict="ok", minor=True, cells={"torch|0": "driver=ok code=native verdict=ok"}),
    case("twin-580-cu130", lambda m: torch_box(m, "2.11.0", "cu130", "Tesla T4", "580.65.06"), verdict="ok", ruled_out=["driver-too-old"],
         cells={"torch|0": "driver=ok code=native verdict=ok"}),
    case("newest-driver-runs-an-old-build", lambda m: torch_box(m, "2.0.1", "cu117", "NVIDIA A10", "595.58.03"), verdict="ok",
         cells={"torch|0": "driver=ok code=native verdict=ok"}, machine={"driver": {"cuda_api": "13.2"}}),
]
