/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "tmptree.h"
#include "view/redact.h"
#include "view/redact_pat.h"
#include "view/view.h"

#define UUID1 "8f3c2a10-1111-2222-3333-444455556666"
#define UUID2 "8F3D2A10-aaaa-bbbb-cccc-ddddeeeeffff"

struct fixture {
	struct cv_arena *a;
	struct cv_redact *r;
};

static int setup(void **state)
{
	static struct fixture f;

	f.a = cv_arena_new((size_t)16 << 20);
	f.r = cv_redact_new(f.a);
	cv_redact_learn_path(f.r, "/home/alice/venv");
	cv_redact_learn_path(f.r, "/home/bo/x");
	cv_redact_learn_path(f.r, "/home/ubuntu/x");
	cv_redact_learn_path(f.r, "/home/site-packages/x");
	cv_redact_learn_path(f.r, "/usr/lib/python3/site-packages");
	cv_redact_learn_env(f.r, "HOME", "/data/people/carol");
	cv_redact_learn_env(f.r, "HOSTNAME", "gpubox17.corp.example");
	cv_redact_learn_text(f.r, "/proc/driver/nvidia/gpus/0000:01:00.0/information", "GPU UUID: GPU-" UUID1 "\nGPU-" UUID2 "\n",
			     2 * 41 + 10);
	cv_redact_ready(f.r);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	cv_arena_free(((struct fixture *)*state)->a);
	return 0;
}

static const char *text(struct fixture *f, const char *in)
{
	char *copy = cv_arena_strdup(f->a, in);

	cv_redact_text(f->r, "/some/file", copy, strlen(copy));
	assert_int_equal(strlen(copy), strlen(in));
	return copy;
}

static const char *path(struct fixture *f, const char *in)
{
	char *copy = cv_arena_strdup(f->a, in);

	cv_redact_path(f->r, copy);
	return copy;
}

static const char *var(struct fixture *f, const char *name, const char *value)
{
	char *copy = cv_arena_strdup(f->a, value);

	cv_redact_env(f->r, name, copy);
	assert_int_equal(strlen(copy), strlen(value));
	return copy;
}

static void test_view_redact_users(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(path(f, "/home/alice"), "/home/user1");
	assert_string_equal(path(f, "/home/alice/venv/bin/python"), "/home/user1/venv/bin/python");
	assert_string_equal(path(f, "/home/bo/x"), "/home/u2/x");
	assert_string_equal(path(f, "/scratch/alice/data"), "/scratch/user1/data"); /* a user of this machine, elsewhere too */
	assert_string_equal(path(f, "/scratch/alicedata"), "/scratch/alicedata");
	assert_string_equal(path(f, "../alice/x"), "../user1/x");
	assert_string_equal(path(f, "alice/x"), "user1/x");
	assert_string_equal(path(f, "/data/people/carol/x"), "/data/people/user4/x");
	assert_string_equal(path(f, "/home/ubuntu/x"), "/home/ubuntu/x"); /* an account that images have */
	/* a name that the system's own paths use too: below /home only */
	assert_string_equal(path(f, "/usr/lib/python3/site-packages"), "/usr/lib/python3/site-packages");
	assert_string_equal(path(f, "/home/site-packages/x"), "/home/user000000003/x");
	assert_string_equal(text(f, "PATH=/home/alice/bin:/usr/bin:/home/alice"), "PATH=/home/user1/bin:/usr/bin:/home/user1");
	assert_string_equal(text(f, "\"file:///home/alice/x.whl\""), "\"file:///home/user1/x.whl\"");
	assert_string_equal(text(f, "C:\\x /mnt/c/Users/alice/x"), "C:\\x /mnt/c/Users/user1/x");
	assert_string_equal(text(f, "alice wrote this"), "alice wrote this");
	assert_string_equal(var(f, "USER", "alice"), "user1");
	/* one that only a file names: replaced as well, always alike */
	assert_string_equal(text(f, "/home/dave/x /home/dave/y"), "/home/use5/x /home/use5/y");
	assert_string_equal(path(f, "/home/dave"), "/home/use5");
	assert_string_equal(path(f, "/scratch/dave"), "/scratch/dave");
}

