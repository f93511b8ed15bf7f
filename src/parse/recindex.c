/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/recindex.h"

#include <inttypes.h>

#define TYPE_LETTERS "rdlcbps?"
#define FIELD_MAX 4096 /* escaped paths for the look-up; longer ones are not found */

static const char *const op_names[CV_REC_OPS] = {
	[CV_REC_ACCESS] = "access",   [CV_REC_ENV] = "env",   [CV_REC_IDS] = "ids",   [CV_REC_LIST] = "list",
	[CV_REC_LSTAT] = "lstat",     [CV_REC_META] = "meta", [CV_REC_OPEN] = "open", [CV_REC_READ] = "read",
	[CV_REC_READLINK] = "readlink", [CV_REC_REALPATH] = "realpath", [CV_REC_STAT] = "stat",
};

static const struct {
	const char *name;
	int err;
} err_names[] = {
	{ "eacces", CV_EACCES }, { "einval", CV_EINVAL },   { "eio", CV_EIO },       { "elimit", CV_ELIMIT },   { "eloop", CV_ELOOP },
	{ "enoent", CV_ENOENT }, { "enotdir", CV_ENOTDIR }, { "enotreg", CV_ENOTREG }, { "enotsup", CV_ENOTSUP },
};

#define ERR_N (sizeof(err_names) / sizeof(err_names[0]))

bool cv_rec_err_is_answer(int err)
{
	for (size_t i = 0; i < ERR_N; i++)
		if (err_names[i].err == err)
			return true;
	return false;
}

/* --- writing --- */

static bool is_plain(unsigned char c)
{
	return c > 0x20 && c < 0x7f && c != '%';
}

/* Writes s escaped to out, which has room for 3 bytes a byte and one more; returns the end. */
static char *escape(char *out, const char *s)
{
	static const char digits[] = "0123456789ABCDEF";

	if (s[0] == '\0')
		*out++ = '%';
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (is_plain(c)) {
			*out++ = (char)c;
			continue;
		}
		*out++ = '%';
		*out++ = digits[c >> 4];
		*out++ = digits[c & 15];
	}
	return out;
}

static void put_field(struct cv_buf *out, const char *s)
{
	char piece[3 * 64];
	char part[65];
	size_t n = strlen(s);

	do {
		size_t len = n < 64 ? n : 64;

		memcpy(part, s, len);
		part[len] = '\0';
		cv_buf_add(out, piece, (size_t)(escape(piece, part) - piece));
		s += len;
		n -= len;
	} while (n > 0);
}

/* "rwx" or less of it, "-" for none; returns the end. */
static char *access_letters(char *out, unsigned mode)
{
	if (!mode)
		*out++ = '-';
	if (mode & 4)
		*out++ = 'r';
	if (mode & 2)
		*out++ = 'w';
	if (mode & 1)
		*out++ = 'x';
	return out;
}

static void put_args(struct cv_buf *out, const struct cv_rec *r)
{
	char letters[4];

	if (r->op == CV_REC_READ) {
		cv_buf_printf(out, " %015" PRIu64 "+%" PRIu64 " ", r->read.off, r->read.len);
	} else if (r->op == CV_REC_ACCESS) {
		cv_buf_printf(out, " %.*s ", (int)(access_letters(letters, r->mode) - letters), letters);
	} else {
		cv_buf_puts(out, " - ");
	}
}

static void put_answer(struct cv_buf *out, const struct cv_rec *r)
{
	const struct cv_rec_stat *st;

	switch (r->op) {
	case CV_REC_ENV:
	case CV_REC_READLINK:
	case CV_REC_REALPATH:
		cv_buf_putc(out, ' ');
		put_field(out, r->text);
		break;
	case CV_REC_IDS:
		cv_buf_printf(out, " %" PRIu32 " %" PRIu32, r->ids.uid, r->ids.gid);
		break;
	case CV_REC_LIST:
	case CV_REC_META:
		for (size_t i = 0; i < r->words.n; i++) {
			cv_buf_putc(out, ' ');
			put_field(out, r->words.v[i]);
		}
		break;
	case CV_REC_LSTAT:
	case CV_REC_STAT:
		st = r->stat;
		cv_buf_printf(out, " %c %" PRIo32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32,
			      st->type, st->mode, st->uid, st->gid, st->size, st->dev, st->ino, st->rdev_major, st->rdev_minor);
		break;
	case CV_REC_OPEN:
		cv_buf_printf(out, " %" PRIu64, r->size);
		break;
	case CV_REC_READ:
		cv_buf_printf(out, " %" PRIu64, r->read.pos);
		break;
	case CV_REC_ACCESS:
	case CV_REC_OPS:
		break;
	}
}

