#include "harness/judge/claim_result.h"

const char *const verdict_names[VERDICTS] = {"not held", "unresolved", "held", "not measured"};
