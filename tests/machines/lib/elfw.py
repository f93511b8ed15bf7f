# SPDX-License-Identifier: Apache-2.0
"""A small ELF writer: objects that real tools accept, for test machines.

build() gives the bytes of a 64-bit little-endian object. Two loadable segments: one read-execute with every table, one
read-write with the dynamic section. Only what the dynamic loader and readers of headers look at is there: no relocations.
Both hash tables are written unless asked otherwise, as real linkers do with --hash-style=both.
"""
import struct

MACHINES = {"x86_64": 62, "aarch64": 183, "i386": 3, "ppc64le": 21}
INTERP = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}
RET = {"x86_64": b"\xc3" + b"\x90" * 15, "aarch64": b"\xc0\x03\x5f\xd6" + b"\x1f\x20\x03\xd5" * 3}

PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_PHDR, PT_TLS, PT_GNU_STACK = 1, 2, 3, 4, 6, 7, 0x6474E551
DF_STATIC_TLS = 0x10
SHT_PROGBITS, SHT_STRTAB, SHT_HASH, SHT_DYNAMIC, SHT_NOTE, SHT_DYNSYM = 1, 3, 5, 6, 7, 11
SHT_GNU_HASH, SHT_GNU_VERDEF, SHT_GNU_VERNEED, SHT_GNU_VERSYM = 0x6FFFFFF6, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF
DT = dict(NEEDED=1, HASH=4, STRTAB=5, SYMTAB=6, STRSZ=10, SYMENT=11, SONAME=14, RPATH=15, RUNPATH=29,
          GNU_HASH=0x6FFFFEF5, VERSYM=0x6FFFFFF0, VERDEF=0x6FFFFFFC, VERDEFNUM=0x6FFFFFFD, VERNEED=0x6FFFFFFE,
          VERNEEDNUM=0x6FFFFFFF, FLAGS=30)
PAGE = 0x10000
FUNC, OBJECT = 2, 1


def sysv_hash(name):
    h = 0
    for c in name.encode():
        h = (h << 4) + c
        g = h & 0xF0000000
        h = (h ^ (g >> 24)) & ~g & 0xFFFFFFFF
    return h


def gnu_hash(name):
    h = 5381
    for c in name.encode():
        h = (h * 33 + c) & 0xFFFFFFFF
    return h


class Strtab:
    def __init__(self):
        self.data, self.seen = bytearray(b"\0"), {"": 0}

    def add(self, text):
        if text not in self.seen:
            self.seen[text] = len(self.data)
            self.data += text.encode("utf-8", "surrogateescape") + b"\0"
        return self.seen[text]


class Sym:
    """name; data: its bytes, None for a function; undefined: it comes from elsewhere; version: name of a symbol version; code: a function's."""

    def __init__(self, name, data=None, undefined=False, version=None, weak=False, code=b""):
        self.name, self.data, self.undefined, self.version, self.weak, self.code = name, data, undefined, version, weak, code
        self.value = self.shndx = 0


def note(name, kind, desc, align=4):
    """One ELF note."""
    def pad(b):
        return b + b"\0" * (-len(b) % align)
    raw = name.encode() + b"\0"
    return struct.pack("<III", len(raw), len(desc), kind) + pad(raw) + pad(desc)


def align_up(n, a):
    return (n + a - 1) // a * a


class Image:
    """Grows the read-execute segment; remembers where each section is."""

    def __init__(self):
        self.data = bytearray()
        self.sections = []  # name, type, flags, addr, offset, size, link, info, align, entsize

    def put(self, name, kind, data, align=8, flags=2, link="", info=0, entsize=0):
        self.data += b"\0" * (-len(self.data) % align)
        at = len(self.data)
        self.data += data
        self.sections.append([name, kind, flags, at, at, len(data), link, info, align, entsize])
        return at


def _verdef(names, strtab):
    """names[0] is the name of the object itself."""
    out = bytearray()
    for i, name in enumerate(names):
        last = i == len(names) - 1
        out += struct.pack("<HHHHIII", 1, 1 if i == 0 else 0, i + 1, 1, sysv_hash(name), 20, 0 if last else 28)
        out += struct.pack("<II", strtab.add(name), 0)
    return bytes(out)


def _verneed(needs, strtab, index):
    out = bytearray()
    items = sorted(needs.items())
    for i, (lib, names) in enumerate(items):
        step = 16 + 16 * len(names)
        out += struct.pack("<HHIII", 1, len(names), strtab.add(lib), 16, 0 if i == len(items) - 1 else step)
        for j, name in enumerate(names):
            out += struct.pack("<IHHII", sysv_hash(name), 0, index[(lib, name)], strtab.add(name),
                               0 if j == len(names) - 1 else 16)
    return bytes(out)


