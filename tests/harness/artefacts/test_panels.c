#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/artefacts/grid.h"
#include "harness/judge/claims.h"
#include "harness/judge/compare.h"
#include "harness/measure/workload.h"
#include "harness/papers/report.h"
#include "tests/harness/artefacts/folder.h"
#include "tests/harness/papers/expect_in_file.h"
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

#define RESAMPLED                                                                                  \
    "\"kind\": \"trained\", \"x\": \"max_leaves\", \"trials\": 1, \"rounds\": 5, \"panels\": ["    \
    "{\"title\": \"Small\", \"data\": \"mq2008\", \"max_leaves\": [3, 7], \"trees\": 2, "          \
    "\"v\": 8},"                                                                                   \
    "{\"title\": \"Small resampled\", \"data\": \"mq2008\", \"max_leaves\": [3, 7], "              \
    "\"trees\": 2, \"resample\": 4000, \"v\": 8}]"

static enum status read_with(const char *scale, const char *rest, struct artefact *artefact,
                             struct error *error) {
    char json[4096];
    snprintf(json, sizeof json,
             "{\"name\": \"fig\", \"title\": \"T\", \"source\": \"S\", \"seed\": 7, \"scales\":"
             " {\"smoke\": {%s}}, \"variants\": {\"codegen\": \"\", \"vpred,v=8\": \"\","
             " \"vpred,v=16\": \"\"}, %s}",
             scale, rest);
    return made_up_artefact(directory, "fig", json, artefact, error);
}

static struct artefact read_good(const char *scale, const char *rest) {
    struct artefact artefact;
    struct error error = {""};
    if (read_with(scale, rest, &artefact, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return artefact;
}

static void panels_of_ensembles_are_read(void **state) {
    (void)state;
    struct artefact artefact = read_good(TRAINED, "\"claims\": []");
    const struct scale *scale = &artefact.scale;
    assert_int_equal(scale->x, AXIS_MAX_LEAVES);
    assert_false(scale_is_synthetic(scale));
    assert_int_equal(scale->n_panels, 2);
    assert_int_equal(scale->panels[0].trials, 3);
    assert_int_equal(scale->panels[1].trials, 1);
    assert_int_equal(scale->panels[0].documents[0], 0);
    assert_int_equal(scale->panels[1].documents[0], 1000);
    const struct point *point = &scale->panels[1].points[1];
    assert_string_equal(point->kind, "trained");
    assert_string_equal(point->data, "yahoo-c14-set1");
    assert_int_equal(point->max_leaves, 150);
    assert_int_equal(point->trees, 40);
    assert_int_equal(point->threads, 1);
    assert_string_equal(point->parallel, "");
    assert_int_equal(point->features, 0);
    artefact_free(&artefact);
}

static void panels_of_threads_are_read_and_limited(void **state) {
    (void)state;
    struct artefact artefact = read_good(THREADS, "\"claims\": []");
    struct scale *scale = &artefact.scale;
    assert_int_equal(scale->panels[0].points[2].threads, 8);
    assert_string_equal(scale->panels[0].points[0].parallel, "trees");
    assert_false(scale->panels[0].throughput);
    assert_true(scale->panels[1].throughput);
    assert_int_equal(scale_limit_threads(scale, 0), 0);
    assert_int_equal(scale_limit_threads(scale, 4), 2);
    assert_int_equal(scale->panels[1].n_points, 2);
    assert_int_equal(scale->panels[1].points[1].threads, 2);
    artefact_free(&artefact);
}

#define GROWN(documents)                                                                           \
    "\"kind\": \"grown\", \"x\": \"trees\", \"trials\": 1, \"rounds\": 5, \"panels\": ["           \
    "{\"title\": \"P\", \"data\": \"yahoo-c14-set1\", \"max_leaves\": 8, \"trees\": [10, 20],"     \
    " \"documents\": " documents "}]"

static void each_point_may_have_its_documents(void **state) {
    (void)state;
    struct artefact artefacts[] = {
        read_good(GROWN("[600, 300], \"features\": 700"), "\"claims\": []"),
        read_good(GROWN("[600, 300]"), "\"claims\": []")};
    struct cell *cells;
    size_t count;
    struct error error = {""};
    assert_int_equal(grid_build(artefacts, 1, &cells, &count, NULL), STATUS_OK);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cells[i].workload.documents, cells[i].workload.trees == 10 ? 600 : 300);
        assert_int_equal(cells[i].workload.features, 700);
    }
    free(cells);
    /* rows do not record the features that were requested */
    assert_int_equal(grid_build(artefacts, 2, &cells, &count, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "features differ"));
    artefact_free(&artefacts[0]);
    artefact_free(&artefacts[1]);
}

