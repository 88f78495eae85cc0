#include "harness/papers/sizes_parts.h"

#include "base/memory.h"
#include "datasets/recipes/recipe.h"
#include "harness/artefacts/grid.h"
#include "harness/instruments/progress.h"
#include "harness/measure/trained.h"
#include "harness/quality/example_source.h"
#include "impls/framing/ifelse_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sizes_features[2] = {"int", "float"}, *const sizes_levels[2] = {"-O0", "-O3"};

enum { TOOLCHAINS_MAX = 16 };

struct session {
    struct artefact_run *run;
    struct json_store store;
    struct toolchain tools[TOOLCHAINS_MAX]; /* that are installed */
    size_t n_tools;
    struct progress progress;
};

/* --- what is compiled ------------------------------------------------------------------------- */

static bool is_forest(const struct code_subject *subject) {
    return kind_is_forest(subject->workload.kind);
}

/* Test documents do not matter here. */
struct code_subject sizes_subject(const struct artefact *artefact, const struct panel *panel,
                                  const struct point *point) {
    struct code_subject subject = {.workload = grid_workload(artefact, panel, point, 0)};
    subject.workload.documents = 0;
    if (!is_forest(&subject))
        return subject;
    bool is_int = recipe_find(point->data)->type == RECIPE_INT;
    strcpy(subject.feature, sizes_features[is_int ? 0 : 1]);
    strcpy(subject.level, "-O3");
    return subject;
}

void sizes_choose_example(struct code_subject *subject, enum sizes_example example,
                          const char *feature, const char *level) {
    uint32_t k = UINT32_C(1) << subject->workload.depth;
    bool is_chain = example == SIZES_CHAIN || example == SIZES_LONG_CHAIN;
    bool is_small = example == SIZES_CHAIN || example == SIZES_TREE;
    subject->splits = is_small ? k : 2 * k;
    subject->leaves = is_chain ? 2 : subject->splits + 1;
    snprintf(subject->feature, sizeof subject->feature, "%s", feature);
    snprintf(subject->level, sizeof subject->level, "%s", level);
}

/* --- compiling -------------------------------------------------------------------------------- */

static bool has_all(const struct session *session, const struct code_subject *subject) {
    for (size_t i = 0; i < session->n_tools; i++)
        if (!code_sizes_find(&session->store.found, subject, session->tools[i].name))
            return false;
    return true;
}

static enum status measure_with(struct session *session, const struct toolchain *tool,
                                const struct code_subject *subject, const char *note,
                                const char *source, size_t source_size, struct error *error) {
    struct object_size object;
    struct code_size size = {.subject = *subject};
    enum status status = toolchain_measure(tool, subject->level, source, source_size,
                                           session->run->directory, &object, error);
    if (status)
        return status;
    snprintf(size.note, sizeof size.note, "%s", note);
    snprintf(size.compiler, sizeof size.compiler, "%s", tool->name);
    memcpy(size.machine, tool->machine, sizeof size.machine);
    memcpy(size.version, tool->version, sizeof size.version);
    size.code = (double)object.code;
    size.constants = (double)object.constants;
    session->run->measured++;
    return json_store_append(&session->store, &size, error);
}

static enum status measure_source(struct session *session, const struct code_subject *subject,
                                  const char *note, const char *source, size_t source_size,
                                  struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < session->n_tools && !status; i++)
        if (code_sizes_find(&session->store.found, subject, session->tools[i].name))
            session->run->found++;
        else
            status = measure_with(session, &session->tools[i], subject, note, source, source_size,
                                  error);
    return status;
}

static enum status measure_example(struct session *session, const struct code_subject *subject,
                                   struct error *error) {
    char *source;
    size_t size;
    FILE *stream = memory_open_stream(&source, &size);
    if (!stream)
        return error_memory(error, "generated source");
    bool is_float = strcmp(subject->feature, sizes_features[1]) == 0;
    if (subject->leaves == 2)
        example_write_chain(stream, subject->splits, is_float);
    else
        example_write_tree(stream, subject->splits, is_float);
    enum status status = memory_close_stream(stream)
                             ? measure_source(session, subject, "", source, size, error)
                             : error_memory(error, "generated source");
    free(source);
    return status;
}

static enum status measure_examples(struct session *session, struct code_subject *subject,
                                    struct error *error) {
    enum status status = STATUS_OK;
    for (size_t f = 0; f < 2; f++)
        for (size_t l = 0; l < 2; l++)
            for (enum sizes_example e = 0; e < SIZES_EXAMPLES && !status; e++) {
                sizes_choose_example(subject, e, sizes_features[f], sizes_levels[l]);
                status = measure_example(session, subject, error);
            }
    return status;
}

