# SPDX-License-Identifier: Apache-2.0
"""cuobjdump as an oracle: what it lists of a file, and what cuvet lists of the same."""
import collections
import json
import os
import re
import subprocess
import sys

ENTRY = re.compile(r"\.(sm_\d+[a-z]?)\.(cubin|ptx)$")


def find(given, cache):
    """The path of a cuobjdump: the one given, or the newest that is published, unpacked in the cache; None if there is none."""
    if given:
        return given
    target = os.path.join(cache, "cuobjdump")
    if not os.path.isdir(target):
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target, "nvidia-cuda-cuobjdump"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for top, _dirs, files in os.walk(target):
        if "cuobjdump" in files and os.access(os.path.join(top, "cuobjdump"), os.X_OK):
            return os.path.join(top, "cuobjdump")
    return None


class Listing:
    """Counts of (kind, name); doubt is None, or why the list is not the whole of it."""

    def __init__(self, counts, doubt=None):
        self.counts, self.doubt = counts, doubt


def listing(cuobjdump, path):
    """Relocatable code too (-all): the driver links what it needs of it."""
    p = subprocess.run([cuobjdump, "-all", "-lelf", "-lptx", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    counts = collections.Counter()
    for line in p.stdout.decode(errors="replace").split("\n"):
        m = ENTRY.search(line)
        if m:
            counts[(m[2], m[1])] += 1
    said = p.stderr.decode(errors="replace").strip()
    if p.returncode and "does not contain device code" not in said:
        return Listing(counts, "status %d: %s" % (p.returncode, said.split("\n")[-1][:200]))
    return Listing(counts)


def ask(cuvet, paths, *options):
    """{path: file of the document} of cuvet arch, a few hundred files a run."""
    out = {}
    for i in range(0, len(paths), 200):
        p = subprocess.run([cuvet, "arch", "--json", "--cc", "9.0"] + list(options) + ["--"] + paths[i:i + 200], stdout=subprocess.PIPE)
        if p.returncode not in (0, 1, 3):
            raise SystemExit("cuvet arch: status %d" % p.returncode)
        for f in json.loads(p.stdout)["files"]:
            out[f["path"]] = f
    return out


def counts(file, family=True):
    """The same counts of cuvet's document; without family cubins lose the suffix f, which cuobjdump prints for PTX only."""
    out = collections.Counter()
    for c in (file or {}).get("code", []):
        if c["place"] == "sections":
            out[(c["kind"], c["name"] if family or c["kind"] == "ptx" else c["name"].rstrip("f"))] += c["count"]
    return out


class Tally:
    """Agreements and differences of one oracle; prints the first of these, and what was not believed."""

    def __init__(self, name):
        self.name, self.agree, self.differ, self.doubted, self.with_code, self.entries = name, 0, 0, [], 0, 0

    def compare(self, path, want, got):
        """want a Listing, got cuvet's counts without family."""
        if want.doubt:
            self.doubted.append("%s: %s" % (path, want.doubt))
            if any(n > got[k] for k, n in want.counts.items()):
                self.fail(path, "cuobjdump saw more before it stopped", want.counts, got)
            return
        if want.counts != got:
            self.fail(path, "", want.counts, got)
            return
        self.agree += 1
        self.with_code += bool(got)
        self.entries += sum(got.values())

    def fail(self, path, why, want, got):
        self.differ += 1
        if self.differ <= 5:
            only = {k: (want.get(k, 0), got.get(k, 0)) for k in set(want) | set(got) if want.get(k, 0) != got.get(k, 0)}
            print("  %s: %s (want, got) %s" % (path, why, only))

    def close(self):
        for d in self.doubted:
            print("  cuobjdump not believed: " + d)
        print("  %d files with GPU code, %d entries" % (self.with_code, self.entries))
        print("%s: %d agree / %d differ" % (self.name, self.agree, self.differ))
        return self.differ == 0
