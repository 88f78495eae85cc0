#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/artefacts/artefact.h"
#include "harness/artefacts/grid.h"
#include "harness/papers/report.h"
#include "tests/harness/artefacts/folder.h"
#include "tests/harness/rows/made_up_rows.h"

#define SCALES                                                                                     \
    "\"scales\": {\"smoke\": {\"depths\": [3, 7], \"features\": [32, 512],"                        \
    " \"documents\": [4096, 1024], \"trials\": 2, \"rounds\": 5}}"
#define HEAD "\"name\": \"fig\", \"title\": \"T\", \"source\": \"S\", \"seed\": 7"
#define VARIANTS "\"variants\": {\"pred\": \"PRED\", \"vpred,v=8\": \"v = 8\"}"
#define CLAIMS "\"claims\": []"
#define CLAIM "\"id\": \"c\", \"words\": \"w\", "

static void a_good_file_is_read(void **state) {
    (void)state;
    struct artefact artefact;
    struct error error;
    const char *json = "{" HEAD "," SCALES "," VARIANTS "," CLAIMS "}";
    assert_int_equal(made_up_artefact(directory, "fig", json, &artefact, &error), STATUS_OK);
    assert_string_equal(artefact.name, "fig");
    assert_string_equal(artefact.scale.name, "smoke");
    assert_int_equal(artefact.seed, 7);
    assert_int_equal(artefact.scale.n_panels, 2);
    const struct panel *panel = &artefact.scale.panels[1];
    assert_string_equal(panel->title, "f = 512");
    assert_int_equal(panel->n_points, 2);
    assert_int_equal(panel->points[1].depth, 7);
    assert_int_equal(panel->points[1].features, 512);
    assert_int_equal(panel->points[1].trees, 1);
    assert_int_equal(panel->points[1].threads, 1);
    assert_int_equal(panel->documents[0], 1024);
    assert_int_equal(artefact.scale.trials, 2);
    assert_int_equal(artefact.scale.rounds, 5);
    assert_int_equal(artefact.n_variants, 2);
    assert_string_equal(artefact.variants[1], "vpred,v=8");
    assert_string_equal(artefact_label(&artefact, "vpred,v=8"), "v = 8");
    assert_string_equal(artefact_label(&artefact, "vpred,v=4"), "vpred,v=4");
    assert_true(artefact_knows_operand(&artefact, "vpred,v=best"));
    assert_false(artefact_knows_operand(&artefact, "vpre,v=best"));
    assert_false(artefact_knows_operand(&artefact, "vpred,v=4"));
    assert_int_equal(strlen(artefact.hash), 16);
    artefact_free(&artefact);
}

static void cold_passes_are_of_all_points(void **state) {
    (void)state;
    struct artefact artefact;
    const char *json =
        "{" HEAD ", \"scales\": {\"smoke\": {\"passes\": \"cold\", \"depths\": [3, 7], "
        "\"features\": [32], \"documents\": [1024], \"trials\": 2, \"rounds\": 5}}," VARIANTS
        "," CLAIMS "}";
    assert_int_equal(made_up_artefact(directory, "fig", json, &artefact, NULL), STATUS_OK);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(artefact.scale.panels[0].points[i].passes, "cold");
    artefact_free(&artefact);
}

static void the_hash_tells_contents_apart(void **state) {
    (void)state;
    struct artefact one, other;
    const char *json = "{" HEAD "," SCALES "," VARIANTS "," CLAIMS "}";
    const char *spaced = "{ " HEAD "," SCALES "," VARIANTS "," CLAIMS "}";
    assert_int_equal(made_up_artefact(directory, "fig", json, &one, NULL), STATUS_OK);
    assert_int_equal(made_up_artefact(directory, "fig", spaced, &other, NULL), STATUS_OK);
    assert_string_not_equal(one.hash, other.hash);
    artefact_free(&one);
    artefact_free(&other);
}

