#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up what the test programs counted themselves: tally.py JUNIT.xml...

A CTest entry may run many tests: cmocka says "[  PASSED  ] N test(s).", our runners close with "N passed, N failed". An entry
that says neither counts as one test. An entry that failed counts at least one failure, whatever it said. Exit 1 on any failure, on
a missing file and where nothing ran.
"""
import re
import sys
import xml.etree.ElementTree as ET

CMOCKA = re.compile(r"\[  (PASSED|FAILED)  \] (\d+) test\(s\)")  # not always at the start of a line: it goes to stderr
OURS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)


def count(case):
    """(passed, failed, skipped) of one CTest entry."""
    status = case.get("status")
    output = case.findtext("system-out") or ""
    passed = failed = skipped = 0
    for word, n in CMOCKA.findall(output):
        if word == "PASSED":
            passed += int(n)
        else:
            failed += int(n)
    for p, f, s in OURS.findall(output):
        passed, failed, skipped = passed + int(p), failed + int(f), skipped + int(s or 0)
    if status == "run" and failed == 0:
        return max(passed, 1 if skipped == 0 else 0), 0, skipped
    if status in ("notrun", "disabled", "skipped"):
        return 0, 1, 0
    return passed, max(failed, 1), skipped


def main():
    total = [0, 0, 0]
    for path in sys.argv[1:]:
        try:
            cases = ET.parse(path).getroot().findall("testcase")
        except (OSError, ET.ParseError) as e:
            print("%s: %s" % (path, e))
            total[1] += 1
            continue
        for case in cases:
            numbers = count(case)
            total = [a + b for a, b in zip(total, numbers)]
            if numbers[1]:
                print("%s: %s: %d failed" % (path, case.get("name"), numbers[1]))
    skipped = ", %d skipped" % total[2] if total[2] else ""
    print("%d passed, %d failed%s" % (total[0], total[1], skipped))
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main())
