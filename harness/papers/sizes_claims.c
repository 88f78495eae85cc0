/* Claims about the machine code of trees. */
#include "harness/papers/sizes_parts.h"

#include "harness/judge/item_claim.h"

#include <math.h>
#include <string.h>

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

static void count_point(const struct item_claim *claim, const struct code_subject *subject,
                        struct count *count) {
    double own = code_of(claim->items, subject, claim->machine);
    bool known = !isnan(own), smallest = true;
    const cJSON *machine;
    cJSON_ArrayForEach(machine, claim->than) {
        double other = code_of(claim->items, subject, machine->valuestring);
        known &= !isnan(other);
        smallest &= own < other;
    }
    count->points++;
    count->known += known;
    count->smallest += known && smallest;
}

/* Names the machine if it has no code. */
static void say_missing(const struct item_claim *claim, const char *machine,
                        struct claim_result *result) {
    const struct panel *panel = &claim->artefact->scale.panels[0];
    const struct code_subject subject = sizes_subject(claim->artefact, panel, &panel->points[0]);
    if (isnan(code_of(claim->items, &subject, machine)))
        claim_say(result, "%s%s", *result->measured ? ", " : "no code by gcc for ", machine);
}

/* `low` is the least share of points at which the machine's code is the smallest. */
static enum verdict judge_smallest(const struct item_claim *claim, struct claim_result *result) {
    const struct artefact *artefact = claim->artefact;
    struct count count = {0, 0, 0};
    const cJSON *machine;
    snprintf(result->rule, sizeof result->rule,
             "Held if the code for %s is the smallest at %.0f %% of the points or more.",
             claim->machine, 100 * claim->low);
    for (struct spot at = {0}; scale_next(&artefact->scale, &at);) {
        struct code_subject subject = sizes_subject(artefact, at.panel, at.point);
        count_point(claim, &subject, &count);
    }
    if (count.known < count.points) {
        say_missing(claim, claim->machine, result);
        cJSON_ArrayForEach(machine, claim->than) {
            say_missing(claim, machine->valuestring, result);
        }
    }
    if (count.known > 0)
        claim_say(result, "%s%s is the smallest at %zu of %zu points",
                  *result->measured ? "; " : "", claim->machine, count.smallest, count.known);
    sizes_add_notes(artefact, claim->items, result);
    if (count.known < count.points)
        return count.known ? VERDICT_UNRESOLVED : VERDICT_NOT_MEASURED;
    return (double)count.smallest >= claim->low * (double)count.points ? VERDICT_HELD
                                                                       : VERDICT_NOT_HELD;
}

static const struct record_field fields[] = {
    ITEM_CLAIM_KEYS,
    FIELD(struct item_claim, STRING, "machine", machine, .help = "whose code is the smallest"),
    FIELD(struct item_claim, FORM, "than", than, .form = &item_claim_names,
          .help = "machines whose code is larger"),
    FIELD(struct item_claim, REAL, "low", low, .low = 0, .high = 1, .help = "at which share")};
static const struct record record = ARTEFACT_RECORD("a claim", fields);
static const struct item_claim_kind kinds[] = {
    {"smallest_code", "forest", NULL, &record, judge_smallest}, {0}};

enum status sizes_judge(const char *name, const struct artefact *artefact, const cJSON *json,
                        const void *results, struct claim_result *result, struct error *error) {
    struct item_claim claim;
    return item_claim_judge(name, artefact, json, results, kinds, &claim, result, error);
}
