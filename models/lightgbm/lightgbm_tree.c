/* Reads the trees of LightGBM's text: lists of numbers, which become splits and leaves. */
#include "models/lightgbm/lightgbm_reader.h"

#include "base/memory.h"
#include "base/number.h"
#include "models/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct lightgbm_key tree_keys[TREE_KEYS] = {
    {"split_feature", true},   {"threshold", true},        {"decision_type", true},
    {"left_child", true},      {"right_child", true},      {"internal_count", false},
    {"leaf_value", true},      {"leaf_count", false},      {"cat_boundaries", false},
    {"cat_threshold", false},  {"num_leaves", true},       {"num_cat", true},
    {"is_linear", false},      {"split_gain", false},      {"leaf_weight", false},
    {"internal_value", false}, {"internal_weight", false}, {"shrinkage", false},
    {"leaf_const", false},     {"num_features", false},    {"leaf_features", false},
    {"leaf_coeff", false},
};

/* --- lists of numbers ------------------------------------------------------------------------- */

static enum status parse_list(struct lightgbm_reader *r, enum tree_key key) {
    const struct lightgbm_field *field = &r->fields[key];
    struct memory_list *list = &r->lists[key];
    list->count = 0;
    for (const char *at = lightgbm_skip_spaces(field->begin, field->end); at < field->end;
         at = lightgbm_skip_spaces(at, field->end)) {
        double number;
        at = number_parse_double(at, field->end, &number);
        if (!at || (at < field->end && *at != ' '))
            return error_set(r->model.error, STATUS_INPUT,
                             "%s:%zu: tree %u: entry %zu of %s is not a number", r->model.name,
                             field->line, r->tree, list->count + 1, tree_keys[key].name);
        if (!memory_list_add(list, &number, sizeof number))
            return error_memory(r->model.error, "the numbers of a tree");
    }
    return STATUS_OK;
}

static enum status parse_sized_list(struct lightgbm_reader *r, enum tree_key key, size_t count) {
    if (!r->fields[key].line)
        return STATUS_OK;
    enum status status = parse_list(r, key);
    if (!status && r->lists[key].count != count)
        status = error_set(r->model.error, STATUS_INPUT,
                           "%s:%zu: tree %u: length of %s is %zu, expected %zu", r->model.name,
                           r->fields[key].line, r->tree, tree_keys[key].name, r->lists[key].count,
                           count);
    return status;
}

/* Gets a number of a list that must be an integer. */
static enum status get_integer(const struct lightgbm_reader *r, enum tree_key key, size_t i,
                               double low, double high, double *value) {
    double number = r->lists[key].number[i];
    if (!(number >= low && number <= high && number == floor(number)))
        return error_set(r->model.error, STATUS_INPUT,
                         "%s:%zu: tree %u, %s %zu: %s is %g, expected an integer from %.0f to %.0f",
                         r->model.name, r->fields[key].line, r->tree,
                         key == LEAF_COUNT ? "leaf" : "node", i, tree_keys[key].name, number, low,
                         high);
    *value = number;
    return STATUS_OK;
}

static enum status get_count(const struct lightgbm_reader *r, enum tree_key key, size_t i,
                             uint64_t *count) {
    double value = 0;
    *count = ENSEMBLE_NO_COUNT;
    if (!r->fields[key].line)
        return STATUS_OK;
    enum status status = get_integer(r, key, i, 0, INT32_MAX, &value);
    *count = (uint64_t)value;
    return status;
}

/* --- splits ----------------------------------------------------------------------------------- */

/* Finds the bit set of a categorical split. The index of the set is stored in place of a threshold.
 * Each categorical split has its own set, in the order of the splits. */
static enum status find_categories(struct lightgbm_reader *r, uint32_t i, uint32_t n_sets,
                                   const double **words, uint32_t *n_words) {
    double set, begin, end, n_all = (double)r->lists[CAT_THRESHOLD].count, word;
    if (r->n_sets_used == n_sets)
        return error_set(r->model.error, STATUS_INPUT,
                         "%s:%zu: tree %u, node %u: more categorical splits than num_cat=%u",
                         r->model.name, r->fields[DECISION_TYPE].line, r->tree, i, n_sets);
    r->n_sets_used++;
    enum status status = get_integer(r, THRESHOLD, i, r->n_sets_used - 1, r->n_sets_used - 1, &set);
    if (!status)
        status = get_integer(r, CAT_BOUNDARIES, (size_t)set, 0, n_all, &begin);
    if (!status)
        status = get_integer(r, CAT_BOUNDARIES, (size_t)set + 1, begin, n_all, &end);
    if (status)
        return status;
    *n_words = (uint32_t)(end - begin);
    *words = *n_words ? r->lists[CAT_THRESHOLD].number + (size_t)begin : NULL;
    for (size_t w = (size_t)begin; w < (size_t)end && !status; w++)
        status = get_integer(r, CAT_THRESHOLD, w, 0, UINT32_MAX, &word);
    return status;
}

