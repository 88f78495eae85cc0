/* Writes LightGBM's text. Include after cmocka.h. */
#ifndef TESTS_MODELS_LIGHTGBM_LIGHTGBM_TEXT_H
#define TESTS_MODELS_LIGHTGBM_LIGHTGBM_TEXT_H

#include "tests/models/reading.h"

#include <stdio.h>

static inline char *write_text(const struct ensemble *e, size_t *size) {
    char *text = NULL;
    struct error error;
    FILE *stream = open_memstream(&text, size);
    assert_non_null(stream);
    if (format_named("lightgbm")->write(e, stream, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    fclose(stream);
    return text;
}

static inline struct ensemble *write_and_read(const struct ensemble *e) {
    size_t size;
    char *text = write_text(e, &size);
    assert_true(format_named("lightgbm")->recognise(text, size));
    struct ensemble *back = read_good("lightgbm", text);
    free(text);
    return back;
}

#endif
