/* Writes the tables of categories of exported scorers: the number that represents each category. */
#include "base/number.h"
#include "export/parts.h"
#include "models/categories.h"

#include <ctype.h>
#include <inttypes.h>

/* Does the feature have a list of categories that can be written? If the list has only hashes, the
 * words are unknown. */
static bool has_list(const struct export_model *model, uint32_t feature) {
    return categories_count(model->categories, feature) > 0 &&
           !categories_are_hashes(model->categories, feature);
}

bool export_has_categories(const struct export_model *model) {
    bool found = false;
    for (uint32_t f = 0; model->categories && f < model->ensemble->n_features; f++)
        found |= has_list(model, f);
    return found;
}

/* Writes a string literal. Other characters are escaped, so that every compiler reads the same
 * bytes. */
static void write_literal(FILE *stream, const char *word, size_t length) {
    fputc('"', stream);
    for (size_t i = 0; i < length; i++)
        if (isalnum((unsigned char)word[i]) || word[i] == ' ' || word[i] == '_')
            fputc(word[i], stream);
        else
            fprintf(stream, "\\%03o", (unsigned)(unsigned char)word[i]);
    fputc('"', stream);
}

static void write_list(FILE *stream, const struct export_model *model, uint32_t feature) {
    const struct categories *categories = model->categories;
    for (uint32_t code = 0; code < categories_count(categories, feature); code++) {
        fprintf(stream, "    {%" PRIu32 ", ", feature);
        if (categories_are_numbers(categories, feature)) {
            char text[NUMBER_TEXT_SIZE];
            number_format_double(categories_number(categories, feature, code), text);
            fprintf(stream, "0, %s},\n", text);
        } else {
            size_t length;
            const char *word = categories_word(categories, feature, code, &length);
            write_literal(stream, word, length);
            fputs(", 0},\n", stream);
        }
    }
}

static void write_lists(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct export_model *model = context;
    for (uint32_t f = 0; f < model->ensemble->n_features; f++)
        if (has_list(model, f))
            write_list(stream, model, f);
}

static const struct text_part category_parts[] = {{"categories", write_lists, 0}, {NULL, NULL, 0}};

void export_categories_write(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct export_model *model = context;
    if (export_has_categories(model))
        text_write(stream, "export/categories.c.in", model->values, category_parts, model);
}
