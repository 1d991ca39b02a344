// SPDX-License-Identifier: GPL-2.0-only
/*
 * Function hooks: one body per role, and numbered programs of each role for both mechanisms (fentry/fexit and
 * kprobe/kretprobe). User space sets their targets from its hook table and loads only those that it uses.
 */
#include "core.bpf.h"
#include "inflight.bpf.h"
#include "sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define REQUEST_SLOTS 6

/* What each request slot is attached to: enum ab_algorithm, and whether its function returns a pointer (an error string
 * or ERR_PTR, kernel 7.0 and newer) or an int. */
const volatile __u8 request_algorithm[REQUEST_SLOTS] = {};
const volatile __u8 request_returns_pointer[REQUEST_SLOTS] = {};

static __always_inline bool is_target(const void *rq)
{
	return window.active &&
	       read_u32(read_pointer(rq, AB_FIELD_RQ_SB), AB_FIELD_SB_DEV) == window.kernel_dev;
}

/*
 * Programs at an entry read the clock last, those at an exit first: so the tracer's own time lies outside of the
 * phase that is measured there, in `setup`, `copy` or `other`.
 */
static __always_inline int request_enter(__u32 slot, const void *rq)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct ab_counts *c = counts_here();
	struct request *r;
	bool ours = is_target(rq);

	if (slot >= REQUEST_SLOTS)
		return 0;
	r = bpf_task_storage_get(&requests, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!r || !c) {
		if (ours)
			count(AB_CNT_STATE_FAILED);
		return 0;
	}
	if (is_open(r))
		add64(&c->n[AB_CNT_OVERWRITTEN], 1);
	if (!ours) {
		r->window = NOT_OURS;
		if (window.active)
			add64(&c->n[AB_CNT_OTHER_DEVICE], 1);
		return 0;
	}
	__builtin_memset(r, 0, sizeof(*r));
	r->rec.tid = (__u32)bpf_get_current_pid_tgid();
	r->rec.direction = AB_DECOMPRESS;
	r->rec.algorithm = request_algorithm[slot];
	r->rec.in_bytes = read_u32(rq, AB_FIELD_RQ_IN);
	r->rec.out_bytes = read_u32(rq, AB_FIELD_RQ_OUT);
	if (read_bool(rq, AB_FIELD_RQ_PARTIAL))
		r->rec.flags |= AB_REC_PARTIAL;
	if (read_bool(rq, AB_FIELD_RQ_INPLACE))
		r->rec.flags |= AB_REC_INPLACE;
	if (read_u32(task, AB_FIELD_TASK_FLAGS) & PF_KTHREAD)
		r->rec.flags |= AB_REC_KTHREAD;
	r->phase = AB_SETUP;
	r->window = window.begin_ns;
	r->rec.start_ns = bpf_ktime_get_ns();
	r->rec.end_ns = r->rec.start_ns;
	add64(&c->n[AB_CNT_ENTRIES], 1);
	add64(&c->n[AB_CNT_ENTRY_NS], r->rec.start_ns - r->window);
	return 0;
}

/*
 * The end of a request: the clock and the time off the CPU until then, as a pair. The task may be preempted between
 * reading the one and the other; three times in a row are left to difference().
 */
static __always_inline __u64 end_of(struct request *r)
{
	volatile __u64 *off_cpu = &r->off_cpu_ns;
	__u64 now, before;
	int i;

	for (i = 0; i < 3; i++) {
		before = *off_cpu;
		now = bpf_ktime_get_ns();
		if (*off_cpu == before)
			break;
	}
	r->rec.ns[AB_OFF_CPU] = before;
	return now;
}

static __always_inline int request_exit(__u32 slot, __u64 ret)
{
	struct request *r = current_request();

	if (!r || !r->window) {
		if (window.active)
			count(AB_CNT_ORPHAN_EXITS);
		return 0;
	}
	if (is_open(r)) {
		boundary(r, end_of(r), AB_PARTITION);
		if (slot < REQUEST_SLOTS && request_returns_pointer[slot] ? ret != 0
									  : (int)ret != 0)
			r->rec.flags |= AB_REC_FAILED;
		request_book(r);
	}
	r->window = 0;
	return 0;
}

/* Decoder calls count in the file system's own code only: inside a submit they belong to the driver. */
static __always_inline int decode_enter(void)
{
	struct request *r = open_request();

	if (!r || r->depth || (r->phase != AB_SETUP && r->phase != AB_OTHER && r->phase != AB_COPY))
		return 0;
	r->steps |= STEP_DECODED;
	boundary(r, bpf_ktime_get_ns(), AB_DECODE);
	return 0;
}

