/* Expects that a scorer cannot be built. For test programs: a static function. */
#ifndef TESTS_IMPLS_REFUSED_H
#define TESTS_IMPLS_REFUSED_H

#include "impls/scorer.h"

#include <string.h>

/* The error must contain `text`. */
static void expect_refused(const char *spec, const struct ensemble *ensemble, enum status expected,
                           const char *text) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    assert_int_equal(scorer_build(spec, ensemble, &scorer, &error), expected);
    assert_null(scorer);
    if (!strstr(error.text, text))
        fail_msg("%s: '%s' is not in '%s'", spec, text, error.text);
}

#endif