static void test_view_redact_entries(void **state)
{
	struct fixture *f = *state;
	char one[] = "alice", two[] = "alice", three[] = "etc", four[] = "dan";

	cv_redact_entry(f->r, "/home", one);
	assert_string_equal(one, "user1");
	cv_redact_entry(f->r, "/scratch", two);
	assert_string_equal(two, "user1");
	cv_redact_entry(f->r, "/", three);
	assert_string_equal(three, "etc");
	cv_redact_entry(f->r, "/home", four);
	assert_string_equal(four, "us5");
	assert_string_equal(path(f, "/home/dan/x"), "/home/us5/x");
}

static void test_view_redact_host(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(text(f, "gpubox17\n"), "host0001\n");
	assert_string_equal(text(f, "gpubox17.corp.example:/export"), "host0001.corp.example:/export");
	assert_string_equal(text(f, "gpubox170 xgpubox17 gpubox17-a"), "gpubox170 xgpubox17 gpubox17-a");
	assert_string_equal(path(f, "/net/gpubox17/x"), "/net/host0001/x");
	assert_string_equal(var(f, "HOSTNAME", "gpubox17"), "host0001");
}

static void test_view_redact_uuids(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(text(f, "GPU-" UUID1), "GPU-10000000-0000-0000-0000-000000000000");
	assert_string_equal(text(f, "MIG-" UUID2 ","), "MIG-20000000-0000-0000-0000-000000000000,");
	/* abbreviations stay abbreviations */
	assert_string_equal(var(f, "CUDA_VISIBLE_DEVICES", "GPU-8f3c,GPU-8f3d2a10-aa"), "GPU-1000,GPU-20000000-00");
	assert_string_equal(var(f, "CUDA_VISIBLE_DEVICES", "GPU-deadbeef"), "GPU-ffffffff");
	assert_string_equal(text(f, "x" UUID1), "x" UUID1); /* part of a longer word */
	assert_string_equal(text(f, "00000000-0000-0000-0000-000000000000"), "00000000-0000-0000-0000-000000000000");
	assert_string_equal(var(f, "CUDA_VISIBLE_DEVICES", "0,1"), "0,1");
}

static void test_view_redact_serials(void **state)
{
	struct fixture *f = *state;
	char file[] = "S12-34567\n";

	assert_string_equal(text(f, "Serial Number : 0321918012345"), "Serial Number : 0000000000000");
	assert_string_equal(text(f, "Serial\t\t: 10000000abcd"), "Serial\t\t: 000000000000");
	assert_string_equal(text(f, "serial-number=AB-1234"), "serial-number=00-0000");
	assert_string_equal(text(f, "SERIAL=1234567"), "SERIAL=0000000");
	assert_string_equal(text(f, "serialization: fast4ever"), "serialization: fast4ever");
	assert_string_equal(text(f, "Serial Number: N/A"), "Serial Number: N/A");
	cv_redact_text(f->r, "/sys/class/dmi/id/product_serial", file, strlen(file));
	assert_string_equal(file, "000-00000\n");
}

