/* The six workloads of jin2016's Table 4 on its AMD machine, and the times of that table. */
#ifndef TESTS_HARNESS_BLOCKING_PAPER_H
#define TESTS_HARNESS_BLOCKING_PAPER_H

#include "harness/caches/candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAPER_WORKLOADS = 6, PAPER_YAHOO_50 = 1, PAPER_YAHOO_150 = 2 };

/* One core of an AMD FX8120 (section 5.1). */
static const struct blocking_machine blocking_machine_fx8120 = {
    {16 << 10, 1 << 20, 2 << 20}, 7.3, 25.1, 80.9, {true, true, true}};

/* n is the middle of the printed range, because the paper gives no mean. */
static const struct paper_workload {
    size_t features, leaves, trees, docs;
} paper_workloads[PAPER_WORKLOADS] = {{700, 10, 20000, 6500},  {700, 50, 20000, 6500},
                                      {700, 150, 20000, 6500}, {136, 10, 10000, 4000},
                                      {136, 50, 10000, 4000},  {46, 10, 4000, 2500}};

/* The paper's assumption: neither all documents nor all units fit a cache. */
static inline void set_homes_in_memory(struct cost_model *model) {
    model->docs_home = model->units_home = LEVEL_MEMORY;
}

/* 4 bytes per feature, 64 bytes per leaf. */
static inline struct blocking_problem paper_problem(size_t workload, double miss_rate) {
    const struct paper_workload *w = &paper_workloads[workload];
    struct blocking_problem problem = {.machine = blocking_machine_fx8120,
                                       .workload = {.n_docs = w->docs,
                                                    .n_units = w->trees,
                                                    .doc_bytes = 4 * (double)w->features,
                                                    .unit_bytes = 64 * (double)w->leaves,
                                                    .lambda = LAMBDA_TREE},
                                       .rates = {miss_rate, miss_rate},
                                       .lanes = 1};
    blocking_problem_init(&problem);
    set_homes_in_memory(&problem.model);
    return problem;
}

/* Returns the blocks of a case, for mu = 0.5. An order has 1 of what it does not have. */
static inline double paper_docs(const struct blocking_problem *problem, unsigned level) {
    return level ? (double)block_docs(problem, level, 0.5) : 1;
}

static inline double paper_units(const struct blocking_problem *problem, unsigned level) {
    return level ? (double)block_units(problem, level, 0.5) : 1;
}

/* Returns T of a case with the blocks of mu = 0.5. */
static inline double paper_cost(const struct blocking_problem *problem,
                                const struct range_case *range_case) {
    return range_case_cost(range_case, &problem->model, paper_docs(problem, range_case->doc_level),
                           paper_units(problem, range_case->unit_level));
}

/* Reads the times of the cases, in the sequence of range_cases, and of DS. Returns the number of
 * workloads that were read. */
static inline size_t paper_read_times(double times[PAPER_WORKLOADS][RANGE_CASES],
                                      double ds[PAPER_WORKLOADS]) {
    enum { BEFORE = 2 }; /* data, max_leaves */
    char line[1024];
    size_t n = 0;
    FILE *file = fopen("results/reference/jin2016-table4.csv", "r");
    if (!file || !fgets(line, sizeof line, file))
        return 0;
    while (n < PAPER_WORKLOADS && fgets(line, sizeof line, file)) {
        char *at = line;
        for (int i = 0; i < BEFORE; i++)
            at = strchr(at, ',') + 1;
        ds[n] = strtod(at, &at);
        for (size_t i = 0; i < RANGE_CASES; i++)
            times[n][i] = strtod(at + 1, &at);
        n++;
    }
    fclose(file);
    return n;
}

#endif
