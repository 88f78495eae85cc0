/* Recognition of formats, and models that are read and written by file name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/models/reading.h"
#include "tests/models/same.h"

#define XML                                                                                        \
    "<Ensemble><Tree leaves=\"1\" weight=\"1\"><LeafOutputs>2.5</LeafOutputs></Tree></Ensemble>"
#define TEXT "1\n0\nroot 0 0 2.5\nend\n"
#define TREE "<ensemble><tree weight=\"1\"><split><output>2.5</output></split></tree></ensemble>"
#define RANKLIB "## LambdaMART\n" TREE
#define QUICKRANK "<ranker>" TREE "</ranker>"
#define LIGHTGBM                                                                                   \
    "tree\nversion=v4\nnum_tree_per_iteration=1\nmax_feature_idx=0\n\nTree=0\nnum_leaves=1\n"      \
    "num_cat=0\nsplit_feature=\nthreshold=\ndecision_type=\nleft_child=\nright_child=\n"           \
    "leaf_value=2.5\nend of trees\n"
#define CATBOOST                                                                                   \
    " {\n\"features_info\":{},\"oblivious_trees\":[{\"splits\":null,\"leaf_values\":[2.5]}]}"
#define ARCHFOREST "[ {\"id\": 0, \"numSamples\": 4, \"prediction\": [0.25, 0.75]}]"
#define JSON                                                                                       \
    "{\"format\":\"treebench\",\"version\":1,\"features\":1,\"outputs\":1,\"base\":[0],"           \
    "\"trees\":[{\"output\":0,\"feature\":[],\"threshold\":[],\"left\":[],\"right\":[],"           \
    "\"value\":[2.5]}]}"

/* The name of the only format that recognises the text, or NULL. */
static const char *recognised(const char *text) {
    size_t count;
    const struct model_format *const *formats = model_formats(&count);
    const char *name = NULL;
    for (size_t i = 0; i < count; i++) {
        if (formats[i]->recognise(text, strlen(text))) {
            assert_null(name);
            name = formats[i]->name;
        }
    }
    return name;
}

static void test_recognition(void **state) {
    (void)state;
    assert_string_equal(recognised(JSON), "treebench");
    assert_string_equal(recognised("\n {\"version\": 1, \"format\": \"treebench\"}"), "treebench");
    assert_string_equal(recognised(XML), "jforests");
    assert_string_equal(recognised("<?xml version=\"1.0\"?>\n<!-- a -->\n<Ensemble>"), "jforests");
    assert_string_equal(recognised(TEXT), "opttrees");
    assert_string_equal(recognised(RANKLIB), "ranklib");
    assert_string_equal(recognised("## Coordinate Ascent\n1:2"), "ranklib");
    assert_string_equal(recognised(QUICKRANK), "quickrank");
    assert_string_equal(recognised(CATBOOST), "catboost");
    assert_string_equal(recognised("CBM1"), "catboost");
    assert_string_equal(recognised(ARCHFOREST), "archforest");
    assert_string_equal(recognised("tree\r\nversion=v4\r\n"), "lightgbm");
    assert_string_equal(recognised("tree\nnum_class=1\n"),
                        "lightgbm"); /* too old, but recognised, so that the error can explain it */
    static const char *const others[] = {"",      "{",      "{}",         "[\"treebench\"]",
                                         "1\n",   "1\n0\n", "1\n0\nend",  "1 qid:1 1:0.5\n",
                                         "<",     "<?xml",  "<ensemble>", "<Ensembles>",
                                         "hello", "tree\n", "tree",       "trees\nversion=v4"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(recognised(others[i]));
}

/* --- files ------------------------------------------------------------------------------------ */

static char folder[] = "/tmp/treebench-test-XXXXXX";
static char path[sizeof folder + 8];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/model", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    remove(path);
    return rmdir(folder); /* fails if files were left behind */
}

