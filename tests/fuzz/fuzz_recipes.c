/* The rows of a data set are refused with one line, or become numbers: integers if the recipe says
 * so, and labels from 0 on. */
#include "base/status.h"
#include "datasets/recipes/columns.h"
#include "tests/fuzz/own_folder.h"

#include <math.h>

static size_t count_lines(const char *text, size_t size) {
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    return count;
}

static void expect_numbers(const struct recipe *recipe, const struct matrix *matrix) {
    for (size_t row = 0; row < matrix->n_rows; row++) {
        for (uint32_t i = 0; i < recipe->features; i++) {
            float value = matrix_row((struct matrix *)matrix, row)[i];
            fuzz_expect(recipe->type == RECIPE_FLOAT || value == truncf(value));
        }
        fuzz_expect(matrix->labels[row] >= 0);
    }
}

static void convert(const struct recipe *recipe, const struct recipe_source *source,
                    const char *text, size_t size) {
    struct error error = {""};
    struct matrix *matrix = NULL;
    size_t n_lines = count_lines(text, size), n_seen = 0;
    fuzz_expect(matrix_create(n_lines, recipe->features, &matrix, &error) == STATUS_OK);
    matrix->labels = malloc(n_lines * sizeof *matrix->labels);
    fuzz_expect(matrix->labels != NULL);
    matrix->n_rows = 0;
    enum status status =
        recipe_convert(recipe, source, "rows", text, size, matrix, &n_seen, &error);
    fuzz_expect(matrix->n_rows <= n_seen && n_seen <= n_lines);
    if (status)
        fuzz_expect_line(error.text, "rows");
    else
        expect_numbers(recipe, matrix);
    matrix_free(matrix);
}

/* The first byte chooses the recipe, and where the rows are from. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t count;
    const struct recipe *all = recipes(&count);
    if (size == 0)
        return 0;
    const struct recipe *recipe = &all[data[0] / 2 % count];
    const struct recipe_source *source = data[0] % 2 ? recipe->owners : recipe->collected;
    if (source)
        convert(recipe, source, (const char *)data + 1, size - 1);
    return 0;
}
