/* SPDX-License-Identifier: Apache-2.0 */
#include "view/redact.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "view/redact_pat.h"

struct name {
	char *alias;   /* as long as the name; NULL until cv_redact_ready() */
	bool anywhere; /* replaced as any path component, not only below a home directory */
};

struct cv_redact {
	struct cv_arena *a;
	struct cv_map users;        /* name -> struct name */
	struct cv_map aliases;      /* of users, to give none twice */
	struct cv_map system_names; /* components of the system's own paths */
	struct cv_map hosts;        /* name -> alias */
	struct cv_map uuids;        /* in small letters -> alias */
	unsigned user_n, host_n, uuid_n;
};

/* Accounts that images and distributions make: they tell nothing, and some are also names of directories. */
static const char *const generic_accounts[] = {
	"root", "user", "ubuntu", "debian", "fedora", "centos", "rocky", "admin", "ec2-user", "azureuser", "nvidia", "jetson",
	"jovyan", "conda", "linuxbrew", "runner", "vscode", "app", "work", "home", "lib", "bin", "opt", "usr", "venv", "data",
};

static const char *const generic_hosts[] = {
	"localhost", "debian", "ubuntu", "fedora", "nvidia", "jetson", "tegra", "linux", "docker", "python", "conda", "cuda",
};

static const char *const system_roots[] = {
	"/usr", "/lib", "/lib32", "/lib64", "/etc", "/bin", "/sbin", "/proc", "/sys", "/dev",
};

#define IN_LIST(list, s) in_list((list), sizeof(list) / sizeof((list)[0]), (s))

static bool in_list(const char *const *list, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		if (cv_streq(list[i], s))
			return true;
	return false;
}

struct cv_redact *cv_redact_new(struct cv_arena *a)
{
	struct cv_redact *r = CV_NEW(a, struct cv_redact);

	if (r)
		r->a = a;
	return r;
}

/* What a path component is made of, in texts of all kinds: quotes, blanks, colons and the like end one. */
static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-' || c == '@' || c == '+' || (unsigned char)c >= 0x80;
}

static size_t name_len(const char *p, size_t n)
{
	size_t len = 0;

	while (len < n && is_name_char(p[len]))
		len++;
	return len;
}

/* stem and a number in n characters: "user0001", "us1"; the stem gives way. */
static char *make_alias(struct cv_redact *r, const char *stem, unsigned number, size_t n)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	char *out = cv_arena_alloc(r->a, n + 1);
	size_t stem_n = strlen(stem), at = n;

	if (!out)
		return NULL;
	memset(out, '0', n);
	do {
		out[--at] = digits[number % 36];
		number /= 36;
	} while (number && at > 0);
	if (stem_n > at)
		stem_n = at;
	memcpy(out, stem, stem_n);
	return out;
}

static struct name *add_user(struct cv_redact *r, const char *p, size_t n)
{
	char *key = cv_arena_memdup(r->a, p, n);
	struct name *name = cv_map_get(&r->users, key);

	if (name)
		return name;
	name = CV_NEW(r->a, struct name);
	return name && cv_map_set(r->a, &r->users, key, name) ? name : NULL;
}

/* An alias that is no user's name or alias, if there are enough of that length. */
static void give_alias(struct cv_redact *r, struct name *name, size_t n)
{
	for (int i = 0; i < 100 && !name->alias; i++) {
		char *alias = make_alias(r, "user", ++r->user_n, n);

		if (!alias)
			return;
		if (i < 99 && (cv_map_get(&r->users, alias) || cv_map_get(&r->aliases, alias)))
			continue;
		name->alias = alias;
		cv_map_set(r->a, &r->aliases, alias, name);
	}
}

static void learn_user(struct cv_redact *r, const char *p, size_t n)
{
	char *key = cv_arena_memdup(r->a, p, n);
	struct name *name;

	if (n == 0 || cv_streq(key, ".") || cv_streq(key, "..") || IN_LIST(generic_accounts, key))
		return;
	name = add_user(r, p, n);
	if (name)
		name->anywhere = n > 1;
}

/* The length of "/home/" or "/Users/" if p begins with it. */
static size_t home_prefix(const char *p, size_t n)
{
	if (n > 6 && memcmp(p, "/home/", 6) == 0)
		return 6;
	return n > 7 && memcmp(p, "/Users/", 7) == 0 ? 7 : 0;
}

