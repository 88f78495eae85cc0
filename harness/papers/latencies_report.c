#include "harness/papers/latencies_parts.h"

#include "base/files/json.h"
#include "harness/judge/item_claim.h"
#include "harness/papers/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The published figures, in ns: the columns of the reference file are named like percentiles. */
static double published(const struct artefact_report *report, const struct point *point,
                        size_t index) {
    const char *text = reference_text(report->reference, point, percentiles[index].name);
    double ns;
    return sscanf(text, "%lf", &ns) == 1 ? ns : (double)NAN;
}

/* A server that completes much less than what arrives has a queue that grows without end. */
static bool is_too_slow(const struct latency_item *item, const struct latency_result *result) {
    return item->rate > 0 && result->completed_rate < 0.9 * item->rate;
}

/* Returns the latency of a result, or NaN. The result may be missing. */
static double latency_of(const struct latency_item *item, size_t r, size_t index) {
    const struct latency_result *result = item ? &item->results[r] : NULL;
    return result && result->status == ROW_OK && !is_too_slow(item, result)
               ? result->proven_ns[index]
               : (double)NAN;
}

static const char *name_of(const struct artefact *artefact, size_t r) {
    return r < artefact->n_variants ? artefact_label(artefact, artefact->variants[r])
                                    : "empty call";
}

/* --- NAME.md ---------------------------------------------------------------------------------- */

static void write_us(FILE *stream, double ns, const char *unknown) {
    if (isnan(ns))
        fprintf(stream, " %s |", unknown);
    else
        fprintf(stream, " %.2f |", ns / 1000);
}

/* A star marks the longest latency of all, which one stall decides. */
static void write_proven(FILE *stream, const struct latency_item *item, size_t r, size_t index,
                         const char *unknown) {
    double ns = latency_of(item, r, index);
    if (!isnan(ns) && proof_rank((uint64_t)item->results[r].calls, percentiles[index].over) == 1)
        fprintf(stream, " *%.2f |", ns / 1000);
    else
        write_us(stream, ns, unknown);
}

static void write_head(const struct artefact_report *report, const char *first, const char *last) {
    size_t n = report->artefact->n_variants + 1;
    fprintf(report->stream, "| %s |", first);
    for (size_t r = 0; r < n; r++)
        fprintf(report->stream, " %s |", name_of(report->artefact, r));
    fprintf(report->stream, "%s\n|---|", last);
    for (size_t r = 0; r < n + (*last != '\0'); r++)
        fputs("---:|", report->stream);
    fputs("\n", report->stream);
}

static void write_gaps(const struct artefact_report *report, const struct latency_item *item) {
    for (size_t r = 0; r < item->n_results; r++)
        if (item->results[r].status != ROW_OK)
            fprintf(report->stream, "\n%s: %s: %s\n", name_of(report->artefact, r),
                    row_status_names[item->results[r].status], item->results[r].reason);
}

/* Says where it was measured, and what was not. */
static void write_machine(const struct artefact_report *report, const struct latency_item *item) {
    fprintf(report->stream, "\nMeasured on %s", item->processor);
    if (!isnan(item->steal))
        fprintf(report->stream, ", of which the hypervisor took %.2f %% of the time",
                100 * item->steal);
    fprintf(report->stream, "; %.0f calls or more of each.\n", (double)item->results[0].calls);
    write_gaps(report, item);
}

static void write_stream(const struct artefact_report *report, const struct panel *panel,
                         const struct point *point) {
    bool is_past;
    const struct latency_item *item = latencies_at(report, panel, point, 0, &is_past);
    write_head(report, "percentile", " published |");
    for (size_t i = 0; i < PERCENTILES; i++) {
        fprintf(report->stream, "| %s |", percentiles[i].name);
        for (size_t r = 0; r <= report->artefact->n_variants; r++)
            write_proven(report->stream, item, r, i, item ? "-" : "**missing**");
        write_us(report->stream, published(report, point, i), "-");
        fputs("\n", report->stream);
    }
    if (item)
        write_machine(report, item);
    const char *machine = reference_text(report->reference, point, "machine");
    if (strcmp(machine, "-") != 0)
        fprintf(report->stream, "\nPublished: %s (%s).\n", machine,
                reference_text(report->reference, point, "source"));
}

static void write_server(const struct artefact_report *report, const struct panel *panel,
                         const struct point *point) {
    const struct latency_item *item, *first = NULL;
    bool is_past;
    write_head(report, "calls per second", "");
    for (size_t k = 0; item = latencies_at(report, panel, point, k, &is_past), !is_past; k++) {
        if (!item)
            continue;
        fprintf(report->stream, "| %.0f |", item->rate);
        for (size_t r = 0; r <= report->artefact->n_variants; r++)
            write_proven(report->stream, item, r, LATENCIES_SERVER_INDEX,
                         is_too_slow(item, &item->results[r]) ? "too slow" : "-");
        fputs("\n", report->stream);
        first = first ? first : item;
    }
    if (first)
        write_machine(report, first);
    else
        fputs("\n**missing**\n", report->stream);
}

static void write_points(const struct artefact_report *report,
                         void (*write)(const struct artefact_report *report,
                                       const struct panel *panel, const struct point *point)) {
    for (struct spot at = {0}; scale_next(&report->artefact->scale, &at);) {
        fprintf(report->stream, "\n## %s\n\n", at.panel->title);
        write(report, at.panel, at.point);
    }
}

static void write_percentiles(const struct artefact_report *report) {
    fputs("\nLatencies in µs of calls of one document, one after the other, each with another "
          "document. Each percentile is proven with a confidence of 0.99 (docs/latency.md); `-`: "
          "too few calls; `*`: the longest of all, which one stall decides. The empty call scores "
          "nothing, and is part of every other call.\n\n"
          "**The published figures are of other machines and other trees, and some clocks include "
          "more.** They show the order of magnitude, and do not say what is faster.\n",
          report->stream);
    write_points(report, write_stream);
}

