#include "harness/html/html_parts.h"

#include <math.h>

/* [low, high]; null stands for a side that is not given. */
static cJSON *interval_json(struct interval interval) {
    cJSON *sides = cJSON_CreateArray();
    cJSON_AddItemToArray(sides, html_number(interval.low));
    cJSON_AddItemToArray(sides, html_number(interval.high));
    return sides;
}

/* {"held", "not held", "unresolved"}: numbers of points */
static cJSON *points_json(const struct claim_evidence *evidence) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, verdict_names[VERDICT_HELD], (double)evidence->held);
    cJSON_AddNumberToObject(json, verdict_names[VERDICT_NOT_HELD], (double)evidence->failed);
    cJSON_AddNumberToObject(json, verdict_names[VERDICT_UNRESOLVED], (double)evidence->open);
    return json;
}

static cJSON *value_json(const struct claim_value *value) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "where", value->where);
    cJSON_AddStringToObject(json, "what", value->what);
    cJSON_AddItemToObject(json, "value", html_number(value->value));
    cJSON_AddItemToObject(json, "interval", interval_json(value->interval));
    cJSON_AddStringToObject(json, "verdict", verdict_names[value->verdict]);
    return json;
}

static cJSON *claim_json(const struct claim_result *result) {
    const struct claim_evidence *evidence = &result->evidence;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "id", result->id);
    cJSON_AddStringToObject(json, "words", result->words);
    cJSON_AddStringToObject(json, "verdict", verdict_names[result->verdict]);
    cJSON_AddStringToObject(json, "measured", result->measured);
    cJSON_AddItemToObject(json, "origin", html_origins_json(result->origin));
    cJSON_AddStringToObject(json, "rule", result->rule);
    if (evidence->n_values == 0)
        return json;
    cJSON_AddBoolToObject(json, "share", evidence->is_share);
    cJSON_AddItemToObject(json, "bounds", interval_json(evidence->bounds));
    if (!isnan(evidence->papers.low))
        cJSON_AddItemToObject(json, "papers", interval_json(evidence->papers));
    cJSON_AddItemToObject(json, "points", points_json(evidence));
    cJSON_AddNumberToObject(json, "found", (double)evidence->n_values);
    cJSON *values = cJSON_AddArrayToObject(json, "values");
    for (size_t i = 0; i < evidence->n_values && i < CLAIM_VALUES_MAX; i++)
        cJSON_AddItemToArray(values, value_json(&evidence->values[i]));
    return json;
}

cJSON *html_claims(const struct claim_result *judged, size_t count) {
    cJSON *claims = cJSON_CreateArray();
    for (enum verdict v = 0; v < VERDICTS; v++)
        for (size_t i = 0; i < count; i++)
            if (judged[i].verdict == v)
                cJSON_AddItemToArray(claims, claim_json(&judged[i]));
    return claims;
}
