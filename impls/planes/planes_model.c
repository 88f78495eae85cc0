#include "impls/planes/planes_model.h"

#include "base/order.h"
#include "impls/planes/kernel/planes_tables.h"
#include "impls/planes/planes_sets.h"
#include "impls/shared/sorted_tests.h"
#include "impls/shared/splits.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- tests ------------------------------------------------------------------------------------ */

struct building {
    const struct ensemble *ensemble;
    const struct planes_shape *shape;
    struct planes_model *model;
    struct memory_pool pool; /* of what is needed only to build */
    struct planes_sets sets;
    struct sorted_test *sorted; /* [n_sorted] plain tests: of plain nodes and of the sets' cuts */
    size_t n_sorted;
    uint32_t *test;      /* test of each node, then test of each cut of the sets */
    int32_t *thresholds; /* [n_thresholds] keys of one feature's thresholds, ascending */
    uint32_t n_thresholds;
    size_t keys_used;
};

static void sort_tests(struct building *b) {
    const struct ensemble *e = b->ensemble;
    for (size_t node = 0; node < e->n_nodes; node++)
        if (!ensemble_is_set(e, node))
            b->sorted[b->n_sorted++] = sorted_test_of(e, node);
    size_t cut = e->n_nodes;
    for (size_t s = 0; s < b->sets.n_sets; s++) {
        const struct planes_set *set = &b->sets.sets[s];
        for (uint32_t i = 0; i < set->n_keys; i++)
            b->sorted[b->n_sorted++] =
                (struct sorted_test){sorted_test_order(set->feature, false, set->keys[i]), cut++};
    }
    sorted_tests_sort(b->sorted, b->n_sorted);
}

/* Numbers the plain tests and counts the features. */
static void number_tests(struct building *b) {
    size_t tests = 0, features = 0;
    for (size_t i = 0; i < b->n_sorted; i++) {
        const struct sorted_test *test = &b->sorted[i];
        tests += i == 0 || test->order != test[-1].order;
        features += i == 0 || sorted_test_feature(test) != sorted_test_feature(test - 1);
        b->test[test->node] = (uint32_t)(tests - 1);
    }
    b->model->n_tests = tests;
    b->model->n_features = features;
}

/* Plans how to make the planes of sets from the planes of cuts, and numbers the tests of set nodes.
 */
static bool number_sets(struct building *b) {
    size_t n_sets = b->sets.n_sets;
    struct planes_xor_set *sets = memory_pool_array(&b->pool, n_sets, sizeof *sets);
    const uint32_t *tests = b->test + b->ensemble->n_nodes;
    for (size_t s = 0; sets && s < n_sets; s++) {
        const struct planes_set *set = &b->sets.sets[s];
        sets[s] = (struct planes_xor_set){tests, set->n_keys, set->feature};
        tests += set->n_keys;
    }
    struct planes_xor_program *program = &b->model->xors;
    bool done = sets && planes_xors_make(sets, n_sets, b->model->n_tests, program);
    for (size_t node = 0; done && n_sets && node < b->ensemble->n_nodes; node++)
        if (ensemble_is_set(b->ensemble, node))
            b->test[node] = program->set_plane[b->sets.set_of[node]];
    b->model->bytes +=
        program->n_runs * sizeof *program->runs + program->n_operands * sizeof *program->operands;
    return done;
}

/* --- features --------------------------------------------------------------------------------- */

static uint32_t bit_length(uint32_t value) {
    return value ? 32 - (uint32_t)__builtin_clz(value) : 0;
}

/* Collects the distinct thresholds of the tests [begin, end), which are all of one feature. If NaN
 * may go left, +inf is added as a threshold, because only the key of NaN is greater. */
