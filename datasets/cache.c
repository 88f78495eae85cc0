#include "datasets/cache.h"

#include "base/files/mapping.h"
#include "base/memory.h"
#include "base/origin.h"
#include "datasets/format.h"
#include "models/ensemble.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "query_row is mapped as it is");

/* Chosen like PNG's magic number: no text begins with it, and a transfer that converts line ends
 * changes it. */
static const char MAGIC[8] = {'\x89', 'T', 'B', 'D', '\r', '\n', '\x1a', '\n'};
enum { BYTE_ORDER_MARK = 0x01020304, VERSION = 2, ALIGNMENT = MEMORY_ALIGNMENT };
enum { HAS_LABELS = 1, HAS_QUERIES = 2, WAS_TABLE = 4, HAS_ORIGIN = 8, KNOWN_FLAGS = 15 };

struct header {
    char magic[8];
    uint32_t byte_order, version;
    uint64_t file_size;
    uint64_t n_rows, n_queries, stride;
    uint32_t n_features, flags;
    uint32_t checksum; /* CRC-32 of the whole file with this field zero */
    uint32_t origin;   /* bits of base/origin.h, if the flags have HAS_ORIGIN */
    uint64_t names_size;
    uint32_t more_reserved[14];
    char note[MATRIX_NOTE_SIZE]; /* NUL-terminated and padded with zeros */
};
_Static_assert(sizeof(struct header) == 256, "the layout is fixed");

/* --- layout ----------------------------------------------------------------------------------- */
enum { PARTS = 5 };
struct part {
    size_t offset, size;
};
struct layout {
    struct part values, labels, query_row, query_id, names;
    size_t file_size;
};

/* Places a part of count * size bytes after the parts placed so far. Returns false on overflow. */
static bool place(struct layout *layout, struct part *part, size_t count, size_t size) {
    size_t offset = (layout->file_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!memory_multiply(count, size, &part->size) || part->size > SIZE_MAX / 2 - offset)
        return false;
    part->offset = offset;
    layout->file_size = offset + part->size;
    return true;
}

/* Places all parts of a cache. Returns false if the sizes overflow or the header is inconsistent.
 */
static bool lay_out(const struct header *header, struct layout *layout) {
    size_t labels = header->flags & HAS_LABELS ? header->n_rows : 0;
    size_t queries = header->n_queries, with_queries = (header->flags & HAS_QUERIES) != 0;
    size_t floats;
    *layout = (struct layout){.file_size = sizeof *header};
    return queries <= header->n_rows && header->n_rows < SIZE_MAX / 2 &&
           memory_multiply(header->n_rows, header->stride, &floats) &&
           place(layout, &layout->values, floats, sizeof(float)) &&
           place(layout, &layout->labels, labels, sizeof(float)) &&
           place(layout, &layout->query_row, with_queries * (queries + 1), sizeof(uint64_t)) &&
           place(layout, &layout->query_id, with_queries * queries, sizeof(int64_t)) &&
           place(layout, &layout->names, header->names_size, 1);
}

/* --- writing ---------------------------------------------------------------------------------- */
/* Names are stored only if all columns have one. Columns that the caller requested have none. */
static size_t names_size(const struct matrix *matrix) {
    return matrix->n_named == matrix->n_features ? matrix->column_names_size : 0;
}

static struct header describe(const struct matrix *matrix, struct layout *layout) {
    struct header header = {.byte_order = BYTE_ORDER_MARK,
                            .version = VERSION,
                            .n_rows = matrix->n_rows,
                            .n_queries = matrix->query_id ? matrix->n_queries : 0,
                            .stride = matrix->stride,
                            .n_features = matrix->n_features,
                            .names_size = names_size(matrix),
                            .flags = (matrix->labels ? HAS_LABELS : 0) |
                                     (matrix->query_id ? HAS_QUERIES : 0) |
                                     (matrix->columns != COLUMNS_NUMBERED ? WAS_TABLE : 0) |
                                     (matrix->origin || matrix->note[0] ? HAS_ORIGIN : 0),
                            .origin = matrix->origin};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    memcpy(header.note, matrix->note, strlen(matrix->note));
    lay_out(&header, layout); /* an existing matrix cannot overflow */
    header.file_size = layout->file_size;
    return header;
}

struct chunk {
    const void *data;
    struct part part;
};

