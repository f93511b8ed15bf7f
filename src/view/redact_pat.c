/* SPDX-License-Identifier: Apache-2.0 */
#include "view/redact_pat.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

#define N(list) (sizeof(list) / sizeof((list)[0]))

static bool is_alnum(char c)
{
	return isalnum((unsigned char)c);
}

void cv_pat_blot(char *p, size_t n, char c)
{
	for (size_t i = 0; i < n; i++)
		if (is_alnum(p[i]))
			p[i] = c;
}

/* --- UUIDs --- */

static bool is_dash_place(size_t i)
{
	return i == 8 || i == 13 || i == 18 || i == 23;
}

/* How many bytes at p look like the beginning of a UUID. */
static size_t uuid_like(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < CV_PAT_UUID_LEN; i++)
		if (is_dash_place(i) ? p[i] != '-' : !isxdigit((unsigned char)p[i]))
			break;
	return i;
}

void cv_pat_uuids(char *p, size_t n, cv_pat_fn *fn, void *cookie)
{
	char *end = p + n, *dash = p;

	/* the first dash is rare enough to look for */
	while (dash < end && (dash = memchr(dash, '-', (size_t)(end - dash)))) {
		char *at = dash - 8;

		dash++;
		if (at < p || (at > p && is_alnum(at[-1])) || uuid_like(at, (size_t)(end - at)) != CV_PAT_UUID_LEN)
			continue;
		if (at + CV_PAT_UUID_LEN < end && is_alnum(at[CV_PAT_UUID_LEN]))
			continue;
		fn(cookie, at, CV_PAT_UUID_LEN);
		dash = at + CV_PAT_UUID_LEN;
	}
}

void cv_pat_short_uuids(char *p, size_t n, cv_pat_fn *fn, void *cookie)
{
	char *start = p, *end = p + n;

	while (p < end && (p = memchr(p, '-', (size_t)(end - p)))) {
		bool prefix = p - start >= 3 && (memcmp(p - 3, "GPU", 3) == 0 || memcmp(p - 3, "MIG", 3) == 0);
		size_t len;

		p++;
		if (!prefix)
			continue;
		len = uuid_like(p, (size_t)(end - p));
		if (len >= 4 && len < CV_PAT_UUID_LEN && (p + len == end || !is_alnum(p[len])))
			fn(cookie, p, len);
	}
}

/* --- secrets --- */

static bool ends_address(char c)
{
	return isspace((unsigned char)c) || c == '\0' || strchr("/\"'<>\\`(){}[],;?#", c) != NULL;
}

static void blot_between(char *p, char *end)
{
	for (; p < end; p++)
		if (*p != ':')
			*p = 'x';
}

void cv_pat_addresses(char *p, size_t n)
{
	char *end = p + n;

	while (p < end && (p = memmem(p, (size_t)(end - p), "://", 3))) {
		char *user = p += 3, *at = NULL;

		while (p < end && !ends_address(*p)) {
			if (*p == '@')
				at = p;
			p++;
		}
		if (at && !(at - user == 3 && memcmp(user, "git", 3) == 0))
			blot_between(user, at);
		if (end - p > 3 && memcmp(p, "/t/", 3) == 0) { /* host/t/TOKEN/channel */
			char *token = p += 3;

			while (p < end && !ends_address(*p))
				p++;
			blot_between(token, p);
		}
	}
}

static bool ends_with_word(const char *p, size_t n, const char *word)
{
	size_t len = strlen(word);

	return n >= len && strncasecmp(p + n - len, word, len) == 0;
}

bool cv_pat_secret_name(const char *p, size_t n)
{
	static const char *const words[] = {
		"token", "password", "passwd", "secret", "api_key", "apikey", "api-key", "access_key", "accesskey", "secret_key",
		"private_key", "credential", "credentials", "passphrase", "_pat", "cookie",
	};

	for (size_t i = 0; i < N(words); i++)
		if (ends_with_word(p, n, words[i]))
			return true;
	return false;
}

static bool is_key_char(char c)
{
	return is_alnum(c) || c == '_' || c == '-' || c == '.';
}

