/* OBJECT: nodes are C++ objects with left and right pointers, each allocated by its own `new`
 * (asadi2014 section 3).
 *
 * The paper does not describe the classes, only an "object overhead". The program that its authors
 * published has no virtual methods. Here, inner nodes and leaves are classes with a virtual method,
 * as in a typical object-oriented program. The virtual method adds an indirect jump at every level,
 * so OBJECT may be slower relative to STRUCT than in the paper.
 *
 * Machine code per level (gcc 12 -O3, x86-64): 7 instructions. They include 6 loads: the feature,
 * the threshold, x[feature], the child, the child's vtable and the method. One branch is
 * unpredictable. The virtual call of the child is a tail call, so it compiles to an indirect jump.
 * clang 14 takes 13 instructions, because it sets up a stack frame. */
#include <memory>
#include <new>
#include <vector>

extern "C" {
#include "impls/impl.h"
#include "impls/shared/branch.h"
#include "impls/shared/node.h"
#include "impls/shared/node_sets.h"

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

class Branch : public Node {
  public:
    Branch() = default;
    Branch(const Branch &) = delete;
    Branch &operator=(const Branch &) = delete;
    /* Recursion is safe because trees are at most ENSEMBLE_MAX_DEPTH deep. */
    ~Branch() override {
        delete left;
        delete right;
    }

    Node *left = nullptr, *right = nullptr; /* owned */
};

template <bool any_nan_left> class Inner final : public Branch {
  public:
    Inner(uint32_t tested, float split) : feature(tested), threshold(split) {
    }
    double score(const float *x) const override {
        if (node_goes_left(x, feature, threshold, any_nan_left)) {
            branch_keep();
            return left->score(x);
        }
        return right->score(x);
    }

  private:
    uint32_t feature;
    float threshold;
};

class InnerSet final : public Branch {
  public:
    InnerSet(uint32_t tested, bool nan, const node_sets &all, uint32_t number)
        : feature(tested), set(number), nan_left(nan), sets(all) {
    }
    double score(const float *x) const override {
        float value = x[feature];
        if (value != value ? nan_left : node_sets_have(&sets, set, value)) {
            branch_keep();
            return left->score(x);
        }
        return right->score(x);
    }

  private:
    uint32_t feature, set;
    bool nan_left;
    const node_sets &sets;
};

struct Tree {
    Node *root = nullptr;
    uint32_t output = 0;
};

struct Sets {
    struct node_sets copied;

    explicit Sets(const struct ensemble &e) : copied() {
        if (!node_sets_copy(&e, &copied))
            throw std::bad_alloc();
    }
    Sets(const Sets &) = delete;
    Sets &operator=(const Sets &) = delete;
    ~Sets() {
        node_sets_free(&copied);
    }
};

struct Object {
    struct scorer scorer;
    Sets sets;
    Tree *trees;

    explicit Object(const struct ensemble &e) : scorer(), sets(e), trees(new Tree[e.n_trees]) {
        scorer.impl = &impl_object;

        scorer.n_units = e.n_trees;
        scorer.lanes = 1;
        scorer.n_features = e.n_features;
        scorer.n_outputs = e.n_outputs;
        scorer.bytes = e.n_trees * sizeof(Tree) + e.n_nodes * sizeof(Inner<false>) +
                       e.n_leaves * sizeof(Leaf) + sets.copied.bytes;
    }
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;
    ~Object() {
        for (size_t t = 0; t < scorer.n_units; t++)
            delete trees[t].root;
        delete[] trees;
    }
};

/* Builds a tree with one `new` per node, breadth first. Every node is linked to the tree as soon as
 * it exists, so that nothing leaks if a later `new` throws. */
template <bool any_nan_left> class Builder {
  public:
    Builder(const struct ensemble &ensemble, const node_sets &all, uint32_t t)
        : e(ensemble), sets(all), nodes(e.tree_node[t]), leaves(e.tree_leaf[t]) {
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
        Branch *made = make_inner(node);
        inner.push_back(made);
        return made;
    }

    Branch *make_inner(size_t node) const {
        if (ensemble_is_set(&e, node))
            return new InnerSet(e.feature[node], e.nan_left[node] != 0, sets, e.set[node]);
        return new Inner<any_nan_left>(node_feature(&e, node), e.threshold[node]);
    }

    const struct ensemble &e;
    const node_sets &sets;
    size_t nodes, leaves;        /* the tree's first node and first leaf in the ensemble */
    std::vector<Branch *> inner; /* the inner nodes made so far, in the ensemble's order */
};

template <bool any_nan_left> void build_trees(Object &object, const struct ensemble &ensemble) {
    for (uint32_t t = 0; t < ensemble.n_trees; t++) {
        object.trees[t].output = ensemble.tree_output[t];
        Builder<any_nan_left>(ensemble, object.sets.copied, t).build(object.trees[t].root);
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
    object_build, object_score, object_destroy,        nullptr,        nullptr, true};
