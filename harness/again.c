#include "harness/again.h"

#include "harness/command.h"
#include "harness/lines.h"
#include "harness/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ASIDE_MAX = 100000 };

/* Does the folder have that file? */
static enum status has_file(const char *directory, const char *file, bool *has,
                            struct error *error) {
    char *path;
    if (asprintf(&path, "%s/%s", directory, file) < 0)
        return error_memory(error, directory);
    *has = access(path, F_OK) == 0;
    free(path);
    return STATUS_OK;
}

/* The folder's files must not be moved while they are written. */
static enum status check_unused(const char *directory, struct error *error) {
    struct lines lines;
    enum status status = lines_open(directory, "rows.jsonl", &lines, error);
    if (status == STATUS_OK)
        lines_close(&lines);
    return status;
}

/* Renames the folder to the first name that is free. */
static enum status set_aside(const char *directory, const char *reason, struct error *error) {
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    for (int i = 1; i <= ASIDE_MAX; i++) {
        char *aside;
        if (asprintf(&aside, "%.*s.%d", (int)length, directory, i) < 0)
            return error_memory(error, directory);
        bool taken = access(aside, F_OK) == 0;
        bool moved = !taken && rename(directory, aside) == 0;
        int cause = errno;
        if (moved)
            command_note("%s: %s; it is now %s", directory, reason, aside);
        free(aside);
        if (moved)
            return STATUS_OK;
        if (!taken)
            return error_set(error, STATUS_IO, "%s: cannot set aside: %s", directory,
                             strerror(cause));
    }
    return error_set(error, STATUS_IO, "%s: cannot set aside: %d folders are there already",
                     directory, ASIDE_MAX);
}

static enum status prepare(const char *directory, const cJSON *manifest, bool *resume,
                           struct error *error) {
    bool begun, finished = false;
    struct error reason;
    enum status status = has_file(directory, "manifest.json", &begun, error);
    if (status == STATUS_OK && begun)
        status = has_file(directory, "rows.csv", &finished, error);
    if (status == STATUS_OK && begun)
        status = check_unused(directory, error);
    if (status != STATUS_OK || !begun)
        return status;
    if (finished)
        return set_aside(directory, "holds a finished run", error);
    if (store_check_manifest(directory, manifest, &reason) != STATUS_OK)
        return set_aside(directory, "holds an unfinished run that this one cannot continue", error);
    command_note("%s: holds an unfinished run, which goes on", directory);
    *resume = true;
    return STATUS_OK;
}

enum status again_prepare(const char *directory, enum again again, const cJSON *manifest,
                          bool *resume, struct error *error) {
    *resume = again == AGAIN_RESUME;
    return again == AGAIN_EITHER ? prepare(directory, manifest, resume, error) : STATUS_OK;
}

enum status again_parse(const char *resume, const char *again, enum again *parsed,
                        struct error *error) {
    if (resume && again)
        return error_set(error, STATUS_INPUT, "--resume and --again exclude each other");
    *parsed = resume ? AGAIN_RESUME : again ? AGAIN_EITHER : AGAIN_REFUSE;
    return STATUS_OK;
}
