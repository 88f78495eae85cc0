/* Builds CatBoost models byte by byte, as JSON and as .cbm. Include after cmocka.h. */
#ifndef TESTS_MODELS_CATBOOST_CATBOOST_FILE_H
#define TESTS_MODELS_CATBOOST_CATBOOST_FILE_H

#include "tests/models/reading.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MADE_CATEGORIES = 2,
    MADE_HASHES = 4,
    MADE_FEATURES = 4,
    MADE_BORDERS = 8,
    MADE_NODES = 512,
    MADE_TREES = 16,
    MADE_OUTPUTS = 3,
    MADE_CTRS = 8,
    MADE_PARTS = 3,
    MADE_ENTRIES = 2,
    MADE_COUNTS = 3
};

struct made_feature {
    uint32_t column, n_borders, treatment; /* AsIs, AsFalse, AsTrue */
    bool has_nans;
    float border[MADE_BORDERS];
};

struct made_category {
    uint32_t column, n_hashes;
    int32_t hash[MADE_HASHES];
};

enum { MADE_CATEGORY, MADE_OVER, MADE_IS_CATEGORY };

struct made_part {
    uint32_t kind, index;
    float border;
    int32_t hash;
};

struct made_ctr {
    uint32_t kind, class, n_parts, n_borders;
    float prior, prior_total, shift, scale;
    struct made_part part[MADE_PARTS]; /* in the order of their kinds */
    float border[MADE_BORDERS];
    uint32_t table; /* of which CTR */
    uint32_t n_entries, stride, total;
    uint64_t hash[MADE_ENTRIES];
    uint32_t count[MADE_ENTRIES][MADE_COUNTS];
};

struct made_model {
    uint32_t n_features, n_outputs, n_trees, n_splits, n_values;
    struct made_feature feature[MADE_FEATURES];
    uint32_t n_categories;
    struct made_category category[MADE_CATEGORIES];
    uint32_t n_ctrs;
    struct made_ctr ctr[MADE_CTRS];
    uint32_t repeats; /* more CTRs in a .cbm, each the same as the last */
    double scale, bias[MADE_OUTPUTS];
    bool is_oblivious;
    bool has_names; /* "f0" and so on, by column */
    uint32_t size[MADE_TREES], start[MADE_TREES], split[MADE_NODES];
    uint16_t step[2 * MADE_NODES]; /* left, right */
    uint32_t leaf[MADE_NODES];     /* position of a node's values */
    double value[4 * MADE_NODES];
};

/* --- a FlatBuffer, front to back -------------------------------------------------------------- */

struct made_file {
    unsigned char bytes[1 << 16];
    size_t size;
};

static inline void put_bytes(struct made_file *f, size_t at, uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; i++)
        f->bytes[at + i] = (unsigned char)(value >> (8 * i));
}

/* Adds a table of 8-byte fields, all absent so far. */
static inline size_t put_table(struct made_file *f, unsigned n_fields) {
    size_t list = f->size, list_size = 4 + 2 * n_fields, at = list + list_size;
    put_bytes(f, list, list_size, 2);
    put_bytes(f, list + 2, 4 + 8 * n_fields, 2);
    put_bytes(f, at, list_size, 4);
    f->size = at + 4 + 8 * n_fields;
    return at;
}

/* Marks a field as present and returns where its value goes. */
static inline size_t put_field(struct made_file *f, size_t table, unsigned field) {
    size_t list = table - (f->bytes[table] | (size_t)f->bytes[table + 1] << 8);
    put_bytes(f, list + 4 + 2 * field, 4 + 8 * field, 2);
    return table + 4 + 8 * field;
}

static inline void put_number(struct made_file *f, size_t table, unsigned field, uint64_t value,
                              unsigned size) {
    put_bytes(f, put_field(f, table, field), value, size);
}

static inline void put_double(struct made_file *f, size_t table, unsigned field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(f, table, field, bits, 8);
}

