/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and packages: GPU code, CPU builds, pairs, wheels, indexes. */
#include "base/version.h"
#include "judge/hypo_int.h"

static bool is_cpu_variant(const char *v)
{
	return v && strstr(v, "+cpu");
}

static const struct cv_wload *torch_load(const struct cv_hypo_ctx *x)
{
	return cv_world_load(x->j.w, 0, "torch");
}

/* First and last word of "sm_50 sm_60 sm_90": of the message, of get_arch_list(), or of kb. */
static const char *code_list(struct cv_hypo_ctx *x)
{
	const char *list = cv_hit_capture(x, cv_hypo_hit(x, "torch-archlist"), "list"), *probe = cv_hypo_probe(x, "torch.cuda.arch_list");
	const struct cv_wload *l = cv_hypo_version(x, "onnxruntime-gpu") ? cv_world_load(x->j.w, 0, "onnxruntime") : torch_load(x);
	char *copy;

	if (list)
		return list;
	if (!probe)
		return l ? l->code : NULL;
	copy = cv_arena_strdup(x->a, probe);
	for (char *p = copy; *p; p++)
		if (strchr("[]',\"", *p))
			*p = ' ';
	return copy;
}

static bool sm_of(struct cv_str word, struct cv_cc *ret)
{
	struct cv_target t;

	if (!cv_target_parse(word, &t) || t.ptx)
		return false;
	*ret = t.cc;
	return true;
}

static void code_range(struct cv_hypo_ctx *x, const char *list, const char **ret_min, const char **ret_max)
{
	struct cv_str rest = cv_str_of(list ? list : ""), word;
	struct cv_cc min = { 99, 0 }, max = { 0, 0 }, cc;

	while (cv_str_word(&rest, &word)) {
		if (!sm_of(word, &cc))
			continue;
		if (cv_cc_cmp(cc, min) < 0) {
			min = cc;
			*ret_min = cv_str_dup(x->a, word);
		}
		if (cv_cc_cmp(cc, max) > 0) {
			max = cc;
			*ret_max = cv_str_dup(x->a, word);
		}
	}
}

/* "12.0", "sm_120", "sm_86", "5.0": the capability that a message names. */
static bool named_cc(struct cv_hypo_ctx *x, struct cv_cc *ret, const char **ret_gpu)
{
	const struct cv_subject *hit = cv_hypo_hit(x, "gpu-capability");
	const char *text = cv_hit_capture(x, hit, "sm");

	if (!text)
		return false;
	*ret_gpu = cv_hit_capture(x, hit, "gpu");
	if (strchr(text, '.'))
		return cv_cc_parse(cv_arena_printf(x->a, "%.*s", (int)(strlen(text) - (cv_ends(text, ".") ? 1 : 0)), text), ret);
	return sm_of(cv_str_of(cv_arena_printf(x->a, "sm_%s", text)), ret);
}

static void set_gpu(struct cv_hypo_ctx *x, struct cv_hyp *h, struct cv_cc cc, const char *gpu)
{
	const char *dotted = cv_arena_printf(x->a, "%u.%u", cc.major, cc.minor);

	cv_hyp_set(x, h, "cc", dotted);
	cv_map_set(x->a, &h->vars, "sm", cv_arena_printf(x->a, "sm_%u%u", cc.major, cc.minor));
	cv_hyp_set(x, h, "arch", cv_kb_value(x->j.kb, "cc", dotted, "arch"));
	cv_hyp_set(x, h, "last_driver", cv_kb_value(x->j.kb, "cc", dotted, "last_driver"));
	if (gpu && strlen(gpu) > 3)
		cv_map_set(x->a, &h->vars, "gpu_or", (void *)gpu);
}

