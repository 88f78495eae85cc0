#include "base/files/kernel_file.h"

#include "base/number.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool kernel_file_read(const char *root, const char *path, char *text, size_t size) {
    char whole[PATH_MAX];
    size_t used = 0;
    ssize_t got = 0;
    int length = snprintf(whole, sizeof whole, "%s%s", root, path);
    /* O_NONBLOCK, because a made-up tree may hold a FIFO */
    int file = length < (int)sizeof whole ? open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    while (file >= 0 && used < size - 1 && (got = read(file, text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    if (file >= 0)
        close(file);
    text[used] = '\0';
    return file >= 0 && got >= 0;
}

bool kernel_file_line(const char *root, const char *path, char *text, size_t size) {
    bool is_read = kernel_file_read(root, path, text, size);
    text[strcspn(text, "\n")] = '\0';
    return is_read;
}

bool kernel_file_integer(const char *root, const char *path, int64_t *value) {
    char text[32];
    int64_t found;
    const char *end;
    if (!kernel_file_line(root, path, text, sizeof text) ||
        !(end = number_parse_i64(text, text + strlen(text), &found)) || *end)
        return false;
    *value = found;
    return true;
}

unsigned kernel_list_count(const char *list) {
    const char *at = list, *end = list + strlen(list);
    uint64_t count = 0;
    while (at < end) {
        uint32_t first, last;
        if (!(at = number_parse_u32(at, end, &first)))
            return 0;
        last = first;
        if (*at == '-' && !(at = number_parse_u32(at + 1, end, &last)))
            return 0;
        if (last < first || (*at != ',' && *at != '\0'))
            return 0;
        count += (uint64_t)last - first + 1;
        at += *at == ',';
    }
    return count <= UINT_MAX ? (unsigned)count : 0;
}

size_t kernel_size_parse(const char *text) {
    uint32_t number;
    const char *unit = number_parse_u32(text, text + strlen(text), &number);
    if (!unit || (*unit && unit[1]))
        return 0;
    switch (*unit) {
    case '\0':
        return number;
    case 'K':
        return (size_t)number << 10;
    case 'M':
        return (size_t)number << 20;
    case 'G':
        return (size_t)number << 30;
    default:
        return 0;
    }
}

bool kernel_file_kilobytes(const char *root, const char *path, const char *key, int64_t *value) {
    char text[4096];
    kernel_file_read(root, path, text, sizeof text);
    const char *found = strstr(text, key);
    if (!found)
        return false;
    found += strlen(key);
    found += strspn(found, " \t");
    return number_parse_i64(found, found + strlen(found), value) != NULL;
}

double kernel_file_bytes(const char *path, const char *key) {
    int64_t kilobytes;
    return kernel_file_kilobytes("", path, key, &kilobytes) ? 1024.0 * (double)kilobytes
                                                            : (double)NAN;
}
