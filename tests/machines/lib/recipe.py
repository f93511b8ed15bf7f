# SPDX-License-Identifier: Apache-2.0
"""What a recipe is, and how its expectation is compared with a report.

A recipe file holds CASES: a list of case(name, build, expectation ...). build takes a Machine and may return it or an Env.
Expectations are exact where it counts: the set of findings (notes too), the verdict, the exit status, the cells named.
"""


class F:
    """An expected finding. id: its id or that of its parent, or several of which one must be met; params by keyword."""

    def __init__(self, fid, severity="error", role=None, cells=None, fix=(), not_fix=(), price=None, optional=False, subject=None, **params):
        self.ids = (fid,) if isinstance(fid, str) else tuple(fid)
        self.severity, self.role, self.cells, self.params, self.optional, self.subject = severity, role, cells, params, optional, subject
        self.fix = (fix,) if isinstance(fix, str) else tuple(fix)
        self.price = price or {}  # part of a fix -> ids of findings that it makes, blank-separated; "" for none
        self.not_fix = (not_fix,) if isinstance(not_fix, str) else tuple(not_fix)

    def __str__(self):
        return "%s(%s)" % ("|".join(self.ids), self.severity)

    def names(self, finding):
        return finding["id"] in self.ids or finding.get("parent") in self.ids

    def faults(self, finding, doc, label):
        out = []
        if finding["severity"] != self.severity:
            out.append("%s is %s, not %s" % (finding["id"], finding["severity"], self.severity))
        if self.role and finding["role"] != self.role:
            out.append("%s is %s, not %s" % (finding["id"], finding["role"], self.role))
        for name, want in self.params.items():
            got = finding["params"].get(name)
            if callable(want):
                if not want(got):
                    out.append("%s: param %s is %r" % (finding["id"], name, got))
            elif got != want:
                out.append("%s: param %s is %r, not %r" % (finding["id"], name, got, want))
        if self.subject is not None and self.subject not in str(finding.get("subject")):
            out.append("%s: subject is %r, not %r" % (finding["id"], finding.get("subject"), self.subject))
        if self.cells is not None:
            got = sorted(label(k) for k in finding["cells"])
            if got != sorted(self.cells):
                out.append("%s: hits cells %s, not %s" % (finding["id"], got, sorted(self.cells)))
        fixes = " ;; ".join("%s %s" % (f.get("command") or "", f.get("text") or "") for f in finding["fixes"])
        for part in self.fix:
            if part not in fixes:
                out.append("%s: no fix says %r: %s" % (finding["id"], part, fixes))
        for part in self.not_fix:
            if part in fixes:
                out.append("%s: a fix says %r: %s" % (finding["id"], part, fixes))
        for part, want in self.price.items():
            got = [" ".join(sorted({p["id"] for p in f.get("price", [])})) if f["tried"] and f["heals"] else f.get("not_tried", "does not heal")
                   for f in finding["fixes"] if part in (f.get("command") or f.get("text"))]
            if got != [want]:
                out.append("%s: the price of the fix %r is %r, not %r" % (finding["id"], part, got, want))
        if finding["severity"] != "note" and not finding["evidence"]:
            out.append("%s: no evidence" % finding["id"])
        return out


class Case:
    FIELDS = dict(verdict=None, findings=(), status=None, cells={}, not_evaluated=(), ruled_out=(), not_ruled_out=(), machine={}, envs={},
                  packages={}, says=(), says_not=(), user=None, slow=False, check=None, gpus=None, golden=False, replay=True, hostile=False, minor=None, order=None)

    def __init__(self, name, build, **expect):
        self.name, self.build = name, build
        for key, value in self.FIELDS.items():
            setattr(self, key, expect.pop(key, value))
        if expect:
            raise TypeError("%s: unknown expectation %s" % (name, ", ".join(expect)))
        if self.status is None and self.verdict:
            self.status = {"ok": 0, "problem": 1, "cannot-tell": 3}[self.verdict]


def case(name, build, **expect):
    return Case(name, build, **expect)


def labels(doc):
    """Cell key -> readable name: "torch|0", with the environment's path before it where several have that workload."""
    envs = [e["path"] for e in doc["environments"]]
    short = [c["key"].split("|", 1)[1] for c in doc["cells"]]

    def label(key):
        env, name = key.split("|", 1)
        return name if env == "-" or short.count(name) <= 1 else "%s|%s" % (envs[int(env)], name)
    return label


# What comes with many machines and is demanded or forbidden only by name: minor=True or False, order=True or False.
WEATHER = {"driver-minor-version": ("minor", "note"), "import-order": ("order", "warning")}


def match_findings(case_, doc, label):
    out, left = [], [f for f in doc["findings"] if f["id"] not in WEATHER]
    for fid, (field, severity) in WEATHER.items():
        have, want = [f for f in doc["findings"] if f["id"] == fid], getattr(case_, field)
        if want is not None and bool(have) != want:
            out.append("%s is %s" % (fid, "not there" if want else "there"))
        out += ["%s is %s, not %s" % (fid, f["severity"], severity) for f in have if f["severity"] != severity]
    for want in case_.findings:
        same = [f for f in left if want.names(f)]
        best = min(same, key=lambda f: len(want.faults(f, doc, label)), default=None)
        if best is None:
            if not want.optional:
                out.append("finding %s is not there" % want)
            continue
        left.remove(best)
        out += want.faults(best, doc, label)
    out += ["unexpected finding %s(%s): %s" % (f["id"], f["severity"], f["title"]) for f in left]
    return out


