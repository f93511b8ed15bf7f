/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One distribution. Its own METADATA is the word on name and version; the directory's name stands in where that is damaged,
 * and stays beside it where the two differ. In conda environments pip's RECORD is that of the build, before conda's tools
 * changed the libraries: only conda's own record has sizes that mean something there.
 */
#include "collect/py_dist.h"

#include "base/version.h"
#include "collect/see.h"
#include "parse/condameta.h"
#include "parse/directurl.h"
#include "parse/pymeta.h"
#include "parse/pyrecord.h"

#define PACKAGE_MEMORY ((size_t)64 << 20)
#define IMPORTS 64

struct put {
	struct cv_collect_ctx *c;
	struct cv_facts *facts;
	struct cv_arena *a; /* of this package alone */
	const struct cv_py_dist *d;
	struct cv_py_stack *stack;
	const struct cv_marker_env *markers;
	struct cv_subject *s;
	bool by_conda; /* INSTALLER says conda */
};

static struct cv_prov at(const char *path, unsigned line)
{
	return cv_see_prov(CV_PY_PACKAGES, path, line);
}

void cv_py_stack_init(struct cv_py_stack *s, const struct cv_kb *kb, struct cv_arena *a)
{
	struct cv_kb_iter it = cv_kb_iter(kb, "package:*", NULL, NULL);
	struct cv_kb_row row;

	*s = (struct cv_py_stack){ .kb = kb, .a = a, .kb_is_empty = !cv_kb_next(&it, &row) };
}

/* Families that grow with every CUDA release: a member that the knowledge base does not have yet belongs to the stack too. */
static bool of_family(const char *name)
{
	static const char *const stems[] = { "nvidia-", "cupy-cuda", "cupy-rocm", "jax-cuda", "tensorflow-", "onnxruntime-" };

	for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++)
		if (cv_starts(name, stems[i]))
			return true;
	return false;
}

/* Where there is no knowledge base. */
static bool stand_in(const char *name)
{
	static const char *const names[] = {
		"torch", "torchvision", "torchaudio", "triton", "onnxruntime", "tensorflow", "jax", "jaxlib", "cupy",
		"numpy", "flash-attn", "xformers", "bitsandbytes", "tensorrt", "vllm", "cudnn",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cv_streq(name, names[i]))
			return true;
	return false;
}

/* Has it steps of what it loads? Which of them hold is told by its version. "flash-attn" is imported as flash_attn. */
static bool has_scenario(const struct cv_py_stack *s, const char *name)
{
	char *subject = cv_arena_printf(s->a, "scenario:%s", name);
	struct cv_kb_iter it = cv_kb_iter(s->kb, subject, NULL, NULL);
	struct cv_kb_row row;

	for (char *p = subject; p && *p; p++)
		if (*p == '-')
			*p = '_';
	return cv_kb_next(&it, &row);
}

bool cv_py_stack_has(struct cv_py_stack *s, const char *name)
{
	static const char yes[] = "y", no[] = "n";
	const char *got = cv_map_get(&s->known, name);

	if (!got) {
		struct cv_kb_iter it = cv_kb_iter(s->kb, cv_arena_printf(s->a, "package:%s", name), NULL, NULL);
		struct cv_kb_row row;
		bool has = of_family(name) || (s->kb_is_empty ? stand_in(name) : cv_kb_next(&it, &row)) ||
			   has_scenario(s, name);

		got = has ? yes : no;
		cv_map_set(s->a, &s->known, cv_arena_strdup(s->a, name), (void *)(uintptr_t)got);
	}
	return got[0] == 'y';
}

static const char *source_name(enum cv_distkind kind)
{
	return kind == CV_DIST_CONDA ? "conda-meta" : kind == CV_DIST_INFO ? "dist-info" : "egg-info";
}

