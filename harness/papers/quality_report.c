#include "harness/papers/quality_parts.h"

#include "base/files/record.h"
#include "harness/artefacts/artefact_run.h"
#include "harness/artefacts/grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct quality_folds folds_at(const struct artefact_report *r, const struct panel *panel,
                                     size_t point) {
    return quality_at(r->results, r->artefact, panel, &panel->points[point]);
}

const char *quality_papers(const struct artefact_report *r, const struct point *point,
                           uint32_t max_leaves, const char *column) {
    struct point line = {.max_leaves = max_leaves};
    memcpy(line.data, point->data, sizeof line.data);
    return reference_text(r->reference, &line, column);
}

/* --- figures of a model ----------------------------------------------------------------------- */

#define VALUE(name, value)                                                                         \
    static double name(const struct quality *q) {                                                  \
        return value;                                                                              \
    }
VALUE(trees, q->trees)
VALUE(depth, q->mean_tree_depth)
VALUE(examined_percent, 100 * q->examined)
VALUE(train_rows, (double)q->train.rows)
VALUE(validation_rows, (double)q->validation.rows)
VALUE(test_rows, (double)q->test.rows)
VALUE(features, q->features)
VALUE(train_queries, (double)q->train.queries)
VALUE(validation_queries, (double)q->validation.queries)
VALUE(test_queries, (double)q->test.queries)
VALUE(test_rows_per_query, (double)q->test.rows / (double)q->test.queries)

/* Writes the mean, as in "290". Unless `behind` is NaN, it follows in parentheses, as in "290
 * (10)". */
static void write_mean(FILE *stream, struct quality_mean mean, double behind, int digits) {
    if (isnan(mean.mean))
        fputs(" - |", stream);
    else if (isnan(behind))
        fprintf(stream, " %.*f |", digits, mean.mean);
    else
        fprintf(stream, " %.*f (%.*f) |", digits, mean.mean, digits, behind);
}

/* --- data sets: asadi2014 Table 1, lettich2018 Table 2 ---------------------------------------- */

/* The columns of the table of data sets. A column is printed only if the reference file has it. */
static const struct {
    const char *name, *title;
    double (*value)(const struct quality *);
    int digits;
} sizes[] = {
    {"train", "train", train_rows, 0},
    {"validation", "validation", validation_rows, 0},
    {"test", "test", test_rows, 0},
    {"features", "features", features, 0},
    {"train_queries", "queries in train", train_queries, 0},
    {"validation_queries", "in validation", validation_queries, 0},
    {"test_queries", "in test", test_queries, 0},
    {"test_per_query", "documents per query in test", test_rows_per_query, 2},
};
#define SIZES (sizeof sizes / sizeof *sizes)

static bool is_given(const struct artefact_report *r, size_t size) {
    struct point any = {.trees = 0};
    memcpy(any.data, r->artefact->scale.panels[0].points[0].data, sizeof any.data);
    return reference_find(r->reference, &any, sizes[size].name) != NULL;
}

/* Returns what the note of a model says of its documents. */
static const char *note_of_documents(const char *note) {
    static const char of_model[] = "trained on ";
    return strncmp(note, of_model, sizeof of_model - 1) ? note : note + sizeof of_model - 1;
}

static void write_data_set(const struct artefact_report *r, const struct panel *panel) {
    const struct point *point = &panel->points[0];
    struct quality_folds folds = folds_at(r, panel, 0);
    const char *note = folds.count > 0 ? note_of_documents(folds.list[0]->note) : "";
    fprintf(r->stream, "| %s | paper: %s |", panel->title, quality_papers(r, point, 0, "paper"));
    for (size_t i = 0; i < SIZES; i++)
        if (is_given(r, i))
            fprintf(r->stream, " %s |", quality_papers(r, point, 0, sizes[i].name));
    fprintf(r->stream, "\n| | here%s%s |", note[0] ? ": " : "", note);
    for (size_t i = 0; i < SIZES; i++)
        if (is_given(r, i))
            write_mean(r->stream, quality_mean_of(&folds, sizes[i].value), NAN, sizes[i].digits);
    fputs("\n", r->stream);
}

