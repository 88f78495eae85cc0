#include "harness/cli/shared/regress_output.h"

#include "base/files/json.h"
#include "harness/cli/shared/terminal.h"
#include "harness/instruments/machine.h"
#include "harness/instruments/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REGRESS_SCHEMA = 1, NAME_WIDTH = 18, WORKLOAD_WIDTH = 20 };

static enum paint colour_of(enum gate_verdict verdict) {
    switch (verdict) {
    case GATE_REGRESSION:
    case GATE_FAILED:
        return PAINT_BAD;
    case GATE_UNCLEAR:
    case GATE_LAYOUT:
        return PAINT_DOUBT;
    default:
        return PAINT_GOOD;
    }
}

static int width_of(const struct gate_cell *cells, size_t n_cells, bool of_workloads, int least) {
    int width = least;
    for (size_t i = 0; i < n_cells; i++) {
        const char *text = !of_workloads       ? cells[i].impl
                           : cells[i].workload ? cells[i].workload->name
                                               : "";
        if ((int)strlen(text) > width)
            width = (int)strlen(text);
    }
    return width;
}

static void print_ratio(struct ratio ratio, FILE *stream) {
    char text[64] = "";
    if (!isnan(ratio.value))
        snprintf(text, sizeof text, "%.3f [%.3f, %.3f]", ratio.value, ratio.interval.low,
                 ratio.interval.high);
    fprintf(stream, "%-22s", text);
}

static void print_cell(const struct gate_cell *cell, int impl_width, int workload_width,
                       FILE *stream) {
    fprintf(stream, "%-*s  %-*s  ", impl_width, cell->impl[0] ? cell->impl : "command",
            workload_width, cell->workload ? cell->workload->name : "");
    print_ratio(cell->ratio, stream);
    fprintf(stream, "  %s%s%s", paint(stream, colour_of(cell->verdict)),
            gate_verdict_names[cell->verdict], paint(stream, PAINT_OFF));
    if (cell->pairs)
        fprintf(stream, "; %zu pairs, %.1f s", cell->pairs, cell->seconds);
    if (cell->instructions[PAIR_BASE])
        fprintf(stream, "; %+.2f %% instructions",
                100 *
                    ((double)cell->instructions[PAIR_HEAD] / (double)cell->instructions[PAIR_BASE] -
                     1));
    if (cell->layouts)
        fprintf(stream, "; %.3f [%.3f, %.3f] over %zu layouts", cell->layout_ratio.value,
                cell->layout_ratio.interval.low, cell->layout_ratio.interval.high, cell->layouts);
    fprintf(stream, "%s%s\n", cell->reason[0] ? ": " : "", cell->reason);
}

static void print_summary(const struct gate_cell *cells, size_t n_cells, double seconds,
                          FILE *stream) {
    const char *separator = "regress: ";
    for (int verdict = GATE_FAILED; verdict >= 0; verdict--) {
        size_t count = 0;
        for (size_t i = 0; i < n_cells; i++)
            count += cells[i].verdict == (enum gate_verdict)verdict;
        if (count == 0)
            continue;
        fprintf(stream, "%s%zu %s", separator, count, gate_verdict_names[verdict]);
        separator = ", ";
    }
    fprintf(stream, "; %.0f s\n", seconds);
}

void regress_print(const struct gate_cell *cells, size_t n_cells, double seconds, FILE *stream) {
    int impl_width = width_of(cells, n_cells, false, NAME_WIDTH);
    int workload_width = width_of(cells, n_cells, true, 0);
    fprintf(stream, "%-*s  %-*s  %-22s  verdict\n", impl_width, "implementation", workload_width,
            workload_width ? "workload" : "", "time of head / base");
    for (size_t i = 0; i < n_cells; i++)
        print_cell(&cells[i], impl_width, workload_width > 8 ? workload_width : 8, stream);
    print_summary(cells, n_cells, seconds, stream);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_real(cJSON *object, const char *key, double value) {
    if (isfinite(value))
        cJSON_AddNumberToObject(object, key, value);
    else
        cJSON_AddNullToObject(object, key);
}

static void add_ratio(cJSON *object, const char *key, struct ratio ratio) {
    cJSON *json = cJSON_AddObjectToObject(object, key);
    add_real(json, "value", ratio.value);
    add_real(json, "low", ratio.interval.low);
    add_real(json, "high", ratio.interval.high);
}

static void add_instructions(cJSON *object, const struct gate_cell *cell) {
    if (!cell->instructions[PAIR_BASE])
        return;
    cJSON *json = cJSON_AddObjectToObject(object, "instructions");
    cJSON_AddNumberToObject(json, "base", (double)cell->instructions[PAIR_BASE]);
    cJSON_AddNumberToObject(json, "head", (double)cell->instructions[PAIR_HEAD]);
}

static void add_cell(cJSON *array, const struct gate_cell *cell) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddItemToArray(array, json);
    cJSON_AddStringToObject(json, "implementation", cell->impl);
    cJSON_AddStringToObject(json, "workload", cell->workload ? cell->workload->name : "");
    cJSON_AddStringToObject(json, "verdict", gate_verdict_names[cell->verdict]);
    cJSON_AddStringToObject(json, "reason", cell->reason);
    add_ratio(json, "ratio", cell->ratio);
    cJSON_AddNumberToObject(json, "pairs", (double)cell->pairs);
    add_real(json, "base", stats_median(cell->values[PAIR_BASE], cell->pairs));
    add_real(json, "head", stats_median(cell->values[PAIR_HEAD], cell->pairs));
    cJSON_AddNumberToObject(json, "layouts", (double)cell->layouts);
    add_ratio(json, "layout_ratio", cell->layout_ratio);
    cJSON_AddNumberToObject(json, "seconds", cell->seconds);
    add_instructions(json, cell);
}

static cJSON *to_json(const struct gate_request *request, const struct gate_cell *cells,
                      size_t n_cells, double seconds) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "schema", REGRESS_SCHEMA);
    cJSON_AddStringToObject(json, "verdict", gate_verdict_names[gate_overall(cells, n_cells)]);
    cJSON_AddNumberToObject(json, "margin", request->margin);
    cJSON_AddNumberToObject(json, "tolerance", request->tolerance);
    cJSON_AddNumberToObject(json, "alarms", request->alarms);
    cJSON_AddNumberToObject(json, "seconds", seconds);
    cJSON_AddItemToObject(json, "machine", machine_manifest());
    cJSON *array = cJSON_AddArrayToObject(json, "cells");
    for (size_t i = 0; i < n_cells; i++)
        add_cell(array, &cells[i]);
    return json_if_whole(json);
}

enum status regress_print_json(const struct gate_request *request, const struct gate_cell *cells,
                               size_t n_cells, double seconds, FILE *stream, struct error *error) {
    errno = 0;
    return json_print(to_json(request, cells, n_cells, seconds), stream, error);
}
