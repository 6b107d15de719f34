// A name with several addresses: each is tried, a slow one does not hold up
// the next, the first that answers is taken and the others leave nothing.
// threads
#include "../rt/ok.h"
#include <arpa/inet.h>
#include <fermata/io.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

/* In place of the C library's: names are lists of addresses of loopback. */
static struct addrinfo *
entry(const char *address, const char *service, struct addrinfo *next)
{
    struct addrinfo *ai = calloc(1, sizeof *ai + sizeof(struct sockaddr_in6));
    struct sockaddr_in *in = (void *)(ai + 1);
    struct sockaddr_in6 *in6 = (void *)(ai + 1);
    ai->ai_addr = (struct sockaddr *)(ai + 1);
    ai->ai_next = next;
    ai->ai_socktype = SOCK_STREAM;
    ai->ai_family = strchr(address, ':') ? AF_INET6 : AF_INET;
    in->sin_family = (sa_family_t)ai->ai_family;
    in->sin_port = htons((uint16_t)atoi(service));
    ai->ai_addrlen = ai->ai_family == AF_INET ? sizeof *in : sizeof *in6;
    OK(inet_pton(ai->ai_family, address,
                 ai->ai_family == AF_INET ? (void *)&in->sin_addr
                                          : (void *)&in6->sin6_addr) == 1);
    return ai;
}

int getaddrinfo(const char *host, const char *service,
                const struct addrinfo *hints, struct addrinfo **list)
{
    if (host[0] >= '0' && host[0] <= '9') {
        *list = entry(host, service, NULL);
    } else if (hints->ai_flags & AI_NUMERICHOST) {
        return EAI_NONAME;
    } else if (!strcmp(host, "two")) { /* the first refuses */
        *list = entry("127.0.0.2", service,
                      entry("::1", service, entry("127.0.0.1", service, NULL)));
    } else if (!strcmp(host, "slow")) { /* the first does not answer */
        *list = entry("127.0.0.3", service, entry("127.0.0.1", service, NULL));
    } else if (!strcmp(host, "dead")) {
        *list = entry("127.0.0.4", service, entry("127.0.0.5", service, NULL));
    } else if (!strcmp(host, "hangs")) {
        sleep(2);
        return EAI_AGAIN;
    } else {
        return EAI_NONAME;
    }
    return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
    for (struct addrinfo *next; list; list = next) {
        next = list->ai_next;
        free(list);
    }
}

static int
lowest_free(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

/* A listener whose queue is full: who connects gets no answer. */
static int
deaf_listener(int port, int *full, int n)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_port = htons((uint16_t)port);
    inet_pton(AF_INET, "127.0.0.3", &at.sin_addr);
    OK(!bind(fd, (void *)&at, sizeof at) && !listen(fd, 0));
    for (int i = 0; i < n; i++) {
        full[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connect(full[i], (void *)&at, sizeof at);
    }
    return fd;
}

async void connects(const char *name, int port)
{
    fm_stream *s = await fm_tcp_connect(name, port);
    fm_close(s);
}

async int main(void)
{
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 8);
    int port = fm_listener_port(l), full[3];
    await connects("two", port);
    int deaf = deaf_listener(port, full, 3), before = lowest_free();
    int64_t since = fm_now();
    await connects("slow", port);
    OK(fm_now() - since >= FM_MS(250));
    OK(lowest_free() <= before);
    fm_fault *f = await fm_attempt(NULL, connects("dead", port));
    OK(f && fm_fault_code(f) == ECONNREFUSED);
    f = await fm_attempt(NULL, connects("none", port));
    OK(f && fm_fault_code(f) == ENOENT);
    since = fm_now();
    {
        fm_with_timeout(FM_MS(20));
        f = await fm_attempt(NULL, connects("hangs", port));
        OK(f && fm_fault_code(f) == ETIMEDOUT);
        OK(fm_now() - since < FM_S(1)); /* the lookup is left behind */
    }
    FM_TASK(void) t = fm_start(connects("slow", port));
    await fm_sleep(FM_MS(30));
    fm_cancel(t);
    f = await fm_attempt(NULL, fm_join(t));
    OK(f && fm_fault_code(f) == ECANCELED);
    OK(lowest_free() <= before);
    close(deaf);
    for (int i = 0; i < 3; i++)
        close(full[i]);
    fm_listener_close(l);
    return 0;
}
