/* Scoring by bit planes, for any width of registers: planes_types.h says what is computed. Included
 * by each of the implementations, which define before:
 *   PLANES_REGISTER   bytes of a register, a power of two
 *   PLANES_PARTS      registers of a plane
 *   PLANES_FAN_BITS   the search tree's nodes have 2^this children
 *   planes_child(const int32_t *node, int32_t key)   the child of a key: how many of a node's keys
 *                     are less; not of nodes that lie in tables (planes_types.h)
 *   planes_read(const float *x, size_t stride, int32_t *keys, size_t keys_stride)   the keys of 8
 *                     columns of 8 documents, column by column
 * They may define, in planes_child's place, PLANES_SEARCH:
 *   planes_search(const struct planes_feature *feature, const int32_t *keys, size_t n_docs,
 *                 void *planes)   the planes of the bits of a column's ranks, lowest first, up to a
 *                 multiple of DIGIT, in the keys' order
 * and, in planes_read's place too, PLANES_ORDER, where documents lie in an order of their own in
 * keys and planes, by PLANES_REGISTER each:
 *   planes_read_strip(const float *x, size_t stride, size_t n_columns, size_t n_docs,
 *                     int32_t *keys, size_t keys_stride)   the keys of at most 16 columns, column
 *                     by column
 *   planes_transpose(void *row)   eight planes of bits of codes become the codes
 * and PLANES_ADD_TREE: planes_add_tree(const double *values, uint32_t n_groups,
 *                     const uint8_t *codes, size_t n_docs, double *scores)   adds the values of the
 *                     codes of some documents, a multiple of SUMS_MULTIPLE, to their scores
 * and PLANES_SPLIT:    planes_split(const struct planes_bundle *bundle, const void *tests,
 *                     void *planes, int n_parts)   makes the first n_parts registers of the planes
 *                     of the codes' bits, of tree t's bit j the plane PLANES_CODE_BITS t + j, and
 *                     planes_code_bits(n_groups) of them for a tree with so many groups
 * and PLANES_FLOAT_CODES, codes that a tree may have where sums are floats, after planes_tables.h:
 *   planes_add_floats(const uint8_t *const *tables, size_t count, uint32_t most_codes,
 *                     const uint8_t *codes, size_t codes_stride, size_t n_codes, float *sums)
 *                     adds the values of the codes of some trees to sums, which may lie in any
 *                     order within SUMS_MULTIPLE
 *   planes_add_sums(const float *sums, size_t n_codes, double *column)   adds them to doubles in
 *                     the codes' order
 * What they get: `planes_run`, and `struct work`, which it needs with a plane for each test. */
#include "impls/planes_types.h"

enum {
    PLANE_BYTES = PLANES_REGISTER * PLANES_PARTS,
    BLOCK = PLANE_BYTES * 8,    /* documents whose bits a plane holds */
    FAN = 1 << PLANES_FAN_BITS, /* children of a search tree's node */
#ifdef PLANES_ORDER
    STRIP = 16,         /* columns that are read together */
    SUMS_MULTIPLE = 64, /* documents that may be added up together */
#else
    STRIP = 8,          /* and so many rows */
    SUMS_MULTIPLE = 32, /* a multiple of SUMS; floats are added 32 at a time */
#endif
    ROWS = 8, /* of codes, made by a transposition of eight planes: of as many bytes */
    PART_DOCS = BLOCK / PLANES_PARTS,
#if defined PLANES_SEARCH && !defined PLANES_ORDER
    IN_ROWS = 1, /* codes and sums of each 8th document side by side: see transpose_bits */
#else
    IN_ROWS = 0,
#endif
    RANK_BYTES = 4,
    DIGIT = 4, /* bits */
    DIGITS = 8 * RANK_BYTES / DIGIT,
    DIGIT_VALUES = 1 << DIGIT,
    SUMS = 4, /* doubles that are added at once */
};

typedef uint64_t vec __attribute__((vector_size(PLANES_REGISTER)));
typedef double sums __attribute__((vector_size(32), aligned(8), may_alias));

