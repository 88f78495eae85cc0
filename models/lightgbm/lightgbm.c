/* Reads LightGBM's text models, versions v2 to v4, which differ only in the version line. A file
 * consists of lines KEY=VALUES: a header, the trees and, after "end of trees", facts about the
 * training. LightGBM 2.0 and 2.1 do not write "end of trees"; the facts begin with the line
 * "feature importances:".
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
 *     decision_type=2 2                      bits, see models/lightgbm/lightgbm.h
 *     left_child=1 -1                        c >= 0: split c; c < 0: leaf ~c
 *     right_child=-3 -2
 *     leaf_value=1.5 2.5 3.5                 includes shrinkage and base score
 *     leaf_count=20 30 50
 *     internal_count=100 50
 *
 *     end of trees
 *
 * Scores are LightGBM's raw scores: no sigmoid, softmax or exp. For random forests
 * ("average_output") they are averages: each leaf is divided by the number of iterations.
 * Thresholds are compared as doubles; models/lightgbm/lightgbm.h describes how a split decides.
 *
 * The header's tree_sizes, an index into the text, is ignored because it is wrong in models that
 * were cut to fewer trees. The line after the trees shows that no tree is missing. */
#include "models/lightgbm/lightgbm_reader.h"

#include "models/feature_names.h"
#include "models/format.h"

#include <stdlib.h>
#include <string.h>

static const struct lightgbm_key header_keys[HEADER_KEYS] = {
    {"version", false},        {"num_class", false},      {"num_tree_per_iteration", true},
    {"label_index", false},    {"max_feature_idx", true}, {"objective", false},
    {"average_output", false}, {"feature_names", false},  {"monotone_constraints", false},
    {"feature_infos", false},  {"tree_sizes", false},
};

/* --- the header ------------------------------------------------------------------------------- */

/* Counts the trees in the text, because the number is needed before the first tree is built. */
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
    lightgbm_next_line(r);
    if (!lightgbm_line_is(r, "tree"))
        return error_set(r->model.error, STATUS_INPUT,
                         "%s:1: expected 'tree', the first line of a LightGBM model",
                         r->model.name);
    lightgbm_next_line(r);
    enum status status =
        lightgbm_read_section(r, "the header", 1, header_keys, HEADER_KEYS, r->header);
    if (status)
        return status;
    const struct lightgbm_field *version = &r->header[VERSION];
    if (!version->line)
        return error_set(r->model.error, STATUS_UNSUPPORTED,
                         "%s:1: the header has no line 'version=', so a very old LightGBM wrote "
                         "it. " LIGHTGBM_VERSIONS,
                         r->model.name);
    if (!lightgbm_supports_version(version->begin, version->end))
        return error_set(r->model.error, STATUS_UNSUPPORTED,
                         "%s:%zu: version '%.*s' is not supported. " LIGHTGBM_VERSIONS,
                         r->model.name, version->line, lightgbm_shown(version->begin, version->end),
                         version->begin);
    uint32_t largest;
    if ((status = lightgbm_field_u32(r, "max_feature_idx", &r->header[MAX_FEATURE_IDX], 0,
                                     ENSEMBLE_MAX_FEATURES - 1, &largest)) ||
        (status =
             lightgbm_field_u32(r, "num_tree_per_iteration", &r->header[NUM_TREE_PER_ITERATION], 1,
                                ENSEMBLE_MAX_OUTPUTS, &r->model.trees_per_iteration)))
        return status;
    r->model.n_features = largest + 1;
    if (r->leaves == LIGHTGBM_LEAF_SCORES && r->header[AVERAGE_OUTPUT].line &&
        lightgbm_line_begins(r, "Tree="))
        r->model.divisor = (double)count_trees(r) / r->model.trees_per_iteration;
    return STATUS_OK;
}

static enum status read_model(struct lightgbm_reader *r) {
    enum status status = read_header(r);
    for (; !status && lightgbm_line_begins(r, "Tree="); r->tree++)
        status = lightgbm_read_tree(r);
    if (status)
        return status;
    if (!r->line_begin)
        return error_set(r->model.error, STATUS_INPUT,
                         "%s:%zu: the line 'end of trees' is missing. Is the file truncated?",
                         r->model.name, r->line);
    return STATUS_OK;
}

/* Reads the names of the header, separated by spaces. LightGBM's names contain no spaces. */
static enum status name_features(const struct lightgbm_reader *r, struct ensemble *ensemble) {
    const struct lightgbm_field *field = &r->header[FEATURE_NAMES];
    struct feature_names names = {0};
    enum status status = STATUS_OK;
    if (field->line && memchr(field->begin, '\0', (size_t)(field->end - field->begin)))
        return error_set(r->model.error, STATUS_INPUT,
                         "%s:%zu: feature_names: a name contains a NUL", r->model.name,
                         field->line);
    for (const char *at = field->line ? lightgbm_skip_spaces(field->begin, field->end) : field->end;
         at < field->end && !status;) {
        const char *space = memchr(at, ' ', (size_t)(field->end - at));
        const char *end = space ? space : field->end;
        status = feature_names_add(&names, at, (size_t)(end - at), r->model.error);
        at = lightgbm_skip_spaces(end, field->end);
    }
    char where[ERROR_TEXT_SIZE / 2];
    snprintf(where, sizeof where, "%s:%zu", r->model.name, field->line);
    return feature_names_give(&names, status, ensemble, where, r->model.error);
}

