# SPDX-License-Identifier: GPL-2.0-only
# accelbench: `make help` lists the targets and switches.

VERSION    := 0.1.0
ifeq ($(origin CC),default)
CC         := gcc
endif
CLANG      ?= clang
PKG_CONFIG ?= pkg-config
# Ubuntu's wrapper answers for the running kernel only; any version of it does here.
BPFTOOL    ?= $(firstword $(shell for b in bpftool /usr/sbin/bpftool /usr/lib/linux-tools/*/bpftool; do \
		"$$b" version >/dev/null 2>&1 && echo "$$b"; done; true) bpftool)
PKGS       := libbpf libelf yaml-0.1 mount libcrypto

prefix     ?= /usr/local
bindir     ?= $(prefix)/bin
datadir    ?= $(prefix)/share
mandir     ?= $(datadir)/man
completiondir ?= $(datadir)/bash-completion/completions

BUILD := build
OPT   := -O2 -g
ifneq ($(DEBUG),)
OPT   := -O0 -g3
endif
ifneq ($(SAN),)
BUILD := build/san
OPT   := -O1 -g -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
endif
ifneq ($(FUZZER),)
BUILD := build/fuzz
CC    := clang
OPT   := -O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -Wno-unknown-warning-option
endif
ifneq ($(COV),)
BUILD := build/cov
OPT   := -O0 -g --coverage
endif
ifneq ($(CI),)
WERROR := -Werror
endif

comma := ,
Q := @
msg = @printf '  %-8s %s\n' '$(1)' '$(2)';
ifneq ($(filter-out 0,$(V)),)
Q :=
msg :=
endif

export BUILD

ARCH := $(shell uname -m | sed -e 's/x86_64/x86/' -e 's/aarch64/arm64/')
CFLAGS_ALL := -std=gnu11 $(OPT) -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wformat=2 -Wno-format-nonliteral -Wno-format-truncation -Wno-unused-parameter $(WERROR) -D_GNU_SOURCE -DAB_VERSION='"$(VERSION)"' \
	-Isrc -Ibpf -I$(BUILD)/bpf $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null) $(CFLAGS)
LDLIBS := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) -lz -lm -lpthread
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) -Wall $(WERROR) -Ibpf \
	-idirafter /usr/include/$(shell uname -m)-linux-gnu

LIB_SRC  := $(wildcard src/base/*.c src/model/*.c src/probe/*.c src/run/*.c src/report/*.c)
MAIN_SRC := $(wildcard src/*.c)
BPF_SRC  := $(wildcard bpf/*.bpf.c)
# A test program is one file: cmocka in unit/, a fuzz target in fuzz/; in guest/ it may also be all of a folder, named like it.
UNIT_SRC := $(wildcard tests/unit/test_*.c)
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
GUEST_SRC := $(wildcard tests/guest/*.c)
GUEST_DIRS := $(patsubst %/,%,$(sort $(dir $(wildcard tests/guest/*/*.c))))

LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
MAIN_OBJ := $(MAIN_SRC:%.c=$(BUILD)/%.o)
SKELS    := $(BPF_SRC:bpf/%.bpf.c=$(BUILD)/bpf/%.skel.h)
UNIT     := $(UNIT_SRC:%.c=$(BUILD)/%)
FUZZ     := $(FUZZ_SRC:%.c=$(BUILD)/%)
GUEST    := $(GUEST_SRC:%.c=$(BUILD)/%) $(foreach d,$(GUEST_DIRS),$(BUILD)/$d/$(notdir $d))
# The guest gets the plain build only.
TESTS    := $(UNIT) $(FUZZ) $(if $(SAN)$(COV)$(FUZZER),,$(GUEST))
TEST_OBJ := $(UNIT_SRC:%.c=$(BUILD)/%.o) $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fuzz/*.c tests/guest/*.c tests/guest/*/*.c))

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

##@ Build
.PHONY: all programs FORCE
all: $(BUILD)/accelbench ## build/accelbench (the default)

programs: all $(TESTS) ## the program and all test programs

$(BUILD)/accelbench: $(MAIN_OBJ) $(BUILD)/libaccelbench.a $(BUILD)/flags
	$(call msg,LINK,$@)
	$(Q)$(CC) $(OPT) -o $@ $(MAIN_OBJ) $(BUILD)/libaccelbench.a $(LDFLAGS) $(LDLIBS)

