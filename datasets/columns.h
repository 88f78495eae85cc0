/* Matches the columns of a table to the features of a model by name. A space and an underscore are
 * equal in names, because LightGBM replaces spaces by underscores. */
#ifndef DATASETS_COLUMNS_H
#define DATASETS_COLUMNS_H

#include "base/status.h"
#include "datasets/format.h"

#include <stdbool.h>
#include <stdint.h>

#define NO_FEATURE UINT32_MAX

struct column_name {
    const char *begin, *end;
    uint32_t column;
    uint32_t feature; /* NO_FEATURE if the column is not a feature */
};

struct columns_match {
    uint32_t n_found;        /* number of features that have a column */
    const char *absent;      /* name of the first feature without a column; NULL if there is none */
    uint32_t absent_feature; /* index of that feature */
    const char *twice;       /* first name shared by two columns or two features; or NULL */
};

/* Sorts the columns by name and sets the feature of each column. `names` holds n_features names,
 * each terminated by a NUL. */
struct columns_match columns_match(struct column_name *columns, uint32_t n_columns,
                                   const char *names, uint32_t n_features);

/* Fails with STATUS_INPUT and the reason if only some features have a column, or if a name occurs
 * twice, because scores would be silently wrong. */
enum status columns_check(const struct columns_match *match, uint32_t n_features,
                          struct error *reason);

/* Sets *distinct to whether the matrix has column names and all are different. Only distinct names
 * can be used as a model's feature names. */
enum status columns_are_distinct(const struct matrix *matrix, bool *distinct, struct error *error);

/* If `reading` names features and the matrix has column names, brings the columns into the order of
 * the features and sets matrix->columns. Errors begin with `name`. */
enum status columns_arrange(const char *name, const struct data_reading *reading,
                            struct matrix *matrix, struct error *error);

#endif
