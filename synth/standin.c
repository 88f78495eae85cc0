#include "synth/standin.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/origin.h"
#include "base/random.h"
#include "synth/labels.h"
#include "synth/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_FACTORS = 8 };

/* How a feature's value is computed from a number u in [0, 1). */
enum kind {
    SKEWED,  /* u^3 times a scale: most values are small */
    COUNT,   /* like SKEWED, but rounded down: a count with many zeros */
    LEVELS,  /* a few values, like switches and counts of terms */
    UNIFORM, /* in [0, 1), like features normalised by query */
    MOSTLY_ZERO,
    N_KINDS
};

struct feature {
    enum kind kind;
    float scale;     /* a power of two, or the number of levels */
    unsigned factor; /* index of the random number that this feature shares with other features of a
                        document */
    float weight;    /* share of that number in u: 0 to 0.75 */
    bool by_query;   /* the value is the same for all documents of a query */
    float query_draw; /* u of the current query, if by_query is true */
    float relevance;  /* weight of a large u for the label, if documents are ranked */
};

struct maker {
    struct matrix *matrix;
    struct feature *features;
    float *drawn;   /* u of each feature of the current document */
    float *score;   /* of each document; a higher score means a better label */
    bool is_ranked; /* labels are relevance, otherwise classes of the rule */
    struct labels_rule rule;
    struct random random;
};

/* --- features --------------------------------------------------------------------------------- */
static struct feature draw_feature(struct random *random, bool ranking) {
    struct feature feature = {.kind = (enum kind)random_below(random, N_KINDS)};
    feature.scale = feature.kind == LEVELS
                        ? (float)(2 + random_below(random, 9))
                        : (float)(1u << random_below(random, 15)); /* up to 16384 */
    feature.factor = (unsigned)random_below(random, N_FACTORS);
    feature.weight = 0.25f * (float)random_below(random, 4);
    feature.by_query = ranking && random_below(random, 8) == 0;
    return feature;
}

static float value_of(const struct feature *feature, float u) {
    switch (feature->kind) {
    case SKEWED:
        return u * u * u * feature->scale;
    case COUNT:
        return (float)(uint32_t)(u * u * u * feature->scale);
    case LEVELS:
        return (float)(uint32_t)(u * feature->scale);
    case MOSTLY_ZERO:
        return u < 0.75f ? 0 : u * feature->scale;
    default:
        return u;
    }
}

/* Draws the features. They depend only on the name of the data set, so that stand-ins with
 * different seeds are samples of the same population. */
static void draw_features(struct maker *maker, const struct data_set *like) {
    struct random random;
    random_seed(&random, random_derive(hash_bytes(HASH_START, like->name, strlen(like->name)),
                                       STREAM_FEATURES));
    for (uint32_t f = 0; f < maker->matrix->n_features; f++)
        maker->features[f] = draw_feature(&random, like->queries > 0);
    labels_draw_rule(&maker->rule, maker->matrix->n_features, &random);
    for (size_t i = 0; i < LABELS_TERMS; i++)
        maker->features[maker->rule.terms[i].a].by_query = false;
    for (uint32_t f = 0; f < maker->matrix->n_features; f++) {
        float drawn = random_float(&random);
        maker->features[f].relevance = maker->features[f].by_query ? 0 : drawn * drawn;
    }
}

/* --- documents -------------------------------------------------------------------------------- */
static void begin_query(struct maker *maker) {
    for (uint32_t f = 0; f < maker->matrix->n_features; f++)
        maker->features[f].query_draw =
            maker->features[f].by_query ? random_float(&maker->random) : 0;
}

/* Relevance, which ranks the documents of a query. A document is relevant if some of its features
 * are among the largest, as in real data. Thresholds that tell such documents apart have few
 * documents above them, so trained trees have few false nodes (docs/data-sets.md). The noise cannot
 * be predicted. */
static float relevance_of(struct maker *maker) {
    float sum = 0.02f * random_float(&maker->random);
    for (uint32_t f = 0; f < maker->matrix->n_features; f++) {
        float u = maker->drawn[f], u2 = u * u, u8 = u2 * u2 * u2 * u2;
        sum += maker->features[f].relevance * u8 * u8 * u8;
    }
    return sum;
}

