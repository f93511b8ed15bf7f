# SPDX-License-Identifier: Apache-2.0
"""Trees of test machines: what a directory given to --root holds. Layers: files, distribution, hardware, NVIDIA driver.

Everything is written as the real thing has it as far as cuvet looks: ELF objects, /proc and /sys files, links, packages.
"""
import os
import stat
import struct

import elfw
from elfw import Sym

# name: PCI device id, compute capability (for the reader of a recipe; cuvet must know it by itself)
GPUS = {
    "Tesla K80": ("102d", "3.7"), "GeForce GTX 980": ("13c0", "5.2"), "NVIDIA GeForce GTX 1080 Ti": ("1b06", "6.1"),
    "Tesla P100-SXM2-16GB": ("15f9", "6.0"), "Tesla V100-PCIE-32GB": ("1db6", "7.0"), "Tesla V100-SXM2-16GB": ("1db1", "7.0"),
    "Tesla T4": ("1eb8", "7.5"), "NVIDIA GeForce RTX 2080 Ti": ("1e07", "7.5"), "NVIDIA A100-SXM4-40GB": ("20b0", "8.0"),
    "NVIDIA A10": ("2236", "8.6"), "NVIDIA GeForce RTX 3090": ("2204", "8.6"), "NVIDIA L4": ("27b8", "8.9"),
    "NVIDIA GeForce RTX 4090": ("2684", "8.9"), "NVIDIA H100 80GB HBM3": ("2330", "9.0"), "NVIDIA B200": ("2901", "10.0"),
    "NVIDIA GeForce RTX 5090": ("2b85", "12.0"), "NVIDIA RTX PRO 6000 Blackwell Workstation Edition": ("2bb1", "12.0"),
    "NVIDIA GB10": ("2e12", "12.1"),
}
OPEN_ONLY = ("NVIDIA B200", "NVIDIA GeForce RTX 5090", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "NVIDIA GB10")
MULTIARCH = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}
DISTROS = {
    # id, version: PRETTY_NAME, glibc, text in libc, Python, kernel, merged /usr
    ("debian", "11"): ("Debian GNU/Linux 11 (bullseye)", "2.31", "Debian GLIBC 2.31-13+deb11u11", "3.9.2", "5.10.0-32-amd64", True),
    ("debian", "12"): ("Debian GNU/Linux 12 (bookworm)", "2.36", "Debian GLIBC 2.36-9+deb12u10", "3.11.2", "6.1.0-28-amd64", True),
    ("ubuntu", "20.04"): ("Ubuntu 20.04.6 LTS", "2.31", "Ubuntu GLIBC 2.31-0ubuntu9.17", "3.8.10", "5.15.0-126-generic", True),
    ("ubuntu", "22.04"): ("Ubuntu 22.04.5 LTS", "2.35", "Ubuntu GLIBC 2.35-0ubuntu3.8", "3.10.12", "6.8.0-49-generic", True),
    ("ubuntu", "24.04"): ("Ubuntu 24.04.1 LTS", "2.39", "Ubuntu GLIBC 2.39-0ubuntu8.3", "3.12.3", "6.8.0-49-generic", True),
}
# what a reader of site.py can tell Debian's from others by
DEBIAN_SITE = """def getsitepackages(prefixes=None):
    for prefix in prefixes:
        sitepackages.append(os.path.join(prefix, "local/lib", "python%d.%d" % sys.version_info[:2], "dist-packages"))
        sitepackages.append(os.path.join(prefix, "lib", "python3", "dist-packages"))
"""
LIBC_NOTES = ["2.2.5", "2.3", "2.3.4", "2.4", "2.14", "2.17", "2.18", "2.23", "2.25", "2.27", "2.28", "2.29", "2.30", "2.31", "2.32",
              "2.33", "2.34", "2.35", "2.36", "2.38", "2.39", "2.41"]


class NeedsRoot(Exception):
    """The recipe holds something that only root can make here (device nodes)."""


def dotted(version):
    return tuple(int(x) for x in version.split("."))


