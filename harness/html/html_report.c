#include "harness/html/html_report.h"

#include "base/files/file.h"
#include "harness/html/html_parts.h"
#include "harness/papers/report_parts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HTML_PATH_SIZE = 2 * ROW_PATH_SIZE };

struct html_report {
    const char *directory;
    const struct row_index *index;
    cJSON *facts;
    bool lacks_memory; /* memory ran out when something was added */
};

/* Adds the item under the key, or to an array. `item` must have been built after errno was set to
 * 0. If memory ran out, the page is not written. */
static void add(struct html_report *report, cJSON *to, const char *key, cJSON *item) {
    report->lacks_memory |= errno == ENOMEM;
    if (!item || !(key ? cJSON_AddItemToObject(to, key, item) : cJSON_AddItemToArray(to, item))) {
        cJSON_Delete(item);
        report->lacks_memory = true;
    }
    errno = 0;
}

static const char *name_of(const char *directory) {
    const char *slash = strrchr(directory, '/');
    return slash && slash[1] ? slash + 1 : directory;
}

/* Builds the facts about the whole run. */
static cJSON *make_facts(const char *directory, const struct row_index *index) {
    cJSON *facts = cJSON_CreateObject();
    cJSON_AddStringToObject(facts, "name", name_of(directory));
    cJSON_AddItemToObject(facts, "manifest", cJSON_Duplicate(index->rows->manifest, true));
    cJSON_AddItemToObject(facts, "verdicts", cJSON_CreateStringArray(verdict_names, VERDICTS));
    cJSON_AddNumberToObject(facts, "cells", (double)rows_count_cells(index->rows));
    cJSON_AddArrayToObject(facts, "warnings");
    cJSON_AddArrayToObject(facts, "artefacts");
    cJSON_AddArrayToObject(facts, "absent");
    cJSON_AddItemToObject(facts, "implementations", html_implementations(index->rows));
    cJSON_AddItemToObject(facts, "speeds", html_speeds(index));
    cJSON_AddItemToObject(facts, "rows", html_rows(index->rows));
    return facts;
}

enum status html_report_begin(const char *directory, const struct row_index *index,
                              struct html_report **report, struct error *error) {
    struct html_report *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, "the page");
    errno = 0;
    *made = (struct html_report){directory, index, make_facts(directory, index), false};
    made->lacks_memory = errno == ENOMEM;
    *report = made;
    return STATUS_OK;
}

void html_report_free(struct html_report *report) {
    if (!report)
        return;
    cJSON_Delete(report->facts);
    free(report);
}

static cJSON *list_of(const struct html_report *report, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(report->facts, key);
}

/* Appends a text to a list of the report. */
static void add_text(struct html_report *report, const char *key, const char *text) {
    if (!report)
        return;
    errno = 0;
    add(report, list_of(report, key), NULL, cJSON_CreateString(text));
}

void html_report_warn(struct html_report *report, const char *text) {
    add_text(report, "warnings", text);
}

void html_report_add_absent(struct html_report *report, const char *name) {
    add_text(report, "absent", name);
}

void html_report_add_not_reproduced(struct html_report *report,
                                    const struct not_reproduced_list *list) {
    if (!report)
        return;
    errno = 0;
    add(report, report->facts, "not_reproduced",
        record_list(&not_reproduced_record, list->entries, list->count, sizeof *list->entries));
}

/* --- an artefact ------------------------------------------------------------------------------ */

/* Makes [panel, x, operand, title, the paper's time, our time, its low, its high]. */
static cJSON *papers_time_json(const struct html_report *report, const struct artefact *artefact,
                               const struct papers_time *time) {
    const struct scale *scale = &artefact->scale;
    const struct panel *panel = &scale->panels[time->panel];
    const struct point *point = &panel->points[time->point];
    const struct place at = {report->index, panel, point};
    struct estimate ours = report_shown(&at, compare_operand_time(&at, time->operand));
    cJSON *const fields[] = {cJSON_CreateNumber((double)time->panel),
                             cJSON_CreateNumber(point_x(point, scale->x)),
                             cJSON_CreateString(time->operand),
                             cJSON_CreateString(time->title),
                             html_number(time->value),
                             html_number(ours.mean),
                             html_number(ours.interval.low),
                             html_number(ours.interval.high)};
    cJSON *line = cJSON_CreateArray();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        cJSON_AddItemToArray(line, fields[i]);
    return line;
}

