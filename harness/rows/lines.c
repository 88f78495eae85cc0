#include "harness/rows/lines.h"

#include "base/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status io_error(const char *path, const char *what, struct error *error) {
    return error_set(error, STATUS_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static enum status open_file(struct lines *lines, struct error *error) {
    struct stat info;
    bool is_new = access(lines->path, F_OK) != 0;
    lines->descriptor =
        open(lines->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (lines->descriptor < 0)
        return io_error(lines->path, "open for appending", error);
    if (fstat(lines->descriptor, &info) != 0)
        return io_error(lines->path, "get the status of the file", error);
    if (!S_ISREG(info.st_mode))
        return error_set(error, STATUS_IO, "%s: not a regular file", lines->path);
    if (is_new)
        file_sync_folder(lines->path);
    return STATUS_OK;
}

static enum status lock(struct lines *lines, struct error *error) {
    if (flock(lines->descriptor, LOCK_EX | LOCK_NB) == 0)
        return STATUS_OK;
    if (errno == EWOULDBLOCK)
        return error_set(error, STATUS_INPUT,
                         "%s: another run is writing here. Wait until it ends, or give another "
                         "--out",
                         lines->path);
    return io_error(lines->path, "lock", error);
}

enum status lines_open(const char *directory, const char *file, struct lines *lines,
                       struct error *error) {
    *lines = (struct lines){.descriptor = -1};
    if (asprintf(&lines->path, "%s/%s", directory, file) < 0) {
        lines->path = NULL;
        return error_memory(error, directory);
    }
    enum status status = file_make_directories(directory, error);
    if (!status)
        status = open_file(lines, error);
    if (!status)
        status = lock(lines, error);
    if (status)
        lines_close(lines);
    return status;
}

enum status lines_refuse(const char *path, const char *what, struct error *error) {
    return error_set(
        error, STATUS_INPUT,
        "%s: holds %s already. Give --resume to continue that run, --again to rename it "
        "if it is finished and start anew, or another --out",
        path, what);
}

enum status lines_cut(struct lines *lines, size_t size, struct error *error) {
    lines->size = size;
    if (ftruncate(lines->descriptor, (off_t)size) != 0)
        return io_error(lines->path, "cut off the incomplete end", error);
    return STATUS_OK;
}

/* Locks the new file before the old file is closed, because a lock belongs to a file and not to its
 * name. */
enum status lines_replace(struct lines *lines, const char *text, size_t size, struct error *error) {
    struct file_writer writer;
    enum status status = file_write_begin(&writer, lines->path, error);
    if (status)
        return status;
    fwrite(text, 1, size, writer.stream);
    status = file_write_commit(&writer, error);
    if (status)
        return status;
    struct lines new = {.path = lines->path};
    status = open_file(&new, error);
    if (!status)
        status = lock(&new, error);
    close(lines->descriptor);
    lines->descriptor = new.descriptor;
    lines->size = size;
    return status;
}

static bool write_all(int descriptor, const char *text, size_t size) {
    while (size > 0) {
        ssize_t written = write(descriptor, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

enum status lines_append(struct lines *lines, const char *text, size_t size, const char *what,
                         struct error *error) {
    if (write_all(lines->descriptor, text, size) && fdatasync(lines->descriptor) == 0) {
        lines->size += size;
        return STATUS_OK;
    }
    char action[64];
    int cause = errno;
    snprintf(action, sizeof action, "append %s", what);
    errno = cause;
    enum status status = io_error(lines->path, action, error);
    lines_cut(lines, lines->size, NULL);
    return status;
}

void lines_close(struct lines *lines) {
    if (lines->descriptor >= 0)
        close(lines->descriptor);
    free(lines->path);
    *lines = (struct lines){.descriptor = -1};
}
