/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that was looked for and not found, by name or by kb: is it there in another major, there and not searched, or nowhere?
 * One walk decides between cuda-major-mismatch, cudnn-major-mismatch, library-not-on-loader-path and library-missing.
 */
#include "base/version.h"
#include "judge/hypo_int.h"

struct place {
	const struct cv_subject *same;  /* a file of that name (or family and major), not in the loader's cache */
	const struct cv_subject *cache; /* the same, and the loader knows it */
	const struct cv_subject *other; /* the same library of another major */
	const struct cv_subject *wheel; /* a package that brings it */
	const char *bringer;            /* its label */
};

static bool is_told(const struct cv_subject *lib)
{
	const char *origin = cv_fact_str(lib, CV_F_lib_origin);

	return origin && cv_streq(origin, "told");
}

static int64_t major_of(const struct cv_hypo_ctx *x, const struct cv_subject *lib, const struct cv_want_lib *w)
{
	struct cv_want_lib l;
	const char *version = cv_fact_str(lib, CV_F_lib_version);

	if (is_told(lib))
		return version && w->cudnn ? cv_ver_part(version, 0) : 0;
	if (!cv_lib_name(x->a, cv_fact_str(lib, CV_F_lib_soname) ? cv_fact_str(lib, CV_F_lib_soname) : cv_subject_key(lib), &l))
		return 0;
	return w->cudnn ? l.cudnn : l.cuda;
}

static bool in_cache(const struct cv_subject *lib)
{
	return cv_strv_has(cv_fact_list(lib, CV_F_lib_via), "ld.so.cache");
}

static bool same_family(const struct cv_subject *lib, const struct cv_want_lib *w)
{
	const char *family = cv_fact_str(lib, CV_F_lib_family);

	if (!family)
		return false;
	if (w->cudnn)
		return cv_starts(family, "cudnn");
	return cv_streq(family, w->family) || (!*w->family && (cv_starts(family, "cublas") || cv_streq(family, "cudart")));
}

/* torch from 2.4 on brings cuDNN 9, from 1.5 on cuDNN 8 (in its own directory or as a wheel). */
static int64_t torch_cudnn(const struct cv_hypo_ctx *x)
{
	const char *v = cv_hypo_version(x, "torch");

	if (!v || !cv_ver_valid(CV_VER_PEP440, v) || cv_fact_known(x->j.w->machine, CV_F_machine_jetson))
		return 0;
	return cv_ver_cmp(CV_VER_PEP440, v, "2.4") >= 0 ? 9 : cv_ver_cmp(CV_VER_PEP440, v, "1.5") >= 0 ? 8 : 0;
}

static void find_wheel(struct cv_hypo_ctx *x, const struct cv_want_lib *w, struct place *p)
{
	static const struct {
		const char *family, *stem;
	} stems[] = { { "cublas", "nvidia-cublas" },	   { "cublasLt", "nvidia-cublas" }, { "cudart", "nvidia-cuda-runtime" },
		      { "nvrtc", "nvidia-cuda-nvrtc" }, { "cufft", "nvidia-cufft" },	    { "curand", "nvidia-curand" },
		      { "cudnn", "nvidia-cudnn" },	   { "", "nvidia-cublas" } };
	int64_t cuda = w->cuda ? w->cuda : 12;

	for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
		const struct cv_subject *pkg;
		const char *name, *version;

		if (!(w->cudnn ? cv_streq(stems[i].family, "cudnn") : cv_streq(stems[i].family, w->family)))
			continue;
		for (int64_t major = w->cudnn ? 11 : cuda; major <= (w->cudnn ? 13 : cuda); major++) {
			name = major >= 13 && !w->cudnn ? stems[i].stem : cv_arena_printf(x->a, "%s-cu%lld", stems[i].stem, (long long)major);
			pkg = cv_hypo_package(x, name);
			version = cv_fact_str(pkg, CV_F_package_version);
			if (!version)
				continue;
			if (w->cudnn && cv_ver_part(version, 0) != w->cudnn) {
				p->other = p->other ? p->other : pkg;
				continue;
			}
			p->wheel = pkg;
			p->bringer = cv_arena_printf(x->a, "%s %s", name, version);
			return;
		}
	}
}

