#include "models/ctrs.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>

struct ctrs {
    struct ctr *list;
    struct ctr_part *parts;
    size_t *first_part; /* of each combination */
    struct ctr_table *tables;
    size_t count, capacity, n_parts, parts_capacity;
    size_t n_combinations, combinations_capacity, n_tables, tables_capacity;
};

struct ctrs *ctrs_create(void) {
    return calloc(1, sizeof(struct ctrs));
}

void ctrs_free(struct ctrs *ctrs) {
    if (!ctrs)
        return;
    for (size_t i = 0; i < ctrs->n_tables; i++) {
        free(ctrs->tables[i].entries);
        free(ctrs->tables[i].counts);
    }
    free(ctrs->list);
    free(ctrs->parts);
    free(ctrs->first_part);
    free(ctrs->tables);
    free(ctrs);
}

/* --- building --------------------------------------------------------------------------------- */

bool ctrs_add_combination(struct ctrs *ctrs) {
    return memory_append((void **)&ctrs->first_part, &ctrs->combinations_capacity,
                         &ctrs->n_combinations, &ctrs->n_parts, 1, sizeof *ctrs->first_part);
}

bool ctrs_add_part(struct ctrs *ctrs, const struct ctr_part *part) {
    return memory_append((void **)&ctrs->parts, &ctrs->parts_capacity, &ctrs->n_parts, part, 1,
                         sizeof *part);
}

static size_t end_of(const struct ctrs *ctrs, size_t combination) {
    return combination + 1 < ctrs->n_combinations ? ctrs->first_part[combination + 1]
                                                  : ctrs->n_parts;
}

static bool is_same_part(const struct ctr_part *a, const struct ctr_part *b) {
    return a->column == b->column && a->kind == b->kind && a->hash == b->hash;
}

/* Drops the last combination if it is the same as the one before it. */
static void share_combination(struct ctrs *ctrs) {
    if (ctrs->n_combinations < 2)
        return;
    size_t last = ctrs->n_combinations - 1, first = ctrs->first_part[last];
    size_t before = ctrs->first_part[last - 1], count = ctrs->n_parts - first;
    bool is_same = count == first - before;
    for (size_t i = 0; i < count && is_same; i++)
        is_same = is_same_part(&ctrs->parts[first + i], &ctrs->parts[before + i]);
    if (!is_same)
        return;
    ctrs->n_combinations--;
    ctrs->n_parts = first;
}

bool ctrs_add(struct ctrs *ctrs, const struct ctr *ctr) {
    struct ctr added = *ctr;
    share_combination(ctrs);
    added.combination = (uint32_t)ctrs->n_combinations - 1;
    return memory_append((void **)&ctrs->list, &ctrs->capacity, &ctrs->count, &added, 1,
                         sizeof added);
}

struct ctr_table *ctrs_add_table(struct ctrs *ctrs, size_t n_entries, size_t n_counts) {
    if (!memory_grow((void **)&ctrs->tables, &ctrs->tables_capacity, ctrs->n_tables,
                     sizeof *ctrs->tables))
        return NULL;
    struct ctr_table *table = &ctrs->tables[ctrs->n_tables++];
    *table = (struct ctr_table){.entries = calloc(n_entries + 1, sizeof *table->entries),
                                .n_entries = n_entries,
                                .counts = calloc(n_counts + 1, sizeof *table->counts)};
    return table->entries && table->counts ? table : NULL;
}

static int compare_entries(const void *a, const void *b) {
    uint64_t x = ((const struct ctr_entry *)a)->hash, y = ((const struct ctr_entry *)b)->hash;
    return (x > y) - (x < y);
}

bool ctrs_sort_table(struct ctr_table *table) {
    qsort(table->entries, table->n_entries, sizeof *table->entries, compare_entries);
    for (size_t i = 1; i < table->n_entries; i++)
        if (table->entries[i].hash == table->entries[i - 1].hash)
            return false;
    return true;
}

const struct ctr_table *ctrs_table(const struct ctrs *ctrs, uint32_t table) {
    return &ctrs->tables[table];
}

void ctrs_set_table(struct ctrs *ctrs, uint32_t ctr, uint32_t table) {
    ctrs->list[ctr].table = table;
}

uint32_t ctrs_count(const struct ctrs *ctrs) {
    return ctrs ? (uint32_t)ctrs->count : 0;
}

