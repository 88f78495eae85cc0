#include "harness/tuning/tune.h"

#include "harness/instruments/progress.h"
#include "harness/instruments/timer.h"
#include "harness/measure/calls.h"
#include "harness/measure/measure.h"
#include "impls/scorer.h"

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
/* Candidates are sampled if screening finds them within this factor of the best. Between the
 * smallest and the largest size, a candidate is not even screened if its times at these two sizes
 * prove that it cannot come within this factor. */
static const double promising = 1.5;
/* Limit for the bytes of all built candidates together. */
#define BUILT_MOST ((size_t)4 << 30)
/* Building, screening and sampling end after these shares of the available time. The remaining time
 * is for the rivals, of which no more are built after rivals_built. */
static const double candidates_built = 0.25, screening_end = 0.55, sampling_end = 0.75,
                    rivals_built = 0.9;
/* So many candidates and rivals are built and measured even if the time is over: `auto` and the two
 * most promising candidates; `auto`, the best candidate and a library. */
enum { LEAST_BUILT = 3 };

struct session {
    const struct tune_request *request;
    struct tune_result *result;
    struct progress progress;
    uint64_t took_ns; /* the last screening, or the last measurement with libraries */
    /* Scorers that were built and checked: of candidates, and of rivals (`auto` and libraries).
     * NULL: not built yet. */
    struct scorer *scorers[TUNE_CANDIDATES_MAX], *rivals[TUNE_RIVALS_MAX];
};

/* Returns when this share of the available time is over, as a time of timer_wall_ns. */
static uint64_t end_of(const struct session *session, double share) {
    return session->request->begin_ns + (uint64_t)(share * session->request->seconds * 1e9);
}

/* Returns when the i-th of n batches must end. The batches that remain get equal parts of the time
 * until the end of the share. */
static uint64_t end_of_batch(const struct session *session, double share, size_t i, size_t n) {
    uint64_t now = timer_wall_ns(), end = end_of(session, share);
    return end > now ? now + (end - now) / (n - i) : now;
}

/* Would what took took_ns the last time end before the share of the time is over? */
static bool has_time(const struct session *session, double share) {
    return timer_wall_ns() + session->took_ns <= end_of(session, share);
}

/* --- measuring -------------------------------------------------------------------------------- */

static struct matrix choose_documents(const struct tune_request *request, size_t batch) {
    return calls_documents(request->documents, request->ensemble->n_trees, batch, batch,
                           TUNE_VISITS);
}

/* Limits the number of rounds. No round begins after until_ns except the first `least` rounds, and
 * there are never more than `most` rounds. */
struct rounds {
    uint32_t least, most;
    uint64_t until_ns, build_until_ns;
};

/* Initialises the rows and measures the specs. The caller frees rows[i], even on failure. */
static enum status measure(struct session *session, size_t batch, const char *const *specs,
                           size_t n_specs, const struct rounds *rounds, struct scorer **scorers,
                           struct row *rows, struct error *error) {
    const struct tune_request *request = session->request;
    const struct matrix documents = choose_documents(request, batch);
    const struct measure_request how = {.rounds = rounds->most,
                                        .until_ns = rounds->until_ns,
                                        .least_rounds = rounds->least,
                                        .build_until_ns = rounds->build_until_ns,
                                        .least_built = LEAST_BUILT,
                                        .placements = rounds->least,
                                        .scorers = scorers,
                                        .progress = &session->progress,
                                        .note = request->note,
                                        .drops_scorer_notes = true,
                                        .built_most = BUILT_MOST,
                                        .clock = session->result->clock,
                                        .counters = COUNTERS_NONE,
                                        .plan = {.order = ORDER_DS,
                                                 .doc_block = batch,
                                                 .threads = request->threads,
                                                 .parallel = PARALLEL_DOCUMENTS}};
    for (size_t i = 0; i < n_specs; i++) {
        row_free(&rows[i]);
        row_init(&rows[i]);
        snprintf(rows[i].workload.kind, sizeof rows[i].workload.kind, "files");
        row_set_variant(&rows[i], specs[i]);
    }
    enum status status =
        measure_cell(request->ensemble, &documents, specs, n_specs, &how, rows, error);
    return status ? status : calls_check_memory(rows, n_specs, error);
}

