#include "harness/report.h"

#include "base/file.h"
#include "harness/report_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status report_check(const char *name, const struct artefact *artefact, struct error *error) {
    enum status status = report_check_figure(name, artefact, error);
    return status == STATUS_OK ? report_check_table(name, artefact, error) : status;
}

static const cJSON *manifest_value(const struct rows *rows, const char *group, const char *key) {
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(rows->manifest, group);
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *manifest_text(const struct rows *rows, const char *group, const char *key) {
    const cJSON *value = manifest_value(rows, group, key);
    return cJSON_IsString(value) ? value->valuestring : "unknown";
}

static void write_machine(FILE *stream, const struct rows *rows) {
    bool dirty = cJSON_IsTrue(manifest_value(rows, "build", "dirty"));
    fputs("\n## Machine\n\n| | |\n|---|---|\n", stream);
    fprintf(stream, "| CPU | %s |\n", manifest_text(rows, "cpu", "model"));
    fprintf(stream, "| Compiler | %s, `%s` |\n", manifest_text(rows, "build", "compiler"),
            manifest_text(rows, "build", "flags"));
    fprintf(stream, "| Commit | %s%s |\n", manifest_text(rows, "build", "commit"),
            dirty ? ", with changes that are not committed" : "");
    const cJSON *load = cJSON_GetObjectItemCaseSensitive(rows->manifest, "load");
    const cJSON *cores = manifest_value(rows, "cpu", "cores");
    if (cJSON_IsNumber(load) && cJSON_IsNumber(cores))
        fprintf(stream, "| Load before the run | %.2f of %.0f cores |\n", load->valuedouble,
                cores->valuedouble);
}

/* Of the panel's first point; NaN without rows. */
static double documents_bytes(const struct rows *rows, const struct panel *panel) {
    struct report_shape shape = report_shape_at(rows, &panel->points[0]);
    return shape.documents * shape.features * sizeof(float);
}

/* Where the documents lie while they are scored again and again decides what is measured. */
static void write_cached(FILE *stream, const struct scale *scale, const struct rows *rows,
                         double cache) {
    size_t n = 0, told = 0;
    for (size_t p = 0; p < scale->n_panels; p++)
        n += documents_bytes(rows, &scale->panels[p]) < cache;
    if (n == 0) {
        fputs(".\n", stream);
        return;
    }
    fputs(n == scale->n_panels ? ": **they" : ": **those of ", stream);
    for (size_t p = 0; n < scale->n_panels && p < scale->n_panels; p++)
        if (documents_bytes(rows, &scale->panels[p]) < cache)
            fprintf(stream, "%s%s", told++ ? ", " : "", scale->panels[p].title);
    fprintf(stream,
            " may come from the cache%s**, so that what hides memory latency has less to hide.\n",
            scale_is_synthetic(scale) ? ", where the paper's came from memory" : "");
}

static void write_working_set(FILE *stream, const struct artefact *artefact,
                              const struct rows *rows) {
    const struct scale *scale = &artefact->scale;
    const cJSON *l3 = manifest_value(rows, "cpu", "l3_bytes");
    double mib = 1024.0 * 1024.0;
    fputs("\nDocuments:", stream);
    for (size_t p = 0; p < scale->n_panels; p++) {
        struct report_shape shape = report_shape_at(rows, &scale->panels[p].points[0]);
        fprintf(stream, "%s %s: ", p ? ";" : "", scale->panels[p].title);
        if (shape.n_rows == 0)
            fputs("none measured", stream);
        else
            fprintf(stream, "%.0f of %.0f features, %.1f MiB", shape.documents, shape.features,
                    documents_bytes(rows, &scale->panels[p]) / mib);
    }
    if (cJSON_IsNumber(l3)) {
        fprintf(stream, ". The last-level cache holds %.0f MiB", l3->valuedouble / mib);
        write_cached(stream, scale, rows, l3->valuedouble);
    } else {
        fputs(". The size of the last-level cache is unknown.\n", stream);
    }
}

/* What is scored, by kind. */
static const struct {
    const char *kind, *trials, *words;
} kinds[] = {
    {"synthetic", "each with a fresh tree and fresh documents",
     "The data is synthetic: one fully balanced random tree of depth d over f features, and "
     "documents that reach every leaf equally often (asadi2014 section 4.1)."},
    {"trained", "each another fold of the data set",
     "The models are trained: LambdaMART on the training documents of each fold "
     "(docs/learners.md), all with as many trees, so that times compare; timed on its test "
     "documents, one step's worth of documents after the "
     "other through the whole ensemble. Test documents are few; branch predictors may learn them "
     "by heart, which flatters implementations that branch (docs/floors.md)."},
    {"grown", "each with fresh trees",
     "The models are grown: random trees with the shape of trained ones, on quantiles of the "
     "documents, not trained; what they predict means nothing, and the times are of their shape."},
};

static void write_head(FILE *stream, const struct artefact *artefact, const struct rows *rows) {
    const struct scale *scale = &artefact->scale;
    size_t kind = 0;
    while (strcmp(kinds[kind].kind, scale->kind) != 0)
        kind++;
    fprintf(stream, "# %s\n", artefact->title);
    report_write_caution(stream, scale->name);
    fprintf(stream, "\nSource: %s. Scale: %s (trials: %u, %s; rounds: %u).\n\n%s\n",
            artefact->source, scale->name, scale->trials, kinds[kind].trials, scale->rounds,
            kinds[kind].words);
    write_working_set(stream, artefact, rows);
    write_machine(stream, rows);
}

static void write_figure(FILE *stream, const char *directory, const struct artefact *artefact) {
    if (!cJSON_HasObjectItem(artefact->json, "figure"))
        return;
    char path[2 * ROW_PATH_SIZE];
    fputs("\n## Figure\n\n", stream);
    snprintf(path, sizeof path, "%s/%s.svg", directory, artefact->name);
    if (access(path, R_OK) == 0)
        fprintf(stream, "![%s](%s.svg)\n\n", artefact->title, artefact->name);
    fprintf(stream, "Plotted numbers: [%s.csv](%s.csv).\n", artefact->name, artefact->name);
}

static enum status write_claims(FILE *stream, const struct artefact *artefact,
                                const struct rows *rows, struct error *error) {
    struct judged *judged = NULL;
    size_t count = 0;
    enum status status = claims_judge(artefact, rows, &judged, &count, error);
    if (status != STATUS_OK)
        return status;
    fputs("\n## Claims\n\nA claim is held when the 95 % intervals of every point lie on its side, "
          "not held when one lies wholly on the other, and unresolved in between. Ratios are of "
          "times, slower over faster.\n\n| claim | measured here | verdict |\n|---|---|---|\n",
          stream);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "| %s | %s | **%s** |\n", judged[i].words, judged[i].measured,
                verdict_names[judged[i].verdict]);
    free(judged);
    return STATUS_OK;
}