/* Newer or older than the build: by the list where one is known, else by the age of the GPU. */
CV_HYP_RULE(cv_hyp_gpu_code)
{
	struct cv_hyp *old = cv_hyp_of(x, "gpu-too-old-for-build"), *young = h;
	const char *list = code_list(x), *min = NULL, *max = NULL, *gpu = NULL, *cc = cv_hypo_get(x, "cc");
	struct cv_cc mine, low, high;
	bool known = named_cc(x, &mine, &gpu) || (cc && cv_cc_parse(cc, &mine));

	code_range(x, list, &min, &max);
	for (size_t i = 0; i < 2; i++) {
		struct cv_hyp *one = i ? old : young;

		if (known)
			set_gpu(x, one, mine, gpu);
		cv_hyp_set(x, one, "code_min", min);
		cv_hyp_set(x, one, "code_max", max);
	}
	/* Old GPUs and a driver of their last branch: the build is too new for both. */
	if (known && cv_hypo_hit(x, "cudnn-not-init") && mine.major < 5 && x->j.w->driver.module && cv_ver_part(x->j.w->driver.module, 0) >= 470 &&
	    !cv_hypo_version(x, "torch"))
		cv_hyp_at_least(old, 68);
	if (!known || !(old->score || young->score)) {
		if (known && mine.major < 5 && !cv_hypo_messages(x))
			cv_hyp_at_least(old, cv_hypo_version(x, "torch") ? 58 : 48);
		return;
	}
	if (min && max && sm_of(cv_str_of(min), &low) && sm_of(cv_str_of(max), &high)) {
		bool below = cv_cc_cmp(mine, low) < 0, above = cv_cc_cmp(mine, high) > 0 && mine.major > high.major;

		if (below || (cv_cc_cmp(mine, high) <= 0 && !above && mine.major <= 7)) {
			cv_hyp_support(young, -40);
			if (below && old->messages)
				cv_hyp_confirm(old, 25);
		} else {
			cv_hyp_support(old, -40);
			if (young->messages)
				cv_hyp_confirm(young, 25);
		}
		return;
	}
	if (mine.major >= 10 || (mine.major >= 8 && !cv_hypo_version(x, "torch")))
		cv_hyp_support(mine.major >= 10 ? young : young, mine.major >= 10 ? 30 : 5);
	else if (mine.major < 8)
		cv_hyp_support(old, 25);
	if (mine.major >= 10)
		cv_hyp_refute(old);
	else if (mine.major < 7)
		cv_hyp_support(young, -40);
}

static const char *cpu_reason(struct cv_hypo_ctx *x, const char *version)
{
	const struct cv_subject *conda = cv_hypo_package(x, "torch");
	const char *build = cv_fact_str(conda, CV_F_package_build), *source = cv_fact_str(conda, CV_F_package_source);

	if (is_cpu_variant(version))
		return "its version says +cpu";
	if (source && cv_streq(source, "conda-meta") && build && strstr(build, "cpu"))
		return cv_arena_printf(x->a, "its build string %s contains cpu; __cuda, if defined, shows that detection works", build);
	if (x->j.w->aarch64)
		return "the wheel of PyPI for Linux aarch64 is CPU-only";
	if (cv_hypo_os(x, "windows"))
		return "the wheel of PyPI for Windows is CPU only";
	if (cv_hypo_answered(x, "torch.version.cuda", "None"))
		return "torch.version.cuda is None";
	return "the program says so";
}

