#include "base/files/file.h"

#include "base/files/sink.h"
#include "base/files/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const size_t SIZE_LIMIT = (size_t)FILE_SIZE_LIMIT_GB << 30;

static enum status io_error(struct error *error, const char *path, const char *what) {
    if (errno == ENOMEM)
        return error_memory(error, path);
    return error_set(error, STATUS_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

/* --- reading ---------------------------------------------------------------------------------- */
/* O_NONBLOCK because opening a FIFO would otherwise block. */
static int open_path(const char *path, bool kept) {
    if (kept)
        return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
}

static enum status open_input(const char *path, bool kept, int *descriptor, size_t *expected,
                              struct error *error) {
    int opened = open_path(path, kept);
    struct stat stat;
    if (opened < 0)
        return io_error(error, path, "open for reading");
    if (fstat(opened, &stat) != 0) {
        close(opened);
        return io_error(error, path, "read the status of");
    }
    if (S_ISDIR(stat.st_mode)) {
        close(opened);
        return error_set(error, STATUS_IO, "%s: is a folder; expected a file", path);
    }
    if (kept && !S_ISREG(stat.st_mode)) {
        close(opened);
        return error_set(error, STATUS_IO, "%s: is not a regular file", path);
    }
    *descriptor = opened;
    *expected = S_ISREG(stat.st_mode) && stat.st_size > 0 ? (size_t)stat.st_size : 0;
    return STATUS_OK;
}

/* Makes room for more bytes and the NUL that follows them. */
static enum status grow(const char *path, struct file_text *text, size_t *capacity,
                        struct error *error) {
    if (text->size > SIZE_LIMIT)
        return error_set(error, STATUS_MEMORY, "%s: larger than the limit of %d GiB", path,
                         FILE_SIZE_LIMIT_GB);
    size_t wanted = *capacity * 2;
    char *grown = realloc(text->data, wanted);
    if (!grown)
        return error_memory(error, path);
    text->data = grown;
    *capacity = wanted;
    return STATUS_OK;
}

static enum status stream_error(gzFile stream, const char *path, struct error *error) {
    int code;
    const char *message = gzerror(stream, &code);
    if (code == Z_MEM_ERROR)
        return error_memory(error, path);
    if (code == Z_ERRNO)
        return io_error(error, path, "read");
    if (code == Z_BUF_ERROR)
        return error_set(error, STATUS_IO,
                         "%s: the file is incomplete: its gzip stream ends too early", path);
    const char *reason = strstr(message, ": "); /* skips zlib's "<fd:3>" */
    return error_set(error, STATUS_IO, "%s: the gzip stream is corrupt: %s", path,
                     reason ? reason + 2 : message);
}

/* A small gzip file could otherwise unpack to many gigabytes, for example of zeros. */
static enum status check_unpacking(gzFile stream, const char *path, size_t size,
                                   struct error *error) {
    z_off_t packed = gzoffset(stream);
    if (size >> 20 < FILE_UNPACK_FREE_MB || packed < 0 ||
        size / FILE_UNPACK_LIMIT <= (size_t)packed)
        return STATUS_OK;
    return error_set(
        error, STATUS_MEMORY,
        "%s: unpacks to more than %d times its size, which is the limit for gzip files", path,
        FILE_UNPACK_LIMIT);
}

static enum status read_stream(gzFile stream, const char *path, size_t expected,
                               struct file_text *text, struct error *error) {
    size_t capacity = (expected < SIZE_LIMIT ? expected : SIZE_LIMIT) + 4096;
    *text = (struct file_text){.data = malloc(capacity)};
    if (!text->data)
        return error_memory(error, path);
    for (;;) {
        if (text->size == capacity - 1) {
            enum status status = grow(path, text, &capacity, error);
            if (status)
                return status;
        }
        enum { CHUNK = 1 << 26 };
        size_t room = capacity - 1 - text->size;
        int got = gzread(stream, text->data + text->size, (unsigned)(room < CHUNK ? room : CHUNK));
        int code;
        gzerror(stream, &code);
        if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
            return stream_error(stream, path, error);
        if (got == 0)
            break;
        text->size += (size_t)got;
        enum status status = check_unpacking(stream, path, text->size, error);
        if (status)
            return status;
    }
    if (text->size > SIZE_LIMIT)
        return grow(path, text, &capacity, error);
    text->data[text->size] = '\0';
    return STATUS_OK;
}

static enum status read_path(const char *path, bool kept, struct file_text *text,
                             struct error *error) {
    *text = (struct file_text){0};
    int descriptor = -1;
    size_t expected = 0;
    enum status status = open_input(path, kept, &descriptor, &expected, error);
    if (status)
        return status;
    gzFile stream = gzdopen(descriptor, "rb");
    if (!stream) {
        close(descriptor);
        return error_memory(error, path);
    }
    gzbuffer(stream, 1 << 18);
    status = read_stream(stream, path, expected, text, error);
    gzclose_r(stream);
    if (status)
        file_text_free(text);
    return status;
}

enum status file_read(const char *path, struct file_text *text, struct error *error) {
    return read_path(path, false, text, error);
}

enum status file_read_kept(const char *path, struct file_text *text, struct error *error) {
    return read_path(path, true, text, error);
}

void file_text_free(struct file_text *text) {
    free(text->data);
    *text = (struct file_text){0};
}

void file_text_drop_mark(struct file_text *text) {
    static const char mark[] = "\xef\xbb\xbf";
    size_t length = sizeof mark - 1;
    if (text->size < length || memcmp(text->data, mark, length) != 0)
        return;
    text->size -= length;
    memmove(text->data, text->data + length, text->size + 1);
}

const char *file_foreign(const struct file_text *text) {
    static const struct {
        const char *begin;
        size_t size;
        const char *what;
    } kinds[] = {
        {"PK\3\4", 4, "a zip archive. Unpack it first (only gzip is read directly)"},
        {"BZh", 3, "packed with bzip2. Unpack it first (only gzip is read directly)"},
        {"\xfd"
         "7zXZ",
         5, "packed with xz. Unpack it first (only gzip is read directly)"},
        {"\x28\xb5\x2f\xfd", 4, "packed with zstd. Unpack it first (only gzip is read directly)"},
        {"\xff\xfe", 2, "text in UTF-16. Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"},
        {"\xfe\xff", 2, "text in UTF-16. Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"},
        {"PAR1", 4, "a Parquet file. Convert it to CSV or SVMlight text"},
        {"\x93NUMPY", 6, "a NumPy array. Convert it to CSV or SVMlight text"},
        {"\x80\x04\x95", 3,
         "a Python pickle, which only Python can read. Save the model with the function of its own "
         "library"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text->size >= kinds[i].size && memcmp(text->data, kinds[i].begin, kinds[i].size) == 0)
            return kinds[i].what;
    return NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */
static void forget(struct file_writer *writer) {
    free(writer->path);
    free(writer->target);
    *writer = (struct file_writer){0};
}

/* Finds the final path of the file. Symbolic links are followed and stay as they are. Anything but
 * a regular file (a device, a FIFO) is written to directly and has no target. */
static enum status find_target(struct file_writer *writer, bool *direct, struct error *error) {
    const char *path = writer->path;
    struct stat info;
    *direct = false;
    if (*path == '\0')
        return error_set(error, STATUS_IO, "the name of the output file is empty");
    if (stat(path, &info) != 0) {
        if (lstat(path, &info) == 0)
            return error_set(error, STATUS_IO, "%s: is a symbolic link whose target does not exist",
                             path);
        writer->target = strdup(path);
        return writer->target ? STATUS_OK : error_memory(error, path);
    }
    if (S_ISDIR(info.st_mode))
        return error_set(error, STATUS_IO, "%s: is a folder; expected a file", path);
    *direct = !S_ISREG(info.st_mode);
    if (*direct)
        return STATUS_OK;
    writer->target = realpath(path, NULL);
    return writer->target ? STATUS_OK : io_error(error, path, "resolve the path");
}

static bool is_folder(const char *path, size_t length) {
    char folder[PATH_MAX];
    struct stat info;
    snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    return stat(folder, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Explains why a file cannot be created. */
static enum status refuse_target(const struct file_writer *writer, int reason,
                                 struct error *error) {
    if (reason == ENOMEM)
        return error_memory(error, writer->path);
    const char *slash = strrchr(writer->target, '/');
    if (slash > writer->target && (reason == ENOENT || reason == ENOTDIR) &&
        !is_folder(writer->target, (size_t)(slash - writer->target)))
        return error_set(error, STATUS_IO, "%s: the folder %.*s does not exist", writer->path,
                         (int)(slash - writer->target), writer->target);
    errno = reason;
    return io_error(error, writer->path, "create a file in its folder");
}

static enum status open_descriptor(struct file_writer *writer, int *descriptor,
                                   struct error *error) {
    bool direct = strcmp(writer->path, "-") == 0;
    if (direct) {
        *descriptor = fflush(stdout) == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
        return *descriptor >= 0 ? STATUS_OK : io_error(error, "standard output", "write");
    }
    enum status status = find_target(writer, &direct, error);
    if (status)
        return status;
    if (direct) {
        *descriptor = open(writer->path, O_WRONLY | O_CLOEXEC);
        return *descriptor >= 0 ? STATUS_OK : io_error(error, writer->path, "open for writing");
    }
    int reason = temporary_create(writer->target, &writer->temporary, descriptor);
    if (reason == 0)
        return STATUS_OK;
    writer->temporary = NULL;
    return refuse_target(writer, reason, error);
}

static bool is_packed(const char *path) {
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

void file_suffix(const char *path, char suffix[static FILE_SUFFIX_SIZE]) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name) - (is_packed(name) ? 3 : 0), at = length;
    while (at > 0 && (at == length || name[at] != '.'))
        at--;
    snprintf(suffix, FILE_SUFFIX_SIZE, "%.*s", at > 0 ? (int)(length - at) : 0, name + at);
}

static enum status open_output(struct file_writer *writer, struct error *error) {
    int descriptor;
    enum status status = open_descriptor(writer, &descriptor, error);
    if (status)
        return status;
    writer->stream = sink_open(descriptor, is_packed(writer->path), &writer->sink);
    if (writer->stream)
        return STATUS_OK;
    close(descriptor);
    if (writer->temporary)
        temporary_remove(writer->temporary);
    return error_memory(error, writer->path);
}

enum status file_write_begin(struct file_writer *writer, const char *path, struct error *error) {
    *writer = (struct file_writer){.path = strdup(path)};
    enum status status = writer->path ? open_output(writer, error) : error_memory(error, path);
    if (status)
        forget(writer);
    return status;
}

enum status file_write_commit(struct file_writer *writer, struct error *error) {
    int cause = sink_close(writer->stream, writer->sink, writer->temporary != NULL);
    enum status status = STATUS_OK;
    if (cause) {
        if (writer->temporary)
            temporary_remove(writer->temporary);
        errno = cause;
        status =
            io_error(error, strcmp(writer->path, "-") ? writer->path : "standard output", "write");
    } else if (writer->temporary && !temporary_rename(writer->temporary, writer->target)) {
        status = io_error(error, writer->path, "rename the finished file");
    } else if (writer->target) {
        file_sync_folder(writer->target);
    }
    forget(writer);
    return status;
}

void file_write_abandon(struct file_writer *writer) {
    sink_close(writer->stream, writer->sink, false);
    if (writer->temporary)
        temporary_remove(writer->temporary);
    forget(writer);
}

void file_sync_folder(const char *path) {
    char *copy = strdup(path);
    int folder = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder >= 0) {
        (void)fsync(folder); /* some file systems do not support it, but the file is there */
        close(folder);
    }
    free(copy);
}

bool file_same(const char *a, const char *b) {
    struct stat of_a, of_b;
    if (stat(a, &of_a) != 0 || stat(b, &of_b) != 0)
        return strcmp(a, b) == 0;
    return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* --- folders ---------------------------------------------------------------------------------- */
static enum status make_directory(const char *path, struct error *error) {
    struct stat info;
    if (mkdir(path, 0777) == 0)
        return STATUS_OK;
    int reason = errno;
    if (stat(path, &info) != 0) {
        errno = reason;
        return io_error(error, path, "create the folder");
    }
    if (!S_ISDIR(info.st_mode))
        return error_set(error, STATUS_IO, "%s: is a file; expected a folder", path);
    return STATUS_OK;
}

enum status file_make_directories(const char *path, struct error *error) {
    char *partial = strdup(path);
    if (!partial)
        return error_memory(error, path);
    enum status status = STATUS_OK;
    for (char *at = partial; *at && !status; at++) {
        if (*at != '/' || at == partial)
            continue;
        *at = '\0';
        status = make_directory(partial, error);
        *at = '/';
    }
    if (!status)
        status = make_directory(partial, error);
    free(partial);
    return status;
}
