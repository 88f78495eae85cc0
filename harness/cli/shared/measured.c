#include "harness/cli/shared/measured.h"

#include "base/files/json.h"
#include "harness/cli/shared/command.h"
#include "harness/instruments/machine.h"

#include <errno.h>
#include <math.h>

struct measured_inputs measured_inputs_of(const struct input_files *files,
                                          const struct inputs *inputs) {
    return (struct measured_inputs){.model = files->model,
                                    .data = files->data,
                                    .documents = inputs->documents->n_rows,
                                    .features = inputs->documents->n_features,
                                    .trees = inputs->ensemble->n_trees,
                                    .load_ns = inputs->load_ns};
}

struct progress measured_progress;

void measured_note(const char *line) {
    progress_clear(&measured_progress);
    command_show(line);
}

/* --- forms ------------------------------------------------------------------------------------ */

enum measured_form measured_form_of(bool json, bool csv, bool markdown) {
    return json       ? MEASURED_JSON
           : csv      ? MEASURED_CSV
           : markdown ? MEASURED_MARKDOWN
                      : MEASURED_TABLE;
}

enum status measured_describe_machine(struct measured_output *output, struct error *error) {
    if (output->form == MEASURED_TABLE)
        return STATUS_OK;
    output->machine = machine_manifest();
    return output->machine ? STATUS_OK : error_memory(error, "the machine's description");
}

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

static void write_header(const struct measured *m) {
    FILE *stream = m->output->stream;
    const struct record *const records[] = {m->run_record, m->line_record, m->more, NULL};
    fputs("schema", stream);
    for (size_t i = 0; i < MACHINE_COLUMNS; i++)
        fprintf(stream, ",%s", machine_columns[i].column);
    for (size_t i = 0; records[i]; i++) {
        fputc(',', stream);
        record_csv_header(records[i], stream);
    }
    fputc('\n', stream);
}

static void write_line(const struct measured *m, const void *line, const void *more) {
    FILE *stream = m->output->stream;
    fprintf(stream, "%d", m->schema);
    write_machine(m->output->machine, stream);
    fputc(',', stream);
    record_csv(m->run_record, m->run, stream);
    fputc(',', stream);
    record_csv(m->line_record, line, stream);
    if (m->more) {
        fputc(',', stream);
        record_csv(m->more, more, stream);
    }
    fputc('\n', stream);
}

static void add_object(struct measured *m, const void *line, const void *more) {
    cJSON *object = record_object(m->line_record, line);
    if (m->list.key)
        cJSON_AddItemToObject(object, m->list.key,
                              record_list(m->more, more, m->list.count, m->list.size));
    else if (m->more)
        record_add(object, m->more, more);
    cJSON_AddItemToArray(m->array, object);
}

void measured_begin(struct measured *m) {
    if (m->output->form == MEASURED_CSV) {
        write_header(m);
        return;
    }
    errno = 0;
    m->json = cJSON_CreateObject();
    cJSON_AddNumberToObject(m->json, "schema", m->schema);
    cJSON_AddItemToObject(m->json, "machine", cJSON_Duplicate(m->output->machine, true));
    record_add(m->json, m->run_record, m->run);
    m->array = cJSON_AddArrayToObject(m->json, m->lines);
}

void measured_add(struct measured *m, const void *line) {
    const char *more = (const char *)line + m->list.offset;
    if (m->output->form == MEASURED_JSON)
        add_object(m, line, more);
    else
        for (size_t i = 0; i < (m->list.key ? m->list.count : 1); i++)
            write_line(m, line, more + i * m->list.size);
}

enum status measured_end(struct measured *m, struct error *error) {
    return m->output->form == MEASURED_JSON
               ? json_print(json_if_whole(m->json), m->output->stream, error)
               : STATUS_OK;
}

/* --- building --------------------------------------------------------------------------------- */

struct built built_of(const struct row *row) {
    bool is_ok = row->status == ROW_OK;
    return (struct built){.resident = is_ok ? row->resident : resident_unknown,
                          .bytes = is_ok ? (double)row->built_bytes : (double)NAN,
                          .ns = is_ok ? row->build_ns : (double)NAN};
}

struct grid built_grid(size_t n_rows) {
    static const char *const headings[] = {"implementation", "built KB", "resident KB", "peak KB",
                                           "build ms"};
    const size_t columns = sizeof headings / sizeof *headings;
    struct grid grid = grid_create(n_rows + 1, columns, 1);
    grid.indent = 2;
    for (size_t i = 0; i < columns; i++)
        grid_put(&grid, "%s", headings[i]);
    return grid;
}

void built_put(const struct row *row, struct grid *grid) {
    struct built built = built_of(row);
    if (row->status != ROW_OK)
        return;
    grid_put(grid, "%s", row_variant(row).text);
    grid_put_number(grid, built.bytes / 1e3, 1);
    grid_put_number(grid, built.resident.held_bytes / 1e3, 1);
    grid_put_number(grid, built.resident.most_bytes / 1e3, 1);
    grid_put_number(grid, built.ns / 1e6, 1);
}

void built_print(struct grid *grid, double load_ns, FILE *stream) {
    fprintf(stream, "reading the model: %.1f ms; building each scorer:\n", load_ns / 1e6);
    grid_print(grid, stream);
}

/* --- exit statuses ---------------------------------------------------------------------------- */

int row_exit_status(const struct row *row, bool is_named) {
    if (row->status == ROW_WRONG)
        return EXIT_CHECK;
    if (row->status == ROW_FAILED)
        return EXIT_USAGE;
    return row->status == ROW_UNSUPPORTED && is_named ? EXIT_MACHINE : EXIT_DONE;
}

/* The smaller ones are worse. */
int worse_exit_status(int first, int second) {
    return first == EXIT_DONE || (second != EXIT_DONE && second < first) ? second : first;
}

void row_tell(const struct row *row) {
    command_note("%s: %s: %s", row_variant(row).text, row_status_names[row->status], row->reason);
}

int tell_interrupted(size_t rounds, size_t asked) {
    command_note("interrupted after %zu of %zu rounds", rounds, asked);
    return EXIT_INTERRUPTED;
}