/* Writes an offset from `at` to `to`, which is after it. */
static inline void put_offset(struct made_file *f, size_t at, size_t to) {
    put_bytes(f, at, to - at, 4);
}

/* Adds a list filled with `data`, or with zeros. Returns the position of its items. */
static inline size_t put_list(struct made_file *f, size_t table, unsigned field, size_t count,
                              size_t item_size, const void *data) {
    put_offset(f, put_field(f, table, field), f->size);
    put_bytes(f, f->size, count, 4);
    size_t items = f->size + 4;
    if (data)
        memcpy(f->bytes + items, data, count * item_size);
    f->size = items + count * item_size;
    return items;
}

/* --- .cbm ------------------------------------------------------------------------------------- */

static inline void put_name(struct made_file *f, const struct made_model *m, size_t table,
                            unsigned field, uint32_t column) {
    char name[16];
    int length = snprintf(name, sizeof name, "f%u", column);
    if (m->has_names)
        put_list(f, table, field, (size_t)length, 1, name);
}

static inline void put_features(struct made_file *f, const struct made_model *m, size_t trees) {
    size_t items = put_list(f, trees, 5, m->n_features, 4, NULL);
    for (uint32_t i = 0; i < m->n_features; i++) {
        const struct made_feature *feature = &m->feature[i];
        size_t table = put_table(f, 6);
        put_offset(f, items + 4 * i, table);
        put_number(f, table, 0, feature->has_nans, 1);
        put_number(f, table, 1, i, 4);
        put_number(f, table, 2, feature->column, 4);
        put_number(f, table, 5, feature->treatment, 1);
        put_list(f, table, 3, feature->n_borders, 4, feature->border);
        put_name(f, m, table, 4, feature->column);
    }
}

/* Adds two lists: all categorical features, and what trees test of them. */
static inline void put_categories(struct made_file *f, const struct made_model *m, size_t trees) {
    if (m->n_categories == 0)
        return;
    size_t all = put_list(f, trees, 4, m->n_categories, 4, NULL);
    size_t tested = put_list(f, trees, 6, m->n_categories, 4, NULL);
    for (uint32_t i = 0; i < m->n_categories; i++) {
        size_t table = put_table(f, 4);
        put_offset(f, all + 4 * i, table);
        put_number(f, table, 0, i, 4);
        put_number(f, table, 1, m->category[i].column, 4);
        put_name(f, m, table, 2, m->category[i].column);
        table = put_table(f, 3);
        put_offset(f, tested + 4 * i, table);
        put_number(f, table, 0, i, 4);
        put_list(f, table, 1, m->category[i].n_hashes, 4, m->category[i].hash);
    }
}

static inline void put_float(struct made_file *f, size_t table, unsigned field, float value) {
    memcpy(f->bytes + put_field(f, table, field), &value, sizeof value);
}

/* A field with the base of a CTR: its combination and kind. */
static inline void put_base(struct made_file *f, size_t table, unsigned field,
                            const struct made_ctr *ctr) {
    size_t base = put_table(f, 3);
    put_offset(f, put_field(f, table, field), base);
    put_number(f, base, 1, ctr->kind, 1);
    size_t combination = put_table(f, 3);
    put_offset(f, put_field(f, base, 0), combination);
    for (uint32_t kind = 0; kind < 3; kind++) {
        int32_t items[2 * MADE_PARTS];
        uint32_t size = kind == MADE_CATEGORY ? 1 : 2, count = 0;
        for (uint32_t i = 0; i < ctr->n_parts; i++) {
            const struct made_part *part = &ctr->part[i];
            if (part->kind != kind)
                continue;
            items[size * count] = (int32_t)part->index;
            if (kind == MADE_OVER)
                memcpy(&items[2 * count + 1], &part->border, sizeof part->border);
            if (kind == MADE_IS_CATEGORY)
                items[2 * count + 1] = part->hash;
            count++;
        }
        put_list(f, combination, kind, count, 4 * size, items);
    }
}

