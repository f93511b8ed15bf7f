#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `cuvet ld --python` say what Python really loads? Real environments, run here and asked about.

    run.py CUVET [--envs DIR] [--only ENV,...] [--program TEXT] [--setting TEXT] [--fast] [--again] [--verbose]

Every environment runs every program that fits it: without a driver, with a stub of libcuda.so.1 that has no GPU, and with one that refuses;
with nothing, a toolkit or another cuDNN on LD_LIBRARY_PATH; whole, and with one library taken away. /proc/self/maps at the end
is held against the document: the framework's libraries, NVIDIA's, the C and C++ runtimes and OpenMP, each by its real path, both
ways; where the program fails, the message too. What Python said is kept below ${CUVET_CACHE:-~/.cache/cuvet}/imports and
asked again where the environment, the program or the variant changed, or with --again.

Environments are made there too, by uv or pip, unless --envs has them: about 30 GB and a while. Exit 77 without room.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import envs  # noqa: E402
import real  # noqa: E402
import variants  # noqa: E402

CACHE = os.path.join(os.environ.get("CUVET_CACHE") or os.path.expanduser("~/.cache/cuvet"), "imports")


def ask(cuvet, env, case, setting):
    """The document of `cuvet ld` and its exit status."""
    r = subprocess.run([cuvet, "ld", "--env", env, "--json", case.text], capture_output=True, text=True, env=setting.environ(),
                       cwd=setting.cwd)
    if r.returncode not in (0, 1):
        return None, r.stderr.strip()
    return json.loads(r.stdout), None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cuvet")
    p.add_argument("--envs", help="directory with ready environments")
    p.add_argument("--only", default="")
    p.add_argument("--program", help="only programs that contain this")
    p.add_argument("--setting", help="only settings whose name contains this")
    p.add_argument("--fast", action="store_true", help="one setting of a kind only")
    p.add_argument("--again", action="store_true")
    p.add_argument("--verbose", action="store_true")
    a = p.parse_args()
    cuvet = os.path.abspath(a.cuvet)
    top = a.envs or os.path.join(CACHE, "envs")
    names = [n for n in a.only.split(",") if n] or list(envs.ENVIRONMENTS)
    work = os.path.join(CACHE, "work")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    sys.stdout.reconfigure(line_buffering=True)
    tally = compare.Tally(a.verbose)
    for name in names:
        env = envs.get(top, name, made_here=not a.envs)
        if not env:
            print("skipped: %s is not there" % name)
            continue
        answers = real.Answers(os.path.join(CACHE, "answers"), name, a.again)
        for setting in variants.settings(work, top, name, env, a.fast):
            if a.setting and a.setting not in setting.name:
                setting.close()
                continue
            for case in variants.programs(setting.env):
                if a.program and a.program not in case.text or not setting.takes(case):
                    continue
                said = answers.get(setting, case)
                doc, err = ask(cuvet, setting.env, case, setting)
                tally.add("%s, %s: %s" % (name, setting.name, case.text), said, doc, err, case.quiet)
            setting.close()
        answers.save()
    shutil.rmtree(work, ignore_errors=True)
    if tally.cases == 0:
        print("skipped: there is no environment, and no room or no installer to make one")
        return 77
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
