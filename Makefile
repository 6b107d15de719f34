# make            everything, under build/
# make run        the examples, for real (installs what is missing first)
# make test       all tests               make smoke    the quickest of them
# make soak MIN=10 everything at once, for minutes, in flat memory
# make lint       rules of the house      make bench    figures against peers
# make install    under PREFIX (default /usr/local); DESTDIR is honoured
# make SAN=address|thread|undefined|memory the runtime for such programs, in
#                                         build/SAN/, with a fermata-cc for it
# make CHECK=1    likewise, in build/check/: a runtime that looks itself over

LLVM ?= 19
SAN ?=
PREFIX ?= /usr/local
CLANG := clang-$(LLVM)
CLANGXX := clang++-$(LLVM)
CONFIG := llvm-config-$(LLVM)
B := build$(if $(SAN),/$(SAN))$(if $(CHECK),/check)

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes $(if $(CI),-Werror)
CFLAGS ?= -O2 -g
SAN_FLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer \
	-fno-sanitize-recover=undefined)
SAN_FLAGS += $(if $(filter address,$(SAN)),-fsanitize=undefined)
# Asked when it is used: tools/deps may have to install it first.
LLVM_INC = $(shell $(CONFIG) --includedir)
SAN_FLAGS += $(if $(CHECK),-DFM_CHECK)
# One compiler half serves every variant of the runtime.
PLUGIN := build/lib/fermata-$(LLVM).so

