/* LightGBM's text models, versions v2 to v4, which differ in this word only. Lines KEY=VALUES: a
 * header, the trees, and behind "end of trees" what training left there.
 *
 *     tree
 *     version=v4
 *     num_tree_per_iteration=1               K: tree t adds to output t % K
 *     max_feature_idx=45
 *
 *     Tree=0
 *     num_leaves=3
 *     num_cat=0
 *     split_feature=4 0
 *     threshold=0.5 -1.25
 *     decision_type=2 2                      bits, see models/lightgbm.h
 *     left_child=1 -1                        c >= 0: split c; c < 0: leaf ~c
 *     right_child=-3 -2
 *     leaf_value=1.5 2.5 3.5                 shrinkage is in them already, as is the base score
 *     leaf_count=20 30 50
 *     internal_count=100 50
 *
 *     end of trees
 *
 * Scores are LightGBM's raw ones: no sigmoid, softmax or exp. Of random forests ("average_output")
 * they are the average: each leaf is divided by the number of iterations.
 *
 * Thresholds are compared with doubles. models/lightgbm.h says how a split decides.
 *
 * The header's tree_sizes, an index into the text, are not looked at: models that were cut to fewer
 * trees carry stale ones. The line "end of trees" tells that none is missing.
 */
#include "models/lightgbm.h"

#include "base/memory.h"
#include "base/number.h"
#include "models/feature_names.h"
#include "models/format.h"
#include "models/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sections of lines ------------------------------------------------------------------------ */

struct key {
    const char *name;
    bool required;
};

enum header_key {
    VERSION,
    NUM_CLASS,
    NUM_TREE_PER_ITERATION,
    LABEL_INDEX,
    MAX_FEATURE_IDX,
    OBJECTIVE,
    AVERAGE_OUTPUT,
    FEATURE_NAMES,
    MONOTONE_CONSTRAINTS,
    FEATURE_INFOS,
    TREE_SIZES,
    HEADER_KEYS
};
static const struct key header_keys[HEADER_KEYS] = {
    {"version", false},        {"num_class", false},      {"num_tree_per_iteration", true},
    {"label_index", false},    {"max_feature_idx", true}, {"objective", false},
    {"average_output", false}, {"feature_names", false},  {"monotone_constraints", false},
    {"feature_infos", false},  {"tree_sizes", false},
};

enum tree_key {
    SPLIT_FEATURE, /* lists with a number per split */
    THRESHOLD,
    DECISION_TYPE,
    LEFT_CHILD,
    RIGHT_CHILD,
    INTERNAL_COUNT,
    LEAF_VALUE, /* lists with a number per leaf */
    LEAF_COUNT,
    CAT_BOUNDARIES,
    CAT_THRESHOLD,
    N_LISTS,
    NUM_LEAVES = N_LISTS, /* single numbers */
    NUM_CAT,
    IS_LINEAR,
    SPLIT_GAIN, /* those from here on say nothing about scores */
    LEAF_WEIGHT,
    INTERNAL_VALUE,
    INTERNAL_WEIGHT,
    SHRINKAGE,
    LEAF_CONST, /* of linear trees, which are refused */
    NUM_FEATURES,
    LEAF_FEATURES,
    LEAF_COEFF,
    TREE_KEYS
};
static const struct key tree_keys[TREE_KEYS] = {
    {"split_feature", true},   {"threshold", true},        {"decision_type", true},
    {"left_child", true},      {"right_child", true},      {"internal_count", false},
    {"leaf_value", true},      {"leaf_count", false},      {"cat_boundaries", false},
    {"cat_threshold", false},  {"num_leaves", true},       {"num_cat", true},
    {"is_linear", false},      {"split_gain", false},      {"leaf_weight", false},
    {"internal_value", false}, {"internal_weight", false}, {"shrinkage", false},
    {"leaf_const", false},     {"num_features", false},    {"leaf_features", false},
    {"leaf_coeff", false},
};

/* The values of a key in the file. */
struct field {
    const char *begin, *end;
    size_t line; /* 0: the key is absent */
};

