#include "harness/claims.h"

#include "base/json.h"
#include "harness/claims_kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[3] = {"held", "not held", "unresolved"};

/* One name or an array of names, each of them something that the artefact measures. */
static enum status read_operands(const char *name, const struct artefact *artefact,
                                 const cJSON *json, const char *key, struct operands *operands,
                                 struct error *error) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, key);
    const cJSON *item = cJSON_IsArray(value) ? value->child : value;
    for (; item; item = cJSON_IsArray(value) ? item->next : NULL) {
        if (!cJSON_IsString(item) || !artefact_knows_operand(artefact, item->valuestring))
            return error_set(error, STATUS_INPUT, "%s: %s: must name variants of this artefact",
                             name, key);
        if (operands->count == CLAIM_OPERANDS_MAX)
            return error_set(error, STATUS_INPUT, "%s: %s: more than %d names", name, key,
                             CLAIM_OPERANDS_MAX);
        operands->list[operands->count++] = item->valuestring;
    }
    return operands->count > 0
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: %s: must name variants of this artefact", name,
                           key);
}

/* The values of the scale's axis that the claim is about: all of them where it says nothing. */
static enum status read_axis(const char *name, const cJSON *json, const char *key,
                             const uint32_t *measured, size_t n_measured, uint32_t *values,
                             size_t *count, struct error *error) {
    const cJSON *asked = cJSON_GetObjectItemCaseSensitive(json, key);
    const cJSON *item;
    cJSON_ArrayForEach(item, asked) {
        if (!cJSON_IsNumber(item))
            return error_set(error, STATUS_INPUT, "%s: %s: must be an array of numbers", name, key);
    }
    if (asked && !cJSON_IsArray(asked))
        return error_set(error, STATUS_INPUT, "%s: %s: must be an array of numbers", name, key);
    for (size_t i = 0; i < n_measured; i++) {
        bool wanted = !asked;
        cJSON_ArrayForEach(item, asked) {
            wanted |= item->valuedouble == measured[i];
        }
        if (wanted)
            values[(*count)++] = measured[i];
    }
    return STATUS_OK;
}

static enum status read_bounds(const char *name, const cJSON *json, struct claim *claim,
                               struct error *error) {
    enum status status = json_get_number(name, json, "low", -1e6, 1e6, &claim->low, error);
    if (status == STATUS_OK && cJSON_HasObjectItem(json, "high"))
        status = json_get_number(name, json, "high", claim->low, 1e6, &claim->high, error);
    return status;
}

static enum status read_quantifier(const char *name, const cJSON *json, struct claim *claim,
                                   struct error *error) {
    if (!cJSON_HasObjectItem(json, "points"))
        return STATUS_OK;
    const char *points = "";
    enum status status = json_get_string(name, json, "points", &points, error);
    if (status != STATUS_OK)
        return status;
    claim->most = strcmp(points, "most") == 0;
    return claim->most || strcmp(points, "every") == 0
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: points: must be \"every\" or \"most\"", name);
}

static bool uses(const struct claim_kind *kind, const char *key) {
    for (const char *const *k = kind->keys; *k; k++)
        if (strcmp(*k, key) == 0)
            return true;
    return false;
}

static enum status check_keys(const char *name, const cJSON *json, const struct claim_kind *kind,
                              struct error *error) {
    const char *keys[16] = {"id", "words", "kind", "depths", "features"};
    size_t count = 5;
    for (const char *const *k = kind->keys; *k; k++)
        keys[count++] = *k;
    keys[count] = NULL;
    return artefact_check_keys(name, json, keys, error);
}

static enum status read_kind(const char *name, const cJSON *json, struct claim *claim,
                             struct error *error) {
    const char *kind = NULL;
    enum status status = json_get_string(name, json, "words", &claim->words, error);
    if (status == STATUS_OK)
        status = json_get_string(name, json, "kind", &kind, error);
    if (status != STATUS_OK)
        return status;
    claim->kind = claim_kind_find(kind);
    if (!claim->kind)
        return error_set(error, STATUS_INPUT, "%s: kind: there is no kind of claim \"%s\"", name,
                         kind);
    return check_keys(name, json, claim->kind, error);
}