void cv_rec_write(struct cv_buf *out, const struct cv_rec *r)
{
	const char *word = "ok";

	cv_buf_puts(out, op_names[r->op]);
	cv_buf_putc(out, ' ');
	put_field(out, r->path);
	put_args(out, r);
	for (size_t i = 0; r->err && i < ERR_N; i++)
		if (err_names[i].err == r->err)
			word = err_names[i].name;
	cv_buf_puts(out, word);
	if (!r->err)
		put_answer(out, r);
	cv_buf_putc(out, '\n');
}

/* --- reading --- */

struct parser {
	struct cv_arena *a;
	struct cv_diag *d;
	const char *name;
	unsigned line_no;
};

static int bad(struct parser *p, const char *what)
{
	return cv_diag_fail(p->d, CV_EFORMAT, "%s: line %u: %s", p->name, p->line_no, what);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The field as a C string, or NULL if it is not well formed or memory is out. */
static const char *unescape(struct parser *p, struct cv_str field)
{
	char *out = cv_arena_alloc(p->a, field.n + 1);
	size_t n = 0;

	if (!out || field.n == 0)
		return NULL;
	if (cv_str_is(field, "%"))
		return out;
	for (size_t i = 0; i < field.n; i++) {
		int hi, lo;

		if (field.p[i] != '%') {
			if (!is_plain((unsigned char)field.p[i]))
				return NULL;
			out[n++] = field.p[i];
			continue;
		}
		hi = i + 2 < field.n ? hex_digit(field.p[i + 1]) : -1;
		lo = i + 2 < field.n ? hex_digit(field.p[i + 2]) : -1;
		if (hi < 0 || lo < 0 || (hi == 0 && lo == 0))
			return NULL;
		out[n++] = (char)(hi * 16 + lo);
		i += 2;
	}
	return out;
}

static bool take_u64(struct cv_str *rest, uint64_t *ret)
{
	struct cv_str field;

	return cv_str_split(rest, ' ', &field) && cv_str_u64(field, ret);
}

static bool take_u32(struct cv_str *rest, uint32_t *ret)
{
	uint64_t n;

	if (!take_u64(rest, &n) || n > UINT32_MAX)
		return false;
	*ret = (uint32_t)n;
	return true;
}

static bool parse_octal(struct cv_str s, uint32_t *ret)
{
	uint32_t n = 0;

	if (s.n == 0 || s.n > 5)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '7')
			return false;
		n = n * 8 + (uint32_t)(s.p[i] - '0');
	}
	*ret = n;
	return n <= 07777;
}

static int parse_stat(struct parser *p, struct cv_str rest, struct cv_rec *r)
{
	struct cv_rec_stat *st = CV_NEW(p->a, struct cv_rec_stat);
	struct cv_str field;

	if (!st)
		return CV_ENOMEM;
	if (!cv_str_split(&rest, ' ', &field) || field.n != 1 || !strchr(TYPE_LETTERS, field.p[0]))
		return bad(p, "bad file type");
	st->type = field.p[0];
	if (!cv_str_split(&rest, ' ', &field) || !parse_octal(field, &st->mode))
		return bad(p, "bad file mode");
	if (!take_u32(&rest, &st->uid) || !take_u32(&rest, &st->gid) || !take_u64(&rest, &st->size) || !take_u64(&rest, &st->dev) ||
	    !take_u64(&rest, &st->ino) || !take_u32(&rest, &st->rdev_major) || !take_u32(&rest, &st->rdev_minor) || rest.n)
		return bad(p, "bad file status");
	r->stat = st;
	return 0;
}

static int parse_words(struct parser *p, struct cv_str rest, struct cv_rec *r)
{
	struct cv_str count = rest, field;
	const char **v;
	size_t n = 0;

	while (cv_str_split(&count, ' ', &field))
		n++;
	if (n > CV_RECINDEX_WORDS_MAX)
		return cv_diag_fail(p->d, CV_ELIMIT, "%s: line %u: too many words", p->name, p->line_no);
	v = CV_NEW_ARRAY(p->a, const char *, n);
	if (!v)
		return CV_ENOMEM;
	for (size_t i = 0; cv_str_split(&rest, ' ', &field); i++) {
		v[i] = unescape(p, field);
		if (!v[i])
			return bad(p, "bad word");
		if (r->op != CV_REC_LIST)
			continue;
		if (v[i][0] == '\0' || !strchr(TYPE_LETTERS, v[i][0]) || v[i][1] == '\0' || strchr(v[i], '/'))
			return bad(p, "bad directory entry");
		if (i > 0 && strcmp(v[i - 1] + 1, v[i] + 1) >= 0)
			return bad(p, "directory entries are not sorted");
	}
	r->words.v = v;
	r->words.n = n;
	return 0;
}

