/* The text of generated if-else trees: the paper's listings, the order of branches, labels, and the
 * size of what a compiler makes of it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/framing/ifelse_source.h"
#include "tests/impls/framing/ifelse_cases.h"
#include "tests/impls/scratch.h"

#include <string.h>

/* --- text ------------------------------------------------------------------------------------- */

static char *text_of(const struct ensemble *ensemble, const struct ifelse_form *form) {
    char *text = NULL;
    size_t size;
    const struct span all = {0, ensemble->n_trees};
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(ifelse_write_source(form, ensemble, &all, 1, stream, NULL), STATUS_OK);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void expect_text(const struct ensemble *ensemble, const struct ifelse_form *form,
                        const char *expected) {
    char *text = text_of(ensemble, form);
    assert_string_equal(text, expected);
    free(text);
}

static void expect_test(const struct ensemble *ensemble, bool left, enum framing_values values,
                        const char *expected) {
    char text[64] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    assert_non_null(stream);
    ifelse_write_test(stream, ensemble, 0, left, values);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, expected);
}

static void add_node(struct ensemble_builder *builder, uint32_t feature, float threshold,
                     uint32_t left, uint64_t count) {
    ensemble_builder_add_inner(builder, &(struct inner_node){.feature = feature,
                                                             .threshold = (double)threshold,
                                                             .left = left,
                                                             .right = left + 1,
                                                             .count = count});
}

/* The tree of buschjaeger2018's Fig. 1 and its listings, with the probabilities of
 * test_frame_sets.c.
 */
