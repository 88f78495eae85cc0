#include "impls/framing/ifelse_source.h"

#include "impls/codegen/codegen_source.h"

#include <math.h>
#include <string.h>

/* A subtree this far below the beginning of a function or a label gets a label of its own, because
 * compilers cannot nest blocks without limit (clang: 256). The paper's trees are not that deep. */
enum { MAX_NESTED = 100 };

/* Votes are counted in a local array of up to this many classes, as in the paper. With more
 * classes, clearing the array would take longer than counting. */
enum { MAX_COUNTERS = 256 };

struct writer {
    FILE *stream;
    const struct ensemble *ensemble;
    const struct ifelse_form *form;
    uint32_t t;
    struct frame_tree tree;
    struct frame_kernel kernel;
    /* [nodes of the tree] Does the node begin a block of its own, behind a label? How far below the
     * beginning of its block is it? */
    bool *has_label;
    uint32_t *nested;
};

/* --- floats ----------------------------------------------------------------------------------- */

/* NaN fails every comparison. The side to which it goes is therefore written as the negation of the
 * other side's comparison. */
static void write_float_test(FILE *stream, const struct ensemble *e, size_t node, bool left) {
    bool compares_left = !e->nan_left[node], negates = left != compares_left;
    fprintf(stream, "%sx[%u] %s ", negates ? "!(" : "", e->feature[node],
            compares_left ? "<=" : ">");
    codegen_write_float(stream, e->threshold[node]);
    fputs(negates ? ")" : "", stream);
}

/* --- bits of floats --------------------------------------------------------------------------- */

static void write_helpers(FILE *stream) {
    fputs("static inline unsigned bits(const float *x) {\n"
          "unsigned b;\n"
          "__builtin_memcpy(&b, x, sizeof b);\n"
          "return b;\n"
          "}\n",
          stream);
}

/* As unsigned integers, the bits of floats are in this order:
 *   0 to INF          0 and the positive floats, ascending
 *   up to MINUS_0     NaN
 *   MINUS_0 to -INF   -0 and the negative floats, descending
 *   above             NaN
 */
#define INF_BITS UINT32_C(0x7f800000)
#define MINUS_0_BITS UINT32_C(0x80000000)
#define MINUS_INF_BITS UINT32_C(0xff800000)

static void write_range(FILE *stream, uint32_t feature, uint32_t first, uint32_t last) {
    fprintf(stream, "bits(x + %u) - 0x%xu <= 0x%xu", feature, first, last - first);
}

/* Left, from a threshold of 0 or more: as signed integers, negative floats are below 0. The second
 * comparison fails for NaN only, so its branch is predictable. */
static void write_left(FILE *stream, uint32_t feature, uint32_t threshold) {
    if (threshold > MINUS_0_BITS)
        write_range(stream, feature, threshold, MINUS_INF_BITS);
    else
        fprintf(stream, "(int)bits(x + %u) <= 0x%x && bits(x + %u) <= 0x%xu", feature, threshold,
                feature, MINUS_INF_BITS);
}

/* Right, from a threshold below 0: all that is below its bits, except NaN without a sign. Right,
 * from a threshold of 0 or more: the floats above it. */
static void write_right(FILE *stream, uint32_t feature, uint32_t threshold) {
    if (threshold > MINUS_0_BITS)
        fprintf(stream, "bits(x + %u) < 0x%xu && bits(x + %u) - 0x%xu >= 0x%xu", feature, threshold,
                feature, INF_BITS + 1, MINUS_0_BITS - INF_BITS - 1);
    else if (threshold == INF_BITS)
        fputs("0", stream);
    else
        write_range(stream, feature, threshold + 1, INF_BITS);
}

/* The threshold's bits; -0 counts as 0. */
static uint32_t threshold_bits(float threshold) {
    uint32_t bits;
    memcpy(&bits, &threshold, sizeof bits);
    return bits == MINUS_0_BITS ? 0 : bits;
}

/* As with floats, the side to which NaN goes is the negation of the other side's test. */
static void write_bits_test(FILE *stream, const struct ensemble *e, size_t node, bool left) {
    uint32_t feature = e->feature[node], threshold = threshold_bits(e->threshold[node]);
    bool compares_left = !e->nan_left[node];
    fputs(left == compares_left ? "(" : "!(", stream);
    (compares_left ? write_left : write_right)(stream, feature, threshold);
    fputs(")", stream);
}

/* --- sets ------------------------------------------------------------------------------------- */

static void write_set_test(FILE *stream, const struct ensemble *e, size_t node, bool left) {
    fputs(left ? "(" : "!(", stream);
    codegen_write_set_test(stream, e, node);
    fputs(")", stream);
}

