/* Helpers for tests of `auto`: trees, and the times stored for them. */
#ifndef TESTS_IMPLS_AUTO_TIMES_H
#define TESTS_IMPLS_AUTO_TIMES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/auto/auto_cost.h"
#include "impls/auto/auto_store.h"
#include "impls/auto/auto_times.h"
#include "synth/synth.h"

#include <math.h>

static inline void assert_near(double found, double expected) {
    if (fabs(found - expected) > 1e-6 * (1 + fabs(expected)))
        fail_msg("%.17g instead of %.17g", found, expected);
}

static inline void assert_cost(struct auto_cost found, struct auto_cost expected) {
    assert_int_equal(found.lanes, expected.lanes);
    assert_near(found.step, expected.step);
    assert_near(found.document, expected.document);
}

/* Sets the time of one implementation for calls of `docs` documents; adds the size if missing. */
static inline void set_time(struct auto_times *times, size_t docs, const char *spec, double ns) {
    if (!auto_times_find(times, docs)) {
        struct auto_size *size = auto_times_add(times, docs);
        assert_non_null(size);
        size->source = AUTO_DATA;
        size->seconds = 8;
    }
    size_t number = auto_times_spec(times, spec);
    assert_true(number < AUTO_SPECS_MAX);
    for (size_t i = 0; i < times->n_sizes; i++)
        if (times->sizes[i].docs == docs)
            times->sizes[i].ns[number] = ns;
}

static inline struct ensemble *make_trees(uint64_t seed) {
    const struct synth_shape shape = {.depth = 4, .n_features = 5, .n_trees = 6};
    struct ensemble *ensemble = NULL;
    assert_int_equal(synth_trees(&shape, seed, &ensemble, NULL), 0);
    return ensemble;
}

static inline void store_times(const struct ensemble *ensemble, const struct auto_times *times) {
    struct error error = {""};
    if (auto_store_write(ensemble, times, &error))
        fail_msg("%s", error.text);
}

#endif
