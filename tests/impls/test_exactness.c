/* Every traversal of the registry, with every combination of its parameters' listed values, reaches
 * the reference's exit leaves: on rows that hit thresholds and special values, for any number of
 * documents, any span and any stride, and without touching anything else. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "datasets/data.h"
#include "impls/scorer.h"
#include "models/format.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"
#include "tests/sanitizers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ONLY_IMPL /* a test of one implementation, as is an argument of the program */
#define ONLY_IMPL ""
#endif
#ifndef ONLY_DEVICES /* a test of implementations for devices, which are left out otherwise */
#define ONLY_DEVICES false
#endif
#ifndef PROBES_MAX /* what sanitizers see does not need every threshold */
#define PROBES_MAX (SANITIZERS ? 600 : 3000)
#endif

enum {
    SPEC_SIZE = 128,
    SPECS_MAX = 256,
    PATH_SIZE = 4096,
    REAL_PROBES = 300,
    OPTIMISED_NODES = 700
};

static const double CANARY = -12345; /* sums of exact leaves and it are exact in float32 */

struct test_case {
    const char *name;
    struct ensemble *ensemble; /* with exact leaves */
    struct matrix *rows;
    struct scorer *reference;
    double *expected; /* [rows * outputs] */
    void *workspace;  /* of the scorer that is being checked */
};

static struct test_case cases[FOREST_COUNT];
static size_t n_cases;

struct specs {
    char text[SPECS_MAX][SPEC_SIZE];
    size_t count;
};

/* --- cases -------------------------------------------------------------------------------------*/

/* Takes over the ensemble and the rows. */
static void make_case(struct test_case *made, const char *name, struct ensemble *ensemble,
                      struct matrix *rows) {
    *made = (struct test_case){.name = name, .rows = rows};
    assert_int_equal(ensemble_copy_with_exact_leaves(ensemble, 1, &made->ensemble, NULL), 0);
    assert_int_equal(scorer_build("reference", made->ensemble, &made->reference, NULL), 0);
    made->expected = calloc(rows->n_rows * ensemble->n_outputs, sizeof *made->expected);
    assert_non_null(made->expected);
    const struct plan plan = {.order = ORDER_DS};
    const struct batch batch = {rows->values, rows->stride, made->expected, NULL};
    scorer_run(made->reference, &plan, rows->n_rows, &batch);
    ensemble_free(ensemble);
}

static void add_forest(const struct forest_maker *maker) {
    struct ensemble *ensemble = maker->make();
    size_t n_rows = 6 * ensemble->n_nodes + 250;
    struct matrix *rows = NULL;
    assert_int_equal(
        synth_probes(ensemble, n_rows < PROBES_MAX ? n_rows : PROBES_MAX, 1, &rows, NULL), 0);
    make_case(&cases[n_cases++], maker->name, ensemble, rows);
}

static int make_cases(void **state) {
    if (scratch_begin(state) || setenv("TREEBENCH_DEVICE", "opencl", 0) != 0)
        return -1;
    for (size_t i = 0; i < FOREST_COUNT; i++)
        add_forest(&forest_makers[i]);
    return 0;
}

static void free_case(struct test_case *c) {
    scorer_destroy(c->reference);
    ensemble_free(c->ensemble);
    matrix_free(c->rows);
    free(c->expected);
}

static int free_cases(void **state) {
    for (size_t i = 0; i < n_cases; i++)
        free_case(&cases[i]);
    return scratch_end(state);
}

/* --- checks ------------------------------------------------------------------------------------*/

/* A library takes some of the row's values for 0, and decides them in its own way. */
static bool is_lost(const struct test_case *c, const struct scorer *scorer, size_t row) {
    const float *x = matrix_row(c->rows, row);
    for (uint32_t f = 0; scorer->zeros_up_to > 0 && f < scorer->n_features; f++)
        if (x[f] != 0 && fabsf(x[f]) <= scorer->zeros_up_to)
            return true;
    return false;
}

/* Scores the rows of a span through a copy of just these rows with `stride`, in memory that ends
 * behind the last feature, so that the sanitizer sees what reads too far; NaN between the rows. */
