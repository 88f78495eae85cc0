#include "harness/tuning/blocking.h"

#include "base/files/json.h"

#include <errno.h>
#include <math.h>

/* --- claims ----------------------------------------------------------------------------------- */

enum verdict blocking_judge_close(const struct ratio *error) {
    return error->interval.high <= GUIDED_MOST ? VERDICT_HELD
           : error->interval.low > GUIDED_MOST ? VERDICT_NOT_HELD
                                               : VERDICT_UNRESOLVED;
}

static bool is_proposed(const struct blocking_problem *problem, const struct range_case *best) {
    struct range_case cases[PROPOSITION_CASES];
    size_t n = proposition_cases(problem, cases);
    for (size_t i = 0; i < n; i++)
        if (cases[i].order == best->order && cases[i].doc_level == best->doc_level &&
            cases[i].unit_level == best->unit_level)
            return true;
    return false;
}

enum verdict blocking_judge_proposition(const struct blocking_problem *problem, bool by_proposition,
                                        const struct range_case *best, const struct ratio *error) {
    if (!by_proposition)
        return VERDICT_UNRESOLVED;
    if (is_proposed(problem, best) || !(error->interval.low > 0))
        return VERDICT_HELD;
    return VERDICT_NOT_HELD;
}

enum verdict blocking_judge_pays(const struct ratio *ds_to_choice) {
    return ds_to_choice->interval.low > 1     ? VERDICT_HELD
           : ds_to_choice->interval.high <= 1 ? VERDICT_NOT_HELD
                                              : VERDICT_UNRESOLVED;
}

static const char *const level_names[] = {"", "L1", "L2", "L3", "memory"};

/* docs/blocking.md explains the claims. */
static const char *const claim_names[] = {"guided-close", "proposition-1", "blocking-pays"};
enum { CLAIMS = sizeof claim_names / sizeof *claim_names };

/* --- for people ------------------------------------------------------------------------------- */

/* Writes "measured", or which ratios of latencies are typical ones. */
static void describe_ratios(const struct blocking_machine *machine, char text[static 32]) {
    static const char *const names[] = {"c2", "c3", "c4"};
    size_t typical = 0;
    text[0] = '\0';
    for (size_t i = 0; i < 3; i++)
        if (!machine->is_measured[i])
            text_append(text, 32, "%s%s", typical++ ? ", " : "", names[i]);
    text_append(text, 32, typical ? " typical" : "measured");
}

static void print_problem(FILE *stream, const struct blocking_result *result) {
    const struct blocking_request *request = result->request;
    const char *note = request->documents->note;
    const struct blocking_workload *w = &result->problem.workload;
    const struct blocking_machine *machine = &result->problem.machine;
    const struct cost_model *model = &result->problem.model;
    const double kilobyte = 1 << 10;
    char ratios[32];
    describe_ratios(machine, ratios);
    fprintf(stream, "%s: %u trees in %zu units of %.0f bytes; %zu documents of %.0f bytes%s%s%s\n",
            request->spec, request->ensemble->n_trees, w->n_units, w->unit_bytes, w->n_docs,
            w->doc_bytes, *note ? " (" : "", note, *note ? ")" : "");
    fprintf(
        stream,
        "caches of one core: L1 %.0f KB, L2 %.0f KB, L3 %.0f KB; c2 %.1f, c3 %.1f, c4 "
        "%.1f (%s); lambda %g\n"
        "c2, c3, c4: latency of L2, L3 and memory, divided by that of L1; lambda: accesses to a "
        "unit per access to a document\n",
        machine->bytes[0] / kilobyte, machine->bytes[1] / kilobyte, machine->bytes[2] / kilobyte,
        machine->c2, machine->c3, machine->c4, ratios, w->lambda);
    fprintf(stream, "all documents fit %s, all units fit %s; cases chosen by %s\n",
            level_names[model->docs_home], level_names[model->units_home],
            result->search.by_proposition ? "Proposition 1" : "their costs");
}

/* The paper's Tables 2 and 3, of this machine and this workload. */
static void print_sizes(FILE *stream, const struct blocking_problem *problem) {
    fprintf(stream,
            "blocks of d documents and s units that fit, if a share mu = 0.5 of each is used:");
    for (unsigned level = 1; level < LEVEL_MEMORY; level++)
        fprintf(stream, "%s %s d = %zu, s = %zu", level > 1 ? ";" : "", level_names[level],
                block_docs(problem, level, MU_STANDARD), block_units(problem, level, MU_STANDARD));
    fprintf(stream, "\n");
}

