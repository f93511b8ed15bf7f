# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: a program, three machines, and a list of tests."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = os.path.join(HERE, "..", "machines")
sys.path.insert(0, os.path.join(MACHINES, "lib"))
import boxes  # noqa: E402
import program  # noqa: E402
import pyenv  # noqa: E402
import tree   # noqa: E402

NOBODY = 65534


class Skip(Exception):
    """This test needs something that is not here."""


class Fault(Exception):
    pass


def demand(truth, *words):
    if not truth:
        raise Fault(" ".join(w.decode("utf-8", "replace") if isinstance(w, bytes) else str(w) for w in words))


class Done:
    def __init__(self, p):
        self.status, self.out, self.err = p.returncode, p.stdout, p.stderr
        self.text, self.message = (self.out or b"").decode("utf-8", "replace"), (self.err or b"").decode("utf-8", "replace")

    def __str__(self):
        return "status %s, stdout %r, stderr %r" % (self.status, self.text[-300:], self.message[-500:])


class World:
    """The program and where tests may write. machines: healthy, problem, unknown."""

    def __init__(self, cuvet, work):
        self.cuvet, self.work, self.made = program.for_everybody(cuvet, work), work, {}

    def run(self, *args, env=None, stdout=subprocess.PIPE, nobody=False, cwd=None, stdin=subprocess.DEVNULL, wrap=()):
        full = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
        full.update({k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "LSAN_"))})
        full.update(env or {})

        def demote():
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        if nobody and os.geteuid() != 0:
            raise Skip("only root can become another user")
        return Done(subprocess.run(list(wrap) + [self.cuvet] + [str(a) for a in args], env=full, stdin=stdin, stdout=stdout,
                                   stderr=subprocess.PIPE, timeout=120, preexec_fn=demote if nobody else None, cwd=cwd or self.work))

    def path(self, name):
        return os.path.join(self.work, name)

    def machine(self, kind):
        """A tree whose verdict is ok (healthy), problem, or cannot-tell (unknown)."""
        if kind not in self.made:
            m = tree.Machine(self.path("root-" + kind))
            try:
                if kind == "healthy":
                    boxes.torch_box(m, "2.9.0", "cu128", "NVIDIA A10", "570.124.06")
                elif kind == "warning":
                    boxes.box(m, driver="550.54.15")
                    pyenv.venv(m).ort("1.26.0").ort("1.26.0", gpu=True)
                elif kind == "problem":
                    boxes.torch_box(m, "2.9.0", "cu128", "NVIDIA GeForce GTX 1080 Ti", "570.124.06")
                else:
                    boxes.box(m, [])
                    m.gpu("A GPU of the future", device="ffee")
                    m.driver("570.124.06").cache()
                    pyenv.venv(m).torch("2.9.0", "cu128")
            except tree.NeedsRoot:
                raise Skip("only root can make device nodes")
            self.made[kind] = m.root
        return self.made[kind]


def main(tests):
    """Runs every function of the dictionary whose name begins with test_; closes with "N passed, N failed"."""
    if len(sys.argv) < 2:
        sys.exit("usage: %s CUVET [PATTERN]" % sys.argv[0])
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    work = tempfile.mkdtemp(prefix="cli.")
    os.chmod(work, 0o755)
    world = World(sys.argv[1], work)
    good = bad = skipped = 0
    try:
        for name, test in sorted(tests.items()):
            if not name.startswith("test_") or pattern not in name:
                continue
            try:
                test(world)
                good += 1
            except (Skip, tree.NeedsRoot) as e:
                skipped += 1
                print("skip %s: %s" % (name, e))
            except Exception as e:
                bad += 1
                print("fail %s: %s" % (name, e if isinstance(e, Fault) else repr(e)))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("%d passed, %d failed%s" % (good, bad, ", %d skipped" % skipped if skipped else ""))
    sys.exit(1 if bad or not good else 0)
