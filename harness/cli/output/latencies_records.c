/* The JSON and the CSV of latencies, from the same tables of fields. */
#include "harness/cli/output/latencies.h"

#define RUN(KIND, NAME, MEMBER, ...) FIELD(struct latencies, KIND, NAME, MEMBER, __VA_ARGS__)
#define ASKED(KIND, NAME, MEMBER, ...) RUN(KIND, NAME, timing.request.MEMBER, __VA_ARGS__)
static const struct record_field run_fields[] = {
    INPUT_FIELDS(struct latencies, inputs),
    ASKED(CHOICE, "mode", mode, .names = timing_mode_words, .help = "`stream`, `server`, `peak`"),
    ASKED(CHOICE, "state", state, .names = call_state_words, .help = "what precedes each call"),
    RUN(NUMBER, "room_bytes", timing.room_bytes, .zero_is_unknown = true,
        .help = "`l2`, `l3`: what that cache has for the model", .unit = "bytes"),
    ASKED(NUMBER, "rate", rate, .zero_is_unknown = true,
          .help = "scheduled calls per second; null unless `server`"),
    ASKED(NUMBER, "bound_ns", bound_ns, .zero_is_unknown = true,
          .help = "bound on p99; null unless `peak`", .unit = "ns"),
    ASKED(COUNT, "least_calls", calls, .help = "least number of calls of a line"),
    ASKED(NUMBER, "least_seconds", seconds, .help = "least duration of a line", .unit = "s"),
    RUN(COUNT, "rounds", timing.rounds, .help = "that were measured"),
    RUN(COUNT, "placements", timing.placements, .help = "that were measured"),
    ASKED(COUNT, "document_seed", document_seed, .help = "seed of the order of the documents"),
    ASKED(COUNT, "size_seed", size_seed, .help = "seed of the sizes of calls"),
    ASKED(COUNT, "arrival_seed", arrival_seed, .help = "seed of the arrivals"),
    LOAD_FIELD(struct latencies, inputs.load_ns),
    RUN(NUMBER, "clock_ns", clocks.wall_cost_ns, .help = "cost of one reading of the clock",
        .unit = "ns"),
    RUN(NUMBER, "clock_step_ns", clocks.wall_resolution_ns, .help = "its smallest step",
        .unit = "ns"),
    RUN(NUMBER, "steal", timing.steal, .help = "share of time that the hypervisor took"),
    RUN(BOOL, "interrupted", timing.is_interrupted, .help = "true after Ctrl-C"),
};
const struct record latencies_record = RECORD_OF(run_fields);

#define LINE(KIND, NAME, MEMBER, ...) FIELD(struct latencies_line, KIND, NAME, MEMBER, __VA_ARGS__)
#define RATIO(TYPE, PREFIX, MEMBER)                                                                \
    RATIO_FIELDS(TYPE, PREFIX, MEMBER.ratio, "to the first implementation"),                       \
        FIELD(TYPE, NUMBER, PREFIX "noise_floor", MEMBER.noise_floor,                              \
              .help = "as a share: 0.03 for 3 %"),                                                 \
        VERDICT_FIELDS(TYPE, PREFIX, MEMBER.verdict)
