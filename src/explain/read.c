/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From bytes to lines: UTF-16, pieces of whole lines, cleaning; then the scanner and the readers.
 *
 * The scanner sees everything. Readers see the first HEAD_MAX and the last TAIL_MAX bytes of a text: that is where people paste
 * versions, and a training log between them would cost seconds.
 */
#include <stdlib.h>

#include "explain/room.h"

#define PIECE_MAX ((size_t)1 << 20)
#define HEAD_MAX ((size_t)2 << 20)
#define TAIL_MAX ((size_t)256 << 10)
#define RECOGNISED_MAX 500

enum coding { CODING_UNKNOWN, CODING_BYTES, CODING_UTF16LE, CODING_UTF16BE };

struct cv_explain {
	struct cv_arena *a;
	const struct cv_kb *kb;
	struct cv_scan *scan;
	struct cv_txt txt;
	struct cv_keeps keeps;
	CV_VEC(struct cv_recognised) recognised;
	const char *file;
	char *piece, *clean, *tail; /* on the heap: PIECE_MAX, PIECE_MAX, TAIL_MAX */
	size_t piece_n, tail_n;
	uint64_t seen;              /* bytes of this text that were handled */
	unsigned line;              /* number of the next line */
	unsigned telling;           /* number of the line whose readers speak */
	enum coding coding;
	int odd;                    /* half of a UTF-16 unit that waits for the other, -1: none */
};

static void on_told(void *cookie, const struct cv_told *told)
{
	struct cv_explain *x = cookie;
	struct cv_kept *k;
	struct cv_recognised *r = x->recognised.n ? &x->recognised.v[x->recognised.n - 1] : NULL;

	if (x->keeps.v.n >= CV_KEPT_MAX || !(k = CV_VEC_PUSH(x->a, &x->keeps.v)))
		return;
	*k = (struct cv_kept){ .what = told->what, .weight = told->weight, .file = x->file, .line = x->telling, .station = x->txt.station };
	k->subject = cv_str_dup(x->a, told->subject);
	k->value = cv_str_dup(x->a, told->value);
	k->extra = cv_str_dup(x->a, told->extra);
	if (told->what == CV_TELL_COMMAND || told->what == CV_TELL_EXTENT)
		return;
	for (size_t i = 0; i < 4 && r && r > x->recognised.v && !cv_streq(r->as, told->as); i++)
		r--;
	if (r && cv_streq(r->as, told->as) && r->file == x->file && r->last + 20 >= x->telling) {
		r->last = r->last > x->telling ? r->last : x->telling;
		return;
	}
	if (x->recognised.n < RECOGNISED_MAX && (r = CV_VEC_PUSH(x->a, &x->recognised)))
		*r = (struct cv_recognised){ x->file, told->as, x->telling, x->telling };
}

int cv_explain_new(const struct cv_kb *kb, struct cv_arena *a, struct cv_explain **ret)
{
	struct cv_explain *x = CV_NEW(a, struct cv_explain);
	int err = x ? cv_scan_new(kb, a, &x->scan) : CV_ENOMEM;

	if (err)
		return err;
	x->a = a;
	x->kb = kb;
	x->piece = malloc(PIECE_MAX);
	x->clean = malloc(PIECE_MAX);
	x->tail = malloc(TAIL_MAX);
	if (!x->piece || !x->clean || !x->tail) {
		cv_explain_free(x);
		return CV_ENOMEM;
	}
	x->txt.tell = on_told;
	x->txt.cookie = x;
	*ret = x;
	return 0;
}

void cv_explain_free(struct cv_explain *x)
{
	if (!x)
		return;
	cv_scan_free(x->scan);
	free(x->piece);
	free(x->clean);
	free(x->tail);
	x->scan = NULL;
	x->piece = x->clean = x->tail = NULL;
}

