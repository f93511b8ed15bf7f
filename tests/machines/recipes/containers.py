# SPDX-License-Identifier: Apache-2.0
"""Containers: the host's PCI bus and /proc/driver/nvidia show through; devices and libraries only if the runtime put them there."""
import pyenv
from recipe import F, case


def inside(m, kind="docker", driver="550.90.07", gpu="NVIDIA A10", nodes=True, libs=True, distro=("ubuntu", "22.04"), torch=("2.6.0", "cu124")):
    m.distro(*distro).gpu(gpu)
    m.module(driver)
    m.container(kind)
    if libs:
        m.driver_libs(driver)
    if nodes:
        m.nodes()
    m.cache()
    return pyenv.local_packages(m).torch(*torch)


BAD = "driver=bad verdict=problem"
CASES = [
    case("docker-without-gpus", lambda m: inside(m, nodes=False, libs=False), verdict="problem", golden=True,
         findings=[F("container-without-gpu", role="primary", cells=["torch|0"], fix="--gpus"), F("driver-missing", role="secondary", optional=True),
                   F("device-node-missing", role="secondary", optional=True)],
         cells={"torch|0": BAD}, machine={"kind": "container"}),
    case("podman-without-gpus", lambda m: inside(m, "podman", "570.124.06", "NVIDIA L4", nodes=False, libs=False, torch=("2.9.0", "cu128")),
         verdict="problem", findings=[F("container-without-gpu", role="primary", cells=["torch|0"]), F("driver-missing", role="secondary", optional=True),
                                      F("device-node-missing", role="secondary", optional=True)],
         cells={"torch|0": BAD}, machine={"kind": "container"}),
    case("twin-docker-with-gpus", inside, verdict="ok", cells={"torch|0": "driver=ok code=native verdict=ok"}, machine={"kind": "container"},
         ruled_out=["container-without-gpu"]),
    case("twin-podman-with-gpus", lambda m: inside(m, "podman", "570.124.06", "NVIDIA L4", torch=("2.9.0", "cu128")), verdict="ok",
         machine={"kind": "container"}),
]
