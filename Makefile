# treebench. `make list` prints the targets.

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
CC ?= gcc
CXX ?= g++
OBJCOPY ?= objcopy
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif

# CUDA=1 adds the CUDA back end. nvcc is then needed, and the driver only when a device is opened.
CUDA ?=
NVCC ?= $(or $(shell command -v nvcc),/usr/local/cuda/bin/nvcc)
CUDA_FLAGS := $(if $(CUDA),-DWITH_CUDA -isystem $(dir $(NVCC))../include)

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(if $(WERROR),-Werror)
OPTIMISE ?= -O2
SANITIZE ?=
COVERAGE ?=
# Profilers walk the stack by frame pointers. Kernels have no calls below them, and need the register.
# Under sanitizers they keep frame pointers, because sanitizers print the stack.
FRAMES := -fno-omit-frame-pointer
KERNEL_FRAMES := $(if $(SANITIZE),$(FRAMES),-fomit-frame-pointer)
# Each function and object is a section of its own, so that scripts/fingerprint.sh sees what a change
# reaches. Aligned functions and loops make the times of kernels depend less on what is linked before
# them.
LAYOUT := -ffunction-sections -fdata-sections
KERNEL_LAYOUT := $(LAYOUT) -falign-functions=64 -falign-loops=32
# Every compiler must compute floats exactly as the source says, so it must not contract operations
# into fused multiply-adds. The program and the shared library are linked from the same objects, so
# that both run the same machine code of kernels.
POSITION = -fPIC -fvisibility=hidden
COMMON = $(OPTIMISE) -g $(FRAMES) $(LAYOUT) -ffp-contract=off $(POSITION) -pthread -fopenmp $(SANITIZE) $(EXTRA)
CFLAGS_ALL = -std=c11 -D_GNU_SOURCE $(COMMON) $(SEEN) $(WARNINGS) -Werror=implicit-function-declaration -I. -I$(BUILD)/generated $(PKG_CFLAGS) $(CUDA_FLAGS)
CXXFLAGS_ALL = -std=c++17 $(COMMON) $(WARNINGS) -I. $(PKG_CFLAGS)
LIBS = $(PKG_LIBS) -ldl -lm

# pkg-config runs only when the first recipe needs its output, because scripts/deps.sh may have to
# install the packages before that.
PACKAGES := libcjson expat zlib
# These are loaded only when they are needed, because that takes longer than most commands do.
LOADED := libzip papi xgboost
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) $(LOADED)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $(shell pkg-config --libs $(PACKAGES)))$(PKG_LIBS)
TEST_LIBS = $(eval TEST_LIBS := $(shell pkg-config --libs cmocka $(LOADED)))$(TEST_LIBS)

# A program that was linked with libtreebench runs with every later version that has this name.
SONAME := libtreebench.so.0
VERSION = $(shell sed -n 's/^#define TB_VERSION "\(.*\)"/\1/p' library/treebench.h)

# libtreebench is built from all rooms except those that only the program needs, and those that are
# libraries of their own: dropin/lightgbm becomes libtreebench_lightgbm.
rooms := $(shell sed "/^#/d; s/ .*//" rooms.txt)
program_rooms := $(filter export harness/%,$(rooms))
dropin_rooms := $(filter dropin/%,$(rooms))
dropins := $(dropin_rooms:dropin/%=$(BUILD)/libtreebench_%.so.0)
library_rooms := $(filter-out $(program_rooms) $(dropin_rooms),$(rooms))
# Kernels of other architectures are left out. If the compiler is not installed yet, uname names the
# architecture.
machine := $(shell $(CC) -dumpmachine 2>/dev/null || uname -m)
foreign_kernels := $(if $(filter x86_64%,$(machine)),,%_sse42.c %_avx2.c %_avx512.c %_vbmi.c) \
    $(if $(filter aarch64%,$(machine)),,%_neon.c)
