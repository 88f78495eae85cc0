#include "harness/rows/store_scan.h"

#include "base/files/json.h"
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

/* A scan in progress. The rows [complete, count) belong to the cell that is being read. */
struct scan_state {
    struct scan *scan;
    bool repairs; /* true: leave out incomplete lines and cells; false: report them as errors */
    char *begin;  /* start of the current cell's lines */
    size_t complete, capacity;
};

static enum status check_sequence(const char *name, const struct scan_state *state,
                                  const struct row *row, struct error *error) {
    if (cell_set_has(&state->scan->cells, row->cell))
        return error_set(error, STATUS_INPUT, "%s: cell %s appears twice in the file", name,
                         row->cell);
    if (state->complete == state->scan->count)
        return STATUS_OK;
    const struct row *first = &state->scan->rows[state->complete];
    if (strcmp(first->cell, row->cell) != 0)
        return error_set(error, STATUS_INPUT,
                         "%s: cell %s begins before all %u rows of cell %s are there. Rows were "
                         "removed. Measure again with another --out",
                         name, row->cell, first->cell_rows, first->cell);
    if (first->cell_rows != row->cell_rows)
        return error_set(error, STATUS_INPUT,
                         "%s: cell_rows is %u, but was %u earlier in this cell", name,
                         row->cell_rows, first->cell_rows);
    return STATUS_OK;
}

/* Adds a row to the scan. Takes ownership of the row even on failure. */
static enum status take_row(const char *name, struct scan_state *state, struct row *row,
                            struct error *error) {
    struct scan *scan = state->scan;
    enum status status = check_sequence(name, state, row, error);
    if (!status && !memory_grow((void **)&scan->rows, &state->capacity, scan->count, sizeof *row))
        status = error_memory(error, "rows");
    if (status) {
        row_free(row);
        return status;
    }
    scan->rows[scan->count++] = *row;
    if (scan->count - state->complete < row->cell_rows)
        return STATUS_OK;
    state->complete = scan->count;
    return cell_set_add(&scan->cells, row->cell) ? STATUS_OK : error_memory(error, "cells");
}

/* Moves the lines of a complete cell to the end of the complete cells before it. */
static void keep_cell(struct scan_state *state, struct file_text *text, const char *end) {
    struct scan *scan = state->scan;
    char *to = text->data + scan->bytes;
    size_t size = (size_t)(end - state->begin);
    if (to != state->begin) {
        memmove(to, state->begin, size);
        scan->has_gaps = true;
    }
    scan->bytes += size;
}

static enum status scan_row(const char *name, struct scan_state *state, struct file_text *text,
                            const cJSON *json, char *line, const char *next, struct error *error) {
    struct scan *scan = state->scan;
    struct row row;
    enum status status = row_from_json(name, json, &row, error);
    if (status)
        return status;
    if (state->repairs && scan->count > state->complete &&
        strcmp(scan->rows[state->complete].cell, row.cell) != 0)
        drop_rows(scan, state->complete);
    if (scan->count == state->complete)
        state->begin = line;
    status = take_row(name, state, &row, error);
    if (!status && state->complete == scan->count)
        keep_cell(state, text, next);
    return status;
}

static enum status scan_line(const char *name, struct scan_state *state, struct file_text *text,
                             char *line, const char *newline, struct error *error) {
    cJSON *json = NULL;
    enum status status = json_parse(name, line, (size_t)(newline - line), &json, error);
    if (!status) {
        status = scan_row(name, state, text, json, line, newline + 1, error);
    } else if (status == STATUS_INPUT && state->repairs) {
        drop_rows(state->scan, state->complete);
        status = STATUS_OK;
    }
    cJSON_Delete(json);
    return status;
}

enum status scan_rows(const char *path, struct file_text *text, bool repairs, struct scan *scan,
                      struct error *error) {
    char *line = text->data, *end = text->data + text->size, *newline;
    struct scan_state state = {.scan = scan, .repairs = repairs};
    enum status status = STATUS_OK;
    *scan = (struct scan){0};
    for (size_t number = 1; !status && (newline = memchr(line, '\n', (size_t)(end - line)));
         number++, line = newline + 1) {
        char name[ERROR_TEXT_SIZE / 2];
        snprintf(name, sizeof name, "%s:%zu", path, number);
        status = scan_line(name, &state, text, line, newline, error);
    }
    if (!status)
        drop_rows(scan, state.complete);
    else
        scan_free(scan);
    return status;
}

void scan_free(struct scan *scan) {
    drop_rows(scan, 0);
    free(scan->rows);
    cell_set_free(scan->cells);
    *scan = (struct scan){0};
}
