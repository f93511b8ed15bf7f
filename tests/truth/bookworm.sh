#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds what tests/truth/stack.py judges: a real bookworm with Debian's own libcuda1 535 and two virtual environments with
# published wheels of torch and onnxruntime-gpu, installed by pip inside. Everything stays below ${CUVET_CACHE:-~/.cache/cuvet};
# what is there already is not fetched again. Needs root, debootstrap, about 16 GB, and the package indexes of the machine.
set -eu

cache=${CUVET_CACHE:-$HOME/.cache/cuvet}
root=$cache/bookworm
wheels=$cache/wheels
say() { echo "bookworm: $*" >&2; }

[ "$(id -u)" = 0 ] || { say "needs root"; exit 77; }
for tool in debootstrap chroot apt-get python3 pip; do
	command -v $tool >/dev/null || { say "needs $tool"; exit 77; }
done
case "$(uname -m)" in x86_64) ;; *) say "needs x86_64: the wheels are read there"; exit 77 ;; esac
mkdir -p "$wheels"

# The mirror is the one that this machine itself uses.
mirror=$(sed -n 's/^URIs: *\([^ ]*debian\)\/*$/\1/p; s/^deb \([^ ]*debian\) .*/\1/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
[ -n "$mirror" ] || { say "no Debian mirror in this machine's sources"; exit 77; }

if [ ! -e "$root/.complete" ]; then
	rm -rf "$root"
	say "debootstrap"
	rm -f "$cache/status"
	debootstrap --variant=minbase --include=python3,python3-venv bookworm "$root" "$mirror" >"$cache/debootstrap.log" 2>&1
	cp "$root/var/lib/dpkg/status" "$cache/status" # as it was before any package of the driver
	touch "$root/.complete"
fi

if [ ! -e "$root/.driver" ]; then
	say "libcuda1 of Debian's non-free component"
	apt=$cache/apt
	rm -rf "$apt" && mkdir -p "$apt/lists/partial" "$apt/archives/partial"
	echo "deb $mirror bookworm main contrib non-free non-free-firmware" >"$apt/sources.list"
	opts="-o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$apt/lists
		-o Dir::State::status=$cache/status -o Dir::Cache::archives=$apt/archives -o Dir::Cache::pkgcache=
		-o Dir::Cache::srcpkgcache= -o APT::Install-Recommends=0 -o APT::Sandbox::User=root"
	apt-get $opts -qq update
	apt-get $opts -qq -y --download-only install libcuda1 libnvidia-ml1 >/dev/null
	mkdir -p "$root/debs" && cp "$apt/archives/"*.deb "$root/debs"
	# more than once: a run may meet packages before what they pre-depend on
	for pass in 1 2 3 4; do
		if chroot "$root" sh -c 'DEBIAN_FRONTEND=noninteractive dpkg -i /debs/*.deb' >"$cache/driver.log" 2>&1; then
			break
		fi
		[ $pass -lt 4 ] || { tail -n 5 "$cache/driver.log" >&2; exit 1; }
	done
	rm -rf "$root/debs"
	touch "$root/.driver"
fi

# environment DIR PACKAGES...: fetched outside with the machine's own pip, installed inside from the files
environment() {
	dir=$1
	shift
	[ ! -e "$root$dir/.complete" ] || return 0
	say "$dir: $*"
	rm -rf "$root$dir"
	pip download -q --only-binary :all: --python-version 3.11 -d "$wheels" "$@"
	mkdir -p "$root/wheels"
	mount --bind "$wheels" "$root/wheels"
	chroot "$root" sh -c "python3 -m venv $dir && $dir/bin/pip install -q --no-index --find-links /wheels $*" >"$cache/pip.log" 2>&1 || {
		umount "$root/wheels"
		tail -n 5 "$cache/pip.log" >&2
		exit 1
	}
	umount "$root/wheels"
	touch "$root$dir/.complete"
}
environment /opt/cu128 torch==2.9.1 onnxruntime-gpu==1.26.0
environment /opt/cu130 torch==2.11.0 onnxruntime-gpu==1.31.1
echo "$root"
