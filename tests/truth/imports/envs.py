# SPDX-License-Identifier: Apache-2.0
"""The environments of import truth: what is installed in each, and how one is made."""
import os
import shutil
import subprocess
import sys

ENVIRONMENTS = {
    "torch-211": ["torch==2.11.0", "torchvision", "torchaudio", "onnxruntime-gpu==1.31.1"],
    "torch-20": ["torch==2.0.1", "numpy<2", "onnxruntime-gpu==1.17.*"],
    "torch-24": ["torch==2.4.1", "numpy<2", "onnxruntime-gpu==1.20.*"],
    "torch-26": ["torch==2.6.0", "numpy", "onnxruntime-gpu==1.23.2"],
    "torch-29": ["torch==2.9.1", "numpy", "onnxruntime-gpu==1.26.0"],
    "torch-215": ["torch==2.15.*", "numpy", "onnxruntime-gpu"],
    "ort-117": ["onnxruntime-gpu==1.17.*", "numpy<2"],
    "ort-120": ["onnxruntime-gpu==1.20.*"],
    "ort-123": ["onnxruntime-gpu==1.23.*"],
    "ort-126": ["onnxruntime-gpu==1.26.*"],
    "ort-127": ["onnxruntime-gpu==1.27.*"],
    "ort-128": ["onnxruntime-gpu==1.28.*"],
    "jaxcupy": ["jax[cuda12]==0.10.2", "cupy-cuda12x==14.2.0"],
    "tf": ["tensorflow[and-cuda]==2.21.0"],
    "ct2": ["ctranslate2==4.8.5", "bitsandbytes==0.50.2", "numpy"],
}
NEEDED = 8 << 30  # bytes free for one environment
PYTHON = "3.11"   # torch 2.0 has wheels for no newer one


def make(env, wants):
    """Makes a virtual environment. False if this machine cannot."""
    os.makedirs(os.path.dirname(env), exist_ok=True)
    if shutil.disk_usage(os.path.dirname(env)).free < NEEDED:
        return False
    shutil.rmtree(env, ignore_errors=True)
    if shutil.which("uv"):
        steps = [["uv", "venv", "-q", "--python", PYTHON, env], ["uv", "pip", "install", "-q", "--python", env + "/bin/python"] + wants]
    else:
        python = shutil.which("python" + PYTHON)
        if not python:
            return False
        steps = [[python, "-m", "venv", env], [env + "/bin/pip", "install", "-q"] + wants]
    for step in steps:
        r = subprocess.run(step, capture_output=True, text=True)
        if r.returncode != 0:
            print("%s: %s" % (os.path.basename(env), r.stderr.strip()[-500:]), file=sys.stderr)
            return False
    open(os.path.join(env, ".done"), "w").close()
    return True


def get(top, name, made_here):
    """Path of a ready environment, or None."""
    env = os.path.join(top, name)
    if os.path.exists(os.path.join(env, ".done")):
        return env
    return env if made_here and make(env, ENVIRONMENTS[name]) else None
