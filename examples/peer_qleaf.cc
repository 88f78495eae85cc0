/* A peer that wraps QLeaf (https://github.com/LiJ21/QLeaf), a header-only C++ library for shallow
 * trees. QLEAF is the folder of its clone:
 *
 *     g++ -std=c++23 -O3 -march=native -D__CUDACC__ -I$QLEAF/include -shared -fPIC \
 *         peer_qleaf.cc -o qleaf.so
 *     treebench latency --peer ./qleaf.so --model m.json --data d.txt
 *
 * -D__CUDACC__ is for g++ 12, which cannot make QLeaf's masks when it compiles. -DWORKER= with
 * qleaf::BitmaskRegressionWorker selects its other kernel, for at most 6 levels.
 *
 * QLeaf's trees are perfect, so shorter paths are filled up. It sends NaN right. */
#include <treebench_peer.h>

#include <qleaf.h>

#include <atomic>
#include <fstream>
#include <stdexcept>
#include <string>

#ifndef WORKER
#define WORKER qleaf::BranchRegressionWorker
#endif
#define QUOTE(x) #x
#define TEXT(x) QUOTE(x)
template <typename Value, typename Span> using Worker = WORKER<Value, Span>;
using Inferrer = qleaf::Inferrer<float, Worker, qleaf::CompactNodeBuffer,
                                 qleaf::detail::FairBalancer, qleaf::RegressionReducer>;
using nlohmann::json;

enum { LEVELS_MAX = 12 }; /* a tree takes 2^levels nodes */

struct model {
    json forest;
    uint32_t n_features;
    uint64_t id;
};

static std::string failure;

static size_t depth_of(const json &tree, int node) {
    int left = tree["left_children"][node], right = tree["right_children"][node];
    return left < 0 ? 0 : 1 + std::max(depth_of(tree, left), depth_of(tree, right));
}

/* Fills the subtree at `at`, with this many levels below it. */
static void fill(const json &tree, int node, size_t at, size_t levels, json &made) {
    int left = tree["left_children"][node], right = tree["right_children"][node];
    if (left >= 0 && tree["default_left"][node] != 0)
        throw std::runtime_error("QLeaf sends NaN right, but the model sends it left");
    made["indices"][at] = left < 0 ? json(0) : tree["split_indices"][node];
    made["splits"][at] = tree["split_conditions"][node]; /* the value of a leaf */
    if (levels == 0)
        return;
    fill(tree, left < 0 ? node : left, 2 * at + 1, levels - 1, made);
    fill(tree, left < 0 ? node : right, 2 * at + 2, levels - 1, made);
}

static json forest_of(const json &trees) {
    size_t depth = 0;
    for (const json &tree : trees)
        depth = std::max(depth, depth_of(tree, 0));
    if (depth > LEVELS_MAX)
        throw std::runtime_error("the trees are too deep for perfect trees");
    json forest = {
        {"depth", depth}, {"worker", {{{"has_equal", false}}}}, {"trees", json::array()}};
    for (const json &tree : trees) {
        std::vector<int> none((2u << depth) - 1);
        forest["trees"].push_back({{"indices", none}, {"splits", none}});
        fill(tree, 0, 0, depth, forest["trees"].back());
    }
    return forest;
}

static void *open_model(const char *path, const char *) {
    static std::atomic<uint64_t> opened{0};
    try {
        std::ifstream file(path);
        json learner = json::parse(file)["learner"], &parameters = learner["learner_model_param"];
        if (std::stoi(parameters["num_class"].get<std::string>()) > 1)
            throw std::runtime_error("QLeaf has one output");
        return new model{forest_of(learner["gradient_booster"]["model"]["trees"]),
                         (uint32_t)std::stoul(parameters["num_feature"].get<std::string>()),
                         ++opened};
    } catch (const std::exception &e) {
        failure = e.what();
        return nullptr;
    }
}

/* QLeaf keeps results in an inferrer, so each thread has its own. */
static Inferrer &inferrer_of(const model *m) {
    static thread_local std::unique_ptr<Inferrer> own;
    static thread_local uint64_t id;
    if (!own || id != m->id)
        own = std::make_unique<Inferrer>(qleaf::Config{m->forest});
    id = m->id;
    return *own;
}

static int score(const void *opened, const float *rows, size_t stride, size_t n_rows,
                 double *scores) {
    const model *m = (const model *)opened;
    Inferrer &inferrer = inferrer_of(m);
    for (size_t i = 0; i < n_rows; i++)
        scores[i] = inferrer.predict(std::span<const float>(rows + i * stride, m->n_features));
    return 0;
}

const struct treebench_peer *treebench_peer(void) {
    static const struct treebench_peer peer = {
        .abi = TREEBENCH_PEER_ABI,
        .sums = TREEBENCH_PEER_FLOAT,
        .name = "qleaf",
        .version = "QLeaf, " TEXT(WORKER),
        .formats = "xgboost",
        .open = open_model,
        .n_features = [](const void *m) { return ((const model *)m)->n_features; },
        .n_outputs = [](const void *) { return 1u; },
        .threads = nullptr,
        .score_floats = score,
        .score_doubles = nullptr,
        .close = [](void *m) { delete (model *)m; },
        .last_error = [] { return failure.c_str(); }};
    return &peer;
}
