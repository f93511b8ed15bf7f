/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine made of facts by hand, for the tests of the judge. A box begins healthy: Debian 12, an H200, driver 580.159.04
 * with its libraries and nodes, one selected environment. A test breaks one thing, judges, and looks.
 *
 *	struct box b;
 *
 *	box_new(&b);
 *	box_torch(&b, "2.11.0+cu130", "13.0");
 *	box_judge(&b);
 *	assert_ptr_equal(box_find(&b, "driver-too-old"), NULL);
 *	box_free(&b);
 *
 * Setters put the first value in; box_* functions that change a default must come before box_judge() and are applied by it.
 */
#ifndef CV_TEST_JUDGE_BOX_H
#define CV_TEST_JUDGE_BOX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "facts/facts.h"
#include "judge/judge.h"
#include "kb/kb.h"

#define ENV "/opt/venv"
#define SITE ENV "/lib/python3.12/site-packages"
#define NO_GPU ((size_t)99)

struct box {
	struct cv_arena *a;
	struct cv_facts *f;
	const struct cv_report *r;
	const char *driver, *library; /* versions; NULL: none. library NULL takes driver's */
	const char *python, *glibc, *arch;
	size_t gpus;
};

static const struct cv_prov box_prov = { .collector = "test", .path = "/test", .line = 1, .offset = -1 };

static inline struct cv_subject *box_add(struct box *b, enum cv_kind kind, const char *key)
{
	return cv_facts_add(b->f, kind, key);
}

/* Puts a text in unless the field has a value already: so a test's word goes before a default. */
static inline void box_str(struct box *b, enum cv_kind kind, const char *key, enum cv_field id, const char *value)
{
	struct cv_subject *s = box_add(b, kind, key);

	if (cv_fact(s, id)->prov.collector)
		return;
	if (value)
		cv_facts_str(b->f, s, id, value, box_prov);
	else
		cv_facts_state(b->f, s, id, CV_ABSENT, NULL, box_prov);
}

static inline void box_num(struct box *b, enum cv_kind kind, const char *key, enum cv_field id, uint64_t value)
{
	struct cv_subject *s = box_add(b, kind, key);

	if (!cv_fact(s, id)->prov.collector)
		cv_facts_int(b->f, s, id, value, box_prov);
}

static inline void box_state(struct box *b, enum cv_kind kind, const char *key, enum cv_field id, enum cv_state state)
{
	struct cv_subject *s = box_add(b, kind, key);

	if (!cv_fact(s, id)->prov.collector)
		cv_facts_state(b->f, s, id, state, NULL, box_prov);
}

static inline void box_list(struct box *b, enum cv_kind kind, const char *key, enum cv_field id, const char *words)
{
	struct cv_subject *s = box_add(b, kind, key);
	struct cv_str rest = cv_str_of(words), part;
	struct cv_strv list = { 0 };

	if (cv_fact(s, id)->prov.collector)
		return;
	while (cv_str_split(&rest, '|', &part))
		cv_strv_push(b->a, &list, cv_str_dup(b->a, part));
	cv_facts_list(b->f, s, id, &list, box_prov);
}

static inline void box_new(struct box *b)
{
	*b = (struct box){ .driver = "580.159.04", .python = "3.12.3", .glibc = "2.36", .arch = "x86_64" };
	b->a = cv_arena_new(64u << 20);
	b->f = cv_facts_new(b->a);
}

static inline void box_free(struct box *b)
{
	cv_arena_free(b->a);
}

static inline void box_var(struct box *b, const char *name, const char *value)
{
	box_str(b, CV_KIND_var, name, CV_F_var_value, value);
}

/* A GPU by PCI id ("2335"); the first call replaces the default one. */
static inline const char *box_gpu(struct box *b, const char *device)
{
	const char *key = cv_arena_printf(b->a, "0000:%02x:00.0", (unsigned)(b->gpus + 1));

	box_str(b, CV_KIND_gpu, key, CV_F_gpu_vendor_id, "10de");
	box_str(b, CV_KIND_gpu, key, CV_F_gpu_device_id, device);
	box_num(b, CV_KIND_gpu, key, CV_F_gpu_minor, b->gpus);
	b->gpus++;
	return key;
}

static inline const char *box_package(struct box *b, const char *name, const char *version)
{
	const char *key = cv_arena_printf(b->a, SITE "/%s-%s.dist-info", name, version);

	box_str(b, CV_KIND_package, key, CV_F_package_env, ENV);
	box_str(b, CV_KIND_package, key, CV_F_package_name, name);
	box_str(b, CV_KIND_package, key, CV_F_package_version, version);
	box_str(b, CV_KIND_package, key, CV_F_package_source, "dist-info");
	return key;
}

