/* Temporary files and folders that get their final name when they are complete. Nobody can guess
 * their names, symbolic links are not followed, and a fatal signal removes them (cleanup.h). */
#ifndef BASE_FILES_TEMPORARY_H
#define BASE_FILES_TEMPORARY_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Creates TARGET.tmp.RANDOM, a new empty file. If `target` is a regular file, the new file gets its
 * permissions. Sets *path to the file's name and *descriptor to a descriptor for writing. Returns 0
 * or an errno. */
int temporary_create(const char *target, char **path, int *descriptor);

/* temporary_rename and temporary_remove take ownership of `path`. If renaming fails,
 * temporary_rename removes the file, sets errno and returns false. */
bool temporary_rename(char *path, const char *target);
void temporary_remove(char *path);

enum { TEMPORARY_FILES_MAX = 8 };

/* A folder that only this user may enter, and the files that it may hold. */
struct temporary_folder {
    char *path; /* NULL: none */
    int descriptor;
    char *files[TEMPORARY_FILES_MAX]; /* paths */
    const char *const *names;
    size_t count;
};

/* Makes the folder TARGET.tmp.RANDOM and the folders above it, or if `target` is NULL, a folder in
 * TMPDIR. Only the files with these names are removed with it. `names` must outlive the folder. */
enum status temporary_folder_make(const char *target, const char *const *names, size_t count,
                                  struct temporary_folder *folder, struct error *error);

/* Gives the folder its final name and the permissions of other new folders. `target` must not
 * exist. If this fails, removes the folder, sets errno and returns false. */
bool temporary_folder_rename(struct temporary_folder *folder, const char *target);

/* Removes the folder and its files. Does nothing if there is none. */
void temporary_folder_remove(struct temporary_folder *folder);

#endif
