#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What comes in: roots that are none, environments that are not there, pages and answers; and that nothing else is touched."""
import hashlib
import json
import os
import shutil
import subprocess

from harness import Skip, main_of, need


def input_error(w, *args, says):
    d = w.run(*args)
    need(d.status == 2 and d.out == "", args, d)
    need(says in d.err, "stderr does not name %r:" % says, d)


def test_a_root_that_is_no_bundle(w):
    for name, data in (("text", b"hello\n"), ("zeros", b"\0" * 5000), ("empty", b""), ("zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 100)):
        path = w.path("not-a-bundle-" + name)
        with open(path, "wb") as f:
            f.write(data)
        input_error(w, "check", "--root", path, says="not-a-bundle-" + name)


def test_a_root_that_may_not_be_read(w):
    path = w.path("locked")
    os.makedirs(path, exist_ok=True)
    os.chmod(path, 0)
    d = w.run("check", "--root", path, nobody=True)
    need(d.status == 2 and "locked" in d.err and not d.out, d)


def test_an_environment_that_is_not_there(w):
    for option, path in (("--env", "/no/such/env"), ("--python", "/no/such/python")):
        d = w.run("check", "--root", w.machine("healthy"), option, path, "--json")
        need(d.status in (2, 3), d)
        need(path in d.err + d.out, "nobody says that it is not there:", d)


def test_check_is_the_default_command(w):
    root = w.machine("healthy")
    need(w.run("--root", root, "--json").out == w.run("check", "--root", root, "--json").out, "cuvet alone is not cuvet check")


def test_every_rule_of_the_list_has_a_page(w):
    rules = json.loads(w.run("rule", "--list", "--json").out)["rules"]
    need(len(rules) >= 11, "only %d rules" % len(rules))
    for r in rules:
        d = w.run("rule", r["id"])
        need(d.status == 0 and r["id"] in d.out and len(d.out) > 200, r["id"], d)
    d = w.run("rule", "no-such-rule")
    need(d.status == 3 and "no-such-rule" in d.err + d.out, d)


def test_kb_answers_in_words(w):
    """Among them those that tools in use get wrong: branches 595, 565, 495 and 440, exact toolkit drivers."""
    for words, says in ((("torch", "2.4"), "12.1"), (("driver", "535"), "12.2"), (("gpu", "RTX 4090"), "8.9"), (("driver", "565"), "12.7"),
                        (("driver", "595"), "13.2"), (("driver", "495"), "11.5"), (("driver", "440"), "10.2"), (("cuda", "12.6"), "560.28.03"),
                        (("cuda", "12.8"), "570.26"), (("cuda", "12.9"), "575.51.03"), (("cuda", "13.1"), "590.44.01"), (("cuda", "13.2"), "595.45.04")):
        d = w.run("kb", *words)
        need(d.status == 0 and says in d.out, words, d)


def test_kb_of_names_that_mislead(w):
    for name, cc in (("A100", "8.0"), ("B200", "10.0"), ("GB300", "10.3"), ("RTX 2000 Ada", "8.9"), ("RTX 2050", "8.6")):
        d = w.run("kb", "gpu", name)
        need(d.status == 0 and cc in d.out, name, d)


def test_kb_does_not_know(w):
    for words in (("torch", "99.0"), ("nonsense",), ("gpu", "No Such Card")):
        d = w.run("kb", *words)
        need(d.status == 3, words, d)
        need("knowledge" in d.out + d.err, words, "does not name the knowledge base:", d)


def test_a_full_file_system(w):
    if os.geteuid() != 0:
        raise Skip("only root can mount")
    where = w.path("tiny")
    os.makedirs(where, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", where], stderr=subprocess.DEVNULL).returncode:
        raise Skip("no tmpfs can be mounted here")
    try:
        with open(os.path.join(where, "filler"), "wb") as f:
            f.write(b"x" * 8192)
        for args in (("check", "--root", w.machine("problem"), "--format", "facts"), ("gather", "--root", w.machine("problem"))):
            d = w.run(*args, "-o", os.path.join(where, "report"))
            need(d.status == 2 and "report" in d.err, d)
            need(os.listdir(where) == ["filler"], args[0], "leaves behind:", os.listdir(where))
    finally:
        subprocess.run(["umount", where])


def test_an_old_bundle_survives_a_failure(w):
    path = w.path("old.tar.zst")
    with open(path, "w") as f:
        f.write("old")
    d = w.run("gather", "--root", "/nonexistent/tree", "-o", path)
    need(d.status == 2, d)
    with open(path) as f:
        need(f.read() == "old", "a failed gather changed the file")
    input_error(w, "gather", "--root", w.machine("healthy"), "-o", "/nonexistent/dir/bundle", says="/nonexistent/dir/bundle")


def test_a_tree_does_not_depend_on_who_looks(w):
    args = ["check", "--root", w.machine("problem"), "--json"]
    plain = w.run(*args).out
    for env in ({"HOME": "/root"}, {"PYTHONPATH": "/x"}, {"CUDA_VISIBLE_DEVICES": "5"}, {"LD_LIBRARY_PATH": "/nowhere"}, {"VIRTUAL_ENV": "/other"},
                {"PATH": "/opt/venv/bin"}, {"CONDA_PREFIX": "/opt/conda"}, {"CUDA_HOME": "/usr/local/cuda"}, {"LD_PRELOAD": ""}):
        need(w.run(*args, env=env).out == plain, "output for a tree depends on", env)
    need(w.run(*args, cwd="/").out == plain, "output for a tree depends on the working directory")


def fingerprint(root):
    out = hashlib.sha256()
    for base, dirs, files in os.walk(root):
        dirs.sort()
        for n in sorted(files) + dirs:
            st = os.lstat(os.path.join(base, n))
            out.update(("%s %o %d %d" % (os.path.join(base, n), st.st_mode, st.st_size, st.st_mtime_ns)).encode())
    return out.hexdigest()


def test_nothing_is_changed(w):
    root = w.machine("problem")
    before = fingerprint(root)
    w.run("check", "--root", root)
    w.run("gather", "--root", root, "-o", w.path("b.tar.zst"))
    need(fingerprint(root) == before, "a run changed the tree")


def test_nothing_is_started_and_no_network(w):
    strace = shutil.which("strace")
    if not strace:
        raise Skip("no strace")
    log = w.path("strace.log")
    for args in (("check", "--root", w.machine("problem")), ("check",)):
        d = w.run(*args, wrap=[strace, "-f", "-qq", "-o", log, "-e", "trace=execve,socket,connect,clone,clone3,fork,vfork,unlink,rename,mkdir"])
        need(d.status in (0, 1, 3), d)
        with open(log) as f:
            calls = [line for line in f if "(" in line]
        need(len([c for c in calls if "execve(" in c]) == 1, "starts programs:", calls)
        rest = [c for c in calls if "execve(" not in c]
        need(not rest, "does more than read:", rest[:3])


def test_no_device_is_opened(w):
    strace = shutil.which("strace")
    if not strace:
        raise Skip("no strace")
    log = w.path("strace-open.log")
    d = w.run("check", "--root", w.machine("problem"), wrap=[strace, "-f", "-qq", "-o", log, "-e", "trace=open,openat,openat2"])
    need(d.status == 1, d)
    with open(log) as f:
        bad = [line for line in f if ("/dev/nvidia" in line or "dev/dxg" in line) and "O_PATH" not in line]
    need(not bad, "opens device nodes:", bad[:3])


def test_a_text_without_end(w):
    """/dev/zero has no lines: reading it ends, and the answer says where."""
    d = w.run("explain", "/dev/zero")
    need(d.status == 3 and "/dev/zero: stopped reading after" in d.err and "cannot tell" in d.out, d)


def test_a_text_of_windows(w):
    """PowerShell's > writes UTF-16: the same answer, from the same line."""
    text = "torch==2.5.1+cu124\r\nGPU: NVIDIA GeForce RTX 5090\r\nRuntimeError: CUDA error: no kernel image is available for execution on the device\r\n"
    answers = []
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-be"):
        path = w.path("log.txt")
        with open(path, "wb") as f:
            f.write((("\ufeff" if encoding == "utf-16-be" else "") + text).encode(encoding))
        answers.append(w.run("explain", path).out)
    need("gpu-too-new-for-build" in answers[0] and len(set(answers)) == 1, "the encoding changes the answer:", answers)


def test_verbose_says_more(w):
    args = ["check", "--root", w.machine("problem")]
    need(len(w.run(*args, "-v").out) > len(w.run(*args).out), "-v says no more")


if __name__ == "__main__":
    main_of(globals())
