#include "harness/papers/report_parts.h"

#include <math.h>
#include <string.h>

struct report_shape report_shape_at(const struct row_index *index, const struct point *point) {
    struct report_shape sum = {.n_rows = 0};
    struct row_span span = row_index_at(index, point);
    for (size_t i = 0; i < span.count; i++) {
        const struct row *row = span.entries[i].row;
        sum.mean_tree_depth += row->mean_tree_depth;
        sum.trees += row->model_trees;
        sum.documents += (double)row->workload.documents;
        sum.features += row->workload.features;
        sum.n_rows++;
    }
    double n = sum.n_rows ? (double)sum.n_rows : (double)NAN;
    return (struct report_shape){sum.mean_tree_depth / n, sum.trees / n, sum.documents / n,
                                 sum.features / n, sum.n_rows};
}

uint32_t report_trials(const struct row_index *index, const struct panel *panel) {
    uint32_t measured = 0;
    for (size_t k = 0; k < panel->n_points; k++) {
        struct row_span span = row_index_at(index, &panel->points[k]);
        for (size_t i = 0; i < span.count; i++) {
            uint32_t trials = span.entries[i].row->workload.trial + 1;
            if (trials > measured && trials <= panel->trials)
                measured = trials;
        }
    }
    return measured ? measured : panel->trials;
}

const char *report_note_at(const struct row_index *index, const struct point *point) {
    struct row_span span = row_index_at(index, point);
    for (size_t i = 0; i < span.count; i++)
        if (span.entries[i].row->note[0] != '\0')
            return span.entries[i].row->note;
    return "";
}

void report_write_caution(FILE *stream, const char *scale) {
    if (strcmp(scale, "smoke") == 0)
        fputs("\n**" REPORT_SMOKE "**\n", stream);
}

/* Returns true if an earlier point of the panel had the same note. */
static bool is_told(const struct row_index *index, const struct panel *panel, size_t point,
                    const char *note) {
    for (size_t i = 0; i < point; i++)
        if (strcmp(report_note_at(index, &panel->points[i]), note) == 0)
            return true;
    return false;
}

void report_write_notes(FILE *stream, const struct row_index *index, const struct panel *panel) {
    for (size_t i = 0; i < panel->n_points; i++) {
        const char *note = report_note_at(index, &panel->points[i]);
        if (*note && !is_told(index, panel, i, note))
            fprintf(stream, "\n**Note: %s** (trial 0; the other trials are alike).\n", note);
    }
}

static bool is_one_tree(const struct panel *panel) {
    return panel->n_points > 0 && strcmp(panel->points[0].kind, "synthetic") == 0;
}

static double per_unit(double ns, const struct panel *panel, const struct point *point) {
    return panel->show == SHOW_THROUGHPUT ? 1e9 / ns
           : panel->show == SHOW_PER_TREE ? ns / point->trees
           : is_one_tree(panel)           ? ns
                                          : ns / 1000;
}

struct estimate report_shown(const struct place *at, struct estimate time) {
    double low = per_unit(time.interval.low, at->panel, at->point);
    double high = per_unit(time.interval.high, at->panel, at->point);
    bool reversed = at->panel->show == SHOW_THROUGHPUT;
    return (struct estimate){per_unit(time.mean, at->panel, at->point),
                             {reversed ? high : low, reversed ? low : high},
                             time.trials};
}

const char *report_unit(const struct panel *panel) {
    return panel->show == SHOW_THROUGHPUT ? "documents per second"
           : panel->show == SHOW_PER_TREE ? "ns per document and tree"
           : is_one_tree(panel)           ? "ns per document"
                                          : "us per document";
}

const char *report_calls(const struct panel *panel) {
    return is_one_tree(panel) ? "all documents" : "one step each; all documents with an order";
}

int report_digits(const struct panel *panel) {
    return panel->show == SHOW_THROUGHPUT                       ? 0
           : panel->show == SHOW_PER_TREE || is_one_tree(panel) ? 2
                                                                : 3;
}
