/* ir.c: short words over LLVM-C: containers, places to build, questions. */
#include "late.h"

#include <stdlib.h>
#include <string.h>

void *
memory(size_t n, size_t bytes)
{
    void *m = calloc(n ? n : 1, bytes);

    if (!m)
        abort();
    return m;
}

static size_t
map_start(const struct map *m, const void *key)
{
    uintptr_t h = (uintptr_t)key;

    h = (h >> 4) * (uintptr_t)0x9e3779b97f4a7c15u;
    return (size_t)(h >> 20) & (m->capacity - 1);
}

static void
map_grow(struct map *m)
{
    struct map wide = {.capacity = m->capacity ? 2 * m->capacity : 64};

    wide.keys = memory(wide.capacity, sizeof *wide.keys);
    wide.numbers = memory(wide.capacity, sizeof *wide.numbers);
    for (size_t i = 0; i < m->capacity; i++)
        if (m->keys[i])
            map_put(&wide, m->keys[i], m->numbers[i]);
    map_free(m);
    *m = wide;
}

void
map_put(struct map *m, const void *key, unsigned number)
{
    size_t i;

    if (2 * m->n >= m->capacity)
        map_grow(m);
    i = map_start(m, key);
    while (m->keys[i] && m->keys[i] != key)
        i = (i + 1) & (m->capacity - 1);
    m->n += !m->keys[i];
    m->keys[i] = key;
    m->numbers[i] = number;
}

unsigned
map_get(const struct map *m, const void *key)
{
    if (!m->capacity)
        return NONE;
    for (size_t i = map_start(m, key); m->keys[i];
         i = (i + 1) & (m->capacity - 1))
        if (m->keys[i] == key)
            return m->numbers[i];
    return NONE;
}

void
map_free(struct map *m)
{
    free(m->keys);
    free(m->numbers);
    *m = (struct map){0};
}

void
list_push(struct list *l, void *item)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 16;
        l->at = realloc(l->at, l->capacity * sizeof *l->at);
        if (!l->at)
            abort();
    }
    l->at[l->n++] = item;
}

void *
list_pop(struct list *l)
{
    return l->n ? l->at[--l->n] : NULL;
}

void
list_drop(struct list *l)
{
    free(l->at);
    *l = (struct list){0};
}

/* The builder takes over the place of the instruction that it stands before:
 * in a clone that is another function's. New code has none. */
static void
forget_place(struct unit *u)
{
    LLVMSetCurrentDebugLocation2(u->b, NULL);
}

void
at_end(struct unit *u, block b)
{
    LLVMPositionBuilderAtEnd(u->b, b);
    forget_place(u);
}

void
at(struct unit *u, value before)
{
    LLVMPositionBuilderBefore(u->b, before);
    forget_place(u);
}

void
at_start(struct unit *u, block b)
{
    value inst = LLVMGetFirstInstruction(b);

    while (inst && (LLVMIsAPHINode(inst) || LLVMIsALandingPadInst(inst)))
        inst = LLVMGetNextInstruction(inst);
    if (inst)
        at(u, inst);
    else
        at_end(u, b);
}

value
word32(struct unit *u, uint64_t n)
{
    return LLVMConstInt(u->i32, n, 0);
}

value
null_of(struct unit *u)
{
    return LLVMConstNull(u->ptr);
}

value
offset_by(struct unit *u, value pointer, uint64_t bytes, const char *name)
{
    value by = LLVMConstInt(u->word, bytes, 0);

    return LLVMBuildInBoundsGEP2(u->b, u->i8, pointer, &by, 1, name);
}

static value
call_declared(struct unit *u, const char *name, type result, value *args,
              unsigned n)
{
    value f = LLVMGetNamedFunction(u->module, name);
    type types[8], t;

    for (unsigned i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    t = LLVMFunctionType(result, types, n, 0);
    if (!f)
        f = LLVMAddFunction(u->module, name, t);
    return LLVMBuildCall2(u->b, t, f, args, n, "");
}

static void
attribute_add(struct unit *u, value f, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(u->context, kind, 0));
}

value
call_runtime(struct unit *u, const char *name, type result, value *args,
             unsigned n)
{
    value call = call_declared(u, name, result, args, n);

    attribute_add(u, LLVMGetCalledValue(call), "nounwind");
    return call;
}

value
stand_in(struct unit *u, const char *name, type result, value *args, unsigned n)
{
    return call_declared(u, name, result, args, n);
}

value
low_bit(struct unit *u, value pointer)
{
    value bits = LLVMBuildPtrToInt(u->b, pointer, u->word, "");

    return LLVMBuildTrunc(u->b, bits, LLVMInt1TypeInContext(u->context), "");
}

void
copy_memory(struct unit *u, value to, uint64_t to_align, value from,
            uint64_t from_align, uint64_t bytes)
{
    LLVMBuildMemCpy(u->b, to, (unsigned)to_align, from, (unsigned)from_align,
                    LLVMConstInt(u->word, bytes, 0));
}

bool
ir_is_call(value inst)
{
    return LLVMIsACallInst(inst) || LLVMIsAInvokeInst(inst);
}

bool
ir_is_await(value inst)
{
    return ir_is_call(inst) &&
           LLVMGetInstructionCallConv(inst) == FM_ABI_CONV_NUMBER;
}

bool
ir_is_void(type t)
{
    return LLVMGetTypeKind(t) == LLVMVoidTypeKind;
}

static const char *
called(value inst, size_t *length)
{
    value callee = ir_is_call(inst) ? LLVMGetCalledValue(inst) : NULL;

    *length = 0;
    if (!callee || !LLVMIsAFunction(callee))
        return "";
    return LLVMGetValueName2(callee, length);
}

bool
calls(value inst, const char *name)
{
    size_t length;
    const char *is = called(inst, &length);

    return length == strlen(name) && !memcmp(is, name, length);
}

bool
calls_stem(value inst, const char *stem)
{
    size_t length, n = strlen(stem);
    const char *is = called(inst, &length);

    return length > n && is[n] == '.' && !memcmp(is, stem, n);
}

uint64_t
bytes_of(struct unit *u, type t)
{
    return ir_is_void(t) ? 0 : LLVMABISizeOfType(u->layout, t);
}

uint64_t
align_of(struct unit *u, type t)
{
    return LLVMABIAlignmentOfType(u->layout, t);
}

uint64_t
round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

block
new_block(struct unit *u, value function, const char *name)
{
    return LLVMAppendBasicBlockInContext(u->context, function, name);
}

bool
function_has(value function, const char *attribute)
{
    LLVMAttributeRef found = LLVMGetStringAttributeAtIndex(
        function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute,
        (unsigned)strlen(attribute));

    return found != NULL;
}

LLVMAttributeRef
call_has(value call, unsigned arg, const char *attribute)
{
    unsigned kind =
        LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));

    return LLVMGetCallSiteEnumAttribute(call, arg + 1, kind);
}
