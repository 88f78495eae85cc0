/* OBJECT: nodes are C++ objects with left and right pointers, each allocated by its own `new`
 * (asadi2014 section 3).
 *
 * The paper does not describe the classes, only an "object overhead". The default is the form of
 * the program that its authors published: one class of 32 bytes without virtual methods. An object
 * holds both pointers, the feature, the threshold and the node's id. The recursive method ends in
 * tail calls, so it compiles to a loop. Here, leaves hold a double in place of the id, because the
 * authors' leaves are only floats.
 *
 * With virtual=1, inner nodes and leaves are classes with a virtual method, as in a typical
 * object-oriented program. The virtual method adds an indirect jump at every level, so OBJECT is
 * slower than with virtual=0.
 *
 * Machine code per level (gcc 12 -O3, x86-64): 8 or 9 instructions. They include an unpredictable
 * branch and the branch that ends the loop. A step to the left loads 4 times: the feature, the
 * threshold, x[feature] and the child's left pointer. A step to the right loads the right pointer
 * too. With virtual=1: 7 instructions. They include 6 loads: the feature, the threshold,
 * x[feature], the child, the child's vtable and the method. One branch is unpredictable. The
 * virtual call of the child is a tail call, so it compiles to an indirect jump. clang 14 takes 13
 * instructions for virtual=1, because it sets up a stack frame. */
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

/* --- virtual=0: one class --------------------------------------------------------------------- */

class Node {
  public:
    explicit Node(double exit_value) : value(exit_value) {
    }
    Node(uint64_t number, uint32_t tested, float split)
        : feature(tested), threshold(split), id(number) {
    }
    Node(uint64_t number, uint32_t tested, uint32_t node_set)
        : feature(tested | NODE_IS_SET), set(node_set), id(number) {
    }
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;
    /* Recursion is safe because trees are at most ENSEMBLE_MAX_DEPTH deep. */
    ~Node() {
        delete left;
        delete right;
    }

    /* Not inlined, because gcc -O3 does not inline this method of the authors' program either.
     * Inlined into the loops over trees and documents, its code would run out of registers. */
    template <bool any_nan_left> __attribute__((noinline)) double score(const float *x) const {
        if (!left && !right)
            return value;
        if (node_goes_left(x, feature, threshold, any_nan_left)) {
            branch_keep();
            return left->score<any_nan_left>(x);
        }
        return right->score<any_nan_left>(x);
    }

    double score_by_sets(const float *x, const node_sets &sets) const {
        if (!left && !right)
            return value;
        if (goes_left(x, sets)) {
            branch_keep();
            return left->score_by_sets(x, sets);
        }
        return right->score_by_sets(x, sets);
    }

    Node *left = nullptr, *right = nullptr; /* owned */

  private:
    bool goes_left(const float *x, const node_sets &sets) const {
        if (!(feature & NODE_IS_SET))
            return node_goes_left(x, feature, threshold, true);
        float at = x[feature & ~(NODE_NAN_LEFT | NODE_IS_SET)];
        return at != at ? (feature & NODE_NAN_LEFT) != 0 : node_sets_have(&sets, set, at);
    }

    uint32_t feature = 0;
    union {
        float threshold = 0;
        uint32_t set;
    };
    union {
        uint64_t id; /* of an inner node; scoring does not read it */
        double value;
    };
};
static_assert(sizeof(void *) != 8 || sizeof(Node) == 32, "a node has the size of the authors'");

struct Plain {
    using node = Node;
    using branch = Node;
    static constexpr size_t inner_bytes = sizeof(Node), leaf_bytes = sizeof(Node);

    static Node *make_leaf(double value) {
        return new Node(value);
    }
    static Node *make_inner(const struct ensemble &e, size_t i, const node_sets &) {
        if (ensemble_is_set(&e, i))
            return new Node(i, node_feature(&e, i), e.set[i]);
        return new Node(i, node_feature(&e, i), e.threshold[i]);
    }
};

/* --- virtual=1: a class for inner nodes and one for leaves ------------------------------------ */

class VirtualNode {
  public:
    virtual ~VirtualNode() = default;
    virtual double score(const float *x) const = 0;
};

class Leaf final : public VirtualNode {
  public:
    explicit Leaf(double exit_value) : value(exit_value) {
    }
    double score(const float *) const override {
        return value;
    }

