#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# make truth: cuvet against the real programs that it predicts. Large and slow, with downloads into ${CUVET_CACHE:-~/.cache/cuvet};
# says what it skips, prints "N agree / N differ" for each oracle and closes with "N passed, N failed".
set -u
cuvet=${1:?usage: run.sh CUVET}
here=$(dirname "$0")
CUVET=$cuvet
export CUVET
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failed=0

oracle() {
	name=$1
	shift
	echo "== $name"
	"$@" >"$out" 2>&1
	status=$?
	cat "$out"
	if [ $status = 77 ]; then
		echo "skipped: $name"
	elif [ $status != 0 ]; then
		failed=$((failed + 1))
	fi
	cat "$out" >>"$out.all"
}

: >"$out.all"
root=$("$here/bookworm.sh")
case $? in
0) oracle "real stack" python3 "$here/stack.py" "$cuvet" "$root" ;;
77) echo "skipped: real stack" ;;
*) failed=$((failed + 1)) ;;
esac
for script in "$here"/*.py; do
	name=$(basename "$script" .py)
	case $name in stack | rule_mutants) ;; *) oracle "$name" python3 "$script" ;; esac
done
oracle "GPU code" python3 "$here/gpucode/run.py" "$cuvet"
oracle "import truth" python3 "$here/imports/run.py" "$cuvet"
oracle "rule mutants" python3 "$here/rule_mutants.py"

# What the oracles counted, and at least one failure for each that ended badly.
awk -v ended="$failed" '/(^|: )[0-9]+ agree \/ [0-9]+ differ$/ { sub(/^.*: /, ""); a += $1; d += $4 }
	END { if (d < ended) d = ended; printf "%d passed, %d failed\n", a, d; exit d > 0 || a == 0 }' "$out.all"
status=$?
rm -f "$out.all"
exit $status