static enum status read_decision(struct lightgbm_reader *r, uint32_t i, uint32_t n_sets) {
    double decision = 0;
    enum status status = get_integer(r, DECISION_TYPE, i, 0, LIGHTGBM_MAX_DECISION, &decision);
    if (status)
        return status;
    unsigned bits = (unsigned)decision;
    const double *words = NULL;
    uint32_t n_words = 0;
    if (bits & LIGHTGBM_CATEGORICAL)
        status = find_categories(r, i, n_sets, &words, &n_words);
    else if (isnan(r->lists[THRESHOLD].number[i]))
        status = error_set(r->model.error, STATUS_INPUT,
                           "%s:%zu: tree %u, node %u: the threshold is NaN", r->model.name,
                           r->fields[THRESHOLD].line, r->tree, i);
    if (status)
        return status;
    bool cut = bits & LIGHTGBM_CATEGORICAL
                   ? lightgbm_split_categories(&r->model.split, words, n_words)
                   : lightgbm_split_numbers(&r->model.split, bits, r->lists[THRESHOLD].number[i]);
    return cut ? STATUS_OK : error_memory(r->model.error, "the splits of a tree");
}

static enum status read_split(struct lightgbm_reader *r, uint32_t i, uint32_t n_sets) {
    struct inner_node node = {0};
    double feature, left, right, n = r->n_splits;
    enum status status;
    if ((status = get_integer(r, SPLIT_FEATURE, i, 0, r->model.n_features - 1, &feature)) ||
        (status = get_integer(r, LEFT_CHILD, i, -n - 1, n - 1, &left)) ||
        (status = get_integer(r, RIGHT_CHILD, i, -n - 1, n - 1, &right)) ||
        (status = get_count(r, INTERNAL_COUNT, i, &node.count)) ||
        (status = read_decision(r, i, n_sets)))
        return status;
    node.feature = (uint32_t)feature;
    node.left = reader_child(r->n_splits, (int32_t)left);
    node.right = reader_child(r->n_splits, (int32_t)right);
    return lightgbm_add_split(&r->model, &node);
}

/* --- trees ------------------------------------------------------------------------------------ */

static enum status read_lists(struct lightgbm_reader *r, uint32_t n_leaves, uint32_t n_sets) {
    /* leaf_value is required, so its length shows first that n_leaves fits the file. */
    enum status status = parse_sized_list(r, LEAF_VALUE, n_leaves);
    if (!status)
        status = parse_sized_list(r, LEAF_COUNT, n_leaves);
    for (int key = SPLIT_FEATURE; key <= INTERNAL_COUNT && !status; key++)
        status = parse_sized_list(r, (enum tree_key)key, n_leaves - 1);
    if (status || n_sets == 0)
        return status;
    if (!r->fields[CAT_BOUNDARIES].line || !r->fields[CAT_THRESHOLD].line)
        return error_set(r->model.error, STATUS_INPUT,
                         "%s:%zu: tree %u has num_cat=%u but no line '%s='", r->model.name,
                         r->tree_line, r->tree, n_sets,
                         r->fields[CAT_BOUNDARIES].line ? "cat_threshold" : "cat_boundaries");
    status = parse_sized_list(r, CAT_BOUNDARIES, (size_t)n_sets + 1);
    return status ? status : parse_list(r, CAT_THRESHOLD);
}

static enum status read_leaves(struct lightgbm_reader *r) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i <= r->n_splits && !status; i++) {
        uint64_t count;
        status = get_count(r, LEAF_COUNT, i, &count);
        double value =
            r->leaves == LIGHTGBM_LEAF_NUMBERS ? (double)i : r->lists[LEAF_VALUE].number[i];
        lightgbm_add_leaf(&r->model, value, count);
    }
    return status;
}

static enum status build_tree(struct lightgbm_reader *r, uint32_t n_sets) {
    enum status status = STATUS_OK;
    r->n_sets_used = 0;
    lightgbm_begin_tree(&r->model);
    for (uint32_t i = 0; i < r->n_splits && !status; i++)
        status = read_split(r, i, n_sets);
    return status ? status : read_leaves(r);
}

enum status lightgbm_read_tree(struct lightgbm_reader *r) {
    char what[32];
    uint32_t number, n_leaves = 0, n_sets = 0, linear = 0;
    struct lightgbm_field value = {r->line_begin + strlen("Tree="), r->line_end, r->line};
    enum status status = lightgbm_field_u32(r, "Tree", &value, r->tree, r->tree, &number);
    if (status)
        return status;
    r->tree_line = r->line;
    snprintf(what, sizeof what, "tree %u", r->tree);
    lightgbm_next_line(r);
    if ((status = lightgbm_read_section(r, what, r->tree_line, tree_keys, TREE_KEYS, r->fields)) ||
        (status = lightgbm_field_u32(r, "num_leaves", &r->fields[NUM_LEAVES], 1, ENSEMBLE_MAX_NODES,
                                     &n_leaves)) ||
        (status = lightgbm_field_u32(r, "num_cat", &r->fields[NUM_CAT], 0, n_leaves - 1, &n_sets)))
        return status;
    if (r->fields[IS_LINEAR].line)
        status = lightgbm_field_u32(r, "is_linear", &r->fields[IS_LINEAR], 0, 1, &linear);
    if (!status && (linear || r->fields[LEAF_CONST].line))
        status =
            error_set(r->model.error, STATUS_UNSUPPORTED, "%s:%zu: tree %u is " LIGHTGBM_LINEAR,
                      r->model.name, r->tree_line, r->tree);
    r->n_splits = n_leaves - 1;
    if (!status)
        status = read_lists(r, n_leaves, n_sets);
    return status ? status : build_tree(r, n_sets);
}
