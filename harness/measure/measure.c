#include "harness/measure/measure.h"

#include "base/cpu.h"
#include "base/memory.h"
#include "harness/instruments/counters_callgrind.h"
#include "harness/instruments/timer.h"
#include "harness/measure/false_nodes.h"
#include "harness/measure/verify.h"
#include "impls/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sample takes at least this many times the resolution of the coarser clock. */
enum { SAMPLE_RESOLUTIONS = 1000 };
/* Between two samples of a variant, the other variants evict its code and its documents from the
 * caches. An untimed pass before each sample loads them again. If a pass takes longer than
 * WARMED_NS, the untimed pass is omitted, because most of the timed pass is warm anyway. */
#define WARMED_NS 1e7
/* Limits the repetitions of a pass that takes almost no time (noop). */
#define MAX_REPETITIONS ((uint64_t)1 << 24)
/* Enough visits of trees to compute the mean path and the share of left turns to three digits. */
enum { PATH_DOCUMENTS = 65536 };
/* With this many tests of nodes, the number of false nodes is precise to two digits. */
#define FALSE_NODE_TESTS ((uint64_t)1 << 24)

/* A variant on a workload, with everything that a pass over the documents needs. */
struct contender {
    struct scorer *scorer;
    /* the scorer kept from an earlier cell; NULL: none, so that one is built */
    struct scorer *kept;
    struct runner *runner;
    struct plan plan;
    const struct matrix *documents;
    double *scores;
    uint64_t repetitions;
    bool warmed;       /* an untimed pass precedes each sample */
    size_t bytes_most; /* limit for the size of the scorer */
    struct row *row;
};

static void fail(struct row *row, enum row_status status, const char *reason) {
    row->status = status;
    snprintf(row->reason, sizeof row->reason, "%.*s", (int)sizeof row->reason - 1, reason);
}

static bool is_ok(const struct contender *c) {
    return c->row->status == ROW_OK;
}

static unsigned threads_of(const struct measure_request *how) {
    return how->plan.threads ? how->plan.threads : 1;
}

static void score_pass(void *argument) {
    const struct contender *c = argument;
    runner_run(c->runner, c->documents->values, c->documents->stride, c->documents->n_rows,
               c->scores);
}

static void report_difference(const struct verification *found, const char *how, struct row *row) {
    char reason[ROW_REASON_SIZE];
    if (found->agrees)
        return;
    snprintf(reason, sizeof reason, "%s %zu scores %.17g%s, but the reference scores %.17g",
             found->probe ? "probe" : "document", found->document, found->found, how,
             found->expected);
    fail(row, ROW_WRONG, reason);
}

/* Compares the variant's scores with the reference's. A NULL plan means one thread. */
static void check(const struct verifier *verifier, const struct plan *plan, struct contender *c) {
    struct verification found;
    struct error error;
    if (verifier_check(verifier, c->scorer, plan, &found, &error) != STATUS_OK)
        fail(c->row, ROW_FAILED, error.text);
    else
        report_difference(&found, plan ? " with threads" : "", c->row);
}

static void check_leaves(struct verifier *verifier, const char *variant, struct contender *c) {
    struct verification found;
    struct error error;
    if (verifier_check_leaves(verifier, variant, &found, &error) != STATUS_OK)
        fail(c->row, ROW_FAILED, error.text);
    else
        report_difference(&found, " when every leaf has its own value", c->row);
}

/* Checks the variant with one thread, then with the number of threads that is timed. */
static void check_scores(struct verifier *verifier, const char *variant, struct contender *c) {
    check(verifier, NULL, c);
    if (is_ok(c) && verifier_needs_leaves(c->scorer))
        check_leaves(verifier, variant, c);
    if (is_ok(c) && c->plan.threads > 1)
        check(verifier, &c->plan, c);
}

/* Creates the runner. Threads that share the trees add up their scores once per pass, or after each
 * block of documents. In the second case, the time of a block is its latency. */
static void start_threads(const struct measure_request *how, struct contender *c) {
    struct error error;
    bool once = how->single_documents && !how->barrier_each_step;
    size_t n_rows = c->documents->n_rows, block = once ? 0 : c->plan.doc_block;
    enum status status = runner_create(
        c->scorer, &c->plan, block && block < n_rows ? block : n_rows, &c->runner, &error);
    if (status)
        fail(c->row, status == STATUS_MACHINE ? ROW_UNSUPPORTED : ROW_FAILED, error.text);
}

static void tell(const struct measure_request *how, const char *what, const char *variant) {
    char text[2 * ROW_NAME_SIZE];
    snprintf(text, sizeof text, "%s %s", what, variant);
    if (how->progress)
        progress_note(how->progress, text);
}

