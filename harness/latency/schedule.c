#include "harness/latency/schedule.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const call_documents_words[3] = {"different", "same", NULL};
const char *const call_state_words[CALL_STATES + 1] = {"warm", "idle",  "l2", "l3",
                                                       "cold", "first", NULL};

/* Warm calls load code and model, which the other implementations have evicted. */
const struct call_state_facts call_state_facts[CALL_STATES] = {
    [CALL_WARM] = {67200, 256}, [CALL_IDLE] = {6720, 16}, [CALL_L2] = {67200, 16},
    [CALL_L3] = {6720, 16},     [CALL_COLD] = {672, 16},  [CALL_FIRST] = {672, 4},
};

struct call schedule_call(struct call_size size, enum call_documents documents, size_t n_rows,
                          uint64_t seed, uint64_t number) {
    uint64_t sizes = size.most - size.least + 1, places = n_rows / size.most;
    uint64_t drawn = sizes > 1 ? random_derive(seed, number) % sizes : 0;
    return (struct call){documents == CALL_SAME ? 0 : number % places * size.most,
                         (size_t)(size.least + drawn)};
}

enum status schedule_shuffle(const struct matrix *documents, uint64_t seed,
                             struct matrix **shuffled, struct error *error) {
    struct random random;
    size_t n = documents->n_rows, *order = malloc(n * sizeof *order);
    enum status status = order ? matrix_create(n, documents->n_features, shuffled, error)
                               : error_memory(error, "the order of documents");
    random_seed(&random, seed);
    for (size_t i = 0; i < n && !status; i++) {
        size_t other = random_below(&random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t i = 0; i < n && !status; i++)
        memcpy(matrix_row(*shuffled, i), matrix_row(documents, order[i]),
               documents->n_features * sizeof(float));
    free(order);
    return status;
}

void schedule_arrivals(double rate, uint64_t seed, size_t n, uint64_t *arrivals) {
    struct random random;
    double time = 0;
    random_seed(&random, seed);
    for (size_t i = 0; i < n; i++) {
        time -= log1p(-random_double(&random)) / rate * 1e9;
        arrivals[i] = (uint64_t)time;
    }
}
