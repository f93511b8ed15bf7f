#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuvet run` from outside: what it sets, and that the command runs with it: run.py CUVET

A virtual environment of this machine's Python with a module of onnxruntime's name that needs a library of the wheels' layout:
the real interpreter says whether the setting helps.
"""
import json
import os
import shutil
import subprocess

import harness
from documents import valid
from harness import Skip, need, same

NEEDS = "libcublas.so.12"


def build(out, source, *flags):
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", out] + list(flags), input=source.encode(), check=True)


def site_of(env):
    lib = os.path.join(env, "lib")
    return os.path.join(lib, [n for n in os.listdir(lib) if n.startswith("python3")][0], "site-packages")


def environment(d):
    """(prefix, directory of the library): onnxruntime imports only where the loader finds the library."""
    env = os.path.join(d, "venv")
    if not shutil.which("cc") or not shutil.which("python3"):
        raise Skip("no compiler or no Python")
    subprocess.run(["python3", "-m", "venv", "--without-pip", env], check=True)
    site = site_of(env)
    libs, capi = os.path.join(site, "nvidia", "cublas", "lib"), os.path.join(site, "onnxruntime", "capi")
    info = os.path.join(site, "onnxruntime_gpu-1.26.0.dist-info")
    for path in (libs, capi, info):
        os.makedirs(path)
    build(os.path.join(libs, NEEDS), "int cublas(void) { return 12; }", "-Wl,-soname," + NEEDS)
    build(os.path.join(capi, "onnxruntime_pybind11_state.so"),
          "int cublas(void); struct m { long r; void *t, *i; long x; void *c; const char *n, *d; long s; void *a[6]; };\n"
          "void *PyInit_onnxruntime_pybind11_state(void) { static int v; v = cublas(); (void)v; return 0; }",
          os.path.join(libs, NEEDS))
    for path, text in ((os.path.join(site, "onnxruntime", "__init__.py"), '__version__ = "1.26.0"\n'),
                       (os.path.join(capi, "__init__.py"), ""),
                       (os.path.join(capi, "build_and_package_info.py"),
                        "package_name = 'onnxruntime-gpu'\n__version__ = '1.26.0'\ncuda_version = '12.8'\n"),
                       (os.path.join(info, "METADATA"), "Metadata-Version: 2.1\nName: onnxruntime-gpu\nVersion: 1.26.0\n")):
        with open(path, "w") as f:
            f.write(text)
    return env, libs


def opens(env):
    """Does the module load in this process's environment?"""
    module = os.path.join(site_of(env), "onnxruntime", "capi", "onnxruntime_pybind11_state.so")
    return [os.path.join(env, "bin", "python3"), "-c", "import ctypes; ctypes.CDLL(%r); print('it loads')" % module]


def test_the_command_gets_what_it_lacks(world):
    with harness.scratch() as d:
        env, libs = environment(d)
        before = subprocess.run(opens(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=harness.PLAIN)
        need(NEEDS in before.stderr.decode(), "the module loads without help: the test tells nothing")
        r = world.run("run", "--program", "import onnxruntime", "--", *opens(env))
        same((r.status, r.out), (0, "it loads\n"), str(r))
        plan = valid(world.cuvet, "run", "run", "--print", "--json", "--env", env, "--program", "import onnxruntime", status=0)
        same([(c["name"], c["value"]) for c in plan["changes"]], [("LD_LIBRARY_PATH", libs)], "changes")
        r = world.run("run", "--print", "--env", env, "--program", "import onnxruntime")
        need("export LD_LIBRARY_PATH='%s'" % libs in r.out, r.out)


def test_nothing_is_changed_where_nothing_is_wrong(world):
    with harness.scratch() as d:
        env, libs = environment(d)
        plan = json.loads(world.run("run", "--print", "--json", "--env", env, "--program", "import onnxruntime",
                                    env={"LD_LIBRARY_PATH": libs}).out)
        same((plan["changes"], plan["failed"]), ([], None), "plan")


def test_what_is_nowhere_is_a_problem(world):
    with harness.scratch() as d:
        env, libs = environment(d)
        os.unlink(os.path.join(libs, NEEDS))
        r = world.run("run", "--print", "--json", "--env", env, "--program", "import onnxruntime")
        plan = json.loads(r.out)
        same((r.status, plan["changes"], plan["failed"]), (1, [], "onnxruntime"), "plan")
        need(NEEDS in plan["message"] and any(NEEDS in a for a in plan["advice"]), r.out)


def test_a_toolkit_is_pinned(world):
    with harness.scratch() as d:
        env, libs = environment(d)
        cuda = os.path.join(d, "cuda")
        shutil.copytree(libs, os.path.join(cuda, "lib64"))
        r = world.run("run", "--cuda", cuda, "--program", "import onnxruntime", "--env", env, "--", "/bin/sh", "-c",
                      'echo "$CUDA_HOME|${PATH%%:*}|$LD_LIBRARY_PATH"; exit 7')
        same((r.status, r.out), (7, "%s|%s/bin|%s/lib64\n" % (cuda, cuda, cuda)), str(r))
        r = world.run("run", "--print", "--cuda", os.path.join(d, "none"), "--env", env, "--program", "import onnxruntime")
        need(r.status == 2 and "none" in r.err, str(r))


def test_misuse_is_told(world):
    for args, word in ((("run",), "--print"), (("run", "--root", "/", "--", "true"), "--print"),
                       (("run", "--print", "--env", "/nonexistent"), "/nonexistent")):
        r = world.run(*args)
        need(r.status == 2 and word in r.err, str(r))
    with harness.scratch() as d:
        env, _ = environment(d)
        r = world.run("run", "--print", "--env", env, "--program", "import nothing")
        need(r.status == 2 and "nothing" in r.err, str(r))
        r = world.run("run", "--env", env, "--", "/nonexistent/program")
        same(r.status, 127, str(r))


if __name__ == "__main__":
    harness.main_of(globals())
