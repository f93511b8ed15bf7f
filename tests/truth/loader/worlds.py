# SPDX-License-Identifier: Apache-2.0
"""Random worlds: a world is plain data (JSON), made from a seed.

    objects   [{"path", spec of objw.build...}]
    links     [[path, target]]
    dirs      directories that are there without files
    files     [[path, text]]
    conf      directories of ld.so.conf; None: no cache
    ldconfig  further arguments of ldconfig
    env       LD_LIBRARY_PATH, LD_PRELOAD, LD_BIND_NOW
    cwd       current directory
    program   path that is run; "loader": true: given to the loader, as ldd does with a library
"""
import random

import objw

DIRS = ["/a", "/b", "/c/lib", "/opt/x/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib", "/w", "/w/rel"]
SUBS = ["glibc-hwcaps/x86-64-v2", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v4", "tls", "x86_64", "haswell", "tls/x86_64", "avx512_1",
        "tls/x86_64/x86_64", "tls/haswell", "glibc-hwcaps", "x86_64/x86_64"]
VERSIONS = ["V1", "V2", "V3"]
SYSTEM = ["libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libdl.so.2", "libpthread.so.0"]


def place(path):
    """Where a path is on systems whose /lib is /usr/lib: what comes second there is not put."""
    return "/usr" + path if path.startswith("/lib/") else path


