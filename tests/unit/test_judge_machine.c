/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that ask whether there is a GPU and whether it may be reached. */
#include "judge_box.h"

static void test_judge_machine_healthy(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.11.0+cu130", "13.0");
	box_judge(&b);
	if (b.r->findings.n)
		box_dump(&b);
	assert_int_equal(b.r->findings.n, 0);
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
	assert_string_equal(b.r->verdict_line, "torch 2.11.0+cu130 can use the H200 SXM 141GB (driver 580.159.04)");
	assert_string_equal(b.r->kind, "bare");
	assert_string_equal(b.r->driver.cuda_api, "13.0");
	box_free(&b);
}

static void test_judge_machine_no_gpu(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	b.driver = NULL;
	b.gpus = NO_GPU;
	box_torch(&b, "2.9.0+cpu", NULL);
	box_judge(&b);
	f = box_expect(&b, "no-nvidia-gpu", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "found"), "0");
	box_expect_text(f->title, "no NVIDIA driver");
	assert_int_equal(b.r->verdict, CV_VERDICT_PROBLEM);
	assert_int_equal(b.r->findings.n, 1);
	box_expect_open(&b, "driver-missing");
	box_expect_open(&b, "cpu-only-build");
	box_free(&b);
}

static void test_judge_machine_no_gpu_is_not_said_blindly(void **state)
{
	static const enum cv_state states[] = { CV_DENIED, CV_ABSENT, CV_UNPARSED };

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		struct box b;

		box_new(&b);
		b.driver = NULL;
		b.gpus = NO_GPU;
		box_state(&b, CV_KIND_machine, "", CV_F_machine_pci_devices, states[i]);
		box_judge(&b);
		box_expect_open(&b, "no-nvidia-gpu");
		box_free(&b);
	}
}

/* WSL, Jetson and gVisor do not show the GPU on PCI. */
static void test_judge_machine_no_gpu_special(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	b.driver = NULL;
	b.gpus = NO_GPU;
	box_num(&b, CV_KIND_machine, "", CV_F_machine_wsl, 2);
	box_judge(&b);
	box_expect_open(&b, "no-nvidia-gpu");
	box_free(&b);
	box_new(&b);
	b.driver = NULL;
	b.gpus = NO_GPU;
	box_num(&b, CV_KIND_machine, "", CV_F_machine_gvisor, 1);
	box_judge(&b);
	box_expect_open(&b, "no-nvidia-gpu");
	box_free(&b);
}

static void container(struct box *b, const char *kind)
{
	box_new(b);
	box_str(b, CV_KIND_machine, "", CV_F_machine_container, kind);
	box_torch(b, "2.9.0+cu128", "12.8");
}

static void without_nodes(struct box *b)
{
	box_num(b, CV_KIND_node, "/dev/nvidiactl", CV_F_node_present, 0);
	box_num(b, CV_KIND_node, "/dev/nvidia-uvm", CV_F_node_present, 0);
	box_num(b, CV_KIND_node, "/dev/nvidia0", CV_F_node_present, 0);
}

static void test_judge_machine_container_without_gpu(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	container(&b, "docker");
	without_nodes(&b);
	box_var(&b, "NVIDIA_VISIBLE_DEVICES", "void");
	box_judge(&b);
	f = box_expect(&b, "container-without-gpu", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "container"), "docker");
	assert_string_equal(box_param(f, "nvidia_visible_devices"), "void");
	box_expect_text(box_fixes(&b, f), "docker run --gpus all");
	assert_int_equal(b.r->findings.n, 1);
	box_expect_open(&b, "device-node-missing");
	box_expect_cell(&b, "0|torch|0", CV_TRI_BAD, CV_CODE_NATIVE, CV_VERDICT_PROBLEM);
	box_free(&b);

	container(&b, "podman");
	box_judge(&b);
	box_expect_ruled_out(&b, "container-without-gpu");
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);

	container(&b, "docker");
	box_state(&b, CV_KIND_node, "/dev/nvidiactl", CV_F_node_present, CV_DENIED);
	box_num(&b, CV_KIND_node, "/dev/nvidia-uvm", CV_F_node_present, 0);
	box_num(&b, CV_KIND_node, "/dev/nvidia0", CV_F_node_present, 0);
	box_judge(&b);
	box_expect_open(&b, "container-without-gpu");
	box_free(&b);
}

