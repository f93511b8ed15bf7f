/* SPDX-License-Identifier: Apache-2.0 */
/* Where documents go. A file appears whole or not at all; a full disk or a closed pipe is an error, never silence. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#define LINKS_MAX 40 /* as the kernel follows */

static int write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return CV_EIO;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

static int write_fd(void *cookie, const char *p, size_t n)
{
	return write_all(*(int *)cookie, p, n);
}

int cli_put(const char *text, size_t n)
{
	if (write_all(STDOUT_FILENO, text, n) == 0)
		return 0;
	cli_error("standard output: %s", strerror(errno));
	return CV_STATUS_USAGE;
}

static int write_stdout(struct cli *c, const struct cv_doc *doc)
{
	int fd = STDOUT_FILENO;
	int err;

	errno = 0;
	err = cv_doc_write(doc, &c->style, write_fd, &fd);
	if (err)
		cli_error("standard output: %s", err == CV_EIO && errno ? strerror(errno) : cv_strerror(err));
	return err;
}

/* fd is closed in any case. */
static int write_and_close(struct cli *c, const struct cv_doc *doc, int fd)
{
	int err = cv_doc_write(doc, &c->style, write_fd, &fd);

	if (close(fd) != 0 && !err)
		err = CV_EIO;
	return err;
}

/* Devices and pipes cannot be replaced: they are written to. */
static int write_special(struct cli *c, const struct cv_doc *doc)
{
	int fd = open(c->output, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? CV_EIO : write_and_close(c, doc, fd);
}

static int write_renamed(struct cli *c, const struct cv_doc *doc, const char *target)
{
	size_t cap = strlen(target) + 16;
	char *temp = malloc(cap);
	mode_t mask = umask(0);
	int fd, err;

	umask(mask);
	if (!temp)
		return CV_ENOMEM;
	snprintf(temp, cap, "%s.XXXXXX", target);
	fd = mkstemp(temp);
	if (fd < 0) {
		free(temp);
		return CV_EIO;
	}
	err = fchmod(fd, 0666 & ~mask) == 0 ? 0 : CV_EIO;
	if (err)
		close(fd);
	else
		err = write_and_close(c, doc, fd);
	if (!err && rename(temp, target) != 0)
		err = CV_EIO;
	if (err) {
		int why = errno;

		unlink(temp);
		errno = why;
	}
	free(temp);
	return err;
}

/* What a link says, beside the directory that it lies in; NULL if name is no link. */
static char *link_says(const char *name)
{
	char to[4096];
	ssize_t n = readlink(name, to, sizeof(to));
	const char *slash = strrchr(name, '/');
	size_t dir = n > 0 && to[0] != '/' && slash ? (size_t)(slash - name) + 1 : 0;
	char *out;

	if (n <= 0 || (size_t)n == sizeof(to) || !(out = malloc(dir + (size_t)n + 1)))
		return NULL;
	memcpy(out, name, dir);
	memcpy(out + dir, to, (size_t)n);
	out[dir + (size_t)n] = '\0';
	return out;
}

char *cli_target(const char *name)
{
	char *at = strdup(name), *next;

	for (int i = 0; at && i < LINKS_MAX; i++) {
		next = link_says(at);
		if (!next)
			return at;
		free(at);
		at = next;
	}
	free(at);
	return NULL;
}

static int write_file(struct cli *c, const struct cv_doc *doc)
{
	char *target = cli_target(c->output); /* a link stays a link */
	struct stat st;
	int err;

	errno = 0;
	if (!target)
		err = CV_ELOOP;
	else if (stat(c->output, &st) == 0 && !S_ISREG(st.st_mode))
		err = write_special(c, doc);
	else
		err = write_renamed(c, doc, target);
	if (err)
		cli_error("%s: %s", c->output, err == CV_EIO && errno ? strerror(errno) : cv_strerror(err));
	free(target);
	return err;
}

int cli_finish(struct cli *c, struct cv_doc *doc)
{
	int status = (int)cv_doc_status(doc, &c->opt);

	cli_settle_style(c);
	if (c->output ? write_file(c, doc) : write_stdout(c, doc))
		status = CV_STATUS_USAGE;
	cv_doc_free(doc);
	return status;
}