static void print_candidate(FILE *stream, const struct blocking_candidate *candidate,
                            const struct blocking_time *time, char mark) {
    char name[RANGE_CASE_NAME], text[BLOCKING_TEXT];
    candidate_case_name(candidate, name);
    blocking_text(candidate->blocking, text);
    fprintf(stream, "%c %-7s %-26s", mark, name, text);
    if (isnan(candidate->cost))
        fprintf(stream, " %7s", "-");
    else
        fprintf(stream, " %7.2f", candidate->cost);
    if (isnan(time->ns))
        fprintf(stream, " %9s\n", "-");
    else
        fprintf(stream, " %9.3f  [%.3f, %.3f]  %.3f\n", time->ns, time->interval.low,
                time->interval.high, time->to_first.value);
}

static void print_candidates(FILE *stream, const struct blocking_search *search) {
    fprintf(
        stream,
        "\nT: predicted cost of all data accesses, divided by that of the documents if all were in "
        "L1\n"
        "times: ns per document and tree\n"
        "  %-7s %-26s %7s %9s  %s\n",
        "case", "order and blocks", "T", "ns", "95 % interval, ratio to DS");
    for (size_t i = 0; i < search->n; i++)
        print_candidate(stream, &search->candidates[i], &search->times[i],
                        i == search->best ? '*' : ' ');
}

static void print_fit(FILE *stream, const struct blocking_result *result) {
    const struct cost_fit *fit = &result->fit;
    if (!result->has_fit)
        return;
    if (isnan(result->standard_fit.correlation)) {
        fprintf(stream, "T is the same for all candidates\n");
        return;
    }
    fprintf(stream, "T and times: rank correlation %.2f\n", result->standard_fit.correlation);
    fprintf(stream,
            "best fit: %.3f + %.3f T ns per document and tree, with miss rates %g (L1) and %g "
            "(L2); rank correlation %.2f\n",
            fit->t0, fit->t1, fit->rates.l1, fit->rates.l2, fit->correlation);
}

static void print_use(FILE *stream, struct blocking b) {
    fprintf(stream, "to use it: --order %s", order_name(b.order));
    if (b.docs)
        fprintf(stream, " --d %zu", b.docs);
    if (b.units)
        fprintf(stream, " --s %zu", b.units);
    fprintf(stream, "\n");
}

static void print_choice(FILE *stream, const struct blocking_search *search) {
    const struct blocking_time *choice = &search->choice_time, *ds = &search->ds_time;
    char text[BLOCKING_TEXT];
    blocking_text(search->candidates[search->best].blocking, text);
    fprintf(
        stream,
        "choice: %s, confirmed on other documents: %.3f [%.3f, %.3f] ns per document and tree\n",
        text, choice->ns, choice->interval.low, choice->interval.high);
    fprintf(stream, "DS takes %.3f [%.3f, %.3f] times as long: %.3f ns per document and tree\n",
            ds->to_first.value, ds->to_first.interval.low, ds->to_first.interval.high, ds->ns);
    if (search->best > 0 && ds->to_first.interval.low > 1)
        print_use(stream, search->candidates[search->best].blocking);
    else
        fprintf(stream, "no order is measurably faster than DS\n");
}

/* What a user gets who measures nothing. */
static void print_standard(FILE *stream, const struct blocking_search *search) {
    const struct blocking_time *time = &search->standard_time;
    char text[BLOCKING_TEXT];
    blocking_text(search->standard.blocking, text);
    fprintf(stream,
            "without measuring: --order DSD is %s, which takes %.3f [%.3f, %.3f] times as "
            "long\nas the choice\n",
            text, time->to_first.value, time->to_first.interval.low, time->to_first.interval.high);
}
static void judge(const struct blocking_result *result, enum verdict verdicts[static CLAIMS]) {
    const struct blocking_reference *reference = &result->reference;
    verdicts[0] = blocking_judge_close(&reference->error);
    verdicts[1] = blocking_judge_proposition(&result->problem, result->search.by_proposition,
                                             &reference->best.range_case, &reference->error);
    verdicts[2] = blocking_judge_pays(&result->search.ds_time.to_first);
}