static struct place locate(struct cv_hypo_ctx *x, const struct cv_want_lib *w)
{
	int64_t want = w->cudnn ? w->cudnn : w->cuda;
	struct place p = { 0 };

	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_lib); i++) {
		const struct cv_subject *lib = cv_facts_at(x->j.facts, CV_KIND_lib, i);
		int64_t major;

		if (!same_family(lib, w) || !(major = major_of(x, lib, w)))
			continue;
		if (major != want)
			p.other = p.other && !is_told(p.other) ? p.other : lib;
		else if (in_cache(lib))
			p.cache = lib;
		else
			p.same = lib;
	}
	find_wheel(x, w, &p);
	return p;
}

static const char *have_cudnn(struct cv_hypo_ctx *x, const struct place *p)
{
	const char *v = cv_fact_str(p->other, CV_F_lib_version), *soname = cv_fact_str(p->other, CV_F_lib_soname);

	if (!v)
		v = cv_fact_str(p->other, CV_F_package_version);
	if (v)
		return v;
	return soname ? cv_arena_printf(x->a, "%s", soname) : NULL;
}

/* A release of the needer that fits what is here, from kb where it says so. */
static const char *other_release(const struct cv_want_lib *w, const char *have)
{
	int64_t major = have ? cv_ver_part(have, 0) : 0;

	if (w->needer && strstr(w->needer, "onnxruntime")) {
		if (w->cudnn)
			return w->cudnn == 9 ? "install onnxruntime-gpu 1.18.0 from the CUDA 12 feed, which pairs with CUDA 12 and cuDNN 8"
					     : "pip install -U onnxruntime-gpu: 1.19 and newer (1.19.2) from PyPI pair with CUDA 12 and cuDNN 9";
		if (major == 11)
			return "install the CUDA 11.8 build of onnxruntime-gpu (onnxruntime-cuda-11 feed), or onnxruntime-gpu 1.18.1 or older from PyPI";
		if (major >= 12)
			return "pip install -U onnxruntime-gpu: 1.19 and newer (1.19.2) from PyPI are CUDA 12 builds with cuDNN 9; for CUDA 12 with cuDNN 8 take 1.18.0 from the CUDA 12 feed";
		return "install the onnxruntime-gpu release that was built for the CUDA that is here";
	}
	if (w->needer && (strstr(w->needer, "ctranslate2") || strstr(w->needer, "whisper")))
		return w->cudnn == 9 ? "pip install ctranslate2==4.4.0, the last release for cuDNN 8"
		       : w->cudnn    ? "pip install -U ctranslate2 (4.5.0 and newer use cuDNN 9)"
		       : w->cuda == 12 ? "pip install nvidia-cublas-cu12, or for CUDA 11 ctranslate2==3.24.0"
				     : "pip install -U ctranslate2 (4.x is built for CUDA 12)";
	return NULL;
}

static void set_common(struct cv_hypo_ctx *x, struct cv_hyp *h, const struct cv_want_lib *w, const struct place *p, const char *have)
{
	const char *want = *w->name ? w->name
			   : w->cudnn ? cv_arena_printf(x->a, "libcudnn.so.%lld", (long long)w->cudnn)
				      : cv_arena_printf(x->a, "libcublasLt.so.%lld", (long long)w->cuda);

	cv_hyp_set(x, h, "want", want);
	cv_hyp_set(x, h, "want_or", want);
	cv_hyp_set(x, h, "needer", w->needer);
	if (w->cuda)
		cv_hyp_set(x, h, "want_major", cv_arena_printf(x->a, "%lld", (long long)w->cuda));
	if (w->cudnn)
		cv_hyp_set(x, h, "want_cudnn", cv_arena_printf(x->a, "%lld", (long long)w->cudnn));
	cv_hyp_set(x, h, "have", have);
	cv_hyp_set(x, h, "install_want", other_release(w, have));
	cv_hyp_set(x, h, "bringer", p->bringer);
	if (w->hit)
		cv_hyp_quote(x, h, w->hit);
	if (p->other)
		cv_hyp_fact(x, h, p->other, cv_subject_kind(p->other) == CV_KIND_lib ? CV_F_lib_soname : CV_F_package_version);
	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = { "onnxruntime-gpu", "ctranslate2", "faster-whisper" };

		if (w->needer && cv_starts(w->needer, names[i]))
			cv_hyp_fact(x, h, cv_hypo_package(x, names[i]), CV_F_package_version);
	}
}

