#include "harness/tune.h"

#include "harness/calls.h"
#include "harness/grid.h"
#include "harness/measure.h"
#include "harness/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCREEN_ROUNDS = 2, LEAST_ROUNDS = 5, MOST_ROUNDS = 21, RIVAL_ROUNDS = 9 };
/* Of trees, whose decisions no branch predictor should learn by heart. */
enum { VISITS = 1 << 20 };
/* Screened within so many times the best: sampled. Beyond, at the smallest and at the largest call:
 * not screened in between. */
static const double promising = 1.5, hopeless = 3;
/* Of the time; checking, screening and the rivals take the rest. */
static const double sampling_share = 0.4;

struct session {
    const struct tuning *tuning;
    struct tuned *tuned;
    struct progress progress;
};

/* --- measuring -------------------------------------------------------------------------------- */

static struct matrix choose_documents(const struct tuning *tuning, size_t batch) {
    return calls_documents(tuning->documents, tuning->ensemble->n_trees, batch,
                           tuning->batches[tuning->n_batches - 1], VISITS);
}

/* rows[i] is initialised, and freed by the caller whatever the outcome. */
static enum status measure(struct session *session, size_t batch, const char *const *specs,
                           size_t n_specs, uint32_t rounds, struct row *rows, struct error *error) {
    const struct tuning *tuning = session->tuning;
    const struct matrix documents = choose_documents(tuning, batch);
    const struct measuring how = {.rounds = rounds,
                                  .clock = session->tuned->clock,
                                  .counters = COUNTERS_NONE,
                                  .plan = {.order = ORDER_DS,
                                           .doc_block = batch,
                                           .threads = tuning->threads,
                                           .parallel = PARALLEL_DOCUMENTS}};
    for (size_t i = 0; i < n_specs; i++) {
        row_free(&rows[i]);
        row_init(&rows[i]);
        snprintf(rows[i].workload.kind, sizeof rows[i].workload.kind, "files");
        grid_set_variant(&rows[i], specs[i]);
    }
    return measure_cell(tuning->ensemble, &documents, specs, n_specs, &how, rows, error);
}

/* How many rounds of these rows, which have been measured, fit into the seconds. */
static uint32_t rounds_in(double seconds, const struct session *session, size_t batch,
                          const struct row *const *rows, size_t count) {
    double round_ns = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(rows[i]->median))
            round_ns += rows[i]->median * (double)choose_documents(session->tuning, batch).n_rows *
                        (double)(rows[i]->repetitions ? rows[i]->repetitions : 1);
    double rounds = round_ns > 0 ? seconds * 1e9 / round_ns : MOST_ROUNDS;
    return (uint32_t)fmin(fmax(rounds, LEAST_ROUNDS), MOST_ROUNDS);
}

/* Some candidates at one size, by their numbers. */
static enum status measure_entries(struct session *session, struct tune_batch *batch,
                                   const size_t *numbers, size_t count, uint32_t rounds,
                                   enum tune_state state, struct error *error) {
    const char *specs[TUNE_CANDIDATES_MAX] = {NULL};
    struct row *rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return error_memory(error, "rows");
    for (size_t i = 0; i < count; i++)
        specs[i] = session->tuned->specs[numbers[i]];
    enum status status = measure(session, batch->docs, specs, count, rounds, rows, error);
    for (size_t i = 0; i < count; i++) {
        struct tune_entry *entry = &batch->entries[numbers[i]];
        row_free(&entry->row);
        entry->row = rows[i];
        if (rows[i].status == ROW_OK &&
            (entry->state == TUNE_LEFT_OUT || rows[i].median < entry->least))
            entry->least = rows[i].median;
        entry->state = rows[i].status == ROW_OK ? state : TUNE_REFUSED;
    }
    free(rows);
    return status;
}

static const struct row *best_of(const struct tune_batch *batch, size_t count,
                                 enum tune_state least) {
    const struct row *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct tune_entry *entry = &batch->entries[i];
        bool counts = entry->state == TUNE_SAMPLED || entry->state == least;
        if (counts && (!best || entry->row.median < best->median))
            best = &entry->row;
    }
    return best;
}

