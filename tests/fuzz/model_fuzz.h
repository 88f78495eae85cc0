/* One input for a model reader: what it accepts must survive treebench's JSON unchanged, and no
 * input may take more memory than docs/formats.md allows. */
#ifndef TESTS_FUZZ_MODEL_FUZZ_H
#define TESTS_FUZZ_MODEL_FUZZ_H

#include "models/categories.h"
#include "models/formats.h"
#include "models/rewrite.h"
#include "models/votes.h"
#include "tests/fuzz/heap.h"
#include "tests/models/same.h"

#include <stdio.h>
#include <stdlib.h>

/* Bytes for each node, leaf and tree of an ensemble, for each output, and for categories. */
enum {
    BYTES_PER_NODE = 128,
    BYTES_PER_REWRITTEN_NODE = 256,
    BYTES_PER_OUTPUT = 16,
    BYTES_PER_CATEGORY = 32,
    BYTES_PER_LIST = 96 /* of categories: each feature has one, if any has */
};

/* What a format can ask for. Of a refused model nobody knows the size: it has at most one node or
 * leaf for every `bytes_of_node` of its file; where splits are rewritten, or outputs share a tree,
 * that many times more. */
struct fuzz_format {
    const struct model_format *format;
    size_t bytes_of_node;
    bool rewrites;
};

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

/* One tree per class stores the same scores. */
static inline void fuzz_outputs(const struct ensemble *ensemble) {
    struct ensemble *outputs = NULL;
    fuzz_expect(ensemble_votes_to_outputs(ensemble, &outputs, NULL) == STATUS_OK);
    fuzz_expect(!outputs->votes && outputs->n_outputs == ensemble->n_outputs);
    ensemble_free(outputs);
}

static inline size_t fuzz_categories(const struct ensemble *e) {
    size_t bytes = 0;
    for (uint32_t f = 0; e && e->categories && f < e->n_features; f++)
        bytes += BYTES_PER_LIST + (size_t)BYTES_PER_CATEGORY * categories_count(e->categories, f);
    return bytes;
}

static inline size_t fuzz_allowed(const struct fuzz_format *f, const struct ensemble *e,
                                  size_t size) {
    enum { BYTES_OF_TREE = 100 };
    size_t each = f->rewrites ? BYTES_PER_REWRITTEN_NODE : BYTES_PER_NODE;
    size_t nodes = size / f->bytes_of_node, outputs = ENSEMBLE_MAX_OUTPUTS;
    if (f->rewrites)
        nodes = nodes * REWRITE_MAX_GROWTH + size / BYTES_OF_TREE * REWRITE_FREE_NODES;
    if (e) {
        nodes = e->n_nodes + e->n_leaves + e->n_trees;
        outputs = e->n_outputs;
    }
    return 4 * size + HEAP_FIXED + each * nodes + BYTES_PER_OUTPUT * outputs + fuzz_categories(e);
}

static inline int fuzz_model(const struct fuzz_format *f, const uint8_t *data, size_t size) {
    enum { FEW_VALUES = 1000 }; /* writing more would slow the search down */
    struct ensemble *ensemble = NULL;
    struct error error = {""};
    f->format->recognise((const char *)data, size);
    long long begin = heap_begin();
    enum status status = f->format->read("file", (const char *)data, size, &ensemble, &error);
    heap_expect(begin, fuzz_allowed(f, ensemble, size));
    if (status)
        fuzz_expect(!ensemble && strncmp(error.text, "file:", 5) == 0 && !strchr(error.text, '\n'));
    else if (ensemble->n_nodes + ensemble->n_outputs <= FEW_VALUES) {
        fuzz_round_trip(ensemble);
        if (ensemble->votes)
            fuzz_outputs(ensemble);
    }
    ensemble_free(ensemble);
    return 0;
}

#endif