static void write_data_sets(const struct artefact_report *r) {
    fputs("\nNumbers per fold: mean over the folds.\n\n| data set | |", r->stream);
    for (size_t i = 0; i < SIZES; i++)
        if (is_given(r, i))
            fprintf(r->stream, " %s |", sizes[i].title);
    fputs("\n|---|---|", r->stream);
    for (size_t i = 0; i < SIZES; i++)
        fputs(is_given(r, i) ? "---:|" : "", r->stream);
    fputs("\n", r->stream);
    for (size_t p = 0; p < r->artefact->scale.n_panels; p++)
        write_data_set(r, &r->artefact->scale.panels[p]);
}

/* --- one table per panel ---------------------------------------------------------------------- */

/* Writes how many folds and models there are: "5 folds" or "5 folds, 100 models". */
static void write_models(FILE *stream, const struct quality_folds *folds) {
    size_t n = quality_count(folds).folds;
    fprintf(stream, "%zu fold%s", n, n == 1 ? "" : "s");
    if (folds->count > n)
        fprintf(stream, ", %zu models", folds->count);
}

/* Writes the panel's title. If the documents are not from the real data set, describes them. */
static void write_panel_head(const struct artefact_report *r, const struct panel *panel) {
    struct quality_folds folds = folds_at(r, panel, 0);
    const char *paper = quality_papers(r, &panel->points[0], 0, "paper");
    fprintf(r->stream, "\n### %s\n\n", panel->title);
    if (strcmp(paper, "-") != 0)
        fprintf(r->stream, "In the paper: %s. ", paper);
    else
        fputs("The paper has no such panel. ", r->stream);
    if (folds.count == 0) {
        fputs("**No model was trained here.**\n\n", r->stream);
        return;
    }
    const char *note = folds.list[0]->note;
    fputs("Here: ", r->stream);
    write_models(r->stream, &folds);
    fprintf(r->stream, "%s%s%s.\n\n", note[0] ? "; **" : "", note, note[0] ? "**" : "");
}

/* Writes a point's NDCG. Adds '+' if it is significantly better than with the panel's fewest
 * leaves, and '*' if it is significantly better than with the second fewest leaves. */
static void write_ndcg(const struct artefact_report *r, const struct panel *panel, size_t point,
                       size_t rank) {
    struct quality_folds folds = folds_at(r, panel, point);
    double mean = quality_mean_ndcg(&folds, rank).mean;
    if (isnan(mean)) {
        fputs(" - |", r->stream);
        return;
    }
    fprintf(r->stream, " %.3f", mean);
    for (size_t i = 0; i < 2 && i < point; i++) {
        struct quality_folds other = folds_at(r, panel, i);
        struct wilcoxon test = quality_test(&other, &folds, rank);
        if (test.p <= QUALITY_SIGNIFICANT && test.plus > test.minus)
            fputs(i == 0 ? " +" : " \\*", r->stream);
    }
    fputs(" |", r->stream);
}

static void write_ndcg_point(const struct artefact_report *r, const struct panel *panel, size_t i) {
    const struct point *point = &panel->points[i];
    struct quality_folds folds = folds_at(r, panel, i);
    uint32_t leaves = point->max_leaves;
    bool in_paper = strcmp(quality_papers(r, point, leaves, "ndcg_1"), "-") != 0;
    if (in_paper) {
        fprintf(r->stream, "| %u | paper | %s | %s |", leaves,
                quality_papers(r, point, leaves, "mean_trees"),
                quality_papers(r, point, leaves, "mean_depth"));
        for (size_t rank = 0; rank < QUALITY_RANKS; rank++) {
            char column[16];
            snprintf(column, sizeof column, "ndcg_%s", quality_ranks[rank]);
            fprintf(r->stream, " %s |", quality_papers(r, point, leaves, column));
        }
        fputs(" |\n", r->stream);
    }
    struct quality_mean t = quality_mean_of(&folds, trees), d = quality_mean_of(&folds, depth);
    fprintf(r->stream, in_paper ? "| | here |" : "| %u | here |", leaves);
    write_mean(r->stream, t, t.half_width, 0);
    write_mean(r->stream, d, d.half_width, 1);
    for (size_t rank = 0; rank < QUALITY_RANKS; rank++)
        write_ndcg(r, panel, i, rank);
    write_mean(r->stream, quality_mean_relevant(&folds, QUALITY_RANKS - 1), NAN, 3);
    fputs("\n", r->stream);
}

