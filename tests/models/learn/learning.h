/* Random documents for the tests of learners. Include after cmocka.h. */
#ifndef TESTS_MODELS_LEARN_LEARNING_H
#define TESTS_MODELS_LEARN_LEARNING_H

#include "base/random.h"
#include "models/learn/learner.h"

enum { MADE_UP_FEATURES = 6, MADE_UP_ROWS = 400, MADE_UP_QUERY = 10 };

/* Rows of random values; `data` points into the rest. */
struct made_up {
    float values[MADE_UP_ROWS * MADE_UP_FEATURES];
    float labels[MADE_UP_ROWS];
    size_t query_row[MADE_UP_ROWS / MADE_UP_QUERY + 1];
    struct learner_data data;
};

/* Labels from 0 to 3 that grow with the first two features, plus noise. */
static inline void make_up(struct made_up *made_up, uint64_t seed) {
    struct random random;
    random_seed(&random, seed);
    for (size_t i = 0; i < MADE_UP_ROWS * MADE_UP_FEATURES; i++)
        made_up->values[i] = random_float(&random);
    for (size_t row = 0; row < MADE_UP_ROWS; row++) {
        const float *x = &made_up->values[row * MADE_UP_FEATURES];
        made_up->labels[row] = (float)(int)(1.5f * x[0] + 1.5f * x[1] + random_float(&random));
    }
    for (size_t q = 0; q <= MADE_UP_ROWS / MADE_UP_QUERY; q++)
        made_up->query_row[q] = q * MADE_UP_QUERY;
    made_up->data = (struct learner_data){.name = "name",
                                          .n_rows = MADE_UP_ROWS,
                                          .n_features = MADE_UP_FEATURES,
                                          .stride = MADE_UP_FEATURES,
                                          .values = made_up->values,
                                          .labels = made_up->labels,
                                          .query_row = made_up->query_row,
                                          .n_queries = MADE_UP_ROWS / MADE_UP_QUERY};
}

static inline void assert_error(enum status status, const struct error *error, const char *words) {
    if (!status)
        fail_msg("no error, expected '%s'", words);
    if (strncmp(error->text, words, strlen(words)) != 0)
        fail_msg("'%s' does not begin with '%s'", error->text, words);
}

#endif
