# SPDX-License-Identifier: Apache-2.0
"""The installed driver no longer knows the GPU, or its kernel module is of the wrong flavour for it."""
import pyenv
from boxes import box, torch_box
from recipe import F, case

GTX, K80 = "NVIDIA GeForce GTX 1080 Ti", "Tesla K80"


def dropped(m, gpu, driver, torch, other=None):
    """The module is loaded, refuses the card and so is not bound to it."""
    m.distro("ubuntu", "22.04").gpu(gpu, bound=None)
    if other:
        m.gpu(other)
    m.driver(driver)
    m.cache()
    return pyenv.venv(m).torch(*torch)


CASES = [
    case("gtx1080ti-590", lambda m: dropped(m, GTX, "590.48.01", ("2.9.0", "cu126")), verdict="problem",
         findings=[F("gpu-dropped-by-driver", role="primary", cells=["torch|0"], fix="580", not_fix=["595", "610"])],
         cells={"torch|0": "driver=bad code=native verdict=problem"}),
    case("k80-535", lambda m: dropped(m, K80, "535.183.01", ("2.0.1", "cu117")), verdict="problem",
         findings=[F("gpu-dropped-by-driver", role="primary", fix="470")], cells={"torch|0": "driver=bad code=native verdict=problem"}),
    case("v100-595-beside-an-a10", lambda m: dropped(m, "Tesla V100-SXM2-16GB", "595.58.03", ("2.9.0", "cu126"), "NVIDIA A10"), verdict="problem",
         findings=[F("gpu-dropped-by-driver", role="primary", cells=["torch|0"])],
         cells={"torch|0": "driver=bad verdict=problem", "torch|1": "driver=ok code=native verdict=ok"}),
    case("twin-gtx1080ti-580", lambda m: torch_box(m, "2.9.0", "cu126", GTX, "580.95.05", distro=("ubuntu", "22.04")), verdict="ok",
         ruled_out=["gpu-dropped-by-driver"]),
    case("twin-k80-470", lambda m: torch_box(m, "2.0.1", "cu117", K80, "470.256.02", distro=("ubuntu", "22.04")), verdict="ok",
         ruled_out=["gpu-dropped-by-driver"]),
    case("rtx5090-closed-module", lambda m: torch_box(m, "2.9.0", "cu128", "NVIDIA GeForce RTX 5090", "570.124.06", open_module=False),
         verdict="problem", findings=[F("kernel-module-flavour", role="primary", fix="open")], cells={"torch|0": "driver=bad verdict=problem"}),
    case("v100-open-module", lambda m: torch_box(m, "2.9.0", "cu126", "Tesla V100-PCIE-32GB", "570.124.06", open_module=True),
         verdict="problem", findings=[F("kernel-module-flavour", role="primary")], cells={"torch|0": "driver=bad verdict=problem"}),
    case("twin-t4-open-module", lambda m: torch_box(m, "2.9.0", "cu126", "Tesla T4", "570.124.06", open_module=True), verdict="ok"),
]
