#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuvet arch` from outside: exit status, document and what is printed: arch.py CUVET

Files that nvcc made lie in tests/data/gpucode; libraries around made-up fatbins come from the ELF writer of the test machines. The
large comparison with cuobjdump is tests/truth/gpucode.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import harness
from documents import valid
from harness import Cuvet, main, need, same
import elfw

DATA = os.path.join(harness.ROOT, "tests", "data", "gpucode")
NOBODY = 65534


def data(name):
    return os.path.join(DATA, name)


def library(targets, **kw):
    return elfw.build(sections={".nv_fatbin": elfw.fatbin(targets, **kw)})


def write(*parts, content=b""):
    path = os.path.join(*parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content)
    return path


def ask(cuvet, *args, status=None):
    return valid(cuvet, "arch", "arch", "--json", *args, status=status)


def verdicts(doc):
    """{base name: [verdict of each GPU]}"""
    return {os.path.basename(f["path"]): [g["verdict"] for g in f["gpus"]] for f in doc["files"]}


def every_form_is_read(cuvet):
    doc = ask(cuvet, *(data(n) for n in sorted(os.listdir(DATA)) if n != "make.sh"), "--cc", "9.0", status=1)
    got = {os.path.basename(f["path"]): (f["cubin"], f["ptx"], f["gpus"][0]["verdict"]) for f in doc["files"]}
    fat = (["sm_80", "sm_90a"], ["sm_120"], "native")
    stub = (["sm_80"], [], "no-gpu-code")
    same(got, {"90a.cubin": (["sm_90a"], [], "native"), "90a-12.8.cubin": (["sm_90a"], [], "native"),
               "100f.cubin": (["sm_100f"], [], "none"), "120.ptx": ([], ["sm_120"], "none"), "plain.fatbin": fat, "lz4.fatbin": fat,
               "zstd.fatbin": fat, "reloc.obj": (["sm_80"], ["sm_90"], "ptx-jit"), "stub-none.obj": stub, "stub-size.obj": stub,
               "stub-speed.obj": stub}, "what the fixtures hold")
    ptx = next(f for f in doc["files"] if f["path"].endswith("120.ptx"))
    same(ptx["code"], [{"place": "sections", "kind": "ptx", "name": "sm_120", "count": 1, "isa": ["9.0"]}], "code of a PTX file")


def status_says_what_was_found(cuvet):
    with harness.scratch() as d:
        none = write(d, "plain.so", content=elfw.build())
        text = write(d, "text.so", content=b"not a library\n")
        for want, args in (
                (0, [data("zstd.fatbin"), "--cc", "8.0"]), (0, [data("zstd.fatbin"), "--cc", "8.0,9.0,12.0"]),
                (1, [data("zstd.fatbin"), "--cc", "7.5"]), (1, [data("zstd.fatbin"), "--cc", "8.0,7.5"]),
                (0, [none]), (0, [none, "--cc", "8.0"]), (3, [text, "--cc", "8.0"]), (3, [text]),
                (1, [text, data("zstd.fatbin"), "--cc", "7.5"]), (3, [text, data("zstd.fatbin"), "--cc", "8.0"]),
                (3, [data("plain.fatbin"), "--cc", "8.7"]), (0, [text, "--cc", "7.5", "--exit-zero"]),
                (0, [data("zstd.fatbin"), "--cc", "7.5", "--exit-zero"])):
            same(cuvet("arch", *args).status, want, "status of arch %s" % args)
            same(cuvet("arch", "--json", *args).status, want, "status of arch --json %s" % args)
        # Nothing was judged: nothing on standard output, and the message names the object.
        for args, word in (([os.path.join(d, "missing.so")], "missing.so"), ([], "which file"), (["/dev/null"], "/dev/null"),
                           ([none, os.path.join(d, "missing.so")], "missing.so"), ([none, "--cc", "8"], "'8'"),
                           ([none, "--cc", "8.9,x"], "'x'"), ([none, "--cc", "sm_89"], "sm_89"),
                           ([none, "--gpu", "Voodoo 3"], "Voodoo 3"), ([none, "--gpu", "RTX 6000"], "could be")):
            r = cuvet("arch", *args)
            same((r.status, r.out), (2, ""), "status and output of arch %s" % args)
            need(word in r.err, "arch %s says %r" % (args, r.err))


