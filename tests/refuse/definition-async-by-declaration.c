// A definition that does not repeat its declaration's async is told of.
#include <fermata.h>
async int declared(int x);
int declared(int x) { return x; }
async int both(int x);
async int both(int x) { return await declared(x); }
static async int later(int x);
async int alone(int x) { return await both(x) + await later(x); }
static int later(int x)
{
    return x;
}