/* --- integers --------------------------------------------------------------------------------- */

/* For integers, x <= t exactly if x <= floor(t). If every value of the type is on one side, the
 * test is a constant. */
static void write_integer_test(FILE *stream, const struct ensemble *e, size_t node, bool left,
                               enum framing_values values) {
    double low = values == FRAMING_INT16 ? INT16_MIN : INT32_MIN;
    double high = values == FRAMING_INT16 ? INT16_MAX : INT32_MAX;
    double threshold = floor((double)e->threshold[node]) + 0.0; /* 0.0, not -0.0 */
    if (threshold < low || threshold >= high)
        fprintf(stream, "%d", (threshold >= high) == left);
    else
        fprintf(stream, "x[%u] %s %.0f", e->feature[node], left ? "<=" : ">", threshold);
}

/* --- all of them ------------------------------------------------------------------------------ */

void ifelse_write_test(FILE *stream, const struct ensemble *e, size_t node, bool left,
                       enum framing_values values) {
    if (values == FRAMING_INT16 || values == FRAMING_INT32)
        write_integer_test(stream, e, node, left, values);
    else if (ensemble_is_set(e, node))
        write_set_test(stream, e, node, left);
    else if (values == FRAMING_BITS)
        write_bits_test(stream, e, node, left);
    else
        write_float_test(stream, e, node, left);
}

/* --- one tree --------------------------------------------------------------------------------- */

/* A node that is not in its parent's part of the function, or too deeply nested, gets a label. */
static void find_labels(struct writer *w) {
    const struct frame_tree *tree = &w->tree;
    const bool *has = w->kernel.has;
    w->has_label[0] = !has[0];
    w->nested[0] = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        if (frame_is_leaf(tree, node))
            continue;
        const uint32_t children[] = {tree->left[node], tree->right[node]};
        for (int i = 0; i < 2; i++) {
            uint32_t child = children[i], nested = w->nested[node] + 1;
            w->has_label[child] = has[child] != has[node] || nested == MAX_NESTED;
            w->nested[child] = w->has_label[child] ? 0 : nested;
        }
    }
}

/* Is the node's block a function of its own? */
static bool is_apart(const struct writer *w, uint32_t node) {
    return w->form->apart && w->has_label[node] && !w->kernel.has[node];
}

static void write_jump(const struct writer *w, uint32_t node) {
    if (is_apart(w, node))
        fprintf(w->stream, "return tree_%u_%u(x);\n", w->t, node);
    else
        fprintf(w->stream, "goto node_%u;\n", node);
}

static void write_node(const struct writer *w, uint32_t node);

/* The recursion ends at a label, after at most MAX_NESTED levels. */
static void write_child(const struct writer *w, uint32_t child) {
    if (w->has_label[child])
        write_jump(w, child);
    else
        write_node(w, child);
}

static void write_split(const struct writer *w, uint32_t node) {
    const struct frame_tree *tree = &w->tree;
    uint32_t first = tree->left[node], second = tree->right[node];
    if (w->form->swap) {
        first = frame_likelier(tree, node);
        second = frame_other(tree, node);
    }
    bool expect = w->form->hint && tree->weight[first] != tree->weight[second];
    fputs(expect ? "if (__builtin_expect(" : "if (", w->stream);
    ifelse_write_test(w->stream, w->ensemble, w->ensemble->tree_node[w->t] + w->tree.number[node],
                      first == tree->left[node], w->form->values);
    fputs(expect ? ", 1)) {\n" : ") {\n", w->stream);
    write_child(w, first);
    fputs("} else {\n", w->stream);
    write_child(w, second);
    fputs("}\n", w->stream);
}

static void write_node(const struct writer *w, uint32_t node) {
    if (frame_is_leaf(&w->tree, node))
        codegen_write_leaf(w->stream, w->ensemble,
                           w->ensemble->tree_leaf[w->t] + w->tree.number[node]);
    else
        write_split(w, node);
}

/* The C type of a document's values. */
static const char *value_type(const struct writer *w) {
    enum framing_values values = w->form->values;
    return values == FRAMING_INT16 ? "short" : values == FRAMING_INT32 ? "int" : "float";
}

/* Writes the labelled blocks of the kernel, or those outside it. */
static void write_labels(const struct writer *w, bool of_kernel) {
    for (uint32_t node = 0; node < w->tree.n_nodes; node++)
        if (w->has_label[node] && w->kernel.has[node] == of_kernel && !is_apart(w, node)) {
            fprintf(w->stream, "node_%u:\n", node);
            write_node(w, node);
        }
}

