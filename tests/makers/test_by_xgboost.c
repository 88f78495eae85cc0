/* Models that XGBoost trains here, scored by XGBoost and by treebench from the same texts: the same
 * leaves, bit for bit, because their float32 sums are the same. */
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
#include <xgboost/c_api.h>

#include "base/files/file.h"
#include "base/random.h"
#include "datasets/data.h"
#include "models/format.h"

enum { ROWS = 600, TRAINING_ROWS = 400, MAX_COLUMNS = 8, MAX_CELL = 32, MAX_OUTPUTS = 4 };

#define XGB(call)                                                                                  \
    do {                                                                                           \
        if (call)                                                                                  \
            fail_msg("%s: %s", #call, XGBGetLastError());                                          \
    } while (0)

/* --- tables ----------------------------------------------------------------------------------- */

/* What a person has: the text of each cell, "" where it is missing. */
struct table {
    uint32_t columns;
    char cell[ROWS][MAX_COLUMNS][MAX_CELL];
    float label[ROWS];
};

enum kind { DECIMALS, TIMESTAMPS, CATEGORIES };

static void write_cell(char *cell, enum kind kind, uint32_t column, struct random *random) {
    double u = random_double(random);
    if (random_double(random) < 0.1)
        cell[0] = '\0';
    else if (kind == TIMESTAMPS && column == 0)
        snprintf(cell, MAX_CELL, "%.0f", 1.6e9 + floor(u * 1e6));
    else if (kind == CATEGORIES && column < 2)
        snprintf(cell, MAX_CELL, "%.0f", floor(u * (column ? 5 : 45)));
    else
        snprintf(cell, MAX_CELL, "%.*f", column % 2 ? 1 : 2, u * 10);
}

/* A label that depends on all columns; a category counts by its bits. */
static float make_label(struct table *t, uint32_t row, enum kind kind, int classes) {
    double sum = 0;
    for (uint32_t c = 0; c < t->columns; c++) {
        double value = atof(t->cell[row][c]);
        if (kind == TIMESTAMPS && c == 0)
            value = (value - 1.6e9) / 1e5;
        if (kind == CATEGORIES && c < 2)
            value = (double)((unsigned)value * 2654435761U >> 29);
        sum += value / (c + 1);
    }
    return (float)(classes ? fmod(floor(sum), classes) : sum);
}

static struct table *make_table(enum kind kind, uint32_t columns, int classes) {
    struct table *t = calloc(1, sizeof *t);
    struct random random;
    assert_non_null(t);
    random_seed(&random, 7 + (uint64_t)kind);
    t->columns = columns;
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t c = 0; c < columns; c++)
            write_cell(t->cell[row][c], kind, c, &random);
        t->label[row] = make_label(t, row, kind, classes);
    }
    return t;
}

static float *to_floats(const struct table *t) {
    float *values = calloc((size_t)ROWS * t->columns, sizeof *values);
    assert_non_null(values);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t c = 0; c < t->columns; c++) {
            const char *cell = t->cell[row][c];
            values[row * t->columns + c] = *cell ? (float)strtod(cell, NULL) : NAN;
        }
    return values;
}

/* --- files ------------------------------------------------------------------------------------ */

static char folder[] = "/tmp/treebench-makers-XXXXXX";
static char path_text[4096];

static const char *path_of(const char *name) {
    snprintf(path_text, sizeof path_text, "%s/%s", folder, name);
    return path_text;
}

static FILE *create(const char *name) {
    FILE *stream = fopen(path_of(name), "w");
    assert_non_null(stream);
    return stream;
}

static void write_csv(const struct table *t, const char *name) {
    FILE *stream = create(name);
    for (uint32_t c = 0; c < t->columns; c++)
        fprintf(stream, "%sf%u", c ? "," : "", c);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t c = 0; c < t->columns; c++)
            fprintf(stream, "%s%s", c ? "," : "\n", t->cell[row][c]);
    fputs("\n", stream);
    assert_int_equal(fclose(stream), 0);
}