static void list_chunks(const struct matrix *matrix, const struct layout *layout,
                        struct chunk chunks[PARTS]) {
    chunks[0] = (struct chunk){matrix->values, layout->values};
    chunks[1] = (struct chunk){matrix->labels, layout->labels};
    chunks[2] = (struct chunk){matrix->query_row, layout->query_row};
    chunks[3] = (struct chunk){matrix->query_id, layout->query_id};
    chunks[4] = (struct chunk){matrix->column_names, layout->names};
}

static const char ZEROS[ALIGNMENT];

static uint32_t extend_checksum(uint32_t sum, const void *data, size_t size) {
    /* crc32 of a NULL pointer would restart the sum */
    return size ? (uint32_t)crc32_z(sum, data, size) : sum;
}

static enum status write_cache(const struct matrix *matrix, FILE *stream, struct error *error) {
    (void)error;
    struct layout layout;
    struct chunk chunks[PARTS];
    struct header header = describe(matrix, &layout);
    list_chunks(matrix, &layout, chunks);

    uint32_t sum = extend_checksum(0, &header, sizeof header);
    size_t at = sizeof header;
    for (size_t i = 0; i < PARTS; i++) {
        sum = extend_checksum(sum, ZEROS, chunks[i].part.offset - at);
        sum = extend_checksum(sum, chunks[i].data, chunks[i].part.size);
        at = chunks[i].part.offset + chunks[i].part.size;
    }
    header.checksum = sum;

    fwrite(&header, sizeof header, 1, stream);
    at = sizeof header;
    for (size_t i = 0; i < PARTS; i++) {
        fwrite(ZEROS, 1, chunks[i].part.offset - at, stream);
        if (chunks[i].part.size)
            fwrite(chunks[i].data, 1, chunks[i].part.size, stream);
        at = chunks[i].part.offset + chunks[i].part.size;
    }
    return STATUS_OK;
}

/* --- reading: the file ------------------------------------------------------------------------ */
bool cache_begins(const char *bytes, size_t size) {
    return size >= sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0;
}

static enum status refuse(struct error *error, const char *name, const char *what) {
    return error_set(error, STATUS_INPUT, "%s: %s. Recreate the cache with treebench convert", name,
                     what);
}

/* Checks that the sizes agree with each other and with the size of the file. */
static enum status check_sizes(const char *name, const struct header *header, size_t size,
                               struct layout *layout, struct error *error) {
    enum { FLOATS_PER_LINE = MEMORY_ALIGNMENT / sizeof(float) };
    if (header->file_size != size)
        return error_set(
            error, STATUS_INPUT,
            "%s: the file is incomplete: the cache should have %llu bytes, but has %zu", name,
            (unsigned long long)header->file_size, size);
    if (header->flags & ~(uint32_t)KNOWN_FLAGS)
        return refuse(error, name, "the cache's header has unknown flags");
    if (header->n_features > ENSEMBLE_MAX_FEATURES)
        return refuse(error, name, "the cache's header has too many features");
    if ((header->n_queries > 0) != ((header->flags & HAS_QUERIES) != 0))
        return refuse(error, name, "the cache's header is inconsistent about queries");
    if (header->n_rows && !header->n_features && !(header->flags & HAS_LABELS))
        return refuse(error, name, "the cache's documents have neither features nor labels");
    uint64_t lines = ((uint64_t)header->n_features + FLOATS_PER_LINE - 1) / FLOATS_PER_LINE;
    if (header->stride != lines * FLOATS_PER_LINE || !lay_out(header, layout) ||
        layout->file_size != size)
        return refuse(error, name, "the sizes in the cache's header are inconsistent");
    if (layout->values.size > (size_t)MATRIX_LIMIT_GB << 30)
        return error_set(error, STATUS_MEMORY, "%s: exceeds the limit of %d GiB", name,
                         MATRIX_LIMIT_GB);
    return STATUS_OK;
}

static uint32_t checksum_of(const struct header *header, const char *bytes, size_t size) {
    struct header without = *header;
    without.checksum = 0;
    uint32_t sum = extend_checksum(0, &without, sizeof without);
    return extend_checksum(sum, bytes + sizeof *header, size - sizeof *header);
}

static bool is_note(const char note[static MATRIX_NOTE_SIZE]) {
    size_t length = 0;
    while (length < MATRIX_NOTE_SIZE && (unsigned char)note[length] >= ' ' && note[length] != 0x7f)
        length++;
    return length < MATRIX_NOTE_SIZE && note[length] == '\0';
}

/* Caches of earlier versions have a note alone. */
static unsigned origin_of(const struct header *header) {
    if (header->flags & HAS_ORIGIN)
        return header->origin;
    return is_note(header->note) ? origin_of_documents_note(header->note) : 0;
}

