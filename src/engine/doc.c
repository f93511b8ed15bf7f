/* SPDX-License-Identifier: Apache-2.0 */
/* What all documents share. */
#include "engine/engine.h"

#define OUTPUT_MAX ((size_t)256 << 20)

static int fill(const struct cv_doc *doc, const struct cv_style *style, struct cv_buf *out)
{
	switch (style->format) {
	case CV_FORMAT_TERMINAL:
		return doc->ops->terminal(doc, style, out);
	case CV_FORMAT_JSON:
		return doc->ops->json(doc, out);
	case CV_FORMAT_FACTS:
		return doc->ops->facts ? doc->ops->facts(doc, out) : CV_ENOTSUP;
	case CV_FORMAT_MARKDOWN:
		return doc->ops->markdown ? doc->ops->markdown(doc, out) : CV_ENOTSUP;
	}
	return CV_EINVAL;
}

int cv_doc_write(const struct cv_doc *doc, const struct cv_style *style, cv_write_fn *write, void *cookie)
{
	struct cv_buf out;
	int err;

	cv_buf_init(&out, OUTPUT_MAX);
	err = fill(doc, style, &out);
	if (!err)
		err = write(cookie, cv_buf_str(&out), out.n);
	cv_buf_release(&out);
	return err < 0 ? err : 0;
}

enum cv_status cv_doc_status(const struct cv_doc *doc, const struct cv_options *opt)
{
	return doc->ops->status(doc, opt);
}

void cv_doc_free(struct cv_doc *doc)
{
	if (doc)
		cv_arena_free(doc->arena);
}

const char *cv_version(void)
{
	return CUVET_VERSION;
}
