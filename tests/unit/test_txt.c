/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of pasted text: lines in, things told out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "parse/txt.h"

/* What was told, a line each: "WHAT subject=value". */
struct said {
	char text[8192];
	size_t n;
	int only; /* -1: all */
};

static void on_told(void *cookie, const struct cv_told *t)
{
	struct said *s = cookie;

	if (s->only >= 0 && (int)t->what != s->only)
		return;
	s->n += (size_t)snprintf(s->text + s->n, sizeof(s->text) - s->n, "%.*s=%.*s;", CV_STR_ARG(t->subject), CV_STR_ARG(t->value));
	assert_true(s->n < sizeof(s->text));
}

static void expect(enum cv_tell only, const char *text, const char *want)
{
	struct said s = { .only = (int)only };
	struct cv_txt t = { .tell = on_told, .cookie = &s };
	struct cv_str rest = cv_str_of(text), line;

	cv_txt_begin(&t, "error.log");
	while (cv_str_line(&rest, &line, NULL)) {
		char buf[4096];

		cv_txt_line(&t, cv_txt_clean(line, buf, sizeof(buf)));
	}
	assert_string_equal(s.text, want);
}

static void test_txt_packages(void **state)
{
	(void)state;
	expect(CV_TELL_PACKAGE, "torch==2.5.1+cu124\nnumpy==1.26.4 ; python_version > '3'\n", "torch=2.5.1+cu124;numpy=1.26.4;");
	expect(CV_TELL_PACKAGE, "$ pip list\nPackage  Version\n-------- -------\nh11      0.14.0\ntorch    2.9.1+cu130\n", "h11=0.14.0;torch=2.9.1+cu130;");
	expect(CV_TELL_PACKAGE, "$ pip list\nPackage Version\nh11     0.14.0\nPyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.1.2+cpu)\nstep 12 of 40\n",
	       "h11=0.14.0;");
	expect(CV_TELL_PACKAGE, "Name: torch\nVersion: 2.4.0\nSummary: x\n", "torch=2.4.0;");
	expect(CV_TELL_PACKAGE, "Successfully installed torch-2.6.0 typing-extensions-4.15.0\n", "torch=2.6.0;typing-extensions=4.15.0;");
	expect(CV_TELL_PACKAGE, "\xe2\x94\x9c\xe2\x94\x80\xe2\x94\x80 onnxruntime v1.24.2\n", "onnxruntime=1.24.2;");
	expect(CV_TELL_PACKAGE, "ONNX Runtime: onnxruntime-win-x64-gpu-1.19.0.zip\n", "onnxruntime-gpu=1.19.0;");
	expect(CV_TELL_PACKAGE, " + torch==2.7.0\n - torch==2.6.0\n", "torch=2.7.0;");
	/* none of these says that something is installed */
	expect(CV_TELL_PACKAGE, "pip install torch==2.6.0 --index-url x\nRuntimeError: a == 3\nif a==2: b\n", "");
}

static void test_txt_conda(void **state)
{
	(void)state;
	expect(CV_TELL_PACKAGE, "# Name   Version  Build  Channel\npython  3.12.10  h9e4cc4f_0_cpython  conda-forge\npytorch  2.6.0  cpu_mkl_py312_0  conda-forge\n",
	       "python=3.12.10;pytorch=2.6.0;");
	expect(CV_TELL_DRIVER_CUDA, "   virtual packages : __archspec=1=zen3\n      __cuda=12.8=0\n", "=12.8;");
	expect(CV_TELL_DRIVER_CUDA, "   virtual packages : __cuda=12.8=0\n", "=12.8;");
	expect(CV_TELL_OS, "      __win=0=0\n", "=Windows;");
	expect(CV_TELL_ARCH, "      __archspec=1=aarch64\n", "=aarch64;");
}