/* Blocks call only blocks of larger numbers. Writing these first saves declarations. */
static void write_blocks_apart(const struct writer *w) {
    for (uint32_t node = w->tree.n_nodes; node-- > 0;)
        if (is_apart(w, node)) {
            fprintf(w->stream,
                    "__attribute__((noinline, cold)) static %s tree_%u_%u(const %s *x) {\n",
                    codegen_leaf_type(w->ensemble), w->t, node, value_type(w));
            write_node(w, node);
            fputs("}\n", w->stream);
        }
}

static void write_tree(struct writer *w) {
    const struct ifelse_form *form = w->form;
    frame_tree_fill(&w->tree, w->ensemble, w->t);
    if (form->by_kernel)
        frame_kernel_choose(&w->kernel, &w->tree, form->bytes, form->budget, form->strict);
    else
        frame_kernel_take_all(&w->kernel, &w->tree);
    find_labels(w);
    codegen_write_set_tables(w->stream, w->ensemble, w->t);
    write_blocks_apart(w);
    fprintf(w->stream, "static %s tree_%u(const %s *x) {\n", codegen_leaf_type(w->ensemble), w->t,
            value_type(w));
    if (w->tree.n_nodes == 1)
        fputs("(void)x;\n", w->stream);
    write_child(w, 0);
    write_labels(w, true);
    write_labels(w, false);
    fputs("}\n", w->stream);
}

/* --- groups ----------------------------------------------------------------------------------- */

static void write_counters(FILE *stream, uint32_t n_classes, struct span group) {
    fprintf(stream, "unsigned votes[%u] = {0};\n", n_classes);
    for (size_t t = group.begin; t < group.end; t++)
        fprintf(stream, "votes[tree_%zu(document)]++;\n", t);
    fprintf(stream, "for (unsigned c = 0; c < %u; c++)\nscore[c] += votes[c];\n", n_classes);
}

static void write_group(const struct writer *w, struct span group) {
    const struct ensemble *e = w->ensemble;
    fprintf(w->stream, "static void score_%zu(const %s *document, double *score) {\n", group.begin,
            value_type(w));
    if (e->votes && e->n_outputs <= MAX_COUNTERS)
        write_counters(w->stream, e->n_outputs, group);
    else
        codegen_write_scores(w->stream, e, group, "");
    fputs("}\n", w->stream);
}

static void write_trees(struct writer *w, struct span trees) {
    if (w->ensemble->set)
        codegen_write_set_helpers(w->stream);
    if (w->form->values == FRAMING_BITS)
        write_helpers(w->stream);
    for (size_t t = trees.begin; t < trees.end; t++) {
        w->t = (uint32_t)t;
        write_tree(w);
    }
}

static void write_groups(const struct writer *w, const struct span *groups, size_t n_groups) {
    for (size_t g = 0; g < n_groups; g++)
        write_group(w, groups[g]);
    fprintf(w->stream, "void (*const " CODEGEN_TABLE "[])(const %s *document, double *score) = {\n",
            value_type(w));
    for (size_t g = 0; g < n_groups; g++)
        fprintf(w->stream, "score_%zu,\n", groups[g].begin);
    fputs("};\n", w->stream);
}

enum status ifelse_write_trees(const struct ifelse_form *form, const struct ensemble *ensemble,
                               struct span trees, FILE *stream, struct error *error) {
    struct writer w = {.stream = stream, .ensemble = ensemble, .form = form};
    struct memory_pool pool = {0};
    size_t largest = ensemble_largest_tree(ensemble);
    w.has_label = memory_pool_array(&pool, largest, sizeof *w.has_label);
    w.nested = memory_pool_array(&pool, largest, sizeof *w.nested);
    frame_tree_create(&w.tree, largest, &pool);
    frame_kernel_create(&w.kernel, largest, &pool);
    bool complete = !pool.failed;
    if (complete)
        write_trees(&w, trees);
    memory_pool_free(&pool);
    return complete ? STATUS_OK : error_memory(error, "the layout of a tree");
}

enum status ifelse_write_source(const void *context, const struct ensemble *ensemble,
                                const struct span *groups, size_t n_groups, FILE *stream,
                                struct error *error) {
    const struct writer w = {.stream = stream, .ensemble = ensemble, .form = context};
    const struct span trees = {groups[0].begin, groups[n_groups - 1].end};
    enum status status = ifelse_write_trees(w.form, ensemble, trees, stream, error);
    if (!status)
        write_groups(&w, groups, n_groups);
    return status;
}
