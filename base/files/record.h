/* Records: structs whose fields are declared once, in a table. The table says how each field is
 * called, where it is and what it means. JSON, CSV and a table of documentation are made from it,
 * and JSON is read by it.
 *
 *     static const struct record_field fields[] = {
 *         FIELD(struct point, TEXT, "name", name, .help = "name of the point"),
 *         FIELD(struct point, REAL, "cost", cost, .help = "time of a call", .unit = "ns")};
 *     static const struct record point_record = RECORD_OF(fields); */
#ifndef BASE_FILES_RECORD_H
#define BASE_FILES_RECORD_H

#include "base/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Each comment gives the form of a field in the struct; in JSON; in CSV. */
enum record_type {
    RECORD_TEXT,   /* char[size]; string; text */
    RECORD_STRING, /* const char *; string, null for NULL; text. Read: it belongs to the JSON. */
    RECORD_U32,    /* uint32_t; number; decimal */
    RECORD_INT,    /* int; number, null below `low`; decimal. Cannot be read. */
    RECORD_U64,    /* uint64_t; string, because many readers store numbers as doubles; decimal */
    RECORD_COUNT,  /* size_t or uint64_t below 2^53; number; decimal */
    RECORD_REAL,   /* double; number, null if not finite; decimal, empty if not finite */
    RECORD_NUMBER, /* the same, but its JSON has the digits that cJSON prints */
    RECORD_REALS,  /* double[]; array of these; not in CSV. Cannot be read. */
    RECORD_BOOL,   /* bool; true or false; the same */
    RECORD_CHOICE, /* an enum; its name in `names`; the same */
    RECORD_OBJECT, /* a struct in place, described by `record`; object; its columns */
    RECORD_FORM,   /* written and read by the functions of `form` */
    RECORD_KEY     /* no member: a key whose value the caller reads. Cannot be written. */
};

struct record_field;

/* How fields of a type of their own are written and read. */
struct record_form {
    const char *type; /* in documentation; an "object" is read from nothing else */
    cJSON *(*to_json)(const void *member); /* NULL if memory runs out */
    /* `json` is the member of the object, or NULL if the object lacks it. NULL: cannot be read. */
    enum status (*from_json)(const char *name, const char *key, const cJSON *json, void *member,
                             struct error *error);
    void (*csv_header)(const char *key, FILE *stream); /* NULL: one column of the field's name */
    void (*csv)(const void *member, FILE *stream);     /* NULL: not in CSV */
};

struct record_field {
    const char *name;
    enum record_type type;
    size_t offset, size;     /* of the member in the struct */
    const char *help, *unit; /* what it means, for documentation; unit may be NULL */
    int since;               /* the first schema with this field; 0: all schemas that are read */
    /* Numbers are read only in this range; both 0: any number. TEXT: `high` limits the bytes; 0:
     * only the size does. */
    double low, high;
    const char *const *names; /* CHOICE: indexed by the enum; TEXT: all it may be; ended by NULL */
    const struct record *record;
    const struct record_form *form;
    /* The field is left out, and must be missing, unless this returns true. NULL: always there.
     * While JSON is read, it sees the fields before this one. */
    bool (*applies)(const void *data);
    const char *refusal; /* why it does not apply, for errors: "only forests have it" */
    /* It may be missing when JSON is read, and the member then keeps its value. It is left out when
     * the member is all zeros. */
    bool is_optional;
    bool zero_is_unknown; /* 0, or an empty text, is written as null; empty in CSV */
    const char *column;   /* its name in CSV; NULL: `name` */
    const char *title;    /* TEXT, U32, U64, REAL: of its column in a report; NULL: has none */
    unsigned decimals;    /* NUMBER: rounded to this number of decimals; 0: not rounded */
};

struct record {
    const char *what; /* "a row", in errors */
    const struct record_field *fields;
    size_t n_fields;
    int schema, oldest; /* written, and oldest that is read; 0: the object has no key "schema" */
    const char *docs;   /* the page that documents it, for errors: "docs/rows.md" */
    /* Sets what an object of an older schema lacks. NULL: its members keep their values. */
    void (*complete)(void *data, int schema);
};

/* A field of the struct TYPE. The last arguments are further members of struct record_field; each
 * field has at least `.help`. */
#define FIELD(TYPE, KIND, NAME, MEMBER, ...)                                                       \
    {                                                                                              \
        .name = NAME, .type = RECORD_##KIND, .offset = offsetof(TYPE, MEMBER),                     \
        .size = sizeof(((TYPE *)NULL)->MEMBER), __VA_ARGS__                                        \
    }
/* The same without further members. */
#define PLAIN(TYPE, KIND, NAME, MEMBER) FIELD(TYPE, KIND, NAME, MEMBER, .help = NULL)
/* A field whose functions get the whole struct, or no member at all. */
#define WHOLE(KIND, NAME, ...)                                                                     \
    { .name = NAME, .type = RECORD_##KIND, __VA_ARGS__ }
#define KEY(NAME, ...) WHOLE(KEY, NAME, __VA_ARGS__)
#define FIELDS(table) (sizeof(table) / sizeof *(table))
/* A record that is only a table of fields. */
#define RECORD_OF(table)                                                                           \
    { .fields = table, .n_fields = FIELDS(table) }

/* --- JSON ------------------------------------------------------------------------------------- */

/* Adds the fields of the struct at `data` to an object. The caller sets errno to 0 before and calls
 * json_if_whole after building the whole object. */
void record_add(cJSON *object, const struct record *record, const void *data);

/* Makes an object of the fields, with the key "schema" if the record has one. NULL if memory runs
 * out. */
cJSON *record_to_json(const struct record *record, const void *data);

/* Reads an object with exactly the fields of its schema, and "schema" itself. Errors read "NAME:
 * KEY: what is wrong". Fields of later schemas keep their values. On errors, the struct may have
 * been filled in partly. */
enum status record_from_json(const char *name, const struct record *record, const cJSON *json,
                             void *data, struct error *error);

/* Reads the fields, but checks neither the schema nor unknown keys. */
enum status record_get(const char *name, const struct record *record, const cJSON *json, void *data,
                       struct error *error);

/* Make an object of a struct, without "schema", and an array of them, of `size` bytes each. The
 * caller sets errno to 0 before and calls json_if_whole after. */
cJSON *record_object(const struct record *record, const void *data);
cJSON *record_list(const struct record *record, const void *items, size_t count, size_t size);

/* A number, or null if it is not finite, with enough digits to restore the same double. */
cJSON *record_real(double value);

/* --- CSV and documentation -------------------------------------------------------------------- */

/* Write the names, or the values, with commas between them and no end of line. */
void record_csv_header(const struct record *record, FILE *stream);
void record_csv(const struct record *record, const void *data, FILE *stream);

/* Write one value of CSV (RFC 4180): a text, in quotes if necessary; a number, with as few digits
 * as identify it, or nothing if it is not finite. */
void record_csv_text(FILE *stream, const char *text);
void record_csv_real(FILE *stream, double value);

/* The same, behind a comma. */
void record_csv_append_real(FILE *stream, double value);

/* Writes a Markdown table with a line for each field: name, type in JSON, meaning. */
void record_write_docs(const struct record *record, FILE *stream);

#endif
