#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Hostile machines: mutated bundles laid over a healthy tree, and mutated trees gathered with --redact.
hostile.py CUVET [PATTERN]; CUVET_ROUNDS sets how many (a quarter of them trees; run it with a sanitizer build for hours, or for seconds here).
"""
import os
import random
import shutil

from bundle import gather, index_of, pack, unpack
from harness import main_of, need

ROUNDS = int(os.environ.get("CUVET_ROUNDS", "40"))
SPICE = [b"\0", b"%", b"%00", b"../" * 40, b"/" * 300, b"\r", b"\n", b" ", b"-1", b"18446744073709551615", b"9" * 400, b"\xff\xfe", b"\033[2J", b"A" * 5000]


def mutate(rnd, data):
    data = bytearray(data)
    for _ in range(rnd.choice((1, 1, 2, 8, 64))):
        at = rnd.randrange(len(data) + 1)
        what = rnd.randrange(5)
        if what == 0 and data:
            data[at % len(data)] = rnd.randrange(256)
        elif what == 1:
            data[at:at] = rnd.choice(SPICE)
        elif what == 2:
            del data[at:at + rnd.choice((1, 2, 16, 4096))]
        elif what == 3:
            n = rnd.randrange(1, 200)
            data[at:at] = data[at - n if at > n else 0:at]
        else:
            data[at:at + 8] = rnd.choice((b"\xff" * 8, b"\0" * 8, b"\x7f" + b"\xff" * 7))
    return bytes(data)


def answers_swapped(rnd, data):
    """The index stays an index, and says of some things what it says of others; some of it goes."""
    head, *lines = data.rstrip(b"\n").split(b"\n")
    for _ in range(rnd.choice((1, 5, 50))):
        at = rnd.randrange(len(lines))
        op, path, args = lines[at].split(b" ")[:3]
        other = rnd.choice([line for line in lines if line.startswith(op + b" ")]).split(b" ")
        if rnd.randrange(3) == 0:
            path = rnd.choice((path + b"/" + b"A" * 300, other[1], b"/proc/driver/nvidia/version", b"/../../etc/passwd", b"%0A%1B[2J"))
        if op in (b"stat", b"lstat", b"open") and rnd.randrange(3) == 0:
            other[4:] = [b"9223372036854775807" if w.isdigit() and len(w) > 3 else w for w in other[4:]]
        lines[at] = b" ".join([op, path, args] + other[3:])
    return b"\n".join([head] + sorted(set(lines))) + b"\n"


def bytes_changed(rnd, data):
    """What the files hold, at the same lengths."""
    data = bytearray(data)
    for _ in range(rnd.choice((1, 20, 400, 4000))):
        data[rnd.randrange(len(data))] = rnd.choice((0, 0x0a, 0x2f, 0x7f, 0xff, rnd.randrange(256)))
    return bytes(data)


def in_order(d, statuses, what):
    need(d.status in statuses, what, d)
    for word in ("Sanitizer", "runtime error:"):
        need(word not in d.err, what, d)


def test_a_hostile_bundle_as_the_machine(w):
    rnd = random.Random(11)
    members = unpack(gather(w, "box", "--root", w.machine("problem")))
    i = index_of(members)
    read = 0
    for n in range(ROUNDS):
        hurt = list(members)
        k, change = ((i, mutate), (i, answers_swapped), (1 - i, bytes_changed), (i, answers_swapped))[n % 4]
        hurt[k] = (members[k][0], change(rnd, members[k][1]))
        d = w.run("check", "--root", w.machine("healthy"), "--machine", pack(hurt, w.path("hurt.tar.zst")), "--json")
        in_order(d, (0, 1, 2, 3), "round %d" % n)
        read += d.status != 2
    need(read * 3 > ROUNDS, "only %d of %d bundles got past the index" % (read, ROUNDS))


def test_a_hostile_tree_is_redacted(w):
    rnd = random.Random(13)
    home = w.path("hostile")
    for n in range((ROUNDS + 3) // 4):
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(w.machine("problem"), home, symlinks=True, ignore=lambda d, names: ["dev"] if d.endswith("problem") else [])
        files = [os.path.join(d, f) for d, _, fs in os.walk(home) for f in fs if not os.path.islink(os.path.join(d, f))]
        for path in rnd.sample(files, min(len(files), rnd.choice((1, 5, 30)))):
            with open(path, "rb") as f:
                data = f.read()
            with open(path, "wb") as f:
                f.write(mutate(rnd, data))
        name = rnd.choice((b"ada", b"\xff\xfe", b"a b", b"..a", b"\033[2J", b"%", b"x" * 255))
        os.makedirs(os.path.join(os.fsencode(home), b"home", name, b".venv", b"bin"), exist_ok=True)
        with open(os.path.join(home, "etc/passwd"), "ab") as f:
            f.write(name + b":x:1:1::/home/" + name + b":/bin/sh\n" + mutate(rnd, b"root:x:0:0::/root:/bin/sh\n"))
        out = w.path("red.tar.zst")
        d = w.run("gather", "--redact", "--root", home, "-o", out)
        in_order(d, (0, 2), "round %d" % n)
        if d.status:
            need(d.err, "round", n, "fails without a word")
            continue
        in_order(w.run("check", "--root", out, "--json"), (0, 1, 2, 3), "replay of round %d" % n)
        os.unlink(out)


if __name__ == "__main__":
    main_of(globals())
