// pthread_exit below suspended calls ends the thread and runs its cleanup.
// flags: -ffermata-stress=10,1 -w
// not: asan
// (what the thread leaves there is memory that nobody frees)
#include <pthread.h>
#include <stdio.h>

static int cleaned;
static int add(int a, int b) { return a + b; }
static void clean(void *p) { cleaned = add(cleaned, *(int *)p); }

static int leave(int n)
{
    if (n == 0)
        pthread_exit((void *)77L);
    return leave(n - 1) + 1;
}

static void *early(void *arg)
{
    int one = 1;

    pthread_cleanup_push(clean, &one);
    leave(5);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t e;
    void *result;

    for (int i = 0; i < 3; i++) {
        pthread_create(&e, NULL, early, NULL);
        pthread_join(e, &result);
        printf("%ld %d\n", (long)result, cleaned);
    }
    return 0;
}
