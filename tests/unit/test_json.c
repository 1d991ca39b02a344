// SPDX-License-Identifier: GPL-2.0-only
#include "base/json_doc.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "base/fsutil.h"
#include "base/spawn.h"
#include "base/strbuf.h"

#define DEPTH 16

static int parse(struct json_doc *doc, const char *text, enum json_flags flags,
		 struct json_error *error)
{
	return json_doc_parse(doc, text, strlen(text), flags, DEPTH, error);
}

struct refusal {
	const char *text;
	size_t offset;
	bool cut;
	const char *what;
};

static void test_refused(void **state)
{
	static const struct refusal cases[] = {
		{"", 0, true, "expected a value"},
		{"  ", 2, true, "expected a value"},
		{"[1", 2, true, "expected , or ]"},
		{"[1,", 3, true, "expected a value"},
		{"[1,]", 3, false, "expected a value"},
		{"[,1]", 1, false, "expected a value"},
		{"{\"a\":1,}", 7, false, "expected a key in quotes"},
		{"{a:1}", 1, false, "expected a key in quotes"},
		{"{\"a\" 1}", 5, false, "expected a colon behind the key"},
		{"{\"a\":1 \"b\":2}", 7, false, "expected , or }"},
		{"{\"a\":1,\"b\":2,\"a\":3}", 13, false,
		 "the key occurs twice, with another value"},
		{"{\"a\":1,\"\\u0061\":3}", 7, false, "the key occurs twice, with another value"},
		{"[1] 2", 4, false, "more text behind the end"},
		{"tru", 3, true, "a word without end"},
		{"f", 1, true, "a word without end"},
		{"[nul", 4, true, "a word without end"},
		{"trux", 0, false, "expected a value"},
		{"nan", 0, false, "expected a value"},
		{"01", 1, false, "more text behind the end"},
		{"-", 1, true, "expected a digit"},
		{"-a", 1, false, "expected a digit"},
		{"1.", 2, true, "expected a digit"},
		{"1e+", 3, true, "expected a digit"},
		{".5", 0, false, "expected a value"},
		{"\"ab", 3, true, "a string without end"},
		{"\"a\nb\"", 2, false, "a control character inside a string"},
		{"\"\\x\"", 1, false, "not an escape sequence"},
		{"\"\\ud800 and more\"", 1, false, "not an escape sequence"},
		{"\"\\udc00 and more\"", 1, false, "not an escape sequence"},
		{"\"\xff\"", 1, false, "not UTF-8"},
		{"\"\xed\xa0\x80\"", 1, false, "not UTF-8"},
		{"[[[[[[[[[[[[[[[[[1", 16, false, "nested too deeply"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct refusal *c = &cases[i];
		struct json_error error;
		struct json_doc doc;

		assert_int_equal(parse(&doc, c->text, JSON_STRICT, &error), -EINVAL);
		if (error.offset != c->offset || strcmp(error.what, c->what))
			fail_msg("%s: byte %zu: %s", c->text, error.offset, error.what);
		if (error.cut != c->cut && strchr(c->text, '\\') == NULL)
			fail_msg("%s: cut is %d", c->text, error.cut);
		json_doc_free(&doc);
	}
}

/* As many keys as sorting is used for, the repeated one at both ends; and no quadratic time. */
static void test_many_keys(void **state)
{
	AB_STRBUF struct strbuf text = {0};
	struct json_error error;
	struct json_doc doc;

	strbuf_puts(&text, "{\"k7\":0");
	for (int i = 8; i < 200000; i++)
		strbuf_printf(&text, ",\"k%d\":%d", i, i);
	strbuf_puts(&text, "}");
	assert_int_equal(parse(&doc, strbuf_str(&text), JSON_STRICT, &error), 0);
	assert_int_equal(json_first(doc.tokens)->size, 2);
	json_doc_free(&doc);
	text.data[--text.len] = '\0';
	strbuf_puts(&text, ",\"k7\":1}");
	assert_int_equal(parse(&doc, strbuf_str(&text), JSON_STRICT, &error), -EINVAL);
	assert_string_equal(error.what, "the key occurs twice, with another value");
	assert_int_equal(error.offset, text.len - strlen("\"k7\":1}"));
	json_doc_free(&doc);
	assert_int_equal(parse(&doc, strbuf_str(&text), JSON_LAX, &error), 0);
	json_doc_free(&doc);
	text.data[text.len - 2] = '0';
	assert_int_equal(parse(&doc, strbuf_str(&text), JSON_STRICT, &error), 0);
	json_doc_free(&doc);
}

static void test_lax(void **state)
{
	struct json_error error;
	struct json_doc doc;

	assert_int_equal(parse(&doc, "{\"a\": -nan, \"b\": inf, \"c\": \"\xff\n\", \"b\": 7} text",
			       JSON_LAX, &error),
			 0);
	assert_null(json_member(&doc, doc.tokens, "a", NULL));
	assert_non_null(json_member(&doc, doc.tokens, "c", NULL));
	json_doc_free(&doc);
	assert_int_equal(parse(&doc, "{\"a\": ", JSON_LAX, &error), -EINVAL);
	json_doc_free(&doc);
}

static void test_members(void **state)
{
	static const char text[] =
		"{\"a\": {\"x\": [1, [2, 3], 4]}, \"b\": null, \"\": \"empty\", \"c\\u20ac\": -5}";
	const struct json_token *from = NULL, *t;
	struct json_error error;
	struct json_doc doc;
	char chars[8];
	uint64_t number;
	bool negative;

	assert_int_equal(parse(&doc, text, JSON_STRICT, &error), 0);
	t = json_member(&doc, doc.tokens, "c\xe2\x82\xac", &from);
	assert_true(json_is(t, JSON_INT));
	assert_true(json_to_u64(&doc, t, &number, &negative));
	assert_true(number == 5 && negative);
	/* From behind the last member the search goes round. */
	t = json_member(&doc, doc.tokens, "a", &from);
	assert_true(json_is(t, JSON_OBJECT));
	assert_true(json_is(json_member(&doc, t, "x", NULL), JSON_ARRAY));
	assert_null(json_member(&doc, doc.tokens, "b", &from));
	t = json_member(&doc, doc.tokens, "", &from);
	assert_int_equal(json_unescape(&doc, t, chars, 4), 5);
	assert_string_equal(chars, "emp");
	assert_true(json_equals(&doc, t, "empty"));
	assert_false(json_equals(&doc, t, "empt"));
	assert_null(json_member(&doc, doc.tokens, "none", &from));
	assert_null(json_member(&doc, t, "none", NULL));
	assert_null(json_member(&doc, NULL, "none", NULL));
	json_doc_free(&doc);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 32;
}

/* The short way must round as strtod() does. */
static void test_doubles(void **state)
{
	static const char *const forms[] = {"%.15g", "%.16g", "%.17g", "%.3f", "%.1f", "%.22f"};
	uint64_t seed = 5;

	for (int i = 0; i < 200000; i++) {
		uint64_t bits = next_random(&seed) << 32 | next_random(&seed);
		char text[400];
		struct json_error error;
		struct json_doc doc;
		double value;

		if (i % 2)
			value = (double)(bits >> 12) / (double)(1 + next_random(&seed) % 100000);
		else
			memcpy(&value, &bits, sizeof(value));
		if (value != value || value - value != 0)
			continue;
		snprintf(text, sizeof(text), forms[next_random(&seed) % ARRAY_SIZE(forms)], value);
		assert_int_equal(parse(&doc, text, JSON_STRICT, &error), 0);
		if (json_to_double(&doc, doc.tokens) != strtod(text, NULL))
			fail_msg("%s is read as %.17g", text, json_to_double(&doc, doc.tokens));
		json_doc_free(&doc);
	}
}

static void render(const struct json_doc *doc, const struct json_token *t, struct strbuf *out);

static void render_inside(const struct json_doc *doc, const struct json_token *t,
			  struct strbuf *out)
{
	strbuf_putc(out, t->type == JSON_ARRAY ? '[' : '{');
	for (const struct json_token *e = json_first(t); e < json_end(t); e = json_next(e)) {
		if (e != json_first(t))
			strbuf_putc(out, ',');
		if (t->type == JSON_OBJECT)
			render(doc, e++, out);
		render(doc, e, out);
	}
	strbuf_putc(out, t->type == JSON_ARRAY ? ']' : '}');
}

/* What json_oracle.py expects. */
static void render(const struct json_doc *doc, const struct json_token *t, struct strbuf *out)
{
	char chars[4096];
	uint64_t bits;
	double number;
	size_t len;

	switch (t->type) {
	case JSON_NULL:
		strbuf_putc(out, 'n');
		break;
	case JSON_BOOLEAN:
		strbuf_putc(out, json_equals(doc, t, "true") ? 't' : 'f');
		break;
	case JSON_INT:
		strbuf_putc(out, 'i');
		strbuf_add(out, doc->text + t->at, t->size);
		break;
	case JSON_DOUBLE:
		number = json_to_double(doc, t);
		memcpy(&bits, &number, sizeof(bits));
		strbuf_printf(out, "d%016" PRIx64, bits);
		break;
	case JSON_STRING:
		len = json_unescape(doc, t, chars, sizeof(chars));
		strbuf_putc(out, 's');
		for (size_t i = 0; i < len; i++)
			strbuf_printf(out, "%02x", (unsigned char)chars[i]);
		break;
	default:
		render_inside(doc, t, out);
	}
}

static const char *const seeds[] = {
	"{\"schema\": \"a/b\", \"n\": [1, -2.5e3, 0.1, 1e400, true, false, null], \"o\": {\"k\": {}, \"l\": []}}",
	"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\", \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\", \"\\u0000\"]",
	"{\"a\": 1, \"b\": {\"a\": 2}, \"\\u0061b\": 3, \"c\": [{\"a\": 1}, {\"a\": 2}], \"d\": -0.0, \"e\": 123456789012345678901234567890}",
	"{\"f\": 10, \"g\": [\"1\", {}], \"f\": 10, \"h\": {\"i\": null, \"i\": null}}",
	" [ [ ] , { } , [ [ 1 ] ] , 0 , -0 , 1E5 , 1e-5 , \"\" ] ",
};

/* A seed, changed in a few places. */
static size_t mutate(uint64_t *seed, char *to, size_t size)
{
	static const char pool[] = "{}[]\",:0123456789.eE+-\\u abtrfnl\x7f\x80\xc3\xed\xff\n";
	size_t len = (size_t)snprintf(to, size, "%s", seeds[next_random(seed) % ARRAY_SIZE(seeds)]);

	for (uint64_t n = next_random(seed) % 4; n && len > 1; n--) {
		size_t at = next_random(seed) % len;

		switch (next_random(seed) % 3) {
		case 0:
			to[at] = pool[next_random(seed) % (sizeof(pool) - 1)];
			break;
		case 1:
			memmove(to + at, to + at + 1, --len - at);
			break;
		default:
			memmove(to + at + 1, to + at, len++ - at);
		}
	}
	return len;
}

static void test_against_python(void **state)
{
	AB_STRBUF struct strbuf lines = {0};
	AB_SPAWN_RESULT struct spawn_result result = {0};
	char path[] = "/tmp/test_json.XXXXXX";
	const char *const argv[] = {"python3", "tests/unit/json_oracle.py", NULL};
	struct spawn_opts opts = {0};
	struct diag d = {""};
	uint64_t seed = 11;

	for (int i = 0; i < 20000; i++) {
		char text[1024];
		size_t len = mutate(&seed, text, sizeof(text) - 8);
		struct json_error error;
		struct json_doc doc;

		for (size_t k = 0; k < len; k++)
			strbuf_printf(&lines, "%02x", (unsigned char)text[k]);
		strbuf_putc(&lines, ' ');
		if (json_doc_parse(&doc, text, len, JSON_STRICT, DEPTH, &error))
			strbuf_putc(&lines, '-');
		else
			render(&doc, doc.tokens, &lines);
		strbuf_putc(&lines, '\n');
		json_doc_free(&doc);
	}
	opts.stdin_fd = mkstemp(path);
	assert_true(opts.stdin_fd > 0);
	unlink(path);
	assert_int_equal(write(opts.stdin_fd, lines.data, lines.len), lines.len);
	assert_int_equal(lseek(opts.stdin_fd, 0, SEEK_SET), 0);
	assert_int_equal(spawn_run(argv, &opts, &result, &d), 0);
	close(opts.stdin_fd);
	print_message("%s%s", strbuf_str(&result.out), strbuf_str(&result.err));
	assert_int_equal(result.exit_status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_many_keys),
		cmocka_unit_test(test_lax),	cmocka_unit_test(test_members),
		cmocka_unit_test(test_doubles), cmocka_unit_test(test_against_python),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
