/* Figures of the kind "speedups": how many times faster than one variant others are, over x. Each
 * other variant is a plot. It has the mean over data sets, their geometric mean, and each data set
 * (buschjaeger2018, Fig. 2). Panels of resampled documents are left out. */
#include "harness/papers/report_parts.h"

#include "base/files/record.h"

#include <math.h>
#include <string.h>

/* The speed-ups at one x. */
struct speedups {
    struct ratio ratios[PANELS_MAX];
    size_t panels[PANELS_MAX]; /* of which panel each is */
    size_t n;
};

static const char UNIT[] = "times as fast";

bool report_has_speedups(const struct artefact *artefact) {
    const char *kind = cJSON_GetStringValue(report_figure(artefact, "kind"));
    return kind && strcmp(kind, "speedups") == 0;
}

static struct speedups find_speedups(const struct artefact_report *r, const char *fast,
                                     uint32_t x) {
    const struct artefact *artefact = r->artefact;
    const char *slow = cJSON_GetStringValue(report_figure(artefact, "slow"));
    struct speedups found = {.n = 0};
    for (struct spot spot = {0}; scale_next(&artefact->scale, &spot);) {
        const struct place at = {r->results, spot.panel, spot.point};
        if (panel_is_resampled(spot.panel) || point_x(spot.point, artefact->scale.x) != x)
            continue;
        found.panels[found.n] = spot.p;
        found.ratios[found.n] = compare_operand_ratio(&at, slow, fast);
        found.n += !isnan(found.ratios[found.n].value) ? 1 : 0;
    }
    return found;
}

/* The mean, and the standard deviation on both sides of it. */
static struct ratio plain_mean(const struct speedups *speedups) {
    double values[PANELS_MAX];
    for (size_t i = 0; i < speedups->n; i++)
        values[i] = speedups->ratios[i].value;
    double mean = stats_mean(values, speedups->n);
    double deviation = speedups->n > 1 ? stats_deviation(values, speedups->n) : (double)NAN;
    return (struct ratio){mean, {mean - deviation, mean + deviation}};
}

/* The geometric mean, with a 95 % t interval over the data sets. */
static struct ratio geometric_mean(const struct speedups *speedups) {
    double logs[PANELS_MAX];
    for (size_t i = 0; i < speedups->n; i++)
        logs[i] = log(speedups->ratios[i].value);
    struct interval interval = stats_t_interval(logs, speedups->n);
    return (struct ratio){exp(stats_mean(logs, speedups->n)),
                          {exp(interval.low), exp(interval.high)}};
}

/* Returns the smallest x over `last` of all panels, or 0. */
static uint32_t next_x(const struct artefact *artefact, uint32_t last) {
    uint32_t next = 0;
    for (struct spot at = {0}; scale_next(&artefact->scale, &at);) {
        uint32_t x = point_x(at.point, artefact->scale.x);
        if (x > last && (next == 0 || x < next))
            next = x;
    }
    return next;
}

/* --- NAME.csv --------------------------------------------------------------------------------- */

enum { MEAN = 1, GEOMETRIC_MEAN, EACH };

struct line {
    size_t plot;
    const char *variant, *title;
    uint32_t x;
    int series;
    size_t set; /* EACH: the number of the panel, from 1 */
};

static void write_line(const struct artefact_report *r, const struct line *line, const char *label,
                       struct ratio ratio) {
    const struct artefact *artefact = r->artefact;
    FILE *stream = r->stream;
    char set[24] = "";
    if (line->set)
        snprintf(set, sizeof set, "%zu", line->set);
    fprintf(stream, "%zu,\"%s\",%s,%u,%d,\"%s\",\"%s\",%s,%s", line->plot, line->title,
            axis_name(artefact->scale.x), line->x, line->series, line->variant, label, set, UNIT);
    record_csv_append_real(stream, ratio.value);
    record_csv_append_real(stream, ratio.interval.low);
    record_csv_append_real(stream, ratio.interval.high);
    fprintf(stream, ",,%s,,,,,,\"%s\",,\n", artefact->scale.kind,
            line->set ? artefact->scale.panels[line->set - 1].title : "");
}

static void write_series(const struct artefact_report *r, struct line line) {
    for (line.x = next_x(r->artefact, 0); line.x > 0; line.x = next_x(r->artefact, line.x)) {
        struct speedups found = find_speedups(r, line.variant, line.x);
        if (line.series == MEAN && found.n > 0)
            write_line(r, &line, "mean and standard deviation", plain_mean(&found));
        if (line.series == GEOMETRIC_MEAN && found.n > 0)
            write_line(r, &line, "geometric mean and interval", geometric_mean(&found));
        for (size_t i = 0; i < found.n; i++)
            if (line.series == EACH && found.panels[i] + 1 == line.set)
                write_line(r, &line, "each data set", found.ratios[i]);
    }
}

void report_speedups_write_csv(const struct artefact_report *r) {
    const struct artefact *artefact = r->artefact;
    const cJSON *item;
    struct line line = {.plot = 0};
    cJSON_ArrayForEach(item, report_figure(artefact, "variants")) {
        line.plot++;
        line.variant = item->valuestring;
        line.title = artefact_label(artefact, line.variant);
        line.set = 0;
        for (line.series = MEAN; line.series <= GEOMETRIC_MEAN; line.series++)
            write_series(r, line);
        line.series = EACH;
        for (line.set = 1; line.set <= artefact->scale.n_panels; line.set++)
            write_series(r, line);
    }
}

/* --- NAME.md ---------------------------------------------------------------------------------- */

static void write_cell(FILE *stream, const struct speedups *speedups) {
    struct ratio plain = plain_mean(speedups), geometric = geometric_mean(speedups);
    if (speedups->n == 0)
        fputs(" - |", stream);
    else if (speedups->n == 1)
        fprintf(stream, " %.2f (1) |", plain.value);
    else
        fprintf(stream, " %.2f ± %.2f; %.2f [%.2f, %.2f] (%zu) |", plain.value,
                plain.interval.high - plain.value, geometric.value, geometric.interval.low,
                geometric.interval.high, speedups->n);
}

void report_speedups_write_table(const struct artefact_report *r) {
    const struct artefact *artefact = r->artefact;
    FILE *stream = r->stream;
    const cJSON *variants = report_figure(artefact, "variants"), *item;
    const char *slow = cJSON_GetStringValue(report_figure(artefact, "slow"));
    fprintf(stream,
            "\nTimes as fast as %s: mean over data sets ± standard deviation; geometric mean with "
            "its 95 %% interval over data sets (number of data sets). Resampled documents are left "
            "out.\n\n| %s |",
            artefact_label(artefact, slow), axis_title(artefact->scale.x));
    cJSON_ArrayForEach(item, variants) {
        fprintf(stream, " %s |", artefact_label(artefact, item->valuestring));
    }
    fputs("\n|---:|", stream);
    for (int i = 0; i < cJSON_GetArraySize(variants); i++)
        fputs("---|", stream);
    fputs("\n", stream);
    for (uint32_t x = next_x(artefact, 0); x > 0; x = next_x(artefact, x)) {
        fprintf(stream, "| %u |", x);
        cJSON_ArrayForEach(item, variants) {
            struct speedups speedups = find_speedups(r, item->valuestring, x);
            write_cell(stream, &speedups);
        }
        fputs("\n", stream);
    }
}
