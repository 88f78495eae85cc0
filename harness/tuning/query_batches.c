#include "harness/tuning/query_batches.h"

#include <math.h>

static void list_batches(const struct blocking_bench *bench, size_t query_docs, size_t most,
                         struct query_batches *result) {
    size_t queries = 1;
    result->n = 0;
    while (result->n < QUERY_BATCHES_MOST && queries <= bench->confirming.n_rows / query_docs) {
        size_t docs = queries * query_docs;
        result->batches[result->n] = (struct query_batch){
            .queries = queries, .docs = query_docs, .trees = bench->ensemble->n_trees};
        result->blockings[result->n++] = (struct blocking){ORDER_DSD, docs < most ? docs : most, 0};
        queries *= 10;
    }
}

enum status query_batches_measure(struct blocking_bench *bench, size_t query_docs, size_t most,
                                  struct query_batches *result, struct error *error) {
    struct blocking blockings[QUERY_BATCHES_MOST + 1] = {{ORDER_DS, 0, 0}};
    struct blocking_time times[QUERY_BATCHES_MOST + 1];
    list_batches(bench, query_docs, most, result);
    for (size_t i = 0; i < result->n; i++)
        blockings[i + 1] = result->blockings[i];
    enum status status =
        blocking_bench_measure(bench, STEP_CONFIRM, blockings, result->n + 1, times, error);
    if (status)
        return status;
    result->ds_ns = times[0].ns;
    for (size_t i = 0; i < result->n; i++)
        result->batches[i].ns = times[i + 1].ns;
    return STATUS_OK;
}

void query_batches_print(FILE *stream, const struct query_batches *result) {
    if (result->n == 0)
        return;
    const struct query_batch *single = &result->batches[0];
    struct query_batch ds = *single;
    ds.ns = result->ds_ns;
    double rate = batch_queries_per_second(single) / 2;
    fprintf(stream,
            "\nbatches of queries with %zu documents; times: ns per document and tree; wait: at "
            "%.0f queries per second\n",
            single->docs, rate);
    fprintf(stream, "  %7s  %-16s %9s %12s %12s %12s\n", "queries", "order", "ns", "queries/s",
            "service ms", "mean wait ms");
    fprintf(stream, "  %7s  %-16s %9.3f %12.1f %12.3f %12s\n", "1", "DS", ds.ns,
            batch_queries_per_second(&ds), batch_service_ms(&ds), "-");
    for (size_t i = 0; i < result->n; i++) {
        const struct query_batch *batch = &result->batches[i];
        char text[BLOCKING_TEXT];
        blocking_text(result->blockings[i], text);
        fprintf(stream, "  %7zu  %-16s %9.3f %12.1f %12.3f %12.3f\n", batch->queries, text,
                batch->ns, batch_queries_per_second(batch), batch_service_ms(batch),
                batch_mean_wait_ms(batch, rate));
    }
}
