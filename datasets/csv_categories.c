#include "datasets/csv_table.h"

#include "base/cityhash.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum status csv_fail(const struct csv_table *r, const char *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    enum status status = error_set_at(r->error, r->name, r->text, at, format, arguments);
    va_end(arguments);
    return status;
}

int csv_shown(struct csv_field field) {
    ptrdiff_t length = field.end - field.begin;
    return length < 40 ? (int)length : 40;
}

bool csv_has_categories(const struct csv_table *r, uint32_t feature) {
    return feature != NO_FEATURE && categories_has(r->categories, feature);
}

/* Rejects numbers in a column with text categories, because they are probably codes of an unknown
 * encoding. */
static enum status check_category_column(const struct csv_table *r, uint32_t i) {
    const struct csv_column *c = &r->columns[i];
    struct csv_field number = c->number;
    if (categories_are_numbers(r->categories, c->feature) || c->word.begin || !number.begin ||
        categories_find(r->categories, c->feature, number.begin,
                        (size_t)(number.end - number.begin)) != CATEGORIES_UNKNOWN ||
        csv_is_nan(number))
        return STATUS_OK;
    return csv_fail(
        r, number.begin,
        "column %u contains numbers ('%.*s'), but the model's categories for this feature "
        "are text. Use the original text",
        i + 1, csv_shown(number), number.begin);
}

/* Rejects columns that mix numbers with text or truth values, and text whose encoding is unknown.
 */
static enum status check_column(const struct csv_table *r, uint32_t i, enum data_words words) {
    const struct csv_column *c = &r->columns[i];
    const struct csv_field word = c->word;
    if (i != r->label && csv_has_categories(r, c->feature))
        return check_category_column(r, i);
    if (c->feature == NO_FEATURE && i != r->label)
        return STATUS_OK;
    if (c->number.begin && word.begin)
        return csv_fail(
            r, word.begin,
            "column %u contains both numbers and text ('%.*s'). Use only numbers or only "
            "text; missing values are empty, NA, N/A, null or ?",
            i + 1, csv_shown(word), word.begin);
    if (c->number.begin && c->truth.begin)
        return csv_fail(
            r, c->truth.begin,
            "column %u contains both numbers and truth values ('%.*s'). Use only numbers, "
            "such as 1 for true and 0 for false, or only truth values",
            i + 1, csv_shown(c->truth), c->truth.begin);
    if (!word.begin)
        return STATUS_OK;
    if (i == r->label ? words == WORDS_REFUSED : words != WORDS_CODED)
        return csv_fail(
            r, word.begin,
            "column %u contains text ('%.*s'), but the model does not record how text was "
            "encoded. Replace it with the codes used in training",
            i + 1, csv_shown(word), word.begin);
    return STATUS_OK;
}

enum status csv_check_columns(const struct csv_table *r, enum data_words words) {
    enum status status = STATUS_OK;
    for (uint32_t i = 0; !status && i < r->n_columns; i++)
        status = check_column(r, i, words);
    return status;
}

/* --- words ------------------------------------------------------------------------------------ */

enum status csv_number_word(struct csv_table *r, struct csv_field word, uint32_t column,
                            float *value) {
    enum { MOST = 1 << 24 }; /* float32 represents all integers up to this one */
    uint32_t number;
    if (!words_number(&r->words, word, column, &r->columns[column].n_words, &number))
        return error_memory(r->error, "the words of a table");
    if (number == MOST)
        return csv_fail(r, word.begin, "more than %d different words in column %u", MOST,
                        column + 1);
    *value = (float)number;
    return STATUS_OK;
}

/* Describes the columns of words: "'job' and 2 more columns". */
static void describe_words(const struct csv_table *r, char text[static MATRIX_NOTE_SIZE]) {
    char first[64] = "";
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->n_columns; i++) {
        const struct csv_field name = r->columns[i].name;
        if (r->columns[i].n_words == 0 || count++ > 0)
            continue;
        if (r->has_header)
            snprintf(first, sizeof first, "'%.*s'",
                     (int)(name.end - name.begin < 40 ? name.end - name.begin : 40), name.begin);
        else
            snprintf(first, sizeof first, "column %u", i + 1);
    }
    if (count > 1)
        snprintf(text, MATRIX_NOTE_SIZE, "%s and %u more column%s", first, count - 1,
                 count > 2 ? "s" : "");
    else
        snprintf(text, MATRIX_NOTE_SIZE, "%s", first);
}

enum status csv_code_words(struct csv_table *r, struct matrix *matrix) {
    if (!words_sort(&r->words))
        return error_memory(r->error, "the words of a table");
    const uint32_t *ranks = r->words.ranks;
    for (uint32_t i = 0; i < r->n_columns; i++) {
        const struct csv_column *c = &r->columns[i];
        for (size_t row = 0; c->n_words && row < matrix->n_rows; row++) {
            float *value =
                i == r->label ? &matrix->labels[row] : &matrix_row(matrix, row)[c->feature];
            if (!isnan(*value))
                *value = (float)ranks[(size_t)*value];
        }
        ranks = c->n_words ? ranks + c->n_words : ranks;
    }
    describe_words(r, matrix->words);
    return STATUS_OK;
}

/* --- categories of the model ------------------------------------------------------------------ */

enum status csv_store_category(struct csv_table *r, struct matrix *matrix, uint32_t column,
                               struct csv_field field, float *value) {
    uint32_t feature = r->columns[column].feature;
    size_t length = (size_t)(field.end - field.begin);
    uint32_t code = categories_find(r->categories, feature, field.begin, length);
    *value = code == CATEGORIES_UNKNOWN ? NAN : (float)code;
    if (r->hashes)
        r->hashes[feature] = (uint32_t)cityhash64(field.begin, length);
    /* A hash that is not listed is no error: models list only the hashes that their trees test. */
    if (code != CATEGORIES_UNKNOWN || csv_is_missing(field) || csv_is_nan(field) ||
        categories_are_hashes(r->categories, feature))
        return STATUS_OK;
    matrix->n_unknown++;
    if (!categories_refuse_unknown(r->categories))
        return STATUS_OK;
    return csv_fail(r, field.begin,
                    "'%.*s' in column %u is not a category that the model was trained with",
                    csv_shown(field), field.begin, column + 1);
}

void csv_compute_ctrs(const struct csv_table *r, struct matrix *matrix, size_t row) {
    float *values = matrix_row(matrix, row);
    matrix->n_unknown += ctrs_compute(r->ctrs, r->hashes, values, values + r->first_ctr);
}
