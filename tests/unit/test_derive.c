// SPDX-License-Identifier: GPL-2.0-only
#include "model/derive.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "example_result.h"

#define GIB 1073741824ull
#define S   1000000000ull

static void assert_value(struct figure f, double want)
{
	if (!f.known)
		fail_msg("unknown: %s", f.why);
	if (fabs(f.value - want) > 1e-9 * fmax(1, fabs(want)))
		fail_msg("%.17g is not %.17g", f.value, want);
}

static void assert_unknown(struct figure f, const char *why)
{
	assert_false(f.known);
	assert_string_equal(f.why, why);
}

/* A cell with @n samples of 1 GiB in 2 s, alternating untraced and traced. */
static struct result_cell make_cell(size_t n)
{
	struct result_cell cell = {.status = CELL_DONE, .valid = true, .numjobs = 1};

	cell.samples = calloc(n, sizeof(*cell.samples));
	cell.sample_count = n;
	for (size_t i = 0; i < n; i++) {
		struct result_sample *s = &cell.samples[i];

		s->ok = true;
		s->traced = i % 2;
		s->io_bytes = GIB;
		s->runtime_ns = 2 * S;
		s->bandwidth_bytes_per_s = (double)(GIB / 2) + (double)i;
	}
	return cell;
}

static void free_cell(struct result_cell *cell)
{
	free(cell->samples);
	result_trace_free(&cell->trace);
}

static void test_speed_prefers_untraced(void **state)
{
	struct result_cell cell = make_cell(6);
	struct derive_speed speed = derive_speed(&cell);

	assert_int_equal(speed.source, DERIVE_UNTRACED);
	assert_int_equal(speed.bandwidth.n, 3);
	assert_true(speed.bandwidth.median == (double)(GIB / 2) + 2);
	/* Failed repetitions say nothing; without untraced ones the traced speak. */
	cell.samples[0].ok = cell.samples[2].ok = cell.samples[4].ok = false;
	speed = derive_speed(&cell);
	assert_int_equal(speed.source, DERIVE_TRACED);
	assert_int_equal(speed.bandwidth.n, 3);
	assert_true(speed.bandwidth.median == (double)(GIB / 2) + 3);
	cell.samples[1].ok = cell.samples[3].ok = cell.samples[5].ok = false;
	assert_int_equal(derive_speed(&cell).bandwidth.n, 0);
	free_cell(&cell);
}

static void test_coverage(void **state)
{
	struct result_trace t = {.present = true};
	struct derive_coverage c;

	t.served[AB_SERVED_OFFLOADED] = (struct result_served){90, 900, 9000};
	t.served[AB_SERVED_PARTIAL] = (struct result_served){8, 80, 400};
	t.served[AB_SERVED_FAILED] = (struct result_served){2, 20, 600};
	/* Nothing to decompress: neither for nor against. */
	t.served[AB_SERVED_STORED] = (struct result_served){1000, 4096000, 4096000};
	c = derive_coverage(&t);
	assert_int_equal(c.requests, 100);
	assert_value(c.by_requests, 0.9);
	assert_value(c.by_bytes, 0.9);
	t = (struct result_trace){.present = true};
	assert_unknown(derive_coverage(&t).by_requests, "no requests");
	t = (struct result_trace){.absent = "not requested"};
	assert_unknown(derive_coverage(&t).by_requests, "not requested");
	t = (struct result_trace){0};
	assert_unknown(derive_coverage(&t).by_bytes, "not traced");
}