static void collect_thresholds(struct building *b, size_t begin, size_t end) {
    uint32_t count = 0;
    for (size_t i = begin; i < end; i++)
        if (i == begin || b->sorted[i].order != b->sorted[i - 1].order)
            b->thresholds[count++] = sorted_test_key(&b->sorted[i]);
    if (sorted_test_nan_left(&b->sorted[end - 1]))
        b->thresholds[count++] = float_key(__builtin_inff());
    qsort(b->thresholds, count, sizeof *b->thresholds, compare_int32s);
    b->n_thresholds = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || b->thresholds[i] != b->thresholds[i - 1])
            b->thresholds[b->n_thresholds++] = b->thresholds[i];
}

/* The lowest rank of values that are greater than a threshold. */
static uint32_t rank_over(const struct building *b, int32_t key) {
    const int32_t *found =
        bsearch(&key, b->thresholds, b->n_thresholds, sizeof key, compare_int32s);
    return (uint32_t)(found - b->thresholds) + 1;
}

static uint32_t *add_tests(const struct building *b, struct planes_feature *feature,
                           uint32_t *ranks, size_t begin, size_t end) {
    feature->ranks = ranks;
    for (size_t i = begin; i < end; i++) {
        const struct sorted_test *test = &b->sorted[i];
        if (i > begin && test->order == test[-1].order)
            continue;
        *ranks++ = rank_over(b, sorted_test_key(test));
        if (sorted_test_nan_left(test))
            feature->n_nan_left++;
        else
            feature->n_tests++;
    }
    if (feature->n_nan_left)
        feature->nan_rank = rank_over(b, float_key(__builtin_inff()));
    return ranks;
}

static uint32_t count_levels(uint32_t n_thresholds, unsigned fan_bits) {
    return (bit_length(n_thresholds) + fan_bits - 1) / fan_bits;
}

/* The number of nodes of the level that has `below` levels under it. */
static size_t count_nodes(uint32_t n_thresholds, unsigned fan_bits, uint32_t below) {
    return ((uint64_t)n_thresholds >> fan_bits * (below + 1)) + 1;
}

/* The number of keys per table of a level. 0 if the level does not consist of tables. */
static size_t table_size(unsigned fan_bits, size_t n_nodes) {
    if (fan_bits != PLANES_TABLE_FAN_BITS || n_nodes > PLANES_TABLE_NODES)
        return 0;
    size_t size = 8;
    while (size < n_nodes)
        size *= 2;
    return n_nodes == 1 ? 1 : size;
}

static size_t count_level_keys(uint32_t n_thresholds, unsigned fan_bits, uint32_t below) {
    if (fan_bits == 1) {
        size_t nodes = (size_t)1 << (bit_length(n_thresholds) - 1 - below);
        return nodes > PLANES_LEVEL_KEYS ? nodes : PLANES_LEVEL_KEYS;
    }
    size_t n_nodes = count_nodes(n_thresholds, fan_bits, below);
    size_t size = table_size(fan_bits, n_nodes);
    return (size ? size : n_nodes) << fan_bits;
}

/* Key j of node i of the level with `below` levels under it. The key is threshold number
 * (i * fan + j + 1) * fan^below, counted from 1. INT32_MAX if there is no such threshold. */
static int32_t key_of(const struct building *b, size_t i, size_t j, uint32_t below) {
    unsigned fan_bits = b->shape->fan_bits;
    uint64_t place = (((uint64_t)i << fan_bits) + j + 1) << fan_bits * below;
    bool is_key = j + 1 < (size_t)1 << fan_bits && place <= b->n_thresholds;
    return is_key ? b->thresholds[place - 1] : INT32_MAX;
}

static void fill_level(const struct building *b, uint32_t below, int32_t *keys, size_t count) {
    unsigned fan_bits = b->shape->fan_bits;
    size_t size = table_size(fan_bits, count_nodes(b->n_thresholds, fan_bits, below));
    size_t node_keys = fan_bits > 1 ? (size_t)1 << fan_bits : 1;
    for (size_t i = 0; i < count; i++)
        keys[i] = size ? key_of(b, i % size, i / size, below)
                       : key_of(b, i / node_keys, i % node_keys, below);
}

