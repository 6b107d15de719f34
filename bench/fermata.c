/* fermata.c: the scenarios of calls.c and waits.c, compiled by fermata-cc. */
#include "waits.h"

int
main(int argc, char **argv)
{
    static const struct scenario table[] = {CALLS_SCENARIOS,
                                            WAITS_SCENARIOS};
    return measure_main(argc, argv, table, sizeof table / sizeof *table);
}
