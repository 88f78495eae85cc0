#include "harness/rows/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_synthetic(const char *kind) {
    return strcmp(kind, "synthetic") == 0;
}

const char *const forest_kinds[4] = {"random-forest", "extra-trees", "cart", NULL};

const char *const trained_kinds[5] = {"trained", "boosted", "bagged", "repeated", NULL};

static bool is_one_of(const char *const *kinds, const char *kind) {
    for (size_t i = 0; kinds[i]; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

bool kind_is_forest(const char *kind) {
    return is_one_of(forest_kinds, kind);
}

bool kind_is_trained(const char *kind) {
    return is_one_of(trained_kinds, kind);
}

struct point point_of_row(const struct row *row) {
    const struct workload *w = &row->workload;
    struct point point = {.trees = w->trees,
                          .max_leaves = w->max_leaves,
                          .patience = w->patience,
                          .resample = w->resample,
                          .threads = row->threads};
    memcpy(point.kind, w->kind, sizeof point.kind);
    snprintf(point.data, sizeof point.data, "%.*s", (int)sizeof point.data - 1, w->data);
    memcpy(point.parallel, row->parallel, sizeof point.parallel);
    memcpy(point.barrier, row->barrier, sizeof point.barrier);
    memcpy(point.passes, row->passes, sizeof point.passes);
    if (is_synthetic(w->kind) || kind_is_forest(w->kind))
        point.depth = w->depth;
    if (!point.data[0])
        point.features = w->features;
    return point;
}

static int compare_numbers(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

int point_compare(const struct point *a, const struct point *b) {
    const int orders[] = {strcmp(a->kind, b->kind),
                          strcmp(a->data, b->data),
                          compare_numbers(a->depth, b->depth),
                          compare_numbers(a->features, b->features),
                          compare_numbers(a->trees, b->trees),
                          compare_numbers(a->max_leaves, b->max_leaves),
                          compare_numbers(a->patience, b->patience),
                          compare_numbers(a->resample, b->resample),
                          compare_numbers(a->threads, b->threads),
                          strcmp(a->parallel, b->parallel),
                          strcmp(a->barrier, b->barrier),
                          strcmp(a->passes, b->passes)};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i])
            return orders[i];
    return 0;
}

bool point_equal(const struct point *a, const struct point *b) {
    return point_compare(a, b) == 0;
}

void point_describe(const struct point *point, char *text, size_t size) {
    int used;
    char data[ROW_NAME_SIZE], trees[32] = "";
    snprintf(data, sizeof data, "%s", point->data);
    if (!data[0])
        snprintf(data, sizeof data, "f=%" PRIu32, point->features);
    if (point->trees > 1)
        snprintf(trees, sizeof trees, ", %" PRIu32 " trees", point->trees);
    if (is_synthetic(point->kind))
        used = snprintf(text, size, "d=%" PRIu32 " f=%" PRIu32 "%s%s%s", point->depth,
                        point->features, trees, point->passes[0] ? ", " : "", point->passes);
    else if (kind_is_forest(point->kind))
        used = snprintf(text, size, "%s d=%" PRIu32 ", %s, %" PRIu32 " tree%s%s", point->data,
                        point->depth, point->kind, point->trees, point->trees == 1 ? "" : "s",
                        point->resample > 0 ? ", resampled" : "");
    else
        used = snprintf(text, size, "%s L=%" PRIu32 ", %s%" PRIu32 " trees%s", data,
                        point->max_leaves, point->patience > 0 ? "<=" : "", point->trees,
                        point->resample > 0 ? ", resampled" : "");
    if (point->parallel[0] == '\0' || (size_t)used >= size)
        return;
    const char *barrier = strcmp(point->barrier, "step") == 0 ? ", a barrier a step" : "";
    if (point->threads == 0)
        snprintf(text + used, size - (size_t)used, ", threads over %s%s", point->parallel, barrier);
    else
        snprintf(text + used, size - (size_t)used, ", %" PRIu32 " thread%s over %s%s",
                 point->threads, point->threads == 1 ? "" : "s", point->parallel, barrier);
}
