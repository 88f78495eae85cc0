#include "synth/more.h"

#include "base/origin.h"
#include "base/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_MOST = 4, LOW_LABEL_MOST = 1 };
static const double REPLACED = 0.1;

static enum status check(const char *name, const struct matrix *documents, struct error *error) {
    if (!documents->labels || !documents->query_row || documents->n_queries == 0)
        return error_set(error, STATUS_INPUT,
                         "%s: has no labels or no queries, so documents cannot be added to queries",
                         name);
    for (size_t row = 0; row < documents->n_rows; row++)
        if (!(documents->labels[row] >= 0 && documents->labels[row] <= LABEL_MOST))
            return error_set(error, STATUS_INPUT,
                             "%s: document %zu has the label %g; documents are added by labels "
                             "from 0 to %d",
                             name, row + 1, (double)documents->labels[row], LABEL_MOST);
    return STATUS_OK;
}

/* Labels between two integers count as the lower one. */
static uint64_t weight_of(float label) {
    return (uint64_t)1 << (LABEL_MOST - (unsigned)label);
}

/* The documents of a query, and what is drawn from them. */
struct query {
    size_t begin, end; /* rows */
    uint64_t weights;  /* sum over the rows */
    size_t n_low;      /* rows with a low label */
};

static struct query query_of(const struct matrix *documents, size_t index) {
    struct query query = {documents->query_row[index], documents->query_row[index + 1], 0, 0};
    for (size_t row = query.begin; row < query.end; row++) {
        query.weights += weight_of(documents->labels[row]);
        query.n_low += documents->labels[row] <= LOW_LABEL_MOST;
    }
    return query;
}

static size_t draw_by_weight(const struct matrix *documents, const struct query *query,
                             struct random *random) {
    uint64_t left = random_below(random, query->weights);
    size_t row = query->begin;
    for (; left >= weight_of(documents->labels[row]); row++)
        left -= weight_of(documents->labels[row]);
    return row;
}

static size_t draw_low(const struct matrix *documents, const struct query *query,
                       struct random *random) {
    uint64_t left = random_below(random, query->n_low);
    size_t row = query->begin;
    for (;; row++)
        if (documents->labels[row] <= LOW_LABEL_MOST && left-- == 0)
            return row;
}

static void make_document(const struct matrix *documents, const struct query *query,
                          struct random *random, struct matrix *more, size_t row) {
    size_t copied = draw_by_weight(documents, query, random);
    float *values = matrix_row(more, row);
    memcpy(values, matrix_row(documents, copied), documents->n_features * sizeof *values);
    more->labels[row] = documents->labels[copied];
    for (uint32_t f = 0; f < documents->n_features && query->n_low > 0; f++)
        if (random_double(random) < REPLACED)
            values[f] = matrix_row(documents, draw_low(documents, query, random))[f];
}

static size_t size_of(const struct query *query, size_t per_query) {
    size_t size = query->end - query->begin;
    return size == 0 || size > per_query ? size : per_query;
}

static enum status create(const struct matrix *documents, size_t per_query, struct matrix **more,
                          struct error *error) {
    size_t n_rows = 0;
    for (size_t q = 0; q < documents->n_queries; q++) {
        struct query query = query_of(documents, q);
        size_t size = size_of(&query, per_query);
        if (n_rows > SIZE_MAX - size)
            return error_memory(error, "more documents");
        n_rows += size;
    }
    enum status status = matrix_create(n_rows, documents->n_features, more, error);
    if (status)
        return status;
    struct matrix *made = *more;
    made->labels = malloc((n_rows + 1) * sizeof *made->labels);
    made->query_row = malloc((documents->n_queries + 1) * sizeof *made->query_row);
    made->query_id = malloc((documents->n_queries + 1) * sizeof *made->query_id);
    if (made->labels && made->query_row && made->query_id)
        return STATUS_OK;
    matrix_free(made);
    return error_memory(error, "more documents");
}

static void fill(const struct matrix *documents, size_t per_query, struct random *random,
                 struct matrix *more) {
    size_t row = 0;
    for (size_t q = 0; q < documents->n_queries; q++) {
        struct query query = query_of(documents, q);
        size_t given = query.end - query.begin, end = row + size_of(&query, per_query);
        more->query_row[q] = row;
        more->query_id[q] = documents->query_id[q];
        for (size_t i = 0; i < given; i++, row++) {
            memcpy(matrix_row(more, row), matrix_row(documents, query.begin + i),
                   documents->n_features * sizeof(float));
            more->labels[row] = documents->labels[query.begin + i];
        }
        for (; row < end; row++)
            make_document(documents, &query, random, more, row);
    }
    more->query_row[documents->n_queries] = row;
    more->n_queries = documents->n_queries;
}

/* Documents that were made up before keep saying so. */
static void tell_note(const struct matrix *documents, uint64_t seed, struct matrix *more) {
    more->origin = documents->origin | ORIGIN_STAND_IN;
    const char *before = documents->note[0] ? ", of: " : "";
    int used = snprintf(more->note, sizeof more->note,
                        "synthetic: %zu of %zu are changed copies, seed %" PRIu64 "%s",
                        more->n_rows - documents->n_rows, more->n_rows, seed, before);
    int room = (int)sizeof more->note - used - 1;
    if (room > 0)
        snprintf(more->note + used, (size_t)room + 1, "%.*s", room, documents->note);
}

enum status synth_more(const char *name, const struct matrix *documents, size_t per_query,
                       uint64_t seed, struct matrix **more, struct error *error) {
    struct random random;
    enum status status = check(name, documents, error);
    if (!status)
        status = create(documents, per_query, more, error);
    if (status)
        return status;
    if ((*more)->n_rows == documents->n_rows) {
        matrix_free(*more);
        return error_set(error, STATUS_INPUT,
                         "%s: every query has %zu documents or more already, so there is nothing "
                         "to add",
                         name, per_query);
    }
    random_seed(&random, seed);
    fill(documents, per_query, &random, *more);
    tell_note(documents, seed, *more);
    return STATUS_OK;
}
