#include "impls/planes/planes_model.h"

#include "impls/planes/kernel/planes_tables.h"

#include <math.h>

enum { LEAST_EXPONENT = -1000 }; /* so that the unit's reciprocal is a double */

struct writer {
    const struct ensemble *ensemble;
    const struct planes_grid *grid;
    struct planes_digits *digits; /* of the next bundle */
    uint8_t *tables;              /* its tables */
};

static int64_t units_of(const struct writer *w, size_t leaf) {
    return (int64_t)(w->ensemble->value[leaf] * w->grid->per_unit);
}

static int64_t least_of(const struct writer *w, uint32_t t) {
    size_t first = w->ensemble->tree_leaf[t], count = ensemble_tree_leaves(w->ensemble, t);
    int64_t least = units_of(w, first);
    for (size_t leaf = first + 1; leaf < first + count; leaf++)
        if (units_of(w, leaf) < least)
            least = units_of(w, leaf);
    return least;
}

/* The bits that are 1 in some value of a tree after `least` was subtracted. */
static uint64_t bits_of(const struct writer *w, uint32_t t, int64_t least) {
    size_t first = w->ensemble->tree_leaf[t], count = ensemble_tree_leaves(w->ensemble, t);
    uint64_t bits = 0;
    for (size_t leaf = first; leaf < first + count; leaf++)
        bits |= (uint64_t)units_of(w, leaf) - (uint64_t)least;
    return bits;
}

static void find_digits(uint64_t bits, struct planes_digits *digits) {
    for (; bits; bits >>= PLANES_DIGIT_BITS, digits->n_digits++)
        if (digits->first_digit == digits->n_digits && bits % (1u << PLANES_DIGIT_BITS) == 0)
            digits->first_digit++;
}

/* The number of codes per table of trees with up to this many leaves. */
static uint32_t table_codes(uint32_t n_leaves) {
    uint32_t codes = PLANES_VALUE_TABLE;
    while (codes < n_leaves)
        codes *= 2;
    return codes;
}

/* Describes a bundle's tables, but does not make them. */
static void describe(const struct writer *w, const struct planes_model *model,
                     const struct planes_bundle *bundle, struct planes_digits *digits) {
    uint32_t first = (uint32_t)(bundle->trees - model->trees), most_leaves = 1;
    uint64_t bits = 0;
    *digits = (struct planes_digits){.grid = w->grid, .n_trees = (uint32_t)bundle->n_trees};
    for (uint32_t i = 0; i < digits->n_trees; i++) {
        uint32_t leaves = ensemble_tree_leaves(w->ensemble, first + i);
        digits->least[i] = least_of(w, first + i);
        bits |= bits_of(w, first + i, digits->least[i]);
        most_leaves = leaves > most_leaves ? leaves : most_leaves;
    }
    find_digits(bits, digits);
    digits->n_codes = table_codes(most_leaves);
}

static size_t digit_bytes(const struct planes_digits *digits) {
    return (size_t)digits->n_trees * digits->n_codes;
}

static size_t tables_bytes(const struct planes_digits *digits) {
    return (digits->n_digits - digits->first_digit) * digit_bytes(digits);
}

static void fill_tree(const struct writer *w, const struct planes_digits *digits, uint32_t t,
                      uint32_t place) {
    uint32_t leaves = ensemble_tree_leaves(w->ensemble, t);
    uint8_t *tables = w->tables + place * (size_t)digits->n_codes;
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        int64_t units = units_of(w, w->ensemble->tree_leaf[t] + leaf);
        uint64_t left = (uint64_t)units - (uint64_t)digits->least[place];
        left >>= PLANES_DIGIT_BITS * digits->first_digit;
        for (uint8_t *table = tables; left;
             left >>= PLANES_DIGIT_BITS, table += digit_bytes(digits))
            table[leaf ^ leaf >> 1] = left % (1u << PLANES_DIGIT_BITS);
    }
}

static void fill_bundle(struct writer *w, const struct planes_model *model,
                        struct planes_bundle *bundle) {
    struct planes_digits *digits = w->digits++;
    describe(w, model, bundle, digits);
    digits->tables = w->tables;
    uint32_t first = (uint32_t)(bundle->trees - model->trees);
    for (uint32_t i = 0; i < digits->n_trees; i++)
        fill_tree(w, digits, first + i, i);
    w->tables += tables_bytes(digits);
    bundle->digits = digits;
}

static enum status make(const struct ensemble *ensemble, const struct planes_grid *grid,
                        struct planes_model *model, struct error *error) {
    struct writer w = {.ensemble = ensemble, .grid = grid};
    size_t bytes = 0, before = model->pool.bytes;
    for (size_t i = 0; i < model->n_bundles; i++) {
        struct planes_digits digits;
        describe(&w, model, &model->bundles[i], &digits);
        bytes += tables_bytes(&digits);
    }
    w.digits = memory_pool_array(&model->pool, model->n_bundles, sizeof *w.digits);
    w.tables = memory_pool_array(&model->pool, bytes, 1);
    if (model->pool.failed)
        return error_memory(error, "the leaf values in fixed point");
    for (size_t i = 0; i < model->n_bundles; i++)
        fill_bundle(&w, model, &model->bundles[i]);
    /* Scoring reads these tables instead of the doubles. */
    model->bytes += model->pool.bytes - before - model->n_values * sizeof *model->values;
    return STATUS_OK;
}

enum status planes_digits_make(const struct ensemble *ensemble, struct planes_model *model,
                               struct error *error) {
    struct sum_grid found;
    enum status status = ensemble_find_sum_grid(ensemble, &found, error);
    if (status || !sum_grid_is_exact(&found) || found.exponent < LEAST_EXPONENT)
        return status;
    struct planes_grid *grid = memory_pool_array(&model->pool, 1, sizeof *grid);
    if (!grid)
        return error_memory(error, "the leaf values in fixed point");
    grid->unit = ldexp(1, found.exponent);
    grid->per_unit = ldexp(1, -found.exponent);
    grid->room = ldexp(1, SUM_GRID_BITS) - found.most;
    return make(ensemble, grid, model, error);
}
