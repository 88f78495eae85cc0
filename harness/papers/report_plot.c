#include "harness/papers/report_parts.h"

#include "base/files/json.h"
#include "base/files/record.h"
#include "base/options.h"
#include "base/origin.h"
#include "harness/papers/gnuplot.h"
#include "harness/rows/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the key "figure" says. */
struct figure_file {
    char kind[12];
    const char *slow, *over, *axis;
};

static bool is_of_speedups(const void *data) {
    return strcmp(((const struct figure_file *)data)->kind, "speedups") == 0;
}
static bool is_of_lines(const void *data) {
    return strcmp(((const struct figure_file *)data)->kind, "lines") == 0;
}

#define FIGURE(KIND, NAME, MEMBER, ...) FIELD(struct figure_file, KIND, NAME, MEMBER, __VA_ARGS__)
static const char *const kinds[] = {"bars", "lines", "curves", "speedups", NULL};
static const struct record_field fields[] = {
    FIGURE(TEXT, "kind", kind, .names = kinds, .help = "script that draws it"),
    FIGURE(STRING, "slow", slow, .applies = is_of_speedups, .refusal = "only for \"speedups\"",
           .help = "variant that others are compared with"),
    FIGURE(STRING, "over", over, .applies = is_of_lines, .refusal = "only for \"lines\"",
           .is_optional = true, .help = "option on the x axis"),
    FIGURE(STRING, "axis", axis, .applies = is_of_lines, .refusal = "only for \"lines\"",
           .is_optional = true, .help = "text of the x axis"),
    KEY("variants", .help = "operands that are drawn")};
static const struct record record = ARTEFACT_RECORD("a figure", fields);

/* The text of the axis goes into the CSV without quotes. */
static enum status check_figure(const char *where, const struct artefact *artefact,
                                const struct figure_file *figure, struct error *error) {
    if (figure->slow && !artefact_knows_operand(artefact, figure->slow))
        return error_set(error, STATUS_INPUT, "%s: slow: must be a variant of this artefact",
                         where);
    if (!figure->over != !figure->axis)
        return error_set(error, STATUS_INPUT, "%s: over, axis: one needs the other", where);
    return !figure->axis || !strpbrk(figure->axis, ",\"\n")
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "%s: axis: must not contain commas, quotes or line ends", where);
}

enum status report_check_figure(const char *name, const struct artefact *artefact,
                                struct error *error) {
    const cJSON *json = NULL, *variants = NULL, *item;
    struct figure_file figure = {.slow = NULL};
    char where[ROW_PATH_SIZE];
    if (!cJSON_HasObjectItem(artefact->json, "figure"))
        return STATUS_OK;
    enum status status = json_get_object(name, artefact->json, "figure", &json, error);
    snprintf(where, sizeof where, "%s: figure", name);
    if (!status)
        status = record_from_json(where, &record, json, &figure, error);
    if (!status)
        status = check_figure(where, artefact, &figure, error);
    if (!status)
        status = json_get_array(where, json, "variants", &variants, error);
    cJSON_ArrayForEach(item, variants) {
        if (!status && (!cJSON_IsString(item) || strchr(item->valuestring, '"') ||
                        !artefact_knows_operand(artefact, item->valuestring)))
            status = error_set(error, STATUS_INPUT,
                               "%s: variants: must contain variants of this artefact only", where);
    }
    return status;
}

const cJSON *report_figure(const struct artefact *artefact, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(artefact->json, "figure"), key);
}

/* Lists the operands of the figure. If there is no figure, lists all variants. */
static size_t list_operands(const struct artefact *artefact,
                            const char *operands[ARTEFACT_VARIANTS_MAX]) {
    const cJSON *variants = report_figure(artefact, "variants"), *item;
    size_t count = 0;
    cJSON_ArrayForEach(item, variants) {
        if (count < ARTEFACT_VARIANTS_MAX)
            operands[count++] = item->valuestring;
    }
    for (size_t i = 0; !variants && i < artefact->n_variants; i++)
        operands[count++] = artefact->variants[i];
    return count;
}