CV_HYP_RULE(cv_hyp_cpu_build)
{
	const char *torch = cv_hypo_version(x, "torch"), *have = cv_hit_capture(x, cv_hypo_hit(x, "torch-cpu-xformers"), "have");
	const struct cv_wload *l = torch_load(x);
	bool cpu = is_cpu_variant(torch) || is_cpu_variant(have) || (l && l->build == CV_BUILD_CPU), nocuda = cv_hypo_hit(x, "torch-nocuda") != NULL;
	const char *satisfied = cv_hypo_probe(x, "pip.satisfied");

	cv_hyp_set(x, h, "build", cv_hypo_label(x, "torch"));
	cv_hyp_set(x, h, "torch_variant", have ? have : torch);
	cv_hyp_set(x, h, "cpu_reason", cpu_reason(x, torch ? torch : have));
	if (cpu)
		cv_hyp_fact(x, h, cv_hypo_package(x, "torch"), CV_F_package_version);
	if (cpu && (nocuda || is_cpu_variant(have) || cv_hypo_answered(x, "torch.cuda.is_available", "False")))
		cv_hyp_confirm(h, 28);
	else if (cpu && !cv_hypo_works(x) && is_cpu_variant(torch))
		cv_hyp_at_least(h, 82);
	else if (cpu && !cv_hypo_works(x) && l && l->build == CV_BUILD_CPU && (cv_hypo_get(x, "driver_cuda") || cv_hypo_get(x, "gpu")))
		cv_hyp_at_least(h, 62);
	/* "Requirement already satisfied": asked for from a CUDA index, and nothing changed. */
	if (satisfied && (cv_starts(satisfied, "torch") || cv_starts(satisfied, "onnx")) && cv_hypo_hit(x, "pip-satisfied"))
		cv_hyp_at_least(h, 58);
	if (nocuda && torch && strstr(torch, "+cu"))
		cv_hyp_support(h, -50);
	if (cv_hyp_of(x, "cpu-package-shadows-gpu")->finding)
		cv_hyp_support(h, -40);
}

/* Both packages of ONNX Runtime, and what the session says of them. */
CV_HYP_RULE(cv_hyp_double)
{
	const char *cpu = cv_hypo_label(x, "onnxruntime"), *gpu = cv_hypo_label(x, "onnxruntime-gpu");
	const char *available = cv_hypo_probe(x, "onnxruntime.available");
	bool no_cuda = (available && strstr(available, "CPUExecutionProvider") && !strstr(available, "CUDA")) || cv_hypo_hit(x, "ort-ep-missing") ||
		       cv_hypo_hit(x, "ort-entry-point") || cv_hypo_hit(x, "ort-noattr");
	struct cv_hyp *only = cv_hyp_of(x, "cpu-only-build"), *absent = cv_hyp_of(x, "provider-not-in-build");

	cv_hyp_set(x, h, "cpu_pkg", cpu);
	cv_hyp_set(x, h, "gpu_pkg", gpu);
	cv_hyp_set(x, h, "gpu_version", cv_hypo_version(x, "onnxruntime-gpu"));
	cv_hyp_set(x, h, "import", "onnxruntime");
	if (cpu && gpu && !no_cuda && cv_hypo_on_cpu(x))
		cv_hyp_at_least(h, 90); /* both, and the session ended on the CPU without a word */
	if (cpu && gpu && no_cuda && !cv_hypo_hit(x, "ort-noattr")) {
		cv_hyp_confirm(h, 32);
		cv_hyp_refute(only);
	} else if (cpu && gpu && h->finding) {
		cv_hyp_at_least(h, 59);
	}
	if (cpu && gpu) {
		cv_hyp_fact(x, h, cv_hypo_package(x, "onnxruntime"), CV_F_package_version);
		cv_hyp_fact(x, h, cv_hypo_package(x, "onnxruntime-gpu"), CV_F_package_version);
		cv_hyp_support(absent, -10);
	}
	if (no_cuda && cpu && !gpu) {
		cv_hyp_at_least(only, 75);
		cv_hyp_set(x, only, "build", cpu);
		cv_hyp_support(h, -20);
	}
	if (cv_hypo_hit(x, "auto-update"))
		cv_hyp_at_least(h, 90);
}

/* torchvision and torchaudio that were made for a torch. */
static const char *fitting(struct cv_hypo_ctx *x, const char *companion, const char *torch)
{
	const char *public = cv_ver_valid(CV_VER_PEP440, torch) ? cv_ver_public(x->a, torch) : NULL;

	return public ? cv_kb_value(x->j.kb, "torch", public, companion) : NULL;
}