static void refuse_large(struct contender *c) {
    char reason[ROW_REASON_SIZE];
    if (c->scorer->bytes <= c->bytes_most)
        return;
    snprintf(reason, sizeof reason, "needs %.0f MB when built, but only %.0f MB are left",
             (double)c->scorer->bytes / 1e6, (double)c->bytes_most / 1e6);
    fail(c->row, ROW_UNSUPPORTED, reason);
    scorer_destroy(c->scorer);
    c->scorer = NULL;
}

/* Builds the scorer, unless one was kept from an earlier cell. Only a new scorer must be
 * checked. */
static void build(const struct ensemble *ensemble, const char *variant,
                  const struct measure_request *how, struct contender *c) {
    struct error error;
    if (c->kept) {
        c->scorer = c->kept;
        return;
    }
    tell(how, "building and checking", variant);
    enum status status = scorer_build(variant, ensemble, &c->scorer, &error);
    bool refused = status == STATUS_UNSUPPORTED || status == STATUS_MACHINE;
    if (status)
        fail(c->row, refused ? ROW_UNSUPPORTED : ROW_FAILED, error.text);
    else
        refuse_large(c);
    if (is_ok(c) && c->scorer->note)
        note_tell(how->note, "%s", c->scorer->note);
}

static void prepare(const struct ensemble *ensemble, const char *variant, struct verifier *verifier,
                    const struct measure_request *how, struct contender *c) {
    struct row *row = c->row;
    c->plan = how->plan;
    snprintf(row->order, sizeof row->order, "%s", order_name(c->plan.order));
    snprintf(row->clock, sizeof row->clock, "%s", how->clock);
    row->threads = threads_of(how);
    row->unit_block = c->plan.unit_block;
    row->doc_block = c->plan.doc_block;
    build(ensemble, variant, how, c);
    if (!is_ok(c))
        return;
    if (how->single_documents)
        row->doc_block = c->plan.doc_block = c->scorer->lanes;
    row->lanes = c->scorer->lanes;
    row->built_bytes = c->scorer->bytes;
    start_threads(how, c);
    if (is_ok(c) && !c->kept && c->scorer->impl->kind != IMPL_BASELINE)
        check_scores(verifier, variant, c);
}

/* Measures the wall time and the CPU time of one sample (all repetitions), in ns. */
static void time_sample(const struct contender *c, double *wall, double *cpu) {
    uint64_t wall_begin = timer_wall_ns(), cpu_begin = timer_cpu_ns();
    for (uint64_t i = 0; i < c->repetitions; i++)
        score_pass((void *)c);
    *cpu = (double)(timer_cpu_ns() - cpu_begin);
    *wall = (double)(timer_wall_ns() - wall_begin);
}

/* Doubles the repetitions until a sample takes at least least_ns. Each attempt also warms up. */
static void calibrate(struct contender *c, double least_ns) {
    double wall, cpu, took = 0;
    for (c->repetitions = 1; c->repetitions < MAX_REPETITIONS; c->repetitions *= 2) {
        time_sample(c, &wall, &cpu);
        took = c->plan.threads > 1 ? wall : cpu;
        if (took >= least_ns)
            break;
    }
    c->warmed = took / (double)c->repetitions < WARMED_NS;
    c->row->repetitions = c->repetitions;
}

static bool allocate_samples(struct row *row, uint32_t rounds) {
    row->samples.wall = calloc(rounds, sizeof(double));
    row->samples.cpu = calloc(rounds, sizeof(double));
    return row->samples.wall && row->samples.cpu;
}

/* Returns the contender at position k of a round. Each round begins with another contender, and
 * every other round runs backwards. Otherwise a contender would always run after the same other
 * one, which leaves its own data in caches and branch predictors. */
static size_t turn(size_t round, size_t k, size_t n) {
    size_t first = round % n;
    return round % 2 == 0 ? (first + k) % n : (first + n - k) % n;
}

static bool is_over(const struct measure_request *how, uint32_t rounds_done) {
    return rounds_done == how->rounds ||
           (how->until_ns && rounds_done >= how->least_rounds && timer_wall_ns() > how->until_ns);
}

static enum status sample(struct contender *contenders, size_t n, const struct measure_request *how,
                          size_t n_docs, struct error *error) {
    for (size_t i = 0; i < n; i++)
        if (is_ok(&contenders[i]) && !allocate_samples(contenders[i].row, how->rounds))
            return error_memory(error, "samples");
    for (uint32_t round = 0; !is_over(how, round); round++)
        for (size_t k = 0; k < n; k++) {
            struct contender *c = &contenders[turn(round, k, n)];
            if (!is_ok(c))
                continue;
            double wall, cpu, per = (double)c->repetitions * (double)n_docs;
            memset(c->scores, 0, n_docs * c->scorer->n_outputs * sizeof *c->scores);
            if (c->warmed)
                score_pass(c);
            time_sample(c, &wall, &cpu);
            c->row->samples.wall[round] = wall / per;
            c->row->samples.cpu[round] = cpu / per;
            c->row->samples.count = round + 1;
        }
    return STATUS_OK;
}

