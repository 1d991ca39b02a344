// SPDX-License-Identifier: GPL-2.0-only
#include "run/host_parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

/* One line of a text, without its newline. */
struct line {
	const char *start;
	size_t len;
};

static bool next_line(const char **text, struct line *line)
{
	size_t len = strcspn(*text, "\n");

	if (!**text)
		return false;
	*line = (struct line){*text, len};
	*text += len + ((*text)[len] == '\n');
	return true;
}

/* Takes @text off the front of @line. */
static bool skip(struct line *line, const char *text)
{
	size_t len = strlen(text);

	if (line->len < len || memcmp(line->start, text, len) != 0)
		return false;
	*line = (struct line){line->start + len, line->len - len};
	return true;
}

/* "key<blanks>: value": the value when the line is about @key. */
static bool value_of(const struct line *line, const char *key, struct line *value)
{
	struct line rest = *line;

	if (!skip(&rest, key))
		return false;
	while (skip(&rest, " ") || skip(&rest, "\t"))
		;
	if (!skip(&rest, ":"))
		return false;
	while (skip(&rest, " "))
		;
	*value = rest;
	return true;
}

static void copy(const struct line *from, char *to, size_t size)
{
	snprintf(to, size, "%.*s", (int)(from->len < size ? from->len : size), from->start);
}

bool host_parse_crypto(const char **text, struct crypto_driver *c)
{
	bool found = false;
	struct line line, value;
	char number[16];

	*c = (struct crypto_driver){0};
	/* An empty line ends an entry. */
	while (next_line(text, &line) && (line.len || !found)) {
		found |= line.len > 0;
		if (value_of(&line, "name", &value)) {
			copy(&value, c->name, sizeof(c->name));
		} else if (value_of(&line, "driver", &value)) {
			copy(&value, c->driver, sizeof(c->driver));
		} else if (value_of(&line, "module", &value)) {
			copy(&value, c->module, sizeof(c->module));
		} else if (value_of(&line, "type", &value)) {
			copy(&value, c->type, sizeof(c->type));
		} else if (value_of(&line, "selftest", &value)) {
			copy(&value, c->selftest, sizeof(c->selftest));
		} else if (value_of(&line, "priority", &value)) {
			copy(&value, number, sizeof(number));
			c->priority = (int)strtol(number, NULL, 10);
		}
	}
	return found;
}

/* Options that decide what can be measured here, or how fast it is. */
static const char *const options_that_matter[] = {
	"EROFS_FS",
	"EROFS_FS_ZIP",
	"EROFS_FS_ZIP_LZMA",
	"EROFS_FS_ZIP_DEFLATE",
	"EROFS_FS_ZIP_ZSTD",
	"EROFS_FS_ZIP_ACCEL",
	"EROFS_FS_BACKED_BY_FILE",
	"EROFS_FS_PCPU_KTHREAD",
	"EROFS_FS_PCPU_KTHREAD_HIPRI",
	"EROFS_FS_DEBUG",
	"CRYPTO_ACOMP2",
	"CRYPTO_DEFLATE",
	"CRYPTO_DEV_QAT",
	"CRYPTO_SELFTESTS",
	"CRYPTO_MANAGER_DISABLE_TESTS",
	"BLK_DEV_LOOP",
	"MODULES",
	"BPF_SYSCALL",
	"BPF_JIT",
	"BPF_EVENTS",
	"DEBUG_INFO_BTF",
	"DEBUG_INFO_BTF_MODULES",
	"FUNCTION_TRACER",
	"DYNAMIC_FTRACE_WITH_DIRECT_CALLS",
	"KPROBES",
	"FPROBE",
	"SECURITY_LOCKDOWN_LSM",
	"PREEMPT_NONE",
	"PREEMPT_VOLUNTARY",
	"PREEMPT_LAZY",
	"PREEMPT",
	"PREEMPT_RT",
	"PREEMPT_DYNAMIC",
	"HZ",
	"KASAN",
	"PROVE_LOCKING",
	"DEBUG_PREEMPT",
};

#define PREFIX "CONFIG_"

/*
 * "CONFIG_<name>=value" or "# CONFIG_<name> is not set"; @value is left alone unless the line is
 * about @name.
 */
