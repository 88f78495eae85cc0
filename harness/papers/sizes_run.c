#include "harness/papers/sizes_parts.h"

#include "base/memory.h"
#include "datasets/recipes/recipe.h"
#include "harness/artefacts/grid.h"
#include "harness/measure/trained.h"
#include "harness/quality/example_source.h"
#include "impls/framing/ifelse_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sizes_features[2] = {"int", "float"}, *const sizes_levels[2] = {"-O0", "-O3"};

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

bool sizes_ask(const struct artefact *artefact, const struct panel *panel,
               const struct point *point, size_t k, void *item) {
    struct code_size *size = item;
    size_t form = k / toolchain_count, examples = (size_t)4 * SIZES_EXAMPLES;
    size->subject = sizes_subject(artefact, panel, point);
    if (panel->trials == 0 || form >= (is_forest(&size->subject) ? 1 : examples))
        return false;
    if (!is_forest(&size->subject))
        sizes_choose_example(&size->subject, (enum sizes_example)(form % SIZES_EXAMPLES),
                             sizes_features[form / SIZES_EXAMPLES / 2],
                             sizes_levels[form / SIZES_EXAMPLES % 2]);
    snprintf(size->compiler, sizeof size->compiler, "%s", toolchain_names[k % toolchain_count]);
    return true;
}

/* --- compiling -------------------------------------------------------------------------------- */

static enum status write_example(FILE *stream, const struct code_subject *subject) {
    bool is_float = strcmp(subject->feature, sizes_features[1]) == 0;
    if (subject->leaves == 2)
        example_write_chain(stream, subject->splits, is_float);
    else
        example_write_tree(stream, subject->splits, is_float);
    return STATUS_OK;
}

/* Writes all trees and the function that counts their votes, as the implementation ifelse. */
static enum status write_forest(FILE *stream, const char *directory, struct code_size *size,
                                struct error *error) {
    struct code_subject *subject = &size->subject;
    const struct ifelse_form form = {
        .values = strcmp(subject->feature, sizes_features[0]) == 0 ? FRAMING_INT32 : FRAMING_FLOAT};
    struct ensemble *ensemble;
    struct matrix *documents;
    enum status status = trained_load(directory, &subject->workload, &ensemble, &documents, error);
    if (status)
        return status;
    const struct span trees = {0, ensemble->n_trees};
    status = ifelse_write_source(&form, ensemble, &trees, 1, stream, error);
    subject->splits = (uint32_t)ensemble->n_nodes;
    subject->leaves = (uint32_t)ensemble->n_leaves;
    snprintf(size->note, sizeof size->note, "%s", ensemble->note);
    size->origin = ensemble->origin;
    ensemble_free(ensemble);
    matrix_free(documents);
    return status;
}

static enum status measure_with(const struct toolchain *tool, const char *directory,
                                struct code_size *size, struct error *error) {
    char *source;
    size_t source_size;
    struct object_size object = {0, 0};
    FILE *stream = memory_open_stream(&source, &source_size);
    if (!stream)
        return error_memory(error, "generated source");
    enum status status = is_forest(&size->subject) ? write_forest(stream, directory, size, error)
                                                   : write_example(stream, &size->subject);
    bool is_complete = memory_close_stream(stream);
    if (!status && !is_complete)
        status = error_memory(error, "generated source");
    if (!status)
        status = toolchain_measure(tool, size->subject.level, source, source_size, directory,
                                   &object, error);
    memcpy(size->machine, tool->machine, sizeof size->machine);
    memcpy(size->version, tool->version, sizeof size->version);
    size->code = (double)object.code;
    size->constants = (double)object.constants;
    free(source);
    return status;
}

enum status sizes_measure(struct artefact_run *run, const struct artefact *artefact, void *item,
                          bool *is_missing, struct error *error) {
    struct code_size *size = item;
    struct toolchain tool;
    (void)artefact;
    enum status status = toolchain_find(size->compiler, &tool, error);
    *is_missing = status == STATUS_MACHINE;
    if (!*is_missing)
        return status ? status : measure_with(&tool, run->directory, size, error);
#pragma omp critical(artefact_missing)
    artefact_list_name(run->missing, sizeof run->missing, size->compiler);
    return STATUS_OK;
}