def gpus_by_name_and_number(cuvet):
    f = data("zstd.fatbin")
    names = lambda *a: [(g["name"], g["cc"]) for g in ask(cuvet, f, *a)["gpus"]]
    same(names("--gpu", "Tesla T4"), [("Tesla T4", "7.5")], "one product")
    same(names("--gpu", "V100"), [("V100", "7.0")], "a name of several products of one kind stays as asked")
    same(names("--gpu", "NVIDIA A100-SXM4-80GB", "--cc", "9.0"), [("NVIDIA A100-SXM4-80GB", "8.0"), (None, "9.0")], "both")
    same(names("--cc", "8.0, 9.0", "--cc", "12.1"), [(None, "8.0"), (None, "9.0"), (None, "12.1")], "a list and one more")
    same(names("--cc", "9.0,9.0", "--cc", "09.0"), [(None, "9.0")], "the same one again")
    err = cuvet("arch", f, "--gpu", "RTX 6000").err
    need("Ada" in err and "Quadro" in err and "(7.5)" in err and "Blackwell" in err, "one candidate for each kind: " + err)
    same(names("--gpu", " H100 "), [("H100", "9.0")], "blanks around a name")
    for name, hint in (("RTX 9090", "did you mean RTX 3090, RTX 4090 or RTX 5090?"), ("9.0", "did you mean --cc 9.0?"),
                       ("sm_120f", "did you mean --cc 12.0?"), ("A100,H100", "may be repeated"), ("Voodoo 3", "--cc names one")):
        r = cuvet("arch", f, "--gpu", name)
        need(r.status == 2 and hint in r.err and "'%s'" % name in r.err, "%s: %s" % (name, r.err))


def the_gpus_of_the_machine(cuvet):
    with harness.scratch() as d:
        options = harness.machine(d, "healthy/t4-535-torch-cu121")
        root = options[1]
        write(root, "opt", "old.ptx", content=b".version 8.0\n.target sm_70\n")
        write(root, "opt", "new.ptx", content=b".version 8.8\n.target sm_70\n")
        doc = ask(cuvet, "/opt/old.ptx", *options, status=0)
        same([(g["name"], g["cc"]) for g in doc["gpus"]], [("Tesla T4", "7.5")], "GPUs of the machine")
        same(doc["driver_ptx_isa"], "8.2", "PTX of driver 535")
        same(verdicts(doc), {"old.ptx": ["ptx-jit"]}, "PTX that the driver knows")
        same(verdicts(ask(cuvet, "opt/new.ptx", *options, status=1)), {"new.ptx": ["none"]}, "PTX that it does not know")
        same(verdicts(ask(cuvet, "opt/new.ptx", *options, "--cc", "7.5", status=0)), {"new.ptx": ["ptx-jit"]}, "asked for any driver")
        venv = next(os.path.join(t, s) for t, dirs, _f in os.walk(root) for s in dirs if s == "site-packages" and "/usr/" not in t)
        doc = ask(cuvet, venv[len(root):], *options)
        need(verdicts(doc)["libtorch_cuda.so"] == ["native"], "torch of the environment: %s" % verdicts(doc))
    with harness.scratch() as d:
        shutil.copy(data("zstd.fatbin"), d)
        doc = ask(cuvet, "/zstd.fatbin", "--root", d, status=3)
        need(doc["no_gpu"] and doc["gpus"] == [] and doc["verdict"] == "cannot-tell", "an empty tree: %s" % doc["no_gpu"])
        need("--gpu" in cuvet("arch", "/zstd.fatbin", "--root", d).out, "no way out is named")


def one_of_a_kind_stands_for_all(cuvet):
    with harness.scratch() as d:
        options = harness.machine(d, "mask/twin-two-alike-mask-1")
        shutil.copy(data("zstd.fatbin"), options[1])
        same(len(ask(cuvet, "/zstd.fatbin", *options)["gpus"]), 1, "columns of two equal GPUs")
    with harness.scratch() as d:
        options = harness.machine(d, "gpu_code/two-gpus-v100-and-h100")
        shutil.copy(data("zstd.fatbin"), options[1])
        same([g["cc"] for g in ask(cuvet, "/zstd.fatbin", *options, status=1)["gpus"]], ["7.0", "9.0"], "two of different kind")


def fill_tree(d):
    """An environment: two libraries with code, one without, a linker script, links, folders that are passed over."""
    write(d, "lib", "a", "libone.so.1", content=library(["sm_80", "sm_90"]))
    write(d, "lib", "b", "libone.so.1", content=library(["sm_80"]))
    write(d, "lib", "libcpu.so", content=elfw.build())
    write(d, "lib", "libscript.so", content=b"/* GNU ld script */\nINPUT(libone.so.1)\n" + b" " * 5000)
    write(d, "lib", "__pycache__", "libcached.so", content=library(["sm_80"]))
    write(d, "lib", "notes.txt", content=b"no library")
    write(d, "lib", "x.something.so", content=library(["sm_90"]))
    os.symlink("libone.so.1", os.path.join(d, "lib", "a", "libone.so"))
    os.symlink("gone.so", os.path.join(d, "lib", "libdangling.so"))
    os.symlink("lib", os.path.join(d, "lib64"))