/* Each file is rejected, and the error names the file and the key. */
static void bad_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *json, *named;
    } bad[] = {
        {"[]", "object"},
        {"{" HEAD "," SCALES "," VARIANTS "," CLAIMS ", \"colour\": 1}", "colour"},
        {"{" HEAD "," SCALES "," VARIANTS "," CLAIMS "," CLAIMS "}", "claims"},
        {"{" HEAD "," SCALES "," VARIANTS "}", "claims"},
        {"{" HEAD "," VARIANTS "," CLAIMS "}", "scales"},
        {"{" HEAD ", \"scales\": {}," VARIANTS "," CLAIMS "}", "smoke"},
        {"{\"name\": \"other\", \"title\": \"T\", \"source\": \"S\", \"seed\": 7," SCALES
         "," VARIANTS "," CLAIMS "}",
         "name"},
        {"{" HEAD ", \"scales\": {\"smoke\": {\"depths\": [3, 3], \"features\": [32],"
         " \"documents\": [1], \"trials\": 1, \"rounds\": 1}}," VARIANTS "," CLAIMS "}",
         "depths"},
        {"{" HEAD ", \"scales\": {\"smoke\": {\"depths\": [3], \"features\": [32, 64],"
         " \"documents\": [1], \"trials\": 1, \"rounds\": 1}}," VARIANTS "," CLAIMS "}",
         "documents"},
        {"{" HEAD ", \"scales\": {\"smoke\": {\"depths\": [3], \"features\": [32],"
         " \"documents\": [1], \"trials\": 0, \"rounds\": 1}}," VARIANTS "," CLAIMS "}",
         "trials"},
        {"{" HEAD ", \"scales\": {\"smoke\": {\"depths\": [2.5], \"features\": [32],"
         " \"documents\": [1], \"trials\": 1, \"rounds\": 1}}," VARIANTS "," CLAIMS "}",
         "depths"},
        {"{" HEAD "," SCALES ", \"variants\": {}," CLAIMS "}", "variants"},
        {"{" HEAD "," SCALES ", \"variants\": {\"vpred,v\": \"x\"}," CLAIMS "}", "vpred,v"},
        {"{" HEAD "," SCALES ", \"variants\": {\"pred@2\": \"x\"}," CLAIMS "}", "an operand"},
        {"{" HEAD "," SCALES ", \"variants\": {\"a,v=best\": \"x\"}," CLAIMS "}", "an operand"},
        {"{" HEAD "," SCALES ", \"variants\": {\"a,v=panel\": \"x\"}," CLAIMS "}", "an operand"},
        {"{" HEAD "," SCALES ", \"variants\": {\"a,y=1,b=2\": \"x\"}," CLAIMS "}", "a,b=2,y=1"},
        {"{" HEAD "," SCALES ", \"variants\": {\"a,d=4,order=SD\": \"x\"}," CLAIMS "}", "out d=N"},
        {"{" HEAD "," SCALES ", \"variants\": {\"a\": \"x\", \"a\": \"y\"}," CLAIMS "}",
         "duplicate"},
        {"{" HEAD "," SCALES "," VARIANTS
         ", \"figure\": {\"kind\": \"pie\", \"variants\": []}," CLAIMS "}",
         "kind"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"figure\": {\"kind\": \"bars\","
         " \"variants\": [\"qs\"]}," CLAIMS "}",
         "variants"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"table\": {\"columns\": [{\"title\": \"t\","
         " \"time\": \"qs\"}]}," CLAIMS "}",
         "qs"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"table\": {\"columns\": [], \"reference\":"
         " \"../x.csv\"}," CLAIMS "}",
         "reference"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"claims\": [{" CLAIM "\"kind\": \"wish\"}]}", "wish"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"claims\": [{" CLAIM "\"kind\": \"ratio\","
         " \"slow\": \"qs\", \"fast\": \"pred\", \"low\": 1}]}",
         "slow"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"claims\": [{" CLAIM "\"kind\": \"ratio\","
         " \"slow\": \"pred\", \"fast\": \"pred\"}]}",
         "low"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"claims\": [{" CLAIM "\"kind\": \"ratio\","
         " \"slow\": \"pred\", \"fast\": \"pred\", \"low\": 1, \"margin\": 2}]}",
         "margin"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"claims\": [{" CLAIM "\"kind\": \"ratio\","
         " \"slow\": \"pred\", \"fast\": \"pred\", \"low\": 1, \"points\": \"some\"}]}",
         "points"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"claims\": [{" CLAIM "\"kind\": \"ratio\","
         " \"slow\": \"pred\", \"fast\": \"pred\", \"low\": 1, \"range\": [3, 2]}]}",
         "range"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"claims\": [{" CLAIM "\"kind\": \"ratio\","
         " \"slow\": \"pred\", \"fast\": \"pred\", \"low\": 1, \"range\": [3]}]}",
         "range"},
        {"{" HEAD "," SCALES "," VARIANTS ", \"claims\": [{" CLAIM "\"kind\": \"best_grows\","
         " \"variants\": []}]}",
         "variants"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct artefact artefact;
        struct error error = {""};
        enum status status = made_up_artefact(directory, "fig", bad[i].json, &artefact, &error);
        if (status != STATUS_INPUT || !strstr(error.text, bad[i].named) ||
            !strstr(error.text, "fig.json"))
            fail_msg("case %zu: status %d, \"%s\"", i, (int)status, error.text);
    }
}

