/* Bytes of machine code: what nm and size print, sources with known code, the isolated example, and
 * sizes.jsonl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/quality/code_size.h"
#include "harness/quality/example_source.h"
#include "impls/codegen/codegen_library.h"
#include "tests/impls/scratch.h"

#include <stdlib.h>
#include <string.h>

/* --- objects ---------------------------------------------------------------------------------- */

static void functions_are_added_and_the_table_is_taken_off(void **state) {
    (void)state;
    struct object_size size = {0, 0};
    assert_true(object_add_sections("object.o  :\n"
                                    "section               size   addr\n"
                                    ".text                  100      0\n"
                                    ".data                    7      0\n"
                                    ".rodata                 16      0\n"
                                    ".rodata.cst4            12      0\n"
                                    ".comment                32      0\n"
                                    "Total                  167\n",
                                    &size));
    assert_int_equal(size.constants, 28);
    assert_int_equal(size.code, 0);
    assert_true(object_add_symbols("codegen_groups R 0 8\n"
                                   "other R 8 8\n"
                                   "score_0 t 48 41\n"
                                   "tree_0 t 0 45\n"
                                   "tree_0.cold t 0 3\n"
                                   "bits B 0 4\n"
                                   "$d t 0\n"
                                   "memset U\n",
                                   &size));
    assert_int_equal(size.code, 89);
    assert_int_equal(size.constants, 20);
    assert_false(object_add_symbols("nonsense\n", &size));
    assert_false(object_add_sections(".text\n", &size));
}

static void find_gcc(struct toolchain *toolchain) {
    struct error error;
    enum status status = toolchain_find("gcc", toolchain, &error);
    if (status == STATUS_MACHINE)
        skip();
    if (status)
        fail_msg("%s", error.text);
}

