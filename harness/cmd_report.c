/* treebench report: figures, tables and claims of a run, from its stored rows alone. */
#include "base/file.h"
#include "harness/artefact.h"
#include "harness/command.h"
#include "harness/map_report.h"
#include "harness/paths.h"
#include "harness/quality_report.h"
#include "harness/report.h"
#include "harness/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reporting {
    const char *directory, *scale;
    char plots[PATHS_SIZE], reference[PATHS_SIZE];
    struct rows rows;
    struct quality_list qualities;
    FILE *index; /* DIR/report.md */
    size_t verdicts[3];
    bool is_map; /* which has no artefacts and no claims */
};

static void report_claims(struct reporting *r, const struct artefact *artefact,
                          const struct judged *judged, size_t count) {
    fprintf(r->index, "\n- [%s](%s.md): %s\n", artefact->name, artefact->name, artefact->title);
    for (size_t i = 0; i < count; i++) {
        const char *verdict = verdict_names[judged[i].verdict];
        printf("%-11s %s: %s\n            %s\n", verdict, artefact->name, judged[i].words,
               judged[i].measured);
        fprintf(r->index, "  - **%s**: %s (%s)\n", verdict, judged[i].words, judged[i].measured);
        r->verdicts[judged[i].verdict]++;
    }
}

/* On stderr, and for who reads the report later. */
static void caution(const struct reporting *r, const char *text) {
    fprintf(stderr, "treebench: %s: %s\n", r->directory, text);
    fprintf(r->index, "\n**%s**\n", text);
}

/* Which data sets were real. */
static void tell_data(const struct reporting *r) {
    const cJSON *set;
    const char *before = "\nData sets (docs/data-sets.md says how to get the real ones): ";
    bool any = false;
    cJSON_ArrayForEach(set, cJSON_GetObjectItem(r->rows.manifest, "data")) {
        if (!cJSON_IsString(set))
            continue;
        fprintf(r->index, "%s%s %s", any ? "; " : before, set->string, set->valuestring);
        any = true;
    }
    fputs(any ? ".\n" : "", r->index);
}

/* The texts about scale and rounds come from the config, the figures from the rows. */
static void check_config(const struct reporting *r, const cJSON *asked,
                         const struct artefact *artefact) {
    const char *hash = cJSON_GetStringValue(cJSON_GetObjectItem(asked, artefact->name));
    if (hash && strcmp(hash, artefact->hash) == 0)
        return;
    char text[256];
    snprintf(text, sizeof text,
             "%s.json has changed since the run: if its grid did, the rows are not what the report "
             "says; measure again into another --out",
             artefact->name);
    caution(r, text);
}

/* Rows of a cell stand together, and only whole cells are loaded. */
static void check_complete(const struct reporting *r) {
    const cJSON *asked = cJSON_GetObjectItem(r->rows.manifest, "cells");
    size_t cells = 0;
    for (size_t i = 0; i < r->rows.count; i += r->rows.list[i].cell_rows)
        cells++;
    if (!cJSON_IsNumber(asked) || (double)cells >= asked->valuedouble)
        return;
    char text[128];
    snprintf(text, sizeof text,
             "%zu of the run's %.0f cells are measured: run --resume (make: RESUME=1) goes on",
             cells, asked->valuedouble);
    caution(r, text);
}

static enum status report_times(const struct reporting *r, const struct artefact *artefact,
                                struct judged **judged, size_t *count, struct error *error) {
    char warning[256] = "";
    struct report_paths paths = {.plots = r->plots, .reference = r->reference};
    enum status status =
        report_artefact(r->directory, artefact, &r->rows, &paths, warning, sizeof warning, error);
    if (*warning)
        fprintf(stderr, "treebench: %s: %s\n", artefact->name, warning);
    return status == STATUS_OK ? claims_judge(artefact, &r->rows, judged, count, error) : status;
}

static enum status report_quality(const struct reporting *r, const struct artefact *artefact,
                                  struct judged **judged, size_t *count, struct error *error) {
    enum status status = quality_report(r->directory, artefact, &r->qualities, r->reference, error);
    return status == STATUS_OK ? quality_judge(artefact, &r->qualities, judged, count, error)
                               : status;
}

static enum status report_one(struct reporting *r, const cJSON *asked, const char *config,
                              struct error *error) {
    struct artefact artefact;
    enum status status = artefact_read(config, r->scale, &artefact, error);
    if (status != STATUS_OK)
        return status;
    const cJSON *cpu = cJSON_GetObjectItem(r->rows.manifest, "cpu");
    double cores = cJSON_GetNumberValue(cJSON_GetObjectItem(cpu, "cores"));
    scale_limit_threads(&artefact.scale, cores >= 1 ? (uint32_t)cores : 0);
    check_config(r, asked, &artefact);
    struct judged *judged = NULL;
    size_t count = 0;
    status = artefact.is_quality ? report_quality(r, &artefact, &judged, &count, error)
                                 : report_times(r, &artefact, &judged, &count, error);
    if (status == STATUS_OK)
        report_claims(r, &artefact, judged, count);
    free(judged);
    artefact_free(&artefact);
    return status;
}

