# SPDX-License-Identifier: Apache-2.0
"""Types what a report says: applies the pip and uv commands of a fix to the tree of a test machine.

A command that this file does not understand is left alone and counted as not applied, so a new form shows up in the tests.
"""
import re
import shlex

import pyenv

PYPI_BUILD = {"2.9.0": "cu128", "2.10.0": "cu128", "2.11.0": "cu130"}  # of the package index, whose wheels have no local version
NEWEST_CUDNN = {"11": "9.10.2.21", "12": "9.28.0.42", "13": "9.28.1.4"}  # of each CUDA major, what an installer takes that may choose
PIP = re.compile(r"-m pip (install|uninstall)$")


class Unknown(Exception):
    """A command of another kind: for another package manager, for root, for a person."""


def pins_for(version, build):
    """Requirements of a torch build that the table has none for: those of its CUDA release."""
    if build == "cpu":
        return {}
    table = {"cu118": pyenv.CU118, "cu121": pyenv.CU121, "cu124": pyenv.CU124, "cu126": pyenv.CU126, "cu128": pyenv.CU128, "cu129": pyenv.CU128,
             "cu130": pyenv.CU130, "cu132": pyenv.CU130}
    return pyenv.PINS.get((version, build)) or table[build]


def env_of(machine, python):
    for env in machine.envs:
        if python.startswith(env.prefix + "/bin/"):
            return env
    raise Unknown("no environment has " + python)


def split(command):
    """(verb, python, words) of each of the commands joined by &&."""
    for part in command.split(" && "):
        words = shlex.split(part)
        if words[:3] == ["uv", "pip", "install"] or words[:3] == ["uv", "pip", "uninstall"]:
            if words[3] != "--python":
                raise Unknown(part)
            yield words[2], words[4], words[5:]
        elif len(words) > 3 and words[1:3] == ["-m", "pip"] and words[3] in ("install", "uninstall"):
            yield words[3], words[0], words[4:]
        else:
            raise Unknown(part)


def nvidia(env, spec):
    """One of NVIDIA's wheels, by a range of versions: the release of its CUDA line."""
    m = re.match(r"^nvidia-([a-z-]+?)(?:-cu(\d\d))?(?:==|>=)(\d+)", spec)
    if not m:
        raise Unknown(spec)
    part, major = m.group(1), m.group(2) or "13"
    exact = re.match(r"^[^=<>]+==([0-9]+(?:\.[0-9]+){2,})$", spec)
    if exact:
        env.nvidia(part, exact.group(1), major)
        return
    table = dict({"11": pyenv.CU118, "12": pyenv.CU128, "13": pyenv.CU130}[major])
    if part == "cudnn" and m.group(3) == "9":
        table[part] = NEWEST_CUDNN[major]
    if part not in table or not table[part].startswith(m.group(3) + "."):
        raise Unknown(spec)
    env.nvidia(part, table[part], major)


def install(env, spec):
    if spec.startswith("nvidia-"):
        return nvidia(env, spec)
    m = re.match(r"^([A-Za-z0-9._-]+)(?:\[([^]]*)\])?(?:==([0-9.]+)(?:\+(\w+))?)?$", spec)
    if not m:
        raise Unknown(spec)
    name, extra, version, local = m.groups()
    if name == "torch" and version:
        if local is None and version not in PYPI_BUILD:
            raise Unknown(spec)
        build = local or PYPI_BUILD[version]
        pyenv.PINS.setdefault((version, build), pins_for(version, build))
        env.replace("torch").torch(version, build, index="pytorch" if local else "pypi")
    elif name in ("torchvision", "torchaudio") and version:
        if name == "torchvision":
            env.replace("torchvision").torchvision(version, local or torch_build(env))
    elif name == "onnxruntime-gpu" and version:
        env.replace(name).ort(version, gpu=True)
        for part, pin in (pyenv.CU128 if pyenv.since(pyenv.ORT_CUDA, version) < "13" else pyenv.CU130).items() if extra else ():
            major = pyenv.since(pyenv.ORT_CUDA, version).split(".")[0]
            env.nvidia(part, NEWEST_CUDNN[major] if part == "cudnn" else pin, major)
    elif name == "onnxruntime" and version:
        env.replace(name).ort(version)
    elif name == "jax" and version and extra:
        for p in [n for n in env.installed if n.startswith("jax")]:
            env.replace(p)
        env.jax(version, extra.split("_")[0])
    elif name == "tensorflow" and version:
        env.replace(name).tensorflow(version, extra=bool(extra), pins=pyenv.CU124)
    elif name.startswith(("jax-cuda", "jaxlib")) and version:
        jax = env.installed.get("jax", ("jax-0.0",))[0].split("-")[1].replace(".dist", "")
        for p in [n for n in env.installed if n.startswith("jax")]:
            env.replace(p)
        env.jax(jax.rsplit(".dist", 1)[0], "cuda12")
    else:
        raise Unknown(spec)


def torch_build(env):
    info = env.installed["torch"][0]
    return info.split("+")[1].replace(".dist-info", "") if "+" in info else None


def apply(machine, command):
    """Raises Unknown where a word is not understood; nothing half-done matters, the tree is thrown away."""
    for verb, python, words in split(command):
        env = env_of(machine, python)
        rest = iter(words)
        for w in rest:
            if w in ("--index-url", "--extra-index-url"):
                next(rest)
            elif w.startswith("-"):
                if w not in ("-y", "--force-reinstall", "--reinstall", "--no-deps", "--upgrade", "-U"):
                    raise Unknown(w)
            elif verb == "uninstall":
                if w in env.installed:
                    env.uninstall(w)
            else:
                install(env, w)
