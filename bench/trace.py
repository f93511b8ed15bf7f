#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run opens and reads, as the list that baseline.c takes: trace.py [--looks] OUT COMMAND...

Taken with strace, without what the dynamic loader reads before the program begins. With --looks the list also holds each stat and each
directory listing. Prints the number of system calls.
"""
import collections
import re
import subprocess
import sys
import tempfile

CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+|\?)")
FD = re.compile(r"^(\d+)<([^>]*)>")
NAME = re.compile(r'^(?:AT_FDCWD(?:<[^>]*>)?|\d+<([^>]*)>), "((?:[^"\\]|\\.)*)"')


def path_of(args):
    m = NAME.match(args)
    if not m:
        m = re.match(r'^"((?:[^"\\]|\\.)*)"', args)
        return m and m[1]
    if not m[2]:
        return m[1]
    return m[2] if m[2].startswith("/") or not m[1] else m[1].rstrip("/") + "/" + m[2]


def main():
    looks = sys.argv[1] == "--looks"
    out, command = sys.argv[1 + looks], sys.argv[2 + looks:]
    with tempfile.NamedTemporaryFile("r", suffix=".strace") as log:
        subprocess.run(["strace", "-y", "-s", "4096", "-o", log.name] + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = log.read().split("\n")
    calls, opened, at, ranges, begun = 0, "", collections.Counter(), [], False
    for line in lines:
        m = CALL.match(line)
        if not m:
            continue
        calls += 1
        name, args, result = m[1], m[2], m[3]
        # The loader's last act is to give the program its memory rights; what it read is not the program's.
        if name == "munmap":
            begun = True
        if not begun or result in ("?",):
            continue
        fd = FD.match(args)
        if name in ("openat", "openat2", "open") and int(result) >= 0:
            at[result] = 0
        elif name in ("read", "pread64") and fd and int(result) > 0:
            numbers = re.search(r", (\d+)(?:, (\d+))?$", args)
            offset = int(numbers[2]) if name == "pread64" else at[fd[1]]
            if name == "read":
                at[fd[1]] += int(result)
            if fd[2] != opened:
                ranges.append("open " + fd[2])
                opened = fd[2]
            ranges.append("read %d %s" % (offset, result))
        elif looks and name in ("newfstatat", "stat", "lstat", "statx", "readlink", "readlinkat", "faccessat2", "faccessat", "access"):
            path = path_of(args)
            if path and path.startswith("/"):
                ranges.append("stat " + path)
        elif looks and name == "getdents64" and fd and int(result) > 0:
            ranges.append("list " + fd[2])
    with open(out, "w") as f:
        f.write("\n".join(ranges) + "\n")
    print(calls)


if __name__ == "__main__":
    main()
