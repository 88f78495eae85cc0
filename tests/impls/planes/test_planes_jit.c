/* The machine code that compiled bit planes are, with AVX-512 and with AVX2: for trees of every
 * shape, it finds the bits of the exit leaves' codes. (That whole models are scored right is in
 * test_exactness.c and test_planes.c.) */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "impls/planes/planes_jit_code.h"
#include "impls/scorer.h"
#include "tests/impls/forests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TESTS = 200, /* on both sides of 128, where offsets no longer fit one byte */
    BITS = PLANES_BUNDLE * PLANES_CODE_BITS
};

/* --- trees ------------------------------------------------------------------------------------ */

/* Below a root whose left child is a leaf, the shape with the most separators that are needed at
 * once, where the smaller child comes first: a leaf to the right, then all else, whose smaller
 * half, to the left, goes on in the same way. */
static void add_crowded(struct forest *forest, uint32_t leaves, bool is_halved, uint32_t *number) {
    uint32_t here = (*number)++, left = is_halved ? leaves / 2 : leaves - 1;
    if (leaves == 1) {
        forest_add_leaf(forest);
        return;
    }
    forest_add_inner(forest, here + 1, here + 2 * left);
    add_crowded(forest, left, !is_halved, number);
    add_crowded(forest, leaves - left, !is_halved, number);
}

static struct ensemble *all_shapes(void) {
    struct forest forest = forest_begin(1, 31);
    for (uint32_t leaves = 1; leaves <= PLANES_MAX_LEAVES; leaves++)
        forest_add_random_tree(&forest, leaves);
    for (uint32_t depth = 1; depth < PLANES_MAX_LEAVES; depth += depth < 20 ? 1 : 47)
        for (int side = CHAIN_LEFT; side <= CHAIN_ZIGZAG; side++)
            forest_add_chain(&forest, depth, (enum chain_side)side);
    for (int side = CHAIN_LEFT; side <= CHAIN_ZIGZAG; side++)
        forest_add_chain(&forest, PLANES_MAX_LEAVES - 1, (enum chain_side)side);
    for (uint32_t depth = 1; depth <= 8; depth++)
        forest_add_balanced(&forest, depth);
    uint32_t number = 2;
    ensemble_builder_add_tree(forest.builder, 0);
    forest_add_inner(&forest, 1, 2);
    forest_add_leaf(&forest);
    add_crowded(&forest, PLANES_MAX_LEAVES - 1, false, &number);
    return forest_end(&forest);
}

/* --- a tree's code ---------------------------------------------------------------------------- */

struct machine {
    bool is_evex;
    unsigned plane_bytes;
    uint8_t *code;
    size_t bytes, words; /* words of a plane */
    uint64_t *tests, *bits;
};

