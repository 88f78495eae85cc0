/* treebench submit: writes an entry of the atlas. */
#include "base/note.h"
#include "harness/cli/shared/commands.h"
#include "harness/tuning/atlas.h"

#include <stdio.h>
#include <stdlib.h>

struct submit_options {
    const char *run, *check, *folder;
};

static const struct flag flags[] = {
    {"run", "DIR", "the run's folder, as given to run --out", SETS_TEXT(submit_options, run)},
    {"out", "DIR", "the folder for the entry (default: results/atlas)",
     SETS_TEXT(submit_options, folder)},
    {"check", "FILE", "only check this entry, and print it on one line",
     SETS_TEXT(submit_options, check)},
    {0}};

static enum status submit(const struct submit_options *options, struct error *error) {
    struct rows rows;
    struct row_index index = {.count = 0};
    cJSON *entry = NULL;
    char name[ATLAS_NAME_SIZE];
    enum status status = store_load(options->run, &rows, error);
    if (status)
        return status;
    status = row_index_make(&rows, &index, error);
    if (!status)
        status = atlas_entry_make(&index, &entry, name, error);
    if (!status)
        status = atlas_entry_write(options->folder, name, entry, error);
    if (!status)
        print_line(stdout, "%s/%s", options->folder, name);
    cJSON_Delete(entry);
    row_index_free(&index);
    rows_free(&rows);
    return status;
}

/* Prints what was read, not the text of the file, so that readers of the output meet no other JSON
 * than ours. */
static enum status check(const char *path, struct error *error) {
    cJSON *entry;
    enum status status = atlas_entry_read(path, &entry, error);
    if (status)
        return status;
    char *text = cJSON_PrintUnformatted(entry);
    cJSON_Delete(entry);
    if (!text)
        return error_memory(error, path);
    puts(text);
    free(text);
    return STATUS_OK;
}

static enum status run(struct parsed *parsed, struct error *error) {
    const struct submit_options *options = parsed->request;
    if (!options->run == !options->check)
        return error_set(error, STATUS_INPUT, "submit: give --run DIR or --check FILE");
    return options->run ? submit(options, error) : check(options->check, error);
}

const struct command command_submit = {
    .name = "submit",
    .summary = "write what was fastest in a run, as an entry of the atlas",
    .details =
        "The entry is one JSON file: the processor, the build, and for each workload the winner, "
        "how much slower the second is, and how much slower auto is. It names no host and no user. "
        "`make atlas` makes a page of all entries in results/atlas. An entry has a checksum, so "
        "that a damaged one is noticed.\n"
        "\n"
        "Example:\n"
        "  treebench submit --run results/quick",
    .flags = flags,
    .request = &(struct submit_options){.folder = "results/atlas"},
    .run = run,
};
