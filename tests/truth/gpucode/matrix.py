# SPDX-License-Identifier: Apache-2.0
"""GPU code by construction: files made by nvcc, ptxas and fatbinary whose content is known from the command lines that made them.

A case is a file and its containers, each a list of (kind, name): [[("cubin", "sm_90a"), ("ptx", "sm_80")], ...]. Counts, names and the
verdict for every GPU follow from that alone.
"""
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import cuob

CCS = [50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121]
TEGRA = [53, 62, 72, 87, 88, 101]
FAMILIES = {100: [100, 103], 103: [103], 110: [110], 120: [120, 121], 121: [121], 101: [101]}
MODES = ["default", "size", "speed", "balance", "none"]
KERNEL = """.version %s
.target sm_%s
.address_size 64
.visible .entry k(.param .u64 p)
{ .reg .u64 %%a; .reg .u32 %%b; ld.param.u64 %%a, [p]; mov.u32 %%b, %%tid.x; st.global.u32 [%%a], %%b; ret; }
"""
SOURCE = "__device__ int f(int x) { return x * 2; }\nextern \"C\" __global__ void k(int *p) { *p = f(threadIdx.x); }\n"


def parse(name):
    m = re.match(r"sm_(\d+)([af]?)$", name)
    return int(m[1]), m[2]


def fits(kind, name, cc):
    """"yes", "no" or "open", by the programming guide and the PTX manual."""
    arch, suffix = parse(name)
    if arch == cc:
        return "yes"
    if suffix == "a":
        return "no"
    if suffix == "f":
        return "yes" if cc in FAMILIES[arch] else "no"
    if kind == "ptx":
        return "yes" if cc > arch else "no"
    if arch // 10 != cc // 10 or cc < arch:
        return "no"
    return "open" if arch in TEGRA or cc in TEGRA else "yes"


def tally(containers, cc):
    native = jit = unsettled = 0
    for c in containers:
        answers = {(kind, fits(kind, name, cc)) for kind, name in c}
        if ("cubin", "yes") in answers:
            native += 1
        elif ("ptx", "yes") in answers:
            jit += 1
        elif "open" in {a for _k, a in answers}:
            unsettled += 1
    return native, jit, unsettled


def verdict(containers, cc):
    best = max((sum(tally(containers, parse(name)[0])[:2]) for c in containers for _k, name in c), default=0)
    if not best:
        return "no-gpu-code"
    native, jit, unsettled = tally(containers, cc)

    def word(n, j):
        return "native" if n * 100 >= best * 2 else "ptx-jit" if (n + j) * 100 >= best * 2 else "partial" if n + j else "none"
    sure = word(native, jit)
    return "unknown" if sure in ("none", "partial") and word(native, jit + unsettled) != sure else sure


class Maker:
    def __init__(self, directory, ptxas, fatbinary):
        self.dir, self.ptxas, self.fatbinary, self.made, self.cases = directory, ptxas, fatbinary, {}, []

    def path(self, name):
        return os.path.join(self.dir, name)

    def run(self, *args):
        p = subprocess.run(list(args), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.dir)
        if p.returncode:
            raise RuntimeError("%s: %s" % (" ".join(args), p.stdout.decode(errors="replace")[-400:]))

    def case(self, path, containers, ghosts=()):
        """ghosts: entries that are listed and hold no code."""
        self.cases.append((path, containers, ghosts))

    def ptx(self, arch, version="9.0"):
        path = self.path("%s-%s.ptx" % (arch, version))
        if not os.path.exists(path):
            with open(path, "w") as f:
                f.write(KERNEL % (version, arch))
        return path

    def cubin(self, arch, ptxas=None, source="75", version="7.0"):
        """A cubin for arch out of PTX that every ptxas takes."""
        ptxas = ptxas or self.ptxas
        key = (ptxas, arch)
        if key not in self.made:
            out = self.path("%s-%d.cubin" % (arch, len(self.made)))
            self.run(ptxas, "-arch=sm_" + arch, self.ptx(source, version), "-o", out)
            self.made[key] = out
        return self.made[key]

    def images(self, entries, cubins):
        return ["--image3=kind=%s,sm=%s,file=%s" % ("elf" if kind == "cubin" else "ptx", name[3:],
                                                    cubins[name] if kind == "cubin" else self.ptx(name[3:])) for kind, name in entries]

    def fatbin(self, name, entries, mode, cubins):
        out = self.path(name)
        self.run(self.fatbinary, "-64", "--compress-mode=" + mode, "--create=" + out, *self.images(entries, cubins))
        return out

    def object(self, name, entries, mode, cubins):
        """An object as nvcc makes it, without the time that compiling takes."""
        c = self.path(name + ".c")
        self.run(self.fatbinary, "-64", "--compress-mode=" + mode, "--embedded-fatbin=" + c, *self.images(entries, cubins))
        out = self.path(name + ".o")
        include = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(self.fatbinary))), "include")
        self.run("gcc", "-fPIC", "-I" + include, "-c", c, "-o", out)
        return out

    def judge(self, cuvet):
        ccs = ",".join("%d.%d" % divmod(cc, 10) for cc in CCS)
        got = cuob.ask(cuvet, [p for p, _c, _g in self.cases], "--cc", ccs)
        differ = 0
        for path, containers, ghosts in self.cases:
            faults = list(self.faults(got.get(path, {}), containers, ghosts))
            differ += bool(faults)
            for x in faults[:5] if differ <= 5 else []:
                print("  %s: %s" % (os.path.basename(path), x))
        return len(self.cases), differ

    @staticmethod
    def faults(file, containers, ghosts):
        want = collections.Counter(e for c in containers for e in c) + collections.Counter(ghosts)
        if cuob.counts(file) != want:
            yield "lists %s, not %s" % (dict(cuob.counts(file)), dict(want))
        if not ghosts and file.get("containers") != len(containers):
            yield "%s containers, not %d" % (file.get("containers"), len(containers))
        for g in file.get("gpus", []):
            major, minor = g["cc"].split(".")
            cc = int(major) * 10 + int(minor)
            if g["verdict"] != verdict(containers, cc):
                yield "%s for %s, not %s" % (g["verdict"], g["cc"], verdict(containers, cc))


