/* Writes the tables of bit planes. Some tables depend on the width of a plane, and others on the
 * fan of a search tree: the number of children of its nodes. */
#include "export/parts.h"
#include "export/table.h"

#include <inttypes.h>

static const int fans[EXPORT_SHAPES] = {4, 8, 2};

enum status export_planes_build(struct export_model *model, struct error *error) {
    static const struct planes_shape shapes[EXPORT_SHAPES] = {
        {.impl = "planes", .fan_bits = 2, .plane_bytes = 32},
        {.impl = "planes", .fan_bits = 3, .plane_bytes = 32},
        {.impl = "planes", .fan_bits = 1, .plane_bytes = 64}};
    enum status status = STATUS_OK;
    for (int i = 0; i < EXPORT_SHAPES && !status; i++) {
        struct planes_model built;
        status = planes_model_build(model->ensemble, &shapes[i], &built, error);
        if (!status)
            model->planes[i] = built;
    }
    model->has_planes = !status;
    return status;
}

size_t export_planes_workspace(const struct export_model *model) {
    size_t n_planes = planes_model_planes(&model->planes[EXPORT_WIDTH_64]);
    return (PLANES_WORK + n_planes + 1) * 64 + PLANES_LINE;
}

/* The factors are nanoseconds, measured on Zen 3 with AVX2 for 1,000 trees of 64 leaves. A block
 * takes 2 per node and 4 per test. A plane that a set combines takes 0.5, the time of two loads. A
 * single document takes 4 per decision. */
size_t export_planes_few(const struct export_model *model) {
    enum { FEW_MAX = 256 }; /* documents in the smallest block */
    const struct planes_model *planes = &model->planes[EXPORT_WIDTH_32];
    double block = 2.0 * (double)planes->n_nodes + 4.0 * (double)planes->n_tests +
                   0.5 * (double)planes->xors.n_operands;
    double few = 1 + block / (4 * model->decisions + 1);
    return few < FEW_MAX ? (size_t)few : FEW_MAX;
}

static const struct planes_model *planes_of(const struct text_place *place) {
    return &((const struct export_model *)place->context)->planes[place->argument];
}

static void write_xors(const struct text_place *place) {
    const struct planes_model *planes = planes_of(place);
    struct table table = {.stream = place->stream};
    for (size_t i = 0; i < planes->xors.n_runs; i++) {
        const struct planes_xors *run = &planes->xors.runs[i];
        table_add(&table, "{xor_operands + %zu, %" PRIu32 ", %" PRIu32 "}",
                  (size_t)(run->operands - planes->xors.operands), run->n_planes, run->n_operands);
    }
    table_end(&table, "{xor_operands, 0, 0}");
}

static void write_trees(const struct text_place *place) {
    const struct planes_model *planes = planes_of(place);
    struct table table = {.stream = place->stream};
    for (size_t i = 0; i < planes->n_trees; i++) {
        const struct planes_tree *tree = &planes->trees[i];
        table_add(&table, "{leaf_values + %zu, NULL, %" PRIu32 ", %" PRIu32 ", %" PRIu32 "}",
                  (size_t)(tree->values - planes->values), tree->n_groups, tree->first_slot,
                  tree->output);
    }
    table_end(&table, "");
}

/* --- by the width of a plane ------------------------------------------------------------------ */

static void write_bundles(const struct text_place *place) {
    const struct planes_model *planes = planes_of(place);
    int bytes = place->argument == EXPORT_WIDTH_32 ? 32 : 64;
    struct table table = {.stream = place->stream};
    for (size_t i = 0; i < planes->n_bundles; i++) {
        const struct planes_bundle *bundle = &planes->bundles[i];
        size_t first = (size_t)(bundle->inputs - planes->inputs);
        table_add(
            &table,
            "{inputs_%d + %zu, separators_%d + %zu, %zu, all_trees + %zu, %zu, NULL, 0, 0, NULL}",
            bytes, first, bytes, first, bundle->n_nodes, (size_t)(bundle->trees - planes->trees),
            bundle->n_trees);
    }
    table_end(&table, "");
}

/* --- by the fan of a search tree -------------------------------------------------------------- */

static void write_feature(FILE *stream, const struct planes_model *planes,
                          const struct planes_feature *feature, int fan) {
    fprintf(stream,
            "    {%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", all_ranks + %zu, %" PRIu32
            ", %" PRIu32 ", {",
            feature->feature, feature->n_bits, feature->n_tests, feature->n_nan_left,
            (size_t)(feature->ranks - planes->ranks), feature->nan_rank, feature->n_levels);
    for (uint32_t level = 0; level < feature->n_levels; level++)
        fprintf(stream, "%skeys_%d + %zu", level ? ", " : "", fans[fan],
                (size_t)(feature->levels[level] - planes->keys));
    fputs("}},\n", stream);
}

static void write_features(const struct text_place *place) {
    const struct planes_model *planes = planes_of(place);
    for (size_t i = 0; i < planes->n_features; i++)
        write_feature(place->stream, planes, &planes->features[i], place->argument);
    if (planes->n_features == 0)
        fprintf(place->stream, "    {0, 0, 0, 0, all_ranks, 0, 0, {keys_%d}}\n",
                fans[place->argument]);
}

/* --- kernels ---------------------------------------------------------------------------------- */

static void write_kernel(const struct text_place *place) {
    static const struct {
        const char *kind, *suffix;
        int parts;
    } kernels[] = {
        {"vbmi", "_avx512", 1}, {"avx2", "_avx2", 1}, {"neon", "_any", 2}, {"portable", "_any", 2}};
    text_write_kernel(place->stream, kernels[place->argument].kind, kernels[place->argument].suffix,
                      kernels[place->argument].parts);
}

/* The sources that treebench itself is built from. */
static void write_source(const struct text_place *place) {
    static const char *const paths[] = {
        "impls/shared/float_key.h", "impls/planes/kernel/planes_types.h",
        "impls/walks/rank_bytes_types.h", "impls/walks/rank_avx512.h",
        "impls/walks/rank_bytes_tmpl.h"};
    text_write_source(place->stream, paths[place->argument]);
}

const struct text_part export_planes_parts[] = {{"float_key", write_source, 0},
                                                {"planes_types", write_source, 1},
                                                {"rank_types", write_source, 2},
                                                {"rank_avx512", write_source, 3},
                                                {"rank_kernel", write_source, 4},
                                                {"xors", write_xors, 0},
                                                {"trees", write_trees, 0},
                                                {"bundles_32", write_bundles, EXPORT_WIDTH_32},
                                                {"bundles_64", write_bundles, EXPORT_WIDTH_64},
                                                {"features_4", write_features, EXPORT_FAN_4},
                                                {"features_8", write_features, EXPORT_FAN_8},
                                                {"features_2", write_features, EXPORT_FAN_2},
                                                {"kernel_avx512", write_kernel, 0},
                                                {"kernel_avx2", write_kernel, 1},
                                                {"kernel_neon", write_kernel, 2},
                                                {"kernel_portable", write_kernel, 3},
                                                {NULL, NULL, 0}};
