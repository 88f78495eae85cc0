/* What commands that measure have in common: what was scored, notes beside the progress, what is
 * printed as JSON and CSV (the schema, the machine, then records), and exit statuses. */
#ifndef HARNESS_CLI_SHARED_MEASURED_H
#define HARNESS_CLI_SHARED_MEASURED_H

#include "base/files/record.h"
#include "harness/cli/shared/grid.h"
#include "harness/cli/shared/inputs.h"
#include "harness/instruments/progress.h"
#include "harness/rows/row.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* What was scored. */
struct measured_inputs {
    const char *model, *data; /* the files, as given */
    size_t documents;
    uint32_t features, trees;
    double load_ns; /* wall time of reading the model */
};
struct measured_inputs measured_inputs_of(const struct input_files *files,
                                          const struct inputs *inputs);

/* The progress of the command, and a note_function that clears its line first: these have no
 * context. */
extern struct progress measured_progress;
void measured_note(const char *line);

/* --- forms ------------------------------------------------------------------------------------ */

enum measured_form { MEASURED_TABLE, MEASURED_JSON, MEASURED_CSV, MEASURED_MARKDOWN };
enum measured_form measured_form_of(bool json, bool csv, bool markdown);

/* Where the output goes, and what it says of the machine. */
struct measured_output {
    enum measured_form form;
    FILE *stream;
    cJSON *machine; /* NULL in a table */
};

/* Describes the machine, for all forms but the table. The caller deletes output->machine. */
enum status measured_describe_machine(struct measured_output *output, struct error *error);

/* A run and its lines as JSON or CSV. The lines of a CSV repeat what holds for the whole run, so
 * that files of several runs can be joined. */
struct measured {
    const struct measured_output *output;
    int schema;
    const struct record *run_record, *line_record;
    const void *run;
    const char *lines;         /* the key of the lines in JSON */
    const struct record *more; /* further fields of a line, or of each item of its list; or NULL */
    /* The list: its key in JSON, and its array in a line. Each item has a line of the CSV. */
    struct {
        const char *key; /* NULL: lines have no list */
        size_t offset, count, size;
    } list;
    cJSON *json, *array; /* that are being made */
};

/* Write the run; then each line; then the end. */
void measured_begin(struct measured *measured);
void measured_add(struct measured *measured, const void *line);
enum status measured_end(struct measured *measured, struct error *error);

/* --- loading a model and building a scorer ---------------------------------------------------- */

/* NaN unless the status of the row is ok, and where it was not read. */
struct built {
    struct resident resident;
    double bytes, ns;
};
struct built built_of(const struct row *row);

/* The field of a run with the ns that reading the model took, and those of a line. */
#define LOAD_FIELD(TYPE, MEMBER)                                                                   \
    FIELD(TYPE, NUMBER, "load_ns", MEMBER, .help = "wall time of reading the model", .unit = "ns")
#define BUILT_FIELDS(TYPE, MEMBER)                                                                 \
    FIELD(TYPE, NUMBER, "resident_bytes", MEMBER.resident.held_bytes,                              \
          .help = "memory that the scorer holds", .unit = "bytes"),                                \
        FIELD(TYPE, NUMBER, "resident_peak_bytes", MEMBER.resident.most_bytes,                     \
              .help = "the most while building it", .unit = "bytes"),                              \
        FIELD(TYPE, NUMBER, "built_bytes", MEMBER.bytes, .help = "size of the built model",        \
              .unit = "bytes"),                                                                    \
        FIELD(TYPE, NUMBER, "build_ns", MEMBER.ns, .help = "wall time of building the model",      \
              .unit = "ns")

/* The same as a table: create it for a number of rows, put the rows, print it. Rows whose status is
 * not ok have no line. */
struct grid built_grid(size_t n_rows);
void built_put(const struct row *row, struct grid *grid);
void built_print(struct grid *grid, double load_ns, FILE *stream);

/* --- exit statuses ---------------------------------------------------------------------------- */

/* The exit status that this row alone would cause. */
int row_exit_status(const struct row *row, bool is_named);

/* The exit status that two causes give together. */
int worse_exit_status(int first, int second);

/* Prints "VARIANT: STATUS: REASON" on stderr. */
void row_tell(const struct row *row);

/* Says after how many rounds Ctrl-C came. Returns the exit status. */
int tell_interrupted(size_t rounds, size_t asked);

/* --- fields ----------------------------------------------------------------------------------- */

/* Fields of the run: what was scored. */
#define INPUT_FIELDS(TYPE, MEMBER)                                                                 \
    FIELD(TYPE, STRING, "model", MEMBER.model, .help = "the model's file, as given"),              \
        FIELD(TYPE, STRING, "data", MEMBER.data, .help = "the documents' file, as given"),         \
        FIELD(TYPE, COUNT, "documents", MEMBER.documents, .help = "number of documents"),          \
        FIELD(TYPE, U32, "features", MEMBER.features, .help = "number of features"),               \
        FIELD(TYPE, U32, "trees", MEMBER.trees, .help = "number of trees")

/* Fields of a line: a ratio with its interval, and a verdict. */
#define RATIO_FIELDS(TYPE, PREFIX, MEMBER, HELP)                                                   \
    FIELD(TYPE, NUMBER, PREFIX "ratio", MEMBER.value, .help = HELP),                               \
        FIELD(TYPE, NUMBER, PREFIX "ratio_low", MEMBER.interval.low,                               \
              .help = "lower end of its interval"),                                                \
        FIELD(TYPE, NUMBER, PREFIX "ratio_high", MEMBER.interval.high,                             \
              .help = "upper end of its interval")
#define VERDICT_FIELDS(TYPE, PREFIX, MEMBER)                                                       \
    FIELD(TYPE, CHOICE, PREFIX "verdict", MEMBER.kind, .names = verdict_words,                     \
          .help = "`faster`, `slower`, `same` or `unresolved`"),                                   \
        FIELD(TYPE, U32, PREFIX "within_percent", MEMBER.within, .zero_is_unknown = true,          \
              .help = "N of `same within N %`; otherwise null")

#endif