static void misfit(struct cv_hypo_ctx *x, struct cv_hyp *h, const char *companion, bool message)
{
	const char *torch = cv_hypo_version(x, "torch"), *have = cv_hypo_version(x, companion), *fit;
	bool dev_torch, dev_have, differs;

	if (!torch || !have || !cv_ver_valid(CV_VER_PEP440, torch) || !cv_ver_valid(CV_VER_PEP440, have))
		return;
	fit = fitting(x, companion, torch);
	dev_torch = cv_ver_is_pre(torch);
	dev_have = cv_ver_is_pre(have);
	differs = fit ? cv_ver_cmp(CV_VER_PEP440, cv_ver_prefix(x->a, have, 2), cv_ver_prefix(x->a, fit, 2)) != 0 : false;
	if (!differs && dev_torch == dev_have) {
		if (fit && message)
			cv_hyp_support(h, -18); /* they fit by number: then something older is in the way */
		return;
	}
	cv_hyp_set(x, h, "one", cv_hypo_label(x, companion));
	cv_hyp_set(x, h, "one_name", companion);
	cv_hyp_set(x, h, "base", cv_hypo_label(x, "torch"));
	cv_hyp_set(x, h, "base_short", cv_arena_printf(x->a, "torch %s", cv_ver_public(x->a, torch)));
	cv_hyp_set(x, h, "fitting", dev_torch ? "nightly of the same date" : fit);
	cv_hyp_fact(x, h, cv_hypo_package(x, companion), CV_F_package_version);
	cv_hyp_fact(x, h, cv_hypo_package(x, "torch"), CV_F_package_version);
	if (message)
		cv_hyp_confirm(h, 30);
	else if (!cv_hypo_works(x))
		cv_hyp_at_least(h, 57);
}

static bool same_minor(struct cv_hypo_ctx *x, const char *companion)
{
	const char *torch = cv_hypo_version(x, "torch"), *have = cv_hypo_version(x, companion), *fit = torch ? fitting(x, companion, torch) : NULL;

	return fit && have && cv_ver_cmp(CV_VER_PEP440, cv_ver_prefix(x->a, have, 2), cv_ver_prefix(x->a, fit, 2)) == 0;
}

CV_HYP_RULE(cv_hyp_companion)
{
	bool message = cv_hypo_hit(x, "torch-nms") || cv_hypo_hit(x, "torch-vision-ext") || cv_hypo_hit(x, "torch-vision-cuda");

	/* The same minor release and no complaint: a patch release apart is seldom felt. */
	if (h->finding && !message && same_minor(x, "torchvision")) {
		h->confirmed = false;
		h->score = h->messages ? 50 : 30;
	}
	misfit(x, h, "torchvision", message);
	misfit(x, h, "torchaudio", message && cv_hypo_hit(x, "torch-vision-cuda"));
	if (message && !cv_hypo_version(x, "torchvision") && cv_fact_known(x->j.w->machine, CV_F_machine_image))
		cv_hyp_support(cv_hyp_of(x, "broken-release"), 55);
}

CV_HYP_RULE(cv_hyp_extension)
{
	const struct cv_subject *hit = cv_hypo_hit(x, "undef-torch-ext");
	const char *symbol, *flash = cv_hypo_label(x, "flash-attn");

	hit = hit ? hit : cv_hypo_hit(x, "undef-ext-plain");
	symbol = cv_hit_capture(x, hit, "symbol");
	cv_hyp_set(x, h, "object_or", flash ? flash : cv_hit_capture(x, hit, "object"));
	cv_hyp_set(x, h, "object_or", cv_hypo_label(x, "xformers") ? cv_hypo_label(x, "xformers") : "a compiled extension");
	cv_hyp_set(x, h, "fit_torch", cv_hit_capture(x, cv_hypo_hit(x, "torch-cpu-xformers"), "built"));
	if (symbol && cv_ends(symbol, "Ss"))
		cv_hyp_set(x, h, "symbol", cv_arena_printf(x->a, "%s, whose suffix Ss is the pre-C++11 ABI", symbol));
	if (hit && symbol && cv_hypo_label(x, "torch") && strlen(symbol) > 12)
		cv_hyp_confirm(h, 15); /* the symbol is one of torch's own, and is not there */
	if (cv_hypo_hit(x, "undef-driver-symbol"))
		cv_hyp_support(h, -20);
}