/* The text of the option on the x axis of "lines", which is `v` if the figure names no other. */
static void write_over(FILE *stream, const struct artefact *artefact, const char *variant) {
    char impl[OPTION_TEXT_SIZE];
    struct options options;
    const char *value = NULL;
    const char *name = cJSON_GetStringValue(report_figure(artefact, "over"));
    if (options_parse(variant, impl, &options, NULL) == STATUS_OK)
        value = options_get(&options, name ? name : "v");
    fprintf(stream, ",%s", value ? value : "");
}

struct csv {
    const struct artefact_report *report;
    const struct papers_times *papers;
};

enum { ORIGIN_SIZE = 80, CAPTION_SIZE = 320 };

/* Writes a short text for figures: what the models are, on which data. The text has no comma,
 * because gnuplot splits fields at commas. */
static void describe_origin(unsigned origin, char text[ORIGIN_SIZE]) {
    const char *models = origin & ORIGIN_COPIED      ? "copied trees"
                         : origin & ORIGIN_GROWN     ? "random trees"
                         : origin & ORIGIN_SYNTHETIC ? "synthetic trees"
                                                     : "trained trees";
    const char *documents = origin & ORIGIN_STAND_IN    ? " on a synthetic stand-in"
                            : origin & ORIGIN_SAMPLE    ? " on a sample"
                            : origin & ORIGIN_PART      ? " on a part of the data set"
                            : origin & ORIGIN_SYNTHETIC ? " and documents"
                            : origin & ORIGIN_UNKNOWN   ? " on documents of unknown origin"
                                                        : " on real data";
    snprintf(text, ORIGIN_SIZE, "%s%s%s", models, documents,
             origin & ORIGIN_RESAMPLED ? "; resampled" : "");
}

/* Uses the first point that was measured. If there is none, the text is empty. */
static void describe_panel_origin(const struct row_index *index, const struct panel *panel,
                                  char text[ORIGIN_SIZE]) {
    *text = '\0';
    for (size_t i = 0; i < panel->n_points && !*text; i++)
        if (row_index_at(index, &panel->points[i]).count > 0)
            describe_origin(row_index_origin(index, &panel->points[i]), text);
}

/* Writes the label of an operand, and the version if it is a library. */
static void write_label(const struct artefact_report *report, const char *operand) {
    const struct row_index *index = report->results;
    const char *version = libraries_version(index->rows->manifest, operand);
    fprintf(report->stream, ",\"%s%s%s%s\"", artefact_label(report->artefact, operand),
            version ? " (" : "", version ? version : "", version ? ")" : "");
}

/* The columns that only some figures need: the text of the x axis of "lines", the paper's number.
 */
static void write_added(const struct csv *csv, const struct spot *at, const char *operand) {
    const char *axis = cJSON_GetStringValue(report_figure(csv->report->artefact, "axis"));
    double value = (double)NAN;
    for (size_t k = 0; k < csv->papers->count; k++) {
        const struct papers_time *time = &csv->papers->list[k];
        if (time->panel == at->p && time->point == at->i && strcmp(time->operand, operand) == 0)
            value = time->value;
    }
    fprintf(csv->report->stream, ",%s", axis ? axis : "");
    record_csv_append_real(csv->report->stream, value);
    fputs("\n", csv->report->stream);
}

/* Writes a line of the CSV. Scripts find a series by its number, because gnuplot would split the
 * names of variants at commas. */
