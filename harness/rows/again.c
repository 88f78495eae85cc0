#include "harness/rows/again.h"

#include "harness/rows/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ASIDE_MAX = 100000 };

/* Sets *has to true if the folder contains the file, and to false otherwise. */
static enum status has_file(const char *directory, const char *file, bool *has,
                            struct error *error) {
    char *path;
    if (asprintf(&path, "%s/%s", directory, file) < 0)
        return error_memory(error, directory);
    *has = access(path, F_OK) == 0;
    free(path);
    return STATUS_OK;
}

/* Fails if another process is writing to the folder. Such a folder must not be renamed. */
static enum status check_unused(const char *directory, struct error *error) {
    struct lines lines;
    enum status status = lines_open(directory, "rows.jsonl", &lines, error);
    if (!status)
        lines_close(&lines);
    return status;
}

/* Renames the folder to the first free name of DIR.1, DIR.2, ... */
static enum status set_aside(const char *directory, const char *reason, note_function *note,
                             struct error *error) {
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
            note_tell(note, "%s: %s. Renamed it to %s", directory, reason, aside);
        free(aside);
        if (moved)
            return STATUS_OK;
        if (!taken)
            return error_set(error, STATUS_IO, "%s: cannot rename the folder: %s", directory,
                             strerror(cause));
    }
    return error_set(error, STATUS_IO,
                     "%s: cannot rename the folder: the names %s.1 to %s.%d are taken. Remove some",
                     directory, directory, directory, ASIDE_MAX);
}

static enum status prepare(const char *directory, const cJSON *manifest, note_function *note,
                           bool *resume, struct error *error) {
    bool begun, finished = false;
    struct error reason;
    enum status status = has_file(directory, "manifest.json", &begun, error);
    if (!status && begun)
        status = has_file(directory, "rows.csv", &finished, error);
    if (!status && begun)
        status = check_unused(directory, error);
    if (status || !begun)
        return status;
    if (finished)
        return set_aside(directory, "holds a finished run", note, error);
    if (store_check_manifest(directory, manifest, &reason) != STATUS_OK)
        return set_aside(directory, "holds an unfinished run that this one cannot continue", note,
                         error);
    note_tell(note, "%s: continuing the unfinished run in this folder", directory);
    *resume = true;
    return STATUS_OK;
}

enum status again_open_store(const char *directory, enum again again, const cJSON *manifest,
                             note_function *note, bool *resume, struct store **store,
                             struct error *error) {
    enum status status = STATUS_OK;
    *resume = again == AGAIN_RESUME;
    if (again == AGAIN_EITHER)
        status = prepare(directory, manifest, note, resume, error);
    return status ? status : store_open(directory, *resume, manifest, note, store, error);
}
