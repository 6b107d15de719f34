/* record.c: taking and giving a record in compiled code. The thread's free
 * list is open-coded where time counts and nothing watches memory: three
 * loads and two stores each way, no call.
 */
#include "late.h"

/* Two names of one array: under one, the register with its address would be
 * kept, and saved, across what lies between taking and giving. */
#define TAKE_LIST "fm_abi_free"
#define GIVE_LIST "fm_abi_free_again"

/* Compiled code may do the runtime's work on records itself. */
bool
record_is_inline(struct activation *a, value function)
{
    return a->record_bytes <= FM_ABI_FREE_MAX &&
           quick_is_allowed(a->u, function);
}

/* The address of the list for records of this size. */
static value
list_address(struct activation *a, const char *name)
{
    struct unit *u = a->u;
    value list = LLVMGetNamedGlobal(u->module, name);
    uint64_t class = (a->record_bytes + 7) / 8;

    if (!list) {
        list = LLVMAddGlobal(u->module,
                             LLVMArrayType2(u->i8, (FM_ABI_FREE_MAX / 8 + 1) *
                                                       sizeof(struct fm_free)),
                             name);
        LLVMSetAlignment(list, sizeof(void *));
        LLVMSetThreadLocalMode(list, LLVMInitialExecTLSModel);
    }
    return offset_by(u, shim_tls_address(u->b, list),
                     class * sizeof(struct fm_free), "fm.list");
}

static value
bytes_value(struct activation *a)
{
    return LLVMConstInt(a->u->word, a->record_bytes, 0);
}

/* top + by */
static void
top_move(struct unit *u, value list, value top, int64_t by)
{
    LLVMBuildStore(u->b, offset_by(u, top, (uint64_t)by * sizeof(void *), ""),
                   list);
}

/* On to `done` with a record, to `poor` without. */
static value
take_call(struct activation *a, block done, block poor)
{
    struct unit *u = a->u;
    value bytes = bytes_value(a);
    value made = call_runtime(u, "fm_abi_record_new", u->ptr, &bytes, 1);
    value none = LLVMBuildICmp(u->b, LLVMIntEQ, made, null_of(u), "");

    shim_weights(LLVMBuildCondBr(u->b, none, poor, done), 1, 2000);
    return made;
}

/* The builder goes on where the record is there; `poor` is where to go when
 * there is no memory. */
value
record_take(struct activation *a, value function, block poor)
{
    struct unit *u = a->u;
    value list, top, head, made, phi, is_empty;
    block fast, slow, done;

    if (!record_is_inline(a, function)) {
        done = new_block(u, function, "fm.taken");
        made = take_call(a, done, poor);
        at_end(u, done);
        return made;
    }
    fast = new_block(u, function, "fm.take");
    slow = new_block(u, function, "fm.empty");
    done = new_block(u, function, "fm.taken");
    list = list_address(a, TAKE_LIST);
    top = LLVMBuildLoad2(u->b, u->ptr, list, "");
    head = LLVMBuildLoad2(u->b, u->ptr, offset_by(u, top, -sizeof(void *), ""),
                          "");
    is_empty = LLVMBuildICmp(u->b, LLVMIntEQ, head, null_of(u), "");
    shim_weights(LLVMBuildCondBr(u->b, is_empty, slow, fast), 1, 2000);
    at_end(u, fast);
    top_move(u, list, top, -1);
    LLVMBuildBr(u->b, done);
    at_end(u, slow);
    made = take_call(a, done, poor);
    at_end(u, done);
    phi = shim_phi(done, u->ptr, "fm.record");
    LLVMAddIncoming(phi, &head, &fast, 1);
    LLVMAddIncoming(phi, &made, &slow, 1);
    return phi;
}

static void
give_call(struct activation *a, value record)
{
    value args[2] = {record, bytes_value(a)};

    call_runtime(a->u, "fm_abi_record_free", a->u->nothing, args, 2);
}

/* Before `inst`, whose block is split where the way is the usual one. */
void
record_give(struct activation *a, value record, value inst, bool often)
{
    struct unit *u = a->u;
    block b = LLVMGetInstructionParent(inst), fast, slow, done;
    value function = LLVMGetBasicBlockParent(b), list, top, over, is_full;

    at(u, inst);
    if (!often || !record_is_inline(a, function)) {
        give_call(a, record);
        return;
    }
    done = shim_split_before(inst, "fm.given");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(b));
    fast = new_block(u, function, "fm.give");
    slow = new_block(u, function, "fm.full");
    at_end(u, b);
    list = list_address(a, GIVE_LIST);
    top = LLVMBuildLoad2(u->b, u->ptr, list, "");
    over = LLVMBuildAnd(u->b, LLVMBuildPtrToInt(u->b, top, u->word, ""),
                        LLVMConstInt(u->word, FM_ABI_FREE_STACK - 1, 0), "");
    is_full = LLVMBuildICmp(u->b, LLVMIntEQ, over, LLVMConstNull(u->word), "");
    shim_weights(LLVMBuildCondBr(u->b, is_full, slow, fast), 1, 2000);
    at_end(u, fast);
    LLVMBuildStore(u->b, record, top);
    top_move(u, list, top, 1);
    LLVMBuildBr(u->b, done);
    at_end(u, slow);
    give_call(a, record);
    LLVMBuildBr(u->b, done);
    at(u, inst);
}
