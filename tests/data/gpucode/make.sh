#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# make.sh PTXAS128: makes the files of this directory with nvcc and fatbinary 13.0, and one with ptxas 12.8 (nvidia-cuda-nvcc-cu12 12.8.93
# on the Python package index). tests/truth/gpucode holds the whole matrix against the reader; these few cover each path where
# there is no CUDA.
set -eu
old=${1:?usage: make.sh PTXAS128}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >k.ptx <<END
.version 7.0
.target sm_75
.address_size 64
.visible .entry k()
{ ret; }
END
sed 's/7.0/9.0/; s/sm_75/sm_120/' k.ptx >k120.ptx
echo 'extern "C" __global__ void k(int *p) { *p = threadIdx.x; }' >k.cu
: >empty.cu

# cubins by themselves: the suffix in e_flags (12.8), in .nv.compat and the tool's note (13.0), in the note alone
"$old" -arch=sm_90a k.ptx -o "$here/90a-12.8.cubin"
ptxas -arch=sm_90a k.ptx -o "$here/90a.cubin"
ptxas -arch=sm_100f k.ptx -o "$here/100f.cubin"
cp k120.ptx "$here/120.ptx"

# fatbins: plain, LZ4 and zstd
ptxas -arch=sm_80 k.ptx -o 80.cubin
images="--image3=kind=elf,sm=80,file=80.cubin --image3=kind=elf,sm=90a,file=$here/90a.cubin --image3=kind=ptx,sm=120,file=k120.ptx"
fatbinary -64 --compress-mode=none $images --create="$here/plain.fatbin"
fatbinary -64 --compress-mode=speed --compress-all $images --create="$here/lz4.fatbin"
fatbinary -64 --compress-mode=size $images --create="$here/zstd.fatbin"

# what device linking leaves behind where there is nothing to link, in three packings
nvcc -c -o e.o empty.cu
for mode in none size; do
	nvcc -dlink -Xcompiler -fPIC --compress-mode=$mode -gencode arch=compute_80,code=sm_80 e.o -o stub.o
	objcopy --strip-unneeded stub.o "$here/stub-$mode.obj"
done
nvcc -dlink -cubin -gencode arch=compute_80,code=sm_80 e.o -o stub.cubin
fatbinary -64 --compress-mode=speed --compress-all --image3=kind=elf,sm=80,file=stub.cubin --create=stub.fatbin --embedded-fatbin=stub.c
gcc -fPIC -I"$(dirname "$(dirname "$(realpath "$(command -v nvcc)")")")/include" -c stub.c -o stub.o
objcopy --strip-unneeded stub.o "$here/stub-speed.obj"

# relocatable code, not linked yet
nvcc -dc --compress-mode=size -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=compute_90 k.cu -o reloc.o
objcopy --strip-unneeded reloc.o "$here/reloc.obj"
