#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are distributions and imports found as the environment's own Python finds them?

  imports.py [--helper PROGRAM] [--below DIR] [ENV...]

For every environment (those named, those in DIR; without either pyenv's): importlib.metadata tells names, versions and numbers of files,
importlib.util.find_spec where torch and the others would come from. Nothing is imported. Prints "N agree / N differ"; exit 1
where anything differs.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

import syspath

ASK = """
import importlib.metadata as m, importlib.util as u, json, os, re, sys
sys.path = [p for p in sys.path if p]
dists = {}
total = 0
for d in m.distributions():
    path = getattr(d, "_path", None)
    if path is None or os.path.basename(str(path)).startswith("~"):
        continue
    total += 1
    name = re.sub(r"[-_.]+", "-", d.metadata["Name"] or "").lower()
    files = d.files
    dists.setdefault(name, [d.version, str(path), None if files is None else len(files)])
specs = {}
for name in ("torch", "onnxruntime", "tensorflow", "jax", "cupy"):
    try:
        spec = u.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    specs[name] = spec.origin if spec and spec.origin else None
print(json.dumps([dists, total, specs]))
"""


def environments(directory):
    return [e for e in sorted(glob.glob(os.path.join(os.path.expanduser(directory), "*")))
            if os.path.exists(os.path.join(e, "bin/python3"))]


def first(subject, name):
    values = subject.get(name) or [{}]
    return values[0].get("value")


def compare(helper, env):
    """Yields (what, Python's answer, ours)."""
    exe = os.path.join(env, "bin/python3")
    answer = subprocess.run([exe, "-c", ASK], capture_output=True, text=True, cwd="/")
    if answer.returncode != 0:
        return
    dists, total, specs = json.loads(answer.stdout.splitlines()[-1])
    facts = json.loads(subprocess.run([helper, "--env", env, "--cwd", "/"], capture_output=True, text=True, check=True).stdout)
    mine = next(e for e in facts["env"] if first(e, "selected"))
    yield "number of distributions", total, first(mine, "packages")
    for package in facts["package"]:
        if first(package, "env") != mine["key"] or first(package, "shadowed") or first(package, "source") == "conda-meta":
            continue
        name = first(package, "name")
        want = dists.get(name)
        got = [first(package, "version"), first(package, "path"), first(package, "record_files")]
        if first(package, "source") == "egg-info" and want:
            want = want[:2] + [got[2]]
        yield "package " + name, want, got
    for name, origin in specs.items():
        framework = next((f for f in facts["framework"] if f["key"] == mine["key"] + "|" + name), {})
        path = first(framework, "path")
        want = os.path.dirname(origin) if origin and os.path.basename(origin).startswith("__init__.") else origin
        yield "import " + name, want, path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--helper")
    parser.add_argument("--below")
    parser.add_argument("envs", nargs="*")
    args = parser.parse_args()
    top = tempfile.mkdtemp(prefix="cuvet-imports-")
    agree = differ = 0
    try:
        helper = args.helper or syspath.build(top)
        envs = args.envs + (environments(args.below) if args.below else [])
        envs = envs or environments("~/.pyenv/versions")
        for env in envs:
            for what, want, got in compare(helper, env):
                agree += want == got
                if want != got:
                    differ += 1
                    print("%s: %s\n  Python: %s\n  cuvet:  %s" % (env, what, want, got))
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print("distributions and imports of %d environments: %d agree / %d differ" % (len(envs), agree, differ))
    return 1 if differ or not agree else 0


if __name__ == "__main__":
    sys.exit(main())
