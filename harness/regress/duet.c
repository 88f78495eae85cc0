#include "harness/regress/duet.h"

#include "base/cpu.h"
#include "base/loader.h"
#include "base/random.h"
#include "harness/counting/step.h"
#include "harness/instruments/stats.h"
#include "harness/instruments/timer.h"
#include "harness/measure/stage.h"
#include "library/treebench.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A sample takes at least this long. If a pass is shorter than a sample, an untimed pass precedes
 * each sample, because the other side has evicted code and documents from the caches. */
#define SAMPLE_NS 2e6
#define MOST_REPETITIONS ((uint64_t)1 << 20)

/* --- a library ---------------------------------------------------------------------------------
 */

/* A libtreebench of some build, loaded beside others. Only functions of its public interface
 * (library/treebench.h) are called, so that builds of other revisions can be loaded. */
struct scoring_library {
    void *handle;
    enum tb_status (*model_open)(const char *, struct tb_model **, struct tb_error *);
    void (*model_free)(struct tb_model *);
    size_t (*model_outputs)(const struct tb_model *);
    size_t (*model_features)(const struct tb_model *);
    enum tb_status (*scorer_build)(const struct tb_model *, const char *, struct tb_scorer **,
                                   struct tb_error *);
    void (*scorer_free)(struct tb_scorer *);
    enum tb_status (*context_create)(const struct tb_scorer *, struct tb_context **,
                                     struct tb_error *);
    void (*context_free)(struct tb_context *);
    enum tb_status (*score)(struct tb_context *, const float *, size_t, size_t, size_t, double *,
                            struct tb_error *);
};

/* A model of such a library that is ready to score. */
struct loaded_model {
    const struct scoring_library *library;
    struct tb_model *model;
    struct tb_scorer *scorer;
    struct tb_context *context;
};

/* The functions to find, and where to store their addresses. */
static const struct {
    const char *name;
    size_t at;
} functions[] = {
    {"tb_model_open", offsetof(struct scoring_library, model_open)},
    {"tb_model_free", offsetof(struct scoring_library, model_free)},
    {"tb_model_outputs", offsetof(struct scoring_library, model_outputs)},
    {"tb_model_features", offsetof(struct scoring_library, model_features)},
    {"tb_scorer_build", offsetof(struct scoring_library, scorer_build)},
    {"tb_scorer_free", offsetof(struct scoring_library, scorer_free)},
    {"tb_context_create", offsetof(struct scoring_library, context_create)},
    {"tb_context_free", offsetof(struct scoring_library, context_free)},
    {"tb_score", offsetof(struct scoring_library, score)},
};

/* Loads a shared library. STATUS_MACHINE if it cannot be loaded or lacks a function. Libraries stay
 * loaded until the program ends, because their threads may run. */
static enum status load_library(const char *path, struct scoring_library *library,
                                struct error *error) {
    const char *why;
    /* The loader would look for a name without a slash in the folders of the system. */
    char *real = realpath(path, NULL);
    if (!real)
        return error_set(error, STATUS_IO, "%s: %s", path, strerror(errno));
    enum status status = loader_open(real, &library->handle, &why);
    free(real);
    if (status)
        return error_set(error, status, "%s: cannot be loaded: %s", path, why);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library->handle, functions[i].name);
        if (!address)
            return error_set(error, STATUS_MACHINE,
                             "%s: has no function %s. Use a libtreebench of version 0.1 or later",
                             path, functions[i].name);
        memcpy((char *)library + functions[i].at, &address, sizeof address);
    }
    return STATUS_OK;
}

static enum status fail_as(enum tb_status failure, const struct tb_error *why,
                           struct error *error) {
    enum status status = failure == TB_UNSUPPORTED ? STATUS_UNSUPPORTED
                         : failure == TB_MACHINE   ? STATUS_MACHINE
                         : failure == TB_MEMORY    ? STATUS_MEMORY
                                                   : STATUS_INPUT;
    return error_set(error, status, "%s", why->text);
}

static void close_model(struct loaded_model *model) {
    if (model->context)
        model->library->context_free(model->context);
    if (model->scorer)
        model->library->scorer_free(model->scorer);
    if (model->model)
        model->library->model_free(model->model);
    *model = (struct loaded_model){.library = model->library};
}

