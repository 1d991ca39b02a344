// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log: one row per request, in an array that is allocated at load and never overwritten. When
 * it is full, further requests are counted as dropped; their other counters go on.
 *
 * A row's fields have one writer each and need no lock. A reader sees a row of a request in
 * flight as far as it got; the log is exact when nothing is in flight.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "acomp_sim.h"

static const char *const sim_kind_names[SIM_KIND_COUNT] = {
	[SIM_KIND_SYNC] = "sync",	  [SIM_KIND_SYNC_ERROR] = "sync_error",
	[SIM_KIND_FALLBACK] = "fallback", [SIM_KIND_EARLY] = "early",
	[SIM_KIND_BACKLOG] = "backlog",	  [SIM_KIND_LATE] = "late",
	[SIM_KIND_ERROR] = "error",	  [SIM_KIND_BAD_DATA] = "bad_data",
	[SIM_KIND_DUP] = "dup",		  [SIM_KIND_LOST] = "lost",
	[SIM_KIND_RELEASED] = "released", [SIM_KIND_RING_FULL] = "ring_full",
	[SIM_KIND_REJECTED] = "rejected", [SIM_KIND_SKIPPED] = "skipped",
	[SIM_KIND_SOFTIRQ] = "softirq",
};

static struct {
	spinlock_t lock; /* seq, used, dropped, selftest */
	struct sim_row *rows;
	unsigned int size;
	unsigned int used;
	u64 seq;
	u64 dropped;
	u64 selftest;
	atomic_t in_flight; /* two for each request, see sim_log_put() */
	atomic64_t kinds[SIM_KIND_COUNT];
} sim_log = {
	.lock = __SPIN_LOCK_UNLOCKED(sim_log.lock),
};

int sim_log_init(void)
{
	sim_log.size = sim_params.log_entries;
	sim_log.rows = vzalloc(array_size(sim_log.size, sizeof(*sim_log.rows)));
	if (!sim_log.rows) {
		pr_err(SIM_NAME
		       ": no memory for a log of %u rows; load with a smaller log_entries\n",
		       sim_log.size);
		return -ENOMEM;
	}
	return 0;
}

void sim_log_exit(void)
{
	vfree(sim_log.rows);
}

struct sim_row *sim_log_open(struct acomp_req *req, bool compress, u64 now_ns, u64 *seq)
{
	struct sim_row *row = NULL;

	atomic_add(2, &sim_log.in_flight);
	spin_lock_bh(&sim_log.lock);
	if (!sim_armed()) {
		sim_log.selftest++;
		*seq = 0;
		spin_unlock_bh(&sim_log.lock);
		return NULL;
	}
	*seq = ++sim_log.seq;
	if (sim_log.used < sim_log.size) {
		row = &sim_log.rows[sim_log.used];
		*row = (struct sim_row){
			.seq = *seq,
			.req = (unsigned long)req,
			.data = (unsigned long)req->base.data,
			.submit_ns = now_ns,
			.src_bytes = req->slen,
			.dst_bytes = req->dlen,
			.tid = task_pid_nr(current),
			.submit_cpu = raw_smp_processor_id(),
			.notify_cpu = -1,
			.final_cpu = -1,
			.compress = compress,
		};
		/* Pairs with the reader's acquire: a row below "used" is initialised. */
		smp_store_release(&sim_log.used, sim_log.used + 1);
	} else {
		sim_log.dropped++;
	}
	spin_unlock_bh(&sim_log.lock);
	return row;
}

void sim_log_put(unsigned int refs)
{
	atomic_sub(refs, &sim_log.in_flight);
}

void sim_log_kind(struct sim_row *row, enum sim_kind kind)
{
	if (!sim_armed())
		return;
	atomic64_inc(&sim_log.kinds[kind]);
	if (row)
		row->kinds |= BIT(kind);
}

static bool sim_log_try_reset(void)
{
	bool idle;
	int i;

	spin_lock_bh(&sim_log.lock);
	/* Who comes now adds to in_flight first and then waits for the lock. */
	idle = !atomic_read(&sim_log.in_flight);
	if (idle) {
		sim_log.used = 0;
		sim_log.seq = 0;
		sim_log.dropped = 0;
		for (i = 0; i < SIM_KIND_COUNT; i++)
			atomic64_set(&sim_log.kinds[i], 0);
		sim_engine_stats_reset();
	}
	spin_unlock_bh(&sim_log.lock);
	return idle;
}

