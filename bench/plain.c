/* plain.c: the peer "plain C": calls.c compiled with PLAIN defined. */
#include "calls.h"

int
main(int argc, char **argv)
{
    static const struct scenario table[] = {CALLS_SCENARIOS};
    return measure_main(argc, argv, table, sizeof table / sizeof *table);
}
