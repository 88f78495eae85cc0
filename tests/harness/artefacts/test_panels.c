/* Panels of artefacts: reading, points, cells and inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/harness/artefacts/panels.h"

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

#define FORESTS(scale, panel)                                                                      \
    "\"kind\": \"forest\", " scale "\"rounds\": 5, \"panels\": [{\"title\": \"P\", " panel "}]"
#define BY_DEPTH "\"x\": \"depth\", \"trials\": 1, "
#define LETTER "\"data\": \"letter\", \"learner\": \"extra-trees\", \"trees\": 25"

static void panels_of_forests_are_read(void **state) {
    (void)state;
    struct artefact artefact =
        read_good(FORESTS(BY_DEPTH, LETTER ", \"depth\": [1, 5, 20]"), "\"claims\": []");
    const struct scale *scale = &artefact.scale;
    assert_int_equal(scale->x, AXIS_DEPTH);
    assert_false(scale_is_synthetic(scale));
    const struct point *point = &scale->panels[0].points[1];
    assert_string_equal(point->kind, "extra-trees");
    assert_string_equal(point->data, "letter");
    assert_int_equal(point->depth, 5);
    assert_int_equal(point->trees, 25);
    assert_int_equal(point->max_leaves, 0);
    struct workload workload = grid_workload(&artefact, &scale->panels[0], point, 0);
    assert_string_equal(workload.kind, "extra-trees");
    assert_int_equal(workload.depth, 5);
    artefact_free(&artefact);
}

#define MADE(x, panel)                                                                             \
    "\"kind\": \"made\", \"x\": \"" x "\", \"trials\": 1, \"rounds\": 5, \"panels\": ["            \
    "{\"title\": \"P\", \"trees\": [3, 9], " panel "}]"

/* Made models with a depth are balanced, and those with a number of leaves are grown. */
static void panels_of_made_models_are_read_and_made(void **state) {
    (void)state;
    static const struct {
        const char *scale, *kind, *described;
        uint32_t depth, leaves, most_leaves;
    } cases[] = {
        {MADE("trees", "\"depth\": 5, \"features\": 64, \"documents\": 300"), "synthetic",
         "d=5 f=64, 9 trees", 5, 0, 9 * 32},
        {MADE("trees", "\"max_leaves\": 8, \"features\": 64, \"documents\": 300"), "grown",
         "f=64 L=8, 9 trees", 0, 8, 9 * 8},
    };
    for (size_t i = 0; i < 2; i++) {
        struct artefact artefact = read_good(cases[i].scale, "\"claims\": []");
        const struct panel *panel = &artefact.scale.panels[0];
        const struct point *point = &panel->points[1];
        char text[POINT_TEXT_SIZE];
        struct error error;
        struct workload_inputs inputs = {.ensemble = NULL};
        assert_string_equal(point->kind, cases[i].kind);
        assert_int_equal(point->depth, cases[i].depth);
        assert_int_equal(point->max_leaves, cases[i].leaves);
        point_describe(point, text, sizeof text);
        assert_string_equal(text, cases[i].described);
        struct workload workload = grid_workload(&artefact, panel, point, 0);
        struct row row = {.workload = workload, .threads = 1};
        struct point of_row = point_of_row(&row);
        assert_true(point_equal(&of_row, point));
        assert_int_equal(workload_make_inputs(directory, &workload, &inputs, &error), STATUS_OK);
        assert_int_equal(inputs.ensemble->n_trees, 9);
        assert_int_equal(inputs.ensemble->n_leaves, cases[i].most_leaves);
        assert_int_equal(inputs.documents->n_rows, 300);
        assert_int_equal(inputs.documents->n_features, 64);
        workload_free_inputs(&inputs);
        artefact_free(&artefact);
    }
}

static void panels_of_threads_are_read_and_limited(void **state) {
    (void)state;
    struct artefact artefact = read_good(THREADS, "\"claims\": []");
    struct scale *scale = &artefact.scale;
    assert_int_equal(scale->panels[0].points[2].threads, 8);
    assert_string_equal(scale->panels[0].points[0].parallel, "trees");
    assert_int_equal(scale->panels[0].show, SHOW_TIME);
    assert_int_equal(scale->panels[1].show, SHOW_THROUGHPUT);
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
        {FORESTS("\"x\": \"trees\", \"trials\": 1, ", LETTER), "x: must be \"depth\""},
        {FORESTS("\"x\": \"depth\", \"trials\": 2, ", LETTER ", \"depth\": [3]"),
         "trials: must be 1"},
        {FORESTS(BY_DEPTH, LETTER), "depth"},
        {FORESTS(BY_DEPTH, LETTER ", \"depth\": [3], \"max_leaves\": 8"),
         "max_leaves: forests do not"},
        {FORESTS(BY_DEPTH,
                 "\"data\": \"mq2008\", \"learner\": \"cart\", \"trees\": 1, \"depth\": [3]"),
         "mq2008 has no recipe"},
        {FORESTS(BY_DEPTH,
                 "\"data\": \"letter\", \"learner\": \"trained\", \"trees\": 1, \"depth\": [3]"),
         "learner: \"trained\" is not random-forest"},
        {HEAD "\"panels\": [{" PANEL ", \"trees\": 1, \"learner\": \"cart\"}]",
         "learner: only forests"},
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
         "barrier: \"document\" is not step or pass"},
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
        {MADE("trees", "\"features\": 4"), "either \"depth\" or \"max_leaves\""},
        {MADE("trees", "\"features\": 4, \"depth\": 3, \"max_leaves\": 8"), "either \"depth\""},
        {MADE("trees", "\"depth\": 3"), "features: missing"},
        {MADE("trees", "\"features\": 4, \"depth\": 3, \"data\": \"mq2008\""), "data: documents"},
        {MADE("threads", "\"features\": 4, \"depth\": 3"), "x: must be \"trees\""},
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
        made_up_artefact(directory, "fig",
                         "{\"name\": \"fig\", \"title\": \"T\", \"source\": \"S\", \"seed\": 7,"
                         " \"scales\": {\"smoke\": {" RESAMPLED "}}, \"measure\": \"quality\","
                         " \"claims\": []}",
                         &artefact, &error),
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_of_ensembles_are_read),
        cmocka_unit_test(panels_of_forests_are_read),
        cmocka_unit_test(panels_of_made_models_are_read_and_made),
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
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