static void test_groups_merge_size_classes(void **state)
{
	static const struct example_path few = {.engine = "sw:deflate",
						.mean_ns = {[AB_SETUP] = 10, [AB_DECODE] = 1000}};
	static const struct example_path many = {.engine = "qat_deflate",
						 .mean_ns = {[AB_SETUP] = 10, [AB_WAIT] = 500}};
	struct result_cell cell = {.cluster_bytes = 4096};
	struct derive_group *groups;
	uint64_t seed = 1, sum = 0;
	size_t count;

	example_trace(&cell, &many, 400, &few, 30, &seed);
	assert_int_equal(cell.trace.set_count, 3);
	assert_int_equal(derive_groups(&cell.trace, &groups, &count), 0);
	assert_int_equal(count, 2);
	assert_string_equal(groups[0].engine, "qat_deflate");
	assert_int_equal(groups[0].requests, 400);
	assert_int_equal(groups[0].hists[AB_WAIT].count, 400);
	assert_true(groups[0].hists[AB_WAIT].sum ==
		    cell.trace.sets[0].hists[AB_WAIT].sum + cell.trace.sets[1].hists[AB_WAIT].sum);
	assert_string_equal(groups[1].engine, "sw:deflate");
	assert_int_equal(groups[1].requests, 30);
	/* Not applicable stays that, through the merge. */
	assert_false(groups[0].hists[AB_DECODE].present);
	assert_string_equal(groups[0].hists[AB_DECODE].absent, RESULT_NOT_APPLICABLE);
	/* Shares of the partition add up to the whole, because the times do. */
	for (int p = 0; p < AB_PARTITION; p++)
		sum += groups[0].hists[p].sum;
	assert_true(sum == groups[0].hists[AB_TOTAL].sum);
	assert_value(derive_share(&groups[0], AB_WAIT),
		     (double)groups[0].hists[AB_WAIT].sum / (double)sum);
	assert_unknown(derive_share(&groups[0], AB_DECODE), RESULT_NOT_APPLICABLE);
	assert_value(derive_share(&groups[0], AB_TOTAL), 1);
	derive_groups_free(groups, count);
	free_cell(&cell);
}

static void test_groups_of_nothing(void **state)
{
	struct result_trace t = {.absent = "not requested"};
	struct derive_group *groups;
	size_t count;

	assert_int_equal(derive_groups(&t, &groups, &count), 0);
	assert_int_equal(count, 0);
	derive_groups_free(groups, count);
}

static void test_cpu(void **state)
{
	struct result_cell cell = make_cell(4);
	struct derive_cpu cpu = derive_cpu(&cell);

	assert_unknown(cpu.fio, "CPU time of fio not measured");
	assert_unknown(cpu.machine, "/proc/stat not read");
	assert_int_equal(cpu.work.n, 0);
	for (size_t i = 0; i < 4; i++) {
		struct result_cpu *c = &cell.samples[i].cpu;

		c->has_workload = true;
		c->workload_user_ns = S / 4;
		c->workload_system_ns = S / 4 + i * S / 2; /* traced: 1 s and 2 s in all */
		c->has_machine = true;
		c->machine_busy_ns = 3 * S;
		c->machine_irq_ns = S / 8;
	}
	cpu = derive_cpu(&cell);
	assert_value(cpu.fio, (0.5 + 1.5) / 2);
	assert_value(cpu.machine, 3);
	assert_value(cpu.irq, 0.125);
	assert_unknown(cpu.kthread, "kernel threads are known from traced repetitions only");
	assert_true(cpu.work_is_fio_only && cpu.work.n == 2);
	assert_true(cpu.work.median == 1);
	cell.samples[1].cpu.has_kthread = cell.samples[3].cpu.has_kthread = true;
	cell.samples[1].cpu.kthread_ns = S;
	cell.samples[3].cpu.kthread_ns = 3 * S;
	cpu = derive_cpu(&cell);
	assert_value(cpu.kthread, 2);
	assert_true(!cpu.work_is_fio_only && cpu.work.n == 2);
	assert_true(cpu.work.median == (1.0 + 1 + 2 + 3) / 2);
	for (size_t i = 0; i < 4; i++)
		cell.samples[i].cpu.machine_irq_ns = 0;
	assert_unknown(derive_cpu(&cell).irq, "less than a clock tick");
	/* A failed repetition counts nowhere. */
	cell.samples[3].ok = false;
	cpu = derive_cpu(&cell);
	assert_value(cpu.kthread, 1);
	assert_int_equal(cpu.work.n, 1);
	free_cell(&cell);
}