struct number_list {
    double *numbers;
    size_t count, capacity;
};

struct lightgbm_reader {
    const char *name;
    struct error *error;
    const char *at, *end;              /* behind the current line */
    const char *line_begin, *line_end; /* the current line; begin is NULL behind the last one */
    size_t line;                       /* its number */
    struct field header[HEADER_KEYS];
    uint32_t n_features, trees_per_iteration;
    double divisor; /* of the leaves */
    /* of the current tree */
    uint32_t tree;
    size_t tree_line;
    struct field fields[TREE_KEYS];
    struct number_list lists[N_LISTS];
    uint32_t n_splits;
    uint32_t n_sets_used;        /* by the categorical splits so far */
    size_t n_cuts;               /* of the splits so far */
    struct lightgbm_split split; /* the current one; all share the memory */
    struct ensemble_builder *builder;
};

static void next_line(struct lightgbm_reader *r) {
    r->line_begin = r->line_end = NULL;
    if (r->at == r->end)
        return;
    r->line++;
    r->line_begin = r->at;
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->line_end = newline ? newline : r->end;
    r->at = newline ? newline + 1 : r->end;
    if (r->line_end > r->line_begin && r->line_end[-1] == '\r')
        r->line_end--;
}

static bool line_begins(const struct lightgbm_reader *r, const char *words) {
    size_t length = strlen(words);
    return r->line_begin && (size_t)(r->line_end - r->line_begin) >= length &&
           memcmp(r->line_begin, words, length) == 0;
}

static bool line_is(const struct lightgbm_reader *r, const char *words) {
    return line_begins(r, words) && (size_t)(r->line_end - r->line_begin) == strlen(words);
}

/* Enough of a text for an error. */
static int shown(const char *begin, const char *end) {
    enum { MOST = 40 };
    return end - begin > MOST ? MOST : (int)(end - begin);
}

static int find_key(const char *begin, const char *end, const struct key *keys, int n_keys) {
    size_t length = (size_t)(end - begin);
    for (int i = 0; i < n_keys; i++) {
        if (strlen(keys[i].name) == length && memcmp(keys[i].name, begin, length) == 0)
            return i;
    }
    return n_keys;
}

/* Reads lines up to the next tree or the end of the trees; `what` they belong to began at a line
 * of its own. */
static enum status read_section(struct lightgbm_reader *r, const char *what, size_t what_line,
                                const struct key *keys, int n_keys, struct field *fields) {
    memset(fields, 0, (size_t)n_keys * sizeof *fields);
    for (; r->line_begin && !line_begins(r, "Tree=") && !line_is(r, "end of trees"); next_line(r)) {
        if (r->line_begin == r->line_end)
            continue;
        const char *equals = memchr(r->line_begin, '=', (size_t)(r->line_end - r->line_begin));
        const char *key_end = equals ? equals : r->line_end;
        int key = find_key(r->line_begin, key_end, keys, n_keys);
        if (key == n_keys || fields[key].line)
            return error_set(r->error, STATUS_INPUT, "%s:%zu: %s '%.*s' in %s%s", r->name, r->line,
                             key == n_keys ? "unknown key" : "a second",
                             shown(r->line_begin, key_end), r->line_begin, what,
                             r->at == r->end ? "; is the file cut?"
                             : key == n_keys ? ", should be one of LightGBM's v2, v3 or v4"
                                             : "");
        fields[key] = (struct field){equals ? equals + 1 : key_end, r->line_end, r->line};
    }
    for (int i = 0; i < n_keys; i++) {
        if (keys[i].required && !fields[i].line)
            return error_set(r->error, STATUS_INPUT, "%s:%zu: %s has no line '%s='%s", r->name,
                             what_line, what, keys[i].name,
                             r->line_begin ? "" : "; is the file cut?");
    }
    return STATUS_OK;
}

