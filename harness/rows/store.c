#include "harness/rows/store.h"

#include "base/files/file.h"
#include "base/files/json.h"
#include "base/memory.h"
#include "harness/rows/lines.h"
#include "harness/rows/row.h"
#include "harness/rows/store_scan.h"
#include "impls/scorer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct store {
    struct lines lines; /* rows.jsonl up to the end of its last complete cell */
    void *cells;
};

/* --- the manifest ----------------------------------------------------------------------------- */

/* Entries of the manifest that must be equal for rows to be comparable. Scale and clock are among
 * them because readers average over all rows of a point. For a dirty source tree, the manifest
 * records only that the tree was dirty. So two different builds from dirty trees of the same commit
 * count as equal. */
static const struct {
    const char *group, *key; /* NULL: a key of the manifest itself */
} identity[] = {{"cpu", "model"},      {"cpu", "cores"},   {"cpu", "features"}, {"cpu", "l2_bytes"},
                {"cpu", "l3_bytes"},   {NULL, "shard"},    {"build", "commit"}, {"build", "dirty"},
                {"build", "compiler"}, {"build", "flags"}, {NULL, "scale"},     {NULL, "clock"},
                {NULL, "libraries"},   {NULL, "configs"},  {NULL, "data"}};

static const cJSON *identity_of(const cJSON *manifest, size_t i) {
    const cJSON *object = manifest;
    if (identity[i].group != NULL)
        object = cJSON_GetObjectItemCaseSensitive(manifest, identity[i].group);
    return cJSON_GetObjectItemCaseSensitive(object, identity[i].key);
}

static enum status differing(const char *path, const cJSON *old, const cJSON *new, size_t i,
                             struct error *error) {
    char *old_text = cJSON_PrintUnformatted(old), *new_text = cJSON_PrintUnformatted(new);
    enum status status = error_set(
        error, STATUS_INPUT,
        "%s: %s%s%s was %.160s, but is now %.160s. The rows would not be comparable. Give another "
        "--out, or continue with the same options, program, data sets and machine",
        path, identity[i].group != NULL ? identity[i].group : "",
        identity[i].group != NULL ? "." : "", identity[i].key,
        old_text != NULL ? old_text : "absent", new_text != NULL ? new_text : "absent");
    free(old_text);
    free(new_text);
    return status;
}

/* Returns the index of the first entry that differs, or the number of entries. */
static size_t find_difference(const cJSON *a, const cJSON *b) {
    size_t i = 0;
    for (; i < sizeof identity / sizeof *identity; i++) {
        const cJSON *of_a = identity_of(a, i), *of_b = identity_of(b, i);
        if ((of_a != NULL || of_b != NULL) && !cJSON_Compare(of_a, of_b, true))
            break;
    }
    return i;
}

static enum status compare_manifest(const char *path, const cJSON *manifest, struct error *error) {
    cJSON *stored = NULL;
    enum status status = json_read(path, &stored, error);
    if (status)
        return status;
    size_t i = find_difference(stored, manifest);
    if (i < sizeof identity / sizeof *identity)
        status = differing(path, identity_of(stored, i), identity_of(manifest, i), i, error);
    cJSON_Delete(stored);
    return status;
}

const char *store_manifest_difference(const cJSON *a, const cJSON *b) {
    size_t i = find_difference(a, b);
    return i < sizeof identity / sizeof *identity ? identity[i].key : NULL;
}

/* Fails if a run with this manifest cannot resume the run in DIR. */
static enum status check_manifest(const char *directory, const cJSON *manifest,
                                  struct error *error) {
    char *path = lines_path(directory, "manifest.json");
    if (path == NULL)
        return error_memory(error, directory);
    enum status status = compare_manifest(path, manifest, error);
    free(path);
    return status;
}

/* Writes the manifest of a new run. A resumed run must match the existing manifest, which is kept
 * because it records when the run began. Such a run may have no rows yet, if only models were
 * measured (harness/quality/quality.h). */