def match_cells(case_, doc, label):
    out = []
    have = {label(c["key"]): c for c in doc["cells"]}
    for key, want in case_.cells.items():
        cell = have.get(key)
        if cell is None:
            out.append("cell %s is not there (there are %s)" % (key, ", ".join(sorted(have))))
            continue
        for part in want.split():
            name, value = part.split("=")
            if cell.get(name) not in value.split(","):
                out.append("cell %s: %s is %s, not %s" % (key, name, cell.get(name), value))
    return out


def subset(want, got, at):
    out = []
    for key, value in want.items():
        have = got.get(key, "<no such field>") if isinstance(got, dict) else "<%r>" % (got,)
        if isinstance(value, dict):
            out += subset(value, have, "%s.%s" % (at, key))
        elif callable(value):
            if not value(have):
                out.append("%s.%s is %r" % (at, key, have))
        elif have != value:
            out.append("%s.%s is %r, not %r" % (at, key, have, value))
    return out


def compare(case_, doc, status):
    """The faults of a report against what the case expects; an empty list is a pass."""
    label = labels(doc)
    out = []
    if case_.verdict and doc["verdict"] != case_.verdict:
        out.append("verdict is %s, not %s" % (doc["verdict"], case_.verdict))
    if case_.status is not None and status != case_.status:
        out.append("exit status is %d, not %d" % (status, case_.status))
    out += match_findings(case_, doc, label)
    out += match_cells(case_, doc, label)
    for name in ("not_evaluated", "ruled_out"):
        ids = [x["id"] for x in doc[name]]
        out += ["%s does not name %s" % (name, i) for i in getattr(case_, name) if i not in ids]
    out += ["ruled_out names %s" % i for i in case_.not_ruled_out if i in [x["id"] for x in doc["ruled_out"]]]
    out += subset(case_.machine, doc["machine"], "machine")
    if case_.gpus is not None:
        got = [{k: g.get(k) for k in want} for want, g in zip(case_.gpus, doc["machine"]["gpus"])]
        if len(doc["machine"]["gpus"]) != len(case_.gpus) or got != case_.gpus:
            out.append("gpus are %r, not %r" % (doc["machine"]["gpus"], case_.gpus))
    by_path = {e["path"]: e for e in doc["environments"]}
    for path, want in case_.envs.items():
        out += ["environment %s is not there" % path] if path not in by_path else subset(want, by_path[path], path)
    for path, want in case_.packages.items():
        have = {p["name"]: p for p in by_path.get(path, {}).get("packages", [])}
        out += subset(want, have, path)
    if case_.check:
        out += list(case_.check(doc) or ())
    return out


def fix_contradictions(f):
    """Every fix was tried, or says why not; what is printed for a cause heals it, and what costs nothing comes first."""
    out = []
    for x in f["fixes"]:
        what = x.get("command") or x.get("text")
        if x["tried"] == ("not_tried" in x) or x["tried"] != ("heals" in x and "price" in x):
            out.append("the fix %r does not say what became of it" % what)
        if x["tried"] and not x["heals"] and f["role"] == "primary":
            out.append("the fix %r leaves %s" % (what, f["id"]))
        if any(p["severity"] == "error" for p in x.get("price", [])) and len(f["fixes"]) > 1 and any(y.get("heals") and not y["price"] for y in f["fixes"]):
            out.append("the fix %r makes an error, and another does not" % what)
    dear = [bool(x["price"]) for x in f["fixes"] if x["tried"]]
    if dear != sorted(dear):
        out.append("%s: a fix with a price comes before one without" % f["id"])
    return out


def contradictions(doc):
    """What no report may say, whatever the machine."""
    out = []
    keys = {c["key"]: c for c in doc["cells"]}
    errors = [f for f in doc["findings"] if f["severity"] == "error"]
    hit = {k for f in errors for k in f["cells"]}
    for key, cell in keys.items():
        bad = cell["driver"] == "bad" or cell["loads"] == "bad" or cell["code"] == "none"
        if bad and key not in hit:
            out.append("cell %s is bad and no error finding says so" % key)
        if bad and cell["verdict"] == "ok":
            out.append("cell %s is bad and its verdict is ok" % key)
        if cell["verdict"] == "ok" and key in hit:
            out.append("cell %s is ok and an error finding hits it" % key)
    for f in doc["findings"]:
        out += ["finding %s hits cell %s, which is not there" % (f["id"], k) for k in f["cells"] if k not in keys]
        if f["role"] == "primary" and f["severity"] == "error" and not f["fixes"]:
            out.append("finding %s offers no fix" % f["id"])
        out += fix_contradictions(f)
    out += ["%s is both found and ruled out" % r["id"] for r in doc["ruled_out"] if r["id"] in {f["id"] for f in doc["findings"]}]
    skipped = {n["id"] for n in doc["not_evaluated"]}
    out += ["%s is both ruled out and not evaluated" % r["id"] for r in doc["ruled_out"] if r["id"] in skipped]
    if doc["verdict"] == "ok" and any(doc["environments"][int(k.split("|")[0])]["selected"] for k in hit if k[0] != "-"):
        out.append("verdict is ok with an error in a selected environment")
    if doc["verdict"] == "problem" and not errors:
        out.append("verdict is problem without an error finding")
    if errors and not any(f["role"] == "primary" for f in errors):
        out.append("errors without a primary one")
    return out
