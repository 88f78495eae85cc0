#include "harness/caches/cases.h"

#include <stdio.h>
#include <string.h>

/* An order, and the levels of its documents and of its units. */
const struct range_case range_cases[RANGE_CASES] = {
    {ORDER_DSD, 1, 0},  {ORDER_DSD, 2, 0},  {ORDER_DSD, 3, 0},  {ORDER_DSD, 4, 0},
    {ORDER_DSDS, 1, 1}, {ORDER_DSDS, 2, 1}, {ORDER_DSDS, 3, 1}, {ORDER_DSDS, 4, 1},
    {ORDER_DSDS, 2, 2}, {ORDER_DSDS, 3, 2}, {ORDER_DSDS, 4, 2}, {ORDER_DSDS, 3, 3},
    {ORDER_DSDS, 4, 3}, {ORDER_DSDS, 4, 4}, {ORDER_SDSD, 1, 1}, {ORDER_SDSD, 1, 2},
    {ORDER_SDSD, 1, 3}, {ORDER_SDSD, 1, 4}, {ORDER_SDSD, 2, 2}, {ORDER_SDSD, 2, 3},
    {ORDER_SDSD, 2, 4}, {ORDER_SDSD, 3, 3}, {ORDER_SDSD, 3, 4}, {ORDER_SDSD, 4, 4},
    {ORDER_SDS, 0, 1},  {ORDER_SDS, 0, 2},  {ORDER_SDS, 0, 3},  {ORDER_SDS, 0, 4}};

void range_case_name(const struct range_case *c, char name[static RANGE_CASE_NAME]) {
    switch (c->order) {
    case ORDER_DSD:
        snprintf(name, RANGE_CASE_NAME, "DSD%u", c->doc_level % 10);
        break;
    case ORDER_SDS:
        snprintf(name, RANGE_CASE_NAME, "SDS%u", c->unit_level % 10);
        break;
    case ORDER_DSDS:
        snprintf(name, RANGE_CASE_NAME, "DSD%uS%u", c->doc_level % 10, c->unit_level % 10);
        break;
    default:
        snprintf(name, RANGE_CASE_NAME, "SDS%uD%u", c->unit_level % 10, c->doc_level % 10);
    }
}

const struct range_case *range_case_find(const char *name) {
    char its[RANGE_CASE_NAME];
    for (size_t i = 0; i < RANGE_CASES; i++) {
        range_case_name(&range_cases[i], its);
        if (strcmp(its, name) == 0)
            return &range_cases[i];
    }
    return NULL;
}

/* --- which cases exist ------------------------------------------------------------------------ */

/* The lowest level in which a block can stay between two uses. */
static unsigned least_level(const struct cost_model *model) {
    return model->doc_fits > model->unit_fits ? model->doc_fits : model->unit_fits;
}

static bool level_exists(unsigned level, unsigned least, unsigned home) {
    return level >= (least < home ? least : home) && level <= home;
}

bool range_case_exists(const struct range_case *c, const struct cost_model *model) {
    unsigned least = least_level(model);
    return (!c->doc_level || level_exists(c->doc_level, least, model->docs_home)) &&
           (!c->unit_level || level_exists(c->unit_level, least, model->units_home));
}

/* --- T ---------------------------------------------------------------------------------------- */

/* Documents that are swept by one unit after the other lie in `level`, and are loaded once for all
 * units: the sum of what the levels above cost, once in m uses. */
static double first_loads(const struct cost_model *model, unsigned level) {
    double sum = 0;
    for (unsigned above = level + 1; above <= model->docs_home; above++)
        sum += model->extra[above];
    return sum / model->n_units;
}

/* A document that is read by one unit after the other. How often it misses L1 and L2 depends on how
 * much of it each unit reads, so these rates are open. */
static double swept_docs(const struct cost_model *model, unsigned level) {
    const double *c = model->extra;
    double l1 = model->unit_fits > 1 ? 1 : model->rates.l1;
    double l2 = model->unit_fits > 2 ? 1 : model->rates.l2;
    if (level < model->unit_fits)
        level = model->unit_fits;
    return level == 1   ? 0
           : level == 2 ? l1 * c[2]
           : level == 3 ? l1 * c[2] + l1 * l2 * c[3]
                        : c[2] + c[3] + c[4];
}

/* The first load of units for each block of documents, unless they stay in their home. */
static double reloaded_units(const struct cost_model *model, unsigned level, double docs) {
    return level < model->units_home ? model->extra[model->units_home] / docs : 0;
}

static double reloaded_docs(const struct cost_model *model, unsigned level, double units) {
    return level < model->docs_home ? model->extra[model->docs_home] / units : 0;
}

/* Both return what the accesses cost that miss L1. */

static double docs_cost(const struct range_case *c, const struct cost_model *model, double units) {
    const double *extra = model->extra;
    unsigned level = c->doc_level;
    switch (c->order) {
    case ORDER_DSD:
        return swept_docs(model, level) + first_loads(model, level);
    case ORDER_SDS:
        return extra[model->doc_fits] + reloaded_docs(model, model->doc_fits, units);
    case ORDER_DSDS: /* in L1, documents are loaded once for all units */
        return extra[model->doc_fits] +
               (level == 1 ? extra[model->docs_home] / model->n_units : extra[level] / units);
    default: /* of SDS4D4, Table 10 counts c4 only, although Table 1 counts c2 + c3 + c4 of DSD4 */
        return level == LEVEL_MEMORY
                   ? extra[LEVEL_MEMORY]
                   : swept_docs(model, level) + reloaded_docs(model, level, units);
    }
}

static double units_cost(const struct range_case *c, const struct cost_model *model, double docs) {
    const double *extra = model->extra;
    unsigned level = c->unit_level;
    switch (c->order) {
    case ORDER_DSD:
        return extra[model->unit_fits] + reloaded_units(model, model->unit_fits, docs);
    case ORDER_SDS: /* in L1, units are loaded once for all documents */
        return level == 1 ? extra[model->units_home] / model->n_docs : extra[level];
    case ORDER_DSDS:
        return extra[level] + reloaded_units(model, level, docs);
    default:
        return extra[model->unit_fits] +
               (level == 1 ? extra[model->units_home] / model->n_docs : extra[level] / docs);
    }
}

double range_case_cost(const struct range_case *c, const struct cost_model *model, double docs,
                       double units) {
    return 1 + docs_cost(c, model, units) + model->lambda * (1 + units_cost(c, model, docs));
}

double range_case_cost_ds(const struct cost_model *model) {
    const struct range_case all = {ORDER_SDS, 0, model->units_home};
    return range_case_cost(&all, model, 1, model->n_units);
}
