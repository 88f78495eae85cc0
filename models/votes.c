#include "models/votes.h"

#include "base/memory.h"
#include "models/merge_equal.h"
#include "models/reader.h"
#include "models/rewrite.h"

#include <inttypes.h>
#include <string.h>

/* A conversion in progress. The arrays have room for the largest tree. */
struct conversion {
    const struct ensemble *e;
    bool as_margin; /* two classes become one output */
    struct ensemble_builder *builder;
    struct memory_pool pool; /* of the arrays */
    struct merge_tree merge;
    uint8_t *is_present;      /* [classes] does a leaf of the current tree vote for the class? */
    size_t in_tree, in_model; /* nodes and leaves made so far */
    uint64_t work;
};

/* Inner nodes come first, so children come after their parents. */
static void copy_nodes(struct conversion *c, uint32_t t) {
    const struct ensemble *e = c->e;
    uint32_t n_inner = ensemble_tree_nodes(e, t), n_leaves = ensemble_tree_leaves(e, t);
    for (uint32_t i = 0; i < n_inner; i++) {
        size_t node = e->tree_node[t] + i;
        c->merge.nodes[i] = ensemble_inner_node(e, node);
        c->merge.nodes[i].left = reader_child(n_inner, e->left[node]);
        c->merge.nodes[i].right = reader_child(n_inner, e->right[node]);
    }
    for (uint32_t i = 0; i < n_leaves; i++)
        c->merge.nodes[n_inner + i] = (struct inner_node){
            .count = e->leaf_count ? e->leaf_count[e->tree_leaf[t] + i] : ENSEMBLE_NO_COUNT};
    c->merge.n_nodes = (size_t)n_inner + n_leaves;
}

static uint32_t class_of(const struct ensemble *e, size_t leaf) {
    return (uint32_t)e->value[leaf];
}

static void add_class(struct conversion *c, uint32_t t, uint32_t class) {
    const struct ensemble *e = c->e;
    uint32_t n_inner = ensemble_tree_nodes(e, t), n_leaves = ensemble_tree_leaves(e, t);
    for (uint32_t i = 0; i < n_leaves; i++) {
        bool votes = class_of(e, e->tree_leaf[t] + i) == class;
        c->merge.value[n_inner + i] = votes ? 1 : c->as_margin ? -1 : 0;
    }
    size_t made = merge_equal_add_tree(c->builder, c->as_margin ? 0 : class, &c->merge);
    c->in_tree += made;
    c->in_model += made;
}

/* Finds the classes of the tree's leaves. Returns their number. */
static uint32_t find_present(struct conversion *c, uint32_t t) {
    const struct ensemble *e = c->e;
    uint32_t count = 0;
    memset(c->is_present, 0, e->n_outputs);
    for (size_t leaf = e->tree_leaf[t]; leaf < e->tree_leaf[t + 1]; leaf++) {
        uint8_t *present = &c->is_present[class_of(e, leaf)];
        count += !*present;
        *present = 1;
    }
    return count;
}

/* Bounds the memory of the copy by that of the original. The builder holds at most one tree more.
 */
static enum status check_size(const struct conversion *c, uint32_t t, struct error *error) {
    size_t tree = c->merge.n_nodes * REWRITE_MAX_GROWTH + REWRITE_FREE_NODES;
    size_t model = (c->e->n_nodes + c->e->n_leaves) * VOTES_MAX_GROWTH;
    model = model > REWRITE_MAX_NODES ? model : REWRITE_MAX_NODES;
    bool is_tree = c->in_tree > tree;
    if (!is_tree && c->in_model <= model)
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED,
                     "tree %" PRIu32 ": one tree per class takes more than %zu nodes in the %s", t,
                     is_tree ? tree : model, is_tree ? "tree" : "model");
}

static enum status convert_tree(struct conversion *c, uint32_t t, struct error *error) {
    copy_nodes(c, t);
    if (c->as_margin) {
        add_class(c, t, 1);
        return STATUS_OK;
    }
    c->work += (uint64_t)find_present(c, t) * c->merge.n_nodes + c->e->n_outputs;
    if (c->work > VOTES_MAX_WORK)
        return error_set(error, STATUS_UNSUPPORTED,
                         "tree %" PRIu32 ": the model is too large for one tree per class", t);
    c->in_tree = 0;
    enum status status = STATUS_OK;
    for (uint32_t class = 0; class < c->e->n_outputs && !status; class ++) {
        if (!c->is_present[class])
            continue;
        add_class(c, t, class);
        status = check_size(c, t, error);
    }
    return status;
}

static bool allocate(struct conversion *c) {
    size_t n_nodes = ensemble_largest_tree(c->e);
    c->builder = ensemble_builder_create();
    merge_tree_allocate(&c->merge, n_nodes, &c->pool);
    c->is_present = memory_pool_array(&c->pool, c->e->n_outputs, sizeof *c->is_present);
    return c->builder && !c->pool.failed;
}

static enum status finish(const struct conversion *c, enum status status, struct ensemble **copy,
                          struct error *error) {
    const struct ensemble *e = c->e;
    const double margin = e->base[1] - e->base[0];
    struct ensemble_shape shape = ensemble_shape_of(e);
    shape.votes = false;
    if (c->as_margin) {
        shape.n_outputs = 1;
        shape.base = &margin;
    }
    return ensemble_finish_copy(e, status, c->builder, &shape, copy, error);
}

static enum status convert(const struct ensemble *ensemble, bool as_margin, struct ensemble **copy,
                           struct error *error) {
    struct conversion c = {.e = ensemble, .as_margin = as_margin};
    enum status status = allocate(&c) ? STATUS_OK : error_memory(error, "one tree per class");
    for (uint32_t t = 0; t < ensemble->n_trees && !status; t++)
        status = convert_tree(&c, t, error);
    status = finish(&c, status, copy, error);
    memory_pool_free(&c.pool);
    return status;
}

enum status ensemble_votes_to_outputs(const struct ensemble *ensemble, struct ensemble **copy,
                                      struct error *error) {
    return convert(ensemble, false, copy, error);
}

enum status ensemble_votes_to_margins(const struct ensemble *ensemble, struct ensemble **copy,
                                      struct error *error) {
    return convert(ensemble, ensemble->n_outputs == 2, copy, error);
}