$(BUILD)/libaccelbench.a: $(LIB_OBJ) $(BUILD)/sources
	$(call msg,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB_OBJ)

$(BUILD)/%.o: %.c $(BUILD)/flags | $(SKELS) needs
	$(call msg,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h) $(BUILD)/flags | needs
	$(call msg,BPF,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(BPF_CFLAGS) -c -o $@ $<

$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(call msg,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(TESTS): $(BUILD)/libaccelbench.a $(BUILD)/flags
	$(call msg,TEST,$@)
	$(Q)$(CC) $(OPT) -o $@ $(filter %.o,$^) $(BUILD)/libaccelbench.a $(LDFLAGS) $(LDLIBS) -lcmocka
$(UNIT) $(FUZZ) $(GUEST_SRC:%.c=$(BUILD)/%): %: %.o
$(FUZZ): $(if $(FUZZER),,$(BUILD)/tests/fuzz/replay.o)
$(FUZZ): LDFLAGS += $(if $(FUZZER),-fsanitize=fuzzer)
$(foreach d,$(GUEST_DIRS),$(eval $(BUILD)/$d/$(notdir $d): $(patsubst %.c,$(BUILD)/%.o,$(wildcard $d/*.c))))

-include $(patsubst %.o,%.d,$(LIB_OBJ) $(MAIN_OBJ) $(TEST_OBJ))

.PHONY: skeletons
skeletons: $(SKELS)
# The value of a variable, for scripts.
print-%:
	@printf '%s\n' '$(subst ','\'',$($*))'

# Written only when the text changes: what depends on it is made again when the flags, or the list of sources, do.
keep = @mkdir -p $(@D) && printf '%s\n' '$(subst ','\'',$(1))' >$@.$$$$ && \
	if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
$(BUILD)/flags: FORCE
	$(call keep,$(CC) $(CFLAGS_ALL) $(CLANG) $(BPF_CFLAGS) $(LDFLAGS) $(LDLIBS))
$(BUILD)/sources: FORCE
	$(call keep,$(LIB_SRC))

# What the build needs is there, or one message says what is not.
.PHONY: needs
needs:
	@CC='$(CC)' CLANG='$(CLANG)' BPFTOOL='$(BPFTOOL)' PKG_CONFIG='$(PKG_CONFIG)' scripts/deps.sh --check build

.PHONY: deps man install uninstall clean compile-commands
deps: ## install what is missing (Debian, Ubuntu), or list it; ROLES="build run test lab"
	$(Q)scripts/deps.sh $(ROLES)

man: all ## the manual's pages and completion for bash, in build/man
	@rm -rf $(BUILD)/man && mkdir -p $(BUILD)/man
	$(Q)$(BUILD)/accelbench help --format=man --output=$(BUILD)/man
	$(Q)$(BUILD)/accelbench help --format=bash >$(BUILD)/man/completion

# The guest for an installed program: share/accelbench/lab/build.sh DIR, then run --lab-dir=DIR.
install: man ## install below prefix=/usr/local; DESTDIR is honoured
	install -D -m 755 $(BUILD)/accelbench $(DESTDIR)$(bindir)/accelbench
	install -D -m 644 -t $(DESTDIR)$(mandir)/man1 $(BUILD)/man/*.1
	install -D -m 644 $(BUILD)/man/completion $(DESTDIR)$(completiondir)/accelbench
	cd $(CURDIR) && find scenarios results/reference lab -type f -exec \
		sh -c 'for f; do install -D -m "$$(stat -c %a "$$f")" "$$f" "$$0/$$f"; done' $(DESTDIR)$(datadir)/accelbench {} +

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(bindir)/accelbench $(DESTDIR)$(completiondir)/accelbench
	rm -f $(DESTDIR)$(mandir)/man1/accelbench.1 $(DESTDIR)$(mandir)/man1/accelbench-*.1
	rm -rf $(DESTDIR)$(datadir)/accelbench

compile-commands: build/compile_commands.json ## for editors and clang-tidy, in build/
build/compile_commands.json: FORCE
	$(shell mkdir -p $(@D))$(file >$@,[$(subst } {,}$(comma){,$(foreach s,$(patsubst $(BUILD)/%.o,%.c,$(LIB_OBJ) $(MAIN_OBJ) $(TEST_OBJ)),{"directory": \
		"$(CURDIR)"$(comma) "file": "$(s)"$(comma) "command": "$(subst ",\",$(CC) $(CFLAGS_ALL)) -c $(s)"}))])

clean: ## remove what was built; the guest stays (lab-clean)
	rm -rf $(filter-out build/lab,$(wildcard build/*))

##@ Check
.PHONY: check check-unit check-san check-golden check-cli check-guest golden-update fuzz cov lint fmt fmt-check
# As many jobs as processors, unless the caller said.
jobs = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
# A second make: what it compiles with may only just have been installed. The guest, much of it downloading, is built meanwhile;
# whether that worked is the first thing that the tests ask.
check: deps ## everything: install, build, lint, all tests
	$(Q)$(MAKE) --no-print-directory lab & \
	$(MAKE) --no-print-directory $(jobs) programs && \
	$(MAKE) --no-print-directory $(jobs) programs SAN=address,undefined; status=$$?; wait; exit $$status
	$(Q)tests/run

check-unit: programs ## unit tests
	$(Q)tests/run unit

check-san: ## unit tests, command line and golden files under ASan and UBSan
	$(Q)$(MAKE) --no-print-directory programs SAN=address,undefined
	$(Q)tests/run san

check-golden: all ## scenario -> plan -> fio job, result -> table, against golden files
	$(Q)tests/run golden

check-cli: all ## command line, exit statuses
	$(Q)tests/run cli

check-guest: programs ## tests inside the lab's guest, against the log of its accelerator
	$(Q)tests/run guest

golden-update: all ## rewrite the golden files from what the program prints now; read the diff
	$(Q)tests/run --update

lint: ## formatting, static analysis, rules of the tree
	$(Q)scripts/lint.sh

fmt: ## format all C
	$(Q)scripts/lint.sh --fix-format

fmt-check: ## is all C formatted?
	$(Q)scripts/lint.sh format

fuzz: ## replay the fuzz corpora; FUZZ_SECONDS=60 looks for more, so long for each, with clang's libFuzzer
ifeq ($(FUZZ_SECONDS),)
	$(Q)$(MAKE) --no-print-directory programs SAN=address,undefined
	$(Q)tests/run san -k san/fuzz_
else
	$(Q)$(MAKE) --no-print-directory fuzzers FUZZER=1
	$(Q)set -e; for name in $(FUZZ_SRC:tests/fuzz/fuzz_%.c=%); do \
		mkdir -p build/fuzz/corpus/$$name; \
		build/fuzz/tests/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 \
			-artifact_prefix=build/fuzz/$$name- build/fuzz/corpus/$$name tests/fuzz/corpus/$$name; \
	done
endif
.PHONY: fuzzers
fuzzers: $(FUZZ)

cov: ## test coverage of unit, golden and command-line tests; details in build/cov/index.html
	$(Q)$(MAKE) --no-print-directory programs COV=1
	$(Q)find build/cov -name '*.gcda' -delete
	-$(Q)BUILD=build/cov tests/run unit golden cli
	$(Q)gcovr --root . --object-directory build/cov --filter src/ --html-details build/cov/index.html --print-summary

##@ Run
.PHONY: demo lab lab-clean bench help
# The guest is built even where the host can be traced: its mkfs.erofs knows deflate, Debian 12's does not.
demo: ## install, build, run scenarios/quickstart.yaml on this host or in the guest
	$(Q)$(MAKE) --no-print-directory deps ROLES="build run lab"
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)$(MAKE) --no-print-directory lab
	$(Q)$(BUILD)/accelbench run scenarios/quickstart.yaml

lab: ## build the guest (kernel, root, modules) below build/lab
	$(Q)lab/build.sh build/lab

lab-clean: ## remove the guest
	rm -rf build/lab

bench: programs ## measure the project's own limits
	$(Q)scripts/bench.py

help: ## this list
	@awk -F ':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z_.-]+:.*## / { printf "  %-22s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@printf '\nSwitches: V=1 shows commands, DEBUG=1 builds for a debugger, SAN=address,undefined with sanitizers,\n'
	@printf 'COV=1 for coverage, CI=true turns warnings into errors.\n'
