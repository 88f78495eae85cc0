/* The data sets of buschjaeger2018 as its program reads them: which columns become features, how
 * words and fractions become numbers, and which rows are for training and which for testing.
 * docs/data-sets.md lists them. */
#ifndef DATASETS_RECIPES_RECIPE_H
#define DATASETS_RECIPES_RECIPE_H

#include "base/status.h"
#include "datasets/folds.h"

#include <stddef.h>
#include <stdint.h>

/* Rows are split at random by random numbers of this seed, unless the owners publish a split. */
enum { RECIPE_SEED = 2018 };

/* RECIPE_INT: every feature of every row is an integer. */
enum recipe_type { RECIPE_INT, RECIPE_FLOAT };
extern const char *const recipe_type_names[2]; /* "int", "float" */

struct recipe_column;
struct recipe_source;

struct recipe {
    const char *name; /* of the data set in the catalogue */
    enum recipe_type type;
    uint32_t features;  /* after the conversion */
    uint64_t test_rows; /* of the whole data set */
    const char *split;  /* "random" or "published" */

    /* for recipe.c; columns.h explains them */
    const struct recipe_column *columns;
    uint32_t n_columns;
    const struct recipe_source *owners, *collected; /* NULL: treebench cannot read such files */
    bool drops_first_row, drops_not_finite;
};

const struct recipe *recipes(size_t *count);

/* Returns NULL if the data set has no recipe. */
const struct recipe *recipe_find(const char *name);

/* Determines whether this machine has the whole data set, a part of it or nothing. Looks in
 * $TREEBENCH_DATA_SETS/NAME/ and then in $TREEBENCH_DATA/tabular/, like fold_find. */
enum status recipe_origin(const struct recipe *recipe, enum fold_origin *origin,
                          struct error *error);

/* Reads the rows for training and for testing. There is no validation part. If the files hold only
 * a part of the data set, the note of the documents says so. If this machine does not have the data
 * set, all parts are NULL; this is not an error. */
enum status recipe_read(const struct recipe *recipe, enum fold_parts wanted, struct fold *fold,
                        struct error *error);

#endif