/* Which features had values, and which were categories? Returns NULL if out of memory. */
static unsigned char *list_infos(const struct lightgbm_field *field, uint32_t *count) {
    unsigned char *infos = malloc((size_t)(field->end - field->begin) / 2 + 1);
    for (const char *at = lightgbm_skip_spaces(field->begin, field->end); infos && at < field->end;
         at = lightgbm_skip_spaces(at, field->end)) {
        const char *space = memchr(at, ' ', (size_t)(field->end - at));
        const char *end = space ? space : field->end;
        bool is_none = end - at == 4 && memcmp(at, "none", 4) == 0;
        infos[(*count)++] = is_none      ? LIGHTGBM_NO_VALUES
                            : *at == '[' ? LIGHTGBM_NUMBERS
                                         : LIGHTGBM_CATEGORIES;
        at = end;
    }
    return infos;
}

static void find_categories(const struct lightgbm_reader *r, struct lightgbm_facts *facts) {
    static const char key[] = "pandas_categorical:";
    struct lightgbm_reader lines = *r;
    do {
        lightgbm_next_line(&lines);
    } while (lines.line_begin && !lightgbm_line_begins(&lines, key));
    facts->categories = lines.line_begin ? lines.line_begin + strlen(key) : NULL;
    facts->categories_end = lines.line_end;
}

static enum status describe(const struct lightgbm_reader *r, struct ensemble *ensemble) {
    const struct lightgbm_field *infos = &r->header[FEATURE_INFOS];
    struct lightgbm_facts facts = {.name = r->model.name};
    if (r->header[OBJECTIVE].line)
        ensemble_set_objective(ensemble, r->header[OBJECTIVE].begin, r->header[OBJECTIVE].end);
    enum status status = name_features(r, ensemble);
    if (status)
        return status;
    unsigned char *list = infos->line ? list_infos(infos, &facts.n_infos) : NULL;
    if (infos->line && !list)
        return error_memory(r->model.error, "the features of a model");
    facts.infos = list;
    find_categories(r, &facts);
    status = lightgbm_read_facts(&facts, ensemble, r->model.error);
    free(list);
    return status;
}

enum status lightgbm_read_header(const char *name, const char *text, size_t size,
                                 struct lightgbm_header *header, struct error *error) {
    struct lightgbm_reader r = {
        .model = {.name = name, .error = error}, .at = text, .end = text + size};
    enum status status = read_header(&r);
    if (!status && !r.header[NUM_CLASS].line)
        status = error_set(error, STATUS_INPUT, "%s:1: the header has no line 'num_class='", name);
    if (!status)
        status = lightgbm_field_u32(&r, "num_class", &r.header[NUM_CLASS], 1, ENSEMBLE_MAX_OUTPUTS,
                                    &header->n_classes);
    header->averages = !status && r.header[AVERAGE_OUTPUT].line;
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

enum status lightgbm_read_leaves(const char *name, const char *text, size_t size,
                                 enum lightgbm_leaves leaves, struct ensemble **ensemble,
                                 struct error *error) {
    struct lightgbm_reader r = {.model = lightgbm_begin_model(name, error),
                                .leaves = leaves,
                                .at = text,
                                .end = text + size};
    struct ensemble *made = NULL;
    enum status status = lightgbm_finish(&r.model, read_model(&r), &made);
    if (!status)
        status = describe(&r, made);
    for (int i = 0; i < N_LISTS; i++)
        free(r.lists[i].values);
    return ensemble_give(status, made, ensemble);
}

static enum status lightgbm_read(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error) {
    return lightgbm_read_leaves(name, text, size, LIGHTGBM_LEAF_SCORES, ensemble, error);
}

/* Recognises a first line "tree" followed by one of the header's keys. */
static bool lightgbm_recognise(const char *text, size_t size) {
    struct lightgbm_reader r = {.at = text, .end = text + size};
    lightgbm_next_line(&r);
    if (!lightgbm_line_is(&r, "tree"))
        return false;
    lightgbm_next_line(&r);
    return lightgbm_line_begins(&r, "version=") || lightgbm_line_begins(&r, "num_class=");
}

const struct model_format model_format_lightgbm = {
    .name = "lightgbm",
    .title = "LightGBM text",
    .recognise = lightgbm_recognise,
    .read = lightgbm_read,
    .write = lightgbm_write_exact,
    .compares_doubles = true,
    .numbers_as_written = true,
    .names_features = true,
};
