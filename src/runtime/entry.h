/* entry.h: what compiled code calls by name, in the split signature. Async
 * functions of the runtime are plain C under the name `x.fm1`: they return
 * the pointer that abi.h describes, with their result before it if any. */
#ifndef FM_ENTRY_H
#define FM_ENTRY_H

#include "runtime/rt.h"

#define SPLIT(name) FM_EXPORT __asm__(name ".fm1")

struct split_bool {
    uint8_t value;
    void *end;
};
struct split_size {
    size_t value;
    void *end;
};

#pragma GCC visibility push(default)

/* records */
void *fm_abi_record_new(size_t bytes);
void fm_abi_record_free(void *record, size_t bytes);
/* Twice the same pointer, so that a ramp whose result leaves it the second
 * register may end with a jump to link. */
struct linked {
    void *record, *again;
};
struct linked fm_abi_link(void *callee_record, const struct fm_point *p);
void *fm_abi_vla_new(void *head, size_t bytes, size_t align);
void fm_abi_vla_free_to(void *head, void *to);
void *fm_abi_task_new(size_t record_bytes);
void *fm_abi_enomem(void);
fm_fault *fm_abi_enomem_fault(void);
void fm_abi_no_memory_start(void) __attribute__((noreturn, cold));

/* roots */
void fm_abi_root_enter(struct fm_root *root, void *task_record);
void fm_abi_start_leave(struct fm_root *root, void *p);
void *fm_abi_begin_leave(struct fm_root *root, void *p, size_t result_bytes);
void *fm_abi_begin_leave_memory(struct fm_root *root, void *p,
                                size_t result_bytes, const void *partial);
void *fm_abi_wait_leave(struct fm_root *root, void *p, size_t result_bytes);
void *fm_abi_wait_leave_memory(struct fm_root *root, void *p,
                               size_t result_bytes, const void *partial);

/* tasks */
void fm_abi_join_end(fm_task *t);
void fm_abi_wait(fm_task *t);
fm_fault *fm_abi_wait_attempt(fm_task *t);
bool fm_abi_wait_for(fm_task *t, int64_t ns);
void fm_abi_wait_timed_out(fm_task *t);
fm_task *fm_abi_take_finish(void *variable);

/* faults and scopes */
fm_fault *fm_abi_fault_plain(int code, const char *function, const char *file,
                             int line, const char *text);
fm_fault *fm_abi_caught(void *tagged);
void fm_abi_faults_release(fm_fault **faults, size_t n);
void *fm_abi_fault_join(void *outer_tagged, void *inner_tagged);
void fm_abi_scope_leave(void *outer);
void *fm_abi_exit_scope(void);

/* the program */
void fm_abi_main_enter(void);
int fm_abi_main(int argc, char **argv, char **envp, void *task);

#pragma GCC visibility pop

/* awaited */
void *fm__suspend(fm_arm *arm, void *arg) SPLIT("fm_suspend");
struct split_bool fm__suspend_until(fm_arm *arm, fm_disarm *disarm, void *arg)
    SPLIT("fm_suspend_until");
void *fm__park_on(struct fm_abi_park *park) SPLIT("fm_abi_park_on");
struct split_bool fm__place_wait(struct fm_abi_place *place)
    SPLIT("fm_abi_place_wait");
struct split_bool fm__park_value(struct fm_abi_park *park)
    SPLIT("fm_abi_park_value");
void *fm__yield(void) SPLIT("fm_yield");
void *fm__checkpoint(void) SPLIT("fm_checkpoint");
void *fm__await(fm_task *t) SPLIT("fm_abi_await");
void *fm__join_wait(fm_task *t) SPLIT("fm_abi_join_wait");
void *fm__take_wait(void *variable) SPLIT("fm_abi_take_wait");
void *fm__raise(fm_fault *f) SPLIT("fm_abi_raise");
void *fm__raise_cancelled(void) SPLIT("fm_raise_cancelled");
void *fm__token_check(fm_token *tok) SPLIT("fm_token_check");
void *fm__switch(fm_executor *ex) SPLIT("fm_switch");
void *fm__begin_on(fm_executor *ex) SPLIT("fm_abi_begin_on");
void *fm__hop_back(void *executor) SPLIT("fm_abi_hop_back");
void *fm__all(fm_task *const *tasks, size_t n) SPLIT("fm_abi_all");
struct split_size fm__any(fm_task *const *tasks, size_t n) SPLIT("fm_abi_any");

#endif