static __always_inline int decode_exit(void)
{
	__u64 now = bpf_ktime_get_ns();
	struct request *r = open_request();

	if (r && !r->depth && r->phase == AB_DECODE)
		boundary(r, now, AB_OTHER);
	return 0;
}

static __always_inline int copy_enter(void)
{
	struct request *r = open_request();

	if (!r || r->depth || (r->phase != AB_SETUP && r->phase != AB_OTHER))
		return 0;
	r->copy_from = r->phase;
	r->steps |= STEP_COPIED;
	boundary(r, bpf_ktime_get_ns(), AB_COPY);
	return 0;
}

static __always_inline int copy_exit(void)
{
	__u64 now = bpf_ktime_get_ns();
	struct request *r = open_request();

	/* After an asynchronous request everything up to the exit is `copy`: then there is nothing to go back to. */
	if (r && !r->depth && r->phase == AB_COPY && !(r->steps & STEP_SUBMITTED))
		boundary(r, now, r->copy_from);
	return 0;
}

/* First sight of a driver: its name is kept. */
static __always_inline void driver_learn(const void *alg)
{
	__u64 key = (__u64)alg;
	struct ab_driver d = {};

	if (bpf_map_lookup_elem(&drivers, &key))
		return;
	bpf_probe_read_kernel_str(d.name, sizeof(d.name), field_at(alg, AB_FIELD_ALG_DRIVER));
	bpf_map_update_elem(&drivers, &key, &d, BPF_NOEXIST);
}

static __always_inline int submit_enter(const void *req)
{
	struct request *r = open_request();
	const void *base, *alg;
	struct ab_inflight *f;
	__u64 now;

	if (!r)
		return 0;
	if (r->depth) {
		r->depth++;
		r->steps |= STEP_NESTED;
		count(AB_CNT_NESTED_SUBMITS);
		return 0;
	}
	r->depth = 1;
	r->steps |= STEP_SUBMITTED;
	r->rec.submit_cpu = bpf_get_smp_processor_id();
	base = field_at(req, AB_FIELD_ACOMP_BASE);
	r->rec.wait_key = (__u64)read_pointer(base, AB_FIELD_ASYNC_DATA);
	alg = read_pointer(read_pointer(base, AB_FIELD_ASYNC_TFM), AB_FIELD_TFM_ALG);
	r->rec.driver = (__u64)alg;
	driver_learn(alg);
	count(AB_CNT_SUBMITS);
	f = inflight_claim(r->rec.wait_key);
	now = bpf_ktime_get_ns();
	if (f)
		f->submit_ns = now;
	r->rec.submit_ns = now;
	boundary(r, now, AB_SUBMIT);
	/* Blocked before the submit, e.g. for memory: in an accelerated request that is a part of its setup. */
	r->rec.ns[AB_SETUP] += r->rec.ns[AB_WAIT];
	r->rec.ns[AB_WAIT] = 0;
	return 0;
}

static __always_inline int submit_exit(int ret)
{
	__u64 now = bpf_ktime_get_ns();
	struct request *r = open_request();

	if (!r || !r->depth)
		return 0;
	if (--r->depth)
		return 0;
	r->rec.status = ret;
	if (ret == -EINPROGRESS || ret == -EBUSY) {
		boundary(r, now, AB_WAIT);
		r->submit_return_ns = r->rec.end_ns;
		r->steps |= STEP_ASYNC;
		if (ret == -EBUSY)
			r->rec.flags |= AB_REC_BACKLOG;
		count(ret == -EBUSY ? AB_CNT_SUBMIT_BUSY : AB_CNT_SUBMIT_ASYNC);
		return 0;
	}
	/* A synchronous transform: the call itself was the decoding. After a refusal the file system goes on by itself. */
	boundary(r, now, ret ? AB_OTHER : AB_COPY);
	r->rec.ns[AB_DECODE] += r->rec.ns[AB_SUBMIT];
	r->rec.ns[AB_SUBMIT] = 0;
	r->steps |= ret ? STEP_REJECTED : STEP_SYNC;
	count(ret ? AB_CNT_SUBMIT_ERRORS : AB_CNT_SUBMIT_SYNC);
	inflight_settle(r);
	return 0;
}

/* crypto_req_done(data, err): on any CPU, often in softirq on top of somebody else's task. */
static __always_inline int done_enter(__u64 data, int err)
{
	__u64 now = bpf_ktime_get_ns();
	struct ab_inflight *f = bpf_map_lookup_elem(&inflights, &data);

	if (!f)
		return 0;
	if (err == -EINPROGRESS)
		inflight_notified(f, now);
	else
		inflight_done(f, now, err);
	return 0;
}