static void test_view_redact_secrets(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(var(f, "HF_TOKEN", "abc/:123"), "xxxxxxxx");
	assert_string_equal(var(f, "PGPASSWORD", "s3cret"), "xxxxxx");
	assert_string_equal(var(f, "PIP_INDEX_URL", "https://joe:pw@host.example/simple"), "https://xxx:xx@host.example/simple");
	assert_string_equal(var(f, "URL", "https://host/?token=abc&x=1"), "https://host/?token=xxx&x=1");
	assert_string_equal(text(f, "ssh://git@host/x"), "ssh://git@host/x");
	assert_string_equal(text(f, "https://conda.host/t/tk-123/main"), "https://conda.host/t/xxxxxx/main");
	assert_string_equal(text(f, "{\"password\": \"a b\", \"x\": 1}"), "{\"password\": \"xxx\", \"x\": 1}");
	assert_string_equal(text(f, "api_key = 'k1'"), "api_key = 'xx'");
	assert_string_equal(text(f, "use hf_abcdefghijklmnopqrst now"), "use hf_xxxxxxxxxxxxxxxxxxxx now");
	assert_string_equal(text(f, "hf_hub is a name, task-abcdefghijklmnopq too"), "hf_hub is a name, task-abcdefghijklmnopq too");
	assert_string_equal(text(f, "Requires-Dist: tokenizers>=0.1"), "Requires-Dist: tokenizers>=0.1");
	assert_string_equal(text(f, "token==x token::y"), "token==x token::y");
	assert_string_equal(var(f, "PATH", "/usr/bin"), "/usr/bin");
}

/* Each pattern at every place of a buffer of exactly its size: nothing is read or written outside. */
static void test_view_redact_stays_in_bounds(void **state)
{
	static const char all[] = "/home/alice/x gpubox17 GPU-" UUID1 " MIG-8f3c https://a:b@c/t/tk/ "
				  "token=abc password: \"x\" serial no: A123 hf_0123456789abcdefgh /home/";
	struct fixture *f = *state;

	for (size_t from = 0; from < sizeof(all) - 1; from++) {
		for (size_t to = from; to < sizeof(all); to++) {
			char *copy = malloc(to - from + 1);

			assert_non_null(copy);
			memcpy(copy, all + from, to - from);
			cv_redact_text(f->r, "/x", copy, to - from);
			free(copy);
		}
	}
}

static void test_view_redact_is_text(void **state)
{
	(void)state;
	assert_true(cv_redact_is_text("/etc/x", "a\tb\n\xc3\xa9", 6));
	assert_false(cv_redact_is_text("/lib/x.so", "\177ELF\2\1", 6));
	assert_false(cv_redact_is_text("/etc/x", "a\0b", 3));
	assert_true(cv_redact_is_text("/proc/1/environ", "A=1\0B=2\0", 8));
}

/* --- whole bundles --- */

static void fill(const struct tmptree *t)
{
	static const unsigned char elf[] = "\177ELF\2\1\0/home/alice/lib\0";

	tmptree_file(t, "home/alice/venv/pyvenv.cfg", "home = /home/alice/.pyenv/bin\n");
	tmptree_file(t, "home/alice/.pyenv/bin/python", "#!/bin/sh\n");
	tmptree_file(t, "home/zed/x", "");
	tmptree_link(t, "home/alice/venv/bin/python", "/home/alice/.pyenv/bin/python");
	tmptree_file(t, "etc/hostname", "gpubox17\n");
	tmptree_file(t, "proc/driver/nvidia/gpus/0/information", "GPU UUID: \t GPU-" UUID1 "\nVideo BIOS: x\n");
	tmptree_bytes(t, "home/alice/venv/lib.so", elf, sizeof(elf) - 1);
}

struct answers {
	struct cv_str cfg, host, gpu, elf;
	const char *real, *link, *cuda;
	struct cv_dirlist homes;
	struct cv_stat st;
};

static void ask(struct cv_view *v, const char *home, struct cv_arena *a, struct answers *ret)
{
	const char *venv = cv_arena_printf(a, "%s/venv", home);
	const char *python = cv_arena_printf(a, "%s/bin/python", venv);
	const char *cfg = cv_arena_printf(a, "%s/pyvenv.cfg", venv);

	assert_int_equal(cv_view_read(v, cfg, 1000, a, &ret->cfg), 0);
	assert_int_equal(cv_view_stat(v, cfg, &ret->st), 0);
	assert_int_equal(cv_view_realpath(v, python, a, &ret->real), 0);
	assert_int_equal(cv_view_readlink(v, python, a, &ret->link), 0);
	assert_int_equal(cv_view_list(v, "/home", a, &ret->homes), 0);
	assert_int_equal(cv_view_read(v, "/etc/hostname", 1000, a, &ret->host), 0);
	assert_int_equal(cv_view_read(v, "/proc/driver/nvidia/gpus/0/information", 1000, a, &ret->gpu), 0);
	assert_int_equal(cv_view_read(v, cv_arena_printf(a, "%s/lib.so", venv), 1000, a, &ret->elf), 0);
	assert_int_equal(cv_view_getenv(v, "CUDA_VISIBLE_DEVICES", &ret->cuda), 0);
}