static const struct record_field line_fields[] = {
    LINE(TEXT, "implementation", row.impl, .help = "`vpred` for `vpred,v=8`"),
    LINE(TEXT, "parameters", row.params, .help = "`v=8` for `vpred,v=8`"),
    LINE(TEXT, "version", version, .help = "name and version of another project's library"),
    LINE(BOOL, "empty_call", is_empty_call, .help = "true: scores nothing, was not asked for"),
    LINE(TEXT, "chosen", chosen, .help = "what `auto` scores `block_most` documents with"),
    LINE(CHOICE, "status", row.status, .names = row_status_names,
         .help = "as in [rows](rows.md#keys)"),
    LINE(TEXT, "reason", row.reason, .help = "why there are no latencies"),
    LINE(U32, "block_least", line.size.least, .help = "least number of documents of a call"),
    LINE(U32, "block_most", line.size.most, .help = "largest number; drawn if it is larger"),
    LINE(CHOICE, "scored", line.documents, .names = call_documents_words,
         .help = "`different` documents in each call, or the `same`"),
    LINE(COUNT, "calls", calls, .help = "number of latencies"),
    LINE(NUMBER, "seconds", line.seconds, .help = "time that the calls took", .unit = "s"),
    LINE(COUNT, "checked", line.checked, .help = "replies that were compared with the reference's"),
    LINE(NUMBER, "least_ns", least_ns, .help = "shortest latency", .unit = "ns"),
    LINE(NUMBER, "most_ns", most_ns, .help = "longest latency", .unit = "ns"),
    LINE(NUMBER, "completed_rate", completed_rate, .help = "`server`: calls that ended per second"),
    LINE(NUMBER, "peak_rate", peak.value, .help = "`peak`: calls per second"),
    LINE(NUMBER, "peak_low", peak.interval.low, .help = "lower end of its interval"),
    LINE(NUMBER, "peak_high", peak.interval.high, .help = "upper end of its interval"),
    LINE(BOOL, "peak_limited", line.is_peak_limited, .help = "true: higher rates were not tried"),
    RATIO(struct latencies_line, "peak_", peak_to_first),
    LINE(NUMBER, "preemptions", preemptions, .help = "times that another thread ran"),
    LINE(NUMBER, "waits", waits, .help = "times that the thread waited"),
    LINE(NUMBER, "minor_faults", minor_faults, .help = "page faults without a disk"),
    LINE(NUMBER, "major_faults", major_faults, .help = "page faults with a disk"),
    LINE(NUMBER, "migrations", migrations, .help = "changes of the processor seen"),
    LINE(NUMBER, "slow", slow, .help = "`stream`: calls that took 10 times the usual"),
    LINE(NUMBER, "slow_preempted", slow_preempted, .help = "of them, those with a preemption"),
    LINE(NUMBER, "slow_faulted", slow_faulted, .help = "of the others, those with a page fault"),
    BUILT_FIELDS(struct latencies_line, built),
};
const struct record latencies_line_record = RECORD_OF(line_fields);

#define PART(KIND, NAME, MEMBER, ...)                                                              \
    FIELD(struct latencies_percentile, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field percentile_fields[] = {
    PART(TEXT, "percentile", name, .help = "`p50` to `p99.99`"),
    PART(NUMBER, "sample_ns", sample_ns, .help = "percentile of the sample", .unit = "ns"),
    PART(NUMBER, "proven_ns", proven_ns, .help = "null: not proven", .unit = "ns"),
    PART(COUNT, "rank", rank, .zero_is_unknown = true, .help = "1: it is the longest latency"),
    PART(COUNT, "needed", needed, .help = "least number of calls that prove it"),
    RATIO(struct latencies_percentile, "", to_first),
};
const struct record latencies_percentile_record = RECORD_OF(percentile_fields);

enum status latencies_print_records(const struct latencies *latencies,
                                    const struct measured_output *output, struct error *error) {
    struct latencies_line line;
    struct measured measured = {.output = output,
                                .schema = LATENCIES_SCHEMA,
                                .run_record = &latencies_record,
                                .run = latencies,
                                .lines = "lines",
                                .line_record = &latencies_line_record,
                                .more = &latencies_percentile_record,
                                .list = {"percentiles",
                                         offsetof(struct latencies_line, percentiles), PERCENTILES,
                                         sizeof *line.percentiles}};
    measured_begin(&measured);
    for (size_t i = 0; i < latencies->timing.n_lines; i++)
        if (latencies_line(latencies, i, &line))
            measured_add(&measured, &line);
    return measured_end(&measured, error);
}