static void summarise(struct row *row) {
    const double *x = row_reported_samples(row);
    size_t n = row->samples.count;
    row->median = stats_median(x, n);
    row->mean = stats_mean(x, n);
    row->median_interval = stats_bootstrap_median(x, n, row->workload.seed);
    row->outliers = (uint32_t)stats_count_outliers(x, n);
}

/* Walks one tree with one document. Adds the number of decisions to *decisions, and the number of
 * those that went left to *lefts. */
static void walk(const struct ensemble *e, uint32_t tree, const float *x, uint64_t *decisions,
                 uint64_t *lefts) {
    if (ensemble_tree_nodes(e, tree) == 0)
        return;
    size_t first = e->tree_node[tree];
    int32_t node = 0;
    while (node >= 0) {
        size_t i = first + (size_t)node;
        float value = x[e->feature[i]];
        bool left = ensemble_goes_left(e, i, value);
        node = left ? e->left[i] : e->right[i];
        *decisions += 1;
        *lefts += left;
    }
}

/* Records the mean length of paths and the share of left turns. Branch predictors do better with
 * short paths, and with decisions that mostly go one way. Records the false nodes, because
 * QuickScorer does a step for each of them. */
static void describe_paths(const struct ensemble *e, const struct matrix *documents,
                           struct row *rows, size_t n) {
    uint64_t decisions = 0, lefts = 0;
    size_t docs = PATH_DOCUMENTS / (e->n_trees ? e->n_trees : 1) + 1;
    if (docs > documents->n_rows)
        docs = documents->n_rows;
    for (size_t d = 0; d < docs; d++)
        for (uint32_t t = 0; t < e->n_trees; t++)
            walk(e, t, matrix_row(documents, d), &decisions, &lefts);
    double false_nodes = false_nodes_count(e, documents, FALSE_NODE_TESTS).per_tree;
    for (size_t i = 0; i < n && docs > 0 && e->n_trees > 0; i++) {
        rows[i].mean_path = (double)decisions / ((double)docs * e->n_trees);
        rows[i].left_share = decisions ? (double)lefts / (double)decisions : (double)NAN;
        rows[i].false_nodes = false_nodes;
    }
}

/* Joins the notes of the model and of the documents. If the model's note contains the documents'
 * note already, writes it once. */
static void describe_origin(const struct ensemble *e, const struct matrix *documents, char *note,
                            size_t size) {
    size_t length = strlen(e->note);
    snprintf(note, size, "%s", length ? e->note : documents->note);
    if (length && length < size && !strstr(e->note, documents->note))
        snprintf(note + length, size - length, "; documents: %.*s", MATRIX_NOTE_SIZE,
                 documents->note);
}

/* Replaces the requested depth, features and documents in each row by the actual numbers. Adds
 * facts about the model. */
static void describe_inputs(const struct ensemble *e, const struct matrix *documents,
                            struct row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct workload *w = &rows[i].workload;
        w->depth = 0;
        for (uint32_t t = 0; t < e->n_trees; t++)
            w->depth = e->tree_depth[t] > w->depth ? e->tree_depth[t] : w->depth;
        w->features = e->n_features;
        w->documents = documents->n_rows;
        rows[i].model_trees = e->n_trees;
        rows[i].mean_tree_depth = ensemble_mean_depth(e);
        describe_origin(e, documents, rows[i].note, sizeof rows[i].note);
    }
}

/* Pins this thread to its current core. If there are several threads, pins it to the first allowed
 * core, because runners reserve that core for it. */
static void pin(unsigned threads, struct cpu_affinity *before) {
    int first;
    cpu_pin_here(before);
    if (threads > 1 && cpu_list_cores(before, &first, 1) == 1)
        cpu_pin(first);
}

/* Counts the events of one pass, unless several threads score it: counters see only the calling
 * thread. simulate() counts with callgrind. */
static void count(const struct measure_request *how, struct contender *c) {
    struct counts *counts = &c->row->counts;
    bool here = threads_of(how) == 1 && how->counters != COUNTERS_CALLGRIND;
    counters_count(here ? how->counters : COUNTERS_NONE, score_pass, c, counts);
    if (strcmp(counts->source, "none") != 0)
        counts->documents = c->documents->n_rows;
    if (threads_of(how) > 1 && how->counters != COUNTERS_NONE)
        snprintf(counts->reason, sizeof counts->reason,
                 "counters cover one thread only. Measure with --threads 1 to count");
}