/* Something in the text shows that the provider did not load, or that only the CPU worked. */
static bool did_not_load(const struct cv_hypo_ctx *x)
{
	static const char *const messages[] = { "ort-create", "ort-win126", "ort-require", "ort-cuda-path", "ort-provload", "ld-dll-missing" };

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		if (cv_hypo_hit(x, messages[i]))
			return true;
	return false;
}

/* A name that was not found belongs to CUDA or to cuDNN: the other family's mismatch is no explanation of it. */
static void weaken_other(struct cv_hypo_ctx *x, const struct cv_want_lib *w)
{
	struct cv_hyp *cuda = cv_hyp_of(x, "cuda-major-mismatch"), *cudnn = cv_hyp_of(x, "cudnn-major-mismatch");

	if (!w->hit || !*w->name)
		return;
	if (w->cudnn && cuda->score && !cuda->confirmed)
		cv_hyp_support(cuda, -22);
	if (w->cudnn)
		cv_hyp_support(cudnn, 10);
	if (w->cuda && cudnn->score && !cudnn->confirmed)
		cv_hyp_support(cudnn, -22);
}

static void judge_cudnn(struct cv_hypo_ctx *x, const struct cv_want_lib *w, bool failed)
{
	struct cv_hyp *major = cv_hyp_of(x, "cudnn-major-mismatch"), *path = cv_hyp_of(x, "library-not-on-loader-path");
	struct place p = locate(x, w);
	int64_t torch = torch_cudnn(x);
	const char *have = have_cudnn(x, &p);

	set_common(x, major, w, &p, NULL);
	cv_hyp_set(x, major, "have_cudnn", have);
	if (p.same || p.cache || p.wheel || torch == w->cudnn) {
		cv_hyp_refute(major);
		if (!failed)
			return;
		set_common(x, path, w, &p, NULL);
		cv_hyp_set(x, path, "component", "cudnn");
		if (!p.bringer && torch == w->cudnn)
			cv_hyp_set(x, path, "bringer", cv_hypo_label(x, "torch"));
		if (p.same) {
			cv_hyp_set(x, path, "where", cv_subject_key(p.same));
			cv_hyp_set(x, path, "where_or", cv_dirname(x->a, cv_subject_key(p.same)));
			cv_hyp_fact(x, path, p.same, CV_F_lib_soname);
		}
		if (!p.cache && (p.same || p.wheel) && w->hit)
			cv_hyp_confirm(path, 20);
		else if (!p.cache)
			cv_hyp_at_least(path, failed ? 70 : 40);
		return;
	}
	if (p.other || (torch && torch != w->cudnn)) {
		if (!have && torch)
			cv_hyp_set(x, major, "have_cudnn", cv_arena_printf(x->a, "%lld of torch %s", (long long)torch, cv_hypo_version(x, "torch")));
		if (w->hit && p.other)
			cv_hyp_confirm(major, 25);
		else if (w->hit)
			cv_hyp_at_least(major, 84);
		else if (failed && p.other)
			cv_hyp_at_least(major, 82);
		else if (p.other && !cv_hypo_works(x))
			cv_hyp_at_least(major, 66);
	}
}

/* The toolkit that people note is the machine's; in a container or a pod it may not be the image's. */
static bool is_elsewhere(const struct cv_hypo_ctx *x, const struct cv_subject *toolkit)
{
	const char *how = cv_fact_str(toolkit, CV_F_toolkit_version_how);

	return (how && (strstr(how, "node") || strstr(how, "host"))) || (x->j.w->container && how && !strstr(how, "container") && !strstr(how, "image"));
}