/* Reads a model and builds a scorer. STATUS_UNSUPPORTED or STATUS_MACHINE if the implementation
 * refuses the model or the machine, STATUS_INPUT if the library does not know it. */
static enum status open_model(const struct scoring_library *library, const char *path,
                              const char *impl, struct loaded_model *model, struct error *error) {
    struct tb_error why;
    *model = (struct loaded_model){.library = library};
    enum tb_status failure = library->model_open(path, &model->model, &why);
    if (!failure)
        failure = library->scorer_build(model->model, impl, &model->scorer, &why);
    if (!failure)
        failure = library->context_create(model->scorer, &model->context, &why);
    if (!failure)
        return STATUS_OK;
    close_model(model);
    return fail_as(failure, &why, error);
}

/* --- a side ------------------------------------------------------------------------------------
 */

struct side {
    struct scoring_library library;
    struct loaded_model model;
    struct stage stage;
    double *samples; /* [rounds] ns per document */
};

struct duet {
    const struct duet_request *request;
    struct side sides[PAIR_SIDES];
    uint64_t repetitions;
    size_t n_outputs;
    enum pair_side first;
};

/* A call to count. */
struct counted_call {
    const struct side *side;
    size_t n; /* documents */
};

static enum pair_side other(enum pair_side side) {
    return side == PAIR_BASE ? PAIR_HEAD : PAIR_BASE;
}

static enum status open_side(struct duet *duet, enum pair_side name, struct random *random,
                             struct error *error) {
    const struct duet_request *request = duet->request;
    struct side *side = &duet->sides[name];
    struct error why;
    enum status status = load_library(request->libraries[name], &side->library, error);
    if (status)
        return status;
    status = open_model(&side->library, request->model, request->impl, &side->model, &why);
    if (status)
        return error_set(error, status, "%s: %s", pair_side_names[name], why.text);
    if (side->library.model_features(side->model.model) > request->documents->n_features)
        return error_set(error, STATUS_INPUT, "%s has more features than the documents",
                         request->model);
    duet->n_outputs = side->library.model_outputs(side->model.model);
    side->samples = calloc(request->rounds, sizeof *side->samples);
    if (!side->samples ||
        !stage_open_elsewhere(request->documents, duet->n_outputs, random, &side->stage))
        return error_memory(error, "a copy of the documents");
    return STATUS_OK;
}

static enum status pass(const struct duet *duet, enum pair_side name, struct error *error) {
    const struct side *side = &duet->sides[name];
    const struct matrix *documents = &side->stage.documents;
    size_t block = duet->request->block ? duet->request->block : documents->n_rows;
    struct tb_error why;
    for (size_t begin = 0; begin < documents->n_rows; begin += block) {
        size_t left = documents->n_rows - begin;
        if (side->library.score(side->model.context, matrix_row(documents, begin),
                                left < block ? left : block, documents->n_features,
                                documents->stride, side->stage.scores + begin * duet->n_outputs,
                                &why) != TB_OK)
            return error_set(error, STATUS_INPUT, "%s: %s", pair_side_names[name], why.text);
    }
    return STATUS_OK;
}

static enum status check_scores(const struct duet *duet, struct error *error) {
    const double *base = duet->sides[PAIR_BASE].stage.scores;
    const double *head = duet->sides[PAIR_HEAD].stage.scores;
    size_t count = duet->request->documents->n_rows * duet->n_outputs;
    for (size_t i = 0; i < count; i++)
        if (memcmp(&base[i], &head[i], sizeof *base) != 0)
            return error_set(
                error, STATUS_INPUT,
                "%s: document %zu scores %.17g in base, but %.17g in head: a change of "
                "scores is no matter of speed",
                duet->request->impl, i / duet->n_outputs, base[i], head[i]);
    return STATUS_OK;
}

static double time_passes(const struct duet *duet, enum pair_side side) {
    uint64_t begin = timer_cpu_ns();
    for (uint64_t i = 0; i < duet->repetitions; i++)
        pass(duet, side, NULL); /* cannot fail: it did not before */
    return (double)(timer_cpu_ns() - begin);
}

/* Finds repetitions for which the slower side's samples take long enough. Both sides have the same
 * number, so that both are disturbed alike. */
