#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The facts schema and the JSON schemas: every row is documented well and every field of a document is in docs/json.md."""
import json
import os
import re

import house

ROW = re.compile(r'^(KIND|FIELD)\((.*)\)\s*$')
TYPES, REDACT = {"STR", "INT", "BOOL", "LIST"}, {"KEEP", "ID", "PATH", "TEXT"}
UNITS = {"", "dotted", "pep440", "deb", "bytes", "MiB"}


def fields(root):
    """(line, kind, name or None, rest) of every row."""
    for n, line in enumerate(house.read(root, "src/facts/schema.def").split("\n"), 1):
        m = ROW.match(line)
        if m:
            parts = re.findall(r'"(?:[^"\\]|\\.)*"|[^,\s]+', m.group(2))
            yield n, m.group(1), parts
        elif line.startswith(("KIND", "FIELD")):
            yield n, "?", [line]


def facts(root):
    seen, kind, at = set(), None, "src/facts/schema.def:%d: %s"
    for n, what, parts in fields(root):
        if what == "KIND" and len(parts) == 2:
            kind = parts[0]
            seen.add(kind)
            yield None
            if "key" not in parts[1]:
                yield at % (n, "the kind %s does not say what its key is" % kind)
        elif what == "FIELD" and len(parts) == 6:
            name = parts[0] + "." + parts[1]
            yield None
            if parts[0] != kind:
                yield at % (n, "%s is not below its kind" % name)
            if name in seen:
                yield at % (n, "%s is there twice" % name)
            seen.add(name)
            if parts[2] not in TYPES or parts[4] not in REDACT or parts[3].strip('"') not in UNITS:
                yield at % (n, "%s has an unknown type, unit or redaction" % name)
            if len(parts[5]) < 6:
                yield at % (n, "%s is not documented" % name)
        else:
            yield at % (n, "not a row: " + " ".join(parts)[:40])


def words_of(schema, out):
    """Names of the properties in a schema, at any depth."""
    if isinstance(schema, dict):
        for k, v in schema.get("properties", {}).items():
            out.add(k)
        for v in schema.values():
            words_of(v, out)
    elif isinstance(schema, list):
        for v in schema:
            words_of(v, out)
    return out


def documents(root):
    text = house.read(root, "docs/json.md")
    for path in house.files(root, "share/schema", ends=(".json",)):
        for name in sorted(words_of(json.loads(house.read(root, path)), set())):
            yield None
            if not re.search(r"\b%s\b" % re.escape(name), text):
                yield "%s: the field %s is not in docs/json.md" % (path, name)


def check(root):
    results = list(facts(root)) + (list(documents(root)) if os.path.exists(os.path.join(root, "docs/json.md")) else ["docs/json.md is not there"])
    return sum(r is None for r in results), [r for r in results if r]


def append_field(text):
    return lambda root: house.write(root, "src/facts/schema.def", text + "\n")


def add_property(root):
    path = "share/schema/check-1.json"
    doc = json.loads(house.read(root, path))
    doc["properties"]["planted_field"] = {"type": "string"}
    house.write(root, path, json.dumps(doc), append=False)


PLANTS = [
    ("a field without words", append_field('FIELD(ldso, planted, STR, "", KEEP, "")'), "ldso.planted is not documented"),
    ("a field of another kind", append_field('FIELD(gpu, planted, STR, "", KEEP, "something")'), "gpu.planted is not below its kind"),
    ("a field twice", append_field('FIELD(ldso, preload, LIST, "", PATH, "again and again")'), "ldso.preload is there twice"),
    ("an unknown redaction", append_field('FIELD(ldso, planted, STR, "", MAYBE, "something")'), "unknown type"),
    ("a field of a document that the docs leave out", add_property, "planted_field is not in docs/json.md"),
]

if __name__ == "__main__":
    house.main(check, PLANTS, copies=("src/facts", "share", "docs/json.md"))