COMPILER_C := $(wildcard src/compiler/*.c)
COMPILER_CXX := $(wildcard src/compiler/*.cpp)
# Async C: compiled by the compiler half just built.
ASYNC_C := $(wildcard src/runtime/combine.c src/runtime/group.c src/io/*.c src/sync/*.c)
RUNTIME_C := $(filter-out $(ASYNC_C),$(wildcard src/runtime/*.c))
# A library of its own, where there is libuv.
UV_C := $(if $(wildcard /usr/include/uv.h /usr/local/include/uv.h),\
	$(wildcard src/uv/*.c))
TOOL_C := $(wildcard src/tool/*.c)

COMPILER_O := $(COMPILER_C:%.c=build/o/%.o) $(COMPILER_CXX:%.cpp=build/o/%.o)
RUNTIME_O := $(RUNTIME_C:%.c=$(B)/o/%.o) $(ASYNC_C:%.c=$(B)/o/%.o)
UV_O := $(UV_C:%.c=$(B)/o/%.o)
TOOL_O := $(TOOL_C:%.c=$(B)/o/%.o)
BINS := $(addprefix $(B)/bin/,fermata fermata-cc fermata-c++)

FERMATA_FLAGS := -fexceptions -fno-discard-value-names \
	-Rpass='^$$fermata' -fpass-plugin=$(PLUGIN) \
	-fplugin=$(PLUGIN) -Iinclude

.PHONY: all run deps test smoke soak lint install clean fuzz real \
	fail-alloc test-asan test-check test-tsan test-ubsan test-msan
all: $(PLUGIN) $(B)/lib/fermata-$(LLVM).so $(B)/include $(BINS) \
	$(if $(RUNTIME_O),$(B)/lib/libfermata.a $(B)/lib/libfermata.so) \
	$(if $(UV_O),$(B)/lib/libfermata-uv.a)

$(PLUGIN): $(COMPILER_O)
	@mkdir -p $(@D)
	$(CLANGXX) -shared -o $@ $^

build/o/src/compiler/%.o: src/compiler/%.c
	@mkdir -p $(@D)
	$(CLANG) -std=c17 $(CFLAGS) $(WARN) -fPIC -fvisibility=hidden \
		-Iinclude -isystem $(LLVM_INC) -MMD -MP -c $< -o $@

build/o/src/compiler/%.o: src/compiler/%.cpp
	@mkdir -p $(@D)
	$(CLANGXX) -std=c++17 -O1 -fno-rtti -fno-exceptions -fPIC -Wall \
		-fvisibility=hidden -Iinclude -isystem $(LLVM_INC) -MMD -MP \
		-D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS \
		-D__STDC_LIMIT_MACROS -D_GNU_SOURCE -c $< -o $@

$(ASYNC_C:%.c=$(B)/o/%.o) $(UV_O): $(B)/o/%.o: %.c $(PLUGIN)
	@mkdir -p $(@D)
	$(CLANG) -std=c17 -D_GNU_SOURCE $(CFLAGS) $(SAN_FLAGS) $(WARN) -fPIC \
		-fvisibility=hidden $(FERMATA_FLAGS) -Isrc -MMD -MP -c $< -o $@

$(RUNTIME_C:%.c=$(B)/o/%.o): $(B)/o/%.o: %.c
	@mkdir -p $(@D)
	$(CLANG) -std=c17 -D_GNU_SOURCE $(CFLAGS) $(SAN_FLAGS) $(WARN) -fPIC \
		-fvisibility=hidden -fexceptions -Iinclude -Isrc -MMD -MP -c $< \
		-o $@

$(TOOL_O): $(B)/o/%.o: %.c
	@mkdir -p $(@D)
	$(CLANG) -std=c17 -D_GNU_SOURCE -DFERMATA_LLVM=$(LLVM) $(CFLAGS) \
		$(WARN) -Iinclude -MMD -MP -c $< -o $@

$(B)/lib/libfermata.a: $(RUNTIME_O)
	@mkdir -p $(@D)
	rm -f $@ && ar rcs $@ $^

$(B)/lib/libfermata-uv.a: $(UV_O)
	@mkdir -p $(@D)
	rm -f $@ && ar rcs $@ $^

$(B)/lib/libfermata.so: $(RUNTIME_O)
	@mkdir -p $(@D)
	$(CLANG) -shared $(SAN_FLAGS) -Wl,-soname,libfermata.so -Wl,-z,nodelete \
		-o $@ $^ -lpthread

$(B)/bin/fermata: $(TOOL_O)
	@mkdir -p $(@D)
	$(CLANG) -o $@ $^

$(B)/bin/fermata-cc $(B)/bin/fermata-c++: $(B)/bin/fermata
	ln -sfn fermata $@

# build/ has the shape of an installed prefix: see src/tool/where.c.
$(B)/include:
	@mkdir -p $(@D)
	ln -sfn $(if $(SAN)$(CHECK),../)../include $@

ifneq ($(SAN)$(CHECK),)
$(B)/lib/fermata-$(LLVM).so: $(PLUGIN)
	@mkdir -p $(@D)
	ln -sfn ../../lib/$(@F) $@
endif

deps:
	tools/deps

run: deps
	@$(MAKE) -s -j$$(nproc) all
	tools/run-examples

test: all
	@$(MAKE) -s -j$$(nproc) SAN=address all && \
		$(MAKE) -s -j$$(nproc) SAN=thread all && \
		$(MAKE) -s -j$$(nproc) SAN=memory all && \
		$(MAKE) -s -j$$(nproc) CHECK=1 all
	tests/run

smoke: all
	tests/run -q

test-asan:
	@$(MAKE) -s all && $(MAKE) -s SAN=address all
	tests/run -r asan

# The runtime looks itself over, the compiler half after each pass.
test-check:
	@$(MAKE) -s all && $(MAKE) -s CHECK=1 all
	tests/run -r check

test-tsan:
	@$(MAKE) -s all && $(MAKE) -s SAN=thread all
	tests/run -r tsan

# MemorySanitizer: what is read was written, slots of records too.
test-msan:
	@$(MAKE) -s all && $(MAKE) -s SAN=memory all
	tests/run -r msan

test-ubsan:
	@$(MAKE) -s all && $(MAKE) -s SAN=undefined all
	tests/run -r ubsan

# The programs of tests/soak in their long forms; make soak MIN=10
soak: all
	tools/soak $(or $(MIN),10)

# csmith under the stress lowering: make fuzz N=500 LEVEL=O2
fuzz: all
	tools/fuzz $(or $(N),100) $(LEVEL)

# Each allocation of the runtime failed in turn, over the test programs.
fail-alloc: all
	@$(MAKE) -s SAN=address all
	tools/fail-alloc $(if $(N),-n $(N)) tests/c/*.c tests/rt/*.c \
		tests/io/without-memory-*.c tests/sync/without-memory-*.c

# real programs, from Debian's sources, under the stress lowering
real: all
	tests/run -j 1 tests/real/*.sh tests/real/large/*.sh

# Programs of our own, read in every way: make fuzz-own N=500
.PHONY: fuzz-own
fuzz-own: all
	@$(MAKE) -s SAN=address all && $(MAKE) -s SAN=thread all
	tests/fuzz/own/fuzz run $(or $(N),100)

lint:
	tools/lint

include bench/bench.mk

FILL = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LLVM@|$(LLVM)|' \
	-e "s|@VERSION@|$$(sed -n 's/.*FERMATA_VERSION "\(.*\)"/\1/p' \
	include/fermata/version.h)|"

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig \
		$(DESTDIR)$(PREFIX)/include/fermata
	install $(B)/bin/fermata $(DESTDIR)$(PREFIX)/bin/
	ln -sfn fermata $(DESTDIR)$(PREFIX)/bin/fermata-cc
	ln -sfn fermata $(DESTDIR)$(PREFIX)/bin/fermata-c++
	install -m 644 $(B)/lib/fermata-$(LLVM).so $(B)/lib/libfermata.a \
		$(if $(UV_O),$(B)/lib/libfermata-uv.a) $(DESTDIR)$(PREFIX)/lib/
	install $(B)/lib/libfermata.so $(DESTDIR)$(PREFIX)/lib/
	install -m 644 include/fermata.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 include/fermata/*.h \
		$(DESTDIR)$(PREFIX)/include/fermata/
	tools/man-install $(DESTDIR)$(PREFIX)/share/man
	install -d $(DESTDIR)$(PREFIX)/lib/cmake/Fermata
	$(FILL) tools/fermata.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/fermata.pc
	$(FILL) tools/FermataConfig.cmake.in \
		>$(DESTDIR)$(PREFIX)/lib/cmake/Fermata/FermataConfig.cmake

clean:
	rm -rf build

-include $(shell find $(B)/o -name '*.d' 2>/dev/null)