/* A barrier after each step is another setting than one at the end of a pass: other cells, other
 * points. */
static void barriers_are_part_of_a_point(void **state) {
    (void)state;
    struct artefact artefact = read_good(LATENCY, "\"claims\": []");
    const struct panel *step = &artefact.scale.panels[0], *pass = &artefact.scale.panels[1];
    struct cell *cells;
    size_t count;
    char text[POINT_TEXT_SIZE];
    assert_string_equal(step->points[0].barrier, "step");
    assert_string_equal(pass->points[0].barrier, "pass");
    assert_false(point_equal(&step->points[1], &pass->points[1]));
    point_describe(&step->points[1], text, sizeof text);
    assert_string_equal(text, "mq2008 L=8, 10 trees, 2 threads over trees, a barrier a step");
    assert_int_equal(grid_build(&artefact, 1, &cells, &count, NULL), STATUS_OK);
    assert_int_equal(count, 2 * 8);
    assert_true(cells[1].barrier_each_step);
    assert_false(cells[5].barrier_each_step);
    assert_string_not_equal(cells[1].key, cells[5].key);
    struct row rows[ARTEFACT_VARIANTS_MAX];
    for (size_t i = 1; i <= 5; i += 4) {
        cell_prepare_rows(&cells[i], rows);
        struct point point = point_of_row(&rows[0]);
        assert_true(point_equal(&point, i == 1 ? &step->points[1] : &pass->points[1]));
    }
    free(cells);
    artefact_free(&artefact);
    artefact = read_good(THREADS, "\"claims\": []");
    assert_string_equal(artefact.scale.panels[1].points[0].barrier, "");
    artefact_free(&artefact);
}

static void bad_panels_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *scale, *named;
    } bad[] = {
#define HEAD "\"kind\": \"trained\", \"x\": \"max_leaves\", \"trials\": 2, \"rounds\": 5, "
#define PANEL "\"title\": \"P\", \"data\": \"mq2008\", \"max_leaves\": [3, 7]"
        {HEAD "\"panels\": []", "panels"},
        {HEAD "\"panels\": [7]", "panel 1"},
        {HEAD "\"panels\": [{" PANEL "}]", "trees"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"depth\": 3}]", "depth"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"trials\": 3}]", "trials"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"show\": \"off\"}]", "show"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"patience\": 0}]", "patience"},
        {"\"kind\": \"grown\", \"x\": \"max_leaves\", \"trials\": 2, \"rounds\": 5, "
         "\"panels\": [{" PANEL ", \"trees\": 1, \"patience\": 9}]",
         "patience"},
        {HEAD "\"panels\": [{\"title\": \"resampled\", \"data\": \"mq2008\", \"max_leaves\": [3],"
              " \"trees\": 1, \"resample\": 0}]",
         "resample"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"resample\": 9}]",
         "panel 1: title: must contain \"resampled\""},
        {"\"kind\": \"grown\", \"x\": \"max_leaves\", \"trials\": 2, \"rounds\": 5, "
         "\"panels\": [{" PANEL ", \"trees\": 1, \"resample\": 9}]",
         "resample: only"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"seeds\": 0}]", "seeds"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"seeds\": 101}]", "seeds"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"seeds\": 2}]", "panel 1: seeds: only"},
        {"\"kind\": \"trained\", \"x\": \"max_leaves\", \"trials\": 6, \"rounds\": 5, "
         "\"panels\": [{" PANEL ", \"trees\": 1, \"seeds\": 86}]",
         "seeds: 6 trials of 86 models"},
        {"\"kind\": \"grown\", \"x\": \"max_leaves\", \"trials\": 2, \"rounds\": 5, "
         "\"panels\": [{" PANEL ", \"trees\": 1, \"seeds\": 1}]",
         "seeds"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"threads\": 4}]", "parallel"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"documents\": [5]}]", "documents"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"features\": 0}]", "features"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"parallel\": \"dogs\"}]", "parallel"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"parallel\": \"trees\", \"barrier\": 1}]",
         "barrier"},
        {HEAD "\"panels\": [{" PANEL
              ", \"trees\": 1, \"parallel\": \"trees\", \"barrier\": \"document\"}]",
         "barrier: must be"},
        {HEAD "\"panels\": [{" PANEL
              ", \"trees\": 1, \"parallel\": \"documents\", \"barrier\": \"step\"}]",
         "barrier: only threads that share trees"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"barrier\": \"step\"}]",
         "barrier: only threads that share trees"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1}, {" PANEL ", \"trees\": 2}]", "\"P\""},
        {HEAD "\"panels\": [{\"title\": \"P\", \"data\": \"mq2009\", \"max_leaves\": [3],"
              " \"trees\": 1}]",
         "mq2009"},
        {HEAD "\"panels\": [{\"title\": \"a, b\", \"data\": \"mq2008\", \"max_leaves\": [3],"
              " \"trees\": 1}]",
         "title"},
        {HEAD "\"panels\": [{\"title\": \"P\", \"data\": \"mq2008\", \"max_leaves\": [7, 3],"
              " \"trees\": 1}]",
         "max_leaves"},
        {"\"kind\": \"wild\", \"x\": \"trees\", \"trials\": 2, \"rounds\": 5, \"panels\": [{}]",
         "kind"},
        {"\"kind\": \"grown\", \"x\": \"depth\", \"trials\": 2, \"rounds\": 5, \"panels\": [{}]",
         "x"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct artefact artefact;
        struct error error = {""};
        enum status status = read_with(bad[i].scale, "\"claims\": []", &artefact, &error);
        if (status != STATUS_INPUT || !strstr(error.text, bad[i].named) ||
            !strstr(error.text, "fig.json"))
            fail_msg("case %zu: status %d, \"%s\"", i, (int)status, error.text);
    }
}

