#include "harness/tuning/map.h"

#include "base/files/file.h"
#include "base/files/record.h"
#include "harness/papers/gnuplot.h"
#include "harness/papers/report.h"
#include "harness/rows/store.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { REPORT_PATH_SIZE = 2 * ROW_PATH_SIZE };

/* The report lists the points at which `auto` takes more than this many times the winner's time. */
static const double tolerated = 1.1;

bool map_is_run(const struct rows *rows) {
    return cJSON_HasObjectItem(cJSON_GetObjectItem(rows->manifest, "configs"), "map");
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Writes a factor with two or three digits: "25", "3.1" or "1.04". */
static void write_factor(FILE *stream, double value) {
    fprintf(stream, "%.*f", value >= 10 ? 0 : value >= 2 ? 1 : 2, value);
}

/* Writes a ratio with its interval, as in "1.04 [1.02, 1.07]". If the row was only screened, writes
 * "about 25". */
static void write_ratio(FILE *stream, const struct ratio *ratio) {
    if (!isfinite(ratio->interval.low)) {
        fputs("about ", stream);
        write_factor(stream, ratio->value);
        return;
    }
    write_factor(stream, ratio->value);
    fputs(" [", stream);
    write_factor(stream, ratio->interval.low);
    fputs(", ", stream);
    write_factor(stream, ratio->interval.high);
    fputs("]", stream);
}

static void write_rival(FILE *stream, const char *before, const struct map_rival *rival) {
    if (!rival->row)
        return;
    fprintf(stream, "%s%s ", before, row_variant(rival->row).text);
    write_ratio(stream, &rival->ratio);
}

static void write_place(FILE *stream, const struct map_point *point) {
    fprintf(stream,
            "%" PRIu32 " features, %" PRIu32 " leaves, %" PRIu32 " trees, %" PRIu32
            " document%s a call",
            point->features, point->leaves, point->trees, point->call, point->call == 1 ? "" : "s");
}

/* --- tables ----------------------------------------------------------------------------------- */

static void write_cell(FILE *stream, const struct map_point *point) {
    if (!point || !point->winner) {
        fputs(" – |", stream);
        return;
    }
    fprintf(stream, map_is_tie(point) ? " *%s* (tie)" : " **%s**", row_variant(point->winner).text);
    write_rival(stream, "<br>", &point->second);
    if (point->library.row != point->second.row && point->library.row != point->winner)
        write_rival(stream, "<br>", &point->library);
    write_rival(stream, "<br>", &point->choice);
    fputs(" |", stream);
}

static void write_table(FILE *stream, const struct map_regions *regions, uint32_t features,
                        uint32_t leaves) {
    const struct map_axis *calls = &regions->calls, *trees = &regions->trees;
    fprintf(stream, "\n### %" PRIu32 " features, %" PRIu32 " leaves\n\n| trees \\ call |", features,
            leaves);
    for (size_t c = 0; c < calls->count; c++)
        fprintf(stream, " %" PRIu32 " |", calls->values[c]);
    fputs("\n|---|", stream);
    for (size_t c = 0; c < calls->count; c++)
        fputs("---|", stream);
    for (size_t t = 0; t < trees->count; t++) {
        fprintf(stream, "\n| %" PRIu32 " |", trees->values[t]);
        for (size_t c = 0; c < calls->count; c++)
            write_cell(stream,
                       map_point_at(regions, features, leaves, trees->values[t], calls->values[c]));
    }
    fputs("\n", stream);
}

void map_write_tables(FILE *stream, const struct map_regions *regions) {
    for (size_t f = 0; f < regions->features.count; f++)
        for (size_t l = 0; l < regions->leaves.count; l++)
            write_table(stream, regions, regions->features.values[f], regions->leaves.values[l]);
}

/* --- findings --------------------------------------------------------------------------------- */

static void write_wins(FILE *stream, const struct map_regions *regions) {
    size_t known = 0;
    for (size_t i = 0; i < regions->n_winners; i++)
        known += regions->wins[i].wins;
    fprintf(stream,
            "%zu points. Wins, and in parentheses how many are ties with the second:", known);
    for (size_t i = 0; i < regions->n_winners; i++) {
        const struct map_wins *of = &regions->wins[i];
        fprintf(stream, "%s %s %zu (%zu)", i ? "," : "", of->name, of->wins, of->ties);
    }
    fputs("\n", stream);
}

static void write_lost(FILE *stream, const struct map_regions *regions) {
    size_t count = 0;
    bool any_library = false;
    for (size_t i = 0; i < regions->count; i++) {
        any_library |= regions->points[i].library.row != NULL;
        count += map_is_lost(&regions->points[i]);
    }
    if (!any_library) {
        fputs("No library was available to compare with (docs/libraries.md).\n", stream);
        return;
    }
    fprintf(stream, "Points that a library wins or ties: %zu\n", count);
    for (size_t i = 0; i < regions->count; i++) {
        const struct map_point *point = &regions->points[i];
        if (!map_is_lost(point))
            continue;
        fputs("- ", stream);
        write_place(stream, point);
        if (point->library.row == point->winner) {
            fprintf(stream, ": %s", point->winner->impl);
            write_rival(stream, "; then ", &point->second);
            fputs("\n", stream);
        } else {
            write_rival(stream, ": ", &point->library);
            fprintf(stream, " of %s\n", point->winner->impl);
        }
    }
}

static void write_auto(FILE *stream, const struct map_regions *regions) {
    size_t count = 0;
    for (size_t i = 0; i < regions->count; i++)
        count += map_auto_exceeds(&regions->points[i], tolerated);
    fprintf(stream, "Points where auto takes more than %.0f %% longer than the fastest: %zu\n",
            100 * (tolerated - 1), count);
    for (size_t i = 0; i < regions->count; i++) {
        const struct map_point *point = &regions->points[i];
        if (!map_auto_exceeds(point, tolerated))
            continue;
        fputs("- ", stream);
        write_place(stream, point);
        if (point->choice.row) {
            write_rival(stream, ": ", &point->choice);
            fprintf(stream, " of %s\n", point->winner->impl);
        } else {
            fprintf(stream, ": auto has no time; the fastest is %s\n", point->winner->impl);
        }
    }
}

void map_write_findings(FILE *stream, const struct map_regions *regions) {
    write_wins(stream, regions);
    fputs("\n", stream);
    write_lost(stream, regions);
    fputs("\n", stream);
    write_auto(stream, regions);
}

/* --- without a time --------------------------------------------------------------------------- */

/* Returns true if no row before `at` has the same implementation and the same status. */
static bool is_first(const struct rows *rows, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (rows->list[i].status == rows->list[at].status &&
            strcmp(rows->list[i].impl, rows->list[at].impl) == 0)
            return false;
    return true;
}

static void write_gaps(FILE *stream, const struct rows *rows) {
    const char *heading = "\n## Without a time\n\n";
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->list[i];
        size_t count = 0;
        if (row->status == ROW_OK || !is_first(rows, i))
            continue;
        for (size_t k = i; k < rows->count; k++)
            count +=
                rows->list[k].status == row->status && strcmp(rows->list[k].impl, row->impl) == 0;
        fprintf(stream, "%s- %s at %zu points: %s; first: %s\n", heading, row->impl, count,
                row_status_names[row->status], row->reason);
        heading = "";
    }
}

