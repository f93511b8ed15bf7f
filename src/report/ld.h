/* SPDX-License-Identifier: Apache-2.0 */
/* Ld: the document of `cuvet ld`: what the dynamic loader takes for each file asked about. Made by the engine. */
#ifndef CV_REPORT_LD_H
#define CV_REPORT_LD_H

#include "loadmap/loadmap.h"
#include "loadmap/scenario.h"
#include "report/check.h"

struct cv_ld_map {
	const char *asked;           /* as given */
	const struct cv_loadmap *m;  /* NULL: error says why */
	const char *error;
	int err;                     /* the cv_err of it, or 0 */
	const struct cv_scn_run *scn; /* a Python program; NULL: a file */
	const char *failed;           /* the scenario at which it ends, or NULL */
};

struct cv_ld {
	CV_VEC(struct cv_ld_map) maps;
	bool symbols; /* undefined symbols were looked up */
	bool flat;
	const char *why; /* a SONAME or part of a name: show only what leads to it; or NULL */
};

/* What is wrong with one map: troubles that end the load, files that could not be asked about. */
bool cv_report_ld_bad(const struct cv_ld_map *map);
bool cv_report_ld_unknown(const struct cv_ld_map *map);
/* May this request fail? A step of the scenario lives with that. */
bool cv_report_ld_passed(const struct cv_ld_map *map, size_t edge);

/* The macro that what defines a symbol of std::string's two ABIs was built with. */
const char *cv_ld_abi_flag(const char *symbol);

int cv_report_ld_json(const struct cv_ld *r, const struct cv_report_head *head, struct cv_buf *out);
int cv_report_ld_terminal(const struct cv_ld *r, const struct cv_report_head *head, const struct cv_style *style, struct cv_buf *out);

#endif
