/* Reads the facts about the training data in a LightGBM file: which features had values, and which
 * words the codes of pandas' categories represent. */
#include "base/files/json.h"
#include "models/categories.h"
#include "models/lightgbm/lightgbm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Are the names LightGBM's default names, which it gives to features of data without names? */
static bool names_are_numbers(const struct ensemble *e) {
    return e->feature_names && strncmp(e->feature_names, "Column_0", 9) == 0;
}

/* --- pandas' categories ----------------------------------------------------------------------- */

/* Lists the features that may have a list of categories, in increasing order: all categorical
 * features. If with_none is true, features without values are listed too, because these had a
 * single value in training and may be categorical. */
static uint32_t list_features(const struct lightgbm_facts *facts, uint32_t n_features,
                              bool with_none, uint32_t *features) {
    uint32_t count = 0;
    for (uint32_t f = 0; f < n_features && f < facts->n_infos; f++)
        if (facts->infos[f] == LIGHTGBM_CATEGORIES ||
            (with_none && facts->infos[f] == LIGHTGBM_NO_VALUES))
            features[count++] = f;
    return count;
}

static bool add_category(struct categories *categories, uint32_t feature, const cJSON *item) {
    if (cJSON_IsNumber(item))
        return categories_add_number(categories, feature, item->valuedouble);
    const char *word = cJSON_IsString(item) ? item->valuestring
                       : cJSON_IsTrue(item) ? "True"
                                            : "False";
    return categories_add_word(categories, feature, word, strlen(word));
}

/* Is it a list of only words, only numbers or only truth values? */
static bool is_list(const cJSON *list) {
    const cJSON *item;
    if (!cJSON_IsArray(list))
        return false;
    cJSON_ArrayForEach(item, list) {
        bool number = cJSON_IsNumber(item) != 0;
        bool word = cJSON_IsString(item) || cJSON_IsBool(item);
        if (!(number || word) || number != (cJSON_IsNumber(list->child) != 0))
            return false;
    }
    return true;
}

static enum status add_lists(const struct lightgbm_facts *facts, const cJSON *lists,
                             uint32_t *features, struct ensemble *e, struct error *error) {
    uint32_t n_lists = (uint32_t)cJSON_GetArraySize(lists), n = 0;
    for (int with_none = 0; n != n_lists && with_none < 2; with_none++)
        n = list_features(facts, e->n_features, with_none, features);
    if (n != n_lists)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: pandas_categorical has %" PRIu32 " lists for %" PRIu32
                         " categorical features, so their assignment is unclear. Encode categories "
                         "as numbers before training",
                         facts->name, n_lists, n);
    e->categories = categories_create(false);
    if (!e->categories)
        return error_memory(error, "the categories of a model");
    const cJSON *list;
    uint32_t i = 0;
    cJSON_ArrayForEach(list, lists) {
        const cJSON *item;
        if (!is_list(list))
            return error_set(error, STATUS_UNSUPPORTED,
                             "%s: pandas_categorical: list %" PRIu32
                             " contains something other than words or numbers",
                             facts->name, i + 1);
        cJSON_ArrayForEach(item, list) {
            if (!add_category(e->categories, features[i], item))
                return error_memory(error, "the categories of a model");
        }
        i++;
    }
    return STATUS_OK;
}

static enum status read_categories(const struct lightgbm_facts *facts, struct ensemble *e,
                                   struct error *error) {
    if (!facts->categories)
        return STATUS_OK;
    cJSON *lists;
    enum status status =
        json_parse("the categories of a model", facts->categories,
                   (size_t)(facts->categories_end - facts->categories), &lists, NULL);
    if (status == STATUS_MEMORY)
        return error_memory(error, "the categories of a model");
    if (cJSON_IsNull(lists) || (cJSON_IsArray(lists) && cJSON_GetArraySize(lists) == 0)) {
        cJSON_Delete(lists);
        return STATUS_OK;
    }
    uint32_t *features = calloc((size_t)e->n_features + 1, sizeof *features);
    if (!features)
        status = error_memory(error, "the categories of a model");
    else if (!cJSON_IsArray(lists) || !facts->infos)
        status = error_set(error, STATUS_INPUT, "%s: pandas_categorical: %s", facts->name,
                           facts->infos ? "not a JSON array" : "the header has no feature_infos");
    else
        status = add_lists(facts, lists, features, e, error);
    free(features);
    cJSON_Delete(lists);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

enum status lightgbm_read_facts(const struct lightgbm_facts *facts, struct ensemble *e,
                                struct error *error) {
    e->first_is_empty =
        facts->n_infos && facts->infos[0] == LIGHTGBM_NO_VALUES && names_are_numbers(e);
    return read_categories(facts, e, error);
}
