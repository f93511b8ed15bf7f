# SPDX-License-Identifier: Apache-2.0
"""CUDA_VISIBLE_DEVICES hides GPUs."""
from boxes import torch_box
from recipe import F, case

A10 = "NVIDIA A10"


def masked(value, gpus=A10, order=None):
    def build(m):
        torch_box(m, "2.6.0", "cu124", gpus, "550.90.07")
        m.var("CUDA_VISIBLE_DEVICES", value)
        if order:
            m.var("CUDA_DEVICE_ORDER", order)
    return build


def hides(value, cells=("torch|0",)):
    return F("cuda-visible-devices", role="primary", cells=list(cells), found=value)


CASES = [
    case("one-gpu-mask-7", masked("7"), verdict="problem", findings=[hides("7")], gpus=[{"visible": False}], golden=True),
    case("one-gpu-mask-minus-1", masked("-1"), verdict="problem", findings=[hides("-1")], gpus=[{"visible": False}]),
    case("one-gpu-mask-empty", masked(""), verdict="problem", findings=[hides("")], gpus=[{"visible": False}]),
    case("two-gpus-mask-of-an-unknown-uuid", masked("GPU-deadbeef", [A10, A10]), verdict="problem",
         findings=[hides("GPU-deadbeef", ["torch|0", "torch|1"])], gpus=[{"visible": False}, {"visible": False}]),
    case("twin-mask-0", masked("0"), verdict="ok", gpus=[{"visible": True}], findings=[F("cuda-visible-devices", "note", optional=True)]),
    case("twin-mask-by-uuid", masked("GPU-00000000-1111-2222-3333-444444444440"), verdict="ok", gpus=[{"visible": True}],
         findings=[F("cuda-visible-devices", "note", optional=True)]),
    case("twin-two-alike-mask-1", masked("1", [A10, A10]), verdict="ok",
         findings=[F("cuda-visible-devices", "warning", optional=True), F("cuda-visible-devices", "note", optional=True)]),
    case("mixed-box-index-alone-is-unknown", masked("0", ["Tesla V100-PCIE-32GB", "NVIDIA H100 80GB HBM3"]), verdict="ok",
         findings=[F("cuda-visible-devices", "warning", optional=True), F("cuda-visible-devices", "note", optional=True)],
         gpus=[{"visible": None}, {"visible": None}]),
    case("mixed-box-by-bus-id", masked("0", ["Tesla V100-PCIE-32GB", "NVIDIA H100 80GB HBM3"], "PCI_BUS_ID"), verdict="ok",
         findings=[F("cuda-visible-devices", "warning", optional=True), F("cuda-visible-devices", "note", optional=True)],
         gpus=[{"visible": True}, {"visible": False}]),
]