void cv_explain_begin(struct cv_explain *x, const char *file)
{
	x->file = cv_arena_strdup(x->a, file);
	x->piece_n = x->tail_n = 0;
	x->seen = 0;
	x->line = 1;
	x->coding = CODING_UNKNOWN;
	x->odd = -1;
	cv_txt_begin(&x->txt, x->file);
}

static void read_line(struct cv_explain *x, struct cv_str line, unsigned number)
{
	x->telling = number;
	cv_txt_line(&x->txt, line);
}

/* Cleans each line into x->clean; with readers, they get it too. Returns the bytes in x->clean. */
static size_t clean_piece(struct cv_explain *x, struct cv_str piece, bool readers)
{
	struct cv_str line;
	unsigned number = x->line - 1;
	size_t n = 0;

	while (cv_str_line(&piece, &line, &number)) {
		struct cv_str c = cv_txt_clean(line, x->clean + n, PIECE_MAX - n);

		memmove(x->clean + n, c.p, c.n); /* prefixes that were dropped */
		if (readers)
			read_line(x, (struct cv_str){ x->clean + n, c.n }, number);
		n += c.n;
		if (n < PIECE_MAX)
			x->clean[n++] = '\n';
	}
	return n;
}

static void keep_tail(struct cv_explain *x, struct cv_str s)
{
	size_t keep;

	if (s.n >= TAIL_MAX) {
		memcpy(x->tail, s.p + s.n - TAIL_MAX, TAIL_MAX);
		x->tail_n = TAIL_MAX;
		return;
	}
	keep = x->tail_n + s.n > TAIL_MAX ? TAIL_MAX - s.n : x->tail_n;
	memmove(x->tail, x->tail + x->tail_n - keep, keep);
	memcpy(x->tail + keep, s.p, s.n);
	x->tail_n = keep + s.n;
}

static unsigned count_lines(struct cv_str s)
{
	unsigned n = 0;

	for (const char *p = s.p, *end = s.p + s.n; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
		n++;
	return n;
}

/* Whole lines (or a line too long for the buffer). */
static int handle(struct cv_explain *x, struct cv_str piece)
{
	bool head = x->seen < HEAD_MAX, dirty = memchr(piece.p, 0x1b, piece.n) != NULL;
	struct cv_str text = piece;
	int err;

	if (head || dirty)
		text = (struct cv_str){ x->clean, clean_piece(x, piece, head) };
	if (!head)
		keep_tail(x, piece);
	err = cv_scan_lines(x->scan, x->file, text.p, text.n, x->line);
	x->seen += piece.n;
	x->line += count_lines(piece);
	return err;
}

/* Hands on what is complete in the buffer; the rest moves to its front. */
static int flush_lines(struct cv_explain *x, bool all)
{
	size_t use = x->piece_n;
	int err;

	while (!all && use && x->piece[use - 1] != '\n')
		use--;
	if (!use && x->piece_n == PIECE_MAX)
		use = x->piece_n;
	if (!use)
		return 0;
	err = handle(x, (struct cv_str){ x->piece, use });
	memmove(x->piece, x->piece + use, x->piece_n - use);
	x->piece_n -= use;
	return err;
}

static int put(struct cv_explain *x, const char *p, size_t n)
{
	while (n) {
		size_t room = PIECE_MAX - x->piece_n, take = n < room ? n : room;
		int err;

		memcpy(x->piece + x->piece_n, p, take);
		x->piece_n += take;
		p += take;
		n -= take;
		err = x->piece_n == PIECE_MAX ? flush_lines(x, false) : 0;
		if (err)
			return err;
	}
	return 0;
}

static int put_char(struct cv_explain *x, unsigned c)
{
	char u[3];

	if (c < 0x80) {
		u[0] = (char)c;
		return put(x, u, 1);
	}
	if (c < 0x800) {
		u[0] = (char)(0xc0 | c >> 6);
		u[1] = (char)(0x80 | (c & 0x3f));
		return put(x, u, 2);
	}
	if (c >= 0xd800 && c < 0xe000) /* half of a character beyond the first plane: none that a message holds */
		c = 0xfffd;
	u[0] = (char)(0xe0 | c >> 12);
	u[1] = (char)(0x80 | (c >> 6 & 0x3f));
	u[2] = (char)(0x80 | (c & 0x3f));
	return put(x, u, 3);
}

static int put_utf16(struct cv_explain *x, const char *p, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		unsigned byte = (unsigned char)p[i];

		if (x->odd < 0) {
			x->odd = (int)byte;
			continue;
		}
		byte = x->coding == CODING_UTF16LE ? byte << 8 | (unsigned)x->odd : (unsigned)x->odd << 8 | byte;
		x->odd = -1;
		err = byte == 0xfeff ? 0 : put_char(x, byte);
	}
	return err;
}

