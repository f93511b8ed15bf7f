/* SPDX-License-Identifier: Apache-2.0 */
/* From options to the stack of views: host or root, machine over it, environment changes over that, the recorder on top. */
#include "engine/engine.h"

#include "base/str.h"

static int open_base(struct cv_run *run, struct cv_view **ret)
{
	const char *root = run->opt.root;
	int err = root ? cv_view_root_new(root, &run->diag, ret) : cv_view_host_new(run->opt.environ, ret);

	if (err && root && run->diag.n == 0)
		cv_diag_fail(&run->diag, err, "%s: %s", root, cv_strerror(err));
	if (err)
		return err;
	/* A tree behind a closed door would look like an empty machine. */
	if (root && cv_view_access(*ret, "/", CV_ACCESS_X) == CV_EACCES) {
		cv_view_free(*ret);
		return cv_diag_fail(&run->diag, CV_EACCES, "%s: %s", root, cv_strerror(CV_EACCES));
	}
	return 0;
}

/* Puts the other machine's view over *view, which is kept on failure. */
static int lay_machine(struct cv_run *run, struct cv_view **view)
{
	struct cv_view *machine;
	int err;

	if (!run->opt.machine)
		return 0;
	err = cv_view_root_new(run->opt.machine, &run->diag, &machine);
	if (err) {
		if (run->diag.n == 0)
			cv_diag_fail(&run->diag, err, "%s: %s", run->opt.machine, cv_strerror(err));
		return err;
	}
	err = cv_view_machine_new(*view, machine, view);
	if (err)
		cv_view_free(machine);
	return err;
}

static int check_words(struct cv_run *run)
{
	if (run->opt.root && !*run->opt.root)
		return cv_diag_fail(&run->diag, CV_EINVAL, "the root to look at: an empty name");
	if (run->opt.machine && !*run->opt.machine)
		return cv_diag_fail(&run->diag, CV_EINVAL, "the machine to lay over: an empty name");
	if (run->opt.record_to && !*run->opt.record_to)
		return cv_diag_fail(&run->diag, CV_EINVAL, "the bundle to write: an empty name");
	for (size_t i = 0; i < run->opt.set_n; i++) {
		const char *s = run->opt.set[i];

		if (s[0] == '\0' || s[0] == '=')
			return cv_diag_fail(&run->diag, CV_EINVAL, "'%s': NAME=VALUE or NAME is needed", s);
	}
	return 0;
}

/* Paths of the command line become absolute ones of the view; a tree has no working directory but its root. */
static const char *absolute(struct cv_arena *a, const char *cwd, const char *path)
{
	return cv_path_clean(a, cv_path_join(a, cwd ? cwd : "/", path));
}

static int settle_selection(struct cv_run *run, const struct cv_view *base, struct cv_selection *sel)
{
	const struct cv_options *opt = &run->opt;
	const struct cv_bundle_info *info = cv_view_bundle_info(base);
	struct cv_strv envs = { 0 };

	if (info && !opt->python && opt->env_n == 0 && !opt->all_envs)
		return cv_selection_from_words(run->arena, info->argv, info->argc, sel);
	*sel = (struct cv_selection){ .all_envs = opt->all_envs, .cwd = opt->root ? NULL : opt->cwd };
	if (opt->python)
		sel->python = strchr(opt->python, '/') ? absolute(run->arena, sel->cwd, opt->python) : opt->python;
	for (size_t i = 0; i < opt->env_n; i++)
		if (!cv_strv_push(run->arena, &envs, absolute(run->arena, sel->cwd, opt->envs[i])))
			return CV_ENOMEM;
	sel->envs = envs.v;
	sel->env_n = envs.n;
	return cv_arena_failed(run->arena) ? CV_ENOMEM : 0;
}

/* What the user named must be there; where a record does not say, the judge will. */
static int check_named(struct cv_run *run, struct cv_view *view, const struct cv_selection *sel)
{
	struct cv_stat st;

	for (size_t i = 0; i < sel->env_n; i++)
		if (cv_view_stat(view, sel->envs[i], &st) == CV_ENOENT)
			return cv_diag_fail(&run->diag, CV_ENOENT, "%s: no such environment", sel->envs[i]);
	if (sel->python && strchr(sel->python, '/') && cv_view_stat(view, sel->python, &st) == CV_ENOENT)
		return cv_diag_fail(&run->diag, CV_ENOENT, "%s: no such interpreter", sel->python);
	return 0;
}

int cv_run_open(struct cv_run *run, struct cv_view **ret_view, struct cv_selection *ret_sel)
{
	struct cv_selection sel;
	struct cv_view *view;
	int err = check_words(run);

	if (!err)
		err = open_base(run, &view);
	if (err)
		return err;
	err = settle_selection(run, view, &sel);
	if (!err)
		err = lay_machine(run, &view);
	if (!err && run->opt.set_n)
		err = cv_view_setenv_new(view, run->opt.set, run->opt.set_n, &view);
	if (!err && run->opt.record_to)
		err = cv_view_record_new(view, &view);
	if (!err)
		err = check_named(run, view, &sel);
	if (err) {
		cv_view_free(view);
		return err;
	}
	*ret_view = view;
	*ret_sel = sel;
	return 0;
}
