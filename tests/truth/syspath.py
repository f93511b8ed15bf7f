#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is sys.path found as the interpreter makes it? Real Pythons, real venvs, random surroundings, the same every run for one --seed.

  syspath.py [--worlds N] [--seed N] [--helper PROGRAM] [-v]

Each world is an interpreter (every one that this machine has, directly, through links, in venvs of all sorts) with .pth files, a user
site, PYTHONPATH and the like. Compared: sys.path, prefix, base prefix, version. Prints "N agree / N differ"; exit 1 where
anything differs.
"""
import argparse
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ASK = ("import sys, json; print(json.dumps([sys.path, sys.prefix, getattr(sys, 'base_prefix', sys.prefix), "
       "list(sys.version_info[:3]), sys.executable]))")


def sources(*patterns):
    return [p for pattern in patterns for p in sorted(glob.glob(os.path.join(ROOT, pattern)))]


def build(directory):
    """The helper, compiled from the library's own sources with the knowledge base. An archive leaves out what it does not need."""
    cc = [os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-O1", "-I" + os.path.join(ROOT, "src"),
          "-I" + os.path.join(ROOT, "include")]
    kbc, data, out, lib = (os.path.join(directory, name) for name in ("kbc", "kb_data.c", "pyfacts", "lib.a"))
    subprocess.run(cc + ["-o", kbc] + sources("tools/kbc.c", "src/kb/tsv.c", "src/base/*.c"), check=True)
    subprocess.run([kbc, os.path.join(ROOT, "kb"), data], check=True)
    objects = []
    for source in [data] + sources("src/base/*.c", "src/view/*.c", "src/facts/*.c", "src/kb/*.c", "src/parse/*.c", "src/collect/py_*.c",
                                   "src/collect/see.c"):
        objects.append(os.path.join(directory, "%d.o" % len(objects)))
        subprocess.run(cc + ["-c", "-o", objects[-1], source], check=True)
    subprocess.run(["ar", "rcs", lib] + objects, check=True)
    subprocess.run(cc + ["-o", out, os.path.join(ROOT, "tests/helpers/pyfacts.c"), lib, "-larchive", "-ljansson"], check=True)
    return out


def interpreters():
    """One of each installation: (path, (major, minor))."""
    seen, found = set(), []
    for pattern in ("/usr/bin/python3.*", "/usr/local/bin/python3.*", "~/.pyenv/versions/*/bin/python3.*", "/opt/*/bin/python3.*",
                    "~/.local/share/uv/python/*/bin/python3.*", "~/miniforge3/bin/python3.*", "~/miniconda3/bin/python3.*"):
        for path in sorted(glob.glob(os.path.expanduser(pattern))):
            real = os.path.realpath(path)
            if real in seen or not os.access(path, os.X_OK) or path.endswith("config"):
                continue
            seen.add(real)
            try:
                answer = subprocess.run([path, "-I", "-c", "import sys, venv; print(*sys.version_info[:2])"], capture_output=True,
                                        text=True, timeout=60)
                version = tuple(int(n) for n in answer.stdout.split())
            except (OSError, ValueError, subprocess.TimeoutExpired):
                continue
            if answer.returncode == 0 and len(version) == 2:
                found.append((path, version))
    return found