/* Two versions of one package: what pip lists and what ran, or where it lies and where the traceback ran. */
CV_HYP_RULE(cv_hyp_shadowed_env)
{
	const struct cv_subject *pkg = cv_hypo_package(x, "torch"), *nocuda = cv_hypo_hit(x, "torch-nocuda");
	const char *have = cv_hit_capture(x, cv_hypo_hit(x, "torch-cpu-xformers"), "have"), *listed = cv_fact_str(pkg, CV_F_package_version);
	const char *location = cv_fact_str(pkg, CV_F_package_location);
	const struct cv_subject *site = cv_hypo_hit(x, "cue-user-site");

	if (have && listed && !cv_streq(have, listed) && strchr(listed, '+')) {
		cv_hyp_set(x, h, "seen", cv_arena_printf(x->a, "torch %s", have));
		cv_hyp_set(x, h, "other", cv_arena_printf(x->a, "torch %s", listed));
		cv_hyp_confirm(h, 30);
		cv_hyp_fact(x, h, pkg, CV_F_package_version);
		cv_hyp_quote(x, h, cv_hypo_hit(x, "torch-cpu-xformers"));
	}
	if (nocuda && listed && strstr(listed, "+cu")) {
		cv_hyp_set(x, h, "package", "torch");
		cv_hyp_set(x, h, "other", cv_arena_printf(x->a, "torch %s%s%s", listed, location ? " in " : "", location ? location : ""));
		cv_hyp_set(x, h, "seen_at", cv_hit_capture(x, site, "path") ? cv_hit_capture(x, site, "path") : "another directory");
		cv_hyp_confirm(h, 30);
		cv_hyp_fact(x, h, pkg, CV_F_package_version);
		cv_hyp_fact(x, h, pkg, CV_F_package_location);
		if (site)
			cv_hyp_quote(x, h, site);
	}
	if (cv_hypo_hit(x, "torch-vision-ext") && cv_hypo_version(x, "torchvision") && cv_hyp_of(x, "companion-version-mismatch")->score < 60)
		cv_hyp_support(h, 14);
}

/* "build=cu102 cc=7.5": holds what a row of a broken release asks for? */
static bool holds_all(struct cv_hypo_ctx *x, const struct cv_subject *pkg, const char *conditions)
{
	const char *source = cv_fact_str(pkg, CV_F_package_source), *cc = cv_hypo_get(x, "cc");
	const struct cv_wload *l = torch_load(x);
	struct cv_str rest = cv_str_of(conditions ? conditions : ""), part;

	while (cv_str_split(&rest, ' ', &part)) {
		const char *word = cv_str_dup(x->a, part), *value = strchr(word, '=') ? strchr(word, '=') + 1 : "";
		bool held = false;

		if (cv_starts(word, "cc="))
			held = cc && cv_streq(cc, value);
		else if (cv_starts(word, "cuda="))
			held = l && l->cuda && cv_streq(cv_ver_prefix(x->a, l->cuda, 2), value);
		else if (cv_starts(word, "os="))
			held = cv_hypo_os(x, value);
		else if (cv_starts(word, "source="))
			held = source && strstr(source, value);
		else if (cv_starts(word, "message="))
			held = cv_hypo_hit(x, value) != NULL;
		if (!held)
			return false;
	}
	return true;
}

