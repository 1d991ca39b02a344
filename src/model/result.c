// SPDX-License-Identifier: GPL-2.0-only
#include "model/result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cell_status_names[CELL_STATUSES] = {
	[CELL_PENDING] = "pending",
	[CELL_DONE] = "done",
	[CELL_FAILED] = "failed",
	[CELL_SKIPPED] = "skipped",
};

int string_list_add(struct string_list *list, const char *fmt, ...)
{
	char **items, *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return -ENOMEM;
	items = realloc(list->items, (list->count + 1) * sizeof(*items));
	if (!items) {
		free(text);
		return -ENOMEM;
	}
	list->items = items;
	list->items[list->count++] = text;
	return 0;
}

void string_list_free(struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct string_list){0};
}

void result_hist_free(struct result_hist *h)
{
	free(h->index);
	free(h->counts);
	*h = (struct result_hist){0};
}

void result_trace_free(struct result_trace *t)
{
	for (size_t i = 0; i < t->set_count; i++)
		for (size_t p = 0; p < AB_PHASES; p++)
			result_hist_free(&t->sets[i].hists[p]);
	free(t->sets);
	*t = (struct result_trace){0};
}

void result_samples_free(struct result_sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(samples[i].times);
	free(samples);
}

void result_host_free(struct result_host *h)
{
	string_list_free(&h->accelerator_parameters);
	string_list_free(&h->kernel_options);
	string_list_free(&h->crypto_drivers);
	memset(h, 0, sizeof(*h));
}

void result_free(struct result *r)
{
	for (size_t i = 0; i < r->cell_count; i++) {
		struct result_cell *cell = &r->cells[i];

		string_list_free(&cell->invalid_reasons);
		result_samples_free(cell->samples, cell->sample_count);
		free(cell->checks);
		result_trace_free(&cell->trace);
	}
	free(r->cells);
	for (size_t i = 0; i < r->image_count; i++)
		free(r->images[i].verifies);
	free(r->images);
	free(r->tracer.hooks);
	free(r->scenario_yaml);
	result_host_free(&r->host);
	string_list_free(&r->warnings);
	memset(r, 0, sizeof(*r));
}

bool result_hist_unobservable(const struct result_hist *h)
{
	return !h->present && strcmp(h->absent, RESULT_NOT_APPLICABLE) != 0;
}

double result_hist_percentile(const struct result_hist *h, double p)
{
	double total = 0, seen = 0, middle;
	size_t i;

	for (i = 0; i < h->buckets; i++)
		total += (double)h->counts[i];
	for (i = 0; i + 1 < h->buckets; i++) {
		seen += (double)h->counts[i];
		/*
		 * The smallest value with at least p of all at or below it; p * total must not lose
		 * to rounding.
		 */
		if (seen >= p * total * (1 - 1e-15))
			break;
	}
	if (i >= h->buckets)
		return (double)h->max;
	middle = (double)ab_hist_low(h->index[i]) + (double)(ab_hist_width(h->index[i]) - 1) / 2;
	if (middle < (double)h->min)
		return (double)h->min;
	return middle > (double)h->max ? (double)h->max : middle;
}

/*
 * Both lists of buckets into one, ascending. @index and @counts have room for all. Returns the
 * number written.
 */
static size_t merge_buckets(const struct result_hist *a, const struct result_hist *b,
			    uint32_t *index, uint64_t *counts)
{
	size_t i = 0, j = 0, n = 0;

	while (i < a->buckets || j < b->buckets) {
		bool from_a = j == b->buckets || (i < a->buckets && a->index[i] <= b->index[j]);
		bool from_b = i == a->buckets || (j < b->buckets && b->index[j] <= a->index[i]);

		index[n] = from_a ? a->index[i] : b->index[j];
		counts[n] = (from_a ? a->counts[i] : 0) + (from_b ? b->counts[j] : 0);
		i += from_a;
		j += from_b;
		n++;
	}
	return n;
}

int result_hist_merge(struct result_hist *dst, const struct result_hist *src)
{
	size_t room = dst->buckets + src->buckets;
	uint64_t *counts = NULL;
	uint32_t *index = NULL;

	if (!src->present)
		return 0;
	if (room) {
		index = malloc(room * sizeof(*index));
		counts = malloc(room * sizeof(*counts));
		if (!index || !counts) {
			free(index);
			free(counts);
			return -ENOMEM;
		}
		room = merge_buckets(dst, src, index, counts);
	}
	free(dst->index);
	free(dst->counts);
	dst->index = index;
	dst->counts = counts;
	dst->buckets = room;
	if (src->count && (!dst->count || src->min < dst->min))
		dst->min = src->min;
	if (src->count && (!dst->count || src->max > dst->max))
		dst->max = src->max;
	dst->present = true;
	dst->absent[0] = '\0';
	dst->count += src->count;
	dst->sum += src->sum;
	dst->saturated += src->saturated;
	return 0;
}
