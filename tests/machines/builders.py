#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the things that recipes are made of real? Real tools are asked: the dynamic loader, readelf, ldconfig, pip's metadata reader.

Closes with "N passed, N failed".
"""
import ctypes
import importlib.metadata
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "lib"))
import boxes  # noqa: E402
import elfw   # noqa: E402
import pyenv  # noqa: E402
import tree   # noqa: E402
from elfw import Sym  # noqa: E402


class Skip(Exception):
    pass


def put(work, name, data):
    path = os.path.join(work, name)
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, 0o755)
    return path


def tool(name, *args):
    if not shutil.which(name):
        raise Skip("no " + name)
    p = subprocess.run([name] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, env=dict(os.environ, LC_ALL="C"))
    return p.returncode, p.stdout, p.stderr


def library(**kw):
    return elfw.build(platform.machine(), soname="libgraph.so.9", needed=["libc.so.6"], runpath="$ORIGIN", verdef=["libgraph.so.9"],
                      symbols=[Sym("graph_version", data=struct.pack("<BBBB", 2, 10, 9, 0), version="libgraph.so.9"),
                               Sym("entry", version="libgraph.so.9")] + [Sym("f%d" % i) for i in range(30)],
                      notes={".note.test": elfw.note("NVIDIA Corporation", 0, b"{}")}, sections={".nv_fatbin": elfw.fatbin(["sm_80"])}, **kw)


def test_the_loader_takes_our_libraries(work):
    if platform.machine() not in elfw.RET:
        raise Skip("no code for " + platform.machine())
    for hashes in (("gnu",), ("sysv",), ("sysv", "gnu")):
        for headers in (True, False):
            lib = ctypes.CDLL(put(work, "lib-%s-%d.so" % ("-".join(hashes), headers), library(hashes=hashes, section_headers=headers)))
            assert ctypes.c_uint32.in_dll(lib, "graph_version").value == 0x90a02
            for i in range(30):
                assert getattr(lib, "f%d" % i)
            try:
                lib.not_there
                raise AssertionError("a symbol that is not there was found")
            except AttributeError:
                pass


def test_readelf_reads_them_without_complaint(work):
    objects = {"lib": library(), "exe": elfw.build(needed=["libc.so.6"], interp=elfw.INTERP["x86_64"]), "bare": elfw.build(soname="x"),
               "arm": elfw.build("aarch64", soname="y", symbols=[Sym("a")]),
               "need": elfw.build(needed=["libm.so.6"], verneed={"libm.so.6": ["GLIBC_2.2.5", "GLIBC_2.29"], "libc.so.6": ["GLIBC_2.4"]},
                                  symbols=[Sym("exp", undefined=True, version="GLIBC_2.29")])}
    for name, data in objects.items():
        status, out, err = tool("readelf", "-aW", put(work, name, data))
        assert status == 0 and not err, (name, err)
    assert "exp@GLIBC_2.29" in tool("readelf", "--dyn-syms", "-W", os.path.join(work, "need"))[1]
    assert "(RUNPATH)            Library runpath: [$ORIGIN]" in tool("readelf", "-dW", os.path.join(work, "lib"))[1]


def test_kernel_modules_have_a_modinfo(work):
    path = put(work, "nvidia.ko", elfw.relocatable({".modinfo": elfw.modinfo(license="NVIDIA", version="535.183.01", firmware=["a", "b"])}))
    status, out, err = tool("readelf", "-p", ".modinfo", path)
    assert status == 0 and "version=535.183.01" in out and out.count("firmware=") == 2, (out, err)


def test_ldconfig_reads_the_cache(work):
    m = tree.Machine(os.path.join(work, "cache")).distro()
    m.driver_libs("535.183.01").cache()
    status, out, err = tool("/sbin/ldconfig", "-p", "-C", m.host("/etc/ld.so.cache"))
    assert status == 0 and "libcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1" in out, (out, err)


def test_the_forward_compatibility_note_is_the_real_one(work):
    with open(os.path.join(HERE, "..", "data", "notes", "cuda-compat-13.0-580.95.05.note"), "rb") as f:
        assert f.read() == tree.fwd_note("580.95.05")


def test_installed_packages_are_whole(work):
    m = tree.Machine(os.path.join(work, "whole"))
    env = pyenv.venv(m.distro()).torch("2.9.0", "cu128").ort("1.26.0", gpu=True).jax("0.7.0", "cuda12").tensorflow("2.21.0").cupy("14.2.0")
    seen = 0
    for d in importlib.metadata.distributions(path=[m.host(env.site)]):
        for f in d.files:
            size = os.path.getsize(str(f.locate()))
            assert f.size is None or f.size == size, (d.metadata["Name"], str(f), f.size, size)
            seen += 1
    assert seen > 150, seen
    names = {d.metadata["Name"] for d in importlib.metadata.distributions(path=[m.host(env.site)])}
    assert {"torch", "onnxruntime-gpu", "nvidia-cudnn-cu12"} <= names, names


def test_pip_removes_what_the_last_one_wrote(work):
    m = tree.Machine(os.path.join(work, "both"))
    env = pyenv.venv(m.distro()).ort("1.26.0", gpu=True).ort("1.26.0").uninstall("onnxruntime")
    left = sorted(n for n in os.listdir(m.host(env.site)) if n.startswith("onnxruntime"))  # what it requires stays
    assert left == ["onnxruntime", "onnxruntime_gpu-1.26.0.dist-info"], left
    assert sorted(os.listdir(m.host(env.site + "/onnxruntime/capi"))) == ["libonnxruntime_providers_cuda.so", "libonnxruntime_providers_tensorrt.so"]


def test_a_venv_is_one_for_its_python(work):
    python = "/usr/bin/python3"
    if not os.path.exists(python):
        raise Skip("no " + python)
    real = subprocess.run([python, "-c", "import sys; print('.'.join(map(str, sys.version_info[:3])))"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    m = tree.Machine(os.path.join(work, "venv"))
    env = pyenv.venv(m, python=real).torch("2.9.0", "cpu")
    out = subprocess.run([m.host("/opt/venv/bin/python3"), "-c", "import sys; print(sys.prefix); print('\\n'.join(sys.path))"], stdout=subprocess.PIPE,
                         check=True, env={}).stdout.decode().split("\n")
    assert out[0] == m.host("/opt/venv") and m.host(env.site) in out, out


def test_every_machine_can_be_built(work):
    import run
    names = [c.name for c in run.load_cases()]
    assert len(names) == len(set(names)) and len(names) > 100
    m = tree.Machine(os.path.join(work, "box"))
    try:
        boxes.torch_box(m, "2.9.0", "cu128", ["Tesla T4", "NVIDIA A10"], "570.124.06")
    except tree.NeedsRoot:
        raise Skip("only root can make device nodes")
    for path in ("/proc/driver/nvidia/gpus/0000:02:00.0/information", "/dev/nvidia1", "/sys/bus/pci/devices/0000:01:00.0/driver"):
        assert m.exists(path), path


def main():
    good = bad = skipped = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        with tempfile.TemporaryDirectory(prefix="builders.") as work:
            try:
                test(work)
                good += 1
            except Skip as e:
                skipped += 1
                print("skip %s: %s" % (name, e))
            except Exception as e:
                bad += 1
                print("fail %s: %r" % (name, e))
    print("%d passed, %d failed%s" % (good, bad, ", %d skipped" % skipped if skipped else ""))
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
