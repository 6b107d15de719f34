/* fermata.c: the scenarios of calls.c, waits.c and joins.c, compiled by fermata-cc. */
#include "joins.h"
#include "waits.h"

int
main(int argc, char **argv)
{
    static const struct scenario table[] = {CALLS_SCENARIOS, WAITS_SCENARIOS,
                                            JOINS_SCENARIOS};
    return measure_main(argc, argv, table, sizeof table / sizeof *table);
}
