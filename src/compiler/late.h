/* late.h: the records that the passes of the late half share.
 *
 * An async function is an `activation` while it is split. canon makes each
 * of its awaits a `point` with five blocks:
 *
 *     ...call          the await itself, last before `check`
 *     check            asks what came back and branches to one of
 *       cont           the call is complete; `result` is its value
 *       fault          it ended with a fault, `arrived`
 *       suspend        it is suspended: save and leave the function
 *       resumed        here the resume function goes on: loads the result
 *                      and branches to cont or fault
 *
 * So everything up to the split sees ordinary control flow, and what must be
 * carried across an await is exactly what is live at `resumed`.
 * Until the split, stand-ins are calls of functions that exist only inside
 * the pass: fm.hook (what came back), fm.record, fm.fault (the resume
 * function's parameters) and fm.exit (the function ends with a fault).
 */
#ifndef FERMATA_LATE_H
#define FERMATA_LATE_H

#include "compiler.h"

#include <fermata/abi.h>

#include <limits.h>

typedef LLVMValueRef value;
typedef LLVMBasicBlockRef block;
typedef LLVMTypeRef type;

#define NONE UINT_MAX
#define FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

struct list {
    void **at;
    size_t n, capacity;
};

/* ---- the module ---------------------------------------------------------- */

struct unit {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTargetDataRef layout;
    LLVMBuilderRef b;
    type ptr, i8, i32, word, nothing;
    int level, size;
    struct list touched; /* functions made, to be cleaned up */
    struct list sprawling; /* likewise, but not to be promoted */
    struct tables *tables; /* points.c: what fm_info has already */
};

/* ---- ir.c: words over LLVM-C --------------------------------------------- */

/* A map from pointers to numbers; absent = NONE. */
struct map {
    const void **keys;
    unsigned *numbers;
    size_t n, capacity; /* capacity is 0 or a power of two */
};
void map_put(struct map *m, const void *key, unsigned number);
unsigned map_get(const struct map *m, const void *key);
void map_free(struct map *m);

void list_push(struct list *l, void *item);
void *list_pop(struct list *l);
void list_drop(struct list *l);

void *memory(size_t n, size_t bytes); /* zeroed; never null */

void at_end(struct unit *u, block b);
void at(struct unit *u, value before);
void at_start(struct unit *u, block b); /* after phis and landingpad */
value word32(struct unit *u, uint64_t n);
value null_of(struct unit *u);
value offset_by(struct unit *u, value pointer, uint64_t bytes,
                const char *name);
value call_runtime(struct unit *u, const char *name, type result, value *args,
                   unsigned n);
value low_bit(struct unit *u, value pointer);
void copy_memory(struct unit *u, value to, uint64_t to_align, value from,
                 uint64_t from_align, uint64_t bytes);
bool ir_is_call(value inst);
bool ir_is_await(value inst);
bool ir_is_void(type t);
bool calls(value inst, const char *name); /* a direct call of this name */
bool calls_stem(value inst, const char *stem); /* of stem.K, K any number */
uint64_t bytes_of(struct unit *u, type t);
uint64_t align_of(struct unit *u, type t);
uint64_t round_up(uint64_t n, uint64_t to);
block new_block(struct unit *u, value function, const char *name);
bool function_has(value function, const char *attribute);
LLVMAttributeRef call_has(value call, unsigned arg, const char *attribute);
value stand_in(struct unit *u, const char *name, type result, value *args,
               unsigned n);

/* ---- one function ----------------------------------------------------------- */

/* A value, or a local's contents, that at least one await carries. */
struct carried {
    value of; /* SSA value, or the alloca */
    type type; /* of an SSA value */
    bool is_local; /* contents of an alloca */
    uint64_t bytes, align, offset;
    unsigned from; /* made again after a resume from this other one,
                              or NONE: has no place in the record then */
    unsigned operand; /* which operand of it that is */
    unsigned *points; /* at which it is carried */
    unsigned n, capacity;
};