struct plane {
    vec part[PLANES_PARTS];
};

/* What a block of documents is worked on in; in the caller's workspace, the tests behind it. */
struct work {
    struct plane exits[PLANES_SLOTS]; /* L_c of a tree */
    struct plane digits[DIGITS][DIGIT_VALUES + 1];
    uint8_t codes[PLANES_BUNDLE][BLOCK];
    double column[BLOCK];             /* the sums of one output */
    uint8_t ranks[RANK_BYTES][BLOCK]; /* their bytes, or planes of their bits */
    int32_t keys[STRIP][BLOCK];
#ifdef PLANES_FLOAT_CODES
    float floats[BLOCK]; /* sums in floats that are not in the column yet */
#endif
};

/* --- planes ----------------------------------------------------------------------------------- */

#ifdef PLANES_ORDER
static inline void transpose_bits(vec row[8]) {
    planes_transpose(row);
}
#else
static inline vec broadcast(uint64_t value) {
    const vec zero = {0};
    return value - zero;
}

/* Swaps the bits of b that `mask` selects with those of a that lie `by` further up. */
static inline void swap_bits(vec *a, vec *b, unsigned by, uint64_t mask) {
    vec change = ((*a >> by) ^ *b) & broadcast(mask);
    *b ^= change;
    *a ^= change << by;
}

/* Eight registers as rows of 8 x 8 bits at each byte's place: rows become columns. So eight planes
 * become the bytes of all documents and bytes become planes, the byte for bit 8 m + i of a plane
 * being byte m of row i. What is transposed twice, ranks on the way to planes and codes on the way
 * back, is in order again; where a search makes planes in order, codes lie in rows. */
static inline void transpose_bits(vec row[8]) {
    for (int i = 0; i < 8; i += 2)
        swap_bits(&row[i], &row[i + 1], 1, 0x5555555555555555u);
    for (int i = 0; i < 4; i++)
        swap_bits(&row[i + (i & 2)], &row[i + (i & 2) + 2], 2, 0x3333333333333333u);
    for (int i = 0; i < 4; i++)
        swap_bits(&row[i], &row[i + 4], 4, 0x0f0f0f0f0f0f0f0fu);
}
#endif

/* --- A: ranks --------------------------------------------------------------------------------- */

#ifdef PLANES_ORDER
static void read_strip(struct work *work, const float *x, size_t stride, size_t n_columns,
                       size_t n_docs) {
    planes_read_strip(x, stride, n_columns, n_docs, work->keys[0], BLOCK);
}
#else
/* The keys of some columns, at most STRIP; those of documents that are not there are of any value.
 */
static void read_strip(struct work *work, const float *x, size_t stride, size_t n_columns,
                       size_t n_docs) {
    size_t doc = 0;
    if (n_columns == STRIP)
        for (; doc + STRIP <= n_docs; doc += STRIP)
            planes_read(x + doc * stride, stride, &work->keys[0][doc], BLOCK);
    for (; doc < n_docs; doc++)
        for (size_t i = 0; i < n_columns; i++)
            work->keys[i][doc] = planes_key(x[doc * stride + i]);
}
#endif

#ifdef PLANES_SEARCH
static void find_ranks_of(struct work *work, const struct planes_feature *feature,
                          const int32_t *keys, size_t n_docs) {
    planes_search(feature, keys, n_docs, work->ranks);
}
#else
static inline void find_ranks(struct work *work, const struct planes_feature *feature,
                              const int32_t *keys, size_t n_docs, uint32_t n_levels,
                              unsigned n_bytes) {
    for (size_t doc = 0; doc < n_docs; doc++) {
        size_t rank = 0;
        for (uint32_t level = 0; level < n_levels; level++)
            rank = rank * FAN + planes_child(feature->levels[level] + rank * FAN, keys[doc]);
        for (unsigned byte = 0; byte < n_bytes; byte++)
            work->ranks[byte][doc] = (uint8_t)(rank >> 8 * byte);
    }
}

