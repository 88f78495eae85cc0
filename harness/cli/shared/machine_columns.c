#include "harness/cli/shared/machine_columns.h"

#include "base/files/record.h"

/* The columns, and where the manifest has them. */
static const struct {
    const char *group, *key, *column;
} machine_columns[] = {{NULL, "started", "started"},
                       {NULL, "load", "load"},
                       {"cpu", "model", "cpu"},
                       {"cpu", "features", "cpu_features"},
                       {"cpu", "cores", "cores"},
                       {"cpu", "hypervisor", "hypervisor"},
                       {NULL, "kernel", "kernel"},
                       {"build", "commit", "commit"},
                       {"build", "dirty", "dirty"},
                       {"build", "compiler", "compiler"},
                       {"build", "flags", "compiler_flags"}};
enum { MACHINE_COLUMNS = sizeof machine_columns / sizeof *machine_columns };

void machine_csv_header(FILE *stream) {
    for (size_t i = 0; i < MACHINE_COLUMNS; i++)
        fprintf(stream, "%s%s", i ? "," : "", machine_columns[i].column);
}

static const cJSON *find(const cJSON *machine, size_t column) {
    const char *group = machine_columns[column].group;
    return cJSON_GetObjectItemCaseSensitive(group ? cJSON_GetObjectItemCaseSensitive(machine, group)
                                                  : machine,
                                            machine_columns[column].key);
}

void machine_csv(const cJSON *machine, FILE *stream) {
    for (size_t i = 0; i < MACHINE_COLUMNS; i++) {
        const cJSON *item = find(machine, i);
        if (i)
            fputc(',', stream);
        if (cJSON_IsNumber(item))
            record_csv_real(stream, item->valuedouble);
        else if (cJSON_IsBool(item))
            fputs(cJSON_IsTrue(item) ? "true" : "false", stream);
        else if (cJSON_IsString(item))
            record_csv_text(stream, item->valuestring);
    }
}
