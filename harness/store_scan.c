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

static void drop_rows(struct scan *scan, size_t from) {
    while (scan->count > from)
        row_free(&scan->rows[--scan->count]);
}

/* While a file is scanned: rows [complete, count) are of the cell that is being read. */
struct progress {
    struct scan *scan;
    bool repairs; /* leaves out what is not whole */
    char *begin;  /* of the cell's lines */
    size_t complete, capacity;
};

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
                         "%s: cell %s begins before the %u rows of %s are full; resume the run to "
                         "measure that again",
                         name, row->cell, first->cell_rows, first->cell);
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

/* A whole cell's lines go behind those of the cells before. */
static void keep_cell(struct progress *progress, struct file_text *text, const char *end) {
    struct scan *scan = progress->scan;
    char *to = text->data + scan->bytes;
    size_t size = (size_t)(end - progress->begin);
    if (to != progress->begin) {
        memmove(to, progress->begin, size);
        scan->has_gaps = true;
    }
    scan->bytes += size;
}

static enum status scan_row(const char *name, struct progress *progress, struct file_text *text,
                            const cJSON *json, char *line, const char *next, struct error *error) {
    struct scan *scan = progress->scan;
    struct row row;
    enum status status = row_from_json(name, json, &row, error);
    if (status != STATUS_OK)
        return status;
    if (progress->repairs && scan->count > progress->complete &&
        strcmp(scan->rows[progress->complete].cell, row.cell) != 0)
        drop_rows(scan, progress->complete);
    if (scan->count == progress->complete)
        progress->begin = line;
    status = take_row(name, progress, &row, error);
    if (status == STATUS_OK && progress->complete == scan->count)
        keep_cell(progress, text, next);
    return status;
}

static enum status scan_line(const char *name, struct progress *progress, struct file_text *text,
                             char *line, const char *newline, struct error *error) {
    cJSON *json = NULL;
    enum status status = json_parse(name, line, (size_t)(newline - line), &json, error);
    if (status == STATUS_OK) {
        status = scan_row(name, progress, text, json, line, newline + 1, error);
    } else if (status == STATUS_INPUT && progress->repairs) {
        drop_rows(progress->scan, progress->complete);
        status = STATUS_OK;
    }
    cJSON_Delete(json);
    return status;
}

static enum status scan_lines(const char *path, struct file_text *text, bool repairs,
                              struct scan *scan, struct error *error) {
    char *line = text->data, *end = text->data + text->size, *newline;
    struct progress progress = {.scan = scan, .repairs = repairs};
    enum status status = STATUS_OK;
    *scan = (struct scan){0};
    for (size_t number = 1; !status && (newline = memchr(line, '\n', (size_t)(end - line)));
         number++, line = newline + 1) {
        char name[ERROR_TEXT_SIZE / 2];
        snprintf(name, sizeof name, "%s:%zu", path, number);
        status = scan_line(name, &progress, text, line, newline, error);
    }
    if (status == STATUS_OK)
        drop_rows(scan, progress.complete);
    else
        scan_free(scan);
    return status;
}

enum status scan_rows(const char *path, struct file_text *text, struct scan *scan,
                      struct error *error) {
    return scan_lines(path, text, false, scan, error);
}

enum status scan_whole_cells(const char *path, struct file_text *text, struct scan *scan,
                             struct error *error) {
    return scan_lines(path, text, true, scan, error);
}

void scan_free(struct scan *scan) {
    drop_rows(scan, 0);
    free(scan->rows);
    cell_set_free(scan->cells);
    *scan = (struct scan){0};
}
