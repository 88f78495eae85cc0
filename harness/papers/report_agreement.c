#include "harness/papers/report.h"

#include "harness/rows/store.h"

#include <string.h>

enum status report_check_comparable(const struct compared_run *run,
                                    const struct compared_run *other, const char *only,
                                    struct error *error) {
    const char *scale = rows_manifest_text(run->rows, NULL, "scale");
    const char *other_scale = rows_manifest_text(other->rows, NULL, "scale");
    if (strcmp(scale, other_scale) != 0)
        return error_set(error, STATUS_INPUT,
                         "%s has scale %.32s, but %s has scale %.32s. Compare runs of one scale",
                         run->directory, scale, other->directory, other_scale);
    const cJSON *configs = cJSON_GetObjectItem(run->rows->manifest, "configs"), *config;
    const cJSON *others = cJSON_GetObjectItem(other->rows->manifest, "configs");
    cJSON_ArrayForEach(config, configs) {
        if (strncmp(config->string, only, strlen(only)) == 0 &&
            cJSON_HasObjectItem(others, config->string))
            return STATUS_OK;
    }
    return error_set(error, STATUS_INPUT, "%s and %s have no artefact in common%s%s",
                     run->directory, other->directory, *only ? " whose name begins with " : "",
                     only);
}

/* --- pairs of verdicts ------------------------------------------------------------------------ */

static enum pair pair_of(enum verdict a, enum verdict b) {
    bool decided = (a == VERDICT_HELD || a == VERDICT_NOT_HELD) &&
                   (b == VERDICT_HELD || b == VERDICT_NOT_HELD);
    return a == b ? PAIR_SAME : decided ? PAIR_CONTRARY : PAIR_OPEN;
}

static const struct judged_artefact *find(const struct run_claims *run, const char *name) {
    for (size_t i = 0; i < run->count; i++)
        if (strcmp(run->list[i].name, name) == 0)
            return &run->list[i];
    return NULL;
}

/* Both runs are judged by the same config, so that an artefact's claims have the same order. */
typedef void pair_function(FILE *stream, const struct judged_artefact *artefact,
                           const struct claim_result *here, const struct claim_result *there,
                           const char *name);

/* Calls `tell` for each claim of both runs whose verdicts agree in this way. Returns their
 * number. */
static size_t tell_pairs(FILE *stream, const struct compared_run *run,
                         const struct compared_run *other, enum pair pair, pair_function *tell) {
    size_t told = 0;
    for (size_t i = 0; i < run->claims->count; i++) {
        const struct judged_artefact *here = &run->claims->list[i];
        const struct judged_artefact *there = find(other->claims, here->name);
        for (size_t k = 0; there && k < here->count && k < there->count; k++) {
            if (pair_of(here->claims[k].verdict, there->claims[k].verdict) != pair)
                continue;
            told++;
            tell(stream, here, &here->claims[k], &there->claims[k], other->directory);
        }
    }
    return told;
}

static void write_verdicts(FILE *stream, const struct judged_artefact *artefact,
                           const struct claim_result *here, const struct claim_result *there,
                           const char *name) {
    (void)name;
    bool differs = here->verdict != there->verdict;
    const char *mark = differs ? "**" : "";
    fprintf(stream, "| [%s](%s.md) | %s | %s%s%s | %s%s%s |\n", artefact->name, artefact->name,
            here->words, mark, verdict_names[here->verdict], mark, mark,
            verdict_names[there->verdict], mark);
}

static void write_measured(FILE *stream, const struct judged_artefact *artefact,
                           const struct claim_result *here, const struct claim_result *there,
                           const char *name) {
    fprintf(stream, "- [%s](%s.md): %s\n  - this run: %s (%s)\n  - %s: %s (%s)\n", artefact->name,
            artefact->name, here->words, verdict_names[here->verdict], here->measured, name,
            verdict_names[there->verdict], there->measured);
}

/* --- the machines ----------------------------------------------------------------------------- */

static double cores_of(const struct rows *rows) {
    const cJSON *cpu = cJSON_GetObjectItem(rows->manifest, "cpu");
    return cJSON_GetNumberValue(cJSON_GetObjectItem(cpu, "cores"));
}

/* Writes the data sets that are real in one run only, or differ otherwise. */
static void write_data(FILE *stream, const struct rows *here, const struct rows *there) {
    const cJSON *set, *sets = cJSON_GetObjectItem(there->manifest, "data");
    cJSON_ArrayForEach(set, cJSON_GetObjectItem(here->manifest, "data")) {
        const char *other = cJSON_GetStringValue(cJSON_GetObjectItem(sets, set->string));
        if (cJSON_IsString(set) && other && strcmp(set->valuestring, other) != 0)
            fprintf(stream, "| Data set %s | %s | %s |\n", set->string, set->valuestring, other);
    }
}

static void write_machines(FILE *stream, const struct compared_run *run,
                           const struct compared_run *other) {
    static const struct {
        const char *title, *group, *key;
    } texts[] = {{"CPU", "cpu", "model"},
                 {"Instruction sets", "cpu", "features"},
                 {"Compiler", "build", "compiler"},
                 {"Commit", "build", "commit"}};
    fprintf(stream, "| | this run | %s |\n|---|---|---|\n", other->directory);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        fprintf(stream, "| %s | %s | %s |\n", texts[i].title,
                rows_manifest_text(run->rows, texts[i].group, texts[i].key),
                rows_manifest_text(other->rows, texts[i].group, texts[i].key));
    fprintf(stream, "| Cores | %.0f | %.0f |\n", cores_of(run->rows), cores_of(other->rows));
    write_data(stream, run->rows, other->rows);
}

/* --- the section ------------------------------------------------------------------------------ */

static void write_absent(FILE *stream, const struct compared_run *run,
                         const struct compared_run *other) {
    size_t absent = 0;
    for (size_t i = 0; i < run->claims->count; i++) {
        const char *name = run->claims->list[i].name;
        if (!find(other->claims, name))
            fprintf(stream, "%s%s", absent++ ? ", " : "\nOnly in this run: ", name);
    }
    fputs(absent ? ".\n" : "", stream);
}

struct agreement report_write_agreement(FILE *stream, const struct compared_run *run,
                                        const struct compared_run *other) {
    struct agreement agreement;
    fprintf(stream,
            "\n## Verdicts beside those of %s\n\nTimes of two runs are not compared. Each claim is "
            "judged by ratios within its run.\n\n",
            other->directory);
    write_machines(stream, run, other);
    fprintf(stream, "\n| artefact | claim | this run | %s |\n|---|---|---|---|\n",
            other->directory);
    for (enum pair pair = 0; pair < PAIR_KINDS; pair++)
        agreement.pairs[pair] = tell_pairs(stream, run, other, pair, write_verdicts);
    write_absent(stream, run, other);
    if (agreement.pairs[PAIR_CONTRARY] + agreement.pairs[PAIR_OPEN] == 0)
        return agreement;
    fputs("\n### What was measured if verdicts differ\n\n", stream);
    tell_pairs(stream, run, other, PAIR_CONTRARY, write_measured);
    tell_pairs(stream, run, other, PAIR_OPEN, write_measured);
    return agreement;
}
