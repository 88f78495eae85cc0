/* treebench duet: two builds of libtreebench score the same documents in turns. Run by `treebench
 * regress`, in a fresh process for every pair. */
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "harness/regress/duet.h"

#include <stdio.h>

struct duet_options {
    struct input_files files;
    const char *base, *head, *impl;
    int64_t block, rounds, seed;
    bool step;
};

static enum status play(const struct duet_options *options, struct pair *result,
                        struct error *error) {
    struct inputs inputs = {0};
    enum status status = inputs_read(&options->files, &inputs, error);
    const struct duet_request request = {.libraries = {options->base, options->head},
                                         .model = options->files.model,
                                         .documents = inputs.documents,
                                         .impl = options->impl,
                                         .block = (size_t)options->block,
                                         .rounds = (uint32_t)options->rounds,
                                         .seed = (uint64_t)options->seed};
    if (!status)
        status = options->step ? duet_count(&request, error) : duet_run(&request, result, error);
    inputs_free(&inputs);
    return status;
}

static const struct flag flags[] = {
    {"base", "LIBRARY", "libtreebench of the one build", SETS_TEXT(duet_options, base),
     .required = true},
    {"head", "LIBRARY", "libtreebench of the other build", SETS_TEXT(duet_options, head),
     .required = true},
    MODEL_FLAG(duet_options, files, true),
    DATA_FLAG(duet_options, files, true),
    {"impl", "SPEC", "name[,parameter=value]", SETS_TEXT(duet_options, impl), .required = true},
    {"block", "N", "score N documents per call (default: all)",
     SETS_INTEGER(duet_options, block, 1, 1LL << 40)},
    {"rounds", "N", "samples of each (default: 8)", SETS_INTEGER(duet_options, rounds, 1, 10000)},
    {"seed", "N", "decides the order and where memory lies (default: 1)",
     SETS_INTEGER(duet_options, seed, 0, INT64_MAX)},
    {"step", NULL, "time nothing, and mark a call of each for single steps",
     SETS_SWITCH(duet_options, step)},
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct duet_options *options = parsed->request;
    struct pair result;
    enum status status = play(options, &result, error);
    if (!status && !options->step)
        printf("%.9g %.9g %.9g\n", result.log_ratio, result.value[PAIR_BASE],
               result.value[PAIR_HEAD]);
    return status == STATUS_UNSUPPORTED ? STATUS_MACHINE : status;
}

const struct command command_duet = {
    .name = "duet",
    .summary = "time two builds of the library against each other, in one process",
    .details =
        "Loads both libraries, checks that their scores are equal bit for bit, and scores in turns "
        "on one core. Prints one line: the median over rounds of log(head / base), then the median "
        "times of base and head in ns per document.\n"
        "\n"
        "Exit status 4: the implementation does not support the model or the machine.\n"
        "\n"
        "--step is for treebench regress --count, which counts the instructions of a call of up to "
        "16 documents.\n"
        "\n"
        "One process is one sample of how code and data lie in memory. treebench regress runs this "
        "command many times, each time with another seed, and judges the results.\n"
        "\n"
        "Example:\n"
        "  treebench duet --base old/libtreebench.so.0 --head build/libtreebench.so.0 \\\n"
        "      --model m.json --data d.cache --impl qs --block 64",
    .flags = flags,
    .request = &(struct duet_options){.rounds = 8, .seed = 1},
    .run = run,
};