static inline void put_ctrs(struct made_file *f, const struct made_model *m, size_t trees) {
    if (m->n_ctrs == 0)
        return;
    size_t items = put_list(f, trees, 7, m->n_ctrs + m->repeats, 4, NULL);
    for (uint32_t i = 0; i < m->n_ctrs; i++) {
        const struct made_ctr *ctr = &m->ctr[i];
        size_t feature = put_table(f, 2), at = put_table(f, 6);
        put_offset(f, items + 4 * i, feature);
        for (uint32_t k = 0; i + 1 == m->n_ctrs && k < m->repeats; k++)
            put_offset(f, items + 4 * (m->n_ctrs + k), feature);
        put_offset(f, put_field(f, feature, 0), at);
        put_list(f, feature, 1, ctr->n_borders, 4, ctr->border);
        put_base(f, at, 0, ctr);
        put_number(f, at, 1, ctr->class, 4);
        put_float(f, at, 2, ctr->prior);
        put_float(f, at, 3, ctr->prior_total);
        put_float(f, at, 4, ctr->shift);
        put_float(f, at, 5, ctr->scale);
    }
}

/* A FlatBuffer of its own, and before it its size. As in CatBoost's files, some entries of the
 * table are unused, and the first has the last counts. */
static inline void put_ctr_table(struct made_file *f, const struct made_ctr *ctr) {
    enum { ENTRY = 12, UNUSED = 2 };
    unsigned char entries[(MADE_ENTRIES + UNUSED) * ENTRY];
    uint32_t counts[MADE_ENTRIES * MADE_COUNTS];
    size_t size_at = f->size;
    f->size += 8; /* the size, and the offset of the table */
    memset(entries, 0xff, sizeof entries);
    for (uint32_t i = 0; i < ctr->n_entries; i++) {
        uint32_t index = ctr->n_entries - 1 - i;
        memcpy(entries + (i + 1) * ENTRY, &ctr->hash[i], sizeof ctr->hash[i]);
        memcpy(entries + (i + 1) * ENTRY + 8, &index, sizeof index);
        memcpy(counts + index * ctr->stride, ctr->count[i], ctr->stride * sizeof *counts);
    }
    size_t table = put_table(f, 5);
    put_offset(f, size_at + 4, table);
    put_base(f, table, 0, ctr);
    put_list(f, table, 1, sizeof entries, 1, entries);
    put_list(f, table, 2, ctr->n_entries * ctr->stride * sizeof *counts, 1, counts);
    put_number(f, table, 3, ctr->total, 4);
    put_number(f, table, 4, ctr->stride, 4);
    put_bytes(f, size_at, f->size - size_at - 4, 4);
}

static inline void put_ctr_tables(struct made_file *f, const struct made_model *m) {
    size_t count_at = f->size, count = 0;
    if (m->n_ctrs == 0)
        return;
    f->size += 4;
    for (uint32_t i = m->n_ctrs; i-- > 0;) {
        if (m->ctr[i].table != i)
            continue;
        put_ctr_table(f, &m->ctr[i]);
        count++;
    }
    put_bytes(f, count_at, count, 4);
}

static inline void put_trees(struct made_file *f, const struct made_model *m, size_t trees) {
    put_number(f, trees, 0, m->n_outputs, 4);
    put_list(f, trees, 1, m->n_splits, 4, m->split);
    put_list(f, trees, 2, m->n_trees, 4, m->size);
    put_list(f, trees, 3, m->n_trees, 4, m->start);
    put_list(f, trees, 8, m->n_values, 8, m->value);
    put_double(f, trees, 14, m->scale);
    put_list(f, trees, 16, m->n_outputs, 8, m->bias);
    if (m->is_oblivious)
        return;
    put_list(f, trees, 10, m->n_splits, 4, m->step);
    put_list(f, trees, 11, m->n_splits, 4, m->leaf);
}