static double calibrate(struct duet *duet) {
    double took = 0;
    for (duet->repetitions = 1; duet->repetitions < MOST_REPETITIONS; duet->repetitions *= 2) {
        took = fmax(time_passes(duet, PAIR_BASE), time_passes(duet, PAIR_HEAD));
        if (took >= SAMPLE_NS)
            break;
    }
    return took / (double)duet->repetitions;
}

static void sample(struct duet *duet, enum pair_side side, uint32_t round, bool warmed) {
    double per = (double)duet->repetitions * (double)duet->request->documents->n_rows;
    if (warmed)
        pass(duet, side, NULL);
    duet->sides[side].samples[round] = time_passes(duet, side) / per;
}

/* Takes turns A B, B A, A B, ... */
static void take_rounds(struct duet *duet) {
    bool warmed = calibrate(duet) < SAMPLE_NS;
    for (uint32_t round = 0; round < duet->request->rounds; round++) {
        enum pair_side begins = round % 2 ? other(duet->first) : duet->first;
        sample(duet, begins, round, warmed);
        sample(duet, other(begins), round, warmed);
    }
}

static void summarise(const struct duet *duet, struct pair *result) {
    uint32_t rounds = duet->request->rounds;
    const double *base = duet->sides[PAIR_BASE].samples;
    double *head = duet->sides[PAIR_HEAD].samples;
    result->value[PAIR_BASE] = stats_median(base, rounds);
    result->value[PAIR_HEAD] = stats_median(head, rounds);
    for (uint32_t i = 0; i < rounds; i++)
        head[i] = log(head[i] / base[i]);
    result->log_ratio = stats_median(head, rounds);
}

/* Scores all documents by both sides. */
static enum status score_all(const struct duet *duet, struct error *error) {
    enum status status = pass(duet, duet->first, error);
    if (!status)
        status = pass(duet, other(duet->first), error);
    return status ? status : check_scores(duet, error);
}

static enum status measure(struct duet *duet, struct error *error) {
    struct cpu_affinity before;
    enum status status = score_all(duet, error);
    if (status)
        return status;
    cpu_pin_here(&before);
    take_rounds(duet);
    cpu_unpin(&before);
    return STATUS_OK;
}

/* --- counting --------------------------------------------------------------------------------- */

static void call_side(void *argument) {
    const struct counted_call *call = argument;
    const struct matrix *documents = &call->side->stage.documents;
    struct tb_error why;
    call->side->library.score(call->side->model.context, matrix_row(documents, 0), call->n,
                              documents->n_features, documents->stride, call->side->stage.scores,
                              &why); /* did not fail before */
}

static enum status count(struct duet *duet, struct error *error) {
    const struct duet_request *request = duet->request;
    size_t n = request->documents->n_rows;
    enum status status = score_all(duet, error);
    if (request->block && request->block < n)
        n = request->block;
    if (n > DUET_COUNTED_MOST)
        n = DUET_COUNTED_MOST;
    for (size_t i = 0; i < PAIR_SIDES && !status; i++) {
        struct counted_call call = {&duet->sides[i], n};
        step_region(call_side, &call);
    }
    return status;
}

/* --- both sides ------------------------------------------------------------------------------- */

static enum status open_both(struct duet *duet, struct error *error) {
    struct random random;
    random_seed(&random, duet->request->seed);
    duet->first = random_below(&random, PAIR_SIDES) ? PAIR_HEAD : PAIR_BASE;
    enum status status = open_side(duet, duet->first, &random, error);
    return status ? status : open_side(duet, other(duet->first), &random, error);
}

static void close_both(struct duet *duet) {
    for (size_t i = 0; i < PAIR_SIDES; i++) {
        close_model(&duet->sides[i].model);
        stage_close(&duet->sides[i].stage);
        free(duet->sides[i].samples);
    }
}

enum status duet_run(const struct duet_request *request, struct pair *result, struct error *error) {
    struct duet duet = {.request = request};
    enum status status = open_both(&duet, error);
    if (!status)
        status = measure(&duet, error);
    if (!status)
        summarise(&duet, result);
    close_both(&duet);
    return status;
}

enum status duet_count(const struct duet_request *request, struct error *error) {
    struct duet duet = {.request = request};
    enum status status = open_both(&duet, error);
    if (!status)
        status = count(&duet, error);
    close_both(&duet);
    return status;
}