def tool(name):
    found = shutil.which(name)
    for directory in sorted(os.listdir("/usr/local")) if not found else []:
        path = os.path.join("/usr/local", directory, "bin", name)
        if directory.startswith("cuda") and os.access(path, os.X_OK):
            found = path
    return found


def targets(nvcc):
    """Every name that this nvcc compiles for, with the suffixes that it knows."""
    out = subprocess.run([nvcc, "--list-gpu-code"], stdout=subprocess.PIPE).stdout.decode().split()
    archs = [int(x[3:]) for x in out if re.match(r"sm_\d+$", x)]
    suffixed = [str(a) + s for a in archs for s in "af" if a >= 100 or (a == 90 and s == "a")]
    return [str(a) for a in archs] + suffixed


def standalone(m, names):
    for name in names:
        m.case(m.cubin(name), [[("cubin", "sm_" + name)]])
        m.case(m.ptx(name), [[("ptx", "sm_" + name)]])


def random_entries(rng, names):
    entries = []
    for _ in range(rng.randint(1, 6)):
        e = (rng.choice(["cubin", "cubin", "ptx"]), "sm_" + rng.choice(names))
        if e not in entries:
            entries.append(e)
    return entries


def combined(m, rng, names, n):
    """Fatbins, objects, shared libraries and archives of random content."""
    cubins = {"sm_" + name: m.cubin(name) for name in names}
    objects = []
    for i in range(n):
        entries = random_entries(rng, names)
        m.case(m.fatbin("f%d.fatbin" % i, entries, rng.choice(MODES), cubins), [entries])
        entries = random_entries(rng, names)
        objects.append((m.object("o%d" % i, entries, rng.choice(MODES), cubins), entries))
        m.case(objects[-1][0], [entries])
    for i in range(max(1, n // 2)):
        chosen = rng.sample(objects, min(len(objects), rng.randint(1, 9)))
        so, ar = m.path("lib%d.so" % i), m.path("lib%d.a" % i)
        m.run("gcc", "-shared", "-o", so, *[p for p, _e in chosen])
        m.run("ar", "rc", ar, *[p for p, _e in chosen])
        for path in (so, ar):
            m.case(path, [e for _p, e in chosen])
    # A stray among many: below 2 % it is no support.
    many = [objects[0]] * 60
    for i, (path, _e) in enumerate(many):
        shutil.copy(path, m.path("copy%d.o" % i))
    stray = m.object("stray", [("cubin", "sm_75")], "none", cubins)
    m.run("ar", "rc", m.path("stray.a"), stray, *[m.path("copy%d.o" % i) for i in range(len(many))])
    m.case(m.path("stray.a"), [[("cubin", "sm_75")]] + [e for _p, e in many])


def gencode(entries):
    out = []
    for kind, name in entries:
        out += ["-gencode", "arch=compute_%s,code=%s_%s" % (name[3:], "sm" if kind == "cubin" else "compute", name[3:])]
    return out


def compiled(m, nvcc, rng, names, n):
    """What nvcc itself makes: objects in every compress mode, relocatable ones, linked and not."""
    source = m.path("k.cu")
    with open(source, "w") as f:
        f.write(SOURCE)
    for i in range(n):
        entries, mode = random_entries(rng, names), MODES[i % len(MODES)]
        plain, reloc, whole = m.path("n%d.o" % i), m.path("r%d.o" % i), m.path("n%d.fatbin" % i)
        m.run(nvcc, "-c", "--compress-mode=" + mode, *gencode(entries), source, "-o", plain)
        m.run(nvcc, "-fatbin", "--compress-mode=" + mode, *gencode(entries), source, "-o", whole)
        m.case(plain, [entries])
        m.case(whole, [entries])
        m.run(nvcc, "-dc", "-Xcompiler", "-fPIC", "--compress-mode=" + mode, *gencode(entries), source, "-o", reloc)
        m.case(reloc, [entries])
        # Linked for the architectures of cubins that it has: one more container, with those.
        cubins = [e for e in entries if e[0] == "cubin"]
        if cubins:
            link, so = m.path("d%d.o" % i), m.path("rdc%d.so" % i)
            m.run(nvcc, "-dlink", "-cudadevrt", "none", "-Xcompiler", "-fPIC", "--compress-mode=" + mode, *gencode(cubins), reloc, "-o", link)
            m.run("gcc", "-shared", "-o", so, reloc, link)
            m.case(so, [entries, cubins])
    for mode in MODES:
        stub(m, nvcc, source, mode)


def stub(m, nvcc, source, mode):
    """nvcc links a library for its default architecture, of which no code is there."""
    obj, so = m.path("s-%s.o" % mode), m.path("stub-%s.so" % mode)
    m.run(nvcc, "-c", "-Xcompiler", "-fPIC", "-gencode", "arch=compute_90,code=sm_90", source, "-o", obj)
    m.run(nvcc, "-shared", "--compress-mode=" + mode, "-gencode", "arch=compute_80,code=sm_80", obj, "-o", so)
    m.case(so, [[("cubin", "sm_90")]], ghosts=[("cubin", "sm_80")])


def old_ptxas(cache):
    """ptxas 12.8, which still makes code from sm_50 on and says in the cubin's header what newer ones say in sections."""
    target = os.path.join(cache, "ptxas128")
    path = os.path.join(target, "nvidia", "cuda_nvcc", "bin", "ptxas")
    if not os.path.exists(path):
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target, "nvidia-cuda-nvcc-cu12==12.8.93"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path if os.path.exists(path) else None


OLD = ["50", "52", "53", "60", "61", "62", "70", "72", "75", "80", "86", "87", "89", "90", "90a", "100", "100a", "101", "101a", "120", "120a"]


def old(m, rng, ptxas):
    cubins = {"sm_" + name: m.cubin(name, ptxas, "50", "6.0") for name in OLD}
    for name, path in cubins.items():
        m.case(path, [[("cubin", name)]])
    for i in range(30):
        entries = [("cubin", "sm_" + x) for x in rng.sample(OLD, rng.randint(1, 8))]
        m.case(m.fatbin("old%d.fatbin" % i, entries, rng.choice(MODES), cubins), [entries])


def close(name, made, differ):
    print("%s: %d agree / %d differ" % (name, made - differ, differ))
    return differ == 0


def large(cuvet, cache, seed):
    nvcc, ptxas, fatbinary = tool("nvcc"), tool("ptxas"), tool("fatbinary")
    if not (nvcc and ptxas and fatbinary):
        print("skipped: the matrix needs nvcc, ptxas and fatbinary")
        return True
    rng, names, ok = random.Random(seed), targets(nvcc), True
    with tempfile.TemporaryDirectory() as d:
        m = Maker(d, ptxas, fatbinary)
        standalone(m, names)
        combined(m, rng, names, 60)
        ok &= close("ptxas and fatbinary", *m.judge(cuvet))
    with tempfile.TemporaryDirectory() as d:
        m = Maker(d, ptxas, fatbinary)
        compiled(m, nvcc, rng, names, 15)
        ok &= close("nvcc", *m.judge(cuvet))
    ptxas = old_ptxas(cache)
    if not ptxas:
        print("skipped: ptxas 12.8 could not be installed")
        return ok
    with tempfile.TemporaryDirectory() as d:
        m = Maker(d, tool("ptxas"), fatbinary)
        old(m, rng, ptxas)
        ok &= close("ptxas 12.8", *m.judge(cuvet))
    return ok


def small(cuvet):
    """(cases, differences), or (None, 0) without the tools."""
    nvcc, ptxas, fatbinary = tool("nvcc"), tool("ptxas"), tool("fatbinary")
    if not (nvcc and ptxas and fatbinary and shutil.which("gcc")):
        return None, 0
    rng, known = random.Random(1), targets(nvcc)
    names = [n for n in ("75", "80", "87", "90", "90a", "100f", "103", "120", "120a", "121f") if n in known]
    with tempfile.TemporaryDirectory() as d:
        m = Maker(d, ptxas, fatbinary)
        standalone(m, names)
        combined(m, rng, names, 4)
        return m.judge(cuvet)