int sim_log_reset(void)
{
	int tries;

	for (tries = 0; tries < 100; tries++) {
		if (sim_log_try_reset())
			return 0;
		msleep(10);
	}
	return -EBUSY;
}

void sim_log_show_stats(struct seq_file *m)
{
	int i;

	spin_lock_bh(&sim_log.lock);
	seq_printf(m, "requests %llu\n", sim_log.seq);
	seq_printf(m, "selftest_requests %llu\n", sim_log.selftest);
	seq_printf(m, "log_entries %u\nlog_used %u\n", sim_log.size, sim_log.used);
	seq_printf(m, "log_dropped %llu\n", sim_log.dropped);
	spin_unlock_bh(&sim_log.lock);
	seq_printf(m, "in_flight %d\n", DIV_ROUND_UP(atomic_read(&sim_log.in_flight), 2));
	for (i = 0; i < SIM_KIND_COUNT; i++)
		seq_printf(m, "%s %lld\n", sim_kind_names[i], atomic64_read(&sim_log.kinds[i]));
}

static void *sim_log_start(struct seq_file *m, loff_t *pos)
{
	if (!*pos)
		return SEQ_START_TOKEN;
	return *pos <= smp_load_acquire(&sim_log.used) ? &sim_log.rows[*pos - 1] : NULL;
}

static void *sim_log_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return sim_log_start(m, pos);
}

static void sim_log_stop(struct seq_file *m, void *v)
{
}

static void sim_put_time(struct seq_file *m, u64 ns)
{
	if (ns)
		seq_printf(m, ",%llu", ns);
	else
		seq_putc(m, ',');
}

static void sim_put_if(struct seq_file *m, bool present, long value)
{
	if (present)
		seq_printf(m, ",%ld", value);
	else
		seq_putc(m, ',');
}

static void sim_put_kinds(struct seq_file *m, u32 kinds)
{
	char sep = ',';
	int i;

	if (!kinds)
		seq_putc(m, ',');
	for (i = 0; i < SIM_KIND_COUNT; i++) {
		if (!(kinds & BIT(i)))
			continue;
		seq_printf(m, "%c%s", sep, sim_kind_names[i]);
		sep = '|';
	}
}

static int sim_log_show(struct seq_file *m, void *v)
{
	const struct sim_row *row = v;
	u64 return_ns;

	if (v == SEQ_START_TOKEN) {
		seq_puts(
			m,
			"seq,op,req,data,tid,src_bytes,dst_bytes,out_bytes,"
			"submit_ns,return_ns,ret,ring_ns,start_ns,service_ns,notify_ns,final_ns,dup_ns,"
			"status,submit_cpu,notify_cpu,final_cpu,kinds\n");
		return 0;
	}
	return_ns = smp_load_acquire(&row->return_ns); /* "ret" was written before it */
	seq_printf(m, "%llu,%s,0x%lx,0x%lx,%d,%u,%u", row->seq,
		   row->compress ? "compress" : "decompress", row->req, row->data, row->tid,
		   row->src_bytes, row->dst_bytes);
	sim_put_if(m, row->out_bytes, row->out_bytes);
	sim_put_time(m, row->submit_ns);
	sim_put_time(m, return_ns);
	sim_put_if(m, return_ns, row->ret);
	sim_put_time(m, row->ring_ns);
	sim_put_time(m, row->start_ns);
	sim_put_if(m, row->start_ns, row->service_ns);
	sim_put_time(m, row->notify_ns);
	sim_put_time(m, row->final_ns);
	sim_put_time(m, row->dup_ns);
	sim_put_if(m, row->final_ns, row->status);
	sim_put_if(m, row->submit_cpu >= 0, row->submit_cpu);
	sim_put_if(m, row->notify_cpu >= 0, row->notify_cpu);
	sim_put_if(m, row->final_cpu >= 0, row->final_cpu);
	sim_put_kinds(m, row->kinds);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations sim_log_ops = {
	.start = sim_log_start,
	.next = sim_log_next,
	.stop = sim_log_stop,
	.show = sim_log_show,
};

static int sim_log_file_open(struct inode *inode, struct file *file)
{
	return seq_open(file, &sim_log_ops);
}

const struct file_operations sim_log_fops = {
	.owner = THIS_MODULE,
	.open = sim_log_file_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};