uint32_t ctrs_count_tables(const struct ctrs *ctrs) {
    return ctrs ? (uint32_t)ctrs->n_tables : 0;
}

const struct ctr *ctrs_get(const struct ctrs *ctrs, uint32_t ctr) {
    return &ctrs->list[ctr];
}

/* --- computing -------------------------------------------------------------------------------- */

/* A hash of 32 bits counts as signed, as in CatBoost. */
static uint64_t value_of(const struct ctr_part *part, const uint32_t *hashes, const float *row) {
    switch (part->kind) {
    case CTR_CATEGORY:
        return (uint64_t)(int64_t)(int32_t)hashes[part->column];
    case CTR_IS_OVER:
        return isnan(row[part->column]) ? part->nan_over : row[part->column] > part->border;
    default:
        return hashes[part->column] == part->hash;
    }
}

static uint64_t hash_of(const struct ctrs *ctrs, size_t combination, const uint32_t *hashes,
                        const float *row) {
    static const uint64_t factor = 0x4906ba494954cb65;
    uint64_t hash = 0;
    for (size_t i = ctrs->first_part[combination]; i < end_of(ctrs, combination); i++)
        hash = factor * (hash + factor * value_of(&ctrs->parts[i], hashes, row));
    return hash;
}

/* Returns the counts of a hash, or NULL. */
static const uint32_t *find_counts(const struct ctr_table *table, uint64_t hash) {
    const struct ctr_entry key = {.hash = hash};
    const struct ctr_entry *found =
        bsearch(&key, table->entries, table->n_entries, sizeof key, compare_entries);
    return found ? table->counts + found->first : NULL;
}

static float compute(const struct ctr *ctr, float count, float total) {
    float share = (count + ctr->prior) / (total + ctr->prior_total);
    return (share + ctr->shift) * ctr->scale;
}

/* With two classes, CTR_BORDERS is always the share of the second. */
static float compute_share(const struct ctr *ctr, const struct ctr_table *table,
                           const uint32_t *counts) {
    uint32_t first = ctr->class, end = first + 1, count = 0, total = 0;
    if (ctr->kind == CTR_BORDERS) {
        first = table->stride > 2 ? ctr->class + 1 : 1;
        end = table->stride;
    }
    for (uint32_t i = 0; i < table->stride; i++) {
        total += counts[i];
        count += i >= first && i < end ? counts[i] : 0;
    }
    return compute(ctr, (float)(int32_t)count, (float)(int32_t)total);
}

static float compute_mean(const struct ctr *ctr, const uint32_t *counts) {
    return compute(ctr, number_float_of(counts[0]), (float)(int32_t)counts[1]);
}

static float compute_one(const struct ctr *ctr, const struct ctr_table *table,
                         const uint32_t *counts) {
    if (ctr->kind == CTR_COUNTER || ctr->kind == CTR_FREQUENCY)
        return compute(ctr, counts ? (float)(int32_t)counts[0] : 0, (float)table->total);
    if (!counts)
        return compute(ctr, 0, 0);
    return ctr->kind == CTR_BORDERS || ctr->kind == CTR_BUCKETS ? compute_share(ctr, table, counts)
                                                                : compute_mean(ctr, counts);
}

/* Does the combination consist of one category? */
static bool is_category(const struct ctrs *ctrs, size_t combination) {
    size_t first = ctrs->first_part[combination];
    return end_of(ctrs, combination) == first + 1 && ctrs->parts[first].kind == CTR_CATEGORY;
}

size_t ctrs_compute(const struct ctrs *ctrs, const uint32_t *hashes, const float *row,
                    float *values) {
    size_t n_unknown = 0, combination = SIZE_MAX;
    uint64_t hash = 0;
    for (size_t i = 0; i < ctrs->count; i++) {
        const struct ctr *ctr = &ctrs->list[i];
        bool is_next = ctr->combination != combination;
        if (is_next)
            hash = hash_of(ctrs, combination = ctr->combination, hashes, row);
        const uint32_t *counts = find_counts(&ctrs->tables[ctr->table], hash);
        n_unknown += is_next && !counts && is_category(ctrs, combination);
        values[i] = compute_one(ctr, &ctrs->tables[ctr->table], counts);
    }
    return n_unknown;
}
