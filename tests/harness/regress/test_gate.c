/* The allowed rate of alarms is that of all cells together. This program stands for `treebench
 * duet` too: its pairs say that head takes 5 % longer, with noise that the implementation names. */
#include "harness/regress/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFUSED = 4, OTHERS = 63 };

static const char *after(char **argv, const char *option) {
    while (*argv && strcmp(*argv, option) != 0)
        argv++;
    return *argv ? argv[1] : "0";
}

static int play_duet(char **argv) {
    const char *impl = after(argv, "--impl");
    if (strcmp(impl, "refused") == 0) {
        fprintf(stderr, "treebench: refused\n");
        return REFUSED;
    }
    double seed = strtod(after(argv, "--seed"), NULL), noise = strtod(impl, NULL);
    printf("%.9g 1 1\n", 0.05 + noise * (fmod(seed * 37, 101) / 50 - 1));
    return 0;
}

static const struct regress_workload workload = {.name = "made up", .model = "m", .data = "d"};
static const struct gate_request gate = {.libraries = {"base", "head"},
                                         .folders = {"base", "head"},
                                         .relink = "true",
                                         .margin = 0.01,
                                         .tolerance = 0.03,
                                         .alarms = 0.01,
                                         .seconds = 600,
                                         .seed = 1};

static struct gate_cell cell_of(const char *impl) {
    struct gate_cell cell = {.workload = &workload, .is_open = true};
    snprintf(cell.impl, sizeof cell.impl, "%s", impl);
    return cell;
}

/* Returns how many pairs a cell takes until its verdict, beside cells that end at once. */
static size_t pairs_beside(size_t others) {
    struct gate_cell cells[1 + OTHERS];
    struct gate_request request = gate;
    request.relink = NULL;
    cells[0] = cell_of("0.03");
    for (size_t i = 1; i <= others; i++)
        cells[i] = cell_of("refused");
    assert_int_equal(gate_run(&request, cells, 1 + others, NULL), STATUS_OK);
    assert_int_equal(cells[0].verdict, GATE_REGRESSION);
    for (size_t i = 1; i <= others; i++)
        assert_int_equal(cells[i].verdict, GATE_REFUSED);
    return cells[0].pairs;
}

static void more_cells_need_more_pairs(void **state) {
    (void)state;
    assert_int_equal(pairs_beside(0), 10);
    assert_true(pairs_beside(OTHERS) > 10);
}

/* Returns how many layouts a cell takes until its verdict, if so many cells were timed. */
static size_t layouts_of(size_t n_timed) {
    struct gate_cell cell = cell_of("0.01");
    cell.verdict = GATE_REGRESSION;
    assert_int_equal(layouts_check(&gate, &cell, 1, n_timed, NULL), STATUS_OK);
    assert_int_equal(cell.verdict, GATE_REGRESSION);
    return cell.layouts;
}

static void more_cells_need_more_layouts(void **state) {
    (void)state;
    assert_int_equal(layouts_of(1), 3);
    assert_true(layouts_of(1000000) > 3);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "duet") == 0)
        return play_duet(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_cells_need_more_pairs),
        cmocka_unit_test(more_cells_need_more_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