/* Releases that are known to be bad: kb tells which, where and since when not any more. */
static void broken_release(struct cv_hypo_ctx *x, struct cv_hyp *h, const char *name)
{
	const struct cv_subject *pkg = cv_hypo_package(x, name);
	const char *version = cv_fact_str(pkg, CV_F_package_version);
	struct cv_kb_iter it;
	struct cv_kb_row row;

	if (!version || !cv_ver_valid(CV_VER_PEP440, version))
		return;
	it = cv_kb_iter(x->j.kb, name, cv_ver_public(x->a, version), "broken:*");
	while (cv_kb_next(&it, &row)) {
		const char *id = row.property + strlen("broken:");

		if (!holds_all(x, pkg, cv_kb_value(x->j.kb, name, row.from, cv_arena_printf(x->a, "broken_when:%s", id))))
			continue;
		cv_hyp_set(x, h, "broken_what", cv_kb_value(x->j.kb, name, row.from, cv_arena_printf(x->a, "broken_what:%s", id)));
		cv_hyp_set(x, h, "broken_why", row.value);
		cv_hyp_set(x, h, "broken_fix", cv_kb_value(x->j.kb, name, row.from, cv_arena_printf(x->a, "broken_fix:%s", id)));
		cv_hyp_fact(x, h, pkg, CV_F_package_version);
		cv_hyp_at_least(h, 90);
	}
}

CV_HYP_RULE(cv_hyp_broken)
{
	const char *image = cv_hypo_get(x, "image");

	broken_release(x, h, "torch");
	broken_release(x, h, "onnxruntime-gpu");
	if (image && h->score) {
		cv_hyp_set(x, h, "broken_what", cv_arena_printf(x->a, "image %s", image));
		cv_hyp_set(x, h, "broken_why", "the image, not the host, is at fault; reinstall torchvision inside it");
	}
}

/* What a package name asks for: "onnxruntime-gpu==1.16.3". */
static const char *platform_words(struct cv_hypo_ctx *x)
{
	const char *python = cv_hypo_get(x, "python"), *os = cv_hypo_get(x, "os");

	if (!python && !os)
		return NULL;
	return cv_arena_printf(x->a, "%s%s%s%s%s", python ? "Python " : "", python ? python : "", python && os ? " on " : "", os ? os : "",
			       x->j.w->aarch64 ? " (aarch64)" : "");
}

/* "onnxruntime-gpu[cuda]==1.16.3": does the knowledge base know a package of that name? */
static bool is_known_package(struct cv_hypo_ctx *x, const char *want)
{
	const char *name = cv_pep503(x->a, cv_str_of(cv_arena_printf(x->a, "%.*s", (int)strcspn(want, "[=<>~! ;("), want)));
	struct cv_kb_iter it = cv_kb_iter(x->j.kb, name, NULL, NULL), package = cv_kb_iter(x->j.kb, cv_arena_printf(x->a, "package:%s", name), NULL, NULL);
	struct cv_kb_row row;

	return cv_kb_next(&it, &row) || cv_kb_next(&package, &row);
}

CV_HYP_RULE(cv_hyp_wheel)
{
	const char *versions = cv_hit_capture(x, cv_hypo_hit(x, "pip-notfound"), "versions"), *wheel = cv_hit_capture(x, cv_hypo_hit(x, "pip-unsupported"), "wheel");
	const char *want;
	struct cv_hyp *jetson = cv_hyp_of(x, "jetson-wheel-mismatch");

	if (!h->score)
		return;
	cv_hyp_set(x, h, "want", wheel);
	cv_hyp_set(x, h, "platform", platform_words(x));
	want = cv_hit_capture(x, cv_hypo_hit(x, "pip-notfound"), "want");
	want = want ? want : cv_hit_capture(x, cv_hypo_hit(x, "pip-nomatch"), "want");
	/* A name that nobody has, or one that has nothing to do with GPUs. */
	if (want && !wheel && !is_known_package(x, want) && (!versions || cv_streq(versions, "none"))) {
		h->score = h->score < 50 ? h->score : 50;
		return;
	}
	if (versions)
		cv_hyp_set(x, h, "versions_offered", strlen(versions) > 160 ? cv_arena_printf(x->a, "%.150s ...", versions) : versions);
	cv_hyp_confirm(h, 10); /* the installer itself says so */
	if (x->j.w->jetson)
		cv_hyp_support(jetson, 40);
	else
		cv_hyp_refute(jetson);
}

