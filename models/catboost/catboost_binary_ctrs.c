/* Reads the CTRs of CatBoost's .cbm files. The model lists the CTRs that trees test. The tables
 * with their counts follow the model: the number of tables, then for each its size and a FlatBuffer
 * of its own. Sizes have 4 bytes; if they are all ones, 8 more bytes. A table belongs to the CTRs
 * with the same base: combination, kind and target. Field numbers are those of CatBoost's
 * ctr_data.fbs and features.fbs. */
#include "models/catboost/catboost_binary.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COMBINATION_CATEGORIES = 0, COMBINATION_BORDERS = 1, COMBINATION_HASHES = 2, LISTS = 3 };
enum { ENTRY_SIZE = 12 }; /* the hash, and the index of its counts */

struct base {
    uint32_t kind, target;
    struct flatbuffer_table combination;
    struct flatbuffer_list list[LISTS]; /* by COMBINATION_... */
};
static const struct flatbuffer_field base_fields[] = {
    {0, FLATBUFFER_TABLE, offsetof(struct base, combination), 0},
    {1, FLATBUFFER_U8, offsetof(struct base, kind), 0},
    {2, FLATBUFFER_U32, offsetof(struct base, target), 0},
};

static const struct flatbuffer_field combination_fields[] = {
    {0, FLATBUFFER_LIST, offsetof(struct base, list[COMBINATION_CATEGORIES]), 4},
    {1, FLATBUFFER_LIST, offsetof(struct base, list[COMBINATION_BORDERS]), 8},
    {2, FLATBUFFER_LIST, offsetof(struct base, list[COMBINATION_HASHES]), 8},
};

struct ctr_feature {
    struct flatbuffer_table at, base_at;
    struct flatbuffer_list borders;
    struct base base;
    struct ctr ctr;
};
#define AT(member) offsetof(struct ctr_feature, member)
static const struct flatbuffer_field feature_fields[] = {{0, FLATBUFFER_TABLE, AT(at), 0},
                                                         {1, FLATBUFFER_LIST, AT(borders), 4}};
static const struct flatbuffer_field ctr_fields[] = {
    {0, FLATBUFFER_TABLE, AT(base_at), 0},   {1, FLATBUFFER_U32, AT(ctr.class), 0},
    {2, FLATBUFFER_FLOAT, AT(ctr.prior), 0}, {3, FLATBUFFER_FLOAT, AT(ctr.prior_total), 0},
    {4, FLATBUFFER_FLOAT, AT(ctr.shift), 0}, {5, FLATBUFFER_FLOAT, AT(ctr.scale), 0},
};

struct table_data {
    struct flatbuffer_table base;
    struct flatbuffer_list entries, counts;
    uint32_t total, classes;
};
#define IN_TABLE(member) offsetof(struct table_data, member)
static const struct flatbuffer_field table_fields[] = {
    {0, FLATBUFFER_TABLE, IN_TABLE(base), 0},  {1, FLATBUFFER_LIST, IN_TABLE(entries), 1},
    {2, FLATBUFFER_LIST, IN_TABLE(counts), 1}, {3, FLATBUFFER_U32, IN_TABLE(total), 0},
    {4, FLATBUFFER_U32, IN_TABLE(classes), 0},
};

#define NOT_READ UINT32_MAX

struct binary_ctr_table {
    struct base base;
    struct flatbuffer buffer;
    uint32_t number; /* in struct ctrs; NOT_READ until a CTR needs the table */
};

/* --- bases ------------------------------------------------------------------------------------ */

static enum status read_base(const struct flatbuffer *buffer, const struct flatbuffer_table *at,
                             struct base *base) {
    *base = (struct base){0};
    enum status status = flatbuffer_read(buffer, at, FIELDS(base), base);
    return status ? status : flatbuffer_read(buffer, &base->combination, FIELDS(combination), base);
}

static int compare_lists(const struct flatbuffer_list *a, const struct flatbuffer_list *b,
                         size_t size) {
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return a->count ? memcmp(a->items, b->items, a->count * size) : 0;
}

static int compare_combinations(const struct base *a, const struct base *b) {
    int order = 0;
    for (size_t i = 0; i < LISTS && !order; i++)
        order = compare_lists(&a->list[i], &b->list[i], combination_fields[i].item_size);
    return order;
}

/* Compares the bases at the beginning of two tables. */
static int compare_bases(const void *a, const void *b) {
    const struct base *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return compare_combinations(x, y);
}

/* --- tables ----------------------------------------------------------------------------------- */

static enum status truncated(const struct binary_reader *r) {
    return catboost_binary_fail(r, "the tables of CTRs are incomplete. Is the file truncated?");
}