static void find_ranks_of(struct work *work, const struct planes_feature *feature,
                          const int32_t *keys, size_t n_docs) {
    uint32_t n_levels = feature->n_levels;
    if (feature->n_bits > 16)
        find_ranks(work, feature, keys, n_docs, n_levels, 4);
    else if (feature->n_bits > 8)
        find_ranks(work, feature, keys, n_docs, n_levels, 2);
    else if (n_levels == 1)
        find_ranks(work, feature, keys, n_docs, 1, 1);
    else if (n_levels == 2)
        find_ranks(work, feature, keys, n_docs, 2, 1);
    else if (n_levels == 3)
        find_ranks(work, feature, keys, n_docs, 3, 1);
    else
        find_ranks(work, feature, keys, n_docs, n_levels, 1);
}
#endif

/* --- B: tests --------------------------------------------------------------------------------- */

/* digit[v] becomes the plane of [digit >= v], from the planes of the digit's bits. */
static inline void compare_digit(struct plane digit[DIGIT_VALUES + 1], const vec *bits, int part) {
    const vec zero = {0};
    digit[0].part[part] = ~zero;
    digit[DIGIT_VALUES].part[part] = zero;
    for (int bit = DIGIT - 1; bit >= 0; bit--)
        for (int low = 0; low < DIGIT_VALUES; low += 2 << bit)
            digit[low + (1 << bit)].part[part] =
                digit[low + (2 << bit)].part[part] | (digit[low].part[part] & bits[bit]);
}

static void compare_digits(struct work *work, const struct planes_feature *feature) {
    for (unsigned byte = 0; 8 * byte < feature->n_bits; byte++)
        for (int part = 0; part < PLANES_PARTS; part++) {
            vec bits[8];
            for (int i = 0; i < 8; i++)
                memcpy(&bits[i], &work->ranks[byte][(i * PLANES_PARTS + part) * PLANES_REGISTER],
                       sizeof bits[i]);
#ifndef PLANES_SEARCH
            transpose_bits(bits);
#endif
            compare_digit(work->digits[2 * byte], bits, part);
            compare_digit(work->digits[2 * byte + 1], bits + DIGIT, part);
        }
}

/* The plane of [rank >= bound]. */
static inline struct plane reaches(const struct work *work, uint32_t bound, unsigned n_digits) {
    struct plane result = work->digits[0][bound % DIGIT_VALUES];
    for (unsigned i = 1; i < n_digits; i++) {
        uint32_t digit = bound >> DIGIT * i & (DIGIT_VALUES - 1);
        for (int part = 0; part < PLANES_PARTS; part++)
            result.part[part] = work->digits[i][digit + 1].part[part] |
                                (work->digits[i][digit].part[part] & result.part[part]);
    }
    return result;
}

static inline struct plane *fill_tests(const struct work *work,
                                       const struct planes_feature *feature, struct plane *tests,
                                       unsigned n_digits) {
    const uint32_t *ranks = feature->ranks;
    for (uint32_t i = 0; i < feature->n_tests; i++)
        *tests++ = reaches(work, *ranks++, n_digits);
    if (feature->n_nan_left == 0)
        return tests;
    struct plane nan = reaches(work, feature->nan_rank, n_digits);
    for (uint32_t i = 0; i < feature->n_nan_left; i++, tests++) {
        *tests = reaches(work, *ranks++, n_digits);
        for (int part = 0; part < PLANES_PARTS; part++)
            tests->part[part] &= ~nan.part[part];
    }
    return tests;
}

static struct plane *fill_tests_of(const struct work *work, const struct planes_feature *feature,
                                   struct plane *tests) {
    unsigned n_digits = (feature->n_bits + DIGIT - 1) / DIGIT;
    if (n_digits == 1)
        return fill_tests(work, feature, tests, 1);
    if (n_digits == 2)
        return fill_tests(work, feature, tests, 2);
    return fill_tests(work, feature, tests, n_digits);
}

