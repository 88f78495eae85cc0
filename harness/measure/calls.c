#include "harness/measure/calls.h"

#include "impls/scorer.h"

#include <stdio.h>
#include <string.h>

/* Limits the documents of a pass, so that a pass does not take long. */
enum { MOST_DOCS = 65536 };

/* Returns false for the reference, for baselines of papers and for `auto`. Also returns false for
 * implementations that run a compiler unless they are requested. */
static bool is_candidate(const struct impl *impl, bool with_compiled) {
    static const char *const left_out[] = {"reference",   "object", "struct",        "pred-heap",
                                           "vpred-heap",  "native", "native-folded", "ifelse",
                                           "ifelse-swap", "auto"};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(impl->name, left_out[i]) == 0)
            return false;
    if (impl->compiles && !with_compiled)
        return false;
    return impl->kind == IMPL_TRAVERSAL && impl_runs_here(impl);
}

static void add(char specs[][AUTO_SPEC_SIZE], size_t limit, size_t *count, const char *spec) {
    if (*count < limit)
        snprintf(specs[(*count)++], AUTO_SPEC_SIZE, "%s", spec);
}

size_t calls_candidates(bool with_compiled, char specs[][AUTO_SPEC_SIZE], size_t limit) {
    size_t n_impls, count = 0;
    const struct impl *const *all = impl_all(&n_impls);
    for (size_t i = 0; i < n_impls; i++) {
        if (!is_candidate(all[i], with_compiled))
            continue;
        if (strcmp(all[i]->name, "vpred") != 0) {
            add(specs, limit, &count, all[i]->name);
            continue;
        }
        add(specs, limit, &count, "vpred,v=8");
        add(specs, limit, &count, "vpred,v=16");
        add(specs, limit, &count, "vpred,v=32");
    }
    return count;
}

/* Lists the implementations of a kind that run here. */
static size_t list_kind(enum impl_kind kind, char specs[][AUTO_SPEC_SIZE], size_t limit) {
    size_t n_impls, count = 0;
    const struct impl *const *all = impl_all(&n_impls);
    for (size_t i = 0; i < n_impls; i++)
        if (all[i]->kind == kind && impl_is_here(all[i]))
            add(specs, limit, &count, all[i]->name);
    return count;
}

size_t calls_libraries(char specs[][AUTO_SPEC_SIZE], size_t limit) {
    return list_kind(IMPL_LIBRARY, specs, limit);
}

size_t calls_devices(char specs[][AUTO_SPEC_SIZE], size_t limit) {
    return list_kind(IMPL_DEVICE, specs, limit);
}

size_t calls_wanted(size_t n_trees, size_t visits) {
    size_t wanted = visits / (n_trees ? n_trees : 1);
    return wanted > MOST_DOCS ? MOST_DOCS : wanted;
}

struct matrix calls_documents(const struct matrix *documents, size_t n_trees, size_t call,
                              size_t least, size_t visits) {
    struct matrix view = *documents;
    size_t wanted = calls_wanted(n_trees, visits);
    if (wanted < least)
        wanted = least;
    if (view.n_rows > wanted)
        view.n_rows = wanted;
    view.n_rows = view.n_rows / call * call;
    return view;
}

enum status calls_check_memory(const struct row *rows, size_t count, struct error *error) {
    for (size_t i = 0; i < count; i++)
        if (rows[i].status == ROW_FAILED && strstr(rows[i].reason, "out of memory"))
            return error_set(error, STATUS_MEMORY, "%s: %s", rows[i].impl, rows[i].reason);
    return STATUS_OK;
}