static enum status settle_manifest(const char *directory, bool has_rows, bool resume,
                                   const cJSON *manifest, struct error *error) {
    char *path = lines_path(directory, "manifest.json");
    if (path == NULL)
        return error_memory(error, directory);
    bool begun = has_rows || (resume && access(path, F_OK) == 0);
    enum status status =
        begun ? compare_manifest(path, manifest, error) : json_write(path, manifest, error);
    free(path);
    return status;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Removes incomplete cells from the file. */
static enum status keep_whole_cells(struct store *store, const struct file_text *text,
                                    const struct scan *scan, note_function *note,
                                    struct error *error) {
    if (!scan->has_gaps)
        return lines_cut(&store->lines, scan->bytes, error);
    note_tell(note, "%s: dropping incomplete cells, to measure them again", store->lines.path);
    return lines_replace(&store->lines, text->data, scan->bytes, error);
}

/* Finds the complete cells in the file. Removes the others only after it is certain that the run
 * can continue. */
static enum status take_cells(struct store *store, bool resume, const char *directory,
                              const cJSON *manifest, struct file_text *text, note_function *note,
                              struct error *error) {
    struct scan scan = {0};
    enum status status;
    if (text->size > 0 && !resume)
        status = lines_refuse(store->lines.path, "rows", error);
    else
        status = scan_rows(store->lines.path, text, true, &scan, error);
    if (!status)
        status = settle_manifest(directory, scan.bytes > 0, resume, manifest, error);
    if (!status)
        status = keep_whole_cells(store, text, &scan, note, error);
    store->cells = scan.cells;
    scan.cells = NULL;
    scan_free(&scan);
    return status;
}

enum status store_open(const char *directory, bool resume, const cJSON *manifest,
                       note_function *note, struct store **store, struct error *error) {
    struct file_text text = {0};
    struct store *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return error_memory(error, directory);
    enum status status = lines_open(directory, "rows.jsonl", &opened->lines, error);
    if (!status)
        status = file_read_kept(opened->lines.path, &text, error);
    if (!status)
        status = take_cells(opened, resume, directory, manifest, &text, note, error);
    file_text_free(&text);
    if (!status)
        *store = opened;
    else
        store_close(opened);
    return status;
}

bool store_has_cell(const struct store *store, const char *cell) {
    return cell_set_has(&store->cells, cell);
}

void store_close(struct store *store) {
    if (store == NULL)
        return;
    lines_close(&store->lines);
    cell_set_free(store->cells);
    free(store);
}

/* --- appending -------------------------------------------------------------------------------- */

static enum status check_cell(const struct store *store, const struct row *rows, size_t count,
                              struct error *error) {
    if (count == 0)
        return error_set(error, STATUS_INPUT, "%s: the cell has no rows", store->lines.path);
    if (store_has_cell(store, rows[0].cell))
        return error_set(error, STATUS_INPUT, "%s: cell %s was measured already", store->lines.path,
                         rows[0].cell);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].cell, rows[0].cell) != 0 || rows[i].cell_rows != count)
            return error_set(error, STATUS_INPUT,
                             "%s: new row %zu has cell %s and cell_rows %u, expected %s and %zu",
                             store->lines.path, i, rows[i].cell, rows[i].cell_rows, rows[0].cell,
                             count);
    return STATUS_OK;
}

static bool print_row(FILE *stream, const struct row *row) {
    cJSON *json = row_to_json(row);
    char *text = json != NULL ? cJSON_PrintUnformatted(json) : NULL;
    bool printed = text != NULL && fprintf(stream, "%s\n", text) > 0;
    free(text);
    cJSON_Delete(json);
    return printed;
}

