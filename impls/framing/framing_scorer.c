#include "impls/framing/framing_scorer.h"

#include "impls/shared/tau.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char no_counts[] =
    "native-opt: the model has no counts of documents, so all branches count as equally likely";

struct framing {
    struct scorer scorer;
    struct framing_tree *trees; /* [n_units] */
    unsigned char *nodes;       /* of all trees */
    double *values;             /* of all trees; none if they vote */
};

/* --- scoring ---------------------------------------------------------------------------------- */

void framing_score(const struct scorer *scorer, struct span units, struct span docs,
                   const struct batch *batch) {
    const struct framing *made = (const struct framing *)scorer;
    size_t n_outputs = scorer->n_outputs;
    const struct framing_docs all = {batch->x + docs.begin * batch->stride, batch->stride,
                                     docs.end - docs.begin, batch->scores + docs.begin * n_outputs,
                                     n_outputs};
    for (size_t unit = units.begin; unit < units.end;) {
        const struct framing_tree *tree = &made->trees[unit];
        size_t end = tree->same_until < units.end ? tree->same_until : units.end;
        tree->kernel(tree, end - unit, &all);
        unit = end;
    }
}

/* --- what a node holds ------------------------------------------------------------------------ */

uint32_t framing_predictions(const struct ensemble *ensemble, uint32_t t) {
    if (ensemble->votes)
        return ensemble->n_outputs;
    return ensemble_tree_leaves(ensemble, t);
}

uint32_t framing_prediction(const struct ensemble *ensemble, uint32_t t, uint32_t leaf) {
    return ensemble->votes ? (uint32_t)ensemble->value[ensemble->tree_leaf[t] + leaf] : leaf;
}

/* For integers, x <= t exactly if x <= floor(t). A threshold beyond all integers of int32_t becomes
 * the nearest: documents have neither -2^31 nor values above 2^31 - 1 (impls/integers.h). */
static uint32_t integer_split(float threshold) {
    double low = floor((double)threshold);
    int32_t split = low <= INT32_MIN ? INT32_MIN : low >= INT32_MAX ? INT32_MAX : (int32_t)low;
    uint32_t bits;
    memcpy(&bits, &split, sizeof bits);
    return bits;
}

uint32_t framing_split(float threshold, enum framing_values values) {
    uint32_t bits;
    if (values == FRAMING_INT16 || values == FRAMING_INT32)
        return integer_split(threshold);
    memcpy(&bits, &threshold, sizeof bits);
    if (values == FRAMING_FLOAT)
        return bits;
    if (bits == 0x80000000u)
        return 0;
    return bits >> 31 ? bits ^ 0x7fffffffu : bits;
}

size_t framing_tau(size_t node_bytes) {
    enum { USUAL_LINE = 64, USUAL_WAYS = 8 };
    long line = -1, ways = -1;
#ifdef _SC_LEVEL1_DCACHE_ASSOC
    line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);
#endif
    size_t bytes = (size_t)(line > 0 ? line : USUAL_LINE) * (size_t)(ways > 0 ? ways : USUAL_WAYS);
    return bytes >= node_bytes ? bytes / node_bytes : 1;
}

const struct impl_param framing_params[] = {FRAMING_VALUES_PARAMS, {0}};

enum status framing_read_values(const struct impl *impl, const struct options *options,
                                enum framing_values *values, struct error *error) {
    unsigned by_bits = 0, feature = 0;
    enum status status =
        options_choice(options, impl->name, "compare", "float int", &by_bits, error);
    if (!status)
        status =
            options_choice(options, impl->name, "feature", "float int16 int32", &feature, error);
    if (!status && by_bits && feature)
        status = error_set(error, STATUS_INPUT, "%s: compare=int has no effect with feature=%s",
                           impl->name, options_get(options, "feature"));
    *values = by_bits ? FRAMING_BITS : (enum framing_values)feature;
    return status;
}

enum values_type framing_values_type(enum framing_values values) {
    return values == FRAMING_BITS ? VALUES_FLOAT : (enum values_type)values;
}

/* --- building --------------------------------------------------------------------------------- */

/* What to build. */
struct plan_of_tables {
    const struct impl *impl;
    const struct framing_form *form;
    enum framing_values values;
    /* sets: nodes per set, as many as framing_tau says if it is TAU_AUTO; further paths fill them
     */
    uint32_t tau;
    long fill;
};

static enum status read_options(const struct options *options, struct plan_of_tables *plan,
                                struct error *error) {
    enum status status = framing_read_values(plan->impl, options, &plan->values, error);
    if (!status)
        status = tau_read(plan->impl, options, TAU_AUTO, &plan->tau, error);
    return status ? status : options_integer(options, "fill", 0, 1, 1, &plan->fill, error);
}

/* The memory that one tree after the other uses while it is laid out. */
struct workshop {
    struct frame_tree tree;
    struct frame_order order;
    uint32_t *place;
};

static size_t count_placed(const struct ensemble *ensemble, const struct framing_form *form,
                           uint32_t t) {
    uint32_t inner = ensemble_tree_nodes(ensemble, t);
    return form->leaves ? 2 * (size_t)inner + 1 : inner;
}

static struct framing_widths choose_widths(const struct ensemble *ensemble,
                                           const struct framing_form *form, uint32_t t) {
    enum { NARROW = 1 << 16 };
    size_t placed = count_placed(ensemble, form, t);
    bool is_narrow = placed <= NARROW && framing_predictions(ensemble, t) <= NARROW;
    return (struct framing_widths){.feature = ensemble->n_features <= NARROW ? 2 : 4,
                                   .child = is_narrow ? 2 : 4};
}

