// SPDX-License-Identifier: GPL-2.0-only
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child.h"
#include "base/clock.h"
#include "base/fsutil.h"

#define DEFAULT_MAX_OUTPUT ((size_t)64 << 20)
#define CHUNK		   65536

/* One captured stream: what the child writes to `end[1]` we read from `end[0]`. */
struct capture {
	int end[2];
	struct strbuf *to;
	size_t max;
	bool *truncated;
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

int spawn_find(const char *program, char *buf, size_t size)
{
	/* System programs live where an ordinary user's PATH does not look. */
	static const char extra[] = "/usr/local/sbin:/usr/sbin:/sbin";
	const char *path = getenv("PATH");
	char list[8192];
	char *save, *dir;

	if (strchr(program, '/')) {
		if (!is_program(program))
			return -ENOENT;
		return fs_path(buf, size, "%s", program);
	}
	if (fs_path(list, sizeof(list), "%s:%s", path && *path ? path : "/usr/bin:/bin", extra))
		return -ENAMETOOLONG;
	for (dir = strtok_r(list, ":", &save); dir; dir = strtok_r(NULL, ":", &save))
		if (!fs_path(buf, size, "%s/%s", dir, program) && is_program(buf))
			return 0;
	return -ENOENT;
}

/* Our environment with @add on top; one allocation, the strings are not copied. */
static char **make_env(const char *const *add)
{
	size_t ours = 0, added = 0, n = 0;
	char **env;

	while (environ[ours])
		ours++;
	while (add && add[added])
		added++;
	env = calloc(ours + added + 1, sizeof(*env));
	if (!env)
		return NULL;
	for (size_t i = 0; i < ours; i++) {
		bool replaced = false;

		for (size_t k = 0; k < added && !replaced; k++) {
			size_t name = strcspn(add[k], "=") + 1;

			replaced = !strncmp(environ[i], add[k], name);
		}
		if (!replaced)
			env[n++] = environ[i];
	}
	for (size_t k = 0; k < added; k++)
		env[n++] = (char *)add[k];
	return env;
}

/*
 * In the child, between fork and exec: async-signal-safe calls only. Reports what failed through
 * @report.
 */
static void run_program(const char *path, const char *const argv[], char **env,
			const struct spawn_opts *opts, int out, int err, int report)
{
	int in = opts->stdin_fd ? opts->stdin_fd : open("/dev/null", O_RDONLY);
	int failed;

	if (in >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && (err < 0 || dup2(err, 2) >= 0) &&
	    (!opts->cwd || !chdir(opts->cwd))) {
		if (in > 2)
			close(in);
		execve(path, (char *const *)argv, env);
	}
	failed = errno;
	_exit(write(report, &failed, sizeof(failed)) < 0 ? 126 : 127);
}

/* Reads what is there. False: the stream ended. */
static bool capture_read(struct capture *c)
{
	char chunk[CHUNK];
	ssize_t n = read(c->end[0], chunk, sizeof(chunk));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	if ((size_t)n > c->max - c->to->len) {
		*c->truncated = true;
		n = (ssize_t)(c->max - c->to->len);
	}
	strbuf_add(c->to, chunk, (size_t)n);
	return true;
}

/*
 * What is in the pipe now; a grandchild that escaped the group and keeps the pipe open must not
 * hold us up.
 */
static void capture_drain(struct capture *c)
{
	struct pollfd ready = {.fd = c->end[0], .events = POLLIN};

	for (int i = 0; i < 64 && c->end[0] >= 0 && poll(&ready, 1, 0) == 1; i++)
		if (!capture_read(c))
			break;
}

static void watch(struct child *child, struct capture *out, struct capture *err)
{
	struct capture *streams[] = {out, err};

	while (!child_check(child)) {
		struct pollfd ready[] = {
			{.fd = out->end[0], .events = POLLIN},
			{.fd = err->end[0], .events = POLLIN},
			{.fd = child->pidfd, .events = POLLIN},
		};

		if (poll(ready, ARRAY_SIZE(ready), child_poll_ms(child)) <= 0)
			continue;
		for (int i = 0; i < 2; i++)
			if (ready[i].revents && !capture_read(streams[i]))
				close_end(&streams[i]->end[0]);
	}
	capture_drain(out);
	capture_drain(err);
}

static int capture_open(struct capture *c)
{
	if (pipe2(c->end, O_CLOEXEC))
		return -errno;
	if (fcntl(c->end[0], F_SETFL, O_NONBLOCK))
		return -errno;
	return 0;
}

static uint64_t timeval_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000000u + (uint64_t)tv.tv_usec * 1000u;
}

static void fill_result(const struct child *child, uint64_t start_ns, struct spawn_result *res)
{
	res->wall_ns = clock_mono_ns() - start_ns;
	res->timed_out = child->timed_out;
	res->interrupted = child->interrupted;
	res->unkillable = child->unkillable;
	if (child->unkillable)
		return;
	res->signalled = WIFSIGNALED(child->wait_status);
	if (res->signalled)
		res->signal = WTERMSIG(child->wait_status);
	else
		res->exit_status = WEXITSTATUS(child->wait_status);
	res->user_ns = timeval_ns(child->usage.ru_utime);
	res->system_ns = timeval_ns(child->usage.ru_stime);
}

