/* Writes the parts of an exported scorer that place documents of doubles (models/placing.h). */
#include "export/parts.h"
#include "export/table.h"

#include <inttypes.h>
#include <math.h>

/* Calls `write` for every feature if the model compares doubles. */
static void each_feature(const struct export_model *model, struct table *table,
                         void (*write)(const struct export_model *model, uint32_t feature,
                                       struct table *table, uint32_t *begin)) {
    uint32_t begin = 0;
    for (uint32_t f = 0; model->placing && f < model->ensemble->n_features; f++)
        write(model, f, table, &begin);
}

static void write_feature(const struct export_model *model, uint32_t feature, struct table *table,
                          uint32_t *begin) {
    const double *thresholds;
    const float *placed;
    uint32_t count = placing_thresholds(model->placing, feature, &thresholds, &placed);
    if (count)
        table_add(table, "{%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %d}", feature, *begin,
                  *begin + count, placing_is_coded(model->placing, feature));
    *begin += count;
}

static void write_thresholds_of(const struct export_model *model, uint32_t feature,
                                struct table *table, uint32_t *begin) {
    const double *thresholds;
    const float *placed;
    uint32_t count = placing_thresholds(model->placing, feature, &thresholds, &placed);
    (void)begin;
    for (uint32_t i = 0; i < count; i++) {
        if (isinf(thresholds[i]))
            table_add(table, thresholds[i] < 0 ? "-INFINITY" : "INFINITY");
        else
            table_add_double(table, thresholds[i]);
    }
}

static void write_placed_of(const struct export_model *model, uint32_t feature, struct table *table,
                            uint32_t *begin) {
    const double *thresholds;
    const float *placed;
    uint32_t count = placing_thresholds(model->placing, feature, &thresholds, &placed);
    (void)begin;
    for (uint32_t i = 0; i < count; i++) {
        char text[TABLE_NUMBER_SIZE];
        table_format_float(placed[i], text);
        table_add(table, "%s", text);
    }
}

static void write_features(FILE *stream, const void *context, int unused) {
    (void)unused;
    struct table table = {.stream = stream};
    each_feature(context, &table, write_feature);
    table_end(&table, "{0, 0, 0, 0}");
}

static void write_thresholds(FILE *stream, const void *context, int unused) {
    (void)unused;
    struct table table = {.stream = stream};
    each_feature(context, &table, write_thresholds_of);
    table_end(&table, "0.0");
}

static void write_placed(FILE *stream, const void *context, int unused) {
    (void)unused;
    struct table table = {.stream = stream};
    each_feature(context, &table, write_placed_of);
    table_end(&table, "0.0f");
}

const struct text_part export_doubles_parts[] = {{"placed_features", write_features, 0},
                                                 {"thresholds", write_thresholds, 0},
                                                 {"placed_thresholds", write_placed, 0},
                                                 {NULL, NULL, 0}};

void export_doubles_write(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct export_model *model = context;
    text_write(stream, "export/doubles.c.in", model->values, export_doubles_parts, model);
}

size_t export_placed_rows(const struct export_model *model) {
    enum { MOST = 512, BYTES = 1 << 20 };
    size_t fitting = BYTES / (model->ensemble->n_features * sizeof(float)) + 1;
    return fitting < MOST ? fitting : MOST;
}
