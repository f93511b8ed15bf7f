# SPDX-License-Identifier: Apache-2.0
"""Another kernel driver holds the GPU."""
import pyenv
from boxes import torch_box
from recipe import F, case


def held(m, gpu, by, libs=None):
    m.distro("debian", "12").gpu(gpu, bound=by)
    if by == "nouveau":
        m.nouveau()
    else:
        m.write("/proc/modules", by + " 106496 0 - Live 0x0000000000000000\n").dir("/sys/module/" + by.replace("-", "_"))
    if libs:
        m.driver_libs(libs).kmod(libs)
    m.cache()
    return pyenv.venv(m).torch("2.6.0", "cu124")


CASES = [
    case("nouveau-and-no-driver", lambda m: held(m, "NVIDIA GeForce RTX 3090", "nouveau"), verdict="problem", golden=True,
         findings=[F("other-driver-holds-gpu", role="primary", driver="nouveau", cells=["torch|0"]), F("driver-missing", role="secondary", optional=True)],
         cells={"torch|0": "driver=bad verdict=problem"}),
    case("nouveau-before-the-installed-driver", lambda m: held(m, "Tesla T4", "nouveau", "535.183.01"), verdict="problem",
         findings=[F("other-driver-holds-gpu", role="primary", driver="nouveau"), F("driver-not-loaded", role="secondary", optional=True)],
         cells={"torch|0": "driver=bad verdict=problem"}),
    case("nova-core", lambda m: held(m, "NVIDIA GeForce RTX 4090", "nova_core", "580.95.05"), verdict="problem",
         findings=[F("other-driver-holds-gpu", role="primary", driver="nova_core"), F("driver-not-loaded", role="secondary", optional=True)],
         cells={"torch|0": "driver=bad verdict=problem"}),
    case("twin-nvidia-holds-it", lambda m: torch_box(m, "2.6.0", "cu124", "NVIDIA GeForce RTX 3090", "550.90.07"), verdict="ok",
         ruled_out=["other-driver-holds-gpu"]),
]
