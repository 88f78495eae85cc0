/* The reader and the writer of QuickRank's XML. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/models/reading.h"
#include "tests/models/same.h"

#define INFO "<info>\n<type>MART</type>\n<trees>2</trees>\n<shrinkage>0.5</shrinkage>\n</info>\n"
#define TREES                                                                                      \
    "<ensemble>\n<tree id=\"1\" weight=\"0.5\">\n<split>\n<feature>3</feature>\n"                  \
    "<threshold>0.10000000149011612</threshold>\n<split pos=\"left\">\n<feature> 1 </feature>\n"   \
    "<threshold> -1.25 </threshold>\n<split pos=\"left\">\n<output> 1.5 </output>\n</split>\n"     \
    "<split pos=\"right\"><output>2.5</output></split>\n</split>\n<split pos=\"right\">\n"         \
    "<output>3.5</output>\n</split>\n</split>\n</tree>\n"                                          \
    "<tree id=\"2\" weight=\"2\"><split><output>0.1</output></split></tree>\n</ensemble>\n"
#define MODEL "<?xml version=\"1.0\"?>\n<ranker>\n" INFO TREES "</ranker>\n"

static void test_scores_by_hand(void **state) {
    (void)state;
    struct ensemble *e = read_good("quickrank", MODEL);
    const float above = nextafterf(0.1F, 1);
    const struct {
        float x[3];
        double score;
    } rows[] = {
        {{-1.25F, 0, 0.1F}, 0.75 + 0.2},  {{-1.2F, 0, 0.1F}, 1.25 + 0.2},
        {{-1.25F, 0, above}, 1.75 + 0.2}, {{NAN, 0, 0}, 1.25 + 0.2},
        {{-2, 0, NAN}, 1.75 + 0.2},       {{-2, 0, -INFINITY}, 0.75 + 0.2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(score_by_walking(e, rows[i].x, 0) == rows[i].score);
    assert_int_equal(e->n_features, 3);
    assert_int_equal(e->n_trees, 2);
    assert_false(e->any_nan_left);
    ensemble_free(e);
}

/* The elements of trees are tested with RankLib's. */
static void test_bad_files(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name:1: the text is not valid XML"},
        {"<ranker>\n</ranker>", "name: the model has no trees"},
        {"<ranker>\n<ensemble></ensemble></ranker>", "name: the model has no trees"},
        {"<rank/>", "name:1: found <rank>, expected <ranker>"},
        {"<ranker a=\"b\"/>", "name:1: found <ranker a=\"b\">, expected no attributes"},
        {"<ranker>\n<info a=\"b\"/></ranker>",
         "name:2: found <info a=\"b\">, expected no attributes"},
        {"<ranker>\n<info>text</info></ranker>", "name:2: unexpected text between elements"},
        {"<ranker>\n<info><a><b/></a></info></ranker>",
         "name:2: unexpected <b> in <info>, which holds text only"},
        {"<ranker>\n<trees/></ranker>", "name:2: found <trees>, expected <ensemble>"},
        {"<ranker>\n" TREES "<ensemble/></ranker>",
         "name:22: found <ensemble>, expected </ranker> after the <ensemble>"},
        {"<ranker>\n<ensemble><weakranker/></ensemble></ranker>",
         "name:2: found <weakranker>, expected <tree>"},
        {"<ranker>\n<ensemble><tree weight=\"x\"/></ensemble></ranker>",
         "name:2: found <tree weight=\"x\">"},
        {"<ranker>\n" TREES, "name:22: the text is not valid XML"},
        {"<ranker>\n" TREES "</ranker>\n<ranker/>", "name:23: the text is not valid XML"},
    };
    assert_refused("quickrank", bad, sizeof bad / sizeof *bad);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    assert_cut_anywhere("quickrank", MODEL);
}

/* --- writing ---------------------------------------------------------------------------------- */

