/* CatBoost's functions for applying models, as its c_api.h declares them. Whatever the file is, the
 * model is the tree of make_stump (common.bash). -DCATEGORIES=1 gives it a categorical feature. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifndef CATEGORIES
#define CATEGORIES 0
#endif

void *ModelCalcerCreate(void);
void ModelCalcerDelete(void *model);
const char *GetErrorString(void);
bool LoadFullModelFromFile(void *model, const char *path);
size_t GetFloatFeaturesCount(void *model);
size_t GetCatFeaturesCount(void *model);
size_t GetDimensionsCount(void *model);
bool CalcModelPrediction(void *model, size_t n_rows, const float **rows, size_t n_numbers,
                         const char ***categories, size_t n_categories, double *results,
                         size_t n_results);
bool CalcModelPredictionSingle(void *model, const float *row, size_t n_numbers,
                               const char **categories, size_t n_categories, double *results,
                               size_t n_results);

static int loaded;

void *ModelCalcerCreate(void) {
    return &loaded;
}

void ModelCalcerDelete(void *model) {
    *(int *)model = 0;
}

const char *GetErrorString(void) {
    return "no such model";
}

bool LoadFullModelFromFile(void *model, const char *path) {
    *(int *)model = !strstr(path, "missing");
    return *(int *)model;
}

size_t GetFloatFeaturesCount(void *model) {
    return *(int *)model ? 3 : 0;
}

size_t GetCatFeaturesCount(void *model) {
    (void)model;
    return CATEGORIES;
}

size_t GetDimensionsCount(void *model) {
    return *(int *)model ? 1 : 0;
}

bool CalcModelPredictionSingle(void *model, const float *row, size_t n_numbers,
                               const char **categories, size_t n_categories, double *results,
                               size_t n_results) {
    *results = row[0] <= 0.5f ? 10 : row[2] <= 1.5f ? 20 : 30;
    return *(int *)model && n_numbers == 3 && !categories && !n_categories && n_results == 1;
}

bool CalcModelPrediction(void *model, size_t n_rows, const float **rows, size_t n_numbers,
                         const char ***categories, size_t n_categories, double *results,
                         size_t n_results) {
    bool done = n_results == n_rows && !categories;
    for (size_t i = 0; done && i < n_rows; i++)
        done = CalcModelPredictionSingle(model, rows[i], n_numbers, NULL, n_categories, &results[i],
                                         1);
    return done;
}