static void add_search_tree(struct building *b, struct planes_feature *feature) {
    unsigned fan_bits = b->shape->fan_bits;
    feature->n_levels = count_levels(b->n_thresholds, fan_bits);
    for (uint32_t level = 0; level < feature->n_levels; level++) {
        uint32_t below = feature->n_levels - 1 - level;
        size_t count = count_level_keys(b->n_thresholds, fan_bits, below);
        int32_t *keys = b->model->keys + b->keys_used;
        fill_level(b, below, keys, count);
        feature->levels[level] = keys;
        b->keys_used += count;
    }
}

/* The end of the run of tests that have the same feature as the test at `begin`. */
static size_t end_of_feature(const struct building *b, size_t begin) {
    size_t end = begin + 1;
    while (end < b->n_sorted &&
           sorted_test_feature(&b->sorted[end]) == sorted_test_feature(&b->sorted[begin]))
        end++;
    return end;
}

static size_t count_keys(struct building *b) {
    size_t total = 0;
    for (size_t begin = 0, end; begin < b->n_sorted; begin = end) {
        end = end_of_feature(b, begin);
        collect_thresholds(b, begin, end);
        uint32_t n_levels = count_levels(b->n_thresholds, b->shape->fan_bits);
        for (uint32_t below = 0; below < n_levels; below++)
            total += count_level_keys(b->n_thresholds, b->shape->fan_bits, below);
    }
    return total;
}

static void fill_features(struct building *b) {
    struct planes_feature *feature = b->model->features;
    uint32_t *ranks = b->model->ranks;
    for (size_t begin = 0, end; begin < b->n_sorted; begin = end, feature++) {
        end = end_of_feature(b, begin);
        collect_thresholds(b, begin, end);
        feature->feature = sorted_test_feature(&b->sorted[begin]);
        feature->n_bits = bit_length(b->n_thresholds);
        ranks = add_tests(b, feature, ranks, begin, end);
        add_search_tree(b, feature);
    }
}

/* --- trees ------------------------------------------------------------------------------------ */

static uint32_t count_groups(uint32_t n_leaves) {
    return (n_leaves + PLANES_GROUP - 1) / PLANES_GROUP;
}

/* The least power of two that is greater than all codes of a tree with this number of leaves. */
static size_t count_codes(uint32_t n_leaves) {
    return (size_t)1 << bit_length(n_leaves - 1);
}

/* The number of values of a tree that stay doubles. If they lie byte by byte, it is at least 8, so
 * that it follows from the number of groups. */
static size_t count_values(const struct building *b, uint32_t t) {
    size_t codes = count_codes(ensemble_tree_leaves(b->ensemble, t));
    return b->shape->byte_values && codes < PLANES_GROUP ? PLANES_GROUP : codes;
}

/* table_codes (struct planes_bundle) of the bundle that begins with tree `begin`. */
static uint32_t find_table_codes(const struct building *b, uint32_t begin) {
    uint32_t end = begin + PLANES_BUNDLE, most = 1;
    for (uint32_t t = begin; t < end && t < b->ensemble->n_trees; t++) {
        uint32_t codes = (uint32_t)count_codes(ensemble_tree_leaves(b->ensemble, t));
        most = codes > most ? codes : most;
    }
    return most <= b->shape->float_codes ? most : 0;
}

/* Where the next node is written. */
struct node_writer {
    planes_inputs *input;
    planes_output *separator;
    unsigned plane_bytes;
};

static void write_node(struct node_writer *writer, uint32_t above, uint32_t below, uint32_t test,
                       uint32_t separator) {
    uint64_t bytes = writer->plane_bytes;
    *writer->input++ = above * bytes | below * bytes << 16 | test * bytes << 32;
    *writer->separator++ = (planes_output)(separator * bytes);
}

static void write_empty(struct node_writer *writer, uint32_t separator) {
    write_node(writer, PLANES_SLOT_NONE, PLANES_SLOT_NONE, 0, separator);
}