static void check_rows(const struct test_case *c, const struct scorer *scorer, struct span rows,
                       size_t stride) {
    size_t n = rows.end - rows.begin, n_features = c->ensemble->n_features;
    size_t n_scores = n * c->ensemble->n_outputs;
    size_t n_floats = n ? (n - 1) * stride + n_features : 0;
    float *x = malloc(n_floats * sizeof *x + 1);
    double *scores = malloc((n_scores + 2) * sizeof *scores);
    assert_true(x && scores);
    for (size_t i = 0; i < n_floats; i++)
        x[i] = NAN;
    for (size_t i = 0; i < n; i++)
        memcpy(x + i * stride, matrix_row(c->rows, rows.begin + i), n_features * sizeof *x);
    for (size_t i = 0; i < n_scores + 2; i++)
        scores[i] = CANARY;
    const struct batch batch = {x, stride, scores + 1, c->workspace};
    scorer->impl->score(scorer, (struct span){0, scorer->n_units}, (struct span){0, n}, &batch);
    assert_true(scores[0] == CANARY && scores[n_scores + 1] == CANARY);
    for (size_t i = 0; i < n_scores; i++) {
        double expected = c->expected[rows.begin * c->ensemble->n_outputs + i] + CANARY;
        if (scores[i + 1] != expected &&
            !is_lost(c, scorer, rows.begin + i / c->ensemble->n_outputs))
            fail_msg("%s: %zu rows: score %zu is %.17g instead of %.17g", c->name, n, i,
                     scores[i + 1], expected);
    }
    free(scores);
    free(x);
}

static void check_all_rows(const struct test_case *c, const struct scorer *scorer) {
    check_rows(c, scorer, (struct span){0, c->rows->n_rows}, c->rows->stride);
    check_rows(c, scorer, (struct span){0, c->rows->n_rows}, c->ensemble->n_features + 3u);
}

/* Every number of documents up to a step's and one, some more up to three steps, and another part
 * of the rows each time. (test_tails.c has every number.) */
static void check_any_count(const struct test_case *c, const struct scorer *scorer) {
    size_t begin = 0;
    size_t lanes = scorer->lanes;
    for (size_t n = 0; n <= 3 * lanes + 1 && n <= c->rows->n_rows;
         n += n <= lanes ? 1 : lanes / 7 + 1) {
        if (begin + n > c->rows->n_rows)
            begin = 0;
        check_rows(c, scorer, (struct span){begin, begin + n}, c->rows->stride);
        begin += n;
    }
}

/* A part of the documents: the scores of the others stay as they are. */
static void check_part_of_documents(const struct test_case *c, const struct scorer *scorer,
                                    struct span docs) {
    size_t n_outputs = c->ensemble->n_outputs, n_scores = c->rows->n_rows * n_outputs;
    double *scores = malloc(n_scores * sizeof *scores);
    assert_non_null(scores);
    for (size_t i = 0; i < n_scores; i++)
        scores[i] = CANARY;
    const struct batch batch = {c->rows->values, c->rows->stride, scores, c->workspace};
    scorer->impl->score(scorer, (struct span){0, scorer->n_units}, docs, &batch);
    for (size_t i = 0; i < n_scores; i++) {
        bool inside = i >= docs.begin * n_outputs && i < docs.end * n_outputs;
        double expected = inside ? CANARY + c->expected[i] : CANARY;
        if (scores[i] != expected && !is_lost(c, scorer, i / n_outputs))
            fail_msg("%s: documents %zu to %zu: score %zu is %.17g instead of %.17g", c->name,
                     docs.begin, docs.end, i, scores[i], expected);
    }
    free(scores);
}

static void check_parts_of_documents(const struct test_case *c, const struct scorer *scorer) {
    size_t n = c->rows->n_rows, lanes = scorer->lanes;
    check_part_of_documents(c, scorer, (struct span){1, n});
    check_part_of_documents(c, scorer, (struct span){n / 2, n / 2});
    check_part_of_documents(c, scorer, (struct span){n / 3, n / 3 + 1});
    if (lanes + 5 < n)
        check_part_of_documents(c, scorer, (struct span){3, 3 + lanes + 1});
}

/* The scores of every loop order and block size are the same. */
static void check_orders(const struct test_case *c, const struct scorer *scorer) {
    size_t n = c->rows->n_rows < 200 ? c->rows->n_rows : 200, n_scores = n * c->ensemble->n_outputs;
    const struct plan plans[] = {
        {.order = ORDER_DS, .doc_block = scorer->lanes},
        {.order = ORDER_SD, .doc_block = scorer->lanes + 1u, .unit_block = 1},
        {.order = ORDER_DS, .doc_block = 7, .unit_block = 3},
        {.order = ORDER_SD, .unit_block = 2}};
    double *scores = malloc(n_scores * sizeof *scores);
    assert_non_null(scores);
    const struct batch batch = {c->rows->values, c->rows->stride, scores, c->workspace};
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) {
        memset(scores, 0, n_scores * sizeof *scores);
        scorer_run(scorer, &plans[p], n, &batch);
        for (size_t i = 0; i < n_scores; i++)
            if (scores[i] != c->expected[i] && !is_lost(c, scorer, i / c->ensemble->n_outputs))
                fail_msg("%s: plan %zu: score %zu is %.17g instead of %.17g", c->name, p, i,
                         scores[i], c->expected[i]);
    }
    free(scores);
}

