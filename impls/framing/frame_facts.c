#include "impls/framing/frame_facts.h"

#include "impls/framing/frame_kernel.h"
#include "impls/framing/framing_scorer.h"

struct workshop {
    struct frame_tree tree;
    struct frame_order order;
    struct frame_kernel kernel;
};

static enum status add_lines(struct workshop *shop, size_t node_bytes, bool by_sets, double *lines,
                             struct error *error) {
    double of_tree = 0;
    if (by_sets)
        frame_order_by_sets(&shop->order, &shop->tree, false, framing_tau(node_bytes), true);
    else
        frame_order_by_level(&shop->order, &shop->tree, false);
    enum status status = frame_lines_per_path(&shop->tree, &shop->order, node_bytes,
                                              FRAME_LINE_BYTES, &of_tree, error);
    *lines += of_tree;
    return status;
}

static double sum_probabilities(const struct frame_tree *tree) {
    double sum = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++)
        sum += tree->weight[node];
    return tree->weight[0] > 0 ? sum / tree->weight[0] : 0;
}

static enum status add_tree(struct workshop *shop, const struct ensemble *ensemble, uint32_t t,
                            struct frame_facts *facts, struct error *error) {
    size_t node_bytes = framing_node_bytes(ensemble, &framing_folded, t);
    frame_tree_fill(&shop->tree, ensemble, t);
    enum status status = add_lines(shop, node_bytes, false, &facts->lines_by_level, error);
    if (!status)
        status = add_lines(shop, node_bytes, true, &facts->lines_by_sets, error);
    frame_kernel_choose(&shop->kernel, &shop->tree, ifelse_node_bytes(false, ensemble->votes),
                        ifelse_cache_bytes(), false);
    facts->kernel_nodes += shop->kernel.probability;
    facts->nodes += sum_probabilities(&shop->tree);
    return status;
}

enum status frame_facts_compute(const struct ensemble *ensemble, struct frame_facts *facts,
                                struct error *error) {
    size_t largest = ensemble_largest_tree(ensemble);
    struct workshop shop;
    struct memory_pool pool = {0};
    struct frame_facts sum = {0, 0, 0, 0};
    enum status status = STATUS_OK;
    frame_tree_create(&shop.tree, largest, &pool);
    frame_order_create(&shop.order, largest, &pool);
    frame_kernel_create(&shop.kernel, largest, &pool);
    if (pool.failed)
        status = error_memory(error, "the layout of a tree");
    for (uint32_t t = 0; t < ensemble->n_trees && !status; t++)
        status = add_tree(&shop, ensemble, t, &sum, error);
    memory_pool_free(&pool);
    double n = ensemble->n_trees;
    *facts = (struct frame_facts){sum.lines_by_level / n, sum.lines_by_sets / n, sum.nodes / n,
                                  sum.kernel_nodes / n};
    return status;
}
