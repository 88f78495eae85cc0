/* Which column of a table is which feature of a model, by their names. A space and an underscore
 * are the same in names: LightGBM writes the one for the other. */
#ifndef DATASETS_COLUMNS_H
#define DATASETS_COLUMNS_H

#include "base/status.h"
#include "datasets/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_FEATURE UINT32_MAX

struct column_name {
    const char *begin, *end;
    uint32_t column;
    uint32_t feature; /* NO_FEATURE: it is none */
};

struct columns_match {
    uint32_t n_found;        /* features that have a column */
    const char *absent;      /* the name of the first that has none; NULL: all have */
    uint32_t absent_feature; /* its number */
    const char *twice;       /* the first name of two columns, or of two features; or NULL */
};

/* Sorts the columns by name and says for each which feature it is. `names` are n_features names,
 * each ended by a NUL. */
struct columns_match columns_match(struct column_name *columns, uint32_t n_columns,
                                   const char *names, uint32_t n_features);

/* STATUS_INPUT with the reason where some features have a column and others have not, or a name is
 * there twice: scores would be wrong without a word. */
enum status columns_check(const struct columns_match *match, uint32_t n_features,
                          struct error *reason);

/* Whether a matrix has names that are all different, so that they may name a model's features. */
enum status columns_are_distinct(const struct matrix *matrix, bool *distinct, struct error *error);

/* Brings the columns of a matrix that has names (column_names) into the order of the features that
 * `reading` names, if it names any, and says how in `columns`. `name` begins the error. */
enum status columns_arrange(const char *name, const struct data_reading *reading,
                            struct matrix *matrix, struct error *error);

#endif