static void write_line(const struct csv *csv, const struct spot *spot, size_t series,
                       const char *operand) {
    const struct artefact *artefact = csv->report->artefact;
    const struct row_index *index = csv->report->results;
    FILE *stream = csv->report->stream;
    char variant[ROW_NAME_SIZE] = "", origin[ORIGIN_SIZE];
    const struct place at = {index, spot->panel, spot->point};
    compare_operand_variant(&at, operand, variant, sizeof variant);
    struct estimate time = compare_operand_time(&at, operand), shown = report_shown(&at, time);
    struct report_shape shape = report_shape_at(index, spot->point);
    fprintf(stream, "%zu,\"%s\",%s,%u,%zu,\"%s\"", spot->p + 1, spot->panel->title,
            axis_name(artefact->scale.x), point_x(spot->point, artefact->scale.x), series + 1,
            operand);
    write_label(csv->report, operand);
    write_over(stream, artefact, variant);
    fprintf(stream, ",%s", report_unit(spot->panel));
    record_csv_append_real(stream, shown.mean);
    record_csv_append_real(stream, shown.interval.low);
    record_csv_append_real(stream, shown.interval.high);
    fprintf(stream, ",%zu,%s", time.trials, spot->point->kind);
    record_csv_append_real(stream, shape.trees);
    record_csv_append_real(stream, shape.mean_tree_depth);
    record_csv_append_real(stream, shape.features);
    record_csv_append_real(stream, shape.documents);
    describe_panel_origin(index, spot->panel, origin);
    fprintf(stream, ",%s,\"%s\"", origin, report_note_at(index, spot->point));
    write_added(csv, spot, operand);
}

enum status report_write_csv(const struct artefact_report *report, struct error *error) {
    const char *operands[ARTEFACT_VARIANTS_MAX];
    size_t n = list_operands(report->artefact, operands);
    struct papers_times papers;
    enum status status =
        report_papers_times(report->artefact, report->paths->reference, &papers, error);
    const struct csv csv = {report, &papers};
    fputs(REPORT_CSV_HEAD, report->stream);
    bool has_speedups = report_has_speedups(report->artefact);
    if (has_speedups)
        report_speedups_write_csv(report);
    for (struct spot at = {0}; !has_speedups && scale_next(&report->artefact->scale, &at);)
        for (size_t k = 0; k < n; k++)
            write_line(&csv, &at, k, operands[k]);
    free(papers.list);
    return status;
}

/* Returns what the artefact's times are: CPU times, wall-clock times, or both. */
static const char *name_clock(const struct artefact *artefact, const struct row_index *index) {
    bool cpu = false, wall = false;
    for (struct spot at = {0}; scale_next(&artefact->scale, &at);) {
        struct row_span span = row_index_at(index, at.point);
        for (size_t k = 0; k < span.count; k++) {
            bool is_wall = strcmp(span.entries[k].row->clock, "wall") == 0;
            wall |= is_wall;
            cpu |= !is_wall;
        }
    }
    return cpu && wall ? "; CPU time, and wall-clock time of threads"
           : wall      ? "; wall-clock time"
           : cpu       ? "; CPU time"
                       : "";
}

/* Names the machine, the scale and the clock. */
static void write_caption(const struct artefact *artefact, const struct row_index *index,
                          char caption[CAPTION_SIZE]) {
    const char *scale = artefact->scale.name;
    snprintf(caption, CAPTION_SIZE, "%.100s; %.60s; scale %.20s%s%s",
             rows_manifest_text(index->rows, "cpu", "model"),
             rows_manifest_text(index->rows, "build", "compiler"), scale,
             strcmp(scale, "smoke") == 0 ? ": not to judge" : "", name_clock(artefact, index));
}

static bool has_rows(const struct artefact *artefact, const struct row_index *index) {
    for (struct spot at = {0}; scale_next(&artefact->scale, &at);)
        if (row_index_at(index, at.point).count > 0)
            return true;
    return false;
}

enum status report_draw(const struct artefact_report *report, char *warning, size_t warning_size,
                        struct error *error) {
    const struct artefact *artefact = report->artefact;
    const cJSON *kind = report_figure(artefact, "kind");
    if (!kind)
        return STATUS_OK;
    if (!has_rows(artefact, report->results)) {
        snprintf(warning, warning_size, "%s: nothing was measured, so there is no figure",
                 artefact->name);
        return STATUS_OK;
    }
    char caption[CAPTION_SIZE];
    write_caption(artefact, report->results, caption);
    const struct gnuplot_figure figure = {report->directory,    artefact->name,
                                          artefact->title,      caption,
                                          report->paths->plots, kind->valuestring};
    return gnuplot_draw(&figure, warning, warning_size, error);
}