static void machine_make(struct machine *machine, bool is_evex, unsigned plane_bytes) {
    machine->is_evex = is_evex;
    machine->plane_bytes = plane_bytes;
    machine->words = plane_bytes / sizeof(uint64_t);
    machine->bytes =
        PLANES_MAX_LEAVES * PLANES_JIT_NODE_BYTES + PLANES_JIT_TREE_BYTES + JIT_RETURN_BYTES;
    machine->code =
        mmap(NULL, machine->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(machine->code != MAP_FAILED);
    machine->tests = memory_aligned_alloc(TESTS * plane_bytes);
    machine->bits = memory_aligned_alloc(BITS * plane_bytes);
    assert_true(machine->tests && machine->bits);
    struct random random;
    random_seed(&random, 32);
    for (size_t word = 0; word < TESTS * machine->words; word++)
        machine->tests[word] =
            random_below(&random, 1ull << 32) << 32 | random_below(&random, 1ull << 32);
}

static void machine_free(struct machine *machine) {
    munmap(machine->code, machine->bytes);
    free(machine->tests);
    free(machine->bits);
}

static bool bit_of(const uint64_t *plane, size_t document) {
    return plane[document / 64] >> document % 64 & 1;
}

/* Returns the bytes of the tree's code. */
static size_t write_tree(const struct machine *machine, const struct ensemble *e, uint32_t t,
                         const uint32_t *tests) {
    struct split splits[PLANES_MAX_LEAVES];
    splits_find(e, t, splits);
    const struct planes_jit_tree tree = {.splits = splits,
                                         .left = e->left + e->tree_node[t],
                                         .right = e->right + e->tree_node[t],
                                         .tests = tests + e->tree_node[t],
                                         .n_nodes = ensemble_tree_nodes(e, t),
                                         .place = t % PLANES_BUNDLE};
    assert_int_equal(mprotect(machine->code, machine->bytes, PROT_READ | PROT_WRITE), 0);
    struct planes_jit_writer writer = {machine->code, machine->is_evex, machine->plane_bytes};
    planes_jit_add_tree(&writer, &tree);
    size_t bytes = (size_t)(writer.end - machine->code);
    assert_true(bytes <= tree.n_nodes * (size_t)PLANES_JIT_NODE_BYTES + PLANES_JIT_TREE_BYTES);
    planes_jit_return(&writer);
    assert_int_equal(writer.end - machine->code, bytes + JIT_RETURN_BYTES);
    assert_int_equal(mprotect(machine->code, machine->bytes, PROT_READ | PROT_EXEC), 0);
    return bytes;
}

static void run(const struct machine *machine) {
    size_t register_bytes = machine->is_evex ? machine->plane_bytes : 32;
    void (*code)(const void *, void *);
    memcpy(&code, &machine->code, sizeof code);
    memset(machine->bits, 0xa5, BITS * (size_t)machine->plane_bytes);
    for (size_t byte = 0; byte < machine->plane_bytes; byte += register_bytes)
        code((const char *)machine->tests + byte, (char *)machine->bits + byte);
}

static uint32_t walk(const struct machine *machine, const struct ensemble *e, uint32_t t,
                     const uint32_t *tests, size_t document) {
    int32_t node = ensemble_tree_nodes(e, t) ? 0 : ~0;
    while (node >= 0) {
        size_t i = e->tree_node[t] + (size_t)node;
        bool right = bit_of(machine->tests + tests[i] * machine->words, document);
        node = right ? e->right[i] : e->left[i];
    }
    return (uint32_t)~node;
}

static void check_codes(const struct machine *machine, const struct ensemble *e, uint32_t t,
                        const uint32_t *tests) {
    uint32_t n_leaves = ensemble_tree_leaves(e, t), first = t % PLANES_BUNDLE * PLANES_CODE_BITS;
    unsigned n_bits = planes_code_bits((n_leaves + PLANES_GROUP - 1) / PLANES_GROUP);
    assert_true(n_leaves <= 1u << n_bits);
    for (size_t document = 0; document < 8 * (size_t)machine->plane_bytes; document++) {
        uint32_t leaf = walk(machine, e, t, tests, document), code = 0;
        for (unsigned bit = 0; bit < n_bits; bit++)
            code |= (uint32_t)bit_of(machine->bits + (first + bit) * machine->words, document)
                    << bit;
        if (code != (leaf ^ leaf >> 1))
            fail_msg("tree %u of %u leaves, document %zu: code %u, leaf %u", t, n_leaves, document,
                     code, leaf);
    }
    for (uint32_t i = 0; i < BITS; i++) /* other trees' are left alone */
        if (i < first || i >= first + n_bits)
            assert_int_equal(machine->bits[(i + 1) * machine->words - 1], 0xa5a5a5a5a5a5a5a5u);
}

/* --- tests of nodes --------------------------------------------------------------------------- */

/* Draws the tests of a tree's nodes. */
typedef void draw_tests(const struct ensemble *e, uint32_t t, struct random *random,
                        uint32_t *tests);

static void draw_any(const struct ensemble *e, uint32_t t, struct random *random, uint32_t *tests) {
    for (size_t i = e->tree_node[t]; i < e->tree_node[t + 1]; i++)
        tests[i] = (uint32_t)random_below(random, TESTS);
}

/* One test for each depth. Balanced trees are then oblivious. Some trees have few different tests,
 * so that several depths have the same one. */
static void draw_by_depth(const struct ensemble *e, uint32_t t, struct random *random,
                          uint32_t *tests) {
    struct split splits[PLANES_MAX_LEAVES];
    uint32_t of_depth[PLANES_MAX_LEAVES];
    uint64_t n_tests = random_below(random, 3) ? TESTS : 1 + random_below(random, 4);
    for (uint32_t depth = 0; depth < PLANES_MAX_LEAVES; depth++)
        of_depth[depth] = (uint32_t)random_below(random, n_tests);
    splits_find(e, t, splits);
    for (uint32_t i = 0; i < ensemble_tree_nodes(e, t); i++)
        tests[e->tree_node[t] + i] = of_depth[splits[i].depth];
}

/* One test for each depth, except at one node. */
static void draw_nearly_by_depth(const struct ensemble *e, uint32_t t, struct random *random,
                                 uint32_t *tests) {
    draw_by_depth(e, t, random, tests);
    if (ensemble_tree_nodes(e, t))
        tests[e->tree_node[t] + random_below(random, ensemble_tree_nodes(e, t))] =
            (uint32_t)random_below(random, TESTS);
}

/* A test for the root, and one for all other nodes, also of other trees. Only the shape of a tree
 * then says whether it is oblivious. */
static void draw_two(const struct ensemble *e, uint32_t t, struct random *random, uint32_t *tests) {
    uint32_t test = (uint32_t)random_below(random, TESTS);
    for (size_t i = 0; i < e->n_nodes; i++)
        tests[i] = test;
    if (ensemble_tree_nodes(e, t))
        tests[e->tree_node[t]] = (uint32_t)random_below(random, TESTS);
}

static void check_trees(bool is_evex, unsigned plane_bytes, draw_tests *draw) {
    struct ensemble *ensemble = all_shapes();
    struct machine machine;
    machine_make(&machine, is_evex, plane_bytes);
    uint32_t *tests = malloc(ensemble->n_nodes * sizeof *tests);
    assert_non_null(tests);
    struct random random;
    random_seed(&random, 33);
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        draw(ensemble, t, &random, tests);
        write_tree(&machine, ensemble, t, tests);
        run(&machine);
        check_codes(&machine, ensemble, t, tests);
    }
    free(tests);
    machine_free(&machine);
    ensemble_free(ensemble);
}

