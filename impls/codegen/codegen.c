/* CODEGEN: generates if-else C code for the ensemble and compiles it with -O3. Each group of trees
 * becomes one function. For each document, it calls the trees directly, one after the other, as in
 * the paper: score += tree_0(x); score += tree_1(x); and so on. Functions with one tree each and a
 * loop over documents take 1.1 to 2.5 times as long (docs/tried.md).
 *
 * The compiler decides how the code looks; that is part of the approach. The object files of gcc 12
 * and clang 14 on x86-64, for balanced trees of depth 3, 6 and 11, show:
 *   - gcc makes every decision a branch, as the paper intends. A level takes three
 *     instructions. Two of them load: the threshold, which is a constant, and the feature:
 *         movss threshold, %xmm; comiss feature(%rdi), %xmm; jb
 *   - clang does the same, except for decisions whose two children are leaves. Such a
 *     decision loads the value from a table, without a branch. The result of the
 *     comparison (setb) is the index. Each such path has one branch fewer to mispredict.
 *   - Both compilers inline small trees.
 *   - Sending NaN left costs nothing: `!(x > t)` is also one comparison and one branch.
 *   - The test of a set of categories becomes one comparison per cut, a look-up of a bit,
 *     or a search among the cuts (codegen_sets.c).
 *   - An inner node and a leaf take 40 to 50 bytes of code and constants together. The code
 *     of a large ensemble exceeds the instruction cache. This costs most if documents are
 *     scored one at a time. */
#include "impls/codegen/codegen_library.h"

#include <stdlib.h>

extern const struct impl impl_codegen;

/* Compilers take up to a few ms and 20 KB of memory per node. With trees above this limit, the
 * compiler would seem to hang. */
enum { MAX_TREE_NODES = 1 << 17 };

struct codegen {
    struct scorer scorer;
    struct codegen_library *library;
    codegen_group *const *groups; /* [n_units] owned by the library */
};

static void codegen_score(const struct scorer *scorer, struct span units, struct span docs,
                          const struct batch *batch) {
    const struct codegen *codegen = (const struct codegen *)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++)
        codegen->groups[unit](batch->x, batch->stride, docs.begin, docs.end, batch->scores);
}

static void codegen_destroy(struct scorer *scorer) {
    struct codegen *codegen = (struct codegen *)scorer;
    codegen_library_close(codegen->library);
    free(codegen);
}

static enum status check_sizes(const struct ensemble *ensemble, struct error *error) {
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        uint32_t n_nodes = ensemble_tree_nodes(ensemble, t);
        if (n_nodes > MAX_TREE_NODES)
            return error_set(
                error, STATUS_UNSUPPORTED,
                "codegen: tree %u has %u inner nodes; compilers can handle at most %d. Use auto", t,
                n_nodes, MAX_TREE_NODES);
    }
    return STATUS_OK;
}

static enum status codegen_build(const struct ensemble *ensemble, const struct options *options,
                                 struct scorer **scorer, struct error *error) {
    (void)options;
    enum status status = check_sizes(ensemble, error);
    if (status)
        return status;
    struct codegen *codegen = calloc(1, sizeof *codegen);
    if (!codegen)
        return error_memory(error, "codegen");
    status = codegen_library_open(ensemble, &codegen->library, error);
    if (status) {
        free(codegen);
        return status;
    }
    const struct codegen_library *library = codegen->library;
    codegen->groups = library->groups;
    codegen->scorer =
        (struct scorer){.impl = &impl_codegen,
                        .n_units = library->n_groups,
                        .lanes = 1,
                        .n_features = ensemble->n_features,
                        .n_outputs = ensemble->n_outputs,
                        .bytes = library->n_groups * sizeof *codegen->groups + library->bytes,
                        .votes = ensemble->votes};
    *scorer = &codegen->scorer;
    return STATUS_OK;
}

const struct impl impl_codegen = {.name = "codegen",
                                  .title = "CODEGEN",
                                  .source = "asadi2014 section 3",
                                  .kind = IMPL_TRAVERSAL,
                                  .votes = true,
                                  .sets = true,
                                  .build = codegen_build,
                                  .score = codegen_score,
                                  .destroy = codegen_destroy};
