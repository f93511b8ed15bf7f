# SPDX-License-Identifier: Apache-2.0
"""A /dev/nvidia* node is missing and nothing makes it."""
from boxes import torch_box
from recipe import F, case


def without(m, *nodes, modprobe=False, gpu="NVIDIA A10", driver="550.90.07"):
    env = torch_box(m, "2.6.0", "cu124", gpu, driver)
    if modprobe:
        m.modprobe()
    for n in nodes:
        m.remove(n)
    return env


def missing(node):
    return F("device-node-missing", role="primary", cells=["torch|0"], fix="nvidia-modprobe",
             node=lambda got: got == node or (isinstance(got, list) and node in got))


BAD = "driver=bad verdict=problem"
CASES = [
    case("uvm", lambda m: without(m, "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"), verdict="problem", findings=[missing("/dev/nvidia-uvm")],
         cells={"torch|0": BAD}, says=["/dev/nvidia-uvm"]),
    case("nvidia0", lambda m: without(m, "/dev/nvidia0", gpu="Tesla T4", driver="535.183.01"), verdict="problem",
         findings=[missing("/dev/nvidia0")], cells={"torch|0": BAD}),
    case("twin-uvm-and-setuid-modprobe", lambda m: without(m, "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", modprobe=True), verdict="ok",
         findings=[F("device-node-missing", "note", optional=True)]),
    case("twin-all-there", without, verdict="ok", ruled_out=["device-node-missing"]),
]
