/* The fields of a row as a table, from which its JSON and its CSV are made. Private to row*.c. */
#ifndef HARNESS_ROW_FIELDS_H
#define HARNESS_ROW_FIELDS_H

#include <stddef.h>

/* What stands in a row (C), in its JSON, and in its CSV. */
enum field_type {
    FIELD_TEXT,    /* char[size]; string; text */
    FIELD_U32,     /* uint32_t; number; decimal */
    FIELD_U64,     /* uint64_t; string, as JSON's numbers are doubles to many readers; decimal */
    FIELD_REAL,    /* double; number, null for NaN; decimal, empty for NaN */
    FIELD_STATUS,  /* enum row_status; its name; its name */
    FIELD_SAMPLES, /* struct sample_set; object of two arrays; how many */
    FIELD_COUNTS   /* struct counts; object; one column for each of its members */
};

struct row_field {
    const char *name;
    enum field_type type;
    size_t offset, size; /* in struct row */
};

extern const struct row_field row_fields[];
extern const size_t row_field_count;

#endif