def _gnu_hash_table(syms, first):
    """syms: all but the null symbol, in final order; first: index of the first defined one, counted with the null symbol."""
    defined = syms[first - 1:]
    buckets = max(1, len(defined) // 2)
    hashes = [gnu_hash(s.name) for s in defined]
    bloom = 0
    for h in hashes:
        bloom |= 1 << (h % 64) | 1 << ((h >> 6) % 64)
    start = [0] * buckets
    chain = []
    for i, h in enumerate(hashes):
        b = h % buckets
        if not start[b]:
            start[b] = first + i
        end = i + 1 == len(hashes) or hashes[i + 1] % buckets != b
        chain.append((h & ~1) | int(end))
    return (struct.pack("<IIII", buckets, first, 1, 6) + struct.pack("<Q", bloom)
            + struct.pack("<%dI" % buckets, *start) + struct.pack("<%dI" % len(chain), *chain))


def _sysv_hash_table(syms):
    count = len(syms) + 1
    buckets = max(1, count // 2)
    start, chain = [0] * buckets, [0] * count
    for i, s in enumerate(syms, 1):
        b = sysv_hash(s.name) % buckets
        chain[i], start[b] = start[b], i
    return struct.pack("<II", buckets, count) + struct.pack("<%dI" % (buckets + count), *(start + chain))


def _order(symbols):
    """Undefined ones first; defined ones by bucket of the gnu hash, as that table wants."""
    undef = [s for s in symbols if s.undefined]
    defined = [s for s in symbols if not s.undefined]
    buckets = max(1, len(defined) // 2)
    defined.sort(key=lambda s: gnu_hash(s.name) % buckets)
    return undef + defined, len(undef) + 1


def _version_index(soname, verdef, verneed):
    index = {}
    n = 2
    for name in verdef:
        index[(None, name)] = n
        n += 1
    for lib, names in sorted(verneed.items()):
        for name in names:
            index[(lib, name)] = n
            n += 1
    return index


def _dynamic(strtab, soname, needed, rpath, runpath, at, counts, style, flags):
    tags = [(DT["NEEDED"], strtab.add(n)) for n in needed]
    if soname:
        tags.append((DT["SONAME"], strtab.add(soname)))
    if rpath is not None:
        tags.append((DT["RPATH"], strtab.add(rpath)))
    if runpath is not None:
        tags.append((DT["RUNPATH"], strtab.add(runpath)))
    for name in style:
        tags.append((DT["GNU_HASH" if name == "gnu" else "HASH"], at[name]))
    tags += [(DT["STRTAB"], at["dynstr"]), (DT["SYMTAB"], at["dynsym"]), (DT["STRSZ"], counts["dynstr"]),
             (DT["SYMENT"], 24)]
    if "versym" in at:
        tags.append((DT["VERSYM"], at["versym"]))
    if "verdef" in at:
        tags += [(DT["VERDEF"], at["verdef"]), (DT["VERDEFNUM"], counts["verdef"])]
    if "verneed" in at:
        tags += [(DT["VERNEED"], at["verneed"]), (DT["VERNEEDNUM"], counts["verneed"])]
    if flags:
        tags.append((DT["FLAGS"], flags))
    tags.append((0, 0))
    return b"".join(struct.pack("<QQ", t, v) for t, v in tags)


def _section_headers(image, base):
    """The section name table and the headers; the file so far is base bytes long."""
    names = Strtab()
    rows = [[""] + [0] * 5 + ["", 0, 0, 0]] + image.sections
    rows.append([".shstrtab", SHT_STRTAB, 0, 0, 0, 0, "", 0, 1, 0])
    for r in rows:
        names.add(r[0])
    rows[-1][4], rows[-1][5] = base, len(names.data)
    where = {r[0]: i for i, r in enumerate(rows)}
    tail = bytes(names.data) + b"\0" * (-(base + len(names.data)) % 8)
    heads = b"".join(struct.pack("<IIQQQQIIQQ", names.add(r[0]), r[1], r[2], r[3], r[4], r[5], where.get(r[6], 0), r[7], r[8], r[9])
                     for r in rows)
    return tail, heads, len(rows)


def _ehdr(kind, arch, entry, phoff, phnum, shoff, shnum):
    ident = b"\x7fELF" + bytes([2, 1, 1, 0]) + b"\0" * 8
    return ident + struct.pack("<HHIQQQIHHHHHH", kind, MACHINES[arch], 1, entry, phoff, shoff, 0, 64, 56 if phnum else 0, phnum,
                               64 if shnum else 0, shnum, shnum - 1 if shnum else 0)


def build(arch="x86_64", soname=None, needed=(), rpath=None, runpath=None, verdef=(), verneed=None, symbols=(), notes=None,
          sections=None, interp=None, hashes=("sysv", "gnu"), section_headers=True, exec_stack=False, static_tls=0):
    """A shared object, or a position-independent executable where interp is given.

    verdef: version names it defines; verneed: {library: [version names]}; symbols: Sym objects;
    notes, sections: {section name: bytes}, loaded (notes also get a PT_NOTE); static_tls: bytes of thread-local data at a fixed place.
    """
    verneed = {k: list(v) for k, v in (verneed or {}).items()}
    syms, first = _order(list(symbols))
    strtab, image, at, counts = Strtab(), Image(), {}, {}
    notes = notes or {}
    phnum = 4 + (2 if interp else 0) + len(notes) + (1 if static_tls else 0)
    flags = DF_STATIC_TLS if static_tls else 0
    image.data += b"\0" * (64 + 56 * phnum)
    index = _version_index(soname, verdef, verneed)
    for s in syms:
        strtab.add(s.name)
    if interp:
        at["interp"] = image.put(".interp", SHT_PROGBITS, interp.encode() + b"\0", align=1)
    for name, data in notes.items():
        at[name] = image.put(name, SHT_NOTE, data, align=4)
    body, starts = RET.get(arch, b"\0" * 16), {}
    for s in syms:
        if s.code:
            starts[s.name] = len(body)
            body += s.code + b"\0" * (-len(s.code) % 16)
    text = image.put(".text", SHT_PROGBITS, body, align=16, flags=6)
    text_index = len(image.sections)
    rodata = b""
    for s in syms:
        if not s.undefined:
            rodata += b"\0" * (-len(rodata) % 8)
            s.value, s.shndx = (text + starts.get(s.name, 0), text_index) if s.data is None else (len(rodata), text_index + 1)
            rodata += s.data or b""
    ro_at = image.put(".rodata", SHT_PROGBITS, rodata or b"\0" * 8, align=16)
    for name, data in (sections or {}).items():
        image.put(name, SHT_PROGBITS, data, align=16)
    versions = bool(verdef or verneed)
    if verdef:
        blob = _verdef([soname or "object"] + list(verdef), strtab)
        counts["verdef"] = len(verdef) + 1
        at["verdef"] = image.put(".gnu.version_d", SHT_GNU_VERDEF, blob, link=".dynstr", info=counts["verdef"])
    if verneed:
        counts["verneed"] = len(verneed)
        at["verneed"] = image.put(".gnu.version_r", SHT_GNU_VERNEED, _verneed(verneed, strtab, index), link=".dynstr", info=len(verneed))
    table = struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    versym = [0]
    for s in syms:
        kind = FUNC if s.data is None else OBJECT
        value = 0 if s.undefined else s.value + (ro_at if s.data is not None else 0)
        table += struct.pack("<IBBHQQ", strtab.add(s.name), (2 if s.weak else 1) << 4 | kind, 0, 0 if s.undefined else s.shndx,
                             value, 0 if s.undefined else len(s.data or s.code or b"\0"))
        known = [v for (lib, name), v in index.items() if name == s.version and (lib is None) != s.undefined]
        versym.append(known[0] if known else 1)
    at["dynsym"] = image.put(".dynsym", SHT_DYNSYM, table, link=".dynstr", info=1, entsize=24)
    if versions:
        at["versym"] = image.put(".gnu.version", SHT_GNU_VERSYM, struct.pack("<%dH" % len(versym), *versym), align=2, link=".dynsym",
                                 entsize=2)
    for style in hashes:
        blob = _gnu_hash_table(syms, first) if style == "gnu" else _sysv_hash_table(syms)
        at[style] = image.put(".gnu.hash" if style == "gnu" else ".hash", SHT_GNU_HASH if style == "gnu" else SHT_HASH, blob,
                              link=".dynsym", entsize=0 if style == "gnu" else 4)
    # A first pass only puts the names into .dynstr, which must be complete before it gets its place.
    _dynamic(strtab, soname, needed, rpath, runpath, {k: 0 for k in ("gnu", "sysv", "dynstr", "dynsym")}, {"dynstr": 0}, hashes, flags)
    counts["dynstr"] = len(strtab.data)
    at["dynstr"] = image.put(".dynstr", SHT_STRTAB, bytes(strtab.data), align=1)
    rx_size = len(image.data)
    dynamic = _dynamic(strtab, soname, needed, rpath, runpath, at, counts, hashes, flags)
    offset = align_up(rx_size, 16)
    addr = align_up(offset, PAGE) + offset % PAGE
    image.data += b"\0" * (offset - rx_size) + dynamic
    image.sections.append([".dynamic", SHT_DYNAMIC, 3, addr, offset, len(dynamic), ".dynstr", 0, 8, 16])
    return _finish(image, arch, interp, exec_stack, static_tls, notes, at, rx_size, offset, addr, len(dynamic), text, section_headers)


def _finish(image, arch, interp, exec_stack, static_tls, notes, at, rx_size, offset, addr, size, text, section_headers):
    ph = []
    if interp:
        ph.append((PT_PHDR, 4, 64, 64, 0, 8))
        ph.append((PT_INTERP, 4, at["interp"], at["interp"], len(interp) + 1, 1))
    ph.append((PT_LOAD, 5, 0, 0, rx_size, PAGE))
    ph.append((PT_LOAD, 6, offset, addr, size, PAGE))
    ph.append((PT_DYNAMIC, 6, offset, addr, size, 8))
    for name, data in notes.items():
        ph.append((PT_NOTE, 4, at[name], at[name], len(data), 4))
    ph.append((PT_GNU_STACK, 7 if exec_stack else 6, 0, 0, 0, 16))
    if interp:
        ph[0] = (PT_PHDR, 4, 64, 64, 56 * (len(ph) + (1 if static_tls else 0)), 8)
    heads = b"".join(struct.pack("<IIQQQQQQ", t, f, o, a, a, s, s, al) for t, f, o, a, s, al in ph)
    if static_tls:  # all of it zero, so none of it is in the file
        heads += struct.pack("<IIQQQQQQ", PT_TLS, 4, offset, addr, addr, 0, static_tls, 8)
    out = image.data
    shoff = shnum = 0
    if section_headers:
        tail, rows, shnum = _section_headers(image, len(out))
        out += tail
        shoff = len(out)
        out += rows
    out[64:64 + len(heads)] = heads
    out[:64] = _ehdr(3, arch, text if interp else 0, 64, len(heads) // 56, shoff, shnum)
    return bytes(out)


def returns(arch, *numbers):
    """Code of a function that hands out a version as the vendor's do: one number, or two through two pointers."""
    if arch != "x86_64":
        return struct.pack("<II", 0x52800000 | (numbers[0] & 0xffff) << 5, 0x72a00000 | (numbers[0] >> 16) << 5) if len(numbers) == 1 else b""
    if len(numbers) == 1:
        return b"\xb8" + struct.pack("<I", numbers[0]) + b"\xc3"
    return b"\xc7\x07" + struct.pack("<I", numbers[0]) + b"\x31\xc0\xc7\x06" + struct.pack("<I", numbers[1]) + b"\xc3"


def relocatable(sections, arch="x86_64"):
    """An object like a kernel module: section headers only."""
    image = Image()
    image.data += b"\0" * 64
    for name, data in sections.items():
        image.put(name, SHT_PROGBITS, data, align=8)
    tail, rows, shnum = _section_headers(image, len(image.data))
    for row in image.sections:
        row[3] = 0
    tail, rows, shnum = _section_headers(image, len(image.data))
    out = image.data + tail
    shoff = len(out)
    out += rows
    out[:64] = _ehdr(1, arch, 0, 0, 0, shoff, shnum)
    return bytes(out)


def modinfo(**fields):
    """The .modinfo section of a kernel module; a list gives several lines of one name."""
    out = []
    for name, value in fields.items():
        for v in value if isinstance(value, (list, tuple)) else [value]:
            out.append("%s=%s" % (name, v))
    return b"".join(s.encode() + b"\0" for s in out)


def fatbin(targets, containers=20, stray=(), isa="8.0"):
    """A .nv_fatbin section: containers that all hold the targets ("sm_80", "sm_90a", "compute_120"), then one with the stray ones.

    isa: PTX ISA version of the toolkit that made them.
    """
    major, minor = (int(x) for x in isa.split("."))

    def entry(target):
        kind, _, name = target.partition("_")
        arch = int("".join(c for c in name if c.isdigit()))
        flags = {"a": 0x100000, "f": 0x200000}.get(name[-1], 0)
        payload = b"\x7fELF" + b"\0" * 12 if kind == "sm" else b".version 8.0\0\0\0\0"
        return struct.pack("<HHIQIIHHIIIQQQ", 2 if kind == "sm" else 1, 0x101, 64, len(payload), 0, 0, minor, major, arch, 0, 0, flags, 0, 0) + payload

    def container(names):
        body = b"".join(entry(t) for t in names)
        return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body
    return container(targets) * containers + (container(stray) if stray else b"")