static void write_rates(const struct artefact_report *report) {
    fputs("\np99 in µs of calls of one document that arrive at random times (a Poisson process), "
          "from the scheduled time to the reply. One thread serves them in their order. It is "
          "proven with a confidence of 0.99 (docs/latency.md); `*`: the longest of all. Too slow: "
          "less than 90 % of the rate was completed, so the queue grew. On a machine that stalls, "
          "that may be the machine's fault: see the empty call.\n",
          report->stream);
    write_points(report, write_server);
}

/* --- NAME.csv --------------------------------------------------------------------------------- */

/* What the lines of a point share. The columns are those of other figures (report_plot.c). */
struct csv_point {
    const struct artefact_report *report;
    size_t panel;
    const struct point *point;
    double documents;
};

static void write_line(const struct csv_point *at, double x, size_t series, const char *label,
                       double ns, double published_ns) {
    const struct artefact *artefact = at->report->artefact;
    const struct point *point = at->point;
    FILE *stream = at->report->stream;
    bool is_server = latencies_is_server(artefact);
    const char *variant = series < artefact->n_variants ? artefact->variants[series] : label;
    fprintf(stream, "%zu,\"%s\",%s,%.0f,%zu,\"%s\",\"%s\",,%s", at->panel + 1,
            artefact->scale.panels[at->panel].title, is_server ? "calls per second" : "percentile",
            x, series + 1, variant, label, is_server ? "us until the reply (p99)" : "us per call");
    record_csv_append_real(stream, ns / 1000);
    fprintf(stream, ",,,1,%s,%u,,%u,%.0f,%s,,", point->kind, point->trees, point->features,
            at->documents,
            point->depth ? "synthetic trees and documents" : "random trees and documents");
    record_csv_append_real(stream, published_ns / 1000);
    fputs("\n", stream);
}

/* A percentile is at 1 / its share of longer calls: p99 at 100. Published figures are of none of
 * the implementations, and stand in the lines of the first. */
static void write_curves(const struct csv_point *at, const struct panel *panel) {
    bool is_past;
    const struct latency_item *item = latencies_at(at->report, panel, at->point, 0, &is_past);
    for (size_t i = 0; i < PERCENTILES; i++)
        for (size_t r = 0; r <= at->report->artefact->n_variants; r++)
            write_line(at, 1 / percentiles[i].over, r, name_of(at->report->artefact, r),
                       latency_of(item, r, i),
                       r == 0 ? published(at->report, at->point, i) : (double)NAN);
}

static void write_server_curves(const struct csv_point *at, const struct panel *panel) {
    const struct latency_item *item;
    bool is_past;
    for (size_t k = 0; item = latencies_at(at->report, panel, at->point, k, &is_past), !is_past;
         k++)
        for (size_t r = 0; item && r <= at->report->artefact->n_variants; r++)
            write_line(at, item->rate, r, name_of(at->report->artefact, r),
                       latency_of(item, r, LATENCIES_SERVER_INDEX), (double)NAN);
}

static void write_csv(const struct artefact_report *report) {
    const struct scale *scale = &report->artefact->scale;
    fputs(REPORT_CSV_HEAD, report->stream);
    for (struct spot at = {0}; scale_next(scale, &at);) {
        const struct csv_point point = {report, at.p, at.point,
                                        (double)panel_documents(at.panel, scale->x, at.point)};
        if (latencies_is_server(report->artefact))
            write_server_curves(&point, at.panel);
        else
            write_curves(&point, at.panel);
    }
}

/* --- the figure ------------------------------------------------------------------------------- */

static enum status draw(const struct artefact_report *report, char *warning, size_t warning_size,
                        struct error *error) {
    const struct json_list *items = report->results;
    const struct latency_item *list = items->list;
    const struct artefact *artefact = report->artefact;
    const char *scale = artefact->scale.name;
    char caption[320];
    if (items->count == 0)
        return STATUS_OK;
    snprintf(caption, sizeof caption, "%.100s; scale %.20s%s", list->processor, scale,
             strcmp(scale, "smoke") == 0 ? ": not to judge" : "");
    const struct gnuplot_figure figure = {report->directory, artefact->name,       artefact->title,
                                          caption,           report->paths->plots, "latencies"};
    return gnuplot_draw(&figure, warning, warning_size, error);
}

/* --- the kind --------------------------------------------------------------------------------- */

static const struct table_kind tables[] = {{"percentiles", NULL, write_percentiles, write_csv},
                                           {"rates", NULL, write_rates, write_csv},
                                           {0}};
static const struct item_claim_kind claims[] = {{0}};

static enum status check(const char *name, const struct artefact *artefact, struct error *error) {
    const char *kind = cJSON_GetStringValue(report_figure(artefact, "kind"));
    if (!kind || strcmp(kind, "latencies") != 0)
        return error_set(error, STATUS_INPUT, "%s: figure: kind: must be \"latencies\"", name);
    return artefact->n_variants < LATENCY_RESULTS_MAX
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: variants: more than %d", name,
                           LATENCY_RESULTS_MAX - 1);
}

const struct artefact_kind kind_latency = {.measure = "latency",
                                           .title = "latency",
                                           .has_variants = true,
                                           .lines = &latency_lines,
                                           .tables = tables,
                                           .claims = claims,
                                           .check = check,
                                           .draw = draw,
                                           .ask = latencies_ask,
                                           .measure_item = latencies_measure,
                                           .doing = "timing single calls,",
                                           .done = "timed single calls of",
                                           .things = "models and rates"};
