/* Rows with known times, and an artefact from a text: the fixtures of the tests that read rows. */
#ifndef TESTS_HARNESS_ROWS_MADE_UP_ROWS_H
#define TESTS_HARNESS_ROWS_MADE_UP_ROWS_H

#include "base/memory.h"
#include "base/origin.h"
#include "harness/artefacts/artefact.h"
#include "harness/papers/report.h"
#include "harness/rows/row_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MADE_UP_ROUNDS = 6 };

struct made_up {
    struct rows rows;
    struct row_index index;
    size_t capacity;
};

/* An ok row whose samples are all `ns`, except for a disturbance of 1 % that all variants of a cell
 * share, as on a busy machine. */
static inline struct row *made_up_add(struct made_up *made, uint32_t depth, uint32_t features,
                                      uint32_t trial, const char *variant, double ns) {
    struct rows *rows = &made->rows;
    if (!memory_grow((void **)&rows->list, &made->capacity, rows->count, sizeof *rows->list))
        abort();
    struct row *row = &rows->list[rows->count++];
    row_init(row);
    size_t name = strcspn(variant, ",");
    snprintf(row->cell, sizeof row->cell, "d%u-f%u-t%u", depth, features, trial);
    snprintf(row->workload.kind, sizeof row->workload.kind, "synthetic");
    row->origin = ORIGIN_SYNTHETIC;
    snprintf(row->impl, sizeof row->impl, "%.*s", (int)name, variant);
    snprintf(row->params, sizeof row->params, "%s", variant[name] ? variant + name + 1 : "");
    snprintf(row->clock, sizeof row->clock, "cpu");
    row->workload.depth = depth;
    row->workload.features = features;
    row->workload.trial = trial;
    row->workload.trees = 1;
    row->threads = 1;
    row->status = ROW_OK;
    row->samples.count = MADE_UP_ROUNDS;
    row->samples.cpu = calloc(MADE_UP_ROUNDS, sizeof(double));
    row->samples.wall = calloc(MADE_UP_ROUNDS, sizeof(double));
    for (size_t i = 0; i < MADE_UP_ROUNDS; i++) {
        row->samples.cpu[i] = ns * (i == 1 ? 1.01 : 1);
        row->samples.wall[i] = 1000 - 100 * (double)i; /* must not be read */
    }
    row->median = row->mean = ns;
    return row;
}

/* Adds such a row in trials 0 .. trials-1, each 0.01 % slower than the one before. */
static inline void made_up_trials(struct made_up *made, uint32_t depth, uint32_t features,
                                  uint32_t trials, const char *variant, double ns) {
    for (uint32_t trial = 0; trial < trials; trial++)
        made_up_add(made, depth, features, trial, variant, ns * (1 + 0.0001 * trial));
}

/* Makes the passes of all rows those of the scale. */
static inline void made_up_passes(struct made_up *made, const struct scale *scale) {
    for (size_t i = 0; i < made->rows.count; i++)
        memcpy(made->rows.list[i].passes, scale->passes, sizeof scale->passes);
}

/* The index of the rows as they are now; valid until the next call. */
static inline const struct row_index *made_up_index(struct made_up *made) {
    row_index_free(&made->index);
    if (row_index_make(&made->rows, &made->index, NULL) != STATUS_OK)
        abort();
    return &made->index;
}

static inline void made_up_free(struct made_up *made) {
    row_index_free(&made->index);
    for (size_t i = 0; i < made->rows.count; i++)
        row_free(&made->rows.list[i]);
    free(made->rows.list);
    cJSON_Delete(made->rows.manifest);
    *made = (struct made_up){.capacity = 0};
}

/* Writes `json` as FOLDER/NAME.json and reads it at the scale "smoke". */
static inline enum status made_up_artefact(const char *folder, const char *name, const char *json,
                                           struct artefact *artefact, struct error *error) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    FILE *stream = fopen(path, "w");
    if (!stream || fputs(json, stream) < 0 || fclose(stream) != 0)
        abort();
    enum status status = artefact_open(path, "smoke", artefact, error);
    unlink(path);
    return status;
}

#endif