/* Writes the nodes of tree t that are at this depth. */
static void write_level(const struct building *b, uint32_t t, const struct split *splits,
                        uint32_t depth, uint32_t *next, struct node_writer *writer) {
    const struct ensemble *e = b->ensemble;
    uint32_t n_nodes = ensemble_tree_nodes(e, t), first = b->model->trees[t].first_slot;
    for (; *next < n_nodes && splits[*next].depth == depth; ++*next) {
        const struct split *s = &splits[*next];
        uint32_t above = s->first == 0 ? PLANES_SLOT_ALL : first + s->first;
        uint32_t below = s->last == n_nodes + 1 ? PLANES_SLOT_NONE : first + s->last;
        write_node(writer, above, below, b->test[e->tree_node[t] + *next], first + s->middle);
    }
}

/* Pads the separators of tree t to a multiple of PLANES_GROUP. Each missing separator gets a node
 * that makes an empty plane. */
static void write_padding(const struct building *b, uint32_t t, struct node_writer *writer) {
    const struct planes_tree *tree = &b->model->trees[t];
    uint32_t n_leaves = ensemble_tree_leaves(b->ensemble, t);
    for (uint32_t c = n_leaves; c < tree->n_groups * PLANES_GROUP; c++)
        write_empty(writer, tree->first_slot + c);
}

static void fill_bundle(const struct building *b, struct planes_bundle *bundle,
                        struct node_writer *writer) {
    struct split splits[PLANES_BUNDLE][PLANES_MAX_LEAVES];
    uint32_t next[PLANES_BUNDLE] = {0}, deepest = 0;
    uint32_t begin = (uint32_t)(bundle->trees - b->model->trees);
    uint32_t end = begin + (uint32_t)bundle->n_trees;
    bundle->inputs = writer->input;
    bundle->separators = writer->separator;
    for (uint32_t t = begin; t < end; t++) {
        splits_find(b->ensemble, t, splits[t - begin]);
        write_padding(b, t, writer);
        uint32_t depth = b->ensemble->tree_depth[t];
        deepest = depth > deepest ? depth : deepest;
    }
    for (uint32_t depth = 0; depth < deepest; depth++)
        for (uint32_t t = begin; t < end; t++)
            write_level(b, t, splits[t - begin], depth, &next[t - begin], writer);
    while ((writer->input - bundle->inputs) % PLANES_STEPS)
        write_empty(writer, PLANES_SLOT_NONE);
    bundle->n_nodes = (size_t)(writer->input - bundle->inputs);
}

/* The value of a leaf; 0 if the tree has no such leaf. */
static double value_of(const struct ensemble *e, uint32_t t, uint32_t leaf) {
    return leaf < ensemble_tree_leaves(e, t) ? e->value[e->tree_leaf[t] + leaf] : 0;
}

/* Moves the values of a table, so that their lowest bytes come first, then their second bytes, and
 * so on. */
static void sort_bytes(double *values, size_t count) {
    uint8_t bytes[PLANES_VALUE_TABLE * sizeof *values], *to = (uint8_t *)values;
    memcpy(bytes, values, count * sizeof *values);
    for (size_t byte = 0; byte < sizeof *values; byte++)
        for (size_t i = 0; i < count; i++)
            *to++ = bytes[i * sizeof *values + byte];
}

static double *fill_values(const struct building *b, uint32_t t, double *values) {
    size_t count = count_values(b, t);
    for (uint32_t i = 0; i < count; i++) {
        double value = value_of(b->ensemble, t, i);
        values[i ^ i >> 1] = b->shape->in_chain ? (double)(float)value : value;
    }
    for (size_t i = 0; b->shape->byte_values && i < count; i += PLANES_VALUE_TABLE)
        sort_bytes(values + i, count - i < PLANES_VALUE_TABLE ? count - i : PLANES_VALUE_TABLE);
    return values + count;
}

static void fill_tables(const struct ensemble *e, uint32_t t, uint8_t *tables) {
    for (uint32_t i = 0; i < count_codes(ensemble_tree_leaves(e, t)); i++) {
        float value = (float)value_of(e, t, i);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (unsigned byte = 0; byte < sizeof bits; byte++)
            tables[planes_table_place(i ^ i >> 1, byte)] = (uint8_t)(bits >> 8 * byte);
    }
}

