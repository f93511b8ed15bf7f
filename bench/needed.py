#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages that a list of GPU code cannot do without, as the list that baseline.c takes: needed.py OUT FILE|DIRECTORY...

For each ELF file: its header, its section headers and their names; in .nv_fatbin and __nv_relfatbin the header of each container and
of each entry (libcufft: in .ldata, before in .data). Pages that follow each other are one read.
"""
import mmap
import os
import struct
import sys

PAGE = 4096
MAGIC = b"\x50\xed\x55\xba"


def sections(b):
    at, = struct.unpack_from("<Q", b, 40)
    size, n, names = struct.unpack_from("<HHH", b, 58)
    rows = [struct.unpack_from("<IIQQQQ", b, at + i * size) for i in range(n)] if at else []
    out = []
    for r in rows:
        start = rows[names][4] + r[0]
        out.append((b[start:b.find(b"\0", start)].decode("latin-1"), r[4], r[5]))
    return out, [(0, 64), (at, n * size)] + ([(rows[names][4], rows[names][5])] if rows else [])


def containers(b, at, size):
    """(offset, length) of every header in the section."""
    end = at + size
    while True:
        at = b.find(MAGIC, at, end)
        if at < 0:
            return
        if at % 8:
            at += 4
            continue
        header, = struct.unpack_from("<H", b, at + 6)
        body, = struct.unpack_from("<Q", b, at + 8)
        yield at, 16
        entry = at + header
        at = entry + body
        while entry + 64 <= at:
            size, payload = struct.unpack_from("<IQ", b, entry + 4)
            yield entry, 64
            entry += size + payload


def needed(path):
    with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as b:
        if b[:6] != b"\x7fELF\x02\x01":
            return []
        rows, ranges = sections(b)
        own = [r for r in rows if r[0] in (".nv_fatbin", "__nv_relfatbin")]
        if own and sum(r[2] for r in own) < PAGE:
            own += [r for r in rows if r[0] in (".ldata", ".data") and r[2] >= 1 << 20]
        for _name, at, size in own:
            ranges += containers(b, at, size)
    pages = sorted({p for at, n in ranges for p in range(at // PAGE, (at + max(n, 1) - 1) // PAGE + 1)})
    runs = []
    for p in pages:
        if runs and runs[-1][1] == p:
            runs[-1][1] = p + 1
        else:
            runs.append([p, p + 1])
    return runs


def libraries(path):
    if os.path.isfile(path):
        yield path
    for top, _dirs, files in os.walk(path):
        for name in sorted(files):
            full = os.path.join(top, name)
            if ".so" in name and not os.path.islink(full) and os.path.getsize(full) > 64:
                yield full


def main():
    with open(sys.argv[1], "w") as out:
        for path in sys.argv[2:]:
            for lib in libraries(path):
                runs = needed(lib)
                size = os.path.getsize(lib)
                if runs:
                    out.write("open %s\n" % os.path.realpath(lib))
                for a, b in runs:
                    out.write("read %d %d\n" % (a * PAGE, min(b * PAGE, size) - a * PAGE))


if __name__ == "__main__":
    main()