static enum coding coding_of(const unsigned char *p, size_t n)
{
	if (n >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] && !p[1])))
		return CODING_UTF16LE;
	if (n >= 2 && ((p[0] == 0xfe && p[1] == 0xff) || (!p[0] && p[1])))
		return CODING_UTF16BE;
	return CODING_BYTES;
}

int cv_explain_feed(struct cv_explain *x, const char *p, size_t n)
{
	if (!n)
		return 0;
	if (x->coding == CODING_UNKNOWN) {
		x->coding = coding_of((const unsigned char *)p, n);
		if (x->coding == CODING_BYTES && n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
			p += 3;
			n -= 3;
		}
	}
	return x->coding == CODING_BYTES ? put(x, p, n) : put_utf16(x, p, n);
}

static void read_tail(struct cv_explain *x)
{
	struct cv_str rest = { x->tail, x->tail_n }, line;
	unsigned number = x->line - 1 - count_lines(rest);

	if (!x->tail_n)
		return;
	cv_txt_begin(&x->txt, x->file);
	(void)cv_str_line(&rest, &line, &number); /* cut */
	while (cv_str_line(&rest, &line, &number))
		read_line(x, cv_txt_clean(line, x->clean, PIECE_MAX), number);
}

int cv_explain_end(struct cv_explain *x)
{
	int err = flush_lines(x, true);

	read_tail(x);
	return err ? err : cv_arena_failed(x->a) ? CV_ENOMEM : 0;
}

static void fill_hits(struct cv_explain *x, struct cv_facts *f)
{
	const struct cv_hit *hits;
	size_t n = cv_scan_hits(x->scan, &hits);

	for (size_t i = 0; i < n; i++) {
		const struct cv_hit *h = &hits[i];
		struct cv_prov prov = { .collector = "text", .path = h->file, .line = h->line, .offset = -1 };
		struct cv_subject *s = cv_facts_add(f, CV_KIND_hit, cv_arena_printf(x->a, "%05zu", i));

		cv_facts_str(f, s, CV_F_hit_message, cv_scan_id(x->scan, h->message), prov);
		cv_facts_str(f, s, CV_F_hit_text, h->text, prov);
		cv_facts_list(f, s, CV_F_hit_captures, &h->captures, prov);
		cv_facts_int(f, s, CV_F_hit_count, h->count, prov);
	}
}

int cv_explain_finish(struct cv_explain *x, struct cv_facts *facts, bool messages_only)
{
	struct cv_prov self = { .collector = "text", .offset = -1 };

	if (!messages_only) {
		bool mixed = cv_sift(&x->keeps, x->scan, x->kb, x->a);

		cv_fill(facts, x->kb, x->a, &x->keeps);
		cv_imply(facts, x->kb, x->a);
		if (mixed)
			cv_facts_bool(facts, cv_facts_add(facts, CV_KIND_machine, ""), CV_F_machine_mixed, true, self);
	}
	fill_hits(x, facts);
	return cv_arena_failed(x->a) ? CV_ENOMEM : 0;
}

size_t cv_explain_recognised(const struct cv_explain *x, const struct cv_recognised **ret)
{
	*ret = x->recognised.v;
	return x->recognised.n;
}
