// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/debug/acomp_sim: log, stats, control. */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "acomp_sim.h"

static struct dentry *sim_dir;

static int stats_show(struct seq_file *m, void *unused)
{
	struct sim_engine_stats st;

	sim_log_show_stats(m);
	sim_engine_stats(&st);
	seq_printf(m, "in_ring %u\nin_ring_peak %u\n", st.in_ring, st.in_ring_peak);
	seq_printf(m, "in_backlog %u\n", st.in_backlog);
	seq_printf(m, "lost_now %u\n", st.lost);
	/* No line, rather than an age of 0, when nothing is lost. */
	if (st.lost)
		seq_printf(m, "lost_oldest_ns %llu\n", st.lost_oldest_ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int sim_do_release_lost(void)
{
	sim_engine_release_lost();
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
	const char *help;
} sim_commands[] = {
	{"reset", sim_log_reset, "forget the log and all counters; EBUSY with requests in flight"},
	{"release_lost", sim_do_release_lost, "complete all lost requests"},
};

static int control_show(struct seq_file *m, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sim_commands); i++)
		seq_printf(m, "%s: %s\n", sim_commands[i].name, sim_commands[i].help);
	return 0;
}

static ssize_t control_write(struct file *file, const char __user *text, size_t len, loff_t *pos)
{
	char word[32] = "";
	size_t i;
	int err;

	if (len >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, text, len))
		return -EFAULT;
	for (i = 0; i < ARRAY_SIZE(sim_commands); i++) {
		if (!sysfs_streq(word, sim_commands[i].name))
			continue;
		err = sim_commands[i].run();
		return err ?: len;
	}
	return -EINVAL;
}

static int control_open(struct inode *inode, struct file *file)
{
	return single_open(file, control_show, NULL);
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = control_open,
	.read = seq_read,
	.write = control_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* debugfs may be missing or full: the provider works without, as debugfs wants it. */
void sim_debugfs_init(void)
{
	sim_dir = debugfs_create_dir(SIM_NAME, NULL);
	debugfs_create_file("log", 0400, sim_dir, NULL, &sim_log_fops);
	debugfs_create_file("stats", 0400, sim_dir, NULL, &stats_fops);
	debugfs_create_file("control", 0600, sim_dir, NULL, &control_fops);
}

void sim_debugfs_exit(void)
{
	debugfs_remove(sim_dir);
}
