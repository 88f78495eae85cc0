/* Declarations shared by lightgbm_json.c and lightgbm_json_tree.c. */
#ifndef MODELS_LIGHTGBM_LIGHTGBM_JSON_H
#define MODELS_LIGHTGBM_LIGHTGBM_JSON_H

#include "models/lightgbm/lightgbm_reader.h"
#include "models/nested_tree.h"

#define LIGHTGBM_USE_TEXT "Save the model with save_model(\"model.txt\") instead"

/* A place in the text where a value begins. */
struct dump_place {
    const char *at; /* NULL if the key is absent */
    size_t line;
};

/* How a node decides, besides its feature and its threshold. */
struct dump_split {
    unsigned bits; /* LIGHTGBM_CATEGORICAL, ... */
    bool has_set;  /* the threshold is a set of categories */
    size_t first_category, n_categories;
};

struct lightgbm_json {
    struct lightgbm_model model;
    struct json_stream stream;
    const char *end; /* of the text */
    struct dump_place trees, names, infos;
    const char *objective, *objective_end;
    const char *categories, *categories_end;
    uint32_t n_names, tree_index;
    bool has_values;       /* does the info of a feature list its values? */
    bool is_known_average; /* does the dump say whether it is an average? */
    bool is_average;

    /* The current tree. */
    struct nested_tree tree;
    struct dump_split *splits; /* [tree.n_nodes] */
    size_t splits_capacity;
    uint32_t *categories_of_tree;
    size_t n_categories, categories_capacity;
};

/* Reads the rest of a root after its "{", and adds the tree to the model. */
enum status lightgbm_json_tree(struct lightgbm_json *reader);

#endif
