/* treebench report: writes the figures, tables and claims of a run, computed only from its stored
 * rows. */
#include "base/files/file.h"
#include "base/note.h"
#include "harness/artefacts/artefact.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/terminal.h"
#include "harness/html/html_report.h"
#include "harness/judge/claims.h"
#include "harness/papers/not_reproduced.h"
#include "harness/papers/paths.h"
#include "harness/papers/report.h"
#include "harness/rows/lines.h"
#include "harness/rows/row_index.h"
#include "harness/rows/store.h"
#include "harness/tuning/map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct report_options {
    struct flag_texts runs;
    const char *only, *html;
};

/* What a run's folder holds. */
struct stored {
    struct rows rows;
    struct row_index index;
    struct json_list lists[ARTEFACT_KINDS_MAX]; /* of kinds that are not stored in rows */
};

struct reporting {
    const char *directory, *scale;
    char plots[PATHS_SIZE], reference[PATHS_SIZE];
    struct stored stored;
    FILE *index;                 /* DIR/report.md; NULL: a map has none */
    struct html_report *html;    /* NULL if no page is wanted */
    const char *other_directory; /* the run to compare with, or NULL */
    struct stored other;
    struct run_claims claims, other_claims; /* of other_claims, only artefacts of both runs */
    struct agreement agreement;
    bool is_map; /* true if the run is a map, which has no artefacts and no claims */
};

static void print_claim(void *context, const char *artefact, const struct claim_result *claim) {
    static const enum paint colours[VERDICTS] = {[VERDICT_HELD] = PAINT_GOOD,
                                                 [VERDICT_NOT_HELD] = PAINT_BAD,
                                                 [VERDICT_UNRESOLVED] = PAINT_DOUBT,
                                                 [VERDICT_NOT_MEASURED] = PAINT_DOUBT};
    (void)context;
    printf("%s%-13s%s%s: %s\n             %s\n", paint(stdout, colours[claim->verdict]),
           verdict_names[claim->verdict], paint(stdout, PAINT_OFF), artefact, claim->words,
           claim->measured);
}

/* Prints a warning on stderr and in the report. */
static void caution(const struct reporting *r, const char *text) {
    command_note("%s: %s", r->directory, text);
    if (r->index)
        fprintf(r->index, "\n**%s**\n", text);
    html_report_warn(r->html, text);
}

/* Lists the run's data sets, and for each whether it was real, a sample or a stand-in. */
static void tell_data(const struct reporting *r) {
    const cJSON *set;
    const char *before = "\nData sets (docs/data-sets.md describes how to get the real ones): ";
    bool any = false;
    cJSON_ArrayForEach(set, cJSON_GetObjectItem(r->stored.rows.manifest, "data")) {
        if (!cJSON_IsString(set))
            continue;
        fprintf(r->index, "%s%s %s", any ? "; " : before, set->string, set->valuestring);
        any = true;
    }
    fputs(any ? ".\n" : "", r->index);
}

/* The artefacts that the run measured, each with the hash of its config. */
static const cJSON *configs_of(const struct stored *stored) {
    return cJSON_GetObjectItem(stored->rows.manifest, "configs");
}

static bool has_changed(const struct stored *stored, const struct artefact *artefact) {
    const char *hash =
        cJSON_GetStringValue(cJSON_GetObjectItem(configs_of(stored), artefact->name));
    return !hash || strcmp(hash, artefact->hash) != 0;
}

/* Warns if the config has changed since the run. The two must agree, because a report takes the
 * scale and the rounds from the config but the times from the rows. */
static void check_config(const struct reporting *r, const struct artefact *artefact) {
    char text[256];
    snprintf(
        text, sizeof text,
        "%s.json has changed since the run; if its grid changed, measure again with another --out",
        artefact->name);
    if (has_changed(&r->stored, artefact))
        caution(r, text);
}

