#include "harness/tuning/blocking_report.h"

#include "base/files/json.h"

#include <errno.h>
#include <math.h>

static const char *const level_names[] = {"", "L1", "L2", "L3", "memory"};

/* --- for people ------------------------------------------------------------------------------- */

static void print_problem(FILE *stream, const struct blocking_result *result) {
    const struct blocking_workload *w = &result->problem.workload;
    const struct blocking_machine *machine = &result->problem.machine;
    const struct cost_model *model = &result->problem.model;
    const double kilobyte = 1 << 10;
    fprintf(stream, "%s: %u trees in %zu units of %.0f bytes; %zu documents of %.0f bytes%s%s%s\n",
            result->spec, result->n_trees, w->n_units, w->unit_bytes, w->n_docs, w->doc_bytes,
            *result->documents_note ? " (" : "", result->documents_note,
            *result->documents_note ? ")" : "");
    fprintf(stream,
            "caches of one core: L1 %.0f KB, L2 %.0f KB, L3 %.0f KB; c2 %.1f, c3 %.1f, c4 "
            "%.1f (%s); lambda %g\n",
            machine->bytes[0] / kilobyte, machine->bytes[1] / kilobyte,
            machine->bytes[2] / kilobyte, machine->c2, machine->c3, machine->c4,
            result->caches_measured ? "measured" : "typical", w->lambda);
    fprintf(stream, "all documents fit %s, all units fit %s; cases chosen by %s\n",
            level_names[model->docs_home], level_names[model->units_home],
            result->search.by_proposition ? "Proposition 1" : "their costs");
}

static void write_case(const struct blocking_candidate *candidate, char name[RANGE_CASE_NAME]) {
    if (candidate->blocking.order == ORDER_DS)
        snprintf(name, RANGE_CASE_NAME, "-");
    else
        range_case_name(&candidate->range_case, name);
}

