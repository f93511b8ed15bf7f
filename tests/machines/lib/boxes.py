# SPDX-License-Identifier: Apache-2.0
"""Machines that many recipes start from, so that a recipe only says what is special about its own."""
import pyenv

VENV = "/opt/venv"


def box(m, gpu="Tesla T4", driver="535.183.01", distro=("debian", "12"), **kw):
    """A workstation or server with this driver loaded and these GPUs (a name or a list)."""
    m.distro(*distro)
    for name in [gpu] if isinstance(gpu, str) else gpu:
        m.gpu(name)
    if driver:
        m.driver(driver, **kw)
    m.cache()
    return m


def torch_box(m, version, build, gpu="Tesla T4", driver="535.183.01", uv=False, index="pytorch", **kw):
    """... with torch in a virtual environment. Returns the environment."""
    box(m, gpu, driver, **kw)
    return pyenv.venv(m, VENV, uv=uv).torch(version, build, index=index)


def ort_box(m, version, gpu="Tesla T4", driver="535.183.01", cuda=None, libs=True, **kw):
    """... with onnxruntime-gpu and the nvidia wheels that it needs."""
    box(m, gpu, driver, **kw)
    env = pyenv.venv(m, VENV).ort(version, gpu=True, cuda=cuda)
    if libs:
        ort_libs(env, version, cuda)
    return env


def ort_libs(env, version, cuda=None):
    cuda = cuda or pyenv.since(pyenv.ORT_CUDA, version)
    major = cuda.split(".")[0]
    pins = {"11": pyenv.PINS[("2.0.1", "cu117")], "12": pyenv.CU128, "13": pyenv.CU130}[major]
    for part in ("cublas", "cuda-runtime", "cuda-nvrtc", "cudnn", "cufft", "curand", "nvjitlink"):
        if part in pins:
            env.nvidia(part, pins[part], major)
    return env
