/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static int read_stream(void *cookie, char *buf, size_t cap, size_t *ret_n)
{
	FILE *f = cookie;

	*ret_n = fread(buf, 1, cap, f);
	return ferror(f) ? CV_EIO : 0;
}

/* NULL after a message. */
static FILE *open_text(const char *name)
{
	FILE *f = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
	struct stat st;

	if (f && fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
		fclose(f);
		f = NULL;
		errno = EISDIR;
	}
	if (!f) {
		bool text = errno == ENOENT && strpbrk(name, " :");

		cli_error("%s: %s", name, strerror(errno));
		if (text)
			cli_error("the arguments are files; text goes through standard input: echo '...' | cuvet explain");
	}
	return f;
}

static void close_all(struct cv_input *in, int n)
{
	for (int i = 0; i < n; i++)
		if (in[i].cookie && in[i].cookie != stdin)
			fclose(in[i].cookie);
	free(in);
}

int cli_cmd_explain(struct cli *c, int argc, char **argv)
{
	const char *standard_input = "-";
	const char *const *names = argc ? (const char *const *)argv : &standard_input;
	int n = argc ? argc : 1, err;
	struct cv_input *in = calloc((size_t)n, sizeof(*in));
	struct cv_doc *doc;

	for (int i = 0; in && i < n; i++) {
		in[i] = (struct cv_input){ .name = strcmp(names[i], "-") ? names[i] : "standard input", .read = read_stream, .cookie = open_text(names[i]) };
		if (!in[i].cookie) {
			close_all(in, n);
			return CV_STATUS_USAGE;
		}
	}
	err = in ? cv_explain(&c->opt, in, (size_t)n, &doc) : CV_ENOMEM;
	if (in)
		close_all(in, n);
	return err ? CV_STATUS_USAGE : cli_finish(c, doc);
}
