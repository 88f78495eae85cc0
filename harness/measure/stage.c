#include "harness/measure/stage.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, SPACERS = sizeof((struct stage *)NULL)->spacers / sizeof(void *) };

bool stage_open(const struct matrix *documents, size_t n_outputs, struct stage *stage) {
    *stage = (struct stage){.documents = *documents};
    stage->scores_memory = memory_aligned_calloc(documents->n_rows * n_outputs, sizeof(double));
    stage->scores = stage->scores_memory;
    return stage->scores != NULL;
}

/* Returns the address of a random cache line of the first page of `memory`. */
static void *place_on_line(void *memory, struct random *random) {
    return (char *)memory + random_below(random, PAGE / MEMORY_ALIGNMENT) * MEMORY_ALIGNMENT;
}

/* Sizes from a few bytes to some 100 KB shift small and large allocations alike. */
static void place_spacers(struct random *random, struct stage *stage) {
    for (size_t i = 0; i < SPACERS; i++) {
        size_t size = (size_t)1 << (4 + 2 * i % 14);
        stage->spacers[i] = malloc(size + random_below(random, size));
    }
}

static bool copy_documents(const struct matrix *documents, struct random *random,
                           struct stage *stage) {
    size_t bytes = documents->n_rows * documents->stride * sizeof *documents->values;
    if (bytes > STAGE_COPY_BYTES)
        return true;
    stage->values_memory = memory_aligned_alloc(bytes + PAGE);
    if (!stage->values_memory)
        return false;
    stage->documents.values = place_on_line(stage->values_memory, random);
    memcpy(stage->documents.values, documents->values, bytes);
    return true;
}

bool stage_open_scores(const struct matrix *documents, size_t n_outputs, struct random *random,
                       struct stage *stage) {
    size_t bytes = documents->n_rows * n_outputs * sizeof(double);
    *stage = (struct stage){.documents = *documents};
    place_spacers(random, stage);
    stage->scores_memory = memory_aligned_calloc(bytes + PAGE, 1);
    if (!stage->scores_memory) {
        stage_close(stage);
        return false;
    }
    stage->scores = place_on_line(stage->scores_memory, random);
    return true;
}

bool stage_open_elsewhere(const struct matrix *documents, size_t n_outputs, struct random *random,
                          struct stage *stage) {
    if (!stage_open_scores(documents, n_outputs, random, stage))
        return false;
    if (copy_documents(documents, random, stage))
        return true;
    stage_close(stage);
    return false;
}

void stage_close(struct stage *stage) {
    free(stage->scores_memory);
    free(stage->values_memory);
    for (size_t i = 0; i < SPACERS; i++)
        free(stage->spacers[i]);
    *stage = (struct stage){.scores = NULL};
}
