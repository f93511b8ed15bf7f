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

sys.path.append(os.path.join(harness.ROOT, "tests", "truth", "loader"))
import objw  # noqa: E402

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


def linked(d, name, **spec):
    """An object with relocations."""
    path = os.path.join(d, name)
    with open(path, "wb") as f:
        f.write(objw.build(dict(spec, path=path)))
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


STRING = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"


def undefined_symbols_are_readable(cuvet):
    with harness.scratch() as d:
        lib = linked(d, "libuser.so", soname="libuser.so", refs=[["_ZN3foo3barERK" + STRING, None, "data", ""], ["late", None, "func", ""]])
        out = cuvet("ld", "--symbols", lib).out
        need("libuser.so needs 1 symbol that nothing defines:\n    foo::bar(std::__cxx11::string const&)\n" in out, out)
        need("fails when it calls a function that nothing defines:\n    late\n" in out and "_ZN3foo" not in out, out)
        need("    _ZN3foo3barERK" + STRING in cuvet("ld", "-v", "--symbols", lib).out, "-v shows the name in the file")
        many = linked(d, "libmany.so", refs=[["f%d" % i, None, "data", ""] for i in range(13)] + [["PyList_New", None, "data", ""]])
        out = cuvet("ld", "--symbols", many).out
        need("    and 3 more: -v lists them\n" in out and "    1 of Python's C API: " in out, out)
        need("f12" not in out and "f12" in cuvet("ld", "-v", "--symbols", many).out, out)


def the_other_cxx11_abi_is_told(cuvet):
    old, new = "_ZN3c104warnERKSs", "_ZN3c104warnERK" + STRING
    for defined, wanted, macro in ((old, new, "_GLIBCXX_USE_CXX11_ABI=0"), (new, old, "_GLIBCXX_USE_CXX11_ABI=1")):
        with harness.scratch() as d:
            dep = linked(d, "libdep.so", soname="libdep.so", defs=[[defined, None, "func", ""]])
            lib = linked(d, "libuser.so", needed=["libdep.so"], runpath=d, refs=[[wanted, None, "data", ""]])
            doc = valid(cuvet, "ld", "ld", "--symbols", lib, "--json", status=1)
            same(doc["undefined"], [{"object": os.path.realpath(lib), "symbol": wanted, "demangled": doc["undefined"][0]["demangled"], "fatal": True,
                                     "other_abi": {"provider": os.path.realpath(dep), "symbol": defined, "built_with": macro}}], "undefined")
            out = " ".join(cuvet("ld", "--symbols", lib).out.split())
            need("1 undefined symbol, 1 of the other C++11 ABI" in out, out)
            need("libdep.so defines 1 of them for the other C++11 ABI: it is built with %s, libuser.so is not" % macro in out, out)


def the_tree_is_in_columns(cuvet):
    with harness.scratch() as top:
        d = os.path.join(top, "a-directory-with-a-long-name-of-its-own")
        os.makedirs(os.path.join(d, "deep"))
        made(d, "deep/libb.so.1", soname="libb.so.1")
        made(d, "liba-with-a-longer-name.so.1", soname="liba-with-a-longer-name.so.1", needed=["libb.so.1"], runpath="$ORIGIN/deep")
        lib = made(d, "libuser.so", soname="libuser.so", needed=["liba-with-a-longer-name.so.1", "libno.so"], runpath=d)
        out = cuvet("ld", lib).out
        rows = [x for x in out.split("\n") if re.match(r" +lib\S+ +(RUNPATH|missing)", x)]
        same([x.split() for x in rows], [["liba-with-a-longer-name.so.1", "RUNPATH", "…/"], ["libb.so.1", "RUNPATH", "…/deep/"], ["libno.so", "missing"]],
             "rows")
        same([x.index(x.split()[0]) for x in rows], [2, 4, 2], "what is needed stands below who needs it")
        same(len({x.index(x.split()[1]) for x in rows}), 1, "columns of the step")
        need("  … is %s\n" % os.path.realpath(d) in out, out)
        need(os.path.join(os.path.realpath(d), "deep/libb.so.1") in cuvet("ld", "--flat", lib).out, "--flat has whole paths")
        out = cuvet("ld", "-v", lib).out
        need(os.path.join(os.path.realpath(d), "deep/libb.so.1") in out and "by $ORIGIN/deep" in out and "…" not in out, out)


def a_preload_that_is_missing_does_not_end_it(cuvet):
    with harness.scratch() as d:
        lib = made(d, "libuser.so", soname="libuser.so")
        out = cuvet("ld", "--set", "LD_PRELOAD=libnosuch.so", lib).out
        need(out.startswith("problem: %s loads, but libnosuch.so is missing\n" % lib), out)
        need("cannot be preloaded" in out, out)


