/* Declarations shared by the files that read treebench's JSON: treebench_json.c reads the model,
 * treebench_json_tree.c reads its trees. */
#ifndef MODELS_TREEBENCH_TREEBENCH_JSON_READER_H
#define MODELS_TREEBENCH_TREEBENCH_JSON_READER_H

#include "base/files/json_stream.h"
#include "models/ensemble.h"
#include "models/feature_names.h"

/* The lists of numbers of a tree. Nodes are built from them when the tree ends. */
enum tree_list { FEATURE, THRESHOLD, LEFT, RIGHT, NAN_LEFT, NODE_COUNT, VALUE, LEAF_COUNT, LISTS };

struct treebench_json_list {
    double *values; /* exact, because integers are at most 2^53 */
    size_t count, capacity;
    bool is_there; /* true if the current tree has this list */
};

struct treebench_json_reader {
    struct json_stream stream;
    struct error *error;
    char where[32]; /* "tree 3: " while a tree is read, for errors */
    uint32_t tree, output;
    struct treebench_json_list lists[LISTS], base;
    struct treebench_json_list cuts,
        cuts_end; /* the cuts of all set nodes of the tree, and where the cuts of each node end */
    struct categories *categories;
    bool refuse_unknown, first_is_empty;
    struct ensemble_shape shape;
    char note[ENSEMBLE_NOTE_SIZE];
    struct feature_names names;
    struct ensemble_builder *builder;
};

/* "FILE:LINE: tree 3: KEY: expected EXPECTED" */
enum status treebench_json_wrong(const struct treebench_json_reader *r, const char *key,
                                 const char *expected);

/* "FILE:LINE: tree 3: KEY: value I: expected EXPECTED" */
enum status treebench_json_wrong_item(const struct treebench_json_reader *r, const char *key,
                                      size_t i, const char *expected);

enum status treebench_json_next(struct treebench_json_reader *r, struct json_token *token);
enum status treebench_json_begin_list(struct treebench_json_reader *r, const char *key);
enum status treebench_json_append(struct treebench_json_reader *r, struct treebench_json_list *list,
                                  double value);

/* Reads an integer from `low` to `high`. */
enum status treebench_json_u32(struct treebench_json_reader *r, const char *key, uint32_t low,
                               uint32_t high, uint32_t *value);

/* Is the value an integer from `low` to `high`? treebench_json_describe writes this range in words,
 * for errors. */
enum { TREEBENCH_JSON_TEXT_SIZE = 80 };
bool treebench_json_is_integer(double value, double low, double high);
const char *treebench_json_describe(double low, double high,
                                    char text[static TREEBENCH_JSON_TEXT_SIZE]);

/* Reads the list of trees. Used as `read` of a struct json_member. `reader` points to a struct
 * treebench_json_reader. */
enum status treebench_json_trees(void *reader);

#endif