/* Finds the base of each table, and sorts the tables by it. No table is smaller than LEAST, so that
 * a small file cannot request much memory. */
static enum status find_tables(struct binary_reader *r, uint32_t *count) {
    enum { LEAST = 64 };
    const unsigned char *rest = r->rest;
    size_t left = r->rest_size;
    uint64_t n_tables, size;
    *count = 0;
    if (!catboost_binary_size(&rest, &left, &n_tables) || n_tables > left / LEAST)
        return truncated(r);
    r->ctr_tables = malloc((size_t)(n_tables + 1) * sizeof *r->ctr_tables);
    if (!r->ctr_tables)
        return error_memory(r->buffer.error, "the CTRs of a model");
    for (; *count < n_tables; ++*count) {
        struct binary_ctr_table *table = &r->ctr_tables[*count];
        struct flatbuffer_table root;
        struct table_data data;
        enum status status;
        if (!catboost_binary_size(&rest, &left, &size) || size > left)
            return truncated(r);
        *table = (struct binary_ctr_table){.buffer = r->buffer, .number = NOT_READ};
        table->buffer.before += (size_t)(rest - r->buffer.bytes);
        table->buffer.bytes = rest;
        table->buffer.size = (size_t)size;
        if ((status = flatbuffer_root(&table->buffer, &root)) ||
            (status = flatbuffer_read(&table->buffer, &root, table_fields, 1, &data)) ||
            (status = read_base(&table->buffer, &data.base, &table->base)))
            return status;
        rest += size;
        left -= (size_t)size;
    }
    qsort(r->ctr_tables, *count, sizeof *r->ctr_tables, compare_bases);
    for (uint32_t i = 1; i < *count; i++)
        if (compare_bases(&r->ctr_tables[i - 1], &r->ctr_tables[i]) == 0)
            return catboost_binary_fail(r, "two tables of CTRs belong to the same combination");
    return STATUS_OK;
}

/* The hash of an entry; EMPTY if the entry is unused. */
#define EMPTY UINT64_MAX
static uint64_t entry_hash(const struct flatbuffer_list *entries, size_t place) {
    return number_little_endian(entries->items + place * ENTRY_SIZE, 8);
}

static size_t count_entries(const struct flatbuffer_list *entries) {
    size_t count = 0;
    for (size_t i = 0; i < entries->count / ENTRY_SIZE; i++)
        count += entry_hash(entries, i) != EMPTY;
    return count;
}

/* Stores the used entries and the counts. Returns false if an entry has no counts or has the hash
 * of another. */
static bool store_table(const struct flatbuffer_list *entries, const struct flatbuffer_list *counts,
                        struct ctr_table *table) {
    size_t stored = 0, n_counts = counts->count / 4;
    for (size_t i = 0; i < n_counts; i++)
        table->counts[i] = flatbuffer_u32(counts, i);
    for (size_t i = 0; i < entries->count / ENTRY_SIZE; i++) {
        uint64_t hash = entry_hash(entries, i);
        size_t index = (size_t)number_little_endian(entries->items + i * ENTRY_SIZE + 8, 4);
        size_t first = index * table->stride;
        if (hash == EMPTY)
            continue;
        if (table->stride > n_counts || first > n_counts - table->stride)
            return false;
        table->entries[stored++] = (struct ctr_entry){hash, first};
    }
    return ctrs_sort_table(table);
}

static enum status read_table(struct binary_reader *r, struct binary_ctr_table *from) {
    struct flatbuffer_table root;
    struct table_data data = {.total = 0};
    enum status status;
    if ((status = flatbuffer_root(&from->buffer, &root)) ||
        (status = flatbuffer_read(&from->buffer, &root, FIELDS(table), &data)))
        return status;
    uint32_t stride = catboost_ctr_stride((enum ctr_kind)from->base.kind, data.classes);
    if (stride == 0)
        return catboost_binary_fail(r, "the table of a CTR has %" PRIu32 " classes", data.classes);
    from->number = ctrs_count_tables(r->model.ctrs);
    struct ctr_table *table =
        ctrs_add_table(r->model.ctrs, count_entries(&data.entries), data.counts.count / 4);
    if (!table)
        return error_memory(r->buffer.error, "the CTRs of a model");
    table->stride = stride;
    table->total = (int32_t)data.total;
    return store_table(&data.entries, &data.counts, table)
               ? STATUS_OK
               : catboost_binary_fail(r, "the table of a CTR has invalid entries");
}

/* --- CTRs ------------------------------------------------------------------------------------- */

/* Adds the parts of a combination. Several CTRs may point to the same lists. The total number of
 * parts is limited by the size of the file, and CatBoost's trees are not deep enough for MOST. */
