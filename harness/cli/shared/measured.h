/* What commands that measure have in common: the exit status of a row; JSON and CSV, with the
 * schema, the machine, then records. The lines of a CSV repeat what holds for the whole run, so
 * that files of several runs can be joined. */
#ifndef HARNESS_CLI_SHARED_MEASURED_H
#define HARNESS_CLI_SHARED_MEASURED_H

#include "base/files/record.h"
#include "harness/rows/row.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* `machine` is the result of machine_manifest. */
struct measured {
    int schema;
    const cJSON *machine;
};

/* An object to which the members of the run's parts can be added. */
cJSON *measured_json(const struct measured *measured, const struct record *record, const void *run);

struct measured_part {
    const struct record *record;
    const void *of;
};

/* Write a line of the CSV: names, or values, with commas between them. NULL ends the records, and a
 * part without a record ends the parts. Unknown values are empty. */
void measured_csv_header(const struct record *const *records, FILE *stream);
void measured_csv_line(const struct measured *measured, const struct measured_part *parts,
                       FILE *stream);

/* The exit status that this row alone would cause. */
int row_exit_status(const struct row *row, bool is_named);

/* Fields of the run: what was scored. */
#define INPUT_FIELDS(TYPE)                                                                         \
    FIELD(TYPE, STRING, "model", model, .help = "the model's file, as given"),                     \
        FIELD(TYPE, STRING, "data", data, .help = "the documents' file, as given"),                \
        FIELD(TYPE, COUNT, "documents", documents, .help = "number of documents"),                 \
        FIELD(TYPE, U32, "features", features, .help = "number of features"),                      \
        FIELD(TYPE, U32, "trees", trees, .help = "number of trees")

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