/* Writes how many trees were requested, because the trees of a model mean little without this
 * number. */
static void write_requested_trees(FILE *stream, const struct point *point) {
    if (point->patience > 0)
        fprintf(stream,
                "Trees requested here: at most %u. Training stops after %u trees without a better "
                "validation NDCG and keeps the trees up to the best.\n\n",
                point->trees, point->patience);
    else
        fprintf(stream, "Trees requested here: %u.\n\n", point->trees);
}

/* Writes how many test queries have no relevant documents. Conventions differ on their NDCG. */
static void write_irrelevant(const struct artefact_report *r, const struct panel *panel) {
    struct quality_folds folds = folds_at(r, panel, 0);
    size_t all = quality_count(&folds).queries, none = quality_count(&folds).irrelevant;
    if (all > 0)
        fprintf(r->stream, "Test queries without relevant documents: %zu of %zu (%.1f %%).\n\n",
                none, all, 100 * (double)none / (double)all);
}

static void write_ndcg_tables(const struct artefact_report *r) {
    fputs(
        "\nNDCG of the test documents at ranks 1 to 20 and over all ranks: mean over the models of "
        "all folds. Numbers of trees and depths have half their 95 % interval in parentheses if "
        "there are three or more models. The models of a fold differ in their seeds.\n\n"
        "A query without relevant documents has NDCG 0 (`--no-relevant zero`, docs/training.md). "
        "The paper does not state its convention. Each table states the share of such queries. The "
        "last column leaves them out (`--no-relevant skip`).\n\n"
        "+ marks values that are better than with the fewest leaves (L) of the table, and \\* "
        "values that are better than with the second fewest. The test is Wilcoxon's signed-rank "
        "test over the test queries of all folds: two-sided, p <= 0.05. The NDCG of a query is its "
        "mean over the models of the fold.\n\n"
        "The learner differs from the paper's, and so do the numbers of trees. Each table states "
        "the upper limit. Samples and stand-ins have too few validation queries to stop early, so "
        "their training does not stop early.\n",
        r->stream);
    for (size_t p = 0; p < r->artefact->scale.n_panels; p++) {
        const struct panel *panel = &r->artefact->scale.panels[p];
        write_panel_head(r, panel);
        write_requested_trees(r->stream, &panel->points[0]);
        write_irrelevant(r, panel);
        fputs("| L | | trees | depth |", r->stream);
        for (size_t rank = 0; rank < QUALITY_RANKS; rank++)
            fprintf(r->stream, " @%s |", quality_ranks[rank]);
        fputs(" @inf, skip |\n|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
              r->stream);
        for (size_t i = 0; i < panel->n_points; i++)
            write_ndcg_point(r, panel, i);
    }
}

static void write_examined_tables(const struct artefact_report *r) {
    fputs(
        "\nPer cent of the features that a document's paths through all trees test: mean over the "
        "documents and the models of all folds. In parentheses: the variance over three or more "
        "models.\n",
        r->stream);
    for (size_t p = 0; p < r->artefact->scale.n_panels; p++) {
        const struct panel *panel = &r->artefact->scale.panels[p];
        write_panel_head(r, panel);
        fputs("| max leaves | paper | here |\n|---:|---:|---:|\n", r->stream);
        for (size_t i = 0; i < panel->n_points; i++) {
            const struct point *point = &panel->points[i];
            struct quality_folds folds = folds_at(r, panel, i);
            struct quality_mean mean = quality_mean_of(&folds, examined_percent);
            fprintf(r->stream, "| %u | %s |", point->max_leaves,
                    quality_papers(r, point, point->max_leaves, "examined"));
            write_mean(r->stream, mean, mean.variance, 1);
            fputs("\n", r->stream);
        }
    }
}

/* --- files ------------------------------------------------------------------------------------ */