/* --- the CSV ---------------------------------------------------------------------------------- */

static void write_csv_rival(FILE *stream, const struct map_rival *rival) {
    fprintf(stream, ",\"%s\"", rival->row ? row_variant(rival->row).text : "");
    record_csv_append_real(stream, rival->row ? rival->ratio.value : (double)NAN);
    record_csv_append_real(stream, rival->row ? rival->ratio.interval.low : (double)NAN);
    record_csv_append_real(stream, rival->row ? rival->ratio.interval.high : (double)NAN);
}

static void write_csv_point(FILE *stream, const struct map_point *point) {
    if (!point->winner)
        return;
    fprintf(stream, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",\"%s\",%s", point->features,
            point->leaves, point->trees, point->call, row_variant(point->winner).text,
            map_family(point->winner));
    record_csv_append_real(stream, point->winner->median);
    fprintf(stream, ",%d,%d", map_is_tie(point), map_is_lost(point));
    write_csv_rival(stream, &point->second);
    write_csv_rival(stream, &point->library);
    write_csv_rival(stream, &point->choice);
    fputs("\n", stream);
}

static enum status write_csv(const char *directory, const struct map_regions *regions,
                             struct error *error) {
    char path[REPORT_PATH_SIZE];
    struct file_writer writer;
    snprintf(path, sizeof path, "%s/map.csv", directory);
    enum status status = file_write_begin(&writer, path, error);
    if (status)
        return status;
    fputs("features,leaves,trees,call,winner,family,ns_per_document,tie,lost,"
          "second,second_ratio,second_low,second_high,"
          "library,library_ratio,library_low,library_high,"
          "auto,auto_ratio,auto_low,auto_high\n",
          writer.stream);
    for (size_t i = 0; i < regions->count; i++)
        write_csv_point(writer.stream, &regions->points[i]);
    return file_write_commit(&writer, error);
}

