#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What test_boot.sh runs inside the guest: functions are hooked and released for some seconds while two tasks call them.

set -euo pipefail

cd /sys/kernel/tracing
for _ in 1 2; do
	while :; do dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null; done &
done
trap 'kill $(jobs -p)' EXIT
echo vfs_read vfs_write rw_verify_area >set_ftrace_filter
for ((rounds = 0; SECONDS < ${1:?seconds}; rounds++)); do
	echo function >current_tracer
	echo nop >current_tracer
done
echo "rounds=$rounds"
