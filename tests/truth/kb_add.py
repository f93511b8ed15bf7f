#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `cuvet kb add` read out of real wheels what the rows of tier artifact say? A sample: kb_add.py [CUVET [WHEEL...]]

Without wheels those of ${CUVET_CACHE:-~/.cache/cuvet}/wheels are taken. Prints "kb rows: N agree / N differ"; 77: no wheel is there.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SETS = ("code", "code_lib", "needs", "pins", "requires", "extra")  # their words have no order
SKIP = ("release",)  # that it exists is said by the name of the wheel
SAMPLE = r"(torch|onnxruntime_gpu|triton|nvidia_(cudnn|nccl|cublas|cuda_runtime|nvjitlink)(_cu1\d)?|bitsandbytes|xformers|vllm|ctranslate2)-"


def key(version):
    return [int(x) for x in re.findall(r"\d+", version)]


def load():
    table = {}
    for path in glob.glob(os.path.join(ROOT, "kb", "*.tsv")):
        with open(path, encoding="utf-8") as f:
            for line in f:
                if not line.startswith("#") and line.strip():
                    col = line.rstrip("\n").split("\t")
                    table.setdefault((col[0], col[3]), []).append(col)
    return table


def covering(rows, version):
    for col in rows:
        low, high = col[1], col[2]
        if low and key(version) < key(low):
            continue
        if high == "=" and version != low:
            continue
        if high not in ("=", "") and key(version) >= key(high.replace(".dev0", "")):
            continue
        return col
    return None


def same(prop, got, want):
    if prop.split(":")[0] in SETS:
        return sorted(got.split()) == sorted(want.split())
    return got == want


def main(cuvet, wheels):
    table, agree, differ, fresh = load(), 0, 0, 0
    for wheel in wheels:
        r = subprocess.run([cuvet, "kb", "add", wheel], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=900, check=False)
        if r.returncode:
            print("fail %s: %s" % (os.path.basename(wheel), r.stderr.decode().strip()))
            differ += 1
            continue
        for line in r.stdout.decode().split("\n"):
            if not line or line.startswith("#"):
                continue
            subject, version, _to, prop, value = line.split("\t")[:5]
            if prop.split(":")[0] in SKIP:
                continue
            row = covering(table.get((subject, prop), []), version)
            if not row:
                fresh += 1
            elif same(prop, value, row[4]):
                agree += 1
            else:
                differ += 1
                print("differ %s: %s %s: the wheel says '%s', kb '%s' (%s, %s)" % (os.path.basename(wheel), subject, prop, value, row[4], row[5], row[7]))
    print("%d rows of these wheels are not in kb" % fresh)
    print("kb rows: %d agree / %d differ" % (agree, differ))
    return 1 if differ or not agree else 0


if __name__ == "__main__":
    program = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("CUVET", os.path.join(ROOT, "build", "cuvet"))
    found = sys.argv[2:]
    if not found:
        cache = os.path.join(os.environ.get("CUVET_CACHE", os.path.expanduser("~/.cache/cuvet")), "wheels")
        found = sorted(w for w in glob.glob(os.path.join(cache, "*.whl")) if re.match(SAMPLE, os.path.basename(w)))
    if not found or not os.path.exists(program):
        print("no wheels in the cache, or no program")
        sys.exit(77)
    sys.exit(main(os.path.abspath(program), found))