static char *written(const struct ensemble *e, enum status expected, struct error *error) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(format_named("quickrank")->write(e, stream, error), expected);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void test_written_is_read(void **state) {
    (void)state;
    struct ensemble *e = read_good("quickrank", MODEL);
    char *text = written(e, STATUS_OK, NULL);
    struct ensemble *back = read_good("quickrank", text);
    assert_true(same_ensemble(e, back));
    ensemble_free(e);
    ensemble_free(back);
    free(text);
}

static struct ensemble *stump(float threshold, bool nan_left, const double *base,
                              uint32_t outputs) {
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_inner(b, &(struct inner_node){.feature = 1,
                                                       .threshold = threshold,
                                                       .left = 1,
                                                       .right = 2,
                                                       .nan_left = nan_left,
                                                       .count = ENSEMBLE_NO_COUNT});
    ensemble_builder_add_leaf(b, 0.1, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_leaf(b, -1e-300, ENSEMBLE_NO_COUNT);
    struct ensemble *e = NULL;
    const struct ensemble_shape shape = {.n_outputs = outputs, .base = base};
    assert_int_equal(ensemble_builder_finish(b, &shape, &e, NULL), STATUS_OK);
    return e;
}

/* The base score becomes a tree of its own. All sums stay bit-for-bit equal. */
static void test_base_is_written(void **state) {
    (void)state;
    const float thresholds[] = {0.1F, 1e-45F, 3.4028234663852886e38F, INFINITY, -INFINITY, 0};
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        const double base = i % 2 ? -0.3 : 0.3;
        struct ensemble *e = stump(thresholds[i], false, &base, 1);
        char *text = written(e, STATUS_OK, NULL);
        struct ensemble *back = read_good("quickrank", text);
        assert_int_equal(back->n_trees, 2);
        assert_true(back->threshold[0] == thresholds[i]);
        assert_true(back->base[0] == 0);
        for (float x = -1; x <= 1; x += 0.5F) {
            const float row[] = {0, x};
            assert_true(score_by_walking(e, row, 0) == score_by_walking(back, row, 0));
        }
        ensemble_free(e);
        ensemble_free(back);
        free(text);
    }
}

static void test_what_cannot_be_written(void **state) {
    (void)state;
    struct error error;
    const double base[2] = {0};
    struct ensemble *e = stump(1, true, base, 1);
    free(written(e, STATUS_UNSUPPORTED, &error));
    assert_memory_equal(error.text, "tree 0, node 0: NaN goes left", 29);
    ensemble_free(e);
    e = stump(1, false, base, 2);
    free(written(e, STATUS_UNSUPPORTED, &error));
    assert_memory_equal(error.text, "the model has 2 outputs", 11);
    ensemble_free(e);
}

/* --- real models ------------------------------------------------------------------------------ */

static void test_real_models(void **state) {
    (void)state;
    static const char *const files[] = {"quickrank.model.xml", "quickrank.model.v2.xml"};
    const char *folder = getenv("TREEBENCH_DATA");
    if (!folder || !*folder) {
        print_message("TREEBENCH_DATA is unset: no real models\n");
        skip();
        return;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/models/rankeval-samples/%s", folder, files[i]);
        struct ensemble *e = NULL;
        struct error error;
        if (model_read(path, &e, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        assert_int_equal(e->n_trees, 2);
        assert_int_equal(e->n_leaves, 6);
        assert_int_equal(e->n_features, 115);
        assert_int_equal(e->feature[0], 107);
        assert_true(e->value[0] == 0.3412887828162291 * (double)0.1F);
        float x[115] = {0};
        x[7] = 1;
        x[107] = 15; /* right in the first tree, right and left in the second */
        double second = i == 0 ? 0.54762687170967062 : 0.5;
        assert_true(score_by_walking(e, x, 0) ==
                    0.96317280453257792 * (double)0.1F + second * (double)0.1F);
        ensemble_free(e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_by_hand),  cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_cut_anywhere),    cmocka_unit_test(test_written_is_read),
        cmocka_unit_test(test_base_is_written), cmocka_unit_test(test_what_cannot_be_written),
        cmocka_unit_test(test_real_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
