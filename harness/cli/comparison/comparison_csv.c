/* One line of CSV per implementation. What holds for the whole comparison is repeated in each line,
 * so that files of several comparisons can be joined. */
#include "base/files/record.h"
#include "harness/cli/comparison/comparison_fields.h"

#include <math.h>

/* --- the header ------------------------------------------------------------------------------- */

static void name_text(void *context, const char *name, const char *value) {
    (void)value;
    fprintf(context, ",%s", name);
}

static void name_number(void *context, const char *name, double value) {
    (void)value;
    fprintf(context, ",%s", name);
}

static void name_boolean(void *context, const char *name, bool value) {
    (void)value;
    fprintf(context, ",%s", name);
}

/* --- values ----------------------------------------------------------------------------------- */

static void write_text(void *context, const char *name, const char *value) {
    (void)name;
    record_csv_append_text(context, value);
}

static void write_number(void *context, const char *name, double value) {
    (void)name;
    record_csv_append_real(context, value);
}

static void write_boolean(void *context, const char *name, bool value) {
    (void)name;
    record_csv_append_text(context, value ? "true" : "false");
}

/* --- fields ----------------------------------------------------------------------------------- */

/* Visits a member of the manifest. Unknown members are null. */
static void visit_machine_member(const cJSON *object, const char *key, const char *name,
                                 const struct field_sink *sink) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (cJSON_IsNumber(item))
        sink->number(sink->context, name, item->valuedouble);
    else if (cJSON_IsBool(item))
        sink->boolean(sink->context, name, cJSON_IsTrue(item));
    else
        sink->text(sink->context, name, cJSON_IsString(item) ? item->valuestring : "");
}

static void visit_machine(const cJSON *machine, const struct field_sink *sink) {
    const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(machine, "cpu");
    const cJSON *build = cJSON_GetObjectItemCaseSensitive(machine, "build");
    visit_machine_member(machine, "started", "started", sink);
    visit_machine_member(machine, "load", "load", sink);
    visit_machine_member(cpu, "model", "cpu", sink);
    visit_machine_member(cpu, "features", "cpu_features", sink);
    visit_machine_member(cpu, "cores", "cores", sink);
    visit_machine_member(cpu, "hypervisor", "hypervisor", sink);
    visit_machine_member(machine, "kernel", "kernel", sink);
    visit_machine_member(build, "commit", "commit", sink);
    visit_machine_member(build, "dirty", "dirty", sink);
    visit_machine_member(build, "compiler", "compiler", sink);
    visit_machine_member(build, "flags", "compiler_flags", sink);
}

static void visit_all(const struct comparison *c, const struct comparison_line *line,
                      const cJSON *machine, const struct field_sink *sink) {
    visit_machine(machine, sink);
    comparison_visit(c, sink);
    comparison_visit_line(c, line, sink);
}

void comparison_print_csv(const struct comparison *c, const cJSON *machine, FILE *stream) {
    const struct field_sink header = {name_text, name_number, name_boolean, stream};
    const struct field_sink values = {write_text, write_number, write_boolean, stream};
    fprintf(stream, "schema");
    visit_all(c, &c->lines[0], machine, &header);
    fprintf(stream, "\n");
    for (size_t i = 0; i < c->count; i++) {
        fprintf(stream, "%d", COMPARISON_SCHEMA);
        visit_all(c, &c->lines[i], machine, &values);
        fprintf(stream, "\n");
    }
}
