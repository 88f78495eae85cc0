/* Models that LightGBM trains here, scored by LightGBM and by treebench: from the same text, the
 * same doubles and the same float32 arrays, equal to the last bit. Their dumps are the same models,
 * and LightGBM gives the same scores to models that treebench writes. Skipped where there is no
 * lib_lightgbm.so (TREEBENCH_LIGHTGBM names one). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "harness/cli/shared/inputs.h"
#include "harness/quality/scores.h"
#include "impls/peers/peer_library.h"
#include "models/format.h"
#include "tests/makers/tables.h"
#include "tests/models/same.h"

enum { FLOAT32 = 0, FLOAT64 = 1, RAW_SCORE = 1 };

/* --- LightGBM ----------------------------------------------------------------------------------
 */

static const char *(*last_error)(void);
static int (*dataset_from_matrix)(const void *, int, int32_t, int32_t, int, const char *,
                                  const void *, void **);
static int (*dataset_from_file)(const char *, const char *, const void *, void **);
static int (*dataset_set_field)(void *, const char *, const void *, int, int);
static int (*dataset_free)(void *);
static int (*booster_create)(const void *, const char *, void **);
static int (*booster_update)(void *, int *);
static int (*booster_save)(void *, int, int, int, const char *);
static int (*booster_predict)(const void *, const void *, int, int32_t, int32_t, int, int, int, int,
                              const char *, int64_t *, double *);
static int (*booster_dump)(const void *, int, int, int, int64_t, int64_t *, char *);
static int (*booster_load)(const char *, int *, void **);
static int (*booster_free)(void *);

static const struct loader_symbol functions[] = {
    {"LGBM_GetLastError", (void **)&last_error},
    {"LGBM_DatasetCreateFromMat", (void **)&dataset_from_matrix},
    {"LGBM_DatasetCreateFromFile", (void **)&dataset_from_file},
    {"LGBM_DatasetSetField", (void **)&dataset_set_field},
    {"LGBM_DatasetFree", (void **)&dataset_free},
    {"LGBM_BoosterCreate", (void **)&booster_create},
    {"LGBM_BoosterUpdateOneIter", (void **)&booster_update},
    {"LGBM_BoosterSaveModel", (void **)&booster_save},
    {"LGBM_BoosterPredictForMat", (void **)&booster_predict},
    {"LGBM_BoosterDumpModel", (void **)&booster_dump},
    {"LGBM_BoosterCreateFromModelfile", (void **)&booster_load},
    {"LGBM_BoosterFree", (void **)&booster_free},
    {NULL, NULL}};

