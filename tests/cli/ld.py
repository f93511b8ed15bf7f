#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuvet ld` from outside: exit status, document, and the files that ldd names: ld.py CUVET

The large comparison with four real loaders is tests/truth/loader.
"""
import os
import re
import shutil
import subprocess
import sys

import harness
from documents import valid
from harness import Cuvet, main, need, same
import elfw

SYSTEM = ["/bin/ls", "/bin/sh", shutil.which("python3") or "/usr/bin/python3", "/usr/bin/env"]


def ldd(path):
    """{name: file} as ldd prints it; files after links."""
    out = subprocess.run(["ldd", path], stdout=subprocess.PIPE, text=True, env=harness.PLAIN).stdout
    return {m.group(1): os.path.realpath(m.group(2)) for m in re.finditer(r"^\s*(\S+) => (/\S+) \(0x", out, re.M)}


def made(d, name, **kw):
    path = os.path.join(d, name)
    with open(path, "wb") as f:
        f.write(elfw.build(**kw))
    return path


def files_are_those_of_ldd(cuvet):
    compared = 0
    for path in SYSTEM:
        if not os.path.exists(path) or not shutil.which("ldd"):
            continue
        doc = valid(cuvet, "ld", "ld", path, "--json", status=0)
        same(doc["loads"][0]["path"], os.path.realpath(path), "the first load of %s" % path)
        got = {x["name"]: x["path"] for x in doc["loads"] if x["mode"] == "needed"}
        want = ldd(path)
        same({k: v for k, v in got.items() if k in want}, want, "files of %s" % path)
        compared += len(want)
    need(compared > 0, "nothing was compared")


def a_missing_library_is_a_problem(cuvet):
    with harness.scratch() as d:
        lib = made(d, "libuser.so", soname="libuser.so", needed=["libnothere.so.7"])
        doc = valid(cuvet, "ld", "ld", lib, "--json", status=1)
        same([(m["soname"], m["by"]) for m in doc["missing"]], [("libnothere.so.7", os.path.realpath(lib))], "missing")
        need(doc["missing"][0]["searched"], "nowhere was searched")
        out = cuvet("ld", lib).out
        need(out.startswith("problem: ") and "libnothere.so.7" in out, out)
        same(cuvet("ld", "--exit-zero", lib).status, 0, "status with --exit-zero")


def the_environment_is_that_of_set(cuvet):
    with harness.scratch() as d:
        os.mkdir(os.path.join(d, "a"))
        os.mkdir(os.path.join(d, "b"))
        for x in "ab":
            made(d, x + "/libdep.so.1", soname="libdep.so.1")
        lib = made(d, "libuser.so", soname="libuser.so", needed=["libdep.so.1"], runpath=os.path.join(d, "a"))
        def taken(*args):
            doc = valid(cuvet, "ld", "ld", lib, "--json", *args)
            return next((x["path"], x["step"]) for x in doc["loads"] if x["soname"] == "libdep.so.1")
        same(taken(), (os.path.join(d, "a/libdep.so.1"), "RUNPATH"), "by RUNPATH")
        same(taken("--set", "LD_LIBRARY_PATH=" + d + "/b"), (os.path.join(d, "b/libdep.so.1"), "LD_LIBRARY_PATH"), "by variable")
        why = cuvet("ld", "--why", "libdep", "--set", "LD_LIBRARY_PATH=" + d + "/b", lib).out
        need("a/libdep.so.1" in why and "later in the search" in why, why)


def a_version_that_is_not_there_is_a_problem(cuvet):
    with harness.scratch() as d:
        made(d, "libdep.so.1", soname="libdep.so.1", verdef=["V1"])
        lib = made(d, "libuser.so", soname="libuser.so", needed=["libdep.so.1"], runpath=d, verneed={"libdep.so.1": ["V2"]})
        doc = valid(cuvet, "ld", "ld", lib, "--json", status=1)
        same([(v["needs"], os.path.basename(v["provider"])) for v in doc["version_errors"]], [("V2", "libdep.so.1")], "version errors")


def several_files_are_one_document(cuvet):
    with harness.scratch() as d:
        good = made(d, "libgood.so", soname="libgood.so")
        bad = made(d, "libbad.so", soname="libbad.so", needed=["libnothere.so.7"])
        doc = valid(cuvet, "ld", "ld", good, bad, "--json", status=1)
        same([doc["scenario"]] + [x["scenario"] for x in doc["further"]], [good, bad], "files")


def what_is_no_program_is_refused(cuvet):
    with harness.scratch() as d:
        text = os.path.join(d, "notes.txt")
        with open(text, "w") as f:
            f.write("not a program\n")
        for path in (text, os.path.join(d, "nothing"), d):
            r = cuvet("ld", path)
            same(r.status, 2, "status of %s" % path)
            need(path in r.err and r.out == "", r.err)
        same(cuvet("ld").status, 2, "status without a file")


if __name__ == "__main__":
    sys.exit(main([files_are_those_of_ldd, a_missing_library_is_a_problem, the_environment_is_that_of_set,
                   a_version_that_is_not_there_is_a_problem, several_files_are_one_document, what_is_no_program_is_refused],
                  Cuvet(sys.argv[1])))