static enum status add_parts(struct binary_reader *r, const struct base *base, size_t *n_parts) {
    enum { LEAST = 16, MOST = 1024 };
    enum status status;
    const struct flatbuffer_list *categories = &base->list[COMBINATION_CATEGORIES];
    const struct flatbuffer_list *borders = &base->list[COMBINATION_BORDERS];
    const struct flatbuffer_list *hashes = &base->list[COMBINATION_HASHES];
    size_t count = (size_t)categories->count + borders->count + hashes->count;
    *n_parts += count;
    if (count > MOST || *n_parts > (r->buffer.size + r->rest_size) / LEAST)
        return catboost_binary_fail(r, "the combinations of CTRs do not fit the file");
    status = catboost_begin_combination(&r->model);
    for (uint32_t i = 0; i < categories->count && !status; i++)
        status = catboost_add_category(&r->model, flatbuffer_u32(categories, i));
    for (size_t i = 0; i < borders->count && !status; i++)
        status = catboost_add_over(&r->model, flatbuffer_u32(borders, 2 * i),
                                   flatbuffer_f32(borders, 2 * i + 1));
    for (size_t i = 0; i < hashes->count && !status; i++)
        status = catboost_add_is_category(&r->model, flatbuffer_u32(hashes, 2 * i),
                                          (int32_t)flatbuffer_u32(hashes, 2 * i + 1));
    return catboost_binary_place(r, status);
}

static enum status read_ctr(struct binary_reader *r, const struct flatbuffer_table *table,
                            struct ctr_feature *feature) {
    const struct flatbuffer *buffer = &r->buffer;
    enum status status;
    *feature = (struct ctr_feature){.ctr = {.prior_total = 1, .scale = 1}};
    if ((status = flatbuffer_read(buffer, table, FIELDS(feature), feature)) ||
        (status = flatbuffer_read(buffer, &feature->at, FIELDS(ctr), feature)) ||
        (status = read_base(buffer, &feature->base_at, &feature->base)))
        return status;
    if (feature->base.kind >= CTR_KINDS)
        return catboost_binary_fail(r, "a CTR has the unknown type %" PRIu32, feature->base.kind);
    feature->ctr.kind = (enum ctr_kind)feature->base.kind;
    return STATUS_OK;
}

static enum status add_ctr(struct binary_reader *r, const struct ctr_feature *from) {
    enum status status = catboost_begin_ctr(&r->model);
    if (!status)
        status = catboost_add_ctr(&r->model, from->ctr);
    return catboost_binary_place(r, status);
}

static enum status give_table(struct binary_reader *r, const struct base *base, uint32_t n_tables,
                              uint32_t number) {
    struct binary_ctr_table *table =
        bsearch(base, r->ctr_tables, n_tables, sizeof *table, compare_bases);
    enum status status = STATUS_OK;
    if (!table)
        return catboost_binary_fail(r, "CTR %" PRIu32 " has no table in the file", number);
    if (table->number == NOT_READ)
        status = read_table(r, table);
    if (status)
        return status;
    return catboost_binary_place(r, catboost_give_table(&r->model, number, table->number));
}

static enum status read_ctrs(struct binary_reader *r, uint32_t n_tables) {
    struct ctr_feature feature;
    struct base last;
    size_t n_parts = 0;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < r->ctrs.count && !status; i++, last = feature.base) {
        struct flatbuffer_table table;
        if ((status = flatbuffer_item(&r->buffer, &r->ctrs, i, &table)) ||
            (status = read_ctr(r, &table, &feature)))
            break;
        if ((i == 0 || compare_combinations(&feature.base, &last) != 0) &&
            (status = add_parts(r, &feature.base, &n_parts)))
            break;
        if (!(status = add_ctr(r, &feature)) &&
            !(status = catboost_binary_borders(r, &r->model.statistics, &feature.borders)))
            status = give_table(r, &feature.base, n_tables, i);
    }
    return status;
}

/* Each CTR takes at least LEAST bytes of the file. */
enum status catboost_binary_ctrs(struct binary_reader *r) {
    enum { LEAST = 32 };
    uint32_t n_tables;
    if (r->ctrs.count == 0)
        return STATUS_OK;
    if (!r->has_ctr_tables)
        return catboost_binary_fail(
            r, "the trees test CTRs, but the file has no tables for them. Train with "
               "final_ctr_computation_mode=Default");
    if (r->ctrs.count > r->buffer.size / LEAST)
        return catboost_binary_fail(r, "the model has more CTRs than fit the file");
    enum status status = find_tables(r, &n_tables);
    return status ? status : read_ctrs(r, n_tables);
}