/* wait_for_completion() returned in a task whose request was waiting for its driver. */
static __always_inline int resume_exit(void)
{
	__u64 now = bpf_ktime_get_ns();
	struct request *r = open_request();

	if (!r || r->depth || r->phase != AB_WAIT || !(r->steps & STEP_ASYNC) ||
	    r->steps & STEP_RESUMED)
		return 0;
	boundary(r, now, AB_COPY);
	r->steps |= STEP_RESUMED;
	inflight_settle(r);
	count(AB_CNT_RESUMES);
	return 0;
}

/*
 * An fentry program has one target, which is known when it is loaded: so there is a numbered one of each role for every
 * function, <role><slot>_fe and _fx (fexit finds the return value behind the arguments). Their sections are our own: so
 * src/probe/attach.c sets their targets from its index instead of libbpf's linear search.
 * A kprobe program can be attached anywhere, and as often as is needed: one of each role, <role>_kp and _kr, which learns its
 * slot from the cookie.
 */
#define SLOT(ctx) ((__u32)bpf_get_attach_cookie(ctx))

#define FENTRY(name, slot, call)                          \
	SEC("?ab_fentry") int name##slot##_fe(__u64 *ctx) \
	{                                                 \
		return call;                              \
	}
#define FEXIT(name, slot, call)                          \
	SEC("?ab_fexit") int name##slot##_fx(__u64 *ctx) \
	{                                                \
		return call;                             \
	}
#define KPROBE(name, call)                                \
	SEC("?kprobe") int name##_kp(struct pt_regs *ctx) \
	{                                                 \
		return call;                              \
	}
#define KRETPROBE(name, call)                                \
	SEC("?kretprobe") int name##_kr(struct pt_regs *ctx) \
	{                                                    \
		return call;                                 \
	}

#define REQUEST(slot)                                          \
	FENTRY(req, slot, request_enter(slot, (void *)ctx[0])) \
	FEXIT(req, slot, request_exit(slot, ctx[2]))
#define DECODE(slot) FENTRY(dec, slot, decode_enter()) FEXIT(dec, slot, decode_exit())
#define COPY(slot)   FENTRY(cpy, slot, copy_enter()) FEXIT(cpy, slot, copy_exit())
#define SUBMIT(slot) \
	FENTRY(sub, slot, submit_enter((void *)ctx[0])) FEXIT(sub, slot, submit_exit((int)ctx[1]))

REQUEST(0)
REQUEST(1)
REQUEST(2)
REQUEST(3)
REQUEST(4)
REQUEST(5)
KPROBE(req, request_enter(SLOT(ctx), (void *)PT_REGS_PARM1(ctx)))
KRETPROBE(req, request_exit(SLOT(ctx), PT_REGS_RC(ctx)))

DECODE(0)
DECODE(1)
DECODE(2)
DECODE(3)
DECODE(4)
DECODE(5)
KPROBE(dec, decode_enter())
KRETPROBE(dec, decode_exit())

COPY(0)
COPY(1)
COPY(2)
KPROBE(cpy, copy_enter())
KRETPROBE(cpy, copy_exit())

SUBMIT(0)
SUBMIT(1)
KPROBE(sub, submit_enter((void *)PT_REGS_PARM1(ctx)))
KRETPROBE(sub, submit_exit((int)PT_REGS_RC(ctx)))

FENTRY(don, 0, done_enter(ctx[0], (int)ctx[1]))
KPROBE(don, done_enter(PT_REGS_PARM1(ctx), (int)PT_REGS_PARM2(ctx)))

FEXIT(res, 0, resume_exit())
KRETPROBE(res, resume_exit())

/* Arguments: preempt, prev, next; a fourth since 5.18 (commit fa2c3254d7cf) is not needed. */
SEC("?ab_tp_btf") int sched_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1];
	struct task_struct *next = (void *)ctx[2];
	__u64 now;

	if (!window.begin_ns)
		return 0;
	now = bpf_ktime_get_ns();
	account_cpu(prev, now);
	task_off(prev, ctx[0], now);
	task_on(next, now);
	return 0;
}

/* Run by user space: given addresses, the kernel attaches many functions at once without a walk through all its symbols. */
SEC("?syscall") int find_symbol(struct ab_symbol *symbol)
{
	__u64 address = 0;

	bpf_kallsyms_lookup_name(symbol->name, sizeof(symbol->name), 0, &address);
	symbol->address = address;
	return 0;
}
