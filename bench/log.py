#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/log.py CUVET DIR: cuvet explain on a log of 20 and of 200 MB, a training run that fails on its last line. The processor time
has a limit, and memory does not grow with the text."""
import os
import sys

MIB, SECONDS_MAX, KIB_MAX, GROWTH_MAX = 1 << 20, 1.0, 16384, 512

HEAD = "torch==2.5.1+cu124\nGPU: NVIDIA GeForce RTX 5090\n"
LINE = "2026-03-01 10:%02d:%02d,%03d INFO trainer: epoch %d step %d loss=%.4f lr=3.0e-04 tokens/s=%d mem=%.1fGiB\n"
LAST = "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"


def write(path, size):
    lines = "".join(LINE % (i // 60 % 60, i % 60, i * 7 % 1000, i // 1000, i, 8 / (1 + i / 500), 41000 + i * 13 % 900, 61 + i % 10 / 10) for i in range(10000))
    with open(path, "w") as f:
        f.write(HEAD)
        while f.tell() < size:
            f.write(lines)
        f.write(LAST)


def explain(cuvet, path):
    """Seconds of processor time, KiB at most, and the answer."""
    out = path + ".answer"
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.execv(cuvet, [cuvet, "explain", path])
    usage = os.wait4(pid, 0)[2]
    with open(out) as f:
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, f.read()


def main():
    cuvet, work = sys.argv[1:3]
    peaks, bad = [], []
    for size in (20, 200):
        path = os.path.join(work, "training.log")
        write(path, size * MIB)
        seconds, kib, answer = min(explain(cuvet, path) for _ in range(3))
        os.unlink(path)
        peaks.append(kib)
        print("a log of %d MiB: %.2f s of processor time, %d KiB at most" % (size, seconds, kib))
        if "gpu-too-new-for-build" not in answer:
            bad.append("the fault at the end is not found")
        if seconds > SECONDS_MAX or kib > KIB_MAX:
            bad.append("over the limit of %g s or %d KiB" % (SECONDS_MAX, KIB_MAX))
    if peaks[1] - peaks[0] > GROWTH_MAX:
        bad.append("memory grows with the text")
    print("  " + ("; ".join(bad) or "within the limits: %g s, %d KiB, the same memory" % (SECONDS_MAX, KIB_MAX)))
    return 1 if bad else 0


sys.exit(main())