/* Fills in the values of a bundle as floats or doubles. */
static void fill_bundle_values(const struct building *b, struct planes_bundle *bundle,
                               uint8_t **tables, double **values) {
    uint32_t begin = (uint32_t)(bundle->trees - b->model->trees);
    bundle->table_codes = find_table_codes(b, begin);
    for (uint32_t t = begin; t < begin + bundle->n_trees; t++) {
        struct planes_tree *tree = &b->model->trees[t];
        if (bundle->table_codes) {
            tree->tables = *tables;
            fill_tables(b->ensemble, t, *tables);
            *tables += planes_tables_bytes(bundle->table_codes);
        } else {
            tree->values = *values;
            *values = fill_values(b, t, *values);
        }
    }
}

static void fill_trees(struct building *b) {
    uint32_t slot = 0;
    for (uint32_t t = 0; t < b->ensemble->n_trees; t++) {
        struct planes_tree *tree = &b->model->trees[t];
        slot = t % PLANES_BUNDLE == 0 ? PLANES_SLOT_ALL : slot;
        tree->n_groups = count_groups(ensemble_tree_leaves(b->ensemble, t));
        tree->first_slot = b->shape->compiler ? t % PLANES_BUNDLE * PLANES_CODE_BITS : slot;
        tree->output = b->ensemble->tree_output[t];
        slot += tree->n_groups * PLANES_GROUP - 1;
    }
}