static bool is_asked(const struct artefact *artefact, const struct row *row) {
    struct point point = point_of_row(row);
    const struct scale *scale = &artefact->scale;
    for (size_t p = 0; p < scale->n_panels; p++)
        for (size_t i = 0; i < scale->panels[p].n_points; i++)
            if (point_equal(&point, &scale->panels[p].points[i]))
                return true;
    return false;
}

/* What was asked for but has no time, and why. */
static void write_gaps(FILE *stream, const struct artefact *artefact, const struct rows *rows) {
    bool first = true;
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->list[i];
        char variant[ROW_NAME_SIZE];
        row_variant(row, variant, sizeof variant);
        if (row->status == ROW_OK || !is_asked(artefact, row) ||
            !artefact_knows_operand(artefact, variant))
            continue;
        fputs(first ? "\n## Without a time\n\n" : "", stream);
        struct point point = point_of_row(row);
        char where[POINT_TEXT_SIZE];
        point_describe(&point, where, sizeof where);
        fprintf(stream, "- `%s` at %s, trial %u: %s: %s\n", variant, where, row->workload.trial,
                row_status_names[row->status], row->reason);
        first = false;
    }
}

static enum status write_document(FILE *stream, const char *directory,
                                  const struct artefact *artefact, const struct rows *rows,
                                  const struct report_paths *paths, struct error *error) {
    write_head(stream, artefact, rows);
    write_figure(stream, directory, artefact);
    fputs("\n## Times\n\n", stream);
    enum status status = report_table(stream, artefact, rows, paths->reference, error);
    if (status == STATUS_OK)
        status = write_claims(stream, artefact, rows, error);
    write_gaps(stream, artefact, rows);
    return status;
}

enum status report_artefact(const char *directory, const struct artefact *artefact,
                            const struct rows *rows, const struct report_paths *paths,
                            char *warning, size_t warning_size, struct error *error) {
    if (warning_size > 0)
        *warning = '\0';
    enum status status = report_write_csv(directory, artefact, rows, error);
    if (status != STATUS_OK)
        return status;
    report_draw(directory, artefact, paths->plots, warning, warning_size);
    char path[2 * ROW_PATH_SIZE];
    struct file_writer writer;
    snprintf(path, sizeof path, "%s/%s.md", directory, artefact->name);
    status = file_write_begin(&writer, path, error);
    if (status != STATUS_OK)
        return status;
    status = write_document(writer.stream, directory, artefact, rows, paths, error);
    if (status != STATUS_OK) {
        file_write_abandon(&writer);
        return status;
    }
    return file_write_commit(&writer, error);
}