/* Writes numbers as stored on x86: the tests run on little-endian machines. Returns the table of
 * the trees. */
static inline size_t make_cbm(struct made_file *f, const struct made_model *m) {
    static const char format[] = "FlabuffersModel_v1";
    memset(f, 0, sizeof *f);
    memcpy(f->bytes, "CBM1", 4);
    f->size = 12; /* the size of the model, and the offset of its first table */
    size_t core = put_table(f, 4);
    put_offset(f, 8, core);
    put_list(f, core, 0, sizeof format - 1, 1, format);
    size_t trees = put_table(f, 19);
    put_offset(f, put_field(f, core, 1), trees);
    put_features(f, m, trees);
    put_categories(f, m, trees);
    put_ctrs(f, m, trees);
    put_trees(f, m, trees);
    if (m->n_ctrs) {
        static const char part[] = "static_provider_v1";
        size_t parts = put_list(f, core, 3, 1, 4, NULL);
        put_offset(f, parts, f->size);
        put_bytes(f, f->size, sizeof part - 1, 4);
        memcpy(f->bytes + f->size + 4, part, sizeof part - 1);
        f->size += 4 + sizeof part - 1;
    }
    put_bytes(f, 4, f->size - 8, 4);
    put_ctr_tables(f, m);
    return trees;
}