static void write_file(const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static struct ensemble *read_file(void) {
    struct ensemble *e = NULL;
    struct error error;
    if (model_read(path, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static void test_every_format_is_read(void **state) {
    (void)state;
    static const char *const texts[] = {JSON, XML, TEXT, RANKLIB, QUICKRANK, CATBOOST};
    struct ensemble *first = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(texts[i]);
        struct ensemble *e = read_file();
        if (first)
            assert_true(same_ensemble(e, first));
        else
            first = e;
        if (e != first)
            ensemble_free(e);
    }
    ensemble_free(first);
}

/* On Windows, lines end with a carriage return too, and editors begin text with a byte order
 * mark. */
static void test_byte_order_mark_and_carriage_returns(void **state) {
    (void)state;
    static const char *const texts[] = {JSON,      XML,      TEXT,     RANKLIB,
                                        QUICKRANK, CATBOOST, LIGHTGBM, ARCHFOREST};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char changed[1024] = "\xef\xbb\xbf";
        size_t size = 3;
        for (const char *at = texts[i]; *at; at++) {
            if (*at == '\n')
                changed[size++] = '\r';
            changed[size++] = *at;
        }
        write_file(texts[i]);
        struct ensemble *e = read_file();
        write_file(changed);
        struct ensemble *same = read_file();
        assert_true(same_ensemble(e, same));
        ensemble_free(e);
        ensemble_free(same);
    }
}

static void test_what_was_written_is_read(void **state) {
    (void)state;
    write_file(TEXT);
    struct ensemble *e = read_file();
    assert_int_equal(model_write(e, path, NULL, NULL), STATUS_OK);
    struct ensemble *back = read_file();
    assert_true(same_ensemble(e, back));
    ensemble_free(e);
    ensemble_free(back);
}

static void test_unknown_content(void **state) {
    (void)state;
    write_file("hello\n");
    struct ensemble *e = NULL;
    struct error error;
    assert_int_equal(model_read(path, &e, &error), STATUS_INPUT);
    assert_null(e);
    assert_memory_equal(error.text, path, strlen(path));
    assert_non_null(strstr(error.text, "Supported formats: treebench, jforests, opttrees"));
}

/* Files that users pass by mistake, and the advice they get. */
static void test_foreign_content(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *expected;
    } cases[] = {
#define CASE(text, expected) {text, sizeof(text) - 1, expected}
        CASE("\x80\4\x95 lightgbm.sklearn LGBMRegressor", "booster_.save_model(\"model.txt\")"),
        CASE("\x80\5\x95 catboost.core", "save_model(\"model.cbm\")"),
        CASE("\x80\3cxgboost.core Booster", "save_model(\"model.json\")"),
        CASE("\x80\2csklearn.ensemble", "skl2onnx: to_onnx(model, rows[:1])"),
        CASE("\x80\4\x95 other", "or export it with skl2onnx"),
        CASE("x\x9c abc", "as joblib packs Python pickles"),
        CASE("PK\3\4....schema.json", "a skops model"),
        CASE("PK\3\4....model/data.pkl", "a zip archive that contains a Python pickle"),
        CASE("PK\3\4....model.ini", "an H2O MOJO, which only H2O can read"),
        CASE("PK\3\4....other", "a zip archive. Unpack it"),
        CASE("\x89HDF\r\n\x1a\n", "an HDF5 file"),
        CASE("RDX3\nX\n", "an R object, which only R can read"),
        CASE("X\n\0\0\0\3", "an R object, which only R can read"),
        CASE("<?xml version=\"1.0\"?>\n<PMML xmlns=\"http://www.dmg.org/PMML-4_4\">",
             "PMML, which is not supported"),
        CASE("\10\10\22\14pytorch.onnx", "an ONNX model without a TreeEnsemble node"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(cases[i].text, 1, cases[i].size, file), cases[i].size);
        assert_int_equal(fclose(file), 0);
        struct ensemble *e = NULL;
        struct error error = {""};
        assert_int_equal(model_read(path, &e, &error), STATUS_INPUT);
        if (!strstr(error.text, cases[i].expected))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].expected);
    }
}

static void test_errors_name_the_file(void **state) {
    (void)state;
    write_file("1\n0\nroot 0 0 x\n");
    struct ensemble *e = NULL;
    struct error error;
    assert_int_equal(model_read(path, &e, &error), STATUS_INPUT);
    assert_memory_equal(error.text, path, strlen(path));
    assert_memory_equal(error.text + strlen(path), ":3: ", 4);
}

static void test_unknown_writer(void **state) {
    (void)state;
    write_file(TEXT);
    struct ensemble *e = read_file();
    struct error error;
    assert_int_equal(model_write(e, path, "jforests", &error), STATUS_INPUT);
    static const char expected[] =
        "cannot write models as 'jforests'. Supported formats: treebench";
    assert_memory_equal(error.text, expected, sizeof expected - 1);
    ensemble_free(e);
    ensemble_free(read_file()); /* the file is unchanged */
}

/* A failed write leaves the old file and nothing else; otherwise remove_folder fails. */
static void test_failed_write_leaves_nothing(void **state) {
    (void)state;
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_leaf(b, 0, UINT64_MAX - 1);
    struct ensemble *e = NULL;
    struct error error;
    assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){0}, &e, NULL), STATUS_OK);
    write_file(TEXT);
    assert_int_equal(model_write(e, path, NULL, &error), STATUS_UNSUPPORTED);
    assert_memory_equal(error.text, path, strlen(path));
    ensemble_free(e);
    e = read_file();
    assert_true(e->value[0] == 2.5);
    ensemble_free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recognition),
        cmocka_unit_test(test_every_format_is_read),
        cmocka_unit_test(test_byte_order_mark_and_carriage_returns),
        cmocka_unit_test(test_what_was_written_is_read),
        cmocka_unit_test(test_unknown_content),
        cmocka_unit_test(test_foreign_content),
        cmocka_unit_test(test_errors_name_the_file),
        cmocka_unit_test(test_unknown_writer),
        cmocka_unit_test(test_failed_write_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
