#include "harness/papers/report_parts.h"

#include "base/files/file.h"
#include "base/files/json.h"
#include "base/options.h"
#include "harness/papers/gnuplot.h"
#include "harness/rows/libraries.h"
#include "harness/rows/row_csv.h"

#include <math.h>
#include <string.h>

enum { FIGURE_PATH_SIZE = 2 * ROW_PATH_SIZE };

static bool is_figure_kind(const char *kind) {
    static const char *const kinds[] = {"bars", "lines", "curves", "speedups"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

/* Figures of speed-ups, and no others, name the variant that is the slow one. */
static enum status check_slow(const char *where, const cJSON *json, const char *kind,
                              const struct artefact *artefact, struct error *error) {
    const char *slow = "";
    if (strcmp(kind, "speedups") != 0)
        return cJSON_HasObjectItem(json, "slow")
                   ? error_set(error, STATUS_INPUT, "%s: slow: only for \"speedups\"", where)
                   : STATUS_OK;
    enum status status = json_get_string(where, json, "slow", &slow, error);
    if (!status && !artefact_knows_operand(artefact, slow))
        status =
            error_set(error, STATUS_INPUT, "%s: slow: must be a variant of this artefact", where);
    return status;
}

enum status report_check_figure(const char *name, const struct artefact *artefact,
                                struct error *error) {
    static const char *const keys[] = {"kind", "variants", "slow", NULL};
    const cJSON *json = NULL, *variants = NULL, *item;
    const char *kind = "";
    if (!cJSON_HasObjectItem(artefact->json, "figure"))
        return STATUS_OK;
    enum status status = json_get_object(name, artefact->json, "figure", &json, error);
    if (status)
        return status;
    char where[ROW_PATH_SIZE];
    snprintf(where, sizeof where, "%s: figure", name);
    status = artefact_check_keys(where, json, keys, error);
    if (!status)
        status = json_get_string(where, json, "kind", &kind, error);
    if (!status && !is_figure_kind(kind))
        status =
            error_set(error, STATUS_INPUT,
                      "%s: kind: must be \"bars\", \"lines\", \"curves\" or \"speedups\"", where);
    if (!status)
        status = check_slow(where, json, kind, artefact, error);
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

static const cJSON *figure_of(const struct artefact *artefact) {
    return cJSON_GetObjectItemCaseSensitive(artefact->json, "figure");
}

/* Lists the operands of the figure. If there is no figure, lists all variants. */
static size_t list_operands(const struct artefact *artefact,
                            const char *operands[ARTEFACT_VARIANTS_MAX]) {
    const cJSON *figure = figure_of(artefact), *item;
    size_t count = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(figure, "variants")) {
        if (count < ARTEFACT_VARIANTS_MAX)
            operands[count++] = item->valuestring;
    }
    for (size_t i = 0; !figure && i < artefact->n_variants; i++)
        operands[count++] = artefact->variants[i];
    return count;
}

static void write_option_v(FILE *stream, const char *variant) {
    char impl[OPTION_TEXT_SIZE];
    struct options options;
    const char *v = NULL;
    if (options_parse(variant, impl, &options, NULL) == STATUS_OK)
        v = options_get(&options, "v");
    fprintf(stream, ",%s", v ? v : "");
}

struct csv {
    FILE *stream;
    const struct artefact *artefact;
    const struct row_index *index;
};

enum { ORIGIN_SIZE = 64, CAPTION_SIZE = 256 };

/* Writes a short text for figures if data or models are not real or documents were resampled,
 * otherwise "". The text has no comma, because gnuplot splits fields at commas. */
static void describe_origin(const char *note, bool resampled, char text[ORIGIN_SIZE]) {
    const char *models = strstr(note, "copies")        ? "copied trees"
                         : strstr(note, "not trained") ? "random trees"
                                                       : "";
    const char *documents = strstr(note, "stand-in")    ? "a synthetic stand-in"
                            : strstr(note, "a sample")  ? "a sample"
                            : strstr(note, "a part of") ? "a part of the data set"
                                                        : "";
    const char *other = *note && !*models && !*documents && !resampled ? "see the note" : "";
    const char *drawn = !resampled ? "" : *models || *documents ? "; resampled" : "resampled";
    snprintf(text, ORIGIN_SIZE, "%s%s%s%s%s", models, *models && *documents ? " on " : "",
             documents, other, drawn);
}

/* The panel's first note, because some points may have no rows. */
static void describe_panel_origin(const struct row_index *index, const struct panel *panel,
                                  char text[ORIGIN_SIZE]) {
    const char *note = "";
    for (size_t i = 0; i < panel->n_points && !*note; i++)
        note = report_note_at(index, &panel->points[i]);
    describe_origin(note, panel->n_points > 0 && panel->points[0].resample > 0, text);
}

/* Writes the label of an operand, and the version if it is a library. */
static void write_label(const struct csv *csv, const char *operand) {
    const char *version = libraries_version(csv->index->rows->manifest, operand);
    fprintf(csv->stream, ",\"%s%s%s%s\"", artefact_label(csv->artefact, operand),
            version ? " (" : "", version ? version : "", version ? ")" : "");
}

/* Writes a line of the CSV. Scripts find a series by its number, because gnuplot would split the
 * names of variants at commas. */
static void write_line(const struct csv *csv, size_t p, size_t i, size_t series,
                       const char *operand) {
    const struct panel *panel = &csv->artefact->scale.panels[p];
    const struct point *point = &panel->points[i];
    char variant[ROW_NAME_SIZE] = "";
    compare_operand_variant(csv->index, panel, operand, variant, sizeof variant);
    struct estimate time = compare_operand_time(csv->index, panel, point, operand);
    struct estimate shown = report_shown(panel, point, time);
    struct report_shape shape = report_shape_at(csv->index, point);
    fprintf(csv->stream, "%zu,\"%s\",%s,%u,%zu,\"%s\"", p + 1, panel->title,
            axis_name(csv->artefact->scale.x), point_x(point, csv->artefact->scale.x), series + 1,
            operand);
    write_label(csv, operand);
    write_option_v(csv->stream, variant);
    fprintf(csv->stream, ",%s", report_unit(panel));
    row_csv_append_number(csv->stream, shown.mean);
    row_csv_append_number(csv->stream, shown.interval.low);
    row_csv_append_number(csv->stream, shown.interval.high);
    fprintf(csv->stream, ",%zu,%s", time.trials, panel->points[i].kind);
    row_csv_append_number(csv->stream, shape.trees);
    row_csv_append_number(csv->stream, shape.mean_tree_depth);
    row_csv_append_number(csv->stream, shape.features);
    row_csv_append_number(csv->stream, shape.documents);
    const char *note = report_note_at(csv->index, point);
    char origin[ORIGIN_SIZE];
    describe_panel_origin(csv->index, panel, origin);
    fprintf(csv->stream, ",%s,\"%s\"\n", origin, note);
}

static void write_points(FILE *stream, const struct artefact *artefact,
                         const struct row_index *index) {
    const char *operands[ARTEFACT_VARIANTS_MAX];
    size_t n = list_operands(artefact, operands);
    const struct scale *scale = &artefact->scale;
    const struct csv csv = {stream, artefact, index};
    fputs("panel,title,axis,x,series,variant,label,v,unit,value,low,high,trials,kind,trees,"
          "mean_tree_depth,features,documents,origin,note\n",
          stream);
    if (report_has_speedups(artefact)) {
        report_speedups_write_csv(stream, artefact, index);
        return;
    }
    for (size_t p = 0; p < scale->n_panels; p++)
        for (size_t i = 0; i < scale->panels[p].n_points; i++)
            for (size_t k = 0; k < n; k++)
                write_line(&csv, p, i, k, operands[k]);
}

enum status report_write_csv(const char *directory, const struct artefact *artefact,
                             const struct row_index *index, struct error *error) {
    char path[FIGURE_PATH_SIZE];
    struct file_writer writer;
    snprintf(path, sizeof path, "%s/%s.csv", directory, artefact->name);
    enum status status = file_write_begin(&writer, path, error);
    if (status)
        return status;
    write_points(writer.stream, artefact, index);
    return file_write_commit(&writer, error);
}

/* Names the machine and the scale. */
static void write_caption(const struct artefact *artefact, const struct row_index *index,
                          char caption[CAPTION_SIZE]) {
    const char *scale = artefact->scale.name;
    snprintf(caption, CAPTION_SIZE, "%.100s; %.60s; scale %.20s%s",
             rows_manifest_text(index->rows, "cpu", "model"),
             rows_manifest_text(index->rows, "build", "compiler"), scale,
             strcmp(scale, "smoke") == 0 ? ": not to judge" : "");
}

enum status report_draw(const char *directory, const struct artefact *artefact,
                        const struct row_index *index, const char *plots, char *warning,
                        size_t warning_size, struct error *error) {
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(figure_of(artefact), "kind");
    if (!kind)
        return STATUS_OK;
    char caption[CAPTION_SIZE];
    write_caption(artefact, index, caption);
    const struct gnuplot_figure figure = {directory, artefact->name, artefact->title,
                                          caption,   plots,          kind->valuestring};
    return gnuplot_draw(&figure, warning, warning_size, error);
}
