#include "impls/codegen/codegen_source.h"

#include "base/number.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Every LEVELS_PER_FUNCTION levels, subtrees become separate functions. Each call of such a
 * function is a return statement, which compiles to a jump. The functions are never inlined.
 * Without these functions, compilers would fail on deep trees (clang nests at most 256 brackets).
 * The time to compile would also grow faster than the tree. asadi2014's synthetic trees have at
 * most 11 levels and are not split. Fewer levels make deeper trees slower (docs/tried.md). */
enum { LEVELS_PER_FUNCTION = 24 };

#define PARAMETERS "(const float *x, size_t stride, size_t begin, size_t end, double *scores)"

struct writer {
    FILE *stream;
    const struct ensemble *ensemble;
    uint32_t tree;
    uint32_t *level; /* [nodes of the tree] */
};

static bool begins_function(const struct writer *w, uint32_t node) {
    return w->level[node] % LEVELS_PER_FUNCTION == 0;
}

static void write_test(const struct writer *w, size_t node) {
    const struct ensemble *e = w->ensemble;
    if (ensemble_is_set(e, node)) {
        fputs("if (", w->stream);
        codegen_write_set_test(w->stream, e, node);
        fputs(")\n", w->stream);
        return;
    }
    float threshold = e->threshold[node];
    /* NaN makes both comparisons false. The negated form therefore sends NaN left. */
    fprintf(w->stream, e->nan_left[node] ? "if (!(x[%u] > " : "if ((x[%u] <= ", e->feature[node]);
    codegen_write_float(w->stream, threshold);
    fputs("))\n", w->stream);
}

static void write_child(const struct writer *w, int32_t child);

void codegen_write_leaf(FILE *stream, const struct ensemble *e, size_t leaf) {
    char text[NUMBER_TEXT_SIZE];
    number_format_double(e->value[leaf], text);
    if (e->votes)
        fprintf(stream, "return %u;\n", (unsigned)e->value[leaf]);
    else
        fprintf(stream, "return %s%s;\n", text, strpbrk(text, ".e") ? "" : ".0");
}

const char *codegen_leaf_type(const struct ensemble *e) {
    return e->votes ? "unsigned" : "double";
}

static void write_inner(const struct writer *w, uint32_t node) {
    const struct ensemble *e = w->ensemble;
    size_t at = e->tree_node[w->tree] + node;
    write_test(w, at);
    write_child(w, e->left[at]);
    fputs("else\n", w->stream);
    write_child(w, e->right[at]);
}

/* The recursion ends at the next subtree that is a function, after at most LEVELS_PER_FUNCTION
 * levels. */
static void write_child(const struct writer *w, int32_t child) {
    const struct ensemble *e = w->ensemble;
    if (child < 0)
        codegen_write_leaf(w->stream, e, e->tree_leaf[w->tree] + (size_t)~child);
    else if (begins_function(w, (uint32_t)child))
        fprintf(w->stream, "return tree_%u_%d(x);\n", w->tree, child);
    else
        write_inner(w, (uint32_t)child);
}

/* Relies on the canonical order: parents come before their children. */
static void find_levels(const struct writer *w) {
    const struct ensemble *e = w->ensemble;
    size_t first = e->tree_node[w->tree];
    uint32_t n_nodes = ensemble_tree_nodes(e, w->tree);
    if (n_nodes > 0)
        w->level[0] = 0;
    for (uint32_t node = 0; node < n_nodes; node++) {
        const int32_t children[] = {e->left[first + node], e->right[first + node]};
        for (int i = 0; i < 2; i++) {
            if (children[i] >= 0)
                w->level[children[i]] = w->level[node] + 1;
        }
    }
}