static void test_view_redact_bundle_still_answers(void **state)
{
	static const char *const env[] = { "HOME=/home/alice", "CUDA_VISIBLE_DEVICES=GPU-8f3c2", "HF_TOKEN=hunter2" };
	static const char *const argv[] = { "cuvet", "--env", "/home/alice/venv" };
	struct fixture *f = *state;
	struct cv_view *tree, *live, *record, *bundle;
	const struct cv_bundle_info *info;
	struct answers was, is;
	struct tmptree t;
	char file[PATH_MAX];
	const char *home;

	tmptree_init(&t);
	fill(&t);
	assert_int_equal(cv_view_tree_new(t.dir, NULL, &tree), 0);
	assert_int_equal(cv_view_setenv_new(tree, env, 3, &live), 0);
	assert_int_equal(cv_view_record_new(live, &record), 0);
	assert_int_equal(cv_view_getenv(record, "HOME", &home), 0);
	assert_int_equal(cv_view_getenv(record, "HF_TOKEN", &home), 0);
	ask(record, "/home/alice", f->a, &was);
	tmptree_path(&t, "bundle", file);
	assert_int_equal(cv_record_write(record, file, argv, 3, true, NULL), 0);
	cv_view_free(record);

	assert_int_equal(cv_view_bundle_new(file, NULL, &bundle), 0);
	info = cv_view_bundle_info(bundle);
	assert_true(info->redacted);
	assert_int_equal(cv_view_getenv(bundle, "HOME", &home), 0); /* the way in is the redacted home */
	assert_string_not_equal(home, "/home/alice");
	assert_string_equal(cv_arena_printf(f->a, "%s/venv", home), info->argv[2]);
	ask(bundle, home, f->a, &is);
	assert_string_equal(is.cfg.p, cv_arena_printf(f->a, "home = %s/.pyenv/bin\n", home));
	assert_int_equal(is.st.size, was.st.size);
	assert_string_equal(is.real, cv_arena_printf(f->a, "%s/.pyenv/bin/python", home));
	assert_string_equal(is.link, is.real);
	assert_int_equal(is.homes.n, 2);
	assert_true(strcmp(is.homes.v[0].name, is.homes.v[1].name) < 0); /* sorted again, by their new names */
	assert_true(cv_streq(is.homes.v[0].name, cv_basename(home)) || cv_streq(is.homes.v[1].name, cv_basename(home)));
	for (size_t i = 0; i < 2; i++) {
		assert_string_not_equal(is.homes.v[i].name, "alice");
		assert_string_not_equal(is.homes.v[i].name, "zed");
	}
	assert_string_not_equal(is.host.p, "gpubox17\n");
	assert_string_equal(is.gpu.p, "GPU UUID: \t GPU-10000000-0000-0000-0000-000000000000\nVideo BIOS: x\n");
	assert_string_equal(is.cuda, "GPU-10000");
	assert_true(cv_str_eq(is.elf, was.elf)); /* programs are not touched */
	assert_int_equal(cv_view_getenv(bundle, "HF_TOKEN", &home), 0);
	assert_string_equal(home, "xxxxxxx");
	cv_view_free(bundle);
	tmptree_done(&t);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_view_redact_users),
		T(test_view_redact_entries),
		T(test_view_redact_host),
		T(test_view_redact_uuids),
		T(test_view_redact_serials),
		T(test_view_redact_secrets),
		T(test_view_redact_stays_in_bounds),
		cmocka_unit_test(test_view_redact_is_text),
		T(test_view_redact_bundle_still_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
