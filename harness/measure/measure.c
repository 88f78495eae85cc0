#include "harness/measure/measure.h"

#include "base/order.h"
#include "harness/counting/counted_pass.h"
#include "harness/instruments/interrupt.h"
#include "harness/instruments/timer.h"
#include "harness/measure/contender.h"
#include "harness/measure/describe.h"
#include "harness/measure/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- counting --------------------------------------------------------------------------------- */

/* Sources that count in a process of their own. Others count in this process. */
static bool is_counted_elsewhere(enum counters_source source) {
    return source == COUNTERS_CALLGRIND || source == COUNTERS_STEP;
}

/* Counts the events of one pass in this process, unless several threads score it: counters see only
 * the calling thread. */
static void count(const struct measure_request *how, struct contender *c) {
    struct counts *counts = &c->row->counts;
    bool here = measure_threads(how) == 1 && !is_counted_elsewhere(how->counters);
    counters_count(here ? how->counters : COUNTERS_NONE, contender_pass, c, counts);
    if (strcmp(counts->source, "none") != 0)
        counts->documents = c->documents->n_rows;
    if (measure_threads(how) > 1 && how->counters != COUNTERS_NONE)
        snprintf(counts->reason, sizeof counts->reason,
                 "counters cover one thread only. Measure with --threads 1 to count");
}

static bool wants_callgrind(const struct measure_request *how, size_t variant) {
    return how->counters == COUNTERS_CALLGRIND || (how->simulated && how->simulated[variant]);
}

static bool wants_step(const struct measure_request *how, size_t variant) {
    return how->counters == COUNTERS_STEP && !wants_callgrind(how, variant);
}

struct count_process {
    bool (*is_wanted)(const struct measure_request *how, size_t variant);
    const struct pass_counter *counter;
};
static const struct count_process count_processes[] = {{wants_callgrind, &count_by_callgrind},
                                                       {wants_step, &count_by_step}};

/* Returns an earlier contender of the same variant, which has the same counts. NULL: none. */
static const struct contender *earlier_of(const char *const *variants,
                                          const struct contender *contenders, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (contender_is_ok(&contenders[i]) && strcmp(variants[i], variants[index]) == 0)
            return &contenders[i];
    return NULL;
}

static void count_in_process(const struct count_process *process, const struct ensemble *ensemble,
                             const char *const *variants, const struct measure_request *how,
                             struct contender *contenders, size_t n) {
    struct counted_pass pass = {.counter = NULL};
    const struct simulated_caches *caches = how->caches ? how->caches : &simulated_caches_default;
    for (size_t i = 0; i < n; i++) {
        struct contender *c = &contenders[i];
        if (!contender_is_ok(c) || measure_threads(how) > 1 || !process->is_wanted(how, i))
            continue;
        const struct contender *earlier = earlier_of(variants, contenders, i);
        if (c->scorer->impl->roles & IMPL_PEER) {
            snprintf(c->row->counts.reason, sizeof c->row->counts.reason,
                     "a peer is not counted in another program");
            continue;
        }
        if (earlier) {
            c->row->counts = earlier->row->counts;
            continue;
        }
        if (!pass.counter)
            counted_pass_begin(&pass, process->counter, ensemble, c->documents);
        struct plan plan = c->plan;
        plan.team = how->count_team && process->counter->may_be_team;
        contender_tell(how, "counting events of", variants[i]);
        counted_pass_count(&pass, variants[i], c->scorer, &plan, caches, &c->row->counts);
    }
    counted_pass_end(&pass);
}

static void count_all(const struct ensemble *ensemble, const char *const *variants,
                      const struct measure_request *how, struct contender *contenders, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (contender_is_ok(&contenders[i]))
            count(how, &contenders[i]);
    for (size_t i = 0; i < sizeof count_processes / sizeof *count_processes; i++)
        count_in_process(&count_processes[i], ensemble, variants, how, contenders, n);
}

/* --- measuring -------------------------------------------------------------------------------- */

static bool all_are_kept(const struct measure_request *how, size_t n_variants) {
    for (size_t i = 0; i < n_variants; i++)
        if (!how->scorers || !how->scorers[i])
            return false;
    return true;
}

/* Returns how many bytes the next scorer of a cell may take. */
static size_t bytes_left(const struct measure_request *how, const struct contender *contenders,
                         size_t n) {
    size_t used = 0;
    if (!how->built_most)
        return SIZE_MAX;
    for (size_t i = 0; i < n; i++)
        if (contenders[i].scorer && !contenders[i].lender)
            used += contenders[i].scorer->bytes;
    return smaller(how->built_most - smaller(used, how->built_most), how->built_most / 2);
}

/* Returns an earlier contender whose scorer this one can use, because they differ only in the loop
 * order. NULL: none. Equal variants do not share a scorer: their ratio is the noise floor, which
 * includes the effect of addresses. */
