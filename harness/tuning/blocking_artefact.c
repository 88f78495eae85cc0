#include "harness/tuning/blocking.h"

#include "base/files/origin_form.h"
#include "harness/artefacts/artefact_run.h"
#include "harness/artefacts/grid.h"
#include "harness/judge/item_claim.h"
#include "harness/measure/workload.h"
#include "harness/papers/report_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the store -------------------------------------------------------------------------------- */

#define CHOICE(KIND, NAME, MEMBER, ...)                                                            \
    FIELD(struct blocking_choice, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field fields[] = {
    CHOICE(TEXT, "kind", workload.kind, .help = "kind of model"),
    CHOICE(TEXT, "data", workload.data, .help = "data set"),
    CHOICE(TEXT, "note", note, .help = "what the documents are, if not real ones"),
    CHOICE(FORM, "origin", origin, .help = "of the model, as in rows", .form = &origin_form),
    CHOICE(U32, "max_leaves", workload.max_leaves, .help = "limit of leaves"),
    CHOICE(U32, "trees", workload.trees, .help = "number of trees"),
    CHOICE(U32, "features", workload.features, .help = "columns of a stand-in"),
    CHOICE(U64, "documents", workload.documents, .help = "documents of a call"),
    CHOICE(U64, "seed", workload.seed, .help = "of the model"),
    CHOICE(TEXT, "implementation", spec, .help = "implementation"),
    CHOICE(TEXT, "guided", guided, .help = "order and blocks that guided sampling chose"),
    CHOICE(TEXT, "best", best, .help = "the best order and blocks of all"),
    CHOICE(REAL, "error", error.value, .help = "how much slower the guided choice is"),
    CHOICE(REAL, "error_low", error.interval.low, .help = "its interval"),
    CHOICE(REAL, "error_high", error.interval.high, .help = "its interval"),
    CHOICE(REAL, "ds", ds.value, .help = "time of DS, divided by that of the choice"),
    CHOICE(REAL, "ds_low", ds.interval.low, .help = "its interval"),
    CHOICE(REAL, "ds_high", ds.interval.high, .help = "its interval"),
    CHOICE(REAL, "unmeasured", unmeasured, .help = "the same of what is chosen without measuring"),
    CHOICE(REAL, "cpu_seconds", seconds, .help = "of guided sampling", .unit = "s"),
    CHOICE(REAL, "exhaustive_cpu_seconds", exhaustive_seconds, .help = "of all", .unit = "s"),
    CHOICE(REAL, "l1_miss_rate", l1_miss_rate, .help = "alpha, fitted"),
    CHOICE(REAL, "l2_miss_rate", l2_miss_rate, .help = "beta, fitted"),
    CHOICE(REAL, "rank_correlation", correlation, .help = "of T and times"),
    CHOICE(REAL, "cases_rank_correlation", cases_correlation, .help = "the same of all cases"),
    CHOICE(REAL, "cases_rank_correlation_fitted", cases_fit, .help = "with fitted rates"),
    CHOICE(CHOICE, "proposition_1", proposition, .names = verdict_names, .help = "verdict")};
static const struct record record = {.what = "a choice of blocks",
                                     .fields = fields,
                                     .n_fields = FIELDS(fields),
                                     .schema = 1,
                                     .oldest = 1,
                                     .docs = "docs/blocking.md"};

static bool is_same(const void *a, const void *b) {
    const struct blocking_choice *first = a, *second = b;
    return workload_same(&first->workload, &second->workload) &&
           strcmp(first->spec, second->spec) == 0;
}

static const struct json_lines lines = {.file = "blocking.jsonl",
                                        .things = "choices of blocks",
                                        .thing = "a choice of blocks",
                                        .size = sizeof(struct blocking_choice),
                                        .record = &record,
                                        .is_same = is_same};

static bool ask(const struct artefact *artefact, const struct panel *panel,
                const struct point *point, size_t k, void *item) {
    struct blocking_choice *choice = item;
    choice->workload = grid_workload(artefact, panel, point, 0);
    snprintf(choice->spec, sizeof choice->spec, "%s", artefact->variants[0]);
    return k == 0;
}

static const struct blocking_choice *choice_at(const struct artefact *artefact,
                                               const struct json_list *choices,
                                               const struct panel *panel,
                                               const struct point *point) {
    struct blocking_choice asked;
    ask(artefact, panel, point, 0, &asked);
    return json_list_find(&lines, choices, &asked);
}

/* --- measuring -------------------------------------------------------------------------------- */

/* Writes "DSD2: DSD d = 373", or "DS". */
static void describe(const struct blocking_candidate *candidate, char text[CHOICE_TEXT_SIZE]) {
    char name[RANGE_CASE_NAME], blocks[BLOCKING_TEXT];
    blocking_text(candidate->blocking, blocks);
    if (candidate_case_name(candidate, name))
        snprintf(text, CHOICE_TEXT_SIZE, "%s: %s", name, blocks);
    else
        snprintf(text, CHOICE_TEXT_SIZE, "%s", blocks);
}

static void take(const struct blocking_result *result, struct blocking_choice *choice) {
    const struct blocking_search *search = &result->search;
    describe(&search->candidates[search->best], choice->guided);
    describe(&result->reference.best, choice->best);
    choice->error = result->reference.error;
    choice->ds = search->ds_time.to_first;
    choice->unmeasured = search->standard_time.to_first.value;
    choice->seconds = result->search_seconds;
    choice->exhaustive_seconds = result->reference_seconds;
    choice->l1_miss_rate = result->has_fit ? result->fit.rates.l1 : (double)NAN;
    choice->l2_miss_rate = result->has_fit ? result->fit.rates.l2 : (double)NAN;
    choice->correlation = result->has_fit ? result->standard_fit.correlation : (double)NAN;
    choice->proposition =
        blocking_judge_proposition(&result->problem, search->by_proposition,
                                   &result->reference.best.range_case, &choice->error);
}

static enum status search(const struct blocking_request *request, struct blocking_result *result,
                          struct error *error) {
    struct blocking_bench bench = {.scorer = NULL};
    *result = (struct blocking_result){.has_fit = false};
    enum status status = blocking_run(request, &bench, result, error);
    blocking_bench_free(&bench);
    return status;
}

/* Searches guided and exhaustively, and then measures all cases. */
static enum status search_both(struct blocking_request *request, struct blocking_choice *choice,
                               struct error *error) {
    struct blocking_result *result = malloc(sizeof *result);
    if (!result)
        return error_memory(error, "the search");
    request->is_exhaustive = true;
    enum status status = search(request, result, error);
    if (!status)
        take(result, choice);
    request->is_exhaustive = false;
    request->candidates.cases = CASES_ALL;
    if (!status)
        status = search(request, result, error);
    choice->cases_correlation = NAN;
    choice->cases_fit = NAN;
    if (!status && result->has_fit) {
        choice->cases_correlation = result->standard_fit.correlation;
        choice->cases_fit = result->fit.correlation;
    }
    free(result);
    return status;
}

/* Latencies are typical ones at scale smoke, because measuring them takes longer than the search.
 */
static enum status measure(struct artefact_run *run, const struct artefact *artefact, void *item,
                           bool *is_missing, struct error *error) {
    struct blocking_choice *choice = item;
    (void)is_missing;
    struct workload workload = choice->workload;
    struct workload_inputs inputs = {.ensemble = NULL};
    workload.documents *= 2;
    enum status status = workload_make_inputs(run->directory, &workload, &inputs, error);
    if (!status) {
        size_t half = inputs.documents->n_rows / 2, asked = (size_t)choice->workload.documents;
        struct blocking_request request = {.ensemble = inputs.ensemble,
                                           .spec = choice->spec,
                                           .documents = inputs.documents,
                                           .n_docs = asked < half ? asked : half,
                                           .rounds = artefact->scale.rounds,
                                           .measures_caches =
                                               strcmp(artefact->scale.name, "smoke") != 0,
                                           .candidates = {.cases = CASES_GUIDED}};
        snprintf(choice->note, sizeof choice->note, "%s", inputs.ensemble->note);
        choice->origin = inputs.ensemble->origin;
        status = search_both(&request, choice, error);
    }
    workload_free_inputs(&inputs);
    return status;
}

/* --- claims ----------------------------------------------------------------------------------- */

static enum verdict judge_close(const struct blocking_choice *c) {
    return blocking_judge_close(&c->error);
}
/* Cases that are not measurably apart may be either. */
static enum verdict judge_match(const struct blocking_choice *c) {
    size_t guided = strcspn(c->guided, ":"), best = strcspn(c->best, ":");
    if (guided == best && strncmp(c->guided, c->best, best) == 0)
        return VERDICT_HELD;
    return c->error.interval.low > 0 ? VERDICT_NOT_HELD : VERDICT_UNRESOLVED;
}
static enum verdict judge_proposition(const struct blocking_choice *c) {
    return c->proposition;
}
static enum verdict judge_pays(const struct blocking_choice *c) {
    return blocking_judge_pays(&c->ds);
}

static void say_error(struct claim_result *result, const struct blocking_choice *c) {
    claim_say(result, "%.2f %% [%.2f, %.2f]", 100 * c->error.value, 100 * c->error.interval.low,
              100 * c->error.interval.high);
}
static void say_best(struct claim_result *result, const struct blocking_choice *c) {
    claim_say(result, "%.*s", (int)strcspn(c->best, ":"), c->best);
}
static void say_both(struct claim_result *result, const struct blocking_choice *c) {
    claim_say(result, "%.*s of ", (int)strcspn(c->guided, ":"), c->guided);
    say_best(result, c);
}
static void say_ds(struct claim_result *result, const struct blocking_choice *c) {
    claim_say(result, "%.2f [%.2f, %.2f]", c->ds.value, c->ds.interval.low, c->ds.interval.high);
}

static enum verdict judge_points(const struct item_claim *claim, struct claim_result *result);

static const struct item_claim_kind claims[] = {
    {"guided_close", NULL, "Held if the interval of the error ends below 2.4 % at every point.",
     &item_claim_plain, judge_points},
    {"guided_matches", NULL,
     "Held if guided sampling chooses the case of the best of the exhaustive search at every "
     "point; "
     "not held if it chooses another one, which is measurably slower, at one point.",
     &item_claim_plain, judge_points},
    {"proposition_1", NULL,
     "Held if the best point of the exhaustive search is a case of Proposition 1 at every point, "
     "or "
     "not measurably faster than the guided choice. Open if the conditions of the proposition do "
     "not hold.",
     &item_claim_plain, judge_points},
    {"blocking_pays", NULL, "Held if DS is measurably slower than the choice at every point.",
     &item_claim_plain, judge_points},
    {0}};

/* How each of them is judged at a point. */
static const struct {
    enum verdict (*judge)(const struct blocking_choice *choice);
    void (*say)(struct claim_result *result, const struct blocking_choice *choice);
} at_points[] = {{judge_close, say_error},
                 {judge_match, say_both},
                 {judge_proposition, say_best},
                 {judge_pays, say_ds}};

/* The worst verdict of all points decides. */
static enum verdict judge_points(const struct item_claim *claim, struct claim_result *result) {
    const size_t kind = (size_t)(claim->kind - claims);
    const struct scale *scale = &claim->artefact->scale;
    enum verdict worst = VERDICT_HELD;
    size_t n = 0, missing = 0;
    for (struct spot at = {0}; scale_next(scale, &at);) {
        const struct blocking_choice *c =
            choice_at(claim->artefact, claim->items, at.panel, at.point);
        missing += !c && claim->about[at.p];
        if (!c || !claim->about[at.p])
            continue;
        enum verdict verdict = at_points[kind].judge(c);
        worst = verdict < worst ? verdict : worst;
        result->origin |= c->origin;
        claim_say(result, "%s%s L=%u: ", n++ ? "; " : "", at.panel->title, at.point->max_leaves);
        at_points[kind].say(result, c);
    }
    if (missing > 0)
        claim_say(result, "%snothing measured at %zu points", n ? "; " : "", missing);
    return missing == 0 || worst != VERDICT_HELD ? worst
           : n > 0                               ? VERDICT_UNRESOLVED
                                                 : VERDICT_NOT_MEASURED;
}

/* --- the report ------------------------------------------------------------------------------- */

static void write_numbers(FILE *stream, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (isnan(values[i]))
            fputs(" - |", stream);
        else
            fprintf(stream, " %.2f |", values[i]);
}

static void write_line(const struct artefact_report *r, const struct panel *panel,
                       const struct point *point) {
    const struct blocking_choice *c = choice_at(r->artefact, r->results, panel, point);
    struct point line = {.max_leaves = point->max_leaves};
    memcpy(line.data, point->data, sizeof line.data);
    fprintf(r->stream, "| %s L=%u |", panel->title, point->max_leaves);
    if (c) {
        const double values[] = {c->ds.value,     c->unmeasured,  c->l1_miss_rate,
                                 c->l2_miss_rate, c->correlation, c->cases_correlation,
                                 c->cases_fit,    c->seconds,     c->exhaustive_seconds};
        fprintf(r->stream, " %u x %.0f | %s | %s | %.2f %% [%.2f, %.2f] |", c->workload.trees,
                (double)c->workload.documents, c->guided, c->best, 100 * c->error.value,
                100 * c->error.interval.low, 100 * c->error.interval.high);
        write_numbers(r->stream, values, sizeof values / sizeof *values);
    } else {
        fputs(" **missing** | - | - | - | - | - | - | - | - | - | - | - | - |", r->stream);
    }
    fprintf(r->stream, " %s, %s %% | %s, %s %% |\n",
            reference_text(r->reference, &line, "best_amd"),
            reference_text(r->reference, &line, "error_amd"),
            reference_text(r->reference, &line, "best_intel"),
            reference_text(r->reference, &line, "error_intel"));
}

static void write_choices(const struct artefact_report *r) {
    fputs(
        "\nThe error is how much slower the guided choice is than the best point of the "
        "exhaustive search. DS has no blocks; the order DSD with the blocks that are chosen "
        "without measuring needs no search. Both are times divided by that of the choice. Alpha "
        "and beta are the miss rates that fit the times best. The correlations are those of the "
        "predicted cost T and of the times, by rank: of the candidates, of all cases, and of all "
        "cases with the fitted miss rates.\n\n"
        "| | trees x documents | guided | exhaustive | error | DS | unmeasured | alpha | beta | T "
        "| T, all cases | fitted T | CPU s, guided | CPU s, exhaustive | paper, AMD | paper, "
        "Intel |\n"
        "|---|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|\n",
        r->stream);
    for (struct spot at = {0}; scale_next(&r->artefact->scale, &at);)
        write_line(r, at.panel, at.point);
    for (size_t p = 0; p < r->artefact->scale.n_panels; p++) {
        const struct panel *panel = &r->artefact->scale.panels[p];
        const struct blocking_choice *c =
            choice_at(r->artefact, r->results, panel, &panel->points[0]);
        if (c && c->note[0])
            fprintf(r->stream, "\n**Note: %s: %s.**\n", panel->title, c->note);
    }
}

static void write_csv(const struct artefact_report *r) {
    record_csv_header(&record, r->stream);
    fputs("\n", r->stream);
    for (struct spot at = {0}; scale_next(&r->artefact->scale, &at);) {
        const struct blocking_choice *c = choice_at(r->artefact, r->results, at.panel, at.point);
        if (!c)
            continue;
        record_csv(&record, c, r->stream);
        fputs("\n", r->stream);
    }
}

static const struct table_kind tables[] = {{"choices", NULL, write_choices, write_csv}, {0}};

static enum status check(const char *name, const struct artefact *artefact, struct error *error) {
    if (artefact->scale.x != AXIS_MAX_LEAVES || artefact->n_variants != 1)
        return error_set(error, STATUS_INPUT,
                         "%s: measure: \"blocking\" needs one variant and models over "
                         "\"max_leaves\"",
                         name);
    return STATUS_OK;
}

const struct artefact_kind kind_blocking = {.measure = "blocking",
                                            .title = "blocking",
                                            .has_variants = true,
                                            .lines = &lines,
                                            .tables = tables,
                                            .claims = claims,
                                            .check = check,
                                            .ask = ask,
                                            .measure_item = measure,
                                            .doing = "searching",
                                            .done = "searched",
                                            .things = "models for orders and blocks"};
