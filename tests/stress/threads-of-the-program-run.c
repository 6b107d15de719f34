// Threads that a program starts run, wait and are cleaned up.
// flags: -ffermata-stress=10,1 -w
// time: 60
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int total, turn, inits, ends;
static _Thread_local int mine;

static int add(int a, int b) { return a + b; }
static void init(void) { inits = add(inits, 1); }
static void end(void *p)
{
    pthread_mutex_lock(&lock);
    ends = add(ends, *(int *)p);
    pthread_mutex_unlock(&lock);
    free(p);
}

static void *work(void *arg)
{
    int n = (int)(long)arg, *p = malloc(sizeof *p);

    *p = 1;
    pthread_once(&once, init);
    pthread_setspecific(key, p);
    for (int i = 0; i < 50; i++)
        mine = add(mine, n);
    pthread_mutex_lock(&lock);
    while (turn != n)
        pthread_cond_wait(&more, &lock);
    turn = add(turn, 1);
    total = add(total, mine);
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    return (void *)(long)add(n, 100);
}

int main(void)
{
    pthread_t t[4];
    void *result;
    long sum = 0;

    pthread_key_create(&key, end);
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &result);
        sum += (long)result;
    }
    printf("%d %d %d %d %ld\n", total, turn, inits, ends, sum);
    printf("%d\n", mine);
    return 0;
}
