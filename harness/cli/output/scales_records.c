/* The JSON and the CSV of scale, from the same tables of fields. */
#include "base/files/json.h"
#include "harness/cli/output/scales.h"
#include "harness/cli/shared/measured.h"

#include <errno.h>

#define RUN(KIND, NAME, MEMBER, ...) FIELD(struct scales, KIND, NAME, MEMBER, __VA_ARGS__)
#define ROW(KIND, NAME, MEMBER, ...) RUN(KIND, NAME, scaling.target.row.MEMBER, __VA_ARGS__)
static const struct record_field run_fields[] = {
    INPUT_FIELDS(struct scales),
    ROW(TEXT, "implementation", impl, .help = "`vpred` for `vpred,v=8`"),
    ROW(TEXT, "parameters", params, .help = "`v=8` for `vpred,v=8`"),
    ROW(CHOICE, "status", status, .names = row_status_names, .help = "as in [rows](rows.md#keys)"),
    ROW(TEXT, "reason", reason, .help = "why there are no lines"),
    RUN(U32, "block", scaling.request.block, .help = "documents per call of `blocks`"),
    RUN(NUMBER, "sample_ns", scaling.request.sample_ns, .help = "duration of a throughput sample",
        .unit = "ns"),
    RUN(COUNT, "calls", scaling.request.calls, .help = "latencies of each number of threads"),
    RUN(COUNT, "rounds", scaling.rounds, .help = "that were measured"),
    RUN(COUNT, "placements", scaling.placements, .help = "that were measured"),
    RUN(COUNT, "seed", scaling.request.seed, .help = "seed of the order of the documents"),
    RUN(COUNT, "checked", scaling.checked, .help = "replies compared with the reference's"),
    RUN(NUMBER, "steal", scaling.steal, .help = "share of time that the hypervisor took"),
    RUN(BOOL, "interrupted", scaling.is_interrupted, .help = "true after Ctrl-C"),
};
const struct record scales_record = RECORD_OF(run_fields);

#define LINE(KIND, NAME, MEMBER, ...) FIELD(struct scaling_summary, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field line_fields[] = {
    LINE(CHOICE, "measure", line.measure, .names = scaling_words,
         .help = "`blocks`, `calls`, `p50` or `p99`"),
    LINE(U32, "threads", line.threads, .help = "that score, or that a call may use"),
    LINE(U32, "used", line.used, .help = "threads that shared a call out"),
    LINE(NUMBER, "ns", ns.value, .help = "per document", .unit = "ns"),
    LINE(NUMBER, "ns_low", ns.interval.low, .help = "lower end of its interval", .unit = "ns"),
    LINE(NUMBER, "ns_high", ns.interval.high, .help = "upper end of its interval", .unit = "ns"),
    LINE(NUMBER, "proven_ns", line.proven_ns, .help = "`p50`, `p99`: with a proof; or null",
         .unit = "ns"),
    LINE(NUMBER, "per_second", per_second, .help = "`blocks`, `calls`: documents per second"),
    RATIO_FIELDS(struct scaling_summary, "", to_one, "of `ns` to that of 1 thread"),
    LINE(NUMBER, "noise_floor", noise_floor, .help = "as a share: 0.03 for 3 %"),
    VERDICT_FIELDS(struct scaling_summary, "", verdict),
};
const struct record scales_line_record = RECORD_OF(line_fields);

void scales_for_lines(const struct scales *scales,
                      void (*add)(const struct scaling_summary *summary, void *context),
                      void *context) {
    const struct scaling *scaling = &scales->scaling;
    size_t n = scaling->rounds && target_is_ok(&scaling->target) ? scaling->request.n_counts : 0;
    for (int measure = 0; measure < SCALING_MEASURES; measure++)
        for (size_t i = 0; i < n; i++) {
            struct scaling_summary summary =
                scaling_summarise(scaling, (enum scaling_measure)measure, i);
            add(&summary, context);
        }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_to_json(const struct scaling_summary *summary, void *context) {
    cJSON_AddItemToArray(context, record_object(&scales_line_record, summary));
}

enum status scales_print_json(const struct scales *scales, const cJSON *machine, FILE *stream,
                              struct error *error) {
    errno = 0;
    const struct measured measured = {SCALES_SCHEMA, machine};
    cJSON *object = measured_json(&measured, &scales_record, scales);
    scales_for_lines(scales, add_to_json, cJSON_AddArrayToObject(object, "lines"));
    return json_print(json_if_whole(object), stream, error);
}

/* --- CSV -------------------------------------------------------------------------------------- */

struct csv {
    const struct scales *scales;
    struct measured measured;
    FILE *stream;
};

static void add_to_csv(const struct scaling_summary *summary, void *context) {
    const struct csv *csv = context;
    const struct measured_part parts[] = {
        {&scales_record, csv->scales}, {&scales_line_record, summary}, {0}};
    measured_csv_line(&csv->measured, parts, csv->stream);
}

void scales_print_csv(const struct scales *scales, const cJSON *machine, FILE *stream) {
    struct csv csv = {scales, {SCALES_SCHEMA, machine}, stream};
    const struct record *const records[] = {&scales_record, &scales_line_record, NULL};
    measured_csv_header(records, stream);
    scales_for_lines(scales, add_to_csv, &csv);
}
