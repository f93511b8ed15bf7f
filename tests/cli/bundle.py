#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bundles: gathered and replayed, with a record taken out, cut short, redacted."""
import io
import json
import os
import random
import shutil
import subprocess
import tarfile

from harness import Skip, main_of, need
import boxes
import pyenv
import tree


def gather(w, name, *args, env=None):
    path = w.path(name + ".tar.zst")
    d = w.run("gather", *args, "-o", path, env=env)
    need(d.status == 0 and os.path.getsize(path), "gather", d)
    return path


def zstd(*args, data):
    if not shutil.which("zstd"):
        raise Skip("no zstd program")
    return subprocess.run(["zstd", "-q", "-c"] + list(args), input=data, stdout=subprocess.PIPE, check=True).stdout


def unpack(path):
    """[(TarInfo, bytes)]"""
    with open(path, "rb") as f:
        raw = zstd("-d", data=f.read())
    with tarfile.open(fileobj=io.BytesIO(raw)) as t:
        return [(m, t.extractfile(m).read()) for m in t.getmembers() if m.isfile()]


def pack(members, path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for m, data in members:
            m.size = len(data)
            t.addfile(m, io.BytesIO(data))
    with open(path, "wb") as f:
        f.write(zstd("-1", data=out.getvalue()))
    return path


def index_of(members):
    for i, (m, data) in enumerate(members):
        if data.startswith(b"cuvet-record"):
            return i
    raise Skip("no index in the bundle")


def without(members, keep):
    """The members with only those index lines for which keep(line) holds; the number of lines that went."""
    i = index_of(members)
    lines = members[i][1].split(b"\n")
    rest = [line for n, line in enumerate(lines) if n == 0 or not line or keep(line.decode())]
    out = list(members)
    out[i] = (members[i][0], b"\n".join(rest))
    return out, len(lines) - len(rest)


def judged(w, path):
    d = w.run("check", "--root", path, "--json")
    need(d.status in (0, 1, 3), d)
    return json.loads(d.out)


def test_live_run_replays_to_the_same_bytes(w):
    env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": os.environ.get("HOME", "/root"), "CUDA_VISIBLE_DEVICES": "0"}
    first = w.run("check", "--json", env=env)
    path = gather(w, "live", env=env)
    again = w.run("check", "--root", path, "--json")
    need(first.status == again.status and first.out == again.out, "live and replayed runs differ:",
           [(a, b) for a, b in zip(first.out.split("\n"), again.out.split("\n")) if a != b][:3])
    text = w.run("check", env=env)
    need(text.out == w.run("check", "--root", path).out, "the terminal reports of live and replayed runs differ")
    need(os.path.getsize(path) < 16 << 20, "a bundle of %d bytes" % os.path.getsize(path))


def test_selection_is_replayed(w):
    m = tree.Machine(w.path("venvs"))
    a = pyenv.Env(m, "/a", "/a/lib/python3.11/site-packages", "3.11.2")
    a.torch("2.9.0", "cpu")
    m.write("/a/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n").link("/a/bin/python3", "/usr/bin/python3")
    env = {"VIRTUAL_ENV": m.host("/a")}
    first = json.loads(w.run("check", "--json", env=env).out)
    need(any(e["path"] == m.host("/a") and e["selected"] for e in first["environments"]), "VIRTUAL_ENV is not selected:", first["environments"])
    path = gather(w, "selected", env=env)
    shutil.rmtree(m.host("/a"))
    need(judged(w, path) == first, "the replay selects otherwise")


def test_a_deleted_record_is_not_asked(w):
    path = gather(w, "whole", "--root", w.machine("healthy"))
    before = judged(w, path)
    need(before["verdict"] == "ok", "the healthy machine is", before["verdict"])
    members, gone = without(unpack(path), lambda line: " /proc/driver/nvidia/version " not in line and " /sys/module/nvidia/version " not in line)
    need(gone >= 2, "the index does not name the file")
    cut = pack(members, w.path("cut.tar.zst"))
    facts = w.run("check", "--root", cut, "--format", "facts").out
    need("not_asked" in facts, "no fact is not_asked")
    after = judged(w, cut)
    need(after["verdict"] == "cannot-tell", "a hole in the record gives", after["verdict"])
    ids = [f["id"] for f in after["findings"]]
    need(not {"driver-missing", "driver-not-loaded"} & set(ids), "a hole in the record is taken for absence:", ids)


def test_an_environment_that_was_not_asked_for_is_not_absent(w):
    """Its directory, its bin and its interpreters: without the answer nobody knows whether there is an environment."""
    members = unpack(gather(w, "unseen", "--root", w.machine("healthy")))
    need(judged(w, pack(members, w.path("seen.tar.zst")))["verdict"] == "ok", "the whole bundle is not ok")
    for holes in (["stat /opt/venv "], ["stat /opt/venv/bin "], ["stat /opt/venv/bin/python3 ", "stat /opt/venv/bin/python ",
                                                                 "open /opt/venv/pyvenv.cfg "]):
        cut, gone = without(members, lambda line: not any(line.startswith(h) for h in holes))
        need(gone > 0, "the index has no", holes)
        doc = judged(w, pack(cut, w.path("unseen-cut.tar.zst")))
        need(doc["verdict"] == "cannot-tell", "without", holes, "the verdict is", doc["verdict"])


def test_an_index_with_carriage_returns_is_refused(w):
    members = unpack(gather(w, "cr", "--root", w.machine("healthy")))
    i = index_of(members)
    lines = members[i][1].split(b"\n")
    for at in (0, 1, 7, len(lines) - 2):
        hurt = list(members)
        hurt[i] = (members[i][0], b"\n".join(line + b"\r" if n == at else line for n, line in enumerate(lines)))
        d = w.run("check", "--root", pack(hurt, w.path("cr-cut.tar.zst")), "--json")
        need(d.status == 2 and "cr-cut" in d.err and "line %d" % (at + 1) in d.err and not d.out, "line", at + 1, d)


def test_no_deleted_record_makes_a_problem(w):
    """On a healthy machine any hole may make the answer uncertain, never wrong."""
    path = gather(w, "holes", "--root", w.machine("healthy"))
    members = unpack(path)
    lines = members[index_of(members)][1].decode().split("\n")[1:]
    words = sorted({" ".join(line.split(" ")[:2]) for line in lines if line and not line.startswith("meta ")})
    picked = random.Random(5).sample(words, min(len(words), 160))
    faults = []
    for what in picked:
        cut, gone = without(members, lambda line: not line.startswith(what + " "))
        d = w.run("check", "--root", pack(cut, w.path("hole.tar.zst")), "--json")
        if d.status not in (0, 3):
            found = [f["id"] for f in json.loads(d.out)["findings"] if f["severity"] == "error"] if d.status == 1 else d.err[-200:]
            faults.append("without %r: status %s, %s" % (what, d.status, found))
    need(not faults, "%d of %d:" % (len(faults), len(picked)), faults[:6])


def test_a_bundle_cut_short_is_an_input_error(w):
    path = gather(w, "short", "--root", w.machine("problem"))
    with open(path, "rb") as f:
        data = f.read()
    for part in (1, 4, 100, len(data) // 3, len(data) // 2, len(data) - 20):
        with open(w.path("short-cut"), "wb") as f:
            f.write(data[:part])
        d = w.run("check", "--root", w.path("short-cut"), "--json")
        need(d.status == 2 and not d.out and "short-cut" in d.err, part, "bytes of %d:" % len(data), d)


def test_a_bundle_with_flipped_bytes_ends_in_order(w):
    path = gather(w, "flip", "--root", w.machine("problem"))
    members = unpack(path)
    i = index_of(members)
    rnd = random.Random(7)
    for n in range(60):
        data = bytearray(members[i][1])
        for _ in range(rnd.randrange(1, 4)):
            data[rnd.randrange(len(data))] = rnd.randrange(256)
        hurt = list(members)
        hurt[i] = (members[i][0], bytes(data))
        d = w.run("check", "--root", pack(hurt, w.path("flip-cut")), "--json")
        need(d.status in (0, 1, 2, 3), "flip", n, d)


def test_two_gathers_are_alike(w):
    a, b = gather(w, "one", "--root", w.machine("problem")), gather(w, "two", "--root", w.machine("problem"))
    first, second = unpack(a), unpack(b)
    need([(m.name, d) for m, d in first] == [(m.name, d) for m, d in second] or "argv" in str(first), "two gathers of one tree differ")


def private_machine(w):
    m = tree.Machine(w.path("private"))
    boxes.box(m, "NVIDIA A10", "570.124.06")
    m.write("/etc/hostname", "secret-host-7\n").write("/etc/passwd", "ada:x:1000:1000::/home/ada:/bin/sh\n")
    pyenv.venv(m, "/home/ada/proj/venv").torch("2.9.0", "cu128")
    m.var("LD_LIBRARY_PATH", "/home/ada/lib:/opt/lib").var("PYTHONPATH", "/home/ada/src")
    return m


def test_redacted_bundle_keeps_no_names(w):
    m = private_machine(w)
    sets = [a for s in m.set for a in ("--set", s)]
    plain = gather(w, "plain", "--root", m.root, *sets)
    red = gather(w, "red", "--root", m.root, *sets, "--redact")
    raw = b"".join(d for _, d in unpack(red))
    for word in (b"/home/ada", b"secret-host-7", b"GPU-00000000-1111-2222-3333"):
        need(word not in raw, "a redacted bundle holds", word)
    need(b"/home/ada" in b"".join(d for _, d in unpack(plain)), "the plain bundle should hold the name")
    a, b = judged(w, plain), judged(w, red)
    need(a["verdict"] == b["verdict"] and [f["id"] for f in a["findings"]] == [f["id"] for f in b["findings"]],
           "redaction changes the answer:", a["verdict"], b["verdict"], [f["id"] for f in b["findings"]])
    need([c["verdict"] for c in a["cells"]] == [c["verdict"] for c in b["cells"]], "redaction changes cells")


def test_machine_of_another_bundle(w):
    """Would this environment run on that box? The box as a bundle and as a directory give the same answer."""
    plain = tree.Machine(w.path("image"))
    plain.distro("debian", "12")
    pyenv.venv(plain).torch("2.9.0", "cu128")
    for kind, status in (("healthy", 0), ("problem", 1)):
        bundle = gather(w, "box-" + kind, "--root", w.machine(kind))
        by_dir = w.run("check", "--root", plain.root, "--machine", w.machine(kind), "--json")
        by_bundle = w.run("check", "--root", plain.root, "--machine", bundle, "--json")
        need(by_dir.status == status, kind, "by directory:", by_dir)
        need(by_bundle.status == status, kind, "by bundle:", by_bundle)
        need(json.loads(by_dir.out)["machine"]["gpus"] == json.loads(by_bundle.out)["machine"]["gpus"], "GPUs differ")


if __name__ == "__main__":
    main_of(globals())