static bool is_runtime_image(const struct cv_hypo_ctx *x)
{
	const char *image = cv_fact_str(x->j.w->machine, CV_F_machine_image);

	return image && (strstr(image, "-runtime") || strstr(image, "-base"));
}

/* Nothing else is told of the CUDA here than that of torch, which brings its own into the process. */
static bool judge_by_torch(struct cv_hypo_ctx *x, const struct cv_want_lib *w, bool failed)
{
	const char *cuda = cv_hypo_get(x, "build_cuda");
	struct cv_hyp *major = cv_hyp_of(x, "cuda-major-mismatch");

	if (!cuda || !failed || !w->needer || !strstr(w->needer, "onnxruntime"))
		return false;
	if (cv_ver_part(cuda, 0) == w->cuda) {
		cv_hyp_at_least(cv_hyp_of(x, "library-not-on-loader-path"), 64);
		return true;
	}
	cv_hyp_set(x, major, "have", cv_arena_printf(x->a, "%s of torch", cuda));
	cv_hyp_at_least(major, 80);
	return true;
}

static void judge_cuda(struct cv_hypo_ctx *x, const struct cv_want_lib *w, bool failed)
{
	struct cv_hyp *major = cv_hyp_of(x, "cuda-major-mismatch"), *path = cv_hyp_of(x, "library-not-on-loader-path");
	struct cv_hyp *missing = cv_hyp_of(x, "library-missing");
	const struct cv_subject *here = cv_hypo_toolkit(x, w->cuda, true), *there = cv_hypo_toolkit(x, w->cuda, false);
	struct place p = locate(x, w);
	const char *have = cv_fact_str(there, CV_F_toolkit_version);
	bool found = p.same || p.cache || p.wheel;

	if (!have && p.other)
		have = cv_fact_str(p.other, CV_F_lib_soname);
	set_common(x, major, w, &p, have);
	set_common(x, path, w, &p, NULL);
	set_common(x, missing, w, &p, NULL);
	cv_hyp_set(x, path, "component", cv_streq(w->family, "cudart") ? "cuda_runtime" : "cublas");
	/* The image has that CUDA, and its flavour leaves libraries out. */
	if (here && !found && w->hit && is_runtime_image(x) && cv_streq(cv_subject_key(here), "image")) {
		cv_hyp_at_least(missing, 78);
		cv_hyp_refute(major);
		return;
	}
	if (here && is_elsewhere(x, here) && !found && w->hit) {
		cv_hyp_at_least(missing, 74);
		cv_hyp_fact(x, missing, here, CV_F_toolkit_version);
		return;
	}
	if (found || here) {
		if (!(there && !found && !p.other))
			cv_hyp_refute(major);
		if (p.same) {
			cv_hyp_set(x, path, "where", cv_subject_key(p.same));
			cv_hyp_set(x, path, "where_or", cv_dirname(x->a, cv_subject_key(p.same)));
			cv_hyp_fact(x, path, p.same, CV_F_lib_soname);
		}
		if (p.wheel)
			cv_hyp_fact(x, path, p.wheel, CV_F_package_version);
		if (w->hit && (p.same || p.wheel) && !p.cache)
			cv_hyp_confirm(path, 20);
		else if (w->hit || failed)
			cv_hyp_at_least(path, 66);
		return;
	}
	if (there || p.other) {
		cv_hyp_fact(x, major, there, CV_F_toolkit_version);
		if (w->hit || (failed && !cv_hypo_works(x)))
			cv_hyp_confirm(major, w->hit ? 30 : 22);
		else if (!cv_hypo_works(x))
			cv_hyp_at_least(major, 68);
		return;
	}
	if (judge_by_torch(x, w, failed))
		return;
	if (w->hit && (is_runtime_image(x) || x->j.w->container))
		cv_hyp_at_least(missing, 70);
	else if (w->hit && *w->name)
		cv_hyp_support(major, w->needer ? 12 : 10);
}