const struct row *tune_best(const struct tuned *tuned, const struct tune_batch *batch) {
    return best_of(batch, tuned->n_specs, TUNE_SAMPLED);
}

/* --- screening -------------------------------------------------------------------------------- */

static bool is_hopeless_at(const struct tuned *tuned, const struct tune_batch *batch,
                           size_t candidate) {
    const struct tune_entry *entry = &batch->entries[candidate];
    const struct row *best = best_of(batch, tuned->n_specs, TUNE_SCREENED);
    return entry->state == TUNE_REFUSED ||
           (best && entry->state != TUNE_LEFT_OUT && entry->row.median > hopeless * best->median);
}

static enum status screen(struct session *session, struct tune_batch *batch, struct error *error) {
    const struct tuned *tuned = session->tuned;
    const struct tune_batch *first = &tuned->batches[0];
    const struct tune_batch *last = &tuned->batches[tuned->n_batches - 1];
    size_t numbers[TUNE_CANDIDATES_MAX], count = 0;
    char what[64];
    for (size_t i = 0; i < tuned->n_specs; i++) {
        bool refused = first->entries[i].state == TUNE_REFUSED;
        bool within = batch != first && batch != last;
        if (!refused &&
            !(within && is_hopeless_at(tuned, first, i) && is_hopeless_at(tuned, last, i)))
            numbers[count++] = i;
    }
    snprintf(what, sizeof what, "calls of %zu documents: %zu implementations", batch->docs, count);
    progress_step(&session->progress, what);
    enum status status =
        measure_entries(session, batch, numbers, count, SCREEN_ROUNDS, TUNE_SCREENED, error);
    progress_done(&session->progress);
    return status;
}

/* The ends first: they tell what need not be looked at between them. */
static enum status screen_all(struct session *session, struct error *error) {
    struct tuned *tuned = session->tuned;
    size_t last = tuned->n_batches - 1;
    enum status status = screen(session, &tuned->batches[0], error);
    if (!status && last > 0)
        status = screen(session, &tuned->batches[last], error);
    for (size_t b = 1; b < last && !status; b++)
        status = screen(session, &tuned->batches[b], error);
    return status;
}

/* --- sampling --------------------------------------------------------------------------------- */

static enum status sample(struct session *session, struct tune_batch *batch, struct error *error) {
    const struct tuned *tuned = session->tuned;
    const struct row *best = best_of(batch, tuned->n_specs, TUNE_SCREENED);
    const struct row *rows[TUNE_CANDIDATES_MAX];
    size_t numbers[TUNE_CANDIDATES_MAX], count = 0;
    char what[64];
    if (!best)
        return error_set(error, STATUS_UNSUPPORTED,
                         "no implementation could be measured with calls of %zu documents: %s",
                         batch->docs, batch->entries[0].row.reason);
    for (size_t i = 0; i < tuned->n_specs; i++)
        if (batch->entries[i].state == TUNE_SCREENED &&
            batch->entries[i].row.median <= promising * best->median) {
            rows[count] = &batch->entries[i].row;
            numbers[count++] = i;
        }
    double seconds = session->tuning->seconds * sampling_share / (double)tuned->n_batches;
    uint32_t rounds = rounds_in(seconds, session, batch->docs, rows, count);
    snprintf(what, sizeof what, "calls of %zu documents: the best %zu", batch->docs, count);
    progress_step(&session->progress, what);
    enum status status =
        measure_entries(session, batch, numbers, count, rounds, TUNE_SAMPLED, error);
    progress_done(&session->progress);
    return status;
}

/* --- costs ------------------------------------------------------------------------------------ */

/* The machine is slower now and then, for seconds: of two medians at different times, the least is
 * what can be compared with other sizes. */
static void fit(struct tuned *tuned, size_t candidate) {
    struct auto_sample samples[TUNE_BATCHES_MAX];
    size_t count = 0;
    unsigned lanes = 1;
    for (size_t b = 0; b < tuned->n_batches; b++) {
        const struct tune_entry *entry = &tuned->batches[b].entries[candidate];
        if (entry->state != TUNE_SCREENED && entry->state != TUNE_SAMPLED)
            continue;
        size_t docs = tuned->batches[b].docs;
        samples[count++] = (struct auto_sample){docs, entry->least * (double)docs};
        lanes = entry->row.lanes;
    }
    if (count == 0)
        return;
    struct auto_cost cost = auto_cost_fit(lanes, samples, count);
    for (size_t i = 0; i < count; i++)
        auto_cost_add_point(&cost, &samples[i]);
    auto_table_add(&tuned->table, tuned->specs[candidate], &cost);
}

static enum status store(struct session *session, struct error *error) {
    struct tuned *tuned = session->tuned;
    for (size_t i = 0; i < tuned->n_specs; i++)
        fit(tuned, i);
    enum status status = auto_store_write(session->tuning->ensemble, &tuned->table, error);
    return status ? status : auto_store_path(session->tuning->ensemble, tuned->path, error);
}

/* --- rivals ----------------------------------------------------------------------------------- */

static enum status measure_rivals(struct session *session, struct tune_batch *batch,
                                  struct error *error) {
    char best[2 * ROW_NAME_SIZE], what[64];
    row_variant(tune_best(session->tuned, batch), best, sizeof best);
    char libraries[TUNE_RIVALS_MAX - 2][AUTO_SPEC_SIZE];
    size_t n_libraries = calls_libraries(libraries, TUNE_RIVALS_MAX - 2);
    /* Or else what a plain program would do. */
    const char *specs[TUNE_RIVALS_MAX] = {"auto", best, "struct-plus"};
    for (size_t i = 0; i < n_libraries; i++)
        specs[2 + i] = libraries[i];
    batch->n_rivals = n_libraries ? 2 + n_libraries : 3;
    snprintf(what, sizeof what, "calls of %zu documents: auto and %s", batch->docs,
             specs[batch->n_rivals - 1]);
    progress_step(&session->progress, what);
    enum status status =
        measure(session, batch->docs, specs, batch->n_rivals, RIVAL_ROUNDS, batch->rivals, error);
    progress_done(&session->progress);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void begin(struct session *session) {
    const struct tuning *tuning = session->tuning;
    struct tuned *tuned = session->tuned;
    tuned->clock = tuning->threads > 1 ? "wall" : "cpu";
    tuned->n_batches = tuning->n_batches;
    for (size_t b = 0; b < tuning->n_batches; b++)
        tuned->batches[b].docs = tuning->batches[b];
    tuned->n_docs = choose_documents(tuning, 1).n_rows;
    tuned->n_specs = calls_candidates(tuning->with_codegen, tuned->specs, TUNE_CANDIDATES_MAX);
    progress_begin(&session->progress, 3 * tuning->n_batches);
}

enum status tune(const struct tuning *tuning, struct tuned **tuned, struct error *error) {
    struct session session = {.tuning = tuning};
    *tuned = session.tuned = calloc(1, sizeof **tuned);
    if (!*tuned)
        return error_memory(error, "what is measured");
    begin(&session);
    enum status status = screen_all(&session, error);
    for (size_t b = 0; b < tuning->n_batches && !status; b++)
        status = sample(&session, &(*tuned)->batches[b], error);
    if (!status)
        status = store(&session, error);
    for (size_t b = 0; b < tuning->n_batches && !status; b++)
        status = measure_rivals(&session, &(*tuned)->batches[b], error);
    return status;
}

void tuned_free(struct tuned *tuned) {
    if (!tuned)
        return;
    for (size_t b = 0; b < tuned->n_batches; b++) {
        for (size_t i = 0; i < tuned->n_specs; i++)
            row_free(&tuned->batches[b].entries[i].row);
        for (size_t i = 0; i < tuned->batches[b].n_rivals; i++)
            row_free(&tuned->batches[b].rivals[i]);
    }
    free(tuned);
}
