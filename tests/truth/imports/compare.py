# SPDX-License-Identifier: Apache-2.0
"""Real maps beside predicted ones."""
import os
import re

# Packages whose libraries count, wherever in them; and libraries that count by their name, wherever they are.
PACKAGES = re.compile(r"/site-packages/(torch|torchvision|torchaudio|onnxruntime|nvidia|functorch|nvfuser|jax_cuda1._plugin|jax_plugins|ctranslate2)(\.libs)?/")
NAMES = re.compile(r"^(ld-linux|libc[.-]|libm[.-]|libdl[.-]|librt[.-]|libpthread[.-]|libutil[.-]|libstdc\+\+|libgcc_s|libgomp|libiomp|libomp"
                   r"|libcu|libnv|libnccl|libnpp|libpython3|libtorch|libc10|libonnx|libtensorflow_(cc|framework))")
# jax imports many extension modules of its plugin, which load nothing more; those that a scenario names are enough.
OWN_MODULES = re.compile(r"/jax_cuda1._plugin/")
SUFFIX = re.compile(r"\.so(\.|$)")


# What frameworks say instead of Python's own words where their extension module is gone.
REWORDED = {"No module named 'torch._C'": "Failed to load PyTorch C extensions",
            "No module named 'torchvision._C'": "operator torchvision::nms does not exist"}


def counts(path):
    if not SUFFIX.search(os.path.basename(path)) or "/lib-dynload/" in path or "numpy" in path:
        return False
    return bool(PACKAGES.search(path) or NAMES.match(os.path.basename(path)))


def mapped(said):
    return {os.path.realpath(f) for f in said["files"] if counts(f)}


def predicted(doc):
    return {os.path.realpath(x["path"]) for x in doc["loads"] if counts(x["path"])}


def failures(doc):
    return [s["message"] for s in doc["steps"] if s["outcome"] == "failed"]


def message(said):
    """How the program ended: the text of the exception or what ONNX Runtime logged, '' if it went well."""
    logged = re.search(r"Failed to load (?:shared )?library \S+ with error: ([^\n\x1b]*)", said["printed"])
    if logged:
        return logged.group(1).strip()
    return said["error"]


def same_end(said, doc, quiet):
    want, got = message(said), failures(doc)
    if quiet and not want:
        return True
    if not want or not got:
        return not want and not got
    return got[-1] in want or got[-1] in said["printed"] or REWORDED.get(got[-1], "\0") in want


class Tally:
    def __init__(self, verbose):
        self.agree = self.differ = self.cases = 0
        self.verbose = verbose

    def fault(self, text):
        self.differ += 1
        if self.differ <= 400:
            print("  " + text)

    def add(self, what, said, doc, err, quiet=False):
        before = self.differ
        if "signal" in said:
            print("skipped: %s: ends by signal %d" % (what, said["signal"]))
            return None
        self.cases += 1
        if doc is None:
            print(what)
            return self.fault("cuvet: " + err)
        real, ours = mapped(said), predicted(doc)
        self.agree += len(real & ours)
        real = {f for f in real if f in ours or not OWN_MODULES.search(f)}
        if real != ours or not same_end(said, doc, quiet):
            print(what)
        for f in sorted(real - ours):
            self.fault("loaded, not predicted: " + f)
        for f in sorted(ours - real):
            self.fault("predicted, not loaded: " + f)
        if same_end(said, doc, quiet):
            self.agree += 1
        else:
            self.fault("ends with %r, predicted %r" % (message(said)[:300], failures(doc)))
        if self.verbose and before == self.differ:
            print("%s: %d libraries" % (what, len(real)))
        return None

    def close(self):
        print("%d programs: %d agree / %d differ" % (self.cases, self.agree, self.differ))
        return 1 if self.differ or not self.agree else 0