/* A file of that family that the text lists by its path, or NULL. */
static const struct cv_subject *listed(const struct cv_hypo_ctx *x, const char *family)
{
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_lib); i++) {
		const struct cv_subject *lib = cv_facts_at(x->j.facts, CV_KIND_lib, i);
		const char *have = cv_fact_str(lib, CV_F_lib_family);

		if (have && cv_streq(have, family) && cv_starts(cv_subject_key(lib), "/") && !in_cache(lib))
			return lib;
	}
	return NULL;
}

/* The number in some names says nothing of the CUDA: libcurand.so.10 is in all from 10 to 13; libcudnn.so has none. */
static void judge_numberless(struct cv_hypo_ctx *x)
{
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_hit); i++) {
		const struct cv_subject *hit = cv_facts_at(x->j.facts, CV_KIND_hit, i);
		const char *soname = cv_hit_capture(x, hit, "soname");
		struct cv_want_lib w;

		if (!soname || !cv_lib_name(x->a, soname, &w) || w.cuda || w.cudnn)
			continue;
		cv_hyp_set(x, cv_hyp_of(x, "library-missing"), "want", w.name);
		if (listed(x, w.family)) {
			const struct cv_subject *lib = listed(x, w.family);

			cv_hyp_set(x, cv_hyp_of(x, "library-not-on-loader-path"), "want", w.name);
			cv_hyp_set(x, cv_hyp_of(x, "library-not-on-loader-path"), "where", cv_subject_key(lib));
			cv_hyp_set(x, cv_hyp_of(x, "library-not-on-loader-path"), "where_or", cv_dirname(x->a, cv_subject_key(lib)));
			cv_hyp_fact(x, cv_hyp_of(x, "library-not-on-loader-path"), lib, CV_F_lib_soname);
			cv_hyp_at_least(cv_hyp_of(x, "library-not-on-loader-path"), 74);
		}
		cv_hyp_support(cv_hyp_of(x, "cuda-major-mismatch"), -15);
		cv_hyp_support(cv_hyp_of(x, "library-missing"), x->j.w->container ? 12 : 0);
		return;
	}
}

/* Runs once, under the name of cuda-major-mismatch, for the whole family. */
CV_HYP_RULE(cv_hyp_libraries)
{
	bool named_cuda = false, named_cudnn = false, failed = did_not_load(x);

	(void)h;
	for (size_t i = 0; i < x->wants.n; i++) {
		named_cuda |= x->wants.v[i].cuda && *x->wants.v[i].name;
		named_cudnn |= x->wants.v[i].cudnn && *x->wants.v[i].name;
	}
	for (size_t i = 0; i < x->wants.n; i++) {
		const struct cv_want_lib *w = &x->wants.v[i];

		/* A name in a message is better than what kb expects of the release. */
		if (!*w->name && ((w->cuda && named_cuda) || (w->cudnn && named_cudnn)))
			continue;
		if (!*w->name && !failed && (named_cuda || named_cudnn))
			continue;
		weaken_other(x, w);
		if (w->cuda)
			judge_cuda(x, w, failed);
		else if (w->cudnn)
			judge_cudnn(x, w, failed || w->hit);
	}
	judge_numberless(x);
}

static bool is_in_path(struct cv_hypo_ctx *x, const char **ret_entry)
{
	static const char *const words[] = { "cuda", "cudnn", "nccl", "tensorrt" };
	const char *path = cv_fact_str(cv_facts_find(x->j.facts, CV_KIND_var, "LD_LIBRARY_PATH"), CV_F_var_value);
	struct cv_str rest = cv_str_of(path ? path : ""), part;

	for (size_t pass = 0; pass < 2; pass++, rest = cv_str_of(path ? path : ""))
		while (cv_str_split(&rest, ':', &part))
			for (size_t i = pass ? 0 : 1; i < sizeof(words) / sizeof(words[0]); i++)
				if (cv_str_find(part, words[i]) >= 0) {
					*ret_entry = cv_str_dup(x->a, part);
					return true;
				}
	return false;
}

