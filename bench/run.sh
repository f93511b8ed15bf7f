#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bench/run.sh CUVET: how fast, against a program that only opens and reads the same bytes. Medians by hyperfine; system calls by
# strace; peak memory by wait4. Judges this machine, and a machine with three environments: the real one that
# tests/truth/bookworm.sh built if it is there, otherwise one made by bench/many_envs.py; then a long log. Fails past the limits below. Then cuvet ld
# against libtree, where there is one.
set -eu
cuvet=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
MS_MAX=60 KIB_MAX=40960 RATIO_MAX=3.0

for tool in hyperfine strace cc python3; do
	command -v $tool >/dev/null || { echo "bench: needs $tool" >&2; exit 2; }
done
cc -O2 -D_GNU_SOURCE -o "$work/baseline" "$here/baseline.c"

median() {
	python3 -c 'import json, sys; print("%.2f" % (json.load(open(sys.argv[1]))["results"][0]["median"] * 1e3))' "$1"
}

# peak COMMAND...: KiB resident at most
peak() {
	python3 -c 'import os, sys
pid = os.fork()
if pid == 0:
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)
    os.execv(sys.argv[1], sys.argv[1:])
print(os.wait4(pid, 0)[2].ru_maxrss)' "$@"
}

# one NAME AGAINST ARGUMENT...: measures cuvet check with the arguments. AGAINST says which baseline the ratio's limit is for:
# "reads" only opens and reads the same bytes, "looks" also asks for the same names (a RECORD of thousands of files is many looks
# and few reads).
one() {
	name=$1 against=$2
	shift 2
	calls=$(python3 "$here/trace.py" "$work/list" "$cuvet" check "$@")
	python3 "$here/trace.py" --looks "$work/looks" "$cuvet" check "$@" >/dev/null
	hyperfine -N -i --warmup 5 --runs 60 --export-json "$work/cuvet.json" "$cuvet check $*" >/dev/null 2>&1
	hyperfine -N -i --warmup 5 --runs 60 --export-json "$work/base.json" "$work/baseline $work/list" >/dev/null 2>&1
	hyperfine -N -i --warmup 5 --runs 60 --export-json "$work/look.json" "$work/baseline $work/looks" >/dev/null 2>&1
	ms=$(median "$work/cuvet.json") base=$(median "$work/base.json") look=$(median "$work/look.json")
	kib=$(peak "$cuvet" check "$@")
	echo "$name: $ms ms, $kib KiB at most, $calls system calls"
	echo "  $("$work/baseline" "$work/list")"
	python3 - "$ms" "$base" "$look" "$kib" "$MS_MAX" "$RATIO_MAX" "$KIB_MAX" "$against" <<'END'
import sys
ms, base, look, kib, ms_max, ratio_max, kib_max = map(float, sys.argv[1:8])
ratio = ms / (base if sys.argv[8] == "reads" else look)
print("  only opening and reading these bytes: %.2f ms, ratio %.1f" % (base, ms / base))
print("  with the looks at names and directories: %.2f ms, ratio %.1f" % (look, ms / look))
bad = [w for w, b in (("time", ms > ms_max), ("memory", kib > kib_max), ("ratio", ratio > ratio_max)) if b]
print("  " + ("over the limit: " + ", ".join(bad) if bad else "within the limits: %g ms, %g KiB, ratio %g to the %s" % (ms_max, kib_max, ratio_max, sys.argv[8])))
sys.exit(1 if bad else 0)
END
}

status=0
one "this machine" looks || status=1
real=${CUVET_CACHE:-$HOME/.cache/cuvet}/bookworm
if [ -e "$real/.complete" ]; then
	one "bookworm with published wheels" reads --root "$real" || status=1
fi
python3 "$here/many_envs.py" "$work/three" --envs 3 --packages 100 --files 100
one "three environments of 100 packages and 10,000 files" looks --root "$work/three" || status=1
python3 "$here/many_envs.py" "$work/grow" --grow "$cuvet" || status=1
python3 "$here/log.py" "$cuvet" "$work" || status=1
python3 "$here/ld.py" "$cuvet" || status=1
exit $status
