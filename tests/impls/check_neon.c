/* Do implementations agree with the reference, bit for bit? A program for a processor that this one
 * only emulates (test_neon.bats), where none of the libraries are that tests have otherwise. */
#include "base/memory.h"
#include "impls/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What forests.h wants of cmocka. */
#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))
#define assert_true(truth) ((truth) ? (void)0 : fail_msg("%s:%d: %s", __FILE__, __LINE__, #truth))
#define assert_non_null(pointer) assert_true((pointer) != NULL)
#define assert_int_equal(a, b) assert_true((a) == (b))
#define assert_in_range(value, low, high) assert_true((value) >= (low) && (value) <= (high))
#include "tests/impls/forests.h"

extern const struct impl impl_reference, impl_vqs_neon, impl_planes, impl_planes_neon;
extern const struct impl impl_rank_paths_neon, impl_rank_levels_neon;

enum { PROBES = 400, LONGEST_TAIL = 9 };

/* Adds to scores that are not zero before. */
static double *score(const struct scorer *scorer, const struct matrix *rows, struct span docs) {
    size_t n_scores = rows->n_rows * scorer->n_outputs;
    double *scores = malloc(n_scores * sizeof *scores);
    void *workspace = memory_aligned_alloc(scorer->workspace);
    assert_true(scores && workspace);
    for (size_t i = 0; i < n_scores; i++)
        scores[i] = (double)i;
    const struct batch batch = {rows->values, rows->stride, scores, workspace};
    scorer->impl->score(scorer, (struct span){0, scorer->n_units}, docs, &batch);
    free(workspace);
    return scores;
}

static void check_documents(const char *name, const struct scorer *reference,
                            const struct scorer *neon, const struct matrix *rows,
                            struct span docs) {
    double *expected = score(reference, rows, docs), *scores = score(neon, rows, docs);
    if (memcmp(expected, scores, rows->n_rows * neon->n_outputs * sizeof *scores) != 0)
        fail_msg("%s, documents %zu to %zu: scores differ", name, docs.begin, docs.end);
    free(expected);
    free(scores);
}

/* Whether it was a forest for the implementation. */
static bool check_forest(const struct impl *impl, const struct forest_maker *maker,
                         const struct options *options) {
    struct ensemble *made = maker->make(), *ensemble = NULL;
    struct scorer *reference = NULL, *neon = NULL;
    struct matrix *rows = NULL;
    struct error error;
    assert_int_equal(ensemble_copy_with_exact_leaves(made, 1, &ensemble, NULL), STATUS_OK);
    enum status status = ensemble->set && !impl->sets
                             ? STATUS_UNSUPPORTED
                             : impl->build(impl, ensemble, options, &neon, &error);
    if (!status) {
        assert_int_equal(impl_reference.build(&impl_reference, ensemble, NULL, &reference, NULL),
                         STATUS_OK);
        assert_int_equal(synth_probes(ensemble, PROBES, 1, &rows, NULL), STATUS_OK);
        check_documents(maker->name, reference, neon, rows, (struct span){0, PROBES});
        for (size_t n = 0; n <= LONGEST_TAIL; n++)
            check_documents(maker->name, reference, neon, rows, (struct span){n, 2 * n});
        scorer_destroy(neon);
        scorer_destroy(reference);
        matrix_free(rows);
    } else if (status != STATUS_UNSUPPORTED) {
        fail_msg("%s: %s", maker->name, error.text);
    }
    ensemble_free(made);
    ensemble_free(ensemble);
    return !status;
}

static void check_forests(const struct impl *impl, const char *tau) {
    struct options options = {.count = tau != NULL, .pairs = {{"tau", ""}}};
    int checked = 0;
    snprintf(options.pairs[0].value, sizeof options.pairs[0].value, "%s", tau ? tau : "");
    for (size_t i = 0; i < FOREST_COUNT; i++)
        checked += check_forest(impl, &forest_makers[i], &options);
    printf("%s: %d forests\n", impl->name, checked);
}

int main(void) {
    check_forests(&impl_vqs_neon, "all");
    check_forests(&impl_vqs_neon, "2");
    check_forests(&impl_planes, NULL);
    check_forests(&impl_planes_neon, NULL);
    check_forests(&impl_rank_paths_neon, NULL);
    check_forests(&impl_rank_levels_neon, NULL);
    return 0;
}
