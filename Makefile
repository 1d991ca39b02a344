# SPDX-License-Identifier: GPL-2.0-only
# accelbench: `make help` lists the targets.

VERSION  := 0.1.0
BUILD    := build
CC       ?= gcc
CLANG    ?= clang
BPFTOOL  ?= $(shell command -v bpftool 2>/dev/null || echo /usr/sbin/bpftool)
PKGS     := libbpf libelf json-c yaml-0.1 mount blkid libcrypto
PKG_CONFIG ?= pkg-config

V ?= 0
ifeq ($(V),0)
Q := @
msg = @printf '  %-8s %s\n' '$(1)' '$(2)';
else
Q :=
msg =
endif

ifneq ($(DEBUG),)
OPT := -O0 -g3
else
OPT := -O2 -g
endif
ifneq ($(SAN),)
OPT += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
BUILD := build/san
endif
ifneq ($(CI),)
WERROR := -Werror
endif

ARCH := $(shell uname -m | sed -e 's/x86_64/x86/' -e 's/aarch64/arm64/')
CFLAGS_ALL := -std=gnu11 $(OPT) -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wformat=2 -Wno-format-nonliteral -Wno-unused-parameter $(WERROR) -D_GNU_SOURCE -DAB_VERSION='"$(VERSION)"' \
	-Isrc -Ibpf -I$(BUILD)/bpf $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null) $(CFLAGS)
LDLIBS := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) -lz -lm -lpthread
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) -Wall -Ibpf -I$(BUILD)/bpf -idirafter /usr/include/$(shell uname -m)-linux-gnu

LIB_SRC  := $(wildcard src/base/*.c src/model/*.c src/probe/*.c src/run/*.c src/report/*.c)
MAIN_SRC := $(wildcard src/*.c)
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
MAIN_OBJ := $(MAIN_SRC:%.c=$(BUILD)/%.o)
BPF_SRC  := $(wildcard bpf/*.bpf.c)
SKELS    := $(BPF_SRC:bpf/%.bpf.c=$(BUILD)/bpf/%.skel.h)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all help deps lab demo check check-unit clean

all: $(BUILD)/accelbench ## build build/accelbench

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r t h; do printf '  %-16s %s\n' "$$t" "$$h"; done

$(BUILD)/accelbench: $(MAIN_OBJ) $(BUILD)/libaccelbench.a
	$(call msg,LINK,$@)
	$(Q)$(CC) $(OPT) -o $@ $(MAIN_OBJ) $(BUILD)/libaccelbench.a $(LDFLAGS) $(LDLIBS)

$(BUILD)/libaccelbench.a: $(LIB_OBJ)
	$(call msg,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c | $(SKELS)
	$(call msg,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h)
	$(call msg,BPF,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(BPF_CFLAGS) -c -o $@ $<

$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(call msg,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

-include $(LIB_OBJ:.o=.d) $(MAIN_OBJ:.o=.d)

# Unit tests: every tests/unit/test_*.c is one cmocka program.
TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libaccelbench.a
	$(call msg,TEST,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) -Itests/unit -MMD -MP -o $@ $< $(BUILD)/libaccelbench.a $(LDFLAGS) $(LDLIBS) -lcmocka
-include $(TESTS:=.d)

check-unit: $(TESTS) ## unit tests
	$(Q)set -e; for t in $(TESTS); do $$t; done

lab: ## build the lab guest (kernel, root, modules) below build/lab
	$(Q)lab/build.sh build/lab

clean: ## remove build products; the lab guest stays (make lab-clean)
	$(Q)rm -rf build/src build/bpf build/tests build/san build/accelbench build/libaccelbench.a
