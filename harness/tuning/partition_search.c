#include "harness/tuning/blocking.h"

#include <stdlib.h>

size_t partition_docs(const struct scorer *scorer, double doc_bytes, double level_bytes,
                      size_t n_docs) {
    double unit = (double)scorer->bytes / (double)scorer->n_units + (double)scorer->workspace;
    double docs = (level_bytes - unit) / doc_bytes;
    return docs < 1 ? 1 : docs < (double)n_docs ? (size_t)docs : n_docs;
}

size_t partition_list(uint32_t n_trees, size_t taus[static PARTITIONS_MOST]) {
    static const size_t steps[] = {1, 2, 5};
    size_t n = 0, decade = 1, step = 0;
    while (decade * steps[step] < n_trees) {
        taus[n++] = decade * steps[step];
        step = (step + 1) % 3;
        decade *= step == 0 ? 10 : 1;
    }
    taus[n++] = n_trees;
    return n;
}

/* DSD with the documents that fit L3 beside one unit (section 5.3). */
static struct blocking beside_unit(const struct blocking_request *request,
                                   const struct blocking_machine *machine,
                                   const struct scorer *scorer) {
    size_t docs = partition_docs(scorer, (double)(request->documents->stride * sizeof(float)),
                                 machine->bytes[CACHE_LEVELS - 1], request->n_docs);
    return (struct blocking){ORDER_DSD, block_round_up(docs, scorer->lanes, request->n_docs), 0};
}

static enum status search_bench(struct blocking_bench *bench,
                                const struct blocking_machine *machine,
                                struct blocking_search *search, struct partition_point *point,
                                struct error *error) {
    struct blocking_problem problem;
    struct candidate_request candidates = bench->request->candidates;
    blocking_bench_problem(bench, machine, &problem);
    candidates.also = beside_unit(bench->request, machine, bench->scorer);
    enum status status =
        blocking_search_guided(&problem, &candidates, blocking_bench_measure, bench, search, error);
    if (!status) {
        point->n_units = bench->scorer->n_units;
        point->choice = search->candidates[search->best].blocking;
        point->time = search->choice_time;
        point->ds_time = search->ds_time;
    }
    return status;
}

static enum status search_tau(const struct blocking_request *request,
                              const struct blocking_machine *machine, uint32_t tau,
                              struct blocking_search *search, struct partition_point *point,
                              struct error *error) {
    char spec[ROW_NAME_SIZE];
    struct blocking_request asked = *request;
    struct blocking_bench bench;
    snprintf(spec, sizeof spec, "%s,tau=%u", request->spec, tau);
    asked.spec = spec;
    *point = (struct partition_point){.tau = tau};
    enum status status = blocking_bench_open(&asked, &bench, error);
    if (!status)
        status = search_bench(&bench, machine, search, point, error);
    blocking_bench_free(&bench);
    return status;
}

enum status partition_search(const struct blocking_request *request,
                             const struct blocking_machine *machine,
                             struct partition_point points[static PARTITIONS_MOST], size_t *n,
                             struct error *error) {
    size_t taus[PARTITIONS_MOST];
    size_t n_taus = partition_list(request->ensemble->n_trees, taus);
    struct blocking_search *search = calloc(1, sizeof *search);
    if (!search)
        return error_memory(error, "partitions");
    enum status status = STATUS_OK;
    *n = 0;
    for (size_t i = 0; i < n_taus && !status; i++)
        if (taus[i] < request->ensemble->n_trees)
            status =
                search_tau(request, machine, (uint32_t)taus[i], search, &points[(*n)++], error);
    free(search);
    return status;
}

static size_t best_of(const struct partition_point *points, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (points[i].time.ns < points[best].time.ns)
            best = i;
    return best;
}

void partition_print(FILE *stream, const char *impl, const struct partition_point *points,
                     size_t n) {
    size_t best = best_of(points, n);
    fprintf(stream,
            "%s by the trees per unit; partitions were measured one after the other; times: ns per "
            "document and tree\n\n",
            impl);
    fprintf(stream, "  %7s %7s  %-26s %9s  %s\n", "tau", "units", "order and blocks", "ns",
            "95 % interval, DS to this");
    for (size_t i = 0; i < n; i++) {
        const struct blocking_time *time = &points[i].time;
        char text[BLOCKING_TEXT];
        blocking_text(points[i].choice, text);
        fprintf(stream, "%c %7u %7zu  %-26s %9.3f  [%.3f, %.3f]  %.3f\n", i == best ? '*' : ' ',
                points[i].tau, points[i].n_units, text, time->ns, time->interval.low,
                time->interval.high, points[i].ds_time.to_first.value);
    }
}