/* "12_8": the release whose symbol is missing. */
static const char *dotted(struct cv_hypo_ctx *x, const char *text)
{
	const char *bar = text ? strchr(text, '_') : NULL;

	return bar ? cv_arena_printf(x->a, "%.*s.%s", (int)(bar - text), text, bar + 1) : NULL;
}

CV_HYP_RULE(cv_hyp_shadowed_lib)
{
	const struct cv_subject *jit = cv_hypo_hit(x, "undef-nvjitlink"), *lt = cv_hypo_hit(x, "undef-cublaslt");
	const struct cv_subject *tried = cv_hypo_hit(x, "ld-debug-needed"), *mixed = cv_hypo_hit(x, "ld-not-defined");
	const char *entry = NULL, *path = cv_hit_capture(x, mixed ? mixed : lt, "path");

	if (!h->score)
		return;
	cv_hyp_set(x, h, "shadowed", jit ? "libnvJitLink.so.12" : lt ? cv_hit_capture(x, lt, "version") : NULL);
	cv_hyp_set(x, h, "shadowed", lt ? "libcublasLt" : NULL);
	cv_hyp_set(x, h, "shadowed", tried ? cv_hit_capture(x, tried, "soname") : mixed ? cv_hit_capture(x, mixed, "soname") : NULL);
	cv_hyp_set(x, h, "shadowed", cv_hypo_hit(x, "cudnn-incompat") ? "libcudnn" : NULL);
	cv_hyp_set(x, h, "needs_cuda", jit ? dotted(x, cv_hit_capture(x, jit, "needs")) : NULL);
	if (is_in_path(x, &entry)) {
		cv_hyp_set(x, h, "path_entry", entry);
		cv_hyp_fact(x, h, cv_facts_find(x->j.facts, CV_KIND_var, "LD_LIBRARY_PATH"), CV_F_var_value);
		if (jit || lt)
			cv_hyp_confirm(h, 20);
		else if (tried || cv_hypo_hit(x, "jax-unable"))
			cv_hyp_at_least(h, 88);
	}
	/* A copy of conda's own lib directory is no wheel: then two toolkits are mixed. */
	if (path && !strstr(path, "site-packages") && !strstr(path, "dist-packages")) {
		cv_hyp_support(h, -25);
		cv_hyp_support(cv_hyp_of(x, "cuda-libraries-mixed"), 10);
	}
	cv_hyp_set(x, cv_hyp_of(x, "cuda-libraries-mixed"), "path_or", path ? path : "FILE");
	cv_hyp_set(x, cv_hyp_of(x, "cuda-libraries-mixed"), "soname_or", "libcublas");
}

CV_HYP_RULE(cv_hyp_older_first)
{
	const struct cv_subject *hit = cv_hypo_hit(x, "cudnn-incompat");
	const char *entry = NULL;

	if (!h->score)
		return;
	if (hit)
		cv_hyp_confirm(h, 25);
	if (is_in_path(x, &entry))
		cv_hyp_set(x, h, "path_entry", entry);
	else if (cv_facts_find(x->j.facts, CV_KIND_lib, "cudnn"))
		cv_hyp_set(x, h, "path_entry", cv_fact_str(cv_facts_find(x->j.facts, CV_KIND_lib, "cudnn"), CV_F_lib_version_how));
	cv_hyp_refute(cv_hyp_of(x, "library-missing"));
}

