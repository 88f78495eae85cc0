#include "impls/walks/rank_bytes_model.h"

#include "impls/shared/sorted_tests.h"

/* The columns that are being made, and temporary memory. Columns are numbered in the order of the
 * sorted tests until order_columns has been called. */
struct maker {
    const struct ensemble *ensemble;
    struct rank_model *model;
    struct rank_tests *nodes;
    struct sorted_test *tests; /* [n_nodes] */
    size_t *column_end;        /* [n_columns] the end of each column's tests in `tests` */
    uint32_t *order;           /* [n_columns] the final number of each column */
};

/* Gives each node a column and a rank. Columns are numbered in the order of the sorted tests. */
static void deal_columns(struct maker *maker) {
    uint32_t n_columns = 0, rank = 0;
    for (size_t i = 0; i < maker->ensemble->n_nodes; i++) {
        const struct sorted_test *test = &maker->tests[i], *last = i ? test - 1 : NULL;
        bool same_feature = last && sorted_test_is_like(last, test);
        rank += same_feature && test->order != last->order;
        if (!same_feature || rank == RANK_COLUMN_THRESHOLDS) {
            n_columns++;
            rank = 0;
        }
        maker->column_end[n_columns - 1] = i + 1;
        maker->nodes->column[test->node] = n_columns - 1;
        maker->nodes->rank[test->node] = (uint8_t)rank;
    }
    maker->model->view.n_columns = n_columns;
}

static uint32_t count_thresholds(const struct maker *maker, uint32_t column) {
    return maker->nodes->rank[maker->tests[maker->column_end[column] - 1].node] + 1u;
}

static size_t count_keys(uint32_t n_thresholds) {
    return n_thresholds <= RANK_KEYS ? RANK_KEYS : (n_thresholds / RANK_KEYS + 2u) * RANK_KEYS;
}

/* Numbers the columns. Columns of at most RANK_KEYS thresholds come first. */
static void order_columns(struct maker *maker) {
    struct rank_model *model = maker->model;
    uint32_t n = 0;
    for (uint32_t c = 0; c < model->view.n_columns; c++)
        if (count_thresholds(maker, c) <= RANK_KEYS)
            maker->order[c] = n++;
    model->view.n_small = n;
    for (uint32_t c = 0; c < model->view.n_columns; c++)
        if (count_thresholds(maker, c) > RANK_KEYS)
            maker->order[c] = n++;
}

static void fill_keys(struct maker *maker, uint32_t column, int32_t *keys) {
    uint32_t n = count_thresholds(maker, column);
    size_t size = count_keys(n);
    for (size_t i = 0; i < size; i++)
        keys[i] = INT32_MAX;
    int32_t *lines = n <= RANK_KEYS ? keys : keys + RANK_KEYS;
    for (size_t i = column ? maker->column_end[column - 1] : 0; i < maker->column_end[column]; i++)
        lines[maker->nodes->rank[maker->tests[i].node]] = sorted_test_key(&maker->tests[i]);
    for (uint32_t line = 0; lines > keys && line < n / RANK_KEYS; line++)
        keys[line] = lines[RANK_KEYS * line + RANK_KEYS - 1];
}

static bool fill_columns(struct maker *maker) {
    struct rank_model *model = maker->model;
    for (uint32_t c = 0; c < model->view.n_columns; c++)
        model->n_keys += count_keys(count_thresholds(maker, c));
    size_t n = model->view.n_columns;
    struct rank_view *view = &model->view;
    struct memory_pool *pool = &model->scorer.pool;
    view->columns = model->columns = memory_pool_array(pool, n + 1, sizeof *model->columns);
    view->keys = model->keys = memory_pool_array(pool, model->n_keys, sizeof *model->keys);
    view->groups = model->groups = memory_pool_array(pool, n + 1, sizeof *model->groups);
    if (pool->failed)
        return false;
    model->scorer.bytes +=
        model->n_keys * sizeof *model->keys + model->view.n_columns * sizeof *model->columns;
    uint32_t first_key = 0;
    for (uint32_t c = 0; c < model->view.n_columns; c++) {
        fill_keys(maker, c, model->keys + first_key);
        model->columns[maker->order[c]].first_key = first_key;
        first_key += (uint32_t)count_keys(count_thresholds(maker, c));
    }
    return true;
}

