#include "synth/standin.h"

#include "base/memory.h"
#include "base/random.h"
#include "synth/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_FACTORS = 8, N_TERMS = 12 };

/* How a feature's values are made from a number u of [0, 1). */
enum kind {
    SKEWED,  /* u^3 times a scale: most are small */
    COUNT,   /* floor of the same: a skewed count, many zeros */
    LEVELS,  /* a few values, as switches and counts of terms have */
    UNIFORM, /* in [0, 1), as features normalised by query have */
    MOSTLY_ZERO,
    N_KINDS
};

struct feature {
    enum kind kind;
    float scale;      /* a power of two, or the number of levels */
    unsigned factor;  /* what its documents have in common with those of other features */
    float weight;     /* how much of it: 0 to 0.75 */
    bool by_query;    /* the same for all documents of a query */
    float query_draw; /* its u in the present query */
};

/* A label's score: weighted features, and products of two, of the numbers that they were made of.
 */
struct term {
    uint32_t a, b;
    float weight;
};

struct maker {
    struct matrix *matrix;
    struct feature *features;
    float *drawn; /* u of each feature of the present document */
    float *score; /* of each document: the higher, the better its label */
    struct term terms[N_TERMS];
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

/* A number for a name (FNV-1a). */
static uint64_t number_name(const char *name) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash;
}

/* From the name alone: stand-ins of different seeds are samples of one population. */
static void draw_features(struct maker *maker, const struct data_set *like) {
    struct random random;
    random_seed(&random, random_derive(number_name(like->name), STREAM_FEATURES));
    for (uint32_t f = 0; f < maker->matrix->n_features; f++)
        maker->features[f] = draw_feature(&random, like->queries > 0);
    for (size_t i = 0; i < N_TERMS; i++) {
        maker->terms[i].a = (uint32_t)random_below(&random, maker->matrix->n_features);
        maker->terms[i].b = (uint32_t)random_below(&random, maker->matrix->n_features);
        maker->terms[i].weight = 2 * random_float(&random) - 1;
        /* A label says which document of a query is better: what they share does not matter. */
        maker->features[maker->terms[i].a].by_query = false;
    }
}

/* --- documents -------------------------------------------------------------------------------- */
static void begin_query(struct maker *maker) {
    for (uint32_t f = 0; f < maker->matrix->n_features; f++)
        maker->features[f].query_draw =
            maker->features[f].by_query ? random_float(&maker->random) : 0;
}

static float score_document(struct maker *maker) {
    float score = 0.5f * random_float(&maker->random); /* what no learner can know */
    for (size_t i = 0; i < N_TERMS; i++) {
        const struct term *term = &maker->terms[i];
        float a = maker->drawn[term->a], b = maker->drawn[term->b];
        score += term->weight * (i % 3 == 0 ? 2 * a * b : a);
    }
    return score;
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
    maker->score[row] = score_document(maker);
}

/* --- queries ---------------------------------------------------------------------------------- */
/* One document to twice the mean less one, all equally likely. */
static size_t draw_query_size(const struct data_set *like, struct random *random) {
    uint64_t mean = (like->rows + like->queries / 2) / like->queries;
    return (size_t)(1 + random_below(random, 2 * mean - 1));
}

static bool add_query(struct matrix *matrix, size_t *capacity, size_t row) {
    size_t id_capacity = *capacity; /* both arrays grow alike */
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

/* --- labels ----------------------------------------------------------------------------------- */
static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Of all documents the share that a label gets: halved and less from each relevance to the next,
 * as judges give them; equal for classes. */
static void share_out(const struct data_set *like, size_t n_rows, size_t *first_of_label) {
    double share = 1, total = 0, sum = 0;
    for (uint32_t label = 0; label < like->classes; label++, share *= like->queries ? 0.4 : 1)
        total += share;
    share = 1;
    for (uint32_t label = 0; label < like->classes; label++, share *= like->queries ? 0.4 : 1) {
        first_of_label[label] = (size_t)((double)n_rows * (sum / total));
        sum += share;
    }
}

static enum status make_labels(struct maker *maker, const struct data_set *like,
                               struct error *error) {
    size_t n_rows = maker->matrix->n_rows;
    float *sorted = malloc(n_rows * sizeof *sorted);
    size_t *first = malloc(like->classes * sizeof *first);
    float *labels = maker->matrix->labels = malloc(n_rows * sizeof *labels);
    if (sorted && first && labels) {
        memcpy(sorted, maker->score, n_rows * sizeof *sorted);
        qsort(sorted, n_rows, sizeof *sorted, compare_floats);
        share_out(like, n_rows, first);
        for (size_t row = 0; row < n_rows; row++) {
            uint32_t label = like->classes - 1;
            while (label > 0 && maker->score[row] < sorted[first[label]])
                label--;
            labels[row] = (float)label;
        }
    }
    enum status status = sorted && first && labels ? STATUS_OK : error_memory(error, "labels");
    free(sorted);
    free(first);
    return status;
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
    draw_features(maker, like);
    random_seed(&maker->random, random_derive(seed, STREAM_DOCUMENTS));
    enum status status = make_documents(maker, like, error);
    return status ? status : make_labels(maker, like, error);
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
    snprintf(maker.matrix->note, sizeof maker.matrix->note, "synthetic stand-in for %s, seed %llu",
             like->name, (unsigned long long)seed);
    *matrix = maker.matrix;
    return STATUS_OK;
}