CV_HYP_RULE(cv_hyp_index)
{
	struct cv_hyp *cpu = cv_hyp_of(x, "cpu-only-build");

	cv_hyp_set(x, h, "want_or", cv_hypo_label(x, "onnxruntime-gpu"));
	cv_hyp_set(x, h, "want_or", cv_hypo_label(x, "torch"));
	cv_hyp_set(x, h, "want_or", "the package");
	if (cv_hypo_hit(x, "nvidia-tensorrt-99")) {
		cv_map_set(x->a, &h->vars, "want_or", (void *)"nvidia-tensorrt 99.0.0");
		cv_hyp_confirm(h, 20);
	}
	if (cv_hypo_hit(x, "pip-satisfied") && cv_hypo_hit(x, "pip-indexes"))
		cv_hyp_at_least(h, 66);
	/* A command that asks an index for what it may already have. */
	if ((cv_hypo_command(x, "--index-url") || cv_hypo_command(x, "--extra-index-url")) && cv_hypo_command(x, "install torch")) {
		cv_hyp_at_least(h, 50);
		cv_hyp_at_least(cpu, 44);
	}
}

CV_HYP_RULE(cv_hyp_jetson)
{
	const char *jetson = cv_hypo_get(x, "jetson");

	if (!jetson)
		return;
	cv_hyp_set(x, h, "have", cv_hypo_get(x, "toolkit"));
	if (h->score)
		cv_hyp_support(h, 10);
	for (size_t i = 0; i < x->wants.n; i++)
		if (x->wants.v[i].hit && x->wants.v[i].cuda) {
			cv_hyp_set(x, h, "want", x->wants.v[i].name);
			cv_hyp_at_least(h, 100); /* the wheel asks for another JetPack's CUDA */
			if (cv_hyp_of(x, "cuda-major-mismatch")->confirmed)
				cv_hyp_confirm(h, 45);
		}
	if (cv_hypo_answered(x, "torch.cuda.is_available", "False"))
		cv_hyp_at_least(h, 66);
}

CV_HYP_RULE(cv_hyp_mixed)
{
	const char *list = "";

	if (!h->score && !h->finding)
		return;
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_package); i++) {
		const struct cv_subject *p = cv_facts_at(x->j.facts, CV_KIND_package, i);
		const char *name = cv_fact_str(p, CV_F_package_name);

		if (name && cv_starts(name, "nvidia-") && strstr(name, "-cu1") && strlen(list) < 200) {
			list = cv_arena_printf(x->a, "%s%s%s %s", list, *list ? ", " : "", name, cv_fact_str(p, CV_F_package_version));
			cv_hyp_fact(x, h, p, CV_F_package_version);
		}
	}
	cv_hyp_set(x, h, "mixed_list", list);
	if (h->finding && cv_hypo_hit(x, "undef-nccl"))
		cv_hyp_confirm(h, 30);
}

CV_HYP_RULE(cv_hyp_numpy)
{
	const char *v = cv_hypo_version(x, "numpy");

	if (h->score && v && cv_ver_valid(CV_VER_PEP440, v) && cv_ver_part(v, 0) >= 2)
		cv_hyp_confirm(h, 20);
}

CV_HYP_RULE(cv_hyp_mkl)
{
	const char *v = cv_hypo_version(x, "mkl");

	cv_hyp_set(x, h, "symbol_or", cv_map_get(&h->vars, "symbol"));
	if (h->score && v && cv_ver_part(v, 0) >= 2024)
		cv_hyp_confirm(h, 20);
}