unsigned cache_read_origin(const char *path) {
    struct header header;
    FILE *stream = fopen(path, "rb");
    bool is_whole = stream && fread(&header, sizeof header, 1, stream) == 1;
    if (stream)
        fclose(stream);
    return is_whole ? origin_of(&header) : 0;
}

static enum status check_file(const char *name, const char *bytes, size_t size,
                              struct header *header, struct layout *layout, struct error *error) {
    if (size < sizeof *header)
        return error_set(error, STATUS_INPUT,
                         "%s: the file is incomplete: it ends inside the header of the cache",
                         name);
    memcpy(header, bytes, sizeof *header);
    if (header->byte_order != BYTE_ORDER_MARK)
        return refuse(error, name, "the cache was written on a machine with another byte order");
    if (header->version != VERSION)
        return error_set(error, STATUS_INPUT,
                         "%s: the cache has version %u, but this program reads version %d. "
                         "Recreate it with treebench convert",
                         name, header->version, VERSION);
    enum status status = check_sizes(name, header, size, layout, error);
    if (status)
        return status;
    if (checksum_of(header, bytes, size) != header->checksum)
        return refuse(error, name,
                      "the checksum is wrong, so the cache is corrupt or was modified");
    if (!is_note(header->note))
        return refuse(error, name, "the note in the cache's header is not a line of text");
    if (header->origin > ORIGIN_ALL || (header->origin && !(header->flags & HAS_ORIGIN)))
        return refuse(error, name, "the origin in the cache's header is unknown");
    return STATUS_OK;
}

/* --- reading: what is in it ------------------------------------------------------------------- */
/* Is there one name per feature? */
static bool are_names(const struct matrix *matrix) {
    uint32_t count = 0;
    const char *at = matrix->column_names, *end = at + matrix->column_names_size;
    for (; at < end && count <= matrix->n_named; count++) {
        const char *nul = memchr(at, '\0', (size_t)(end - at));
        if (!nul)
            return false;
        at = nul + 1;
    }
    return at == end && count == matrix->n_named;
}

/* Checks the content, because a correct checksum only shows that the file is unchanged since it was
 * written. */
static const char *find_fault(const struct matrix *matrix) {
    for (size_t row = 0; row < matrix->n_rows; row++) {
        const float *values = matrix_row(matrix, row);
        for (size_t i = matrix->n_features; i < matrix->stride; i++)
            if (values[i] != 0)
                return "the padding of a document is not zero";
    }
    for (size_t row = 0; matrix->labels && row < matrix->n_rows; row++)
        if (!isfinite(matrix->labels[row]))
            return "a label is not finite";
    if (matrix->column_names && !are_names(matrix))
        return "the number of names differs from the number of features";
    if (!matrix->query_row)
        return NULL;
    if (matrix->query_row[0] != 0 || matrix->query_row[matrix->n_queries] != matrix->n_rows)
        return "the queries do not cover the documents";
    for (size_t i = 0; i < matrix->n_queries; i++)
        if (matrix->query_row[i] >= matrix->query_row[i + 1])
            return "a query has no documents";
    return NULL;
}

static enum matrix_columns columns_of(const struct header *header) {
    return header->flags & WAS_TABLE ? COLUMNS_BY_POSITION : COLUMNS_NUMBERED;
}

static const void *part_at(const char *bytes, const struct part *part) {
    return part->size ? bytes + part->offset : NULL;
}

/* Creates a matrix whose arrays are in the memory `bytes`, which must be aligned. */
static struct matrix *matrix_on(char *bytes, const struct header *header,
                                const struct layout *layout) {
    struct matrix *matrix = calloc(1, sizeof *matrix);
    if (!matrix)
        return NULL;
    *matrix = (struct matrix){.n_rows = header->n_rows,
                              .n_features = header->n_features,
                              .n_named = header->n_features,
                              .stride = header->stride,
                              .values = (float *)(void *)(bytes + layout->values.offset),
                              .labels = (float *)part_at(bytes, &layout->labels),
                              .query_row = (size_t *)part_at(bytes, &layout->query_row),
                              .query_id = (int64_t *)part_at(bytes, &layout->query_id),
                              .n_queries = header->n_queries,
                              .column_names = (char *)part_at(bytes, &layout->names),
                              .column_names_size = header->names_size,
                              .columns = columns_of(header),
                              .mapping = bytes,
                              .mapping_size = layout->file_size};
    memcpy(matrix->note, header->note, sizeof matrix->note);
    matrix->origin = origin_of(header);
    return matrix;
}