class Tree:
    """Files under a directory, by their path on the machine."""

    def __init__(self, root):
        self.root = root
        os.makedirs(root, exist_ok=True)

    def host(self, path):
        return os.path.join(self.root, path.lstrip("/"))

    def dir(self, path, mode=0o755):
        os.makedirs(self.host(path), exist_ok=True)
        os.chmod(self.host(path), mode)
        return self

    def write(self, path, data="", mode=0o644):
        host = self.host(path)
        os.makedirs(os.path.dirname(host), exist_ok=True)
        if os.path.islink(host):
            os.unlink(host)
        with open(host, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))
        os.chmod(host, mode)
        return self

    def read(self, path):
        with open(self.host(path), "rb") as f:
            return f.read()

    def link(self, path, target):
        host = self.host(path)
        os.makedirs(os.path.dirname(host), exist_ok=True)
        if os.path.lexists(host):
            os.unlink(host)
        os.symlink(target, host)
        return self

    def node(self, path, major, minor, mode=0o666):
        """A character device. In a tree nodes are taken by presence, but a regular file is none."""
        host = self.host(path)
        os.makedirs(os.path.dirname(host), exist_ok=True)
        try:
            os.mknod(host, stat.S_IFCHR | mode, os.makedev(major, minor))
        except PermissionError:
            raise NeedsRoot("mknod %s" % path)
        os.chmod(host, mode)
        return self

    def remove(self, path):
        host = self.host(path)
        if os.path.isdir(host) and not os.path.islink(host):
            import shutil
            shutil.rmtree(host)
        elif os.path.lexists(host):
            os.unlink(host)
        return self

    def exists(self, path):
        return os.path.lexists(self.host(path))


def ldcache(entries, glibc="2.36"):
    """/etc/ld.so.cache in the new format; entries: (soname, path, flags, hwcap), in the order that ld.so wants."""
    magic = b"glibc-ld.so.cache1.1"
    head = 48
    strings = b""
    rows = []
    base = head + 24 * len(entries)
    for soname, path, flags, hwcap in entries:
        key = base + len(strings)
        strings += soname.encode() + b"\0"
        value = base + len(strings)
        strings += path.encode() + b"\0"
        rows.append(struct.pack("<iIIIQ", flags, key, value, 0, hwcap))
    header = magic + struct.pack("<II", len(entries), len(strings)) + bytes([2]) + b"\0" * 3 + struct.pack("<I", 0) + b"\0" * 12
    return header + b"".join(rows) + strings


def cache_key(name):
    """ld.so.cache is sorted by this, downwards: digits of names compare as numbers."""
    out, i = [], 0
    while i < len(name):
        if name[i].isdigit():
            j = i
            while j < len(name) and name[j].isdigit():
                j += 1
            out.append((1, int(name[i:j]), ""))
            i = j
        else:
            out.append((2, 0, name[i]))
            i += 1
    return out


