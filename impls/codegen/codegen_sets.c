#include "impls/codegen/codegen_source.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A set is given by cuts, the boundaries between values inside and outside the set. Up to FEW_CUTS
 * cuts are compared one by one. If there are more cuts and all of them separate integer categories,
 * the generated code looks up a bit, in a constant of WORD bits or in a table of up to MAX_WORDS
 * words. In all other sets, up to MANY_CUTS cuts are compared one by one, and more cuts take a
 * binary search. */
enum { FEW_CUTS = 2, MANY_CUTS = 6, WORD = 64, MAX_WORDS = 64, MAX_CATEGORY = 1 << 24 };

struct set {
    FILE *stream;
    const float *cuts;
    size_t n_cuts, node;
    uint32_t feature;
    bool nan_left;
    /* If all cuts are between integer categories: the categories between the first and the last cut
     * are first_category <= k < end_category. Both are 0 if the set's cuts are not between integer
     * categories, or if there are too many categories for a table. */
    uint32_t first_category, end_category;
};

/* The integer k for which x > cut means x >= k. 0 if there is no such k, or if k is too large. */
static uint32_t category_behind(float cut) {
    float next = nextafterf(cut, INFINITY);
    return next >= 1 && next <= (float)MAX_CATEGORY && next == floorf(next) ? (uint32_t)next : 0;
}

/* Sets the categories of the set if all its cuts are between categories. The first cut may also be
 * any number in [-1, 1), because all values between it and 1 are converted to the integer 0. */
static void find_categories(struct set *set) {
    float first = set->cuts[0];
    uint32_t begin = category_behind(first), end = category_behind(set->cuts[set->n_cuts - 1]);
    for (size_t i = 1; i < set->n_cuts; i++)
        if (!category_behind(set->cuts[i]))
            return;
    if ((begin == 0 && !(first >= -1 && first < 1)) || end <= begin ||
        end - begin > WORD * MAX_WORDS)
        return;
    set->first_category = begin;
    set->end_category = end;
}

static struct set set_of(FILE *stream, const struct ensemble *e, size_t node) {
    const size_t *cuts = e->set_cut + e->set[node];
    struct set set = {.stream = stream,
                      .cuts = e->cut + cuts[0],
                      .n_cuts = cuts[1] - cuts[0],
                      .node = node,
                      .feature = e->feature[node],
                      .nan_left = e->nan_left[node]};
    if (set.n_cuts > FEW_CUTS)
        find_categories(&set);
    return set;
}

static bool has_categories(const struct set *set) {
    return set->end_category > 0;
}

static bool is_one_word(const struct set *set) {
    return set->end_category - set->first_category <= WORD;
}

void codegen_write_float(FILE *stream, float value) {
    char text[NUMBER_TEXT_SIZE];
    if (isinf(value)) {
        fprintf(stream, "%s__builtin_inff()", value < 0 ? "-" : "");
        return;
    }
    number_format_float(value, text);
    fprintf(stream, "%s%sf", text, strpbrk(text, ".e") ? "" : ".0");
}

static void write_comparison(const struct set *set, const char *operation, float cut) {
    fprintf(set->stream, "x[%" PRIu32 "] %s ", set->feature, operation);
    codegen_write_float(set->stream, cut);
}

/* --- comparisons ------------------------------------------------------------------------------ */

/* Writes the test for piece i of a set: the values greater than cut i - 1 and at most cut i. */
static void write_piece(const struct set *set, size_t i) {
    fputc('(', set->stream);
    if (i > 0)
        write_comparison(set, ">", set->cuts[i - 1]);
    if (i > 0 && i < set->n_cuts)
        fputs(" && ", set->stream);
    if (i < set->n_cuts)
        write_comparison(set, "<=", set->cuts[i]);
    fputc(')', set->stream);
}

/* Writes the tests for all pieces of one side of the node, the side to which NaN does not go. NaN
 * fails all comparisons, so it goes to the other side. */
static void write_pieces(const struct set *set) {
    fputs(set->nan_left ? "!(" : "(", set->stream);
    for (size_t i = set->nan_left; i <= set->n_cuts; i += 2) {
        if (i > 1)
            fputs(" || ", set->stream);
        write_piece(set, i);
    }
    fputc(')', set->stream);
}

/* --- bits ------------------------------------------------------------------------------------- */

/* Returns a word of the table. The bit of a category is set if the category goes right. */
static uint64_t word_of(const struct set *set, uint32_t word) {
    uint64_t bits = 0;
    size_t under = 0;
    for (uint32_t i = 0; i < WORD * (word + 1); i++) {
        uint32_t category = set->first_category + i;
        while (under < set->n_cuts && set->cuts[under] < nextafterf((float)category + 1, 0))
            under++;
        if (i >= WORD * word && category < set->end_category)
            bits |= (uint64_t)(under % 2) << i % WORD;
    }
    return bits;
}

