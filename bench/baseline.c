/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline LIST: opens and reads what LIST names and does nothing with it, as the measure of what cuvet could be at best.
 *
 * Lines of LIST: "open PATH" opens the file for the lines that follow, "read OFFSET LENGTH" reads a range of it, "stat PATH" and
 * "list PATH" look at a name or a directory.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct totals {
	unsigned long files, reads, stats, lists;
	unsigned long long bytes;
};

static void read_range(int fd, const char *args, struct totals *t)
{
	static char buf[1 << 20];
	char *end;
	unsigned long long off = strtoull(args, &end, 10), len = strtoull(end, NULL, 10);

	t->reads++;
	while (len > 0) {
		size_t want = len < sizeof(buf) ? (size_t)len : sizeof(buf);
		ssize_t n = pread(fd, buf, want, (off_t)off);

		if (n <= 0)
			return;
		t->bytes += (unsigned long long)n;
		off += (unsigned long long)n;
		len -= (unsigned long long)n;
	}
}

static void list_directory(const char *path, struct totals *t)
{
	DIR *d = opendir(path);

	t->lists++;
	if (!d)
		return;
	while (readdir(d))
		;
	closedir(d);
}

static void obey(char *line, int *fd, struct totals *t)
{
	struct stat st;

	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "open ", 5) == 0) {
		if (*fd >= 0)
			close(*fd);
		*fd = open(line + 5, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		t->files++;
	} else if (strncmp(line, "read ", 5) == 0 && *fd >= 0) {
		read_range(*fd, line + 5, t);
	} else if (strncmp(line, "stat ", 5) == 0) {
		t->stats++;
		(void)!lstat(line + 5, &st);
	} else if (strncmp(line, "list ", 5) == 0) {
		list_directory(line + 5, t);
	}
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	struct totals t = { 0 };
	char *line = NULL;
	size_t cap = 0;
	int fd = -1;

	if (!f) {
		fputs("usage: baseline LIST\n", stderr);
		return 2;
	}
	while (getline(&line, &cap, f) > 0)
		obey(line, &fd, &t);
	printf("%lu files, %lu reads, %llu bytes, %lu stats, %lu directories\n", t.files, t.reads, t.bytes, t.stats, t.lists);
	free(line);
	fclose(f);
	return 0;
}
