/* Trains a model of XGBoost with random parameters, on random rows.
 *
 * Usage: xgboost_train SEED FOLDER; prints the path of the model that it saves in the folder. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xgboost/c_api.h>

enum { ROWS = 300, COLUMNS_MOST = 24, CATEGORIES = 8 };

static uint64_t state;

static unsigned below(unsigned n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((state >> 33) % n);
}

static void check(int status) {
    if (status == 0)
        return;
    fprintf(stderr, "%s\n", XGBGetLastError());
    exit(1);
}

/* --- rows ------------------------------------------------------------------------------------- */

struct data {
    DMatrixHandle matrix;
    unsigned n_columns;
    bool has_categories; /* the first columns */
    float x[ROWS * COLUMNS_MOST], label[ROWS], upper[ROWS];
};

static float draw_value(bool is_category) {
    if (below(6) == 0)
        return NAN;
    return is_category ? (float)below(CATEGORIES) : (float)below(1 << 16) / 8192 - 4;
}

static void draw_rows(struct data *data) {
    data->n_columns = 1 + below(COLUMNS_MOST);
    data->has_categories = below(4) == 0;
    for (size_t i = 0; i < (size_t)ROWS * data->n_columns; i++)
        data->x[i] = draw_value(data->has_categories && i % data->n_columns < 3);
    check(XGDMatrixCreateFromMat(data->x, ROWS, data->n_columns, NAN, &data->matrix));
    const char *types[COLUMNS_MOST];
    for (unsigned c = 0; c < data->n_columns; c++)
        types[c] = data->has_categories && c < 3 ? "c" : "q";
    check(XGDMatrixSetStrFeatureInfo(data->matrix, "feature_type", types, data->n_columns));
}

/* --- objectives ------------------------------------------------------------------------------- */

static const struct objective {
    const char *name;
    unsigned labels; /* that are whole numbers from 0; 0: any positive number */
} objectives[] = {{"reg:squarederror", 0}, {"reg:squaredlogerror", 0}, {"reg:pseudohubererror", 0},
                  {"reg:logistic", 2},     {"reg:gamma", 0},           {"reg:tweedie", 0},
                  {"binary:logistic", 2},  {"binary:logitraw", 2},     {"binary:hinge", 2},
                  {"count:poisson", 9},    {"rank:pairwise", 4},       {"rank:ndcg", 4},
                  {"survival:cox", 0},     {"survival:aft", 0},        {"multi:softmax", 3},
                  {"multi:softprob", 5}};

static void draw_labels(struct data *data, const struct objective *objective) {
    static const unsigned groups[] = {100, 100, 100};
    for (size_t i = 0; i < ROWS; i++) {
        float first = data->x[i * data->n_columns];
        float value = (isnan(first) ? 1 : fabsf(first)) + (float)below(1000) / 1000;
        data->label[i] =
            objective->labels ? (float)((unsigned)value % objective->labels) : value + 0.125F;
        data->upper[i] = data->label[i] + 1;
    }
    check(XGDMatrixSetFloatInfo(data->matrix, "label", data->label, ROWS));
    if (strncmp(objective->name, "rank", 4) == 0)
        check(XGDMatrixSetUIntInfo(data->matrix, "group", groups, 3));
    if (strcmp(objective->name, "survival:aft") == 0) {
        check(XGDMatrixSetFloatInfo(data->matrix, "label_lower_bound", data->label, ROWS));
        check(XGDMatrixSetFloatInfo(data->matrix, "label_upper_bound", data->upper, ROWS));
    }
}

/* --- training --------------------------------------------------------------------------------- */

static void set_number(BoosterHandle booster, const char *name, double value) {
    char text[40];
    snprintf(text, sizeof text, "%g", value);
    check(XGBoosterSetParam(booster, name, text));
}

static void set_booster(BoosterHandle booster, const struct data *data) {
    static const char *const methods[] = {"exact", "hist", "approx"};
    unsigned kind = below(20);
    check(XGBoosterSetParam(booster, "booster",
                            kind == 0  ? "gblinear"
                            : kind < 5 ? "dart"
                                       : "gbtree"));
    if (kind == 0)
        return;
    if (kind < 5)
        set_number(booster, "rate_drop", 0.1 * below(6));
    check(XGBoosterSetParam(booster, "tree_method",
                            methods[data->has_categories ? 1 + below(2) : below(3)]));
    set_number(booster, "max_cat_to_onehot", 1 + below(9));
    set_number(booster, "max_depth", 1 + below(8));
    set_number(booster, "eta", 0.1 + 0.1 * below(9));
    if (below(4) == 0) {
        set_number(booster, "num_parallel_tree", 2 + below(3));
        set_number(booster, "subsample", 0.5);
    }
}

static void set_parameters(BoosterHandle booster, const struct data *data,
                           const struct objective *objective) {
    set_number(booster, "nthread", 1);
    set_number(booster, "seed", below(1000));
    check(XGBoosterSetParam(booster, "objective", objective->name));
    if (strncmp(objective->name, "multi", 5) == 0)
        set_number(booster, "num_class", objective->labels);
    if (below(2))
        set_number(booster, "base_score", 0.05 + 0.1 * below(10));
    set_booster(booster, data);
}

int main(int argc, char **argv) {
    static struct data data;
    static const char *const suffixes[] = {"json", "ubj", "bin"};
    char path[4096];
    BoosterHandle booster;
    if (argc != 3)
        return 2;
    state = strtoull(argv[1], NULL, 10) * 7919;
    below(2);
    draw_rows(&data);
    const struct objective *objective = &objectives[below(sizeof objectives / sizeof *objectives)];
    draw_labels(&data, objective);
    check(XGBoosterCreate(&data.matrix, 1, &booster));
    set_parameters(booster, &data, objective);
    for (int i = 0, rounds = 3 + (int)below(60); i < rounds; i++)
        check(XGBoosterUpdateOneIter(booster, i, data.matrix));
    snprintf(path, sizeof path, "%s/%s.%s", argv[2], argv[1],
             suffixes[below(data.has_categories ? 2 : 3)]);
    check(XGBoosterSaveModel(booster, path));
    check(XGBoosterFree(booster));
    check(XGDMatrixFree(data.matrix));
    puts(path);
    return 0;
}