room_sources := $(filter-out $(foreign_kernels),$(wildcard $(library_rooms:%=%/*.c)))
room_objects := $(room_sources:%.c=$(BUILD)/%.o) $(patsubst %.cc,$(BUILD)/%.o,$(wildcard $(library_rooms:%=%/*.cc)))
harness_objects := $(patsubst %.c,$(BUILD)/%.o,$(filter-out harness/cli/main.c,$(wildcard $(program_rooms:%=%/*.c))))
test_programs := $(patsubst %.c,$(BUILD)/%,$(wildcard $(patsubst %,tests/%/test_*.c,* */* */*/*)))
fuzz_programs := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))

# The manual page and the completion for bash are made from the program's own help.
printed := $(BUILD)/treebench.1 $(BUILD)/treebench.bash

all: $(BUILD)/treebench $(BUILD)/libtreebench.a $(BUILD)/$(SONAME) $(dropins) $(printed)  ## build the program and the libraries

# --- what is built ---------------------------------------------------------------------------
$(BUILD)/treebench: $(BUILD)/harness/cli/main.o $(BUILD)/libharness.a $(BUILD)/librooms.a
	$(CXX) $(COMMON) -o $@ $^ $(LIBS)

$(BUILD)/librooms.a: $(room_objects)
$(BUILD)/libharness.a: $(harness_objects)
$(BUILD)/librooms.a $(BUILD)/libharness.a: $(BUILD)/objects
	rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)

# libtreebench must not depend on the libraries that treebench is compared with.
$(BUILD)/library/scorer.o: impls/scorer.c $(BUILD)/flags | $(BUILD)/deps.build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -DWITHOUT_LIBRARIES -MMD -MP -c -o $@ $<

# One object for both libraries. It has only what the interface needs, and exports only names tb_*.
$(BUILD)/libtreebench.o: $(BUILD)/library/treebench.o $(BUILD)/library/scorer.o $(BUILD)/librooms.a
	$(CC) -r -nostdlib -o $@ $^
	$(OBJCOPY) --wildcard --keep-global-symbol="tb_*" $@

$(BUILD)/libtreebench.a: $(BUILD)/libtreebench.o
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/$(SONAME): $(BUILD)/libtreebench.o library/treebench.map
	$(CXX) $(COMMON) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=library/treebench.map \
	    -Wl,--as-needed -o $@ $< $(LIBS)

# A drop-in library exports the functions of the API that it answers, and nothing of treebench.
$(foreach room,$(dropin_rooms),$(eval $(room:dropin/%=$(BUILD)/libtreebench_%.so.0): \
    $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(room)/*.c))))
$(dropins): $(BUILD)/library/scorer.o $(BUILD)/librooms.a
	$(CXX) $(COMMON) -shared -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL -Wl,--as-needed -o $@ \
	    $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

$(BUILD)/commands.tsv: $(BUILD)/treebench scripts/commands.sh
	sh scripts/commands.sh $< >$@

$(BUILD)/treebench.1: scripts/man.awk $(BUILD)/commands.tsv
$(BUILD)/treebench.bash: scripts/completion.awk $(BUILD)/commands.tsv
$(printed):
	awk -f $^ >$@

# impls/ is built with -O3 and without frame pointers, like the papers' programs. Each kernel file
# gets only the flags of its own instruction set.
$(BUILD)/impls/%.o: private OPTIMISE := $(if $(filter -O2,$(OPTIMISE)),-O3,$(OPTIMISE))
$(BUILD)/impls/%.o: private FRAMES := $(KERNEL_FRAMES)
$(BUILD)/impls/%.o: private LAYOUT := $(KERNEL_LAYOUT)
$(BUILD)/impls/%_sse42.o: private EXTRA += -msse4.2
$(BUILD)/impls/%_avx2.o: private EXTRA += -mavx2
$(BUILD)/impls/walks/rank_%_avx2.o: private EXTRA += -mbmi -mbmi2
$(BUILD)/impls/%_avx512.o: private EXTRA += -mavx512f -mavx512bw -mavx512dq -mavx512vl
$(BUILD)/impls/%_vbmi.o: private EXTRA += -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mgfni

$(BUILD)/%.o: %.c $(BUILD)/flags | $(BUILD)/deps.build
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.cc $(BUILD)/flags | $(BUILD)/deps.build
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS_ALL) -MMD -MP -c -o $@ $<

# Tests are not optimised, because most take longer to compile than to run.
$(BUILD)/tests/%.o: private EXTRA += -O0

# This one counts the instructions of functions of its own.
$(BUILD)/tests/harness/counting/test_step.o: private EXTRA += -O1

# These tests emulate instruction sets by SIMDe. Emulated vectors are passed only within one file,
# so the warning about their ABI is off. Emulated bytes must wrap around, so -fwrapv defines
# overflow.
$(BUILD)/tests/impls/%_avx512.o $(BUILD)/tests/impls/%_vbmi.o $(BUILD)/tests/impls/planes/test_planes.o: \
    private EXTRA += -Wno-psabi -fwrapv -O1

# With sanitizers, clang takes 20 to 30 s for each of these if it optimises.
$(BUILD)/impls/walks/rank_levels_avx2.o $(BUILD)/impls/walks/rank_levels_vbmi.o: \
    private EXTRA += $(if $(SANITIZE),-O0)

# With sanitizers, what prints and draws takes longer to compile than to run if it is optimised.
drawing_rooms := $(addprefix $(BUILD)/harness/,artefacts cli doctor html papers tuning)
$(drawing_rooms:=/%.o): private EXTRA += $(if $(SANITIZE),-O0)

# What libFuzzer sees of the code that it runs. Of kernels, it does not see the numbers that they
# compare, because that would double the time of tests.
kernels_seen := inline-8bit-counters,pc-table
$(BUILD)/%.o: private SEEN = $(if $(COVERAGE),-fsanitize=fuzzer-no-link)
$(BUILD)/tests/%.o: private SEEN =
# Of what counts its own instructions, it sees no depth of stacks, which differs between functions.
$(BUILD)/impls/%.o $(BUILD)/harness/counting/%.o $(BUILD)/tests/harness/counting/%.o: \
    private SEEN = $(if $(COVERAGE),-fsanitize-coverage=$(kernels_seen))

# LLVM's linker takes a seventh of the time of GNU's for these programs, and with sanitizers a
# seventeenth. It has one thread, because make -j runs several.
quick_linker = $(if $(shell command -v ld.lld),-fuse-ld=lld -Xlinker --threads=1)
$(test_programs:=.o): | $(BUILD)/deps.test

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libharness.a $(BUILD)/librooms.a | $(BUILD)/deps.test
	$(CXX) $(COMMON) $(quick_linker) -o $@ $^ -Wl,--as-needed $(TEST_LIBS) $(LIBS)

$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/libharness.a $(BUILD)/librooms.a | $(BUILD)/deps.fuzz
	$(CXX) $(COMMON) $(quick_linker) -fsanitize=fuzzer -o $@ $^ $(LIBS)

# A change of the compiler or of flags rebuilds everything. A change of the list of objects rebuilds
# the libraries, because a deleted source must leave them. A new commit rebuilds only the files that
# include build_info.h.
$(BUILD)/flags: text = $(CC) $(CXX) $(COMMON) $(WARNINGS) $(CUDA_FLAGS) $(COVERAGE), kernels $(KERNEL_FRAMES) $(KERNEL_LAYOUT)
$(BUILD)/objects: text = $(room_objects) $(harness_objects)
$(BUILD)/flags $(BUILD)/objects: FORCE
	@mkdir -p $(@D)
	@echo '$(text)' | cmp -s - $@ || echo '$(text)' >$@

$(BUILD)/generated/build_info.h: $(BUILD)/flags FORCE | $(BUILD)/deps.build
	@sh scripts/build-info.sh "$(CC)" "$(COMMON), kernels -O3 $(KERNEL_FRAMES) $(KERNEL_LAYOUT)" $@

$(BUILD)/harness/instruments/machine.o $(BUILD)/harness/cli/main.o: $(BUILD)/generated/build_info.h

$(BUILD)/tests/memory/test_commands.o: $(BUILD)/generated/build_info.h

# The texts that treebench contains: the templates of exported programs and of reports as HTML, and
# the sources of the kernel that treebench itself uses.
embedded := $(wildcard export/*.in html/* impls/planes/kernel/*_tmpl.h) base/float_mode.h impls/shared/float_key.h impls/planes/kernel/planes_types.h \
	impls/walks/rank_bytes_types.h impls/walks/rank_avx512.h impls/walks/rank_bytes_tmpl.h
$(BUILD)/generated/export_texts.h: scripts/embed.sh $(embedded)
	@mkdir -p $(@D)
	sh scripts/embed.sh $(embedded) >$@

$(BUILD)/export/text.o: $(BUILD)/generated/export_texts.h

# The kernels for GPUs. OpenCL compiles their text when it is needed. CUDA=1 also compiles them now.
gpu_kernels := $(wildcard impls/gpu/*.cl)
$(BUILD)/generated/gpu_texts.h: scripts/embed.sh $(gpu_kernels)
	@mkdir -p $(@D)
	sh scripts/embed.sh $(gpu_kernels) >$@

$(BUILD)/generated/gpu_binaries.h: scripts/cuda.sh $(gpu_kernels)
	@mkdir -p $(@D)
	sh scripts/cuda.sh $(NVCC) $(BUILD)/cuda >$@

$(BUILD)/impls/gpu/gpu_scorer.o: $(BUILD)/generated/gpu_texts.h $(if $(CUDA),$(BUILD)/generated/gpu_binaries.h)

$(BUILD)/deps.%: scripts/deps.sh
	@mkdir -p $(@D)
	sh scripts/deps.sh $*
	@touch $@

FORCE:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# The packages of npm: what drives the browser in tests/report, and what checks the JavaScript.
# Without a network, these tests and this check are skipped.
$(BUILD)/report-tests/installed: $(addprefix tests/report/,package.json package-lock.json) | $(BUILD)/deps.test
$(BUILD)/biome/installed: $(addprefix scripts/biome/,package.json package-lock.json) | $(BUILD)/deps.lint
$(BUILD)/report-tests/installed $(BUILD)/biome/installed:
	@mkdir -p $(@D)
	cp $^ $(@D)
	@cd $(@D) && if npm ci --no-audit --no-fund; then touch installed; else \
	    echo "make: npm failed, so $(@D) is missing. Run make $@ with a network" >&2; fi

# --- what is checked -------------------------------------------------------------------------
test: all $(test_programs) $(BUILD)/report-tests/installed | $(BUILD)/deps.test  ## build and run every test (TREEBENCH_DATA=folder adds real data)
	sh scripts/test.sh $(BUILD)

makers: all $(filter $(BUILD)/tests/makers/%,$(test_programs))  ## compare scores with the libraries that trained the models
	for test in $(filter $(BUILD)/tests/makers/%,$(test_programs)); do \
	    TREEBENCH=$(BUILD)/treebench TREEBENCH_MAKERS=1 $$test || exit 1; done

# Tests under sanitizers and fuzzers share one build by clang.
sanitized = $(MAKE) BUILD=$(BUILD)-san CC=clang CXX=clang++ OPTIMISE=-O1 COVERAGE=1 \
    SANITIZE="-g1 -fsanitize=address,undefined -fno-sanitize-recover=all"
san: | $(BUILD)/deps.build $(BUILD)/deps.fuzz  ## run every test under the address and undefined-behavior sanitizers
	+$(sanitized) test

lint: $(BUILD)/generated/build_info.h $(BUILD)/generated/export_texts.h $(BUILD)/generated/gpu_texts.h $(BUILD)/biome/installed | $(BUILD)/deps.build $(BUILD)/deps.lint  ## run clang-format, cppcheck, shellcheck and biome, and check the rooms
	sh scripts/lint.sh "$(PKG_CFLAGS)" $(BUILD)
	sh scripts/lint-js.sh $(BUILD)

format: $(BUILD)/biome/installed | $(BUILD)/deps.lint  ## format the sources with clang-format and biome
	git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cc' | xargs clang-format -i
	if [ -e $< ]; then $(<D)/node_modules/.bin/biome format --write; fi

check: lint test  ## run lint and test

FUZZ_SECONDS ?= 60
fuzz: | $(BUILD)/deps.build $(BUILD)/deps.fuzz  ## fuzz readers and kernels: FUZZ_SECONDS=60 each, ONLY=name
	+$(sanitized) fuzz-run

fuzz-run: $(fuzz_programs)
	sh scripts/fuzz.sh $(BUILD) $(FUZZ_SECONDS) "$(ONLY)"

mutate:  ## check that the tests notice known bugs: ONLY=part of a path
	sh scripts/mutate.sh $(BUILD)-mutate "$(ONLY)"

# --- what is measured ------------------------------------------------------------------------
# `treebench report` exits with 1 if a claim does not hold and with 3 if one stays unresolved. Both
# are findings. `treebench run` exits with 4 if an implementation cannot run here. None of these is
# a failure of make.
SCALE ?= quick
RUN ?= $(SCALE)$(if $(ONLY),-$(ONLY))
# An earlier run in the same folder is continued or renamed. `treebench run --help` explains how.
AGAIN = --$(if $(filter 1,$(RESUME)),resume,again)
# A run of all papers measures the map too. The page of another run has it if `make map` was run.
MAP = $(if $(or $(wildcard results/map-$(SCALE)/map.csv),$(if $(ONLY),,1)),--run results/map-$(SCALE))
reproduce: all | $(BUILD)/deps.plot  ## run the papers' experiments: SCALE=smoke|quick|full, ONLY=asadi2014
	$(BUILD)/treebench run --scale $(SCALE) --only "$(ONLY)" --out results/$(RUN) $(AGAIN) || [ $$? -eq 4 ]
	$(if $(ONLY),,$(BUILD)/treebench map --scale $(SCALE) --out results/map-$(SCALE) \
	    $(if $(wildcard results/map-$(SCALE)),$(AGAIN)))
	$(BUILD)/treebench report --run results/$(RUN) $(MAP) --html results/$(RUN)/report.html || \
	    [ $$? -eq 1 -o $$? -eq 3 ]
	@echo "page: results/$(RUN)/report.html"

keep:  ## pack a run of make reproduce into results/runs: NAME=zen5, SCALE=quick
	@sh scripts/keep-run.sh results/$(RUN) "$(NAME)"

map: all | $(BUILD)/deps.plot  ## measure and draw which is fastest: SCALE=smoke|quick|full
	$(BUILD)/treebench map --scale $(SCALE) --out results/map-$(SCALE) $(AGAIN)

instructions: all  ## count instructions of all implementations for results/baseline: IMPLS=planes
	@IMPLS="$(IMPLS)" sh scripts/instructions.sh write "$(BUILD)"

check-instructions: all  ## compare instruction counts with results/baseline: IMPLS=planes
	@IMPLS="$(IMPLS)" sh scripts/instructions.sh check "$(BUILD)"

coverage: all  ## measure how often intervals of compare miss: N=60 per kernel, BUSY=1
	sh scripts/coverage.sh "$(BUILD)"

atlas: all  ## make a page of who won on which machine, from results/atlas
	@sh scripts/atlas.sh $(BUILD)/treebench results/atlas results/atlas/index.html

gate-power: all  ## measure how often regress errs on planted slowdowns: RUNS=10, ONLY='work-*', MINUTES=4
	@CC="$(CC)" CXX="$(CXX)" sh scripts/gate-power.sh "$(BUILD)"

regress:  ## check whether scoring got slower: BASE=main, IMPL='planes*', WORKLOADS=file
	@BUILD="$(BUILD)" CC="$(CC)" CXX="$(CXX)" sh scripts/regress.sh "$(BASE)" \
	    $(if $(IMPL),--impl '$(IMPL)') $(if $(WORKLOADS),--workloads "$(WORKLOADS)")

# --- the rest --------------------------------------------------------------------------------
install: all  ## install the program and the library (PREFIX=/usr/local, LIBDIR=PREFIX/lib)
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(BUILD)/treebench
	install -D -m 644 -t $(DESTDIR)$(LIBDIR) $(BUILD)/libtreebench.a
	install -m 755 -t $(DESTDIR)$(LIBDIR) $(BUILD)/$(SONAME) $(dropins)
	for file in $(SONAME) $(notdir $(dropins)); do \
	    ln -sf $$file $(DESTDIR)$(LIBDIR)/$${file%.0} || exit 1; done
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include library/treebench.h impls/peers/treebench_peer.h
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed "s|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|" library/treebench.pc.in \
	    >$(DESTDIR)$(LIBDIR)/pkgconfig/treebench.pc
	install -d $(DESTDIR)$(LIBDIR)/cmake/treebench
	for file in config config-version; do \
	    sed "s|@VERSION@|$(VERSION)|; s|@PREFIX@|$$(realpath -m --relative-to=$(LIBDIR) $(PREFIX))|" library/treebench-$$file.cmake.in \
	        >$(DESTDIR)$(LIBDIR)/cmake/treebench/treebench-$$file.cmake || exit 1; done
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(BUILD)/treebench.1
	install -D -m 644 $(BUILD)/treebench.bash \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/treebench
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/treebench/configs configs/*.json
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/treebench/configs/maps configs/maps/*.json
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/treebench/plots plots/*.gp
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/treebench/results/reference results/reference/*.csv
	install -m 644 -t $(DESTDIR)$(PREFIX)/share/treebench/results results/not-reproduced.json

deb:  ## build Debian packages of the last commit in build/deb
	sh scripts/deb.sh $(VERSION) $(BUILD)

deb-test:  ## install these packages in a fresh Debian, try and remove them: as root
	sh scripts/deb-test.sh $(BUILD)

dist:  ## write treebench-VERSION.tar.gz, which needs no git
	sh scripts/dist.sh $(VERSION) $(BUILD)

sbom: all  ## write treebench-VERSION.spdx: the Debian packages that it is linked with
	sh scripts/sbom.sh $(VERSION) $(BUILD)

clean:  ## remove what was built
	rm -rf $(BUILD) $(BUILD)-san $(BUILD)-mutate $(BUILD)-power

list:  ## print the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

.PHONY: all test makers san lint format check fuzz fuzz-run mutate reproduce keep map coverage instructions check-instructions gate-power atlas regress install deb deb-test dist sbom clean list FORCE
.SECONDARY:
.DELETE_ON_ERROR:
