#include "harness/tune.h"

#include "harness/calls.h"
#include "harness/grid.h"
#include "harness/measure.h"
#include "harness/progress.h"
#include "harness/timer.h"
#include "harness/tune_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCREEN_ROUNDS = 3,
    LEAST_ROUNDS = 5,
    MOST_ROUNDS = 21,
    LEAST_RIVAL_ROUNDS = 3,
    RIVAL_ROUNDS = 21
};
/* Screened within so many times the best: sampled. What the smallest and the largest call tell to
 * be beyond, is not screened in between. */
static const double promising = 1.5;
/* Bytes of all candidates that are built. */
#define BUILT_MOST ((size_t)4 << 30)
/* Of the time: when screening ends, and sampling. What both leave is the rivals'. */
static const double screening_end = 0.5, sampling_end = 0.8;
/* Silent for so long, where stderr is no terminal. */
#define PATIENCE_NS (UINT64_C(20) * 1000 * 1000 * 1000)

struct session {
    const struct tuning *tuning;
    struct tuned *tuned;
    struct progress progress;
    uint64_t begin_ns;
    /* What was built and checked, of the candidates, `auto` and the libraries; NULL: not yet. */
    struct scorer *scorers[TUNE_CANDIDATES_MAX], *rivals[TUNE_RIVALS_MAX];
};

/* The time of timer_wall_ns at which such a share of the time is over. */
static uint64_t end_of(const struct session *session, double share) {
    return session->begin_ns + (uint64_t)(share * session->tuning->seconds * 1e9);
}

/* When the i-th of n batches is to end, which share out what is left until then. */
static uint64_t end_of_batch(const struct session *session, double share, size_t i, size_t n) {
    uint64_t now = timer_wall_ns(), end = end_of(session, share);
    return end > now ? now + (end - now) / (n - i) : now;
}

/* --- measuring -------------------------------------------------------------------------------- */

static struct matrix choose_documents(const struct tuning *tuning, size_t batch) {
    return calls_documents(tuning->documents, tuning->ensemble->n_trees, batch, batch, TUNE_VISITS);
}

/* Rounds, of which some are in any case, and others until a time. */
struct rounds {
    uint32_t least, most;
    uint64_t until_ns;
};

