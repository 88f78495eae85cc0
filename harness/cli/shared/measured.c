#include "harness/cli/shared/measured.h"

#include "harness/cli/shared/command.h"

/* The columns of the machine, and where the manifest has them. */
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

static const cJSON *find(const cJSON *machine, size_t column) {
    const char *group = machine_columns[column].group;
    return cJSON_GetObjectItemCaseSensitive(group ? cJSON_GetObjectItemCaseSensitive(machine, group)
                                                  : machine,
                                            machine_columns[column].key);
}

static void write_machine(const cJSON *machine, FILE *stream) {
    for (size_t i = 0; i < MACHINE_COLUMNS; i++) {
        const cJSON *item = find(machine, i);
        fputc(',', stream);
        if (cJSON_IsNumber(item))
            record_csv_real(stream, item->valuedouble);
        else if (cJSON_IsBool(item))
            fputs(cJSON_IsTrue(item) ? "true" : "false", stream);
        else if (cJSON_IsString(item))
            record_csv_text(stream, item->valuestring);
    }
}

cJSON *measured_json(const struct measured *measured, const struct record *record,
                     const void *run) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "schema", measured->schema);
    cJSON_AddItemToObject(object, "machine", cJSON_Duplicate(measured->machine, true));
    record_add(object, record, run);
    return object;
}

void measured_csv_header(const struct record *const *records, FILE *stream) {
    fputs("schema", stream);
    for (size_t i = 0; i < MACHINE_COLUMNS; i++)
        fprintf(stream, ",%s", machine_columns[i].column);
    for (; *records; records++) {
        fputc(',', stream);
        record_csv_header(*records, stream);
    }
    fputc('\n', stream);
}

void measured_csv_line(const struct measured *measured, const struct measured_part *parts,
                       FILE *stream) {
    fprintf(stream, "%d", measured->schema);
    write_machine(measured->machine, stream);
    for (; parts->record; parts++) {
        fputc(',', stream);
        record_csv(parts->record, parts->of, stream);
    }
    fputc('\n', stream);
}

int row_exit_status(const struct row *row, bool is_named) {
    if (row->status == ROW_WRONG)
        return EXIT_CHECK;
    if (row->status == ROW_FAILED)
        return EXIT_USAGE;
    return row->status == ROW_UNSUPPORTED && is_named ? EXIT_MACHINE : EXIT_DONE;
}