/* Adds "trees": the least and the greatest number of trees, or null for single trees. */
static void add_trees(cJSON *json, const struct panel *panel) {
    double range[2] = {0, 0};
    for (size_t i = 0; i < panel->n_points; i++) {
        double trees = panel->points[i].trees;
        range[0] = i == 0 || trees < range[0] ? trees : range[0];
        range[1] = trees > range[1] ? trees : range[1];
    }
    cJSON_AddItemToObject(json, "trees",
                          range[1] > 1 ? cJSON_CreateDoubleArray(range, 2) : cJSON_CreateNull());
}

/* For each panel: its title, where it is along the axis, and what in it is not real. */
static cJSON *panels_json(const struct artefact *artefact, const struct row_index *index) {
    const struct scale *scale = &artefact->scale;
    cJSON *panels = cJSON_CreateArray();
    for (size_t p = 0; p < scale->n_panels; p++) {
        const struct panel *panel = &scale->panels[p];
        cJSON *json = cJSON_CreateObject(), *x = cJSON_AddArrayToObject(json, "x");
        for (size_t i = 0; i < panel->n_points; i++)
            cJSON_AddItemToArray(x, cJSON_CreateNumber(point_x(&panel->points[i], scale->x)));
        cJSON_AddStringToObject(json, "title", panel->title);
        add_trees(json, panel);
        cJSON_AddItemToObject(json, "origin", html_origins(index, panel));
        cJSON_AddItemToArray(panels, json);
    }
    return panels;
}

static cJSON *artefact_json(const struct artefact *artefact, const struct row_index *index) {
    const struct scale *scale = &artefact->scale;
    const cJSON *figure = cJSON_GetObjectItemCaseSensitive(artefact->json, "figure");
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(figure, "kind"));
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", artefact->name);
    cJSON_AddStringToObject(json, "title", artefact->title);
    cJSON_AddStringToObject(json, "source", artefact->source);
    cJSON_AddStringToObject(json, "measure", artefact->kind->title);
    cJSON_AddStringToObject(json, "workload", scale->kind);
    cJSON_AddStringToObject(json, "axis", axis_title(scale->x));
    cJSON_AddStringToObject(json, "figure", kind ? kind : "");
    cJSON_AddItemToObject(json, "panels", panels_json(artefact, index));
    return json;
}

/* Adds the text of a file of a folder under the key. */
static enum status add_file(struct html_report *report, const char *directory, cJSON *json,
                            const char *key, const char *name, const char *suffix,
                            struct error *error) {
    char path[HTML_PATH_SIZE];
    struct file_text text;
    snprintf(path, sizeof path, "%s/%s%s", directory, name, suffix);
    enum status status = file_read_kept(path, &text, error);
    if (status)
        return status;
    errno = 0;
    add(report, json, key, cJSON_CreateString(text.data));
    file_text_free(&text);
    return STATUS_OK;
}

static enum status add_papers(struct html_report *report, cJSON *json,
                              const struct artefact *artefact, const char *reference,
                              struct error *error) {
    struct papers_times times = {.count = 0};
    enum status status = artefact->kind->is_timed
                             ? report_papers_times(artefact, reference, &times, error)
                             : STATUS_OK;
    errno = 0;
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < times.count; i++)
        cJSON_AddItemToArray(array, papers_time_json(report, artefact, &times.list[i]));
    add(report, json, "papers", array);
    free(times.list);
    return status;
}

