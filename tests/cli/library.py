#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library as its users meet it: installed, found by pkg-config, used from C and C++. library.py BUILD"""
import os
import re
import subprocess
import sys

import harness
from harness import main, need, same

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def sh(*args, **kw):
    p = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **kw)
    need(p.returncode == 0, "%s: status %d: %s" % (" ".join(args), p.returncode, p.stdout.decode()[-2000:]))
    return p.stdout.decode()


class Installed:
    def __init__(self, build, prefix):
        self.prefix = prefix
        sh("cmake", "--install", build, "--prefix", prefix)
        self.lib = next(os.path.join(d, "") for d, _, names in os.walk(prefix) if "libcuvet.so" in names)
        self.env = dict(os.environ, PKG_CONFIG_PATH=os.path.join(self.lib, "pkgconfig"), LD_LIBRARY_PATH=self.lib)

    def flags(self, *args):
        return sh("pkg-config", *args, "cuvet", env=self.env).split()


def public_names():
    out = set()
    folder = os.path.join(harness.ROOT, "include", "cuvet")
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as f:
            out |= set(re.findall(r"^CV_API[^;(]*?\b(cv_\w+)\(", f.read(), re.M))
    return out


def exports_are_the_public_names(installed):
    lines = sh("nm", "-D", "--defined-only", installed.lib + "libcuvet.so").split("\n")
    same({line.split()[-1] for line in lines if line}, public_names(), "exported symbols")


def static_names_are_ours(installed):
    lines = sh("nm", "-g", "--defined-only", installed.lib + "libcuvet.a").split("\n")
    bad = {line.split()[-1] for line in lines if len(line.split()) == 3 and not re.match(r"(_Z\w*)?cv_|__asan|__odr_asan|_Z", line.split()[-1])}
    same(bad, set(), "global names of the static library that do not begin with cv_")


def example_runs(installed):
    source = os.path.join(harness.ROOT, "examples", "check.c")
    out = os.path.join(installed.prefix, "check")
    sh("cc", "-std=c11", *STRICT, source, "-o", out, *installed.flags("--cflags", "--libs"))
    with harness.scratch() as d:
        where = harness.machine(d, "driver_too_old/470-cu121")
        p = subprocess.run([out, where[1]], stdout=subprocess.PIPE, env=installed.env)
        same(p.returncode, 1, "status of the example")
        need("error: driver-too-old:" in p.stdout.decode(), p.stdout.decode())
    p = subprocess.run([out, "/nonexistent"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=installed.env)
    same(p.returncode, 2, "status of the example where there is nothing")
    need("/nonexistent" in p.stderr.decode(), p.stderr.decode())


def example_links_statically(installed):
    source = os.path.join(harness.ROOT, "examples", "check.c")
    out = os.path.join(installed.prefix, "check-static")
    libs = [installed.lib + "libcuvet.a" if f == "-lcuvet" else f for f in installed.flags("--static", "--libs")]
    needed = [f for f in libs if f.endswith(".a") or f in ("-larchive", "-ljansson", "-lzstd", "-lpcre2-8", "-liberty") or f.startswith("-L")]
    sh("cc", "-std=c11", *installed.flags("--cflags"), source, "-o", out, *needed)
    need("libcuvet" not in sh("ldd", out), "the example still needs libcuvet.so")


def headers_are_clean(installed):
    """Each alone, as C11 and as C++11, twice in one file."""
    for name in sorted(os.listdir(os.path.join(installed.prefix, "include", "cuvet"))):
        text = '#include <cuvet/%s>\n#include <cuvet/%s>\nint main(void) { return cv_strerror(0) == 0; }\n' % (name, name)
        include = "-I" + os.path.join(installed.prefix, "include")
        for compiler, language, std in (("cc", "c", "c11"), ("c++", "c++", "c++11"), ("c++", "c++", "c++17")):
            sh(compiler, "-x", language, "-std=" + std, *STRICT, include, "-fsyntax-only", "-", input=text.encode())


def cpp_programs_link(installed):
    text = '#include <cuvet/cuvet.h>\nint main() { return cv_version()[0] == \'\\0\'; }\n'
    out = os.path.join(installed.prefix, "cpp")
    sh("c++", "-x", "c++", "-std=c++11", "-", "-o", out, *installed.flags("--cflags", "--libs"), input=text.encode())
    sh(out, env=installed.env)


def everything_is_installed(installed):
    for path in ("bin/cuvet", "share/man/man1/cuvet.1", "share/cuvet/schema/check-1.json", "share/cuvet/schema/kb-1.json",
                 "share/cuvet/schema/rule-1.json", "share/cuvet/schema/facts-1.json", "share/bash-completion/completions/cuvet",
                 "share/zsh/site-functions/_cuvet", "share/fish/vendor_completions.d/cuvet.fish", "include/cuvet/cuvet.h"):
        need(os.path.exists(os.path.join(installed.prefix, path)), path + " is not installed")
    version = sh(os.path.join(installed.prefix, "bin", "cuvet"), "--version").split()[1]
    same(installed.flags("--modversion"), [version], "version of cuvet.pc")


TESTS = [exports_are_the_public_names, static_names_are_ours, example_runs, example_links_statically, headers_are_clean,
         cpp_programs_link, everything_is_installed]

if __name__ == "__main__":
    with harness.scratch() as directory:
        sys.exit(main(TESTS, Installed(sys.argv[1], os.path.join(directory, "usr"))))
