#include "base/files/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

struct sink {
    int descriptor;
    gzFile packed; /* NULL if not packed */
    int cause;     /* errno of the first failure, 0 if none */
};

static void fail(struct sink *sink, int cause) {
    if (!sink->cause)
        sink->cause = cause ? cause : EIO;
}

static bool write_plain(struct sink *sink, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(sink->descriptor, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            fail(sink, errno);
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static bool write_packed(struct sink *sink, const char *bytes, size_t size) {
    errno = 0;
    if (size == 0 || gzwrite(sink->packed, bytes, (unsigned)size) > 0)
        return true;
    int cause = errno, code;
    gzerror(sink->packed, &code);
    fail(sink, code == Z_MEM_ERROR ? ENOMEM : cause);
    return false;
}

/* `size` fits an unsigned int because stdio's buffers are small. A return value of 0 means failure,
 * as fopencookie requires. */
static ssize_t write_some(void *data, const char *bytes, size_t size) {
    struct sink *sink = data;
    if (sink->cause)
        return 0;
    bool written = sink->packed ? write_packed(sink, bytes, size) : write_plain(sink, bytes, size);
    return written ? (ssize_t)size : 0;
}

static bool begin_packing(struct sink *sink) {
    int copy = dup(sink->descriptor);
    sink->packed = copy >= 0 ? gzdopen(copy, "wb") : NULL;
    if (copy >= 0 && !sink->packed)
        close(copy);
    return sink->packed;
}

FILE *sink_open(int descriptor, bool packed, struct sink **sink) {
    struct sink *opened = calloc(1, sizeof *opened);
    if (!opened)
        return NULL;
    opened->descriptor = descriptor;
    FILE *stream = NULL;
    if (!packed || begin_packing(opened))
        stream = fopencookie(opened, "w", (cookie_io_functions_t){.write = write_some});
    if (stream) {
        *sink = opened;
        return stream;
    }
    if (opened->packed)
        gzclose_w(opened->packed);
    free(opened);
    return NULL;
}

int sink_close(FILE *stream, struct sink *sink, bool sync) {
    bool failed = ferror(stream);
    errno = 0;
    if (fclose(stream) != 0 || failed)
        fail(sink, errno);
    errno = 0;
    if (sink->packed && gzclose_w(sink->packed) != Z_OK)
        fail(sink, errno);
    if (!sink->cause && sync && fsync(sink->descriptor) != 0)
        fail(sink, errno);
    if (close(sink->descriptor) != 0)
        fail(sink, errno);
    int cause = sink->cause;
    free(sink);
    return cause;
}