static int parse_text(struct parser *p, struct cv_str rest, struct cv_rec *r)
{
	r->text = cv_str_chr(rest, ' ') < 0 ? unescape(p, rest) : NULL;
	return r->text ? 0 : bad(p, "bad text");
}

static int parse_args(struct parser *p, struct cv_str args, struct cv_rec *r)
{
	struct cv_str off;

	if (r->op == CV_REC_ACCESS) {
		if (cv_str_is(args, "-"))
			return 0;
		r->mode |= cv_str_eat(&args, "r") ? 4u : 0;
		r->mode |= cv_str_eat(&args, "w") ? 2u : 0;
		r->mode |= cv_str_eat(&args, "x") ? 1u : 0;
		return args.n == 0 && r->mode ? 0 : bad(p, "bad access mode");
	}
	if (r->op == CV_REC_READ) {
		if (!cv_str_split(&args, '+', &off) || off.n != 15 || !take_u64(&off, &r->read.off) || !take_u64(&args, &r->read.len) ||
		    args.n || r->read.len == 0 || r->read.len > CV_RECINDEX_OFFSET_MAX)
			return bad(p, "bad range");
		return 0;
	}
	return cv_str_is(args, "-") ? 0 : bad(p, "unknown argument");
}

static int parse_answer(struct parser *p, struct cv_str rest, struct cv_rec *r)
{
	switch (r->op) {
	case CV_REC_ACCESS:
		return rest.n ? bad(p, "unknown words at the end") : 0;
	case CV_REC_ENV:
	case CV_REC_READLINK:
	case CV_REC_REALPATH:
		return parse_text(p, rest, r);
	case CV_REC_IDS:
		return take_u32(&rest, &r->ids.uid) && take_u32(&rest, &r->ids.gid) && !rest.n ? 0 : bad(p, "bad ids");
	case CV_REC_LIST:
	case CV_REC_META:
		return parse_words(p, rest, r);
	case CV_REC_LSTAT:
	case CV_REC_STAT:
		return parse_stat(p, rest, r);
	case CV_REC_OPEN:
		return take_u64(&rest, &r->size) && !rest.n ? 0 : bad(p, "bad size");
	case CV_REC_READ:
		return take_u64(&rest, &r->read.pos) && !rest.n ? 0 : bad(p, "bad position");
	case CV_REC_OPS:
		break;
	}
	return CV_EINVAL;
}

static int parse_outcome(struct parser *p, struct cv_str rest, struct cv_rec *r)
{
	struct cv_str word;

	if (!cv_str_split(&rest, ' ', &word))
		return bad(p, "no outcome");
	if (cv_str_is(word, "ok"))
		return parse_answer(p, rest, r);
	for (size_t i = 0; i < ERR_N; i++)
		if (cv_str_is(word, err_names[i].name))
			r->err = err_names[i].err;
	return r->err && rest.n == 0 ? 0 : bad(p, "unknown outcome");
}

static int parse_line(struct parser *p, struct cv_str line, struct cv_rec *r)
{
	struct cv_str rest = line, op, path, args;
	int err;

	if (!cv_str_split(&rest, ' ', &op) || !cv_str_split(&rest, ' ', &path) || !cv_str_split(&rest, ' ', &args))
		return bad(p, "too few fields");
	while (r->op < CV_REC_OPS && !cv_str_is(op, op_names[r->op]))
		r->op++;
	if (r->op == CV_REC_OPS)
		return bad(p, "unknown operation");
	r->path = unescape(p, path);
	if (!r->path)
		return bad(p, "bad path");
	err = parse_args(p, args, r);
	return err < 0 ? err : parse_outcome(p, rest, r);
}

