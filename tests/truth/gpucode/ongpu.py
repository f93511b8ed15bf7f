#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does code run where cuvet says that it does? On a real GPU.

    ongpu.py build DIR CUVET     where nvcc is: makes small programs and cubins for many targets, and notes cuvet's verdicts
    ongpu.py run DIR             where a GPU is: starts each of them and compares; needs nothing else

Programs are compiled whole and in parts that are linked on the device side (-rdc), also such that the linked code lacks a GPU that the
parts have: the driver links those itself. Closes with "on COMPUTE CAPABILITY: N agree / N differ". Not a part of make truth.
"""
import json
import os
import subprocess
import sys

import cuob
import matrix

CCS = ["7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "10.3", "12.0", "12.1"]
MAIN = r"""
#include <cstdio>
#ifdef PARTS
extern __device__ int twice(int);
#else
__device__ int twice(int x) { return 2 * x; }
#endif
__global__ void k(int *p) { *p = twice(21); }
int main() {
  int *d = 0, h = 0;
  cudaError_t e = cudaMalloc(&d, 4);
  if (e) { printf("no GPU: %d\n", (int)e); return 2; }
  k<<<1, 1>>>(d);
  e = cudaGetLastError();
  if (!e) e = cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  printf("%d %d\n", (int)e, h);
  return e || h != 42;
}
"""
PART = "__device__ int twice(int x) { return 2 * x; }\n"
LOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
static char b[1 << 22];
int main(int n, char **v) {
  void *l = dlopen("libcuda.so.1", RTLD_NOW), *c, *m;
  int d;
  FILE *f = n == 2 ? fopen(v[1], "rb") : 0;
  if (!l || !f) return 2;
  b[fread(b, 1, sizeof(b) - 1, f)] = 0;
#define CALL(name, ...) ((int (*)())dlsym(l, name))(__VA_ARGS__)
  if (CALL("cuInit", 0) || CALL("cuDeviceGet", &d, 0) || CALL("cuDevicePrimaryCtxRetain", &c, d) || CALL("cuCtxSetCurrent", c)) return 2;
  n = CALL("cuModuleLoadData", &m, b);
  printf("%d\n", n);
  return n != 0;
}
"""
TARGETS = [["sm_75"], ["sm_80"], ["sm_90"], ["sm_90a"], ["sm_100f"], ["sm_120"], ["compute_75"], ["compute_80"], ["compute_90a"],
           ["compute_100"], ["compute_120f"], ["sm_80", "compute_80"], ["sm_89", "compute_89"], ["sm_80", "sm_120"], ["compute_75", "sm_120"],
           ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]]
LINKED_FOR = [("sm_75", ["sm_75", "sm_90"]), ("sm_80", ["sm_80", "sm_90"]), ("sm_80", ["sm_80", "compute_80"]), ("sm_90", ["sm_80", "sm_90"])]


def gencode(targets):
    out = []
    for t in targets:
        out += ["-gencode", "arch=%s,code=%s" % (t.replace("sm_", "compute_"), t)]
    return out


def sh(*args):
    p = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if p.returncode:
        print("  not made: %s" % p.stdout.decode(errors="replace").strip().split("\n")[-1])
    return p.returncode == 0


def build(directory, cuvet):
    nvcc = matrix.tool("nvcc")
    os.makedirs(directory)
    at = lambda name: os.path.join(directory, name)
    for name, text in (("main.cu", MAIN), ("part.cu", PART), ("load.c", LOADER)):
        with open(at(name), "w") as f:
            f.write(text)
    made = []
    for targets in TARGETS:
        name = "-".join(targets)
        if sh(nvcc, *gencode(targets), at("main.cu"), "-o", at("whole-" + name)):
            made.append("whole-" + name)
        if sh(nvcc, "-rdc=true", "-DPARTS", *gencode(targets), at("main.cu"), at("part.cu"), "-o", at("parts-" + name)):
            made.append("parts-" + name)
        if len(targets) == 1 and targets[0].startswith("sm_") and sh(nvcc, "-cubin", "-arch=" + targets[0], at("main.cu"), "-o", at(name + ".cubin")):
            made.append(name + ".cubin")
    lib = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), "lib64")
    for link, targets in LINKED_FOR:
        name = "linked-%s-of-%s" % (link, "-".join(targets))
        objects = [at("main.o"), at("part.o"), at("link.o")]
        if (sh(nvcc, "-dc", "-DPARTS", *gencode(targets), at("main.cu"), "-o", objects[0]) and
                sh(nvcc, "-dc", *gencode(targets), at("part.cu"), "-o", objects[1]) and
                sh(nvcc, "-dlink", *gencode([link]), *objects[:2], "-o", objects[2]) and
                sh("g++", *objects, "-o", at(name), "-L" + lib, "-lcudart_static", "-lcudadevrt", "-ldl", "-lrt", "-lpthread")):
            made.append(name)
    if not sh("gcc", "-o", at("load"), at("load.c"), "-ldl"):
        raise SystemExit(1)
    got = cuob.ask(cuvet, [at(n) for n in made], "--cc", ",".join(CCS))
    verdicts = {n: {g["cc"]: g["verdict"] for g in got[at(n)]["gpus"]} for n in made}
    for n in made:
        sh("strip", at(n)) if not n.endswith(".cubin") else None
    for n in os.listdir(directory):
        if n.endswith((".o", ".cu", ".c")):
            os.unlink(at(n))
    with open(at("verdicts.json"), "w") as f:
        json.dump(verdicts, f, indent=1)
    print("%d made" % len(made))


def run(directory):
    out = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap,driver_version,name", "--format=csv,noheader"], stdout=subprocess.PIPE)
    cc = out.stdout.decode().split(",")[0].strip()
    print(out.stdout.decode().split("\n")[0])
    with open(os.path.join(directory, "verdicts.json")) as f:
        verdicts = json.load(f)
    agree = differ = 0
    for name, by_cc in sorted(verdicts.items()):
        path = os.path.abspath(os.path.join(directory, name))
        p = subprocess.run([os.path.abspath(os.path.join(directory, "load")), path] if name.endswith(".cubin") else [path],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        ran, said = p.returncode == 0, by_cc[cc]
        good = p.returncode in (0, 1) and ran == (said in ("native", "ptx-jit"))
        agree, differ = agree + good, differ + (not good)
        if not good:
            print("  %s: cuvet says %s, it says %s" % (name, said, p.stdout.decode().strip()))
    print("on %s: %d agree / %d differ" % (cc, agree, differ))
    return 1 if differ or not agree else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "build":
        build(sys.argv[2], os.path.abspath(sys.argv[3]))
    elif len(sys.argv) == 3 and sys.argv[1] == "run":
        sys.exit(run(sys.argv[2]))
    else:
        sys.exit(__doc__)
