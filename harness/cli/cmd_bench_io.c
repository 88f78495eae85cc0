/* treebench bench-io: measures how fast documents are read. */
#include "base/files/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "datasets/data.h"
#include "harness/cli/shared/commands.h"
#include "harness/instruments/stats.h"
#include "harness/instruments/timer.h"

#include <stdio.h>
#include <stdlib.h>

/* Made-up text resembles MSLR-WEB. Each value is zero, an integer or a number with six decimals. */
enum { N_FEATURES = 136, QUERY_DOCUMENTS = 120, SEED = 1, TEXT_BYTES = 50000000 };

struct bench_options {
    const char *path; /* NULL: made-up text */
};

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

/* Parses the text several times. Uses the CPU time of this thread, because it does not grow while
 * other programs have the core. */
static enum status measure(const char *name, const struct file_text *text, struct error *error) {
    enum { ROUNDS = 9 };
    double rates[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        struct matrix *matrix;
        uint64_t begin = timer_cpu_ns();
        enum status status = data_read_text(
            name, text, &(struct data_reading){.words = WORDS_CODED}, &matrix, error);
        uint64_t end = timer_cpu_ns();
        if (status)
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

static enum status bench(const struct bench_options *options, struct error *error) {
    struct file_text text = {0};
    const char *path = options->path;
    enum status status = path ? file_read(path, &text, error) : make_text(TEXT_BYTES, &text, error);
    if (!status)
        status = measure(path ? path : "made-up LETOR text", &text, error);
    file_text_free(&text);
    return status;
}

static const struct flag flags[] = {{"data", "FILE",
                                     "the documents to read (default: 50 MB of made-up text)",
                                     SETS_TEXT(bench_options, path)},
                                    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct bench_options *options = parsed->request;
    return bench(options, error);
}

const struct command command_bench_io = {
    .name = "bench-io",
    .summary = "measure how fast documents are read",
    .details = "Reads a text in memory several times, and prints megabytes per second.\n"
               "\n"
               "Example:\n"
               "  treebench bench-io --data documents.txt",
    .flags = flags,
    .request = &(struct bench_options){0},
    .run = run,
};
