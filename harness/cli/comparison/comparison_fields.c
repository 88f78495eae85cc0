#include "harness/cli/comparison/comparison_fields.h"

#include <math.h>
#include <string.h>

static void text(const struct field_sink *sink, const char *name, const char *value) {
    sink->text(sink->context, name, value);
}

static void number(const struct field_sink *sink, const char *name, double value) {
    sink->number(sink->context, name, value);
}

void comparison_visit(const struct comparison *c, const struct field_sink *sink) {
    text(sink, "model", c->model);
    text(sink, "data", c->data);
    number(sink, "documents", (double)c->documents);
    number(sink, "features", c->features);
    number(sink, "trees", c->trees);
    text(sink, "clock", c->clock);
    number(sink, "threads", c->threads);
    text(sink, "parallel", c->parallel);
    number(sink, "block", c->block ? (double)c->block : NAN);
    number(sink, "rounds", (double)c->rounds);
    number(sink, "placements", (double)c->placements);
    sink->boolean(sink->context, "interrupted", c->is_interrupted);
    number(sink, "noise_ratio", c->noise.value);
    number(sink, "noise_low", c->noise.interval.low);
    number(sink, "noise_high", c->noise.interval.high);
    number(sink, "noise_floor", c->noise_floor);
}

static void visit_times(const struct comparison_line *line, const struct field_sink *sink) {
    const struct row *row = line->row;
    number(sink, "samples", (double)row->samples.count);
    number(sink, "median_ns", row->median);
    number(sink, "median_low_ns", row->median_interval.low);
    number(sink, "median_high_ns", row->median_interval.high);
    number(sink, "documents_per_second", comparison_documents_per_second(line));
    number(sink, "ratio", line->ratio.value);
    number(sink, "ratio_low", line->ratio.interval.low);
    number(sink, "ratio_high", line->ratio.interval.high);
    number(sink, "times_as_fast", comparison_times_as_fast(line));
    text(sink, "verdict", verdict_words[line->verdict.kind]);
    number(sink, "within_percent", line->verdict.within ? (double)line->verdict.within : NAN);
}

static void visit_device(const struct row *row, const struct field_sink *sink) {
    text(sink, "device", row->device);
    text(sink, "device_driver", row->device_driver);
    number(sink, "device_units", row->device[0] ? (double)row->device_units : NAN);
    number(sink, "device_l2_bytes", row->device[0] ? (double)row->device_l2_bytes : NAN);
    number(sink, "device_scoring_ns", row->device_scoring_ns);
    number(sink, "device_preparing_ns", row->device_preparing_ns);
    number(sink, "device_copying_ns", row->device_copying_ns);
}

static void visit_counts(const struct counts *counts, const struct field_sink *sink) {
    text(sink, "counter_source", counts->source);
    text(sink, "counter_simulated", counts->simulated);
    number(sink, "counter_documents", counts->documents ? (double)counts->documents : NAN);
    text(sink, "counter_reason", counts->reason);
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        number(sink, counter_names[i],
               counts->values[i].valid ? (double)counts->values[i].value : NAN);
}

void comparison_visit_line(const struct comparison *c, const struct comparison_line *line,
                           const struct field_sink *sink) {
    const struct row *row = line->row;
    bool is_built = row->status == ROW_OK;
    text(sink, "implementation", row->impl);
    text(sink, "parameters", row->params);
    text(sink, "version", line->version);
    text(sink, "status", row_status_names[row->status]);
    text(sink, "reason", row->reason);
    visit_times(line, sink);
    visit_device(row, sink);
    number(sink, "built_bytes", is_built ? (double)row->built_bytes : NAN);
    number(sink, "build_ns", is_built ? row->build_ns : NAN);
    if (strcmp(c->counters, "none") != 0)
        visit_counts(&row->counts, sink);
}