static struct object_size measure(const struct toolchain *toolchain, const char *level,
                                  const char *source) {
    struct object_size size;
    struct error error;
    if (toolchain_measure(toolchain, level, source, strlen(source), scratch_folder, &size,
                          &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return size;
}

#define ONE "static double one(double x) { return x * 3.7; }\n"
#define TWO "static double two(double x) { return x + 123.25; }\n"
#define TABLE "double (*const " CODEGEN_TABLE "[])(double) = {one};\n"

static void code_and_constants_are_those_of_functions(void **state) {
    (void)state;
    struct toolchain gcc;
    find_gcc(&gcc);
    assert_true(toolchain_is_gcc(gcc.name) && gcc.machine[0] && gcc.version[0]);
    struct object_size none = measure(&gcc, "-O0", "int nothing;\n");
    struct object_size one =
        measure(&gcc, "-O0", ONE "double (*use(void))(double) { return one; }\n");
    struct object_size use = measure(&gcc, "-O0",
                                     "double one(double);\n"
                                     "double (*use(void))(double) { return one; }\n");
    struct object_size tabled = measure(&gcc, "-O0", ONE TABLE);
    struct object_size both =
        measure(&gcc, "-O0", ONE TWO "double (*const more[])(double) = {two};\n" TABLE);
    assert_int_equal(none.code, 0);
    assert_int_equal(none.constants, 0);
    assert_true(tabled.code > 0 && one.code > use.code);
    assert_int_equal(tabled.constants, one.constants);
    assert_true(both.code > tabled.code && both.code < 3 * tabled.code);
    assert_true(both.constants > tabled.constants);
}

static void a_missing_compiler_is_named(void **state) {
    (void)state;
    struct toolchain toolchain;
    struct error error;
    assert_int_equal(toolchain_find("no-such-machine-gcc", &toolchain, &error), STATUS_MACHINE);
    assert_non_null(strstr(error.text, "no-such-machine-gcc"));
}

static void a_source_that_does_not_compile_is_an_error(void **state) {
    (void)state;
    struct toolchain gcc;
    struct object_size size;
    struct error error;
    find_gcc(&gcc);
    assert_int_equal(toolchain_measure(&gcc, "-O0", "int f(", 6, scratch_folder, &size, &error),
                     STATUS_MACHINE);
    assert_non_null(strstr(error.text, "gcc failed with exit status 1"));
}

/* --- the isolated example --------------------------------------------------------------------- */

typedef void writer(FILE *stream, uint32_t n_splits, bool is_float);

static char *example(writer *write, uint32_t n_splits, bool is_float) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    write(stream, n_splits, is_float);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static size_t count(const char *text, const char *word) {
    size_t found = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        found++;
    return found;
}

static void examples_have_their_splits_and_leaves(void **state) {
    (void)state;
    for (uint32_t splits = 1; splits < 40; splits++)
        for (int is_chain = 0; is_chain < 2; is_chain++) {
            char *text =
                example(is_chain ? example_write_chain : example_write_tree, splits, splits % 2);
            assert_int_equal(count(text, "if ("), splits);
            assert_int_equal(count(text, "return"), is_chain ? 2 : splits + 1);
            assert_int_equal(count(text, ".5f)"), splits % 2 ? splits : 0);
            free(text);
        }
    char *text = example(example_write_tree, 2, false);
    assert_string_equal(text, "unsigned tree(const int *x) {\n"
                              "if (x[0] <= 1000) {\nreturn 1;\n} else {\n"
                              "if (x[1] <= 1001) {\nreturn 38;\n} else {\nreturn 75;\n}\n}\n}\n");
    free(text);
    text = example(example_write_chain, 2, true);
    assert_string_equal(text, "unsigned tree(const float *x) {\n"
                              "if (x[0] <= 1000.5f)\nif (x[1] <= 1001.5f)\n"
                              "return 1;\nreturn 38;\n}\n");
    free(text);
}

static struct object_size measure_example(const struct toolchain *gcc, writer *write,
                                          uint32_t n_splits, bool is_float) {
    char *text = example(write, n_splits, is_float);
    struct object_size size = measure(gcc, "-O0", text);
    free(text);
    return size;
}

/* Without optimisation, only splits of floats load constants. */
static void nodes_cost_code(void **state) {
    (void)state;
    struct toolchain gcc;
    find_gcc(&gcc);
    for (int is_float = 0; is_float < 2; is_float++) {
        struct object_size chain = measure_example(&gcc, example_write_chain, 8, is_float),
                           longer = measure_example(&gcc, example_write_chain, 16, is_float),
                           tree = measure_example(&gcc, example_write_tree, 8, is_float),
                           larger = measure_example(&gcc, example_write_tree, 16, is_float);
        size_t splits = longer.code - chain.code, both = larger.code - tree.code;
        assert_true(splits >= 8 * 8 && splits <= 8 * 64);
        assert_true(both >= splits + 8 * 4 && both <= splits + 8 * 16);
        assert_int_equal(larger.constants - tree.constants, longer.constants - chain.constants);
        assert_true(is_float || larger.constants == 0);
    }
}

/* --- the file --------------------------------------------------------------------------------- */

static struct code_size made(uint32_t depth, const char *compiler) {
    struct code_size size = {
        .subject = {.workload = {.kind = "random-forest", .depth = depth, .trees = 1, .seed = 7},
                    .splits = 3,
                    .leaves = 4,
                    .feature = "int",
                    .level = "-O3"},
        .note = "trained on a part",
        .machine = "x86_64",
        .version = "gcc 12",
        .code = 100 + depth,
        .constants = 16};
    strcpy(size.subject.workload.data, "covertype");
    strcpy(size.compiler, compiler);
    return size;
}

static char path[64];

static int begin_file(void **state) {
    (void)state;
    snprintf(path, sizeof path, "%s/sizes.jsonl", scratch_folder);
    return 0;
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static void append(bool resume, const struct code_size *size) {
    struct json_store store;
    struct error error;
    if (json_store_open(&code_size_lines, scratch_folder, resume, &store, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_null(code_sizes_find(&store.found, &size->subject, size->compiler));
    assert_int_equal(json_store_append(&store, size, NULL), STATUS_OK);
    json_store_close(&store);
}

/* Bytes between `version` and `code` belong to neither. */
static void assert_same(const struct code_size *a, const struct code_size *b) {
    assert_memory_equal(a, b, offsetof(struct code_size, version));
    assert_string_equal(a->version, b->version);
    assert_true(a->code == b->code && a->constants == b->constants);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    const struct code_size sizes[] = {made(5, "gcc"), made(5, "clang"), made(10, "gcc")};
    struct json_store store;
    struct json_list read;
    struct error error;
    assert_int_equal(json_list_load(&code_size_lines, scratch_folder, &read, &error), STATUS_OK);
    assert_int_equal(read.count, 0);
    assert_int_equal(json_lines_vacant(&code_size_lines, scratch_folder, &error), STATUS_OK);
    for (size_t i = 0; i < 3; i++)
        append(i > 0, &sizes[i]);
    assert_int_equal(json_lines_vacant(&code_size_lines, scratch_folder, &error), STATUS_INPUT);
    assert_int_equal(json_store_open(&code_size_lines, scratch_folder, false, &store, &error),
                     STATUS_INPUT);
    assert_non_null(strstr(error.text, "--resume"));
    assert_int_equal(json_list_load(&code_size_lines, scratch_folder, &read, &error), STATUS_OK);
    assert_int_equal(read.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_same(&((struct code_size *)read.list)[i], &sizes[i]);
    struct code_subject subject = sizes[2].subject;
    assert_ptr_equal(code_sizes_find(&read, &subject, "gcc"), &((struct code_size *)read.list)[2]);
    assert_null(code_sizes_find(&read, &subject, "clang"));
    subject.leaves = 5;
    assert_null(code_sizes_find(&read, &subject, "gcc"));
    subject.leaves = 0;
    assert_ptr_equal(code_sizes_find(&read, &subject, "gcc"), &((struct code_size *)read.list)[2]);
    strcpy(subject.level, "-O0");
    assert_null(code_sizes_find(&read, &subject, "gcc"));
    assert_ptr_equal(code_sizes_find(&read, NULL, "clang"), &((struct code_size *)read.list)[1]);
    json_list_free(&code_size_lines, &read);
}

static void other_lines_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *line, *words;
    } lines[] = {
        {"{\"schema\": 3}", "sizes.jsonl:1: schema"},
        {"{\"schema\": 1, \"colour\": 3}", "colour: unknown key"},
        {"{\"schema\": 1, \"kind\": \"a-kind-whose-name-is-too-long\"}", "kind: longer than"},
        {"[]", "sizes.jsonl:1"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct json_list read;
        struct error error;
        FILE *stream = fopen(path, "w");
        fprintf(stream, "%s\n", lines[i].line);
        fclose(stream);
        assert_int_equal(json_list_load(&code_size_lines, scratch_folder, &read, &error),
                         STATUS_INPUT);
        if (!strstr(error.text, lines[i].words))
            fail_msg("'%s' is not in '%s'", lines[i].words, error.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_added_and_the_table_is_taken_off),
        cmocka_unit_test(code_and_constants_are_those_of_functions),
        cmocka_unit_test(a_missing_compiler_is_named),
        cmocka_unit_test(a_source_that_does_not_compile_is_an_error),
        cmocka_unit_test(examples_have_their_splits_and_leaves),
        cmocka_unit_test(nodes_cost_code),
        cmocka_unit_test_setup_teardown(what_is_written_is_read, begin_file, remove_file),
        cmocka_unit_test_setup_teardown(other_lines_are_refused, begin_file, remove_file),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
