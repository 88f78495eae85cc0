#include "harness/papers/report_parts.h"

#include "harness/judge/claims.h"
#include "harness/rows/store.h"

#include <string.h>
#include <unistd.h>

static const cJSON *manifest_value(const struct row_index *index, const char *group,
                                   const char *key) {
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(index->rows->manifest, group);
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void write_machine(FILE *stream, const struct row_index *index) {
    bool dirty = cJSON_IsTrue(manifest_value(index, "build", "dirty"));
    fputs("\n## Machine\n\n| | |\n|---|---|\n", stream);
    fprintf(stream, "| CPU | %s |\n", rows_manifest_text(index->rows, "cpu", "model"));
    char libraries[256];
    libraries_describe(index->rows->manifest, libraries, sizeof libraries);
    if (*libraries)
        fprintf(stream, "| Libraries | %s |\n", libraries);
    fprintf(stream, "| Compiler | %s, `%s` |\n",
            rows_manifest_text(index->rows, "build", "compiler"),
            rows_manifest_text(index->rows, "build", "flags"));
    fprintf(stream, "| Commit | %s%s |\n", rows_manifest_text(index->rows, "build", "commit"),
            dirty ? ", with uncommitted changes" : "");
    const cJSON *load = cJSON_GetObjectItemCaseSensitive(index->rows->manifest, "load");
    const cJSON *cores = manifest_value(index, "cpu", "cores");
    if (cJSON_IsNumber(load) && cJSON_IsNumber(cores))
        fprintf(stream, "| Load before the run | %.2f of %.0f cores |\n", load->valuedouble,
                cores->valuedouble);
}

static double bytes_of(const struct report_shape *shape) {
    return shape->documents * shape->features * sizeof(float);
}

/* Returns the bytes of the documents at the panel's first point, which has the most documents.
 * Returns NaN if there are no rows. */
static double documents_bytes(const struct row_index *index, const struct panel *panel) {
    struct report_shape shape = report_shape_at(index, &panel->points[0]);
    return bytes_of(&shape);
}

/* Writes the number and the size of the documents at the panel's first point. If the last point has
 * another number of documents, writes both. */
static void write_documents(FILE *stream, const struct row_index *index,
                            const struct panel *panel) {
    const double mib = 1024.0 * 1024.0;
    struct report_shape first = report_shape_at(index, &panel->points[0]);
    struct report_shape last =
        report_shape_at(index, &panel->points[panel->n_points ? panel->n_points - 1 : 0]);
    if (first.n_rows == 0)
        fputs("nothing measured", stream);
    else if (last.n_rows == 0 || last.documents == first.documents)
        fprintf(stream, "%.0f with %.0f features, %.1f MiB", first.documents, first.features,
                bytes_of(&first) / mib);
    else
        fprintf(stream, "%.0f to %.0f with %.0f features, %.1f to %.1f MiB", first.documents,
                last.documents, first.features, bytes_of(&first) / mib, bytes_of(&last) / mib);
}

/* Warns if the documents of a panel fit in the last-level cache. Passes over them then do not show
 * the cost of reading memory. */
static void write_cached(FILE *stream, const struct scale *scale, const struct row_index *index,
                         double cache) {
    size_t n = 0, told = 0;
    for (size_t p = 0; p < scale->n_panels; p++)
        n += documents_bytes(index, &scale->panels[p]) < cache;
    if (n == 0) {
        fputs(".\n", stream);
        return;
    }
    fputs(n == scale->n_panels ? ". **The documents" : ". **The documents of ", stream);
    for (size_t p = 0; n < scale->n_panels && p < scale->n_panels; p++)
        if (documents_bytes(index, &scale->panels[p]) < cache)
            fprintf(stream, "%s%s", told++ ? ", " : "", scale->panels[p].title);
    fprintf(stream, " may stay in it%s**, so hiding memory latency gains less here.\n",
            scale_is_synthetic(scale) ? ", but the paper's came from memory" : "");
}

static void write_working_set(FILE *stream, const struct artefact *artefact,
                              const struct row_index *index) {
    const struct scale *scale = &artefact->scale;
    const cJSON *l3 = manifest_value(index, "cpu", "l3_bytes");
    double mib = 1024.0 * 1024.0;
    fputs("\nDocuments:", stream);
    for (size_t p = 0; p < scale->n_panels; p++) {
        fprintf(stream, "%s %s: ", p ? ";" : "", scale->panels[p].title);
        write_documents(stream, index, &scale->panels[p]);
    }
    if (cJSON_IsNumber(l3)) {
        fprintf(stream, ". The last-level cache holds %.0f MiB", l3->valuedouble / mib);
        write_cached(stream, scale, index, l3->valuedouble);
    } else {
        fputs(". The size of the last-level cache is unknown.\n", stream);
    }
}

/* For each kind of workload: how trials differ, and what models and documents are scored. */
static const struct {
    const char *kind, *trials, *words;
} kinds[] = {
    {"synthetic", "each with a fresh tree and fresh documents",
     "The data is synthetic: one fully balanced random tree of depth d over f features, and "
     "documents that reach every leaf equally often (asadi2014, section 4.1)."},
    {"trained", "each with another fold of the data set",
     "The models are trained by LambdaMART on the training documents of each fold "
     "(docs/training.md). All have the same number of trees, so that times can be compared. The "
     "fold's test documents are scored. As many documents at a time as the implementation has "
     "lanes pass through the whole ensemble. Test documents are few, so branch predictors may "
     "learn them by heart. That flatters implementations that branch (docs/floors.md)."},
    {"boosted", "each with another fold of the data set",
     "The models are trained by LambdaMART on all training documents and features of the first "
     "fold, with a learning rate of 0.1 and ten pairs per document. Models of fewer trees are the "
     "first trees of the largest one. The fold's test documents are scored."},
    {"bagged", "each with another fold of the data set",
     "The models are bags of ensembles of 1,000 trees, each trained by LambdaMART on the training "
     "documents with another seed. The fold's test documents are scored."},
    {"repeated", "each with another fold of the data set",
     "The models are trained by LambdaMART on all training documents and features, with a learning "
     "rate of 0.1 and ten pairs per document, and have 100 trees. A model of more trees consists "
     "of copies of these. The fold's test documents are scored."},
    {"forest", "each with another split of the data set",
     "The models are forests for classification, trained on the training rows of each data set "
     "(docs/data-sets.md). The test rows are scored. They are few, so branch predictors may learn "
     "them by heart. That flatters implementations that branch (docs/floors.md)."},
    {"grown", "each with fresh trees",
     "The models are grown, not trained: random trees with the shape of trained ones, on quantiles "
     "of the documents. Their predictions mean nothing; only their shape matters for the times."},
    {"made", "each with fresh trees",
     "The models and the documents are made, not trained: balanced random trees have a depth, and "
     "trees that are grown at random have a number of leaves. Their predictions mean nothing."},
};

static void write_head(FILE *stream, const struct artefact *artefact,
                       const struct row_index *index) {
    const struct scale *scale = &artefact->scale;
    size_t kind = 0;
    while (strcmp(kinds[kind].kind, scale->kind) != 0)
        kind++;
    fprintf(stream, "# %s\n", artefact->title);
    report_write_caution(stream, scale->name);
    fprintf(stream, "\nSource: %s. Scale: %s (trials: %u, %s; rounds: %u).\n\n%s%s\n",
            artefact->source, scale->name, scale->trials, kinds[kind].trials, scale->rounds,
            kinds[kind].words,
            scale->passes[0] ? " Each sample is one cold pass, as in the authors' program "
                               "(docs/measuring.md)."
                             : "");
    write_working_set(stream, artefact, index);
    write_machine(stream, index);
}

static void write_figure(const struct artefact_report *report) {
    const struct artefact *artefact = report->artefact;
    FILE *stream = report->stream;
    if (!cJSON_HasObjectItem(artefact->json, "figure"))
        return;
    char path[2 * ROW_PATH_SIZE];
    fputs("\n## Figure\n\n", stream);
    snprintf(path, sizeof path, "%s/%s.svg", report->directory, artefact->name);
    if (access(path, R_OK) == 0)
        fprintf(stream, "![%s](%s.svg)\n\n", artefact->title, artefact->name);
    fprintf(stream, "Plotted numbers: [%s.csv](%s.csv).\n", artefact->name, artefact->name);
    if (report_has_speedups(artefact))
        report_speedups_write_table(report);
}

static bool is_asked(const struct artefact *artefact, const struct row *row) {
    struct point point = point_of_row(row);
    for (struct spot at = {0}; scale_next(&artefact->scale, &at);)
        if (point_equal(&point, at.point))
            return true;
    return false;
}

/* Lists the rows that have no time, and the reasons. */
static void write_gaps(FILE *stream, const struct artefact *artefact,
                       const struct row_index *index) {
    bool first = true;
    for (size_t i = 0; i < index->rows->count; i++) {
        const struct row *row = &index->rows->list[i];
        const struct row_variant variant = row_variant(row);
        if (row->status == ROW_OK || !is_asked(artefact, row) ||
            !artefact_knows_operand(artefact, variant.text))
            continue;
        fputs(first ? "\n## Without a time\n\n" : "", stream);
        struct point point = point_of_row(row);
        char where[POINT_TEXT_SIZE];
        point_describe(&point, where, sizeof where);
        fprintf(stream, "- `%s` at %s, trial %u: %s: %s\n", variant.text, where,
                row->workload.trial, row_status_names[row->status], row->reason);
        first = false;
    }
}

enum status report_write_markdown(const struct artefact_report *report, struct error *error) {
    const struct artefact *artefact = report->artefact;
    const struct row_index *index = report->results;
    FILE *stream = report->stream;
    write_head(stream, artefact, index);
    write_figure(report);
    fputs("\n## Times\n\n", stream);
    enum status status = report_table(report, error);
    report_write_claims(
        report,
        "A claim is held if the 95 % intervals of all points lie on its side. It is not held "
        "if the interval of one point lies entirely on the other side. Otherwise it is unresolved. "
        "Ratios are the slower time divided by the faster time.\n\n");
    write_gaps(stream, artefact, index);
    return status;
}

static enum status check(const char *name, const struct artefact *artefact, struct error *error) {
    enum status status = report_check_figure(name, artefact, error);
    return status ? status : report_check_table(name, artefact, error);
}

#define TIMED_KIND .title = "time", .is_timed = true, .check = check, .draw = report_draw
const struct artefact_kind kind_time = {.measure = "time", TIMED_KIND};

/* Counts are columns of rows beside the times. */
const struct artefact_kind kind_counts = {.measure = "counts", .is_simulated = true, TIMED_KIND};