/* Blots the value that begins at p (behind '=' or ':'); returns where to go on. */
static char *blot_value(char *p, char *end)
{
	char quote = '\0';

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p < end && (*p == '"' || *p == '\''))
		quote = *p++;
	for (; p < end && *p != '\0' && *p != '\n' && *p != '\r'; p++) {
		if (quote ? *p == quote : isspace((unsigned char)*p) || strchr("\"'&;,<>(){}[]", *p) != NULL)
			break;
		*p = 'x';
	}
	return p;
}

static void blot_named_values(char *p, size_t n)
{
	char *start = p, *end = p + n;

	while (p < end) {
		char *sep, *key;

		sep = p;
		while (sep < end && *sep != '=' && *sep != ':')
			sep++;
		if (sep == end)
			return;
		p = sep + 1;
		key = sep;
		while (key > start && (key[-1] == ' ' || key[-1] == '"' || key[-1] == '\'') && sep - key < 3)
			key--;
		sep = key;
		while (key > start && is_key_char(key[-1]))
			key--;
		if (cv_pat_secret_name(key, (size_t)(sep - key)) && !(p < end && (*p == '=' || *p == '/' || *p == ':')))
			p = blot_value(p, end);
	}
}

static void blot_known_tokens(char *p, size_t n)
{
	static const char *const beginnings[] = {
		"hf_", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "pypi-", "sk-", "xoxb-", "xoxp-", "AKIA", "ASIA",
		"AIza", "nvapi-",
	};
	char *end = p + n;

	for (size_t i = 0; i < N(beginnings); i++) {
		size_t len = strlen(beginnings[i]);
		char *at = p;

		while (at < end && (at = memmem(at, (size_t)(end - at), beginnings[i], len))) {
			bool starts = at == p || !is_key_char(at[-1]);
			char *tail = at += len;

			while (at < end && (is_alnum(*at) || *at == '_' || *at == '-'))
				at++;
			if (starts && at - tail >= 16 && memchr(tail, '.', (size_t)(at - tail)) == NULL)
				cv_pat_blot(tail, (size_t)(at - tail), 'x');
		}
	}
}

void cv_pat_secrets(char *p, size_t n)
{
	blot_named_values(p, n);
	blot_known_tokens(p, n);
}

/* --- serial numbers --- */

static bool eat_nocase(char **p, const char *end, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - *p) < len || strncasecmp(*p, word, len) != 0)
		return false;
	*p += len;
	return true;
}

/* p stands behind "serial": skips "number", blanks and the separator; false if no value follows. */
static bool to_value(char **p, const char *end)
{
	bool sep = false;

	while (*p < end && (**p == ' ' || **p == '_' || **p == '-'))
		++*p;
	if (!eat_nocase(p, end, "number") && !eat_nocase(p, end, "num"))
		eat_nocase(p, end, "no");
	while (*p < end && (**p == ' ' || **p == '\t' || **p == ':' || **p == '=' || **p == '"')) {
		sep = sep || **p == ':' || **p == '=';
		++*p;
	}
	return sep;
}

/* tail is "serial" without its first letter, which may be a capital by itself. */
static void blot_serials(char *p, size_t n, const char *tail)
{
	char *start = p, *end = p + n;

	while (p < end && (p = memmem(p, (size_t)(end - p), tail, 5))) {
		bool word = p > start && (p[-1] == 's' || p[-1] == 'S') && (p - 1 == start || !is_alnum(p[-2]));
		bool digit = false;
		char *value;

		p += 5;
		value = p;
		if (!word || !to_value(&value, end))
			continue;
		for (p = value; p < end && is_key_char(*p); p++)
			digit = digit || isdigit((unsigned char)*p);
		if (digit && p - value >= 4)
			cv_pat_blot(value, (size_t)(p - value), '0');
	}
}

void cv_pat_serials(char *p, size_t n)
{
	blot_serials(p, n, "erial");
	blot_serials(p, n, "ERIAL");
}

bool cv_pat_is_identity_file(const char *path)
{
	static const char *const names[] = {
		"product_serial", "board_serial", "chassis_serial", "serial-number", "serial", "product_uuid", "machine-id", "boot_id",
	};

	for (size_t i = 0; i < N(names); i++)
		if (cv_streq(cv_basename(path), names[i]))
			return true;
	return false;
}
