/* The shared tables: trained with XGBoost on 70 % of the rows, the others scored by it and by
 * treebench from text, from doubles and from float32. Leaves are equal if sums in float32 are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <xgboost/c_api.h>

#include "harness/cli/shared/inputs.h"
#include "tests/makers/tables.h"

#define XGB(call)                                                                                  \
    do {                                                                                           \
        if (call)                                                                                  \
            fail_msg("%s: %s", #call, XGBGetLastError());                                          \
    } while (0)

static float *to_floats(const struct table *t) {
    float *floats = calloc(t->rows * t->columns, sizeof *floats);
    assert_non_null(floats);
    for (size_t i = 0; i < t->rows * t->columns; i++)
        floats[i] = (float)t->values[i];
    return floats;
}

/* Trains on the first n rows, saves the model and gives the margins of the others. */
static float *train_and_predict(const struct table *t, const float *floats, size_t n) {
    static const char *const parameters[][2] = {
        {"objective", "reg:squarederror"}, {"tree_method", "hist"}, {"max_leaves", "63"},
        {"grow_policy", "lossguide"},      {"max_depth", "0"},      {"eta", "0.05"}};
    DMatrixHandle training, rest;
    BoosterHandle booster;
    XGB(XGDMatrixCreateFromMat(floats, n, t->columns, NAN, &training));
    XGB(XGDMatrixSetFloatInfo(training, "label", t->labels, n));
    XGB(XGDMatrixCreateFromMat(floats + n * t->columns, t->rows - n, t->columns, NAN, &rest));
    XGB(XGBoosterCreate(&training, 1, &booster));
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        XGB(XGBoosterSetParam(booster, parameters[i][0], parameters[i][1]));
    const int rounds = getenv("TREEBENCH_MAKERS") ? 500 : 50; /* make makers has the time */
    for (int round = 0; round < rounds; round++)
        XGB(XGBoosterUpdateOneIter(booster, round, training));
    XGB(XGBoosterSaveModel(booster, model_path));
    const char *config = "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, "
                         "\"iteration_end\": 0, \"strict_shape\": false}";
    const bst_ulong *shape;
    bst_ulong dimensions;
    const float *margins;
    XGB(XGBoosterPredictFromDMatrix(booster, rest, config, &shape, &dimensions, &margins));
    float *copy = calloc(t->rows - n, sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, margins, (t->rows - n) * sizeof *copy);
    XGB(XGBoosterFree(booster));
    XGB(XGDMatrixFree(training));
    XGB(XGDMatrixFree(rest));
    return copy;
}

/* Adds in float32, tree by tree, as XGBoost does. */
static float float_score(const struct ensemble *e, const float *x) {
    float score = (float)e->base[0];
    for (uint32_t t = 0; t < e->n_trees; t++) {
        int32_t child = ensemble_tree_nodes(e, t) ? 0 : ~0;
        while (child >= 0) {
            size_t node = e->tree_node[t] + (uint32_t)child;
            child =
                ensemble_goes_left(e, node, x[e->feature[node]]) ? e->left[node] : e->right[node];
        }
        score += (float)e->value[e->tree_leaf[t] + (uint32_t)~child];
    }
    return score;
}

static size_t text_off(const float *margins, size_t rows, const char *label) {
    struct inputs inputs;
    struct error error;
    const struct input_files files = {.model = model_path, .data = text_path, .label = label};
    size_t off = 0;
    if (inputs_read(&files, &inputs, &error))
        fail_msg("%s", error.text);
    assert_int_equal(inputs.documents->n_rows, rows);
    for (size_t row = 0; row < rows; row++)
        off += float_score(inputs.ensemble, matrix_row(inputs.documents, row)) != margins[row];
    inputs_free(&inputs);
    return off;
}

/* Through the library; rounding in float32 may make so much of a sum. */
static size_t arrays_off(const double *values, const float *floats, const float *margins,
                         size_t rows, size_t columns) {
    double *scores = calloc(rows, sizeof *scores);
    size_t off = 0;
    score_arrays(values, floats, rows, columns, scores);
    for (size_t row = 0; row < rows; row++)
        off += !(fabs(scores[row] - (double)margins[row]) <= 1e-5 * (1 + fabs(scores[row])));
    free(scores);
    return off;
}

static void check_table(const char *name, struct table *t) {
    size_t first = t->rows * 7 / 10, rows = t->rows - first;
    float *floats = to_floats(t), *margins = train_and_predict(t, floats, first);
    write_csv(t, first);
    size_t text = text_off(margins, rows, NULL);
    size_t doubles = arrays_off(t->values + first * t->columns, NULL, margins, rows, t->columns);
    size_t singles = arrays_off(NULL, floats + first * t->columns, margins, rows, t->columns);
    print_message("%s: of %zu rows %zu off from text, %zu from doubles, %zu from float32\n", name,
                  rows, text, doubles, singles);
    free(floats);
    free(margins);
    free_table(t);
    assert_true(text + doubles + singles == 0);
}

static void test_shared_tables(void **state) {
    (void)state;
    static const char *const names[] = {"wine_quality_red.tsv.gz", "wine_quality_white.tsv.gz",
                                        "spambase.tsv.gz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct table t;
        if (!read_table(names[i], 5000, &t)) {
            print_message("TREEBENCH_DATA is unset: no shared tables\n");
            skip();
        }
        check_table(names[i], &t);
    }
}

/* --- a model of one feature ------------------------------------------------------------------- */

/* Steps of a made-up feature; some values are missing. */
static struct table one_feature(void) {
    struct table t = table_of(600, 1);
    for (size_t row = 0; row < t.rows; row++) {
        t.values[row] = row % 13 == 5 ? (double)NAN : (double)(row * 37 % 100) / 4;
        t.labels[row] = row % 13 == 5 ? -7 : (float)(row * 37 % 100 / 9 * 29 % 17);
    }
    return t;
}

/* A line is a value, so that all lines are numbers, or a value and a label behind the separator. */
static void write_lines(const struct table *t, size_t first, const char *header, char separator) {
    FILE *stream = fopen(text_path, "w");
    assert_non_null(stream);
    fputs(header, stream);
    for (size_t row = first; row < t->rows; row++) {
        write_value(stream, t->values[row]);
        if (t->values[row] != t->values[row])
            fputs(separator ? "NA" : "nan", stream);
        if (separator)
            fprintf(stream, "%c%g", separator, (double)t->labels[row]);
        fputs("\n", stream);
    }
    assert_int_equal(fclose(stream), 0);
}

/* The labels must not become features, nor the feature labels. */
static void test_one_feature(void **state) {
    (void)state;
    static const struct {
        const char *header, *label;
        char separator;
    } forms[] = {{"", NULL, '\0'},          {"x\n", NULL, '\0'}, {"x,label\n", NULL, ','},
                 {"", "last", ','},         {"", "last", ' '},   {"x target\n", NULL, ' '},
                 {"x\tlabel\n", NULL, '\t'}};
    struct table t = one_feature();
    size_t first = t.rows * 7 / 10;
    float *floats = to_floats(&t), *margins = train_and_predict(&t, floats, first);
    assert_true(margins[0] != margins[1]);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        write_lines(&t, first, forms[i].header, forms[i].separator);
        size_t off = text_off(margins, t.rows - first, forms[i].label);
        if (off)
            fail_msg("form %zu: %zu rows off", i, off);
    }
    free(floats);
    free(margins);
    free_table(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared_tables),
                                       cmocka_unit_test(test_one_feature)};
    return cmocka_run_group_tests_name("XGBoost", tests, make_folder, remove_folder);
}
