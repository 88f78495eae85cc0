/* The JSON and the CSV of a comparison, from the same tables of fields. */
#include "harness/cli/output/comparison.h"

#include <string.h>

#define WHOLE_RUN(KIND, NAME, MEMBER, ...) FIELD(struct comparison, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field comparison_fields[] = {
    INPUT_FIELDS(struct comparison, inputs),
    WHOLE_RUN(STRING, "clock", clock, .help = "`cpu` or `wall`"),
    WHOLE_RUN(U32, "threads", threads, .help = "number of threads"),
    WHOLE_RUN(STRING, "parallel", parallel, .help = "what threads share"),
    LOAD_FIELD(struct comparison, inputs.load_ns),
    WHOLE_RUN(COUNT, "block", block, .zero_is_unknown = true,
              .help = "documents per call; null: see below"),
    WHOLE_RUN(COUNT, "rounds", rounds, .help = "measured; sampling may end early"),
    WHOLE_RUN(COUNT, "placements", placements, .help = "measured; sampling may end early"),
    WHOLE_RUN(BOOL, "interrupted", is_interrupted, .help = "true after Ctrl-C"),
    WHOLE_RUN(NUMBER, "noise_ratio", noise.value,
              .help = "ratio of the first implementation to itself"),
    WHOLE_RUN(NUMBER, "noise_low", noise.interval.low, .help = "lower end of this ratio"),
    WHOLE_RUN(NUMBER, "noise_high", noise.interval.high, .help = "upper end of this ratio"),
    WHOLE_RUN(NUMBER, "noise_floor", noise_floor, .help = "as a share: 0.03 for 3 %"),
};
const struct record comparison_record = RECORD_OF(comparison_fields);

/* A line with its row, and with what follows from them. */
struct whole_line {
    struct comparison_line line;
    struct row row;
    double documents_per_second, times_as_fast;
    struct built built;
};

static void complete(const struct comparison_line *line, struct whole_line *whole) {
    *whole = (struct whole_line){.line = *line,
                                 .row = *line->row,
                                 .documents_per_second = comparison_documents_per_second(line),
                                 .times_as_fast = comparison_times_as_fast(line),
                                 .built = built_of(line->row)};
}

#define LINE(KIND, NAME, MEMBER, ...) FIELD(struct whole_line, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field line_fields[] = {
    LINE(TEXT, "implementation", row.impl, .help = "`vpred` for `vpred,v=8`"),
    LINE(TEXT, "parameters", row.params, .help = "`v=8` for `vpred,v=8`"),
    LINE(TEXT, "version", line.version, .help = "name and version of another project's library"),
    LINE(CHOICE, "status", row.status, .names = row_status_names,
         .help = "as in [rows](rows.md#keys)"),
    LINE(TEXT, "reason", row.reason, .help = "why there is no time"),
    LINE(COUNT, "samples", row.samples.count, .help = "number of samples"),
    LINE(NUMBER, "median_ns", row.median, .help = "median time per document", .unit = "ns"),
    LINE(NUMBER, "median_low_ns", row.median_interval.low, .help = "lower end of its interval"),
    LINE(NUMBER, "median_high_ns", row.median_interval.high, .help = "upper end of its interval"),
    LINE(NUMBER, "documents_per_second", documents_per_second,
         .help = "throughput: 10^9 / `median_ns`"),
    RATIO_FIELDS(struct whole_line, "", line.ratio, "to the first; its own ratio is 1"),
    LINE(NUMBER, "times_as_fast", times_as_fast, .help = "1 / `ratio`"),
    VERDICT_FIELDS(struct whole_line, "", line.verdict),
    LINE(TEXT, "device", row.device, .help = "the [GPU](gpu.md); empty without one"),
    LINE(TEXT, "device_driver", row.device_driver, .help = "its driver"),
    LINE(U32, "device_units", row.device_units, .zero_is_unknown = true,
         .help = "its multiprocessors or cores"),
    LINE(COUNT, "device_l2_bytes", row.device_l2_bytes, .zero_is_unknown = true,
         .help = "its L2 cache"),
    LINE(NUMBER, "device_scoring_ns", row.device_scoring_ns,
         .help = "mean time per document of kernels that score"),
    LINE(NUMBER, "device_preparing_ns", row.device_preparing_ns,
         .help = "of kernels that transpose or rank documents"),
    LINE(NUMBER, "device_copying_ns", row.device_copying_ns,
         .help = "of copies between host and GPU"),
    BUILT_FIELDS(struct whole_line, built),
};
const struct record comparison_line_record = RECORD_OF(line_fields);

/* --- counters, if they were asked for --------------------------------------------------------- */

static cJSON *count_to_json(const void *member) {
    const struct counter_value *counter = member;
    return counter->valid ? cJSON_CreateNumber((double)counter->value) : cJSON_CreateNull();
}

static void count_csv(const void *member, FILE *stream) {
    const struct counter_value *counter = member;
    if (counter->valid)
        record_csv_real(stream, (double)counter->value);
}

static const struct record_form count_form = {
    .type = "number", .to_json = count_to_json, .csv = count_csv};

#define COUNTS(KIND, NAME, ...)                                                                    \
    FIELD(struct whole_line, KIND, "counter_" #NAME, row.counts.NAME, __VA_ARGS__)
#define COUNTER(NAME, name)                                                                        \
    LINE(FORM, #name, row.counts.values[COUNTER_##NAME], .form = &count_form),
static const struct record_field counts_fields[] = {
    COUNTS(TEXT, source, .unit = NULL), COUNTS(TEXT, simulated, .unit = NULL),
    COUNTS(COUNT, documents, .zero_is_unknown = true), COUNTS(TEXT, reason, .unit = NULL),
    COUNTERS(COUNTER)};
static const struct record counts_record = RECORD_OF(counts_fields);

enum status comparison_print_records(const struct comparison *c,
                                     const struct measured_output *output, struct error *error) {
    bool has_counters = strcmp(c->counters, "none") != 0;
    struct measured measured = {.output = output,
                                .schema = COMPARISON_SCHEMA,
                                .run_record = &comparison_record,
                                .run = c,
                                .lines = "implementations",
                                .line_record = &comparison_line_record,
                                .more = has_counters ? &counts_record : NULL};
    measured_begin(&measured);
    for (size_t i = 0; i < c->count; i++) {
        struct whole_line whole;
        complete(&c->lines[i], &whole);
        measured_add(&measured, &whole);
    }
    return measured_end(&measured, error);
}
