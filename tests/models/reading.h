/* Helpers for the tests of all readers: formats by name, models from text, scores, checks of
 * errors. Include after cmocka.h. */
#ifndef TESTS_MODELS_READING_H
#define TESTS_MODELS_READING_H

#include "models/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline const struct model_format *format_named(const char *name) {
    size_t count;
    const struct model_format *const *formats = model_formats(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    }
    fail_msg("no format '%s'", name);
    return NULL;
}

/* Reads a copy of exactly the text's size, so that sanitizers detect reads past the end. */
static inline enum status read_copy(const char *format, const char *text, size_t size,
                                    struct ensemble **ensemble, struct error *error) {
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    enum status status = format_named(format)->read("name", copy, size, ensemble, error);
    free(copy);
    return status;
}

static inline struct ensemble *read_good(const char *format, const char *text) {
    struct ensemble *ensemble = NULL;
    struct error error = {""};
    if (read_copy(format, text, strlen(text), &ensemble, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return ensemble;
}

struct bad_text {
    const char *text, *expected; /* the beginning of the error */
};

static inline void assert_refused(const char *format, const struct bad_text *bad, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct ensemble *ensemble = NULL;
        struct error error = {""};
        if (read_copy(format, bad[i].text, strlen(bad[i].text), &ensemble, &error) == STATUS_OK)
            fail_msg("read without an error: %s", bad[i].text);
        assert_null(ensemble);
        assert_null(strchr(error.text, '\n'));
        if (strncmp(error.text, bad[i].expected, strlen(bad[i].expected)) != 0)
            fail_msg("'%s' does not begin with '%s'", error.text, bad[i].expected);
    }
}

/* Checks that every prefix of a text is a model or gives an error that names the file. */
static inline void assert_cut_anywhere(const char *format, const char *text) {
    for (size_t size = 0; size < strlen(text); size++) {
        struct ensemble *ensemble = NULL;
        struct error error = {""};
        if (read_copy(format, text, size, &ensemble, &error) == STATUS_OK)
            ensemble_free(ensemble);
        else
            assert_memory_equal(error.text, "name:", 5);
    }
}

/* Checks cut by cut, unlike the code under test. */
static inline bool is_in_set(const struct ensemble *e, uint32_t set, float value) {
    bool inside = true;
    for (size_t i = e->set_cut[set]; i < e->set_cut[set + 1]; i++)
        inside ^= value > e->cut[i];
    return inside;
}

static inline double score_by_walking(const struct ensemble *e, const float *x, uint32_t output) {
    double score = e->base[output];
    for (uint32_t t = 0; t < e->n_trees; t++) {
        int32_t child = ensemble_tree_nodes(e, t) ? 0 : ~0;
        while (child >= 0) {
            size_t node = e->tree_node[t] + (uint32_t)child;
            float value = x[e->feature[node]];
            bool left = isnan(value)               ? e->nan_left[node]
                        : ensemble_is_set(e, node) ? is_in_set(e, e->set[node], value)
                                                   : value <= e->threshold[node];
            child = left ? e->left[node] : e->right[node];
        }
        double value = e->value[e->tree_leaf[t] + (uint32_t)~child];
        if (e->votes)
            score += value == output;
        else if (e->tree_output[t] == output)
            score += value;
    }
    return score;
}

#endif