/* Warns if some of the run's cells, which are its `things`, are not measured yet. */
static void check_complete(const struct reporting *r, const char *things) {
    const cJSON *asked = cJSON_GetObjectItem(r->stored.rows.manifest, "cells");
    char text[128];
    size_t cells = rows_count_cells(&r->stored.rows);
    if (!cJSON_IsNumber(asked) || (double)cells >= asked->valuedouble)
        return;
    snprintf(text, sizeof text,
             "%zu of the run's %.0f %s are measured; continue with %s --resume (make: RESUME=1)",
             cells, asked->valuedouble, things, r->is_map ? "map" : "run");
    caution(r, text);
}

/* Lists what of the run's papers is not reproduced. */
static enum status tell_not_reproduced(const struct reporting *r, struct error *error) {
    const cJSON *configs = cJSON_GetObjectItem(r->stored.rows.manifest, "configs");
    struct not_reproduced_list list = {.count = 0};
    char path[PATHS_SIZE];
    enum status status = paths_find("results/not-reproduced.json", path, error);
    if (!status)
        status = not_reproduced_read(path, configs, &list, error);
    if (!status) {
        not_reproduced_write(r->index, &list);
        html_report_add_not_reproduced(r->html, &list);
    }
    not_reproduced_free(&list);
    return status;
}

static void stored_free(struct stored *stored) {
    for (size_t i = 0; artefact_kinds[i]; i++)
        if (artefact_kinds[i]->lines)
            json_list_free(artefact_kinds[i]->lines, &stored->lists[i]);
    row_index_free(&stored->index);
    rows_free(&stored->rows);
}

/* Loads what is not stored in rows. */
static enum status load_lists(const char *directory, struct stored *stored, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; artefact_kinds[i] && !status; i++)
        if (artefact_kinds[i]->lines)
            status = json_list_load(artefact_kinds[i]->lines, directory, &stored->lists[i], error);
    return status;
}

/* Returns the results of an artefact's kind. */
static const void *results_of(const struct stored *stored, const struct artefact *artefact) {
    for (size_t i = 0; artefact_kinds[i]; i++)
        if (artefact_kinds[i] == artefact->kind && artefact->kind->lines)
            return &stored->lists[i];
    return &stored->index;
}

typedef enum status artefact_function(struct reporting *r, const struct artefact *artefact,
                                      struct error *error);

/* Opens the artefact as the run's machine could measure it, and does something with it. It is too
 * large for a small stack. */
static enum status with_artefact(struct reporting *r, const struct stored *stored,
                                 const char *config, artefact_function *use, struct error *error) {
    const cJSON *cpu = cJSON_GetObjectItem(stored->rows.manifest, "cpu");
    double cores = cJSON_GetNumberValue(cJSON_GetObjectItem(cpu, "cores"));
    struct artefact *artefact = calloc(1, sizeof *artefact);
    if (!artefact)
        return error_memory(error, config);
    enum status status = artefact_open(config, r->scale, artefact, error);
    if (!status) {
        scale_limit_threads(&artefact->scale, cores >= 1 ? (uint32_t)cores : 0);
        status = use(r, artefact, error);
        artefact_free(artefact);
    }
    free(artefact);
    return status;
}

/* Judges the claims from the results of the run that this one is compared with. */
static enum status judge_other(struct reporting *r, const struct artefact *artefact,
                               struct error *error) {
    struct claim_result *result = NULL;
    size_t count = 0;
    if (has_changed(&r->other, artefact))
        command_note("%s: %s.json has changed since this run", r->other_directory, artefact->name);
    enum status status = claims_judge(artefact->name, artefact, results_of(&r->other, artefact),
                                      &result, &count, error);
    if (!status) {
        html_report_add_others(r->html, result, count);
        status = run_claims_add(&r->other_claims, artefact, result, count, error);
    }
    return status;
}