size_t framing_node_bytes(const struct ensemble *ensemble, const struct framing_form *form,
                          uint32_t t) {
    return form->node_bytes(choose_widths(ensemble, form, t));
}

static struct framing_types choose_types(const struct ensemble *ensemble,
                                         const struct plan_of_tables *plan, uint32_t t) {
    return (struct framing_types){.widths = choose_widths(ensemble, plan->form, t),
                                  .values = plan->values,
                                  .any_nan_left = ensemble->any_nan_left,
                                  .votes = ensemble->votes};
}

/* The bytes of a tree's nodes, in whole lines. */
static size_t tree_bytes(const struct ensemble *ensemble, const struct plan_of_tables *plan,
                         uint32_t t) {
    size_t bytes =
        count_placed(ensemble, plan->form, t) * framing_node_bytes(ensemble, plan->form, t);
    return (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

static void make_order(struct workshop *shop, const struct plan_of_tables *plan,
                       size_t node_bytes) {
    size_t tau = plan->tau == TAU_AUTO  ? framing_tau(node_bytes)
                 : plan->tau == TAU_ALL ? SIZE_MAX
                                        : plan->tau;
    if (plan->form->by_sets)
        frame_order_by_sets(&shop->order, &shop->tree, plan->form->leaves, tau, plan->fill != 0);
    else
        frame_order_by_level(&shop->order, &shop->tree, plan->form->leaves);
    for (size_t i = 0; i < shop->order.n_nodes; i++)
        shop->place[shop->order.node[i]] = (uint32_t)i;
}

static void build_tree(struct framing *made, const struct ensemble *ensemble,
                       const struct plan_of_tables *plan, uint32_t t, struct workshop *shop,
                       unsigned char *nodes) {
    struct framing_types types = choose_types(ensemble, plan, t);
    frame_tree_fill(&shop->tree, ensemble, t);
    make_order(shop, plan, plan->form->node_bytes(types.widths));
    const struct framing_source source = {ensemble,     t,           &shop->tree,
                                          &shop->order, shop->place, types};
    plan->form->write(&source, nodes);
    made->trees[t] = (struct framing_tree){
        .nodes = shop->order.n_nodes ? nodes : NULL,
        .values = ensemble->votes ? NULL : made->values + ensemble->tree_leaf[t],
        .output = ensemble->tree_output[t],
        .only = framing_prediction(ensemble, t, 0),
        .kernel = plan->form->kernels[framing_kernel_index(&types)]};
}

static void find_equal_kernels(struct framing *made) {
    for (size_t t = made->scorer.n_units; t-- > 0;) {
        bool same =
            t + 1 < made->scorer.n_units && made->trees[t].kernel == made->trees[t + 1].kernel;
        made->trees[t].same_until = same ? made->trees[t + 1].same_until : (uint32_t)t + 1;
    }
}

static void build_trees(struct framing *made, const struct ensemble *ensemble,
                        const struct plan_of_tables *plan, struct workshop *shop) {
    unsigned char *nodes = made->nodes;
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        build_tree(made, ensemble, plan, t, shop, nodes);
        nodes += tree_bytes(ensemble, plan, t);
    }
    find_equal_kernels(made);
}

static struct framing *create(const struct ensemble *ensemble, const struct plan_of_tables *plan,
                              struct error *error) {
    struct framing *made =
        scorer_create(sizeof *made, plan->impl, ensemble, ensemble->n_trees, 1, error);
    if (!made)
        return NULL;
    size_t nodes = 0, n_values = ensemble->votes ? 0 : ensemble->n_leaves;
    for (uint32_t t = 0; t < ensemble->n_trees; t++)
        nodes += tree_bytes(ensemble, plan, t);
    struct memory_pool *pool = &made->scorer.pool;
    made->trees = memory_pool_array(pool, ensemble->n_trees, sizeof *made->trees);
    made->nodes = memory_pool_array(pool, nodes, 1);
    made->values = memory_pool_copy(pool, ensemble->value, n_values, sizeof *made->values);
    made->scorer.values = framing_values_type(plan->values);
    made->scorer.equal_branches = plan->form->by_sets && !ensemble->node_count;
    made->scorer.note = made->scorer.equal_branches ? no_counts : NULL;
    return made;
}

enum status framing_build(const struct impl *impl, const struct framing_form *form,
                          const struct ensemble *ensemble, const struct options *options,
                          struct scorer **scorer, struct error *error) {
    struct plan_of_tables plan = {.impl = impl, .form = form};
    size_t largest = ensemble_largest_tree(ensemble);
    struct workshop shop;
    struct memory_pool pool = {0};
    enum status status = read_options(options, &plan, error);
    struct framing *made = status ? NULL : create(ensemble, &plan, error);
    if (!made)
        return status ? status : STATUS_MEMORY;
    frame_tree_create(&shop.tree, largest, &pool);
    frame_order_create(&shop.order, largest, &pool);
    shop.place = memory_pool_array(&pool, largest, sizeof *shop.place);
    made->scorer.pool.failed |= pool.failed;
    if (!made->scorer.pool.failed)
        build_trees(made, ensemble, &plan, &shop);
    memory_pool_free(&pool);
    return scorer_finish(&made->scorer, STATUS_OK, scorer, error);
}
