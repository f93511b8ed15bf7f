# SPDX-License-Identifier: Apache-2.0
"""What the command-line tests share: run the program, note what fails, close with "N passed, N failed"."""
import os
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MACHINES = os.path.join(ROOT, "tests", "machines")
sys.path[:0] = [MACHINES, os.path.join(MACHINES, "lib")]
import tree  # noqa: E402
from tree import NeedsRoot  # noqa: E402

import boxes    # noqa: E402
import program  # noqa: E402
import pyenv    # noqa: E402

PLAIN = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
NOBODY = 65534


class Skip(Exception):
    """This test needs something that is not here."""


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def __str__(self):
        return "status %s, stdout %r, stderr %r" % (self.status, self.out[-300:], self.err[-500:])


class Cuvet:
    """The program as an empty environment sees it; env adds to that, nobody runs it as another user, wrap under another program."""

    def __init__(self, path):
        self.path = os.path.abspath(path)

    def __call__(self, *args, env=None, stdout=subprocess.PIPE, cwd=None, nobody=False, wrap=()):
        full = dict(PLAIN, **{k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "LSAN_"))})
        full.update(env or {})

        def demote():
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        if nobody and os.geteuid() != 0:
            raise Skip("only root can become another user")
        p = subprocess.run(list(wrap) + [self.path] + [str(a) for a in args], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                           timeout=120, env=full, cwd=cwd, preexec_fn=demote if nobody else None)
        return Result(p.returncode, p.stdout or b"", p.stderr)


class World:
    """The program, where tests may write, and machines by their verdict: healthy (ok), warning, problem, unknown (cannot-tell)."""

    def __init__(self, cuvet, work):
        self.work, self.made = work, {}
        self.cuvet = Cuvet(program.for_everybody(cuvet, work))

    def run(self, *args, cwd=None, **how):
        return self.cuvet(*args, cwd=cwd or self.work, **how)

    def path(self, name):
        return os.path.join(self.work, name)

    def machine(self, kind):
        if kind not in self.made:
            m = tree.Machine(self.path("root-" + kind))
            if kind == "healthy":
                boxes.torch_box(m, "2.9.0", "cu128", "NVIDIA A10", "570.124.06")
            elif kind == "problem":
                boxes.torch_box(m, "2.9.0", "cu128", "NVIDIA GeForce GTX 1080 Ti", "570.124.06")
            elif kind == "warning":
                boxes.box(m, driver="550.54.15")
                pyenv.venv(m).ort("1.26.0").ort("1.26.0", gpu=True)
            else:
                boxes.box(m, [])
                m.gpu("A GPU of the future", device="ffee")
                m.driver("570.124.06").cache()
                pyenv.venv(m).torch("2.9.0", "cu128")
            self.made[kind] = m.root
        return self.made[kind]


def machine(directory, name):
    """Builds the tree of a test machine ("healthy/t4-535-torch-cu121") and returns its options for check."""
    import run
    case = next(c for c in run.load_cases() if c.name == name)
    m = tree.Machine(os.path.join(directory, "root"))
    case.build(m)
    return ["--root", m.root] + [a for s in m.set for a in ("--set", s)] + list(m.args)


def need(condition, *words):
    if not condition:
        raise AssertionError(" ".join(w.decode("utf-8", "replace") if isinstance(w, bytes) else str(w) for w in words))


def same(got, want, what):
    need(got == want, "%s: %r, not %r" % (what, got, want))


def main(tests, *args):
    """Each test is a function of the arguments; its doc string or name is what it shows."""
    passed = failed = skipped = 0
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    for test in tests:
        if pattern not in test.__name__:
            continue
        try:
            test(*args)
            passed += 1
        except (NeedsRoot, Skip) as e:
            skipped += 1
            print("skip %s: %s%s" % (test.__name__, "only root can do this: " if isinstance(e, NeedsRoot) else "", e))
        except Exception as e:  # a fault of the test itself is a failure too
            failed += 1
            print("fail %s: %s" % (test.__name__, e if isinstance(e, AssertionError) else traceback.format_exc()))
    print("%d passed, %d failed%s" % (passed, failed, ", %d skipped" % skipped if skipped else ""))
    return 1 if failed or not passed + skipped else 0


def scratch():
    return tempfile.TemporaryDirectory(prefix="cuvet-cli.")


def main_of(tests):
    """Runs every function of the dictionary whose name begins with test_, with a world of its own, and ends the program."""
    with scratch() as work:
        os.chmod(work, 0o755)
        sys.exit(main([t for n, t in sorted(tests.items()) if n.startswith("test_")], World(sys.argv[1], work)))