static enum status claim_read(const char *name, const struct artefact *artefact, const cJSON *json,
                              struct claim *claim, struct error *error) {
    *claim = (struct claim){.low = -INFINITY, .high = INFINITY};
    enum status status = json_get_string(name, json, "id", &claim->id, error);
    if (status != STATUS_OK)
        return status;
    char where[ROW_PATH_SIZE];
    snprintf(where, sizeof where, "%s: claim %s", name, claim->id);
    status = read_kind(where, json, claim, error);
    struct {
        const char *key;
        struct operands *operands;
    } names[] = {{"slow", &claim->slow}, {"fast", &claim->fast}, {"variants", &claim->variants}};
    for (size_t i = 0; status == STATUS_OK && i < 3; i++)
        if (uses(claim->kind, names[i].key))
            status = read_operands(where, artefact, json, names[i].key, names[i].operands, error);
    if (status == STATUS_OK && uses(claim->kind, "low"))
        status = read_bounds(where, json, claim, error);
    if (status == STATUS_OK)
        status = read_quantifier(where, json, claim, error);
    const struct scale *scale = &artefact->scale;
    if (status == STATUS_OK)
        status = read_axis(where, json, "depths", scale->depths, scale->n_depths, claim->depths,
                           &claim->n_depths, error);
    if (status == STATUS_OK)
        status = read_axis(where, json, "features", scale->features, scale->n_features,
                           claim->features, &claim->n_features, error);
    return status;
}

static enum status claims_array(const char *name, const struct artefact *artefact,
                                const cJSON **claims, struct error *error) {
    return json_get_array(name, artefact->json, "claims", claims, error);
}

enum status claims_check(const char *name, const struct artefact *artefact, struct error *error) {
    const cJSON *claims = NULL;
    enum status status = claims_array(name, artefact, &claims, error);
    const cJSON *entry;
    cJSON_ArrayForEach(entry, claims) {
        struct claim claim;
        if (status == STATUS_OK)
            status = claim_read(name, artefact, entry, &claim, error);
    }
    return status;
}

/* Adds what part of the claim this scale cannot speak about. */
static void tell_missing(const cJSON *json, const char *key, const uint32_t *there, size_t count,
                         struct judged *judged) {
    size_t used = strlen(judged->measured);
    bool first = true;
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, key)) {
        bool found = false;
        for (size_t i = 0; i < count; i++)
            found |= item->valuedouble == there[i];
        if (found || used >= sizeof judged->measured)
            continue;
        int more = snprintf(
            judged->measured + used, sizeof judged->measured - used, "%s%.0f",
            first ? (key[0] == 'd' ? "; not at this scale: d = " : "; not at this scale: f = ")
                  : ", ",
            item->valuedouble);
        used += (size_t)more;
        first = false;
    }
}

static enum status judge_one(const struct artefact *artefact, const struct rows *rows,
                             const cJSON *json, struct judged *judged, struct error *error) {
    struct claim claim;
    enum status status = claim_read(artefact->name, artefact, json, &claim, error);
    if (status != STATUS_OK)
        return status;
    *judged = (struct judged){.verdict = VERDICT_UNRESOLVED};
    snprintf(judged->id, sizeof judged->id, "%s", claim.id);
    snprintf(judged->words, sizeof judged->words, "%s", claim.words);
    if (claim.n_depths == 0 || claim.n_features == 0)
        snprintf(judged->measured, sizeof judged->measured, "nothing measured");
    else
        claim.kind->judge(&claim, rows, judged);
    tell_missing(json, "depths", claim.depths, claim.n_depths, judged);
    tell_missing(json, "features", claim.features, claim.n_features, judged);
    return STATUS_OK;
}

enum status claims_judge(const struct artefact *artefact, const struct rows *rows,
                         struct judged **judged, size_t *count, struct error *error) {
    const cJSON *claims = NULL;
    enum status status = claims_array(artefact->name, artefact, &claims, error);
    if (status != STATUS_OK)
        return status;
    size_t n = (size_t)cJSON_GetArraySize(claims), done = 0;
    struct judged *list = calloc(n + 1, sizeof *list);
    if (!list)
        return error_memory(error, "the judged claims");
    const cJSON *entry;
    cJSON_ArrayForEach(entry, claims) {
        status = judge_one(artefact, rows, entry, &list[done], error);
        if (status != STATUS_OK) {
            free(list);
            return status;
        }
        done++;
    }
    *judged = list;
    *count = done;
    return STATUS_OK;
}
