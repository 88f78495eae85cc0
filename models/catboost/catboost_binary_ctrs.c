/* Reads the CTRs of CatBoost's .cbm files. The model lists the CTRs that trees test. The tables
 * with their counts follow the model: the number of tables, then for each its size and a FlatBuffer
 * of its own. Sizes have 4 bytes; if they are all ones, 8 more bytes. A table belongs to the CTRs
 * with the same base: combination, kind and target. Field numbers are those of CatBoost's
 * ctr_data.fbs and features.fbs. */
#include "models/catboost/catboost_binary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TREES_CTRS = 7 };
enum { CTR_FEATURE_CTR = 0, CTR_FEATURE_BORDERS = 1 };
enum {
    CTR_BASE = 0,
    CTR_CLASS = 1,
    CTR_PRIOR = 2,
    CTR_PRIOR_TOTAL = 3,
    CTR_SHIFT = 4,
    CTR_SCALE = 5
};
enum { BASE_COMBINATION = 0, BASE_KIND = 1, BASE_TARGET = 2 };
enum { COMBINATION_CATEGORIES = 0, COMBINATION_BORDERS = 1, COMBINATION_HASHES = 2, LISTS = 3 };
enum { TABLE_BASE = 0, TABLE_ENTRIES = 1, TABLE_COUNTS = 2, TABLE_TOTAL = 3, TABLE_CLASSES = 4 };
enum { ENTRY_SIZE = 12 }; /* the hash, and the index of its counts */
static const size_t item_size[LISTS] = {4, 8, 8};

struct base {
    uint64_t kind, target;
    struct flatbuffer_list list[LISTS]; /* by COMBINATION_... */
};

#define NOT_READ UINT32_MAX

struct binary_ctr_table {
    struct base base;
    struct flatbuffer buffer;
    uint32_t number; /* in struct ctrs; NOT_READ until a CTR needs the table */
};

/* --- bases ------------------------------------------------------------------------------------ */