static void quality_is_not_measured_on_resampled_documents(void **state) {
    (void)state;
    struct artefact artefact;
    struct error error = {""};
    assert_int_equal(
        read_with(RESAMPLED, "\"measure\": \"quality\", \"claims\": []", &artefact, &error),
        STATUS_INPUT);
    assert_non_null(strstr(error.text, "panel 2: resample: not supported with \"measure\""));
}

/* v=panel must be one of the variants in every panel. */
static void a_panels_own_v_is_resolved(void **state) {
    (void)state;
    struct artefact artefact = read_good(TRAINED, "\"claims\": []");
    char variant[ROW_NAME_SIZE];
    panel_variant(&artefact.scale.panels[1], "vpred,v=panel", variant, sizeof variant);
    assert_string_equal(variant, "vpred,v=16");
    panel_variant(&artefact.scale.panels[1], "vpred,v=8", variant, sizeof variant);
    assert_string_equal(variant, "vpred,v=8");
    assert_true(artefact_knows_operand(&artefact, "vpred,v=panel"));
    assert_string_equal(artefact_label(&artefact, "vpred,v=panel"), "VPRED");
    artefact.scale.panels[0].v = 4;
    assert_false(artefact_knows_operand(&artefact, "vpred,v=panel"));
    artefact.scale.panels[0].v = 0;
    assert_false(artefact_knows_operand(&artefact, "vpred,v=panel"));
    artefact_free(&artefact);
}

static void points_are_described(void **state) {
    (void)state;
    char text[POINT_TEXT_SIZE];
    struct artefact trained = read_good(TRAINED, "\"claims\": []");
    struct artefact threads = read_good(THREADS, "\"claims\": []");
    point_describe(&trained.scale.panels[0].points[0], text, sizeof text);
    assert_string_equal(text, "mq2008 L=3, <=200 trees");
    point_describe(&threads.scale.panels[0].points[1], text, sizeof text);
    assert_string_equal(text, "mq2008 L=8, 10 trees, 2 threads over trees");
    struct artefact resampled = read_good(RESAMPLED, "\"claims\": []");
    point_describe(&resampled.scale.panels[1].points[1], text, sizeof text);
    assert_string_equal(text, "mq2008 L=7, 2 trees, resampled");
    artefact_free(&trained);
    artefact_free(&threads);
    artefact_free(&resampled);
}

/* The test documents and those drawn from them are different cells of the same model. */
static void resampled_points_have_their_own_cells(void **state) {
    (void)state;
    struct artefact artefact = read_good(RESAMPLED, "\"claims\": []");
    struct cell *cells;
    size_t count;
    assert_int_equal(grid_build(&artefact, 1, &cells, &count, NULL), STATUS_OK);
    assert_int_equal(count, 4);
    assert_int_equal(cells[0].workload.resample, 0);
    assert_int_equal(cells[2].workload.resample, 4000);
    assert_false(workload_same(&cells[0].workload, &cells[2].workload));
    struct cell plain = cells[2];
    plain.workload.resample = 0;
    cell_set_key(&plain);
    assert_string_not_equal(plain.key, cells[2].key);
    free(cells);
    artefact_free(&artefact);
}