/* The cuDNN that the wheel has and another one in sight. */
CV_HYP_RULE(cv_hyp_cudnn_mix)
{
	static const char *const wheels[] = { "nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13" };
	const char *wheel = NULL, *system = NULL;

	if (!h->score)
		return;
	for (size_t i = 0; i < 3; i++)
		if (cv_hypo_version(x, wheels[i]))
			wheel = cv_arena_printf(x->a, "%s of the wheel %s", cv_hypo_version(x, wheels[i]), wheels[i]);
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_lib); i++) {
		const struct cv_subject *lib = cv_facts_at(x->j.facts, CV_KIND_lib, i);
		const char *family = cv_fact_str(lib, CV_F_lib_family), *v = cv_fact_str(lib, CV_F_lib_version);

		if (family && v && cv_starts(family, "cudnn") && !strstr(cv_subject_key(lib), "site-packages"))
			system = cv_arena_printf(x->a, "%s of the system%s%s", v, cv_starts(cv_subject_key(lib), "/") ? ", " : "",
						 cv_starts(cv_subject_key(lib), "/") ? cv_subject_key(lib) : "");
	}
	cv_hyp_set(x, h, "cudnn_a", wheel ? wheel : cv_hypo_label(x, "torch"));
	cv_hyp_set(x, h, "cudnn_b", system);
	if (wheel && system && (cv_hypo_hit(x, "undef-cudnn") || cv_hypo_hit(x, "cudnn-sub-version")))
		cv_hyp_confirm(h, 20);
	/* A wheel's copy in sight and nothing of the system: its directory is not searched, rather than mixed. */
	if (cv_hypo_hit(x, "win-127") && cv_hypo_probe(x, "command 000") == NULL)
		cv_hyp_support(h, 6);
}

CV_HYP_RULE(cv_hyp_nccl)
{
	const struct cv_subject *hit = cv_hypo_hit(x, "undef-nccl");
	const char *symbol = cv_hit_capture(x, hit, "symbol");

	if (!h->score)
		return;
	cv_hyp_set(x, h, "nccl_since", symbol && cv_starts(symbol, "ncclCommRegister") ? "2.19" : NULL);
	if (cv_hyp_of(x, "mixed-cuda-wheels")->finding)
		cv_hyp_support(h, -30);
}

CV_HYP_RULE(cv_hyp_cupy)
{
	static const struct {
		const char *name;
		int64_t cuda;
	} wheels[] = { { "cupy-cuda11x", 11 }, { "cupy-cuda12x", 12 }, { "cupy-cuda13x", 13 }, { "cupy-cuda91", 9 },  { "cupy-cuda92", 9 },
		       { "cupy-cuda100", 10 }, { "cupy-cuda101", 10 }, { "cupy-cuda102", 10 }, { "cupy-cuda110", 11 }, { "cupy-cuda111", 11 },
		       { "cupy-cuda80", 8 },   { "cupy-cuda90", 9 } };
	const struct cv_subject *toolkit = NULL;

	for (size_t i = 0; i < sizeof(wheels) / sizeof(wheels[0]); i++) {
		const char *label = cv_hypo_label(x, wheels[i].name);

		if (!label)
			continue;
		cv_hyp_set(x, h, "cupy", label);
		cv_hyp_set(x, h, "cupy_major", cv_arena_printf(x->a, "%lld", (long long)wheels[i].cuda));
		toolkit = cv_hypo_toolkit(x, wheels[i].cuda, false);
		if (toolkit && !cv_hypo_toolkit(x, wheels[i].cuda, true)) {
			cv_hyp_set(x, h, "have", cv_fact_str(toolkit, CV_F_toolkit_version));
			cv_hyp_at_least(h, h->score ? 90 : 50);
		} else if (!h->score && wheels[i].cuda < 11) {
			cv_hyp_at_least(h, 40);
		}
	}
	if (h->score && x->wants.n) {
		cv_hyp_set(x, h, "want", x->wants.v[0].name);
		cv_hyp_support(h, 15);
	}
	/* What CuPy itself misses is the wheel's CUDA, not that of another program. */
	if (h->messages && cv_hypo_hit(x, "cupy-load") && cv_hyp_of(x, "cuda-major-mismatch")->confirmed) {
		cv_hyp_set(x, h, "have", cv_map_get(&cv_hyp_of(x, "cuda-major-mismatch")->vars, "have"));
		cv_hyp_confirm(h, 35);
		cv_hyp_refute(cv_hyp_of(x, "cuda-major-mismatch"));
	}
}

