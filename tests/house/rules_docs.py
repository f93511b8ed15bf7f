#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule has its page and every page its rule; ids and severities are those of the vocabulary: rules_docs.py BUILD_DIR

tests/house/vocabulary.tsv is the vocabulary that a finding's id, or its parent, must come from, with the severity that a rule
may lower but never raise.
"""
import json
import os
import re
import subprocess
import sys

import house

BUILD = sys.argv[1] if len(sys.argv) > 1 else os.path.join(house.ROOT, "build")
RANK = {"note": 0, "warning": 1, "error": 2}
ID = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
SECTIONS = 2  # a page has at least this many headings below its title


def rules():
    out = subprocess.run([os.path.join(BUILD, "cuvet"), "rule", "--list", "--json"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)["rules"]


def vocabulary(root):
    rows = [line.split("\t") for line in house.read(root, "tests/house/vocabulary.tsv").split("\n")[1:] if line]
    return {r[0]: r[1] for r in rows}


def one(rule, words, pages, root):
    name = rule["id"]
    base = rule.get("parent") or name
    if not ID.match(name):
        yield "rule %s: not a plain id" % name
    if name in words and rule.get("parent"):
        yield "rule %s: is in the vocabulary and has a parent" % name
    if base not in words:
        yield "rule %s: %s is not in the vocabulary" % (name, base)
    elif RANK[rule["severity"]] > RANK[words[base]]:
        yield "rule %s: is %s, the vocabulary says %s" % (name, rule["severity"], words[base])
    if name not in pages:
        yield "rule %s: has no page docs/rules/%s.md" % (name, name)
        return
    text = house.read(root, "docs/rules/%s.md" % name)
    if not re.match(r"# .*\b%s\b" % re.escape(name), text):
        yield "docs/rules/%s.md: its title does not name the rule" % name
    if len(re.findall(r"^#+ ", text, re.M)) < 1 + SECTIONS or len(text) < 400:
        yield "docs/rules/%s.md: says too little" % name
    for other in re.findall(r"\]\(([\w-]+)\.md\)", text):
        if other not in pages:
            yield "docs/rules/%s.md: points to %s.md, which is not there" % (name, other)


def check(root):
    listed, words = rules(), vocabulary(root)
    pages = {p[len("docs/rules/"):-3] for p in house.files(root, "docs/rules", ends=(".md",))}
    faults = [f for r in listed for f in one(r, words, pages, root)]
    faults += ["docs/rules/%s.md: there is no such rule" % p for p in sorted(pages - {r["id"] for r in listed})]
    ids = [r["id"] for r in listed]
    faults += ["rule %s is listed twice" % i for i in sorted(set(ids)) if ids.count(i) > 1]
    if ids != sorted(ids):
        faults.append("the list of rules is not sorted")
    return len(listed) + len(pages), faults


def remove_page(root):
    os.unlink(os.path.join(root, house.files(root, "docs/rules", ends=(".md",))[0]))


def retitle(root):
    path = house.files(root, "docs/rules", ends=(".md",))[-1]
    house.write(root, path, "# Something else\n", append=False)


PLANTS = [
    ("a page is missing", remove_page, "has no page"),
    ("a page without a rule", lambda r: house.write(r, "docs/rules/no-such-rule.md", "# no-such-rule\n"), "no-such-rule.md: there is no such rule"),
    ("a page of another name", retitle, "its title does not name the rule"),
    ("a smaller vocabulary", lambda r: house.write(r, "tests/house/vocabulary.tsv", "id\tseverity\n", append=False), "is not in the vocabulary"),
]

if __name__ == "__main__":
    house.main(check, PLANTS, copies=("docs", "tests/house/vocabulary.tsv"))
