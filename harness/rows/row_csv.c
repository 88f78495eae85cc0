#include "harness/rows/row_csv.h"

#include "base/number.h"
#include "harness/rows/row_fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_text(FILE *stream, const char *text) {
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void write_real(FILE *stream, double value) {
    char text[NUMBER_TEXT_SIZE];
    if (!isfinite(value))
        return;
    number_format_double(value, text);
    fputs(text, stream);
}

static void write_counts(FILE *stream, const struct counts *counts) {
    write_text(stream, counts->source);
    fputc(',', stream);
    write_text(stream, counts->simulated);
    fprintf(stream, ",%" PRIu64 ",", counts->documents);
    write_text(stream, counts->reason);
    for (size_t i = 0; i < COUNTER_COUNT; i++) {
        fputc(',', stream);
        if (counts->values[i].valid)
            fprintf(stream, "%" PRIu64, counts->values[i].value);
    }
}

static void write_field(FILE *stream, const struct row_field *field, const struct row *row) {
    const void *member = (const char *)row + field->offset;
    switch (field->type) {
    case FIELD_TEXT:
        write_text(stream, member);
        break;
    case FIELD_U32:
        fprintf(stream, "%" PRIu32, *(const uint32_t *)member);
        break;
    case FIELD_U64:
        fprintf(stream, "%" PRIu64, *(const uint64_t *)member);
        break;
    case FIELD_REAL:
        write_real(stream, *(const double *)member);
        break;
    case FIELD_STATUS:
        fputs(row_status_names[row->status], stream);
        break;
    case FIELD_SAMPLES:
        fprintf(stream, "%zu", row->samples.count);
        break;
    case FIELD_COUNTS:
        write_counts(stream, member);
        break;
    }
}

void row_csv_append_text(FILE *stream, const char *text) {
    fputc(',', stream);
    write_text(stream, text);
}

void row_csv_append_number(FILE *stream, double value) {
    fputc(',', stream);
    write_real(stream, value);
}

void row_csv_write_header(FILE *stream) {
    fputs("schema", stream);
    for (size_t i = 0; i < row_field_count; i++) {
        if (row_fields[i].type != FIELD_COUNTS) {
            fprintf(stream, ",%s", row_fields[i].name);
            continue;
        }
        fputs(",counter_source,counter_simulated,counter_documents,counter_reason", stream);
        for (size_t j = 0; j < COUNTER_COUNT; j++)
            fprintf(stream, ",%s", counter_names[j]);
    }
    fputc('\n', stream);
}

void row_csv_write(const struct row *row, FILE *stream) {
    fprintf(stream, "%d", ROW_SCHEMA);
    for (size_t i = 0; i < row_field_count; i++) {
        fputc(',', stream);
        write_field(stream, &row_fields[i], row);
    }
    fputc('\n', stream);
}
