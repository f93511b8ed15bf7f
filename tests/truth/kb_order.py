#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the versions of the knowledge base ordered as `packaging` orders them? Every version of each PEP 440 subject of kb, each against
each of its subject; also the specifiers in its values against every release of what they speak of: kb_order.py

Prints "oracle: N agree / N differ"; 77: packaging is not here.
"""
import glob
import os
import subprocess
import sys
import tempfile

import versions  # the same helper, built the same way

ROOT = versions.ROOT
SPECS = {"torch_spec": "torch", "triton_spec": "triton", "torchvision_spec": None, "torchaudio_spec": None, "python_spec": "python"}


def load():
    pep440, rows = set(), []
    with open(os.path.join(ROOT, "kb", "SCHEMA"), encoding="utf-8") as f:
        for line in f:
            col = line.rstrip("\n").split("\t")
            if len(col) == 4 and col[1] == "pep440":
                pep440.add(col[0])
    for path in glob.glob(os.path.join(ROOT, "kb", "*.tsv")):
        with open(path, encoding="utf-8") as f:
            rows += [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]
    return rows, lambda s: s in pep440 or s.split(":")[0] + ":*" in pep440


def ask(helper, lines):
    r = subprocess.run([helper], input="".join(lines).encode(), stdout=subprocess.PIPE, check=True)
    return r.stdout.decode().split("\n")[:-1]


def main():
    oracle = versions.load_packaging()
    if not oracle:
        print("packaging is not here")
        return 77
    module, specifiers, _ = oracle
    rows, is_pep440 = load()
    by_subject = {}
    for col in rows:
        if is_pep440(col[0]):
            by_subject.setdefault(col[0], set()).update(v for v in col[1:3] if v and v != "=")
    pairs = [(a, b) for vs in by_subject.values() for a in sorted(vs) for b in sorted(vs)]
    with tempfile.TemporaryDirectory(prefix="kb_order.") as d:
        helper = versions.build(d)
        got = ask(helper, ["pep440\t%s\t%s\n" % p for p in pairs])
        want = ["<=>"[1 + (module.Version(a) > module.Version(b)) - (module.Version(a) < module.Version(b))] for a, b in pairs]
        bad = [(p, g, w) for p, g, w in zip(pairs, got, want) if g != w]
        for p, g, w in bad[:10]:
            print("differ %s against %s: %s, packaging %s" % (p[0], p[1], g, w))
        print("kb versions: %d agree / %d differ" % (len(pairs) - len(bad), len(bad)))
        if not specifiers:
            return 1 if bad or len(got) != len(pairs) else 0
        releases = {s: [c[1] for c in rows if c[0] == s and c[3] == "release"] for s in ("torch", "triton", "python")}
        asks = [(c[4], v) for c in rows if SPECS.get(c[3]) for v in releases[SPECS[c[3]]]]
        got = ask(helper, ["spec\t%s\t%s\n" % a for a in asks])
        want = ["ny"[specifiers.SpecifierSet(s).contains(v, prereleases=True)] for s, v in asks]
        wrong = [(a, g, w) for a, g, w in zip(asks, got, want) if g != w]
        for a, g, w in wrong[:10]:
            print("differ %s with %s: %s, packaging %s" % (a[0], a[1], g, w))
        print("kb specifiers: %d agree / %d differ" % (len(asks) - len(wrong), len(wrong)))
    return 1 if bad or wrong or len(got) != len(asks) else 0


if __name__ == "__main__":
    sys.exit(main())
