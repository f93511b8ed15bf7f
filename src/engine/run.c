/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/engine.h"

#include <string.h>

#include "base/str.h"
#include "report/text.h"

#define ARENA_MAX ((size_t)512 << 20)

int cv_run_init(struct cv_run *run, const struct cv_options *opt)
{
	size_t size;

	*run = (struct cv_run){ 0 };
	if (!opt || opt->size < sizeof(opt->size))
		return CV_EINVAL;
	size = opt->size < sizeof(run->opt) ? opt->size : sizeof(run->opt);
	memcpy(&run->opt, opt, size);
	run->kb = cv_kb_builtin();
	run->arena = cv_arena_new(ARENA_MAX);
	if (!run->arena)
		return CV_ENOMEM;
	cv_diag_init(&run->diag, run->arena);
	return 0;
}

void cv_run_tell(struct cv_run *run)
{
	for (size_t i = 0; i < run->diag.n && run->opt.notice; i++)
		run->opt.notice(run->opt.cookie, cv_text_clean(run->arena, run->diag.v[i], false));
	run->diag.n = 0;
}

int cv_run_fail(struct cv_run *run, int err)
{
	if (run->diag.n)
		cv_run_tell(run);
	else if (run->opt.notice)
		run->opt.notice(run->opt.cookie, cv_strerror(err));
	cv_arena_free(run->arena);
	run->arena = NULL;
	return err;
}

int cv_run_load_kb(struct cv_run *run)
{
	const char *dir = run->opt.kb_dir;
	struct cv_view *host;
	int err;

	if (!dir)
		return 0;
	dir = cv_path_clean(run->arena, cv_path_join(run->arena, run->opt.cwd ? run->opt.cwd : "/", dir));
	err = cv_view_host_new(run->opt.environ, &host);
	if (err)
		return err;
	err = cv_kb_overlay(host, dir, run->arena, &run->diag, &run->kb);
	cv_view_free(host);
	if (err && run->diag.n == 0)
		cv_diag_fail(&run->diag, err, "%s: %s", dir, cv_strerror(err));
	return err;
}

void *cv_run_doc_new(struct cv_run *run, const struct cv_doc_ops *ops, size_t size)
{
	struct cv_doc *doc = cv_arena_alloc(run->arena, size);

	if (!doc)
		return NULL;
	doc->ops = ops;
	doc->arena = run->arena;
	doc->kb = run->kb;
	return doc;
}
