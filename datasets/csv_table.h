/* The state of the table reader, and the part of the reader that handles categories: columns of
 * words, and columns whose categories the model stores. */
#ifndef DATASETS_CSV_TABLE_H
#define DATASETS_CSV_TABLE_H

#include "datasets/columns.h"
#include "datasets/csv_fields.h"
#include "datasets/query_list.h"
#include "datasets/words.h"
#include "models/categories.h"
#include "models/ctrs.h"

struct csv_column {
    struct csv_field name;    /* the column's field in the first line */
    enum csv_kind first_kind; /* the kind of `name` */
    /* the first of each kind below the header; begin is NULL if there is none */
    struct csv_field number, truth, word;
    uint32_t n_words; /* number of different words in the column */
    uint32_t feature; /* NO_FEATURE if the column is not a feature */
};

struct csv_table {
    const char *name, *text, *end;
    char separator;
    struct csv_column *columns;
    uint32_t n_columns;
    size_t column_capacity, n_rows;
    bool has_header;
    bool needs_labels;   /* every label must be a number */
    uint32_t label;      /* column of the labels; NO_COLUMN if there is none */
    uint32_t query;      /* column of the queries; NO_COLUMN if there is none */
    uint32_t n_features; /* number of columns that are features */
    enum matrix_columns by;
    const struct placing *placing;       /* may be NULL */
    const struct categories *categories; /* may be NULL */
    const struct ctrs *ctrs;             /* may be NULL */
    uint32_t first_ctr;                  /* the model's first feature that is not in the table */
    uint32_t *hashes; /* of the categories in the current line, by feature; NULL without CTRs */
    struct words words;
    struct query_list queries;
    struct error *error;
};
#define NO_COLUMN UINT32_MAX

/* Sets an error at a character of the text: "NAME:LINE:COLUMN: ...". */
enum status csv_fail(const struct csv_table *table, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The number of characters of a field to show in an error, for "%.*s". */
int csv_shown(struct csv_field field);

/* Does the model store the categories of this feature? NO_FEATURE has none. */
bool csv_has_categories(const struct csv_table *table, uint32_t feature);

/* Rejects columns that mix text and numbers, and text whose encoding is unknown. */
enum status csv_check_columns(const struct csv_table *table, enum data_words words);

/* Sets *value to the index of a word in the order of first occurrence. csv_code_words later
 * replaces the index by the word's code. */
enum status csv_number_word(struct csv_table *table, struct csv_field word, uint32_t column,
                            float *value);

/* Replaces the index of each word by its code, and describes the columns in matrix->words. */
enum status csv_code_words(struct csv_table *table, struct matrix *matrix);

/* Sets the CTRs of a document, whose other features are set. */
void csv_compute_ctrs(const struct csv_table *table, struct matrix *matrix, size_t row);

/* Sets *value to the position of a category in the model's list. */
enum status csv_store_category(struct csv_table *table, struct matrix *matrix, uint32_t column,
                               struct csv_field field, float *value);

#endif
