// Names become addresses; a name that is none is a fault; a cancelled lookup
// returns at once.
// smoke
// threads
#include "../rt/ok.h"
#include <fermata/io.h>
#include <netdb.h>
#include <netinet/in.h>

async int main(void)
{
    struct addrinfo *list = NULL, hints = {.ai_socktype = SOCK_STREAM};
    await fm_lookup("127.0.0.1", "80", &hints, &list);
    OK(list->ai_family == AF_INET && !list->ai_next);
    OK(((struct sockaddr_in *)list->ai_addr)->sin_port == htons(80));
    fm_lookup_free(list);
    await fm_lookup("localhost", NULL, NULL, &list);
    OK(list->ai_family == AF_INET || list->ai_family == AF_INET6);
    fm_lookup_free(list);
    list = NULL;
    fm_fault *f = await fm_attempt(
        NULL, fm_lookup("no-such-name.invalid", NULL, NULL, &list));
    OK(f && !list);
    OK(fm_fault_code(f) == ENOENT || fm_fault_code(f) == EAGAIN);
    hints.ai_family = 12345;
    f = await fm_attempt(NULL, fm_lookup("127.0.0.1", NULL, &hints, &list));
    OK(f && fm_fault_code(f) == EINVAL);
    f = await fm_attempt(NULL, fm_lookup(NULL, NULL, NULL, &list));
    OK(f && fm_fault_code(f) == ENOENT);
    for (int i = 0; i < 50; i++) {
        FM_TASK(void) t =
            fm_start(fm_lookup("slow-name.invalid", NULL, NULL, &list));
        if (i & 1)
            await fm_yield();
        fm_cancel(t);
        f = await fm_attempt(NULL, fm_join(t));
        OK(f);
    }
    fm_lookup_free(NULL);
    return 0;
}
