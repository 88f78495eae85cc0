#include "harness/papers/report_parts.h"

#include "base/files/file.h"
#include "base/files/json.h"
#include "harness/judge/claims.h"

#include <stdlib.h>
#include <string.h>

/* --- parts ------------------------------------------------------------------------------------ */

static enum status find_kind(const char *name, const char *text, const struct table_kind *kinds,
                             const struct table_kind **kind, struct error *error) {
    char names[128] = "";
    for (; kinds->name; kinds++) {
        artefact_list_name(names, sizeof names, kinds->name);
        if (strcmp(kinds->name, text) == 0) {
            *kind = kinds;
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_INPUT, "%s: kind: %.40s is none of %s", name, text, names);
}

/* What the key "table" says. */
struct table_file {
    const char *kind, *reference;
};
static const struct record_field fields[] = {
    FIELD(struct table_file, STRING, "kind", kind, .help = "kind of table"),
    FIELD(struct table_file, STRING, "reference", reference, .help = "the paper's numbers")};
static const struct record record = ARTEFACT_RECORD("a table", fields);

/* Finds the artefact's kind of table. It is NULL if the artefact is timed. */
static enum status find_table(const char *name, const struct artefact *artefact,
                              const struct table_kind **kind, struct error *error) {
    const cJSON *json = NULL;
    struct table_file file = {.kind = NULL};
    char where[ROW_PATH_SIZE];
    *kind = NULL;
    if (!artefact->kind->tables)
        return STATUS_OK;
    snprintf(where, sizeof where, "%s: table", name);
    enum status status = json_get_object(name, artefact->json, "table", &json, error);
    if (!status)
        status = record_from_json(where, &record, json, &file, error);
    if (!status && strchr(file.reference, '/'))
        status =
            error_set(error, STATUS_INPUT, "%s: reference: must be a file's name, no path", where);
    if (!status)
        status = find_kind(where, file.kind, artefact->kind->tables, kind, error);
    if (!status && (*kind)->of && strcmp(artefact->scale.kind, (*kind)->of) != 0)
        status = error_set(error, STATUS_INPUT, "%s: kind: %s needs a scale of kind \"%s\"", where,
                           file.kind, (*kind)->of);
    return status;
}

void report_write_depths(FILE *stream, const char *title, const struct panel *panel) {
    fprintf(stream, "| %s |", title);
    for (size_t i = 0; i < panel->n_points; i++)
        fprintf(stream, " depth %u |", panel->points[i].depth);
    fputs("\n|---|", stream);
    for (size_t i = 0; i < panel->n_points; i++)
        fputs("---:|", stream);
    fputs("\n", stream);
}

void report_write_claims(const struct artefact_report *report, const char *words) {
    if (report->n_claims > 0)
        fprintf(report->stream,
                "\n## Claims\n\n%s| claim | measured here | verdict |\n|---|---|---|\n", words);
    for (enum verdict v = 0; v < VERDICTS; v++)
        for (size_t i = 0; i < report->n_claims; i++)
            if (report->claims[i].verdict == v)
                fprintf(report->stream, "| %s | %s | **%s** |\n", report->claims[i].words,
                        report->claims[i].measured, verdict_names[v]);
}

/* Writes the title, the table of the artefact's kind, and the claims. */
static enum status write_markdown(const struct artefact_report *report, struct error *error) {
    const struct artefact *artefact = report->artefact;
    if (!report->table)
        return report_write_markdown(report, error);
    fprintf(report->stream, "# %s\n", artefact->title);
    report_write_caution(report->stream, artefact->scale.name);
    fprintf(report->stream,
            "\nSource: %s. Scale: %s.\n\nNumbers of all points: [%s.csv](%s.csv).\n",
            artefact->source, artefact->scale.name, artefact->name, artefact->name);
    report->table->write(report);
    report_write_claims(report, "");
    return STATUS_OK;
}

static enum status write_csv(const struct artefact_report *report, struct error *error) {
    if (!report->table)
        return report_write_csv(report, error);
    report->table->write_csv(report);
    return STATUS_OK;
}

/* --- a whole artefact ------------------------------------------------------------------------- */

enum status artefact_open(const char *path, const char *scale, struct artefact *artefact,
                          struct error *error) {
    const struct table_kind *table;
    struct claim_result *claims = NULL;
    size_t count;
    enum status status = artefact_read(path, scale, artefact, error);
    if (status)
        return status;
    status = find_table(path, artefact, &table, error);
    if (!status && artefact->kind->check)
        status = artefact->kind->check(path, artefact, error);
    if (!status)
        status = claims_judge(path, artefact, NULL, &claims, &count, error);
    free(claims);
    if (status)
        artefact_free(artefact);
    return status;
}

static enum status read_reference(struct artefact_report *report, struct error *error) {
    const cJSON *table = cJSON_GetObjectItemCaseSensitive(report->artefact->json, "table");
    char path[2 * ROW_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", report->paths->reference,
             cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(table, "reference")));
    return reference_read(path, &report->reference, error);
}

static enum status write_file(struct artefact_report *report, const char *extension,
                              enum status (*write)(const struct artefact_report *, struct error *),
                              struct error *error) {
    char path[2 * ROW_PATH_SIZE];
    struct file_writer writer;
    snprintf(path, sizeof path, "%s/%s.%s", report->directory, report->artefact->name, extension);
    enum status status = file_write_begin(&writer, path, error);
    if (status)
        return status;
    report->stream = writer.stream;
    status = write(report, error);
    if (!status)
        return file_write_commit(&writer, error);
    file_write_abandon(&writer);
    return status;
}

enum status report_artefact(const char *directory, const struct artefact *artefact,
                            const void *results, const struct report_paths *paths,
                            struct claim_result **judged, size_t *count, char *warning,
                            size_t warning_size, struct error *error) {
    struct artefact_report report = {
        .artefact = artefact, .results = results, .directory = directory, .paths = paths};
    const struct artefact_kind *kind = artefact->kind;
    if (warning_size > 0)
        *warning = '\0';
    enum status status = find_table(artefact->name, artefact, &report.table, error);
    if (!status && report.table)
        status = read_reference(&report, error);
    if (!status)
        status = claims_judge(artefact->name, artefact, results, &report.claims, &report.n_claims,
                              error);
    if (!status)
        status = write_file(&report, "csv", write_csv, error);
    if (!status && kind->draw)
        status = kind->draw(&report, warning, warning_size, error);
    if (!status)
        status = write_file(&report, "md", write_markdown, error);
    reference_free(report.reference);
    if (!status && judged) {
        *judged = report.claims;
        *count = report.n_claims;
    } else {
        free(report.claims);
    }
    return status;
}
