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

PLAIN = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


class Cuvet:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def __call__(self, *args, env=None, stdout=subprocess.PIPE, cwd=None):
        full = dict(PLAIN, **{k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "LSAN_"))})
        full.update(env or {})
        p = subprocess.run([self.path] + list(args), stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, timeout=120,
                           env=full, cwd=cwd)
        return Result(p.returncode, (p.stdout or b"").decode(), p.stderr.decode())


def machine(directory, name):
    """Builds the tree of a test machine ("healthy/t4-535-torch-cu121") and returns its options for check."""
    import run
    case = next(c for c in run.load_cases() if c.name == name)
    m = tree.Machine(os.path.join(directory, "root"))
    case.build(m)
    return ["--root", m.root] + [a for s in m.set for a in ("--set", s)] + list(m.args)


def need(condition, message):
    if not condition:
        raise AssertionError(message)


def same(got, want, what):
    need(got == want, "%s: %r, not %r" % (what, got, want))


def main(tests, *args):
    """Each test is a function of the arguments; its doc string or name is what it shows."""
    passed = failed = skipped = 0
    for test in tests:
        try:
            test(*args)
            passed += 1
        except NeedsRoot as e:
            skipped += 1
            print("skip %s: only root can do this: %s" % (test.__name__, e))
        except Exception as e:  # a fault of the test itself is a failure too
            failed += 1
            print("fail %s: %s" % (test.__name__, e if isinstance(e, AssertionError) else traceback.format_exc()))
    print("%d passed, %d failed%s" % (passed, failed, ", %d skipped" % skipped if skipped else ""))
    return 1 if failed or not passed + skipped else 0


def scratch():
    return tempfile.TemporaryDirectory(prefix="cuvet-cli.")