static enum status field_u32(const struct lightgbm_reader *r, const char *key,
                             const struct field *field, uint32_t low, uint32_t high,
                             uint32_t *value) {
    if (number_parse_u32(field->begin, field->end, value) != field->end || *value < low ||
        *value > high)
        return error_set(
            r->error, STATUS_INPUT, "%s:%zu: %s is '%.*s', should be an integer from %u to %u",
            r->name, field->line, key, shown(field->begin, field->end), field->begin, low, high);
    return STATUS_OK;
}

static const char *skip_spaces(const char *at, const char *end) {
    while (at < end && *at == ' ')
        at++;
    return at;
}

/* --- the header ------------------------------------------------------------------------------- */

static bool field_is(const struct field *field, const char *word) {
    size_t length = strlen(word);
    return (size_t)(field->end - field->begin) == length && memcmp(field->begin, word, length) == 0;
}

/* The trees in the text: there are few other ways to know them before the first is built. */
static size_t count_trees(const struct lightgbm_reader *r) {
    static const char begin[] = "\nTree=";
    size_t count = 0;
    const char *at = r->line_begin - 1; /* the newline before the first tree */
    while ((at = memmem(at, (size_t)(r->end - at), begin, sizeof begin - 1))) {
        count++;
        at++;
    }
    return count;
}

static enum status read_header(struct lightgbm_reader *r) {
    next_line(r);
    if (!line_is(r, "tree"))
        return error_set(r->error, STATUS_INPUT,
                         "%s:1: should be 'tree', the first line of a LightGBM model", r->name);
    next_line(r);
    enum status status = read_section(r, "the header", 1, header_keys, HEADER_KEYS, r->header);
    if (status)
        return status;
    const struct field *version = &r->header[VERSION];
    if (!version->line)
        return error_set(r->error, STATUS_UNSUPPORTED,
                         "%s:1: the header has no line 'version=', as the oldest LightGBMs wrote "
                         "it, should be v2, v3 or v4",
                         r->name);
    if (!field_is(version, "v2") && !field_is(version, "v3") && !field_is(version, "v4"))
        return error_set(r->error, STATUS_UNSUPPORTED,
                         "%s:%zu: version is '%.*s', should be v2, v3 or v4", r->name,
                         version->line, shown(version->begin, version->end), version->begin);
    uint32_t largest;
    if ((status = field_u32(r, "max_feature_idx", &r->header[MAX_FEATURE_IDX], 0,
                            ENSEMBLE_MAX_FEATURES - 1, &largest)) ||
        (status = field_u32(r, "num_tree_per_iteration", &r->header[NUM_TREE_PER_ITERATION], 1,
                            ENSEMBLE_MAX_OUTPUTS, &r->trees_per_iteration)))
        return status;
    r->n_features = largest + 1;
    r->divisor = 1;
    if (r->header[AVERAGE_OUTPUT].line && line_begins(r, "Tree="))
        r->divisor = (double)count_trees(r) / r->trees_per_iteration;
    return STATUS_OK;
}

/* --- lists of numbers ------------------------------------------------------------------------- */

static enum status parse_list(struct lightgbm_reader *r, enum tree_key key) {
    const struct field *field = &r->fields[key];
    struct number_list *list = &r->lists[key];
    list->count = 0;
    for (const char *at = skip_spaces(field->begin, field->end); at < field->end;
         at = skip_spaces(at, field->end)) {
        double number;
        at = number_parse_double(at, field->end, &number);
        if (!at || (at < field->end && *at != ' '))
            return error_set(r->error, STATUS_INPUT,
                             "%s:%zu: tree %u: number %zu of %s is none, should be numbers with "
                             "spaces between",
                             r->name, field->line, r->tree, list->count + 1, tree_keys[key].name);
        if (!memory_grow((void **)&list->numbers, &list->capacity, list->count, sizeof number))
            return error_memory(r->error, "the numbers of a tree");
        list->numbers[list->count++] = number;
    }
    return STATUS_OK;
}

