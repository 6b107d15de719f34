/* lookup.c: names of hosts and services (getaddrinfo).
 *
 * A numeric address is no question and answered at once. All else goes to the
 * lane for names, which the C library may keep for half a minute: so a
 * cancelled lookup does not wait. It owns copies of all that it reads, and is
 * dropped when the library comes back.
 */
#include <base/memory.h>
#include <errno.h>
#include <fermata/io.h>
#include <io/lane.h>
#include <netdb.h>
#include <string.h>

struct lookup {
    struct fm__errand errand; /* first */
    char *host, *service;     /* behind it; null = none */
    struct addrinfo hints, *list;
    int error;  /* EAI_... */
    int system; /* errno, for EAI_SYSTEM */
};

static void
lookup_free(struct lookup *l)
{
    if (l->list)
        freeaddrinfo(l->list);
    fm__sys_free(l);
}

static void
run(struct fm__errand *e)
{
    struct lookup *l = (struct lookup *)e;
    errno = 0;
    l->error = getaddrinfo(l->host, l->service, &l->hints, &l->list);
    l->system = errno;
    if (l->error)
        l->list = NULL;
}

static void
drop(struct fm__errand *e)
{
    lookup_free((struct lookup *)e);
}

static struct lookup *
lookup_new(const char *host, const char *service, const struct addrinfo *hints)
{
    size_t hosts = host ? strlen(host) + 1 : 0;
    size_t services = service ? strlen(service) + 1 : 0;
    struct lookup *l = fm__sys_alloc_zeroed(sizeof *l + hosts + services);
    if (!l)
        return NULL;
    l->errand.run = run;
    l->errand.drop = drop;
    if (hints) {
        l->hints.ai_flags = hints->ai_flags;
        l->hints.ai_family = hints->ai_family;
        l->hints.ai_socktype = hints->ai_socktype;
        l->hints.ai_protocol = hints->ai_protocol;
    }
    if (host)
        l->host = memcpy((char *)(l + 1), host, hosts);
    if (service)
        l->service = memcpy((char *)(l + 1) + hosts, service, services);
    return l;
}

static int
errno_of(const struct lookup *l)
{
    switch (l->error) {
    case EAI_NONAME:
    case EAI_NODATA:
    case EAI_ADDRFAMILY:
        return ENOENT;
    case EAI_AGAIN:
        return EAGAIN;
    case EAI_MEMORY:
        return ENOMEM;
    case EAI_SYSTEM:
        return l->system ? l->system : EIO;
    case EAI_FAIL:
        return EIO;
    default: /* wrong hints: family, socktype, service, flags */
        return EINVAL;
    }
}

/* True: it was answered without asking anybody. */
static bool
is_numeric(struct lookup *l)
{
    int flags = l->hints.ai_flags;
    l->hints.ai_flags |= AI_NUMERICHOST | AI_NUMERICSERV;
    run(&l->errand);
    if (l->error == EAI_NONAME && !(flags & AI_NUMERICHOST)) {
        l->hints.ai_flags = flags;
        return false;
    }
    return true;
}

static void
forget(struct lookup **l)
{
    if (*l)
        lookup_free(*l);
}

fm_async void
fm_lookup(const char *host, const char *service, const struct addrinfo *hints,
          struct addrinfo **list)
{
    fm_await fm_checkpoint();
    FM__CLEANUP(forget) struct lookup *l = lookup_new(host, service, hints);
    if (!l)
        fm_throw(ENOMEM, "fm_lookup: out of memory");
    if (!is_numeric(l)) {
        enum fm__ran ran = fm_await fm__lane_run(&fm__lane_names, &l->errand);
        if (ran == FM__LEFT_RUNNING)
            l = NULL; /* the lane's */
        if (ran != FM__RAN)
            fm_await fm_raise_cancelled();
    }
    if (l->error)
        fm_abi_throw(errno_of(l), "fm_lookup", NULL, 0, "%s: %s",
                     host      ? host
                     : service ? service
                               : "",
                     gai_strerror(l->error));
    *list = l->list;
    l->list = NULL;
}

void
fm_lookup_free(struct addrinfo *list)
{
    if (list)
        freeaddrinfo(list);
}
