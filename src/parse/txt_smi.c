/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia-smi in all its forms, 390 to 617:
 *
 *	| NVIDIA-SMI 535.183.01   Driver Version: 535.183.01   CUDA Version: 12.2 |      the head of the table
 *	| NVIDIA-SMI 610.57.04    KMD Version: 610.57.04    CUDA UMD Version: 13.3 |     since 610
 *	|   0  NVIDIA L4    On  | 00000000:00:03.0 Off |  0 |                             a GPU, then its memory and compute mode
 *	GPU 0: NVIDIA L4 (UUID: GPU-...)                                                  -L
 *	name, driver_version / NVIDIA L4, 535.183.01                                      --query-gpu, csv
 *	Driver Version                            : 535.183.01                            -q
 *	<driver_version>535.183.01</driver_version>                                       -q -x
 *
 * Under WSL the tool has a Linux number and the driver a Windows one: the second is meant. Names may be cut: "RTX 2080 ...".
 */
#include "parse/txt.h"

enum { OUTSIDE, GPUS, PROCESSES };

static bool after(struct cv_str s, const char *key, struct cv_str *ret)
{
	ptrdiff_t at = cv_str_find(s, key);

	return at >= 0 && cv_txt_version(cv_str_trim(cv_str_from(s, (size_t)at + strlen(key))), ret);
}

static bool head_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str v;

	if (cv_str_find(s, "NVIDIA-SMI ") < 0 || cv_str_find(s, " Version: ") < 0)
		return false;
	if (after(s, "Driver Version: ", &v) || after(s, "KMD Version: ", &v))
		cv_tell(t, CV_TELL_DRIVER, CV_TOLD_TOOL, CV_STR(""), v);
	if (after(s, "CUDA Version: ", &v) || after(s, "CUDA UMD Version: ", &v))
		cv_tell(t, CV_TELL_DRIVER_CUDA, CV_TOLD_TOOL, CV_STR(""), v);
	cv_tell(t, CV_TELL_PROBE, CV_TOLD_TOOL, CV_STR("nvidia-smi"), CV_STR("works"));
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct cv_str without_tail(struct cv_str s)
{
	static const char *const tails[] = { " On", " Off", " WDDM", " TCC", " MCDM", "..." };

	for (bool again = true; again;) {
		again = false;
		s = cv_str_trim(s);
		for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++)
			if (cv_str_ends(s, tails[i])) {
				s.n -= strlen(tails[i]);
				again = true;
			}
	}
	return s;
}

/* "|   0  NVIDIA L4    On  |": index and name. In the table of processes the third column is no bus id. */
static bool gpu_row(struct cv_txt *t, struct cv_str s)
{
	struct cv_str cell, index, bus;

	if (!cv_str_eat(&s, "|") || !cv_str_split(&s, '|', &cell))
		return false;
	cell = cv_str_trim(cell);
	if (!cell.n || !is_digit(cell.p[0]) || !cv_str_word(&cell, &index) || !cv_str_split(&s, '|', &bus))
		return false;
	if (cv_str_find(bus, ":") < 0 || cv_str_find(bus, ".0") < 0)
		return false;
	cell = without_tail(cell);
	cv_txt_keep(t->name, index);
	cv_tell(t, CV_TELL_GPU_LISTED, CV_TOLD_TOOL, index, cell);
	return true;
}

/* "| N/A  38C  P8  13W / 72W | 1MiB / 23034MiB | 0%  Default |" */
static void state_row(struct cv_txt *t, struct cv_str s)
{
	static const char *const modes[] = { "E. Process", "E. Thread", "Prohibited", "Default" };

	if (cv_str_find(s, "MiB / ") < 0)
		return;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (cv_str_find(s, modes[i]) >= 0) {
			cv_tell(t, CV_TELL_GPU_MODE, CV_TOLD_TOOL, cv_str_of(t->name), cv_str_of(modes[i]));
			return;
		}
}

static void mig_row(struct cv_txt *t, struct cv_str s)
{
	struct cv_str last = { "", 0 }, cell;

	while (cv_str_split(&s, '|', &cell))
		if (cv_str_trim(cell).n)
			last = cv_str_trim(cell);
	if (cv_str_is(last, "Enabled") || cv_str_is(last, "Disabled"))
		cv_tell(t, CV_TELL_GPU_MIG, CV_TOLD_TOOL, cv_str_of(t->name), last);
}

/* "GPU 0: NVIDIA L4 (UUID: ...)", also without the UUID in collect_env. */
static bool list_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str index;
	ptrdiff_t colon, open;
	bool listed;

	if (cv_str_starts(s, "GPU models and configuration: GPU "))
		s = cv_str_from(s, 30);
	if (!cv_str_eat(&s, "GPU "))
		return false;
	colon = cv_str_find(s, ": ");
	if (colon <= 0 || colon > 3 || !is_digit(s.p[0]))
		return false;
	index = cv_str_sub(s, 0, (size_t)colon);
	s = cv_str_trim(cv_str_from(s, (size_t)colon + 2));
	open = cv_str_find(s, " (UUID");
	listed = open > 0 || cv_str_starts(s, "NVIDIA ") || cv_str_starts(s, "GeForce ") || cv_str_starts(s, "Tesla ");
	if (open > 0)
		s = cv_str_sub(s, 0, (size_t)open);
	if (listed && s.n < 60)
		cv_tell(t, CV_TELL_GPU_LISTED, CV_TOLD_TOOL, index, s);
	return true;
}

