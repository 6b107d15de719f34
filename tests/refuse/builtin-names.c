// Names whose convention clang drops cannot be async; others of libc can.
#include <fermata.h>
async unsigned long strlen(const char *s);
async int puts(const char *s) { return s[0]; }
async int memcmp(const void *a, const void *b, unsigned long n)
{
    return await puts(a) - await puts(b) + (int)n;
}
async int uses(const char *s)
{
    return (int)await strlen(s);
}
