# SPDX-License-Identifier: Apache-2.0
"""Kernel module and user-space libraries of two versions: the state after an update without a reboot."""
from boxes import torch_box
from recipe import F, case

BAD = "driver=bad verdict=problem"


def updated(m, version, build, gpu, module, library, **kw):
    """The packages were updated, libraries and module file; the old module is still the loaded one."""
    env = torch_box(m, version, build, gpu, module, library=library, ko=False, **kw)
    m.kmod(library)
    return env


def found(module, library):
    return F("driver-library-mismatch", role="primary", cells=["torch|0"], fix="reboot", module=module, library=library)


CASES = [
    case("libraries-newer", lambda m: updated(m, "2.6.0", "cu124", "NVIDIA A10", "535.183.01", "550.90.07"), verdict="problem",
         findings=[found("535.183.01", "550.90.07")], cells={"torch|0": BAD}, golden=True,
         machine={"driver": {"module": "535.183.01", "library": "550.90.07"}}),
    case("libraries-newer-in-the-same-branch", lambda m: updated(m, "2.9.0", "cu128", "NVIDIA L4", "570.86.15", "570.124.06"),
         verdict="problem", findings=[found("570.86.15", "570.124.06")], cells={"torch|0": BAD}),
    case("libraries-older", lambda m: torch_box(m, "2.11.0", "cu130", "NVIDIA H100 80GB HBM3", "590.48.01", library="580.95.05"),
         verdict="problem", findings=[found("590.48.01", "580.95.05")], cells={"torch|0": BAD}),
    case("twin-535", lambda m: torch_box(m, "2.6.0", "cu124", "NVIDIA A10", "535.183.01"), verdict="ok", minor=True, ruled_out=["driver-library-mismatch"]),
    case("twin-570", lambda m: torch_box(m, "2.9.0", "cu128", "NVIDIA L4", "570.124.06"), verdict="ok", ruled_out=["driver-library-mismatch"]),
]
