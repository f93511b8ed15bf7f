#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where output goes and how it looks there: output.py CUVET"""
import json
import os
import pty
import stat
import subprocess
import sys

import harness
from harness import Cuvet, main, need, same

HEALTHY = "healthy/t4-535-torch-cu121"
WARNING_ONLY = "both_ort/gpu-package-last-works-for-now"


def file_appears_whole(cuvet, work, where):
    path = os.path.join(work, "report.json")
    r = cuvet("check", *where, "--json", "-o", path)
    same((r.status, r.out, r.err), (0, "", ""), "check -o")
    with open(path) as f:
        json.load(f)
    same(sorted(n for n in os.listdir(work) if n.startswith("report")), ["report.json"], "what is left behind")
    umask = os.umask(0)
    os.umask(umask)
    same(stat.S_IMODE(os.stat(path).st_mode), 0o666 & ~umask, "mode")


def old_file_survives_a_failure(cuvet, work, where):
    path = os.path.join(work, "old.txt")
    with open(path, "w") as f:
        f.write("old")
    r = cuvet("check", "--root", "/nonexistent", "-o", path)
    same(r.status, 2, "status")
    with open(path) as f:
        same(f.read(), "old", "content")


def links_and_devices_are_kept(cuvet, work, where):
    target, link = os.path.join(work, "target.txt"), os.path.join(work, "link.txt")
    open(target, "w").close()
    os.symlink("target.txt", link)
    same(cuvet("check", *where, "-o", link).status, 0, "status")
    need(os.path.islink(link) and os.path.getsize(target) > 0, "the link was replaced")
    same(cuvet("check", *where, "-o", "/dev/null").status, 0, "status of /dev/null")
    need(stat.S_ISCHR(os.stat("/dev/null").st_mode), "/dev/null was replaced")


def a_link_to_nothing_yet_is_followed(cuvet, work, where):
    """check and gather alike: the file that the link names appears, beside nothing else, and the link stays."""
    for name, args in (("new.json", ["check", *where, "--json"]), ("new.tar.zst", ["gather", *where])):
        there = os.path.join(work, "there." + name)
        os.mkdir(there)
        link = os.path.join(work, "link." + name)
        os.symlink(os.path.join("there." + name, name), link)
        same(cuvet(*args, "-o", link).status, 0, "status of -o through a link to nothing")
        need(os.path.islink(link), "the link was replaced")
        same(os.listdir(there), [name], "what lies where the link leads")
        before = os.path.getsize(os.path.join(there, name))
        same(cuvet(*args, "-o", link).status, 0, "status of the second time")
        need(os.path.islink(link) and os.path.getsize(os.path.join(there, name)) == before, "the second time differs")
        r = cuvet(args[0], "--root", "/nonexistent", "-o", link)
        same((r.status, os.path.getsize(os.path.join(there, name))), (2, before), "what a failure leaves")
        loop = os.path.join(work, "loop." + name)
        os.symlink("loop." + name, loop)
        r = cuvet(*args, "-o", loop)
        need(r.status == 2 and "loop." + name in r.err and os.path.islink(loop), r)


def a_dash_is_standard_output(cuvet, work, where):
    r = cuvet("check", *where, "--json", "-o", "-", cwd=work)
    same((r.status, r.out), (0, cuvet("check", *where, "--json").out), "check -o -")
    r = cuvet("gather", *where, "-o", "-", cwd=work)
    need(r.status == 2 and "standard output" in r.err and not r.out, r)
    need("-" not in os.listdir(work), "a file called -")


def an_empty_argument_is_named(cuvet, work, where):
    for option in ("--root=", "--machine=", "--output=", "--python=", "--env=", "--set=", "--kb="):
        r = cuvet("check", option)
        need(r.status == 2 and option[:-1] in r.err and not r.out, option, r)
    r = cuvet("gather", *where, "-o", "")
    need(r.status == 2 and "--output" in r.err, r)


def full_disk_is_told(cuvet, work, where):
    r = cuvet("check", *where, "-o", "/dev/full")
    same(r.status, 2, "status of -o /dev/full")
    need("/dev/full" in r.err and "space" in r.err, r.err)
    with open("/dev/full", "w") as full:
        for args in (["check"] + where, ["--help"], ["--version"], ["rule", "--list"], ["kb", "torch"]):
            r = cuvet(*args, stdout=full)
            same(r.status, 2, "status of %s on a full disk" % args)
            need("standard output" in r.err, r.err)


def missing_directory_is_told(cuvet, work, where):
    r = cuvet("check", *where, "-o", "/nonexistent/dir/x")
    same(r.status, 2, "status")
    need("/nonexistent/dir/x" in r.err, r.err)


def closed_output_is_told(cuvet, work, where):
    r, w = os.pipe()
    os.close(r)
    result = cuvet("check", *where, stdout=w)
    os.close(w)
    same(result.status, 2, "status of a broken pipe")
    need("standard output" in result.err, result.err)
    p = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", cuvet.path, "--version"], stderr=subprocess.PIPE)
    same(p.returncode, 2, "status of a closed output")