/* rows[i] is initialised, and freed by the caller whatever the outcome. */
static enum status measure(struct session *session, size_t batch, const char *const *specs,
                           size_t n_specs, const struct rounds *rounds, struct scorer **scorers,
                           struct row *rows, struct error *error) {
    const struct tuning *tuning = session->tuning;
    const struct matrix documents = choose_documents(tuning, batch);
    const struct measuring how = {.rounds = rounds->most,
                                  .until_ns = rounds->until_ns,
                                  .least_rounds = rounds->least,
                                  .scorers = scorers,
                                  .progress = &session->progress,
                                  .built_most = BUILT_MOST,
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

/* Some candidates at one size, by their numbers. */
static enum status measure_entries(struct session *session, struct tune_batch *batch,
                                   const size_t *numbers, size_t count, const struct rounds *rounds,
                                   enum tune_state state, struct error *error) {
    const char *specs[TUNE_CANDIDATES_MAX] = {NULL};
    struct scorer *scorers[TUNE_CANDIDATES_MAX] = {NULL};
    struct row *rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return error_memory(error, "rows");
    for (size_t i = 0; i < count; i++) {
        specs[i] = session->tuned->specs[numbers[i]];
        scorers[i] = session->scorers[numbers[i]];
    }
    enum status status = measure(session, batch->docs, specs, count, rounds, scorers, rows, error);
    for (size_t i = 0; i < count; i++) {
        session->scorers[numbers[i]] = scorers[i];
        struct tune_entry *entry = &batch->entries[numbers[i]];
        row_free(&entry->row);
        entry->row = rows[i];
        entry->state = rows[i].status == ROW_OK ? state : TUNE_REFUSED;
        /* One that lacked memory once must not be stored as one that cannot do the model. */
        if (!status && rows[i].status == ROW_FAILED && strstr(rows[i].reason, "out of memory"))
            status = error_set(error, STATUS_MEMORY, "%s: %s", specs[i], rows[i].reason);
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

static double call_ns(const struct tune_batch *batch, size_t candidate) {
    return batch->entries[candidate].row.median * (double)batch->docs;
}

/* Bounds for a call between the smallest and the largest. */
static double least_ns(const struct tuned *tuned, size_t candidate, size_t docs) {
    const struct tune_batch *first = &tuned->batches[0];
    const struct tune_batch *last = &tuned->batches[tuned->n_batches - 1];
    return fmax(auto_times_least(call_ns(first, candidate), first->docs, docs),
                auto_times_least(call_ns(last, candidate), last->docs, docs));
}

static double most_ns(const struct tuned *tuned, size_t candidate, size_t docs) {
    const struct tune_batch *first = &tuned->batches[0];
    const struct tune_batch *last = &tuned->batches[tuned->n_batches - 1];
    return fmin(auto_times_most(call_ns(first, candidate), first->docs, docs),
                auto_times_most(call_ns(last, candidate), last->docs, docs));
}

/* `auto` without tuning is measured everywhere: what is stored is to be no slower. */
static bool is_untuned(const struct tuned *tuned, size_t candidate) {
    return strcmp(tuned->specs[candidate], AUTO_UNTUNED) == 0;
}

static bool is_screened_at_ends(const struct tuned *tuned, size_t candidate) {
    return tuned->batches[0].entries[candidate].state == TUNE_SCREENED &&
           tuned->batches[tuned->n_batches - 1].entries[candidate].state == TUNE_SCREENED;
}

static bool is_hopeless(const struct tuned *tuned, size_t candidate, size_t docs) {
    double best = INFINITY;
    if (is_untuned(tuned, candidate))
        return false;
    for (size_t i = 0; i < tuned->n_specs; i++)
        if (is_screened_at_ends(tuned, i))
            best = fmin(best, most_ns(tuned, i, docs));
    return !is_screened_at_ends(tuned, candidate) ||
           least_ns(tuned, candidate, docs) > promising * best;
}

/* Of calls between the smallest and the largest, what is hopeless is not looked at. */
static enum status screen(struct session *session, struct tune_batch *batch, struct error *error) {
    const struct tuned *tuned = session->tuned;
    const struct tune_batch *first = &tuned->batches[0];
    const struct tune_batch *last = &tuned->batches[tuned->n_batches - 1];
    size_t numbers[TUNE_CANDIDATES_MAX], count = 0;
    char what[64];
    for (size_t i = 0; i < tuned->n_specs; i++) {
        bool refused = last->entries[i].state == TUNE_REFUSED;
        bool within = batch != first && batch != last;
        if (!refused && !(within && is_hopeless(tuned, i, batch->docs)))
            numbers[count++] = i;
    }
    snprintf(what, sizeof what, "calls of %zu documents: %zu implementations", batch->docs, count);
    progress_note(&session->progress, what);
    const struct rounds rounds = {1, SCREEN_ROUNDS, end_of(session, screening_end)};
    enum status status =
        measure_entries(session, batch, numbers, count, &rounds, TUNE_SCREENED, error);
    batch->screened = true;
    progress_done(&session->progress);
    return status;
}

static void forget_unscreened(struct tuned *tuned) {
    size_t kept = 0;
    for (size_t b = 0; b < tuned->n_batches; b++)
        if (tuned->batches[b].screened)
            tuned->batches[kept++] = tuned->batches[b];
        else
            tuned->skipped[tuned->n_skipped++] = tuned->batches[b].docs;
    tuned->n_batches = kept;
}

/* The ends first: they tell what need not be looked at between them. The largest has the most
 * documents, on which all are checked. Those between, as there is time. */
static enum status screen_all(struct session *session, struct error *error) {
    struct tuned *tuned = session->tuned;
    size_t last = tuned->n_batches - 1;
    enum status status = screen(session, &tuned->batches[last], error);
    if (!status && last > 0)
        status = screen(session, &tuned->batches[0], error);
    for (size_t b = 1; b < last && !status; b++)
        if (timer_wall_ns() < end_of(session, screening_end))
            status = screen(session, &tuned->batches[b], error);
    if (!status)
        forget_unscreened(tuned);
    return status;
}

/* --- sampling --------------------------------------------------------------------------------- */

static enum status sample(struct session *session, size_t number, struct error *error) {
    struct tuned *tuned = session->tuned;
    struct tune_batch *batch = &tuned->batches[number];
    const struct row *best = best_of(batch, tuned->n_specs, TUNE_SCREENED);
    size_t numbers[TUNE_CANDIDATES_MAX], count = 0;
    char what[64];
    if (!best)
        return error_set(error, STATUS_UNSUPPORTED,
                         "no implementation could be measured with calls of %zu documents: %s",
                         batch->docs, batch->entries[0].row.reason);
    batch->best_screened = best->median;
    for (size_t i = 0; i < tuned->n_specs; i++)
        if (batch->entries[i].state == TUNE_SCREENED &&
            (is_untuned(tuned, i) || batch->entries[i].row.median <= promising * best->median))
            numbers[count++] = i;
    const struct rounds rounds = {LEAST_ROUNDS, MOST_ROUNDS,
                                  end_of_batch(session, sampling_end, number, tuned->n_batches)};
    snprintf(what, sizeof what, "calls of %zu documents: the best %zu", batch->docs, count);
    progress_note(&session->progress, what);
    enum status status =
        measure_entries(session, batch, numbers, count, &rounds, TUNE_SAMPLED, error);
    progress_done(&session->progress);
    return status;
}

/* --- rivals ----------------------------------------------------------------------------------- */

static size_t number_of_best(const struct tuned *tuned, const struct tune_batch *batch) {
    const struct row *best = tune_best(tuned, batch);
    size_t number = 0;
    while (number + 1 < tuned->n_specs && &batch->entries[number].row != best)
        number++;
    return number;
}

/* The libraries that are here, always in one order, or else what a plain program would do; as long
 * as there is time. Returns how many rivals there are, with the two before them. */
static size_t add_libraries(struct session *session, char (*libraries)[AUTO_SPEC_SIZE],
                            const char **specs) {
    size_t count = calls_libraries(libraries, TUNE_RIVALS_MAX - 2);
    if (timer_wall_ns() > end_of(session, 1)) {
        session->tuned->hurried = true;
        return 2;
    }
    specs[2] = "struct-plus";
    for (size_t i = 0; i < count; i++)
        specs[2 + i] = libraries[i];
    return count ? 2 + count : 3;
}

/* What `auto` takes for such a call. */
static void describe_choice(const struct scorer *scorer, struct tune_batch *batch) {
    if (!scorer)
        return;
    scorer->impl->describe(scorer, batch->docs, batch->docs, batch->choice, sizeof batch->choice);
    batch->choice[strcspn(batch->choice, ";")] = '\0'; /* and by which times */
}

static enum status measure_rivals(struct session *session, size_t number, struct error *error) {
    struct tuned *tuned = session->tuned;
    struct tune_batch *batch = &tuned->batches[number];
    size_t best = number_of_best(tuned, batch);
    char what[64], libraries[TUNE_RIVALS_MAX - 2][AUTO_SPEC_SIZE];
    const char *specs[TUNE_RIVALS_MAX] = {"auto", tuned->specs[best]};
    const struct rounds rounds = {LEAST_RIVAL_ROUNDS, RIVAL_ROUNDS,
                                  end_of_batch(session, 1, number, tuned->n_batches)};
    batch->n_rivals = add_libraries(session, libraries, specs);
    session->rivals[1] = session->scorers[best];
    snprintf(what, sizeof what, "calls of %zu documents: auto and %s", batch->docs,
             specs[batch->n_rivals - 1]);
    progress_note(&session->progress, what);
    enum status status = measure(session, batch->docs, specs, batch->n_rivals, &rounds,
                                 session->rivals, batch->rivals, error);
    describe_choice(session->rivals[0], batch);
    progress_done(&session->progress);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void begin(struct session *session) {
    const struct tuning *tuning = session->tuning;
    struct tuned *tuned = session->tuned;
    tuned->threads = tuning->threads;
    tuned->source = tuning->source;
    memcpy(tuned->too_large, tuning->too_large, sizeof tuned->too_large);
    tuned->n_too_large = tuning->n_too_large;
    tuned->clock = tuning->threads > 1 ? "wall" : "cpu";
    tuned->n_batches = tuning->n_batches;
    for (size_t b = 0; b < tuning->n_batches; b++)
        tuned->batches[b].docs = tuning->batches[b];
    tuned->asked_seconds = tuning->seconds;
    for (size_t b = 0; b < tuning->n_batches; b++) {
        size_t n_docs = choose_documents(tuning, tuning->batches[b]).n_rows;
        tuned->n_docs = n_docs > tuned->n_docs ? n_docs : tuned->n_docs;
    }
    tuned->n_specs = calls_candidates(tuning->with_codegen, tuned->specs, TUNE_CANDIDATES_MAX - 1);
    snprintf(tuned->specs[tuned->n_specs++], AUTO_SPEC_SIZE, "%s", AUTO_UNTUNED);
    progress_begin(&session->progress, 3 * tuning->n_batches);
    session->progress.patience_ns = PATIENCE_NS;
    session->begin_ns = timer_wall_ns();
}

static void end(struct session *session) {
    session->rivals[1] = NULL; /* a candidate */
    for (size_t i = 0; i < TUNE_CANDIDATES_MAX; i++)
        scorer_destroy(session->scorers[i]);
    for (size_t i = 0; i < TUNE_RIVALS_MAX; i++)
        scorer_destroy(session->rivals[i]);
}

enum status tune(const struct tuning *tuning, struct tuned **tuned, struct error *error) {
    struct session session = {.tuning = tuning};
    *tuned = session.tuned = calloc(1, sizeof **tuned);
    if (!*tuned)
        return error_memory(error, "what is measured");
    begin(&session);
    enum status status = screen_all(&session, error);
    session.progress.total -= 3 * (*tuned)->n_skipped;
    for (size_t b = 0; b < (*tuned)->n_batches && !status; b++)
        status = sample(&session, b, error);
    if (!status && tuning->threads == 1)
        status = tune_store(tuning, *tuned, error);
    for (size_t b = 0; b < (*tuned)->n_batches && !status; b++)
        status = measure_rivals(&session, b, error);
    (*tuned)->seconds = (double)(timer_wall_ns() - session.begin_ns) * 1e-9;
    end(&session);
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