static void put_version(struct put *p, const char *version, struct cv_prov prov)
{
	if (p->d->kind != CV_DIST_CONDA && !cv_ver_valid(CV_VER_PEP440, version))
		cv_facts_state(p->facts, p->s, CV_F_package_version, CV_UNPARSED, version, prov);
	else
		cv_facts_str(p->facts, p->s, CV_F_package_version, version, prov);
}

static void put_build(struct put *p, const char *version, struct cv_prov prov)
{
	const char *build = p->d->kind == CV_DIST_CONDA ? p->d->build : cv_ver_local(p->a, version);

	if (build && build[0])
		cv_facts_str(p->facts, p->s, CV_F_package_build, build, prov);
	else
		cv_facts_state(p->facts, p->s, CV_F_package_build, CV_ABSENT, NULL, prov);
}

static void put_by_name(struct put *p)
{
	const struct cv_py_dist *d = p->d;

	cv_facts_str(p->facts, p->s, CV_F_package_name, d->name, at(d->path, 0));
	if (d->version[0]) {
		put_version(p, d->version, at(d->path, 0));
		put_build(p, d->version, at(d->path, 0));
	}
}

void cv_py_dist_put_name(struct cv_collect_ctx *c, const struct cv_py_dist *d, struct cv_subject *s)
{
	struct put p = { .c = c, .facts = c->facts, .a = c->scratch, .d = d, .s = s };

	cv_facts_str(c->facts, s, CV_F_package_source, source_name(d->kind), at(d->path, 0));
	put_by_name(&p);
}

/* A Requires-Dist line as it counts here: without its marker if that holds, whole if it cannot be told; NULL if it does not. */
static const char *applies(struct put *p, const char *line)
{
	struct cv_str text = cv_str_of(line);
	enum cv_marker holds;
	struct cv_req req;

	if (cv_req_parse(text, p->a, &req) < 0 || !cv_py_stack_has(p->stack, cv_pep503(p->a, req.name)))
		return NULL;
	if (cv_marker_eval(req.marker, p->markers, &holds) < 0)
		holds = CV_MARKER_UNKNOWN;
	if (holds == CV_MARKER_FALSE)
		return NULL;
	if (holds == CV_MARKER_UNKNOWN || req.marker.n == 0)
		return line;
	return cv_str_dup(p->a, cv_str_trim(cv_str_sub(text, 0, (size_t)(cv_str_chr(text, ';')))));
}

static const char *bad_header(struct put *p, const struct cv_pyheads *heads)
{
	return cv_arena_printf(p->a, "line %u is no header", heads->bad_line);
}

static void put_requires(struct put *p, const struct cv_pyheads *heads, const char *path)
{
	const struct cv_pyhead *python = cv_pyheads_get(heads, "Requires-Python"), *h;
	struct cv_strv requires = { 0 };
	unsigned line = 0;
	size_t i = 0;

	while ((h = cv_pyheads_next(heads, "Requires-Dist", &i))) {
		const char *text = applies(p, h->value);

		if (!text)
			continue;
		cv_strv_push(p->a, &requires, text);
		line = line ? line : h->line;
	}
	if (heads->bad_line)
		cv_facts_state(p->facts, p->s, CV_F_package_requires, CV_UNPARSED, bad_header(p, heads),
			       at(path, heads->bad_line));
	else
		cv_facts_list(p->facts, p->s, CV_F_package_requires, &requires, at(path, line));
	if (python)
		cv_facts_str(p->facts, p->s, CV_F_package_requires_python, python->value, at(path, python->line));
	else if (!heads->bad_line)
		cv_facts_state(p->facts, p->s, CV_F_package_requires_python, CV_ABSENT, NULL, at(path, 0));
}

