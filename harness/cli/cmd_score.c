/* treebench score: computes the scores of documents, in the order of the documents. */
#include "base/files/file.h"
#include "base/number.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "harness/cli/shared/scoring_flags.h"
#include "harness/quality/scores.h"
#include "impls/scorer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct score_options {
    struct input_files files;
    const char *spec, *out, *device; /* out: NULL is standard output; device: NULL is none */
    struct threads_options threads;
    struct order_options order;
    bool verbose;
};

static void print_score(double score, char separator, FILE *stream) {
    char text[NUMBER_TEXT_SIZE];
    if (isfinite(score))
        number_format_double(score, text);
    else
        snprintf(text, sizeof text, "%s", isnan(score) ? "nan" : score < 0 ? "-inf" : "inf");
    fprintf(stream, "%s%c", text, separator);
}

static void print_scores(const struct scores *scores, size_t n_rows, FILE *stream) {
    uint32_t n = scores->n_outputs;
    for (size_t row = 0; row < n_rows; row++)
        for (uint32_t output = 0; output < n; output++)
            print_score(scores->values[row * n + output], output + 1 < n ? '\t' : '\n', stream);
}

static enum status print_to_file(const struct scores *scores, size_t n_rows, const char *path,
                                 struct error *error) {
    struct file_writer writer;
    enum status status = file_write_begin(&writer, path, error);
    if (status)
        return status;
    print_scores(scores, n_rows, writer.stream);
    return file_write_commit(&writer, error);
}

/* Reports how many values were adjusted because their nearest float32 lies on the other side of a
 * threshold. Also reports how many features were replaced by ranks. */
static void tell_placed(const struct inputs *inputs) {
    if (!inputs->ensemble->threshold_double)
        return;
    command_note(
        "%zu values were adjusted, because rounding to float32 would move them across a threshold "
        "of the model, which is a double. %" PRIu32
        " features were replaced by ranks, because float32 cannot tell their thresholds apart",
        inputs->documents->n_placed, inputs->n_coded);
}

static enum status score(const struct inputs *inputs, const struct score_options *options,
                         const char *variant, const struct plan *plan, struct error *error) {
    struct scores scores;
    size_t n_rows = inputs->documents->n_rows;
    enum status status = scores_make(inputs->ensemble, variant, plan, inputs->documents,
                                     command_show, &scores, error);
    if (status)
        return status;
    if (options->verbose) {
        command_note("%s", scores.by);
        tell_placed(inputs);
    }
    if (options->out)
        status = print_to_file(&scores, n_rows, options->out, error);
    if (!status)
        command_release_notes();
    if (!options->out)
        print_scores(&scores, n_rows, stdout);
    scores_free(&scores);
    return status;
}

static const struct flag flags[] = {
    MODEL_FLAG(score_options, files, true),
    DATA_FLAG(score_options, files, true),
    {"impl", "SPEC", "the implementation, such as vpred,v=8 (default: auto)",
     SETS_TEXT(score_options, spec)},
    MISSING_FLAG(score_options, files),
    READING_FLAGS(score_options, files),
    TREES_FLAG(score_options, files),
    PROFILE_FLAG(score_options, files),
    {"out", "FILE", "the file for the scores (default: -, standard output)",
     SETS_TEXT(score_options, out), .file = FLAG_WRITES},
    THREADS_FLAG(score_options, threads),
    PARALLEL_FLAG(score_options, threads),
    ORDER_FLAG(score_options, order),
    ORDER_D_FLAG(score_options, order),
    ORDER_S_FLAG(score_options, order),
    DEVICE_FLAG(score_options, device),
    {"verbose", NULL, "print on stderr which implementation scores",
     SETS_SWITCH(score_options, verbose)},
    {0}};

/* Names the device. STATUS_INPUT if the implementation would not use it. */
static enum status choose_device(const struct score_options *options, struct error *error) {
    char name[VARIANT_SPEC_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(options->spec, ","), options->spec);
    const struct impl *impl = impl_find(name, NULL);
    if (options->device && impl && impl->kind != IMPL_DEVICE)
        return error_set(error, STATUS_INPUT,
                         "--device has no effect on %s. Name an implementation for GPUs, such as "
                         "--impl qs-gpu",
                         name);
    return device_choose(options->device, error);
}

static enum status run(struct parsed *parsed, struct error *error) {
    const struct score_options *options = parsed->request;
    command_hold_notes();
    struct inputs inputs;
    struct plan plan = {.order = ORDER_DS};
    struct order_choice order;
    char variant[VARIANT_SPEC_SIZE];
    const struct input_files *files = &options->files;
    enum status status = choose_device(options, error);
    if (!status)
        status = threads_plan(&options->threads, &plan, error);
    if (!status)
        status = order_choose(&options->order, &order, error);
    if (!status)
        status = inputs_read(files, &inputs, error);
    if (status)
        return status;
    variant_add_order(options->spec, &order, variant);
    status = score(&inputs, options, order.is_given ? variant : options->spec, &plan, error);
    inputs_free(&inputs);
    return status;
}

const struct command command_score = {
    .name = "score",
    .summary = "score documents with a model",
    .details =
        "Prints one line per document, in the order of the documents. Models with several outputs "
        "have them on the same line, separated by tabs. Scores are raw: they include the base "
        "score, but no sigmoid or softmax, and a forest's votes are added up. Labels are ignored.\n"
        "\n" READS_HELP "\n"
        "--profile counts which branches its documents take, for implementations that put likely "
        "branches first. Its counts replace the model's.\n"
        "\n" ORDER_HELP
        " Scores are the same in every order, except for the rounding of float32 sums.\n"
        "\n" DEVICE_HELP " They add values in another order, as threads over trees do, so the last "
        "digits may differ from those of one thread.\n"
        "\n"
        "Exit status 4: the implementation cannot run on this machine.\n"
        "\n"
        "Examples:\n"
        "  treebench score --model ensemble.xml --data documents.txt --out scores.txt\n"
        "  treebench score --model lightgbm.txt --data table.csv.gz --label price",
    .flags = flags,
    .request = &(struct score_options){.spec = "auto"},
    .run = run,
};