static void add_set(struct result_cell *cell, uint64_t total, uint64_t off_cpu)
{
	struct result_set *set;

	cell->trace.present = true;
	cell->trace.sets = calloc(1, sizeof(*cell->trace.sets));
	cell->trace.set_count = 1;
	set = &cell->trace.sets[0];
	set->hists[AB_TOTAL] = (struct result_hist){.present = true, .count = 1, .sum = total};
	set->hists[AB_ON_CPU] =
		(struct result_hist){.present = true, .count = 1, .sum = total - off_cpu};
	if (off_cpu)
		set->hists[AB_OFF_CPU] =
			(struct result_hist){.present = true, .count = 1, .sum = off_cpu};
	else
		EXAMPLE_TEXT(set->hists[AB_OFF_CPU].absent, RESULT_NOT_APPLICABLE);
}

/* Two traced repetitions of 2 s: 4 s of run time to explain; requests took 2 s of them, half of it waiting. */
static void test_time(void **state)
{
	struct result_cell cell = make_cell(4);
	struct derive_time time = derive_time(&cell);
	struct result_hist *off_cpu;

	assert_unknown(time.requests, "not traced");
	add_set(&cell, 2 * S, S);
	off_cpu = &cell.trace.sets[0].hists[AB_OFF_CPU];
	time = derive_time(&cell);
	assert_value(time.requests, 0.5);
	assert_unknown(time.fio_cpu, "CPU time of fio not measured");
	assert_unknown(time.elsewhere, "CPU time not measured");
	for (size_t i = 1; i < 4; i += 2) {
		cell.samples[i].cpu.has_workload = true;
		cell.samples[i].cpu.workload_system_ns = S / 2;
		cell.samples[i].cpu.has_kthread = true;
	}
	time = derive_time(&cell);
	assert_value(time.fio_cpu, 0.25);
	assert_value(time.elsewhere, 0.5);
	/* Two jobs: twice the time to explain. */
	cell.numjobs = 2;
	assert_value(derive_time(&cell).elsewhere, 0.75);
	cell.numjobs = 1;
	/* Kernel threads may have served the requests while fio waited, but for no longer than requests ran. */
	cell.samples[1].cpu.kthread_ns = S / 2;
	assert_value(derive_time(&cell).elsewhere, 0.375);
	cell.samples[1].cpu.kthread_ns = 5 * S;
	assert_value(derive_time(&cell).elsewhere, 0.25);
	/* What is explained more than once leaves nothing, not less than nothing. */
	off_cpu->sum = 9 * S;
	assert_value(derive_time(&cell).elsewhere, 0);
	EXAMPLE_TEXT(off_cpu->absent, "unobservable: no scheduler hook");
	off_cpu->present = false;
	assert_unknown(derive_time(&cell).elsewhere, "CPU time not measured");
	free_cell(&cell);
}

static void test_bytes(void **state)
{
	struct result_cell cell = make_cell(4);
	struct derive_bytes bytes = derive_bytes(&cell);

	assert_unknown(bytes.disk_per_request, "not traced");
	assert_unknown(bytes.disk_per_user, "disk reads not measured");
	add_set(&cell, S, 0);
	cell.trace.served[AB_SERVED_OFFLOADED] = (struct result_served){3000, 0, 2 * GIB};
	cell.trace.served[AB_SERVED_STORED] = (struct result_served){1096, 0, GIB};
	bytes = derive_bytes(&cell);
	assert_value(bytes.out_per_user, 1.5);
	assert_unknown(bytes.disk_per_request, "disk reads not measured");
	for (size_t i = 0; i < 4; i++) {
		cell.samples[i].has_disk = true;
		/* Of untraced repetitions the number of requests is not known. */
		cell.samples[i].disk_read_bytes = i % 2 ? GIB / 4 : GIB;
	}
	bytes = derive_bytes(&cell);
	assert_value(bytes.disk_per_request, (double)(GIB / 2) / 4096);
	assert_value(bytes.disk_per_user, 0.25);
	free_cell(&cell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_speed_prefers_untraced),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_groups_merge_size_classes),
		cmocka_unit_test(test_groups_of_nothing),
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
