# SPDX-License-Identifier: Apache-2.0
"""A JSON Schema checker for the words that the shipped schemas use; an unknown word is a fault of its own."""
import json
import os
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}
IGNORED = {"$schema", "$id", "$defs", "title", "description", "definitions", "examples", "default", "$comment"}


def load(directory):
    """{command: schema} of a directory of COMMAND-1.json files."""
    out = {}
    for name in sorted(os.listdir(directory)) if directory and os.path.isdir(directory) else []:
        if name.endswith(".json"):
            with open(os.path.join(directory, name)) as f:
                out[re.split("[.-]", name)[0]] = json.load(f)
    return out


def faults(doc, schema):
    """At most ten."""
    out = []
    if schema is not None:
        _check(doc, schema, schema, "$", out)
    return out[:10]


def _resolve(ref, top):
    at = top
    for part in ref.lstrip("#/").split("/"):
        at = at[part]
    return at


def _is(value, name):
    if name in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, TYPES[name])


def _check(v, s, top, at, out):
    if s is True or s is False:
        if s is False:
            out.append("%s is not allowed" % at)
        return
    for word, arg in s.items():
        if word in IGNORED:
            continue
        if word == "$ref":
            _check(v, _resolve(arg, top), top, at, out)
        elif word == "type":
            names = arg if isinstance(arg, list) else [arg]
            if not any(_is(v, n) for n in names):
                out.append("%s is %r, not %s" % (at, v, "|".join(names)))
        elif word == "enum":
            if v not in arg:
                out.append("%s is %r, not one of %s" % (at, v, arg))
        elif word == "const":
            if v != arg:
                out.append("%s is %r, not %r" % (at, v, arg))
        elif word == "pattern":
            if isinstance(v, str) and not re.search(arg, v):
                out.append("%s is %r, not like %s" % (at, v, arg))
        elif word == "required":
            if isinstance(v, dict):
                out += ["%s has no %s" % (at, k) for k in arg if k not in v]
        elif word == "properties":
            for k, sub in arg.items():
                if isinstance(v, dict) and k in v:
                    _check(v[k], sub, top, "%s.%s" % (at, k), out)
        elif word == "additionalProperties":
            if isinstance(v, dict):
                for k in v:
                    if k not in s.get("properties", {}):
                        _check(v[k], arg, top, "%s.%s" % (at, k), out)
        elif word == "items":
            if isinstance(v, list):
                for i, x in enumerate(v):
                    _check(x, arg, top, "%s[%d]" % (at, i), out)
        elif word in ("minItems", "minLength"):
            if isinstance(v, (list, str)) and len(v) < arg:
                out.append("%s is shorter than %d" % (at, arg))
        elif word == "minimum":
            if isinstance(v, (int, float)) and v < arg:
                out.append("%s is below %s" % (at, arg))
        elif word in ("anyOf", "oneOf", "allOf"):
            results = []
            for sub in arg:
                found = []
                _check(v, sub, top, at, found)
                results.append(found)
            good = sum(not r for r in results)
            if (word == "anyOf" and not good) or (word == "oneOf" and good != 1) or (word == "allOf" and good != len(arg)):
                out.append("%s does not meet %s: %s" % (at, word, results[0][:1]))
        else:
            out.append("schema word %r at %s is not known to this checker" % (word, at))
