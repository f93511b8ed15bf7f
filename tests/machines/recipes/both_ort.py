# SPDX-License-Identifier: Apache-2.0
"""onnxruntime and onnxruntime-gpu in one environment: both write one directory, the last one written wins, removing either
leaves the other in ruins."""
import pyenv
from boxes import VENV, box
from recipe import F, case


def packages(m, *order, remove=None, version="1.26.0", gpu="Tesla T4", driver="550.54.15"):
    box(m, gpu, driver)
    env = pyenv.venv(m).torch("2.9.0", "cu128")
    for name in order:
        env.ort(version, gpu=name == "gpu")
    if remove:
        env.uninstall("onnxruntime-gpu" if remove == "gpu" else "onnxruntime")
    return env


SHADOW = dict(cells=["onnxruntime:cuda|0"], fix="uninstall")
CASES = [
    case("cpu-package-last", lambda m: packages(m, "gpu", "cpu"), verdict="problem", golden=True,
         findings=[F("cpu-package-shadows-gpu", role="primary", **SHADOW)],
         cells={"torch|0": "verdict=ok", "onnxruntime:cuda|0": "verdict=problem"}),
    case("cpu-package-last-1.20", lambda m: packages(m, "gpu", "cpu", version="1.20.2", gpu="NVIDIA A10"), verdict="problem",
         findings=[F("cpu-package-shadows-gpu", role="primary", **SHADOW)], cells={"onnxruntime:cuda|0": "verdict=problem"}),
    case("gpu-package-last-works-for-now", lambda m: packages(m, "cpu", "gpu"), verdict="ok",
         findings=[F("cpu-package-shadows-gpu", "warning", fix="uninstall")], cells={"onnxruntime:cuda|0": "driver=ok code=native verdict=ok"}),
    case("cpu-package-removed-after-it-overwrote", lambda m: packages(m, "gpu", "cpu", remove="cpu"), verdict="problem",
         findings=[F("damaged-installation", role="primary", fix="onnxruntime-gpu", subject="onnxruntime-gpu")],
         cells={"torch|0": "verdict=ok", "onnxruntime:cuda|0": "verdict=problem"}),
    case("cpu-package-removed-under-the-gpu-one", lambda m: packages(m, "cpu", "gpu", remove="cpu"), verdict="problem",
         findings=[F("damaged-installation", role="primary", fix="onnxruntime-gpu")], cells={"onnxruntime:cuda|0": "verdict=problem"}),
    case("gpu-package-removed-under-the-cpu-one", lambda m: packages(m, "gpu", "cpu", remove="gpu"), verdict="problem",
         findings=[F("damaged-installation", role="primary"), F("cpu-only-build", optional=True)]),
    case("twin-gpu-package-alone", lambda m: packages(m, "gpu"), verdict="ok", cells={"onnxruntime:cuda|0": "driver=ok code=native verdict=ok"},
         ruled_out=["cpu-package-shadows-gpu", "damaged-installation"]),
]
