#include "harness/judge/item_claim.h"

#include "base/files/json.h"

#include <stdio.h>
#include <string.h>

static const struct record_field keys[] = {ITEM_CLAIM_KEYS};
const struct record item_claim_plain = ARTEFACT_RECORD("a claim", keys);

static enum status read_names(const char *name, const char *key, const cJSON *json, void *member,
                              struct error *error) {
    const cJSON *item;
    bool fine = cJSON_IsArray(json) && cJSON_GetArraySize(json) > 0;
    cJSON_ArrayForEach(item, json) {
        fine &= cJSON_IsString(item) != 0;
    }
    *(const cJSON **)member = json;
    return fine ? STATUS_OK
                : error_set(error, STATUS_INPUT, "%s: %s: must be an array of names, not empty",
                            name, key);
}

const struct record_form item_claim_names = {.type = "array", .from_json = read_names};

static enum status find_kind(const char *name, const char *text, const struct artefact *artefact,
                             const struct item_claim_kind **kind, struct error *error) {
    const struct item_claim_kind *kinds = artefact->kind->claims;
    char names[160] = "";
    for (; kinds->name; kinds++) {
        artefact_list_name(names, sizeof names, kinds->name);
        if (strcmp(kinds->name, text) == 0)
            *kind = kinds;
    }
    if (!*kind)
        return error_set(error, STATUS_INPUT, "%s: kind: %.40s is none of %s", name, text, names);
    return !(*kind)->of || strcmp((*kind)->of, artefact->scale.kind) == 0
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: kind: %s is only for scales of kind \"%s\"",
                           name, text, (*kind)->of);
}

/* Reads the titles of the panels that a claim is about. Ignores titles that the scale does not
 * have. */
static enum status read_panels(const char *name, const cJSON *json, struct item_claim *claim,
                               struct error *error) {
    const struct scale *scale = &claim->artefact->scale;
    const cJSON *panels = NULL, *item;
    bool is_given = cJSON_HasObjectItem(json, "panels"), any = !is_given;
    enum status status =
        is_given ? json_get_array(name, json, "panels", &panels, error) : STATUS_OK;
    for (size_t p = 0; p < scale->n_panels; p++)
        claim->about[p] = !is_given;
    cJSON_ArrayForEach(item, panels) {
        if (!cJSON_IsString(item))
            return error_set(error, STATUS_INPUT, "%s: panels: every entry must be a panel's title",
                             name);
        for (size_t p = 0; p < scale->n_panels; p++)
            if (strcmp(scale->panels[p].title, item->valuestring) == 0)
                any = claim->about[p] = true;
    }
    if (!status && !any)
        status = error_set(error, STATUS_INPUT, "%s: panels: scale %s has none of these panels",
                           name, scale->name);
    return status;
}

enum status item_claim_judge(const char *name, const struct artefact *artefact, const cJSON *json,
                             const void *results, struct claim_result *result,
                             struct error *error) {
    const char *kind = "";
    struct item_claim claim = {.artefact = artefact, .items = results};
    enum status status = json_get_string(name, json, "kind", &kind, error);
    if (!status)
        status = find_kind(name, kind, artefact, &claim.kind, error);
    if (!status)
        status = record_from_json(name, claim.kind->record, json, &claim, error);
    if (!status)
        status = read_panels(name, json, &claim, error);
    if (status || !results)
        return status;
    if (claim.kind->rule)
        snprintf(result->rule, sizeof result->rule, "%s", claim.kind->rule);
    for (size_t p = 0; p < artefact->scale.n_panels; p++)
        if (claim.about[p])
            claim_add_data(result, &artefact->scale.panels[p]);
    result->verdict = claim.kind->judge(&claim, result);
    if (artefact->kind->finish_claim)
        artefact->kind->finish_claim(&claim, result);
    return STATUS_OK;
}
