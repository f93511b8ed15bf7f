#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuvet ld --env` beside Python itself: scenario.py CUVET

Two packages that load libraries as frameworks do (ctypes, a preload after a failure, an extension module, a constructor that opens a
driver) are built with the machine's compiler, imported by this very Python and asked about with rows of --kb DIR alone. What is mapped
and what is predicted must be the same files. The large comparison with real frameworks is tests/truth/imports.
"""
import json
import os
import shutil
import subprocess
import sys

import harness
from documents import valid
from harness import Cuvet, Skip, main, need, same

SHINY = """
import ctypes, glob, os, sys
DEPS = os.path.join(os.path.dirname(__file__), "lib", "libshiny_deps.so")
def preload(name):
    for p in sys.path:
        found = sorted(glob.glob(os.path.join(p, "vendor", "lib", name)))
        if found:
            return ctypes.CDLL(found[0])
    raise ValueError(name + " not found in the system path " + str(sys.path))
try:
    ctypes.CDLL(DEPS, mode=ctypes.RTLD_GLOBAL)
except OSError as e:
    if "libvend" not in str(e):
        raise
    preload("libvend.so.*[0-9]")
    ctypes.CDLL(DEPS, mode=ctypes.RTLD_GLOBAL)
try:
    import shiny._C
except ImportError as e:
    if "export function" not in str(e):
        raise
"""
OTHER = """
import ctypes, os
ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libother.so"))
"""
ROWS = """
scenario:libvend.so\t\t\tstep:010\tdlopen lazy libvend.so libdriver.so.1 else next
scenario:other\t\t\tstep:010\tcdll now {other}/libother.so
scenario:shiny\t3\t4\tstep:010\tcdll now,global {shiny}/lib/libshiny_deps.so else 20
scenario:shiny\t5\t\tstep:010\tcdll now,global {shiny}/lib/no_such_file.so
scenario:shiny\t3\t4\tstep:015\tgoto 40
scenario:shiny\t3\t4\tstep:020\tif-error libvend
scenario:shiny\t3\t4\tstep:025\tfind now {path}/vendor/lib/libvend.so.*[0-9]
scenario:shiny\t3\t4\tstep:030\tcdll now,global {shiny}/lib/libshiny_deps.so
scenario:shiny\t3\t4\tstep:040\tmodule shiny._C
"""
ASK = """
error = ""
try:
    %s
except Exception as e:
    error = str(e)
print(error)
for line in open("/proc/self/maps"):
    if line.count("/"):
        print(line.split(None, 5)[5].strip())
"""
VENDOR = """
#include <dlfcn.h>
__attribute__((constructor)) static void begin(void) { dlopen("libdriver.so.1", RTLD_LAZY); }
int vend(void) { return 1; }
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


class Place:
    """An environment below d, and the kb directory beside it."""

    def __init__(self, d, version="3.1"):
        self.d = os.path.realpath(d)
        self.env = self.d + "/env"
        self.site = self.env + "/lib/python%d.%d/site-packages" % sys.version_info[:2]
        exe = os.path.realpath(sys.executable)
        write(self.env + "/pyvenv.cfg", "home = %s\ninclude-system-site-packages = false\nversion = %d.%d.%d\n"
              % ((os.path.dirname(exe),) + sys.version_info[:3]))
        os.makedirs(self.env + "/bin")
        os.symlink(exe, self.env + "/bin/python3")
        write(self.site + "/shiny/__init__.py", SHINY)
        write(self.site + "/shiny-%s.dist-info/METADATA" % version, "Metadata-Version: 2.1\nName: shiny\nVersion: %s\n" % version)
        write(self.site + "/other/__init__.py", OTHER)
        self.build("vendor/lib/libvend.so.7", VENDOR, "-ldl")
        self.build("shiny/lib/libshiny_deps.so", "int vend(void); int deps(void) { return vend(); }", self.site + "/vendor/lib/libvend.so.7")
        self.build("shiny/_C.so", "int deps(void); int c(void) { return deps(); }", self.site + "/shiny/lib/libshiny_deps.so",
                   "-Wl,-rpath,$ORIGIN/lib")
        self.build("other/libvend.so.7", VENDOR, "-ldl")
        self.build("other/libother.so", "int vend(void); int other(void) { return vend(); }", self.site + "/other/libvend.so.7",
                   "-Wl,-rpath,$ORIGIN")
        self.kb = self.d + "/kb"
        write(self.kb + "/shiny.tsv", "".join(r + "\ttest\t2026-01-01\tderived\n" for r in ROWS.strip().split("\n")))
        write(self.kb + "/SOURCES", "test\tA test\t\t2026-01-01\n")

    def build(self, name, code, *args):
        out = name if name.startswith("/") else os.path.join(self.site, name)
        cc = shutil.which("cc") or shutil.which("gcc")
        if not cc:
            raise Skip("no C compiler")
        os.makedirs(os.path.dirname(out), exist_ok=True)
        write(self.d + "/x.c", code)
        subprocess.run([cc, "-shared", "-fPIC", "-Wl,--no-as-needed", "-Wl,-soname," + os.path.basename(out), "-o", out, self.d + "/x.c"]
                       + list(args), check=True)

    def real(self, program, path):
        """(error, files of this place that are mapped)."""
        env = dict(harness.PLAIN, **({"LD_LIBRARY_PATH": path} if path else {}))
        r = subprocess.run([self.env + "/bin/python3", "-I", "-c", ASK % program], stdout=subprocess.PIPE, text=True, check=True, env=env)
        error, *files = r.stdout.split("\n")
        return error, {f for f in files if f.startswith(self.d) and ".so" in f}

    def agree(self, cuvet, program, path=None):
        """The document, after it was held against Python."""
        error, files = self.real(program, path)
        args = ["ld", "--env", self.env, "--kb", self.kb, program, "--json"] + (["--set", "LD_LIBRARY_PATH=" + path] if path else [])
        doc = valid(cuvet, "ld", *args, status=1 if error else 0)
        same({x["path"] for x in doc["loads"] if x["path"].startswith(self.d)}, files, "files of %s with %s" % (program, path))
        failed = [s["message"] for s in doc["steps"] if s["outcome"] == "failed"]
        need(bool(error) == bool(failed) and (not failed or failed[-1] in error), "%r, predicted %r" % (error, failed))
        return {os.path.relpath(f, self.d) for f in files}