/* Cells that differ only in threads follow each other, so that they can share their inputs. */
static void cells_know_threads_and_trials(void **state) {
    (void)state;
    struct artefact artefacts[] = {read_good(THREADS, "\"claims\": []"),
                                   read_good(TRAINED, "\"claims\": []")};
    struct cell *cells;
    size_t count;
    assert_int_equal(grid_build(artefacts, 2, &cells, &count, NULL), STATUS_OK);
    assert_int_equal(count, 2 * 6 + 3 * 2 + 2);
    assert_int_equal(cells[1].threads, 2);
    assert_int_equal(cells[1].parallel, PARALLEL_TREES);
    assert_int_equal(cells[3].parallel, PARALLEL_DOCUMENTS);
    assert_string_not_equal(cells[0].key, cells[1].key);
    assert_string_not_equal(cells[0].key, cells[3].key);
    assert_string_equal(cells[6].workload.kind, "trained");
    assert_int_equal(cells[6].workload.trees, 200);
    struct row rows[ARTEFACT_VARIANTS_MAX];
    cell_prepare_rows(&cells[4], rows);
    struct point point = point_of_row(&rows[0]);
    assert_true(point_equal(&point, &artefacts[0].scale.panels[1].points[1]));
    free(cells);
    artefact_free(&artefacts[0]);
    artefact_free(&artefacts[1]);
}

static void grown_inputs_are_made_once(void **state) {
    (void)state;
    struct workload workload = {
        .kind = "grown", .data = "ohsumed", .trees = 3, .max_leaves = 8, .documents = 400};
    struct workload_inputs inputs = {.ensemble = NULL};
    assert_int_equal(workload_make_inputs("", &workload, &inputs, NULL), STATUS_OK);
    const struct ensemble *first = inputs.ensemble;
    assert_int_equal(first->n_trees, 3);
    assert_in_range(inputs.documents->n_rows, 100, 400); /* whole queries */
    assert_non_null(strstr(first->note, "not trained"));
    assert_int_equal(workload_make_inputs("", &workload, &inputs, NULL), STATUS_OK);
    assert_ptr_equal(inputs.ensemble, first);
    workload.trees = 4;
    assert_int_equal(workload_make_inputs("", &workload, &inputs, NULL), STATUS_OK);
    assert_int_equal(inputs.ensemble->n_trees, 4);
    size_t rows = inputs.documents->n_rows;
    first = inputs.ensemble;
    workload.trees = 2;
    workload.documents = 800;
    assert_int_equal(workload_make_inputs("", &workload, &inputs, NULL), STATUS_OK);
    assert_ptr_equal(inputs.ensemble, first);
    assert_int_equal(inputs.ensemble->n_trees, 2);
    assert_in_range(inputs.documents->n_rows, rows + 1, 800);
    snprintf(workload.data, sizeof workload.data, "no-such-set");
    assert_int_equal(workload_make_inputs("", &workload, &inputs, NULL), STATUS_INPUT);
    assert_null(inputs.ensemble);
}

/* --- rows ------------------------------------------------------------------------------------- */

static struct row *add(struct made_up *made, const struct point *point, uint32_t trial,
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

static void fill(struct made_up *made, const struct panel *panel, const char *variant,
                 const double *ns) {
    for (size_t i = 0; i < panel->n_points; i++)
        for (uint32_t trial = 0; trial < panel->trials; trial++)
            add(made, &panel->points[i], trial, variant, ns[i] * (1 + 0.001 * trial));
}

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-3 * fabs(expected)))
        fail_msg("%g instead of %g", value, expected);
}

