/* LightGBM's reader on random trees, compared with LightGBM's rules written in plain C. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/rewrite.h"
#include "tests/models/reading.h"

#define HEADER                                                                                     \
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=2\n"  \
    "objective=regression\nfeature_names=a b c\nfeature_infos=[0:1] none 0:1:2\ntree_sizes=1\n\n"

enum { SPLITS = 9, FEATURES = 3 };

struct random_tree {
    int feature[SPLITS], decision[SPLITS], left[SPLITS], right[SPLITS], n_sets;
    double threshold[SPLITS];
    uint32_t words[SPLITS][2];
};

static const double thresholds[] = {0.5,    -0.5, 0, 1.0000000180025095e-35, -1e-35, 2, -2,
                                    1e-300, 3.5,  1, -1.0000000180025095e-35};
static const float probes[] = {NAN,     0,    1,    2,      3,        4,        31,        32,
                               33,      63,   64,   0.5F,   -0.5F,    -0.9F,    -1,        -2,
                               -2.5F,   3.5F, 3.6F, 1e-35F, -1e-35F,  1.1e-35F, -1.1e-35F, 1e-45F,
                               -1e-45F, 1e9F, 3e9F, -1e9F,  INFINITY, -INFINITY};
enum { PROBES = sizeof probes / sizeof *probes };

/* A few of the 32 bits. */
static uint32_t draw_categories(struct random *random) {
    return (uint32_t)(random_u64(random) & random_u64(random) & random_u64(random));
}

/* Splits a random leaf repeatedly, like LightGBM. */
static struct random_tree draw_tree(struct random *random) {
    struct random_tree tree = {.n_sets = 0};
    int *leaf_of[SPLITS + 1]; /* the child pointer of each leaf */
    for (int i = 0; i < SPLITS; i++) {
        int leaf = (int)random_below(random, (uint64_t)i + 1);
        if (i)
            *leaf_of[leaf] = i;
        tree.feature[i] = (int)random_below(random, FEATURES);
        bool categorical = random_below(random, 3) == 0;
        tree.decision[i] = (int)(random_below(random, 3) << 2 | random_below(random, 2) << 1);
        tree.threshold[i] =
            thresholds[random_below(random, sizeof thresholds / sizeof *thresholds)];
        if (categorical) {
            tree.decision[i] |= 1;
            tree.threshold[i] = tree.n_sets++;
            tree.words[i][0] = draw_categories(random);
            tree.words[i][1] = draw_categories(random);
        }
        tree.left[i] = ~leaf;
        tree.right[i] = ~(i + 1);
        leaf_of[leaf] = &tree.left[i];
        leaf_of[i + 1] = &tree.right[i];
    }
    return tree;
}

static void print_tree(const struct random_tree *tree, FILE *stream) {
    fprintf(stream, HEADER "Tree=0\nnum_leaves=%d\nnum_cat=%d\nsplit_feature=", SPLITS + 1,
            tree->n_sets);
    for (int i = 0; i < SPLITS; i++)
        fprintf(stream, " %d", tree->feature[i]);
    fputs("\nthreshold=", stream);
    for (int i = 0; i < SPLITS; i++)
        fprintf(stream, " %.17g", tree->threshold[i]);
    fputs("\ndecision_type=", stream);
    for (int i = 0; i < SPLITS; i++)
        fprintf(stream, " %d", tree->decision[i]);
    fputs("\nleft_child=", stream);
    for (int i = 0; i < SPLITS; i++)
        fprintf(stream, " %d", tree->left[i]);
    fputs("\nright_child=", stream);
    for (int i = 0; i < SPLITS; i++)
        fprintf(stream, " %d", tree->right[i]);
    fputs("\nleaf_value=", stream);
    for (int i = 0; i <= SPLITS; i++)
        fprintf(stream, " %d", i);
    fputs("\ncat_boundaries=", stream);
    for (int i = 0; i <= tree->n_sets; i++)
        fprintf(stream, " %d", 2 * i);
    fputs("\ncat_threshold=", stream);
    for (int i = 0; i < SPLITS; i++) {
        if (tree->decision[i] & 1)
            fprintf(stream, " %u %u", (unsigned)tree->words[i][0], (unsigned)tree->words[i][1]);
    }
    fputs("\n\nend of trees\n", stream);
}

static bool goes_left(const struct random_tree *tree, int i, double x) {
    bool default_left = tree->decision[i] & 2;
    int missing = tree->decision[i] >> 2;
    if (tree->decision[i] & 1) {
        if (isnan(x) || !(x > -1 && x < 64))
            return false;
        int category = (int)x;
        return tree->words[i][category / 32] >> category % 32 & 1;
    }
    if ((isnan(x) && missing != 2) || fabs(x) <= (double)1e-35F)
        x = 0;
    if ((missing == 1 && fabs(x) <= (double)1e-35F) || (missing == 2 && isnan(x)))
        return default_left;
    return x <= tree->threshold[i];
}

static int exit_leaf(const struct random_tree *tree, const float *x) {
    int node = 0;
    while (node >= 0)
        node = goes_left(tree, node, (double)x[tree->feature[node]]) ? tree->left[node]
                                                                     : tree->right[node];
    return ~node;
}

static void test_random_trees(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 1);
    enum { TREES = 300 };
    int n_rewritten = 0;
    for (int repeat = 0; repeat < TREES; repeat++) {
        struct random_tree tree = draw_tree(&random);
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        assert_non_null(stream);
        print_tree(&tree, stream);
        fclose(stream);
        struct ensemble *e = NULL, *plain = NULL;
        struct error error;
        enum status status = read_copy("lightgbm", text, size, &e, &error);
        if (status)
            fail_msg("%s", error.text);
        status = ensemble_rewrite_sets(e, &plain, &error);
        if (status && status != STATUS_UNSUPPORTED)
            fail_msg("%s", error.text);
        n_rewritten += !status; /* a few become too large */
        assert_true(!plain || !plain->set);
        for (int i = 0; e && i < 500; i++) {
            float x[FEATURES];
            for (int f = 0; f < FEATURES; f++)
                x[f] = probes[random_below(&random, PROBES)];
            if (score_by_walking(e, x, 0) != exit_leaf(&tree, x))
                fail_msg("%g %g %g: leaf %g, should be %d in %s", (double)x[0], (double)x[1],
                         (double)x[2], score_by_walking(e, x, 0), exit_leaf(&tree, x), text);
            assert_true(!plain || score_by_walking(plain, x, 0) == exit_leaf(&tree, x));
        }
        ensemble_free(e);
        ensemble_free(plain);
        free(text);
    }
    assert_in_range(n_rewritten, TREES * 9 / 10, TREES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
