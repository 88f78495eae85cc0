/* Scores tables of doubles with an exported model and compares with the maker's or treebench's
 * scores: exported_doubles TABLE SCORES. The table has a header; an empty field is NaN. */
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

int main(int argc, char **argv) {
    double *x = calloc((size_t)DOCUMENTS_MAX * REAL_N_FEATURES, sizeof *x);
    double *scores = malloc(sizeof *scores * DOCUMENTS_MAX * REAL_N_OUTPUTS);
    void *workspace = malloc(REAL_WORKSPACE_DOUBLES + 1);
    size_t off = 0, compared = 0;
    FILE *expected = argc == 3 ? fopen(argv[2], "r") : NULL;
    if (!expected || !x || !scores || !workspace)
        return 2;
    size_t n = read_table(argv[1], x);
    real_score_doubles(x, REAL_N_FEATURES, n, scores, (char *)workspace + 1);
    while (compared < n * REAL_N_OUTPUTS && fgets(line, sizeof line, expected))
        off += fabs(strtod(line, NULL) - scores[compared++]) > 1e-12;
    printf("%zu of %zu scores off\n", off, compared);
    fclose(expected);
    free(x);
    free(scores);
    free(workspace);
    return off || compared == 0 || compared != n * REAL_N_OUTPUTS;
}