static const char table[] =
	"| NVIDIA-SMI 535.161.08             Driver Version: 535.161.08     CUDA Version: 12.2   |\n"
	"|   0  Tesla V100-PCIE-32GB           On  | 00000000:3B:00.0 Off |                    0 |\n"
	"| N/A   47C    P0             61W /  250W |   3120MiB / 32768MiB |     22%   E. Process |\n"
	"|                                         |                      |             Disabled |\n"
	"| Processes:                                                                            |\n"
	"|    0   N/A  N/A      7712      C   python                                     3116MiB |\n";

static void test_txt_smi(void **state)
{
	(void)state;
	expect(CV_TELL_DRIVER, table, "=535.161.08;");
	expect(CV_TELL_DRIVER_CUDA, table, "=12.2;");
	expect(CV_TELL_GPU_LISTED, table, "0=Tesla V100-PCIE-32GB;");
	expect(CV_TELL_GPU_MODE, table, "0=E. Process;");
	expect(CV_TELL_GPU_MIG, table, "0=Disabled;");
	expect(CV_TELL_DRIVER, "| NVIDIA-SMI 610.57.04              KMD Version: 610.57.04     CUDA UMD Version: 13.3     |\n", "=610.57.04;");
	expect(CV_TELL_DRIVER_CUDA, "| NVIDIA-SMI 610.57.04              KMD Version: 610.57.04     CUDA UMD Version: 13.3     |\n", "=13.3;");
	expect(CV_TELL_GPU_LISTED, "GPU 0: NVIDIA L4 (UUID: GPU-00000000-0000-0000-0000-000000000000)\n", "0=NVIDIA L4;");
	expect(CV_TELL_GPU_CC, "$ nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader\nQuadro K2200, 5.0\n", "0=5.0;");
	/* WSL: the tool's number is no driver */
	expect(CV_TELL_DRIVER, "| NVIDIA-SMI 555.42.03              Driver Version: 555.85         CUDA Version: 12.5     |\n", "=555.85;");
}

static void test_txt_notes(void **state)
{
	(void)state;
	expect(CV_TELL_OS, "OS: Fedora 40\n", "=Fedora 40;");
	expect(CV_TELL_TOOLKIT, "CUDA toolkit: 11 (system)\nCUDA runtime version: No CUDA\n", "=11;");
	expect(CV_TELL_NVCC, "Cuda compilation tools, release 12.2, V12.2.140\n", "=12.2;");
	expect(CV_TELL_DRIVER, "\xe6\x98\xbe\xe5\x8d\xa1\xe9\xa9\xb1\xe5\x8a\xa8: 535.104\n", "=535.104;");
	expect(CV_TELL_DRIVER_CUDA, "Driver Version: supports CUDA 11.4\n", "=11.4;");
	expect(CV_TELL_DRIVER, "2x RTX 4090, driver 550.120\n", "=550.120;");
	expect(CV_TELL_GPU, "2x RTX 4090, driver 550.120\n", "=RTX 4090;");
	expect(CV_TELL_GPU, "I offloaded 29 layers and 4090 tokens\n", "");
}

/* What the tools of the kernel's side print, and the blanks of issue forms. */
static void test_txt_forms(void **state)
{
	(void)state;
	expect(CV_TELL_PROBE, "nvidia/550.54.14, 6.5.0-28-generic, x86_64: installed\n", "dkms.driver=550.54.14;dkms:6.5.0-28-generic=installed;");
	expect(CV_TELL_PROBE, "nvidia, 525.60.13, 5.15.0-100-generic, x86_64: installed\n", "dkms.driver=525.60.13;dkms:5.15.0-100-generic=installed;");
	expect(CV_TELL_PROBE, "nvidia/550.54.14: added\n", "dkms.driver=550.54.14;");
	expect(CV_TELL_PROBE, "nvidia-fs/2.17, 6.5.0-28-generic: installed\nnvidia is, 5, not: this\nnvidia\nnvidia:\n", "");
	expect(CV_TELL_OS, "(py39) C:\\work> python t.py\n", "=Windows;");
	expect(CV_TELL_OS, "root@5d1c0a7e93b2:/# python t.py\n", "");
	expect(CV_TELL_FRAMEWORK, "torch version .................... 2.1.0+cu118\n", "torch=2.1.0+cu118;");
	expect(CV_TELL_PROBE, "print(torch.cuda.is_available())\nFalse\n", "torch.cuda.is_available=False;");
	expect(CV_TELL_PROBE, "print(torch.cuda.is_available())\nmodel = net()\n", "");
}