/* Read a .cbm file, or that of a model. */
static inline struct ensemble *read_cbm(const struct made_file *f) {
    struct ensemble *e = NULL;
    struct error error = {""};
    if (read_copy("catboost", (const char *)f->bytes, f->size, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static inline struct ensemble *read_made(const struct made_model *m) {
    static struct made_file f;
    make_cbm(&f, m);
    return read_cbm(&f);
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Finds the feature of a bin, and its border or hash. */
struct made_bin {
    bool is_category, is_ctr;
    uint32_t feature, place;
};

static inline struct made_bin find_bin(const struct made_model *m, uint32_t bin) {
    struct made_bin found = {.place = bin};
    while (found.feature < m->n_features && found.place >= m->feature[found.feature].n_borders)
        found.place -= m->feature[found.feature++].n_borders;
    found.is_category = found.feature == m->n_features;
    if (!found.is_category)
        return found;
    found.feature = 0;
    while (found.feature < m->n_categories && found.place >= m->category[found.feature].n_hashes)
        found.place -= m->category[found.feature++].n_hashes;
    found.is_ctr = found.feature == m->n_categories;
    if (!found.is_ctr)
        return found;
    found.feature = 0;
    while (found.place >= m->ctr[found.feature].n_borders)
        found.place -= m->ctr[found.feature++].n_borders;
    return found;
}

static inline void print_split(FILE *out, const struct made_model *m, uint32_t bin) {
    const struct made_bin found = find_bin(m, bin);
    uint32_t feature = found.feature, border = found.place;
    if (found.is_ctr) {
        fprintf(out,
                "{\"border\": %.9g, \"ctr_target_border_idx\": %u, \"split_index\": %u, "
                "\"split_type\": \"OnlineCtr\"}",
                (double)m->ctr[feature].border[border], m->ctr[feature].class, bin);
        return;
    }
    if (found.is_category) {
        fprintf(out,
                "{\"cat_feature_index\": %u, \"split_index\": %u, \"split_type\": "
                "\"OneHotFeature\", \"value\": %d}",
                feature, bin, m->category[feature].hash[border]);
        return;
    }
    fprintf(out,
            "{\"border\": %.9g, \"float_feature_index\": %u, \"split_index\": %u, "
            "\"split_type\": \"FloatFeature\"}",
            (double)m->feature[feature].border[border], feature, bin);
}

static inline void print_values(FILE *out, const double *value, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%.17g", i ? ", " : "", value[i]);
}

static inline void print_leaf(FILE *out, const struct made_model *m, uint32_t node) {
    const double *value = m->value + m->leaf[node];
    fputs("{\"weight\": 1, \"value\": ", out);
    fputs(m->n_outputs > 1 ? "[" : "", out);
    print_values(out, value, m->n_outputs);
    fputs(m->n_outputs > 1 ? "]}" : "}", out);
}

static inline void print_node(FILE *out, const struct made_model *m, uint32_t node) {
    if (!m->step[2 * node] && !m->step[2 * node + 1]) {
        print_leaf(out, m, node);
        return;
    }
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t step = m->step[2 * node + side];
        fputs(side ? ", \"right\": " : "{\"left\": ", out);
        if (step)
            print_node(out, m, node + step);
        else
            print_leaf(out, m, node);
    }
    fputs(", \"split\": ", out);
    print_split(out, m, m->split[node]);
    fputs("}", out);
}

static inline void print_oblivious(FILE *out, const struct made_model *m, uint32_t tree,
                                   size_t first_value) {
    fputs("{\"leaf_values\": [", out);
    print_values(out, m->value + first_value, m->n_outputs << m->size[tree]);
    fputs("], \"splits\": [", out);
    for (uint32_t i = 0; i < m->size[tree]; i++) {
        fputs(i ? ", " : "", out);
        print_split(out, m, m->split[m->start[tree] + i]);
    }
    fputs("]}", out);
}

static inline void print_features(FILE *out, const struct made_model *m) {
    static const char *const treatments[] = {"AsIs", "AsFalse", "AsTrue"};
    for (uint32_t i = 0; i < m->n_features; i++) {
        const struct made_feature *feature = &m->feature[i];
        fprintf(out, "%s{\"borders\": [", i ? ", " : "");
        for (uint32_t b = 0; b < feature->n_borders; b++)
            fprintf(out, "%s%.9g", b ? ", " : "", (double)feature->border[b]);
        fprintf(out,
                "], \"feature_index\": %u, \"flat_feature_index\": %u, \"has_nans\": %s, "
                "\"nan_value_treatment\": \"%s\"",
                i, feature->column, feature->has_nans ? "true" : "false",
                treatments[feature->treatment]);
        if (m->has_names)
            fprintf(out, ", \"feature_id\": \"f%u\"", feature->column);
        fputs("}", out);
    }
}

static inline void print_categories(FILE *out, const struct made_model *m) {
    for (uint32_t i = 0; i < m->n_categories; i++) {
        const struct made_category *category = &m->category[i];
        fprintf(out, "%s{\"feature_index\": %u, \"flat_feature_index\": %u, \"values\": [",
                i ? ", " : "", i, category->column);
        for (uint32_t k = 0; k < category->n_hashes; k++)
            fprintf(out, "%s%d", k ? ", " : "", category->hash[k]);
        fputs("]", out);
        if (m->has_names)
            fprintf(out, ", \"feature_id\": \"f%u\"", category->column);
        fputs("}", out);
    }
}

static inline void print_part(FILE *out, const struct made_part *part) {
    if (part->kind == MADE_CATEGORY)
        fprintf(out, "{\"cat_feature_index\": %u, \"combination_element\": \"cat_feature_value\"}",
                part->index);
    else if (part->kind == MADE_OVER)
        fprintf(out,
                "{\"border\": %.9g, \"combination_element\": \"float_feature\", "
                "\"float_feature_index\": %u}",
                (double)part->border, part->index);
    else
        fprintf(out,
                "{\"cat_feature_index\": %u, \"combination_element\": "
                "\"cat_feature_exact_value\", \"value\": %d}",
                part->index, part->hash);
}

static inline void print_ctrs(FILE *out, const struct made_model *m) {
    static const char *const kinds[] = {
        "Borders", "Buckets",    "BinarizedTargetMeanValue", "FloatTargetMeanValue",
        "Counter", "FeatureFreq"};
    fputs(", \"ctrs\": [", out);
    for (uint32_t i = 0; i < m->n_ctrs; i++) {
        const struct made_ctr *ctr = &m->ctr[i];
        fprintf(out, "%s{\"borders\": [", i ? ", " : "");
        for (uint32_t b = 0; b < ctr->n_borders; b++)
            fprintf(out, "%s%.9g", b ? ", " : "", (double)ctr->border[b]);
        fprintf(out, "], \"ctr_type\": \"%s\", \"elements\": [", kinds[ctr->kind]);
        for (uint32_t k = 0; k < ctr->n_parts; k++) {
            fputs(k ? ", " : "", out);
            print_part(out, &ctr->part[k]);
        }
        fprintf(out,
                "], \"identifier\": \"table %u\", \"prior_denomerator\": %.9g, "
                "\"prior_numerator\": %.9g, \"scale\": %.9g, \"shift\": %.9g, "
                "\"target_border_idx\": %u}",
                ctr->table, (double)ctr->prior_total, (double)ctr->prior, (double)ctr->scale,
                (double)ctr->shift, ctr->class);
    }
    fputs("]", out);
}

/* As CatBoost writes a table: one entry stands for the unused ones. */
static inline void print_ctr_table(FILE *out, const struct made_ctr *ctr) {
    bool is_mean = ctr->kind == 2 || ctr->kind == 3;
    fprintf(out, "{\"counter_denominator\": %u, \"hash_map\": [\"18446744073709551615\"",
            ctr->total);
    for (uint32_t k = 0; k < ctr->stride; k++)
        fputs(", 7", out);
    for (uint32_t i = 0; i < ctr->n_entries; i++) {
        fprintf(out, ", \"%llu\"", (unsigned long long)ctr->hash[i]);
        for (uint32_t k = 0; k < ctr->stride; k++) {
            float sum;
            memcpy(&sum, &ctr->count[i][k], sizeof sum);
            if (is_mean && k == 0)
                fprintf(out, ", %.9g", (double)sum);
            else
                fprintf(out, ", %u", ctr->count[i][k]);
        }
    }
    fprintf(out, "], \"hash_stride\": %u}", ctr->stride + 1);
}

static inline void print_ctr_tables(FILE *out, const struct made_model *m) {
    fputs("\"ctr_data\": {", out);
    for (uint32_t i = 0; i < m->n_ctrs; i++) {
        if (m->ctr[i].table != i)
            continue;
        fprintf(out, "%s\"table %u\": ", i ? ", " : "", i);
        print_ctr_table(out, &m->ctr[i]);
    }
    fputs("}, ", out);
}

/* The text is malloc'd. */
static inline char *make_json(const struct made_model *m) {
    char *text = NULL;
    size_t size = 0, value = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("{", out);
    if (m->n_ctrs)
        print_ctr_tables(out, m);
    fputs("\"features_info\": {\"categorical_features\": [", out);
    print_categories(out, m);
    fputs("]", out);
    if (m->n_ctrs)
        print_ctrs(out, m);
    fputs(", \"float_features\": [", out);
    print_features(out, m);
    fprintf(out, "]}, \"%s\": [", m->is_oblivious ? "oblivious_trees" : "trees");
    for (uint32_t t = 0; t < m->n_trees; t++) {
        fputs(t ? ", " : "", out);
        if (!m->is_oblivious) {
            print_node(out, m, m->start[t]);
            continue;
        }
        print_oblivious(out, m, t, value);
        value += (size_t)m->n_outputs << m->size[t];
    }
    fprintf(out, "], \"scale_and_bias\": [%.17g, [", m->scale);
    print_values(out, m->bias, m->n_outputs);
    fputs("]]}", out);
    assert_int_equal(fclose(out), 0);
    return text;
}

#endif