def a_directory_is_its_libraries(cuvet):
    with harness.scratch() as d:
        tree, store = os.path.join(d, "env"), os.path.join(d, "store")
        fill_tree(tree)
        linked = write(store, "libkept.so", content=library(["sm_75"]))
        os.symlink(linked, os.path.join(tree, "lib", "liblinked.so"))
        doc = ask(cuvet, tree, "--cc", "9.0", status=1)
        want = ["lib/a/libone.so.1", "lib/b/libone.so.1", "lib/x.something.so", "lib/liblinked.so"]
        same([f["path"] for f in doc["files"]], [os.path.join(tree, p) for p in want], "libraries of the environment")
        same(doc["without_code"], 1, "libraries without code")
        same(doc["gpus"][0]["files"], {"native": 2, "ptx-jit": 0, "partial": 0, "none": 2, "unknown": 0}, "files per verdict")
        need(doc["gpus"][0]["summary"].startswith("2 of 4 libraries have no code for 9.0: "), doc["gpus"][0]["summary"])
        # The same by a relative path, as a tree, and through a link to the directory.
        r = cuvet("arch", "--json", "env", "--cc", "9.0", cwd=d)
        same([f["path"] for f in json.loads(r.out)["files"]], [os.path.join("env", p) for p in want], "by a relative path")
        doc = ask(cuvet, "/lib", "--root", tree, "--cc", "9.0")
        same([f["path"] for f in doc["files"]], ["/" + p for p in want[:3]], "in a tree nothing outside of it is read")
        os.symlink("env", os.path.join(d, "link"))
        same(len(ask(cuvet, os.path.join(d, "link"), "--cc", "9.0")["files"]), 4, "through a link")
        os.mkdir(os.path.join(d, "empty"))
        same(ask(cuvet, os.path.join(d, "empty"), "--cc", "9.0", status=0)["files"], [], "an empty directory")


def what_may_not_be_read_is_no_answer(cuvet):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return
    with harness.scratch() as d:
        os.chmod(d, 0o755)
        fill_tree(os.path.join(d, "env"))
        os.chmod(os.path.join(d, "env", "lib", "a"), 0)
        os.chmod(os.path.join(d, "env", "lib", "b", "libone.so.1"), 0)
        p = subprocess.run(["setpriv", "--reuid=%d" % NOBODY, "--clear-groups", cuvet.path, "arch", "--json", "--cc", "9.0", os.path.join(d, "env")],
                           stdout=subprocess.PIPE, env=harness.PLAIN)
        os.chmod(os.path.join(d, "env", "lib", "a"), 0o755)
        same(p.returncode, 3, "status")
        doc = json.loads(p.stdout)
        closed = {f["path"][len(d):]: f["state"] for f in doc["files"] if f["containers"] is None}
        same(closed, {"/env/lib/a": "denied", "/env/lib/b/libone.so.1": "denied"}, "what is closed")


def wheel(path, members, compress=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compress) as z:
        for name, content in members:
            z.writestr(name, content)
    return path


def a_wheel_is_read_in_place(cuvet):
    long_one = elfw.build(sections={".nv_fatbin": elfw.fatbin(["sm_80", "compute_90"]), ".data": bytes(40 << 20)})
    members = [("pkg/lib/liblong.so", long_one), ("pkg/_C.cpython-311-x86_64-linux-gnu.so", library(["sm_75"])), ("pkg/libcpu.so.1", elfw.build()),
               ("pkg/__init__.py", b"import os\n"), ("pkg-1.0.dist-info/RECORD", b"")]
    with harness.scratch() as d:
        for compress in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            path = wheel(os.path.join(d, "pkg-1.0-py3-none-any.whl"), members, compress)
            doc = ask(cuvet, path, "--cc", "8.0,9.0", status=1)
            same({f["path"]: [g["verdict"] for g in f["gpus"]] for f in doc["files"]},
                 {path + ":pkg/lib/liblong.so": ["native", "ptx-jit"], path + ":pkg/_C.cpython-311-x86_64-linux-gnu.so": ["none", "none"]},
                 "members")
            same(doc["without_code"], 1, "libraries without code")
        same(sorted(os.listdir(d)), ["pkg-1.0-py3-none-any.whl"], "nothing is unpacked")
        doc = ask(cuvet, wheel(os.path.join(d, "pure.whl"), members[3:]), "--cc", "8.0", status=0)
        same((doc["files"], doc["without_code"]), ([], 0), "a wheel without libraries")