static void points_are_not_mixed_up(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct artefact artefact = read_good(THREADS, "\"claims\": []");
    const struct point *point = &artefact.scale.panels[0].points[1];
    struct point other[] = {*point, *point, *point, *point, *point, *point, *point, *point};
    other[0].threads = 1;
    snprintf(other[1].parallel, sizeof other[1].parallel, "documents");
    other[2].max_leaves = 9;
    other[3].trees = 11;
    snprintf(other[4].kind, sizeof other[4].kind, "trained");
    snprintf(other[5].data, sizeof other[5].data, "ohsumed");
    snprintf(other[6].barrier, sizeof other[6].barrier, "step");
    other[7].resample = 500;
    for (size_t i = 0; i < 8; i++)
        add(&made, &other[i], 0, "codegen", 99);
    assert_true(isnan(compare_time(made_up_index(&made), point, "codegen").mean));
    add(&made, point, 0, "codegen", 10);
    assert_near(compare_time(made_up_index(&made), point, "codegen").mean, 10);
    made_up_free(&made);
    artefact_free(&artefact);
}

static void speedups_are_within_trials(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct artefact artefact = read_good(THREADS, "\"claims\": []");
    const struct panel *panel = &artefact.scale.panels[0];
    const struct point *one = &panel->points[0], *two = &panel->points[1];
    add(&made, one, 0, "codegen", 10);
    add(&made, two, 0, "codegen", 5);
    struct ratio ratio = compare_operand_speedup(made_up_index(&made), panel, one, two, "codegen");
    assert_near(ratio.value, 2);
    assert_near(ratio.interval.low, 2 * 0.9 / 1.1);
    assert_near(ratio.interval.high, 2 * 1.1 / 0.9);
    add(&made, one, 1, "codegen", 80);
    add(&made, two, 1, "codegen", 10);
    ratio = compare_operand_speedup(made_up_index(&made), panel, one, two, "codegen");
    assert_near(ratio.value, 4);
    ratio = compare_operand_speedup(made_up_index(&made), panel, one, two, "vpred,v=8");
    assert_true(isnan(ratio.value));
    made_up_free(&made);
    artefact_free(&artefact);
}

/* --- claims ----------------------------------------------------------------------------------- */

/* Judges one claim and expects a text in its measured value. */
static void expect(const char *scale, const char *claim,
                   void (*fill_rows)(struct made_up *made, const struct scale *at),
                   enum verdict verdict, const char *figure) {
    char rest[1024];
    struct made_up made = {.capacity = 0};
    struct claim_result *judged = NULL;
    size_t count = 0;
    snprintf(rest, sizeof rest, "\"claims\": [{\"id\": \"c\", \"words\": \"w\", %s}]", claim);
    struct artefact artefact = read_good(scale, rest);
    fill_rows(&made, &artefact.scale);
    assert_int_equal(claims_judge(&artefact, made_up_index(&made), &judged, &count, NULL),
                     STATUS_OK);
    if (judged->verdict != verdict || !strstr(judged->measured, figure))
        fail_msg("%s: \"%s\", where %s with \"%s\" was expected", verdict_names[judged->verdict],
                 judged->measured, verdict_names[verdict], figure);
    free(judged);
    made_up_free(&made);
    artefact_free(&artefact);
}

/* Small: CODEGEN leads, by less with more leaves. Large: VPRED leads with its own v. */
static void fill_trained(struct made_up *made, const struct scale *scale) {
    const struct panel *small = &scale->panels[0], *large = &scale->panels[1];
    fill(made, small, "codegen", (const double[]){10, 20});
    fill(made, small, "vpred,v=8", (const double[]){30, 40});
    fill(made, small, "vpred,v=16", (const double[]){1, 1});
    fill(made, large, "codegen", (const double[]){20, 100});
    fill(made, large, "vpred,v=8", (const double[]){1, 1});
    fill(made, large, "vpred,v=16", (const double[]){16, 50});
}

#define CODEGEN_LEADS                                                                              \
    "\"kind\": \"ratio\", \"slow\": \"vpred,v=panel\", \"fast\": \"codegen\", \"low\": 1"

static void claims_choose_panels_and_x(void **state) {
    (void)state;
    expect(TRAINED, CODEGEN_LEADS, fill_trained, VERDICT_NOT_HELD, "holds at 2 of 4 points");
    expect(TRAINED, CODEGEN_LEADS ", \"panels\": [\"Small\"]", fill_trained, VERDICT_HELD,
           "(vpred,v=8 / codegen, mq2008 L=7, <=200 trees) to 3.00");
    expect(TRAINED, CODEGEN_LEADS ", \"panels\": [\"mq2008\"], \"x\": [7, 9]", fill_trained,
           VERDICT_HELD, "holds at 1 of 1 points; not at this scale: max leaves = 9");
    expect(TRAINED, CODEGEN_LEADS ", \"panels\": [\"MSLR\"]", fill_trained, VERDICT_UNRESOLVED,
           "nothing measured; not at this scale: MSLR");
}