class World:
    """A directory with one environment and what surrounds it."""

    def __init__(self, r, directory, python, version):
        self.r, self.dir, self.version = r, directory, version
        self.env = {"PATH": "/usr/bin:/bin", "HOME": os.path.join(directory, "home"), "LC_ALL": "C.UTF-8"}
        self.notes = [python]
        os.makedirs(self.env["HOME"])
        self.cwd = os.path.join(directory, "cwd")
        os.makedirs(os.path.join(self.cwd, "here"))
        self.exe = self.make_exe(python)

    def chance(self, p, note):
        if self.r.random() >= p:
            return False
        self.notes.append(note)
        return True

    def make_exe(self, python):
        kind = self.r.choice(["venv"] * 6 + ["direct", "link", "link in bin"])
        self.notes.append(kind)
        self.site = None
        if kind == "direct":
            return python
        if kind == "link":
            exe = os.path.join(self.dir, "mypython")
            os.symlink(python, exe)
            return exe
        if kind == "link in bin":
            os.makedirs(os.path.join(self.dir, "x/bin"))
            os.symlink(python, os.path.join(self.dir, "x/bin/py1"))
            exe = os.path.join(self.dir, "x/bin", self.r.choice(["python3", "python", os.path.basename(python)]))
            os.symlink("py1", exe)
            return exe
        return self.make_venv(python)

    def make_venv(self, python):
        venv = os.path.join(self.dir, self.r.choice(["venv", ".venv", "a b"]))
        command = [python, "-m", "venv", "--without-pip"]
        if self.chance(0.4, "--system-site-packages"):
            command.append("--system-site-packages")
        copies = self.chance(0.15, "--copies")
        if copies:
            command.append("--copies")
        subprocess.run(command + [venv], check=True, env=self.env, capture_output=True)
        self.site = glob.glob(os.path.join(venv, "lib/python3*/site-packages"))[0]
        if self.chance(0.1, "outdated version in pyvenv.cfg"):
            self.edit_cfg(venv, "version = ", "version = 3.4.9")
        if self.chance(0.1, "no include-system-site-packages"):
            self.edit_cfg(venv, "include-system", None)
        # A copy without "home" falls back on the prefix that is compiled into it: no file tells that one.
        if not copies and self.chance(0.1, "pyvenv.cfg without home"):
            self.edit_cfg(venv, "home", None)
        if self.chance(0.15, "venv through a link"):
            os.symlink(venv, os.path.join(self.dir, "linked"))
            venv = os.path.join(self.dir, "linked")
        if self.chance(0.1, "debian directories in venv"):
            os.makedirs(os.path.join(venv, "lib/python3/dist-packages"))
            os.makedirs(os.path.join(venv, "local/lib/python%d.%d/dist-packages" % self.version))
        names = sorted(n for n in os.listdir(os.path.join(venv, "bin")) if n.startswith("python"))
        return os.path.join(venv, "bin", self.r.choice(names))

    @staticmethod
    def edit_cfg(venv, key, value):
        path = os.path.join(venv, "pyvenv.cfg")
        with open(path) as f:
            lines = [line for line in f if not line.startswith(key)]
        with open(path, "w") as f:
            f.writelines(lines + ([value + "\n"] if value else []))

    def random_dir(self, below):
        """A directory, mostly one that is there; sometimes a file."""
        name = self.r.choice(["one", "two", "three", "deep/er", "file.zip", "missing", "with space"])
        path = os.path.join(below, name)
        if name == "file.zip":
            open(path, "w").close()
        elif name != "missing":
            os.makedirs(path, exist_ok=True)
        return name

    def pth_line(self, site):
        choice = self.r.randrange(12)
        name = self.random_dir(site)
        if choice == 0:
            return "# " + name
        if choice == 1:
            return os.path.join(site, name)
        if choice == 2:
            return "../site-packages/" + name
        if choice == 3:
            return self.r.choice(["", "   ", "import os", "import\tos", "import os; x = 1", ".", "/", "//", "/../"])
        if choice == 4:
            return name + self.r.choice(["/", "//", "/.", " ", "\t "])
        if choice == 5:
            return self.r.choice([" ", "\t"]) + name
        if choice == 6:
            return "import sys; sys.__plen = len(sys.path)"
        if choice == 7:
            return ("import sys; new=sys.path[sys.__plen:]; del sys.path[sys.__plen:]; "
                    "p=getattr(sys,'__egginsert',0); sys.path[p:p]=new; sys.__egginsert = p+len(new)")
        if choice == 8:
            return self.cwd
        return name

    def fill_site(self, site):
        """.pth files of all sorts; an easy-install end only behind a beginning, as real code would fail otherwise."""
        for number in range(self.r.choice([0, 0, 1, 1, 2, 4])):
            lines = [self.pth_line(site) for _ in range(self.r.randrange(6))]
            begun = False
            kept = []
            for line in lines:
                if "__egginsert" in line and not begun:
                    continue
                begun = begun or "__plen" in line
                kept.append(line)
            end = self.r.choice(["\n", "\n", "\r\n", "\r"])
            text = end.join(kept) + self.r.choice(["", end])
            if self.r.random() < 0.1:
                text = "\ufeff" + text
            name = self.r.choice(["a.pth", "B.pth", ".hidden.pth", "z%d.pth" % number, "not.pth.txt", "\u00e9.pth"])
            with open(os.path.join(site, name), "w", newline="", encoding="utf-8") as f:
                f.write(text)

    def furnish(self):
        if self.site:
            self.fill_site(self.site)
        if self.chance(0.4, "user site"):
            base = os.path.join(self.env["HOME"], ".local")
            if self.chance(0.3, "PYTHONUSERBASE"):
                base = os.path.join(self.dir, "userbase")
                self.env["PYTHONUSERBASE"] = base
            site = os.path.join(base, "lib/python%d.%d/site-packages" % self.version)
            os.makedirs(site)
            self.fill_site(site)
        if self.chance(0.15, "PYTHONNOUSERSITE"):
            self.env["PYTHONNOUSERSITE"] = self.r.choice(["1", "", "x"])
        if self.chance(0.4, "PYTHONPATH"):
            parts = []
            for _ in range(self.r.randrange(4)):
                name = self.random_dir(self.cwd)
                parts.append(self.r.choice([name, os.path.join(self.cwd, name), "", "here", "../cwd/here", self.site or "/usr", "."]))
            self.env["PYTHONPATH"] = ":".join(parts)
        if self.chance(0.1, "VIRTUAL_ENV"):
            self.env["VIRTUAL_ENV"] = "/somewhere"
        if self.version >= (3, 11) and self.site and self.chance(0.08, "._pth"):
            lib = os.path.join(os.path.dirname(self.site), "..")
            real = subprocess.run([self.exe, "-I", "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True,
                                  check=True).stdout.strip()
            lines = [os.path.join(real, "lib/python%d.%d" % self.version),
                     os.path.join(real, "lib/python%d.%d/lib-dynload" % self.version), lib, "# no", "x # yes"]
            with open(self.exe + "._pth", "w") as f:
                f.write("\n".join(lines + (["import site"] if self.r.random() < 0.5 else [])))


def ask_python(world):
    answer = subprocess.run([world.exe, "-c", ASK], env=world.env, cwd=world.cwd, capture_output=True, text=True)
    if answer.returncode != 0:
        return None
    path, prefix, base, version, exe = json.loads(answer.stdout.splitlines()[-1])
    return {"path": [p for p in path if p], "prefix": prefix, "base": base, "version": version, "exe": exe}


def ask_cuvet(helper, world):
    answer = subprocess.run([helper, "--python", world.exe, "--cwd", world.cwd], env=world.env, cwd=world.cwd, capture_output=True,
                            text=True, check=True)
    chosen = [e for e in json.loads(answer.stdout)["env"] if e["selected"][0].get("value")]
    if len(chosen) != 1:
        return {"envs": len(chosen)}
    env = chosen[0]

    def value(name):
        return env[name][0].get("value") if env.get(name) else None

    return {"path": value("sys_path"), "key": env["key"], "base": value("base"), "version": value("python"), "exe": value("exe"),
            "kind": value("kind")}


def differences(real, mine, only_path):
    if mine.get("path") != real["path"]:
        yield "sys.path", real["path"], mine.get("path")
    if only_path:
        return
    if mine.get("key") not in (real["prefix"], os.path.realpath(real["exe"])):
        yield "prefix", real["prefix"], mine.get("key")
    if (mine.get("base") or mine.get("key")) != real["base"] and real["base"] != real["prefix"]:
        yield "base", real["base"], mine.get("base")
    version = ".".join(str(n) for n in real["version"])
    if mine.get("version") not in (version, ".".join(version.split(".")[:2])):
        yield "version", version, mine.get("version")
    if mine.get("exe") != real["exe"]:
        yield "exe", real["exe"], mine.get("exe")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--helper")
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    r = random.Random(args.seed)
    top = tempfile.mkdtemp(prefix="cuvet-syspath-")
    agree = differ = skipped = 0
    try:
        helper = args.helper or build(top)
        pythons = interpreters()
        for i in range(args.worlds):
            directory = os.path.join(top, "w%d" % i)
            os.makedirs(directory)
            python, version = r.choice(pythons)
            world = World(r, directory, python, version)
            world.furnish()
            real = ask_python(world)
            if real is None:
                skipped += 1
                if args.v:
                    print("world %d: Python itself fails: %s" % (i, ", ".join(world.notes)))
                shutil.rmtree(directory)
                continue
            found = list(differences(real, ask_cuvet(helper, world), "._pth" in world.notes))
            agree += not found
            differ += bool(found)
            if found:
                print("world %d: %s" % (i, ", ".join(world.notes)))
                for what, want, got in found:
                    print("  %s\n    Python: %s\n    cuvet:  %s" % (what, want, got))
            if not (found and args.v):
                shutil.rmtree(directory)
        print("sys.path of %d Pythons: %d agree / %d differ" % (len(pythons), agree, differ)
              + (", %d worlds in which Python does not start" % skipped if skipped else ""))
    finally:
        if not args.v:
            shutil.rmtree(top, ignore_errors=True)
    return 1 if differ or not agree else 0


if __name__ == "__main__":
    sys.exit(main())
