# SPDX-License-Identifier: Apache-2.0
"""Objects of the random worlds: small 64-bit x86 ELF files with everything that the loader looks at, right or wrong on purpose.

build(spec) gives bytes. One loadable segment holds the whole file. Keys of spec, all optional:
    kind     "lib", "prog" (interpreter, position-independent), "exec" (interpreter, fixed address)
    soname, needed, rpath, runpath, aux, filter      as in the dynamic section, in the order aux, filter, needed
    flags1   value of DT_FLAGS_1
    verdef   versions that it defines; verneed {file: [version, or [version, "weak"]]}
    noversym leave the symbol versions out
    defs     [[name, version or None, "func" or "data", "weak" or ""]]
    refs     [[name, version or None, "func" or "data", "weak" or ""]]
    now      DT_BIND_NOW; symbolic: DT_SYMBOLIC
    stack    "rw" (default), "rwx", "none"
    isa      x86 ISA bits that its note says are needed
    kernel   [major, minor, patch] of its ABI note
    tls      size of a TLS segment; tlsie: it is used as static TLS
    dlopen   [[name, mode]]: what it opens; a program, which then ends with 0, or a library in its DT_INIT
    bad      one of BAD: a wound
"""
import struct

INTERP = "/lib64/ld-linux-x86-64.so.2"
DT = dict(NEEDED=1, PLTRELSZ=2, HASH=4, STRTAB=5, SYMTAB=6, RELA=7, RELASZ=8, RELAENT=9, STRSZ=10, SYMENT=11, SONAME=14, RPATH=15,
          SYMBOLIC=16, PLTREL=20, JMPREL=23, BIND_NOW=24, RUNPATH=29, FLAGS_1=0x6FFFFFFB, VERDEF=0x6FFFFFFC, VERDEFNUM=0x6FFFFFFD,
          VERNEED=0x6FFFFFFE, VERNEEDNUM=0x6FFFFFFF, VERSYM=0x6FFFFFF0, GNU_HASH=0x6FFFFEF5, AUXILIARY=0x7FFFFFFD, FILTER=0x7FFFFFFF)
R_64, R_GLOB_DAT, R_JUMP_SLOT, R_RELATIVE, R_TPOFF64 = 1, 6, 7, 8, 18
BAD = ["empty", "short", "text", "magic", "class32", "machine", "bigendian", "osabi", "gnuabi", "abiversion", "pad", "identversion",
       "version", "etrel", "etcore", "phentsize", "phoff", "noload", "nodyn", "emptydyn", "fixed", "pie", "noopen", "misaligned"]

# Opens what the table behind it names, says "DL: ok" or "DL: <dlerror>" for each on the standard error output. A program then ends
# with 0, a library's DT_INIT returns.
#   table: dlopen, dlerror, count, {name, mode}...
ENTER = {"prog": "4883e4f0",               # and $-16,%rsp
         "lib": "5341544155415641574883ec00"}  # push %rbx %r12 %r13 %r14 %r15; sub $0,%rsp
LEAVE = {"prog": "b83c00000031ff0f05",     # exit(0)
         "lib": "4883c400415f415e415d415c5bc3"}
BODY = (
    "488d1d00000000"        # lea table(%rip),%rbx      (patched)
    "4c8b6310"              # mov 16(%rbx),%r12
    "4c8d6b18"              # lea 24(%rbx),%r13
    "4d85e4"                # again: test %r12,%r12
    "0f8400000000"          # jz leave                  (patched)
    "498b7d00"              # mov 0(%r13),%rdi
    "498b7508"              # mov 8(%r13),%rsi
    "ff13"                  # call *(%rbx)
    "488d3500000000"        # lea ok(%rip),%rsi         (patched)
    "4885c0"                # test %rax,%rax
    "7506"                  # jnz +6
    "ff5308"                # call *8(%rbx)
    "4889c6"                # mov %rax,%rsi
    "4989f6"                # mov %rsi,%r14
    "488d3500000000"        # lea prefix(%rip),%rsi     (patched)
    "ba04000000"            # mov $4,%edx
    "bf02000000b8010000000f05"  # write(2, prefix, 4)
    "4c89f6"                # mov %r14,%rsi
    "31d2"                  # xor %edx,%edx
    "803c160074" "05" "48ffc2" "ebf5"  # strlen
    "bf02000000b8010000000f05"  # write(2, text, n)
    "488d3500000000"        # lea newline(%rip),%rsi    (patched)
    "ba01000000"
    "bf02000000b8010000000f05"
    "4983c510"              # add $16,%r13
    "49ffcc"                # dec %r12
)


