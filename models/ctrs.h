/* CTRs: features that are computed from the categories of a document (CatBoost).
 *
 * A combination joins categories, and tests of other features, to one 64-bit hash. A table has
 * counts for every hash that occurred in training. In float32, a CTR is
 *
 *     ((count + prior) / (total + prior_total) + shift) * scale
 *
 * where count and total come from the table. A hash that the table lacks has counts of 0.
 *
 * The CTRs are the last features of an ensemble. Tables of documents (CSV) do not contain them; the
 * reader of tables computes them, so that traversals compare numbers as usual. */
#ifndef MODELS_CTRS_H
#define MODELS_CTRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ctr_kind {
    CTR_BORDERS, /* the share of classes above a class */
    CTR_BUCKETS, /* the share of a class */
    CTR_BINARIZED_MEAN,
    CTR_FLOAT_MEAN,
    CTR_COUNTER,
    CTR_FREQUENCY,
    CTR_KINDS
};

struct ctr {
    enum ctr_kind kind;
    uint32_t combination, table; /* in the order of adding; set when it is added, and later */
    uint32_t class;              /* of CTR_BORDERS and CTR_BUCKETS */
    float prior, prior_total, shift, scale;
};

enum ctr_part_kind {
    CTR_CATEGORY,   /* the hash of a category */
    CTR_IS_OVER,    /* whether a number is over a border */
    CTR_IS_CATEGORY /* whether a category has this hash */
};

struct ctr_part {
    uint32_t column; /* the feature */
    union {
        float border;  /* of CTR_IS_OVER */
        uint32_t hash; /* of CTR_IS_CATEGORY */
    };
    uint8_t kind; /* enum ctr_part_kind */
    bool nan_over;
};

/* The place of the counts of a hash. */
struct ctr_entry {
    uint64_t hash;
    size_t first;
};

struct ctr_table {
    struct ctr_entry *entries;
    size_t n_entries;
    /* Each entry has `stride` counts: one per class (CTR_BORDERS, CTR_BUCKETS), the bits of the
     * float32 sum and the number of values (means), or one number. */
    uint32_t *counts;
    uint32_t stride;
    int32_t total; /* of CTR_COUNTER and CTR_FREQUENCY */
};

struct ctrs;

struct ctrs *ctrs_create(void); /* NULL if out of memory */
void ctrs_free(struct ctrs *ctrs);

/* Add to the lists. Return false if out of memory. The number of a new combination or table is the
 * number of those before it. ctrs_add_part adds to the last combination.
 * ctrs_add takes the last combination, or the one before if both are the same. */
bool ctrs_add_combination(struct ctrs *ctrs);
bool ctrs_add_part(struct ctrs *ctrs, const struct ctr_part *part);
bool ctrs_add(struct ctrs *ctrs, const struct ctr *ctr);

/* Adds a table. The caller sets the hashes and places of its n_entries entries, and its counts, all
 * of which are 0; then it calls ctrs_sort_table. Returns NULL if out of memory. */
struct ctr_table *ctrs_add_table(struct ctrs *ctrs, size_t n_entries, size_t n_counts);

/* Returns false if two entries have the same hash. */
bool ctrs_sort_table(struct ctr_table *table);

/* Returns the table with this number. The pointer is valid until a table is added. */
const struct ctr_table *ctrs_table(const struct ctrs *ctrs, uint32_t table);

/* Sets the table of a CTR, which was added with another. */
void ctrs_set_table(struct ctrs *ctrs, uint32_t ctr, uint32_t table);

/* The number of CTRs and tables. 0 if `ctrs` is NULL. */
uint32_t ctrs_count(const struct ctrs *ctrs);
uint32_t ctrs_count_tables(const struct ctrs *ctrs);

/* Returns the CTR with this number. */
const struct ctr *ctrs_get(const struct ctrs *ctrs, uint32_t ctr);

/* Computes the CTRs of a document. `row` has the document's other features. `hashes` has the low 32
 * bits of the cityhash64 of each category, by feature. Writes the CTRs to `values`, and returns the
 * number of categories that are part of a CTR and did not occur in training. */
size_t ctrs_compute(const struct ctrs *ctrs, const uint32_t *hashes, const float *row,
                    float *values);

#endif