/* Where the units are the trees: each alone gives what the reference gives for it. */
static void check_single_units(const struct test_case *c, const struct scorer *scorer) {
    if (scorer->n_units != c->reference->n_units)
        return;
    size_t n = c->rows->n_rows < 100 ? c->rows->n_rows : 100, n_scores = n * c->ensemble->n_outputs;
    double *scores = malloc(2 * n_scores * sizeof *scores);
    assert_non_null(scores);
    const struct batch alone = {c->rows->values, c->rows->stride, scores, c->workspace};
    const struct batch expected = {c->rows->values, c->rows->stride, scores + n_scores, NULL};
    for (size_t unit = 0; unit < scorer->n_units; unit++) {
        struct span one = {unit, unit + 1}, docs = {0, n};
        memset(scores, 0, 2 * n_scores * sizeof *scores);
        scorer->impl->score(scorer, one, docs, &alone);
        c->reference->impl->score(c->reference, one, docs, &expected);
        if (memcmp(scores, scores + n_scores, n_scores * sizeof *scores) != 0)
            fail_msg("%s: unit %zu alone differs", c->name, unit);
    }
    free(scores);
}

static void check_case(const char *spec, struct test_case *c) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    enum status status = scorer_build(spec, c->ensemble, &scorer, &error);
    if (status == STATUS_UNSUPPORTED || status == STATUS_MACHINE) {
        print_message("# %s, %s: %s\n", spec, c->name, error.text);
        return;
    }
    if (status)
        fail_msg("%s, %s: %s", spec, c->name, error.text);
    assert_int_equal(scorer->n_features, c->ensemble->n_features);
    assert_int_equal(scorer->n_outputs, c->ensemble->n_outputs);
    c->workspace = scorer_workspace(scorer);
    assert_non_null(c->workspace);
    check_all_rows(c, scorer);
    check_any_count(c, scorer);
    check_parts_of_documents(c, scorer);
    check_orders(c, scorer);
    check_single_units(c, scorer);
    free(c->workspace);
    scorer_destroy(scorer);
}

/* --- one test per implementation and combination of parameters ---------------------------------*/

static void skip_without_cpu(const char *spec) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (scorer_build(spec, cases[0].ensemble, &scorer, &error) == STATUS_MACHINE) {
        print_message("# %s: skipped: %s\n", spec, error.text);
        skip();
    }
    scorer_destroy(scorer);
}

/* Optimised code takes long to compile: not of large ensembles, whose trees look like those of
 * small ones, and without options is enough. Sanitizers do not see it. */
static bool is_optimised(const char *spec, const struct ensemble *ensemble) {
    return !SANITIZERS && !strchr(spec, ',') && ensemble->n_nodes <= OPTIMISED_NODES;
}

static void agrees_with_reference(void **state) {
    const char *spec = *state;
    skip_without_cpu(spec);
    for (size_t i = 0; i < n_cases; i++) {
        if (is_optimised(spec, cases[i].ensemble))
            unsetenv("TREEBENCH_CC");
        check_case(spec, &cases[i]);
        assert_true(compile_fast());
    }
}

/* Adds "name,key=value,..." for every combination of the values of `params` and those after it. */
static void add_specs(struct specs *specs, const char *start, const struct impl_param *params) {
    if (!params || !params->name) {
        assert_true(specs->count < SPECS_MAX);
        snprintf(specs->text[specs->count++], SPEC_SIZE, "%s", start);
        return;
    }
    for (const char *value = params->values; *value; value += strspn(value, " ")) {
        char longer[SPEC_SIZE];
        size_t length = strcspn(value, " ");
        snprintf(longer, sizeof longer, "%s,%s=%.*s", start, params->name, (int)length, value);
        add_specs(specs, longer, params + 1);
        value += length;
    }
}

/* Is what holds without options one of the combinations? */
static bool lists_standards(const struct impl_param *params) {
    for (; params && params->name; params++) {
        const char *at = strstr(params->values, params->standard);
        size_t size = strlen(params->standard);
        bool is_word = at && (at == params->values || at[-1] == ' ') && strchr(" ", at[size]);
        if (!is_word)
            return false;
    }
    return true;
}

/* "name", and "name,key=value" for each value that is not the default. Where a compiler or PoCL
 * runs, all combinations would take minutes. */