class Machine(Tree):
    """A Tree with the layers that a machine has. Each method returns the machine, so that recipes read as one chain."""

    def __init__(self, root):
        super().__init__(root)
        self.arch, self.multi = "x86_64", MULTIARCH["x86_64"]
        self.set = []        # --set arguments of the run
        self.args = []       # further arguments
        self.machine = None  # a second tree for --machine
        self.libs = []       # (soname, path) for ld.so.cache
        self.gpus = []
        self.envs = []       # the Python environments made so far
        self.python = None
        self.kernel_release = None
        self.driver_version = None

    # --- the distribution

    def distro(self, name="debian", version="12", arch="x86_64", glibc=None):
        pretty, libc, text, python, kernel, _ = DISTROS[(name, version)]
        self.arch, self.multi = arch, MULTIARCH[arch]
        if glibc:
            text, libc = text.replace(libc, glibc), glibc
        kernel = kernel.replace("amd64", "arm64") if arch == "aarch64" else kernel
        self.write("/usr/lib/os-release", 'PRETTY_NAME="%s"\nNAME="%s"\nVERSION_ID="%s"\nID=%s\nHOME_URL="https://example.org/"\n'
                   % (pretty, pretty.split(" ")[0], version, name))
        self.link("/etc/os-release", "../usr/lib/os-release")
        for d in ("bin", "sbin", "lib", "lib64"):
            self.dir("/usr/" + d)
            self.link("/" + d, "usr/" + d)
        for d in ("/tmp", "/home", "/root", "/etc/ld.so.conf.d", "/dev", "/proc", "/sys"):
            self.dir(d)
        self.libc(libc, text)
        self.write("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n")
        self.write("/etc/ld.so.conf.d/%s.conf" % self.multi, "# Multiarch support\n/usr/local/lib/%s\n/lib/%s\n/usr/lib/%s\n"
                   % (self.multi, self.multi, self.multi))
        self.write("/etc/ld.so.conf.d/libc.conf", "# libc default configuration\n/usr/local/lib\n")
        self.system_python(python)
        return self.kernel(kernel)

    def libc(self, version, text):
        names = ["GLIBC_" + v for v in LIBC_NOTES if dotted(v) <= dotted(version)] + ["GLIBC_PRIVATE"]
        banner = ("GNU C Library (%s) stable release version %s.\nCopyright (C) 2022 Free Software Foundation, Inc.\n"
                  % (text, version)).encode() + b"\0"
        ld = os.path.basename(elfw.INTERP[self.arch])
        lib = "/usr/lib/" + self.multi
        self.write(lib + "/libc.so.6", elfw.build(
            self.arch, soname="libc.so.6", needed=[ld], verdef=names, interp=elfw.INTERP[self.arch],
            symbols=[Sym("gnu_get_libc_version", version=names[0]), Sym("__banner", data=banner, version="GLIBC_PRIVATE")]), 0o755)
        self.write(lib + "/" + ld, elfw.build(self.arch, soname=ld, verdef=["GLIBC_2.2.5", "GLIBC_PRIVATE"],
                                              symbols=[Sym("_dl_open", version="GLIBC_PRIVATE")]), 0o755)
        if self.arch == "x86_64":
            self.link("/usr/lib64/" + ld, "../lib/%s/%s" % (self.multi, ld))
        else:
            self.link("/usr/lib/" + ld, "%s/%s" % (self.multi, ld))
        for name, soname in (("libm", "libm.so.6"), ("libdl", "libdl.so.2"), ("libpthread", "libpthread.so.0"), ("librt", "librt.so.1"),
                             ("libstdc++", "libstdc++.so.6"), ("libgcc_s", "libgcc_s.so.1"), ("libz", "libz.so.1")):
            self.lib(lib + "/" + soname, soname, needed=["libc.so.6"])
        self.libs.append(("libc.so.6", lib + "/libc.so.6"))
        return self

    def kernel(self, release):
        self.kernel_release = release
        self.write("/proc/version", "Linux version %s (builder@example.org) (gcc 12.2.0) #1 SMP\n" % release)
        self.write("/proc/sys/kernel/osrelease", release + "\n")
        self.write("/proc/sys/kernel/ostype", "Linux\n")
        flags = "fpu sse4_1 sse4_2 avx f16c fma avx2 avx512f" if self.arch == "x86_64" else "fp asimd evtstrm aes"
        key, model = ("flags\t\t", "model name\t: Test CPU 9000\n") if self.arch == "x86_64" else ("Features\t", "CPU implementer\t: 0x41\n")
        self.write("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n%s%s: %s\n\n" % (model, key, flags))
        self.write("/proc/modules", "")
        self.write("/proc/1/cgroup", "0::/init.scope\n")
        self.write("/proc/1/sched", "systemd (1, #threads: 1)\n")
        self.write("/proc/self/mountinfo", "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
                   "25 22 0:23 / /dev/shm rw,nosuid,nodev - tmpfs tmpfs rw,size=8142000k\n")
        self.write("/proc/mounts", "/dev/sda1 / ext4 rw,relatime 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev,size=8142000k 0 0\n")
        self.dir("/sys/bus/pci/devices").dir("/sys/module").dir("/lib/modules/%s" % release)
        return self

    def cache(self):
        """Writes ld.so.cache from the libraries put into loader directories so far."""
        rows = sorted(self.libs, key=lambda row: cache_key(row[0]), reverse=True)  # of equal names the one met first stays first
        flags = 0x0303 if self.arch == "x86_64" else 0x0A03
        return self.write("/etc/ld.so.cache", ldcache([(s, p, flags, 0) for s, p in rows]))

    def lib(self, path, soname=None, needed=("libc.so.6",), on_loader_path=False, **kw):
        self.write(path, elfw.build(self.arch, soname=soname, needed=list(needed), **kw))
        if on_loader_path and soname:
            self.libs.append((soname, os.path.join(os.path.dirname(path), soname)))
        return self

    # --- Python of the distribution

    def system_python(self, version):
        self.python = version
        short = ".".join(version.split(".")[:2])
        exe = elfw.build(self.arch, needed=["libc.so.6", "libm.so.6"], interp=elfw.INTERP[self.arch])
        self.write("/usr/bin/python" + short, exe, 0o755)
        self.link("/usr/bin/python3", "python" + short)
        lib = "/usr/lib/python" + short
        self.write(lib + "/os.py", "# the standard library\n").write(lib + "/site.py", DEBIAN_SITE).dir(lib + "/lib-dynload")
        self.write("/usr/include/python%s/patchlevel.h" % short,
                   '#define PY_MAJOR_VERSION %s\n#define PY_MINOR_VERSION %s\n#define PY_MICRO_VERSION %s\n#define PY_VERSION "%s"\n'
                   % (tuple(version.split(".")) + (version,)))
        self.dir("/usr/lib/python3/dist-packages").dir("/usr/local/lib/python%s/dist-packages" % short)
        if dotted(short) >= (3, 11):
            self.write(lib + "/EXTERNALLY-MANAGED", "[externally-managed]\nError=To install Python packages system-wide, try apt install\n")
        return self

    # --- hardware

    def gpu(self, name, pci=None, bound="nvidia", device=None, cls="030200"):
        """A GPU on PCI, bound to a kernel driver (None: to none)."""
        pci = pci or "0000:%02x:00.0" % (len(self.gpus) + 1)
        device = device or GPUS[name][0]
        at = "/sys/bus/pci/devices/" + pci
        real = "/sys/devices/pci0000:00/" + pci
        self.write(real + "/vendor", "0x10de\n").write(real + "/device", "0x%s\n" % device).write(real + "/class", "0x%s\n" % cls)
        self.write(real + "/subsystem_vendor", "0x10de\n").write(real + "/subsystem_device", "0x1234\n")
        self.write(real + "/enable", "1\n").write(real + "/uevent", "PCI_CLASS=%s\nPCI_ID=10DE:%s\n" % (cls.upper(), device.upper()))
        self.link(at, "../../../devices/pci0000:00/" + pci)
        if bound:
            self.dir("/sys/bus/pci/drivers/" + bound)
            self.link(real + "/driver", "../../../bus/pci/drivers/" + bound)
        self.gpus.append((name, pci, bound))
        return self

    def other_pci(self, pci="0000:00:02.0", vendor="8086", device="46a6", cls="030000"):
        """A device that is not NVIDIA's GPU."""
        at = "/sys/bus/pci/devices/" + pci
        return self.write(at + "/vendor", "0x%s\n" % vendor).write(at + "/device", "0x%s\n" % device).write(at + "/class", "0x%s\n" % cls)

    # --- the NVIDIA driver

    def driver(self, version, open_module=None, library=None, gsp=None, nodes=True, uvm_node=True, ko=True):
        """The driver as a distribution or NVIDIA's installer lays it down, loaded; library: version of user space if another."""
        if open_module is None:
            open_module = any(g[0] in OPEN_ONLY for g in self.gpus)
        self.module(version, open_module, gsp)
        if ko:
            self.kmod(version, open_module)
        self.driver_libs(library or version)
        if nodes:
            self.nodes(uvm=uvm_node)
        return self

    def module(self, version, open_module=False, gsp=None):
        """The loaded kernel module."""
        self.driver_version = version
        arch = self.arch
        line = ("NVIDIA UNIX Open Kernel Module for %s  %s  Release Build  (dvs-builder@U22-I3-B04-01-1)  Tue May  7 16:52:26 UTC 2024"
                % (arch, version) if open_module else
                "NVIDIA UNIX %s Kernel Module  %s  Tue May  7 16:52:26 UTC 2024" % (arch, version))
        self.write("/proc/driver/nvidia/version", "NVRM version: %s\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n" % line)
        self.write("/proc/driver/nvidia/params", "ModifyDeviceFiles: 1\nDeviceFileUID: 0\nDeviceFileGID: 0\nDeviceFileMode: 438\n")
        self.write("/sys/module/nvidia/version", version + "\n")
        for m in ("nvidia_uvm", "nvidia_modeset", "nvidia_drm"):
            self.dir("/sys/module/" + m)
        self.write("/proc/modules", "nvidia_uvm 1540096 0 - Live 0x0000000000000000 (OE)\nnvidia_drm 81920 0 - Live 0x0000000000000000 (OE)\n"
                   "nvidia_modeset 1306624 1 nvidia_drm, Live 0x0000000000000000 (OE)\n"
                   "nvidia 56717312 2 nvidia_uvm,nvidia_modeset, Live 0x0000000000000000 (OE)\n")
        self.write("/proc/devices", "Character devices:\n  1 mem\n195 nvidia\n195 nvidia-modeset\n195 nvidiactl\n510 nvidia-uvm\n\nBlock devices:\n  8 sd\n")
        minor = 0
        for name, pci, bound in self.gpus:
            if bound != "nvidia":
                continue
            at = "/proc/driver/nvidia/gpus/" + pci
            self.write(at + "/information", (
                "Model: \t\t %s\nIRQ:   \t\t 45\nGPU UUID: \t GPU-00000000-1111-2222-3333-44444444444%d\nVideo BIOS: \t 90.04.38.00.03\n"
                "Bus Type: \t PCIe\nDMA Size: \t 47 bits\nDMA Mask: \t 0x7fffffffffff\nBus Location: \t %s\nDevice Minor: \t %d\n"
                "GPU Firmware: \t %s\nGPU Excluded:\t No\n")
                % (name, minor, pci, minor, gsp or (version if open_module else "N/A")))
            minor += 1
        return self

    def kmod(self, version, open_module=False, kernel=None):
        """The module's file on disk, as DKMS puts it."""
        kernel = kernel or self.kernel_release
        data = elfw.relocatable({".modinfo": elfw.modinfo(
            license="Dual MIT/GPL" if open_module else "NVIDIA", version=version, supported="external",
            firmware=["nvidia/%s/gsp_ga10x.bin" % version, "nvidia/%s/gsp_tu10x.bin" % version], name="nvidia",
            vermagic="%s SMP preempt mod_unload modversions" % kernel)}, self.arch)
        return self.write("/lib/modules/%s/updates/dkms/nvidia.ko" % kernel, data)

    def driver_libs(self, version, where=None):
        where = where or "/usr/lib/" + self.multi
        on = where == "/usr/lib/" + self.multi
        for name, extra in (("cuda", {"notes": {".note.cuda.fwd_compatibility": fwd_note(version)} if dotted(version) >= (580,) else {}}),
                            ("nvidia-ml", {}), ("nvidia-ptxjitcompiler", {}), ("nvidia-nvvm", {})):
            soname = "lib%s.so.%d" % (name, 4 if name == "nvidia-nvvm" else 1)
            path = "%s/lib%s.so.%s" % (where, name, version)
            symbols = {"cuda": ["cuInit", "cuDriverGetVersion", "cuGetProcAddress_v2"], "nvidia-ml": ["nvmlInit_v2"]}.get(name, ["__entry"])
            self.lib(path, soname, ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"],
                     symbols=[Sym(s) for s in symbols], **extra)
            self.link("%s/%s" % (where, soname), "lib%s.so.%s" % (name, version))
            if on:
                self.libs.append((soname, "%s/%s" % (where, soname)))
        self.link(where + "/libcuda.so", "libcuda.so.1")
        self.write("/usr/bin/nvidia-smi", elfw.build(self.arch, needed=["libc.so.6"], interp=elfw.INTERP[self.arch]), 0o755)
        return self

    def nodes(self, uvm=True):
        self.node("/dev/nvidiactl", 195, 255)
        for i, (_, _, bound) in enumerate(g for g in self.gpus if g[2] == "nvidia"):
            self.node("/dev/nvidia%d" % i, 195, i)
        if uvm:
            self.node("/dev/nvidia-uvm", 510, 0).node("/dev/nvidia-uvm-tools", 510, 1)
        return self

    def modprobe(self):
        """The setuid helper that makes missing nodes."""
        return self.write("/usr/bin/nvidia-modprobe", elfw.build(self.arch, needed=["libc.so.6"], interp=elfw.INTERP[self.arch]), 0o4755)

    # --- CUDA toolkit

    def toolkit(self, version, link=True):
        """A toolkit under /usr/local; version like 12.4.1."""
        short = ".".join(version.split(".")[:2])
        at = "/usr/local/cuda-" + short
        self.write(at + "/version.json", '{\n   "cuda" : {\n      "name" : "CUDA SDK",\n      "version" : "%s"\n   },\n'
                   '   "cuda_nvcc" : {\n      "name" : "CUDA NVCC",\n      "version" : "%s"\n   }\n}\n' % (version, version))
        self.write(at + "/bin/nvcc", elfw.build(self.arch, needed=["libc.so.6"], interp=elfw.INTERP[self.arch]), 0o755)
        major, minor = short.split(".")
        self.write(at + "/targets/%s-linux/include/cuda.h" % self.arch, "#define CUDA_VERSION %d\n" % (int(major) * 1000 + int(minor) * 10))
        self.link(at + "/include", "targets/%s-linux/include" % self.arch)
        lib = at + "/targets/%s-linux/lib" % self.arch
        soname = "libcudart.so.11.0" if major == "11" else "libcudart.so." + major
        self.lib("%s/libcudart.so.%s" % (lib, version), soname, verdef=[soname], symbols=[Sym("cudaRuntimeGetVersion", version=soname)])
        self.link("%s/%s" % (lib, soname), "libcudart.so." + version)
        self.lib(lib + "/stubs/libcuda.so", "libcuda.so.1", symbols=[Sym("cuInit")])
        self.link(at + "/lib64", "targets/%s-linux/lib" % self.arch)
        if link:
            self.link("/usr/local/cuda", "cuda-" + short)
        return self

    # --- kinds of machines

    def container(self, kind="docker"):
        self.write("/proc/self/mountinfo", "22 1 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n"
                   "25 22 0:53 / /dev/shm rw,nosuid,nodev,noexec,relatime - tmpfs shm rw,size=65536k\n")
        self.write("/proc/mounts", "overlay / overlay rw,relatime 0 0\nshm /dev/shm tmpfs rw,nosuid,nodev,noexec,relatime,size=65536k 0 0\n")
        self.write("/proc/1/cgroup", "0::/\n")
        if kind == "docker":
            self.write("/.dockerenv", "")
        elif kind == "podman":
            self.write("/run/.containerenv", 'engine="podman-4.3.1"\nname="test"\n')
        return self

    def wsl2(self, windows_driver="560.94"):
        release = "5.15.167.4-microsoft-standard-WSL2"
        self.kernel(release)
        self.write("/proc/version", "Linux version %s (root@example.org) (gcc (GCC) 11.2.0) #1 SMP Tue Nov 5 00:21:55 UTC 2024\n" % release)
        self.write("/proc/sys/fs/binfmt_misc/WSLInterop", "enabled\ninterpreter /init\nflags: PF\noffset 0\nmagic 4d5a\n")
        self.node("/dev/dxg", 10, 125)
        where = "/usr/lib/wsl/lib"
        for name, soname in (("cuda", "libcuda.so.1"), ("nvidia-ml", "libnvidia-ml.so.1")):
            store = "/usr/lib/wsl/drivers/nv_dispi.inf_amd64_0123456789abcdef"
            for d in (where, store):
                self.lib("%s/lib%s.so.1%s" % (d, name, ".1" if name == "cuda" and d == where else ""), soname,
                         symbols=[Sym("cuInit" if name == "cuda" else "nvmlInit_v2")])
        self.link(where + "/libcuda.so.1", "libcuda.so.1.1").link(where + "/libcuda.so", "libcuda.so.1.1")
        self.lib(where + "/libdxcore.so", "libdxcore.so")
        self.write(where + "/nvidia-smi", elfw.build(interp=elfw.INTERP["x86_64"], needed=["libc.so.6"]), 0o755)
        self.write("/etc/ld.so.conf.d/ld.wsl.conf", "# This file was automatically generated by WSL.\n/usr/lib/wsl/lib\n")
        self.libs += [("libcuda.so.1", where + "/libcuda.so.1"), ("libnvidia-ml.so.1", where + "/libnvidia-ml.so.1")]
        return self

    def jetson(self, model, chip, l4t, driver, open_module=True):
        """A Tegra board: no GPU on PCI, the driver's files under nvidia/ (to L4T 36 in tegra/)."""
        major, rest = l4t.split(".", 1)
        self.write("/etc/nv_tegra_release", "# R%s (release), REVISION: %s, GCID: 38968081, BOARD: generic, EABI: aarch64, DATE: Wed Jan  8 01:49:37 UTC 2025\n"
                   "# KERNEL_VARIANT: oot\nTARGET_USERSPACE_LIB_DIR=nvidia\nTARGET_USERSPACE_LIB_DIR_PATH=usr/lib/aarch64-linux-gnu/nvidia\n" % (major, rest))
        self.kernel("5.15.148-tegra" if int(major) < 38 else "6.8.12-tegra")
        base = "/sys/firmware/devicetree/base"
        self.write(base + "/model", model.encode() + b"\0")
        self.write(base + "/compatible", b"nvidia,p3737-0000+p3701-0005\0nvidia," + chip.encode() + b"\0")
        self.dir("/proc/device-tree")
        self.remove("/proc/device-tree").link("/proc/device-tree", "/sys/firmware/devicetree/base")
        where = "/usr/lib/aarch64-linux-gnu/nvidia"
        self.lib(where + "/libcuda.so.1.1", "libcuda.so.1", symbols=[Sym("cuInit")])
        self.link(where + "/libcuda.so.1", "libcuda.so.1.1").link(where + "/libcuda.so", "libcuda.so.1.1")
        self.write("/etc/ld.so.conf.d/nvidia-tegra.conf", where + "\n")
        self.libs.append(("libcuda.so.1", where + "/libcuda.so.1"))
        for n in ("/dev/nvhost-gpu", "/dev/nvmap", "/dev/nvgpu/igpu0/ctrl"):
            self.node(n, 240, 1)
        self.write("/proc/modules", "nvgpu 2752512 23 - Live 0x0000000000000000 (OE)\nnvidia 1466368 14 - Live 0x0000000000000000 (OE)\n")
        self.dir("/sys/module/nvgpu")
        self.write("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  %s  Release Build  (buildbrain@mobile)  "
                   "Wed Jan  8 01:23:45 PST 2025\nGCC version:  collect2: error: ld returned 1 exit status\n" % driver)
        self.write("/sys/module/nvidia/version", driver + "\n")
        for n, minor in (("nvidiactl", 255), ("nvidia0", 0)):
            self.node("/dev/" + n, 195, minor)
        return self

    def nouveau(self):
        """nouveau is loaded and holds the GPUs made with bound="nouveau"."""
        self.write("/proc/modules", "nouveau 2469888 6 - Live 0x0000000000000000\n")
        return self.dir("/sys/module/nouveau").node("/dev/dri/card0", 226, 0)

    def secure_boot(self, on=True):
        return self.write("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", b"\x06\0\0\0" + bytes([int(on)]))

    # --- steering of the run

    def var(self, name, value):
        self.set.append("%s=%s" % (name, value))
        return self


CUDA_OF_BRANCH = {580: "13.0", 590: "13.1", 595: "13.2", 610: "13.3"}


def fwd_note(version, cuda=None, branches=(535, 550, 565, 570, 575, 580)):
    """The forward-compatibility note of a libcuda, laid out as in 580.95.05: empty space first, then one note, 4-aligned."""
    cuda = cuda or CUDA_OF_BRANCH.get(int(version.split(".")[0]), "13.0")
    text = '{"format":1,"CUDA version":"%s","driver":[%s],"device":[1,2,7,8,9,10,11,12,13,14]}' % (cuda, ",".join(map(str, branches)))
    desc = text.encode() + b"\0"
    raw = b"NVIDIA Corporation\0"
    return b"\0" * 604 + struct.pack("<III", len(raw), len(desc), 0) + raw + b"\0" * (-len(raw) % 4) + desc + b"\0" * (-len(desc) % 4)
