#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/fuzz/run.sh [TARGET]...: fuzzes every target (or those named) for FUZZ_SECONDS, 60 by default, with clang's libFuzzer, ASan
# and UBSan, from the seeds in corpus/. What is found new stays in build-fuzz/corpus; inputs that fail in build-fuzz/crashes.
set -eu
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-60}
command -v clang >/dev/null || { echo "fuzz: needs clang" >&2; exit 2; }

cmake -G Ninja -S . -B build-fuzz -DCMAKE_C_COMPILER=clang -DCUVET_FUZZ=ON -DCUVET_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo >&2
[ $# -gt 0 ] || set -- $(cd tests/fuzz && ls fuzz_*.c | sed 's/\.c$//')
cmake --build build-fuzz --target "$@" >&2
mkdir -p build-fuzz/crashes

passed=0 failed=0
for target; do
	mkdir -p "build-fuzz/corpus/$target"
	if "build-fuzz/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 \
		-artifact_prefix="build-fuzz/crashes/$target." "build-fuzz/corpus/$target" "tests/fuzz/corpus/$target" >"build-fuzz/$target.log" 2>&1; then
		passed=$((passed + 1))
		echo "ok   $target: $(grep -a '^Done' "build-fuzz/$target.log" || true)"
	else
		failed=$((failed + 1))
		echo "fail $target: $(grep -a -m 1 -E 'ERROR|SUMMARY|runtime error' "build-fuzz/$target.log" || true) (build-fuzz/$target.log)"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
