// An async function cannot be a constructor or destructor.
#include <fermata.h>
async __attribute__((constructor)) void before(void) { await fm_yield(); }
async __attribute__((destructor)) void after(void) { await fm_yield(); }