/* Name and version by the headers; by the file's name what they do not tell, or tell otherwise. */
static void put_identity(struct put *p, const struct cv_pyheads *heads, const char *path)
{
	const struct cv_pyhead *name = cv_pyheads_get(heads, "Name"), *version = cv_pyheads_get(heads, "Version");
	const char *own = name ? cv_pep503(p->a, cv_str_of(name->value)) : "";

	if (own[0])
		cv_facts_str(p->facts, p->s, CV_F_package_name, own, at(path, name->line));
	if (!own[0] || !cv_streq(own, p->d->name))
		cv_facts_str(p->facts, p->s, CV_F_package_name, p->d->name, at(p->d->path, 0));
	if (version && cv_ver_valid(CV_VER_PEP440, version->value)) {
		put_version(p, version->value, at(path, version->line));
		put_build(p, version->value, at(path, version->line));
		if (p->d->version[0] && cv_ver_cmp(CV_VER_PEP440, p->d->version, version->value) != 0)
			put_version(p, p->d->version, at(p->d->path, 0));
		return;
	}
	if (p->d->version[0]) {
		put_version(p, p->d->version, at(p->d->path, 0));
		put_build(p, p->d->version, at(p->d->path, 0));
	}
	if (version)
		put_version(p, version->value, at(path, version->line));
	else
		cv_facts_state(p->facts, p->s, CV_F_package_version, CV_UNPARSED,
			       heads->bad_line ? bad_header(p, heads) : "no Version header", at(path, heads->bad_line));
}

static int read_heads(struct put *p, const char *path, struct cv_pyheads *ret)
{
	struct cv_src *src;
	int r = cv_view_open(p->c->view, path, &src);

	if (r < 0)
		return r;
	r = cv_pyheads_read(src, p->a, ret);
	cv_src_close(src);
	return r;
}

static void put_metadata(struct put *p)
{
	struct cv_pyheads heads;
	const char *path = p->d->path;
	struct cv_stat st;
	int r;

	if (p->d->kind == CV_DIST_INFO)
		path = cv_path_join(p->a, path, "METADATA");
	else if (p->d->kind == CV_DIST_EGG)
		path = cv_path_join(p->a, path, "EGG-INFO/PKG-INFO");
	else if (cv_view_stat(p->c->view, path, &st) == 0 && st.type == CV_FT_DIR)
		path = cv_path_join(p->a, path, "PKG-INFO");
	r = read_heads(p, path, &heads);
	if (r == 0) {
		put_identity(p, &heads, path);
		put_requires(p, &heads, path);
		return;
	}
	put_by_name(p);
	cv_see_fail(p->c, p->s, CV_F_package_requires, r, at(path, 0));
	if (!p->d->version[0])
		cv_see_fail(p->c, p->s, CV_F_package_version, r, at(path, 0));
}

static void put_wheel(struct put *p)
{
	const char *path = cv_path_join(p->a, p->d->path, "WHEEL");
	const struct cv_pyhead *tag;
	struct cv_strv tags = { 0 };
	struct cv_pyheads heads;
	unsigned line = 0;
	size_t i = 0;
	int r = read_heads(p, path, &heads);

	if (r < 0) {
		cv_see_fail(p->c, p->s, CV_F_package_tags, r, at(path, 0));
		return;
	}
	while ((tag = cv_pyheads_next(&heads, "Tag", &i))) {
		cv_strv_push(p->a, &tags, tag->value);
		line = line ? line : tag->line;
	}
	if (tags.n == 0 && heads.bad_line)
		cv_facts_state(p->facts, p->s, CV_F_package_tags, CV_UNPARSED, bad_header(p, &heads), at(path, heads.bad_line));
	else
		cv_facts_list(p->facts, p->s, CV_F_package_tags, &tags, at(path, line));
}

static void put_installer(struct put *p)
{
	const char *path = cv_path_join(p->a, p->d->path, "INSTALLER"), *text;
	int r = cv_view_read_line(p->c->view, path, p->a, &text);

	if (r < 0 || text[0] == '\0') {
		cv_see_fail(p->c, p->s, CV_F_package_installer, r < 0 ? r : CV_EFORMAT, at(path, 0));
		return;
	}
	cv_facts_str(p->facts, p->s, CV_F_package_installer, text, at(path, 1));
	p->by_conda = cv_streq(text, "conda");
}

