/* lower.c: FRONT DOOR of the compiler half: the order of its passes. */
#include "late.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
compile_early(LLVMModuleRef module, int level, int size)
{
    diag_begin();
    early_stress(module);
    if (!early_find(module)) {
        early_control(module); /* FM_DEFER and FM_AUTO in ordinary C */
        return true;
    }
    early_main(module);
    early_rename(module);
    early_promises(module);
    early_refuse(module);
    early_control(module);
    early_refused_drop(module);
    if (level > 0)
        early_elide(module);
    early_marks(module);
    early_exit(module);
    early_tls(module);
    if (level > 0) {
        early_apart(module);
        early_inline(module, level, size);
    }
    if (diag_failed())
        early_abandon(module);
    early_check(module);
    return true;
}

/* ---- the late half --------------------------------------------------------- */

static void
unit_init(struct unit *u, LLVMModuleRef module, int level, int size)
{
    *u = (struct unit){.module = module, .level = level, .size = size};
    u->context = LLVMGetModuleContext(module);
    u->layout = LLVMGetModuleDataLayout(module);
    u->b = LLVMCreateBuilderInContext(u->context);
    u->ptr = LLVMPointerTypeInContext(u->context, 0);
    u->i8 = LLVMInt8TypeInContext(u->context);
    u->i32 = LLVMInt32TypeInContext(u->context);
    u->word = LLVMIntPtrTypeInContext(u->context, u->layout);
    u->nothing = LLVMVoidTypeInContext(u->context);
}

static void
unit_fini(struct unit *u)
{
    static const char *const stand_ins[] = {"fm.hook", "fm.record", "fm.fault",
                                            "fm.exit"};

    for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++) {
        value f = LLVMGetNamedFunction(u->module, stand_ins[i]);

        if (f && !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
    LLVMDisposeBuilder(u->b);
    list_drop(&u->touched);
    list_drop(&u->sprawling);
}

static void
activation_init(struct activation *a, struct unit *u, value function)
{
    LLVMAttributeRef start =
        LLVMGetStringAttributeAtIndex(function, FUNCTION, "fm-start", 8);
    unsigned length;

    *a = (struct activation){.u = u, .function = function};
    a->type = LLVMGlobalGetValueType(function);
    a->result = LLVMGetReturnType(a->type);
    a->thunk = start != NULL;
    if (start)
        a->thunk_bytes =
            strtoull(LLVMGetStringAttributeValue(start, &length), NULL, 10);
    a->naked = u->level == 0 && shim_has_debug_info(function);
    for (unsigned i = 0; i < LLVMCountParams(function) && i < 2; i++) {
        type t = shim_type_attribute(function, i, "sret");

        if (!t)
            continue;
        a->sret = LLVMGetParam(function, i);
        a->sret_bytes = bytes_of(u, t);
    }
}

static void
activation_fini(struct activation *a)
{
    carried_drop(a);
    locals_drop(a);
    graph_drop(a);
    free(a->points);
    free(a->exits);
}

/* Starts of the thunk need to know how large its record is. */
static void
thunk_note(struct activation *a)
{
    char bytes[32];

    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)a->record_bytes);
    LLVMAddAttributeAtIndex(a->split, FUNCTION,
                            LLVMCreateStringAttribute(a->u->context,
                                                      "fm-record", 9, bytes,
                                                      (unsigned)strlen(bytes)));
}

/* The split of one function, pass by pass. */
static void
function_lower(struct unit *u, value function)
{
    struct activation a;

    activation_init(&a, u, function);
    vla(&a);
    canon(&a);
    vla_exits(&a);
    do {
        graph_build(&a);
        live_values(&a);
        locals_find(&a);
    } while (remat(&a) || locals_borrowed(&a));
    dump(&a, "canon");
    pin(&a);
    dump(&a, "pin");
    dump(&a, "live");
    tail(&a);
    remat_reloads(&a);
    merge(&a);
    frame(&a);
    dump(&a, "frame");
    verify_frame(&a);
    remark(&a);
    split(&a);
    if (a.thunk)
        thunk_note(&a);
    verify(&a);
    list_push(&u->touched, a.split);
    if (a.resume)
        list_push(is_sprawling(&a) ? &u->sprawling : &u->touched, a.resume);
    places_done(u);
    activation_fini(&a);
}

/* A function that always ends with a fault is noreturn until now; its split
 * form does return. */
static void
functions_find(struct unit *u, struct list *found)
{
    unsigned noreturn = LLVMGetEnumAttributeKindForName("noreturn", 8);

    for (value f = LLVMGetFirstFunction(u->module); f;
         f = LLVMGetNextFunction(f)) {
        if (LLVMGetFunctionCallConv(f) != FM_ABI_CONV_NUMBER)
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, FUNCTION, noreturn);
        list_push(found, f);
    }
}

bool
compile_late(LLVMModuleRef module, int level, int size)
{
    struct list found = {0};
    struct unit u;

    unit_init(&u, module, level, size);
    functions_find(&u, &found);
    sign_raw(&u);
    for (size_t i = 0; i < found.n; i++) {
        value f = found.at[i];

        if (LLVMIsDeclaration(f) ||
            LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage)
            sign_declaration(&u, f);
        else
            function_lower(&u, f);
    }
    sign_start(&u);
    quick(&u);
    sign_tls(&u);
    if (level > 0) {
        shim_clean((value *)u.touched.at, (unsigned)u.touched.n, 1);
        shim_clean((value *)u.sprawling.at, (unsigned)u.sprawling.n, 0);
    }
    for (size_t i = 0; level > 0 && i < u.touched.n; i++)
        sink(u.touched.at[i]);
    shim_places_drop(module);
    list_drop(&found);
    unit_fini(&u);
    return true;
}
