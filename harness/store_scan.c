#include "harness/store_scan.h"

#include "base/json.h"
#include "base/memory.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- sets of cells ---------------------------------------------------------------------------- */

static int compare_cells(const void *a, const void *b) {
    return strcmp(a, b);
}

bool cell_set_has(void *const *set, const char *cell) {
    return tfind(cell, set, compare_cells) != NULL;
}

bool cell_set_add(void **set, const char *cell) {
    char *copy = strdup(cell);
    if (copy != NULL && tsearch(copy, set, compare_cells) != NULL)
        return true;
    free(copy);
    return false;
}

void cell_set_free(void *set) {
    tdestroy(set, free);
}

/* --- scanning --------------------------------------------------------------------------------- */

/* While a file is scanned: rows [complete, count) are of the cell that is being read. */
struct progress {
    struct scan *scan;
    size_t complete, capacity;
};

static enum status read_row(const char *name, const char *line, size_t size, struct row *row,
                            struct error *error) {
    cJSON *json = NULL;
    enum status status = json_parse(name, line, size, &json, error);
    if (status == STATUS_OK)
        status = row_from_json(name, json, row, error);
    cJSON_Delete(json);
    return status;
}

static enum status check_sequence(const char *name, const struct progress *progress,
                                  const struct row *row, struct error *error) {
    if (cell_set_has(&progress->scan->cells, row->cell))
        return error_set(error, STATUS_INPUT, "%s: cell %s stands in the file already", name,
                         row->cell);
    if (progress->complete == progress->scan->count)
        return STATUS_OK;
    const struct row *first = &progress->scan->rows[progress->complete];
    if (strcmp(first->cell, row->cell) != 0)
        return error_set(error, STATUS_INPUT,
                         "%s: cell %s begins before the %u rows of %s are full", name, row->cell,
                         first->cell_rows, first->cell);
    if (first->cell_rows != row->cell_rows)
        return error_set(error, STATUS_INPUT,
                         "%s: cell_rows: is %u, and was %u before in this cell", name,
                         row->cell_rows, first->cell_rows);
    return STATUS_OK;
}

/* Takes the row over, whatever the outcome. */
static enum status take_row(const char *name, struct progress *progress, struct row *row,
                            struct error *error) {
    struct scan *scan = progress->scan;
    enum status status = check_sequence(name, progress, row, error);
    if (status == STATUS_OK &&
        !memory_grow((void **)&scan->rows, &progress->capacity, scan->count, sizeof *row))
        status = error_memory(error, "rows");
    if (status != STATUS_OK) {
        row_free(row);
        return status;
    }
    scan->rows[scan->count++] = *row;
    if (scan->count - progress->complete < row->cell_rows)
        return STATUS_OK;
    progress->complete = scan->count;
    return cell_set_add(&scan->cells, row->cell) ? STATUS_OK : error_memory(error, "cells");
}

static enum status scan_lines(const char *path, const struct file_text *text,
                              struct progress *progress, struct error *error) {
    const char *line = text->data, *end = text->data + text->size, *newline;
    for (size_t number = 1; (newline = memchr(line, '\n', (size_t)(end - line))) != NULL;
         number++) {
        char name[ERROR_TEXT_SIZE / 2];
        struct row row;
        snprintf(name, sizeof name, "%s:%zu", path, number);
        enum status status = read_row(name, line, (size_t)(newline - line), &row, error);
        if (status == STATUS_OK)
            status = take_row(name, progress, &row, error);
        if (status != STATUS_OK)
            return status;
        line = newline + 1;
        if (progress->complete == progress->scan->count)
            progress->scan->bytes = (size_t)(line - text->data);
    }
    return STATUS_OK;
}

enum status scan_rows(const char *path, const struct file_text *text, struct scan *scan,
                      struct error *error) {
    *scan = (struct scan){0};
    struct progress progress = {.scan = scan};
    enum status status = scan_lines(path, text, &progress, error);
    if (status != STATUS_OK) {
        scan_free(scan);
        return status;
    }
    while (scan->count > progress.complete)
        row_free(&scan->rows[--scan->count]);
    return STATUS_OK;
}

void scan_free(struct scan *scan) {
    for (size_t i = 0; i < scan->count; i++)
        row_free(&scan->rows[i]);
    free(scan->rows);
    cell_set_free(scan->cells);
    *scan = (struct scan){0};
}