/* Copies a part to newly allocated memory. NULL if the part is empty. */
static void *copy_part(const char *bytes, const struct part *part, bool *failed) {
    if (!part->size)
        return NULL;
    void *copy = malloc(part->size);
    if (copy)
        memcpy(copy, bytes + part->offset, part->size);
    *failed |= !copy;
    return copy;
}

static enum status copy_matrix(const char *bytes, const struct header *header,
                               const struct layout *layout, const struct data_reading *reading,
                               struct matrix **matrix, struct error *error) {
    uint32_t n_features =
        header->n_features > reading->n_features ? header->n_features : reading->n_features;
    enum status status = matrix_create(header->n_rows, n_features, matrix, error);
    if (status)
        return status;
    struct matrix *copy = *matrix;
    bool failed = false;
    copy->labels = copy_part(bytes, &layout->labels, &failed);
    copy->query_row = copy_part(bytes, &layout->query_row, &failed);
    copy->query_id = copy_part(bytes, &layout->query_id, &failed);
    copy->n_queries = header->n_queries;
    copy->column_names = copy_part(bytes, &layout->names, &failed);
    copy->column_names_size = header->names_size;
    copy->columns = columns_of(header);
    copy->n_named = header->n_features;
    memcpy(copy->note, header->note, sizeof copy->note);
    copy->origin = origin_of(header);
    const char *row_bytes = bytes + layout->values.offset;
    for (size_t row = 0; row < header->n_rows; row++) {
        float *to = matrix_row(copy, row);
        memcpy(to, row_bytes + row * header->stride * sizeof(float),
               header->stride * sizeof(float));
        for (uint32_t i = header->n_features; i < n_features; i++)
            to[i] = reading->missing;
    }
    return failed ? error_memory(error, "the documents") : STATUS_OK;
}

static enum status check_matrix(const char *name, struct matrix **matrix, struct error *error) {
    const char *fault = find_fault(*matrix);
    if (!fault)
        return STATUS_OK;
    matrix_free(*matrix);
    *matrix = NULL;
    return refuse(error, name, fault);
}

static enum status read_cache(const char *name, const char *text, size_t size,
                              const struct data_reading *reading, struct matrix **matrix,
                              struct error *error) {
    *matrix = NULL;
    struct header header;
    struct layout layout;
    enum status status = check_file(name, text, size, &header, &layout, error);
    if (!status)
        status = copy_matrix(text, &header, &layout, reading, matrix, error);
    if (!status)
        return check_matrix(name, matrix, error);
    matrix_free(*matrix);
    *matrix = NULL;
    return status;
}

/* --- mapping ---------------------------------------------------------------------------------- */
static int open_cache(const char *path, size_t *size) {
    char magic[sizeof MAGIC];
    struct stat info;
    /* A pipe is not opened, because closing it again would end the program that writes to it. */
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return -1;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return -1;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
        pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
        cache_begins(magic, sizeof magic)) {
        *size = (size_t)info.st_size;
        return file;
    }
    close(file);
    return -1;
}

bool cache_is_file(const char *path) {
    size_t size;
    int file = open_cache(path, &size);
    if (file < 0)
        return false;
    close(file);
    return true;
}

enum status cache_map(const char *path, const struct data_reading *reading, struct matrix **matrix,
                      struct error *error) {
    *matrix = NULL;
    size_t size;
    int file = open_cache(path, &size);
    if (file < 0)
        return error_set(error, STATUS_IO, "%s: cannot open the cache: %s", path, strerror(errno));
    char *bytes = mapping_open(file, size, path);
    int reason = errno;
    close(file);
    errno = reason;
    if (!bytes)
        return error_set(error, STATUS_IO, "%s: cannot map the cache: %s", path, strerror(errno));
    struct header header;
    struct layout layout;
    enum status status = check_file(path, bytes, size, &header, &layout, error);
    bool wide_enough = !status && header.n_features >= reading->n_features;
    if (!status && wide_enough) {
        *matrix = matrix_on(bytes, &header, &layout);
        if (*matrix)
            return check_matrix(path, matrix, error);
        status = error_memory(error, "the documents");
    } else if (!status) {
        status = read_cache(path, bytes, size, reading, matrix, error);
    }
    mapping_close(bytes, size);
    return status;
}

const struct data_format data_format_cache = {
    .name = "cache",
    .title = "binary cache, mapped into memory",
    .read = read_cache,
    .write = write_cache,
};