static bool wants_simulation(const struct measure_request *how, size_t variant) {
    return threads_of(how) == 1 &&
           (how->counters == COUNTERS_CALLGRIND || (how->simulated && how->simulated[variant]));
}

static void simulate(const struct ensemble *ensemble, const char *const *variants,
                     const struct measure_request *how, struct contender *contenders, size_t n) {
    struct callgrind callgrind;
    bool begun = false;
    for (size_t i = 0; i < n; i++) {
        if (!is_ok(&contenders[i]) || !wants_simulation(how, i))
            continue;
        if (!begun)
            callgrind_begin(&callgrind, ensemble, contenders[i].documents);
        begun = true;
        struct plan plan = contenders[i].plan;
        plan.team = how->count_team;
        callgrind_count(&callgrind, variants[i], contenders[i].scorer, &plan,
                        &contenders[i].row->counts);
    }
    if (begun)
        callgrind_end(&callgrind);
}

static enum status compete(struct contender *contenders, const char *const *variants, size_t n,
                           const struct measure_request *how, size_t n_docs, struct error *error) {
    struct cpu_affinity before;
    struct timer_info clocks;
    /* pinned only after building, because compilers started by `codegen` may use all cores */
    pin(how->plan.threads, &before);
    timer_measure(&clocks);
    double least_ns =
        SAMPLE_RESOLUTIONS * fmax(clocks.cpu_resolution_ns, clocks.wall_resolution_ns);
    for (size_t i = 0; i < n; i++)
        if (is_ok(&contenders[i])) {
            tell(how, "timing", variants[i]);
            calibrate(&contenders[i], least_ns);
        }
    enum status status = sample(contenders, n, how, n_docs, error);
    for (size_t i = 0; i < n && !status; i++)
        if (is_ok(&contenders[i])) {
            summarise(contenders[i].row);
            count(how, &contenders[i]);
        }
    cpu_unpin(&before);
    return status;
}

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
        used += contenders[i].scorer ? contenders[i].scorer->bytes : 0;
    size_t left = used < how->built_most ? how->built_most - used : 0;
    return left < how->built_most / 2 ? left : how->built_most / 2;
}

enum status measure_cell(const struct ensemble *ensemble, const struct matrix *documents,
                         const char *const *variants, size_t n_variants,
                         const struct measure_request *how, struct row *rows, struct error *error) {
    size_t n_docs = documents->n_rows;
    if (n_docs == 0 || how->rounds == 0)
        return error_set(error, STATUS_INPUT, "nothing to measure: there are no %s",
                         n_docs == 0 ? "documents" : "rounds");
    if (threads_of(how) > 1 && strcmp(how->clock, "cpu") == 0)
        return error_set(error, STATUS_INPUT,
                         "--clock cpu measures only one thread. With %u threads, use --clock wall",
                         threads_of(how));
    struct verifier *verifier = NULL;
    struct contender *contenders = calloc(n_variants, sizeof *contenders);
    double *scores = memory_aligned_calloc(n_docs * ensemble->n_outputs, sizeof *scores);
    enum status status = STATUS_OK;
    if (!contenders || !scores)
        status = error_memory(error, "scores");
    if (!status && !all_are_kept(how, n_variants)) {
        tell(how, "scoring by", "reference");
        status = verifier_create(ensemble, documents, &verifier, error);
    }
    if (!status) {
        for (size_t i = 0; i < n_variants; i++) {
            contenders[i] = (struct contender){.documents = documents,
                                               .scores = scores,
                                               .bytes_most = bytes_left(how, contenders, i),
                                               .row = &rows[i],
                                               .kept = how->scorers ? how->scorers[i] : NULL};
            prepare(ensemble, variants[i], verifier, how, &contenders[i]);
        }
        /* freed before timing, because its memory could disturb the times */
        verifier_free(verifier);
        describe_inputs(ensemble, documents, rows, n_variants);
        describe_paths(ensemble, documents, rows, n_variants);
        status = compete(contenders, variants, n_variants, how, n_docs, error);
        if (!status)
            simulate(ensemble, variants, how, contenders, n_variants);
    }
    for (size_t i = 0; contenders && i < n_variants; i++) {
        runner_destroy(contenders[i].runner);
        if (how->scorers && contenders[i].scorer && is_ok(&contenders[i]))
            how->scorers[i] = contenders[i].scorer;
        else if (!contenders[i].kept)
            scorer_destroy(contenders[i].scorer);
    }
    free(scores);
    free(contenders);
    return status;
}