static uint32_t count_words(const struct set *set) {
    return (set->end_category - set->first_category + WORD - 1) / WORD;
}

static void write_words(const struct set *set) {
    fprintf(set->stream, "static const unsigned long long set_%zu[] = {\n", set->node);
    for (uint32_t word = 0; word < count_words(set); word++)
        fprintf(set->stream, "0x%" PRIx64 "ull,\n", word_of(set, word));
    fputs("};\n", set->stream);
}

/* Writes the look-up of the bit of x's category. The generated code evaluates it only if x is
 * between the first and the last cut, because other values may be too large for an integer. */
static void write_bit(const struct set *set) {
    char place[64];
    snprintf(place, sizeof place, "((unsigned)x[%" PRIu32 "] - %" PRIu32 "u)", set->feature,
             set->first_category);
    if (is_one_word(set))
        fprintf(set->stream, "(0x%" PRIx64 "ull >> %s & 1)", word_of(set, 0), place);
    else
        fprintf(set->stream, "(set_%zu[%s >> 6] >> (%s & 63) & 1)", set->node, place, place);
}

static void write_own_comparison(const struct set *set, const char *operation, const char *then) {
    fprintf(set->stream, "x[%" PRIu32 "] %s x[%" PRIu32 "] %s ", set->feature, operation,
            set->feature, then);
}

/* NaN fails all comparisons, so it goes the same way as numbers above the last cut. If NaN must go
 * the other way, a comparison of x with itself comes first. */
static void write_categories(const struct set *set) {
    bool last_left = set->n_cuts % 2 == 0;
    if (last_left && !set->nan_left)
        write_own_comparison(set, "==", "&&");
    if (!last_left && set->nan_left)
        write_own_comparison(set, "!=", "||");
    fputs(last_left ? "!(" : "(", set->stream);
    write_comparison(set, last_left ? ">" : "<=", set->cuts[0]);
    fputs(last_left ? " && " : " || (", set->stream);
    write_comparison(set, "<=", set->cuts[set->n_cuts - 1]);
    fputs(last_left ? " && " : " && !", set->stream);
    write_bit(set);
    fputs(last_left ? ")" : "))", set->stream);
}

/* --- a search --------------------------------------------------------------------------------- */

void codegen_write_set_helpers(FILE *stream) {
    fputs("static inline unsigned cuts_under(const float *cut, unsigned n, float x) {\n"
          "unsigned low = 0;\n"
          "while (low < n) {\n"
          "unsigned middle = low + (n - low) / 2;\n"
          "if (cut[middle] < x)\n"
          "low = middle + 1;\n"
          "else\n"
          "n = middle;\n"
          "}\n"
          "return low;\n"
          "}\n",
          stream);
}

static void write_cuts(const struct set *set) {
    fprintf(set->stream, "static const float set_%zu[] = {\n", set->node);
    for (size_t i = 0; i < set->n_cuts; i++) {
        codegen_write_float(set->stream, set->cuts[i]);
        fputs(",\n", set->stream);
    }
    fputs("};\n", set->stream);
}

/* No cut is less than NaN, so NaN goes left. If NaN must go right, a comparison of x with itself
 * comes first. */
static void write_search(const struct set *set) {
    if (!set->nan_left)
        write_own_comparison(set, "==", "&&");
    fprintf(set->stream, "!(cuts_under(set_%zu, %zu, x[%" PRIu32 "]) & 1)", set->node, set->n_cuts,
            set->feature);
}

/* --- all of them ------------------------------------------------------------------------------ */

void codegen_write_set_tables(FILE *stream, const struct ensemble *ensemble, uint32_t t) {
    for (size_t node = ensemble->tree_node[t]; node < ensemble->tree_node[t + 1]; node++) {
        if (!ensemble_is_set(ensemble, node))
            continue;
        const struct set set = set_of(stream, ensemble, node);
        if (has_categories(&set) && !is_one_word(&set))
            write_words(&set);
        else if (!has_categories(&set) && set.n_cuts > MANY_CUTS)
            write_cuts(&set);
    }
}

void codegen_write_set_test(FILE *stream, const struct ensemble *ensemble, size_t node) {
    const struct set set = set_of(stream, ensemble, node);
    if (has_categories(&set))
        write_categories(&set);
    else if (set.n_cuts <= MANY_CUTS)
        write_pieces(&set);
    else
        write_search(&set);
}
