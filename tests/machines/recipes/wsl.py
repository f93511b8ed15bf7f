# SPDX-License-Identifier: Apache-2.0
"""WSL2: no NVIDIA GPU on PCI, the driver's libraries come from Windows."""
import pyenv
from recipe import F, case


def wsl(m, torch=("2.6.0", "cu124"), linux_driver=None, distro=("ubuntu", "22.04")):
    m.distro(*distro).wsl2()
    if linux_driver:
        m.driver_libs(linux_driver)
    m.cache()
    return pyenv.venv(m, "/home/ada/venv").torch(*torch)


def no_bare_metal_talk(doc):
    ids = {f["id"] for f in doc["findings"]} | {f.get("parent") for f in doc["findings"]}
    for fid in ("no-nvidia-gpu", "driver-missing", "driver-not-loaded", "device-node-missing"):
        if fid in ids:
            yield "%s is no finding under WSL" % fid
    if doc["verdict"] == "problem":
        yield "verdict is problem"


CASES = [
    case("healthy", wsl, verdict="cannot-tell", machine={"kind": "wsl"}, check=no_bare_metal_talk, golden=True,
         not_ruled_out=["gpu-too-old-for-build", "gpu-too-new-for-build"]),
    case("healthy-24.04-cu128", lambda m: wsl(m, ("2.9.0", "cu128"), distro=("ubuntu", "24.04")), verdict="cannot-tell", machine={"kind": "wsl"},
         check=no_bare_metal_talk),
    case("cpu-build-is-seen-all-the-same", lambda m: wsl(m, ("2.9.0", "cpu")), verdict="problem", machine={"kind": "wsl"},
         findings=[F("cpu-only-build", role="primary")]),
]
