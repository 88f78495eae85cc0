/* JSON on cJSON: strict reading with errors that name the file, the line and the key. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/* Parses a text that must be one JSON value and nothing behind it. `name` stands in errors.
 * cJSON recurses: a nesting over 1000 (its own limit) is refused. */
enum status json_parse(const char *name, const char *text, size_t size, cJSON **value,
                       struct error *error);
enum status json_read(const char *path, cJSON **value, struct error *error);

/* Returns `json`, made by cJSON's functions since errno was set to 0; when one of them had no
 * memory it is freed and NULL is returned. */
cJSON *json_if_whole(cJSON *json);

/* Members of an object. `name` stands in errors, as "NAME: KEY: what is wrong". The optional forms
 * leave *value as it is when the key is absent. */
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