struct point {
    value call;
    type result_type; /* the mid type T of the call */
    block check, cont, fault, suspend, resumed;
    value result; /* phi in cont; null when void or in memory */
    value arrived; /* phi in fault */
    value sret; /* the caller's temporary; null when none */
    unsigned sret_index;
    uint64_t sret_bytes;
    bool handler; /* a fault goes to a landing pad here */
    bool anywhere;
    bool tail; /* forwarded: makes no record */
    unsigned shares; /* merge.c: the point whose state it shares, or NONE */
    bool leads; /* others share its state */
    unsigned state;
    uint64_t result_bytes, result_align;
    value descriptor; /* the struct fm_point */
    unsigned *carries; /* indices into activation.carried */
    bool *stale; /* per entry: the record's copy may be old when the
                              resume function suspends here */
    unsigned n_carries, capacity;
    uint64_t top; /* frame.c: first free byte of the record */
    /* leave.c, in a half: where what is no result goes, and its phis where
     * several awaits go there */
    block away;
    value came, at;
};

enum use_kind {
    USE_READ = 1,
    USE_WRITE = 2,
    USE_KILL = 4, /* writes all of it */
    USE_START = 8, /* lifetime markers */
    USE_END = 16,
    USE_ESCAPE = 32,
    USE_SRET = 64, /* the temporary of an await's result */
};
struct use {
    value inst;
    unsigned kind;
};

/* Memory that lies in the stack frame: an alloca, or an argument that points
 * to memory of the caller's frame. */
struct local {
    value of;
    uint64_t bytes, align;
    struct use *uses;
    size_t n, capacity;
    struct map derived; /* its address, and all pointers made from it */
    bool marked; /* has lifetime markers */
    bool *alive; /* of a marked one: per point, may it live? */
    bool *here; /* the same, per block */
    bool pinned;
    const char *reason; /* why */
    uint64_t offset; /* of a pin in the record */
    bool shown; /* pinned for the debugger: listed once */
};

enum exit_kind { EXIT_RETURN, EXIT_FAULT, EXIT_UNWIND };
struct exit {
    enum exit_kind kind;
    value inst; /* ret, the fm.exit call, resume */
};

struct graph {
    block *blocks;
    unsigned n;
    struct map index;
    unsigned *preds, *pred_first, *succs, *succ_first; /* first: n + 1 */
    unsigned *resumes; /* the point whose `resumed` it is, or NONE */
    bool *again; /* can be reached after a resume */
};

struct activation {
    struct unit *u;
    value function; /* the body, until the split */
    type type, result; /* mid function type, T */
    bool naked; /* -O0: keep names and every local */
    bool thunk; /* "fm-start": its record is the task's */
    uint64_t thunk_bytes; /* of the task's result */
    value sret; /* parameter, or null */
    bool sret_copied, slot_copied; /* works on a copy of its result */
    uint64_t sret_bytes;
    struct point *points;
    unsigned n_points;
    struct exit *exits;
    unsigned n_exits;
    struct graph graph;
    struct carried *carried;
    unsigned n_carried, carried_capacity;
    struct local *locals;
    unsigned n_locals;
    bool pins; /* takes its record at entry */
    bool vla; /* has chained blocks */
    value vla_head; /* alloca: the newest block */
    uint64_t record_bytes;
    value resume; /* the resume function */
    value split; /* the ramp, with its final type */
};

/* One of the two functions while it is made: its own points, exits, slots
 * and locals. */
struct half {
    struct activation *a;
    value function;
    bool resumes; /* the resume function */
    struct point *points;
    struct exit *exits;
    value *slots; /* per carried value: its slot or its alloca */
    value *locals; /* per local */
    value *reloaded; /* per carried value, in one reload block */
    value record; /* null in a ramp without pins */
};

/* ---- passes, in the order of lower.c ------------------------------------- */

type split_type(struct unit *u, type mid);
type split_result(struct unit *u, type mid_result);
/* A result in the type in which the C convention returns it, and back. */
value to_register(struct unit *u, value v);
value from_register(struct unit *u, value v, type t);
void sign_raw(struct unit *u); /* fm_raw -> plain calls */
void sign_start(struct unit *u); /* fm_start_new */
void sign_tls(struct unit *u); /* fm_tls, turned back */
void sign_declaration(struct unit *u, value f);
value sign_call(struct unit *u, value call); /* await -> split call */
/* A function of the split type that takes over f's name and body. */
value sign_definition(struct unit *u, value f, bool thunk);

