/* Tables of the accuracy of forests: buschjaeger2018, Table II. */
#include "harness/papers/quality_parts.h"

#include "datasets/recipes/recipe.h"
#include "harness/instruments/sign_test.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The panels first to last - 1 have the same data set. */
struct group {
    size_t first, last;
};

static const struct quality *model_at(const struct artefact_report *r, const struct panel *panel,
                                      size_t point) {
    struct quality_folds folds = quality_at(r->results, r->artefact, panel, &panel->points[point]);
    return folds.count > 0 ? folds.list[0] : NULL;
}

static struct group next_group(const struct scale *scale, size_t first) {
    struct group group = {first, first + 1};
    while (group.last < scale->n_panels && strcmp(scale->panels[group.last].points[0].data,
                                                  scale->panels[first].points[0].data) == 0)
        group.last++;
    return group;
}

static double accuracy(const struct quality *q) {
    return (double)q->right / (double)q->test.rows;
}

static double accuracy_by_shares(const struct quality *q) {
    return (double)(q->right - q->votes_only + q->shares_only) / (double)q->test.rows;
}

/* --- the data sets ---------------------------------------------------------------------------- */

/* The range over all models of a data set, and one of the models (NULL: there is none). */
struct range {
    double least, most;                     /* by votes */
    double least_by_shares, most_by_shares; /* by added shares of the same trees */
    const struct quality *any;
};

static struct range range_of(const struct artefact_report *r, struct group group) {
    struct range range = {INFINITY, -INFINITY, INFINITY, -INFINITY, NULL};
    for (size_t p = group.first; p < group.last; p++) {
        const struct panel *panel = &r->artefact->scale.panels[p];
        for (size_t i = 0; i < panel->n_points; i++) {
            const struct quality *q = model_at(r, panel, i);
            if (!q)
                continue;
            range.least = fmin(range.least, accuracy(q));
            range.most = fmax(range.most, accuracy(q));
            range.least_by_shares = fmin(range.least_by_shares, accuracy_by_shares(q));
            range.most_by_shares = fmax(range.most_by_shares, accuracy_by_shares(q));
            range.any = q;
        }
    }
    return range;
}

/* Writes the paper's line, unless the data set is not in the paper's table. */
static void write_papers(const struct artefact_report *r, const struct point *point) {
    if (strcmp(quality_papers(r, point, 0, "test_rows"), "-") == 0) {
        fprintf(r->stream, "| %s | not in the paper | | | | | |\n", point->data);
        return;
    }
    fprintf(r->stream, "| %s | paper | %s | %s | %s | %s - %s | |\n", point->data,
            quality_papers(r, point, 0, "type"), quality_papers(r, point, 0, "test_rows"),
            quality_papers(r, point, 0, "features"), quality_papers(r, point, 0, "accuracy_low"),
            quality_papers(r, point, 0, "accuracy_high"));
}

static void write_data_set(const struct artefact_report *r, struct group group) {
    const struct point *point = &r->artefact->scale.panels[group.first].points[0];
    const struct recipe *recipe = recipe_find(point->data);
    struct range range = range_of(r, group);
    write_papers(r, point);
    if (!range.any) {
        fputs("| | here: **missing** | - | - | - | - | - |\n", r->stream);
        return;
    }
    const char *note = range.any->note;
    fprintf(r->stream, "| | here%s%s%s | %s | %" PRIu64 " | %u | %.2f - %.2f | %.2f - %.2f |\n",
            note[0] ? ": **" : "", note, note[0] ? "**" : "", recipe_type_names[recipe->type],
            range.any->test.rows, range.any->features, range.least, range.most,
            range.least_by_shares, range.most_by_shares);
}

static void write_data_sets(const struct artefact_report *r) {
    const struct scale *scale = &r->artefact->scale;
    fputs("\nThe accuracy is the share of test rows whose class is predicted: from the lowest to "
          "the highest of all models of a data set. Each tree casts one vote, and the first class "
          "with most votes is predicted. The last column adds the shares of classes in the leaves "
          "of the same trees instead, as scikit-learn does. The paper does not say by which of the "
          "two it measured the accuracy. Its split of rows is not known either.\n\n"
          "| data set | | type | test rows | features | accuracy | by shares |\n"
          "|---|---|---|---:|---:|---:|---:|\n",
          r->stream);
    for (struct group group = {0, 0}; group.last < scale->n_panels;) {
        group = next_group(scale, group.last);
        write_data_set(r, group);
    }
}

/* --- the models ------------------------------------------------------------------------------- */

static void write_model(FILE *stream, const struct quality *q) {
    if (!q)
        fputs(" missing |", stream);
    else if (q->trees < 2)
        fprintf(stream, " %.3f |", accuracy(q));
    else
        fprintf(stream, " %.3f (%.3f) |", accuracy(q), accuracy_by_shares(q));
}

/* Writes the columns of depths. All panels of a table have the depths of its first panel. */
static void write_head(FILE *stream, const struct panel *panel) {
    fputs("\n| models |", stream);
    for (size_t i = 0; i < panel->n_points; i++)
        fprintf(stream, " depth %" PRIu32 " |", panel->points[i].depth);
    fputs("\n|---|", stream);
    for (size_t i = 0; i < panel->n_points; i++)
        fputs("---:|", stream);
    fputs("\n", stream);
}

static bool same_depths(const struct panel *a, const struct panel *b) {
    if (a->n_points != b->n_points)
        return false;
    for (size_t i = 0; i < a->n_points; i++)
        if (a->points[i].depth != b->points[i].depth)
            return false;
    return true;
}

static void write_models(const struct artefact_report *r) {
    const struct scale *scale = &r->artefact->scale;
    fputs("\n## Models\n\nAccuracy by votes. In parentheses: by added shares of the same trees, as "
          "scikit-learn predicts. A single tree predicts the same by both.\n",
          r->stream);
    for (size_t p = 0; p < scale->n_panels; p++) {
        const struct panel *panel = &scale->panels[p];
        if (p == 0 || !same_depths(panel, panel - 1))
            write_head(r->stream, panel);
        fprintf(r->stream, "| %s |", panel->title);
        for (size_t i = 0; i < panel->n_points; i++)
            write_model(r->stream, model_at(r, panel, i));
        fputs("\n", r->stream);
    }
}

void accuracy_write_tables(const struct artefact_report *r) {
    write_data_sets(r);
    write_models(r);
}

/* --- NAME.csv --------------------------------------------------------------------------------- */

void accuracy_write_csv(const struct artefact_report *r) {
    const struct scale *scale = &r->artefact->scale;
    fputs("panel,data,note,learner,trees,max_depth,mean_tree_depth,train_rows,test_rows,features,"
          "accuracy,accuracy_by_shares,votes_only,shares_only,p\n",
          r->stream);
    for (size_t p = 0; p < scale->n_panels; p++)
        for (size_t i = 0; i < scale->panels[p].n_points; i++) {
            const struct quality *q = model_at(r, &scale->panels[p], i);
            if (q)
                fprintf(r->stream,
                        "\"%s\",%s,\"%s\",%s,%" PRIu32 ",%" PRIu32 ",%.2f,%" PRIu64 ",%" PRIu64
                        ",%" PRIu32 ",%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",%.6g\n",
                        scale->panels[p].title, q->workload.data, q->note, q->workload.kind,
                        q->trees, q->workload.depth, q->mean_tree_depth, q->train.rows,
                        q->test.rows, q->features, accuracy(q), accuracy_by_shares(q),
                        q->votes_only, q->shares_only, sign_test(q->votes_only, q->shares_only));
        }
}
