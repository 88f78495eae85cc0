#include "harness/caches/proposition.h"

static const struct range_case of_proposition[PROPOSITION_CASES] = {
    {ORDER_DSD, 2, 0},  {ORDER_DSDS, 2, 1}, {ORDER_SDSD, 1, 2},
    {ORDER_SDSD, 2, 2}, {ORDER_SDSD, 1, 3}, {ORDER_SDSD, 2, 3}};

static unsigned smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Returns what the first load of a block costs per use. */
static double load_share(const struct cost_model *model, unsigned home, double block) {
    bool is_loaded = home == 3 || home == LEVEL_MEMORY;
    return is_loaded ? model->extra[home] / block : 0;
}

size_t proposition_cases(const struct cost_model *model, double docs_2, double units_2,
                         struct range_case cases[static PROPOSITION_CASES]) {
    double of_units = load_share(model, model->docs_home, units_2);
    if (model->doc_fits > 1 || model->unit_fits > 1 ||
        load_share(model, model->units_home, docs_2) > PROPOSITION_MOST ||
        of_units > PROPOSITION_VARIATION_MOST)
        return 0;
    size_t n = of_units > PROPOSITION_MOST ? PROPOSITION_CASES : PROPOSITION_CASES - 2;
    for (size_t i = 0; i < n; i++) {
        cases[i] = of_proposition[i];
        cases[i].doc_level = smaller(cases[i].doc_level, model->docs_home);
        cases[i].unit_level = smaller(cases[i].unit_level, model->units_home);
    }
    return n;
}
