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
#include "impls/codegen/codegen_source.h"

static void codegen_score(const struct scorer *scorer, struct span units, struct span docs,
                          const struct batch *batch) {
    const struct codegen_scorer *codegen = (const struct codegen_scorer *)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++) {
        codegen_group *group = (codegen_group *)codegen->groups[unit];
        group(batch->x, batch->stride, docs.begin, docs.end, batch->scores);
    }
}

/* In a group of 16 trees, the call of the group's function and the load and store of a score take
 * little of the time. Larger groups would leave fewer units for threads to share. */
static enum status codegen_build(const struct impl *impl, const struct ensemble *ensemble,
                                 const struct options *options, struct scorer **scorer,
                                 struct error *error) {
    static const struct codegen_writer writer = {
        .impl = "codegen", .trees_per_group = 16, .write = codegen_write_source};
    (void)options;
    return codegen_scorer_build(impl, ensemble, &writer, scorer, error);
}

const struct impl impl_codegen = {.name = "codegen",
                                  .title = "CODEGEN",
                                  .source = "asadi2014 section 3",
                                  .kind = IMPL_TRAVERSAL,
                                  .votes = true,
                                  .sets = true,
                                  .compiles = true,
                                  .build = codegen_build,
                                  .score = codegen_score,
                                  .destroy = codegen_scorer_destroy};
