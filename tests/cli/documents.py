#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real documents against the schemas that are shipped: documents.py CUVET

Schemas stay open to later fields; here they are closed, so that a field nobody described is found. Machines of tests/machines are
held against them by their own runner.
"""
import copy
import json
import os
import sys

import harness
from harness import Cuvet, main, need, same
import schema

SCHEMAS = os.path.join(harness.ROOT, "share", "schema")


def closed(node):
    """The same schema with no room for fields that it does not name."""
    if isinstance(node, list):
        return [closed(x) for x in node]
    if not isinstance(node, dict):
        return node
    out = {k: closed(v) for k, v in node.items()}
    if isinstance(out.get("properties"), dict) and "type" in out and "additionalProperties" not in out:
        out["additionalProperties"] = False
    return out


def load():
    return {k: closed(v) for k, v in schema.load(SCHEMAS).items()}


def valid(cuvet, kind, *args, status=None):
    r = cuvet(*args)
    doc = json.loads(r.out)
    found = schema.faults(doc, load()[kind])
    need(not found, "%s: %s" % (list(args), found))
    same(doc["schema"], "cuvet/%s/1" % kind, "schema of %s" % list(args))
    if status is not None:
        same(r.status, status, "status of %s" % list(args))
    return doc


def this_machine(cuvet):
    path = {"PATH": os.environ.get("PATH", "")}
    r = cuvet("check", "--json", env=path)
    found = schema.faults(json.loads(r.out), load()["check"])
    need(not found, found)
    need(r.status in (0, 1, 3), "status %s" % r.status)
    valid(cuvet, "check", "check", "--all-envs", "--json")
    valid(cuvet, "facts", "check", "--format", "facts")


def an_empty_tree(cuvet):
    with harness.scratch() as d:
        valid(cuvet, "check", "check", "--root", d, "--json")
        valid(cuvet, "facts", "check", "--root", d, "--format", "facts")


def a_sick_machine(cuvet):
    with harness.scratch() as d:
        doc = valid(cuvet, "check", "check", *harness.machine(d, "driver_too_old/470-cu121"), "--json", status=1)
    need(doc["findings"] and doc["findings"][0]["fixes"] and doc["findings"][0]["evidence"], "a finding without fix or evidence")


def kb_answers(cuvet):
    for words in (["torch"], ["torch", "2.9"], ["torch", "2.9.0+cu128"], ["driver", "535"], ["driver", "535.104.05"], ["cuda", "12.8"],
                  ["gpu", "RTX 4090"], ["gpu", "10de:2684"], ["cc", "8.9"], ["onnxruntime-gpu", "1.27"]):
        doc = valid(cuvet, "kb", "kb", *words, "--json", status=0)
        need(doc["lines"], "no line for %s" % words)
        need(all(line["source"] and line["date"] for line in doc["lines"] if line["subject"]), "a row without source or date")
    for words in (["matrix", "torch"], ["matrix", "tensorflow"], ["matrix", "jax", "0.7"]):
        doc = valid(cuvet, "kb", "kb", *words, "--json", status=0)
        need(doc["matrix"] and all(row["sources"] for row in doc["matrix"]), "a table without rows or sources: %s" % words)
    claims = valid(cuvet, "kb", "kb", "claims", "--json", status=0)["claims"]
    need(len(claims) > 20 and all(c["sources"] for c in claims), "claims without sources")
    for words in (["error", "803"], ["xid", "79"], ["image", "nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04"], ["cloud", "colab"],
                  ["jetpack", "6.2"], ["conda", "pytorch"], ["distro", "ubuntu", "22.04"], ["cudnn", "91002"], ["tensorrt", "10.3"]):
        valid(cuvet, "kb", "kb", *words, "--json", status=0)
    for words in (["frobnicate"], ["matrix", "torhc"], ["claims", "sourdough"], ["error", "77777"], ["torch", "99"], ["gpu", "RTX 99999"]):
        valid(cuvet, "kb", "kb", *words, "--json", status=3)


def rules(cuvet):
    catalogue = valid(cuvet, "rule", "rule", "--list", "--json", status=0)["rules"]
    need(len(catalogue) > 20, "a short catalogue")
    same([r["id"] for r in catalogue], sorted(r["id"] for r in catalogue), "order")
    for r in catalogue:
        doc = valid(cuvet, "rule", "rule", r["id"], "--json", status=0)
        same(doc["rules"], [r], "rule")
        need(doc["page"], "no page for " + r["id"])
    doc = valid(cuvet, "rule", "rule", "no-such-rule", "--json", status=3)
    same((doc["found"], doc["rules"], doc["page"]), (False, [], None), "an unknown rule")


def a_fault_is_found(cuvet):
    """The checker itself: each of these documents breaks the schema in one place."""
    with harness.scratch() as d:
        good = valid(cuvet, "check", "check", *harness.machine(d, "driver_too_old/470-cu121"), "--json")
    breaks = [
        lambda x: x.update(verdict="fine"),
        lambda x: x.pop("cells"),
        lambda x: x.update(surprise=1),
        lambda x: x["machine"]["driver"].update(module=535),
        lambda x: x["cells"][0].update(key="torch"),
        lambda x: x["cells"][0].update(code="ptx"),
        lambda x: x["findings"][0].update(severity="fatal"),
        lambda x: x["findings"][0]["fixes"].append({"changes": None, "needs_root": False, "reboot": False}),
        lambda x: x["findings"][0]["params"].update(n=1),
    ]
    for i, spoil in enumerate(breaks):
        doc = copy.deepcopy(good)
        spoil(doc)
        need(schema.faults(doc, load()["check"]), "break %d is not found" % i)


def explain_answers(cuvet):
    with harness.scratch() as d:
        path = os.path.join(d, "error.log")
        for text, status in (("CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version\ntorch==2.9.1+cu130\n", 1),
                             ("nothing that is known\n", 3), ("tensor([1.], device='cuda:0')\ntorch==2.5.1\n", 0)):
            with open(path, "w") as f:
                f.write(text)
            valid(cuvet, "explain", "explain", "--json", path, status=status)


TESTS = [explain_answers, this_machine, an_empty_tree, a_sick_machine, kb_answers, rules, a_fault_is_found]

if __name__ == "__main__":
    sys.exit(main(TESTS, Cuvet(sys.argv[1])))
