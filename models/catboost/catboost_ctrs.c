/* Adds CTRs to a CatBoost model: what both file formats check. Sources: CatBoost's
 * static_ctr_provider.cpp, ctr_provider.h and online_ctr.h. */
#include "models/catboost/catboost.h"

#include "base/order.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static enum status no_memory(struct catboost_model *model) {
    return error_memory(&model->inner, "the CTRs of a model");
}

enum status catboost_begin_combination(struct catboost_model *model) {
    if (!model->ctrs)
        model->ctrs = ctrs_create();
    return model->ctrs && ctrs_add_combination(model->ctrs) ? STATUS_OK : no_memory(model);
}

static enum status add_part(struct catboost_model *model, struct ctr_part part) {
    return ctrs_add_part(model->ctrs, &part) ? STATUS_OK : no_memory(model);
}

enum status catboost_add_category(struct catboost_model *model, uint32_t index) {
    const struct catboost_column *found = catboost_find_column(model, index);
    if (!found)
        return error_set(&model->inner, STATUS_INPUT,
                         "a CTR uses the categorical feature %" PRIu32 ", which does not exist",
                         index);
    return add_part(model, (struct ctr_part){.column = found->column, .kind = CTR_CATEGORY});
}

static bool has_border(const struct catboost_borders *list, const struct catboost_feature *feature,
                       float border) {
    return feature->n_bins && bsearch(&border, list->bins.real + feature->first_bin,
                                      feature->n_bins, sizeof border, compare_floats);
}

enum status catboost_add_over(struct catboost_model *model, uint32_t index, float border) {
    const struct catboost_feature *found = catboost_find_feature(model, index);
    if (!found || !isfinite(border) || !has_border(&model->floats, found, border))
        return error_set(&model->inner, STATUS_INPUT,
                         "a CTR uses the border %g of the float feature %" PRIu32
                         ", which does not exist",
                         (double)border, index);
    return add_part(model, (struct ctr_part){.column = found->column,
                                             .border = border,
                                             .kind = CTR_IS_OVER,
                                             .nan_over = found->nan_holds});
}

static bool has_hash(const struct catboost_model *model, const struct catboost_category *category,
                     int32_t hash) {
    return category->n_hashes && bsearch(&hash, model->hashes.i32 + category->first_hash,
                                         category->n_hashes, sizeof hash, compare_int32s);
}

enum status catboost_add_is_category(struct catboost_model *model, uint32_t index, int32_t hash) {
    const struct catboost_category *found = catboost_find_tested(model, index);
    if (!found || !has_hash(model, found, hash))
        return error_set(&model->inner, STATUS_INPUT,
                         "a CTR uses the value %" PRId32 " of the categorical feature %" PRIu32
                         ", which does not exist",
                         hash, index);
    return add_part(model, (struct ctr_part){.column = found->column,
                                             .hash = (uint32_t)hash,
                                             .kind = CTR_IS_CATEGORY});
}

enum status catboost_begin_ctr(struct catboost_model *model) {
    if (model->statistics.n_features >= ENSEMBLE_MAX_FEATURES - model->n_columns)
        return error_set(&model->inner, STATUS_UNSUPPORTED,
                         "the model has more than %d features and CTRs", ENSEMBLE_MAX_FEATURES);
    return catboost_begin_feature(model, &model->statistics, (struct catboost_feature){.index = 0});
}

enum status catboost_add_ctr(struct catboost_model *model, struct ctr ctr) {
    if (!isfinite(ctr.prior) || !isfinite(ctr.prior_total) || !isfinite(ctr.shift) ||
        !isfinite(ctr.scale))
        return error_set(&model->inner, STATUS_INPUT,
                         "the prior, shift or scale of a CTR is not finite");
    return ctrs_add(model->ctrs, &ctr) ? STATUS_OK : no_memory(model);
}

uint32_t catboost_ctr_stride(enum ctr_kind kind, uint32_t n_classes) {
    switch (kind) {
    case CTR_BORDERS:
        return n_classes < 2 ? 0 : n_classes;
    case CTR_BUCKETS:
        return n_classes;
    case CTR_COUNTER:
    case CTR_FREQUENCY:
        return 1;
    default:
        return 2;
    }
}

enum status catboost_give_table(struct catboost_model *model, uint32_t number, uint32_t table) {
    const struct ctr *ctr = ctrs_get(model->ctrs, number);
    uint32_t classes = ctrs_table(model->ctrs, table)->stride;
    bool has_class = ctr->kind != CTR_BORDERS && ctr->kind != CTR_BUCKETS;
    if (!has_class && ctr->class >= classes)
        return error_set(&model->inner, STATUS_INPUT,
                         "CTR %" PRIu32 ": class %" PRIu32 " is out of range (0 to %" PRIu32 ")",
                         number, ctr->class, classes - 1);
    ctrs_set_table(model->ctrs, number, table);
    return STATUS_OK;
}
