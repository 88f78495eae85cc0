/* Parts of the reports that are not about times. */
#include "harness/papers/report_parts.h"

#include "base/files/json.h"

#include <string.h>

enum status report_refuse_times(const char *name, const struct artefact *artefact,
                                const char *measure, struct error *error) {
    static const char *const of_times[] = {"variants", "figure"};
    for (size_t i = 0; i < 2; i++)
        if (cJSON_HasObjectItem(artefact->json, of_times[i]))
            return error_set(error, STATUS_INPUT,
                             "%s: %s: not supported with \"measure\": \"%s\". Remove it", name,
                             of_times[i], measure);
    return STATUS_OK;
}

enum status report_read_kind(const char *name, const struct artefact *artefact, const char **kind,
                             const char **reference, struct error *error) {
    static const char *const keys[] = {"kind", "reference", NULL};
    const cJSON *json = NULL;
    char where[ROW_PATH_SIZE];
    snprintf(where, sizeof where, "%s: table", name);
    enum status status = json_get_object(name, artefact->json, "table", &json, error);
    if (!status)
        status = artefact_check_keys(where, json, keys, error);
    if (!status)
        status = json_get_string(where, json, "kind", kind, error);
    if (!status)
        status = json_get_string(where, json, "reference", reference, error);
    if (!status && strchr(*reference, '/'))
        status =
            error_set(error, STATUS_INPUT, "%s: reference: must be a file's name, no path", where);
    return status;
}

void report_write_title(FILE *stream, const struct artefact *artefact) {
    fprintf(stream, "# %s\n", artefact->title);
    report_write_caution(stream, artefact->scale.name);
    fprintf(stream, "\nSource: %s. Scale: %s.\n\nNumbers of all points: [%s.csv](%s.csv).\n",
            artefact->source, artefact->scale.name, artefact->name, artefact->name);
}

void report_write_judged(FILE *stream, const struct claim_result *judged, size_t count,
                         const char *words) {
    if (count > 0)
        fprintf(stream, "\n## Claims\n\n%s| claim | measured here | verdict |\n|---|---|---|\n",
                words);
    for (enum verdict v = 0; v < VERDICTS; v++)
        for (size_t i = 0; i < count; i++)
            if (judged[i].verdict == v)
                fprintf(stream, "| %s | %s | **%s** |\n", judged[i].words, judged[i].measured,
                        verdict_names[v]);
}
