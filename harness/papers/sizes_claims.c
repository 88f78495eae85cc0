/* Claims about the machine code of trees. */
#include "harness/papers/sizes_report.h"

#include "base/files/json.h"
#include "harness/papers/quality_parts.h"
#include "harness/papers/sizes_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS_MAX = 4 };

struct sizes_claim {
    const char *id, *words;
    const char *machine, *others[OTHERS_MAX];
    size_t n_others;
    double low; /* the least share of points at which the machine's code is the smallest */
};

/* Bytes of a machine's code by gcc, or NAN. */
static double code_of(const struct code_sizes *sizes, const struct code_subject *subject,
                      const char *machine) {
    for (size_t i = 0; i < toolchain_count; i++) {
        const struct code_size *size = toolchain_is_gcc(toolchain_names[i])
                                           ? code_sizes_find(sizes, subject, toolchain_names[i])
                                           : NULL;
        if (size && strcmp(size->machine, machine) == 0)
            return size->code;
    }
    return NAN;
}

struct count {
    size_t points, known, smallest;
};

static void count_point(const struct code_sizes *sizes, const struct code_subject *subject,
                        const struct sizes_claim *claim, struct count *count) {
    double own = code_of(sizes, subject, claim->machine);
    bool known = !isnan(own), smallest = true;
    for (size_t i = 0; i < claim->n_others; i++) {
        double other = code_of(sizes, subject, claim->others[i]);
        known &= !isnan(other);
        smallest &= own < other;
    }
    count->points++;
    count->known += known;
    count->smallest += known && smallest;
}

/* Names the machines without any code. */
static void say_missing(const struct code_sizes *sizes, const struct artefact *artefact,
                        const struct sizes_claim *claim, char *measured, size_t size) {
    const struct panel *panel = &artefact->scale.panels[0];
    const struct code_subject subject = sizes_subject(artefact, panel, &panel->points[0]);
    for (size_t i = 0; i <= claim->n_others; i++) {
        const char *machine = i ? claim->others[i - 1] : claim->machine;
        if (isnan(code_of(sizes, &subject, machine)))
            quality_say(measured, size, "%s%s", *measured ? ", " : "no code by gcc for ", machine);
    }
}

static enum verdict judge(const struct artefact *artefact, const struct code_sizes *sizes,
                          const struct sizes_claim *claim, char *measured, size_t size) {
    struct count count = {0, 0, 0};
    for (size_t p = 0; p < artefact->scale.n_panels; p++) {
        const struct panel *panel = &artefact->scale.panels[p];
        for (size_t i = 0; i < panel->n_points; i++) {
            struct code_subject subject = sizes_subject(artefact, panel, &panel->points[i]);
            count_point(sizes, &subject, claim, &count);
        }
    }
    if (count.known < count.points)
        say_missing(sizes, artefact, claim, measured, size);
    if (count.known > 0)
        quality_say(measured, size, "%s%s is the smallest at %zu of %zu points",
                    *measured ? "; " : "", claim->machine, count.smallest, count.known);
    sizes_add_notes(artefact, sizes, measured, size);
    if (count.known < count.points)
        return count.known ? VERDICT_UNRESOLVED : VERDICT_NOT_MEASURED;
    return (double)count.smallest >= claim->low * (double)count.points ? VERDICT_HELD
                                                                       : VERDICT_NOT_HELD;
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum status read_others(const char *name, const cJSON *json, struct sizes_claim *claim,
                               struct error *error) {
    const cJSON *others = NULL, *item;
    enum status status = json_get_array(name, json, "than", &others, error);
    cJSON_ArrayForEach(item, others) {
        if (!cJSON_IsString(item) || claim->n_others == OTHERS_MAX)
            return error_set(error, STATUS_INPUT, "%s: than: must be at most %d names of machines",
                             name, OTHERS_MAX);
        claim->others[claim->n_others++] = item->valuestring;
    }
    if (!status && claim->n_others == 0)
        status = error_set(error, STATUS_INPUT, "%s: than: must not be empty", name);
    return status;
}

static enum status read_claim(const char *name, const cJSON *json, struct sizes_claim *claim,
                              struct error *error) {
    static const char *const keys[] = {"id", "words", "kind", "machine", "than", "low", NULL};
    const char *kind = "";
    *claim = (struct sizes_claim){.low = 0};
    if (!cJSON_IsObject(json))
        return error_set(error, STATUS_INPUT, "%s: must be an object", name);
    enum status status = artefact_check_keys(name, json, keys, error);
    if (!status)
        status = json_get_string(name, json, "id", &claim->id, error);
    if (!status)
        status = json_get_string(name, json, "words", &claim->words, error);
    if (!status)
        status = json_get_string(name, json, "kind", &kind, error);
    if (!status && strcmp(kind, "smallest_code") != 0)
        status = error_set(error, STATUS_INPUT, "%s: kind: %.40s is not smallest_code", name, kind);
    if (!status)
        status = json_get_string(name, json, "machine", &claim->machine, error);
    if (!status)
        status = read_others(name, json, claim, error);
    return status ? status : json_get_number(name, json, "low", 0, 1, &claim->low, error);
}

enum status sizes_check_claims(const char *name, const struct artefact *artefact,
                               struct error *error) {
    const cJSON *claims = NULL, *json;
    enum status status = json_get_array(name, artefact->json, "claims", &claims, error);
    size_t number = 1;
    cJSON_ArrayForEach(json, claims) {
        char where[ROW_PATH_SIZE];
        struct sizes_claim claim;
        snprintf(where, sizeof where, "%s: claim %zu", name, number++);
        if (!status)
            status = read_claim(where, json, &claim, error);
        if (!status && strcmp(artefact->scale.kind, "forest") != 0)
            status = error_set(error, STATUS_INPUT, "%s: kind: smallest_code is only for forests",
                               where);
    }
    return status;
}

enum status sizes_judge(const struct artefact *artefact, const struct code_sizes *sizes,
                        struct claim_result **judged, size_t *count, struct error *error) {
    const cJSON *claims = cJSON_GetObjectItemCaseSensitive(artefact->json, "claims"), *json;
    *count = 0;
    *judged = calloc((size_t)cJSON_GetArraySize(claims) + 1, sizeof **judged);
    if (!*judged)
        return error_memory(error, "claims");
    cJSON_ArrayForEach(json, claims) {
        struct sizes_claim claim;
        enum status status = read_claim(artefact->name, json, &claim, error);
        if (status) {
            free(*judged);
            return status;
        }
        struct claim_result *j = &(*judged)[(*count)++];
        snprintf(j->id, sizeof j->id, "%s", claim.id);
        snprintf(j->words, sizeof j->words, "%s", claim.words);
        snprintf(j->rule, sizeof j->rule,
                 "Held if the code for %s is the smallest at %.0f %% of the points or more.",
                 claim.machine, 100 * claim.low);
        j->verdict = judge(artefact, sizes, &claim, j->measured, sizeof j->measured);
    }
    return STATUS_OK;
}
