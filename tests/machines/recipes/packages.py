# SPDX-License-Identifier: Apache-2.0
"""What is installed does not go together: versions, CUDA lines, AMD builds, hidden copies, glibc."""
import pyenv
from boxes import VENV, box, torch_box
from recipe import F, case

OK = "driver=ok code=native verdict=ok"


def env(fill, gpu="NVIDIA A10", driver="570.124.06", **kw):
    def build(m):
        box(m, gpu, driver, **kw)
        return fill(pyenv.venv(m))
    return build


def rocm(m, version="2.9.0", rocm="rocm6.4", hip="6.4.43484-123eb5128", gpu="NVIDIA A10"):
    e = torch_box(m, version, "cpu", gpu, "570.124.06")
    text = e.m.read(e.site + "/torch/version.py").decode().replace("+cpu", "+" + rocm).replace("hip: Optional[str] = None", "hip: Optional[str] = '%s'" % hip)
    info = e.installed["torch"][0]
    e.replace("torch")
    files = {"torch/version.py": text, "torch/__init__.py": "", "torch/lib/libtorch_hip.so": e.so("libtorch_hip.so"), "torch/lib/libc10_hip.so": e.so("libc10_hip.so")}
    return e.install("torch", "%s+%s" % (version, rocm), files, ["filelock"], top=["torch"]) and info


def hidden(m, first, second, var="/srv/lib"):
    """PYTHONPATH brings another torch before the environment's own."""
    e = torch_box(m, *second, gpu="NVIDIA A10", driver="570.124.06")
    other = pyenv.Env(m, "/srv", var, e.python)
    other.torch(*first)
    m.var("PYTHONPATH", var)
    m.args += ["--env", e.prefix]  # PYTHONPATH counts for the Python below /usr as well
    return e


def on_glibc(fill, glibc, python="3.10.12"):
    def build(m):
        m.distro("ubuntu", "22.04", glibc=glibc).gpu("NVIDIA A10").driver("570.124.06").cache()
        return fill(pyenv.venv(m))
    return build


CASES = [
    case("cudnn-of-another-release-than-torch-pins", env(lambda e: e.torch("2.9.0", "cu128").replace("nvidia-cudnn-cu12").nvidia("cudnn", "9.15.1.9", "12")),
         verdict="ok", findings=[F("package-requirement-unmet", "warning", found=lambda x: "9.15.1.9" in x, needed=lambda x: "9.10.2.21" in x, subject="torch")]),
    case("onnxruntime-without-numpy", env(lambda e: e.torch("2.9.0", "cu128").ort("1.26.0", gpu=True).uninstall("numpy")), verdict="ok",
         findings=[F("package-requirement-unmet", "warning", subject="onnxruntime-gpu")]),
    case("cu12-and-cu13-wheels", env(lambda e: e.torch("2.9.0", "cu128").nvidia("cublas", "13.1.0.3", "13").nvidia("cuda-runtime", "13.0.96", "13")),
         verdict="ok", findings=[F("mixed-cuda-wheels", "note")], cells={"torch|0": OK}),
    case("cu11-and-cu12-wheels", env(lambda e: e.torch("2.6.0", "cu124").nvidia("cublas", "11.11.3.6", "11").nvidia("cuda-runtime", "11.8.89", "11")),
         verdict="ok", findings=[F("mixed-cuda-wheels", "note")], cells={"torch|0": OK}),
    case("two-cudnn-wheels-write-one-path", env(lambda e: e.torch("2.9.0", "cu128").nvidia("cudnn", "9.19.0.56", "13")), verdict="problem",
         findings=[F("mixed-cuda-wheels", "warning", role=None), F("damaged-installation", subject="nvidia-cudnn-cu12"),
                   F("package-requirement-unmet", "warning", optional=True)]),
    case("twin-one-line-of-wheels", env(lambda e: e.torch("2.9.0", "cu128")), verdict="ok", ruled_out=["mixed-cuda-wheels", "package-requirement-unmet"]),

    case("torch-for-rocm", rocm, verdict="problem", findings=[F("rocm-build", role="primary", cells=["torch|0"], fix="cu128")]),
    case("torch-for-rocm-6.3", lambda m: rocm(m, "2.8.0", "rocm6.3", "6.3.42131-fa1d09cbd", "NVIDIA L4"), verdict="problem",
         findings=[F("rocm-build", role="primary", cells=["torch|0"])]),

    case("pythonpath-hides-the-gpu-build", lambda m: hidden(m, ("2.6.0", "cpu"), ("2.9.0", "cu128")), verdict="problem",
         findings=[F("cpu-only-build", cells=["/opt/venv|torch|0"], fix="PYTHONPATH", not_fix="pip install"), F("shadowed-install"),
                   F("cpu-only-build", cells=["/usr|torch|0"])]),
    case("pythonpath-brings-an-older-torch", lambda m: hidden(m, ("2.6.0", "cu124"), ("2.9.0", "cu128"), "/opt/shared"),
         verdict="problem", findings=[F("shadowed-install")]),

    case("glibc-2.17-torch-2.9", on_glibc(lambda e: e.torch("2.9.0", "cu128"), "2.17"), verdict="problem",
         findings=[F("glibc-too-old", role="primary", found="2.17", needed="2.28")]),
    case("glibc-2.27-torch-2.9", on_glibc(lambda e: e.torch("2.9.0", "cu128"), "2.27"), verdict="problem",
         findings=[F("glibc-too-old", role="primary", found="2.27", needed="2.28")]),
    case("twin-glibc-2.28-torch-2.9", on_glibc(lambda e: e.torch("2.9.0", "cu128"), "2.28"), verdict="ok", ruled_out=["glibc-too-old"]),
]
