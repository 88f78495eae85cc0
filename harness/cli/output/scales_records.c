/* The JSON and the CSV of scale, from the same tables of fields. */
#include "harness/cli/output/scales.h"

#define RUN(KIND, NAME, MEMBER, ...) FIELD(struct scales, KIND, NAME, MEMBER, __VA_ARGS__)
#define ROW(KIND, NAME, MEMBER, ...) RUN(KIND, NAME, scaling.target.row.MEMBER, __VA_ARGS__)
static const struct record_field run_fields[] = {
    INPUT_FIELDS(struct scales, inputs),
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

bool scales_line(const struct scales *scales, size_t index, struct scaling_summary *line) {
    const struct scaling *scaling = &scales->scaling;
    size_t n = scaling->rounds && target_is_ok(&scaling->target) ? scaling->request.n_counts : 0;
    if (n == 0 || index / n >= SCALING_MEASURES)
        return false;
    *line = scaling_summarise(scaling, (enum scaling_measure)(index / n), index % n);
    return true;
}

enum status scales_print_records(const struct scales *scales, const struct measured_output *output,
                                 struct error *error) {
    struct scaling_summary line;
    struct measured measured = {.output = output,
                                .schema = SCALES_SCHEMA,
                                .run_record = &scales_record,
                                .run = scales,
                                .lines = "lines",
                                .line_record = &scales_line_record};
    measured_begin(&measured);
    for (size_t i = 0; scales_line(scales, i, &line); i++)
        measured_add(&measured, &line);
    return measured_end(&measured, error);
}