/* The index of a feature's group. Creates the group if it is missing. Callers must pass features in
 * ascending order. */
static uint32_t find_group(struct rank_model *model, uint32_t feature) {
    uint32_t first = feature / RANK_KEYS * RANK_KEYS;
    if (model->view.n_groups == 0 || model->groups[model->view.n_groups - 1].feature != first) {
        uint32_t present = model->scorer.n_features - first;
        model->groups[model->view.n_groups++] = (struct rank_group){
            first, (uint16_t)(present < RANK_KEYS ? (1u << present) - 1 : UINT16_MAX)};
    }
    return model->view.n_groups - 1;
}

static void find_sources(struct maker *maker) {
    struct rank_model *model = maker->model;
    for (uint32_t c = 0; c < model->view.n_columns; c++) {
        const struct sorted_test *test = &maker->tests[maker->column_end[c] - 1];
        uint32_t feature = sorted_test_feature(test);
        uint32_t source = RANK_KEYS * find_group(model, feature) + feature % RANK_KEYS;
        model->columns[maker->order[c]].source = source;
        model->view.two_sides |= sorted_test_nan_left(test);
    }
    for (uint32_t c = 0; c < model->view.n_columns; c++)
        if (sorted_test_nan_left(&maker->tests[maker->column_end[c] - 1]))
            model->columns[maker->order[c]].source += RANK_KEYS * model->view.n_groups;
}

/* --- all of it ---------------------------------------------------------------------------------*/

static bool allocate(struct maker *maker, struct memory_pool *pool) {
    size_t nodes = maker->ensemble->n_nodes + 1;
    maker->tests = memory_pool_array(pool, nodes, sizeof *maker->tests);
    maker->column_end = memory_pool_array(pool, nodes, sizeof *maker->column_end);
    maker->order = memory_pool_array(pool, nodes, sizeof *maker->order);
    maker->nodes->column = memory_pool_array(pool, nodes, sizeof *maker->nodes->column);
    maker->nodes->rank = memory_pool_array(pool, nodes, sizeof *maker->nodes->rank);
    return !pool->failed;
}

enum status rank_make_columns(struct rank_model *model, const struct ensemble *ensemble,
                              struct memory_pool *pool, struct rank_tests *nodes,
                              struct error *error) {
    struct maker maker = {.ensemble = ensemble, .model = model, .nodes = nodes};
    if (!allocate(&maker, pool))
        return error_memory(error, model->scorer.impl->name);
    sorted_tests_make(ensemble, maker.tests);
    deal_columns(&maker);
    if (model->view.n_columns > RANK_MAX_TABLES * RANK_TABLE)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: thresholds make %u columns of %d; the limit is %d. Use interleaved "
                         "or rapidscorer",
                         model->scorer.impl->name, model->view.n_columns, RANK_COLUMN_THRESHOLDS,
                         RANK_MAX_TABLES * RANK_TABLE);
    model->view.n_tables =
        model->view.n_columns ? (model->view.n_columns + RANK_TABLE - 1) / RANK_TABLE : 1;
    order_columns(&maker);
    if (!fill_columns(&maker))
        return error_memory(error, model->scorer.impl->name);
    find_sources(&maker);
    for (size_t i = 0; i < ensemble->n_nodes; i++)
        nodes->column[i] = maker.order[nodes->column[i]];
    model->scorer.workspace = rank_workspace(&model->view);
    return STATUS_OK;
}

enum status rank_refuse_columns(const struct rank_model *model, struct error *error) {
    return error_set(error, STATUS_UNSUPPORTED,
                     "%s: thresholds make %u columns of %d; the limit is %d. Use interleaved",
                     model->scorer.impl->name, model->view.n_columns, RANK_COLUMN_THRESHOLDS,
                     RANK_BYTE_COLUMNS);
}
