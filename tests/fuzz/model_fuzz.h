/* One input for a model reader: what it accepts must survive treebench's JSON unchanged. */
#ifndef TESTS_FUZZ_MODEL_FUZZ_H
#define TESTS_FUZZ_MODEL_FUZZ_H

#include "models/formats.h"
#include "tests/models/same.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_expect(bool holds) {
    if (!holds)
        abort();
}

static inline void fuzz_round_trip(const struct ensemble *ensemble) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    fuzz_expect(stream != NULL);
    fuzz_expect(model_format_treebench.write(ensemble, stream, NULL) == STATUS_OK);
    fuzz_expect(fclose(stream) == 0);
    struct ensemble *back = NULL;
    fuzz_expect(model_format_treebench.recognise(text, size));
    fuzz_expect(model_format_treebench.read("json", text, size, &back, NULL) == STATUS_OK);
    fuzz_expect(same_ensemble(ensemble, back));
    ensemble_free(back);
    free(text);
}

static inline int fuzz_model(const struct model_format *format, const uint8_t *data, size_t size) {
    struct ensemble *ensemble = NULL;
    struct error error = {""};
    format->recognise((const char *)data, size);
    if (format->read("file", (const char *)data, size, &ensemble, &error) == STATUS_OK)
        fuzz_round_trip(ensemble);
    else
        fuzz_expect(!ensemble && strncmp(error.text, "file:", 5) == 0 && !strchr(error.text, '\n'));
    ensemble_free(ensemble);
    return 0;
}

#endif