/* Everything a healthy package has, where the test has not said otherwise. */
static inline void box_finish_packages(struct box *b)
{
	for (size_t i = 0; i < cv_facts_count(b->f, CV_KIND_package); i++) {
		const char *key = cv_subject_key(cv_facts_at(b->f, CV_KIND_package, i));

		box_str(b, CV_KIND_package, key, CV_F_package_installer, "pip");
		box_num(b, CV_KIND_package, key, CV_F_package_shadowed, 0);
		box_num(b, CV_KIND_package, key, CV_F_package_record_missing_n, 0);
		box_num(b, CV_KIND_package, key, CV_F_package_record_changed_n, 0);
		box_list(b, CV_KIND_package, key, CV_F_package_tags, "cp312-cp312-manylinux_2_28_x86_64");
		box_list(b, CV_KIND_package, key, CV_F_package_requires, "");
	}
}

/* A library of the GPU stack in the environment. */
static inline const char *box_env_lib(struct box *b, const char *soname, const char *version)
{
	const char *key = cv_arena_printf(b->a, SITE "/nvidia/lib/%s", soname);
	struct cv_str family = cv_str_of(soname + 3);

	family.n = (size_t)cv_str_find(family, ".so");
	box_str(b, CV_KIND_lib, key, CV_F_lib_family, cv_str_dup(b->a, family));
	box_str(b, CV_KIND_lib, key, CV_F_lib_soname, soname);
	box_str(b, CV_KIND_lib, key, CV_F_lib_version, version);
	box_str(b, CV_KIND_lib, key, CV_F_lib_origin, "wheel");
	box_str(b, CV_KIND_lib, key, CV_F_lib_env, ENV);
	return key;
}

static inline const char *box_framework(struct box *b, const char *name, const char *package, const char *version,
					const char *cuda)
{
	const char *key = cv_arena_printf(b->a, ENV "|%s", name);

	box_str(b, CV_KIND_framework, key, CV_F_framework_env, ENV);
	box_str(b, CV_KIND_framework, key, CV_F_framework_name, name);
	box_str(b, CV_KIND_framework, key, CV_F_framework_path, cv_arena_printf(b->a, SITE "/%s", name));
	box_str(b, CV_KIND_framework, key, CV_F_framework_version, version);
	box_str(b, CV_KIND_framework, key, CV_F_framework_package, package);
	box_str(b, CV_KIND_framework, key, CV_F_framework_cuda, cuda);
	box_str(b, CV_KIND_framework, key, CV_F_framework_hip, NULL);
	box_str(b, CV_KIND_framework, key, CV_F_framework_gpu_lib,
		cuda ? cv_arena_printf(b->a, SITE "/%s/lib/gpu.so", name) : NULL);
	return key;
}

/* torch with the libraries of its CUDA major; cuda NULL: a CPU build. */
static inline const char *box_torch(struct box *b, const char *version, const char *cuda)
{
	const char *fw = box_framework(b, "torch", "torch", version, cuda), *pkg = box_package(b, "torch", version);

	if (cuda) {
		int major = (int)cv_ver_part(cuda, 0);
		const char *needed =
			cv_arena_printf(b->a, "libcudart.so.%d|libcublas.so.%d|libcudnn.so.9|libc10.so", major, major);

		box_list(b, CV_KIND_framework, fw, CV_F_framework_gpu_needed, needed);
		box_env_lib(b, cv_arena_printf(b->a, "libcudart.so.%d", major), cuda);
		box_env_lib(b, cv_arena_printf(b->a, "libcublas.so.%d", major), cuda);
		box_env_lib(b, cv_arena_printf(b->a, "libcublasLt.so.%d", major), cuda);
		box_env_lib(b, cv_arena_printf(b->a, "libnvrtc.so.%d", major), cuda);
		box_env_lib(b, cv_arena_printf(b->a, "libcufft.so.%d", major - 1), cuda);
		box_env_lib(b, "libcurand.so.10", cuda);
		box_env_lib(b, "libcudnn.so.9", "9.10.2");
	}
	return pkg;
}

/* onnxruntime-gpu, or onnxruntime where cuda is NULL. Brings no libraries. */
static inline const char *box_ort(struct box *b, const char *version, const char *cuda)
{
	const char *name = cuda ? "onnxruntime-gpu" : "onnxruntime";
	const char *fw = box_framework(b, "onnxruntime", name, version, cuda);

	if (cuda) {
		int major = (int)cv_ver_part(cuda, 0);

		box_list(b, CV_KIND_framework, fw, CV_F_framework_gpu_needed,
			 cv_arena_printf(b->a, "libcudart.so.%d|libcublas.so.%d|libcublasLt.so.%d", major, major, major));
	}
	return box_package(b, name, version);
}