/* --- all of it -------------------------------------------------------------------------------- */

/* If some points are not measured yet, writes how many are measured and how to continue. */
static void write_missing(FILE *stream, const struct rows *rows, size_t measured) {
    double asked = cJSON_GetNumberValue(cJSON_GetObjectItem(rows->manifest, "cells"));
    if ((double)measured < asked)
        fprintf(stream,
                "**%zu of %.0f points are measured. To continue, run treebench map --resume (make: "
                "RESUME=1)**\n\n",
                measured, asked);
}

static bool is_smoke(const struct rows *rows) {
    return strcmp(rows_manifest_text(rows, NULL, "scale"), "smoke") == 0;
}

static void write_head(FILE *stream, const struct rows *rows, size_t measured, bool drawn) {
    char libraries[256];
    libraries_describe(rows->manifest, libraries, sizeof libraries);
    fputs("# The fastest implementation by region\n\n", stream);
    if (is_smoke(rows))
        fprintf(stream, "**%s**\n\n", REPORT_SMOKE);
    write_missing(stream, rows, measured);
    fprintf(
        stream,
        "%s; %s%s%s, one thread. Ensembles and documents are synthetic: %s. The number of features "
        "is stated at each table. `auto` is not tuned.\n",
        rows_manifest_text(rows, "cpu", "model"), rows_manifest_text(rows, "build", "compiler"),
        *libraries ? "; " : "", libraries, rows->count ? rows->list[0].note : "none");
    if (drawn)
        fputs("\n![the map](map.svg)\n", stream);
}

static void write_document(FILE *stream, const struct rows *rows, const struct map_regions *regions,
                           bool drawn) {
    write_head(stream, rows, regions->count, drawn);
    fputs("\n## Findings\n\n", stream);
    map_write_findings(stream, regions);
    fputs(
        "\n## Tables\n\nEach cell has the fastest implementation. Below are the next one, the best "
        "library and `auto`: their times divided by the fastest's, with 95 % intervals over "
        "interleaved rounds. *about* marks those that screening found far behind; they have no "
        "such rounds. In a tie the interval of the second contains 1.\n",
        stream);
    map_write_tables(stream, regions);
    write_gaps(stream, rows);
}

static enum status draw(const char *directory, const struct rows *rows, const char *plots,
                        bool *drawn, note_function *note, struct error *error) {
    char title[768], libraries[256];
    libraries_describe(rows->manifest, libraries, sizeof libraries);
    snprintf(title, sizeof title,
             "The fastest by documents per call and trees (synthetic ensembles and documents) | "
             "%.200s%s%s%s",
             rows_manifest_text(rows, "cpu", "model"), *libraries ? "; " : "", libraries,
             is_smoke(rows) ? "; smoke: not to judge" : "");
    const struct gnuplot_figure figure = {directory, "map", title, NULL, plots, "map"};
    char warning[256];
    enum status status = gnuplot_draw(&figure, warning, sizeof warning, error);
    *drawn = !status && !*warning;
    if (!status && *warning)
        note_tell(note, "%s", warning);
    return status;
}

enum status map_report(const char *directory, const struct rows *rows, const char *plots,
                       FILE *findings, note_function *note, struct error *error) {
    struct map_regions regions;
    struct file_writer writer;
    bool drawn = false;
    char path[REPORT_PATH_SIZE];
    enum status status = map_regions_make(rows, &regions, error);
    if (status)
        return status;
    status = write_csv(directory, &regions, error);
    if (!status)
        status = draw(directory, rows, plots, &drawn, note, error);
    snprintf(path, sizeof path, "%s/map.md", directory);
    if (!status)
        status = file_write_begin(&writer, path, error);
    if (!status) {
        write_document(writer.stream, rows, &regions, drawn);
        status = file_write_commit(&writer, error);
    }
    if (!status)
        map_write_findings(findings, &regions);
    map_regions_free(&regions);
    return status;
}
