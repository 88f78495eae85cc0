/* treebench tune: finds the fastest implementation for each batch size. */
#include "base/files/json.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "harness/cli/shared/peers.h"
#include "harness/cli/shared/scoring_flags.h"
#include "harness/instruments/timer.h"
#include "harness/tuning/tune.h"

#include <stdio.h>
#include <stdlib.h>

struct tune_options {
    struct input_files files;
    struct flag_texts peers;
    struct flag_integers batches; /* none: the default */
    struct threads_options threads;
    struct order_options order;
    double seconds;
    bool fresh, json;
    const char *device; /* NULL: not given */
};

_Static_assert((int)FLAG_INTEGERS_MAX <= (int)TUNE_BATCHES_MAX, "a batch has no place");

static int by_number(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void drop_repeated(struct tune_request *request) {
    size_t kept = 1;
    for (size_t i = 1; i < request->n_batches; i++)
        if (request->batches[i] != request->batches[kept - 1])
            request->batches[kept++] = request->batches[i];
    request->n_batches = kept;
}

/* Takes the given batch sizes or the default ones, sorts them, and removes duplicates. */
static void choose_batches(const struct flag_integers *typed, struct tune_request *request) {
    static const struct flag_integers standard = {{1, 8, 64, 256, 512, 1000}, 6};
    const struct flag_integers *batches = typed->count ? typed : &standard;
    for (size_t i = 0; i < batches->count; i++)
        request->batches[request->n_batches++] = (size_t)batches->items[i];
    qsort(request->batches, request->n_batches, sizeof *request->batches, by_number);
    drop_repeated(request);
}

static void print_order(const struct order_choice *order) {
    printf(", order %s", order_name(order->order));
    if (order->d)
        printf(", d = %zu", order->d);
    if (order->s)
        printf(", s = %zu", order->s);
}

static void print_heading(const struct tune_request *request, const struct tune_result *result) {
    const char *note = request->documents->note;
    printf("%u trees, %zu documents%s%s%s; medians by the %s clock, 95 %% intervals",
           request->ensemble->n_trees, result->n_docs, *note ? " (" : "", note, *note ? ")" : "",
           result->clock);
    if (request->threads > 1)
        printf(", %u threads, each with calls of its own", request->threads);
    if (request->order.is_given)
        print_order(&request->order);
    printf("\n");
}

/* Returns the exit status. */
static int tell_peers(const struct tune_result *result) {
    struct peers_told told = {.exit_status = EXIT_DONE};
    for (size_t b = 0; b < result->n_batches; b++)
        for (size_t i = 0; i < result->batches[b].n_rivals; i++)
            peers_tell(&result->batches[b].rivals[i], &told);
    return told.exit_status;
}

static enum status tune_inputs(const struct inputs *inputs, struct tune_request *request, bool json,
                               int *exit_status, struct error *error) {
    struct tune_result *result = NULL;
    struct tune_documents documents;
    request->ensemble = inputs->ensemble;
    enum status status = tune_documents_choose(inputs->documents, request, &documents, error);
    if (!status)
        status = tune(request, &result, error);
    peers_end_output();
    if (!status && json)
        status = json_print(tune_to_json(result), stdout, error);
    else if (!status) {
        print_heading(request, result);
        tune_print(stdout, result);
    }
    if (!status && result->not_stored.text[0])
        command_note("the times were not stored for auto: %s", result->not_stored.text);
    if (!status)
        *exit_status = tell_peers(result);
    tune_result_free(result);
    matrix_free(documents.made);
    return status;
}

static const struct flag flags[] = {
    MODEL_FLAG(tune_options, files, true),
    {"data", "FILE", "documents (default: made from the model's thresholds)",
     SETS_TEXT(tune_options, files.data)},
    READING_FLAGS(tune_options, files),
    MISSING_FLAG(tune_options, files),
    TREES_FLAG(tune_options, files),
    {"batch", "N,N,...", "documents per call (default: 1,8,64,256,512,1000)",
     SETS_INTEGERS(tune_options, batches, 1, 1000000)},
    {"threads", "N", "threads, each with calls of its own (default: 1)",
     SETS_INTEGER(tune_options, threads.threads, 1, RUNNER_MAX_THREADS)},
    ORDER_FLAG(tune_options, order),
    ORDER_D_FLAG(tune_options, order),
    ORDER_S_FLAG(tune_options, order),
    PEER_FLAG(tune_options, peers),
    DEVICE_FLAG(tune_options, device),
    {"seconds", "N", "approximate time budget in seconds (default: 40)",
     SETS_REAL(tune_options, seconds, 1, 100000)},
    {"fresh", NULL, "ignore and replace the times that earlier runs stored",
     SETS_SWITCH(tune_options, fresh)},
    {"json", NULL, "print JSON", SETS_SWITCH(tune_options, json)},
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct tune_options *options = parsed->request;
    struct inputs inputs = {0};
    struct tune_request request = {.note = command_show,
                                   .begin_ns = timer_wall_ns(),
                                   .fresh = options->fresh,
                                   .seconds = options->seconds};
    struct plan plan = {.order = ORDER_DS};
    choose_batches(&options->batches, &request);
    enum status status = device_choose(options->device, error);
    if (!status)
        status = peers_add(&options->peers, error);
    if (!status)
        status = threads_plan(&options->threads, &plan, error);
    if (!status)
        status = order_choose(&options->order, &request.order, error);
    if (!status)
        status = inputs_read(&options->files, &inputs, error);
    if (!status) {
        request.threads = plan.threads;
        request.has_device = device_is_named();
        status = tune_inputs(&inputs, &request, options->json, &parsed->exit_status, error);
    }
    inputs_free(&inputs);
    return status;
}

const struct command command_tune = {
    .name = "tune",
    .summary = "find the fastest implementation for each batch size, for auto",
    .details =
        "Times the implementations on the model, in calls of the sizes that --batch lists. All are "
        "screened with three rounds. Those near the best get more rounds, interleaved. Then `auto` "
        "is measured against the best, against the libraries that are installed, and with --device "
        "against the implementations for GPUs.\n"
        "\n"
        "The times are stored for `auto`, which `score` uses by default. At a measured size, "
        "`auto` uses the fastest implementation. At other sizes it decides as without tuning, "
        "unless the times prove another implementation faster. In the ranking, "
        "`auto,costs=default` is auto without tuning. Stored times hold for this model on this "
        "processor. If they cannot be stored, a note gives the reason, and the exit status is "
        "still 0. With --threads, --order or --device nothing is stored. See docs/tuning.md.\n"
        "\n" ORDER_HELP " The order is that of the candidates, not of `auto`.\n"
        "\n"
        "--seconds holds for the whole command. If it is short, less promising implementations and "
        "sizes are left out, which is reported. A few documents are resampled into many, so that "
        "branch predictors cannot memorise them. Earlier times of a size are kept if they had "
        "better documents or more time; --fresh replaces them.\n"
        "\n" PEER_HELP "\n"
        "\n" READS_HELP "\n"
        "Example:\n"
        "  treebench tune --model lightgbm.txt --data table.csv --label price",
    .flags = flags,
    .request = &(struct tune_options){.seconds = 40},
    .run = run,
};
