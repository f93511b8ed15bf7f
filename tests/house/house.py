# SPDX-License-Identifier: Apache-2.0
"""What the house checks share. A check is a function root -> (number of things looked at, list of faults).

Each check proves in every run that it can fail: its plants put one violation into a copy of the tree, and the check must name
it there. Closes with "N passed, N failed".
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def files(root, *tops, ends=(".c", ".h")):
    """Paths below root, relative and sorted."""
    out = []
    for top in tops:
        for base, dirs, names in os.walk(os.path.join(root, top)):
            dirs[:] = sorted(d for d in dirs if d not in ("__pycache__", ".git") and not d.startswith("build"))
            out += [os.path.relpath(os.path.join(base, n), root) for n in sorted(names) if n.endswith(tuple(ends))]
    return out


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def write(root, path, text, append=True):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "a" if append else "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(text)


TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def code_only(text):
    """C text with comments and string contents blanked, line numbers kept."""
    def blank(m):
        s = m.group(0)
        return '""' if s[0] == '"' else "' '" if s[0] == "'" else re.sub(r"[^\n]", " ", s)
    return TOKEN.sub(blank, text)


def tracked(root):
    """Files under version control; in a copy without git, all files."""
    try:
        out = subprocess.run(["git", "-C", root, "ls-files", "-z"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        names = [n.decode("utf-8", "surrogateescape") for n in out.split(b"\0") if n]
        if names:
            return [n for n in names if os.path.lexists(os.path.join(root, n))]
    except (OSError, subprocess.CalledProcessError):
        pass
    return sorted(os.path.relpath(os.path.join(b, n), root) for b, dirs, ns in os.walk(root) for n in ns)


def main(check, plants=(), copies=("src", "include")):
    """plants: (what, function(root), words that the fault must hold)."""
    seen, faults = check(ROOT)
    for f in faults:
        print("fail " + f)
    good, bad = max(0, seen - len(faults)), len(faults)
    for what, plant, words in plants:
        with tempfile.TemporaryDirectory(prefix="house.") as tmp:
            for top in copies:
                if os.path.isdir(os.path.join(ROOT, top)):
                    shutil.copytree(os.path.join(ROOT, top), os.path.join(tmp, top), symlinks=True)
                elif os.path.exists(os.path.join(ROOT, top)):
                    os.makedirs(os.path.dirname(os.path.join(tmp, top)), exist_ok=True)
                    shutil.copy(os.path.join(ROOT, top), os.path.join(tmp, top))
            plant(tmp)
            found = [f for f in check(tmp)[1] if f not in faults and words in f]
        if found:
            good += 1
        else:
            bad += 1
            print("fail the check does not see a planted fault: " + what)
    if not seen:
        bad += 1
        print("fail nothing was looked at")
    print("%d passed, %d failed" % (good, bad))
    sys.exit(1 if bad else 0)
