/* treebench merge: joins the shards of a run. */
#include "harness/artefacts/shard.h"
#include "harness/cli/shared/commands.h"

#include <stdio.h>

struct merge_options {
    struct flag_texts shards;
    const char *directory;
};

static const struct flag flags[] = {{"run", "DIR",
                                     "the folder of a part, as given to run --out; may be repeated",
                                     SETS_TEXTS(merge_options, shards), .required = true},
                                    {"out", "DIR", "the folder for the whole run",
                                     SETS_TEXT(merge_options, directory), .required = true},
                                    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct merge_options *options = parsed->request;
    struct merge_tally tally;
    enum status status = merge_shards(options->shards.items, options->shards.count,
                                      options->directory, command_show, &tally, error);
    if (status)
        return status;
    if (tally.again > 0)
        command_note("%zu results are in several parts. The first of each is used", tally.again);
    printf("merged %zu part%s: %zu cells", options->shards.count,
           options->shards.count == 1 ? "" : "s", tally.cells);
    for (size_t kind = 0; artefact_kinds[kind]; kind++)
        if (tally.items[kind] > 0)
            printf(", %zu %s", tally.items[kind], artefact_kinds[kind]->lines->things);
    printf("; %zu cells are missing\n", tally.missing);
    parsed->exit_status = tally.missing > 0 ? EXIT_INCONCLUSIVE : EXIT_DONE;
    return STATUS_OK;
}

const struct command command_merge = {
    .name = "merge",
    .summary = "join the parts of a run that run --shard measured",
    .details =
        "Writes one run from the folders of its parts. All parts must have the same processor, "
        "program, scale, clock, artefacts and data: times of different machines are never mixed. "
        "A result that several parts have is used once. Give the merged folder to report.\n"
        "\n"
        "Exit status 3: cells are missing. Continue their parts with run --shard --resume, and "
        "merge again.\n"
        "\n"
        "Example:\n"
        "  treebench run --scale smoke --only asadi2014-table2 --shard 1/2 --out part1\n"
        "  treebench run --scale smoke --only asadi2014-table2 --shard 2/2 --out part2\n"
        "  treebench merge --run part1 --run part2 --out whole\n"
        "  treebench report --run whole",
    .flags = flags,
    .request = &(struct merge_options){.directory = NULL},
    .run = run,
};
