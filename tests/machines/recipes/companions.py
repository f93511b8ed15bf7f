# SPDX-License-Identifier: Apache-2.0
"""Packages that must share a release and do not."""
import pyenv
from boxes import box
from recipe import F, case


def env(fill, gpu="NVIDIA A10", driver="570.124.06"):
    def build(m):
        box(m, gpu, driver)
        return fill(pyenv.venv(m))
    return build


def pair(subject=None, **kw):
    return F("companion-version-mismatch", role="primary", subject=subject, **kw)


PIN = F("package-requirement-unmet", "warning", optional=True)
CASES = [
    case("torchvision-of-2.5-beside-torch-2.9", env(lambda e: e.torch("2.9.0", "cu128").torchvision("0.20.1", "cu124", "2.5.1")), verdict="problem",
         findings=[pair("torchvision", fix="0.24.0"), PIN], golden=True),
    case("torchvision-of-2.9-beside-torch-2.6", env(lambda e: e.torch("2.6.0", "cu124").torchvision("0.24.0", "cu128", "2.9.0")), verdict="problem",
         findings=[pair("torchvision", fix="0.21.0"), PIN]),
    case("torchvision-cpu-beside-torch-cu128", env(lambda e: e.torch("2.9.0", "cu128").torchvision("0.24.0", "cpu", "2.9.0")), verdict="problem",
         findings=[pair("torchvision", fix="cu128")]),
    case("jax-plugin-of-another-release", env(lambda e: e.jax("0.7.0", "cuda12", plugin_version="0.6.0")), verdict="problem",
         findings=[pair("jax-cuda12-p", fix="0.7.0"), pair(optional=True)]),
    case("jaxlib-of-another-release", env(lambda e: e.jax("0.7.0", "cuda12", jaxlib="0.5.0")), verdict="problem",
         findings=[pair("jax", fix="0.7.0"), PIN]),
    case("twin-2.9", env(lambda e: e.torch("2.9.0", "cu128").torchvision("0.24.0", "cu128", "2.9.0")), verdict="ok",
         ruled_out=["companion-version-mismatch"]),
    case("twin-2.6-without-local-version", env(lambda e: e.torch("2.6.0", "cu124", index="pypi").torchvision("0.21.0", None, "2.6.0")), verdict="ok"),
    case("twin-jax", env(lambda e: e.jax("0.7.0", "cuda12")), verdict="ok"),
]
