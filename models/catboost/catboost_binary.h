/* Declarations shared by catboost_binary.c and catboost_binary_ctrs.c. */
#ifndef MODELS_CATBOOST_CATBOOST_BINARY_H
#define MODELS_CATBOOST_CATBOOST_BINARY_H

#include "models/catboost/catboost.h"
#include "models/catboost/flatbuffer.h"

struct binary_ctr_table; /* catboost_binary_ctrs.c */

struct binary_reader {
    struct flatbuffer buffer;
    struct flatbuffer_list format, parts;
    struct flatbuffer_table trees;
    /* Of the trees. */
    struct flatbuffer_list splits, sizes, starts, categories, floats, one_hot, ctrs, values, steps;
    struct flatbuffer_list leaves, texts, estimated, biases, embeddings;
    double bias; /* if there are no biases */
    struct catboost_model model;
    double *value; /* [values.count] */
    struct catboost_node *nodes;
    size_t nodes_capacity;
    size_t n_values_used; /* used by the leaves of trees that are not symmetric */

    const unsigned char *rest; /* what follows the model in the file */
    size_t rest_size;
    bool has_ctr_tables; /* `rest` begins with tables of CTRs */
    struct binary_ctr_table *ctr_tables;
};

/* "FILE: ..." */
enum status catboost_binary_fail(const struct binary_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* If a function of catboost.h has failed with `status`, reports its error with the file name. */
enum status catboost_binary_place(const struct binary_reader *r, enum status status);

/* Takes a size, with the all-ones form for large ones, from the *left bytes at *at. Returns false
 * if the bytes end too early. */
bool catboost_binary_size(const unsigned char **at, size_t *left, uint64_t *size);

/* Adds the borders of a feature. Several features may point to the same list. Their total number is
 * limited, so that a small file cannot request much memory. */
enum status catboost_binary_borders(struct binary_reader *r, struct catboost_borders *to,
                                    const struct flatbuffer_list *borders);

/* Reads the CTRs that trees test, and their tables. */
enum status catboost_binary_ctrs(struct binary_reader *r);

#endif