static void write_svmlight(const struct table *t, const char *name, uint32_t first) {
    FILE *stream = create(name);
    for (uint32_t row = 0; row < ROWS; row++) {
        fprintf(stream, "%g", (double)t->label[row]);
        for (uint32_t c = 0; c < t->columns; c++)
            if (*t->cell[row][c])
                fprintf(stream, " %u:%s", first + c, t->cell[row][c]);
        fputs("\n", stream);
    }
    assert_int_equal(fclose(stream), 0);
}

/* --- XGBoost ---------------------------------------------------------------------------------- */

/* One way to train: parameters as "name=value" texts, up to NULL. */
struct training {
    const char *parameters[12];
    int rounds, best; /* best: -1 without early stopping */
    const char *model;
};

static BoosterHandle new_booster(const struct training *how, const DMatrixHandle *data) {
    BoosterHandle booster;
    XGB(XGBoosterCreate(data, data ? 1 : 0, &booster));
    XGB(XGBoosterSetParam(booster, "nthread", "1"));
    for (const char *const *p = how->parameters; *p; p++) {
        char name[64];
        size_t length = strcspn(*p, "=");
        snprintf(name, sizeof name, "%.*s", (int)length, *p);
        XGB(XGBoosterSetParam(booster, name, *p + length + 1));
    }
    return booster;
}

static void train(const struct training *how, DMatrixHandle data) {
    BoosterHandle booster = new_booster(how, &data);
    for (int i = 0; i < how->rounds; i++)
        XGB(XGBoosterUpdateOneIter(booster, i, data));
    if (how->best >= 0) {
        char text[16];
        snprintf(text, sizeof text, "%d", how->best);
        XGB(XGBoosterSetAttr(booster, "best_iteration", text));
    }
    XGB(XGBoosterSaveModel(booster, path_of(how->model)));
    XGB(XGBoosterFree(booster));
}

/* The margins of a model that was read back, [ROWS * n_outputs], which the caller frees. */
static float *predict(const struct training *how, DMatrixHandle data, uint64_t *n) {
    static const struct training no_parameters = {{NULL}, 0, -1, NULL};
    BoosterHandle booster = new_booster(&no_parameters, NULL);
    XGB(XGBoosterLoadModel(booster, path_of(how->model)));
    char config[160];
    snprintf(config, sizeof config,
             "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": %d, "
             "\"strict_shape\": false}",
             how->best + 1);
    const bst_ulong *shape;
    bst_ulong dimensions, size = 1;
    const float *margins;
    XGB(XGBoosterPredictFromDMatrix(booster, data, config, &shape, &dimensions, &margins));
    for (bst_ulong d = 0; d < dimensions; d++)
        size *= shape[d];
    float *copy = malloc(size * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, margins, size * sizeof *copy);
    *n = size;
    XGB(XGBoosterFree(booster));
    return copy;
}

static void set_labels(DMatrixHandle data, const struct table *t, size_t rows) {
    XGB(XGDMatrixSetFloatInfo(data, "label", t->label, rows));
}

static DMatrixHandle to_matrix(const struct table *t, const float *values, size_t rows,
                               enum kind kind) {
    DMatrixHandle data;
    const char *types[MAX_COLUMNS];
    for (uint32_t c = 0; c < t->columns; c++)
        types[c] = kind == CATEGORIES && c < 2 ? "c" : "float";
    XGB(XGDMatrixCreateFromMat(values, rows, t->columns, NAN, &data));
    XGB(XGDMatrixSetStrFeatureInfo(data, "feature_type", types, t->columns));
    set_labels(data, t, rows);
    return data;
}

/* --- treebench -------------------------------------------------------------------------------- */

