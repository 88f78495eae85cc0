/* The result of `treebench compare`, and the forms in which it is printed. docs/output.md
 * documents these forms. Change COMPARISON_SCHEMA whenever the JSON or the CSV changes. */
#ifndef HARNESS_CLI_OUTPUT_COMPARISON_H
#define HARNESS_CLI_OUTPUT_COMPARISON_H

#include "base/status.h"
#include "harness/cli/shared/measured.h"
#include "harness/judge/verdict.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define COMPARISON_SCHEMA 1

struct comparison_line {
    const struct row *row;
    char version[64];   /* of the library; "" for treebench's own code */
    bool is_fastest;    /* has the least time of all that compute scores */
    struct ratio ratio; /* to the first implementation; NaN if either has no time */
    struct verdict verdict;
};

struct comparison {
    /* what was compared; set by the caller */
    struct measured_inputs inputs;
    const char *clock;
    unsigned threads;
    const char *parallel; /* what threads share; "" with one thread */
    size_t block;         /* documents per call; 0: one step of the implementation */
    const char *counters; /* the source that was asked for; "none" */
    bool is_interrupted;

    /* results; set by comparison_make */
    size_t rounds, placements;     /* how many were measured */
    bool has_ratios;               /* the first implementation has a time, and there are others */
    struct ratio noise;            /* of the first implementation to itself; NaN: none */
    double noise_floor;            /* from `noise`; NaN: none */
    const char *noise_reason;      /* why there is no noise floor; NULL if there is one */
    const struct row *rows;        /* [count] in the order given */
    struct comparison_line *lines; /* [count] in the order of the output */
    size_t count;
};

/* Computes ratios and verdicts from rows[0 .. count). rows[0] is the implementation to which the
 * others are compared. `again` is a second measurement of rows[0] in the same rounds, or NULL. The
 * comparison refers to the rows. comparison_free frees the lines, even after an error. */
enum status comparison_make(const struct row *rows, size_t count, const struct row *again,
                            struct comparison *comparison, struct error *error);
void comparison_free(struct comparison *comparison);

/* Sorts the lines by their median times. Lines without times come last, in the order given. */
void comparison_sort(struct comparison *comparison);

/* Returns true if more samples would not change the verdicts: after 4 or more placements, each
 * ratio differs from 1 by more than 10 % and by more than the noise floor. rows[0] is the first
 * implementation. Another row of the same variant gives the noise floor. */
bool comparison_is_settled(const struct row *rows, size_t count);

/* Derived values. NaN if they are unknown. */
double comparison_times_as_fast(const struct comparison_line *line);
double comparison_documents_per_second(const struct comparison_line *line);

/* --- forms ------------------------------------------------------------------------------------ */

/* Writes how many documents a call has: "calls of 1000 documents". */
enum { COMPARISON_CALL_SIZE = 80 };
void comparison_describe_call(const struct comparison *comparison,
                              char text[static COMPARISON_CALL_SIZE]);

/* Returns a note on what the number of documents does to the times, or NULL. */
const char *comparison_note(const struct comparison *comparison);

/* The fields of the whole comparison and of a line, as JSON and CSV have them. */
extern const struct record comparison_record, comparison_line_record;

/* Errors of the stream are left to the caller. */
void comparison_print_table(const struct comparison *comparison, FILE *stream);
void comparison_print_markdown(const struct comparison *comparison, const cJSON *machine,
                               FILE *stream);
/* JSON or CSV. */
enum status comparison_print_records(const struct comparison *comparison,
                                     const struct measured_output *output, struct error *error);

#endif