/* Writes the functions of lower subtrees first, so that no function needs a declaration. */
static void write_tree(const struct writer *w) {
    find_levels(w);
    codegen_write_set_tables(w->stream, w->ensemble, w->tree);
    uint32_t n_nodes = ensemble_tree_nodes(w->ensemble, w->tree);
    for (uint32_t node = n_nodes; node-- > 0;) {
        if (begins_function(w, node)) {
            fprintf(w->stream, "%sstatic %s tree_%u_%u(const float *x) {\n",
                    node > 0 ? "__attribute__((noinline)) " : "", codegen_leaf_type(w->ensemble),
                    w->tree, node);
            write_inner(w, node);
            fputs("}\n", w->stream);
        }
    }
    if (n_nodes == 0) {
        fprintf(w->stream, "static %s tree_%u_0(const float *x) {\n",
                codegen_leaf_type(w->ensemble), w->tree);
        write_child(w, ~0);
        fputs("}\n", w->stream);
    }
}

/* --- groups ------------------------------------------------------------------------------------*/

/* Does no earlier tree of the group add to the same output as `tree`? */
static bool begins_output(const struct ensemble *e, struct span group, size_t tree) {
    for (size_t t = group.begin; t < tree; t++)
        if (e->tree_output[t] == e->tree_output[tree])
            return false;
    return true;
}

/* The scores of a document are the counters of its votes. */
static void write_votes(FILE *stream, struct span group, const char *suffix) {
    for (size_t t = group.begin; t < group.end; t++)
        fprintf(stream, "score[tree_%zu%s(document)] += 1;\n", t, suffix);
}

/* Each output of the group has a sum in a local variable, so that the sum stays in a register
 * between trees that the compiler inlines. */
static void write_sums(FILE *stream, const struct ensemble *e, struct span group,
                       const char *suffix) {
    for (size_t t = group.begin; t < group.end; t++)
        if (begins_output(e, group, t))
            fprintf(stream, "double sum_%u = score[%u];\n", e->tree_output[t], e->tree_output[t]);
    for (size_t t = group.begin; t < group.end; t++)
        fprintf(stream, "sum_%u += tree_%zu%s(document);\n", e->tree_output[t], t, suffix);
    for (size_t t = group.begin; t < group.end; t++)
        if (begins_output(e, group, t))
            fprintf(stream, "score[%u] = sum_%u;\n", e->tree_output[t], e->tree_output[t]);
}

void codegen_write_scores(FILE *stream, const struct ensemble *e, struct span group,
                          const char *suffix) {
    if (e->votes)
        write_votes(stream, group, suffix);
    else
        write_sums(stream, e, group, suffix);
}

static void write_group(const struct writer *w, struct span group) {
    const struct ensemble *e = w->ensemble;
    fprintf(w->stream,
            "static void group_%zu" PARAMETERS " {\n"
            "for (size_t i = begin; i < end; i++) {\n"
            "const float *document = x + i * stride;\n"
            "double *score = scores + i * %u;\n",
            group.begin, e->n_outputs);
    codegen_write_scores(w->stream, e, group, "_0");
    fputs("}\n}\n", w->stream);
}

enum status codegen_write_source(const void *context, const struct ensemble *ensemble,
                                 const struct span *groups, size_t n_groups, FILE *stream,
                                 struct error *error) {
    (void)context;
    struct writer w = {.stream = stream, .ensemble = ensemble};
    const struct span trees = {groups[0].begin, groups[n_groups - 1].end};
    size_t most_leaves = ensemble_most_leaves(ensemble, trees.begin, trees.end);
    w.level = malloc(most_leaves * sizeof *w.level);
    if (w.level == NULL)
        return error_memory(error, "the levels of a tree's nodes");

    fputs("#include <stddef.h>\n", stream);
    if (ensemble->set)
        codegen_write_set_helpers(stream);
    for (size_t t = trees.begin; t < trees.end; t++) {
        w.tree = (uint32_t)t;
        write_tree(&w);
    }
    for (size_t g = 0; g < n_groups; g++)
        write_group(&w, groups[g]);
    fputs("void (*const " CODEGEN_TABLE "[])" PARAMETERS " = {\n", stream);
    for (size_t g = 0; g < n_groups; g++)
        fprintf(stream, "group_%zu,\n", groups[g].begin);
    fputs("};\n", stream);
    free(w.level);
    return STATUS_OK;
}
