/* Stands in for the shared objects that TL2cgen and lleaves make of a model, in
 * test_peer_objects.c, which compiles it: written by hand to what they document, of the model
 *
 *     1/4 + (x0 <= 1/2, NaN: left ? 0.1 : 0.7) + (x1 <= 2, NaN: right ? -0.3 : 1e-9)
 *
 * FLOATS: thresholds, leaves and sums are float32 instead of double; WRONG swaps the leaves of the
 * second tree. */
#include <stdint.h>

#ifdef FLOATS
#define TYPE float
#define TYPE_NAME "float32"
#else
#define TYPE double
#endif
#ifndef TYPE_NAME
#define TYPE_NAME "float64"
#endif
#ifndef FEATURES
#define FEATURES 2
#endif

static TYPE score(int missing0, TYPE x0, int missing1, TYPE x1) {
    TYPE sum = (TYPE)0.25;
    sum += missing0 || x0 <= (TYPE)0.5 ? (TYPE)0.1 : (TYPE)0.7;
#ifdef WRONG
    sum += !missing1 && x1 <= (TYPE)2 ? (TYPE)1e-9 : (TYPE)-0.3;
#else
    sum += !missing1 && x1 <= (TYPE)2 ? (TYPE)-0.3 : (TYPE)1e-9;
#endif
    return sum;
}

/* --- TL2cgen 1.0 ------------------------------------------------------------------------------ */

union Entry {
    int missing;
    TYPE fvalue;
    int qvalue;
};

int32_t get_num_target(void) {
    return 1;
}

void get_num_class(int32_t *out) {
    out[0] = 1;
}

int32_t get_num_feature(void) {
    return FEATURES;
}

const char *get_threshold_type(void) {
    return TYPE_NAME;
}

const char *get_leaf_output_type(void) {
    return TYPE_NAME;
}

/* Adds, and leaves its entries changed, as code with thresholds by their ranks does. */
void predict(union Entry *data, int pred_margin, TYPE *result) {
    result[0] += pred_margin ? score(data[0].missing == -1, data[0].fvalue, data[1].missing == -1,
                                     data[1].fvalue)
                             : 1;
    data[0].qvalue = data[1].qvalue = 7;
}

/* --- lleaves ---------------------------------------------------------------------------------- */

#ifndef WITHOUT_ROOT
void forest_root(double *data, double *results, int begin, int end) {
    for (int i = begin; i < end; i++) {
        const double *x = data + i * FEATURES;
        results[i] = (double)score(x[0] != x[0], (TYPE)x[0], x[1] != x[1], (TYPE)x[1]);
    }
}
#endif
