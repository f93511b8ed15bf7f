# SPDX-License-Identifier: Apache-2.0
"""Which libcuda a program gets: compat packages, stubs, dead entries, a Linux driver inside WSL, none at all."""
import elfw
import pyenv
import tree
from boxes import box, torch_box
from elfw import Sym
from recipe import F, case

H100, RTX = "NVIDIA H100 80GB HBM3", "NVIDIA GeForce RTX 4090"
BAD = "driver=bad verdict=problem"


def compat(m, version="580.95.05", at="/usr/local/cuda-13.0/compat", branches=(535, 550, 565, 570, 575, 580)):
    """What the package cuda-compat lays down: a libcuda with the note that says where it may stand in."""
    m.lib("%s/libcuda.so.%s" % (at, version), "libcuda.so.1", symbols=[Sym("cuInit")],
          notes={".note.cuda.fwd_compatibility": tree.fwd_note(version, branches=branches)})
    return m.link(at + "/libcuda.so.1", "libcuda.so." + version)


def with_compat(gpu, driver, torch, version="580.95.05", path=True, **kw):
    def build(m):
        torch_box(m, *torch, gpu=gpu, driver=driver, **kw)
        compat(m, version)
        if path:
            m.var("LD_LIBRARY_PATH", "/usr/local/cuda-13.0/compat")
    return build


def path(value, make=None, torch=("2.9.0", "cu128")):
    def build(m):
        torch_box(m, *torch, gpu="NVIDIA A10", driver="570.124.06")
        if make:
            make(m)
        m.var("LD_LIBRARY_PATH", value)
    return build


def no_library(m, gpu, driver, torch):
    m.distro("debian", "12").gpu(gpu).module(driver).kmod(driver).nodes().cache()
    return pyenv.venv(m).torch(*torch)


def wsl_over(m, linux, torch=("2.6.0", "cu124"), first=True):
    """Somebody installed the Linux driver inside WSL. The loader's configuration still leads to Windows' libraries first."""
    m.distro("ubuntu", "22.04").wsl2().driver_libs(linux).cache()
    if first:
        m.var("LD_LIBRARY_PATH", "/usr/lib/x86_64-linux-gnu")
    return pyenv.venv(m, "/home/ada/venv").torch(*torch)


CASES = [
    case("compat-older-than-the-module", with_compat(H100, "580.159.04", ("2.11.0", "cu130")), verdict="problem",
         findings=[F("compat-libcuda-misused", role="primary", cells=["torch|0"], fix="LD_LIBRARY_PATH"), F("driver-library-mismatch", role="secondary", optional=True)],
         cells={"torch|0": BAD}),
    case("compat-on-a-geforce", with_compat(RTX, "550.54.15", ("2.11.0", "cu130")), verdict="problem",
         findings=[F("compat-libcuda-misused", role="primary", cells=["torch|0"], price={"LD_LIBRARY_PATH": "driver-too-old"}),
                   F("driver-library-mismatch", role="secondary", optional=True), F("driver-too-old", role="secondary", optional=True)], cells={"torch|0": BAD}),
    case("twin-compat-where-it-may", with_compat(H100, "550.54.15", ("2.11.0", "cu130")), verdict="ok",
         cells={"torch|0": "driver=ok code=native verdict=ok"}),
    case("twin-compat-off-the-path", with_compat(H100, "580.159.04", ("2.11.0", "cu130"), path=False), verdict="ok"),

    case("stubs-on-the-path", path("/usr/local/cuda/lib64/stubs", lambda m: m.toolkit("12.8.1")), verdict="ok",
         findings=[F("loader-path-entry", "warning")]),
    case("dead-entries-on-the-path", path("/usr/local/cuda-11.2/lib64:/opt/gone"), verdict="ok", findings=[F("loader-path-entry", "note")],
         says=["/opt/gone"]),
    case("twin-path-of-a-toolkit", path("/usr/local/cuda/lib64", lambda m: m.toolkit("12.8.1")), verdict="ok", ruled_out=["loader-path-entry"]),

    case("module-without-libcuda", lambda m: no_library(m, "NVIDIA L4", "550.90.07", ("2.6.0", "cu124")), verdict="problem",
         findings=[F("driver-library-missing", role="primary", cells=["torch|0"], fix="libcuda1")], cells={"torch|0": BAD}),
    case("open-module-without-libcuda", lambda m: no_library(m, "NVIDIA GeForce RTX 5090", "580.95.05", ("2.9.0", "cu128")), verdict="problem",
         findings=[F("driver-library-missing", role="primary", cells=["torch|0"]), F("kernel-module-flavour", optional=True)], cells={"torch|0": BAD}),

    case("wsl-linux-driver-first", lambda m: wsl_over(m, "550.54.15"), verdict="problem", findings=[F("wsl-libcuda-path", role="primary")],
         machine={"kind": "wsl"}),
    case("wsl-linux-driver-535-first", lambda m: wsl_over(m, "535.183.01", ("2.9.0", "cu128")), verdict="problem",
         findings=[F("wsl-libcuda-path", role="primary")], machine={"kind": "wsl"}),
    case("twin-wsl-linux-driver-behind", lambda m: wsl_over(m, "550.54.15", first=False), verdict="cannot-tell", machine={"kind": "wsl"}),
]
