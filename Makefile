# make            everything, under build/
# make run        the examples, for real
# make test       all tests
# make bench      figures against the peers

LLVM ?= 19
CLANG := clang-$(LLVM)
CLANGXX := clang++-$(LLVM)
CONFIG := llvm-config-$(LLVM)
B := build

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes
CFLAGS ?= -O2 -g
LLVM_INC := $(shell $(CONFIG) --includedir 2>/dev/null)
PLUGIN := $(B)/lib/fermata-$(LLVM).so

COMPILER_C := $(wildcard src/compiler/*.c)
COMPILER_CXX := $(wildcard src/compiler/*.cpp)
# Async C: compiled by the compiler half just built.
ASYNC_C := $(wildcard src/runtime/combine.c src/io/*.c src/sync/*.c)
RUNTIME_C := $(filter-out $(ASYNC_C),$(wildcard src/runtime/*.c))
TOOL_C := $(wildcard src/tool/*.c)

COMPILER_O := $(COMPILER_C:%.c=$(B)/o/%.o) $(COMPILER_CXX:%.cpp=$(B)/o/%.o)
RUNTIME_O := $(RUNTIME_C:%.c=$(B)/o/%.o) $(ASYNC_C:%.c=$(B)/o/%.o)

FERMATA_FLAGS := -fexceptions -fno-discard-value-names \
	-Rpass='^$$fermata' -fpass-plugin=$(PLUGIN) -Iinclude

.PHONY: all clean
all: $(PLUGIN) $(if $(RUNTIME_O),$(B)/lib/libfermata.a $(B)/lib/libfermata.so)

$(PLUGIN): $(COMPILER_O)
	@mkdir -p $(@D)
	$(CLANGXX) -shared -o $@ $^

$(B)/o/src/compiler/%.o: src/compiler/%.c
	@mkdir -p $(@D)
	$(CLANG) -std=c17 $(CFLAGS) $(WARN) -fPIC -fvisibility=hidden \
		-Iinclude -isystem $(LLVM_INC) -MMD -c $< -o $@

$(B)/o/src/compiler/%.o: src/compiler/%.cpp
	@mkdir -p $(@D)
	$(CLANGXX) -std=c++17 -O1 -fno-rtti -fno-exceptions -fPIC -Wall \
		-fvisibility=hidden -Iinclude -isystem $(LLVM_INC) -MMD \
		-D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS \
		-D__STDC_LIMIT_MACROS -D_GNU_SOURCE -c $< -o $@

$(ASYNC_C:%.c=$(B)/o/%.o): $(B)/o/%.o: %.c $(PLUGIN)
	@mkdir -p $(@D)
	$(CLANG) -std=c17 -D_GNU_SOURCE $(CFLAGS) $(WARN) -fPIC \
		-fvisibility=hidden $(FERMATA_FLAGS) -Isrc -MMD -c $< -o $@

$(RUNTIME_C:%.c=$(B)/o/%.o): $(B)/o/%.o: %.c
	@mkdir -p $(@D)
	$(CLANG) -std=c17 -D_GNU_SOURCE $(CFLAGS) $(WARN) -fPIC \
		-fvisibility=hidden -fexceptions -Iinclude -Isrc -MMD -c $< \
		-o $@

$(B)/lib/libfermata.a: $(RUNTIME_O)
	@mkdir -p $(@D)
	rm -f $@ && ar rcs $@ $^

$(B)/lib/libfermata.so: $(RUNTIME_O)
	@mkdir -p $(@D)
	$(CLANG) -shared -o $@ $^ -lpthread

clean:
	rm -rf $(B)

-include $(shell find $(B)/o -name '*.d' 2>/dev/null)