static struct ensemble *figure_1(bool votes) {
    struct ensemble_builder *builder = ensemble_builder_create();
    const struct ensemble_shape shape = {
        .n_features = 3, .n_outputs = votes ? 2 : 1, .votes = votes};
    struct ensemble *ensemble = NULL;
    assert_non_null(builder);
    ensemble_builder_add_tree(builder, 0);
    add_node(builder, 0, 8191, 1, 100);
    add_node(builder, 1, 2048, 3, 30);
    add_node(builder, 2, 512, 5, 70);
    ensemble_builder_add_leaf(builder, 1, 20);
    ensemble_builder_add_leaf(builder, 0, 10);
    ensemble_builder_add_leaf(builder, 1, 25);
    ensemble_builder_add_leaf(builder, 0, 45);
    assert_int_equal(ensemble_builder_finish(builder, &shape, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

#define VOTES_TAIL                                                                                 \
    "static void score_0(const float *document, double *score) {\n"                                \
    "unsigned votes[2] = {0};\n"                                                                   \
    "votes[tree_0(document)]++;\n"                                                                 \
    "for (unsigned c = 0; c < 2; c++)\n"                                                           \
    "score[c] += votes[c];\n"                                                                      \
    "}\n"                                                                                          \
    "void (*const codegen_groups[])(const float *document, double *score) = {\n"                   \
    "score_0,\n"                                                                                   \
    "};\n"

static void ifelse_is_listing_2(void **state) {
    (void)state;
    struct ensemble *ensemble = figure_1(true);
    expect_text(ensemble, &(struct ifelse_form){0},
                "static unsigned tree_0(const float *x) {\n"
                "if (x[0] <= 8191.0f) {\n"
                "if (x[1] <= 2048.0f) {\n"
                "return 1;\n"
                "} else {\n"
                "return 0;\n"
                "}\n"
                "} else {\n"
                "if (x[2] <= 512.0f) {\n"
                "return 1;\n"
                "} else {\n"
                "return 0;\n"
                "}\n"
                "}\n"
                "}\n" VOTES_TAIL);
    ensemble_free(ensemble);
}

/* As the paper's listings, whose features are integers. */
static void integers_are_compared_as_such(void **state) {
    (void)state;
    struct ensemble *ensemble = figure_1(true);
    char *text = text_of(ensemble, &(struct ifelse_form){.values = FRAMING_INT16, .swap = true});
    assert_non_null(strstr(text, "static unsigned tree_0(const short *x) {\n"
                                 "if (x[0] > 8191) {\n"
                                 "if (x[2] > 512) {\n"));
    assert_non_null(strstr(text, "if (x[1] <= 2048) {\n"));
    assert_non_null(strstr(text, "static void score_0(const short *document, double *score) {\n"));
    free(text);
    text = text_of(ensemble, &(struct ifelse_form){.values = FRAMING_INT32});
    assert_non_null(strstr(text, "static unsigned tree_0(const int *x) {\nif (x[0] <= 8191) {\n"));
    free(text);
    ensemble_free(ensemble);
}

/* A threshold beyond all values of the type sends them all to one side. */
static void thresholds_of_integers_are_rounded_down(void **state) {
    (void)state;
    static const struct {
        float threshold;
        const char *left16, *right16, *left32;
    } cases[] = {
        {2.5F, "x[0] <= 2", "x[0] > 2", "x[0] <= 2"},
        {3, "x[0] <= 3", "x[0] > 3", "x[0] <= 3"},
        {0.5F, "x[0] <= 0", "x[0] > 0", "x[0] <= 0"},
        {-0.0F, "x[0] <= 0", "x[0] > 0", "x[0] <= 0"},
        {-0.5F, "x[0] <= -1", "x[0] > -1", "x[0] <= -1"},
        {-2.5F, "x[0] <= -3", "x[0] > -3", "x[0] <= -3"},
        {-3, "x[0] <= -3", "x[0] > -3", "x[0] <= -3"},
        {32766.5F, "x[0] <= 32766", "x[0] > 32766", "x[0] <= 32766"},
        {32767, "1", "0", "x[0] <= 32767"},
        {-32768, "x[0] <= -32768", "x[0] > -32768", "x[0] <= -32768"},
        {-32768.5F, "0", "1", "x[0] <= -32769"},
        {-0x1p31F, "0", "1", "x[0] <= -2147483648"},
        {0x1p31F, "1", "0", "1"},
        {INFINITY, "1", "0", "1"},
        {-INFINITY, "0", "1", "0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ensemble_builder *builder = ensemble_builder_create();
        const struct ensemble_shape shape = {.n_features = 1, .n_outputs = 1};
        struct ensemble *ensemble = NULL;
        ensemble_builder_add_tree(builder, 0);
        add_node(builder, 0, cases[i].threshold, 1, 2);
        ensemble_builder_add_leaf(builder, 1, 1);
        ensemble_builder_add_leaf(builder, 2, 1);
        assert_int_equal(ensemble_builder_finish(builder, &shape, &ensemble, NULL), STATUS_OK);
        expect_test(ensemble, true, FRAMING_INT16, cases[i].left16);
        expect_test(ensemble, false, FRAMING_INT16, cases[i].right16);
        expect_test(ensemble, true, FRAMING_INT32, cases[i].left32);
        ensemble_free(ensemble);
    }
}

/* The listing leaves node 2 unswapped, although its right child is the likelier one. */
static void ifelse_opt_is_listing_3(void **state) {
    (void)state;
    struct ensemble *ensemble = figure_1(true);
    const struct ifelse_form form = {
        .swap = true, .by_kernel = true, .bytes = {.split = 10, .leaf = 5}, .budget = 30};
    expect_text(ensemble, &form,
                "static unsigned tree_0(const float *x) {\n"
                "if (!(x[0] <= 8191.0f)) {\n"
                "if (!(x[2] <= 512.0f)) {\n"
                "return 0;\n"
                "} else {\n"
                "return 1;\n"
                "}\n"
                "} else {\n"
                "goto node_1;\n"
                "}\n"
                "node_1:\n"
                "if (x[1] <= 2048.0f) {\n"
                "return 1;\n"
                "} else {\n"
                "return 0;\n"
                "}\n"
                "}\n" VOTES_TAIL);
    ensemble_free(ensemble);
}

static void labels_may_be_functions(void **state) {
    (void)state;
    struct ensemble *ensemble = figure_1(false);
    const struct ifelse_form form = {.swap = true,
                                     .by_kernel = true,
                                     .apart = true,
                                     .bytes = {.split = 10, .leaf = 5},
                                     .budget = 25};
    expect_text(ensemble, &form,
                "__attribute__((noinline, cold)) static double tree_0_5(const float *x) {\n"
                "return 1.0;\n"
                "}\n"
                "__attribute__((noinline, cold)) static double tree_0_1(const float *x) {\n"
                "if (x[1] <= 2048.0f) {\n"
                "return 1.0;\n"
                "} else {\n"
                "return 0.0;\n"
                "}\n"
                "}\n"
                "static double tree_0(const float *x) {\n"
                "if (!(x[0] <= 8191.0f)) {\n"
                "if (!(x[2] <= 512.0f)) {\n"
                "return 0.0;\n"
                "} else {\n"
                "return tree_0_5(x);\n"
                "}\n"
                "} else {\n"
                "return tree_0_1(x);\n"
                "}\n"
                "}\n"
                "static void score_0(const float *document, double *score) {\n"
                "double sum_0 = score[0];\n"
                "sum_0 += tree_0(document);\n"
                "score[0] = sum_0;\n"
                "}\n"
                "void (*const codegen_groups[])(const float *document, double *score) = {\n"
                "score_0,\n"
                "};\n");
    ensemble_free(ensemble);
}

static void hints_name_the_likelier_child(void **state) {
    (void)state;
    struct ensemble *ensemble = figure_1(true);
    char *text = text_of(ensemble, &(struct ifelse_form){.swap = true, .hint = true});
    assert_non_null(strstr(text, "if (__builtin_expect(!(x[0] <= 8191.0f), 1)) {\n"));
    assert_non_null(strstr(text, "if (__builtin_expect(x[1] <= 2048.0f, 1)) {\n"));
    free(text);
    ensemble_free(ensemble);
}

/* --- identities ------------------------------------------------------------------------------- */

static void expect_same_text(const struct ensemble *ensemble, const struct ifelse_form *one,
                             const struct ifelse_form *other, bool same) {
    char *first = text_of(ensemble, one), *second = text_of(ensemble, other);
    if ((strcmp(first, second) == 0) != same)
        fail_msg("these texts %s:\n%s\n%s", same ? "differ" : "are equal", first, second);
    free(first);
    free(second);
}

static void without_counts_nothing_is_swapped_and_hinted(void **state) {
    (void)state;
    const struct ifelse_form plain = {0}, swapped = {.swap = true},
                             both = {.swap = true, .hint = true};
    struct ensemble *ensemble = trees_of_many_shapes(false);
    struct matrix *rows = make_rows(ensemble);
    expect_same_text(ensemble, &plain, &swapped, true);
    expect_same_text(ensemble, &plain, &both, true);
    count_rows(ensemble, rows);
    expect_same_text(ensemble, &plain, &swapped, false);
    expect_same_text(ensemble, &swapped, &both, false);
    matrix_free(rows);
    ensemble_free(ensemble);
}

static void with_room_for_all_nothing_is_moved(void **state) {
    (void)state;
    const struct ifelse_form swapped = {.swap = true};
    struct ifelse_form kernel = {
        .swap = true, .by_kernel = true, .bytes = {10, 5}, .budget = SIZE_MAX};
    struct ensemble *ensemble = trees_of_many_shapes(true);
    struct matrix *rows = make_rows(ensemble);
    count_rows(ensemble, rows);
    expect_same_text(ensemble, &swapped, &kernel, true);
    kernel.apart = kernel.strict = true;
    expect_same_text(ensemble, &swapped, &kernel, true);
    kernel.budget = 100;
    expect_same_text(ensemble, &swapped, &kernel, false);
    matrix_free(rows);
    ensemble_free(ensemble);
}

/* --- sizes ------------------------------------------------------------------------------------ */

/* The bytes of a section of what -O3 makes of a source. */
static size_t section_bytes(const char *text, const char *section) {
    char command[PATH_MAX + 200], name[64];
    size_t bytes = 0, size;
    snprintf(command, sizeof command, "cc -O3 -fPIC -w -c -o '%s/sized.o' -x c -", scratch_folder);
    FILE *stream = popen(command, "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(pclose(stream), 0);
    snprintf(command, sizeof command, "size -A -d '%s/sized.o'", scratch_folder);
    stream = popen(command, "r");
    assert_non_null(stream);
    for (char line[256]; fgets(line, sizeof line, stream);)
        if (sscanf(line, "%63s %zu", name, &size) == 2 && strcmp(name, section) == 0)
            bytes = size;
    assert_int_equal(pclose(stream), 0);
    return bytes;
}

/* Few nodes of a path share a feature. If they did, compilers would find nodes that no document can
 * reach. */
static struct ensemble *large_tree(bool votes) {
    struct forest forest = forest_begin(31, 28);
    forest.n_classes = votes ? 7 : 0;
    forest_add_random_tree(&forest, 1000);
    return votes ? forest_end(&forest) : with_exact_leaves(forest_end(&forest));
}

static void is_about(size_t bytes, size_t expected) {
    if (bytes < expected * 7 / 10 || bytes > expected * 13 / 10)
        fail_msg("%zu bytes, expected about %zu", bytes, expected);
}

/* Other architectures have no sizes of their own. */
static void skip_without_sizes(void) {
#if !defined(__x86_64__) && !defined(__aarch64__)
    skip();
#endif
}

/* The sizes that Algorithm 1 assumes are those of compiled code, within 30 %. */
static void code_has_about_the_assumed_size(void **state) {
    (void)state;
    skip_without_sizes();
    for (int kind = 0; kind < 4; kind++) {
        const struct ifelse_form form = {.values = kind & 1 ? FRAMING_BITS : FRAMING_FLOAT};
        bool votes = kind & 2;
        struct ensemble *ensemble = large_tree(votes);
        struct frame_bytes bytes = ifelse_node_bytes(kind & 1, votes);
        char *text = text_of(ensemble, &form);
        is_about(section_bytes(text, ".text"), 999 * bytes.split + 1000 * bytes.leaf);
        free(text);
        ensemble_free(ensemble);
    }
}

/* With apart=1, the likely code of a tree is a section that has about the size of the budget. */
static void the_kernel_fits_the_budget(void **state) {
    (void)state;
    skip_without_sizes();
    struct ensemble *ensemble = large_tree(true);
    struct matrix *rows = make_rows(ensemble);
    count_rows(ensemble, rows);
    for (size_t budget = 2000; budget <= 8000; budget *= 2) {
        const struct ifelse_form form = {.swap = true,
                                         .by_kernel = true,
                                         .apart = true,
                                         .bytes = ifelse_node_bytes(false, true),
                                         .budget = budget};
        char *text = text_of(ensemble, &form);
        is_about(section_bytes(text, ".text"), budget);
        free(text);
    }
    matrix_free(rows);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ifelse_is_listing_2),
        cmocka_unit_test(integers_are_compared_as_such),
        cmocka_unit_test(thresholds_of_integers_are_rounded_down),
        cmocka_unit_test(ifelse_opt_is_listing_3),
        cmocka_unit_test(labels_may_be_functions),
        cmocka_unit_test(hints_name_the_likelier_child),
        cmocka_unit_test(without_counts_nothing_is_swapped_and_hinted),
        cmocka_unit_test(with_room_for_all_nothing_is_moved),
        cmocka_unit_test(code_has_about_the_assumed_size),
        cmocka_unit_test(the_kernel_fits_the_budget),
    };
    return cmocka_run_group_tests_name("ifelse source", tests, scratch_begin, scratch_end);
}