def a_damaged_wheel_is_said_to_be(cuvet):
    with harness.scratch() as d:
        path = wheel(os.path.join(d, "a.whl"), [("a/libfirst.so", library(["sm_80"])), ("a/libsecond.so", library(["sm_80"]))])
        good = open(path, "rb").read()
        at = good.index(b"a/libfirst.so") + 60
        bad = write(d, "bad.whl", content=good[:at] + b"\xff" * 200 + good[at + 200:])
        doc = ask(cuvet, bad, "--cc", "8.0", status=3)
        same({f["path"]: f["containers"] for f in doc["files"]}, {bad + ":a/libfirst.so": None, bad + ":a/libsecond.so": 20}, "members")
        same(ask(cuvet, bad, "--cc", "7.5", status=1)["verdict"], "problem", "what is known stays a problem")
        cut = write(d, "cut.whl", content=good[:len(good) // 2])
        doc = ask(cuvet, cut, "--cc", "8.0", status=3)
        same([(f["path"], f["state"]) for f in doc["files"]], [(cut, "unparsed")], "half a wheel")
        need(cut in doc["files"][0]["error"], doc["files"][0]["error"])


def a_cut_library_is_no_library_without_code(cuvet):
    with harness.scratch() as d:
        whole = library(["sm_80"])
        cut = write(d, "cut.so", content=whole[:len(whole) - 200])
        doc = ask(cuvet, cut, "--cc", "8.0", status=3)
        same((doc["files"][0]["containers"], doc["files"][0]["state"]), (None, "unparsed"), "a file that was cut")
        broken = bytearray(whole)
        for m in list(re.finditer(b"\x50\xed\x55\xba", whole))[1:]:
            broken[m.start() + 15] = 0xff
        f = ask(cuvet, write(d, "broken.so", content=bytes(broken)), "--cc", "7.5", status=3)["files"][0]
        need(f["damaged"] > 0 and f["gpus"][0]["verdict"] == "unknown" and "could not be read" in f["gpus"][0]["because"], str(f)[:300])


def strays_are_no_support(cuvet):
    with harness.scratch() as d:
        path = write(d, "libmany.so", content=library(["sm_80"], containers=120, stray=["sm_70"]))
        f = ask(cuvet, path, "--cc", "7.0,8.0,9.0", status=1)["files"][0]
        same([(g["verdict"], g["covered"], g["total"]) for g in f["gpus"]], [("partial", 1, 121), ("native", 120, 121), ("none", 0, 121)],
             "a stray cubin among 120")
        need("hardly any code for 7.0" in cuvet("arch", path, "--cc", "7.0").out, "partial in words")


def columns(text):
    return max(len(line) for line in text.split("\n"))


def the_verdict_comes_first(cuvet):
    with harness.scratch() as d:
        for i in range(24):
            write(d, "lib%02d.so" % i, content=library(["sm_80", "sm_90"] if i else ["sm_80"]))
        out = cuvet("arch", d, "--cc", "8.0,9.0", "--gpu", "V100", env={"COLUMNS": "80"}).out
        lines = out.split("\n")
        same(lines[0], "problem: 24 of 24 libraries have no code for V100 (7.0): lib00.so and 23 more", "the worst GPU")
        same(lines[1], "problem: 1 of 24 libraries has no code for 9.0: lib00.so", "the next")
        same(lines[2], "ok: all 24 libraries have code for 8.0", "the last")
        need(columns(out) <= 80, "a line of %d columns" % columns(out))
        need("cubin" not in out and "-v" in out, "the code of 24 files is listed unasked")
        need("cubin  sm_80 sm_90" in cuvet("arch", "-v", d, "--cc", "8.0").out, "-v does not list it")


def lines_keep_to_the_terminal(cuvet):
    with harness.scratch() as d:
        for i in range(4):
            write(d, "a_rather_long_folder_name_%d" % i, "lib_with_quite_a_long_name_of_its_own_for_testing.cpython-311-x86_64-linux-gnu.so",
                  content=library(["sm_75", "sm_80", "compute_80"]))
        ccs = "7.0,7.5,8.0,8.6,8.9,9.0,10.0,12.0"
        for width in (80, 120):
            out = cuvet("arch", d, "--cc", ccs, env={"COLUMNS": str(width)}).out
            need(columns(out) <= max(width, 80), "a line of %d columns:\n%s" % (columns(out), out))
            for cc in ccs.split(","):
                need(re.search(r"\b%s\b" % re.escape(cc), out), "no column for " + cc)
            for i in range(4):
                need("a_rather_long_folder_name_%d" % i in out, "files that cannot be told apart:\n" + out)


def names_from_files_are_harmless(cuvet):
    with harness.scratch() as d:
        path = wheel(os.path.join(d, "x.whl"), [("p/\x1b[31mred\x07.so", library(["sm_80"])), ("p/r\u00e9sum\u00e9.so", library(["sm_80"]))])
        for args in ([], ["--json"]):
            out = cuvet("arch", path, "--cc", "8.0", "-v", *args).out
            need("\x1b" not in out and "\x07" not in out, "control characters come out")
        need("r\u00e9sum\u00e9.so" in out, "a name that is not ASCII is lost")


def a_bundle_answers_what_it_holds(cuvet):
    with harness.scratch() as d:
        options = harness.machine(d, "healthy/t4-535-torch-cu121")
        root, bundle = options[1], os.path.join(d, "box.tar.zst")
        shutil.copy(data("zstd.fatbin"), root)
        same(cuvet("gather", "-o", bundle, *options).status, 0, "gather")
        doc = ask(cuvet, "/zstd.fatbin", "--root", bundle, "--cc", "8.0", status=3)
        same(doc["files"][0]["state"], "not_asked", "a file that the bundle does not hold")


HEADTOHEAD = [
    # row, code of the file, {GPU by name or number: verdict}; its code is in the wheels' lists, the rules in NVIDIA's guides
    ("H1", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120", {"RTX 4090": "native", "L4": "native", "10.3": "native", "12.1": "native", "7.0": "none"}),
    ("H1", "sm_70 sm_80", {"T4": "native", "RTX 3090": "native", "H100": "none"}),
    ("H3", "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120", {"GTX 1080 Ti": "none", "P100": "none", "V100": "native"}),
    ("H3", "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90", {"RTX 5090": "none", "GTX 1080 Ti": "native", "B200": "none"}),
    ("H4", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120", {"V100": "none", "H100": "native"}),
    ("H15", "sm_75 sm_80 sm_86 sm_89 sm_90a sm_120a", {"B200": "none", "12.1": "none", "RTX 5090": "native", "H100": "native"}),
    ("H29", "sm_80 compute_90a", {"12.0": "none", "H100": "ptx-jit", "10.0": "none"}),
    ("H29", "sm_80 compute_90", {"12.0": "ptx-jit", "8.0": "native"}),
    ("H29", "compute_100f", {"10.0": "ptx-jit", "10.3": "ptx-jit", "12.0": "none", "11.0": "none"}),
    ("H32", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120", {"8.7": "unknown", "10.3": "native", "12.1": "native"}),
]


def questions_that_others_answer_wrongly(cuvet):
    with harness.scratch() as d:
        for i, (row, code, want) in enumerate(HEADTOHEAD):
            path = write(d, "%d.so" % i, content=library(code.split()))
            for gpu, verdict in want.items():
                option = "--cc" if re.match(r"\d+\.\d$", gpu) else "--gpu"
                same(verdicts(ask(cuvet, path, option, gpu))["%d.so" % i], [verdict], "%s: %s on %s" % (row, code, gpu))
    for name, cc in (("A100", "8.0"), ("B200", "10.0"), ("GB300", "10.3"), ("RTX 2000 Ada", "8.9"), ("RTX 2050", "8.6")):
        same([g["cc"] for g in ask(cuvet, data("zstd.fatbin"), "--gpu", name)["gpus"]], [cc], "H30: " + name)


TESTS = [every_form_is_read, status_says_what_was_found, gpus_by_name_and_number, the_gpus_of_the_machine, one_of_a_kind_stands_for_all,
         a_directory_is_its_libraries, what_may_not_be_read_is_no_answer, a_wheel_is_read_in_place, a_damaged_wheel_is_said_to_be,
         a_cut_library_is_no_library_without_code, strays_are_no_support, the_verdict_comes_first, lines_keep_to_the_terminal,
         names_from_files_are_harmless, a_bundle_answers_what_it_holds,
         questions_that_others_answer_wrongly]

if __name__ == "__main__":
    sys.exit(main(TESTS, Cuvet(sys.argv[1])))