#define LGBM(call)                                                                                 \
    do {                                                                                           \
        if (call)                                                                                  \
            fail_msg("%s: %s", #call, last_error());                                               \
    } while (0)

static void find_lightgbm(void) {
    static const struct peer_library library = {.name = "lightgbm",
                                                .file = "lib_lightgbm.so",
                                                .variable = "TREEBENCH_LIGHTGBM",
                                                .origin = "LightGBM's own"};
    struct error error;
    if (peer_library_open(&library, functions, &error)) {
        print_message("%s\n", error.text);
        skip();
    }
}

/* --- tables ----------------------------------------------------------------------------------- */

enum kind { DECIMALS, TIMESTAMPS, PRICES, CATEGORIES, TINY };

static double draw(enum kind kind, size_t column, struct random *random) {
    double u = random_double(random);
    if (random_double(random) < 0.05)
        return (double)NAN;
    if (kind == TIMESTAMPS && column == 0)
        return 1.7e9 + floor(u * 86400);
    if (kind == PRICES)
        return floor(u * u * 30000) / 100;
    if (kind == CATEGORIES && column < 2)
        return floor(u * (column ? 5 : 45));
    if (kind == TINY) /* around what LightGBM takes for zero */
        return (u < 0.5 ? -1 : 1) * pow(10, -36 + floor(4 * random_double(random)));
    return floor(u * 1000) / (column % 2 ? 10 : 1000);
}

static struct table make_table(enum kind kind) {
    struct table t = table_of(4000, 5);
    struct random random;
    random_seed(&random, 17 + (uint64_t)kind);
    for (size_t row = 0; row < t.rows; row++) {
        double sum = 0;
        for (size_t c = 0; c < t.columns; c++) {
            double x = t.values[row * t.columns + c] = draw(kind, c, &random);
            if (kind == CATEGORIES && c < 2 && x == x)
                x = (double)((unsigned)x * 2654435761U >> 29);
            sum += x != x ? -1 : kind == TINY ? x * 1e35 : sin(x + (double)c);
        }
        t.labels[row] = (float)(sum + random_double(&random) / 10);
    }
    return t;
}

/* Zeros and missing values are left out: both are zero to LightGBM there. */
static void write_svmlight(const struct table *t, const char *path, size_t first, size_t last,
                           size_t number) {
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    for (size_t row = first; row < last; row++) {
        fprintf(stream, "%.9g", (double)t->labels[row]);
        for (size_t c = 0; c < t->columns; c++)
            if (fabs(t->values[row * t->columns + c]) > 0) {
                fprintf(stream, " %zu:", c + number);
                write_value(stream, t->values[row * t->columns + c]);
            }
        fputs("\n", stream);
    }
    assert_int_equal(fclose(stream), 0);
}

/* --- training and scoring --------------------------------------------------------------------- */

static void *train(void *data, const char *parameters, int rounds) {
    void *booster;
    int finished = 0;
    LGBM(booster_create(data, parameters, &booster));
    for (int i = 0; i < rounds && !finished; i++)
        LGBM(booster_update(booster, &finished));
    LGBM(booster_save(booster, 0, -1, 0, model_path));
    return booster;
}

static void *train_on_table(const struct table *t, size_t n, const char *parameters, int rounds) {
    void *data;
    LGBM(dataset_from_matrix(t->values, FLOAT64, (int32_t)n, (int32_t)t->columns, 1, parameters,
                             NULL, &data));
    LGBM(dataset_set_field(data, "label", t->labels, (int)n, FLOAT32));
    void *booster = train(data, parameters, rounds);
    LGBM(dataset_free(data));
    return booster;
}

static double *predict(const void *booster, const void *values, int type, size_t rows,
                       size_t columns) {
    int64_t length = 0;
    double *scores = calloc(rows, sizeof *scores);
    assert_non_null(scores);
    LGBM(booster_predict(booster, values, type, (int32_t)rows, (int32_t)columns, 1, RAW_SCORE, 0,
                         -1, "", &length, scores));
    assert_int_equal(length, (int64_t)rows);
    return scores;
}

static size_t count_different(const double *a, const double *b, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += a[i] != b[i];
    return count;
}

/* As `treebench score` scores the file. */
static size_t text_off(const double *expected, size_t rows, enum first_feature first_feature) {
    struct inputs inputs;
    struct scores scores;
    struct error error;
    const struct input_files files = {
        .model = model_path, .data = text_path, .first_feature = (int)first_feature};
    const struct plan plan = {.order = ORDER_DS};
    if (inputs_read(&files, &inputs, &error) ||
        scores_make(inputs.ensemble, "auto", &plan, inputs.documents, NULL, &scores, &error))
        fail_msg("%s", error.text);
    assert_int_equal(inputs.documents->n_rows, rows);
    size_t off = count_different(scores.values, expected, rows);
    scores_free(&scores);
    inputs_free(&inputs);
    return off;
}

/* Through the library: doubles, or the same as float32. */
static size_t arrays_off(const double *values, const float *floats, const double *expected,
                         size_t rows, size_t columns) {
    double *scores = calloc(rows, sizeof *scores);
    assert_non_null(scores);
    score_arrays(values, floats, rows, columns, scores);
    size_t off = count_different(scores, expected, rows);
    free(scores);
    return off;
}

static struct ensemble *read_model(const char *path) {
    struct ensemble *e = NULL;
    struct error error;
    if (model_read(path, &e, &error))
        fail_msg("%s", error.text);
    return e;
}

/* The dump is the same model as the text, or refused because of a threshold that may be infinite.
 */
static void check_dump(const void *booster, const struct ensemble *text) {
    int64_t size;
    LGBM(booster_dump(booster, 0, -1, 0, 0, &size, NULL));
    char *dump = malloc((size_t)size);
    assert_non_null(dump);
    LGBM(booster_dump(booster, 0, -1, 0, size, &size, dump));
    struct ensemble *e = NULL;
    struct error error;
    const struct model_format *format = model_recognise(dump, (size_t)size - 1);
    assert_string_equal(format->name, "lightgbm-json");
    if (strstr(dump, "1.0000000000000001e+300")) {
        assert_int_equal(format->read("dump", dump, (size_t)size - 1, &e, &error),
                         STATUS_UNSUPPORTED);
        assert_non_null(strstr(error.text, "may stand for infinity"));
        print_message("%s\n", error.text);
    } else {
        if (format->read("dump", dump, (size_t)size - 1, &e, &error))
            fail_msg("%s", error.text);
        assert_true(same_ensemble(e, text));
    }
    ensemble_free(e);
    free(dump);
}

/* Scores of the model after treebench has written it. */
static size_t written_off(const struct ensemble *text, const double *values, const double *expected,
                          size_t rows, size_t columns) {
    char path[sizeof model_path + 8];
    struct error error;
    void *booster;
    int iterations;
    snprintf(path, sizeof path, "%s.txt", model_path);
    if (model_write(text, path, "lightgbm", &error))
        fail_msg("%s", error.text);
    LGBM(booster_load(path, &iterations, &booster));
    double *scores = predict(booster, values, FLOAT64, rows, columns);
    size_t off = count_different(scores, expected, rows);
    LGBM(booster_free(booster));
    remove(path);
    free(scores);
    return off;
}

static void compare(const char *name, const struct table *t, const void *booster, size_t first) {
    const double *values = t->values + first * t->columns;
    size_t rows = t->rows - first, count = rows * t->columns;
    float *floats = calloc(count, sizeof *floats);
    assert_non_null(floats);
    for (size_t i = 0; i < count; i++)
        floats[i] = (float)values[i];
    double *of_doubles = predict(booster, values, FLOAT64, rows, t->columns);
    double *of_floats = predict(booster, floats, FLOAT32, rows, t->columns);
    write_csv(t, first);
    size_t text = text_off(of_doubles, rows, FIRST_FEATURE_FOUND);
    size_t doubles = arrays_off(values, NULL, of_doubles, rows, t->columns);
    size_t singles = arrays_off(NULL, floats, of_floats, rows, t->columns);
    struct ensemble *model = read_model(model_path);
    size_t written = written_off(model, values, of_doubles, rows, t->columns);
    print_message(
        "%s: of %zu rows %zu off from text, %zu from doubles, %zu from float32, %zu after "
        "writing (%zu scores of float32 differ from those of doubles)\n",
        name, rows, text, doubles, singles, written, count_different(of_doubles, of_floats, rows));
    check_dump(booster, model);
    ensemble_free(model);
    free(floats);
    free(of_doubles);
    free(of_floats);
    assert_true(text + doubles + singles + written == 0);
}

static void check_table(const char *name, struct table *t, const char *parameters) {
    char all[512];
    size_t training = t->rows * 7 / 10;
    snprintf(all, sizeof all,
             "objective=regression num_leaves=63 min_data_in_leaf=5 learning_rate=0.05 verbose=-1 "
             "num_threads=2 %s",
             parameters);
    void *booster = train_on_table(t, training, all, 500);
    compare(name, t, booster, training);
    LGBM(booster_free(booster));
    free_table(t);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void test_made_up_tables(void **state) {
    (void)state;
    find_lightgbm();
    static const struct {
        const char *name, *parameters;
        enum kind kind;
    } cases[] = {{"decimals", "", DECIMALS},
                 {"decimals, zero as missing", "zero_as_missing=true", DECIMALS},
                 {"decimals, missing as zero", "use_missing=false", DECIMALS},
                 {"timestamps", "", TIMESTAMPS},
                 {"prices", "", PRICES},
                 {"categories", "categorical_feature=0,1", CATEGORIES},
                 {"categories, one-hot",
                  "categorical_feature=0,1 max_cat_to_onehot=64 cat_smooth=1", CATEGORIES},
                 {"tiny numbers", "", TINY},
                 {"tiny numbers, zero as missing", "zero_as_missing=true", TINY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table t = make_table(cases[i].kind);
        check_table(cases[i].name, &t, cases[i].parameters);
    }
}

static void test_shared_tables(void **state) {
    (void)state;
    find_lightgbm();
    static const char *const names[] = {"wine_quality_red.tsv.gz",
                                        "wine_quality_white.tsv.gz",
                                        "spambase.tsv.gz",
                                        "magic.tsv.gz",
                                        "satimage.tsv.gz",
                                        "letter.tsv.gz",
                                        "adult.tsv.gz",
                                        "shuttle.tsv.gz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct table t;
        if (!read_table(names[i], 10000, &t)) {
            print_message("TREEBENCH_DATA is unset: no shared tables\n");
            skip();
        }
        check_table(names[i], &t, "");
    }
}

/* LightGBM reads its training text itself, and numbers features as written. */
static void check_training_text(size_t number, enum first_feature first_feature) {
    struct table t = make_table(DECIMALS);
    const char *parameters = "objective=regression num_leaves=31 verbose=-1 num_threads=2";
    size_t training = t.rows * 7 / 10, rows = t.rows - training, columns = t.columns + number;
    void *data;
    write_svmlight(&t, training_path, 0, training, number);
    write_svmlight(&t, text_path, training, t.rows, number);
    LGBM(dataset_from_file(training_path, parameters, NULL, &data));
    void *booster = train(data, parameters, 100);
    LGBM(dataset_free(data));
    double *as_written = calloc(rows * columns, sizeof *as_written);
    assert_non_null(as_written);
    for (size_t row = 0; row < rows; row++)
        for (size_t c = 0; c < t.columns; c++) {
            double x = t.values[(training + row) * t.columns + c];
            as_written[row * columns + c + number] = x != x ? 0 : x;
        }
    double *expected = predict(booster, as_written, FLOAT64, rows, columns);
    size_t off = text_off(expected, rows, first_feature);
    print_message("text that numbers features from %zu: of %zu rows %zu off\n", number, rows, off);
    LGBM(booster_free(booster));
    free(expected);
    free(as_written);
    free_table(&t);
    assert_int_equal(off, 0);
}

static void test_training_text(void **state) {
    (void)state;
    find_lightgbm();
    check_training_text(0, FIRST_FEATURE_FOUND);
    check_training_text(1, FIRST_FEATURE_FOUND);
    check_training_text(1, FIRST_FEATURE_ZERO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_up_tables),
        cmocka_unit_test(test_shared_tables),
        cmocka_unit_test(test_training_text),
    };
    return cmocka_run_group_tests_name("LightGBM", tests, make_folder, remove_folder);
}