static inline const char *box_libcuda(struct box *b, const char *path, const char *version, const char *origin)
{
	box_str(b, CV_KIND_lib, path, CV_F_lib_family, "cuda");
	box_str(b, CV_KIND_lib, path, CV_F_lib_soname, "libcuda.so.1");
	box_str(b, CV_KIND_lib, path, CV_F_lib_version, version);
	box_str(b, CV_KIND_lib, path, CV_F_lib_origin, origin);
	box_str(b, CV_KIND_lib, path, CV_F_lib_machine, b->arch);
	box_list(b, CV_KIND_lib, path, CV_F_lib_names, cv_arena_printf(b->a, "%s/libcuda.so.1", cv_dirname(b->a, path)));
	return path;
}

static inline void box_node(struct box *b, const char *path)
{
	box_num(b, CV_KIND_node, path, CV_F_node_present, 1);
	if (cv_fact_true(box_add(b, CV_KIND_node, path), CV_F_node_present))
		box_num(b, CV_KIND_node, path, CV_F_node_usable, 1);
}

static inline void box_finish_machine(struct box *b)
{
	box_num(b, CV_KIND_machine, "", CV_F_machine_live, 1);
	box_str(b, CV_KIND_machine, "", CV_F_machine_os_id, "debian");
	box_str(b, CV_KIND_machine, "", CV_F_machine_os_version, "12");
	box_str(b, CV_KIND_machine, "", CV_F_machine_kernel, "6.1.0-18-amd64");
	box_str(b, CV_KIND_machine, "", CV_F_machine_arch, b->arch);
	box_str(b, CV_KIND_machine, "", CV_F_machine_glibc, b->glibc);
	box_str(b, CV_KIND_machine, "", CV_F_machine_container, NULL);
	box_str(b, CV_KIND_machine, "", CV_F_machine_vm, NULL);
	box_str(b, CV_KIND_machine, "", CV_F_machine_jetson, NULL);
	box_state(b, CV_KIND_machine, "", CV_F_machine_wsl, CV_ABSENT);
	box_num(b, CV_KIND_machine, "", CV_F_machine_secure_boot, 0);
	box_num(b, CV_KIND_machine, "", CV_F_machine_pci_devices, 12);
	box_num(b, CV_KIND_machine, "", CV_F_machine_uid, 1000);
}

static inline void box_finish_driver(struct box *b)
{
	box_num(b, CV_KIND_driver, "", CV_F_driver_module_loaded, b->driver != NULL);
	box_str(b, CV_KIND_driver, "", CV_F_driver_module_version, b->driver);
	box_num(b, CV_KIND_driver, "", CV_F_driver_modprobe_setuid, 0);
	box_num(b, CV_KIND_driver, "", CV_F_driver_tegra, 0);
	if (b->driver || b->library)
		box_libcuda(b, "/usr/lib/x86_64-linux-gnu/libcuda.so.x", b->library ? b->library : b->driver, "host");
	box_list(b, CV_KIND_ldso, "", CV_F_ldso_conf_dirs, "/usr/local/lib|/usr/lib/x86_64-linux-gnu");
	box_state(b, CV_KIND_ldso, "", CV_F_ldso_cache_entries, CV_ABSENT);
	if (!b->gpus)
		box_gpu(b, "2335");
	for (size_t i = 0; i < b->gpus && b->gpus != NO_GPU; i++) {
		const char *key = cv_subject_key(cv_facts_at(b->f, CV_KIND_gpu, i));

		box_str(b, CV_KIND_gpu, key, CV_F_gpu_bound, b->driver ? "nvidia" : NULL);
		box_num(b, CV_KIND_gpu, key, CV_F_gpu_in_proc, b->driver != NULL);
		if (b->driver)
			box_node(b, cv_arena_printf(b->a, "/dev/nvidia%zu", i));
	}
	if (b->driver) {
		box_node(b, "/dev/nvidiactl");
		box_node(b, "/dev/nvidia-uvm");
	}
	box_num(b, CV_KIND_node, "/dev/nvidiactl", CV_F_node_present, 0);
	box_var(b, "LD_LIBRARY_PATH", NULL);
	box_var(b, "CUDA_VISIBLE_DEVICES", NULL);
	box_var(b, "CUDA_DEVICE_ORDER", NULL);
}

static inline void box_finish_env(struct box *b)
{
	box_str(b, CV_KIND_env, ENV, CV_F_env_kind, "venv");
	box_str(b, CV_KIND_env, ENV, CV_F_env_python, b->python);
	box_str(b, CV_KIND_env, ENV, CV_F_env_exe, ENV "/bin/python");
	box_str(b, CV_KIND_env, ENV, CV_F_env_manager, "pip");
	box_num(b, CV_KIND_env, ENV, CV_F_env_selected, 1);
	box_num(b, CV_KIND_env, ENV, CV_F_env_active, 1);
	box_list(b, CV_KIND_env, ENV, CV_F_env_sys_path, SITE);
	box_num(b, CV_KIND_env, ENV, CV_F_env_packages, cv_facts_count(b->f, CV_KIND_package));
}

