/* Helpers for tests of panels: scales of several kinds, artefacts with them, and made-up rows. */
#ifndef TESTS_HARNESS_ARTEFACTS_PANELS_H
#define TESTS_HARNESS_ARTEFACTS_PANELS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/artefacts/grid.h"
#include "harness/measure/workload.h"
#include "tests/harness/artefacts/folder.h"
#include "tests/harness/rows/made_up_rows.h"

#include <math.h>

#define TRAINED                                                                                    \
    "\"kind\": \"trained\", \"x\": \"max_leaves\", \"trials\": 3, \"rounds\": 5, \"panels\": ["    \
    "{\"title\": \"Small\", \"data\": \"mq2008\", \"max_leaves\": [3, 7], \"trees\": 200, "        \
    "\"patience\": 50,"                                                                            \
    " \"v\": 8},"                                                                                  \
    "{\"title\": \"Large\", \"data\": \"yahoo-c14-set1\", \"max_leaves\": [7, 150],"               \
    " \"trees\": 40, \"documents\": 1000, \"trials\": 1, \"v\": 16}]"
#define LATENCY                                                                                    \
    "\"kind\": \"grown\", \"x\": \"threads\", \"trials\": 2, \"rounds\": 5, \"panels\": ["         \
    "{\"title\": \"(a)\", \"data\": \"mq2008\", \"threads\": [1, 2, 4, 8], \"trees\": 10,"         \
    " \"max_leaves\": 8, \"parallel\": \"trees\", \"barrier\": \"step\"},"                         \
    "{\"title\": \"once\", \"data\": \"mq2008\", \"threads\": [1, 2, 4, 8], \"trees\": 10,"        \
    " \"max_leaves\": 8, \"parallel\": \"trees\"}]"
#define THREADS                                                                                    \
    "\"kind\": \"grown\", \"x\": \"threads\", \"trials\": 2, \"rounds\": 5, \"panels\": ["         \
    "{\"title\": \"(a)\", \"data\": \"mq2008\", \"threads\": [1, 2, 8], \"trees\": 10,"            \
    " \"max_leaves\": 8, \"parallel\": \"trees\"},"                                                \
    "{\"title\": \"(b)\", \"data\": \"mq2008\", \"threads\": [1, 2, 8], \"trees\": 10,"            \
    " \"max_leaves\": 8, \"parallel\": \"documents\", \"show\": \"throughput\"}]"

#define PER_TREE                                                                                   \
    "\"kind\": \"grown\", \"x\": \"trees\", \"trials\": 1, \"rounds\": 5, \"panels\": ["           \
    "{\"title\": \"(a)\", \"data\": \"mq2008\", \"trees\": [10, 40], \"max_leaves\": 8,"           \
    " \"show\": \"per-tree\"}]"

#define RESAMPLED                                                                                  \
    "\"kind\": \"trained\", \"x\": \"max_leaves\", \"trials\": 1, \"rounds\": 5, \"panels\": ["    \
    "{\"title\": \"Small\", \"data\": \"mq2008\", \"max_leaves\": [3, 7], \"trees\": 2, "          \
    "\"v\": 8},"                                                                                   \
    "{\"title\": \"Small resampled\", \"data\": \"mq2008\", \"max_leaves\": [3, 7], "              \
    "\"trees\": 2, \"resample\": 4000, \"v\": 8}]"

static inline enum status read_with(const char *scale, const char *rest, struct artefact *artefact,
                                    struct error *error) {
    char json[4096];
    snprintf(json, sizeof json,
             "{\"name\": \"fig\", \"title\": \"T\", \"source\": \"S\", \"seed\": 7, \"scales\":"
             " {\"smoke\": {%s}}, \"variants\": {\"codegen\": \"\", \"vpred,v=8\": \"\","
             " \"vpred,v=16\": \"\"}, %s}",
             scale, rest);
    return made_up_artefact(directory, "fig", json, artefact, error);
}

static inline struct artefact read_good(const char *scale, const char *rest) {
    struct artefact artefact;
    struct error error = {""};
    if (read_with(scale, rest, &artefact, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return artefact;
}

static inline struct row *add(struct made_up *made, const struct point *point, uint32_t trial,
                              const char *variant, double ns) {
    struct row *row = made_up_add(made, 0, 0, trial, variant, ns);
    struct workload *w = &row->workload;
    char where[POINT_TEXT_SIZE];
    memcpy(w->kind, point->kind, sizeof point->kind);
    memcpy(w->data, point->data, sizeof point->data);
    w->trees = point->trees;
    w->max_leaves = point->max_leaves;
    w->patience = point->patience;
    w->resample = point->resample;
    w->features = 46; /* comes out, and is no part of a point; likewise below */
    w->depth = 5;
    w->documents = 500;
    row->threads = point->threads;
    memcpy(row->parallel, point->parallel, sizeof row->parallel);
    memcpy(row->barrier, point->barrier, sizeof row->barrier);
    row->model_trees = point->trees - 1;
    row->mean_tree_depth = 4.5;
    row->median_interval = (struct interval){0.9 * ns, 1.1 * ns};
    point_describe(point, where, sizeof where);
    snprintf(row->cell, sizeof row->cell, "%.50s %u", where, trial);
    return row;
}

static inline void fill(struct made_up *made, const struct panel *panel, const char *variant,
                        const double *ns) {
    for (size_t i = 0; i < panel->n_points; i++)
        for (uint32_t trial = 0; trial < panel->trials; trial++)
            add(made, &panel->points[i], trial, variant, ns[i] * (1 + 0.001 * trial));
}

static inline void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-3 * fabs(expected)))
        fail_msg("%g instead of %g", value, expected);
}

/* Small: CODEGEN leads, by less with more leaves. Large: VPRED leads with its own v. */
static inline void fill_trained(struct made_up *made, const struct scale *scale) {
    const struct panel *small = &scale->panels[0], *large = &scale->panels[1];
    fill(made, small, "codegen", (const double[]){10, 20});
    fill(made, small, "vpred,v=8", (const double[]){30, 40});
    fill(made, small, "vpred,v=16", (const double[]){1, 1});
    fill(made, large, "codegen", (const double[]){20, 100});
    fill(made, large, "vpred,v=8", (const double[]){1, 1});
    fill(made, large, "vpred,v=16", (const double[]){16, 50});
}

/* Only the resampled panel has VPRED ahead. */
static inline void fill_resampled(struct made_up *made, const struct scale *scale) {
    for (size_t p = 0; p < 2; p++) {
        fill(made, &scale->panels[p], "codegen", (const double[]){10, 20});
        fill(made, &scale->panels[p], "vpred,v=8",
             p ? (const double[]){5, 5} : (const double[]){30, 40});
    }
}

static inline void fill_threads(struct made_up *made, const struct scale *scale) {
    fill(made, &scale->panels[0], "codegen", (const double[]){10, 8, 16});
    fill(made, &scale->panels[1], "codegen", (const double[]){10, 5.5, 2.5});
}

#endif
