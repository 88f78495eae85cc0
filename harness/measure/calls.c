#include "harness/measure/calls.h"

#include "base/order.h"
#include "impls/auto/auto_default.h"
#include "impls/scorer.h"
#include "models/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits the documents of a pass, so that a pass does not take long. */
enum { MOST_DOCS = 65536 };

/* Leaves out baselines of papers, and what runs a compiler unless it is requested. */
static bool is_candidate(const struct impl *impl, bool with_compiled) {
    return impl_competes(impl) && !(impl->roles & IMPL_SURPASSED) &&
           (with_compiled || !impl->compiles);
}

/* Adds a variant. `parameters` may be NULL. */
static void add(char specs[][AUTO_SPEC_SIZE], size_t limit, size_t *count, const struct impl *impl,
                const char *parameters) {
    if (*count < limit)
        snprintf(specs[(*count)++], AUTO_SPEC_SIZE, "%s%s%s", impl->name, parameters ? "," : "",
                 parameters ? parameters : "");
}

size_t calls_candidates(bool with_compiled, char specs[][AUTO_SPEC_SIZE], size_t limit) {
    size_t n_impls, count = 0;
    const struct impl *const *all = impl_all(&n_impls);
    for (size_t i = 0; i < n_impls; i++) {
        if (!is_candidate(all[i], with_compiled))
            continue;
        const char *const *variant = all[i]->variants;
        if (!variant)
            add(specs, limit, &count, all[i], NULL);
        for (; variant && *variant; variant++)
            add(specs, limit, &count, all[i], *variant);
    }
    return count;
}

size_t calls_of_kind(enum impl_kind kind, char specs[][AUTO_SPEC_SIZE], size_t limit) {
    size_t n_impls, count = 0;
    const struct impl *const *all = impl_all(&n_impls);
    for (size_t i = 0; i < n_impls && kind == IMPL_LIBRARY; i++)
        if (all[i]->roles & IMPL_PEER)
            add(specs, limit, &count, all[i], NULL);
    for (size_t i = 0; i < n_impls; i++)
        if (all[i]->kind == kind && !(all[i]->roles & IMPL_PEER) && impl_is_here(all[i]))
            add(specs, limit, &count, all[i], NULL);
    return count;
}

/* Does the library's name begin as the format's does? "xgboost" and "xgboost-ubjson" do, and so do
 * "onnxruntime" and "onnx". */
static bool is_makers(const struct model_format *format, const char *library) {
    return format && strncmp(format->name, library, strcspn(format->name, "-")) == 0;
}

static void move_to_front(char specs[][AUTO_SPEC_SIZE], size_t index) {
    char moved[AUTO_SPEC_SIZE];
    memcpy(moved, specs[index], sizeof moved);
    memmove(specs[1], specs[0], index * sizeof specs[0]);
    memcpy(specs[0], moved, sizeof moved);
}

void calls_maker_first(const struct ensemble *ensemble, char specs[][AUTO_SPEC_SIZE],
                       size_t count) {
    size_t peers = 0;
    while (peers < count && (impl_find(specs[peers], NULL)->roles & IMPL_PEER))
        peers++;
    for (size_t i = peers; i < count; i++)
        if (is_makers(ensemble->format, specs[i])) {
            move_to_front(specs + peers, i - peers);
            return;
        }
}

/* Returns the cost of a call, as a multiple of the cheapest. Infinity if the table lacks it. */
static double relative_cost(const struct auto_table *table, const char *spec, size_t n_docs) {
    double own = INFINITY, least = INFINITY;
    for (size_t i = 0; i < table->count; i++) {
        double cost = auto_cost_of(&table->costs[i], n_docs);
        least = fmin(least, cost);
        if (strcmp(table->specs[i], spec) == 0)
            own = cost;
    }
    return own / least;
}

enum status calls_promising_first(const struct ensemble *ensemble, size_t least, size_t most,
                                  char specs[][AUTO_SPEC_SIZE], size_t count, struct error *error) {
    struct auto_table *table = calloc(1, sizeof *table);
    if (!table)
        return error_memory(error, "costs");
    enum status status = auto_default_table(ensemble, table, error);
    for (size_t sorted = 0; sorted < count && !status; sorted++) {
        size_t next = sorted;
        double best = INFINITY;
        for (size_t i = sorted; i < count; i++) {
            double cost =
                fmin(relative_cost(table, specs[i], least), relative_cost(table, specs[i], most));
            next = cost < best ? i : next;
            best = fmin(cost, best);
        }
        move_to_front(specs + sorted, next - sorted);
    }
    free(table);
    return status;
}

size_t calls_wanted(size_t n_trees, size_t visits) {
    size_t wanted = visits / (n_trees ? n_trees : 1);
    return smaller(wanted, MOST_DOCS);
}

struct matrix calls_documents(const struct matrix *documents, size_t n_trees, size_t call,
                              size_t least, size_t visits) {
    struct matrix view = *documents;
    size_t wanted = larger(calls_wanted(n_trees, visits), least);
    view.n_rows = smaller(view.n_rows, wanted) / call * call;
    return view;
}

enum status calls_check_memory(const struct row *rows, size_t count, struct error *error) {
    for (size_t i = 0; i < count; i++)
        if (rows[i].status == ROW_FAILED && strstr(rows[i].reason, "out of memory"))
            return error_set(error, STATUS_MEMORY, "%s: %s", rows[i].impl, rows[i].reason);
    return STATUS_OK;
}
