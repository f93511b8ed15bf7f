#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Help, man page and completions tell of the same commands and options: surfaces.py CUVET"""
import os
import re
import subprocess
import sys

import harness
from harness import Cuvet, main, need, same

SHELL = "completions/cuvet.bash"


def read(path):
    with open(os.path.join(harness.ROOT, path)) as f:
        return f.read()


def commands(cuvet):
    text = cuvet("--help").out
    return re.findall(r"^  ([a-z]+) ", text[text.index("commands:"):], re.M)


def options(cuvet, command):
    """{"--json": None, "--format": "FORMAT", "-o": "FILE", ...} as the help of the command says."""
    out = {}
    for line in cuvet(command, "--help").out.split("\n"):
        m = re.match(r"  (?:(-\w), )?(--[a-z-]+)(?: (\S+))?(?:  |$)", line)
        if m:
            out[m[2]] = m[3]
            if m[1]:
                out[m[1]] = m[3]
    need("--help" in out, "no --help in the help of " + command)
    return out


def man_page(cuvet):
    text = read("man/cuvet.1").replace("\\-", "-")
    heads = re.findall(r"^\.SS (\w+)", text, re.M)
    same(heads, commands(cuvet), "commands of the man page")
    described = set(re.findall(r"--[a-z-]+", text[text.index(".SH OPTIONS"):text.index(".SH EXIT")]))
    every = {"--version"}
    for command in heads:
        part = re.search(r"^\.SS %s\b.*?(?=^\.S[SH])" % command, text, re.M | re.S)[0]
        listed = set(re.findall(r"--[a-z-]+", part[part.index("Options:"):]))
        want = {o for o in options(cuvet, command) if o.startswith("--")}
        same(listed, want, "options of %s in the man page" % command)
        every |= want
    same(described, every, "options that the man page describes")


def arguments_have_one_name(cuvet):
    text = read("man/cuvet.1").replace("\\-", "-")
    for command in commands(cuvet):
        for name, arg in options(cuvet, command).items():
            if arg and name.startswith("--"):
                need(re.search(r'%s " %s"' % (re.escape(name), re.escape(arg)), text), "%s %s is not in the man page" % (name, arg))


def man_page_is_sound(cuvet):
    text = read("man/cuvet.1")
    same([line for line in text.split("\n") if line.rstrip() != line], [], "trailing blanks")
    known = {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I", ".BR", ".BI", ".RI", ".IR", ".nf", ".fi", '.\\"'}
    same({line.split()[0] for line in text.split("\n") if line.startswith(".")} - known, set(), "unknown macros")


def bash_completes_each_command(cuvet):
    script = read(SHELL)
    for command in commands(cuvet):
        line = re.search(r"^\t%s\) options=\"([^\"]*)\"" % command, script, re.M)
        need(line, "bash: no options for " + command)
        same(set(line[1].split()), set(options(cuvet, command)), "bash: options of " + command)


def bash_really_completes(cuvet):
    def complete(*words):
        code = '. %s; COMP_WORDS=(cuvet "$@"); COMP_CWORD=$#; _cuvet; printf "%%s\\n" "${COMPREPLY[@]}"' % os.path.join(harness.ROOT, SHELL)
        env = dict(os.environ, PATH=os.path.dirname(cuvet.path) + ":/usr/bin:/bin")
        return subprocess.run(["bash", "-c", code, "bash"] + list(words), stdout=subprocess.PIPE, env=env, check=True).stdout.decode().split()
    same(complete("ch"), ["check"], "ch<TAB>")
    same(complete("check", "--fa"), ["--fail-level"], "check --fa<TAB>")
    same(complete("check", "--format", ""), ["terminal", "json", "facts"], "check --format <TAB>")
    same(complete("kb", "--format", ""), ["terminal", "json"], "kb --format <TAB>")
    same(complete("rule", "driver-too-o"), ["driver-too-old"], "rule driver-too-o<TAB>")


def zsh_and_fish_know_each_option(cuvet):
    zsh, fish = read("completions/_cuvet"), read("completions/cuvet.fish")
    every = {"--version"}
    for command in commands(cuvet):
        need("'%s:" % command in zsh, "zsh: no " + command)
        need("-a %s " % command in fish, "fish: no " + command)
        own = set(options(cuvet, command))
        every |= {o for o in own if o.startswith("--")}
        lines = [line for line in fish.split("\n") if re.search(r"__cuvet_in [a-z ]*\b%s\b" % command, line)]
        named = set()
        for line in lines:
            named |= {"--" + o for o in re.findall(r" -l ([a-z-]+)", line)} | {"-" + o for o in re.findall(r" -s (\w)", line)}
        same(named, own, "fish: options of " + command)
    same(set(re.findall(r"(--[a-z-]+)[\[},]", zsh)), every, "zsh: options")


def values_agree(cuvet):
    """Words that an option takes, as its error message lists them."""
    for command, option in (("check", "format"), ("kb", "format"), ("check", "fail-level"), ("check", "color")):
        message = cuvet(command, "--" + option, "?").err
        words = re.search(r"not one of ([a-z|]+)", message)[1].replace("|", " ")
        need(words in read(SHELL), "bash: %s of --%s" % (words, option))
        need("(%s)" % words in read("completions/_cuvet"), "zsh: %s of --%s" % (words, option))
        need("'%s'" % words in read("completions/cuvet.fish"), "fish: %s of --%s" % (words, option))


TESTS = [man_page, arguments_have_one_name, man_page_is_sound, bash_completes_each_command, bash_really_completes,
         zsh_and_fish_know_each_option, values_agree]

if __name__ == "__main__":
    sys.exit(main(TESTS, Cuvet(sys.argv[1])))
