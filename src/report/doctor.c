// SPDX-License-Identifier: GPL-2.0-only
#include "report/doctor.h"

#include <stdio.h>
#include <string.h>
#include "base/json_out.h"
#include "report/text.h"

#define COLUMNS	   100
#define MARK_WIDTH 6 /* "  ok  " */

static const struct {
	const char *mark;
	enum text_style style;
} marks[FINDING_STATES] = {
	[FINDING_OK] = {"  ok  ", STYLE_GOOD},
	[FINDING_NO] = {"  no  ", STYLE_BAD},
	[FINDING_UNTRIED] = {"  -   ", STYLE_FAINT},
};

/* A table of marks, names and explanations. */
struct page {
	struct text_out to; /* narrower than the terminal by the mark */
	unsigned int name_width;
	/* Said once where several rows in a row have the same. */
	char last_remedy[320];
	char last_reason[512];
};

static void add_row(struct page *p, enum finding_state state, const char *name, const char *detail,
		    const char *remedy)
{
	unsigned int indent = MARK_WIDTH + p->name_width + 2;
	bool said = !strcmp(remedy, p->last_remedy);

	text_styled(&p->to, marks[state].style, marks[state].mark);
	text_line(&p->to, STYLE_PLAIN, indent, "%-*s  %s", (int)p->name_width, name, detail);
	if (*remedy && !said)
		text_line(&p->to, STYLE_WARN, indent + 3, "%*s-> %s", (int)indent, "", remedy);
	snprintf(p->last_remedy, sizeof(p->last_remedy), "%s", remedy);
}

static void add_heading(struct page *p, const char *text)
{
	strbuf_putc(p->to.sb, '\n');
	text_styled(&p->to, STYLE_HEAD, text);
	strbuf_putc(p->to.sb, '\n');
	p->last_remedy[0] = '\0';
}

static void add_head(const struct page *p, const struct result_host *h)
{
	char memory[TEXT_NUMBER_SIZE];

	text_line(&p->to, STYLE_PLAIN, 4, "Linux %s, %s, %s%s, %u processors (%s), %s",
		  *h->kernel_release ? h->kernel_release : "of unknown version", h->machine,
		  *h->virtualization ? h->virtualization : "unknown machine",
		  h->emulated ? " (emulated)" : "", h->cpus_online,
		  *h->cpu_model ? h->cpu_model : "unknown",
		  text_bytes(&p->to, memory, (double)h->memory_bytes));
}

static void add_hook(struct page *p, const struct hook_finding *h)
{
	AB_STRBUF struct strbuf text = {0};

	if (h->state == FINDING_OK)
		strbuf_printf(&text, "%s, by %s%s%s%s", h->function, h->mechanisms,
			      *h->reason ? " (" : "", h->reason, *h->reason ? ")" : "");
	else
		strbuf_printf(&text, "%s%s%s", h->function, *h->function ? ": " : "",
			      *h->function && !strcmp(h->reason, p->last_reason) ? "likewise"
										 : h->reason);
	snprintf(p->last_reason, sizeof(p->last_reason), "%s", h->reason);
	add_row(p, h->state, h->info->name, strbuf_str(&text), h->remedy);
}

static unsigned int name_width(const struct doctor_report *r)
{
	size_t width = 0;

	for (size_t i = 0; i < r->finding_count; i++)
		if (strlen(r->findings[i].name) > width)
			width = strlen(r->findings[i].name);
	for (size_t i = 0; i < r->hook_count; i++)
		if (strlen(r->hooks[i].info->name) > width)
			width = strlen(r->hooks[i].info->name);
	return (unsigned int)width;
}

void doctor_text(const struct doctor_report *r, bool color, unsigned int columns,
		 struct strbuf *out)
{
	struct page p = {.to = {.sb = out, .color = color}, .name_width = name_width(r)};
	const char *group = "";

	p.to.columns = columns > 40 ? columns : COLUMNS;
	add_head(&p, &r->host);
	p.to.columns -= MARK_WIDTH;
	for (size_t i = 0; i < r->finding_count; i++) {
		const struct finding *f = &r->findings[i];

		if (strcmp(group, f->group) != 0)
			add_heading(&p, f->group);
		group = f->group;
		add_row(&p, f->state, f->name, f->detail, f->remedy);
	}
	if (r->hook_count)
		add_heading(&p, "hooks");
	for (size_t i = 0; i < r->hook_count; i++)
		add_hook(&p, &r->hooks[i]);
	strbuf_putc(out, '\n');
	p.to.columns += MARK_WIDTH;
	text_line(&p.to, STYLE_PLAIN, 0, "%s", r->summary);
}

static void string_or_null(struct json_out *j, const char *key, const char *value)
{
	if (*value)
		json_string(j, key, value);
	else
		json_null(j, key);
}

static void json_finding(struct json_out *j, const struct finding *f)
{
	json_object_begin(j, NULL);
	json_string(j, "group", f->group);
	json_string(j, "name", f->name);
	json_string(j, "purpose", f->purpose);
	json_string(j, "state", finding_state_names[f->state]);
	string_or_null(j, "detail", f->detail);
	string_or_null(j, "remedy", f->remedy);
	json_object_end(j);
}

static void json_hook(struct json_out *j, const struct hook_finding *h)
{
	json_object_begin(j, NULL);
	json_string(j, "name", h->info->name);
	json_string(j, "role", hook_role_names[h->info->role]);
	json_string(j, "state", finding_state_names[h->state]);
	string_or_null(j, "function", h->function);
	string_or_null(j, "mechanisms", h->mechanisms);
	string_or_null(j, "reason", h->reason);
	json_string(j, "without_it", h->info->loses);
	string_or_null(j, "remedy", h->remedy);
	json_object_end(j);
}

#define STR(x)	#x
#define XSTR(x) STR(x)

void doctor_json(const struct doctor_report *r, struct strbuf *out)
{
	struct json_out j = {.sb = out};

	json_object_begin(&j, NULL);
	json_string(&j, "schema", DOCTOR_SCHEMA);
	json_string(&j, "schema_version", XSTR(DOCTOR_SCHEMA_MAJOR) "." XSTR(DOCTOR_SCHEMA_MINOR));
	json_string(&j, "tool_version", AB_VERSION);
	json_boolean(&j, "can_trace", r->can_trace);
	string_or_null(&j, "mechanism", r->mechanism);
	json_array_begin(&j, "engines");
	for (size_t i = 0; i < r->engines.count; i++)
		json_string(&j, NULL, r->engines.items[i]);
	json_array_end(&j);
	json_string(&j, "summary", r->summary);
	json_array_begin(&j, "needs");
	for (size_t i = 0; i < r->finding_count; i++)
		json_finding(&j, &r->findings[i]);
	json_array_end(&j);
	json_array_begin(&j, "hooks");
	for (size_t i = 0; i < r->hook_count; i++)
		json_hook(&j, &r->hooks[i]);
	json_array_end(&j);
	result_host_json(&j, "host", &r->host);
	json_object_end(&j);
	strbuf_putc(out, '\n');
}