static void put_url(struct put *p)
{
	const char *path = cv_path_join(p->a, p->d->path, "direct_url.json");
	struct cv_directurl url;
	struct cv_str text;
	int r = cv_view_read(p->c->view, path, CV_DIRECTURL_MAX, p->a, &text);

	if (r == 0)
		r = cv_directurl_parse(text, p->a, &url);
	if (r < 0)
		cv_see_fail(p->c, p->s, CV_F_package_url, r, at(path, 0));
	else
		cv_facts_str(p->facts, p->s, CV_F_package_url,
			     url.editable ? cv_arena_printf(p->a, "%s (editable)", url.url) : url.url, at(path, 0));
}

struct record {
	struct put *p;
	struct cv_py_files files;
	struct cv_map imports;
	struct cv_strv names;
};

static bool is_identifier(struct cv_str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (i && c >= '0' && c <= '9') ||
		      (unsigned char)c >= 0x80))
			return false;
	}
	return s.n > 0;
}

/* The import name that a recorded file belongs to: its first directory, or itself as a module. */
static void note_import(struct record *rec, struct cv_str path)
{
	ptrdiff_t slash = cv_str_chr(path, '/'), dot;
	struct cv_str name = path;
	const char *text;

	if (slash >= 0) {
		name = cv_str_sub(path, 0, (size_t)slash);
	} else {
		if (!cv_str_ends(path, ".py") && !cv_py_is_native(path))
			return;
		dot = cv_str_chr(path, '.');
		name = cv_str_sub(path, 0, (size_t)dot);
	}
	if (rec->names.n && cv_str_is(name, rec->names.v[rec->names.n - 1]))
		return; /* mostly the same as in the row before */
	if (rec->names.n >= IMPORTS || !is_identifier(name) || cv_str_is(name, "__pycache__"))
		return;
	text = cv_str_dup(rec->p->a, name);
	if (cv_map_get(&rec->imports, text))
		return;
	cv_map_set(rec->p->a, &rec->imports, text, rec);
	cv_strv_push(rec->p->a, &rec->names, text);
}

static int record_row(void *cookie, const struct cv_pyrecord_row *row)
{
	struct record *rec = cookie;

	note_import(rec, row->path);
	cv_py_files_add(&rec->files, row->path, row->has_size, row->size);
	return 0;
}

static void put_files(struct put *p, const struct cv_py_files *f, const char *path)
{
	struct cv_prov prov = at(path, 0);

	cv_facts_int(p->facts, p->s, CV_F_package_record_checked, f->checked, prov);
	cv_facts_list(p->facts, p->s, CV_F_package_record_missing, &f->missing, prov);
	cv_facts_int(p->facts, p->s, CV_F_package_record_missing_n, f->missing_n, prov);
	if (!f->sizes)
		return;
	cv_facts_list(p->facts, p->s, CV_F_package_record_changed, &f->changed, prov);
	cv_facts_int(p->facts, p->s, CV_F_package_record_changed_n, f->changed_n, prov);
}

/* Reads RECORD and looks for its files: all of them, or as many as cv_py_files keeps. */
static int read_record(struct put *p, const char *path, bool all, struct record *rec, struct cv_pyrecord *ret_sum)
{
	struct cv_src *src;
	int r = cv_view_open(p->c->view, path, &src);

	if (r < 0)
		return r;
	*rec = (struct record){ .p = p };
	cv_py_files_init(&rec->files, p->c, p->a, p->d->dir, all);
	rec->files.sizes = !p->by_conda;
	r = cv_pyrecord_read(src, p->a, record_row, rec, ret_sum);
	cv_src_close(src);
	if (r == 0)
		cv_py_files_check(&rec->files);
	return r;
}

