# SPDX-License-Identifier: Apache-2.0
"""Builds that serve a GPU only by PTX: made for exactly another GPU, or too new for the driver's compiler."""
from boxes import torch_box
from recipe import F, case

H100, RTX50, A10 = "NVIDIA H100 80GB HBM3", "NVIDIA GeForce RTX 5090", "NVIDIA A10"


def own(version, build, code, gpu, driver):
    """torch as somebody built it from source, for these targets."""
    def make(m):
        from boxes import box
        import pyenv
        box(m, gpu, driver)
        return pyenv.venv(m).torch(version, build, code=code)
    return make


NEW = F("ptx-newer-than-driver", role="primary", cells=["torch|0"])
CASES = [
    case("cu128-ptx-on-535", own("2.9.0", "cu128", ["sm_75", "sm_80", "compute_80"], H100, "535.183.01"), verdict="problem", findings=[NEW],
         cells={"torch|0": "code=none verdict=problem"}),
    case("cu132-ptx-on-580", own("2.12.0", "cu132", ["sm_75", "compute_75"], A10, "580.95.05"), verdict="problem", findings=[NEW],
         cells={"torch|0": "code=none verdict=problem"}),
    case("twin-cu128-ptx-on-570", own("2.9.0", "cu128", ["sm_75", "sm_80", "compute_80"], H100, "570.124.06"), verdict="ok",
         cells={"torch|0": "driver=ok code=ptx-jit verdict=ok"}),
    case("twin-cu132-ptx-on-595", own("2.12.0", "cu132", ["sm_75", "compute_75"], A10, "595.58.03"), verdict="ok",
         cells={"torch|0": "driver=ok code=ptx-jit verdict=ok"}),
    case("ptx-90a-is-for-9.0-only", own("2.9.0", "cu128", ["sm_90a", "compute_90a"], RTX50, "570.124.06"), verdict="problem",
         findings=[F("gpu-too-new-for-build", role="primary", sm="12.0")], cells={"torch|0": "code=none verdict=problem"}),
    case("sm-90a-runs-on-9.0", own("2.9.0", "cu128", ["sm_90a", "compute_90a"], H100, "570.124.06"), verdict="ok",
         cells={"torch|0": "driver=ok code=native verdict=ok"}),
    case("sm-86-does-not-run-on-8.0", own("2.9.0", "cu128", ["sm_86", "sm_90"], "NVIDIA A100-SXM4-40GB", "570.124.06"), verdict="problem",
         findings=[F("gpu-too-old-for-build", role="primary", sm="8.0")]),
    case("sm-80-runs-on-8.6", own("2.9.0", "cu128", ["sm_80"], A10, "570.124.06"), verdict="ok", cells={"torch|0": "driver=ok code=native verdict=ok"}),
    case("ptx-100f-is-for-its-family", own("2.9.0", "cu128", ["sm_90", "compute_100f"], RTX50, "580.95.05"), verdict="problem",
         findings=[F(("gpu-too-new-for-build", "gpu-too-old-for-build"), sm="12.0")], cells={"torch|0": "code=none verdict=problem"}),
]