/* Only the resampled panel has VPRED ahead. */
static void fill_resampled(struct made_up *made, const struct scale *scale) {
    for (size_t p = 0; p < 2; p++) {
        fill(made, &scale->panels[p], "codegen", (const double[]){10, 20});
        fill(made, &scale->panels[p], "vpred,v=8",
             p ? (const double[]){5, 5} : (const double[]){30, 40});
    }
}

/* Claims are about resampled documents only if they name the panel's title. */
static void claims_are_about_the_papers_protocol(void **state) {
    (void)state;
    expect(RESAMPLED, CODEGEN_LEADS, fill_resampled, VERDICT_HELD, "holds at 2 of 2 points");
    expect(RESAMPLED, CODEGEN_LEADS ", \"panels\": [\"mq2008\"]", fill_resampled, VERDICT_HELD,
           "holds at 2 of 2 points");
    expect(RESAMPLED, CODEGEN_LEADS ", \"panels\": [\"Small resampled\"]", fill_resampled,
           VERDICT_NOT_HELD, "fails at 2: mq2008 L=3, 2 trees, resampled;");
}

#define LEAD_SHRINKS                                                                               \
    "\"kind\": \"ratio_shrinks\", \"slow\": \"vpred,v=panel\", \"fast\": \"codegen\""

static void leads_shrink_over_x_or_panels(void **state) {
    (void)state;
    expect(TRAINED, LEAD_SHRINKS ", \"over\": \"x\", \"panels\": [\"Small\"]", fill_trained,
           VERDICT_HELD, "holds at 1 of 1 points");
    /* both panels have 7 leaves: from 2 to 0.8 */
    expect(TRAINED, LEAD_SHRINKS, fill_trained, VERDICT_HELD, "holds at 1 of 1 points");
}

static void fill_stand_ins(struct made_up *made, const struct scale *scale) {
    fill_trained(made, scale);
    for (size_t i = 0; i < made->rows.count; i++) {
        bool is_small = strcmp(made->rows.list[i].workload.data, "mq2008") == 0;
        snprintf(made->rows.list[i].note, ROW_NOTE_SIZE, "%s",
                 is_small ? "random trees grown on quantiles, not trained, seed 3; documents: a "
                            "sample of MQ2008"
                          : "trained on a synthetic stand-in for yahoo, seed 1");
    }
}

static void verdicts_name_stand_ins_and_grown_trees(void **state) {
    (void)state;
    expect(TRAINED, CODEGEN_LEADS, fill_stand_ins, VERDICT_NOT_HELD,
           "; synthetic stand-ins: yahoo-c14-set1; samples: mq2008; ensembles not trained: random "
           "trees grown on quantiles");
    expect(TRAINED, CODEGEN_LEADS ", \"panels\": [\"Large\"]", fill_stand_ins, VERDICT_NOT_HELD,
           "L=150, 40 trees; synthetic stand-ins: yahoo-c14-set1");
    expect(RESAMPLED, CODEGEN_LEADS ", \"panels\": [\"Small resampled\"]", fill_resampled,
           VERDICT_NOT_HELD, "L=7, 2 trees, resampled");
}

static void fill_threads(struct made_up *made, const struct scale *scale) {
    fill(made, &scale->panels[0], "codegen", (const double[]){10, 8, 16});
    fill(made, &scale->panels[1], "codegen", (const double[]){10, 5.5, 2.5});
}

static void speedups_are_judged(void **state) {
    (void)state;
#define SPEEDUP "\"kind\": \"speedup\", \"variants\": \"codegen\", "
    expect(THREADS, SPEEDUP "\"low\": 1, \"panels\": [\"(b)\"]", fill_threads, VERDICT_HELD,
           "1.82 [1.82, 1.82] (codegen, mq2008 L=8, 10 trees, 2 threads over documents) to 4.00");
    expect(THREADS, SPEEDUP "\"low\": 1, \"panels\": [\"(a)\"]", fill_threads, VERDICT_NOT_HELD,
           "holds at 1 of 2 points, fails at 1: mq2008 L=8, 10 trees, 8 threads over trees");
    expect(THREADS, SPEEDUP "\"low\": 0.8, \"per\": \"x\", \"panels\": [\"(b)\"], \"x\": [2]",
           fill_threads, VERDICT_HELD, "0.91");
    expect(THREADS, SPEEDUP "\"low\": 0.8, \"per\": \"x\", \"panels\": [\"(b)\"], \"x\": [8]",
           fill_threads, VERDICT_NOT_HELD, "0.50");
}