/* Measures the `count` candidates whose indices are in numbers[], with calls of one size. */
static enum status measure_entries(struct session *session, struct tune_batch *batch,
                                   const size_t *numbers, size_t count, const struct rounds *rounds,
                                   enum tune_state state, struct error *error) {
    const char *specs[TUNE_CANDIDATES_MAX] = {NULL};
    struct scorer *scorers[TUNE_CANDIDATES_MAX] = {NULL};
    struct row *rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return error_memory(error, "rows");
    for (size_t i = 0; i < count; i++) {
        specs[i] = session->result->specs[numbers[i]];
        scorers[i] = session->scorers[numbers[i]];
    }
    enum status status = measure(session, batch->docs, specs, count, rounds, scorers, rows, error);
    for (size_t i = 0; i < count; i++) {
        session->scorers[numbers[i]] = scorers[i];
        struct tune_entry *entry = &batch->entries[numbers[i]];
        row_free(&entry->row);
        entry->row = rows[i];
        entry->state = rows[i].status == ROW_OK ? state : TUNE_REFUSED;
    }
    free(rows);
    return status;
}

/* --- screening -------------------------------------------------------------------------------- */

static double call_ns(const struct tune_batch *batch, size_t candidate) {
    return batch->entries[candidate].row.median * (double)batch->docs;
}

/* least_ns and most_ns return bounds for a candidate's time per call of `docs` documents. They
 * follow from its times at the smallest and the largest size. */
static double least_ns(const struct tune_result *result, size_t candidate, size_t docs) {
    const struct tune_batch *first = &result->batches[0];
    const struct tune_batch *last = &result->batches[result->n_batches - 1];
    return fmax(auto_times_least(call_ns(first, candidate), first->docs, docs),
                auto_times_least(call_ns(last, candidate), last->docs, docs));
}

static double most_ns(const struct tune_result *result, size_t candidate, size_t docs) {
    const struct tune_batch *first = &result->batches[0];
    const struct tune_batch *last = &result->batches[result->n_batches - 1];
    return fmin(auto_times_most(call_ns(first, candidate), first->docs, docs),
                auto_times_most(call_ns(last, candidate), last->docs, docs));
}

/* `auto` without stored times is always measured, so that tuning never makes `auto` slower. */
static bool is_untuned(const struct tune_result *result, size_t candidate) {
    return strcmp(result->specs[candidate], AUTO_UNTUNED) == 0;
}

static bool is_screened_at_ends(const struct tune_result *result, size_t candidate) {
    return result->batches[0].entries[candidate].state == TUNE_SCREENED &&
           result->batches[result->n_batches - 1].entries[candidate].state == TUNE_SCREENED;
}

static bool is_hopeless(const struct tune_result *result, size_t candidate, size_t docs) {
    double best = INFINITY;
    if (is_untuned(result, candidate))
        return false;
    for (size_t i = 0; i < result->n_specs; i++)
        if (is_screened_at_ends(result, i))
            best = fmin(best, most_ns(result, i, docs));
    return !is_screened_at_ends(result, candidate) ||
           least_ns(result, candidate, docs) > promising * best;
}

/* Screens candidates with calls of one size. Skips hopeless candidates unless the size is the
 * smallest or the largest. */
static enum status screen(struct session *session, struct tune_batch *batch, struct error *error) {
    const struct tune_result *result = session->result;
    const struct tune_batch *first = &result->batches[0];
    const struct tune_batch *last = &result->batches[result->n_batches - 1];
    size_t numbers[TUNE_CANDIDATES_MAX], count = 0;
    char what[64];
    for (size_t i = 0; i < result->n_specs; i++) {
        bool refused = last->entries[i].state == TUNE_REFUSED;
        bool within = batch != first && batch != last;
        if (!refused && !(within && is_hopeless(result, i, batch->docs)))
            numbers[count++] = i;
    }
    snprintf(what, sizeof what, "calls of %zu documents: %zu implementations", batch->docs, count);
    progress_note(&session->progress, what);
    const struct rounds rounds = {1, SCREEN_ROUNDS, end_of(session, screening_end),
                                  end_of(session, candidates_built)};
    uint64_t begin = timer_wall_ns();
    enum status status =
        measure_entries(session, batch, numbers, count, &rounds, TUNE_SCREENED, error);
    session->took_ns = timer_wall_ns() - begin;
    batch->screened = true;
    progress_done(&session->progress);
    return status;
}

static void forget_unscreened(struct tune_result *result) {
    size_t kept = 0;
    for (size_t b = 0; b < result->n_batches; b++)
        if (result->batches[b].screened)
            result->batches[kept++] = result->batches[b];
        else
            tune_sizes_add(&result->skipped, result->batches[b].docs);
    result->n_batches = kept;
}

/* Screens calls of the largest and the smallest size first. Their times show which candidates can
 * be skipped at the sizes between them, which follow while there is time, the largest first:
 * `score` makes large calls. So few candidates are left there that the time of the first two sizes
 * does not tell how long that takes. Candidates are checked at the largest size, because it has the
 * most documents. */