/* A function of its own, so that the sums stay in registers. */
static __attribute__((noinline)) void xor_tests(const struct planes_xors *xors,
                                                const struct plane *tests, struct plane *to) {
    const uint32_t *operand = xors->operands;
    const vec none = {0};
    for (uint32_t i = 0; i < xors->n_planes; i++, to++) {
        vec sum[PLANES_PARTS];
        for (int part = 0; part < PLANES_PARTS; part++)
            sum[part] = none;
        for (uint32_t j = 0; j < xors->n_operands; j++, operand++)
            for (int part = 0; part < PLANES_PARTS; part++)
                sum[part] ^= tests[*operand].part[part];
        for (int part = 0; part < PLANES_PARTS; part++)
            to->part[part] = sum[part];
    }
}

static void test_documents(const struct planes_view *view, struct work *work, const float *x,
                           size_t stride, size_t n_docs) {
    const struct planes_feature *feature = view->features;
    const struct planes_feature *end = feature + view->n_features;
    size_t n_columns = view->n_columns, width = n_columns < STRIP ? n_columns : (size_t)STRIP;
    struct plane *tests = (struct plane *)(work + 1);
    while (feature < end) {
        size_t left = n_columns - feature->feature;
        size_t column = left < width ? n_columns - width : feature->feature;
        read_strip(work, x + column, stride, width, n_docs);
        for (; feature < end && feature->feature < column + width; feature++) {
            find_ranks_of(work, feature, work->keys[feature->feature - column], n_docs);
            compare_digits(work, feature);
            tests = fill_tests_of(work, feature, tests);
        }
    }
    for (size_t i = 0; i < view->n_xors; tests += view->xors[i++].n_planes)
        xor_tests(&view->xors[i], (struct plane *)(work + 1), tests);
}

/* --- C and D: a tree -------------------------------------------------------------------------- */

/* How many of a plane's registers have documents: the first ones, where documents lie in their
 * order. */
static inline int count_parts(size_t n_docs) {
    return IN_ROWS ? (int)((n_docs + PART_DOCS - 1) / PART_DOCS) : PLANES_PARTS;
}

static inline size_t round_up(size_t n_docs) {
    return (n_docs + SUMS_MULTIPLE - 1) / SUMS_MULTIPLE * SUMS_MULTIPLE;
}

/* In rows, the codes of a register's documents are ROWS rows behind one another, which are so long:
 * of the last register's, there are only those that are needed. */
static inline size_t row_size(size_t n_docs, size_t part) {
    size_t left = n_docs - part * PART_DOCS;
    return left < PART_DOCS ? round_up(left) / ROWS : PART_DOCS / ROWS;
}

static inline size_t row_place(size_t n_docs, size_t part, size_t row) {
    return IN_ROWS ? part * PART_DOCS + row * row_size(n_docs, part)
                   : (row * PLANES_PARTS + part) * PLANES_REGISTER;
}

/* Where a document's code and sum lie. */
static inline size_t place_of(size_t n_docs, size_t doc) {
    size_t in_part = doc % PART_DOCS;
    return IN_ROWS ? row_place(n_docs, doc / PART_DOCS, in_part % ROWS) + in_part / ROWS : doc;
}

#ifdef PLANES_SPLIT
static void split_leaves(struct work *work, const struct planes_bundle *bundle, size_t n_docs) {
    planes_split(bundle, work + 1, work->exits, count_parts(n_docs));
}

static inline void find_bits(vec bits[8], const struct plane *planes, uint32_t n_groups, int part) {
    const vec none = {0};
    for (unsigned i = 0; i < 8; i++)
        bits[i] = i < planes_code_bits(n_groups) ? planes[i].part[part] : none;
}
#else
static inline const struct plane *at(const void *planes, size_t bytes) {
    return (const struct plane *)((const char *)planes + bytes);
}

static inline void split(char *exits, const void *tests, planes_inputs inputs,
                         planes_output output) {
    const struct plane *above = at(exits, inputs & 0xffff),
                       *below = at(exits, (uint32_t)inputs >> 16);
    const struct plane *test = at(tests, inputs >> 32);
    struct plane *separator = (struct plane *)(exits + output);
    for (int part = 0; part < PLANES_PARTS; part++)
        separator->part[part] = below->part[part] | (above->part[part] & test->part[part]);
}

