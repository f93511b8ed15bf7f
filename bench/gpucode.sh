#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bench/gpucode.sh CUVET [ENVIRONMENT [LIBRARY [WHEEL]]]: how fast GPU code is listed, against a program that reads just the pages that
# hold the headers (needed.py, baseline.c). Best of 60 runs, files in the page cache: on a busy machine the best run says most.
# Without arguments: the environments of tests/truth/gpucode and the largest library of a CUDA toolkit here, if they are there.
set -eu
cuvet=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
cache=${CUVET_CACHE:-$HOME/.cache/cuvet}
environment=${2:-$cache/gpucode/torch-211}
library=${3:-$(ls /usr/local/cuda*/lib64/libcublasLt.so.[0-9]* 2>/dev/null | head -n 1)}
wheel=${4:-$(ls "$cache"/wheels/torch-*.whl 2>/dev/null | tail -n 1)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
MS_MAX=100 RATIO_MAX=2.0 KIB_MAX=65536

for tool in hyperfine cc python3; do
	command -v $tool >/dev/null || { echo "bench: needs $tool" >&2; exit 2; }
done
cc -O2 -D_GNU_SOURCE -o "$work/baseline" "$here/baseline.c"

best() {
	hyperfine -N -i --warmup 3 --runs 60 --export-json "$work/times.json" "$1" >/dev/null 2>&1
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1]))["results"][0]; print("%.2f" % (r["min"] * 1e3))' "$work/times.json"
}

# once COMMAND...: seconds on the processor and KiB resident at most, of one run
once() {
	python3 -c 'import os, sys
pid = os.fork()
if pid == 0:
    os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
u = os.wait4(pid, 0)[2]
print("%.2f %d" % (u.ru_utime + u.ru_stime, u.ru_maxrss))' "$@"
}

# warm PATH: cuvet arch against the needed pages
warm() {
	python3 "$here/needed.py" "$work/list" "$1"
	ms=$(best "$cuvet arch $1 --cc 8.0") base=$(best "$work/baseline $work/list")
	echo "$1: $ms ms, $(once "$cuvet" arch "$1" --cc 8.0 | cut -d' ' -f2) KiB at most"
	echo "  $("$work/baseline" "$work/list")"
	python3 - "$ms" "$base" "$MS_MAX" "$RATIO_MAX" <<'END'
import sys
ms, base, ms_max, ratio_max = map(float, sys.argv[1:])
ratio = ms / base
bad = ms > ms_max or (ratio > ratio_max and ms > 10)
print("  only these pages: %.2f ms, ratio %.2f; %s %g ms and ratio %g" % (base, ratio, "over the limits" if bad else "within", ms_max, ratio_max))
sys.exit(1 if bad else 0)
END
}

status=0
[ ! -d "$environment" ] || warm "$environment" || status=1
[ ! -e "$library" ] || warm "$library" || status=1
if [ -e "$wheel" ]; then
	set -- $(once "$cuvet" arch "$wheel" --cc 8.0)
	echo "$wheel: $(stat -c %s "$wheel") bytes, $1 s on the processor, $2 KiB at most"
	[ "$2" -le $KIB_MAX ] || { echo "  over the limit of $KIB_MAX KiB"; status=1; }
fi
exit $status
