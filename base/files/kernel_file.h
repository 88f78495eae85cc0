/* Reads the small files in which the kernel describes the machine: those of /proc and /sys. Nothing
 * is allocated. `root` is "" for the real files. Tests pass the folder of a made-up tree. */
#ifndef BASE_FILES_KERNEL_FILE_H
#define BASE_FILES_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the beginning of the file ROOT/path as a string of at most size - 1 bytes. Returns false,
 * and sets `text` to "", if the file cannot be read. */
bool kernel_file_read(const char *root, const char *path, char *text, size_t size);

/* The same, for only the first line without its newline. */
bool kernel_file_line(const char *root, const char *path, char *text, size_t size);

/* Reads the integer at the beginning of the file. Returns false, and leaves *value as it is, if
 * there is none. */
bool kernel_file_integer(const char *root, const char *path, int64_t *value);

/* Reads the number behind `key` in a file with lines such as "MemAvailable:   123 kB". Returns
 * false if there is none in the first 4 KiB. */
bool kernel_file_kilobytes(const char *root, const char *path, const char *key, int64_t *value);

/* The same in bytes, of the running system. NaN if there is none. */
double kernel_file_bytes(const char *path, const char *key);

/* Counts the members of a list such as "0-3,8". Returns 0 if it is malformed. */
unsigned kernel_list_count(const char *list);

/* Parses a size such as "48K", "1024K" or "32M" into bytes. Returns 0 if it is malformed. */
size_t kernel_size_parse(const char *text);

#endif