static enum status report_opened(struct reporting *r, const struct artefact *artefact,
                                 struct error *error) {
    check_config(r, artefact);
    struct claim_result *result = NULL;
    size_t count = 0;
    char warning[256] = "";
    const void *results = results_of(&r->stored, artefact);
    const struct report_paths paths = {.plots = r->plots, .reference = r->reference};
    enum status status = report_artefact(r->directory, artefact, results, &paths, &result, &count,
                                         warning, sizeof warning, error);
    if (*warning)
        command_note("%s", warning);
    if (!status)
        status = html_report_add(r->html, artefact, result, count, r->reference, error);
    if (!status)
        status = run_claims_add(&r->claims, artefact, result, count, error);
    else
        free(result);
    return status;
}

static enum status report_one(struct reporting *r, const char *name, const char *config,
                              struct error *error) {
    enum status status = with_artefact(r, &r->stored, config, report_opened, error);
    if (!status && cJSON_HasObjectItem(configs_of(&r->other), name))
        status = with_artefact(r, &r->other, config, judge_other, error);
    return status;
}

/* Reports, in alphabetical order, each artefact that the manifest names and whose name begins with
 * `only`. */
static enum status report_each(struct reporting *r, const char *only, struct error *error) {
    const cJSON *asked = configs_of(&r->stored);
    char configs[PATHS_SIZE];
    char **paths = NULL;
    size_t count = 0, reported = 0;
    enum status status = paths_find("configs", configs, error);
    if (!status)
        status = artefact_find(configs, only, &paths, &count, error);
    for (size_t i = 0; i < count; i++) {
        char name[ROW_NAME_SIZE];
        snprintf(name, sizeof name, "%s", strrchr(paths[i], '/') + 1);
        name[strcspn(name, ".")] = '\0';
        if (!status && cJSON_HasObjectItem(asked, name)) {
            status = report_one(r, name, paths[i], error);
            reported++;
        } else if (!status && !cJSON_HasObjectItem(asked, name)) {
            html_report_add_absent(r->html, name);
        }
    }
    artefact_free_paths(paths, count);
    if (!status && reported == 0)
        status = *only ? error_set(error, STATUS_INPUT,
                                   "%s: no artefact of this run has a name that begins with '%s'",
                                   r->directory, only)
                       : error_set(error, STATUS_INPUT,
                                   "%s/manifest.json: names no artefact of this treebench",
                                   r->directory);
    return status;
}

static enum status report_artefacts(struct reporting *r, const char *only, struct error *error) {
    enum status status = load_lists(r->directory, &r->stored, error);
    if (status)
        return status;
    r->scale = cJSON_GetStringValue(cJSON_GetObjectItem(r->stored.rows.manifest, "scale"));
    if (!r->scale)
        return error_set(error, STATUS_INPUT,
                         "%s/manifest.json: scale is missing; report needs a folder that treebench "
                         "run or map has written",
                         r->directory);
    if ((status = paths_find("results/reference", r->reference, error)) != STATUS_OK)
        return status;
    char path[PATHS_SIZE];
    struct file_writer writer;
    snprintf(path, sizeof path, "%s/report.md", r->directory);
    status = file_write_begin(&writer, path, error);
    if (status)
        return status;
    r->index = writer.stream;
    fprintf(r->index, "# Run at scale %s\n", r->scale);
    if (strcmp(r->scale, "smoke") == 0)
        caution(r, REPORT_SMOKE);
    tell_data(r);
    check_complete(r, "cells");
    status = tell_not_reproduced(r, error);
    if (!status)
        status = report_each(r, only, error);
    run_claims_write(r->index, &r->claims);
    if (r->other_directory)
        r->agreement = report_write_agreement(
            r->index, &(struct compared_run){r->directory, &r->stored.rows, &r->claims},
            &(struct compared_run){r->other_directory, &r->other.rows, &r->other_claims});
    if (!status)
        status = file_write_commit(&writer, error);
    else
        file_write_abandon(&writer);
    return status;
}

static enum status load(const char *directory, struct stored *stored, struct error *error) {
    struct stat info;
    char *path = lines_find(directory, "rows.jsonl");
    if (!path)
        return error_memory(error, directory);
    bool is_missing = stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
    free(path);
    if (is_missing)
        return error_set(error, STATUS_INPUT,
                         "%s: not the folder of a run or map: it has no rows.jsonl. Give the "
                         "folder that treebench run --out or map --out wrote",
                         directory);
    enum status status = store_load(directory, &stored->rows, error);
    return status ? status : row_index_make(&stored->rows, &stored->index, error);
}