static void print_claims(FILE *stream, const struct blocking_result *result) {
    enum verdict verdicts[CLAIMS];
    judge(result, verdicts);
    for (size_t i = 0; i < CLAIMS; i++)
        fprintf(stream, "%s: %s\n", claim_names[i], verdict_names[verdicts[i]]);
}

static void print_reference(FILE *stream, const struct blocking_result *result) {
    const struct blocking_reference *reference = &result->reference;
    char text[BLOCKING_TEXT], name[RANGE_CASE_NAME];
    if (!result->request->is_exhaustive)
        return;
    blocking_text(reference->best.blocking, text);
    candidate_case_name(&reference->best, name);
    fprintf(
        stream,
        "\nexhaustive search of %zu points: %s (%s), %.3f [%.3f, %.3f] ns per document and tree\n",
        reference->n_points, text, name, reference->best_time.ns, reference->best_time.interval.low,
        reference->best_time.interval.high);
    fprintf(stream, "the choice is %.2f %% [%.2f, %.2f] slower\n", 100 * reference->error.value,
            100 * reference->error.interval.low, 100 * reference->error.interval.high);
    fprintf(stream, "CPU seconds: guided %.1f, exhaustive %.1f\n", result->search_seconds,
            result->reference_seconds);
    print_claims(stream, result);
}

