#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does some machine notice when a rule goes silent? rule_mutants.py [-k RULE,...]

For every rule that judges by itself: a copy of the sources in which this rule alone does nothing, built, run on the machines
that expect its finding. A rule whose silence no machine notices is untested. Prints "N agree / N differ" and the usual close.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ELSEWHERE = {"device-node-denied": "a tree takes nodes by presence; tests/unit/test_judge_machine.c has it"}
BODY = re.compile(r"^CV_RULE\((cv_rule_\w+)\)\n\{\n", re.M)


def rules(src):
    """(function, file) of every rule."""
    for base, _, names in os.walk(os.path.join(src, "src", "judge")):
        for n in sorted(names):
            if n.endswith(".c"):
                with open(os.path.join(base, n)) as f:
                    for m in BODY.finditer(f.read()):
                        yield m.group(1), os.path.join(base, n)


def ids(src):
    """function -> rule ids, from the table."""
    out = {}
    for base, _, names in os.walk(os.path.join(src, "src", "judge")):
        for n in names:
            if n.endswith(".c"):
                with open(os.path.join(base, n)) as f:
                    for m in re.finditer(r'\{[^{}]*?"([a-z0-9-]+)"[^{}]*?\b(cv_rule_\w+)\b[^{}]*?\}', f.read(), re.S):
                        out.setdefault(m.group(2), []).append(m.group(1))
    return out


def sh(*args, **kw):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, **kw)


def copy_of_sources(where):
    """What is committed, so that work in progress does not count; without git, the files as they are."""
    os.makedirs(where)
    archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if archive.returncode == 0:
        subprocess.run(["tar", "-x", "-C", where], input=archive.stdout, check=True)
    else:
        shutil.copytree(ROOT, where, symlinks=True, ignore=shutil.ignore_patterns(".git", "build*", "out"), dirs_exist_ok=True)


def machines(src, build, *args):
    return sh(sys.executable, os.path.join(src, "tests", "machines", "run.py"), os.path.join(build, "cuvet"), "--quick", *args)


def main():
    args = sys.argv[1:]
    only = args.pop(args.index("-k") + 1) if "-k" in args else ""
    work = tempfile.mkdtemp(prefix="mutants.")
    os.chmod(work, 0o755)  # some machines are looked at as another user
    noticed = missed = 0
    try:
        src, build = os.path.join(work, "src"), os.path.join(work, "build")
        copy_of_sources(src)
        names = ids(src)
        if sh("cmake", "-G", "Ninja", "-S", src, "-B", build, "-DCUVET_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Debug").returncode:
            sys.exit("configuring failed")
        built = sh("ninja", "-C", build, "cuvet")
        if built.returncode:
            sys.exit("the sources do not build:\n" + built.stdout[-1500:])
        before = machines(src, build)
        if before.returncode:
            print("the machines fail before any rule is muted:\n" + before.stdout[-1500:])
        bad = set(re.findall(r"^fail (\S+)$", before.stdout, re.M))
        for function, path in rules(src):
            rule = names.get(function, ["?"])[0]
            if not any(o in rule for o in only.split(",")):
                continue
            if rule in ELSEWHERE:
                print("skip %s: %s" % (rule, ELSEWHERE[rule]))
                continue
            with open(path) as f:
                whole = f.read()
            mute = re.sub(r"^(CV_RULE\(%s\)\n\{\n)" % function,
                          r'\1\tif (ctx) {\n\t\tcv_ruled_out(ctx, self, "muted");\n\t\treturn;\n\t}\n', whole, flags=re.M)
            with open(path, "w") as f:
                f.write(mute)
            built = sh("ninja", "-C", build, "cuvet")
            if built.returncode:
                print("fail %s: the muted rule does not build:\n%s" % (rule, built.stdout[-500:]))
                missed += 1
            else:
                run = machines(src, build, "--expects", rule)
                if set(re.findall(r"^fail (\S+)$", run.stdout, re.M)) - bad:
                    noticed += 1
                    print("ok   %s" % rule)
                else:
                    missed += 1
                    print("fail %s: no machine notices its silence (%s)" % (rule, run.stdout.strip().split("\n")[-1]))
            with open(path, "w") as f:
                f.write(whole)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("rule mutants: %d agree / %d differ" % (noticed, missed))
    print("%d passed, %d failed" % (noticed, missed))
    return 1 if missed or not noticed else 0


if __name__ == "__main__":
    sys.exit(main())
