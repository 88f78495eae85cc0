/* The table of a row's fields. It defines how rows are written as JSON and CSV, and how JSON is
 * read. */
#ifndef HARNESS_ROWS_ROW_FIELDS_H
#define HARNESS_ROWS_ROW_FIELDS_H

#include <stddef.h>

/* Each comment gives the form of a field in struct row; in JSON; in CSV. */
enum field_type {
    FIELD_TEXT,    /* char[size]; string; text */
    FIELD_U32,     /* uint32_t; number; decimal */
    FIELD_U64,     /* uint64_t; string, because many readers store numbers as doubles; decimal */
    FIELD_REAL,    /* double; number, null for NaN; decimal, empty for NaN */
    FIELD_STATUS,  /* enum row_status; its name; its name */
    FIELD_SAMPLES, /* struct sample_set; object of two arrays; count */
    FIELD_COUNTS   /* struct counts; object; one column per member */
};

struct row_field {
    const char *name;
    enum field_type type;
    size_t offset, size; /* offset and size of the member in struct row */
    int since;           /* the first schema with this field; 0: every schema that is read has it */
};

extern const struct row_field row_fields[];
extern const size_t row_field_count;

#endif