/* Adds as XGBoost does: in float32, tree by tree. `bound` becomes what rounding may make of it. */
static float float_score(const struct ensemble *e, const float *x, uint32_t output, double *bound) {
    float score = (float)e->base[output];
    double sum = fabs(e->base[output]);
    for (uint32_t t = 0; t < e->n_trees; t++) {
        int32_t child = ensemble_tree_nodes(e, t) ? 0 : ~0;
        if (e->tree_output[t] != output)
            continue;
        while (child >= 0) {
            size_t node = e->tree_node[t] + (uint32_t)child;
            child =
                ensemble_goes_left(e, node, x[e->feature[node]]) ? e->left[node] : e->right[node];
        }
        double value = e->value[e->tree_leaf[t] + (uint32_t)~child];
        score += (float)value;
        sum += fabs(value);
    }
    *bound = sum * (e->n_trees + 1) * 0x1p-24;
    return score;
}

static struct ensemble *read_model(const struct training *how) {
    struct ensemble *e = NULL;
    struct error error;
    if (model_read(path_of(how->model), &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    if (how->best >= 0) {
        assert_true(e->best_trees > 0 && e->best_trees < e->n_trees);
        ensemble_keep_first(e, e->best_trees);
    }
    return e;
}

static void compare_leaves(const struct training *how, const struct matrix *documents,
                           const float *margins, size_t n) {
    struct ensemble *e = read_model(how);
    size_t differ = 0;
    assert_int_equal(n, (size_t)ROWS * e->n_outputs);
    for (size_t row = 0; row < ROWS; row++)
        for (uint32_t k = 0; k < e->n_outputs; k++) {
            double bound;
            float score = float_score(e, matrix_row(documents, row), k, &bound);
            differ += memcmp(&score, &margins[row * e->n_outputs + k], sizeof score) != 0;
        }
    if (differ)
        fail_msg("%s: %zu of %zu margins differ", how->model, differ, n);
    ensemble_free(e);
}

/* What the program prints, in the order of the margins. */
static void compare_program(const struct training *how, const char *data, const char *options,
                            const struct matrix *documents, const float *margins) {
    const char *program = getenv("TREEBENCH");
    if (!program || !*program)
        return;
    struct ensemble *e = read_model(how);
    char command[3 * sizeof path_text];
    snprintf(command, sizeof command, "%s score --model %s/%s --data %s/%s %s%s 2>&1", program,
             folder, how->model, folder, data, options, how->best >= 0 ? " --trees best" : "");
    FILE *scores = popen(command, "r");
    assert_non_null(scores);
    char line[1024];
    size_t row = 0;
    while (fgets(line, sizeof line, scores)) {
        if (strncmp(line, "treebench: ", 11) == 0)
            continue; /* a note */
        char *at = line;
        assert_true(row < ROWS);
        for (uint32_t k = 0; k < e->n_outputs; k++) {
            double bound, score = strtod(at, &at), margin = (double)margins[row * e->n_outputs + k];
            float_score(e, matrix_row(documents, row), k, &bound);
            if (!(fabs(score - margin) <= bound))
                fail_msg("%s: row %zu: %.9g instead of %.9g", how->model, row, score, margin);
        }
        row++;
    }
    if (pclose(scores) != 0 || row != ROWS)
        fail_msg("%s: %s", command, line);
    ensemble_free(e);
}

static void compare(const struct training *how, const char *data, const char *options,
                    DMatrixHandle matrix, const struct data_reading *reading) {
    struct matrix *documents = NULL;
    struct error error;
    uint64_t n;
    float *margins = predict(how, matrix, &n);
    struct ensemble *e = read_model(how);
    struct data_reading with_categories = *reading;
    with_categories.categories = e->categories;
    if (data_read(path_of(data), &with_categories, &documents, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    compare_leaves(how, documents, margins, n);
    compare_program(how, data, options, documents, margins);
    ensemble_free(e);
    matrix_free(documents);
    free(margins);
}

/* --- the tests -------------------------------------------------------------------------------- */

static void check_tables(enum kind kind, int classes, const struct training *how, size_t n_how) {
    struct table *t = make_table(kind, 5, classes);
    float *values = to_floats(t);
    DMatrixHandle training = to_matrix(t, values, TRAINING_ROWS, kind);
    DMatrixHandle all = to_matrix(t, values, ROWS, kind);
    const struct data_reading reading = {.n_features = t->columns};
    write_csv(t, "table.csv");
    for (size_t i = 0; i < n_how; i++) {
        train(&how[i], training);
        compare(&how[i], "table.csv", "", all, &reading);
    }
    XGB(XGDMatrixFree(training));
    XGB(XGDMatrixFree(all));
    free(values);
    free(t);
}
#define CHECK_TABLES(kind, classes, how) check_tables(kind, classes, how, sizeof how / sizeof *how)

static void test_decimals(void **state) {
    (void)state;
    static const struct training how[] = {
        {{"tree_method=exact", "max_depth=8", NULL}, 50, -1, "exact.json"},
        {{"tree_method=hist", "max_bin=64", NULL}, 50, -1, "hist.ubj"},
        {{"tree_method=exact", "base_score=3", NULL}, 50, 20, "old.model"},
        {{"tree_method=exact", "num_parallel_tree=3", "subsample=0.7", NULL}, 12, 5, "forest.json"},
        {{"tree_method=exact", "num_parallel_tree=3", "subsample=0.7", NULL},
         12,
         5,
         "forest.model"},
        {{"objective=reg:pseudohubererror", NULL}, 10, -1, "huber.json"},
    };
    CHECK_TABLES(DECIMALS, 0, how);
}

static void test_timestamps(void **state) {
    (void)state;
    static const struct training how[] = {
        {{"tree_method=exact", "max_depth=7", NULL}, 40, -1, "exact.json"},
        {{"tree_method=hist", "max_depth=7", NULL}, 40, -1, "hist.json"},
    };
    CHECK_TABLES(TIMESTAMPS, 0, how);
}

static void test_objectives(void **state) {
    (void)state;
    static const struct training how[] = {
        {{"objective=binary:logistic", NULL}, 20, -1, "logistic.json"},
        {{"objective=binary:logistic", "base_score=0.3", NULL}, 20, -1, "logistic.model"},
        {{"objective=binary:logitraw", "base_score=0.3", NULL}, 20, -1, "logitraw.json"},
        {{"objective=binary:logitraw", "base_score=0.3", NULL}, 20, -1, "logitraw.model"},
        {{"objective=count:poisson", NULL}, 20, -1, "poisson.ubj"},
        {{"objective=reg:tweedie", NULL}, 20, -1, "tweedie.json"},
        {{"objective=multi:softprob", "num_class=2", NULL}, 20, 7, "classes.json"},
        {{"objective=multi:softprob", "num_class=2", NULL}, 20, 7, "classes.model"},
    };
    CHECK_TABLES(DECIMALS, 2, how);
}

static void test_categories(void **state) {
    (void)state;
    static const struct training how[] = {
        {{"tree_method=hist", "max_cat_to_onehot=1", "max_depth=8", NULL}, 30, -1, "sets.json"},
        {{"tree_method=hist", "max_cat_to_onehot=1", "max_depth=8", NULL}, 30, -1, "sets.ubj"},
        {{"tree_method=hist", "max_cat_to_onehot=100", NULL}, 30, 11, "onehot.json"},
    };
    CHECK_TABLES(CATEGORIES, 0, how);
}

enum { WORDS = 45, NUMBERS = 5 }; /* categories of the first two columns */

/* The word of a code, or the number. */
static void category_text(uint32_t column, int code, char text[static MAX_CELL]) {
    if (column == 0)
        snprintf(text, MAX_CELL, "town, %d", code * 7 % WORDS);
    else
        snprintf(text, MAX_CELL, "%d", 100 - 7 * code);
}

/* What version 3.1 would write, had the table had words and numbers instead of codes. */
static void write_cats(FILE *stream) {
    static const char end[] = "{\"offsets\":[],\"values\":[]}";
    char text[MAX_CELL];
    size_t offset = 0;
    fputs("\"cats\":{\"enc\":[{\"offsets\":[0", stream);
    for (int code = 0; code < WORDS; code++) {
        category_text(0, code, text);
        fprintf(stream, ",%zu", offset += strlen(text));
    }
    fputs("],\"values\":[", stream);
    for (int code = 0; code < WORDS; code++) {
        category_text(0, code, text);
        for (const char *at = text; *at; at++)
            fprintf(stream, "%s%d", code || at > text ? "," : "", *at);
    }
    fputs("]},{\"type\":15,\"values\":[", stream);
    for (int code = 0; code < NUMBERS; code++) {
        category_text(1, code, text);
        fprintf(stream, "%s%s", code ? "," : "", text);
    }
    fprintf(stream, "]},%s,%s,%s],\"feature_segments\":[0,45,50,50,50,50],\"sorted_idx\":[]},", end,
            end, end);
}

static void add_cats(const char *model) {
    static const char begin[] = "\"model\":{";
    struct file_text text;
    struct error error;
    if (file_read(path_of(model), &text, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    const char *at = strstr(text.data, begin);
    assert_non_null(at);
    at += sizeof begin - 1;
    FILE *stream = create(model);
    fwrite(text.data, 1, (size_t)(at - text.data), stream);
    write_cats(stream);
    fputs(at, stream);
    assert_int_equal(fclose(stream), 0);
    file_text_free(&text);
}

static void write_word_csv(const struct table *t, const char *name) {
    FILE *stream = create(name);
    fputs("f0,f1,f2,f3,f4\n", stream);
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t c = 0; c < t->columns; c++) {
            char text[MAX_CELL];
            const char *cell = t->cell[row][c];
            snprintf(text, sizeof text, "%s", cell);
            if (*cell && c < 2)
                category_text(c, atoi(cell), text);
            fprintf(stream, c == 0 && *cell ? "\"%s\"%s" : "%s%s", text,
                    c + 1 < t->columns ? "," : "\n");
        }
    assert_int_equal(fclose(stream), 0);
}

static void test_words(void **state) {
    (void)state;
    static const struct training how = {
        {"tree_method=hist", "max_cat_to_onehot=1", NULL}, 30, -1, "words.json"};
    struct table *t = make_table(CATEGORIES, 5, 0);
    float *values = to_floats(t);
    DMatrixHandle training = to_matrix(t, values, TRAINING_ROWS, CATEGORIES);
    DMatrixHandle all = to_matrix(t, values, ROWS, CATEGORIES);
    const struct data_reading reading = {.n_features = t->columns};
    train(&how, training);
    add_cats(how.model);
    write_word_csv(t, "words.csv");
    compare(&how, "words.csv", "", all, &reading);
    XGB(XGDMatrixFree(training));
    XGB(XGDMatrixFree(all));
    free(values);
    free(t);
}

/* XGBoost takes the numbers of features as they are. */
static void check_svmlight(uint32_t first) {
    static const struct training how = {{"tree_method=exact", NULL}, 30, -1, "text.json"};
    struct table *t = make_table(DECIMALS, 5, 0);
    const struct data_reading reading = {
        .missing = NAN, .from_zero = true, .n_features = t->columns + first};
    DMatrixHandle data;
    char uri[sizeof path_text + 32];
    write_svmlight(t, "table.svm", first);
    snprintf(uri, sizeof uri, "%s?format=libsvm", path_of("table.svm"));
    XGB(XGDMatrixCreateFromFile(uri, 1, &data));
    train(&how, data);
    compare(&how, "table.svm", "--missing nan --first-feature 0", data, &reading);
    XGB(XGDMatrixFree(data));
    free(t);
}

static void test_svmlight_from_zero(void **state) {
    (void)state;
    check_svmlight(0);
}

static void test_svmlight_from_one(void **state) {
    (void)state;
    check_svmlight(1);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_timestamps),
        cmocka_unit_test(test_objectives),
        cmocka_unit_test(test_categories),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_svmlight_from_zero),
        cmocka_unit_test(test_svmlight_from_one),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
