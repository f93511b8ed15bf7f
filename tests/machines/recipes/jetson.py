# SPDX-License-Identifier: Apache-2.0
"""Jetson: the GPU is not on PCI, driver numbers are not desktop branches, code rules are settled only from JetPack 7 on Thor."""
import pyenv
from recipe import F, case


def orin(m, torch=None, l4t="36.4.3", driver="540.4.0"):
    m.distro("ubuntu", "22.04", "aarch64").jetson("NVIDIA Jetson AGX Orin Developer Kit", "tegra234", l4t, driver)
    m.cache()
    return pyenv.venv(m, "/home/ada/venv").torch(*torch)


def thor(m, torch=("2.12.0", "cu130"), code=("sm_80", "sm_90", "sm_100", "sm_110", "sm_120")):
    """Its GPU is a PCI device like any other."""
    m.distro("ubuntu", "24.04", "aarch64").jetson("NVIDIA Jetson AGX Thor Developer Kit", "tegra264", "38.2.1", "580.00")
    m.gpu("NVIDIA Thor", "0000:01:00.0", device="2b00")
    m.cache()
    return pyenv.venv(m, "/home/ada/venv").torch(*torch, code=list(code))


def not_a_desktop(doc):
    ids = {f["id"] for f in doc["findings"] if f["severity"] == "error"} | {f.get("parent") for f in doc["findings"] if f["severity"] == "error"}
    for fid in ("no-nvidia-gpu", "driver-missing", "driver-too-old", "driver-library-mismatch"):
        if fid in ids:
            yield "%s is no finding on this Jetson" % fid
    if any(c["code"] == "none" for c in doc["cells"]):
        yield "code none is not settled on a Jetson"


CASES = [
    case("orin-sbsa-torch-cu126", lambda m: orin(m, ("2.9.0", "cu126")), verdict="cannot-tell", machine={"kind": "jetson"},
         gpus=[{"cc": "8.7"}], cells={"torch|0": "code=unknown verdict=cannot-tell"}, check=not_a_desktop, golden=True,
         findings=[F("jetson-wheel-mismatch", "warning")]),
    case("orin-sbsa-torch-2.15", lambda m: orin(m, ("2.15.0", "cu132"), "39.2.0", "595.78"), verdict="cannot-tell", machine={"kind": "jetson"},
         gpus=[{"cc": "8.7"}], cells={"torch|0": "code=unknown verdict=cannot-tell"}, check=not_a_desktop),
    case("thor-sbsa-torch-cu130", thor, verdict="ok", machine={"kind": "jetson"}, gpus=[{"cc": "11.0"}], cells={"torch|0": "code=native verdict=ok"},
         check=not_a_desktop),
    case("orin-cpu-build", lambda m: orin(m, ("2.9.0", "cpu")), verdict="problem", findings=[F(("cpu-only-build", "jetson-wheel-mismatch"), role="primary")],
         machine={"kind": "jetson"}),
]