static int cmp_lines(struct cv_str a, struct cv_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

/* cv_str_line() drops a carriage return, which no line of an index has. */
static bool ends_in_cr(struct cv_str line, struct cv_str rest)
{
	return line.p + line.n < rest.p && line.p[line.n] == '\r';
}

/* Of two lines in order: their ranges must be so too. */
static bool ranges_overlap(const struct cv_rec *a, const struct cv_rec *b)
{
	if (a->op != CV_REC_READ || b->op != CV_REC_READ || a->err || b->err || !cv_streq(a->path, b->path))
		return false;
	return b->read.off < a->read.off + a->read.len;
}

static int parse_lines(struct parser *p, struct cv_str rest, struct cv_rec *v, struct cv_str *lines, size_t *n)
{
	const struct cv_rec *last_range = NULL;
	struct cv_str line;

	while (cv_str_line(&rest, &line, &p->line_no)) {
		int r;

		if (ends_in_cr(line, rest))
			return bad(p, "carriage return at the end");
		if (*n > 0 && cmp_lines(lines[*n - 1], line) >= 0)
			return bad(p, "lines are not sorted");
		r = parse_line(p, line, &v[*n]);
		if (r < 0)
			return r;
		if (last_range && ranges_overlap(last_range, &v[*n]))
			return bad(p, "ranges overlap");
		if (v[*n].op == CV_REC_READ && !v[*n].err)
			last_range = &v[*n];
		lines[(*n)++] = line;
	}
	return 0;
}

int cv_recindex_parse(struct cv_str text, const char *name, struct cv_arena *a, struct cv_diag *d, struct cv_recindex *ret)
{
	struct parser p = { .a = a, .d = d, .name = name };
	struct cv_str rest = text, line;
	struct cv_str *lines;
	struct cv_rec *v;
	size_t max = 1, n = 0;
	int r;

	if (text.n > CV_RECINDEX_MAX)
		return cv_diag_fail(d, CV_ELIMIT, "%s: over %zu bytes", name, CV_RECINDEX_MAX);
	if (!cv_str_line(&rest, &line, &p.line_no) || !cv_str_is(line, CV_RECINDEX_HEAD))
		return cv_diag_fail(d, CV_EFORMAT, "%s: line 1: not \"%s\"", name, CV_RECINDEX_HEAD);
	if (ends_in_cr(line, rest))
		return bad(&p, "carriage return at the end");
	for (size_t i = 0; i < rest.n; i++)
		max += rest.p[i] == '\n';
	if (max > CV_RECINDEX_LINES_MAX)
		return cv_diag_fail(d, CV_ELIMIT, "%s: over %d lines", name, CV_RECINDEX_LINES_MAX);
	v = CV_NEW_ARRAY(a, struct cv_rec, max);
	lines = CV_NEW_ARRAY(a, struct cv_str, max);
	if (!v || !lines)
		return CV_ENOMEM;
	r = parse_lines(&p, rest, v, lines, &n);
	if (r < 0 || cv_arena_failed(a))
		return cv_arena_failed(a) ? CV_ENOMEM : r;
	*ret = (struct cv_recindex){ v, lines, n };
	return 0;
}

/* <0, 0, >0: line sorts before all that start with prefix, is one of them, sorts behind them. */
static int cmp_prefix(struct cv_str line, struct cv_str prefix)
{
	size_t n = line.n < prefix.n ? line.n : prefix.n;
	int c = n ? memcmp(line.p, prefix.p, n) : 0;

	return c ? c : -(line.n < prefix.n);
}

/* The first line that sorts behind prefix, or, with reach, behind all that start with it. */
static size_t bound(const struct cv_recindex *x, struct cv_str prefix, bool reach)
{
	size_t lo = 0, hi = x->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = cmp_prefix(x->lines[mid], prefix);

		if (c < 0 || (c == 0 && reach))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct cv_rec *cv_recindex_find(const struct cv_recindex *x, enum cv_rec_op op, const char *path, unsigned mode,
				      size_t *ret_n)
{
	char text[3 * FIELD_MAX + 32];
	size_t n = strlen(op_names[op]);
	struct cv_str prefix = { text, 0 };
	size_t from, to;
	char *p = text;

	if (strlen(path) > FIELD_MAX)
		return NULL;
	memcpy(p, op_names[op], n);
	p += n;
	*p++ = ' ';
	p = escape(p, path);
	*p++ = ' ';
	if (op == CV_REC_ACCESS) {
		p = access_letters(p, mode);
		*p++ = ' ';
	}
	prefix.n = (size_t)(p - text);
	from = bound(x, prefix, false);
	to = bound(x, prefix, true);
	if (from == to)
		return NULL;
	*ret_n = to - from;
	return &x->v[from];
}
