/* States in words when a claim is held, so that a reader can check a verdict. */
#ifndef HARNESS_JUDGE_CLAIM_RULE_H
#define HARNESS_JUDGE_CLAIM_RULE_H

#include "harness/judge/claim.h"

/* Sets result->rule. */
void claim_state_rule(const struct claim *claim, struct claim_result *result);

#endif
