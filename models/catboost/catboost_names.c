/* The names of a CatBoost model's features. They select the columns of tables. */
#include "base/memory.h"
#include "models/catboost/catboost.h"
#include "models/feature_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Several features may point to the same text, so a small file could request much memory. If all
 * names together are longer than the file, no names are used. */
bool catboost_add_name(struct catboost_model *model, uint32_t column, const char *text,
                       size_t length, size_t file_size) {
    bool is_usable =
        length > 0 && length <= file_size - model->names_size && !memchr(text, '\0', length);
    model->no_names = model->no_names || !is_usable;
    if (model->no_names)
        return true;
    if (!memory_grow((void **)&model->names, &model->names_capacity, model->n_names,
                     sizeof *model->names))
        return false;
    model->names[model->n_names++] = (struct catboost_name){column, (uint32_t)length, text};
    model->names_size += length;
    return true;
}

static int compare_columns(const void *a, const void *b) {
    const struct catboost_name *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

enum status catboost_give_names(struct catboost_model *model, struct ensemble *e,
                                struct error *error) {
    struct feature_names names = {0};
    enum status status = STATUS_OK;
    if (model->no_names || model->n_names == 0 || model->n_names != model->n_columns)
        return STATUS_OK;
    qsort(model->names, model->n_names, sizeof *model->names, compare_columns);
    for (size_t i = 0; i < model->n_names; i++)
        if (model->names[i].column != i)
            return STATUS_OK;
    for (size_t i = 0; i < model->n_names && !status; i++)
        status = feature_names_add(&names, model->names[i].text, model->names[i].length, error);
    for (uint32_t i = 0; i < ctrs_count(e->ctrs) && !status; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "CTR %" PRIu32, i);
        status = feature_names_add(&names, name, (size_t)length, error);
    }
    if (!status)
        return feature_names_give(&names, e, "names", error);
    feature_names_free(&names);
    return status;
}