static enum status screen_all(struct session *session, struct error *error) {
    struct tune_result *result = session->result;
    size_t last = result->n_batches - 1;
    enum status status = screen(session, &result->batches[last], error);
    if (!status && last > 0)
        status = screen(session, &result->batches[0], error);
    session->took_ns = 0;
    for (size_t b = last; b-- > 1 && !status;)
        if (has_time(session, screening_end))
            status = screen(session, &result->batches[b], error);
    if (!status)
        forget_unscreened(result);
    return status;
}

/* --- sampling --------------------------------------------------------------------------------- */

static enum status sample(struct session *session, size_t number, struct error *error) {
    struct tune_result *result = session->result;
    struct tune_batch *batch = &result->batches[number];
    const struct row *best = tune_best(result, batch, TUNE_SCREENED);
    size_t numbers[TUNE_CANDIDATES_MAX], count = 0;
    char what[64];
    if (!best)
        return error_set(
            error, STATUS_UNSUPPORTED,
            "no implementation could be measured with calls of %zu documents. The first "
            "reason: %s",
            batch->docs, batch->entries[0].row.reason);
    batch->best_screened = best->median;
    for (size_t i = 0; i < result->n_specs; i++)
        if (batch->entries[i].state == TUNE_SCREENED &&
            (is_untuned(result, i) || batch->entries[i].row.median <= promising * best->median))
            numbers[count++] = i;
    const struct rounds rounds = {LEAST_ROUNDS, MOST_ROUNDS,
                                  end_of_batch(session, sampling_end, number, result->n_batches),
                                  0};
    snprintf(what, sizeof what, "calls of %zu documents: the best %zu", batch->docs, count);
    progress_note(&session->progress, what);
    enum status status =
        measure_entries(session, batch, numbers, count, &rounds, TUNE_SAMPLED, error);
    progress_done(&session->progress);
    return status;
}

/* --- rivals ----------------------------------------------------------------------------------- */

static size_t number_of_best(const struct tune_result *result, const struct tune_batch *batch) {
    const struct row *best = tune_best(result, batch, TUNE_SAMPLED);
    size_t number = 0;
    while (number + 1 < result->n_specs && &batch->entries[number].row != best)
        number++;
    return number;
}

/* Appends rivals to specs[0] and specs[1]: implementations of the named device and the installed
 * libraries, that of the model's maker first, or the plain walk if there are none. Returns the
 * number of all rivals. */
static size_t add_libraries(const struct session *session, char (*libraries)[AUTO_SPEC_SIZE],
                            const char **specs) {
    size_t limit = TUNE_RIVALS_MAX - 2, devices = calls_of_kind(IMPL_DEVICE, libraries, limit);
    size_t count = devices + calls_of_kind(IMPL_LIBRARY, libraries + devices, limit - devices);
    calls_maker_first(session->request->ensemble, libraries + devices, count - devices);
    specs[2] = impl_with_role(IMPL_PLAIN_WALK)->name;
    for (size_t i = 0; i < count; i++)
        specs[2 + i] = libraries[i];
    return count ? 2 + count : 3;
}

/* Records what `auto` chooses for calls of this size. */
static void describe_choice(const struct scorer *scorer, struct tune_batch *batch) {
    if (!scorer)
        return;
    scorer->impl->describe(scorer, batch->docs, batch->docs, batch->choice, sizeof batch->choice);
    /* drops the part about where the times come from */
    batch->choice[strcspn(batch->choice, ";")] = '\0';
}

/* Measures the k-th of the sizes: without libraries if there is no time for them. The first size
 * always has some. */
static enum status measure_rivals(struct session *session, size_t k, struct tune_batch *batch,
                                  struct error *error) {
    struct tune_result *result = session->result;
    size_t best = number_of_best(result, batch);
    char what[64], libraries[TUNE_RIVALS_MAX - 2][AUTO_SPEC_SIZE];
    const char *specs[TUNE_RIVALS_MAX] = {"auto", result->specs[best]};
    const struct rounds rounds = {LEAST_RIVAL_ROUNDS, RIVAL_ROUNDS,
                                  end_of_batch(session, 1, k, result->n_batches),
                                  end_of(session, rivals_built)};
    uint64_t begin = timer_wall_ns();
    batch->hurried = k > 0 && !has_time(session, 1);
    batch->n_rivals = batch->hurried ? 2 : add_libraries(session, libraries, specs);
    session->rivals[1] = session->scorers[best];
    snprintf(what, sizeof what, "calls of %zu documents: auto and %s", batch->docs,
             specs[batch->n_rivals - 1]);
    progress_note(&session->progress, what);
    enum status status = measure(session, batch->docs, specs, batch->n_rivals, &rounds,
                                 session->rivals, batch->rivals, error);
    if (!batch->hurried)
        session->took_ns = timer_wall_ns() - begin;
    describe_choice(session->rivals[0], batch);
    progress_done(&session->progress);
    return status;
}

