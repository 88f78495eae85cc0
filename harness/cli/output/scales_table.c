/* The table for the terminal. */
#include "harness/cli/output/scales.h"
#include "harness/cli/shared/terminal.h"

#include <inttypes.h>
#include <math.h>

static void print_ratio(const struct scaling_summary *summary, FILE *stream) {
    char interval[32], verdict[VERDICT_TEXT_SIZE];
    const struct ratio *ratio = &summary->to_one;
    if (isnan(ratio->value))
        return;
    snprintf(interval, sizeof interval, "[%.3f, %.3f]", ratio->interval.low, ratio->interval.high);
    verdict_describe(summary->verdict, verdict);
    fprintf(stream, "  %6.3f  %-16s  %7.1f  %s", ratio->value, interval, 100 * summary->noise_floor,
            verdict);
}

static void print_measure(const struct scaling_summary *summary, FILE *stream) {
    const struct scaling_line *line = &summary->line;
    fprintf(stream, "%-7s  %7u  %4u  %9.*f", scaling_words[line->measure], line->threads,
            line->used, summary->ns.value < 100 ? 1 : 0, summary->ns.value);
    if (isnan(summary->per_second))
        fprintf(stream, "  %11s", "-");
    else
        fprintf(stream, "  %11.0f", summary->per_second);
    print_ratio(summary, stream);
    fputc('\n', stream);
}

static void print_conditions(const struct scales *scales, FILE *stream) {
    char text[512];
    const struct scaling *s = &scales->scaling;
    snprintf(text, sizeof text,
             "%s: %zu documents, %" PRIu32 " trees; ns per document by the wall clock, %zu "
             "interleaved rounds in %zu placement%s; seed %" PRIu64,
             row_variant(&s->target.row).text, scales->inputs.documents, scales->inputs.trees,
             s->rounds, s->placements, s->placements == 1 ? "" : "s", s->request.seed);
    wrap_print(stream, text, 0, WRAP_TABLE);
}

static void print_notes(const struct scales *scales, FILE *stream) {
    char text[512], steal[64] = "";
    const struct scaling *s = &scales->scaling;
    if (isfinite(s->steal))
        snprintf(steal, sizeof steal, "; the hypervisor took %.2f %% of the machine's time",
                 100 * s->steal);
    snprintf(text, sizeof text,
             "blocks, calls: each thread scores its own documents, in calls of %" PRIu32
             " and of 1. p50, p99: latency of a call of 1, shared out over `used` threads. ratio: "
             "to 1 thread. %" PRIu64 " replies checked%s",
             s->request.block, s->checked, steal);
    wrap_print(stream, text, 0, WRAP_TABLE);
}

void scales_print_table(const struct scales *scales, FILE *stream) {
    struct scaling_summary line;
    print_conditions(scales, stream);
    fprintf(stream, "%-7s  %7s  %4s  %9s  %11s  %6s  %-16s  %7s  %s\n", "measure", "threads",
            "used", "ns", "documents/s", "ratio", "interval", "noise %", "verdict");
    for (size_t i = 0; scales_line(scales, i, &line); i++)
        print_measure(&line, stream);
    print_notes(scales, stream);
}