/* H24: /dev/nvidia-uvm is missing and no setuid nvidia-modprobe makes it (gpu-operator#2685). */
static void test_judge_machine_h24_node_missing(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_num(&b, CV_KIND_node, "/dev/nvidia-uvm", CV_F_node_present, 0);
	box_judge(&b);
	f = box_expect(&b, "device-node-missing", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "node"), "/dev/nvidia-uvm");
	box_expect_text(box_fixes(&b, f), "nvidia-modprobe");
	assert_int_equal(b.r->findings.n, 1);
	box_expect_cell(&b, "0|torch|0", CV_TRI_BAD, CV_CODE_NATIVE, CV_VERDICT_PROBLEM);
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_num(&b, CV_KIND_node, "/dev/nvidia-uvm", CV_F_node_present, 0);
	box_num(&b, CV_KIND_driver, "", CV_F_driver_modprobe_setuid, 1);
	box_judge(&b);
	box_expect_ruled_out(&b, "device-node-missing");
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);

	box_new(&b);
	box_num(&b, CV_KIND_node, "/dev/nvidia-uvm", CV_F_node_present, 0);
	box_state(&b, CV_KIND_driver, "", CV_F_driver_modprobe_setuid, CV_DENIED);
	box_judge(&b);
	box_expect_open(&b, "device-node-missing");
	box_free(&b);
}

/* In a container no helper makes nodes; one GPU's node of several says only that the others were not given. */
static void test_judge_machine_container_nodes(void **state)
{
	struct box b;

	(void)state;
	container(&b, "kubernetes");
	box_num(&b, CV_KIND_driver, "", CV_F_driver_modprobe_setuid, 1);
	box_num(&b, CV_KIND_node, "/dev/nvidia-uvm", CV_F_node_present, 0);
	box_judge(&b);
	box_expect(&b, "device-node-missing", CV_ERROR, CV_PRIMARY);
	box_free(&b);

	container(&b, "docker");
	box_gpu(&b, "2335");
	box_gpu(&b, "2335");
	box_num(&b, CV_KIND_node, "/dev/nvidia1", CV_F_node_present, 0);
	box_judge(&b);
	box_expect_ruled_out(&b, "device-node-missing");
	assert_int_equal(b.r->cells.n, 1);
	assert_int_equal(b.r->gpus.v[1].visible, CV_TRI_BAD);
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	box_free(&b);
}

static void test_judge_machine_node_denied(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_num(&b, CV_KIND_node, "/dev/nvidia0", CV_F_node_present, 1);
	box_num(&b, CV_KIND_node, "/dev/nvidia0", CV_F_node_usable, 0);
	box_judge(&b);
	f = box_expect(&b, "device-node-denied", CV_ERROR, CV_PRIMARY);
	assert_string_equal(box_param(f, "node"), "/dev/nvidia0");
	assert_string_equal(f->rule->parent, "device-node-missing");
	box_expect_ruled_out(&b, "device-node-missing");
	box_free(&b);

	box_new(&b);
	box_state(&b, CV_KIND_node, "/dev/nvidia0", CV_F_node_usable, CV_NOT_ASKED);
	box_judge(&b);
	box_expect_open(&b, "device-node-denied");
	box_free(&b);

	box_new(&b);
	box_judge(&b);
	box_expect_ruled_out(&b, "device-node-denied");
	box_free(&b);
}