void blocking_print(FILE *stream, const struct blocking_result *result) {
    print_problem(stream, result);
    print_sizes(stream, &result->problem);
    print_candidates(stream, &result->search);
    fprintf(stream, "\n");
    print_choice(stream, &result->search);
    print_standard(stream, &result->search);
    print_fit(stream, result);
    print_reference(stream, result);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_number(cJSON *object, const char *key, double number) {
    if (isfinite(number))
        cJSON_AddNumberToObject(object, key, number);
    else
        cJSON_AddNullToObject(object, key);
}

static void add_interval(cJSON *object, const char *key, struct interval interval) {
    cJSON *array = cJSON_AddArrayToObject(object, key);
    const double ends[] = {interval.low, interval.high};
    for (int i = 0; i < 2; i++)
        cJSON_AddItemToArray(array,
                             isfinite(ends[i]) ? cJSON_CreateNumber(ends[i]) : cJSON_CreateNull());
}

static void add_blocking(cJSON *object, const struct blocking_candidate *candidate) {
    char name[RANGE_CASE_NAME];
    cJSON_AddStringToObject(object, "order", order_name(candidate->blocking.order));
    if (candidate_case_name(candidate, name))
        cJSON_AddStringToObject(object, "case", name);
    else
        cJSON_AddNullToObject(object, "case");
    add_number(object, "d", candidate->blocking.docs ? (double)candidate->blocking.docs : NAN);
    add_number(object, "s", candidate->blocking.units ? (double)candidate->blocking.units : NAN);
    add_number(object, "mu_d", candidate->docs_mu > 0 ? candidate->docs_mu : NAN);
    add_number(object, "mu_s", candidate->units_mu > 0 ? candidate->units_mu : NAN);
    add_number(object, "cost", candidate->cost);
}

static void add_time(cJSON *object, const struct blocking_time *time, const char *ratio) {
    add_number(object, "ns_per_document_and_tree", time->ns);
    add_interval(object, "interval", time->interval);
    if (!ratio)
        return;
    add_number(object, ratio, time->to_first.value);
    add_interval(object, "ratio_interval", time->to_first.interval);
}

static void add_problem(cJSON *root, const struct blocking_result *result) {
    const struct blocking_workload *w = &result->problem.workload;
    const struct blocking_machine *machine = &result->problem.machine;
    cJSON_AddStringToObject(root, "implementation", result->request->spec);
    add_number(root, "trees", result->request->ensemble->n_trees);
    add_number(root, "units", (double)w->n_units);
    add_number(root, "unit_bytes", w->unit_bytes);
    add_number(root, "documents", (double)w->n_docs);
    add_number(root, "document_bytes", w->doc_bytes);
    cJSON_AddStringToObject(root, "documents_note", result->request->documents->note);
    add_number(root, "lambda", w->lambda);
    cJSON *bytes = cJSON_AddArrayToObject(root, "cache_bytes");
    for (int i = 0; i < CACHE_LEVELS; i++)
        cJSON_AddItemToArray(bytes, cJSON_CreateNumber(machine->bytes[i]));
    add_number(root, "c2", machine->c2);
    add_number(root, "c3", machine->c3);
    add_number(root, "c4", machine->c4);
    cJSON_AddBoolToObject(root, "caches_measured", result->request->measures_caches);
    cJSON *measured = cJSON_AddArrayToObject(root, "ratios_measured");
    for (size_t i = 0; i < 3; i++)
        cJSON_AddItemToArray(measured, cJSON_CreateBool(machine->is_measured[i]));
    cJSON_AddStringToObject(root, "documents_home", level_names[result->problem.model.docs_home]);
    cJSON_AddStringToObject(root, "units_home", level_names[result->problem.model.units_home]);
    cJSON_AddBoolToObject(root, "by_proposition", result->search.by_proposition);
}

static void add_sizes(cJSON *root, const struct blocking_problem *problem) {
    cJSON *docs = cJSON_AddArrayToObject(root, "d_fits");
    cJSON *units = cJSON_AddArrayToObject(root, "s_fits");
    for (unsigned level = 1; level < LEVEL_MEMORY; level++) {
        size_t fits = block_docs(problem, level, MU_STANDARD);
        cJSON_AddItemToArray(docs, cJSON_CreateNumber((double)fits));
        fits = block_units(problem, level, MU_STANDARD);
        cJSON_AddItemToArray(units, cJSON_CreateNumber((double)fits));
    }
}

static void add_candidates(cJSON *root, const struct blocking_search *search) {
    cJSON *array = cJSON_AddArrayToObject(root, "candidates");
    for (size_t i = 0; i < search->n; i++) {
        cJSON *item = cJSON_CreateObject();
        add_blocking(item, &search->candidates[i]);
        add_time(item, &search->times[i], "ratio_to_ds");
        cJSON_AddItemToArray(array, item);
    }
}

static void add_confirmed(cJSON *root, const struct blocking_search *search) {
    cJSON *choice = cJSON_AddObjectToObject(root, "choice");
    add_blocking(choice, &search->candidates[search->best]);
    add_time(choice, &search->choice_time, NULL);
    cJSON *ds = cJSON_AddObjectToObject(root, "ds");
    add_time(ds, &search->ds_time, "ratio_to_choice");
    cJSON *standard = cJSON_AddObjectToObject(root, "without_measuring");
    add_blocking(standard, &search->standard);
    add_time(standard, &search->standard_time, "ratio_to_choice");
}

static void add_fit(cJSON *root, const struct blocking_result *result) {
    if (!result->has_fit) {
        cJSON_AddNullToObject(root, "fit");
        return;
    }
    cJSON *fit = cJSON_AddObjectToObject(root, "fit");
    add_number(fit, "t0", result->fit.t0);
    add_number(fit, "t1", result->fit.t1);
    add_number(fit, "l1_miss_rate", result->fit.rates.l1);
    add_number(fit, "l2_miss_rate", result->fit.rates.l2);
    add_number(fit, "relative_error", result->fit.error);
    add_number(fit, "rank_correlation", result->fit.correlation);
    add_number(fit, "rank_correlation_standard", result->standard_fit.correlation);
}

static void add_reference(cJSON *root, const struct blocking_result *result) {
    const struct blocking_reference *reference = &result->reference;
    if (!result->request->is_exhaustive) {
        cJSON_AddNullToObject(root, "exhaustive");
        return;
    }
    cJSON *item = cJSON_AddObjectToObject(root, "exhaustive");
    add_number(item, "points", (double)reference->n_points);
    add_blocking(item, &reference->best);
    add_number(item, "ns_per_document_and_tree", reference->best_time.ns);
    add_interval(item, "interval", reference->best_time.interval);
    add_number(item, "error", reference->error.value);
    add_interval(item, "error_interval", reference->error.interval);
    add_number(item, "cpu_seconds", result->reference_seconds);
    cJSON *claims = cJSON_AddObjectToObject(item, "claims");
    enum verdict verdicts[CLAIMS];
    judge(result, verdicts);
    for (size_t i = 0; i < CLAIMS; i++)
        cJSON_AddStringToObject(claims, claim_names[i], verdict_names[verdicts[i]]);
}

cJSON *blocking_to_json(const struct blocking_result *result) {
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    add_problem(root, result);
    add_sizes(root, &result->problem);
    add_candidates(root, &result->search);
    add_confirmed(root, &result->search);
    add_number(root, "cpu_seconds", result->search_seconds);
    add_fit(root, result);
    add_reference(root, result);
    return json_if_whole(root);
}
