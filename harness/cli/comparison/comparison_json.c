#include "base/files/json.h"
#include "harness/cli/comparison/comparison_fields.h"

#include <errno.h>
#include <math.h>

/* The functions below ignore failed allocations, because json_if_whole finds them. */

static void add_text(void *context, const char *name, const char *value) {
    cJSON_AddStringToObject(context, name, value);
}

static void add_number(void *context, const char *name, double value) {
    if (isfinite(value))
        cJSON_AddNumberToObject(context, name, value);
    else
        cJSON_AddNullToObject(context, name);
}

static void add_boolean(void *context, const char *name, bool value) {
    cJSON_AddBoolToObject(context, name, value);
}

static struct field_sink sink_into(cJSON *object) {
    return (struct field_sink){add_text, add_number, add_boolean, object};
}

static void add_lines(cJSON *object, const struct comparison *c) {
    cJSON *array = cJSON_AddArrayToObject(object, "implementations");
    for (size_t i = 0; i < c->count; i++) {
        cJSON *line = cJSON_CreateObject();
        struct field_sink sink = sink_into(line);
        comparison_visit_line(c, &c->lines[i], &sink);
        cJSON_AddItemToArray(array, line);
    }
}

static cJSON *make(const struct comparison *c, const cJSON *machine) {
    errno = 0;
    cJSON *object = cJSON_CreateObject();
    struct field_sink sink = sink_into(object);
    cJSON_AddNumberToObject(object, "schema", COMPARISON_SCHEMA);
    cJSON_AddItemToObject(object, "machine", cJSON_Duplicate(machine, true));
    comparison_visit(c, &sink);
    add_lines(object, c);
    return json_if_whole(object);
}

enum status comparison_print_json(const struct comparison *c, const cJSON *machine, FILE *stream,
                                  struct error *error) {
    cJSON *object = make(c, machine);
    char *text = object ? cJSON_Print(object) : NULL;
    cJSON_Delete(object);
    if (!text)
        return error_memory(error, "the JSON of a comparison");
    fprintf(stream, "%s\n", text);
    cJSON_free(text);
    return STATUS_OK;
}