/* H28: one GPU, CUDA_VISIBLE_DEVICES=7 (CUDA guide). */
static void test_judge_machine_h28_mask(void **state)
{
	static const char *const values[] = { "7", "-1", "", "GPU-deadbeef" };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const struct cv_finding *f;
		struct box b;

		box_new(&b);
		box_torch(&b, "2.9.0+cu128", "12.8");
		box_str(&b, CV_KIND_gpu, box_gpu(&b, "2335"), CV_F_gpu_uuid, "GPU-00000000-1111-2222-3333-444444444444");
		box_var(&b, "CUDA_VISIBLE_DEVICES", values[i]);
		box_judge(&b);
		f = box_expect(&b, "cuda-visible-devices", CV_ERROR, CV_PRIMARY);
		assert_string_equal(box_param(f, "found"), values[i]);
		assert_int_equal(b.r->gpus.v[0].visible, CV_TRI_BAD);
		assert_string_equal(f->cells.v[0], "0|torch|0");
		assert_int_equal(b.r->findings.n, 1);
		assert_int_equal(b.r->verdict, CV_VERDICT_PROBLEM);
		box_free(&b);
	}
}

static void test_judge_machine_mask_leaves_some(void **state)
{
	struct box b;
	const struct cv_finding *f;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.9.0+cu128", "12.8");
	box_gpu(&b, "2335");
	box_gpu(&b, "2335");
	box_var(&b, "CUDA_VISIBLE_DEVICES", "1");
	box_judge(&b);
	box_expect_ruled_out(&b, "cuda-visible-devices");
	assert_int_equal(b.r->cells.n, 1);
	assert_string_equal(b.r->cells.v[0].key, "0|torch|1");
	box_free(&b);

	box_new(&b);
	box_gpu(&b, "2335");
	box_gpu(&b, "2335");
	box_var(&b, "CUDA_VISIBLE_DEVICES", "0,5,1");
	box_judge(&b);
	f = box_expect(&b, "cuda-visible-devices", CV_WARNING, CV_PRIMARY);
	assert_string_equal(box_param(f, "entry"), "5");
	box_free(&b);

	box_new(&b);
	box_judge(&b);
	box_expect_ruled_out(&b, "cuda-visible-devices");
	box_free(&b);

	box_new(&b);
	box_state(&b, CV_KIND_var, "CUDA_VISIBLE_DEVICES", CV_F_var_value, CV_NOT_ASKED);
	box_judge(&b);
	box_expect_open(&b, "cuda-visible-devices");
	box_free(&b);
}

/* V100 and H100: what index 0 means is told by CUDA_DEVICE_ORDER alone; code for both makes it no matter. */
static void test_judge_machine_mask_mixed(void **state)
{
	struct box b;

	(void)state;
	box_new(&b);
	box_torch(&b, "2.11.0+cu128", "12.8");
	box_gpu(&b, "1db4");
	box_gpu(&b, "2330");
	box_var(&b, "CUDA_VISIBLE_DEVICES", "0");
	box_judge(&b);
	assert_int_equal(b.r->gpus.v[0].visible, CV_TRI_UNKNOWN);
	box_expect_open(&b, "gpu-too-old-for-build");
	box_expect_cell(&b, "0|torch|0", CV_TRI_OK, CV_CODE_UNKNOWN, CV_VERDICT_CANNOT_TELL);
	box_expect_cell(&b, "0|torch|1", CV_TRI_OK, CV_CODE_NATIVE, CV_VERDICT_OK);
	box_free(&b);

	box_new(&b);
	box_torch(&b, "2.11.0+cu128", "12.8");
	box_gpu(&b, "1db4");
	box_gpu(&b, "2330");
	box_var(&b, "CUDA_VISIBLE_DEVICES", "1");
	box_var(&b, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
	box_judge(&b);
	assert_int_equal(b.r->verdict, CV_VERDICT_OK);
	assert_int_equal(b.r->cells.n, 1);
	box_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge_machine_healthy),
		cmocka_unit_test(test_judge_machine_no_gpu),
		cmocka_unit_test(test_judge_machine_no_gpu_is_not_said_blindly),
		cmocka_unit_test(test_judge_machine_no_gpu_special),
		cmocka_unit_test(test_judge_machine_container_without_gpu),
		cmocka_unit_test(test_judge_machine_h24_node_missing),
		cmocka_unit_test(test_judge_machine_container_nodes),
		cmocka_unit_test(test_judge_machine_node_denied),
		cmocka_unit_test(test_judge_machine_h28_mask),
		cmocka_unit_test(test_judge_machine_mask_leaves_some),
		cmocka_unit_test(test_judge_machine_mask_mixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