/* Loads the second run. A map is not compared: it is added to the page. */
static enum status load_other(struct reporting *r, const char *only, bool *is_map,
                              struct error *error) {
    enum status status = load(r->other_directory, &r->other, error);
    if (status)
        return status;
    *is_map = map_is_run(&r->other.rows);
    if (*is_map && !r->html)
        return error_set(error, STATUS_INPUT,
                         "%s holds a map, which is shown on a page: --html FILE is required",
                         r->other_directory);
    if (*is_map)
        return STATUS_OK;
    status = report_check_comparable(
        &(struct compared_run){.directory = r->directory, .rows = &r->stored.rows},
        &(struct compared_run){.directory = r->other_directory, .rows = &r->other.rows}, only,
        error);
    return status ? status : load_lists(r->other_directory, &r->other, error);
}

/* Compares the run with a second one, or adds the second to the page as a map. */
static enum status begin_other(struct reporting *r, const char *only, struct error *error) {
    bool is_map = false;
    enum status status = load_other(r, only, &is_map, error);
    if (!status && is_map)
        status = html_report_add_map(r->html, r->other_directory, &r->other.rows, error);
    else if (!status)
        html_report_compare(r->html, r->other_directory, &r->other.index);
    if (is_map)
        r->other_directory = NULL;
    return status;
}

/* Explains why a map that is named first has no second run. */
static enum status refuse_second(struct reporting *r, struct error *error) {
    enum status status = load(r->other_directory, &r->other, error);
    if (status)
        return status;
    return map_is_run(&r->other.rows)
               ? error_set(error, STATUS_INPUT, "%s and %s hold maps, which cannot be compared",
                           r->directory, r->other_directory)
               : error_set(error, STATUS_INPUT, "%s holds a map: name it as the second --run",
                           r->directory);
}

static enum status report_map(struct reporting *r, struct error *error) {
    enum status status = r->other_directory ? refuse_second(r, error) : STATUS_OK;
    if (!status)
        status = map_report(r->directory, &r->stored.rows, r->plots, stdout, command_show, error);
    if (status)
        return status;
    if (strcmp(rows_manifest_text(&r->stored.rows, NULL, "scale"), "smoke") == 0)
        html_report_warn(r->html, REPORT_SMOKE);
    check_complete(r, "points");
    return html_report_add_map(r->html, r->directory, &r->stored.rows, error);
}

static enum status report_run(struct reporting *r, const char *only, const char *html,
                              struct error *error) {
    enum status status = load(r->directory, &r->stored, error);
    if (!status)
        status = paths_find("plots", r->plots, error);
    if (status)
        return status;
    r->is_map = map_is_run(&r->stored.rows);
    if (r->is_map && *only)
        return error_set(error, STATUS_INPUT, "--only has no effect: %s holds a map, not artefacts",
                         r->directory);
    if (html)
        status = html_report_begin(r->directory, &r->stored.index, &r->html, error);
    if (!status && r->is_map)
        status = report_map(r, error);
    if (!status && !r->is_map && r->other_directory)
        status = begin_other(r, only, error);
    if (!status && !r->is_map)
        status = report_artefacts(r, only, error);
    return status ? status : html_report_write(r->html, html, error);
}

static const struct flag flags[] = {
    {"run", "DIR", "the run's folder, as given to run --out; a second run is compared",
     SETS_TEXTS(report_options, runs), .required = true},
    {"only", "PREFIX", "only the artefacts whose names begin with this",
     SETS_TEXT(report_options, only)},
    {"html", "FILE", "also write the report as one page of HTML", SETS_TEXT(report_options, html)},
    {0}};

