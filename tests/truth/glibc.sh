#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The loaders that tests/truth/loader.py asks: libc6 and libc-bin of four Debian suites (glibc 2.31, 2.36, 2.41, 2.43), unpacked
# below ${CUVET_CACHE:-~/.cache/cuvet}/glibc/SUITE/root. What is there already is not fetched again; a suite that the mirror no
# longer has is said and left out.
set -eu

cache=${CUVET_CACHE:-$HOME/.cache/cuvet}/glibc
suites=${*:-bullseye bookworm trixie sid}
say() { echo "glibc: $*" >&2; }

for tool in apt-get dpkg-deb; do
	command -v $tool >/dev/null || { say "needs $tool"; exit 77; }
done
[ "$(uname -m)" = x86_64 ] || { say "needs x86_64"; exit 77; }
# The mirror is the one that this machine itself uses.
mirror=$(sed -n 's/^URIs: *\([^ ]*debian\)\/*$/\1/p; s/^deb \([^ ]*debian\) .*/\1/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
[ -n "$mirror" ] || { say "no Debian mirror in this machine's sources"; exit 77; }

fetch() {
	apt=$cache/$1/apt
	rm -rf "$cache/$1" && mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$cache/$1/debs"
	: >"$apt/status"
	echo "deb $mirror $1 main" >"$apt/sources.list"
	opts="-o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$apt/lists
		-o Dir::State::status=$apt/status -o Dir::Cache=$apt -o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false
		-o Acquire::Languages=none"
	apt-get $opts -qq update && (cd "$cache/$1/debs" && apt-get $opts -qq download libc6 libc-bin) || return 1
	for deb in "$cache/$1/debs"/*.deb; do
		dpkg-deb -x "$deb" "$cache/$1/new"
	done
	mv "$cache/$1/new" "$cache/$1/root"
	rm -rf "$apt" "$cache/$1/debs"
}

got=0
for suite in $suites; do
	if [ -d "$cache/$suite/root" ] || fetch "$suite"; then
		got=$((got + 1))
	else
		say "$suite: cannot be had"
		rm -rf "${cache:?}/$suite"
	fi
done
[ $got -gt 0 ] || exit 77