static void print_candidate(FILE *stream, const struct blocking_candidate *candidate,
                            const struct blocking_time *time, char mark) {
    char name[RANGE_CASE_NAME], text[BLOCKING_TEXT];
    write_case(candidate, name);
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
    fprintf(stream, "\n  %-7s %-26s %7s %9s  %s\n", "case", "order and blocks", "T", "ns",
            "95 % interval, ratio to DS");
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
            "best fit: %.3f + %.3f T ns with miss rates %g (L1) and %g (L2); rank "
            "correlation %.2f\n",
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

static void print_confirmed(FILE *stream, const char *text, const struct blocking_time *choice,
                            const struct blocking_time *ds) {
    fprintf(stream, "choice: %s, confirmed on other documents: %.3f ns per document and tree\n",
            text, choice->ns);
    fprintf(stream, "[%.3f, %.3f], which is %.3f [%.3f, %.3f] times the %.3f ns of DS\n",
            choice->interval.low, choice->interval.high, choice->to_first.value,
            choice->to_first.interval.low, choice->to_first.interval.high, ds->ns);
}

static void print_choice(FILE *stream, const struct blocking_search *search) {
    const struct blocking_time *ds = &search->confirmed[0], *choice = &search->confirmed[1];
    char text[BLOCKING_TEXT];
    blocking_text(search->candidates[search->best].blocking, text);
    if (search->best > 0)
        print_confirmed(stream, text, choice, ds);
    if (search->best > 0 && choice->to_first.interval.high < 1)
        print_use(stream, search->candidates[search->best].blocking);
    else
        fprintf(stream, "no order is measurably faster than DS, which takes %.3f ns [%.3f, %.3f]\n",
                ds->ns, ds->interval.low, ds->interval.high);
}

static void print_reference(FILE *stream, const struct blocking_result *result) {
    const struct blocking_reference *reference = &result->reference;
    char text[BLOCKING_TEXT], name[RANGE_CASE_NAME];
    if (!result->has_reference)
        return;
    blocking_text(reference->best.blocking, text);
    write_case(&reference->best, name);
    fprintf(stream, "\nexhaustive search of %zu points: %s (%s), %.3f ns [%.3f, %.3f]\n",
            reference->n_points, text, name, reference->best_time.ns,
            reference->best_time.interval.low, reference->best_time.interval.high);
    fprintf(stream, "the choice is %.2f %% [%.2f, %.2f] slower\n", 100 * reference->error.value,
            100 * reference->error.interval.low, 100 * reference->error.interval.high);
    fprintf(stream, "CPU seconds: guided %.1f, exhaustive %.1f\n", result->search_seconds,
            result->reference_seconds);
}

void blocking_print(FILE *stream, const struct blocking_result *result) {
    print_problem(stream, result);
    print_candidates(stream, &result->search);
    fprintf(stream, "\n");
    print_choice(stream, &result->search);
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
    write_case(candidate, name);
    cJSON_AddStringToObject(object, "order", order_name(candidate->blocking.order));
    if (candidate->blocking.order == ORDER_DS)
        cJSON_AddNullToObject(object, "case");
    else
        cJSON_AddStringToObject(object, "case", name);
    add_number(object, "d", candidate->blocking.docs ? (double)candidate->blocking.docs : NAN);
    add_number(object, "s", candidate->blocking.units ? (double)candidate->blocking.units : NAN);
    add_number(object, "mu_d", candidate->docs_mu > 0 ? candidate->docs_mu : NAN);
    add_number(object, "mu_s", candidate->units_mu > 0 ? candidate->units_mu : NAN);
    add_number(object, "cost", candidate->cost);
}

static void add_time(cJSON *object, const struct blocking_time *time) {
    add_number(object, "ns_per_document_and_tree", time->ns);
    add_interval(object, "interval", time->interval);
    add_number(object, "ratio_to_ds", time->to_first.value);
    add_interval(object, "ratio_interval", time->to_first.interval);
}

static void add_problem(cJSON *root, const struct blocking_result *result) {
    const struct blocking_workload *w = &result->problem.workload;
    const struct blocking_machine *machine = &result->problem.machine;
    cJSON_AddStringToObject(root, "implementation", result->spec);
    add_number(root, "trees", result->n_trees);
    add_number(root, "units", (double)w->n_units);
    add_number(root, "unit_bytes", w->unit_bytes);
    add_number(root, "documents", (double)w->n_docs);
    add_number(root, "document_bytes", w->doc_bytes);
    cJSON_AddStringToObject(root, "documents_note", result->documents_note);
    add_number(root, "lambda", w->lambda);
    cJSON *bytes = cJSON_AddArrayToObject(root, "cache_bytes");
    for (int i = 0; i < CACHE_LEVELS; i++)
        cJSON_AddItemToArray(bytes, cJSON_CreateNumber(machine->bytes[i]));
    add_number(root, "c2", machine->c2);
    add_number(root, "c3", machine->c3);
    add_number(root, "c4", machine->c4);
    cJSON_AddBoolToObject(root, "caches_measured", result->caches_measured);
    cJSON_AddStringToObject(root, "documents_home", level_names[result->problem.model.docs_home]);
    cJSON_AddStringToObject(root, "units_home", level_names[result->problem.model.units_home]);
    cJSON_AddBoolToObject(root, "by_proposition", result->search.by_proposition);
}

static void add_candidates(cJSON *root, const struct blocking_search *search) {
    cJSON *array = cJSON_AddArrayToObject(root, "candidates");
    for (size_t i = 0; i < search->n; i++) {
        cJSON *item = cJSON_CreateObject();
        add_blocking(item, &search->candidates[i]);
        add_time(item, &search->times[i]);
        cJSON_AddItemToArray(array, item);
    }
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
    if (!result->has_reference) {
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
}

cJSON *blocking_to_json(const struct blocking_result *result) {
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    add_problem(root, result);
    add_candidates(root, &result->search);
    cJSON *choice = cJSON_AddObjectToObject(root, "choice");
    add_blocking(choice, &result->search.candidates[result->search.best]);
    add_time(choice, &result->search.confirmed[1]);
    add_number(choice, "ds_ns_per_document_and_tree", result->search.confirmed[0].ns);
    add_number(root, "cpu_seconds", result->search_seconds);
    add_fit(root, result);
    add_reference(root, result);
    return json_if_whole(root);
}
