#include "harness/counters.h"

const char *const counter_names[COUNTER_COUNT] = {"instructions",  "cycles",     "branches",
                                                  "branch_misses", "l1d_misses", "llc_misses"};