static void split_leaves(struct work *work, const struct planes_bundle *bundle, size_t n_docs) {
    (void)n_docs; /* all registers of a plane at once */
    for (size_t node = 0; node < bundle->n_nodes; node += PLANES_STEPS)
        for (size_t i = node; i < node + PLANES_STEPS; i++)
            split((char *)work->exits, work + 1, bundle->inputs[i], bundle->separators[i]);
}

/* The codes' bits 0 to 2: separators within a group, by the lowest one bit of their place in it. */
static inline void add_groups(vec bits[8], const struct plane *exits, uint32_t n_groups, int part) {
    for (const struct plane *group = exits; group < exits + (size_t)n_groups * PLANES_GROUP;
         group += PLANES_GROUP) {
        bits[0] ^=
            group[1].part[part] ^ group[3].part[part] ^ group[5].part[part] ^ group[7].part[part];
        bits[1] ^= group[2].part[part] ^ group[6].part[part];
        bits[2] ^= group[4].part[part];
    }
}

/* The codes' bits 3 to 7: the groups' first separators, by the lowest one bit of the group. */
static inline void add_firsts(vec bits[8], const struct plane *exits, uint32_t n_groups, int part) {
#define FIRST(group) exits[(group)*PLANES_GROUP].part[part]
    for (size_t group = 1; group < n_groups; group += 2)
        bits[3] ^= FIRST(group);
    for (size_t group = 2; group < n_groups; group += 4)
        bits[4] ^= FIRST(group);
    for (size_t group = 4; group < n_groups; group += 8)
        bits[5] ^= FIRST(group);
    for (size_t group = 8; group < n_groups; group += 16)
        bits[6] ^= FIRST(group);
    if (n_groups > 16)
        bits[7] ^= FIRST(16);
#undef FIRST
}

/* The planes of the bits of a tree's codes. */
static inline void find_bits(vec bits[8], const struct plane *exits, uint32_t n_groups, int part) {
    const vec none = {0};
    for (int i = 0; i < 8; i++)
        bits[i] = none;
    add_groups(bits, exits, n_groups, part);
    add_firsts(bits, exits, n_groups, part);
}
#endif

/* A row that is shorter than a register is stored whole, and its end overwritten by the next. */
static void find_codes(const struct work *work, const struct planes_tree *tree, size_t n_docs,
                       uint8_t *codes) {
    for (int part = 0; part < count_parts(n_docs); part++) {
        vec bits[8];
        find_bits(bits, work->exits + tree->first_slot, tree->n_groups, part);
        transpose_bits(bits);
        for (size_t i = 0; i < ROWS; i++)
            memcpy(&codes[row_place(n_docs, (size_t)part, i)], &bits[i], sizeof bits[i]);
    }
}

/* --- E: values -------------------------------------------------------------------------------- */

/* add_trees adds the values of trees, in their order, to the sums; codes are BLOCK a tree. */
#ifdef PLANES_ADD_TREE
static inline void add_trees(const uint8_t *codes, const struct planes_tree *trees, size_t count,
                             size_t n_codes, double *column) {
    for (size_t t = 0; t < count; t++)
        planes_add_tree(trees[t].values, trees[t].n_groups, codes + t * BLOCK, n_codes, column);
}
#else
/* Four codes by one load, the first one lowest: loads are what this step is bound by. */
static inline uint32_t load_four(const uint8_t *codes) {
    uint32_t four;
    memcpy(&four, codes, sizeof four);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    four = __builtin_bswap32(four);
#endif
    return four;
}