/* The configs that the manifest names and that `only` lets through, in alphabetical order. */
static enum status report_each(struct reporting *r, const char *only, struct error *error) {
    const cJSON *asked = cJSON_GetObjectItem(r->rows.manifest, "configs");
    char configs[PATHS_SIZE];
    char **paths = NULL;
    size_t count = 0, reported = 0;
    enum status status = paths_find("configs", configs, error);
    if (status == STATUS_OK)
        status = artefact_find(configs, only, &paths, &count, error);
    for (size_t i = 0; i < count; i++) {
        char name[ROW_NAME_SIZE];
        snprintf(name, sizeof name, "%s", strrchr(paths[i], '/') + 1);
        name[strcspn(name, ".")] = '\0';
        if (status == STATUS_OK && cJSON_HasObjectItem(asked, name)) {
            status = report_one(r, asked, paths[i], error);
            reported++;
        }
        free(paths[i]);
    }
    free(paths);
    if (status == STATUS_OK && reported == 0)
        status = error_set(error, STATUS_INPUT, "%s: none of the run's artefacts begins with '%s'",
                           r->directory, only);
    return status;
}

static enum status report_artefacts(struct reporting *r, const char *only, struct error *error) {
    enum status status = quality_load(r->directory, &r->qualities, error);
    if (status != STATUS_OK)
        return status;
    r->scale = cJSON_GetStringValue(cJSON_GetObjectItem(r->rows.manifest, "scale"));
    if (!r->scale)
        return error_set(error, STATUS_INPUT,
                         "%s/manifest.json: scale: missing; only what `treebench run` stored can "
                         "be reported",
                         r->directory);
    if ((status = paths_find("results/reference", r->reference, error)) != STATUS_OK)
        return status;
    char path[PATHS_SIZE];
    struct file_writer writer;
    snprintf(path, sizeof path, "%s/report.md", r->directory);
    status = file_write_begin(&writer, path, error);
    if (status != STATUS_OK)
        return status;
    r->index = writer.stream;
    fprintf(r->index, "# Run at scale %s\n", r->scale);
    if (strcmp(r->scale, "smoke") == 0)
        caution(r, REPORT_SMOKE);
    tell_data(r);
    check_complete(r);
    status = report_each(r, only, error);
    if (status == STATUS_OK)
        status = file_write_commit(&writer, error);
    else
        file_write_abandon(&writer);
    return status;
}

static enum status report_run(struct reporting *r, const char *only, struct error *error) {
    enum status status = store_load(r->directory, &r->rows, error);
    if (status == STATUS_OK)
        status = paths_find("plots", r->plots, error);
    if (status != STATUS_OK)
        return status;
    r->is_map = map_is_run(&r->rows);
    if (r->is_map && *only)
        return error_set(error, STATUS_INPUT, "--only names artefacts, and %s holds a map",
                         r->directory);
    return r->is_map ? map_report(r->directory, &r->rows, r->plots, error)
                     : report_artefacts(r, only, error);
}

static int report_command(int argc, char **argv);

const struct command command_report = {
    .name = "report",
    .summary = "draw the figures, write the tables and judge the claims of a run",
    .details =
        "Reads DIR/rows.jsonl and nothing else that was measured. Writes, for each artefact of "
        "the\n"
        "run, NAME.csv, NAME.svg, NAME.png and NAME.md (the figure, our numbers beside the\n"
        "paper's, the claims), and DIR/report.md, the list of them. A claim that does not hold\n"
        "here is a finding: exit status 1, or 3 when some are merely unresolved. Of what\n"
        "`treebench map` stored, the map.\n"
        "\n"
        "Example:\n"
        "  treebench report --run results/smoke --only asadi2014-table2",
    .run = report_command};

static int report_command(int argc, char **argv) {
    const char *directory = NULL, *only = "";
    struct flag flags[] = {
        {"run", "DIR", "the run's folder, as given to run --out", &directory, NULL},
        {"only", "PREFIX", "just the artefacts whose names begin so", &only, NULL},
        {0}};
    bool done;
    int exit_status = command_parse(&command_report, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    struct error error;
    if (!directory)
        return command_fail(
            error_set(&error, STATUS_INPUT, "report: --run DIR is needed: which run to report"),
            &error);
    struct reporting r = {.directory = directory};
    enum status status = report_run(&r, only, &error);
    if (status == STATUS_OK && !r.is_map)
        printf("claims: %zu held, %zu not held, %zu unresolved; report: %s/report.md\n",
               r.verdicts[VERDICT_HELD], r.verdicts[VERDICT_NOT_HELD],
               r.verdicts[VERDICT_UNRESOLVED], directory);
    rows_free(&r.rows);
    quality_list_free(&r.qualities);
    if (status != STATUS_OK)
        return command_fail(status, &error);
    return r.verdicts[VERDICT_NOT_HELD]     ? EXIT_CHECK
           : r.verdicts[VERDICT_UNRESOLVED] ? EXIT_INCONCLUSIVE
                                            : EXIT_DONE;
}