static void find_sorts_and_selects(void **state) {
    (void)state;
    char **paths = NULL;
    size_t count = 0;
    struct error error;
    assert_int_equal(artefact_find("configs", "asadi2012", &paths, &count, &error), STATUS_OK);
    assert_int_equal(count, 7);
    assert_string_equal(paths[0], "configs/asadi2012-fig1.json");
    assert_string_equal(paths[6], "configs/asadi2012-table4.json");
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    assert_int_equal(artefact_find("configs", "nobody", &paths, &count, &error), STATUS_INPUT);
    assert_string_equal(error.text,
                        "no artefact's name begins with 'nobody'. Names begin with asadi2012, "
                        "asadi2014, beyond, buschjaeger2018, jin2016, lettich2018");
    assert_int_equal(artefact_find("no/such/folder", NULL, &paths, &count, &error), STATUS_IO);
}

static size_t count_points(const struct artefact *artefact) {
    size_t count = 0;
    for (size_t p = 0; p < artefact->scale.n_panels; p++)
        count += artefact->scale.panels[p].n_points * artefact->scale.panels[p].trials;
    return count;
}

/* The dummy feature and warm passes need points of their own. */
static bool has_own_points(const char *artefacts) {
    return strcmp(artefacts, "asadi2014-dummy-feature") == 0 ||
           strcmp(artefacts, "asadi2014-table2-warm") == 0;
}

/* Sizes of code are not measured at points. */
static bool shares_its_points(const struct artefact *artefact) {
    return scale_is_synthetic(&artefact->scale) && artefact->kind->is_timed &&
           !has_own_points(artefact->name);
}

static size_t count_synthetic(const struct cell *cells, size_t n_cells) {
    size_t count = 0;
    for (size_t i = 0; i < n_cells; i++)
        count +=
            strcmp(cells[i].workload.kind, "synthetic") == 0 && !has_own_points(cells[i].artefacts);
    return count;
}

/* Artefacts that share a measurement must request it with the same settings. */
static void configs_are_good_and_share_their_grids(void **state) {
    (void)state;
    static const char *const scales[] = {"smoke", "quick", "full"};
    char **paths = NULL;
    size_t count = 0, n_cells = 0, synthetic = 0;
    struct error error = {""};
    assert_int_equal(artefact_find("configs", "", &paths, &count, NULL), STATUS_OK);
    struct artefact *artefacts = calloc(count, sizeof *artefacts);
    assert_non_null(artefacts);
    for (size_t s = 0; s < 3; s++) {
        struct cell *cells = NULL;
        for (size_t i = 0; i < count; i++)
            if (artefact_open(paths[i], scales[s], &artefacts[i], &error) != STATUS_OK)
                fail_msg("%s", error.text);
        if (grid_build(artefacts, count, &cells, &n_cells, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        synthetic = count_synthetic(cells, n_cells);
        for (size_t i = 0; i < count; i++) {
            if (shares_its_points(&artefacts[i]))
                assert_int_equal(synthetic, count_points(&artefacts[i]));
            artefact_free(&artefacts[i]);
        }
        free(cells);
    }
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    free(artefacts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_file_is_read),
        cmocka_unit_test(the_hash_tells_contents_apart),
        cmocka_unit_test(cold_passes_are_of_all_points),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(find_sorts_and_selects),
        cmocka_unit_test(configs_are_good_and_share_their_grids),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