static inline void add_trees(const uint8_t *codes, const struct planes_tree *trees, size_t count,
                             size_t n_codes, double *column) {
    const double *values[PLANES_BUNDLE];
    for (size_t t = 0; t < count; t++)
        values[t] = trees[t].values;
    for (size_t i = 0; i < n_codes; i += SUMS) {
        sums *place = (sums *)(column + i), sum = *place;
        for (size_t t = 0; t < count; t++) {
            uint32_t code = load_four(codes + t * BLOCK + i);
            const double *of = values[t];
            const sums four = {of[code & 0xff], of[code >> 8 & 0xff], of[code >> 16 & 0xff],
                               of[code >> 24]};
            sum += four;
        }
        *place = sum;
    }
}
#endif

/* Where a block's sums are added up: one output after the other, in the workspace. */
struct adding {
    double *scores;
    struct work *work;
    size_t n_docs, n_outputs;
    uint32_t output; /* the column's */
#ifdef PLANES_FLOAT_CODES
    size_t n_float_trees; /* whose sums are in work->floats */
#endif
};

#ifdef PLANES_FLOAT_CODES
static void flush_floats(struct adding *adding) {
    if (adding->n_float_trees)
        planes_add_sums(adding->work->floats, round_up(adding->n_docs), adding->work->column);
    adding->n_float_trees = 0;
}

static void add_floats(const struct planes_bundle *bundle, size_t begin, size_t end,
                       struct adding *adding) {
    struct work *work = adding->work;
    size_t count = end - begin, n_codes = round_up(adding->n_docs);
    const uint8_t *tables[PLANES_BUNDLE];
    for (size_t t = 0; t < count; t++)
        tables[t] = bundle->trees[begin + t].tables;
    if (adding->n_float_trees + count > PLANES_FLOAT_TREES)
        flush_floats(adding);
    if (adding->n_float_trees == 0)
        memset(work->floats, 0, n_codes * sizeof *work->floats);
    adding->n_float_trees += count;
    planes_add_floats(tables, count, bundle->table_codes, work->codes[begin], BLOCK, n_codes,
                      work->floats);
}
#endif

static void read_column(const struct adding *adding) {
    const double *scores = adding->scores + adding->output;
    for (size_t doc = 0; doc < adding->n_docs; doc++)
        adding->work->column[place_of(adding->n_docs, doc)] = scores[doc * adding->n_outputs];
    for (size_t doc = adding->n_docs; doc < round_up(adding->n_docs); doc++)
        adding->work->column[place_of(adding->n_docs, doc)] = 0;
}

static void write_column(struct adding *adding) {
#ifdef PLANES_FLOAT_CODES
    flush_floats(adding);
#endif
    double *scores = adding->scores + adding->output;
    for (size_t doc = 0; doc < adding->n_docs; doc++)
        scores[doc * adding->n_outputs] = adding->work->column[place_of(adding->n_docs, doc)];
}

static void turn_to_output(struct adding *adding, uint32_t output) {
    if (output == adding->output)
        return;
    write_column(adding);
    adding->output = output;
    read_column(adding);
}

/* --- a block of documents --------------------------------------------------------------------- */

static void add_trees_of(const struct planes_bundle *bundle, size_t begin, size_t end,
                         struct adding *adding) {
    struct work *work = adding->work;
    size_t n_codes = round_up(adding->n_docs);
#ifdef PLANES_FLOAT_CODES
    if (bundle->table_codes) {
        add_floats(bundle, begin, end, adding);
        return;
    }
#endif
    if (end - begin == PLANES_BUNDLE)
        add_trees(work->codes[0], bundle->trees, PLANES_BUNDLE, n_codes, work->column);
    else
        add_trees(work->codes[begin], bundle->trees + begin, end - begin, n_codes, work->column);
}

static void add_bundle(const struct planes_bundle *bundle, struct adding *adding) {
    const struct planes_tree *trees = bundle->trees;
    for (size_t begin = 0, end; begin < bundle->n_trees; begin = end) {
        for (end = begin + 1; end < bundle->n_trees && trees[end].output == trees[begin].output;)
            end++;
        turn_to_output(adding, trees[begin].output);
        add_trees_of(bundle, begin, end, adding);
    }
}

