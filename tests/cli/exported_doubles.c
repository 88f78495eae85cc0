/* Scores tables of doubles with an exported model and compares with the maker's or treebench's
 * scores: exported_doubles TABLE SCORES [SCORES OF FLOATS]. The table has a header; an empty field
 * is NaN. The third file has the scores of the same documents rounded to float32. */
#include "real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1 << 16, DOCUMENTS_MAX = 100000 };

static char line[LINE_SIZE];

/* With -DWORDS for models that list their categories. */
static double read_field(size_t feature, const char *text) {
    char *end;
    double value = strtod(text, &end);
#ifdef WORDS
    if (!isnan(real_category(feature, text)))
        return real_category(feature, text);
#endif
    (void)feature;
    return end == text ? NAN : value;
}

static size_t read_table(const char *path, double *x) {
    FILE *file = fopen(path, "r");
    size_t n = 0;
    int header = file && fgets(line, sizeof line, file);
    while (header && n < DOCUMENTS_MAX && fgets(line, sizeof line, file)) {
        char *at = line;
        for (size_t f = 0; f < REAL_N_FEATURES; f++) {
            size_t size = strcspn(at, ",\n");
            int last = at[size] != ',';
            at[size] = '\0';
            x[n * REAL_N_FEATURES + f] = read_field(f, at);
            at += last ? size : size + 1;
        }
        n++;
    }
    if (file)
        fclose(file);
    return n;
}

static int compare(const char *path, const double *scores, size_t n) {
    size_t off = 0, compared = 0;
    FILE *expected = fopen(path, "r");
    while (expected && compared < n && fgets(line, sizeof line, expected))
        for (char *at = line, *end; strtod(at, &end), end > at && compared < n; at = end)
            off += !(fabs(strtod(at, NULL) - scores[compared++]) <= 1e-12);
    printf("%zu of %zu scores off\n", off, compared);
    if (expected)
        fclose(expected);
    return off || compared == 0 || compared != n;
}

int main(int argc, char **argv) {
    const size_t n_features = REAL_N_FEATURES;
    double *x = calloc((size_t)DOCUMENTS_MAX * n_features, sizeof *x);
    float *floats = calloc((size_t)DOCUMENTS_MAX * n_features, sizeof *floats);
    double *scores = malloc(sizeof *scores * DOCUMENTS_MAX * REAL_N_OUTPUTS);
    char *workspace = malloc(REAL_WORKSPACE_DOUBLES + 1);
    if (argc < 3 || !x || !floats || !scores || !workspace)
        return 2;
    size_t n = read_table(argv[1], x);
    real_score_doubles(x, n_features, n, scores, workspace + 1);
    int wrong = compare(argv[2], scores, n * REAL_N_OUTPUTS);
    for (size_t i = 0; i < n * n_features; i++)
        floats[i] = (float)x[i];
    real_score(floats, n_features, n, scores, workspace + 1);
    if (argc > 3)
        wrong |= compare(argv[3], scores, n * REAL_N_OUTPUTS);
    free(x);
    free(floats);
    free(scores);
    free(workspace);
    return wrong;
}
