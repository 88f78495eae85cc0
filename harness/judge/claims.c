#include "harness/judge/claims.h"

#include "base/files/json.h"
#include "base/memory.h"
#include "base/origin.h"
#include "harness/judge/claim.h"
#include "harness/judge/item_claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads an operand or an array of operands. Fails if the artefact does not measure one of them. */
static enum status read_operands(const char *name, const struct artefact *artefact,
                                 const cJSON *json, const char *key, struct operands *operands,
                                 struct error *error) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, key);
    const cJSON *item = cJSON_IsArray(value) ? value->child : value;
    for (; item; item = cJSON_IsArray(value) ? item->next : NULL) {
        if (!cJSON_IsString(item) || !artefact_knows_operand(artefact, item->valuestring))
            return error_set(error, STATUS_INPUT,
                             "%s: %s: %.100s is not a variant of this artefact", name, key,
                             cJSON_IsString(item) ? item->valuestring : "this value");
        if (operands->count == CLAIM_OPERANDS_MAX)
            return error_set(error, STATUS_INPUT, "%s: %s: more than %d names", name, key,
                             CLAIM_OPERANDS_MAX);
        operands->list[operands->count++] = item->valuestring;
    }
    return operands->count > 0 ? STATUS_OK
                               : error_set(error, STATUS_INPUT,
                                           "%s: %s: not a variant of this artefact", name, key);
}

/* Returns the key under which a claim lists its values of x. */
static const char *claim_x_key(const struct scale *scale) {
    return scale_is_synthetic(scale) ? "depths" : "x";
}