static void score_bundle(const struct planes_bundle *bundle, struct adding *adding) {
    struct work *work = adding->work;
    split_leaves(work, bundle, adding->n_docs);
    for (size_t t = 0; t < bundle->n_trees; t++)
        find_codes(work, &bundle->trees[t], adding->n_docs, work->codes[t]);
    add_bundle(bundle, adding);
}

/* Inlined by order: compilers take a function that only prefetches for one without effect, and drop
 * its calls. */
#define PLANES_INLINE static inline __attribute__((always_inline))

PLANES_INLINE void prefetch(const void *begin, size_t bytes) {
    for (size_t line = 0; line < bytes; line += PLANES_LINE)
        __builtin_prefetch((const char *)begin + line);
}

/* Code to the second level, which data and instructions share: instructions are not fetched from
 * the first level of data, and lines that lie there are fetched late. */
PLANES_INLINE void prefetch_code(const unsigned char *begin, size_t bytes) {
    for (size_t line = 0; line < bytes; line += PLANES_LINE)
        __builtin_prefetch(begin + line, 0, 2);
}

PLANES_INLINE void prefetch_values(const struct planes_bundle *bundle) {
    const struct planes_tree *first = bundle->trees, *last = &first[bundle->n_trees - 1];
#ifdef PLANES_FLOAT_CODES
    if (bundle->table_codes) {
        prefetch(first->tables,
                 (size_t)(last->tables - first->tables) + planes_tables_bytes(bundle->table_codes));
        return;
    }
#endif
    size_t count = (size_t)(last->values - first->values) + (size_t)last->n_groups * PLANES_GROUP;
    prefetch(first->values, count * sizeof *first->values);
}

/* What is read once a block comes from far away where trees are many. */
PLANES_INLINE void prefetch_bundle(const struct planes_bundle *bundle) {
    prefetch(bundle->inputs, bundle->n_nodes * sizeof *bundle->inputs);
    prefetch(bundle->separators, bundle->n_nodes * sizeof *bundle->separators);
    prefetch_code(bundle->code, bundle->code_bytes);
    prefetch_values(bundle);
}

static struct work *work_of(const struct planes_view *view, void *workspace, size_t block) {
    return (struct work *)((char *)workspace + block * view->block_bytes);
}

/* Trees come from far away once for all blocks. */
static void score_bundles(const struct planes_view *view, struct adding *adding, size_t n_blocks) {
    for (size_t i = 0; i < view->n_bundles; i++) {
        if (i + 1 < view->n_bundles)
            prefetch_bundle(&view->bundles[i + 1]);
        for (size_t block = 0; block < n_blocks; block++)
            score_bundle(&view->bundles[i], &adding[block]);
    }
}

static void begin_block(const struct planes_view *view, const float *x, size_t stride,
                        const struct adding *adding) {
    struct work *work = adding->work;
    memset(&work->exits[PLANES_SLOT_ALL], 0xff, sizeof(struct plane));
    memset(&work->exits[PLANES_SLOT_NONE], 0, sizeof(struct plane));
    test_documents(view, work, x, stride, adding->n_docs);
    read_column(adding);
}

/* Adds to the scores of n documents; the workspace has view->block_bytes for each block, which are
 * a `struct work` and a plane for each test. */
static void planes_run(const struct planes_view *view, const float *x, size_t stride, size_t n,
                       double *scores, void *workspace) {
    struct adding adding[PLANES_BLOCKS];
    memset(adding, 0, sizeof adding);
    for (size_t doc = 0; doc < n;) {
        size_t n_blocks = 0;
        for (; n_blocks < view->n_blocks && doc < n; n_blocks++, doc += BLOCK) {
            struct adding *block = &adding[n_blocks];
            block->scores = scores + doc * view->n_outputs;
            block->work = work_of(view, workspace, n_blocks);
            block->n_docs = n - doc < BLOCK ? n - doc : (size_t)BLOCK;
            block->n_outputs = view->n_outputs;
            block->output = 0;
            begin_block(view, x + doc * stride, stride, block);
        }
        score_bundles(view, adding, n_blocks);
        for (size_t block = 0; block < n_blocks; block++)
            write_column(&adding[block]);
    }
}
