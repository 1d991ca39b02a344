// SPDX-License-Identifier: GPL-2.0-only
/*
 * The JSON Schema of scenarios against an independent validator, on the scenarios that the parser
 * accepts.
 */
#include "model/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/fsutil.h"
#include "base/json_out.h"
#include "base/spawn.h"
#include "model/doc.h"

static const char *const files[] = {
	"scenarios/quickstart.yaml",  "scenarios/erofs-seq.yaml",  "scenarios/erofs-enwik9.yaml",
	"tests/golden/full.yaml",     "tests/golden/minimal.yaml", "tests/golden/interleaved.yaml",
	"tests/golden/untraced.yaml",
};

/* As YAML's core schema reads plain text. */
static void add_text(struct json_out *j, const struct doc_node *n)
{
	bool digits = n->text[0] && !n->text[strspn(n->text, "0123456789")];

	if (n->plain && digits)
		json_u64(j, n->key, strtoull(n->text, NULL, 10));
	else if (n->plain && (!strcmp(n->text, "true") || !strcmp(n->text, "false")))
		json_boolean(j, n->key, n->text[0] == 't');
	else
		json_string(j, n->key, n->text);
}

static void add_node(struct json_out *j, const struct doc_node *n)
{
	switch (n->kind) {
	case DOC_TEXT:
		add_text(j, n);
		return;
	case DOC_LIST:
		json_array_begin(j, n->key);
		for (const struct doc_node *e = n->first; e; e = e->next)
			add_node(j, e);
		json_array_end(j);
		return;
	case DOC_MAP:
		json_object_begin(j, n->key);
		for (const struct doc_node *e = n->first; e; e = e->next)
			add_node(j, e);
		json_object_end(j);
		return;
	}
}

static void write_as_json(const char *yaml, const char *json)
{
	AB_CLEANUP(doc_free) struct doc doc = {0};
	AB_STRBUF struct strbuf text = {0}, out = {0};
	struct json_out j = {.sb = &out};
	struct doc_node *root;
	struct diag d;

	if (fs_read_file(yaml, DOC_MAX_BYTES, &text, &d) ||
	    doc_parse(&doc, yaml, false, text.data, text.len, &root, &d))
		fail_msg("%s", d.text);
	add_node(&j, root);
	if (fs_write_atomic(json, out.data, out.len, &d))
		fail_msg("%s", d.text);
}

static void test_schema(void **state)
{
	const char *argv[ARRAY_SIZE(files) + 4] = {"/usr/bin/python3",
						   "tests/unit/scenario_schema_check.py"};
	char dir[] = "/tmp/test_scenario_schema.XXXXXX", paths[ARRAY_SIZE(files) + 1][64];
	AB_SPAWN_RESULT struct spawn_result res = {0};
	AB_STRBUF struct strbuf schema = {0};
	struct diag d;

	if (access(argv[0], X_OK)) {
		print_message("skip: %s is not installed\n", argv[0]);
		skip();
	}
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/%zu.json", dir, i);
		argv[i + 2] = paths[i];
	}
	scenario_schema(&schema);
	assert_int_equal(fs_write_atomic(paths[0], schema.data, schema.len, &d), 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		write_as_json(files[i], paths[i + 1]);
	assert_int_equal(spawn_run(argv, NULL, &res, &d), 0);
	fs_remove_tree(dir, &d);
	if (!res.signalled && res.exit_status == 4) {
		print_message("skip: python3-jsonschema is not installed\n");
		skip();
	}
	if (res.signalled || res.exit_status)
		fail_msg("%s%s", strbuf_str(&res.out), strbuf_str(&res.err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema),
	};

	return cmocka_run_group_tests_name("scenario_schema", tests, NULL, NULL);
}
