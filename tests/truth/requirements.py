#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are requirements and markers read as `packaging` reads them?

  requirements.py [--random N] [--seed N] [--below DIR]

Every Requires-Dist line of the distributions of this machine's Pythons (and of the environments in DIR), and random ones. Prints
"N agree / N differ"; skipped (and said) where packaging is missing or older than 22. Exit 1 where anything differs.
"""
import argparse
import email.parser
import glob
import importlib
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCES = ["tests/helpers/pyreq.c", "src/parse/requirement.c", "src/parse/marker.c", "src/base/version.c", "src/base/version_spec.c",
           "src/base/str.c", "src/base/arena.c", "src/base/vec.c"]
SITES = ["~/.pyenv/versions/*/lib/python3*/site-packages", "/usr/lib/python3/dist-packages", "~/.venv/lib/python3*/site-packages",
         "/opt/*/lib/python3*/site-packages"]

VARIABLES = {"python_version", "python_full_version", "os_name", "sys_platform", "platform_machine", "platform_system", "extra",
             "implementation_name", "platform_python_implementation", "implementation_version", "platform_release", "platform_version"}


def load_packaging():
    for name in ("packaging", "pip._vendor.packaging"):
        try:
            release = getattr(importlib.import_module(name), "__version__", "0")
            modules = importlib.import_module(name + ".requirements"), importlib.import_module(name + ".markers")
        except ImportError:
            continue
        if int(release.split(".")[0]) >= 22:
            return modules + (name + " " + release,)
    return None


def real_lines(below):
    lines = set()
    for site in SITES + ([os.path.join(below, "*/lib/python3*/site-packages")] if below else []):
        for path in glob.glob(os.path.join(os.path.expanduser(site), "*.*-info/METADATA")):
            with open(path, encoding="utf-8", errors="replace") as f:
                headers = email.parser.HeaderParser().parse(f)
            lines.update(" ".join(value.split()) for value in headers.get_all("Requires-Dist") or [])
    return sorted(lines)


def random_marker(r, depth=0):
    if depth < 3 and r.random() < 0.45:
        text = "%s %s %s" % (random_marker(r, depth + 1), r.choice(["and", "or"]), random_marker(r, depth + 1))
        return "(%s)" % text if r.random() < 0.5 else text
    name = r.choice(["python_version", "python_full_version", "os_name", "sys_platform", "platform_machine", "platform_system", "extra",
                     "implementation_name", "platform_python_implementation", "implementation_version"])
    versions = ["3", "3.9", "3.11", "3.11.2", "3.12", "3.11.*", "4"]
    words = ["linux", "win32", "x86_64", "aarch64", "posix", "Linux", "CPython", "cpython", "cuda", "linux win32", "x86_64 amd64"]
    if "version" in name:
        value, op = r.choice(versions), r.choice(["<", "<=", "==", "!=", ">=", ">", "~="])
        if value.endswith("*"):
            op = r.choice(["==", "!="])
        if op == "~=" and "." not in value:
            op = ">="
    else:
        value, op = r.choice(words), r.choice(["==", "!=", "in", "not in"])
        if name == "extra":
            op = r.choice(["==", "!="])
    quoted = r.choice(["'%s'", '"%s"']) % value
    if op in ("in", "not in") or r.random() < 0.8 or value.endswith("*"):
        return "%s %s %s" % (name, op, quoted)
    return "%s %s %s" % (quoted, op if op != "~=" else ">=", name)


def random_line(r):
    text = r.choice(["torch", "nvidia-cudnn-cu12", "Foo_Bar.baz", "a", "x9"])
    if r.random() < 0.3:
        text += "[%s]" % ", ".join(r.sample(["cuda", "opt", "a-b", "c_d"], r.randrange(3)))
    kind = r.random()
    if kind < 0.15:
        text += " @ https://host/%s.whl" % r.choice(["x", "a%20b", "t-1.0+cu128-py3-none-any"])
    elif kind < 0.8:
        specs = [r.choice(["<", "<=", "==", "!=", ">=", ">"]) + r.choice(["1", "2.4", "3.0.post1", "1.0rc1", "2!1.0"]) for _ in
                 range(r.randrange(1, 4))] + r.choice([[], ["~=1.4"], ["==2.9.*"], ["===foo"]])
        joined = r.choice([",", ", "]).join(specs)
        text += r.choice(["%s", " %s", " (%s)", "(%s)"]) % joined
    if r.random() < 0.6:
        text += r.choice([" ; ", ";", "; "]) if kind >= 0.15 else " ; "
        text += random_marker(r)
    if r.random() < 0.1:
        cut = r.randrange(len(text) + 1)
        text = text[:cut] + r.choice(["", "!", "[", ";", "'", " x "]) + text[cut + 1:]
    return text


def expected(requirements, line, env):
    try:
        req = requirements.Requirement(line)
    except requirements.InvalidRequirement:
        return None
    marker = "" if req.marker is None else ("y" if req.marker.evaluate(env) else "n")
    return req.name, ",".join(sorted(req.extras)), frozenset(str(s) for s in req.specifier), req.url or "", marker


def given(requirements, answer):
    if answer == "!":
        return None
    name, extras, spec, url, marker = answer.split("\t")
    try:
        specs = requirements.Requirement("x" + spec).specifier if spec and not url else ()
    except requirements.InvalidRequirement:
        specs = ("no specifiers: " + spec,)
    return name, ",".join(sorted(set(e for e in extras.split(",") if e))), frozenset(str(s) for s in specs), url, marker


def has_unknown_variable(line):
    """A word of the marker that is no variable: packaging refuses it, here it is a variable whose value is not known."""
    marker = re.sub(r"'[^']*'|\"[^\"]*\"", " ", line.partition(";")[2])
    words = set(re.findall(r"[A-Za-z_.][A-Za-z_.0-9]*", marker)) - {"and", "or", "not", "in"}
    return bool(words - VARIABLES)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--random", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--below")
    args = parser.parse_args()
    packaging = load_packaging()
    if not packaging:
        print("requirements: skipped, no packaging 22 or newer")
        return 0
    requirements, markers, release = packaging
    env = dict(markers.default_environment(), extra="")
    del env["platform_release"], env["platform_version"]
    r = random.Random(args.seed)
    lines = real_lines(args.below)
    real_n = len(lines)
    lines += [random_line(r) for _ in range(args.random)]
    with tempfile.TemporaryDirectory() as top:
        out = os.path.join(top, "pyreq")
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-O1", "-I" + os.path.join(ROOT, "src"),
                        "-I" + os.path.join(ROOT, "include"), "-o", out] + [os.path.join(ROOT, s) for s in SOURCES], check=True)
        text = "".join("%s=%s\n" % item for item in env.items()) + "\n" + "\n".join(lines) + "\n"
        answers = subprocess.run([out], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    agree = differ = unknown = 0
    for line, answer in zip(lines, answers):
        if "platform_release" in line or "platform_version" in line:
            unknown += 1
            continue
        try:
            want = expected(requirements, line, env)
        except Exception:  # what packaging cannot evaluate is unknown here
            unknown += 1
            continue
        got = given(requirements, answer)
        if (want is None and got and has_unknown_variable(line)) or (want and got and got[4] == "?" and got[:4] == want[:4]):
            unknown += 1
            continue
        agree += got == want
        if got != want:
            differ += 1
            if differ <= 20:
                print("%r\n  packaging: %s\n  cuvet:     %s" % (line, want, got))
    print("%s: %d agree / %d differ (%d real, %d not told)" % (release, agree, differ, real_n, unknown))
    return 1 if differ or not agree else 0


if __name__ == "__main__":
    sys.exit(main())