def opener(kind):
    """The code, and where in it the distance to the table is to be written (from the end of that field)."""
    enter = bytes.fromhex(ENTER["lib" if kind == "lib" else "prog"])
    code = bytearray(enter + bytes.fromhex(BODY))
    again = len(enter) + 15
    code += b"\xe9" + struct.pack("<i", again - (len(code) + 5))
    leave = len(code)
    struct.pack_into("<i", code, again + 5, leave - (again + 9))
    code += bytes.fromhex(LEAVE["lib" if kind == "lib" else "prog"])
    code += b"\0" * (-len(code) % 16)
    texts = []
    for text in (b"ok\0", b"DL: ", b"\n"):
        texts.append(len(code))
        code += text
    places = [i for i in range(again, leave) if code[i:i + 3] == b"\x48\x8d\x35"]
    for at, text in zip(places, texts):
        struct.pack_into("<i", code, at + 3, text - (at + 7))
    return bytes(code), len(enter) + 3


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
            self.data += text.encode() + b"\0"
        return self.seen[text]


def note(name, kind, desc):
    return struct.pack("<III", len(name) + 1, len(desc), kind) + name.encode().ljust((len(name) + 4) // 4 * 4, b"\0") + desc


def verdef_table(names, strtab):
    out = b""
    for i, name in enumerate(names):
        out += struct.pack("<HHHHIII", 1, int(i == 0), i + 1, 1, sysv_hash(name), 20, 0 if i == len(names) - 1 else 28)
        out += struct.pack("<II", strtab.add(name), 0)
    return out


def verneed_table(needs, strtab, index):
    out = b""
    items = list(needs.items())
    for i, (lib, versions) in enumerate(items):
        out += struct.pack("<HHIII", 1, len(versions), strtab.add(lib), 16, 0 if i == len(items) - 1 else 16 + 16 * len(versions))
        for j, v in enumerate(versions):
            name, weak = (v, 0) if isinstance(v, str) else (v[0], 2)
            out += struct.pack("<IHHII", sysv_hash(name), weak, index[(lib, name)], strtab.add(name), 0 if j == len(versions) - 1 else 16)
    return out


def gnu_table(hashes, first):
    buckets = max(1, len(hashes) // 2)
    bloom, start, chain = 0, [0] * buckets, []
    for i, h in enumerate(hashes):
        bloom |= 1 << (h % 64) | 1 << ((h >> 6) % 64)
        if not start[h % buckets]:
            start[h % buckets] = first + i
        chain.append((h & ~1) | int(i + 1 == len(hashes) or hashes[i + 1] % buckets != h % buckets))
    return struct.pack("<IIIIQ", buckets, first, 1, 6, bloom) + struct.pack("<%dI" % (buckets + len(chain)), *(start + chain))


def versions_of(spec):
    """Indices of versions: {(file or None, name): index}."""
    index, n = {}, 2
    for name in spec.get("verdef", []):
        index[(None, name)] = n
        n += 1
    for lib, versions in spec.get("verneed", {}).items():
        for v in versions:
            index[(lib, v if isinstance(v, str) else v[0])] = n
            n += 1
    return index


def build(spec):
    bad = spec.get("bad")
    if bad in ("empty", "short", "text", "magic"):
        return {"empty": b"", "short": b"\x7fELF\x02\x01\x01" + b"\0" * 40, "text": b"not an ELF file at all, but a text of some length\n" * 3,
                "magic": b"\x7fELF" + b"\xff" * 200}[bad]
    return wound(whole(spec), bad)


def symbols(spec, strtab, index):
    """The table but for values: rows of [name, version index, bind, type, defined]."""
    rows = []
    refs = list(spec.get("refs", []))
    if spec.get("dlopen"):
        refs += [["dlopen", "GLIBC_2.2.5", "table", ""], ["dlerror", "GLIBC_2.2.5", "table", ""]]
    for name, version, what, weak in refs:
        found = [i for (lib, v), i in index.items() if lib is not None and v == version]
        rows.append([name, found[0] if found else 1, 2 if weak else 1, 0, False, what])
    defs = []
    for name, version, what, weak in spec.get("defs", []):
        hidden = bool(version) and version.startswith("~")
        v = version[1:] if hidden else version
        defs.append([name, index.get((None, v), 1) | (0x8000 if hidden else 0), 2 if weak else 1, 2 if what == "func" else 1, True, what])
    buckets = max(1, len(defs) // 2)
    defs.sort(key=lambda d: gnu_hash(d[0]) % buckets)
    for r in rows + defs:
        strtab.add(r[0])
    return rows, defs


def whole(spec):
    kind = spec.get("kind", "lib")
    base = 0x400000 if kind == "exec" else 0
    strtab, index = Strtab(), versions_of(spec)
    refs, defs = symbols(spec, strtab, index)
    notes = b""
    if spec.get("kernel"):
        notes += note("GNU", 1, struct.pack("<IIII", 0, *spec["kernel"]))
    phnum = 3 + (2 if kind != "lib" else 0) + (1 if notes else 0) + (1 if spec.get("isa") else 0) + (1 if spec.get("tls") else 0)
    out = bytearray(64 + 56 * phnum)

    def put(data, align=8):
        out.extend(b"\0" * (-len(out) % align))
        at = len(out)
        out.extend(data)
        return at

    interp = put(INTERP.encode() + b"\0", 1) if kind != "lib" else 0
    notes_at = put(notes, 4) if notes else 0
    isa_at = 0
    if spec.get("isa"):
        isa = note("GNU", 5, struct.pack("<IIIxxxx", 0xC0008002, 4, spec["isa"]))
        isa_at = put(isa, 8)
    code, table_at = opener(kind)
    text = put(code, 16)
    opens = spec.get("dlopen", [])
    names = [put(name.encode() + b"\0", 1) for name, mode in opens]
    slots = put(struct.pack("<QQQ", 0, 0, len(opens)) + b"".join(struct.pack("<QQ", 0, mode) for name, mode in opens), 16)
    struct.pack_into("<i", out, text + table_at, slots - (text + table_at + 4))
    data = put(b"\x2a" * 16)
    got = put(b"\0" * 24)  # what lazy binding needs
    tls_at = put(b"\0" * 8, 16) if spec.get("tls") else 0
    rela, plt = [], []
    for i, (name, mode) in enumerate(opens):
        rela.append((slots + 24 + 16 * i, R_RELATIVE, base + names[i]))
    if spec.get("tlsie"):
        rela.append((put(b"\0" * 8), R_TPOFF64, 0))
    for i, r in enumerate(refs, 1):
        if r[5] == "table":
            rela.append((slots + (0 if r[0] == "dlopen" else 8), i << 32 | R_64, 0))
        elif r[5] == "func":
            plt.append((put(struct.pack("<Q", base + text)), i << 32 | R_JUMP_SLOT, 0))
        else:
            rela.append((put(b"\0" * 8), i << 32 | R_GLOB_DAT, 0))
    for t in ("soname", "rpath", "runpath"):
        if spec.get(t) is not None:
            strtab.add(spec[t])
    for name in spec.get("needed", []) + spec.get("aux", []) + spec.get("filter", []):
        strtab.add(name)
    at = {"got": got}
    if spec.get("verdef"):
        at["verdef"] = put(verdef_table([spec.get("soname") or "self"] + spec["verdef"], strtab))
    if spec.get("verneed"):
        at["verneed"] = put(verneed_table(spec["verneed"], strtab, index))
    symtab, versym = bytearray(24), [0]
    for r in refs + defs:
        value = 0 if not r[4] else base + (text if r[3] == 2 else data)
        symtab += struct.pack("<IBBHQQ", strtab.add(r[0]), r[2] << 4 | r[3], 0, 1 if r[4] else 0, value, 8 if r[4] else 0)
        versym.append(r[1])
    at["symtab"] = put(symtab)
    at["gnu"] = put(gnu_table([gnu_hash(d[0]) for d in defs], 1 + len(refs)))
    count = 1 + len(refs) + len(defs)
    at["hash"] = put(struct.pack("<III", 1, count, count - 1) + struct.pack("<%dI" % count, *([0] + list(range(count - 1)))))
    if (spec.get("verdef") or spec.get("verneed")) and not spec.get("noversym"):
        at["versym"] = put(struct.pack("<%dH" % len(versym), *versym), 2)
    at["rela"] = put(b"".join(struct.pack("<QQq", base + o, i, a) for o, i, a in rela))
    at["plt"] = put(b"".join(struct.pack("<QQq", base + o, i, a) for o, i, a in plt))
    at["strtab"] = put(strtab.data, 1)
    if opens and kind == "lib":
        at["init"] = text
    dyn = dynamic(spec, strtab, {k: base + v for k, v in at.items()}, len(rela), len(plt))
    dynamic_at = put(dyn, 16)
    return headers(spec, out, kind, base, interp, notes_at, len(notes), isa_at, dynamic_at, len(dyn), text, tls_at)


def dynamic(spec, strtab, at, rela_n, plt_n):
    tags = [(DT["AUXILIARY"], strtab.add(n)) for n in spec.get("aux", [])]
    tags += [(DT["FILTER"], strtab.add(n)) for n in spec.get("filter", [])]
    tags += [(DT["NEEDED"], strtab.add(n)) for n in spec.get("needed", [])]
    for name in ("soname", "rpath", "runpath"):
        if spec.get(name) is not None:
            tags.append((DT[name.upper()], strtab.add(spec[name])))
    tags += [(DT["GNU_HASH"], at["gnu"])] if not spec.get("sysv") else [(DT["HASH"], at["hash"])]
    tags += [(DT["STRTAB"], at["strtab"]), (DT["SYMTAB"], at["symtab"]), (DT["STRSZ"], len(strtab.data)), (DT["SYMENT"], 24)]
    if "init" in at:
        tags.append((12, at["init"]))
    if rela_n:
        tags += [(DT["RELA"], at["rela"]), (DT["RELASZ"], 24 * rela_n), (DT["RELAENT"], 24)]
    if plt_n:
        tags += [(DT["JMPREL"], at["plt"]), (DT["PLTRELSZ"], 24 * plt_n), (DT["PLTREL"], 7), (3, at["got"])]
    if "versym" in at:
        tags.append((DT["VERSYM"], at["versym"]))
    if "verdef" in at:
        tags += [(DT["VERDEF"], at["verdef"]), (DT["VERDEFNUM"], len(spec["verdef"]) + 1)]
    if "verneed" in at:
        tags += [(DT["VERNEED"], at["verneed"]), (DT["VERNEEDNUM"], len(spec["verneed"]))]
    flags1 = spec.get("flags1", 0) | {"pie": 0x8000000, "noopen": 0x40}.get(spec.get("bad"), 0)
    if flags1:
        tags.append((DT["FLAGS_1"], flags1))
    if spec.get("now"):
        tags.append((DT["BIND_NOW"], 0))
    if spec.get("tlsie"):
        tags.append((30, 0x10))
    if spec.get("symbolic"):
        tags.append((DT["SYMBOLIC"], 0))
    return b"".join(struct.pack("<QQ", t, v) for t, v in tags + [(0, 0)])


def headers(spec, out, kind, base, interp, notes, notes_n, isa, dyn, dyn_n, text, tls):
    bad = spec.get("bad")
    size = len(out)
    ph = []
    if kind != "lib":
        ph += [(6, 4, 64, base + 64, 0, 8), (3, 4, interp, base + interp, len(INTERP) + 1, 1)]
    ph.append((1, 7, 0, base + (0x800 if bad == "misaligned" else 0), size, 0x1000))
    ph.append((2, 6, dyn, base + dyn, 0 if bad == "emptydyn" else dyn_n, 8))
    if notes_n:
        ph.append((4, 4, notes, base + notes, notes_n, 4))
    if isa:
        ph.append((4 if spec.get("isanote") else 0x6474E553, 4, isa, base + isa, 32, 8))
    if tls:
        ph.append((7, 4, tls, base + tls, 8, spec.get("tlsalign", 16)))
    stack = spec.get("stack", "rw")
    ph.append((0x6474E551 if stack != "none" else 0, 7 if stack == "rwx" else 6, 0, 0, 0, 16))
    heads = b""
    for t, f, o, a, n, al in ph:
        if (bad == "noload" and t == 1) or (bad == "nodyn" and t == 2):
            t = 0
        if t == 6:
            n = 56 * len(ph)
        heads += struct.pack("<IIQQQQQQ", t, f, o, a, a, n, spec["tls"] if t == 7 else n, al)
    etype = 2 if kind == "exec" or bad == "fixed" else 3
    out[:64] = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", etype, 62, 1, base + text, 64, 0, 0, 64, 56, len(ph), 0, 0, 0)
    out[64:64 + len(heads)] = heads
    return out


def wound(out, bad):
    """Header fields put wrong."""
    def put(fmt, at, value):
        struct.pack_into(fmt, out, at, value)
    if bad == "class32":
        put("<B", 4, 1)
        put("<H", 18, 3)
    elif bad == "machine":
        put("<H", 18, 183)
    elif bad == "bigendian":
        put("<B", 5, 2)
    elif bad == "identversion":
        put("<B", 6, 2)
    elif bad == "osabi":
        put("<B", 7, 9)
    elif bad == "gnuabi":
        put("<B", 7, 3)
        put("<B", 8, 3)
    elif bad == "abiversion":
        put("<B", 7, 3)
        put("<B", 8, 9)
    elif bad == "pad":
        put("<B", 12, 1)
    elif bad == "version":
        put("<I", 20, 2)
    elif bad in ("etrel", "etcore"):
        put("<H", 16, 1 if bad == "etrel" else 4)
    elif bad == "phentsize":
        put("<H", 54, 57)
    elif bad == "phoff":
        put("<Q", 32, len(out) - 10)
    return bytes(out)