static void test_txt_libraries(void **state)
{
	(void)state;
	expect(CV_TELL_LIB, "\tlibcudnn.so.8 (libc6,x86-64) => /lib64/libcudnn.so.8\n", "/lib64/libcudnn.so.8=libcudnn.so.8;");
	expect(CV_TELL_LIB, "$ ls /usr/local/cuda-12.4/lib64 | grep cublas\nlibcublas.so.12\n", "/usr/local/cuda-12.4/lib64/libcublas.so.12=libcublas.so.12;");
	expect(CV_TELL_NEEDS, "\tlibcudart.so.12 => not found\n", "ldd=libcudart.so.12;");
	/* an error quotes a path: it need not exist */
	expect(CV_TELL_LIB, "OSError: /opt/x/libcublas.so.11: cannot open shared object file\n", "");
	expect(CV_TELL_TOOLKIT, "/usr/local/cuda  /usr/local/cuda-11.8\n", "/usr/local/cuda-11.8=11.8;");
}

static void test_txt_answers(void **state)
{
	(void)state;
	expect(CV_TELL_PROBE, ">>> torch.cuda.is_available()\nFalse\n", "torch.cuda.is_available=False;");
	expect(CV_TELL_PROBE, "$ python -c \"import torch; print(torch.__version__, torch.cuda.get_device_capability())\"\n2.6.0+cu124 (12, 0)\n",
	       "torch.__version__=2.6.0+cu124;torch.cuda.capability=(12, 0);");
	expect(CV_TELL_PROBE, "tensor([1.], device='cuda:0')\n", "torch.ran=True;");
	expect(CV_TELL_PROBE, ">>> torch.cuda.is_available()\nTraceback (most recent call last):\n", "");
	expect(CV_TELL_VAR, "$ CUDA_VISIBLE_DEVICES=2 python main.py\nos.environ['LD_LIBRARY_PATH'] = '/opt/lib'\n",
	       "CUDA_VISIBLE_DEVICES=2;LD_LIBRARY_PATH=/opt/lib;");
	expect(CV_TELL_VAR, "if CUDA_VISIBLE_DEVICES == 3\n$ echo $LD_LIBRARY_PATH\n/a:/b\n", "LD_LIBRARY_PATH=/a:/b;");
	expect(CV_TELL_MODULE, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Wed Jul 10 02:00:02 UTC 2024\n", "=550.90.07;");
	expect(CV_TELL_IMAGE, "$ docker run -it --rm tensorflow/tensorflow:2.3.0-gpu bash\n", "=tensorflow/tensorflow:2.3.0-gpu;");
}

static void test_txt_cleans(void **state)
{
	static const struct {
		const char *in, *out;
	} lines[] = {
		{ "\x1b[31mred\x1b[0m text", "red text" },
		{ "10%\r50%\r100% done\r", "100% done" },
		{ "> > quoted", "quoted" },
		{ ">>> torch.__version__", ">>> torch.__version__" },
		{ "2024-03-11T10:02:18.114901Z E cuda", "E cuda" },
		{ "web-1  | hello", "hello" },
		{ "\x1b]0;title\a$ ls", "$ ls" },
		{ "a\tb\x01", "a\tb" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char buf[256];
		struct cv_str s = cv_txt_clean(cv_str_of(lines[i].in), buf, sizeof(buf));

		assert_int_equal(s.n, strlen(lines[i].out));
		assert_memory_equal(s.p, lines[i].out, s.n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_txt_packages), cmocka_unit_test(test_txt_conda),     cmocka_unit_test(test_txt_smi), cmocka_unit_test(test_txt_forms),
		cmocka_unit_test(test_txt_notes),    cmocka_unit_test(test_txt_libraries), cmocka_unit_test(test_txt_answers),
		cmocka_unit_test(test_txt_cleans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
