# SPDX-License-Identifier: Apache-2.0
"""Trees that want to crash, block or fool the reader. Whatever they hold: an answer, in time, without control bytes."""
import os

import elfw
import pyenv
from boxes import VENV, torch_box
from recipe import case

SITE = VENV + "/lib/python3.11/site-packages"
LIB = "/usr/lib/x86_64-linux-gnu/"


def base(m, **kw):
    return torch_box(m, "2.6.0", "cu124", "NVIDIA A10", "550.90.07", **kw)


def fifo(m):
    base(m)
    m.remove(LIB + "libcuda.so.1")
    os.mkfifo(m.host(LIB + "libcuda.so.1"))
    m.remove(SITE + "/torch/version.py")
    os.mkfifo(m.host(SITE + "/torch/version.py"))


def loops(m):
    base(m)
    m.link(LIB + "libcuda.so.1", "libcuda.so.1").link("/opt/loop", "/opt/loop/loop")
    m.link(SITE + "/up", "..").link(SITE + "/torch/lib/self", ".").link("/usr/local/cuda", "/usr/local/cuda/again")
    m.link("/home/ada", "/home/bob").link("/home/bob", "/home/ada")


def crowd(m):
    base(m)
    host = m.host(SITE)
    for i in range(100000):
        open(os.path.join(host, "x%06d" % i), "w").close()


def endless_pth(m):
    base(m)
    m.write(SITE + "/a.pth", "\n".join(["/opt/pth/%d" % i for i in range(20000)] + ["../site-packages"] * 20000 + ["import os; os.system('false')"]) + "\n")
    for i in range(200):
        m.write("/opt/pth/%d/deeper.pth" % i, "/opt/pth/%d\n" % (i + 1))
    m.write(SITE + "/long.pth", b"/" + b"a" * (4 << 20))


def escapes(m):
    m.distro("debian", "12").gpu("Evil \x1b]0;owned\x07\x1b[2J\u202e GPU\r\n", device="2236")
    m.driver("550.90.07").cache()
    m.write("/usr/lib/os-release", 'PRETTY_NAME="Debian \x1b[31mred\x1b[0m\x9b"\nID=debian\nVERSION_ID="12"\n')
    env = pyenv.venv(m, "/opt/ve\x1bnv\nx").torch("2.6.0", "cu124")
    return env.pure("bad\x1b[5mname", "1.0")


def metadata(m):
    env = base(m)
    env.ort("1.26.0", gpu=True)
    env.damage("torch", "METADATA", b"\0\xff\xfe garbage \n Version" * 40)
    env.damage("onnxruntime-gpu", "METADATA", b"")
    env.damage("nvidia-cudnn-cu12", "WHEEL", b"\x00" * 70000)
    env.damage("nvidia-cublas-cu12", "METADATA", b"Name: " + b"A" * (3 << 20))


def record(m):
    env = base(m)
    info = env.installed["torch"][0]
    env.damage("torch", "RECORD", "torch/version.py,sha256=x,99999999999999999999999999\n../../../../../../etc/passwd,,12\n/etc/shadow,,-5\n\"unclosed,,\n"
               "torch/__init__.py,sha256=,18446744073709551615\n%s/RECORD,,\n" % info)
    env.damage("nvidia-cudnn-cu12", "RECORD", ",,\n" * 300000)


def elf_garbage(m):
    env = base(m)
    m.write(LIB + "libcuda.so.550.90.07", b"\x7fELF" + b"\xff" * 4000)
    m.write(LIB + "libnvidia-ml.so.550.90.07", b"")
    env.put("torch/lib/libtorch_cuda.so", elfw.build(soname="x")[:100])


def lying_elf(m):
    """Headers whose offsets and counts point anywhere."""
    env = base(m)
    good = bytearray(m.read(SITE + "/torch/lib/libtorch_cuda.so"))
    for at in range(24, 64, 1):
        good[at] = 0xff
    env.put("torch/lib/libtorch_cuda.so", bytes(good))
    lib = bytearray(m.read(LIB + "libcuda.so.550.90.07"))
    for at in range(64, 400, 3):
        lib[at] ^= 0x80
    m.write(LIB + "libcuda.so.550.90.07", bytes(lib))


def huge(m):
    base(m)
    for path in ("/proc/driver/nvidia/version", "/usr/lib/os-release", "/etc/ld.so.conf", VENV + "/pyvenv.cfg", "/etc/ld.so.cache"):
        with open(m.host(path), "ab") as f:
            f.truncate(6 << 30)


def ldconf_loop(m):
    base(m)
    m.write("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n" * 1000).write("/etc/ld.so.conf.d/self.conf", "include /etc/ld.so.conf\n" * 1000)
    m.write("/etc/ld.so.cache", b"glibc-ld.so.cache1.1" + b"\xff" * 200)


def venv_of_itself(m):
    base(m)
    m.write(VENV + "/pyvenv.cfg", "home = %s/bin\ninclude-system-site-packages = true\n" % VENV)
    m.link(VENV + "/bin/python3", "python3")
    m.link(VENV + "/lib/python3.11/site-packages/inner", VENV)


def gone_device(m):
    """What sysfs shows of a card that has fallen off the bus: all ones."""
    base(m)
    at = "/sys/devices/pci0000:00/0000:09:00.0"
    m.write(at + "/vendor", "0xffff\n").write(at + "/device", "junk").write(at + "/class", "")
    m.link("/sys/bus/pci/devices/0000:09:00.0", "../../../devices/pci0000:00/0000:09:00.0").link("/sys/bus/pci/devices/zz", "/nowhere")


def hostile(name, build):
    """A case that demands an orderly answer, whatever it is."""
    return case(name, build, hostile=True)


CASES = [
    hostile("fifo-named-libcuda", fifo), hostile("symlink-loops", loops), hostile("a-hundred-thousand-entries", crowd),
    hostile("endless-pth", endless_pth), hostile("terminal-escapes-in-names", escapes), hostile("metadata-garbage", metadata),
    hostile("record-with-absurd-sizes", record), hostile("elf-garbage", elf_garbage), hostile("lying-elf", lying_elf),
    hostile("six-gigabytes-of-nothing", huge), hostile("ld-so-conf-includes-itself", ldconf_loop), hostile("venv-of-itself", venv_of_itself),
    hostile("dead-pci-device", gone_device), hostile("empty-tree", lambda m: m.dir("/etc")), hostile("only-a-distribution", lambda m: m.distro()),
]
