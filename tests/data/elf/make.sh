#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the fixtures of tests/unit/test_elf.c and test_libversion.c again: one library for four machines (32 and 64 bit, both byte orders). Needs clang
# and lld; x86_64 is linked by GNU ld, which notes the parents of versions too.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for machine in x86_64 i386 aarch64 powerpc64; do
	ld=lld
	[ $machine != x86_64 ] || ld=bfd
	cc="clang --target=$machine-linux-gnu -O1 -fPIC -shared -nostdlib -fuse-ld=$ld -Wl,-s -Wl,-z,max-page-size=4096"
	$cc -Wl,-soname,libdep.so.1 -Wl,--version-script=dep.map dep.c -o "$tmp/libdep.so"
	$cc -Wl,-soname,libfixture.so.3 -Wl,--version-script=lib.map '-Wl,-rpath,$ORIGIN/../lib' -Wl,--enable-new-dtags -Wl,-z,now \
		-Wl,-z,nodelete -Wl,--hash-style=both -Wl,--build-id=0x0123456789abcdef -Wl,-z,norelro lib.c -L"$tmp" -l:libdep.so -o $machine.so
done
# Version functions, for test_libversion.c.
getter()
{
	clang --target="$1-linux-gnu" -O1 -fPIC -fomit-frame-pointer -shared -nostdlib -fuse-ld=lld -Wl,-s -Wl,-z,max-page-size=4096 \
		-Wl,-z,norelro -Wl,-Bsymbolic -Wl,--build-id=none "-D$2" -Wl,-soname,"$3" getter.c -o "$4"
}
getter x86_64 CUBLASLT libcublasLt.so.12 cublaslt.so
getter x86_64 CURAND libcurand.so.10 curand.so
getter x86_64 CUDART libcudart.so.12 cudart.so
getter x86_64 NVRTC libnvrtc.so.12 nvrtc.so
getter aarch64 CURAND libcurand.so.10 curand_arm.so
getter aarch64 CUDART libcudart.so.12 cudart_arm.so
clang --target=x86_64-linux-gnu -O1 -c module.c -o module.ko
chmod 644 ./*.so ./*.ko
