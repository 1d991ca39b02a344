#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# boot: own
# timeout: 420
# The tracer's accuracy on the guest's instruction clock, where nothing but the tracer itself can be in the way.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${BUILD:-build}
share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT
mkdir -p "$share/in/tests/guest" "$share/in/build/tests/guest/truth"
cp tests/guest/test_truth.sh "$share/in/tests/guest/"
cp "$build/tests/guest/truth/truth" "$share/in/build/tests/guest/truth/"
lab/boot.sh -d -b build/lab -s "$share" -w /lab/in -t 360 -- tests/guest/test_truth.sh \
	plain accuracy sync fallback early errors backlog duplicates lost mixture overflow before_window other_device mechanisms submit_delay