def on_terminal(cuvet, args, env):
    """Output as a terminal gets it."""
    try:
        master, slave = pty.openpty()
    except OSError as e:  # a bare root without /dev/pts
        raise harness.Skip("no terminal can be made: %s" % e)
    full = dict(harness.PLAIN, TERM="xterm")
    full.update(env)
    p = subprocess.Popen([cuvet.path] + args, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE, env=full)
    os.close(slave)
    out = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.close(master)
    p.stderr.close()
    p.wait()
    return out.decode().replace("\r\n", "\n")


def colour_follows_the_rules(cuvet, work, where):
    args = ["check"] + where
    for env, flag, terminal, want in [
            ({}, None, False, False), ({}, None, True, True), ({"NO_COLOR": "1"}, None, True, False),
            ({"NO_COLOR": ""}, None, True, True), ({"CLICOLOR": "0"}, None, True, False), ({"TERM": "dumb"}, None, True, False),
            ({"CLICOLOR_FORCE": "1"}, None, False, True), ({"CLICOLOR_FORCE": "0"}, None, False, False),
            ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, None, False, False), ({"NO_COLOR": "1"}, "always", False, True),
            ({}, "never", True, False), ({"CLICOLOR_FORCE": "1"}, "never", False, False), ({}, "auto", False, False)]:
        full = args + (["--color", flag] if flag else [])
        out = on_terminal(cuvet, full, env) if terminal else cuvet(*full, env=env).out
        same("\033[" in out, want, "colour with %s, --color %s, terminal %s" % (env, flag, terminal))
    need("\033" not in cuvet("check", *where, "--json", "--color", "always").out, "colour in JSON")
    path = os.path.join(work, "colour.txt")
    cuvet("check", *where, "-o", path)
    with open(path) as f:
        need("\033" not in f.read(), "colour in a file")


def locale_and_width_matter_on_a_terminal_only(cuvet, work, where):
    args = ["check"] + where + ["--color", "never"]
    plain = cuvet(*args).out
    for env in ({"LC_ALL": "C"}, {"LC_ALL": "de_DE"}, {"COLUMNS": "50"}, {"COLUMNS": "200"}, {"TERM": "dumb"}, {"TZ": "Asia/Tokyo"}):
        same(cuvet(*args, env=env).out, plain, "output with %s" % env)
    need("\u2192" in plain, "no arrow in UTF-8 output")
    narrow = on_terminal(cuvet, args, {"LC_ALL": "C", "COLUMNS": "60"})
    need(narrow.isascii(), "not ASCII in the C locale")
    need("->" in narrow, "no arrow in ASCII output")
    need(narrow.count("\n") > plain.count("\n"), "COLUMNS is not followed on a terminal")


def statuses_follow_the_verdict(cuvet, work, where):
    """ok, problem, cannot tell, and a machine with warnings only."""
    for name, plain, warning in [("healthy/t4-535-torch-cu121", 0, 0), ("driver_too_old/470-cu121", 1, 1),
                                 ("jetson/orin-sbsa-torch-cu126", 3, 1), (WARNING_ONLY, 0, 1)]:
        args = ["check"] + harness.machine(os.path.join(work, name.replace("/", ".")), name)
        same(cuvet(*args).status, plain, "status of " + name)
        same(cuvet(*args, "--fail-level", "error").status, plain, "status of %s at level error" % name)
        same(cuvet(*args, "--fail-level", "warning").status, warning, "status of %s at level warning" % name)
        same(cuvet(*args, "--exit-zero").status, 0, "status of %s with --exit-zero" % name)
        same(cuvet(*args, "--json").status, plain, "status of %s as JSON" % name)
    same(cuvet("check", "--exit-zero", "--frob").status, 2, "status of a usage error with --exit-zero")


def stdout_is_one_document_and_stderr_is_quiet(cuvet, work, where):
    for extra in (["--json"], ["--format", "json"], ["--format", "facts"]):
        r = cuvet("check", *where, *extra)
        json.loads(r.out)
        same(r.err, "", "standard error of %s" % extra)
    same(cuvet("check", *where).err, "", "standard error of a terminal report")


TESTS = [file_appears_whole, old_file_survives_a_failure, links_and_devices_are_kept, a_link_to_nothing_yet_is_followed, a_dash_is_standard_output,
         an_empty_argument_is_named, full_disk_is_told, missing_directory_is_told,
         closed_output_is_told, colour_follows_the_rules, locale_and_width_matter_on_a_terminal_only, statuses_follow_the_verdict,
         stdout_is_one_document_and_stderr_is_quiet]

if __name__ == "__main__":
    with harness.scratch() as directory:
        try:
            healthy = harness.machine(os.path.join(directory, "healthy"), HEALTHY)
        except harness.NeedsRoot as e:
            print("skip all: only root can do this: %s\n0 passed, 0 failed, %d skipped" % (e, len(TESTS)))
            sys.exit(0)
        sys.exit(main(TESTS, Cuvet(sys.argv[1]), directory, healthy))