static void learn_system_names(struct cv_redact *r, const char *path)
{
	struct cv_str rest = cv_str_of(path), part;

	while (cv_str_split(&rest, '/', &part))
		if (part.n > 0)
			cv_map_set(r->a, &r->system_names, cv_str_dup(r->a, part), r);
}

void cv_redact_learn_path(struct cv_redact *r, const char *path)
{
	size_t n = strlen(path);
	size_t home = home_prefix(path, n);

	if (home)
		learn_user(r, path + home, name_len(path + home, n - home));
	for (size_t i = 0; i < sizeof(system_roots) / sizeof(system_roots[0]); i++)
		if (cv_path_below(path, system_roots[i]))
			learn_system_names(r, path);
}

void cv_redact_learn_host(struct cv_redact *r, const char *name)
{
	size_t n = strcspn(name, ".");
	char *label = cv_arena_memdup(r->a, name, n);
	char *alias;

	if (n < 3 || IN_LIST(generic_hosts, label) || cv_map_get(&r->hosts, label))
		return;
	alias = make_alias(r, "host", ++r->host_n, n);
	if (alias)
		cv_map_set(r->a, &r->hosts, label, alias);
}

void cv_redact_learn_env(struct cv_redact *r, const char *name, const char *value)
{
	static const char *const user_vars[] = { "USER", "LOGNAME", "USERNAME", "SUDO_USER" };
	const char *base;

	if (IN_LIST(user_vars, name) && name_len(value, strlen(value)) == strlen(value))
		learn_user(r, value, strlen(value));
	if (cv_streq(name, "HOME")) {
		base = cv_basename(value);
		learn_user(r, base, name_len(base, strlen(base)));
	}
	if (cv_streq(name, "HOSTNAME") || cv_streq(name, "HOST"))
		cv_redact_learn_host(r, value);
	cv_redact_learn_text(r, "", value, strlen(value));
}

/* Turned round so that abbreviations of a few digits still differ. */
static char *make_uuid(struct cv_redact *r, unsigned number)
{
	static const char digits[] = "0123456789abcdef";
	char *out = cv_arena_strdup(r->a, "00000000-0000-0000-0000-000000000000");

	if (cv_arena_failed(r->a))
		return NULL;
	for (size_t i = 0; i < 8 && number; i++, number /= 16)
		out[i] = digits[number % 16];
	return out;
}

static void lower_uuid(char key[CV_PAT_UUID_LEN + 1], const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		key[i] = (char)tolower((unsigned char)p[i]);
	key[n] = '\0';
}

static void learn_uuid(void *cookie, char *p, size_t n)
{
	struct cv_redact *r = cookie;
	char key[CV_PAT_UUID_LEN + 1];
	char *copy, *alias;

	lower_uuid(key, p, n);
	if (strspn(key, "0-") == n || cv_map_get(&r->uuids, key))
		return;
	copy = cv_arena_strdup(r->a, key);
	alias = make_uuid(r, ++r->uuid_n);
	if (alias)
		cv_map_set(r->a, &r->uuids, copy, alias);
}

void cv_redact_learn_text(struct cv_redact *r, const char *path, const char *p, size_t n)
{
	struct cv_str rest = { p, n }, line;

	/* the walk over patterns hands out pointers for changing; learning changes nothing */
	cv_pat_uuids((char *)(uintptr_t)p, n, learn_uuid, r);
	if ((cv_streq(path, "/etc/hostname") || cv_streq(path, "/proc/sys/kernel/hostname")) && cv_str_line(&rest, &line, NULL))
		cv_redact_learn_host(r, cv_str_dup(r->a, cv_str_trim(line)));
}

/* A name that the system's own paths use is replaced below home directories only. */
void cv_redact_ready(struct cv_redact *r)
{
	for (size_t i = 0; i < r->users.n; i++) {
		struct name *name = r->users.v[i].value;

		give_alias(r, name, strlen(r->users.v[i].key));
		if (cv_map_get(&r->system_names, r->users.v[i].key))
			name->anywhere = false;
	}
	for (size_t i = 0; i < r->hosts.n; i++)
		if (cv_map_get(&r->system_names, r->hosts.v[i].key))
			memcpy(r->hosts.v[i].value, r->hosts.v[i].key, strlen(r->hosts.v[i].key));
}

/* --- changing --- */

