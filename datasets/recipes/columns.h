/* How a recipe reads a table. */
#ifndef DATASETS_RECIPES_COLUMNS_H
#define DATASETS_RECIPES_COLUMNS_H

#include "datasets/matrix.h"
#include "datasets/recipes/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum recipe_kind {
    COLUMN_NUMBER,       /* one feature: the number */
    COLUMN_TRUNCATED,    /* one feature: the number times `factor`, rounded towards zero */
    COLUMN_CODE,         /* one feature: the position of the word in the list */
    COLUMN_EACH,         /* one feature per word of the list: 1 for the word of the row, else 0 */
    COLUMN_EACH_OR_LAST, /* the same; "?" counts as the last word */
    COLUMN_UNUSED        /* no feature */
};

struct recipe_column {
    enum recipe_kind kind;
    double factor;      /* COLUMN_TRUNCATED; 0 means 1 */
    const char *words;  /* separated by blanks */
    const char *damage; /* a field with this text counts as `repair`; NULL: none */
    const char *repair;
    uint32_t repeat; /* this number of such columns follow each other; 0 means 1 */
};

/* Where the rows are. Paths are relative to the folder; "A.zip:B" is the file B of the archive A.
 */
struct recipe_source {
    const char *files[3]; /* ends at the first NULL; rows of all files follow each other */
    bool has_header;
    bool label_first;   /* the label is the first column; otherwise the last */
    const char *labels; /* the words or numbers of classes 0, 1, ..., separated by blanks */
    const char *note;   /* "a part of ..."; NULL if the files hold the whole data set */
    uint32_t test_last; /* the last rows are for testing; 0: split at random */
};

/* Returns the number of fields of a row, without the label. */
uint32_t recipe_count_fields(const struct recipe *recipe);

/* Converts the rows of one file and appends them to the matrix, which must have room for all of
 * them. `n_seen` counts the rows of this data set, including dropped ones. Errors name `name` and
 * the line. */
enum status recipe_convert(const struct recipe *recipe, const struct recipe_source *source,
                           const char *name, const char *text, size_t size, struct matrix *matrix,
                           size_t *n_seen, struct error *error);

#endif