static enum status parse_sized_list(struct lightgbm_reader *r, enum tree_key key, size_t count) {
    if (!r->fields[key].line)
        return STATUS_OK;
    enum status status = parse_list(r, key);
    if (!status && r->lists[key].count != count)
        status = error_set(
            r->error, STATUS_INPUT, "%s:%zu: tree %u: %s has %zu numbers, should have %zu", r->name,
            r->fields[key].line, r->tree, tree_keys[key].name, r->lists[key].count, count);
    return status;
}

/* A number of a list that should be an integer. */
static enum status get_integer(const struct lightgbm_reader *r, enum tree_key key, size_t i,
                               double low, double high, double *value) {
    double number = r->lists[key].numbers[i];
    if (!(number >= low && number <= high && number == floor(number)))
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: tree %u, %s %zu: %s is %g, should be an integer from %.0f to "
                         "%.0f",
                         r->name, r->fields[key].line, r->tree, key == LEAF_COUNT ? "leaf" : "node",
                         i, tree_keys[key].name, number, low, high);
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

enum { MAX_CUTS = 1000 * 1000 }; /* in a tree */

/* --- splits ----------------------------------------------------------------------------------- */

/* The words of the bit set that a categorical split names by a number in place of a threshold. Each
 * split has a set of its own, in the order of the splits. */
static enum status find_categories(struct lightgbm_reader *r, uint32_t i, uint32_t n_sets,
                                   const double **words, uint32_t *n_words) {
    double set, begin, end, n_all = (double)r->lists[CAT_THRESHOLD].count, word;
    if (r->n_sets_used == n_sets)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: tree %u, node %u: one categorical split more than num_cat=%u",
                         r->name, r->fields[DECISION_TYPE].line, r->tree, i, n_sets);
    r->n_sets_used++;
    enum status status = get_integer(r, THRESHOLD, i, r->n_sets_used - 1, r->n_sets_used - 1, &set);
    if (!status)
        status = get_integer(r, CAT_BOUNDARIES, (size_t)set, 0, n_all, &begin);
    if (!status)
        status = get_integer(r, CAT_BOUNDARIES, (size_t)set + 1, begin, n_all, &end);
    if (status)
        return status;
    *n_words = (uint32_t)(end - begin);
    *words = *n_words ? r->lists[CAT_THRESHOLD].numbers + (size_t)begin : NULL;
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
    else if (isnan(r->lists[THRESHOLD].numbers[i]))
        status = error_set(r->error, STATUS_INPUT,
                           "%s:%zu: tree %u, node %u: the threshold is not a number", r->name,
                           r->fields[THRESHOLD].line, r->tree, i);
    if (status)
        return status;
    bool cut = bits & LIGHTGBM_CATEGORICAL
                   ? lightgbm_split_categories(&r->split, words, n_words)
                   : lightgbm_split_numbers(&r->split, bits, r->lists[THRESHOLD].numbers[i]);
    if (!cut)
        return error_memory(r->error, "the splits of a tree");
    r->n_cuts += r->split.n_cuts;
    if (r->n_cuts > MAX_CUTS)
        return error_set(r->error, STATUS_UNSUPPORTED,
                         "%s:%zu: tree %u, node %u: the tree has more than %d groups of categories",
                         r->name, r->tree_line, r->tree, i, (int)MAX_CUTS);
    return STATUS_OK;
}

static enum status read_split(struct lightgbm_reader *r, uint32_t i, uint32_t n_sets) {
    struct inner_node node = {0};
    double feature, left, right, n = r->n_splits;
    enum status status;
    if ((status = get_integer(r, SPLIT_FEATURE, i, 0, r->n_features - 1, &feature)) ||
        (status = get_integer(r, LEFT_CHILD, i, -n - 1, n - 1, &left)) ||
        (status = get_integer(r, RIGHT_CHILD, i, -n - 1, n - 1, &right)) ||
        (status = get_count(r, INTERNAL_COUNT, i, &node.count)) ||
        (status = read_decision(r, i, n_sets)))
        return status;
    node.feature = (uint32_t)feature;
    node.left = reader_child(r->n_splits, (int32_t)left);
    node.right = reader_child(r->n_splits, (int32_t)right);
    static const double no_cuts[1];
    node.cuts = r->split.cuts ? r->split.cuts : no_cuts;
    node.n_cuts = r->split.n_cuts;
    node.lowest_right = r->split.lowest_right;
    node.nan_left = r->split.nan_left;
    ensemble_builder_add_inner(r->builder, &node);
    return STATUS_OK;
}

