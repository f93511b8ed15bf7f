/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed DIR OUT.c: writes DIR/NAME.md as the table of report/pages.h, sorted by name. An empty DIR gives an empty table.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_MAX (256 * 1024)
#define PAGES_MAX 4096

static int is_page(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 3 && strcmp(e->d_name + n - 3, ".md") == 0;
}

/* alphasort() follows the locale; the order of the table must not. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void write_byte(FILE *out, int c)
{
	if (c == '\n')
		fputs("\\n\"\n\t\t\"", out);
	else if (c == '"' || c == '\\' || c == '?')
		fprintf(out, "\\%c", c);
	else if (c < 0x20 || c >= 0x7f)
		fprintf(out, "\\%03o", (unsigned)c);
	else
		fputc(c, out);
}

static int write_page(FILE *out, const char *dir, const char *name)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *in = n > 0 && (size_t)n < sizeof(path) ? fopen(path, "rb") : NULL;
	long size = 0;
	int c;

	if (!in) {
		fprintf(stderr, "embed: %s/%s: %s\n", dir, name, strerror(errno));
		return -1;
	}
	fprintf(out, "\t{ \"%.*s\",\n\t\t\"", (int)(strlen(name) - 3), name);
	while ((c = fgetc(in)) != EOF && c != '\0' && size++ < PAGE_MAX)
		write_byte(out, c);
	fputs("\" },\n", out);
	if (ferror(in) || c != EOF) {
		fprintf(stderr, "embed: %s: unreadable, over %d bytes, or holds a NUL\n", path, PAGE_MAX);
		fclose(in);
		return -1;
	}
	fclose(in);
	return 0;
}

static int write_table(FILE *out, const char *dir, struct dirent **names, int n)
{
	fputs("/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by tools/embed.c from docs/rules/; do not edit. */\n", out);
	fputs("#include \"report/pages.h\"\n\nconst struct cv_page cv_rule_pages[] = {\n", out);
	for (int i = 0; i < n; i++)
		if (write_page(out, dir, names[i]->d_name))
			return -1;
	fprintf(out, "\t{ 0, 0 },\n};\n\nconst size_t cv_rule_pages_n = %d;\n", n);
	return ferror(out) ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct dirent **names = NULL;
	FILE *out;
	int n, err;

	if (argc != 3) {
		fputs("usage: embed DIR OUT.c\n", stderr);
		return 2;
	}
	n = scandir(argv[1], &names, is_page, by_bytes);
	if (n < 0 || n > PAGES_MAX) {
		fprintf(stderr, "embed: %s: %s\n", argv[1], n < 0 ? strerror(errno) : "too many pages");
		return 1;
	}
	out = fopen(argv[2], "wb");
	err = out ? write_table(out, argv[1], names, n) : -1;
	if (out && fclose(out) != 0)
		err = -1;
	if (err) {
		fprintf(stderr, "embed: %s: cannot be written\n", argv[2]);
		remove(argv[2]);
	}
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return err ? 1 : 0;
}