/* One value of a csv row by the name of its column. */
static void csv_value(struct cv_txt *t, struct cv_str column, struct cv_str value, struct cv_str index)
{
	struct cv_str v;

	if (cv_str_is(column, "name") || cv_str_is(column, "gpu_name"))
		cv_tell(t, CV_TELL_GPU_LISTED, CV_TOLD_TOOL, index, value);
	else if (cv_str_is(column, "driver_version") && cv_txt_version(value, &v))
		cv_tell(t, CV_TELL_DRIVER, CV_TOLD_TOOL, CV_STR(""), v);
	else if (cv_str_is(column, "compute_cap") && cv_txt_version(value, &v))
		cv_tell(t, CV_TELL_GPU_CC, CV_TOLD_TOOL, index, v);
	else if (cv_str_starts(column, "mig.mode"))
		cv_tell(t, CV_TELL_GPU_MIG, CV_TOLD_TOOL, index, value);
	else if (cv_str_is(column, "compute_mode"))
		cv_tell(t, CV_TELL_GPU_MODE, CV_TOLD_TOOL, index, cv_str_starts(value, "Exclusive") ? CV_STR("E. Process") : value);
}

/* Columns are those of the command; the header line repeats them. */
static bool csv_line(struct cv_txt *t, struct cv_str s, unsigned *row)
{
	struct cv_str columns = cv_str_of(t->command), column, value;
	ptrdiff_t at = cv_str_find(columns, "--query-gpu=");
	char digits[2] = { '0', 0 };
	size_t n;

	if (at < 0 || cv_str_is(s, t->command) || cv_str_find(s, "--query-gpu=") >= 0)
		return false;
	columns = cv_str_from(columns, (size_t)at + 12);
	n = 0;
	while (n < columns.n && columns.p[n] != ' ')
		n++;
	columns = cv_str_sub(columns, 0, n);
	if (cv_str_find(s, ",") < 0 && cv_str_chr(columns, ',') >= 0)
		return false;
	if (cv_str_find(s, "driver_version") >= 0 || cv_str_starts(s, "name") || cv_str_starts(s, "index"))
		return true;
	digits[0] = (char)('0' + (*row & 7));
	while (cv_str_split(&columns, ',', &column) && cv_str_split(&s, ',', &value))
		csv_value(t, cv_str_trim(column), cv_str_trim(value), (struct cv_str){ digits, 1 });
	++*row;
	return true;
}

static void query_line(struct cv_txt *t, struct cv_str s)
{
	struct cv_str key, value, v;

	if (!cv_str_starts(s, "<") && cv_str_find(s, "  : ") > 0 && cv_txt_key(s, &key, &value)) {
		if (cv_str_is(key, "Product Name"))
			cv_tell(t, CV_TELL_GPU_LISTED, CV_TOLD_TOOL, CV_STR(""), value);
		else if ((cv_str_is(key, "Driver Version") || cv_str_is(key, "KMD Version")) && cv_txt_version(value, &v))
			cv_tell(t, CV_TELL_DRIVER, CV_TOLD_TOOL, CV_STR(""), v);
		else if ((cv_str_is(key, "CUDA Version") || cv_str_is(key, "CUDA UMD Version")) && cv_txt_version(value, &v))
			cv_tell(t, CV_TELL_DRIVER_CUDA, CV_TOLD_TOOL, CV_STR(""), v);
		else if (cv_str_is(key, "Compute Mode"))
			cv_tell(t, CV_TELL_GPU_MODE, CV_TOLD_TOOL, CV_STR(""),
				cv_str_starts(value, "Exclusive") ? CV_STR("E. Process") : value);
	} else if (cv_str_starts(s, "<")) {
		if (after(s, "<driver_version>", &v))
			cv_tell(t, CV_TELL_DRIVER, CV_TOLD_TOOL, CV_STR(""), v);
		if (after(s, "<cuda_version>", &v))
			cv_tell(t, CV_TELL_DRIVER_CUDA, CV_TOLD_TOOL, CV_STR(""), v);
		if (cv_str_eat(&s, "<product_name>") && cv_str_chr(s, '<') > 0)
			cv_tell(t, CV_TELL_GPU_LISTED, CV_TOLD_TOOL, CV_STR(""), cv_str_sub(s, 0, (size_t)cv_str_chr(s, '<')));
	}
}

void cv_txt_smi(struct cv_txt *t, struct cv_str line, unsigned *state)
{
	struct cv_str s = cv_str_trim(line);

	if (!s.n)
		return;
	if (head_line(t, s)) {
		*state = GPUS;
		return;
	}
	if (cv_str_starts(s, "| Processes")) {
		*state = PROCESSES;
		return;
	}
	if (cv_str_starts(s, "|")) {
		if (*state == PROCESSES || gpu_row(t, s))
			return;
		state_row(t, s);
		mig_row(t, s);
		return;
	}
	if (!list_line(t, s) && !csv_line(t, s, &t->state[15]))
		query_line(t, s);
}
