/* CODEGEN's own business: the compiler, the cache, and what generated text could get wrong. That
 * it agrees with the reference on whole ensembles is checked for every implementation elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "impls/scorer.h"

#include <dirent.h>
#include <fcntl.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- a folder of the test's own -----------------------------------------------------------------
 */
static char folder[] = "/tmp/test_codegen.XXXXXX";

static const char *in_folder(const char *name) {
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* A compiler that counts its runs in the file "runs". -O0, behind the -O3 that it is given, keeps
 * the tests fast; optimisation is the business of the test for equal results. */
static void write_compiler(const char *name, const char *last_line) {
    const char *path = in_folder(name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fprintf(stream,
            "#!/bin/sh\n"
            "[ \"$1\" = --version ] || echo run >>'%s/runs'\n"
            "%s\n",
            folder, last_line);
    fclose(stream);
    chmod(path, 0700);
}

static size_t compiler_runs(void) {
    FILE *stream = fopen(in_folder("runs"), "r");
    size_t runs = 0;
    while (stream && !feof(stream))
        runs += fgetc(stream) == '\n';
    if (stream)
        fclose(stream);
    return runs;
}

/* Calls visit(path) for every file of the cache; returns how many there are. */
static size_t for_each_cached(void (*visit)(const char *path)) {
    DIR *directory = opendir(in_folder("cache/treebench"));
    size_t count = 0;
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        if (entry->d_name[0] == '.')
            continue;
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/cache/treebench/%s", folder, entry->d_name);
        count++;
        if (visit)
            visit(path);
    }
    if (directory)
        closedir(directory);
    return count;
}

static void remove_file(const char *path) {
    unlink(path);
}

static int start_afresh(void **state) {
    (void)state;
    for_each_cached(remove_file);
    unlink(in_folder("runs"));
    setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
    setenv("TREEBENCH_CC", in_folder("compiler"), 1);
    return 0;
}

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    write_compiler("compiler", "exec cc \"$@\" -O0");
    write_compiler("broken", "[ \"$1\" = --version ] || { echo first words; echo more; exit 3; }");
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    for_each_cached(remove_file);
    const char *const files[] = {"runs", "compiler", "broken", "target"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(in_folder(files[i]));
    rmdir(in_folder("cache/treebench"));
    rmdir(in_folder("cache"));
    return rmdir(folder);
}

/* --- ensembles ----------------------------------------------------------------------------------
 */
static struct ensemble *finish(struct ensemble_builder *builder, uint32_t n_features,
                               uint32_t n_outputs) {
    struct ensemble_shape shape = {.n_features = n_features, .n_outputs = n_outputs};
    struct ensemble *ensemble = NULL;
    struct error error = {""};
    if (ensemble_builder_finish(builder, &shape, &ensemble, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return ensemble;
}

/* A tree with one inner node. */
static void add_stump(struct ensemble_builder *builder, uint32_t output, float threshold,
                      bool nan_left, double value) {
    ensemble_builder_add_tree(builder, output);
    ensemble_builder_add_inner(builder, &(struct inner_node){.feature = 0,
                                                             .threshold = threshold,
                                                             .left = 1,
                                                             .right = 2,
                                                             .nan_left = nan_left,
                                                             .count = ENSEMBLE_NO_COUNT});
    ensemble_builder_add_leaf(builder, value, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_leaf(builder, -3 * value, ENSEMBLE_NO_COUNT);
}

/* A chain: one leaf and one inner node at each level, sides taking turns. x[0] = level + 0.5 leaves
 * it at about that level. */
static void add_chain(struct ensemble_builder *builder, uint32_t depth) {
    ensemble_builder_add_tree(builder, 0);
    for (uint32_t level = 0; level < depth; level++) {
        uint32_t leaf = 2 * level + 1, next = 2 * level + 2;
        bool flip = level % 2 == 1;
        ensemble_builder_add_inner(builder, &(struct inner_node){.feature = flip,
                                                                 .threshold = (float)level,
                                                                 .left = flip ? next : leaf,
                                                                 .right = flip ? leaf : next,
                                                                 .count = ENSEMBLE_NO_COUNT});
        ensemble_builder_add_leaf(builder, level + 0.25, ENSEMBLE_NO_COUNT);
    }
    ensemble_builder_add_leaf(builder, -1, ENSEMBLE_NO_COUNT);
}

static struct ensemble *make_stumps(uint32_t n_trees) {
    struct ensemble_builder *builder = ensemble_builder_create();
    for (uint32_t t = 0; t < n_trees; t++)
        add_stump(builder, 0, (float)t, false, 1.0 / (t + 1));
    return finish(builder, 1, 1);
}

/* --- scoring ------------------------------------------------------------------------------------
 */
static struct scorer *build(const char *name, const struct ensemble *ensemble) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (scorer_build(name, ensemble, &scorer, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return scorer;
}

static void assert_same_scores(const struct ensemble *ensemble, const float *x, size_t n_docs) {
    size_t n_scores = n_docs * ensemble->n_outputs;
    double *scores[2];
    const char *const names[] = {"reference", "codegen"};
    for (int i = 0; i < 2; i++) {
        struct scorer *scorer = build(names[i], ensemble);
        scores[i] = calloc(n_scores, sizeof(double));
        const struct batch batch = {x, ensemble->n_features, scores[i], NULL};
        scorer->impl->score(scorer, (struct span){0, scorer->n_units}, (struct span){0, n_docs},
                            &batch);
        scorer_destroy(scorer);
    }
    assert_memory_equal(scores[0], scores[1], n_scores * sizeof(double));
    free(scores[0]);
    free(scores[1]);
}

static const float SPECIAL[] = {0.0f,      -0.0f,   0.1f,    -0.1f,       1e-45f,
                                -1e-45f,   1.0f,    FLT_MAX, -FLT_MAX,    INFINITY,
                                -INFINITY, FLT_MIN, 1e30f,   16777216.0f, NAN};
enum { SPECIAL_COUNT = sizeof SPECIAL / sizeof *SPECIAL };

/* Every special threshold against every special value and its neighbours, NaN on either side, two
 * outputs, with the real -O3. */
static void test_special_numbers_and_outputs(void **state) {
    (void)state;
    unsetenv("TREEBENCH_CC");
    struct ensemble_builder *builder = ensemble_builder_create();
    double value = 1;
    for (int i = 0; i < SPECIAL_COUNT; i++) {
        if (isnan(SPECIAL[i]))
            continue;
        add_stump(builder, 0, SPECIAL[i], false, value);
        add_stump(builder, 1, SPECIAL[i], true, value);
        value *= 4; /* with the factor -3 of stumps: every sum tells all exit leaves */
    }
    ensemble_builder_add_tree(builder, 1);
    ensemble_builder_add_leaf(builder, 0.5, ENSEMBLE_NO_COUNT);
    struct ensemble *ensemble = finish(builder, 1, 2);
    float x[3 * SPECIAL_COUNT];
    for (int i = 0; i < SPECIAL_COUNT; i++) {
        x[3 * i] = nextafterf(SPECIAL[i], -INFINITY);
        x[3 * i + 1] = SPECIAL[i];
        x[3 * i + 2] = nextafterf(SPECIAL[i], INFINITY);
    }
    assert_same_scores(ensemble, x, 3 * SPECIAL_COUNT);
    ensemble_free(ensemble);
}

static void test_deep_chain(void **state) {
    (void)state;
    enum { DEPTH = 1000, DOCS = 2 * DEPTH + 2 };
    struct ensemble_builder *builder = ensemble_builder_create();
    add_chain(builder, DEPTH);
    struct ensemble *ensemble = finish(builder, 2, 1);
    float *x = malloc(2 * DOCS * sizeof *x);
    for (int i = 0; i < DOCS; i++) {
        x[2 * i] = (float)i / 2;
        x[2 * i + 1] = (float)i / 4;
    }
    assert_same_scores(ensemble, x, DOCS);
    free(x);
    ensemble_free(ensemble);
}

/* 40 trees are groups of 16, 16 and 8 trees. */
static void test_score_adds_only_its_span(void **state) {
    (void)state;
    struct ensemble *ensemble = make_stumps(40);
    struct scorer *scorer = build("codegen", ensemble);
    assert_int_equal(scorer->n_units, 3);
    const float x[] = {99, 99, 99, 99, 99};
    double scores[] = {100, 100, 100, 100, 100}, added = 100;
    const struct batch batch = {x, 1, scores, NULL};
    scorer->impl->score(scorer, (struct span){1, 3}, (struct span){1, 3}, &batch);
    for (int tree = 16; tree < 40; tree++)
        added += -3 * (1.0 / (tree + 1));
    const double expected[] = {100, added, added, 100, 100};
    assert_memory_equal(scores, expected, sizeof scores);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

static void test_many_chunks_and_two_models_at_once(void **state) {
    (void)state;
    struct ensemble *large = make_stumps(4200), *small = make_stumps(2);
    struct scorer *first = build("codegen", large), *second = build("codegen", small);
    assert_true(compiler_runs() >= 3);
    assert_true(first->bytes > 4200 * 20 && first->bytes < 4200 * 500);
    const float x[] = {2100.5f};
    assert_same_scores(large, x, 1);
    assert_same_scores(small, x, 1);
    scorer_destroy(first);
    scorer_destroy(second);
    ensemble_free(large);
    ensemble_free(small);
}

/* --- the cache ----------------------------------------------------------------------------------
 */
static void test_second_build_compiles_nothing(void **state) {
    (void)state;
    struct ensemble *ensemble = make_stumps(3), *other = make_stumps(4);
    const float x[] = {1.5f};
    assert_same_scores(ensemble, x, 1);
    assert_int_equal(compiler_runs(), 1);
    assert_same_scores(ensemble, x, 1);
    assert_int_equal(compiler_runs(), 1);
    assert_same_scores(other, x, 1);
    assert_int_equal(compiler_runs(), 2);
    assert_int_equal(for_each_cached(NULL), 2); /* and nothing temporary beside them */
    ensemble_free(ensemble);
    ensemble_free(other);
}

static void cut_in_half(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(truncate(path, status.st_size / 2), 0);
}

static void make_empty(const char *path) {
    assert_int_equal(truncate(path, 0), 0);
}

static void flip_a_bit(const char *path) {
    FILE *stream = fopen(path, "r+b");
    assert_non_null(stream);
    fseek(stream, 0x1100, SEEK_SET);
    int byte = fgetc(stream);
    fseek(stream, 0x1100, SEEK_SET);
    fputc(byte ^ 4, stream);
    fclose(stream);
}

static void let_others_write(const char *path) {
    assert_int_equal(chmod(path, 0702), 0);
}

static void let_the_group_write(const char *path) {
    assert_int_equal(chmod(path, 0720), 0);
}

/* Whoever owns the target of a link can change it. */
static void turn_into_link(const char *path) {
    assert_int_equal(rename(path, in_folder("target")), 0);
    assert_int_equal(symlink(in_folder("target"), path), 0);
}

/* Damaged, or open to other users. */
static void test_damaged_objects_are_made_anew(void **state) {
    (void)state;
    void (*const damages[])(const char *) = {cut_in_half,      make_empty,          flip_a_bit,
                                             let_others_write, let_the_group_write, turn_into_link};
    struct ensemble *ensemble = make_stumps(3);
    const float x[] = {1.5f};
    assert_same_scores(ensemble, x, 1);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        assert_int_equal(for_each_cached(damages[i]), 1);
        assert_same_scores(ensemble, x, 1);
        assert_int_equal(compiler_runs(), i + 2);
    }
    ensemble_free(ensemble);
}

/* Instead of the system's: an object that somebody else has put there. */
static bool is_of_another_user;
int lstat(const char *path, struct stat *info) {
    int failed = fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
    if (is_of_another_user && !failed)
        info->st_uid++;
    return failed;
}

static void test_objects_of_another_user_are_not_loaded(void **state) {
    (void)state;
    struct ensemble *ensemble = make_stumps(3);
    const float x[] = {1.5f};
    assert_same_scores(ensemble, x, 1);
    assert_same_scores(ensemble, x, 1);
    assert_int_equal(compiler_runs(), 1);
    is_of_another_user = true;
    assert_same_scores(ensemble, x, 1);
    is_of_another_user = false;
    assert_int_equal(compiler_runs(), 2);
    ensemble_free(ensemble);
}

static mode_t mode_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 0777;
}

static void assert_private(const char *path) {
    assert_int_equal(mode_of(path), 0700);
}

static void test_cache_is_closed_to_others(void **state) {
    (void)state;
    struct ensemble *ensemble = make_stumps(3);
    const float x[] = {1.5f};
    const char *cache = in_folder("cache/treebench");
    mode_t mask = umask(0);
    assert_same_scores(ensemble, x, 1);
    umask(mask);
    assert_private(cache);
    for_each_cached(assert_private);
    assert_int_equal(chmod(cache, 0777), 0); /* as somebody may have left it */
    assert_same_scores(ensemble, x, 1);
    assert_private(in_folder("cache/treebench"));
    assert_int_equal(compiler_runs(), 1);
    ensemble_free(ensemble);
}

static void test_processes_share_the_cache(void **state) {
    (void)state;
    enum { PROCESSES = 4 };
    struct ensemble *ensemble = make_stumps(3);
    pid_t pids[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            struct scorer *scorer;
            _exit(scorer_build("codegen", ensemble, &scorer, NULL) == STATUS_OK ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int outcome = -1;
        waitpid(pids[i], &outcome, 0);
        assert_int_equal(outcome, 0);
    }
    assert_int_equal(for_each_cached(NULL), 1);
    ensemble_free(ensemble);
}

/* --- what can go wrong --------------------------------------------------------------------------
 */
/* Frees the ensemble. */
static void assert_refused(struct ensemble *ensemble, enum status expected, const char *words) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    assert_int_equal(scorer_build("codegen", ensemble, &scorer, &error), expected);
    assert_null(scorer);
    if (!strstr(error.text, words) || strchr(error.text, '\n'))
        fail_msg("'%s' is not one line with '%s'", error.text, words);
    assert_int_equal(for_each_cached(NULL), 0);
    ensemble_free(ensemble);
}

static void test_no_compiler(void **state) {
    (void)state;
    setenv("TREEBENCH_CC", in_folder("nothing-here"), 1);
    assert_refused(make_stumps(3), STATUS_MACHINE, "apt-get install gcc");
}

static void test_compiler_that_fails(void **state) {
    (void)state;
    setenv("TREEBENCH_CC", in_folder("broken"), 1);
    assert_refused(make_stumps(3), STATUS_MACHINE, "exit status 3: first words");
}

static void test_no_folder(void **state) {
    (void)state;
    char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_refused(make_stumps(3), STATUS_INPUT, "XDG_CACHE_HOME");
    if (home)
        setenv("HOME", home, 1);
    free(home);
}

static void test_folder_of_another_user(void **state) {
    (void)state;
    enum { NOBODY = 65534 };
    if (geteuid() != 0) {
        print_message("only root can give a folder away\n");
        skip();
    }
    mkdir(in_folder("cache"), 0700);
    mkdir(in_folder("cache/treebench"), 0700);
    assert_int_equal(chown(in_folder("cache/treebench"), NOBODY, NOBODY), 0);
    assert_refused(make_stumps(3), STATUS_INPUT, "belongs to another user");
    assert_int_equal(chown(in_folder("cache/treebench"), 0, 0), 0);
}

static void test_file_in_place_of_the_folder(void **state) {
    (void)state;
    setenv("XDG_CACHE_HOME", in_folder("compiler"), 1);
    assert_refused(make_stumps(3), STATUS_IO,
                   "compiler: is a file; expected a folder. Set XDG_CACHE_HOME to another "
                   "folder");
}

static void test_tree_too_large_to_compile(void **state) {
    (void)state;
    const uint32_t n_inner = (1u << 18) - 1;
    struct ensemble_builder *builder = ensemble_builder_create();
    ensemble_builder_add_tree(builder, 0);
    for (uint32_t i = 0; i < n_inner; i++)
        ensemble_builder_add_inner(builder, &(struct inner_node){.left = 2 * i + 1,
                                                                 .right = 2 * i + 2,
                                                                 .count = ENSEMBLE_NO_COUNT});
    for (uint32_t i = 0; i <= n_inner; i++)
        ensemble_builder_add_leaf(builder, i, ENSEMBLE_NO_COUNT);
    assert_refused(finish(builder, 1, 1), STATUS_UNSUPPORTED, "tree 0 has 262143 inner nodes");
    assert_int_equal(compiler_runs(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_special_numbers_and_outputs, start_afresh),
        cmocka_unit_test_setup(test_deep_chain, start_afresh),
        cmocka_unit_test_setup(test_score_adds_only_its_span, start_afresh),
        cmocka_unit_test_setup(test_many_chunks_and_two_models_at_once, start_afresh),
        cmocka_unit_test_setup(test_second_build_compiles_nothing, start_afresh),
        cmocka_unit_test_setup(test_damaged_objects_are_made_anew, start_afresh),
        cmocka_unit_test_setup(test_objects_of_another_user_are_not_loaded, start_afresh),
        cmocka_unit_test_setup(test_cache_is_closed_to_others, start_afresh),
        cmocka_unit_test_setup(test_processes_share_the_cache, start_afresh),
        cmocka_unit_test_setup(test_no_compiler, start_afresh),
        cmocka_unit_test_setup(test_compiler_that_fails, start_afresh),
        cmocka_unit_test_setup(test_no_folder, start_afresh),
        cmocka_unit_test_setup(test_folder_of_another_user, start_afresh),
        cmocka_unit_test_setup(test_file_in_place_of_the_folder, start_afresh),
        cmocka_unit_test_setup(test_tree_too_large_to_compile, start_afresh),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
