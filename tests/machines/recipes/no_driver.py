# SPDX-License-Identifier: Apache-2.0
"""The driver is not there, or is there and not loaded."""
import pyenv
from boxes import VENV, box, torch_box
from recipe import F, case

BAD = "driver=bad verdict=problem"


def bare(m, gpu="Tesla T4", distro=("debian", "12")):
    """A machine as the installer of the distribution leaves it: the card is on the bus and nothing drives it."""
    m.distro(*distro).gpu(gpu, bound=None)
    return m.cache()


def with_torch(m, **kw):
    bare(m, **kw)
    return pyenv.venv(m).torch("2.9.0", "cu128")


def installed(m, driver="550.90.07", gpu="NVIDIA L4", for_kernel=None, load=False, secure=None, open_module=False):
    """The packages are on disk; the module is not loaded."""
    m.distro("debian", "12").gpu(gpu, bound=None).driver_libs(driver)
    if for_kernel != "none":
        m.kmod(driver, open_module, for_kernel or m.kernel_release)
    if secure is not None:
        m.secure_boot(secure)
    m.cache()
    return pyenv.venv(m).torch("2.6.0", "cu124")


CASES = [
    case("nothing-installed-debian", with_torch, verdict="problem", golden=True,
         findings=[F("driver-missing", role="primary", cells=["torch|0"], fix="apt")], cells={"torch|0": BAD},
         machine={"driver": {"module": None, "library": None}}, says=["no NVIDIA driver"]),
    case("nothing-installed-ubuntu-no-environment", lambda m: bare(m, "NVIDIA H100 80GB HBM3", ("ubuntu", "22.04")), verdict="problem",
         findings=[F("driver-missing", role="primary")]),
    case("no-gpu-and-no-driver", lambda m: m.distro("debian", "12").other_pci().cache(), verdict="problem",
         findings=[F("no-nvidia-gpu", role="primary")], not_ruled_out=["no-nvidia-gpu"]),
    case("no-gpu-torch-waits", lambda m: pyenv.venv(m.distro("ubuntu", "24.04").other_pci(vendor="1002", device="744c").cache()).torch("2.9.1", "cu128"),
         verdict="problem", findings=[F("no-nvidia-gpu", role="primary")]),
    case("module-built-for-another-kernel", lambda m: installed(m, for_kernel="6.1.0-27-amd64"), verdict="problem",
         findings=[F("driver-not-loaded", role="primary", cells=["torch|0"])], cells={"torch|0": BAD}),
    case("module-never-built", lambda m: installed(m, "535.183.01", "Tesla T4", for_kernel="none"), verdict="problem",
         findings=[F("driver-not-loaded", role="primary")], cells={"torch|0": BAD}),
    case("module-there-and-not-loaded", lambda m: installed(m, "570.124.06", "NVIDIA A10"), verdict="problem",
         findings=[F("driver-not-loaded", role="primary", fix="modprobe nvidia")], cells={"torch|0": BAD}),
    case("secure-boot-refuses-unsigned-module", lambda m: installed(m, secure=True), verdict="problem",
         findings=[F("secure-boot-blocks-driver", role="primary"), F("driver-not-loaded", role="secondary", optional=True)], cells={"torch|0": BAD}),
    case("secure-boot-refuses-unsigned-open-module", lambda m: installed(m, "580.95.05", "NVIDIA GeForce RTX 4090", secure=True, open_module=True),
         verdict="problem",
         findings=[F("secure-boot-blocks-driver", role="primary"), F("driver-not-loaded", role="secondary", optional=True)]),
    case("secure-boot-off", lambda m: installed(m, secure=False), verdict="problem", findings=[F("driver-not-loaded", role="primary")]),
    case("secure-boot-on-and-all-is-well", lambda m: torch_box(m, "2.6.0", "cu124", "NVIDIA L4", "550.90.07").m.secure_boot(True), verdict="ok",
         cells={"torch|0": "driver=ok code=native verdict=ok"}),
    case("twin-loaded", lambda m: torch_box(m, "2.6.0", "cu124", "NVIDIA L4", "550.90.07"), verdict="ok",
         ruled_out=["driver-missing", "driver-not-loaded"]),
]
