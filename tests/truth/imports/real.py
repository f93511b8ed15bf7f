# SPDX-License-Identifier: Apache-2.0
"""Running a program in a real environment, and keeping what it said."""
import hashlib
import json
import os
import subprocess

# Runs the program, then tells how it ended and what is mapped. It imports nothing that the program would not.
WRAPPER = """
import sys
def _tell(error):
    files = sorted({line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if line.count("/")})
    sys.stdout.write("\\n==maps\\n" + "\\n".join(files) + "\\n==error\\n" + error + "\\n")
    sys.stdout.flush()
try:
    exec(compile(%r, "program", "exec"), {"__name__": "__main__"})
except BaseException as e:
    _text = ""
    while e is not None:
        _text += type(e).__name__ + ": " + str(e) + chr(10)
        e = e.__cause__ or e.__context__
    _tell(_text)
else:
    _tell("")
"""


def run(setting, case):
    r = subprocess.run([setting.env + "/bin/python", "-c", WRAPPER % case.code(setting)], capture_output=True, text=True,
                       env=setting.environ(), cwd=setting.cwd, timeout=600)
    if r.returncode < 0:
        return {"signal": -r.returncode}
    parts = r.stdout.split("\n==maps\n")
    if len(parts) != 2:
        raise RuntimeError("%s: %s\n%s" % (setting.name, case.text, (r.stdout + r.stderr)[-2000:]))
    files, error = parts[1].split("\n==error\n")
    return {"files": [f for f in files.split("\n") if f], "error": error.strip(), "printed": r.stderr[-20000:]}


class Answers:
    """What the programs of one environment said, on disk."""

    def __init__(self, top, name, again):
        os.makedirs(top, exist_ok=True)
        self.path = os.path.join(top, name + ".json")
        self.kept = {}
        if not again and os.path.exists(self.path):
            with open(self.path) as f:
                self.kept = json.load(f)

    def get(self, setting, case):
        key = hashlib.sha256("\0".join([WRAPPER, case.code(setting), setting.key()]).encode()).hexdigest()
        if key not in self.kept:
            self.kept[key] = run(setting, case)
            self.save()
        return self.kept[key]

    def save(self):
        with open(self.path + ".new", "w") as f:
            json.dump(self.kept, f, indent=1, sort_keys=True)
        os.replace(self.path + ".new", self.path)
