#include "harness/caches/scenario.h"

#include <math.h>

const struct miss_rates miss_rates_standard = {0.02, 1};

/* Typical of x86-64 and arm64 servers since 2016: 4 cycles of L1, 14 of L2, 50 of L3, 300 of
 * memory. */
static const struct blocking_machine typical = {
    {32 << 10, 1 << 20, 2 << 20}, 3.5, 12.5, 75, {false, false, false}};

void blocking_machine_read(unsigned busy_cores, struct blocking_machine *machine) {
    struct caches caches;
    caches_read("", &caches);
    *machine = typical;
    for (int i = 0; i < CACHE_LEVELS; i++)
        if (caches.levels[i].bytes)
            machine->bytes[i] = (double)caches_effective(&caches.levels[i], busy_cores);
}

static void take_ratio(const struct latency_levels *levels, int level, double *ratio,
                       struct blocking_machine *machine) {
    double measured = latency_ratio(levels, level);
    if (!isfinite(measured) || measured < 1)
        return;
    *ratio = measured;
    machine->is_measured[level - 1] = true;
}

void blocking_machine_measured(const struct latency_levels *levels,
                               struct blocking_machine *machine) {
    for (int i = 0; i < CACHE_LEVELS; i++) {
        if (levels->bytes[i])
            machine->bytes[i] = (double)levels->bytes[i];
    }
    for (int i = 1; i < CACHE_LEVELS;
         i++) /* a part of a shared level may be less than the one below */
        machine->bytes[i] = fmax(machine->bytes[i], machine->bytes[i - 1]);
    take_ratio(levels, 1, &machine->c2, machine);
    take_ratio(levels, 2, &machine->c3, machine);
    take_ratio(levels, 3, &machine->c4, machine);
}

/* The first level that holds so many bytes. */
static unsigned level_of(const struct blocking_machine *machine, double bytes) {
    unsigned level = 1;
    while (level < LEVEL_MEMORY && bytes > machine->bytes[level - 1])
        level++;
    return level;
}

void blocking_problem_init(struct blocking_problem *problem) {
    const struct blocking_machine *machine = &problem->machine;
    const struct blocking_workload *workload = &problem->workload;
    double n = (double)workload->n_docs, m = (double)workload->n_units;
    problem->model =
        (struct cost_model){.extra = {0, 0, machine->c2, machine->c3, machine->c4},
                            .lambda = workload->lambda,
                            .rates = problem->rates,
                            .n_docs = n,
                            .n_units = m,
                            .doc_fits = level_of(machine, workload->doc_bytes),
                            .unit_fits = level_of(machine, workload->unit_bytes),
                            .docs_home = level_of(machine, 2 * n * workload->doc_bytes),
                            .units_home = level_of(machine, 2 * m * workload->unit_bytes)};
}

const double block_mus[MUS] = {1, 0.75, 0.5, 0.25};

static size_t fit_half(const struct blocking_machine *machine, unsigned level, double mu,
                       double bytes_each, size_t all) {
    if (level >= LEVEL_MEMORY || bytes_each <= 0)
        return all;
    double fits = floor(0.5 * machine->bytes[level - 1] / (mu * bytes_each));
    return fits < 1 ? 1 : fits < (double)all ? (size_t)fits : all;
}

size_t block_docs(const struct blocking_problem *problem, unsigned level, double mu) {
    return fit_half(&problem->machine, level, mu, problem->workload.doc_bytes,
                    problem->workload.n_docs);
}

size_t block_units(const struct blocking_problem *problem, unsigned level, double mu) {
    return fit_half(&problem->machine, level, mu, problem->workload.unit_bytes,
                    problem->workload.n_units);
}

size_t block_round_up(size_t docs, unsigned lanes, size_t n_docs) {
    size_t rest = lanes ? docs % lanes : 0;
    size_t up = rest ? docs + (lanes - rest) : docs;
    return up < n_docs ? up : n_docs;
}
