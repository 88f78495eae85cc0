/* The parts of an export that depend on the model. Each part replaces one line of a template. */
#ifndef EXPORT_PARTS_H
#define EXPORT_PARTS_H

#include "base/memory.h"
#include "base/status.h"
#include "datasets/matrix.h"
#include "export/text.h"
#include "impls/planes/planes_model.h"
#include "impls/walks/rank_bytes_model.h"
#include "models/ensemble.h"
#include "models/placing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shapes of planes, by the fan of their search trees. Some tables depend only on the width. */
enum { EXPORT_FAN_4, EXPORT_FAN_8, EXPORT_FAN_2, EXPORT_SHAPES };
enum { EXPORT_WIDTH_32 = EXPORT_FAN_4, EXPORT_WIDTH_64 = EXPORT_FAN_2 };

/* All data that an export writes, computed before the first file is written. */
struct export_model {
    const struct ensemble *ensemble;
    const struct placing *placing;       /* NULL if the model compares float32 */
    const struct categories *categories; /* NULL if the model does not list categories */
    const struct text_value *values;     /* values of the templates' keys */
    struct memory_pool pool; /* of `framed`, `framed_place`, `used`, `first_level` and `levels` */

    bool has_planes;
    /* Bytes of a plane, and children of a node of the search trees: 32 and 4, 32 and 8, 64 and
     * 2. */
    struct planes_model planes[EXPORT_SHAPES];
    struct rank_model *rank_bytes; /* NULL if the scorer does not have them */
    size_t few_avx512; /* with both: fewer documents than this are scored by rank-bytes */

    enum impl_form walk; /* how the scorer finds leaves without planes */
    char *blocks;        /* IMPL_BLOCKS: the functions of trees */
    /* IMPL_FRAMES: [n_nodes] the nodes of each tree in their order, and their places in it; the
     * types of numbers in nodes */
    uint32_t *framed, *framed_place;
    const char *feature_type, *child_type;
    size_t walk_bytes; /* of both: about the size of code with its constants, or that of tables */

    double decisions; /* mean number of nodes that a document visits in all trees together, if all
                         leaves of a tree are equally likely */

    /* The features that at least one node tests, ascending. */
    uint32_t *used;
    size_t n_used;

    /* Some thresholds of feature used[i]: levels[first_level[i]] to levels[first_level[i + 1] - 1],
     * in increasing order. */
    uint32_t *first_level;
    float *levels;

    struct matrix *rows; /* the test's documents (synth_probes) */
    double *expected;    /* [rows->n_rows * n_outputs] scores of the implementation "reference" */
};

/* The parts of all templates, by the file that writes them. */
extern const struct text_part export_array_parts[], export_scorer_parts[], export_planes_parts[],
    export_rank_parts[], export_walk_parts[], export_rows_parts[];

/* --- kernels ---------------------------------------------------------------------------------- */
enum status export_planes_build(struct export_model *model, struct error *error);

/* The number of documents for which scoring one by one takes as long as a block of planes. */
size_t export_planes_few(const struct export_model *model);

/* Size of the workspace in bytes, large enough for the kernel of every processor. */
size_t export_planes_workspace(const struct export_model *model);

/* Build model->rank_bytes and model->few_avx512. */
enum status export_rank_bytes_build(struct export_model *model, struct error *error);
enum status export_few_make(struct export_model *model, struct error *error);
size_t export_rank_bytes_workspace(const struct export_model *model);

/* --- trees for machines without vector units -------------------------------------------------- */
enum status export_trees_make(struct export_model *model, struct error *error);

/* --- documents -------------------------------------------------------------------------------- */
size_t export_placed_rows(const struct export_model *model); /* rows that are placed together */
bool export_has_categories(const struct export_model *model);

/* Makes rows, expected scores and levels. */
enum status export_rows_make(struct export_model *model, struct error *error);

#endif