/* --- trees ------------------------------------------------------------------------------------ */

static enum status read_lists(struct lightgbm_reader *r, uint32_t n_leaves, uint32_t n_sets) {
    enum status status = parse_sized_list(r, LEAF_VALUE, n_leaves); /* bounds the others */
    if (!status)
        status = parse_sized_list(r, LEAF_COUNT, n_leaves);
    for (int key = SPLIT_FEATURE; key <= INTERNAL_COUNT && !status; key++)
        status = parse_sized_list(r, (enum tree_key)key, n_leaves - 1);
    if (status || n_sets == 0)
        return status;
    if (!r->fields[CAT_BOUNDARIES].line || !r->fields[CAT_THRESHOLD].line)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: tree %u with num_cat=%u has no line '%s='", r->name, r->tree_line,
                         r->tree, n_sets,
                         r->fields[CAT_BOUNDARIES].line ? "cat_threshold" : "cat_boundaries");
    status = parse_sized_list(r, CAT_BOUNDARIES, (size_t)n_sets + 1);
    return status ? status : parse_list(r, CAT_THRESHOLD);
}

static enum status read_leaves(struct lightgbm_reader *r) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i <= r->n_splits && !status; i++) {
        uint64_t count;
        status = get_count(r, LEAF_COUNT, i, &count);
        ensemble_builder_add_leaf(r->builder, r->lists[LEAF_VALUE].numbers[i] / r->divisor, count);
    }
    return status;
}

static enum status build_tree(struct lightgbm_reader *r, uint32_t n_sets) {
    enum status status = STATUS_OK;
    r->n_cuts = 0;
    r->n_sets_used = 0;
    ensemble_builder_add_tree(r->builder, r->tree % r->trees_per_iteration);
    for (uint32_t i = 0; i < r->n_splits && !status; i++)
        status = read_split(r, i, n_sets);
    return status ? status : read_leaves(r);
}

/* The current line is "Tree=...". */
static enum status read_tree(struct lightgbm_reader *r) {
    char what[32];
    uint32_t number, n_leaves = 0, n_sets = 0, linear = 0;
    struct field value = {r->line_begin + strlen("Tree="), r->line_end, r->line};
    enum status status = field_u32(r, "Tree", &value, r->tree, r->tree, &number);
    if (status)
        return status;
    r->tree_line = r->line;
    snprintf(what, sizeof what, "tree %u", r->tree);
    next_line(r);
    if ((status = read_section(r, what, r->tree_line, tree_keys, TREE_KEYS, r->fields)) ||
        (status = field_u32(r, "num_leaves", &r->fields[NUM_LEAVES], 1, ENSEMBLE_MAX_NODES,
                            &n_leaves)) ||
        (status = field_u32(r, "num_cat", &r->fields[NUM_CAT], 0, n_leaves - 1, &n_sets)))
        return status;
    if (r->fields[IS_LINEAR].line)
        status = field_u32(r, "is_linear", &r->fields[IS_LINEAR], 0, 1, &linear);
    if (!status && (linear || r->fields[LEAF_CONST].line))
        status = error_set(r->error, STATUS_UNSUPPORTED,
                           "%s:%zu: tree %u is a linear tree (linear_tree=true): its leaves are "
                           "linear models; train with linear_tree=false",
                           r->name, r->tree_line, r->tree);
    r->n_splits = n_leaves - 1;
    if (!status)
        status = read_lists(r, n_leaves, n_sets);
    return status ? status : build_tree(r, n_sets);
}

