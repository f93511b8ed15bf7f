# SPDX-License-Identifier: Apache-2.0
"""Damaged installations: what RECORD promises is not there, or is another size."""
import pyenv
from boxes import VENV, box, torch_box
from recipe import F, case

SITE = VENV + "/lib/python3.11/site-packages/"


def damaged(subject, **kw):
    return F("damaged-installation", role="primary", subject=subject, fix="--force-reinstall", **kw)


def torch(m, hurt, uv=False):
    env = torch_box(m, "2.6.0", "cu124", "NVIDIA A10", "550.90.07", uv=uv)
    hurt(env)
    return env


def truncate(path, size):
    def hurt(env):
        data = env.m.read(SITE + path)
        env.put(path, data[:size])
    return hurt


def half_unzipped(env):
    for name in ("libtorch_cuda.so", "libtorch_cpu.so", "libc10_cuda.so"):
        env.drop("torch/lib/" + name)


def spoil(path, at=range(24, 64)):
    """The same size, and no ELF header that makes sense: RECORD's sizes do not tell."""
    def hurt(m):
        data = bytearray(m.read(path))
        for i in at:
            data[i] = 0xff
        m.write(path, bytes(data))
    return hurt


def spoilt(m, path):
    env = torch(m, lambda e: None)
    spoil(path)(m)
    return env


CUDA = "/usr/lib/x86_64-linux-gnu/libcuda.so.550.90.07"
CASES = [
    case("library-with-a-broken-header", lambda m: spoilt(m, SITE + "torch/lib/libtorch_cuda.so"), verdict="cannot-tell",
         cells={"torch|0": "loads=unknown verdict=cannot-tell"}),
    case("libcuda-with-a-broken-header", lambda m: spoilt(m, CUDA), verdict="cannot-tell", cells={"torch|0": "driver=unknown verdict=cannot-tell"}),
    case("libcuda-is-no-library", lambda m: torch(m, lambda e: e.m.write(CUDA, b"#!/bin/sh\n" + b"x" * 4000)), verdict="cannot-tell",
         cells={"torch|0": "driver=unknown verdict=cannot-tell"}),
    case("library-truncated", lambda m: torch(m, truncate("torch/lib/libtorch_cuda.so", 700)), verdict="problem",
         findings=[damaged("torch", cells=["torch|0"])], cells={"torch|0": "verdict=problem"}),
    case("library-missing", lambda m: torch(m, lambda e: e.drop("torch/lib/libtorch_python.so")), verdict="problem",
         findings=[damaged("torch", cells=["torch|0"])], cells={"torch|0": "verdict=problem"}, golden=True),
    case("half-unzipped", lambda m: torch(m, half_unzipped), verdict="problem", findings=[damaged("torch"), F("cpu-only-build", role="secondary", optional=True)]),
    case("ort-provider-missing", lambda m: pyenv.venv(box(m, driver="550.54.15")).torch("2.9.0", "cu128").ort("1.26.0", gpu=True).drop(
        "onnxruntime/capi/libonnxruntime_providers_shared.so"), verdict="problem", findings=[damaged("onnxruntime-gpu")]),
    case("in-uv-environment", lambda m: torch(m, lambda e: e.drop("torch/lib/libc10.so"), uv=True), verdict="problem",
         findings=[F("damaged-installation", role="primary", fix="uv pip install")]),
    case("twin-edited-python-file-of-no-matter", lambda m: torch(m, lambda e: e.put("torch/extra_notes.txt", "mine")), verdict="ok",
         ruled_out=["damaged-installation"]),
    case("twin-pycache-appears", lambda m: torch(m, lambda e: e.put("torch/__pycache__/version.cpython-311.pyc", b"\0" * 100)), verdict="ok"),
]