/* Forks, runs, waits. @report is a pipe through which a failed exec says why. */
static int run(const char *path, const char *const argv[], char **env,
	       const struct spawn_opts *opts, struct capture *out, struct capture *err,
	       int report[2], struct spawn_result *res)
{
	int keep[] = {out->end[1], err->end[1], report[1], opts->stdin_fd};
	uint64_t start_ns = clock_mono_ns();
	struct child child;
	int failed = 0;
	pid_t pid;

	/* Ascending, as child_fork() wants them. */
	for (size_t i = 1; i < ARRAY_SIZE(keep); i++)
		for (size_t k = i; k > 0 && keep[k] < keep[k - 1]; k--) {
			int swap = keep[k];

			keep[k] = keep[k - 1];
			keep[k - 1] = swap;
		}
	pid = child_fork(&child, opts->timeout_ns, keep, ARRAY_SIZE(keep));
	if (pid < 0)
		return (int)pid;
	if (pid == 0)
		run_program(path, argv, env, opts, out->end[1], err->end[1], report[1]);
	close_end(&report[1]);
	close_end(&out->end[1]);
	close_end(&err->end[1]);
	watch(&child, out, err);
	fill_result(&child, start_ns, res);
	/* Non-blocking: an unkillable child may still hold the other end. */
	fcntl(report[0], F_SETFL, O_NONBLOCK);
	if (read(report[0], &failed, sizeof(failed)) == (ssize_t)sizeof(failed))
		return -failed;
	return res->out.failed || res->err.failed ? -ENOMEM : 0;
}

int spawn_run(const char *const argv[], const struct spawn_opts *opts, struct spawn_result *res,
	      struct diag *d)
{
	static const struct spawn_opts defaults;
	struct capture out = {.end = {-1, -1}}, err = {.end = {-1, -1}};
	int report[2] = {-1, -1};
	AB_FREE char **env = NULL;
	char path[4096];
	int ret;

	*res = (struct spawn_result){0};
	if (!opts)
		opts = &defaults;
	ret = spawn_find(argv[0], path, sizeof(path));
	if (ret)
		return diag_set(d, ret, "%s: no such program in PATH; install it", argv[0]);
	out.to = &res->out;
	err.to = &res->err;
	out.max = err.max = opts->max_output_bytes ? opts->max_output_bytes : DEFAULT_MAX_OUTPUT;
	out.truncated = err.truncated = &res->truncated;
	env = make_env(opts->env_add);
	ret = env ? capture_open(&out) : -ENOMEM;
	if (!ret && !opts->inherit_stderr)
		ret = capture_open(&err);
	if (!ret && pipe2(report, O_CLOEXEC))
		ret = -errno;
	if (!ret)
		ret = run(path, argv, env, opts, &out, &err, report, res);
	for (int i = 0; i < 2; i++) {
		close_end(&out.end[i]);
		close_end(&err.end[i]);
		close_end(&report[i]);
	}
	if (ret)
		return diag_errno(d, ret, "%s: cannot be run", path);
	return 0;
}

void spawn_result_free(struct spawn_result *res)
{
	strbuf_free(&res->out);
	strbuf_free(&res->err);
}

/* The last lines of @text, on one line, at most 512 bytes of it. */
static void tail(const char *text, char *buf, size_t size)
{
	size_t len = strlen(text), from, n = 0;
	int lines = 0;

	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	for (from = len; from > 0 && len - from < 512; from--)
		if (text[from - 1] == '\n' && ++lines == 5)
			break;
	for (size_t i = from; i < len && n + 3 < size; i++) {
		if (text[i] == '\n') {
			buf[n++] = ';';
			buf[n++] = ' ';
		} else {
			buf[n++] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
		}
	}
	buf[n] = '\0';
}

int spawn_check(const char *program, const struct spawn_result *res, struct diag *d)
{
	char words[600];

	tail(strbuf_str(&res->err), words, sizeof(words));
	if (!*words)
		tail(strbuf_str(&res->out), words, sizeof(words));
	if (!*words)
		snprintf(words, sizeof(words), "it said nothing");
	if (res->unkillable)
		return diag_set(
			d, res->interrupted ? -EINTR : -ETIME,
			"%s: blocked in the kernel, SIGKILL did not end it; left behind: %s",
			program, words);
	if (res->interrupted)
		return diag_set(d, -EINTR, "%s: interrupted", program);
	if (res->timed_out)
		return diag_set(d, -ETIME, "%s: timed out after %.0f s and was ended: %s", program,
				(double)res->wall_ns / 1e9, words);
	if (res->signalled)
		return diag_set(d, -EIO, "%s: ended by signal %d (%s): %s", program, res->signal,
				strsignal(res->signal), words);
	if (res->exit_status)
		return diag_set(d, -EIO, "%s: exit status %d: %s", program, res->exit_status,
				words);
	return 0;
}