static const struct contender *lender_of(const struct measure_request *how,
                                         const struct contender *contenders, size_t index) {
    const struct contender *found = NULL;
    struct variant own;
    if (how->scorers || variant_parse(contenders[index].variant, &own, NULL) != STATUS_OK)
        return NULL;
    for (size_t i = 0; i < index; i++) {
        const struct contender *c = &contenders[i];
        if (strcmp(c->variant, contenders[index].variant) == 0)
            return NULL;
        if (!found && contender_is_ok(c) && !c->lender && strcmp(c->parsed.spec, own.spec) == 0)
            found = c;
    }
    return found;
}

/* Is there no time left to build the contender? */
static bool is_late(const struct measure_request *how, const struct contender *c, size_t index) {
    return how->build_until_ns && index >= how->least_built && !c->kept &&
           timer_wall_ns() > how->build_until_ns;
}

/* Builds and checks all contenders. */
static enum status prepare(const struct ensemble *ensemble, const struct matrix *documents,
                           const struct measure_request *how, struct contender *contenders,
                           size_t n, struct error *error) {
    struct verifier *verifier = NULL;
    enum status status = STATUS_OK;
    if (!all_are_kept(how, n)) {
        contender_tell(how, "scoring by", "reference");
        status = verifier_create(ensemble, documents, &verifier, error);
    }
    for (size_t i = 0; i < n && !status; i++) {
        contenders[i].bytes_most = bytes_left(how, contenders, i);
        contenders[i].lender = lender_of(how, contenders, i);
        if (is_late(how, &contenders[i], i))
            row_fail(contenders[i].row, ROW_UNSUPPORTED, MEASURE_NO_TIME);
        else
            contender_prepare(ensemble, verifier, how, &contenders[i]);
    }
    /* freed before timing, because its memory could disturb the times */
    verifier_free(verifier);
    return status;
}

/* Names the contenders that scored one tree per class, because they do not count votes. */
static void tell_converted(const struct ensemble *ensemble, const struct measure_request *how,
                           const struct contender *contenders, size_t n) {
    char names[400] = "";
    for (size_t i = 0; ensemble->votes && i < n; i++)
        if (contenders[i].scorer && !contenders[i].scorer->impl->votes)
            text_append(names, sizeof names, "%s%s", names[0] ? ", " : "", contenders[i].variant);
    if (names[0] && !how->drops_scorer_notes)
        note_tell(how->note, "%s: scored one tree per class, because votes are not supported",
                  names);
}

/* Adds to the rows' notes where probabilities of branches are unknown: the order of nodes or code
 * is then not that of the documents. */
static void note_equal_branches(const struct contender *contenders, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct row *row = contenders[i].row;
        if (contenders[i].scorer && contenders[i].scorer->equal_branches)
            text_append(row->note, sizeof row->note, "%s%s", row->note[0] ? "; " : "",
                        MEASURE_EQUAL_BRANCHES);
    }
}

/* Measures contenders that have a variant, a row and perhaps a kept scorer. */
static enum status compete(const struct ensemble *ensemble, const struct matrix *documents,
                           const char *const *variants, const struct measure_request *how,
                           struct contender *contenders, size_t n, struct error *error) {
    struct sampling *sampling = NULL;
    enum status status = sampling_begin(ensemble, documents, how, contenders, n, &sampling, error);
    if (!status)
        status = prepare(ensemble, documents, how, contenders, n, error);
    if (!status) {
        tell_converted(ensemble, how, contenders, n);
        describe_workload(ensemble, documents, contenders[0].row, n);
        note_equal_branches(contenders, n);
        status = sampling_run(sampling, error);
    }
    if (!status && !interrupt_asked())
        count_all(ensemble, variants, how, contenders, n);
    for (size_t i = 0; i < n; i++)
        contender_free(&contenders[i]);
    sampling_end(sampling);
    return status;
}

static enum status check_request(const struct ensemble *ensemble, const struct matrix *documents,
                                 const struct measure_request *how, struct error *error) {
    if (documents->n_rows == 0 || how->rounds == 0)
        return error_set(error, STATUS_INPUT, "nothing to measure: there are no %s",
                         documents->n_rows == 0 ? "documents" : "rounds");
    if (measure_threads(how) > 1 && strcmp(how->clock, "cpu") == 0)
        return error_set(error, STATUS_INPUT,
                         "--clock cpu measures only one thread. With %u threads, use --clock wall",
                         measure_threads(how));
    return limit_check_scores(documents, ensemble->n_outputs, error);
}

enum status measure_cell(const struct ensemble *ensemble, const struct matrix *documents,
                         const char *const *variants, size_t n_variants,
                         const struct measure_request *how, struct row *rows, struct error *error) {
    enum status status = check_request(ensemble, documents, how, error);
    if (status)
        return status;
    struct contender *contenders = calloc(n_variants, sizeof *contenders);
    if (!contenders)
        return error_memory(error, "contenders");
    for (size_t i = 0; i < n_variants; i++) {
        contenders[i].variant = variants[i];
        contenders[i].row = &rows[i];
        contenders[i].kept = how->scorers ? how->scorers[i] : NULL;
    }
    status = compete(ensemble, documents, variants, how, contenders, n_variants, error);
    for (size_t i = 0; i < n_variants && how->scorers; i++)
        how->scorers[i] = contenders[i].kept;
    free(contenders);
    return status;
}