static inline void box_judge(struct box *b)
{
	box_finish_machine(b);
	box_finish_driver(b);
	box_finish_env(b);
	box_finish_packages(b);
	assert_int_equal(cv_facts_freeze(b->f), 0);
	assert_int_equal(cv_judge(b->f, cv_kb_builtin(), b->a, &b->r), 0);
}

/* The first finding of that id, or NULL. */
static inline const struct cv_finding *box_find(const struct box *b, const char *id)
{
	for (size_t i = 0; i < b->r->findings.n; i++)
		if (cv_streq(b->r->findings.v[i].rule->id, id))
			return &b->r->findings.v[i];
	return NULL;
}

static inline const char *box_because(const struct cv_because *v, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].id && cv_streq(v[i].id, id))
			return v[i].because;
	return NULL;
}

static inline const char *box_param(const struct cv_finding *f, const char *name)
{
	for (size_t i = 0; f && i < f->params.n; i++)
		if (cv_streq(f->params.v[i].name, name) && f->params.v[i].values.n)
			return f->params.v[i].values.v[0];
	return "(none)";
}

static inline const struct cv_cell *box_cell(const struct box *b, const char *key)
{
	for (size_t i = 0; i < b->r->cells.n; i++)
		if (cv_streq(b->r->cells.v[i].key, key))
			return &b->r->cells.v[i];
	return NULL;
}

/* All commands and texts of a finding's fixes in one string. */
static inline const char *box_fixes(const struct box *b, const struct cv_finding *f)
{
	const char *text = "";

	for (size_t i = 0; f && i < f->fixes.n; i++)
		text = cv_arena_printf(b->a, "%s%s;", text, f->fixes.v[i].command ? f->fixes.v[i].command : f->fixes.v[i].text);
	return text;
}

static inline void box_dump(const struct box *b)
{
	for (size_t i = 0; i < b->r->findings.n; i++)
		print_message("  %s %s: %s\n", b->r->findings.v[i].rule->id,
			      b->r->findings.v[i].severity == CV_ERROR ? "error" : "-", b->r->findings.v[i].title);
	for (size_t i = 0; i < b->r->cells.n; i++)
		print_message("  %s driver=%d loads=%d code=%d verdict=%d %s\n", b->r->cells.v[i].key, b->r->cells.v[i].driver,
			      b->r->cells.v[i].loads, b->r->cells.v[i].code, b->r->cells.v[i].verdict,
			      b->r->cells.v[i].unknown_because ? b->r->cells.v[i].unknown_because : "");
}

/* The finding is there with this severity and role; then it has evidence and is not ruled out as well. */
static inline const struct cv_finding *box_expect(const struct box *b, const char *id, enum cv_severity severity,
						  enum cv_role role)
{
	const struct cv_finding *f = box_find(b, id);

	if (!f)
		box_dump(b);
	assert_non_null(f);
	assert_int_equal(f->severity, severity);
	assert_int_equal(f->role, role);
	assert_true(f->evidence.n > 0);
	assert_non_null(f->why);
	assert_null(box_because(b->r->ruled_out.v, b->r->ruled_out.n, id));
	return f;
}

/* Really evaluated and false. */
static inline void box_expect_ruled_out(const struct box *b, const char *id)
{
	if (box_find(b, id) || !box_because(b->r->ruled_out.v, b->r->ruled_out.n, id))
		box_dump(b);
	assert_null(box_find(b, id));
	assert_non_null(box_because(b->r->ruled_out.v, b->r->ruled_out.n, id));
}

/* Neither found nor ruled out, with a reason. */
static inline void box_expect_open(const struct box *b, const char *id)
{
	if (box_find(b, id))
		box_dump(b);
	assert_null(box_find(b, id));
	assert_null(box_because(b->r->ruled_out.v, b->r->ruled_out.n, id));
	assert_non_null(box_because(b->r->not_evaluated.v, b->r->not_evaluated.n, id));
}

static inline void box_expect_cell(const struct box *b, const char *key, enum cv_tri driver, enum cv_code code,
				   enum cv_verdict verdict)
{
	const struct cv_cell *c = box_cell(b, key);

	if (!c || c->driver != driver || c->code != code || c->verdict != verdict)
		box_dump(b);
	assert_non_null(c);
	assert_int_equal(c->driver, driver);
	assert_int_equal(c->code, code);
	assert_int_equal(c->verdict, verdict);
}

static inline void box_expect_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_message("\"%s\" does not hold \"%s\"\n", text, part);
	assert_non_null(strstr(text, part));
}

#endif