CV_HYP_RULE(cv_hyp_tensorrt)
{
	const struct cv_subject *device = cv_hypo_hit(x, "trt-plan-device");

	cv_hyp_set(x, h, "needer_or", cv_hypo_label(x, "onnxruntime-gpu") ? cv_hypo_label(x, "onnxruntime-gpu") : "this build");
	if (device) {
		cv_hyp_set(x, h, "cc_found", cv_hit_capture(x, device, "found"));
		cv_hyp_set(x, h, "cc_needed", cv_hit_capture(x, device, "needed"));
		cv_map_set(x->a, &h->vars, "found", NULL);
		cv_hyp_confirm(h, 30);
	}
	if (cv_hypo_hit(x, "trt-plan-version"))
		cv_hyp_confirm(h, 30);
}

CV_HYP_RULE(cv_hyp_bitsandbytes)
{
	struct cv_hyp *path = cv_hyp_of(x, "library-not-on-loader-path");
	const char *soname = cv_hit_capture(x, cv_hypo_hit(x, "bnb-required"), "soname"), *digits = soname ? strstr(soname, "cuda") : NULL;

	if (digits)
		cv_hyp_set(x, h, "cuda_digits", cv_arena_printf(x->a, "%.*s", (int)strspn(digits + 4, "0123456789"), digits + 4));
	cv_hyp_set(x, h, "want_or", soname ? soname : "the CUDA library of bitsandbytes");
	if (!cv_hypo_hit(x, "bnb-nogpu"))
		return;
	for (size_t i = 11; i <= 12; i++) {
		const char *wheel = cv_hypo_label(x, cv_arena_printf(x->a, "nvidia-cuda-runtime-cu%zu", i));

		if (wheel) {
			cv_hyp_set(x, path, "bringer", wheel);
			cv_hyp_set(x, path, "want_or", "libcudart.so");
			cv_hyp_at_least(path, 80);
		}
	}
}

CV_HYP_RULE(cv_hyp_libstdcxx)
{
	const struct cv_subject *hit = cv_hypo_hit(x, "glibcxx");
	const char *text = cv_fact_str(hit, CV_F_hit_text), *at = text ? strstr(text, "libstdc++.so") : NULL;

	if (!h->score)
		return;
	for (const char *p = at; p && p > text; p--)
		if (p[-1] == ' ' || p[-1] == '\'' || p[-1] == '(') {
			cv_hyp_set(x, h, "lib_path", cv_arena_printf(x->a, "%.*s", (int)strcspn(p, ": )"), p));
			break;
		}
	cv_hyp_set(x, h, "lib_path", "libstdc++.so.6");
	cv_hyp_set(x, h, "lib_path_or", cv_map_get(&h->vars, "lib_path"));
	for (size_t i = 0; i < cv_facts_count(x->j.facts, CV_KIND_lib); i++) {
		const char *key = cv_subject_key(cv_facts_at(x->j.facts, CV_KIND_lib, i));

		if (strstr(key, "libstdc++") && strstr(key, "env"))
			cv_hyp_set(x, h, "other_lib", key);
	}
	cv_hyp_set(x, h, "other_lib", cv_hypo_label(x, "libstdcxx-ng"));
	cv_hyp_confirm(h, 20);
}

CV_HYP_RULE(cv_hyp_glibc)
{
	const struct cv_subject *hit = cv_hypo_hit(x, "glibc"), *wheel = cv_hypo_hit(x, "pip-unsupported");
	const char *have = cv_hypo_get(x, "glibc"), *needs = cv_hit_capture(x, hit, "needs"), *tag = cv_hit_capture(x, wheel, "tag");

	if (hit && (!have || (needs && cv_ver_valid(CV_VER_DOTTED, needs) && cv_ver_cmp(CV_VER_DOTTED, have, needs) < 0)))
		cv_hyp_confirm(h, 20);
	if (tag && strstr(tag, "manylinux") && cv_hypo_os(x, "centos")) {
		const char *release = cv_fact_str(x->j.w->machine, CV_F_machine_os_version);

		cv_hyp_set(x, h, "needed", tag);
		if (release && cv_ver_part(release, 0) <= 6) {
			cv_hyp_set(x, h, "glibc", "2.12");
			cv_hyp_at_least(h, 90);
		}
	}
}