static enum status read_base(const struct flatbuffer *buffer, const struct flatbuffer_table *table,
                             uint16_t field, struct base *base) {
    struct flatbuffer_table at, combination;
    enum status status;
    *base = (struct base){0};
    if ((status = flatbuffer_table(buffer, table, field, &at)) ||
        (status = flatbuffer_table(buffer, &at, BASE_COMBINATION, &combination)) ||
        (status = flatbuffer_number(buffer, &at, BASE_KIND, 1, &base->kind)) ||
        (status = flatbuffer_number(buffer, &at, BASE_TARGET, 4, &base->target)))
        return status;
    for (uint16_t i = 0; i < LISTS && !status; i++)
        status = flatbuffer_list(buffer, &combination, i, item_size[i], &base->list[i]);
    return status;
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
        order = compare_lists(&a->list[i], &b->list[i], item_size[i]);
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

static bool take_size(struct flatbuffer_list *rest, size_t *left, uint64_t *size) {
    if (*left < 4)
        return false;
    size_t taken = 4;
    *size = flatbuffer_u32(rest, 0);
    if (*size == UINT32_MAX) {
        if (*left < 12)
            return false;
        taken = 12;
        const struct flatbuffer_list high = {rest->items + 4, 2};
        *size = flatbuffer_u32(&high, 0) | (uint64_t)flatbuffer_u32(&high, 1) << 32;
    }
    rest->items += taken;
    *left -= taken;
    return true;
}

/* Finds the base of each table, and sorts the tables by it. No table is smaller than LEAST, so that
 * a small file cannot request much memory. */
static enum status find_tables(struct binary_reader *r, uint32_t *count) {
    enum { LEAST = 64 };
    struct flatbuffer_list rest = {r->rest, 0};
    size_t left = r->rest_size;
    uint64_t n_tables, size;
    *count = 0;
    if (!take_size(&rest, &left, &n_tables) || n_tables > left / LEAST)
        return truncated(r);
    r->ctr_tables = malloc((size_t)(n_tables + 1) * sizeof *r->ctr_tables);
    if (!r->ctr_tables)
        return error_memory(r->buffer.error, "the CTRs of a model");
    for (; *count < n_tables; ++*count) {
        struct binary_ctr_table *table = &r->ctr_tables[*count];
        struct flatbuffer_table root;
        enum status status;
        if (!take_size(&rest, &left, &size) || size > left)
            return truncated(r);
        *table = (struct binary_ctr_table){.buffer = r->buffer, .number = NOT_READ};
        table->buffer.before += (size_t)(rest.items - r->buffer.bytes);
        table->buffer.bytes = rest.items;
        table->buffer.size = (size_t)size;
        if ((status = flatbuffer_root(&table->buffer, &root)) ||
            (status = read_base(&table->buffer, &root, TABLE_BASE, &table->base)))
            return status;
        rest.items += size;
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
    const struct flatbuffer_list entry = {entries->items + place * ENTRY_SIZE, 3};
    return flatbuffer_u32(&entry, 0) | (uint64_t)flatbuffer_u32(&entry, 1) << 32;
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
        const struct flatbuffer_list index = {entries->items + i * ENTRY_SIZE + 8, 1};
        size_t first = (size_t)flatbuffer_u32(&index, 0) * table->stride;
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
    struct flatbuffer_list entries, counts;
    uint64_t total = 0, classes = 0;
    const struct flatbuffer *buffer = &from->buffer;
    enum status status;
    if ((status = flatbuffer_root(buffer, &root)) ||
        (status = flatbuffer_list(buffer, &root, TABLE_ENTRIES, 1, &entries)) ||
        (status = flatbuffer_list(buffer, &root, TABLE_COUNTS, 1, &counts)) ||
        (status = flatbuffer_number(buffer, &root, TABLE_TOTAL, 4, &total)) ||
        (status = flatbuffer_number(buffer, &root, TABLE_CLASSES, 4, &classes)))
        return status;
    uint32_t stride = catboost_ctr_stride((enum ctr_kind)from->base.kind, (uint32_t)classes);
    if (stride == 0)
        return catboost_binary_fail(r, "the table of a CTR has %" PRIu64 " classes", classes);
    from->number = ctrs_count_tables(r->model.ctrs);
    struct ctr_table *table =
        ctrs_add_table(r->model.ctrs, count_entries(&entries), counts.count / 4);
    if (!table)
        return error_memory(r->buffer.error, "the CTRs of a model");
    table->stride = stride;
    table->total = (int32_t)(uint32_t)total;
    return store_table(&entries, &counts, table)
               ? STATUS_OK
               : catboost_binary_fail(r, "the table of a CTR has invalid entries");
}

/* --- CTRs ------------------------------------------------------------------------------------- */

/* Adds the parts of a combination. Several CTRs may point to the same lists. The total number of
 * parts is limited by the size of the file, and CatBoost's trees are not deep enough for MOST. */
static enum status add_parts(struct binary_reader *r, const struct base *base, size_t *n_parts) {
    enum { LEAST = 16, MOST = 1024 };
    enum status status;
    struct error inner;
    const struct flatbuffer_list *categories = &base->list[COMBINATION_CATEGORIES];
    const struct flatbuffer_list *borders = &base->list[COMBINATION_BORDERS];
    const struct flatbuffer_list *hashes = &base->list[COMBINATION_HASHES];
    size_t count = (size_t)categories->count + borders->count + hashes->count;
    *n_parts += count;
    if (count > MOST || *n_parts > (r->buffer.size + r->rest_size) / LEAST)
        return catboost_binary_fail(r, "the combinations of CTRs do not fit the file");
    status = catboost_begin_combination(&r->model, &inner);
    for (uint32_t i = 0; i < categories->count && !status; i++)
        status = catboost_add_category(&r->model, flatbuffer_u32(categories, i), &inner);
    for (size_t i = 0; i < borders->count && !status; i++)
        status = catboost_add_over(&r->model, flatbuffer_u32(borders, 2 * i),
                                   flatbuffer_f32(borders, 2 * i + 1), &inner);
    for (size_t i = 0; i < hashes->count && !status; i++)
        status = catboost_add_is_category(&r->model, flatbuffer_u32(hashes, 2 * i),
                                          (int32_t)flatbuffer_u32(hashes, 2 * i + 1), &inner);
    return catboost_binary_place(r, status, &inner);
}

static enum status read_ctr(struct binary_reader *r, const struct flatbuffer_table *at,
                            struct base *base, struct ctr *ctr) {
    uint64_t class = 0;
    const struct flatbuffer *buffer = &r->buffer;
    enum status status;
    *ctr = (struct ctr){.prior_total = 1, .scale = 1};
    if ((status = read_base(buffer, at, CTR_BASE, base)) ||
        (status = flatbuffer_number(buffer, at, CTR_CLASS, 4, &class)) ||
        (status = flatbuffer_float(buffer, at, CTR_PRIOR, &ctr->prior)) ||
        (status = flatbuffer_float(buffer, at, CTR_PRIOR_TOTAL, &ctr->prior_total)) ||
        (status = flatbuffer_float(buffer, at, CTR_SHIFT, &ctr->shift)) ||
        (status = flatbuffer_float(buffer, at, CTR_SCALE, &ctr->scale)))
        return status;
    if (base->kind >= CTR_KINDS)
        return catboost_binary_fail(r, "a CTR has the unknown type %" PRIu64, base->kind);
    ctr->kind = (enum ctr_kind)base->kind;
    ctr->class = (uint32_t) class;
    return STATUS_OK;
}

static enum status give_table(struct binary_reader *r, const struct base *base, uint32_t n_tables,
                              uint32_t number) {
    struct binary_ctr_table *table =
        bsearch(base, r->ctr_tables, n_tables, sizeof *table, compare_bases);
    struct error inner;
    enum status status = STATUS_OK;
    if (!table)
        return catboost_binary_fail(r, "CTR %" PRIu32 " has no table in the file", number);
    if (table->number == NOT_READ)
        status = read_table(r, table);
    if (status)
        return status;
    status = catboost_give_table(&r->model, number, table->number, &inner);
    return catboost_binary_place(r, status, &inner);
}

static enum status read_ctrs(struct binary_reader *r, const struct flatbuffer_list *list,
                             uint32_t n_tables) {
    struct base base, last;
    size_t n_parts = 0;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < list->count && !status; i++, last = base) {
        struct flatbuffer_table feature, at;
        struct flatbuffer_list borders;
        struct error inner;
        struct ctr ctr;
        if ((status = flatbuffer_item(&r->buffer, list, i, &feature)) ||
            (status = flatbuffer_table(&r->buffer, &feature, CTR_FEATURE_CTR, &at)) ||
            (status = flatbuffer_list(&r->buffer, &feature, CTR_FEATURE_BORDERS, 4, &borders)) ||
            (status = read_ctr(r, &at, &base, &ctr)))
            break;
        if ((i == 0 || compare_combinations(&base, &last) != 0) &&
            (status = add_parts(r, &base, &n_parts)))
            break;
        if (!(status = catboost_begin_ctr(&r->model, &inner)))
            status = catboost_add_ctr(&r->model, ctr, &inner);
        if (!(status = catboost_binary_place(r, status, &inner)) &&
            !(status = catboost_binary_borders(r, &r->model.statistics, &borders)))
            status = give_table(r, &base, n_tables, i);
    }
    return status;
}

/* Each CTR takes at least LEAST bytes of the file. */
enum status catboost_binary_ctrs(struct binary_reader *r) {
    enum { LEAST = 32 };
    struct flatbuffer_list list;
    uint32_t n_tables;
    enum status status = flatbuffer_list(&r->buffer, &r->trees, TREES_CTRS, 4, &list);
    if (status || list.count == 0)
        return status;
    if (!r->has_ctr_tables)
        return catboost_binary_fail(
            r, "the trees test CTRs, but the file has no tables for them. Train with "
               "final_ctr_computation_mode=Default");
    if (list.count > r->buffer.size / LEAST)
        return catboost_binary_fail(r, "the model has more CTRs than fit the file");
    status = find_tables(r, &n_tables);
    return status ? status : read_ctrs(r, &list, n_tables);
}