SITE = "env/lib/python%d.%d/site-packages/" % sys.version_info[:2]


def a_preload_after_a_failure(cuvet):
    with harness.scratch() as d:
        p = Place(d)
        got = p.agree(cuvet, "import shiny")
        same(got, {SITE + "vendor/lib/libvend.so.7", SITE + "shiny/lib/libshiny_deps.so", SITE + "shiny/_C.so"}, "files")


def the_search_path_makes_it_needless(cuvet):
    with harness.scratch() as d:
        p = Place(d)
        p.build(p.d + "/else/libvend.so.7", VENDOR, "-ldl")
        got = p.agree(cuvet, "import shiny", p.d + "/else")
        need("else/libvend.so.7" in got and SITE + "vendor/lib/libvend.so.7" not in got, got)


def a_constructor_opens_the_driver(cuvet):
    with harness.scratch() as d:
        p = Place(d)
        p.build(p.d + "/driver/libdriver.so.1", "int driver(void) { return 0; }")
        need("driver/libdriver.so.1" in p.agree(cuvet, "import shiny", p.d + "/driver"), "no driver")


def whose_copy_depends_on_the_order(cuvet):
    with harness.scratch() as d:
        p = Place(d)
        first = p.agree(cuvet, "import shiny; import other")
        second = p.agree(cuvet, "import other; import shiny")
        need(SITE + "vendor/lib/libvend.so.7" in first and SITE + "other/libvend.so.7" not in first, first)
        need(SITE + "other/libvend.so.7" in second and SITE + "vendor/lib/libvend.so.7" not in second, second)


def failures_have_the_words_of_python(cuvet):
    with harness.scratch() as d:
        p = Place(d)
        os.unlink(p.site + "/vendor/lib/libvend.so.7")
        p.agree(cuvet, "import shiny")
        p.build("vendor/lib/libvend.so.7", "int nothing(void) { return 0; }")
        need(SITE + "vendor/lib/libvend.so.7" in p.agree(cuvet, "import shiny"), "the preload was undone")
        os.unlink(p.site + "/shiny/lib/libshiny_deps.so")
        p.agree(cuvet, "import shiny")
        os.unlink(p.site + "/other/libother.so")
        p.agree(cuvet, "import other")


def rows_are_those_of_the_version(cuvet):
    with harness.scratch() as d:
        p = Place(d, "5.0")
        r = cuvet("ld", "--env", p.env, "--kb", p.kb, "import shiny", "--json")
        same(r.status, 1, "status")
        need("no_such_file.so" in json.loads(r.out)["steps"][0]["message"], r.out[-500:])
    with harness.scratch() as d:
        p = Place(d, "4.0")
        r = cuvet("ld", "--env", p.env, "--kb", p.kb, "import shiny")
        same(r.status, 2, "status without rows for this version")
        need("shiny: the knowledge base does not know what this loads" in r.err, r.err)


def without_rows_nothing_is_known(cuvet):
    with harness.scratch() as d:
        p = Place(d)
        r = cuvet("ld", "--env", p.env, "import shiny")
        same((r.status, r.out), (2, ""), "status and output")
        need("what this loads is not known" in r.err, r.err)
        write(p.kb + "/shiny.tsv", "scenario:shiny\t\t\tstep:010\tfly away\ttest\t2026-01-01\tderived\n")
        r = cuvet("ld", "--env", p.env, "--kb", p.kb, "import shiny")
        same((r.status, r.out), (2, ""), "status and output of a step that cannot be read")
        need("fly away" in r.err and "unknown operation" in r.err, r.err)


if __name__ == "__main__":
    sys.exit(main([a_preload_after_a_failure, the_search_path_makes_it_needless, a_constructor_opens_the_driver,
                   whose_copy_depends_on_the_order, failures_have_the_words_of_python, rows_are_those_of_the_version,
                   without_rows_nothing_is_known], Cuvet(sys.argv[1])))
