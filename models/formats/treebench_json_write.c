#include "models/formats/treebench_json.h"

#include "base/number.h"
#include "base/origin.h"
#include "models/categories.h"
#include "models/feature_names.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Infinity is the text "inf". */
static void write_double(FILE *stream, double value) {
    char text[NUMBER_TEXT_SIZE];
    number_format_double(value, text);
    fprintf(stream, isfinite(value) ? "%s" : "\"%s\"", text);
}

/* Writes a threshold in the type that the model compares. */
static void write_threshold(FILE *stream, const struct ensemble *e, double value) {
    char text[NUMBER_TEXT_SIZE];
    if (e->threshold_double || isinf(value)) {
        write_double(stream, value);
        return;
    }
    number_format_float((float)value, text);
    fputs(text, stream);
}

static void begin_list(FILE *stream, const char *name) {
    fprintf(stream, ",\n   \"%s\": [", name);
}

static void write_thresholds(FILE *stream, const struct ensemble *e, size_t begin, size_t n) {
    begin_list(stream, "threshold");
    for (size_t i = begin; i < begin + n; i++) {
        fputs(i > begin ? "," : "", stream);
        write_threshold(stream, e,
                        e->threshold_double ? e->threshold_double[i] : (double)e->threshold[i]);
    }
    fputc(']', stream);
}

/* Writes a list for each node, empty for plain nodes. */
static void write_cuts(FILE *stream, const struct ensemble *e, size_t begin, size_t n) {
    begin_list(stream, "cuts");
    for (size_t i = begin; i < begin + n; i++) {
        fputs(i > begin ? ",[" : "[", stream);
        const struct inner_node node = ensemble_inner_node(e, i);
        for (uint32_t cut = 0; node.cuts && cut < node.n_cuts; cut++) {
            fputs(cut ? "," : "", stream);
            write_threshold(stream, e, node.cuts[cut]);
        }
        fputc(']', stream);
    }
    fputc(']', stream);
}

static void write_doubles(FILE *stream, const double *value, size_t n) {
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "," : "", stream);
        write_double(stream, value[i]);
    }
}

static void write_list(FILE *stream, const char *name, const void *items, enum number_type type,
                       size_t n) {
    begin_list(stream, name);
    for (size_t i = 0; i < n; i++)
        fprintf(stream, "%s%" PRId64, i ? "," : "", number_integer_at(type, items, i));
    fputc(']', stream);
}

static void write_tree(const struct ensemble *e, uint32_t t, FILE *stream) {
    size_t node = e->tree_node[t], n_nodes = ensemble_tree_nodes(e, t);
    size_t leaf = e->tree_leaf[t], n_leaves = ensemble_tree_leaves(e, t);
    fprintf(stream, "  {\"output\": %" PRIu32, e->tree_output[t]);
    write_list(stream, "feature", e->feature + node, NUMBER_U32, n_nodes);
    write_thresholds(stream, e, node, n_nodes);
    if (ensemble_tree_has_sets(e, t))
        write_cuts(stream, e, node, n_nodes);
    write_list(stream, "left", e->left + node, NUMBER_I32, n_nodes);
    write_list(stream, "right", e->right + node, NUMBER_I32, n_nodes);
    if (n_nodes && memchr(e->nan_left + node, 1, n_nodes))
        write_list(stream, "nan_left", e->nan_left + node, NUMBER_U8, n_nodes);
    if (e->node_count) {
        write_list(stream, "node_count", e->node_count + node, NUMBER_U64, n_nodes);
        write_list(stream, "leaf_count", e->leaf_count + leaf, NUMBER_U64, n_leaves);
    }
    begin_list(stream, "value");
    write_doubles(stream, e->value + leaf, n_leaves);
    fprintf(stream, "]}%s\n", t + 1 < e->n_trees ? "," : "");
}

static bool counts_are_exact(const uint64_t *count, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (count[i] > TREEBENCH_JSON_LARGEST_COUNT)
            return false;
    }
    return true;
}

/* --- categories ------------------------------------------------------------------------------- */

static void write_category_list(const struct categories *categories, uint32_t feature,
                                FILE *stream) {
    bool numbers = categories_are_numbers(categories, feature);
    fprintf(stream, "\"%" PRIu32 "\": [", feature);
    for (uint32_t code = 0; code < categories_count(categories, feature); code++) {
        fputs(code ? "," : "", stream);
        if (numbers) {
            write_double(stream, categories_number(categories, feature, code));
        } else {
            size_t length;
            const char *word = categories_word(categories, feature, code, &length);
            feature_names_write_string(word, length, stream);
        }
    }
    fputc(']', stream);
}

/* Writes the category lists of all features that have one: {"0": ["red","green"], "3": [1,5]}. If
 * `hashed` is true, only lists of hashes are written; otherwise only lists of words and numbers. */
static void write_categories(const struct categories *categories, uint32_t n_features, bool hashed,
                             FILE *stream) {
    bool first = true;
    fputc('{', stream);
    for (uint32_t f = 0; f < n_features; f++) {
        if (!categories_has(categories, f) || categories_are_hashes(categories, f) != hashed)
            continue;
        fputs(first ? "" : ", ", stream);
        write_category_list(categories, f, stream);
        first = false;
    }
    fputc('}', stream);
}

/* --- the model -------------------------------------------------------------------------------- */

static void write_facts(const struct ensemble *e, FILE *stream) {
    if (e->threshold_double)
        fputs(" \"compares\": \"double\",\n", stream);
    if (e->votes)
        fputs(" \"votes\": 1,\n", stream);
    if (e->first_is_empty)
        fputs(" \"first_feature_is_empty\": 1,\n", stream);
    if (!e->categories)
        return;
    fprintf(stream, " \"unknown_category\": \"%s\",\n \"categories\": ",
            categories_refuse_unknown(e->categories) ? "refused" : "missing");
    write_categories(e->categories, e->n_features, false, stream);
    fputs(",\n \"hashed_categories\": ", stream);
    write_categories(e->categories, e->n_features, true, stream);
    fputs(",\n", stream);
}

enum status treebench_json_write(const struct ensemble *e, FILE *stream, struct error *error) {
    if (e->node_count && (!counts_are_exact(e->node_count, e->n_nodes) ||
                          !counts_are_exact(e->leaf_count, e->n_leaves)))
        return error_set(error, STATUS_UNSUPPORTED,
                         "more than 2^53 documents passed a node, which JSON cannot store exactly");
    fprintf(stream,
            "{\"format\": \"treebench\", \"version\": %d, \"features\": %" PRIu32
            ", \"outputs\": %" PRIu32 ",\n",
            TREEBENCH_JSON_VERSION, e->n_features, e->n_outputs);
    if (e->note[0]) /* contains nothing to escape */
        fprintf(stream, " \"note\": \"%s\",\n", e->note);
    if (e->origin || e->note[0]) {
        char words[ORIGIN_TEXT_SIZE];
        origin_write(e->origin, words);
        fprintf(stream, " \"origin\": \"%s\",\n", words[0] ? words : "real");
    }
    if (e->feature_names) {
        fputs(" \"feature_names\": ", stream);
        feature_names_write_json(e, stream);
        fputs(",\n", stream);
    }
    write_facts(e, stream);
    fputs(" \"base\": [", stream);
    write_doubles(stream, e->base, e->n_outputs);
    fputs("],\n \"trees\": [\n", stream);
    for (uint32_t t = 0; t < e->n_trees; t++)
        write_tree(e, t, stream);
    fputs(" ]}\n", stream);
    return STATUS_OK;
}