static enum status read_model(struct lightgbm_reader *r) {
    enum status status = read_header(r);
    for (; !status && line_begins(r, "Tree="); r->tree++)
        status = read_tree(r);
    if (status)
        return status;
    if (!r->line_begin)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: cut: behind the trees should be a line 'end of trees'", r->name,
                         r->line);
    if (r->tree % r->trees_per_iteration)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: %u trees, should be a multiple of %u, the num_tree_per_iteration",
                         r->name, r->line, r->tree, r->trees_per_iteration);
    return STATUS_OK;
}

/* The header's names, with spaces between, as LightGBM's own have none in them. */
static enum status name_features(const struct lightgbm_reader *r, struct ensemble *ensemble) {
    const struct field *field = &r->header[FEATURE_NAMES];
    struct feature_names names = {0};
    enum status status = STATUS_OK;
    if (field->line && memchr(field->begin, '\0', (size_t)(field->end - field->begin)))
        return error_set(r->error, STATUS_INPUT, "%s:%zu: feature_names: a name has a NUL in it",
                         r->name, field->line);
    for (const char *at = field->line ? skip_spaces(field->begin, field->end) : field->end;
         at < field->end && !status;) {
        const char *space = memchr(at, ' ', (size_t)(field->end - at));
        const char *end = space ? space : field->end;
        status = feature_names_add(&names, at, (size_t)(end - at), r->error);
        at = skip_spaces(end, field->end);
    }
    if (status) {
        feature_names_free(&names);
        return status;
    }
    char where[ERROR_TEXT_SIZE / 2];
    snprintf(where, sizeof where, "%s:%zu", r->name, field->line);
    return feature_names_give(&names, ensemble, where, r->error);
}

/* What the file says of the documents it was trained on. */
static enum status read_training_facts(const struct lightgbm_reader *r, struct ensemble *ensemble) {
    const struct field *infos = &r->header[FEATURE_INFOS];
    return lightgbm_read_facts(&(struct lightgbm_facts){.name = r->name,
                                                        .infos = infos->line ? infos->begin : NULL,
                                                        .infos_end = infos->end,
                                                        .tail = r->at,
                                                        .tail_end = r->end},
                               ensemble, r->error);
}

/* --- the format ------------------------------------------------------------------------------- */

static enum status lightgbm_read(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error) {
    struct lightgbm_reader r = {.name = name, .error = error, .at = text, .end = text + size};
    r.builder = ensemble_builder_create();
    enum status status = r.builder ? read_model(&r) : error_memory(error, "a model");
    for (int i = 0; i < N_LISTS; i++)
        free(r.lists[i].numbers);
    free(r.split.cuts);
    const struct ensemble_shape shape = {
        .n_features = r.n_features, .n_outputs = r.trees_per_iteration, .compares_doubles = true};
    if (status) {
        ensemble_builder_free(r.builder);
        return status;
    }
    struct ensemble *made = NULL;
    status = reader_finish(name, r.builder, &shape, &made, error);
    if (!status && r.header[OBJECTIVE].line)
        ensemble_set_objective(made, r.header[OBJECTIVE].begin, r.header[OBJECTIVE].end);
    if (!status && r.divisor != 1)
        made->averaged = (uint32_t)r.divisor;
    if (!status)
        status = name_features(&r, made);
    if (!status)
        status = read_training_facts(&r, made);
    if (status)
        ensemble_free(made);
    else
        *ensemble = made;
    return status;
}

/* A first line "tree", and one of the header's keys behind it. */
static bool lightgbm_recognise(const char *text, size_t size) {
    struct lightgbm_reader r = {.at = text, .end = text + size};
    next_line(&r);
    if (!line_is(&r, "tree"))
        return false;
    next_line(&r);
    return line_begins(&r, "version=") || line_begins(&r, "num_class=");
}

const struct model_format model_format_lightgbm = {
    .name = "lightgbm",
    .title = "LightGBM text",
    .recognise = lightgbm_recognise,
    .read = lightgbm_read,
    .write = lightgbm_write,
    .compares_doubles = true,
    .numbers_as_written = true,
    .names_features = true,
};
