/* treebench bench-io: how fast the reader of documents is. */
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "datasets/formats.h"
#include "harness/command.h"
#include "harness/stats.h"
#include "harness/timer.h"

#include <stdio.h>
#include <stdlib.h>

/* The shape of MSLR-WEB's text: documents per query, and values that are zero, a count, or a real
 * number of six decimals. */
enum { N_FEATURES = 136, QUERY_DOCUMENTS = 120, SEED = 1 };

static void write_value(FILE *stream, struct random *random) {
    uint64_t kind = random_below(random, 10);
    if (kind < 3)
        fputc('0', stream);
    else if (kind < 6)
        fprintf(stream, "%u", (unsigned)random_below(random, 1000));
    else
        fprintf(stream, "%.6f", random_double(random) * 30);
}

static void write_document(FILE *stream, size_t row, struct random *random) {
    fprintf(stream, "%u qid:%zu", (unsigned)random_below(random, 5), row / QUERY_DOCUMENTS);
    for (int feature = 1; feature <= N_FEATURES; feature++) {
        fprintf(stream, " %d:", feature);
        write_value(stream, random);
    }
    fputc('\n', stream);
}

static enum status make_text(size_t bytes, struct file_text *text, struct error *error) {
    FILE *stream = memory_open_stream(&text->data, &text->size);
    if (!stream)
        return error_memory(error, "the text");
    struct random random;
    random_seed(&random, SEED);
    for (size_t row = 0; !ferror(stream) && (size_t)ftell(stream) < bytes; row++)
        write_document(stream, row, &random);
    return memory_close_stream(stream) ? STATUS_OK : error_memory(error, "the text");
}

/* Reads the text some times; the CPU time of this thread is what one core needs, whatever else runs
 * on the machine. */
static enum status measure(const char *name, const struct file_text *text, struct error *error) {
    enum { ROUNDS = 9 };
    double rates[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        struct matrix *matrix;
        uint64_t begin = timer_cpu_ns();
        enum status status = data_format_svmlight.read(name, text->data, text->size,
                                                       &(struct data_reading){0}, &matrix, error);
        uint64_t end = timer_cpu_ns();
        if (status != STATUS_OK)
            return status;
        rates[round] = (double)text->size * 1e3 / (double)(end - begin);
        if (round == 0)
            printf("%s: %.1f MB, %zu documents of %u features\n", name, (double)text->size / 1e6,
                   matrix->n_rows, matrix->n_features);
        matrix_free(matrix);
    }
    printf("read at %.0f MB/s (median of %d), %.0f MB/s (best) of text, on one core, into the "
           "dense matrix\n",
           stats_median(rates, ROUNDS), ROUNDS, stats_quantile(rates, ROUNDS, 1));
    return STATUS_OK;
}

static enum status bench(const char *path, const char *megabytes, struct error *error) {
    if (path && megabytes)
        return error_set(error, STATUS_INPUT,
                         "--megabytes is for made-up text, and --data gives a file");
    long long size = 50;
    enum status status =
        megabytes ? command_integer("megabytes", megabytes, 1, 4096, &size, error) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    struct file_text text = {0};
    if (path)
        status = file_read(path, &text, error);
    else
        status = make_text((size_t)size * 1000 * 1000, &text, error);
    if (status == STATUS_OK)
        status = measure(path ? path : "made-up LETOR text", &text, error);
    file_text_free(&text);
    return status;
}

static int run(int argc, char **argv) {
    const char *path = NULL, *megabytes = NULL;
    struct flag flags[] = {
        {.name = "data", .argument = "FILE", .help = "documents to read", .value = &path},
        {.name = "megabytes",
         .argument = "N",
         .help = "without a file: make so much text up (50 by default)",
         .value = &megabytes},
        {0}};
    bool done;
    int status = command_parse(&command_bench_io, flags, argc, argv, NULL, &done);
    if (status != EXIT_DONE || done)
        return status;
    struct error error;
    enum status result = bench(path, megabytes, &error);
    return result == STATUS_OK ? EXIT_DONE : command_fail(result, &error);
}

const struct command command_bench_io = {
    .name = "bench-io",
    .summary = "how fast documents are read",
    .details = "Reads a text that is in memory several times, and prints megabytes per second:\n"
               "  treebench bench-io --data documents.txt",
    .run = run,
};