/* The latency falls up to 4 threads. Only a machine with more cores measures what is behind. */
static void fill_latency(struct made_up *made, const struct scale *scale) {
    fill(made, &scale->panels[0], "codegen", (const double[]){10, 8, 7, 9});
}

static void fill_four_cores(struct made_up *made, const struct scale *scale) {
    scale_limit_threads((struct scale *)scale, 4);
    fill_latency(made, scale);
}

static void fill_two_cores(struct made_up *made, const struct scale *scale) {
    scale_limit_threads((struct scale *)scale, 2);
    fill_latency(made, scale);
}

static void slowdowns_are_judged(void **state) {
    (void)state;
#define SLOWDOWN                                                                                   \
    "\"kind\": \"slowdown\", \"variants\": \"codegen\", \"low\": 1, \"panels\": [\"(a)\"], "
    expect(LATENCY, SLOWDOWN "\"from\": 4, \"x\": [8]", fill_latency, VERDICT_HELD,
           "1.29 [1.29, 1.29] (codegen, mq2008 L=8, 10 trees, 8 threads over trees, a barrier a "
           "step); holds at 1 of 1 points");
    expect(LATENCY, SLOWDOWN "\"from\": 2, \"x\": [4, 8]", fill_latency, VERDICT_NOT_HELD,
           "holds at 1 of 2 points, fails at 1: mq2008 L=8, 10 trees, 4 threads over trees");
    expect(LATENCY, SLOWDOWN "\"from\": 3, \"x\": [4, 8]", fill_latency, VERDICT_UNRESOLVED,
           "no numbers");
}

/* A claim about more threads than there are cores is not held by what was not measured. */
static void points_without_cores_are_not_measured(void **state) {
    (void)state;
    expect(LATENCY, SLOWDOWN "\"from\": 4, \"x\": [8]", fill_four_cores, VERDICT_UNRESOLVED,
           "nothing measured; not measured: threads = 8");
    expect(LATENCY, SLOWDOWN "\"from\": 4, \"x\": [2, 8]", fill_two_cores, VERDICT_UNRESOLVED,
           "no numbers; not measured: threads = 8");
    expect(LATENCY, SPEEDUP "\"low\": 1.2, \"panels\": [\"(a)\"], \"x\": [4, 8]", fill_four_cores,
           VERDICT_HELD, "holds at 1 of 1 points; not measured: threads = 8");
    expect(LATENCY, SPEEDUP "\"low\": 1.2, \"panels\": [\"(a)\"], \"x\": [4, 8]", fill_two_cores,
           VERDICT_UNRESOLVED, "nothing measured; not measured: threads = 4, 8");
}

/* --- reports ---------------------------------------------------------------------------------- */

static void expect_text(const char *suffix, const char *wanted) {
    char path[64];
    snprintf(path, sizeof path, "%s/fig.%s", directory, suffix);
    expect_in_file(path, wanted);
}

static void remove_report(void) {
    static const char *const suffixes[] = {"md", "csv"};
    for (size_t i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/fig.%s", directory, suffixes[i]);
        unlink(path);
    }
}

static void reports_show_units_shapes_and_notes(void **state) {
    (void)state;
    const struct report_paths paths = {"plots", "results/reference"};
    struct made_up made = {.capacity = 0};
    char warning[64];
    struct error error = {""};
    struct artefact artefact = read_good(TRAINED, "\"claims\": []");
    fill_trained(&made, &artefact.scale);
    for (size_t i = 0; i < made.rows.count; i++)
        if (strcmp(made.rows.list[i].workload.data, "mq2008") != 0)
            snprintf(made.rows.list[i].note, ROW_NOTE_SIZE, "synthetic stand-in, seed 1");
    /* the last of the three trials was not measured */
    for (size_t i = 0; i < made.rows.count; i++)
        made.rows.list[i].workload.trial = made.rows.list[i].workload.trial > 0;
    if (report_artefact(directory, &artefact, made_up_index(&made), &paths, warning, sizeof warning,
                        &error) != STATUS_OK)
        fail_msg("%s", error.text);
    expect_text("md", "The models are trained");
    expect_text("md", "### Small\n\nUnit: us per document. Trials: 2.");
    expect_text("md",
                "### Large\n\nUnit: us per document. Trials: 1.\n\n**Note: synthetic stand-in");
    expect_text("md", "| 150 (depth 4.5, 39 trees) | 0.100 |");
    expect_text("csv", "1,\"Small\",max_leaves,3,1,\"codegen\",");
    expect_text("csv",
                ",trained,39,4.5,46,500,a synthetic stand-in,\"synthetic stand-in, seed 1\"");
    remove_report();
    made_up_free(&made);
    artefact_free(&artefact);
}

