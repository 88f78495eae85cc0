/* Scores documents with a model: score MODEL [IMPLEMENTATION] <DOCUMENTS
 *
 * Documents are lines of numbers with spaces between; "nan" is a missing value. One line of scores
 * for each.
 *
 *     cc score.c $(pkg-config --cflags --libs treebench) -o score
 *
 * C99 and C++. */
#include <treebench.h>

#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 256 };

/* Reads documents until the batch or the input is full. Returns how many there are, -1 where a
 * number is missing. */
static int read_batch(double *rows, size_t n_features) {
    for (int row = 0; row < BATCH; row++)
        for (size_t f = 0; f < n_features; f++)
            if (scanf("%lf", &rows[(size_t)row * n_features + f]) != 1)
                return f == 0 && feof(stdin) ? row : -1;
    return BATCH;
}

static void print_batch(const double *scores, int n_rows, size_t n_outputs) {
    for (size_t i = 0; i < (size_t)n_rows * n_outputs; i++)
        printf("%.17g%c", scores[i], (i + 1) % n_outputs ? '\t' : '\n');
}

/* Returns the exit status. */
static int score_all(const struct tb_scorer *scorer) {
    size_t n_features = tb_scorer_features(scorer), n_outputs = tb_scorer_outputs(scorer);
    double *rows = (double *)malloc(BATCH * n_features * sizeof *rows);
    double *scores = (double *)malloc(BATCH * n_outputs * sizeof *scores);
    struct tb_context *context = NULL;
    struct tb_error error = {"out of memory"};
    int n_rows = -1;
    bool failed = !rows || !scores || tb_context_create(scorer, &context, &error);
    while (!failed && (n_rows = read_batch(rows, n_features)) > 0) {
        failed =
            tb_score_doubles(context, rows, (size_t)n_rows, n_features, n_features, scores, &error);
        if (!failed)
            print_batch(scores, n_rows, n_outputs);
    }
    if (failed)
        fprintf(stderr, "score: %s\n", error.text);
    else if (n_rows < 0)
        fprintf(stderr, "score: a document is not %zu numbers\n", n_features);
    tb_context_free(context);
    free(scores);
    free(rows);
    return failed || n_rows < 0;
}

static void print_model(const struct tb_model *model, const struct tb_scorer *scorer) {
    fprintf(stderr, "%zu trees, %zu features", tb_model_trees(model), tb_model_features(model));
    if (tb_model_feature_name(model, 0))
        fprintf(stderr, " (%s, ...)", tb_model_feature_name(model, 0));
    fprintf(stderr, ", %zu outputs, scored by %s of treebench %s\n", tb_model_outputs(model),
            tb_scorer_impl(scorer), tb_version());
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: score MODEL [IMPLEMENTATION] <DOCUMENTS\n");
        return 2;
    }
    struct tb_model *model = NULL;
    struct tb_scorer *scorer = NULL;
    struct tb_error error;
    if (tb_model_open(argv[1], &model, &error) ||
        tb_scorer_build(model, argc == 3 ? argv[2] : NULL, &scorer, &error)) {
        fprintf(stderr, "score: %s\n", error.text);
        tb_model_free(model);
        return 2;
    }
    print_model(model, scorer);
    tb_model_free(model);
    int status = score_all(scorer);
    tb_scorer_free(scorer);
    return status;
}