static bool are_same(const char *run, const char *other) {
    char manifest[PATHS_SIZE], other_manifest[PATHS_SIZE];
    snprintf(manifest, sizeof manifest, "%s/manifest.json", run);
    snprintf(other_manifest, sizeof other_manifest, "%s/manifest.json", other);
    return file_same(manifest, other_manifest);
}

static enum status check_runs(const struct flag_texts *runs, const char *html,
                              struct error *error) {
    if (runs->count > 2)
        return error_set(error, STATUS_INPUT, "--run is given more than twice");
    enum status status = html ? html_report_check_path(html, error) : STATUS_OK;
    if (!status && runs->count == 2 && are_same(runs->items[0], runs->items[1]))
        status = error_set(error, STATUS_INPUT, "--run %s and --run %s are the same folder",
                           runs->items[0], runs->items[1]);
    return status;
}

static void print_claims(const struct reporting *r, const char *html) {
    char tally[RUN_CLAIMS_TALLY_SIZE];
    run_claims_each(&r->claims, print_claim, NULL);
    run_claims_describe(&r->claims, tally);
    if (r->other_directory)
        print_line(stdout, "verdicts of %s: %zu the same, %zu contrary, %zu open in one run",
                   r->other_directory, r->agreement.pairs[PAIR_SAME],
                   r->agreement.pairs[PAIR_CONTRARY], r->agreement.pairs[PAIR_OPEN]);
    print_line(stdout, "claims: %s; report: %s/report.md%s%s", tally, r->directory,
               html ? "; page: " : "", html ? html : "");
}

static enum status run(struct parsed *parsed, struct error *error) {
    const struct report_options *options = parsed->request;
    command_hold_notes();
    static struct reporting r; /* static because it is too large for a small stack */
    r.directory = options->runs.items[0];
    r.other_directory = options->runs.count > 1 ? options->runs.items[1] : NULL;
    enum status status = check_runs(&options->runs, options->html, error);
    if (!status)
        status = report_run(&r, options->only, options->html, error);
    if (!status)
        command_release_notes();
    if (!status && !r.is_map)
        print_claims(&r, options->html);
    run_claims_free(&r.claims);
    run_claims_free(&r.other_claims);
    stored_free(&r.other);
    stored_free(&r.stored);
    html_report_free(r.html);
    if (status)
        return status;
    const size_t *verdicts = r.claims.verdicts;
    parsed->exit_status = verdicts[VERDICT_NOT_HELD] ? EXIT_CHECK
                          : verdicts[VERDICT_UNRESOLVED] || verdicts[VERDICT_NOT_MEASURED]
                              ? EXIT_INCONCLUSIVE
                              : EXIT_DONE;
    return STATUS_OK;
}

const struct command command_report = {
    .name = "report",
    .summary = "draw the figures, write the tables and judge the claims of a run",
    .details =
        "Reads the rows of a run, and measures nothing. For each artefact it writes NAME.csv, "
        "NAME.svg, NAME.png and NAME.md: the figure, our numbers beside the paper's, and the "
        "claims. DIR/report.md lists them. If DIR holds a map, the map is drawn again.\n"
        "\n"
        "--html writes a page for a browser: the same figures, numbers and claims, the times of "
        "each implementation, and all rows, to sort and to filter. It is one file that needs no "
        "network.\n"
        "\n"
        "With two runs, the report is that of the first, and it has the verdicts of both side by "
        "side. Each claim is judged by ratios within its run. The page also has the ratios of "
        "times. If the second is a map, it is shown on the page.\n"
        "\n"
        "Claims are listed by verdict: not held, unresolved, held, not measured. A verdict needs "
        "at least 6 rounds.\n"
        "\n"
        "Exit status 1: a claim does not hold here. 3: none fails, but some are unresolved or not "
        "measured.\n"
        "\n"
        "Example:\n"
        "  treebench report --run results/smoke --only asadi2014-table2\n"
        "  treebench report --run results/smoke --html report.html\n"
        "  treebench report --run results/new --run results/old\n"
        "  treebench report --run results/new --run results/old --html changes.html",
    .flags = flags,
    .request = &(struct report_options){.only = ""},
    .run = run,
};
