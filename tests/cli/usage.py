#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What users type wrongly, and what they get: usage.py CUVET"""
import re
import sys

from harness import Cuvet, main, need, same


def wrong(cuvet, args, *words):
    r = cuvet(*args)
    same(r.status, 2, "status of %s" % args)
    same(r.out, "", "standard output of %s" % args)
    for w in words:
        need(w in r.err, "%s: %r is not in %r" % (args, w, r.err))
    need(r.err.count("\n") <= 2, "%s: the message is long: %r" % (args, r.err))


def help_goes_to_stdout(cuvet):
    for args in (["--help"], ["-h"], ["help"], ["check", "--help"], ["gather", "-h"], ["help", "kb"], ["rule", "--help"]):
        r = cuvet(*args)
        same(r.status, 0, "status of %s" % args)
        same(r.err, "", "standard error of %s" % args)
        need(r.out.startswith("usage: cuvet"), r.out)
        need(all(len(line) <= 80 for line in r.out.split("\n")), "help is wider than 80 columns")
        need(r.out.endswith("\n") and not r.out.endswith("\n\n"), "help does not end with one line end")


def version(cuvet):
    r = cuvet("--version")
    same(r.status, 0, "status")
    need(re.fullmatch(r"cuvet \d+\.\d+\.\d+\n", r.out), r.out)


def unknown_commands_suggest_the_nearest(cuvet):
    wrong(cuvet, ["chekc"], "'chekc'", "'check'")
    wrong(cuvet, ["rules"], "'rules'", "'rule'")
    wrong(cuvet, ["gahter"], "'gather'")
    wrong(cuvet, ["frobnicate"], "unknown command 'frobnicate'")
    need("did you mean" not in cuvet("frobnicate").err, "a suggestion from nowhere")
    wrong(cuvet, ["help", "frobnicate"], "unknown command")


def messages_name_the_option(cuvet):
    wrong(cuvet, ["--frob"], "'--frob'")
    wrong(cuvet, ["check", "-x"], "'-x'")
    wrong(cuvet, ["check", "--env"], "'--env'", "argument")
    wrong(cuvet, ["check", "-o"], "'-o'", "argument")
    wrong(cuvet, ["check", "--json=yes"], "'--json'", "no argument")
    wrong(cuvet, ["check", "--format", "yaml"], "'--format'", "'yaml'", "terminal|json|facts")
    wrong(cuvet, ["kb", "torch", "--format", "facts"], "'facts'")
    wrong(cuvet, ["check", "--color", "a"], "'--color'")
    wrong(cuvet, ["check", "--fail-level", "note"], "'--fail-level'")
    wrong(cuvet, ["check", "--fail-level", ""], "'--fail-level'")
    wrong(cuvet, ["check", "--format", "terminal|json"], "'--format'")


def arguments_are_not_ignored(cuvet):
    wrong(cuvet, ["check", "extra"], "'extra'")
    wrong(cuvet, ["gather", "-o", "x", "extra"], "'extra'")
    wrong(cuvet, ["gather"], "'-o'")
    wrong(cuvet, ["kb"], "kb")
    wrong(cuvet, ["rule"], "--list")
    wrong(cuvet, ["rule", "a", "b"], "'b'")
    wrong(cuvet, ["rule", "--list", "b"], "'b'")
    wrong(cuvet, ["check", "--set", "=x", "--root", "/"], "'=x'")


def what_is_not_there_is_named(cuvet):
    wrong(cuvet, ["check", "--root", "/nonexistent/tree"], "/nonexistent/tree")
    wrong(cuvet, ["check", "--machine", "/nonexistent/box"], "/nonexistent/box")
    wrong(cuvet, ["check", "--kb", "/nonexistent/kb"], "/nonexistent/kb")
    wrong(cuvet, ["check", "--root", "/dev/null"], "/dev/null")
    wrong(cuvet, ["check", "--root", __file__], __file__)


def names_bring_no_control_characters(cuvet):
    name = "/nonexistent/a\x1b[31mb\u009bc\x7fd\ne"
    for args in (["explain", name], ["arch", name], ["check", "--root", name], ["gather", "-o", name], [name], ["rule", "x", name]):
        err = cuvet(*args).err
        need(err.endswith("\n") and not [c for c in err if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)], "%s: %r" % (args, err))


def options_may_be_shortened(cuvet):
    same(cuvet("rule", "--li").status, 0, "status of --li")
    wrong(cuvet, ["check", "--re"], "'--re'")


TESTS = [help_goes_to_stdout, version, unknown_commands_suggest_the_nearest, messages_name_the_option, arguments_are_not_ignored,
         what_is_not_there_is_named, names_bring_no_control_characters, options_may_be_shortened]

if __name__ == "__main__":
    sys.exit(main(TESTS, Cuvet(sys.argv[1])))