static void fill_bundles(struct building *b) {
    uint8_t *tables = b->model->tables;
    double *values = b->model->values;
    struct node_writer writer = {b->model->inputs, b->model->separators, b->shape->plane_bytes};
    for (size_t i = 0; i < b->model->n_bundles; i++) {
        struct planes_bundle *bundle = &b->model->bundles[i];
        size_t begin = i * PLANES_BUNDLE, left = b->model->n_trees - begin;
        bundle->trees = b->model->trees + begin;
        bundle->n_trees = left < PLANES_BUNDLE ? left : PLANES_BUNDLE;
        fill_bundle_values(b, bundle, &tables, &values);
        if (!b->shape->compiler)
            fill_bundle(b, bundle, &writer);
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

static void allocate_trees(struct building *b) {
    size_t n_nodes = 0, n_values = PLANES_VALUES_SLACK, tables_bytes = 0;
    for (uint32_t t = 0; t < b->ensemble->n_trees; t++) {
        uint32_t n_leaves = ensemble_tree_leaves(b->ensemble, t);
        if (!b->shape->compiler)
            n_nodes += count_groups(n_leaves) * PLANES_GROUP; /* an upper bound */
        uint32_t table_codes = find_table_codes(b, t - t % PLANES_BUNDLE);
        if (table_codes)
            tables_bytes += planes_tables_bytes(table_codes);
        else
            n_values += count_values(b, t);
    }
    struct planes_model *model = b->model;
    struct memory_pool *pool = &model->pool;
    model->n_trees = b->ensemble->n_trees;
    model->n_nodes = n_nodes;
    model->n_values = n_values;
    model->n_bundles = (model->n_trees + PLANES_BUNDLE - 1) / PLANES_BUNDLE;
    model->bundles = memory_pool_array(pool, model->n_bundles, sizeof *model->bundles);
    model->trees = memory_pool_array(pool, model->n_trees, sizeof *model->trees);
    model->inputs = memory_pool_array(pool, n_nodes, sizeof *model->inputs);
    model->separators = memory_pool_array(pool, n_nodes, sizeof *model->separators);
    model->values = memory_pool_array(pool, n_values, sizeof *model->values);
    model->tables = memory_pool_array(pool, tables_bytes, 1);
}

static void allocate_features(struct building *b) {
    struct planes_model *model = b->model;
    struct memory_pool *pool = &model->pool;
    model->n_keys = count_keys(b);
    model->features = memory_pool_array(pool, model->n_features, sizeof *model->features);
    model->ranks = memory_pool_array(pool, model->n_tests, sizeof *model->ranks);
    model->keys = memory_pool_array(pool, model->n_keys, sizeof *model->keys);
}

/* Rejects values so large that the sum of PLANES_FLOAT_TREES values may overflow in float. For
 * simplicity, trees whose values stay doubles are checked too. */
static enum status check_floats(const struct building *b, struct error *error) {
    const double largest = (double)FLT_MAX / PLANES_FLOAT_TREES;
    for (size_t i = 0; b->shape->float_codes && i < b->ensemble->n_leaves; i++)
        if (fabs(b->ensemble->value[i]) > largest)
            return error_set(error, STATUS_UNSUPPORTED,
                             "%s: a leaf's value is %g; the limit for sums in float32 is %g",
                             b->shape->impl, b->ensemble->value[i], largest);
    return STATUS_OK;
}

static enum status make_tests(struct building *b, struct error *error) {
    size_t n_nodes = b->ensemble->n_nodes;
    bool made = planes_sets_make(b->ensemble, &b->sets, &b->pool);
    size_t most = n_nodes + b->sets.n_keys;
    b->sorted = memory_pool_array(&b->pool, most, sizeof *b->sorted);
    b->test = memory_pool_array(&b->pool, most, sizeof *b->test);
    b->thresholds = memory_pool_array(&b->pool, most + 1, sizeof *b->thresholds);
    if (!made || b->pool.failed)
        return error_memory(error, "the tests of all trees");
    sort_tests(b);
    number_tests(b);
    if (!number_sets(b))
        return error_memory(error, "the sets of all trees");
    size_t n_planes = planes_model_planes(b->model);
    if (n_planes > UINT32_MAX / b->shape->plane_bytes)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: the model has %zu different tests; the limit is %" PRIu32
                         ". Use auto",
                         b->shape->impl, n_planes, UINT32_MAX / b->shape->plane_bytes);
    return STATUS_OK;
}

static enum status build(struct building *b, struct error *error) {
    enum status status = make_tests(b, error);
    if (!status)
        status = check_floats(b, error);
    if (status)
        return status;
    allocate_features(b);
    allocate_trees(b);
    if (b->model->pool.failed)
        return error_memory(error, "the trees as bit planes");
    b->model->bytes += b->model->pool.bytes;
    fill_features(b);
    fill_trees(b);
    fill_bundles(b);
    if (b->shape->fixed && !b->shape->float_codes)
        status = planes_digits_make(b->ensemble, b->model, error);
    if (status)
        return status;
    if (b->shape->compiler)
        return b->shape->compiler->compile(b->ensemble, b->test, b->shape, b->model, error);
    return STATUS_OK;
}

static enum status build_from(const struct ensemble *ensemble, const struct planes_shape *shape,
                              struct planes_model *model, struct error *error) {
    struct building b = {.ensemble = ensemble, .shape = shape, .model = model};
    enum status status = build(&b, error);
    memory_pool_free(&b.pool);
    if (status)
        planes_model_free(model);
    return status;
}

enum status planes_model_build(const struct ensemble *ensemble, const struct planes_shape *shape,
                               struct planes_model *model, struct error *error) {
    struct ensemble *made = NULL;
    *model = (struct planes_model){.compiler = shape->compiler,
                                   .is_rearranged = !planes_trees_fit(ensemble)};
    if (!model->is_rearranged)
        return build_from(ensemble, shape, model, error);
    enum status status = planes_trees_make(ensemble, shape->impl, &made, error);
    if (!status)
        status = build_from(made, shape, model, error);
    ensemble_free(made);
    return status;
}

void planes_model_free(struct planes_model *model) {
    memory_pool_free(&model->pool);
    memory_pool_free(&model->xors.pool);
    if (model->compiler && model->compiler->free_code)
        model->compiler->free_code(model);
    *model = (struct planes_model){0};
}
