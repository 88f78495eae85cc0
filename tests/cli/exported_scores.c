/* Scores documents with an exported model and compares with what `treebench score` printed.
 * exported_scores DOCUMENTS SCORES: SVMlight text with every value that is not zero, a line of
 * scores each. */
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1 << 20, DOCUMENTS_MAX = 100000 };

static char line[LINE_SIZE];

static size_t read_documents(const char *path, float *x) {
    FILE *file = fopen(path, "r");
    size_t n = 0;
    while (file && n < DOCUMENTS_MAX && fgets(line, sizeof line, file)) {
        float *row = x + n++ * REAL_N_FEATURES;
        for (char *colon = strchr(line, ':'); colon; colon = strchr(colon + 1, ':')) {
            char *number = colon;
            while (number[-1] >= '0' && number[-1] <= '9')
                number--;
            if (number < colon && strtoul(number, NULL, 10) <= REAL_N_FEATURES)
                row[strtoul(number, NULL, 10) - 1] = strtof(colon + 1, NULL);
        }
    }
    if (file)
        fclose(file);
    return n;
}

static int compare(const char *path, const double *scores, size_t n) {
    FILE *file = fopen(path, "r");
    size_t doc = 0;
    for (; file && fgets(line, sizeof line, file); doc++) {
        char *at = line;
        for (size_t k = 0; doc < n && k < REAL_N_OUTPUTS; k++)
            if (strtod(at, &at) != scores[doc * REAL_N_OUTPUTS + k]) {
                printf("document %zu: %.17g\n", doc, scores[doc * REAL_N_OUTPUTS + k]);
                return 0;
            }
    }
    if (file)
        fclose(file);
    return doc == n && n > 0;
}

int main(int argc, char **argv) {
    float *x = calloc((size_t)DOCUMENTS_MAX * REAL_N_FEATURES, sizeof *x);
    double *scores = malloc(sizeof *scores * DOCUMENTS_MAX * REAL_N_OUTPUTS);
    void *workspace = malloc(REAL_WORKSPACE + 1);
    if (argc != 3 || !x || !scores || !workspace)
        return 2;
    size_t n = read_documents(argv[1], x);
    int equal = 1;
    for (int planes = 0; equal && planes < 2; planes++) {
        real_score(x, REAL_N_FEATURES, n, scores, planes ? workspace : NULL);
        equal = compare(argv[2], scores, n);
    }
    printf("%zu documents: %s\n", n, equal ? "equal" : "not equal");
    free(x);
    free(scores);
    free(workspace);
    return !equal;
}
