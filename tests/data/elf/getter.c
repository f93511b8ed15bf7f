/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that hand out a version, in the shapes that libversion.c reads. One of them by -D. */
typedef unsigned long size_t;

#ifdef CUBLASLT
int verbose;
void log_call(const char *name, int version);
void log_call(const char *name, int version)
{
	__asm__ volatile("" : : "r"(name), "r"(version));
}
size_t cublasLtGetVersion(void)
{
	if (verbose)
		log_call("cublasLtGetVersion", 120804);
	return 120804;
}
#endif

#ifdef CURAND
int curandGetVersion(int *v)
{
	*v = 10309;
	return 0;
}
#endif

#ifdef CUDART
int loaded;
int slow(void);
__attribute__((noinline)) int slow(void)
{
	return loaded++;
}
/* as gcc writes it */
int get(int *v);
__asm__(".text\n"
	".hidden get\n"
	".type get,%function\n"
	"get:\n"
#ifdef __x86_64__
	"test %rdi,%rdi\n"
	"je 1f\n"
	"movl $12080,(%rdi)\n"
	"xor %eax,%eax\n"
	"ret\n"
	"1: mov $1,%eax\n"
	"ret\n"
#else
	"cbz x0,1f\n"
	"mov x1,x0\n"
	"mov w2,#12080\n"
	"mov w0,#0\n"
	"str w2,[x1]\n"
	"ret\n"
	"1: mov w0,#1\n"
	"ret\n"
#endif
);
int cudaRuntimeGetVersion(int *v)
{
	int r = slow();

	return get(v) + r;
}
#endif

#ifdef NVRTC
int nvrtcVersion(int *major, int *minor)
{
	if (!major || !minor)
		return 3;
	*major = 12;
	*minor = 8;
	return 0;
}
#endif