/* Returns all rows as lines of one text, or NULL. The caller frees it. */
static char *print_rows(const struct row *rows, size_t count, size_t *size) {
    char *text = NULL;
    FILE *stream = memory_open_stream(&text, size);
    if (stream == NULL)
        return NULL;
    bool printed = true;
    for (size_t i = 0; printed && i < count; i++)
        printed = print_row(stream, &rows[i]);
    if (memory_close_stream(stream) && printed)
        return text;
    free(text);
    return NULL;
}

enum status store_append_cell(struct store *store, const struct row *rows, size_t count,
                              struct error *error) {
    enum status status = check_cell(store, rows, count, error);
    if (status)
        return status;
    size_t size;
    char *text = print_rows(rows, count, &size);
    if (text == NULL)
        return error_memory(error, "the rows of a cell");
    status = lines_append(&store->lines, text, size, "a cell", error);
    free(text);
    if (!status && !cell_set_add(&store->cells, rows[0].cell))
        status = error_memory(error, "the keys of cells");
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum status load_rows(const char *path, struct rows *rows, struct error *error) {
    struct file_text text;
    struct scan scan;
    enum status status = file_read_kept(path, &text, error);
    if (status)
        return status;
    status = scan_rows(path, &text, false, &scan, error);
    file_text_free(&text);
    if (status)
        return status;
    rows->list = scan.rows;
    rows->count = scan.count;
    cell_set_free(scan.cells);
    return STATUS_OK;
}

enum status store_load(const char *directory, struct rows *rows, struct error *error) {
    *rows = (struct rows){0};
    char *rows_path = lines_find(directory, "rows.jsonl");
    char *manifest_path = lines_path(directory, "manifest.json");
    enum status status = rows_path != NULL && manifest_path != NULL
                             ? load_rows(rows_path, rows, error)
                             : error_memory(error, directory);
    if (!status)
        status = json_read(manifest_path, &rows->manifest, error);
    if (status)
        rows_free(rows);
    free(rows_path);
    free(manifest_path);
    return status;
}

void rows_free(struct rows *rows) {
    for (size_t i = 0; i < rows->count; i++)
        row_free(&rows->list[i]);
    free(rows->list);
    cJSON_Delete(rows->manifest);
    *rows = (struct rows){0};
}

size_t rows_count_cells(const struct rows *rows) {
    size_t cells = 0;
    for (size_t i = 0; i < rows->count; i++)
        cells += i == 0 || strcmp(rows->list[i].cell, rows->list[i - 1].cell) != 0;
    return cells;
}

const char *rows_manifest_text(const struct rows *rows, const char *group, const char *key) {
    const cJSON *object = rows->manifest;
    if (group != NULL)
        object = cJSON_GetObjectItemCaseSensitive(object, group);
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text != NULL ? text : "unknown";
}

enum status store_write_csv(const char *directory, const struct rows *rows, struct error *error) {
    char *path = lines_path(directory, "rows.csv");
    if (path == NULL)
        return error_memory(error, directory);
    struct file_writer writer;
    enum status status = file_write_begin(&writer, path, error);
    if (!status) {
        row_csv_write_header(writer.stream);
        for (size_t i = 0; i < rows->count; i++)
            row_csv_write(&rows->list[i], writer.stream);
        status = file_write_commit(&writer, error);
    }
    free(path);
    return status;
}

/* --- opening again ---------------------------------------------------------------------------- */

enum { ASIDE_MAX = 100000 };

/* Fails if another process is writing to the folder. Such a folder must not be renamed. */
static enum status check_unused(const char *directory, struct error *error) {
    struct lines lines;
    enum status status = lines_open(directory, "rows.jsonl", &lines, error);
    if (!status)
        lines_close(&lines);
    return status;
}

/* Renames the folder to the first free name of DIR.1, DIR.2, ... */
static enum status set_aside(const char *directory, const char *reason, note_function *note,
                             struct error *error) {
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    for (int i = 1; i <= ASIDE_MAX; i++) {
        char *aside;
        if (asprintf(&aside, "%.*s.%d", (int)length, directory, i) < 0)
            return error_memory(error, directory);
        bool taken = access(aside, F_OK) == 0;
        bool moved = !taken && rename(directory, aside) == 0;
        int cause = errno;
        if (moved)
            note_tell(note, "%s: %s. Renamed it to %s", directory, reason, aside);
        free(aside);
        if (moved)
            return STATUS_OK;
        if (!taken)
            return error_set(error, STATUS_IO, "%s: cannot rename the folder: %s", directory,
                             strerror(cause));
    }
    return error_set(error, STATUS_IO,
                     "%s: cannot rename the folder: the names %s.1 to %s.%d are taken. Remove some",
                     directory, directory, directory, ASIDE_MAX);
}

/* Sets *is_there, if the folder has the file. */
static enum status look_for(const char *directory, const char *file, bool *is_there,
                            struct error *error) {
    char *path = lines_path(directory, file);
    *is_there = path && access(path, F_OK) == 0;
    enum status status = path ? STATUS_OK : error_memory(error, directory);
    free(path);
    return status;
}

static enum status prepare(const char *directory, const cJSON *manifest, note_function *note,
                           bool *resume, struct error *error) {
    bool begun, finished = false;
    struct error reason;
    enum status status = look_for(directory, "manifest.json", &begun, error);
    if (!status && begun)
        status = look_for(directory, "rows.csv", &finished, error);
    if (!status && begun)
        status = check_unused(directory, error);
    if (status || !begun)
        return status;
    if (finished)
        return set_aside(directory, "holds a finished run", note, error);
    if (check_manifest(directory, manifest, &reason) != STATUS_OK)
        return set_aside(directory, "holds an unfinished run that this one cannot continue", note,
                         error);
    note_tell(note, "%s: continuing the unfinished run in this folder", directory);
    *resume = true;
    return STATUS_OK;
}

enum status again_open_store(const char *directory, enum again again, const cJSON *manifest,
                             note_function *note, bool *resume, struct store **store,
                             struct error *error) {
    enum status status = STATUS_OK;
    *resume = again == AGAIN_RESUME;
    if (again == AGAIN_EITHER)
        status = prepare(directory, manifest, note, resume, error);
    return status ? status : store_open(directory, *resume, manifest, note, store, error);
}

/* --- libraries in the manifest ---------------------------------------------------------------- */

enum { VERSION_SIZE = 64 };

static const cJSON *libraries_of(const cJSON *manifest) {
    return cJSON_GetObjectItemCaseSensitive(manifest, "libraries");
}

static void cut_name(const char *variant, char name[VERSION_SIZE]) {
    snprintf(name, VERSION_SIZE, "%.*s", (int)strcspn(variant, ",@"), variant);
}

void libraries_add(cJSON *manifest, const char *variant) {
    char name[VERSION_SIZE], version[VERSION_SIZE];
    cut_name(variant, name);
    const struct impl *impl = impl_find(name, NULL);
    if (!impl || libraries_version(manifest, name))
        return;
    impl_version(impl, version, sizeof version);
    if (*version == '\0')
        return;
    cJSON *libraries = cJSON_GetObjectItemCaseSensitive(manifest, "libraries");
    if (!libraries)
        libraries = cJSON_AddObjectToObject(manifest, "libraries");
    cJSON_AddStringToObject(libraries, name, version);
}

const char *libraries_version(const cJSON *manifest, const char *variant) {
    char name[VERSION_SIZE];
    cut_name(variant, name);
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(libraries_of(manifest), name));
}

void libraries_describe(const cJSON *manifest, char *text, size_t size) {
    const cJSON *item;
    *text = '\0';
    cJSON_ArrayForEach(item, libraries_of(manifest)) {
        size_t length = strlen(text);
        if (cJSON_IsString(item))
            snprintf(text + length, size - length, "%s%s", length ? "; " : "", item->valuestring);
    }
}