/* The largest and the smallest size come first: most users want one of them. */
static enum status measure_all_rivals(struct session *session, struct error *error) {
    struct tune_result *result = session->result;
    size_t last = result->n_batches - 1;
    enum status status = measure_rivals(session, 0, &result->batches[last], error);
    for (size_t b = 0; b < last && !status; b++)
        status = measure_rivals(session, b + 1, &result->batches[b], error);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void add_order(const struct order_choice *order, char spec[static AUTO_SPEC_SIZE]) {
    char ordered[VARIANT_SPEC_SIZE];
    variant_add_order(spec, order, ordered);
    snprintf(spec, AUTO_SPEC_SIZE, "%.*s", (int)AUTO_SPEC_SIZE - 1, ordered);
}

/* Stores the times, unless `auto` could not use them. */
static enum status store(struct tune_result *result, struct error *error) {
    const struct tune_request *request = result->request;
    if (request->threads > 1)
        return STATUS_OK;
    if (request->has_device) {
        error_set(&result->not_stored, STATUS_INPUT,
                  "auto needs CPU times, and with a device these are wall times");
        return STATUS_OK;
    }
    if (!request->order.is_given)
        return tune_store(result, error);
    error_set(&result->not_stored, STATUS_INPUT,
              "auto uses the default order, and these times are of order %s",
              order_name(request->order.order));
    return STATUS_OK;
}

static enum status list_candidates(const struct tune_request *request, struct tune_result *result,
                                   struct error *error) {
    char(*specs)[AUTO_SPEC_SIZE] = result->specs;
    snprintf(specs[0], AUTO_SPEC_SIZE, "%s", AUTO_UNTUNED);
    size_t count = calls_candidates(false, specs + 1, TUNE_CANDIDATES_MAX - 1);
    result->n_specs = 1 + count;
    enum status status =
        calls_promising_first(request->ensemble, request->batches[0],
                              request->batches[request->n_batches - 1], specs + 1, count, error);
    for (size_t i = 1; i < result->n_specs; i++)
        add_order(&request->order, specs[i]);
    return status;
}

static void begin(struct session *session) {
    const struct tune_request *request = session->request;
    struct tune_result *result = session->result;
    result->request = request;
    result->clock = request->threads > 1 || request->has_device ? "wall" : "cpu";
    result->n_batches = request->n_batches;
    for (size_t b = 0; b < request->n_batches; b++)
        result->batches[b].docs = request->batches[b];
    for (size_t b = 0; b < request->n_batches; b++) {
        size_t n_docs = choose_documents(request, request->batches[b]).n_rows;
        result->n_docs = n_docs > result->n_docs ? n_docs : result->n_docs;
    }
    progress_begin(&session->progress, 3 * request->n_batches);
    session->progress.patience_ns = PROGRESS_PATIENCE_NS;
}

static void end(struct session *session) {
    session->rivals[1] = NULL; /* freed with `scorers` below, because this rival is a candidate */
    for (size_t i = 0; i < TUNE_CANDIDATES_MAX; i++)
        scorer_destroy(session->scorers[i]);
    for (size_t i = 0; i < TUNE_RIVALS_MAX; i++)
        scorer_destroy(session->rivals[i]);
}

enum status tune(const struct tune_request *request, struct tune_result **result,
                 struct error *error) {
    struct session session = {.request = request};
    *result = session.result = calloc(1, sizeof **result);
    if (!*result)
        return error_memory(error, "the results of tune");
    begin(&session);
    enum status status = list_candidates(request, *result, error);
    if (!status)
        status = screen_all(&session, error);
    session.progress.total -= 3 * (*result)->skipped.n;
    for (size_t b = 0; b < (*result)->n_batches && !status; b++)
        status = sample(&session, b, error);
    if (!status)
        status = store(*result, error);
    if (!status)
        status = measure_all_rivals(&session, error);
    (*result)->seconds = (double)(timer_wall_ns() - request->begin_ns) * 1e-9;
    end(&session);
    return status;
}

void tune_result_free(struct tune_result *result) {
    if (!result)
        return;
    for (size_t b = 0; b < result->n_batches; b++) {
        for (size_t i = 0; i < result->n_specs; i++)
            row_free(&result->batches[b].entries[i].row);
        for (size_t i = 0; i < result->batches[b].n_rivals; i++)
            row_free(&result->batches[b].rivals[i]);
    }
    free(result);
}