static bool option_value(struct line line, const char *name, struct line *value)
{
	bool comment = skip(&line, "# ");

	if (!skip(&line, PREFIX) || !skip(&line, name))
		return false;
	if (comment && skip(&line, " is not set") && !line.len)
		*value = (struct line){"n", 1};
	else if (!comment && skip(&line, "="))
		*value = line;
	else
		return false;
	return true;
}

int host_parse_config(const char *text, struct string_list *options)
{
	struct line values[ARRAY_SIZE(options_that_matter)] = {0};
	struct line line;

	while (next_line(&text, &line)) {
		for (size_t i = 0; i < ARRAY_SIZE(options_that_matter); i++)
			if (option_value(line, options_that_matter[i], &values[i]))
				break;
	}
	for (size_t i = 0; i < ARRAY_SIZE(options_that_matter); i++) {
		if (!values[i].len)
			continue;
		if (string_list_add(options, PREFIX "%s=%.*s", options_that_matter[i],
				    (int)values[i].len, values[i].start))
			return -ENOMEM;
	}
	return 0;
}

const char *host_option(const struct string_list *options, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < options->count; i++) {
		const char *p = options->items[i];

		if (strncmp(p, PREFIX, strlen(PREFIX)) != 0)
			continue;
		p += strlen(PREFIX);
		if (!strncmp(p, name, len) && p[len] == '=')
			return p + len + 1;
	}
	return NULL;
}

/* Is @word one of the blank-separated words of @line? */
static bool has_word(const struct line *line, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= line->len; i++) {
		bool begins = !i || line->start[i - 1] == ' ';
		bool ends = i + len == line->len || line->start[i + len] == ' ';

		if (begins && ends && !memcmp(line->start + i, word, len))
			return true;
	}
	return false;
}

void host_parse_cpuinfo(const char *text, char *model, size_t size, bool *hypervisor)
{
	struct line line, value, implementer = {0}, part = {0};

	*model = '\0';
	*hypervisor = false;
	/* The first processor ends at an empty line. */
	while (next_line(&text, &line) && line.len) {
		if (value_of(&line, "model name", &value))
			copy(&value, model, size);
		else if (value_of(&line, "flags", &value))
			*hypervisor = has_word(&value, "hypervisor");
		else if (value_of(&line, "CPU implementer", &value))
			implementer = value;
		else if (value_of(&line, "CPU part", &value))
			part = value;
	}
	if (!*model && implementer.len && part.len)
		snprintf(model, size, "implementer %.*s part %.*s", (int)implementer.len,
			 implementer.start, (int)part.len, part.start);
}

void host_parse_choice(const char *text, char *chosen, size_t size)
{
	const char *open = strchr(text, '[');
	const char *close = open ? strchr(open, ']') : NULL;

	*chosen = '\0';
	if (close)
		snprintf(chosen, size, "%.*s", (int)(close - open - 1), open + 1);
}

uint64_t host_parse_memory(const char *text)
{
	struct line line, value;
	uint64_t kib;
	char number[32];

	while (next_line(&text, &line)) {
		if (!value_of(&line, "MemTotal", &value))
			continue;
		copy(&value, number, sizeof(number));
		return sscanf(number, "%" SCNu64 " kB", &kib) == 1 ? kib << 10 : 0;
	}
	return 0;
}

void host_hypervisor_name(const char signature[12], char *name, size_t size)
{
	static const struct {
		char signature[13];
		const char *name;
	} known[] = {
		{"TCGTCGTCGTCG", HOST_EMULATED}, {"KVMKVMKVM\0\0\0", "kvm"},
		{"Microsoft Hv", "hyper-v"}, /* also KVM with Hyper-V's interfaces in front */
		{"VMwareVMware", "vmware"},	 {"XenVMMXenVMM", "xen"},
		{"VBoxVBoxVBox", "virtualbox"},	 {"bhyve bhyve ", "bhyve"},
		{"ACRNACRNACRN", "acrn"},
	};
	char text[13] = {0};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!memcmp(signature, known[i].signature, 12)) {
			snprintf(name, size, "%s", known[i].name);
			return;
		}
	}
	memcpy(text, signature, 12);
	for (char *p = text; *p; p++)
		if (*p <= ' ' || *p > '~')
			*p = '?';
	snprintf(name, size, "%s", text[0] ? text : HOST_UNKNOWN);
}