static void make_document(struct maker *maker, size_t row) {
    float factors[N_FACTORS];
    for (size_t i = 0; i < N_FACTORS; i++)
        factors[i] = random_float(&maker->random);
    float *values = matrix_row(maker->matrix, row);
    for (uint32_t f = 0; f < maker->matrix->n_features; f++) {
        const struct feature *feature = &maker->features[f];
        float noise = random_float(&maker->random);
        float u = feature->weight * factors[feature->factor] + (1 - feature->weight) * noise;
        maker->drawn[f] = feature->by_query ? feature->query_draw : u;
        values[f] = value_of(feature, maker->drawn[f]);
    }
    maker->score[row] = maker->is_ranked ? relevance_of(maker)
                                         : labels_score(&maker->rule, maker->drawn, &maker->random);
}

/* --- queries ---------------------------------------------------------------------------------- */
/* Draws the size of a query. All sizes from 1 to twice the mean minus one are equally likely. */
static size_t draw_query_size(const struct data_set *like, struct random *random) {
    uint64_t mean = (like->rows + like->queries / 2) / like->queries;
    return (size_t)(1 + random_below(random, 2 * mean - 1));
}

static bool add_query(struct matrix *matrix, size_t *capacity, size_t row) {
    size_t id_capacity = *capacity; /* query_id grows like query_row */
    if (!memory_grow((void **)&matrix->query_id, &id_capacity, matrix->n_queries,
                     sizeof *matrix->query_id) ||
        !memory_grow((void **)&matrix->query_row, capacity, matrix->n_queries,
                     sizeof *matrix->query_row))
        return false;
    matrix->query_row[matrix->n_queries] = row;
    matrix->query_id[matrix->n_queries] = (int64_t)matrix->n_queries + 1;
    matrix->n_queries++;
    return true;
}

static bool end_queries(struct matrix *matrix, size_t capacity) {
    if (!memory_grow((void **)&matrix->query_row, &capacity, matrix->n_queries,
                     sizeof *matrix->query_row))
        return false;
    matrix->query_row[matrix->n_queries] = matrix->n_rows;
    return true;
}

static enum status make_documents(struct maker *maker, const struct data_set *like,
                                  struct error *error) {
    size_t capacity = 0, query_end = 0;
    for (size_t row = 0; row < maker->matrix->n_rows; row++) {
        if (like->queries && row == query_end) {
            if (!add_query(maker->matrix, &capacity, row))
                return error_memory(error, "the queries of a stand-in");
            query_end = row + draw_query_size(like, &maker->random);
            begin_query(maker);
        }
        make_document(maker, row);
    }
    if (like->queries && !end_queries(maker->matrix, capacity))
        return error_memory(error, "the queries of a stand-in");
    return STATUS_OK;
}

/* --- all of it -------------------------------------------------------------------------------- */
static enum status make(struct maker *maker, const struct data_set *like, uint64_t seed,
                        struct error *error) {
    size_t n_features = maker->matrix->n_features;
    maker->features = malloc(n_features * sizeof *maker->features);
    maker->drawn = malloc(n_features * sizeof *maker->drawn);
    maker->score = malloc(maker->matrix->n_rows * sizeof *maker->score);
    if (!maker->features || !maker->drawn || !maker->score)
        return error_memory(error, "a stand-in");
    maker->is_ranked = like->queries > 0;
    draw_features(maker, like);
    random_seed(&maker->random, random_derive(seed, STREAM_DOCUMENTS));
    enum status status = make_documents(maker, like, error);
    if (status)
        return status;
    return labels_from_scores(maker->score, maker->matrix->n_rows, like->classes, like->queries > 0,
                              &maker->matrix->labels, error);
}

enum status synth_standin(const struct data_set *like, size_t n_rows, uint64_t seed,
                          struct matrix **matrix, struct error *error) {
    *matrix = NULL;
    struct maker maker = {0};
    enum status status =
        matrix_create(n_rows ? n_rows : like->rows, like->features, &maker.matrix, error);
    if (status)
        return status;
    status = make(&maker, like, seed, error);
    free(maker.features);
    free(maker.drawn);
    free(maker.score);
    if (status) {
        matrix_free(maker.matrix);
        return status;
    }
    maker.matrix->origin = ORIGIN_STAND_IN;
    snprintf(maker.matrix->note, sizeof maker.matrix->note, "synthetic stand-in for %s, seed %llu",
             like->name, (unsigned long long)seed);
    *matrix = maker.matrix;
    return STATUS_OK;
}
