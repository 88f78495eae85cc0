/* Markdown for an issue or a merge request. */
#include "harness/cli/output/comparison.h"
#include "harness/cli/shared/counts_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Escapes what would end a cell or format the text. */
static void print_escaped(const char *typed, FILE *stream) {
    char plain[4096];
    snprintf(plain, sizeof plain, "%s", typed);
    text_make_plain(plain);
    for (const char *text = plain; *text != '\0'; text++) {
        if (strchr("|\\`*_<>[]", *text))
            fputc('\\', stream);
        fputc(*text, stream);
    }
}

static void print_number(int digits, double value, FILE *stream) {
    if (isfinite(value))
        fprintf(stream, " %.*f |", digits, value);
    else
        fprintf(stream, " |");
}

static void print_interval(int digits, struct interval interval, FILE *stream) {
    if (isfinite(interval.low) && isfinite(interval.high))
        fprintf(stream, " %.*f – %.*f |", digits, interval.low, digits, interval.high);
    else
        fprintf(stream, " |");
}

/* --- the table -------------------------------------------------------------------------------- */

static void print_heading(FILE *stream) {
    fprintf(stream, "| implementation | ns/document | 95 %% interval | documents/s | ratio "
                    "| 95 %% interval | times as fast | verdict | bytes | build, ms |\n"
                    "|---|--:|---|--:|--:|---|--:|---|--:|--:|\n");
}

static void print_times(const struct comparison_line *line, FILE *stream) {
    const struct row *row = line->row;
    char verdict[VERDICT_TEXT_SIZE];
    verdict_describe(line->verdict, verdict);
    print_number(2, row->median, stream);
    print_interval(2, row->median_interval, stream);
    print_number(0, comparison_documents_per_second(line), stream);
    print_number(3, line->ratio.value, stream);
    print_interval(3, line->ratio.interval, stream);
    print_number(2, comparison_times_as_fast(line), stream);
    fprintf(stream, " %s | %" PRIu64 " |", verdict, row->built_bytes);
    print_number(3, row->build_ns / 1e6, stream);
}

static void write_line(const struct comparison_line *line, FILE *stream) {
    const struct row *row = line->row;
    const char *mark = line->is_fastest ? "**" : "";
    fprintf(stream, "| %s", mark);
    print_escaped(row_variant(row).text, stream);
    fprintf(stream, "%s |", mark);
    if (row->status == ROW_OK) {
        print_times(line, stream);
    } else {
        fprintf(stream, " | | | | | | %s: ", row_status_names[row->status]);
        print_escaped(row->reason, stream);
        fprintf(stream, " | | |");
    }
    fprintf(stream, "\n");
}

/* --- the text --------------------------------------------------------------------------------- */

static const char *member_text(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "unknown";
}

static void print_conditions(const struct comparison *c, FILE *stream) {
    char call[COMPARISON_CALL_SIZE];
    comparison_describe_call(c, call);
    fprintf(stream, "%zu documents of ", c->inputs.documents);
    print_escaped(c->inputs.data, stream);
    fprintf(stream, ", %u trees of ", c->inputs.trees);
    print_escaped(c->inputs.model, stream);
    fprintf(stream,
            ", %s. Times by the %s clock, median of %zu interleaved rounds in %zu placement%s.",
            call, c->clock, c->rounds, c->placements, c->placements == 1 ? "" : "s");
    if (c->threads > 1)
        fprintf(stream, " %u threads over %s.", c->threads, c->parallel);
    if (c->is_interrupted)
        fprintf(stream, " Interrupted.");
    if (c->has_ratios)
        fprintf(stream, " Ratios and verdicts are to the first implementation given, `%s%s%s`.",
                c->rows[0].impl, c->rows[0].params[0] ? "," : "", c->rows[0].params);
    fprintf(stream, "\n");
}

static void print_noise(const struct comparison *c, FILE *stream) {
    if (!c->has_ratios)
        return;
    if (c->noise_reason)
        fprintf(stream, "Noise floor: unknown: %s.\n", c->noise_reason);
    else
        fprintf(stream, "Noise floor: %.1f %%. The first to itself is %.3f, %.3f – %.3f.\n",
                100 * c->noise_floor, c->noise.value, c->noise.interval.low,
                c->noise.interval.high);
}

static void print_versions(const struct comparison *c, FILE *stream) {
    for (size_t i = 0; i < c->count; i++)
        if (c->lines[i].version[0])
            fprintf(stream, "%s: %s.\n", c->lines[i].row->impl, c->lines[i].version);
}

static void print_machine(const cJSON *machine, FILE *stream) {
    const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(machine, "cpu");
    const cJSON *build = cJSON_GetObjectItemCaseSensitive(machine, "build");
    const cJSON *cores = cJSON_GetObjectItemCaseSensitive(cpu, "cores");
    fprintf(stream, "Machine: ");
    print_escaped(member_text(cpu, "model"), stream);
    if (cJSON_IsNumber(cores))
        fprintf(stream, ", %.0f core%s", cores->valuedouble, cores->valuedouble > 1 ? "s" : "");
    fprintf(stream, "%s; ",
            cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(cpu, "hypervisor")) ? ", virtual" : "");
    print_escaped(member_text(machine, "kernel"), stream);
    fprintf(stream, "; ");
    print_escaped(member_text(build, "compiler"), stream);
    fprintf(stream, "; treebench %.12s%s; %s\n", member_text(build, "commit"),
            cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(build, "dirty")) ? " with local changes"
                                                                           : "",
            member_text(machine, "started"));
}

void comparison_print_markdown(const struct comparison *c, const cJSON *machine, FILE *stream) {
    print_conditions(c, stream);
    if (comparison_note(c))
        fprintf(stream, "Note: %s.\n", comparison_note(c));
    fprintf(stream, "\n");
    print_heading(stream);
    for (size_t i = 0; i < c->count; i++)
        write_line(&c->lines[i], stream);
    fprintf(stream, "\n");
    print_noise(c, stream);
    print_versions(c, stream);
    print_machine(machine, stream);
    if (strcmp(c->counters, "none") != 0) {
        fprintf(stream, "\n```\n");
        counts_table_print(c->rows, c->count, c->counters, stream);
        fprintf(stream, "```\n");
    }
}