class Maker:
    def __init__(self, seed, symbols=True):
        self.r = random.Random(seed)
        r = self.r
        count = r.randint(2, 6)
        self.names = ["lib%s.so.%d" % ("abcdefgh"[i], r.choice([1, 2, 10])) for i in range(count)]
        self.dirs = r.sample(DIRS, r.randint(2, 6))
        self.symbols = symbols == "only" or (r.random() < 0.3 and symbols)

    def chance(self, p):
        return self.r.random() < p

    def element(self):
        """An element of a path list, sometimes oddly spelled."""
        r = self.r
        d = r.choice(self.dirs)
        x = r.random()
        if x < 0.55:
            return d
        if x < 0.70:
            return r.choice(["$ORIGIN", "${ORIGIN}", "$ORIGIN/", "$ORIGIN/../a", "${ORIGIN}/../rel", "$ORIGIN/.."])
        if x < 0.75:
            return r.choice(["/$LIB", "/usr/${LIB}", "/opt/$PLATFORM", "/$LIBX", "$ORIGINAL", "/a/$", "${ORIGIN"])
        if x < 0.85:
            return r.choice(["", ".", "rel", "rel/", "./rel", "../w/rel", "..", "/"])
        if x < 0.95:
            return d + r.choice(["/", "//", "/.", "/../" + d.strip("/").split("/")[-1]])
        return r.choice(["/nowhere", "/a/libfile", "/" + "x" * 300])

    def path_list(self, seps=":"):
        n = self.r.choice([1, 1, 2, 2, 3, 4])
        out = self.element()
        for _ in range(n - 1):
            out += self.r.choice(seps) + self.element()
        return out

    def needed_name(self):
        r = self.r
        x = r.random()
        name = r.choice(self.names)
        if x < 0.80:
            return name
        if x < 0.86:
            return r.choice(self.dirs) + "/" + name
        if x < 0.91:
            return r.choice(["$ORIGIN/", "rel/", "./", "${ORIGIN}/../a/", "/$LIB/"]) + name
        if x < 0.97:
            return r.choice(SYSTEM)
        return r.choice(["libmissing.so", "", "libmissing.so.2", "/nowhere/libm.so", objw.INTERP,
                         "/usr/lib/x86_64-linux-gnu/libc.so.6"])

    def needs(self, most):
        return [self.needed_name() for _ in range(self.r.randint(0, most))]

    def lists(self, spec, p):
        if self.chance(p):
            spec["rpath"] = self.path_list()
        if self.chance(p):
            spec["runpath"] = self.path_list()
        if self.chance(0.03):
            spec[self.r.choice(["rpath", "runpath"])] = ""

    def versions(self, spec):
        r = self.r
        if self.chance(0.25) and spec.get("soname"):
            spec["verdef"] = r.sample(VERSIONS, r.randint(1, 2))
        plain = [n for n in spec["needed"] if n in self.names or n in ("libc.so.6", "libm.so.6")]
        if plain and self.chance(0.25):
            spec["verneed"] = {}
            for n in r.sample(plain, r.randint(1, len(plain))):
                if n in self.names:
                    vs = r.sample(VERSIONS, r.randint(1, 2))
                else:
                    vs = [r.choice(["GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.38", "GLIBC_2.99"])]
                spec["verneed"][n] = [[v, "weak"] if self.chance(0.15) else v for v in vs]
        if self.chance(0.01):
            spec.setdefault("verneed", {})[r.choice(self.names)] = ["V1"]

    def sym(self, spec):
        r = self.r
        pool = ["s1", "s2", "s3", "s4"]
        defs, refs = [], []
        for n in r.sample(pool, r.randint(0, 3)):
            v = r.choice(spec["verdef"]) if spec.get("verdef") and self.chance(0.7) else None
            if v and self.chance(0.2):
                v = "~" + v
            defs.append([n, v, r.choice(["func", "data"]), "weak" if self.chance(0.1) else ""])
        wanted = [v if isinstance(v, str) else v[0] for vs in spec.get("verneed", {}).values() for v in vs if not (v if isinstance(v, str) else v[0]).startswith("G")]
        for n in r.sample(pool, r.randint(0, 2)):
            v = r.choice(wanted) if wanted and self.chance(0.7) else None
            refs.append([n, v, r.choice(["func", "func", "data"]), "weak" if self.chance(0.2) else ""])
        if defs:
            spec["defs"] = defs
        if refs:
            spec["refs"] = [x for x in refs]
        if self.chance(0.1):
            spec["now"] = True
        if self.chance(0.1):
            spec["symbolic"] = True
        if self.chance(0.1):
            spec["sysv"] = True

    def opens(self, spec):
        spec["needed"] += ["libdl.so.2", "libc.so.6"]
        spec.setdefault("verneed", {})["libdl.so.2"] = ["GLIBC_2.2.5"]
        spec["dlopen"] = [[self.needed_name() if self.chance(0.97) else "linux-vdso.so.1", self.r.choice([1, 2, 0x101, 0x102])]
                          for _ in range(self.r.randint(1, 3))]

    def library(self, name, path):
        r = self.r
        spec = {"path": path, "soname": name, "needed": self.needs(3)}
        x = r.random()
        if x < 0.08:
            del spec["soname"]
        elif x < 0.16:
            spec["soname"] = r.choice(self.names)
        elif x < 0.18:
            spec["soname"] = path
        self.lists(spec, 0.2)
        self.versions(spec)
        if self.chance(0.04):
            spec["aux"] = [self.needed_name()]
        if self.chance(0.03):
            spec["filter"] = [self.needed_name()]
        if self.chance(0.05):
            spec["flags1"] = 0x800
        if self.chance(0.12):
            spec["bad"] = r.choice(objw.BAD)
        if self.chance(0.05):
            spec["stack"] = r.choice(["rwx", "none"])
        if self.chance(0.03):
            spec["isa"] = r.choice([1, 2, 3, 4, 7, 8, 15])
        if self.chance(0.03):
            spec["kernel"] = r.choice([[2, 6, 32], [9, 0, 0]])
        if self.symbols:
            self.sym(spec)
        return spec

    def place(self, name):
        d = self.r.choice(self.dirs)
        if self.chance(0.12):
            d += "/" + self.r.choice(SUBS)
        return d + "/" + name

    def program(self, world):
        r = self.r
        spec = {"path": "/p/bin/main", "kind": r.choice(["prog", "prog", "exec"]), "needed": self.needs(4)}
        if not spec["needed"] or self.chance(0.3):
            spec["needed"].insert(0, r.choice(self.names))
        if self.chance(0.5):
            spec["needed"].append("libc.so.6")
        self.lists(spec, 0.3)
        if self.chance(0.2):
            filtered = any(o.get("aux") or o.get("filter") for o in world["objects"])
            spec["soname"] = "main" if filtered else r.choice(self.names + ["main"])
        self.versions(spec)
        if self.chance(0.04):
            spec["flags1"] = 0x800
        if self.chance(0.05):
            spec["aux"] = [self.needed_name()]
        if self.chance(0.05):
            spec["stack"] = r.choice(["rwx", "none"])
        if self.symbols:
            self.sym(spec)
        if self.chance(0.35) or self.opener:
            spec["needed"] += ["libdl.so.2", "libc.so.6"]
            spec.setdefault("verneed", {})["libdl.so.2"] = ["GLIBC_2.2.5"]
            spec["dlopen"] = [] if self.opener and self.chance(0.5) else [[self.needed_name() if self.chance(0.97) else "linux-vdso.so.1", r.choice([1, 2, 0x101, 0x102])] for _ in range(r.randint(1, 4))]
        world["program"] = spec["path"]
        if self.chance(0.15):
            world["links"].append(["/w/link", r.choice(["/p/bin/main", "../p/bin/main"])])
            world["program"] = "/w/link"
        return spec

    def links(self, world):
        r = self.r
        for _ in range(r.choice([0, 0, 1, 2, 3])):
            at = r.choice(self.dirs) + "/" + r.choice(self.names)
            x = r.random()
            if x < 0.6 and world["objects"]:
                target = r.choice(world["objects"])["path"]
            elif x < 0.75:
                target = "../" * at.count("/") + r.choice(world["objects"])["path"].lstrip("/")
            elif x < 0.85:
                target = "/nowhere/file"
            elif x < 0.92:
                target = at.split("/")[-1]
            else:
                target = r.choice(["/a", "/b", "/lib/x86_64-linux-gnu/libc.so.6"])
            world["links"].append([at, target])
        if self.chance(0.1):
            world["links"].append(["/l", r.choice(self.dirs)])

    def environment(self, world):
        r = self.r
        env = {}
        if self.chance(0.5):
            env["LD_LIBRARY_PATH"] = self.path_list(":::;")
        if self.chance(0.2):
            env["LD_PRELOAD"] = r.choice([" ", ":"]).join(self.needed_name() for _ in range(r.randint(1, 2)))
        if self.chance(0.05):
            world["files"].append(["/etc/ld.so.preload", r.choice(["%s\n", "# %s\n%s", "%s:%s\n", "  %s #x\n\t%s"]).replace("%s", r.choice(self.names))])
        if self.symbols and self.chance(0.2):
            env["LD_BIND_NOW"] = "1"
        world["env"] = env

    def make(self):
        r = self.r
        world = {"objects": [], "links": [], "dirs": [], "files": [], "conf": None, "ldconfig": [], "cwd": r.choice(["/w", "/", "/a"])}
        seen = set()
        for name in self.names:
            for _ in range(r.choice([0, 1, 1, 1, 2, 2, 3])):
                path = self.place(name)
                if path in seen:
                    continue
                seen.add(path)
                world["objects"].append(self.library(name, path))
        self.opener = None
        libs = [o for o in world["objects"] if not o.get("bad") and not o.get("aux") and not o.get("filter")]
        if libs and self.chance(0.15):
            self.opener = r.choice(libs)
            self.opens(self.opener)
        world["objects"].append(self.program(world))
        if self.opener:
            world["objects"][-1]["needed"].insert(0, self.opener["path"].split("/")[-1])
        if self.chance(0.08):
            world["user"] = True
            world["modes"] = [[p, r.choice([0, 0o000, 0o600])] for p in r.sample([o["path"] for o in world["objects"][:-1]], min(2, len(world["objects"]) - 1))]
            world["modes"] += [[d, 0o700] for d in r.sample(["/a", "/b", "/c/lib", "/w/rel"], r.randint(0, 1))]
        self.links(world)
        self.environment(world)
        if self.chance(0.15):
            world["dirs"].append(self.place(r.choice(self.names)))
        if self.chance(0.4):
            world["conf"] = r.sample(self.dirs, r.randint(1, len(self.dirs))) + (["/usr/lib/x86_64-linux-gnu"] if self.chance(0.5) else [])
            world["ldconfig"] = r.choice([["-X"], ["-X"], [], ["-X", "-c", "compat"], ["-X", "-c", "new"], ["-X", "-c", "old"]])
        libs = [o for o in world["objects"] if o.get("kind", "lib") == "lib" and not o.get("bad")]
        if any("ld-linux" in n for o in world["objects"] for n in o["needed"] + o.get("aux", []) + o.get("filter", [])):
            world["objects"][-1]["needed"].append("libc.so.6")  # the loader as a library wants a malloc
        if libs and self.chance(0.12):
            path = r.choice(libs)["path"]
            taken = [place(link[0]) for link in world["links"]] + [place(o["path"]) for o in world["objects"] if o["path"] != path]
            if place(path) not in taken:
                world["program"], world["loader"] = path, True
        return world


def make(seed, symbols=True):
    return Maker(seed, symbols).make()
