// A conversion that drops async from a function's type, or invents it, is an
// error, also in a table outside functions; handles of tasks may convert.
#include <fermata.h>
#include <stdlib.h>
typedef async int handler(int);
async int one(int x);
int ordinary(int x);
void takes(void *p);
void *table[] = {(void *)one, NULL};
int (*plain)(int) = (int (*)(int))one;
struct route {
    const char *path;
    handler *serve;
} routes[] = {{"/", one}, {"/none", NULL}};
async int casts(FM_TASK(int) t)
{
    handler *right = one, *empty = NULL, **deep = &right;
    int (**wrong)(int) = (int (**)(int))deep;
    handler *invented = (handler *)ordinary;
    fm_task *task = fm_task_of(t);
    takes(t);
    takes(one);
    return right == empty || wrong == NULL || invented || !task;
}
