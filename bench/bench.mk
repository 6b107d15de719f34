# bench.mk: the programs of `make bench`, under build/bench.
# Included by the Makefile; figures.py runs them and prints the table.

BENCH := $(B)/bench
BENCH_FLAGS := -O2 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion
BENCH_CC := $(B)/bin/fermata-cc
BENCH_PEERS := $(addprefix $(BENCH)/,plain pool new throw held_pool \
	held_new heldapart_pool heldapart_new echo_epoll echo_load \
	ten_plain.o ten_pool.o)
# Go is measured where it is installed (tools/deps bench).
BENCH_PEERS += $(if $(shell command -v go),$(addprefix $(BENCH)/,crowd_go \
	sleeps_go echo_go))
BENCH_OURS := $(addprefix $(BENCH)/,fermata held_fermata heldapart_fermata \
	echo_fermata ten_fermata.o crowd_fermata sleeps_fermata)
CORO := $(CLANGXX) -std=c++20 -O2 -Wall -Wextra -Wshadow

.PHONY: bench
bench: all $(BENCH_PEERS) $(BENCH_OURS)
	bench/figures.py $(if $(QUICK),--quick,--doc docs/figures.md) \
		$(if $(ONLY),--only '$(ONLY)')

$(BENCH)/%.o: bench/%.c bench/measure.h bench/held.h
	@mkdir -p $(@D)
	$(CLANG) -std=c17 $(BENCH_FLAGS) -c $< -o $@

$(BENCH)/plain: bench/calls.c bench/plain.c bench/calls.h bench/async.h \
		$(BENCH)/measure.o
	$(CLANG) -std=c17 $(BENCH_FLAGS) -DPLAIN $(filter %.c %.o,$^) -o $@

CORO_DEPS := bench/coro.hpp bench/waits.h bench/calls.h bench/joins.h
$(BENCH)/pool: FLAVOUR := -DPOOL -fno-exceptions
$(BENCH)/throw: FLAVOUR := -DPOOL -DTHROWING
$(BENCH)/pool $(BENCH)/new $(BENCH)/throw: bench/coro.cpp \
		bench/coro_joins.cpp $(CORO_DEPS) $(BENCH)/measure.o
	$(CORO) $(FLAVOUR) $(filter %.cpp %.o,$^) -o $@

HELD := held_pool held_new heldapart_pool heldapart_new
$(BENCH)/held_pool $(BENCH)/heldapart_pool: FLAVOUR := -DPOOL -fno-exceptions
$(BENCH)/heldapart_pool $(BENCH)/heldapart_new: APART := -DAPART
$(BENCH)/heldapart_fermata: APART := -DAPART
$(addprefix $(BENCH)/,$(HELD)): bench/held_coro.cpp bench/coro.hpp \
		$(BENCH)/held.o $(BENCH)/measure.o
	$(CORO) $(FLAVOUR) $(APART) $(filter %.cpp %.o,$^) -o $@

$(BENCH)/echo_epoll $(BENCH)/echo_load: $(BENCH)/%: bench/%.c
	@mkdir -p $(@D)
	$(CLANG) -std=c17 $(BENCH_FLAGS) $< -o $@

$(BENCH)/ten_plain.o: bench/ten.c
	@mkdir -p $(@D)
	$(CLANG) -std=c17 -O2 -DPLAIN -c $< -o $@

$(BENCH)/ten_pool.o: bench/ten_coro.cpp bench/coro.hpp
	@mkdir -p $(@D)
	$(CORO) -DPOOL -fno-exceptions -c $< -o $@

$(BENCH)/ten_fermata.o: bench/ten.c $(PLUGIN) $(BENCH_CC)
	@mkdir -p $(@D)
	$(BENCH_CC) -std=c17 -O2 -c $< -o $@

$(BENCH)/fermata: bench/calls.c bench/waits.c bench/joins.c bench/fermata.c \
		bench/calls.h bench/waits.h bench/joins.h bench/async.h $(BENCH)/measure.o \
		$(PLUGIN) $(BENCH_CC) $(B)/lib/libfermata.a
	$(BENCH_CC) -std=c17 $(BENCH_FLAGS) $(filter %.c %/measure.o,$^) -o $@

$(BENCH)/held_fermata $(BENCH)/heldapart_fermata: bench/held_fermata.c $(BENCH)/held.o \
		$(BENCH)/measure.o $(PLUGIN) $(BENCH_CC) $(B)/lib/libfermata.a
	$(BENCH_CC) -std=c17 $(BENCH_FLAGS) $(APART) \
		$(filter %.c %/held.o %/measure.o,$^) -o $@

$(BENCH)/%_go: bench/%.go
	@mkdir -p $(@D)
	GOCACHE=$(abspath $(BENCH))/go-cache go build -o $@ $<

$(BENCH)/crowd_fermata $(BENCH)/sleeps_fermata $(BENCH)/echo_fermata: \
		$(BENCH)/%: bench/%.c $(PLUGIN) $(BENCH_CC) \
		$(B)/lib/libfermata.a
	$(BENCH_CC) -std=c17 $(BENCH_FLAGS) $< -o $@

# S10 by itself: it wants both CPUs.
.PHONY: bench-tasks
bench-tasks: all $(BENCH)/tasks $(BENCH)/tasks_openmp
	FERMATA_POOL=2 $(BENCH)/tasks
	OMP_NUM_THREADS=2 $(BENCH)/tasks_openmp

$(BENCH)/tasks: bench/tasks.c bench/tasks.h $(PLUGIN) $(BENCH_CC) \
		$(B)/lib/libfermata.a
	@mkdir -p $(@D)
	$(BENCH_CC) -std=c17 $(BENCH_FLAGS) $< -o $@

$(BENCH)/tasks_openmp: bench/tasks_openmp.c bench/tasks.h
	@mkdir -p $(@D)
	gcc -std=gnu17 -O2 -fopenmp $< -o $@