  private:
    double value;
};

class Branch : public VirtualNode {
  public:
    Branch() = default;
    Branch(const Branch &) = delete;
    Branch &operator=(const Branch &) = delete;
    ~Branch() override {
        delete left;
        delete right;
    }

    VirtualNode *left = nullptr, *right = nullptr; /* owned */
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

template <bool any_nan_left> struct Virtual {
    using node = VirtualNode;
    using branch = Branch;
    static constexpr size_t inner_bytes = sizeof(Inner<any_nan_left>), leaf_bytes = sizeof(Leaf);

    static VirtualNode *make_leaf(double value) {
        return new Leaf(value);
    }
    static Branch *make_inner(const struct ensemble &e, size_t i, const node_sets &sets) {
        if (ensemble_is_set(&e, i))
            return new InnerSet(e.feature[i], e.nan_left[i] != 0, sets, e.set[i]);
        return new Inner<any_nan_left>(node_feature(&e, i), e.threshold[i]);
    }
};

/* --- building --------------------------------------------------------------------------------- */

/* The members that do not depend on the option `virtual`. They tell which type of Object a scorer
 * is. */
struct Head {
    struct scorer scorer;
    bool is_virtual, any_nan_left;
};

template <class Any> struct Tree {
    Any *root = nullptr;
    uint32_t output = 0;
};

template <class Any> struct Object {
    Head head;
    node_sets sets;
    Tree<Any> *trees; /* [n_units] owned */
};

/* Builds a tree with one `new` per node, breadth first. Every node is linked to the tree as soon as
 * it exists, so that nothing leaks if a later `new` throws. */
template <class Form> class Builder {
  public:
    Builder(const struct ensemble &ensemble, const node_sets &all, uint32_t t)
        : e(ensemble), sets(all), nodes(e.tree_node[t]), leaves(e.tree_leaf[t]) {
        inner.reserve(ensemble_tree_nodes(&e, t));
    }

    void build(typename Form::node *&root) {
        root = make(inner.capacity() ? 0 : ~0);
        for (size_t i = 0; i < inner.size(); i++) {
            inner[i]->left = make(e.left[nodes + i]);
            inner[i]->right = make(e.right[nodes + i]);
        }
    }

  private:
    typename Form::node *make(int32_t child) {
        if (child < 0)
            return Form::make_leaf(e.value[leaves + static_cast<size_t>(~child)]);
        auto *made = Form::make_inner(e, nodes + static_cast<size_t>(child), sets);
        inner.push_back(made);
        return made;
    }

    const struct ensemble &e;
    const node_sets &sets;
    size_t nodes, leaves; /* the tree's first node and first leaf in the ensemble */
    std::vector<typename Form::branch *> inner; /* made so far, in the ensemble's order */
};

template <class Form>
enum status build(const struct impl *impl, const struct ensemble *e, bool is_virtual,
                  struct scorer **scorer, struct error *error) {
    using Any = typename Form::node;
    auto *object = static_cast<Object<Any> *>(
        scorer_create(sizeof(Object<Any>), impl, e, e->n_trees, 1, error));
    if (!object)
        return STATUS_MEMORY;
    struct scorer *made = &object->head.scorer;
    object->head.is_virtual = is_virtual;
    object->head.any_nan_left = e->any_nan_left;
    node_sets_copy(e, &object->sets, &made->pool);
    made->bytes = e->n_trees * sizeof(Tree<Any>) + e->n_nodes * Form::inner_bytes +
                  e->n_leaves * Form::leaf_bytes + made->pool.bytes;
    try {
        object->trees = new Tree<Any>[e->n_trees];
        for (uint32_t t = 0; t < e->n_trees; t++) {
            object->trees[t].output = e->tree_output[t];
            Builder<Form>(*e, object->sets, t).build(object->trees[t].root);
        }
    } catch (const std::bad_alloc &) {
        made->pool.failed = true;
    }
    return scorer_finish(made, STATUS_OK, scorer, error);
}

enum status object_build(const struct impl *impl, const struct ensemble *ensemble,
                         const struct options *options, struct scorer **scorer,
                         struct error *error) {
    long is_virtual;
    enum status status = options_integer(options, "virtual", 0, 1, 0, &is_virtual, error);
    if (status)
        return status;
    if (!is_virtual)
        return build<Plain>(impl, ensemble, false, scorer, error);
    return (ensemble->any_nan_left ? build<Virtual<true>>
                                   : build<Virtual<false>>)(impl, ensemble, true, scorer, error);
}

/* --- scoring ---------------------------------------------------------------------------------- */

/* walk(root, x) returns the value of the leaf at which document x exits the tree. If the trees
 * vote, this is the number of a class. */
template <class Any, bool votes, class Walk>
inline void score_trees(const struct scorer *scorer, struct span units, struct span docs,
                        const struct batch *batch, Walk walk) {
    const auto *object = reinterpret_cast<const Object<Any> *>(scorer);
    for (size_t unit = units.begin; unit < units.end; unit++) {
        const Tree<Any> &tree = object->trees[unit];
        for (size_t doc = docs.begin; doc < docs.end; doc++) {
            double *scores = batch->scores + doc * scorer->n_outputs;
            double value = walk(tree.root, batch->x + doc * batch->stride);
            if (votes)
                scores[static_cast<size_t>(value)] += 1;
            else
                scores[tree.output] += value;
        }
    }
}

/* Each form has a function of its own for its loops. In a common function, the loops would change
 * each other's machine code. */
template <bool any_nan_left, bool votes>
__attribute__((noinline)) void score_plain(const struct scorer *scorer, struct span units,
                                           struct span docs, const struct batch *batch) {
    score_trees<Node, votes>(scorer, units, docs, batch, [](const Node *root, const float *x) {
        return root->score<any_nan_left>(x);
    });
}

template <bool votes>
__attribute__((noinline)) void score_by_sets(const struct scorer *scorer, struct span units,
                                             struct span docs, const struct batch *batch) {
    const node_sets &sets = reinterpret_cast<const Object<Node> *>(scorer)->sets;
    score_trees<Node, votes>(scorer, units, docs, batch, [&sets](const Node *root, const float *x) {
        return root->score_by_sets(x, sets);
    });
}

template <bool votes>
__attribute__((noinline)) void score_virtual(const struct scorer *scorer, struct span units,
                                             struct span docs, const struct batch *batch) {
    score_trees<VirtualNode, votes>(
        scorer, units, docs, batch,
        [](const VirtualNode *root, const float *x) { return root->score(x); });
}

template <bool votes>
void score_form(const struct scorer *scorer, struct span units, struct span docs,
                const struct batch *batch) {
    const auto *head = reinterpret_cast<const Head *>(scorer);
    if (head->is_virtual)
        score_virtual<votes>(scorer, units, docs, batch);
    else if (reinterpret_cast<const Object<Node> *>(scorer)->sets.begin)
        score_by_sets<votes>(scorer, units, docs, batch);
    else if (head->any_nan_left)
        score_plain<true, votes>(scorer, units, docs, batch);
    else
        score_plain<false, votes>(scorer, units, docs, batch);
}

void object_score(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch) {
    if (scorer->votes)
        score_form<true>(scorer, units, docs, batch);
    else
        score_form<false>(scorer, units, docs, batch);
}

template <class Any> void destroy_trees(const struct scorer *scorer) {
    Tree<Any> *trees = reinterpret_cast<const Object<Any> *>(scorer)->trees;
    for (size_t t = 0; trees && t < scorer->n_units; t++)
        delete trees[t].root;
    delete[] trees;
}

void object_destroy(struct scorer *scorer) {
    bool is_virtual = reinterpret_cast<const Head *>(scorer)->is_virtual;
    (is_virtual ? destroy_trees<VirtualNode> : destroy_trees<Node>)(scorer);
}

const struct impl_param params[] = {
    {"virtual", "1: inner nodes and leaves are classes with a virtual method", "0 1", "0"},
    {nullptr, nullptr, nullptr, nullptr},
};

/* C++17 has no designated initialisers. */
constexpr impl describe() {
    impl made = {};
    made.name = "object";
    made.title = "OBJECT";
    made.source = "asadi2014 section 3";
    made.kind = IMPL_TRAVERSAL;
    made.roles = IMPL_SURPASSED;
    made.params = params;
    made.sets = true;
    made.votes = true;
    made.build = object_build;
    made.score = object_score;
    made.destroy = object_destroy;
    return made;
}

} // namespace

const struct impl impl_object = describe();