static void put_user(struct cv_redact *r, char *p, size_t n, bool below_home)
{
	char key[256];
	struct name *name;

	if (n == 0 || n >= sizeof(key))
		return;
	memcpy(key, p, n);
	key[n] = '\0';
	name = cv_map_get(&r->users, key);
	if (!name && below_home && !IN_LIST(generic_accounts, key) && strspn(key, ".") != n) {
		name = add_user(r, p, n);
		if (name)
			give_alias(r, name, n);
	}
	if (name && name->alias && (below_home || name->anywhere))
		memcpy(p, name->alias, n);
}

static void change_users(struct cv_redact *r, char *p, size_t n, bool from_start)
{
	char *end = p + n;

	if (from_start)
		put_user(r, p, name_len(p, n), false);
	while (p < end && (p = memchr(p, '/', (size_t)(end - p)))) {
		size_t home = home_prefix(p, (size_t)(end - p));

		p += home ? home : 1;
		put_user(r, p, name_len(p, (size_t)(end - p)), home > 0);
	}
}

static bool is_host_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

static void change_word(char *p, size_t n, const char *word, const char *alias)
{
	size_t len = strlen(word);
	char *at = p;

	while ((size_t)(at - p) + len <= n && (at = memmem(at, n - (size_t)(at - p), word, len))) {
		bool whole = (at == p || !is_host_char(at[-1])) && (at + len == p + n || !is_host_char(at[len]));

		if (whole)
			memcpy(at, alias, len);
		at += len;
	}
}

static void put_uuid(void *cookie, char *p, size_t n)
{
	struct cv_redact *r = cookie;
	char key[CV_PAT_UUID_LEN + 1];
	const char *alias;

	lower_uuid(key, p, n);
	alias = cv_map_get(&r->uuids, key);
	if (alias)
		memcpy(p, alias, n);
}

/* The beginning of a GPU's UUID; of one that is not known nothing stays. */
static void put_short_uuid(void *cookie, char *p, size_t n)
{
	struct cv_redact *r = cookie;
	char key[CV_PAT_UUID_LEN + 1];

	lower_uuid(key, p, n);
	for (size_t i = 0; i < r->uuids.n; i++) {
		if (strncmp(r->uuids.v[i].key, key, n) == 0) {
			memcpy(p, r->uuids.v[i].value, n);
			return;
		}
	}
	cv_pat_blot(p, n, 'f');
}

static void change(struct cv_redact *r, char *p, size_t n, bool from_start)
{
	change_users(r, p, n, from_start);
	for (size_t i = 0; i < r->hosts.n; i++)
		change_word(p, n, r->hosts.v[i].key, r->hosts.v[i].value);
	cv_pat_short_uuids(p, n, put_short_uuid, r);
	cv_pat_uuids(p, n, put_uuid, r);
	cv_pat_addresses(p, n);
	cv_pat_secrets(p, n);
	cv_pat_serials(p, n);
}

void cv_redact_path(struct cv_redact *r, char *path)
{
	change(r, path, strlen(path), path[0] != '/');
}

void cv_redact_env(struct cv_redact *r, const char *name, char *value)
{
	if (cv_pat_secret_name(name, strlen(name)))
		memset(value, 'x', strlen(value));
	else
		change(r, value, strlen(value), true);
}

void cv_redact_entry(struct cv_redact *r, const char *dir, char *name)
{
	size_t dir_n = strlen(dir), n = strlen(name);
	char *full = cv_arena_printf(r->a, "%s/%s", cv_streq(dir, "/") ? "" : dir, name);

	if (cv_arena_failed(r->a))
		return;
	change(r, full, strlen(full), false);
	memcpy(name, full + (cv_streq(dir, "/") ? 1 : dir_n + 1), n);
}

void cv_redact_text(struct cv_redact *r, const char *path, char *p, size_t n)
{
	if (cv_pat_is_identity_file(path))
		cv_pat_blot(p, n, '0');
	else
		change(r, p, n, false);
}

bool cv_redact_is_text(const char *path, const void *p, size_t n)
{
	const unsigned char *s = p;
	bool nul_ok = cv_path_below(path, "/proc") || cv_path_below(path, "/sys");

	for (size_t i = 0; i < n; i++) {
		if (s[i] >= 0x20 || s[i] == '\n' || s[i] == '\t' || s[i] == '\r' || s[i] == '\f' || s[i] == 0x1b)
			continue;
		if (s[i] != 0 || !nul_ok)
			return false;
	}
	return true;
}