def why_tells_the_whole_story(cuvet):
    with harness.scratch() as d:
        made(d, "libc1.so", soname="libc1.so", needed=["libno.so"])
        made(d, "libb1.so", soname="libb1.so", needed=["libc1.so"], runpath=d)
        lib = made(d, "libuser.so", soname="libuser.so", needed=["libb1.so", "libc1.so"], runpath=d)
        out = cuvet("ld", "--why", "libc1", lib).out
        need("  libc1.so is %s/libc1.so\n    asked for by    libuser.so\n    found by        RUNPATH %s of libuser.so\n" % (os.path.realpath(d), d) in out, out)
        need("    also asked by   libb1.so\n" in out, out)
        same(out.count("libc1.so is "), 1, "a file is told once")
        out = cuvet("ld", "--why", "libno", lib).out
        need("  libno.so is missing\n    asked for by    libuser.so → libc1.so\n    looked in       /etc/ld.so.cache\n" in out, out)
        need("nothing asks for libother" in cuvet("ld", "--why", "libother", lib).out, "a name that nobody asks for")


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


def other_kinds_of_file_are_named(cuvet):
    with harness.scratch() as d:
        def put(name, data):
            with open(os.path.join(d, name), "wb") as f:
                f.write(data)
            return os.path.join(d, name)
        os.mkfifo(os.path.join(d, "fifo"))
        os.symlink("gone", os.path.join(d, "dangling"))
        relocatable = bytearray(elfw.build(soname="x"))
        relocatable[16] = 1
        strange = bytearray(elfw.build(soname="x"))
        strange[18] = 0x99
        for path, words in ((put("script", b"#!/bin/sh\n"), "a script for /bin/sh, not an ELF file"), (put("bare", b"#!"), "a script, not an ELF file"),
                            (os.path.join(d, "fifo"), "not a regular file"), ("/dev/null", "not a regular file"), (d, "a directory"),
                            (os.path.join(d, "dangling"), "not found"), (put("short", b"\x7fELF"), "not an ELF file"),
                            (put("mod.ko", bytes(relocatable)), "an object file or kernel module"), (put("odd", bytes(strange)), "no rules for the loader")):
            r = cuvet("ld", path)
            same((r.status, r.out), (2, ""), "status and output of %s" % path)
            need(path in r.err and words in r.err, r.err)
        if os.uname().machine == "x86_64" and not os.path.exists("/lib/ld-linux-aarch64.so.1"):
            r = cuvet("ld", made(d, "libarm.so", arch="aarch64", soname="libarm.so", needed=["libc.so.6"]))
            same(r.status, 1, "status of a library for aarch64")
            words = " ".join(r.out.split())
            need("it is built for aarch64, and the loader of that, /lib/ld-linux-aarch64.so.1, is not here" in words, r.out)


def what_is_no_program_does_not_stop_the_others(cuvet):
    with harness.scratch() as d:
        good = made(d, "libgood.so", soname="libgood.so")
        text = os.path.join(d, "notes.txt")
        with open(text, "w") as f:
            f.write("not a program\n")
        doc = valid(cuvet, "ld", "ld", text, good, "--json", status=3)
        same((doc["scenario"], doc["error"], doc["further"][0]["scenario"], doc["further"][0]["error"]), (text, text + ": not an ELF file", good, None), "both")
        out = cuvet("ld", text, good).out
        need(out.startswith("cannot tell: %s: not an ELF file\n" % text) and "ok: " + good in out, out)


def a_long_library_path_is_searched(cuvet):
    with harness.scratch() as d:
        made(d, "libdep.so.1", soname="libdep.so.1")
        lib = made(d, "libuser.so", soname="libuser.so", needed=["libdep.so.1"])
        many = ":".join("/opt/d%d" % i for i in range(7000)) + ":" + ":/opt/d1" * 3000 + ":" + d
        doc = valid(cuvet, "ld", "ld", "--set", "LD_LIBRARY_PATH=" + many, lib, "--json", status=0)
        same([x["step"] for x in doc["loads"] if x["soname"] == "libdep.so.1"], ["LD_LIBRARY_PATH"], "the last of 7000 directories")
        r = cuvet("ld", "--set", "LD_LIBRARY_PATH=" + ":".join("/o%d" % i for i in range(17000)), lib)
        same(r.status, 3, "status with 17000 directories")
        need("more than 16384 directories in the path list \"/o0:/o1:" in " ".join(r.out.split()), r.out)


if __name__ == "__main__":
    sys.exit(main([files_are_those_of_ldd, a_missing_library_is_a_problem, the_environment_is_that_of_set,
                   a_version_that_is_not_there_is_a_problem, undefined_symbols_are_readable, the_other_cxx11_abi_is_told,
                   the_tree_is_in_columns, a_preload_that_is_missing_does_not_end_it, why_tells_the_whole_story, several_files_are_one_document, what_is_no_program_is_refused,
                   other_kinds_of_file_are_named, what_is_no_program_does_not_stop_the_others, a_long_library_path_is_searched],
                  Cuvet(sys.argv[1])))