/* Compiles all trees and the function that counts their votes, as the implementation ifelse. */
static enum status measure_ensemble(struct session *session, struct code_subject *subject,
                                    const struct ensemble *ensemble, struct error *error) {
    const struct ifelse_form form = {
        .values = strcmp(subject->feature, sizes_features[0]) == 0 ? IFELSE_INT32 : IFELSE_FLOAT};
    const struct span trees = {0, ensemble->n_trees};
    char *source;
    size_t size;
    FILE *stream = memory_open_stream(&source, &size);
    if (!stream)
        return error_memory(error, "generated source");
    enum status status = ifelse_write_source(&form, ensemble, &trees, 1, stream, error);
    bool complete = memory_close_stream(stream);
    if (!status && !complete)
        status = error_memory(error, "generated source");
    subject->splits = (uint32_t)ensemble->n_nodes;
    subject->leaves = (uint32_t)ensemble->n_leaves;
    if (!status)
        status = measure_source(session, subject, ensemble->note, source, size, error);
    free(source);
    return status;
}

static enum status measure_forest(struct session *session, struct code_subject *subject,
                                  struct error *error) {
    struct ensemble *ensemble;
    struct matrix *documents;
    if (has_all(session, subject)) {
        session->run->found += session->n_tools;
        return STATUS_OK;
    }
    enum status status =
        trained_load(session->run->directory, &subject->workload, &ensemble, &documents, error);
    if (status)
        return status;
    status = measure_ensemble(session, subject, ensemble, error);
    ensemble_free(ensemble);
    matrix_free(documents);
    return status;
}

static enum status measure_point(struct session *session, const struct artefact *artefact,
                                 const struct panel *panel, const struct point *point,
                                 struct error *error) {
    struct code_subject subject = sizes_subject(artefact, panel, point);
    char where[POINT_TEXT_SIZE], what[POINT_TEXT_SIZE + 16];
    point_describe(point, where, sizeof where);
    snprintf(what, sizeof what, "compiling %s", where);
    progress_step(&session->progress, what);
    enum status status = is_forest(&subject) ? measure_forest(session, &subject, error)
                                             : measure_examples(session, &subject, error);
    progress_done(&session->progress);
    return status;
}

static enum status measure_artefact(struct session *session, const struct artefact *artefact,
                                    struct error *error) {
    enum status status = STATUS_OK;
    for (size_t p = 0; p < artefact->scale.n_panels; p++) {
        const struct panel *panel = &artefact->scale.panels[p];
        for (size_t i = 0; i < panel->n_points && panel->trials > 0 && !status; i++)
            status = measure_point(session, artefact, panel, &panel->points[i], error);
    }
    return status;
}

/* --- the run ---------------------------------------------------------------------------------- */

static enum status find_tools(struct session *session, struct error *error) {
    char *missing = session->run->missing;
    for (size_t i = 0; i < toolchain_count && session->n_tools < TOOLCHAINS_MAX; i++) {
        enum status status =
            toolchain_find(toolchain_names[i], &session->tools[session->n_tools], error);
        size_t used = strlen(missing);
        if (status == STATUS_MACHINE)
            snprintf(missing + used, sizeof session->run->missing - used, "%s%s", used ? ", " : "",
                     toolchain_names[i]);
        else if (status)
            return status;
        session->n_tools += !status;
    }
    return STATUS_OK;
}

/* Lists the artefacts whose code the shard compiles. Returns how many. */
static size_t take_shard(const struct artefact_run *run, const struct artefact **mine) {
    size_t kept = 0, index = 0;
    for (size_t i = 0; i < run->n_artefacts; i++)
        if (run->artefacts[i].kind == run->kind && shard_has(run->shard, index++))
            mine[kept++] = &run->artefacts[i];
    return kept;
}

static enum status measure_all(struct session *session, const struct artefact *const *artefacts,
                               size_t n_artefacts, struct error *error) {
    const struct artefact_run *run = session->run;
    enum status status = find_tools(session, error);
    if (!status)
        status =
            json_store_open(run->kind->lines, run->directory, run->resume, &session->store, error);
    size_t points = 0;
    for (size_t i = 0; i < n_artefacts; i++)
        points += scale_points(&artefacts[i]->scale);
    progress_begin(&session->progress, points);
    for (size_t i = 0; i < n_artefacts && !status; i++)
        status = measure_artefact(session, artefacts[i], error);
    json_store_close(&session->store);
    return status;
}

enum status sizes_run(struct artefact_run *run, struct error *error) {
    const struct artefact **mine = calloc(run->n_artefacts + 1, sizeof *mine);
    struct session *session = calloc(1, sizeof *session);
    size_t count = mine ? take_shard(run, mine) : 0;
    enum status status = mine && session ? STATUS_OK : error_memory(error, "compilers");
    if (!status)
        session->run = run;
    if (!status && count > 0)
        status = measure_all(session, mine, count, error);
    free(session);
    free(mine);
    return status;
}