/* Expects a title in the report and an origin in the figure's data if the second panel has a note.
 */
static void expect_tag(const char *note, const char *in_report, const char *in_data) {
    const struct report_paths paths = {"plots", "results/reference"};
    struct made_up made = {.capacity = 0};
    char warning[64];
    struct artefact artefact = read_good(RESAMPLED, "\"claims\": []");
    fill_resampled(&made, &artefact.scale);
    for (size_t i = 0; i < made.rows.count; i++)
        if (made.rows.list[i].workload.resample > 0)
            snprintf(made.rows.list[i].note, ROW_NOTE_SIZE, "%s", note);
    assert_int_equal(report_artefact(directory, &artefact, made_up_index(&made), &paths, warning,
                                     sizeof warning, NULL),
                     STATUS_OK);
    expect_text("md", in_report);
    expect_text("csv", in_data);
    remove_report();
    made_up_free(&made);
    artefact_free(&artefact);
}

static void reports_tag_resampled_documents(void **state) {
    (void)state;
    expect_tag("4000 documents resampled from 300",
               "### Small resampled\n\nUnit: us per document. Trials: 1.\n\n"
               "**Note: 4000 documents resampled from 300**",
               ",500,resampled,\"4000 documents");
    expect_tag("trained on a sample; documents: a sample; 4000 documents resampled from 300",
               "### Small resampled", ",500,a sample; resampled,\"trained on");
}

static void threads_are_shown_as_throughput_and_gain(void **state) {
    (void)state;
    const struct report_paths paths = {"plots", "results/reference"};
    struct made_up made = {.capacity = 0};
    char warning[64];
    struct error error = {""};
    struct artefact artefact =
        read_good(THREADS, "\"table\": {\"columns\": [{\"title\": \"C\", \"time\": \"codegen\"},"
                           " {\"title\": \"less\", \"less\": \"codegen\"}]}, \"claims\": []");
    scale_limit_threads(&artefact.scale, 2);
    fill_threads(&made, &artefact.scale);
    if (report_artefact(directory, &artefact, made_up_index(&made), &paths, warning, sizeof warning,
                        &error) != STATUS_OK)
        fail_msg("%s", error.text);
    expect_text("md", "Unit: documents per second");
    expect_text("md", "| 1 | 99950037 [");
    expect_text("md", "] | - |\n| 2 | 0.008 [");
    expect_text("md", "| 20 % [20, 20] |\n\n### (b)");
    remove_report();
    made_up_free(&made);
    artefact_free(&artefact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_of_ensembles_are_read),
        cmocka_unit_test(panels_of_threads_are_read_and_limited),
        cmocka_unit_test(each_point_may_have_its_documents),
        cmocka_unit_test(barriers_are_part_of_a_point),
        cmocka_unit_test(bad_panels_are_refused),
        cmocka_unit_test(quality_is_not_measured_on_resampled_documents),
        cmocka_unit_test(a_panels_own_v_is_resolved),
        cmocka_unit_test(points_are_described),
        cmocka_unit_test(resampled_points_have_their_own_cells),
        cmocka_unit_test(cells_know_threads_and_trials),
        cmocka_unit_test(grown_inputs_are_made_once),
        cmocka_unit_test(points_are_not_mixed_up),
        cmocka_unit_test(speedups_are_within_trials),
        cmocka_unit_test(claims_choose_panels_and_x),
        cmocka_unit_test(claims_are_about_the_papers_protocol),
        cmocka_unit_test(verdicts_name_stand_ins_and_grown_trees),
        cmocka_unit_test(leads_shrink_over_x_or_panels),
        cmocka_unit_test(speedups_are_judged),
        cmocka_unit_test(slowdowns_are_judged),
        cmocka_unit_test(points_without_cores_are_not_measured),
        cmocka_unit_test(reports_show_units_shapes_and_notes),
        cmocka_unit_test(reports_tag_resampled_documents),
        cmocka_unit_test(threads_are_shown_as_throughput_and_gain),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