static const cJSON *member(const cJSON *json, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

/* Returns true if the claim lists this value under `key`, or if it has no such key. */
static bool wants_number(const cJSON *json, const char *key, uint32_t value) {
    const cJSON *asked = member(json, key), *item;
    cJSON_ArrayForEach(item, asked) {
        if (item->valuedouble == value)
            return true;
    }
    return asked == NULL;
}

/* Returns true if the item of a claim's list of panels names this panel, by title or by data set.
 * Resampled panels have only their title. */
static bool is_named(const struct panel *panel, const cJSON *item) {
    if (panel->n_points == 0 || !cJSON_IsString(item))
        return false;
    return strcmp(panel->title, item->valuestring) == 0 ||
           (!panel_is_resampled(panel) && strcmp(panel->points[0].data, item->valuestring) == 0);
}

static bool wants_panel(const cJSON *json, const struct panel *panel) {
    const cJSON *asked = member(json, "panels"), *item;
    cJSON_ArrayForEach(item, asked) {
        if (is_named(panel, item))
            return true;
    }
    return asked == NULL && panel->n_points > 0 && !panel_is_resampled(panel) &&
           wants_number(json, "features", panel->points[0].features);
}

static enum status check_array(const char *name, const cJSON *json, const char *key,
                               cJSON_bool (*is_fine)(const cJSON *item), const char *what,
                               struct error *error) {
    const cJSON *asked = member(json, key), *item;
    bool fine = !asked || cJSON_IsArray(asked);
    cJSON_ArrayForEach(item, asked) {
        fine &= is_fine(item) != 0;
    }
    return fine ? STATUS_OK
                : error_set(error, STATUS_INPUT, "%s: %s: not an array of %s", name, key, what);
}

/* Finds the panels and points that the claim is about. If the claim names none, these are all
 * points of the scale, except those of resampled panels. */
static enum status read_places(const char *name, const cJSON *json, const struct scale *scale,
                               struct claim *claim, struct error *error) {
    const char *x = claim_x_key(scale);
    enum status status = check_array(name, json, x, cJSON_IsNumber, "numbers", error);
    if (!status)
        status = check_array(name, json, "features", cJSON_IsNumber, "numbers", error);
    if (!status)
        status = check_array(name, json, "panels", cJSON_IsString, "names of panels", error);
    claim->x = scale->x;
    for (size_t p = 0; !status && p < scale->n_panels; p++) {
        const struct panel *panel = &scale->panels[p];
        struct claim_panel *chosen = &claim->panels[claim->n_panels];
        *chosen = (struct claim_panel){.panel = panel};
        for (size_t i = 0; i < panel->n_points && wants_panel(json, panel); i++)
            if (wants_number(json, x, point_x(&panel->points[i], scale->x)))
                chosen->points[chosen->n_points++] = &panel->points[i];
        claim->n_panels += chosen->n_points > 0;
    }
    return status;
}

/* A claim that prints the paper's range is judged by the lower end of it, less what may be lost by
 * rounding. */
static const double RANGE_ROUNDED = 0.93;

static enum status read_range(const char *name, const cJSON *json, struct claim *claim,
                              struct error *error) {
    const cJSON *range = member(json, "range");
    const cJSON *low = cJSON_GetArrayItem(range, 0), *high = cJSON_GetArrayItem(range, 1);
    if (!range)
        return STATUS_OK;
    if (cJSON_GetArraySize(range) != 2 || !cJSON_IsNumber(low) || !cJSON_IsNumber(high) ||
        low->valuedouble > high->valuedouble)
        return error_set(error, STATUS_INPUT,
                         "%s: range: must be two numbers, the smaller one first", name);
    claim->range = (struct interval){low->valuedouble, high->valuedouble};
    if (claim->low < RANGE_ROUNDED * claim->range.low)
        return error_set(
            error, STATUS_INPUT,
            "%s: range: begins at %g, but the claim is held from %g. Judge the sign in "
            "a claim without a range, and the size in another",
            name, claim->range.low, claim->low);
    return STATUS_OK;
}

static enum status read_bounds(const char *name, const cJSON *json, struct claim *claim,
                               struct error *error) {
    enum status status = json_get_number(name, json, "low", -1e6, 1e6, &claim->low, error);
    if (!status && cJSON_HasObjectItem(json, "high"))
        status = json_get_number(name, json, "high", claim->low, 1e6, &claim->high, error);
    return status ? status : read_range(name, json, claim, error);
}

/* Reads a key whose value must be one of two texts. *second becomes true for the second text.
 * Without the key, the first text is assumed. */
static enum status read_choice(const char *name, const cJSON *json, const char *key,
                               const char *const texts[2], bool *second, struct error *error) {
    if (!cJSON_HasObjectItem(json, key))
        return STATUS_OK;
    const char *text = "";
    enum status status = json_get_string(name, json, key, &text, error);
    *second = strcmp(text, texts[1]) == 0;
    if (!status && !*second && strcmp(text, texts[0]) != 0)
        status = error_set(error, STATUS_INPUT, "%s: %s: neither \"%s\" nor \"%s\"", name, key,
                           texts[0], texts[1]);
    return status;
}

static bool uses(const struct claim_kind *kind, const char *key) {
    for (const char *const *k = kind->keys; *k; k++)
        if (strcmp(*k, key) == 0)
            return true;
    return false;
}

static enum status read_choices(const char *name, const cJSON *json, struct claim *claim,
                                struct error *error) {
    static const char *const points[] = {"every", "most"}, *const over[] = {"panels", "x"};
    const char *const per[] = {"point", uses(claim->kind, "variants") ? "x" : "threads"};
    enum status status = read_choice(name, json, "points", points, &claim->most, error);
    if (!status)
        status = read_choice(name, json, "over", over, &claim->over_x, error);
    if (!status)
        status = read_choice(name, json, "per", per, &claim->per, error);
    return status;
}

static enum status read_counter(const char *name, const cJSON *json, struct claim *claim,
                                struct error *error) {
    claim->counter = COUNTER_COUNT;
    if (!cJSON_HasObjectItem(json, "counter"))
        return STATUS_OK;
    return counter_read(name, json, &claim->counter, error);
}

static enum status check_keys(const char *name, const cJSON *json, const struct scale *scale,
                              const struct claim_kind *kind, struct error *error) {
    const char *panels = scale_is_synthetic(scale) ? "features" : "panels";
    const char *keys[16] = {"id", "words", "kind", "open", claim_x_key(scale), panels};
    size_t count = 6;
    for (const char *const *k = kind->keys; *k; k++)
        keys[count++] = *k;
    keys[count] = NULL;
    return artefact_check_keys(name, json, keys, error);
}

static const struct claim_kind *const kinds[] = {
    &claim_ratio,    &claim_improvement, &claim_shrinks, &claim_speedup,
    &claim_slowdown, &claim_best_grows,  &claim_follows,
};

static const struct claim_kind *kind_find(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

static enum status read_kind(const char *name, const cJSON *json, const struct scale *scale,
                             struct claim *claim, struct error *error) {
    const char *kind = NULL;
    enum status status = json_get_string(name, json, "kind", &kind, error);
    if (status)
        return status;
    claim->kind = kind_find(kind);
    claim->high = claim->kind ? claim->kind->high : INFINITY;
    if (!claim->kind)
        return error_set(
            error, STATUS_INPUT,
            "%s: kind: unknown kind of claim \"%s\". docs/adding-an-artefact.md lists the kinds",
            name, kind);
    return check_keys(name, json, scale, claim->kind, error);
}

static enum status claim_read(const char *name, const struct artefact *artefact, const cJSON *json,
                              struct claim *claim, struct error *error) {
    *claim = (struct claim){.low = -INFINITY, .high = INFINITY, .range = {NAN, NAN}};
    enum status status = read_kind(name, json, &artefact->scale, claim, error);
    struct {
        const char *key;
        struct operands *operands;
    } names[] = {{"slow", &claim->slow}, {"fast", &claim->fast}, {"variants", &claim->variants}};
    for (size_t i = 0; !status && i < 3; i++)
        if (uses(claim->kind, names[i].key))
            status = read_operands(name, artefact, json, names[i].key, names[i].operands, error);
    if (!status && uses(claim->kind, "low"))
        status = read_bounds(name, json, claim, error);
    if (!status && uses(claim->kind, "from"))
        status = json_get_u32(name, json, "from", 1, UINT32_MAX, &claim->from, error);
    if (!status)
        status = read_choices(name, json, claim, error);
    if (!status)
        status = read_counter(name, json, claim, error);
    if (!status)
        status = read_places(name, json, &artefact->scale, claim, error);
    return status;
}

enum { BOUNDS_TEXT_SIZE = 64 };

/* Writes for example "above 1.5" or "between 20 % and 50 %". */
static void describe_bounds(const struct claim *claim, char *text, size_t size) {
    double unit = claim->kind->is_share ? 100 : 1;
    const char *suffix = claim->kind->is_share ? " %" : "";
    if (isinf(claim->high))
        snprintf(text, size, "above %g%s", unit * claim->low, suffix);
    else if (isinf(claim->low))
        snprintf(text, size, "below %g%s", unit * claim->high, suffix);
    else
        snprintf(text, size, "between %g%s and %g%s", unit * claim->low, suffix, unit * claim->high,
                 suffix);
}

/* Says when the claim is held, so that a reader can check a verdict. */
static void state_rule(const struct claim *claim, struct claim_result *result) {
    char bounds[BOUNDS_TEXT_SIZE];
    if (claim->kind->rule) {
        snprintf(result->rule, sizeof result->rule, "%s", claim->kind->rule);
        return;
    }
    describe_bounds(claim, bounds, sizeof bounds);
    snprintf(result->rule, sizeof result->rule,
             "Held if the 95 %% interval of %s%s lies %s at %s; not held if it lies outside at %s.",
             claim->kind->value, claim->per ? ", divided by how much x or the threads grow," : "",
             bounds, claim->most ? "more than half of the points" : "every point",
             claim->most ? "half of them or more" : "one point");
}

static bool has_x(const struct scale *scale, double value) {
    for (struct spot at = {0}; scale_next(scale, &at);)
        if (point_x(at.point, scale->x) == value)
            return true;
    return false;
}

static bool has_panel(const struct scale *scale, const cJSON *name) {
    for (size_t p = 0; p < scale->n_panels; p++)
        if (cJSON_IsNumber(name) ? scale->panels[p].points[0].features == name->valuedouble
                                 : is_named(&scale->panels[p], name))
            return true;
    return false;
}

/* Adds to the text result->measured which of the values under the claim's `key` were not measured
 * at this scale. */
static void tell_missing(const struct scale *scale, const cJSON *json, const char *key,
                         const char *symbol, bool is_x, struct claim_result *result) {
    bool first = true;
    const cJSON *item;
    /* The numbers of threads are the same at every scale, but this machine may have too few cores
     * for some of them. */
    const char *none = is_x && scale->x == AXIS_THREADS ? "not measured" : "not at this scale";
    cJSON_ArrayForEach(item, member(json, key)) {
        if (is_x ? has_x(scale, item->valuedouble) : has_panel(scale, item))
            continue;
        if (first)
            claim_say(result, "; %s: %s%s", none, symbol, *symbol ? " = " : "");
        else
            claim_say(result, ", ");
        if (cJSON_IsNumber(item))
            claim_say(result, "%.0f", item->valuedouble);
        else
            claim_say(result, "%.*s", PANEL_TITLE_SIZE - 1, item->valuestring);
        first = false;
    }
}

/* Judges a claim about times or counts. `results` is the index of the rows (struct row_index). */
static enum status judge_times(const char *name, const struct artefact *artefact, const cJSON *json,
                               const void *results, struct claim_result *result,
                               struct error *error) {
    const struct row_index *index = results;
    const struct scale *scale = &artefact->scale;
    struct claim claim;
    enum status status = claim_read(name, artefact, json, &claim, error);
    if (status || !results)
        return status;
    result->verdict = VERDICT_UNRESOLVED;
    state_rule(&claim, result);
    for (size_t p = 0; p < claim.n_panels; p++)
        claim_add_data(result, claim.panels[p].panel);
    if (claim.n_panels == 0) {
        claim_say(result, "nothing measured");
        result->verdict = VERDICT_NOT_MEASURED;
    } else {
        (claim.kind->tally ? claim_judge_points : claim.kind->judge)(&claim, index, result);
    }
    claim_say_origins(&claim, index, result);
    tell_missing(scale, json, claim_x_key(scale), axis_title(scale->x), true, result);
    tell_missing(scale, json, "features", "f", false, result);
    tell_missing(scale, json, "panels", "", false, result);
    return STATUS_OK;
}

/* --- claims of all kinds of artefacts --------------------------------------------------------- */

static enum status judge_one(const char *name, const struct artefact *artefact, const cJSON *json,
                             const void *results, struct claim_result *result,
                             struct error *error) {
    const char *id = "", *words = "", *open = "";
    char where[ROW_PATH_SIZE];
    enum status status = json_get_string(name, json, "id", &id, error);
    snprintf(where, sizeof where, "%s: claim %s", name, id);
    if (!status)
        status = json_get_string(where, json, "words", &words, error);
    if (!status && cJSON_HasObjectItem(json, "open"))
        status = json_get_string(where, json, "open", &open, error);
    snprintf(result->id, sizeof result->id, "%s", id);
    snprintf(result->words, sizeof result->words, "%s", words);
    snprintf(result->open, sizeof result->open, "%s", open);
    if (status)
        return status;
    return artefact->kind->claims ? item_claim_judge(where, artefact, json, results, result, error)
                                  : judge_times(where, artefact, json, results, result, error);
}

enum status claims_judge(const char *name, const struct artefact *artefact, const void *results,
                         struct claim_result **list, size_t *count, struct error *error) {
    const cJSON *claims = NULL, *entry;
    enum status status = json_get_array(name, artefact->json, "claims", &claims, error);
    *count = 0;
    *list = calloc((size_t)cJSON_GetArraySize(claims) + 1, sizeof **list);
    if (!*list)
        return error_memory(error, "the results of claims");
    cJSON_ArrayForEach(entry, claims) {
        if (!status)
            status = judge_one(name, artefact, entry, results, &(*list)[(*count)++], error);
    }
    if (status) {
        free(*list);
        *list = NULL;
    }
    return status;
}

/* --- the claims of a run ---------------------------------------------------------------------- */

enum status run_claims_add(struct run_claims *run, const struct artefact *artefact,
                           struct claim_result *claims, size_t count, struct error *error) {
    if (!memory_grow((void **)&run->list, &run->capacity, run->count, sizeof *run->list)) {
        free(claims);
        return error_memory(error, "the claims of a run");
    }
    struct judged_artefact *added = &run->list[run->count++];
    *added = (struct judged_artefact){.claims = claims, .count = count};
    snprintf(added->name, sizeof added->name, "%s", artefact->name);
    snprintf(added->title, sizeof added->title, "%s", artefact->title);
    snprintf(added->source, sizeof added->source, "%s", artefact->source);
    snprintf(added->kind, sizeof added->kind, "%s", artefact->scale.kind);
    for (size_t i = 0; i < count; i++)
        run->verdicts[claims[i].verdict]++;
    return STATUS_OK;
}

void run_claims_free(struct run_claims *run) {
    for (size_t i = 0; i < run->count; i++)
        free(run->list[i].claims);
    free(run->list);
}

void run_claims_each(const struct run_claims *run, run_claims_function *tell, void *context) {
    for (enum verdict v = 0; v < VERDICTS; v++)
        for (size_t i = 0; i < run->count; i++)
            for (size_t k = 0; k < run->list[i].count; k++)
                if (run->list[i].claims[k].verdict == v)
                    tell(context, run->list[i].name, &run->list[i].claims[k]);
}

void run_claims_describe(const struct run_claims *run, char text[RUN_CLAIMS_TALLY_SIZE]) {
    size_t used = 0;
    for (enum verdict v = 0; v < VERDICTS; v++)
        used += (size_t)snprintf(text + used, RUN_CLAIMS_TALLY_SIZE - used, "%s%zu %s",
                                 v ? ", " : "", run->verdicts[v], verdict_names[v]);
}

static void write_artefact(FILE *stream, const struct judged_artefact *artefact) {
    fprintf(stream, "| [%s](%s.md) |", artefact->name, artefact->name);
    for (enum verdict v = 0; v < VERDICTS; v++) {
        size_t n = 0;
        for (size_t i = 0; i < artefact->count; i++)
            n += artefact->claims[i].verdict == v;
        fprintf(stream, " %zu |", n);
    }
    fprintf(stream, " %s |\n", artefact->title);
}

/* Writes for example "grown, yahoo-c14-set1: stand-in grown". */
static void write_subject(FILE *stream, const struct judged_artefact *artefact,
                          const struct claim_result *claim) {
    char origin[ORIGIN_TEXT_SIZE];
    origin_write(claim->origin, origin);
    fprintf(stream, "%s%s%s%s%s", artefact->kind, claim->data[0] ? ", " : "", claim->data,
            origin[0] ? ": " : "", origin);
}

static void write_claim(FILE *stream, const struct judged_artefact *artefact,
                        const struct claim_result *claim) {
    fprintf(stream, "| [%s](%s.md): %s | %s | %s | ", artefact->name, artefact->name, claim->words,
            artefact->source, claim->rule);
    write_subject(stream, artefact, claim);
    fprintf(stream, " | %s%s | %s |\n", claim->open[0] ? "the paper leaves it open: " : "held",
            claim->open, claim->measured);
}

static void write_claims_of(FILE *stream, const struct run_claims *run, enum verdict verdict) {
    fprintf(stream,
            "\n## Claims %s: %zu\n\n"
            "| claim | paper | rule | judged on | by the paper's numbers | measured here |\n"
            "|---|---|---|---|---|---|\n",
            verdict_names[verdict], run->verdicts[verdict]);
    for (size_t i = 0; i < run->count; i++)
        for (size_t k = 0; k < run->list[i].count; k++)
            if (run->list[i].claims[k].verdict == verdict)
                write_claim(stream, &run->list[i], &run->list[i].claims[k]);
}

void run_claims_write(FILE *stream, const struct run_claims *run) {
    fputs("\n| artefact |", stream);
    for (enum verdict v = 0; v < VERDICTS; v++)
        fprintf(stream, " %s |", verdict_names[v]);
    fputs(" title |\n|---|", stream);
    for (enum verdict v = 0; v < VERDICTS; v++)
        fputs("---:|", stream);
    fputs("---|\n", stream);
    for (size_t i = 0; i < run->count; i++)
        write_artefact(stream, &run->list[i]);
    fputs("\nA claim that is held by the paper's numbers is true of those that it prints. If the "
          "paper leaves a claim open, it prints no numbers that decide it. "
          "tests/harness/judge/test_paper_claims.c checks both.\n",
          stream);
    for (enum verdict v = 0; v < VERDICTS; v++)
        if (run->verdicts[v] > 0)
            write_claims_of(stream, run, v);
}