void canon(struct activation *a);
void graph_build(struct activation *a);
void graph_drop(struct activation *a);
void live_values(struct activation *a);
void live_locals(struct activation *a);
bool remat(struct activation *a); /* true: look at liveness again */
void remat_reloads(struct activation *a);
void locals_find(struct activation *a);
void locals_drop(struct activation *a);
bool locals_borrowed(struct activation *a); /* true: the same */
void pin(struct activation *a);
void vla(struct activation *a);
void vla_exits(struct activation *a);
void tail(struct activation *a);
void merge(struct activation *a);
void frame(struct activation *a);
void half_awaits(struct half *h);
void half_exits(struct half *h);
/* Returns from the half: `came` is null, a fault or a record. */
void half_leave(struct half *h, value result, value came);
void split(struct activation *a);
bool is_sprawling(struct activation *a); /* its slots stay in memory */
bool record_is_inline(struct activation *a, value function);
value record_take(struct activation *a, value function, block poor);
void record_give(struct activation *a, value record, value inst, bool often);
/* Compiled code may do the runtime's work itself in this function. */
bool quick_is_allowed(struct unit *u, value function);
void quick_task_new(struct unit *u, value call, uint64_t record_bytes);
void quick(struct unit *u); /* the same for all other work on tasks */
value here_field(struct unit *u, uint64_t offset); /* of struct fm_here */
value here_leaf(struct unit *u);
bool yield_is_inline(struct activation *a, value call);
value yield_inline(struct activation *a, struct point *p, value call);
void sink(value function);
void points(struct activation *a);
value points_raise(struct activation *a, value call);
value places_entry(struct activation *a, type t, const char *section);
value places_relative(struct unit *u, value target, value holder,
                      uint64_t offset);
value places_info(struct activation *a, struct point *p, bool lists);
unsigned places_passed(value call);
void places_done(struct unit *u);
void verify_frame(struct activation *a); /* before the split */
void verify(struct activation *a); /* after it */
void dump(struct activation *a, const char *pass);
void remark(struct activation *a);

void carry(struct activation *a, value of, bool is_local, unsigned point);
void carried_drop(struct activation *a);

/* ---- shim.cpp ------------------------------------------------------------------ */

#ifdef __cplusplus
extern "C" {
#endif
block shim_split_before(value inst, const char *name);
value shim_phi(block b, type t, const char *name); /* first in b */
value shim_demote(value inst);
void shim_demote_argument(value arg, value slot);
void shim_clone(value to, value from, value *args, value *in, value *out,
                unsigned n);
void shim_splice(value to, value from);
void shim_promote(value function, value *slots, unsigned n);
void shim_drop_unreachable(value function);
void shim_weights(value branch, unsigned taken, unsigned other);
void shim_function_attributes(value to, value from, int with_parameters);
/* A call or invoke of `callee` with the C convention, placed before `old`,
 * with old's bundles, place and such argument attributes as survive;
 * argument i of the new call is argument i + shift of the old. */
value shim_call_again(value old, value callee, type function_type,
                      unsigned shift);
int shim_lifetime_marker(value inst); /* 0 no, 1 start, 2 end */
value shim_lifetime_pointer(value inst);
void shim_lifetime_start(value before, value alloca, uint64_t bytes);
int shim_captures(value call, unsigned arg);
int shim_only_reads(value call, unsigned arg);
int shim_is_bundle_use(value call, value operand);
int shim_verify(value function);
void shim_clean(value *functions, unsigned n, int promote);
void shim_remove_predecessor(block b, block from);
void shim_phi_replace_block(block b, block old, block now);
void shim_linkage_name(value function);
void shim_hoist_declares(value function);
void shim_declare_slot(value v, value slot);
/* Where an instruction stands, in the function that the programmer wrote;
 * null: unknown. */
const void *shim_location(value inst);
/* Where that function was called before it was inlined; null: it was not. */
const void *shim_location_outer(const void *location);
struct place {
    const char *function, *file;
    size_t function_length, file_length;
    unsigned line, column; /* 0: unknown */
};
int shim_is_remarked(value function); /* with -Rpass=fermata */
/* At the location; null: at the function. */
void shim_remark(value function, const void *location, const char *message);
/* Of a null location: the function's own. 0: nothing is known. */
int shim_place(const void *location, value function, struct place *place);
const char *shim_variable(value of, size_t *length);
uint64_t shim_const_length(value inst); /* of a memory intrinsic */
type shim_type_attribute(value holder, unsigned arg, const char *name);
uint64_t shim_align_attribute(value holder, unsigned arg);
void shim_associate(value global, value function);
value shim_tls_address(LLVMBuilderRef b, value variable);
int shim_is_static_alloca(value inst);
int shim_dominates(value inst, value other);
int shim_has_debug_info(value function); /* for a debugger */
void shim_places_drop(LLVMModuleRef module); /* what no debugger asks for */
#ifdef __cplusplus
}
#endif

#endif
