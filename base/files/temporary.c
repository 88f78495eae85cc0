#include "base/files/temporary.h"

#include "base/cleanup.h"
#include "base/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Draws an unpredictable number from the system. base/random.h would give the same numbers in every
 * run. */
static bool draw(uint64_t *number) {
    return getrandom(number, sizeof *number, 0) == (ssize_t)sizeof *number;
}

/* Makes something that is not there yet. Returns a descriptor, or -1 with errno set. */
typedef int make_function(const char *path, const struct stat *like);

/* `target` may end in slashes. */
static int try_name(const char *target, make_function *make, const struct stat *like, char **path) {
    uint64_t number;
    size_t length = strlen(target);
    while (length > 1 && target[length - 1] == '/')
        length--;
    if (!draw(&number))
        return -1;
    if (asprintf(path, "%.*s.tmp.%016" PRIx64, (int)length, target, number) < 0) {
        errno = ENOMEM;
        return -1;
    }
    int opened = make(*path, like);
    if (opened < 0) {
        int reason = errno;
        free(*path);
        errno = reason;
    }
    return opened;
}

/* Signals must be held until everything that is made is registered for removal. */
static int create(const char *target, make_function *make, const struct stat *like, char **path,
                  int *descriptor) {
    enum { TRIES = 100 };
    sigset_t before;
    int opened = -1, reason = EEXIST;
    cleanup_hold_signals(&before);
    for (int i = 0; i < TRIES && opened < 0 && reason == EEXIST; i++) {
        opened = try_name(target, make, like, path);
        reason = opened < 0 ? errno : 0;
    }
    if (opened >= 0)
        cleanup_add_path(*path);
    cleanup_release_signals(&before);
    *descriptor = opened;
    return reason;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Gives a new file the permissions of `like`, but never lets a group in that could not read it. */
static void take_permissions(int descriptor, const struct stat *like) {
    struct stat info;
    mode_t mode = like->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    if (fstat(descriptor, &info) != 0)
        return;
    if (info.st_gid != like->st_gid && fchown(descriptor, (uid_t)-1, like->st_gid) != 0)
        mode &= ~(mode_t)S_IRWXG;
    (void)fchmod(descriptor, mode); /* if it fails, the file has fewer permissions */
}

static int make_file(const char *path, const struct stat *like) {
    enum { FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
    if (!S_ISREG(like->st_mode))
        return open(path, FLAGS, 0666);
    int opened = open(path, FLAGS, like->st_mode & S_IRWXU);
    if (opened >= 0)
        take_permissions(opened, like);
    return opened;
}

int temporary_create(const char *target, char **path, int *descriptor) {
    struct stat like = {.st_mode = 0};
    if (lstat(target, &like) != 0)
        like.st_mode = 0;
    return create(target, make_file, &like, path, descriptor);
}

bool temporary_rename(char *path, const char *target) {
    if (rename(path, target) == 0) {
        cleanup_drop_path(path);
        return true;
    }
    int reason = errno;
    temporary_remove(path);
    errno = reason;
    return false;
}

void temporary_remove(char *path) {
    unlink(path);
    cleanup_drop_path(path);
}

/* --- folders ---------------------------------------------------------------------------------- */

static int make_folder(const char *path, const struct stat *like) {
    (void)like;
    if (mkdir(path, S_IRWXU) != 0)
        return -1;
    int opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0) {
        int reason = errno;
        rmdir(path);
        errno = reason;
    }
    return opened;
}

/* Registers the files before they exist. Fails if memory runs out. */
static bool add_files(struct temporary_folder *folder) {
    for (size_t i = 0; i < folder->count; i++) {
        if (asprintf(&folder->files[i], "%s/%s", folder->path, folder->names[i]) < 0) {
            folder->files[i] = NULL;
            return false;
        }
        cleanup_add_path(folder->files[i]);
    }
    return true;
}

static int create_folder(const char *target, struct temporary_folder *folder) {
    sigset_t before;
    cleanup_hold_signals(&before);
    int reason = create(target, make_folder, NULL, &folder->path, &folder->descriptor);
    if (reason)
        folder->path = NULL;
    else if (!add_files(folder))
        reason = ENOMEM;
    cleanup_release_signals(&before);
    if (reason)
        temporary_folder_remove(folder);
    return reason;
}

static enum status make_beside(const char *target, struct temporary_folder *folder,
                               struct error *error) {
    char *copy = strdup(target);
    if (!copy)
        return error_memory(error, target);
    enum status status = file_make_directories(dirname(copy), error);
    free(copy);
    if (status)
        return status;
    int reason = create_folder(target, folder);
    if (reason == ENOMEM)
        return error_memory(error, target);
    return reason ? error_set(error, STATUS_IO, "%s: cannot create a folder beside it: %s", target,
                              strerror(reason))
                  : STATUS_OK;
}

/* Users keep paths of the folder's files in buffers of limited size. */
static enum status make_in_tmpdir(struct temporary_folder *folder, struct error *error) {
    char target[192];
    const char *named = getenv("TMPDIR"), *place = named && *named ? named : "/tmp";
    int length = snprintf(target, sizeof target, "%s/treebench", place);
    int reason = (size_t)length < sizeof target ? create_folder(target, folder) : ENAMETOOLONG;
    if (reason == ENOMEM)
        return error_memory(error, "a temporary folder");
    return reason ? error_set(error, STATUS_IO,
                              "cannot make a temporary folder in %.200s. Set TMPDIR to a folder "
                              "that is writable",
                              place)
                  : STATUS_OK;
}

enum status temporary_folder_make(const char *target, const char *const *names, size_t count,
                                  struct temporary_folder *folder, struct error *error) {
    *folder = (struct temporary_folder){.descriptor = -1, .names = names, .count = count};
    return target ? make_beside(target, folder, error) : make_in_tmpdir(folder, error);
}

static void forget(struct temporary_folder *folder) {
    for (size_t i = 0; i < folder->count; i++)
        cleanup_drop_path(folder->files[i]);
    cleanup_drop_path(folder->path);
    close(folder->descriptor);
    *folder = (struct temporary_folder){.descriptor = -1};
}

bool temporary_folder_rename(struct temporary_folder *folder, const char *target) {
    mode_t mask = umask(S_IRWXG | S_IRWXO);
    umask(mask);
    if (fchmod(folder->descriptor, 0777 & ~mask) == 0 && rename(folder->path, target) == 0) {
        forget(folder);
        return true;
    }
    int reason = errno;
    temporary_folder_remove(folder);
    errno = reason;
    return false;
}

/* By descriptor, in case another folder has got the name. */
void temporary_folder_remove(struct temporary_folder *folder) {
    if (!folder->path)
        return;
    for (size_t i = 0; i < folder->count; i++)
        unlinkat(folder->descriptor, folder->names[i], 0);
    rmdir(folder->path);
    forget(folder);
}
