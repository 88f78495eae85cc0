/* Reports a search for the fastest order and blocks as text and as JSON. */
#ifndef HARNESS_TUNING_BLOCKING_REPORT_H
#define HARNESS_TUNING_BLOCKING_REPORT_H

#include "harness/blocking/predict.h"
#include "harness/blocking/search.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

struct blocking_result {
    const char *spec;
    uint32_t n_trees;
    const char *documents_note; /* describes documents that were made; "" if they were given */
    bool caches_measured;       /* false: sizes as reported, typical latencies */
    struct blocking_problem problem;
    struct blocking_search search;
    double search_seconds; /* CPU time */
    bool has_fit;
    /* t0 + t1 * T, fitted to the candidates' times; the correlation with the standard miss rates */
    struct cost_fit fit, standard_fit;
    bool has_reference; /* the exhaustive search was asked for */
    struct blocking_reference reference;
    double reference_seconds;
};

void blocking_print(FILE *stream, const struct blocking_result *result);

/* docs/cache-blocking.md has the keys. NULL if memory runs out. */
cJSON *blocking_to_json(const struct blocking_result *result);

#endif
