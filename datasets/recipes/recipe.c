#include "datasets/recipes/recipe.h"

#include "base/files/archive.h"
#include "base/files/file.h"
#include "base/origin.h"
#include "base/random.h"
#include "datasets/recipes/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = FOLD_FOLDER_SIZE + 512 };

const char *const recipe_type_names[2] = {"int", "float"};

/* --- where the files are ---------------------------------------------------------------------- */

/* The location of the files of a data set. */
struct place {
    char folder[FOLD_FOLDER_SIZE];
    const struct recipe_source *source; /* NULL if the data set is not on this machine */
};

/* Writes the path of a file. Returns the name of the file in the archive, or NULL if the path is
 * the file itself. */
static const char *name_file(const struct place *place, size_t file, char path[PATH_SIZE]) {
    const char *name = place->source->files[file], *member = strstr(name, ".zip:");
    size_t length = member ? (size_t)(member - name) + strlen(".zip") : strlen(name);
    snprintf(path, PATH_SIZE, "%s/%.*s", place->folder, (int)length, name);
    return member ? name + length + 1 : NULL;
}

static bool has_all_files(const struct place *place) {
    char path[PATH_SIZE];
    for (size_t i = 0; place->source->files[i]; i++) {
        name_file(place, i, path);
        if (access(path, R_OK) != 0)
            return false;
    }
    return true;
}

static enum status find_place(const struct recipe *recipe, struct place *place,
                              struct error *error) {
    const char *data = getenv("TREEBENCH_DATA");
    *place = (struct place){.source = recipe->owners};
    enum status status = fold_check_folders(error);
    if (status)
        return status;
    if (place->source && fold_name_folder(recipe->name, place->folder) && has_all_files(place))
        return STATUS_OK;
    place->source = data && *data ? recipe->collected : NULL;
    if (place->source)
        snprintf(place->folder, sizeof place->folder, "%s/tabular", data);
    if (place->source && !has_all_files(place))
        place->source = NULL;
    return STATUS_OK;
}

enum status recipe_origin(const struct recipe *recipe, enum fold_origin *origin,
                          struct error *error) {
    struct place place;
    enum status status = find_place(recipe, &place, error);
    *origin = !place.source ? FOLD_ABSENT : place.source->note ? FOLD_SAMPLE : FOLD_REAL;
    return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

static size_t count_lines(const struct file_text *text) {
    size_t count = 1;
    for (const char *at = text->data, *end = at + text->size;
         (at = memchr(at, '\n', (size_t)(end - at))); at++)
        count++;
    return count;
}

static enum status create(const struct recipe *recipe, size_t n_rows, const char *note,
                          struct matrix **matrix, struct error *error) {
    enum status status = matrix_create(n_rows, recipe->features, matrix, error);
    if (status)
        return status;
    (*matrix)->labels = malloc(n_rows * sizeof *(*matrix)->labels);
    snprintf((*matrix)->note, sizeof(*matrix)->note, "%s", note ? note : "");
    (*matrix)->origin = note && note[0] ? ORIGIN_PART : 0;
    return (*matrix)->labels ? STATUS_OK : error_memory(error, "labels");
}

/* Reads all rows of all files. */
enum { FILES_MAX = 3 };
static enum status read_texts(const struct place *place, struct file_text texts[FILES_MAX],
                              size_t *n_lines, struct error *error) {
    enum status status = STATUS_OK;
    char path[PATH_SIZE];
    *n_lines = 0;
    for (size_t i = 0; i < FILES_MAX && place->source->files[i] && !status; i++) {
        const char *member = name_file(place, i, path);
        status = member ? archive_read(path, member, &texts[i], error)
                        : file_read(path, &texts[i], error);
        if (!status)
            *n_lines += count_lines(&texts[i]);
    }
    return status;
}

static enum status read_rows(const struct recipe *recipe, const struct place *place,
                             struct matrix **all, struct error *error) {
    struct file_text texts[FILES_MAX] = {{0}};
    size_t n_lines, n_seen = 0;
    char path[PATH_SIZE];
    enum status status = read_texts(place, texts, &n_lines, error);
    if (!status)
        status = create(recipe, n_lines, place->source->note, all, error);
    if (!status)
        (*all)->n_rows = 0;
    for (size_t i = 0; i < FILES_MAX && place->source->files[i] && !status; i++) {
        name_file(place, i, path);
        status = recipe_convert(recipe, place->source, path, texts[i].data, texts[i].size, *all,
                                &n_seen, error);
    }
    for (size_t i = 0; i < FILES_MAX; i++)
        file_text_free(&texts[i]);
    if (!status && (*all)->n_rows < 2)
        status = error_set(error, STATUS_INPUT, "%s: expected at least 2 rows", path);
    return status;
}

/* --- the split -------------------------------------------------------------------------------- */

/* Makes the numbers of all rows, in an order in which the last n_test are for testing. Returns NULL
 * if memory runs out. */
static size_t *order_rows(size_t n_rows, bool at_random) {
    size_t *order = malloc(n_rows * sizeof *order);
    struct random random;
    random_seed(&random, RECIPE_SEED);
    for (size_t i = 0; order && i < n_rows; i++)
        order[i] = i;
    for (size_t i = n_rows; order && at_random && i > 1; i--) {
        size_t other = (size_t)random_below(&random, i), moved = order[i - 1];
        order[i - 1] = order[other];
        order[other] = moved;
    }
    return order;
}

static enum status take_rows(const struct recipe *recipe, const struct matrix *all,
                             const size_t *rows, size_t n_rows, struct matrix **part,
                             struct error *error) {
    enum status status = create(recipe, n_rows, all->note, part, error);
    for (size_t i = 0; i < n_rows && !status; i++) {
        memcpy(matrix_row(*part, i), matrix_row(all, rows[i]), all->stride * sizeof *all->values);
        (*part)->labels[i] = all->labels[rows[i]];
    }
    return status;
}

static enum status split(const struct recipe *recipe, const struct recipe_source *source,
                         const struct matrix *all, enum fold_parts wanted, struct fold *fold,
                         struct error *error) {
    size_t n_test = source->test_last ? source->test_last : (all->n_rows + 3) / 4;
    if (n_test >= all->n_rows)
        return error_set(error, STATUS_INPUT, "%s: %zu rows, but the last %zu are for testing",
                         recipe->name, all->n_rows, n_test);
    size_t n_train = all->n_rows - n_test, *order = order_rows(all->n_rows, !source->test_last);
    if (!order)
        return error_memory(error, "the numbers of rows");
    enum status status = STATUS_OK;
    if (wanted == FOLD_ALL)
        status = take_rows(recipe, all, order, n_train, &fold->train, error);
    if (!status)
        status = take_rows(recipe, all, order + n_train, n_test, &fold->test, error);
    free(order);
    return status;
}

enum status recipe_read(const struct recipe *recipe, enum fold_parts wanted, struct fold *fold,
                        struct error *error) {
    struct place place;
    struct matrix *all = NULL;
    *fold = (struct fold){0};
    enum status status = find_place(recipe, &place, error);
    if (status || !place.source)
        return status;
    status = read_rows(recipe, &place, &all, error);
    if (!status)
        status = split(recipe, place.source, all, wanted, fold, error);
    matrix_free(all);
    if (status)
        fold_free(fold);
    return status;
}