static void check_all_shapes(bool is_evex, unsigned plane_bytes) {
    check_trees(is_evex, plane_bytes, draw_any);
    check_trees(is_evex, plane_bytes, draw_by_depth);
    check_trees(is_evex, plane_bytes, draw_nearly_by_depth);
    check_trees(is_evex, plane_bytes, draw_two);
}

static void codes_are_those_of_the_exit_leaves_avx512(void **state) {
    (void)state;
    if (!(cpu_features() & CPU_AVX512))
        skip();
    check_all_shapes(true, 64);
    check_all_shapes(true, 16);
}

static void codes_are_those_of_the_exit_leaves_avx2(void **state) {
    (void)state;
    if (!(cpu_features() & CPU_AVX2))
        skip();
    check_all_shapes(false, 64);
}

/* A depth takes a store, and an XOR or a load or both. Their sizes are bounds, so no processor runs
 * the code. */
static void oblivious_trees_take_a_few_instructions_per_depth(void **state) {
    (void)state;
    struct forest forest = forest_begin(1, 34);
    for (uint32_t depth = 3; depth <= 8; depth++)
        for (int i = 0; i < 20; i++)
            forest_add_balanced(&forest, depth);
    struct ensemble *ensemble = forest_end(&forest);
    uint32_t *tests = malloc(ensemble->n_nodes * sizeof *tests);
    assert_non_null(tests);
    for (int is_evex = 0; is_evex <= 1; is_evex++) {
        struct machine machine;
        machine_make(&machine, is_evex, 64);
        for (uint32_t t = 0; t < ensemble->n_trees; t++) {
            draw_by_depth(ensemble, t, &forest.random, tests);
            size_t bytes = write_tree(&machine, ensemble, t, tests);
            assert_true(bytes <= 5 * ensemble->tree_depth[t] / 2 * JIT_MEMORY_BYTES);
        }
        machine_free(&machine);
    }
    free(tests);
    ensemble_free(ensemble);
}

/* --- pages ---------------------------------------------------------------------------------------
 */

static size_t count_pages(const char *permissions) {
    FILE *stream = fopen("/proc/self/maps", "r");
    char line[512], found[8];
    size_t count = 0;
    assert_non_null(stream);
    while (fgets(line, sizeof line, stream))
        count += sscanf(line, "%*s %7s", found) == 1 && strncmp(found, permissions, 3) == 0;
    fclose(stream);
    return count;
}

/* Whoever could write there could run what they like. */
static void no_page_is_writable_and_executable(void **state) {
    (void)state;
    static const char *const names[] = {"planes-jit", "planes-jit-128", "planes-jit-avx2"};
    size_t built = 0;
    struct ensemble *ensemble = stumps();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct scorer *scorer;
        size_t executable = count_pages("r-x");
        if (scorer_build(names[i], ensemble, &scorer, NULL) != STATUS_OK)
            continue;
        built++;
        assert_true(count_pages("r-x") > executable);
        assert_int_equal(count_pages("rwx"), 0);
        scorer_destroy(scorer);
    }
    ensemble_free(ensemble);
    if (built == 0)
        skip(); /* neither runs here */
}

/* --- where a system does not let it ----------------------------------------------------------- */

/* In a process that may not run what it wrote. 2: this system knows no such process. */
static int build_without_permission(const struct ensemble *ensemble) {
    enum { MEMORY_DENY_WRITE_EXECUTE = 65, REFUSE_EXEC_GAIN = 1 }; /* of Linux 6.3 and later */
    if (prctl(MEMORY_DENY_WRITE_EXECUTE, REFUSE_EXEC_GAIN, 0, 0, 0))
        return 2;
    struct scorer *scorer = NULL;
    struct error error = {""};
    return scorer_build("planes-jit-avx2", ensemble, &scorer, &error) == STATUS_MACHINE &&
                   !scorer && strstr(error.text, "planes-jit-avx2: the system does not run code")
               ? 0
               : 1;
}

static void a_system_that_refuses_is_named(void **state) {
    (void)state;
    if (!(cpu_features() & CPU_AVX2))
        skip();
    struct ensemble *ensemble = stumps();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(build_without_permission(ensemble));
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    ensemble_free(ensemble);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_those_of_the_exit_leaves_avx512),
        cmocka_unit_test(codes_are_those_of_the_exit_leaves_avx2),
        cmocka_unit_test(oblivious_trees_take_a_few_instructions_per_depth),
        cmocka_unit_test(no_page_is_writable_and_executable),
        cmocka_unit_test(a_system_that_refuses_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