enum status html_report_add(struct html_report *report, const struct artefact *artefact,
                            const struct claim_result *judged, size_t count, const char *reference,
                            struct error *error) {
    if (!report)
        return STATUS_OK;
    errno = 0;
    cJSON *json = artefact_json(artefact, report->index);
    add(report, json, "claims", html_claims(judged, count));
    enum status status =
        add_file(report, report->directory, json, "text", artefact->name, ".md", error);
    if (!status && artefact->kind->draw)
        status = add_file(report, report->directory, json, "points", artefact->name, ".csv", error);
    if (!status)
        status = add_papers(report, json, artefact, reference, error);
    add(report, list_of(report, "artefacts"), NULL, json);
    return status;
}

/* --- the other run ---------------------------------------------------------------------------- */

void html_report_compare(struct html_report *report, const char *directory,
                         const struct row_index *other) {
    if (!report)
        return;
    errno = 0;
    cJSON *json = html_changes(report->index, other);
    cJSON_AddStringToObject(json, "name", name_of(directory));
    cJSON_AddItemToObject(json, "manifest", cJSON_Duplicate(other->rows->manifest, true));
    add(report, report->facts, "other", json);
}

void html_report_add_others(struct html_report *report, const struct claim_result *judged,
                            size_t count) {
    if (!report)
        return;
    const cJSON *artefacts = list_of(report, "artefacts");
    cJSON *last = cJSON_GetArrayItem(artefacts, cJSON_GetArraySize(artefacts) - 1);
    errno = 0;
    add(report, last, "others", html_claims(judged, count));
}

enum status html_report_add_map(struct html_report *report, const char *directory,
                                const struct rows *rows, struct error *error) {
    if (!report)
        return STATUS_OK;
    errno = 0;
    cJSON *map = cJSON_CreateObject();
    cJSON_AddStringToObject(map, "name", name_of(directory));
    cJSON_AddItemToObject(map, "origin", html_run_origins(rows));
    cJSON_AddItemToObject(map, "implementations", html_implementations(rows));
    cJSON_AddItemToObject(map, "manifest", cJSON_Duplicate(rows->manifest, true));
    if (rows->count)
        cJSON_AddStringToObject(map, "note", rows->list[0].note);
    report->lacks_memory |= errno == ENOMEM;
    enum status status = add_file(report, directory, map, "points", "map", ".csv", error);
    add(report, report->facts, "map", map);
    return status;
}

/* --- the file --------------------------------------------------------------------------------- */

static enum status check_folder(const char *path, struct error *error) {
    const char *slash = strrchr(path, '/');
    char folder[HTML_PATH_SIZE];
    struct stat info;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    return stat(folder, &info) == 0 && S_ISDIR(info.st_mode)
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "--html: the folder of %s does not exist", path);
}

enum status html_report_check_path(const char *path, struct error *error) {
    static const char first[] = "<!DOCTYPE html>";
    char found[sizeof first] = "";
    struct stat info;
    if (stat(path, &info) != 0)
        return check_folder(path, error);
    if (S_ISDIR(info.st_mode))
        return error_set(error, STATUS_INPUT, "--html: %s is a folder. Give a file", path);
    if (!S_ISREG(info.st_mode) || info.st_size == 0)
        return STATUS_OK;
    FILE *stream = fopen(path, "r");
    bool is_page = stream && fread(found, 1, sizeof first - 1, stream) == sizeof first - 1 &&
                   strcmp(found, first) == 0;
    if (stream)
        fclose(stream);
    return is_page ? STATUS_OK
                   : error_set(error, STATUS_INPUT,
                               "--html: %s exists and is not a page of HTML. Give another name, or "
                               "remove it",
                               path);
}

enum status html_report_write(const struct html_report *report, const char *path,
                              struct error *error) {
    struct file_writer writer;
    if (!report)
        return STATUS_OK;
    char *facts = report->lacks_memory ? NULL : cJSON_PrintUnformatted(report->facts);
    if (!facts)
        return error_memory(error, "the text of the page");
    enum status status = file_write_begin(&writer, path, error);
    if (!status) {
        html_page_write(writer.stream, facts);
        status = file_write_commit(&writer, error);
    }
    cJSON_free(facts);
    return status;
}
