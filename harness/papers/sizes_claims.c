/* Claims about the machine code of trees. */
#include "harness/papers/sizes_parts.h"

#include "base/files/json.h"

#include <math.h>
#include <string.h>

enum { OTHERS_MAX = 4 };

struct sizes_claim {
    const char *machine, *others[OTHERS_MAX];
    size_t n_others;
    double low; /* the least share of points at which the machine's code is the smallest */
};

/* Bytes of a machine's code by gcc, or NAN. */
static double code_of(const struct json_list *sizes, const struct code_subject *subject,
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

static void count_point(const struct json_list *sizes, const struct code_subject *subject,
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
static void say_missing(const struct json_list *sizes, const struct artefact *artefact,
                        const struct sizes_claim *claim, struct claim_result *result) {
    const struct panel *panel = &artefact->scale.panels[0];
    const struct code_subject subject = sizes_subject(artefact, panel, &panel->points[0]);
    for (size_t i = 0; i <= claim->n_others; i++) {
        const char *machine = i ? claim->others[i - 1] : claim->machine;
        if (isnan(code_of(sizes, &subject, machine)))
            claim_say(result, "%s%s", *result->measured ? ", " : "no code by gcc for ", machine);
    }
}

static enum verdict judge(const struct artefact *artefact, const struct json_list *sizes,
                          const struct sizes_claim *claim, struct claim_result *result) {
    struct count count = {0, 0, 0};
    for (size_t p = 0; p < artefact->scale.n_panels; p++) {
        const struct panel *panel = &artefact->scale.panels[p];
        for (size_t i = 0; i < panel->n_points; i++) {
            struct code_subject subject = sizes_subject(artefact, panel, &panel->points[i]);
            count_point(sizes, &subject, claim, &count);
        }
    }
    if (count.known < count.points)
        say_missing(sizes, artefact, claim, result);
    if (count.known > 0)
        claim_say(result, "%s%s is the smallest at %zu of %zu points",
                  *result->measured ? "; " : "", claim->machine, count.smallest, count.known);
    sizes_add_notes(artefact, sizes, result);
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

static enum status read_claim(const char *name, const struct artefact *artefact, const cJSON *json,
                              struct sizes_claim *claim, struct error *error) {
    static const char *const keys[] = {"id", "words", "kind", "machine", "than", "low", NULL};
    const char *kind = "";
    *claim = (struct sizes_claim){.low = 0};
    enum status status = artefact_check_keys(name, json, keys, error);
    if (!status)
        status = json_get_string(name, json, "kind", &kind, error);
    if (!status && strcmp(kind, "smallest_code") != 0)
        status = error_set(error, STATUS_INPUT, "%s: kind: %.40s is not smallest_code", name, kind);
    if (!status)
        status = json_get_string(name, json, "machine", &claim->machine, error);
    if (!status)
        status = read_others(name, json, claim, error);
    if (!status && strcmp(artefact->scale.kind, "forest") != 0)
        status =
            error_set(error, STATUS_INPUT, "%s: kind: smallest_code is only for forests", name);
    return status ? status : json_get_number(name, json, "low", 0, 1, &claim->low, error);
}

enum status sizes_judge(const char *name, const struct artefact *artefact, const cJSON *json,
                        const void *results, struct claim_result *result, struct error *error) {
    struct sizes_claim claim;
    enum status status = read_claim(name, artefact, json, &claim, error);
    if (status || !results)
        return status;
    snprintf(result->rule, sizeof result->rule,
             "Held if the code for %s is the smallest at %.0f %% of the points or more.",
             claim.machine, 100 * claim.low);
    result->verdict = judge(artefact, results, &claim, result);
    return STATUS_OK;
}
