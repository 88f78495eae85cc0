#include "harness/blocking/sizes.h"

#include <math.h>

const double block_mus[MUS] = {1, 0.75, 0.5, 0.25};

static size_t fit_half(const struct blocking_machine *machine, unsigned level, double mu,
                       double bytes_each, size_t all) {
    if (level >= LEVEL_MEMORY || bytes_each <= 0)
        return all;
    double fits = floor(0.5 * machine->bytes[level - 1] / (mu * bytes_each));
    return fits < 1 ? 1 : fits < (double)all ? (size_t)fits : all;
}

size_t block_docs(const struct blocking_machine *machine, const struct blocking_workload *workload,
                  unsigned level, double mu) {
    return fit_half(machine, level, mu, workload->doc_bytes, workload->n_docs);
}

size_t block_units(const struct blocking_machine *machine, const struct blocking_workload *workload,
                   unsigned level, double mu) {
    return fit_half(machine, level, mu, workload->unit_bytes, workload->n_units);
}

size_t block_round_up(size_t docs, unsigned lanes, size_t n_docs) {
    size_t rest = lanes ? docs % lanes : 0;
    size_t up = rest ? docs + (lanes - rest) : docs;
    return up < n_docs ? up : n_docs;
}
