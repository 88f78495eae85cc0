/* Strict JSON reading on top of cJSON. Errors name the file, and the line or the key. */
#ifndef BASE_FILES_JSON_H
#define BASE_FILES_JSON_H

#include "base/status.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

/* Parses a text that holds exactly one JSON value. `name` is used in errors. Nesting deeper than
 * 1000 levels, cJSON's own limit, is rejected because cJSON recurses. */
enum status json_parse(const char *name, const char *text, size_t size, cJSON **value,
                       struct error *error);
enum status json_read(const char *path, cJSON **value, struct error *error);

/* Checks that no allocation failed while `json` was built. The caller must set errno to 0 before
 * building. Returns `json`, or frees it and returns NULL if a cJSON function ran out of memory. */
cJSON *json_if_whole(cJSON *json);

/* Prints the text of `json`, indented, and frees `json`. NULL stands for a lack of memory. */
enum status json_print(cJSON *json, FILE *stream, struct error *error);

/* Writes the text of `json`, indented, to a file (file_write_begin). */
enum status json_write(const char *path, const cJSON *json, struct error *error);

/* Checks that `object` is an object, and that every key of it is in `allowed`, which ends with
 * NULL. `docs` is the page that lists the keys. An error suggests the closest key. */
enum status json_check_keys(const char *name, const cJSON *object, const char *const *allowed,
                            const char *docs, struct error *error);

/* Read one member of an object. Errors read "NAME: KEY: what is wrong". On errors, *value is
 * unchanged. */
enum status json_get_string(const char *name, const cJSON *object, const char *key,
                            const char **value, struct error *error);
enum status json_get_number(const char *name, const cJSON *object, const char *key, double low,
                            double high, double *value, struct error *error);
enum status json_get_u32(const char *name, const cJSON *object, const char *key, uint32_t low,
                         uint32_t high, uint32_t *value, struct error *error);
enum status json_get_array(const char *name, const cJSON *object, const char *key,
                           const cJSON **value, struct error *error);
enum status json_get_object(const char *name, const cJSON *object, const char *key,
                            const cJSON **value, struct error *error);

#endif
