/* OBJECT: nodes as C++ objects with left and right pointers, one `new` each while the tree is built
 * (asadi2014 section 3).
 *
 * The paper says "object overhead" and no more. The program that its authors published has no
 * virtual methods. Here inner nodes and leaves are classes with a virtual method each, as an
 * object-oriented program would have them: the indirect jump of every level is ours, and OBJECT may
 * be slower beside STRUCT than in the paper.
 *
 * Machine code per level (gcc 12 -O3, x86-64): 7 instructions, of which 6 load (feature, threshold,
 * x[feature], child, its vtable, the method), one unpredictable branch, and one indirect jump: the
 * virtual call of the child is a tail call. clang 14 takes 13, with a frame made and undone. */
#include <memory>
#include <new>
#include <vector>

extern "C" {
#include "impls/branch.h"
#include "impls/impl.h"
#include "impls/node.h"

extern const struct impl impl_object;
}

namespace {

class Node {
  public:
    virtual ~Node() = default;
    virtual double score(const float *x) const = 0;
};

class Leaf final : public Node {
  public:
    explicit Leaf(double exit_value) : value(exit_value) {
    }
    double score(const float *) const override {
        return value;
    }

  private:
    double value;
};

template <bool any_nan_left> class Inner final : public Node {
  public:
    Inner(uint32_t tested, float split) : feature(tested), threshold(split) {
    }
    Inner(const Inner &) = delete;
    Inner &operator=(const Inner &) = delete;
    /* The depth of an ensemble's trees is limited: recursion is safe. */
    ~Inner() override {
        delete left;
        delete right;
    }
    double score(const float *x) const override {
        if (node_goes_left(x, feature, threshold, any_nan_left)) {
            branch_keep();
            return left->score(x);
        }
        return right->score(x);
    }

    Node *left = nullptr, *right = nullptr; /* owned */

  private:
    uint32_t feature;
    float threshold;
};

struct Tree {
    Node *root = nullptr;
    uint32_t output = 0;
};

struct Object {
    struct scorer scorer;
    Tree *trees;

    explicit Object(const struct ensemble &e) : scorer(), trees(new Tree[e.n_trees]) {
        scorer.impl = &impl_object;
        scorer.n_units = e.n_trees;
        scorer.lanes = 1;
        scorer.n_features = e.n_features;
        scorer.n_outputs = e.n_outputs;
        scorer.bytes =
            e.n_trees * sizeof(Tree) + e.n_nodes * sizeof(Inner<false>) + e.n_leaves * sizeof(Leaf);
    }
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;
    ~Object() {
        for (size_t t = 0; t < scorer.n_units; t++)
            delete trees[t].root;
        delete[] trees;
    }
};

/* One `new` per node, breadth first. Whatever exists hangs on the tree, so that an exception leaves
 * nothing behind. */
template <bool any_nan_left> class Builder {
  public:
    Builder(const struct ensemble &ensemble, uint32_t t)
        : e(ensemble), nodes(e.tree_node[t]), leaves(e.tree_leaf[t]) {
        inner.reserve(ensemble_tree_nodes(&e, t));
    }

    void build(Node *&root) {
        root = make(inner.capacity() ? 0 : ~0);
        for (size_t i = 0; i < inner.size(); i++) {
            inner[i]->left = make(e.left[nodes + i]);
            inner[i]->right = make(e.right[nodes + i]);
        }
    }

  private:
    Node *make(int32_t child) {
        if (child < 0)
            return new Leaf(e.value[leaves + static_cast<size_t>(~child)]);
        size_t node = nodes + static_cast<size_t>(child);
        auto *made = new Inner<any_nan_left>(node_feature(&e, node), e.threshold[node]);
        inner.push_back(made);
        return made;
    }

    const struct ensemble &e;
    size_t nodes, leaves;                     /* where the tree's begin */
    std::vector<Inner<any_nan_left> *> inner; /* those made so far, as numbered in the ensemble */
};

template <bool any_nan_left> void build_trees(Object &object, const struct ensemble &ensemble) {
    for (uint32_t t = 0; t < ensemble.n_trees; t++) {
        object.trees[t].output = ensemble.tree_output[t];
        Builder<any_nan_left>(ensemble, t).build(object.trees[t].root);
    }
}

enum status object_build(const struct ensemble *ensemble, const struct options *,
                         struct scorer **scorer, struct error *error) {
    try {
        auto object = std::make_unique<Object>(*ensemble);
        if (ensemble->any_nan_left)
            build_trees<true>(*object, *ensemble);
        else
            build_trees<false>(*object, *ensemble);
        *scorer = &object.release()->scorer;
        return STATUS_OK;
    } catch (const std::bad_alloc &) {
        return error_memory(error, "object");
    }
}

void object_score(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch) {
    const auto *object = reinterpret_cast<const Object *>(scorer);
    for (size_t unit = units.begin; unit < units.end; unit++) {
        const Tree &tree = object->trees[unit];
        for (size_t doc = docs.begin; doc < docs.end; doc++)
            batch->scores[doc * scorer->n_outputs + tree.output] +=
                tree.root->score(batch->x + doc * batch->stride);
    }
}

void object_destroy(struct scorer *scorer) {
    delete reinterpret_cast<Object *>(scorer);
}

} // namespace

const struct impl impl_object = {
    "object",     "OBJECT",     "asadi2014 section 3", IMPL_TRAVERSAL, nullptr, 0,
    object_build, object_score, object_destroy,        nullptr,        nullptr, false};
