# SPDX-License-Identifier: Apache-2.0
"""Worlds on disk under a real C library, and what its loader does there.

Needs root: each root of a glibc is a chroot with /proc in it (so that $ORIGIN of a program has a value).
"""
import os
import re
import shutil
import subprocess

import objw

SUITES = {"bullseye": "2.31", "bookworm": "2.36", "trixie": "2.41", "sid": "2.43"}
LIBS = ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"]
DEBUG = re.compile(r"^\s+\d+:\t(.*)$", re.S)
LINE = re.compile(r"^\t(.*?)(?: => (.*?))?(?: \(0x[0-9a-f]+\))?$")
NOBODY = 65534
LIBDIR = "lib/x86_64-linux-gnu"


class Root:
    """A root directory that is filled anew for each world."""

    def __init__(self, cache, suite, base):
        self.suite, self.path = suite, base
        self.merged = suite in ("trixie", "sid")  # /lib is /usr/lib
        self.source = os.path.join(cache, "glibc", suite, "root")
        os.makedirs(os.path.join(base, "proc"), exist_ok=True)
        self.mounted = subprocess.run(["mount", "-t", "proc", "proc", os.path.join(base, "proc")]).returncode == 0

    def close(self):
        if self.mounted:
            subprocess.run(["umount", os.path.join(self.path, "proc")])
        for name in os.listdir(self.path):
            if name != "proc":
                self.drop(name)
        os.rmdir(os.path.join(self.path, "proc"))
        os.rmdir(self.path)

    def drop(self, name):
        p = os.path.join(self.path, name)
        shutil.rmtree(p) if os.path.isdir(p) and not os.path.islink(p) else os.unlink(p)

    def at(self, path):
        return self.path + path

    def put(self, path, data, mode=0o755):
        full = self.at(path)
        try:
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "xb") as f:
                f.write(data)
            os.chmod(full, mode)
        except OSError:
            pass  # a place that is taken, or below a file: the world is then without it, for both sides

    def link_system(self):
        merged = self.merged
        lib = "/usr/" + LIBDIR if merged else "/" + LIBDIR
        os.makedirs(self.at(lib))
        os.makedirs(self.at("/usr/lib64" if merged else "/lib64"))
        os.makedirs(self.at("/etc"))
        os.makedirs(self.at("/sbin"))
        if merged:
            os.symlink("usr/lib", self.at("/lib"))
            os.symlink("usr/lib64", self.at("/lib64"))
        else:
            os.makedirs(self.at("/usr/" + LIBDIR))
        os.symlink("/%s/ld-linux-x86-64.so.2" % LIBDIR, self.at("/lib64/ld-linux-x86-64.so.2"))
        for name in LIBS:
            source = os.path.join(self.source + lib, name)
            if os.path.islink(source):
                target = os.readlink(source)
                os.symlink(target, self.at(lib + "/" + name))
                name, source = target, os.path.join(self.source + lib, target)
            os.link(source, self.at(lib + "/" + name))
        tool = "/usr/sbin/ldconfig" if merged else "/sbin/ldconfig"
        os.link(self.source + tool, self.at("/sbin/ldconfig"))

    def fill(self, world):
        for name in os.listdir(self.path):
            if name != "proc":
                self.drop(name)
        self.link_system()
        for d in ["/w/rel", "/a", "/p/bin", "/b"] + world["dirs"]:
            try:
                os.makedirs(self.at(d), exist_ok=True)
            except OSError:
                pass
        for path, target in world["links"]:
            try:
                os.makedirs(os.path.dirname(self.at(path)), exist_ok=True)
                os.symlink(target, self.at(path))
            except OSError:
                pass
        for o in world["objects"]:
            self.put(o["path"], objw.build(o))
        for path, text in world["files"]:
            self.put(path, text.encode(), 0o644)
        for path, mode in world.get("modes", []):
            if os.path.exists(self.at(path)) and not os.path.islink(self.at(path)):
                os.chmod(self.at(path), mode)
        if world["conf"] is not None:
            self.put("/etc/ld.so.conf", ("\n".join(world["conf"]) + "\n").encode(), 0o644)
            self.run(["/sbin/ldconfig"] + world["ldconfig"], "/", {})

    def run(self, argv, cwd, env, user=False):
        def enter():
            os.chroot(self.path)
            os.chdir(cwd)
            if user:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
        p = subprocess.run(argv, env=dict({"LC_ALL": "C"}, **env), preexec_fn=enter, stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
        return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")

    def ask(self, world, trace):
        argv = [objw.INTERP, world["program"]] if world.get("loader") else [world["program"]]
        env = dict(world["env"], LD_DEBUG="libs,files,versions")
        if trace:
            env["LD_TRACE_LOADED_OBJECTS"] = "1"
        try:
            rc, out, err = self.run(argv, world["cwd"], env, world.get("user"))
        except subprocess.TimeoutExpired:
            return {"rc": "hang", "said": [], "events": [], "started": False}
        except OSError as e:
            return {"rc": "exec: %s" % e.strerror, "said": [], "events": []}
        return parse(rc, out, err)


def parse(rc, out, err):
    """events: what the loader does, in order; said: what it prints; found, missing: what a trace lists."""
    r = {"rc": rc, "said": [], "events": [], "found": [], "missing": [], "started": False}
    for line in err.split("\n"):
        m = DEBUG.match(line)
        if not m:
            if line:
                r["said"].append(line)
            continue
        text = m.group(1)
        for pattern, what in ((r"find library=(.*) \[0\]; searching$", "find"), (r"  trying file=(.*)$", "try"),
                              (r"file=(.*) \[0\];  generating link map$", "map")):
            m = re.match(pattern, text, re.S)
            if m:
                r["events"].append((what, m.group(1)))
        if text.startswith("transferring control"):
            r["started"] = True
            r["events"].append(("started", ""))
    for line in out.split("\n"):
        m = LINE.match(line)
        if not m:
            continue
        if m.group(2) == "not found":
            r["missing"].append(m.group(1))
        elif m.group(1) == "statically linked" and not m.group(2):
            r["static"] = True
        elif m.group(1) != "linux-vdso.so.1":
            r["found"].append(m.group(2) or m.group(1))
    return r
