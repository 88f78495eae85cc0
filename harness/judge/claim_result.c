#include "harness/judge/claim_result.h"

const char *const verdict_names[3] = {"held", "not held", "unresolved"};