static void put_record(struct put *p)
{
	const char *path = cv_path_join(p->a, p->d->path, "RECORD");
	struct cv_pyrecord sum;
	struct record rec;
	int r = read_record(p, path, false, &rec, &sum);

	if (r == 0 && cv_py_files_is_part(&rec.files))
		r = read_record(p, path, true, &rec, &sum);
	if (r < 0) {
		/* Too long to be read is no damage. */
		if (r == CV_ELIMIT)
			cv_facts_state(p->facts, p->s, CV_F_package_record_files, CV_NOT_ASKED, cv_strerror(r), at(path, 0));
		else
			cv_see_fail(p->c, p->s, CV_F_package_record_files, r, at(path, 0));
		return;
	}
	if (sum.bad_rows)
		cv_facts_state(p->facts, p->s, CV_F_package_record_files, CV_UNPARSED,
			       cv_arena_printf(p->a, "%llu bad lines, the first is line %u", (unsigned long long)sum.bad_rows,
					       sum.bad_line), at(path, sum.bad_line));
	else
		cv_facts_int(p->facts, p->s, CV_F_package_record_files, sum.rows, at(path, 0));
	cv_strv_sort(&rec.names);
	cv_facts_list(p->facts, p->s, CV_F_package_imports, &rec.names, at(path, 0));
	put_files(p, &rec.files, path);
}

static int conda_file(void *cookie, const struct cv_condafile *file)
{
	cv_py_files_add(cookie, cv_str_of(file->path), file->has_size, file->size);
	return 0;
}

static int read_conda(struct put *p, bool all, struct cv_py_files *files, uint64_t *ret_offset, struct cv_condameta *ret)
{
	struct cv_src *src;
	int r = cv_view_open(p->c->view, p->d->path, &src);

	if (r < 0)
		return r;
	cv_py_files_init(files, p->c, p->a, p->d->dir, all);
	r = cv_condameta_read(src, p->a, conda_file, files, ret_offset, ret);
	cv_src_close(src);
	if (r == 0)
		cv_py_files_check(files);
	return r;
}

static void put_conda(struct put *p)
{
	struct cv_condameta meta;
	struct cv_py_files files;
	uint64_t offset = 0;
	int r = read_conda(p, false, &files, &offset, &meta);

	put_by_name(p);
	if (r == 0 && cv_py_files_is_part(&files))
		r = read_conda(p, true, &files, &offset, &meta);
	if (r < 0) {
		struct cv_prov prov = at(p->d->path, 0);

		prov.offset = r == CV_EFORMAT ? (int64_t)offset : -1;
		cv_see_fail(p->c, p->s, CV_F_package_record_files, r, prov);
		return;
	}
	cv_facts_int(p->facts, p->s, CV_F_package_record_files, meta.files, at(p->d->path, 0));
	if (meta.channel)
		cv_facts_str(p->facts, p->s, CV_F_package_url, meta.channel, at(p->d->path, 0));
	cv_facts_str(p->facts, p->s, CV_F_package_installer, "conda", at(p->d->path, 0));
	put_files(p, &files, p->d->path);
}

void cv_py_dist_put(struct cv_collect_ctx *c, const struct cv_py_dist *d, struct cv_py_stack *stack,
		    const struct cv_marker_env *markers, struct cv_subject *s)
{
	struct put p = { .c = c, .facts = c->facts, .d = d, .stack = stack, .markers = markers, .s = s };

	p.a = cv_arena_new(PACKAGE_MEMORY);
	cv_facts_str(c->facts, s, CV_F_package_source, source_name(d->kind), at(d->path, 0));
	if (!p.a) {
		cv_diag_fail(c->diag, CV_ENOMEM, "%s: %s", d->path, cv_strerror(CV_ENOMEM));
		return;
	}
	if (d->kind == CV_DIST_CONDA) {
		put_conda(&p);
	} else {
		put_metadata(&p);
		if (d->kind == CV_DIST_INFO) {
			put_wheel(&p);
			put_installer(&p);
			put_url(&p);
			put_record(&p);
		}
	}
	if (cv_arena_failed(p.a))
		cv_diag_fail(c->diag, CV_ENOMEM, "%s: larger than makes sense, its facts are not complete", d->path);
	cv_arena_free(p.a);
}