static void add_few_specs(struct specs *specs, const struct impl *impl) {
    add_specs(specs, impl->name, NULL);
    for (const struct impl_param *param = impl->params; param && param->name; param++) {
        struct impl_param one[2] = {*param, {0}};
        size_t before = specs->count;
        add_specs(specs, impl->name, one);
        char standard[SPEC_SIZE];
        snprintf(standard, sizeof standard, "%s,%s=%s", impl->name, param->name, param->standard);
        for (size_t i = before; i < specs->count; i++)
            if (strcmp(specs->text[i], standard) == 0)
                memmove(specs->text[i], specs->text[i + 1],
                        (--specs->count - i) * sizeof specs->text[i]);
    }
}

static void add_impl(struct specs *specs, const struct impl *impl, const char *only) {
    if (impl->kind == IMPL_BASELINE || impl->kind == IMPL_OBJECT ||
        (*only ? strcmp(impl->name, only) != 0 : (impl->kind == IMPL_DEVICE) != ONLY_DEVICES))
        return;
    if (!lists_standards(impl->params))
        add_specs(specs, impl->name, NULL);
    if (impl->compiles || ONLY_DEVICES)
        add_few_specs(specs, impl);
    else
        add_specs(specs, impl->name, impl->params);
}

/* Takes over the ensemble and the rows. */
static void check_real_rows(const struct specs *specs, const char *name, struct ensemble *ensemble,
                            struct matrix *rows) {
    struct test_case real;
    make_case(&real, name, ensemble, rows);
    for (size_t i = 0; i < specs->count; i++)
        check_case(specs->text[i], &real);
    free_case(&real);
}

static struct ensemble *read_model(const char *folder, const char *name) {
    char path[PATH_SIZE];
    struct ensemble *ensemble = NULL;
    struct error error = {""};
    snprintf(path, sizeof path, "%s/models/%s", folder, name);
    if (model_read(path, &ensemble, &error))
        fail_msg("%s", error.text);
    return ensemble;
}

static const char *real_data(void) {
    const char *folder = getenv("TREEBENCH_DATA");
    if (!folder || !*folder) {
        print_message("# skipped: TREEBENCH_DATA is unset\n");
        skip();
    }
    return folder;
}

/* The ensemble of asadi2014's own repository over its 20 documents, and over probes. */
static void agrees_on_a_real_model(void **state) {
    static const char asadi_model[] = "opttrees.jforests.ensemble.xml";
    const char *folder = real_data();
    struct ensemble *ensemble = read_model(folder, asadi_model);
    struct matrix *rows = NULL, *probes = NULL;
    char path[PATH_SIZE];
    struct error error = {""};
    snprintf(path, sizeof path, "%s/models/opttrees.features.mslr.dat", folder);
    const struct data_reading reading = {.n_features = ensemble->n_features};
    if (data_read(path, &reading, &rows, &error) ||
        synth_probes(ensemble, PROBES_MAX, 1, &probes, &error))
        fail_msg("%s", error.text);
    assert_int_equal(rows->n_rows, 20);
    check_real_rows(*state, "opttrees", ensemble, rows);
    check_real_rows(*state, "opttrees", read_model(folder, asadi_model), probes);
}

/* Of the nodes, 29 % are sets of categories. */
static void agrees_on_real_categories(void **state) {
    struct ensemble *ensemble = read_model(real_data(), "mtpl2.200.lleaves.lgbm.txt.gz");
    struct matrix *probes = NULL;
    ensemble_keep_first(ensemble, 60);
    assert_non_null(ensemble->set);
    assert_int_equal(synth_probes(ensemble, REAL_PROBES, 1, &probes, NULL), STATUS_OK);
    check_real_rows(*state, "mtpl2", ensemble, probes);
}

int main(int argc, char **argv) {
#ifdef SIMULATED_AVX512
    if (!simulation_is_needed()) {
        puts("1..1\nok 1 " ONLY_IMPL " # skip test_exactness.c tests it under sanitizers");
        return 0;
    }
#endif
    const char *only = argc > 1 ? argv[1] : ONLY_IMPL;
    static struct specs specs;
    static struct CMUnitTest tests[SPECS_MAX + 2];
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        add_impl(&specs, impls[i], only);
    if (specs.count == 0) {
        fprintf(stderr, "no implementation is called %s\n", only);
        return 2;
    }
    for (size_t i = 0; i < specs.count; i++)
        tests[i] = (struct CMUnitTest){.name = specs.text[i],
                                       .test_func = agrees_with_reference,
                                       .initial_state = specs.text[i]};
    tests[specs.count] =
        (struct CMUnitTest)cmocka_unit_test_prestate(agrees_on_a_real_model, &specs);
    tests[specs.count + 1] =
        (struct CMUnitTest)cmocka_unit_test_prestate(agrees_on_real_categories, &specs);
    return _cmocka_run_group_tests("exactness", tests, specs.count + 2, make_cases, free_cases);
}