static void write_line(FILE *stream, const struct panel *panel, const struct point *point,
                       const struct quality_folds *folds) {
    struct quality_mean t = quality_mean_of(folds, trees), d = quality_mean_of(folds, depth),
                        share = quality_mean_of(folds, examined_percent);
    fprintf(stream, "\"%s\",%s,\"%s\",%u,%zu,%zu,%.1f", panel->title, point->data,
            folds->list[0]->note, point->max_leaves, quality_count(folds).folds, folds->count,
            t.mean);
    record_csv_append_real(stream, t.half_width);
    fprintf(stream, ",%.2f", d.mean);
    record_csv_append_real(stream, d.half_width);
    for (size_t rank = 0; rank < QUALITY_RANKS; rank++) {
        struct quality_mean ndcg = quality_mean_ndcg(folds, rank);
        fprintf(stream, ",%.6f", ndcg.mean);
        record_csv_append_real(stream, ndcg.half_width);
    }
    record_csv_append_real(stream, quality_mean_relevant(folds, QUALITY_RANKS - 1).mean);
    fprintf(stream, ",%.2f,%.2f",
            100 * (double)quality_count(folds).irrelevant / (double)quality_count(folds).queries,
            share.mean);
    record_csv_append_real(stream, share.variance);
    fputs("\n", stream);
}

static void write_ndcg_csv(const struct artefact_report *r) {
    fputs("panel,data,note,max_leaves,folds,models,trees,trees_half_width,mean_tree_depth,"
          "mean_tree_depth_half_width",
          r->stream);
    for (size_t rank = 0; rank < QUALITY_RANKS; rank++)
        fprintf(r->stream, ",ndcg_%s,ndcg_%s_half_width", quality_ranks[rank], quality_ranks[rank]);
    fputs(",ndcg_inf_skip,queries_without_relevant_percent,features_examined_percent,"
          "features_examined_variance\n",
          r->stream);
    for (struct spot at = {0}; scale_next(&r->artefact->scale, &at);) {
        struct quality_folds folds = folds_at(r, at.panel, at.i);
        if (folds.count > 0)
            write_line(r->stream, at.panel, at.point, &folds);
    }
}

/* --- the kind --------------------------------------------------------------------------------- */

static const struct table_kind tables[] = {
    {"data-sets", "trained", write_data_sets, write_ndcg_csv},
    {"ndcg", "trained", write_ndcg_tables, write_ndcg_csv},
    {"features-examined", "trained", write_examined_tables, write_ndcg_csv},
    {"accuracy", "forest", accuracy_write_tables, accuracy_write_csv},
    {0}};

static enum status check(const char *name, const struct artefact *artefact, struct error *error) {
    const struct scale *scale = &artefact->scale;
    if (strcmp(scale->kind, "trained") == 0 && scale->x != AXIS_MAX_LEAVES)
        return error_set(error, STATUS_INPUT,
                         "%s: measure: \"quality\" needs models over \"max_leaves\"", name);
    return STATUS_OK;
}

/* The models of a fold differ in their seeds. */
static bool ask(const struct artefact *artefact, const struct panel *panel,
                const struct point *point, size_t k, void *item) {
    struct quality *quality = item;
    if (k >= (size_t)panel->trials * panel->seeds)
        return false;
    quality->workload =
        grid_model(artefact, panel, point, (uint32_t)k / panel->seeds, (uint32_t)k % panel->seeds);
    return true;
}

static enum status measure(struct artefact_run *run, const struct artefact *artefact, void *item,
                           bool *is_missing, struct error *error) {
    struct quality *quality = item;
    const struct workload workload = quality->workload;
    struct trained trained;
    (void)artefact;
    (void)is_missing;
    enum status status = trained_make(run->directory, &workload, &trained, error);
    if (status)
        return status;
    status = quality_measure(&workload, &trained, quality, error);
    trained_free(&trained);
    return status;
}

const struct artefact_kind kind_quality = {.measure = "quality",
                                           .title = "quality",
                                           .has_seeds = true,
                                           .lines = &quality_lines,
                                           .tables = tables,
                                           .claims = quality_claims,
                                           .finish_claim = quality_finish_claim,
                                           .check = check,
                                           .ask = ask,
                                           .measure_item = measure,
                                           .is_untimed = true,
                                           .doing = "training",
                                           .done = "trained and judged",
                                           .things = "models"};
