#include "export/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { COLUMNS = 100, INDENT = 4, ELEMENT_SIZE = 512 };

void table_add(struct table *table, const char *format, ...) {
    char text[ELEMENT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments) + (int)strlen(", ");
    va_end(arguments);
    if (table->column && table->column + size > COLUMNS) {
        fputc('\n', table->stream);
        table->column = 0;
    }
    if (table->column == 0) {
        fprintf(table->stream, "%*s", INDENT, "");
        table->column = INDENT;
    } else {
        fputc(' ', table->stream);
    }
    fprintf(table->stream, "%s,", text);
    table->column += size;
}

/* Without a fraction or an exponent, C reads the number as an integer. */
static const char *fraction_of(const char *number) {
    return strpbrk(number, ".e") ? "" : ".0";
}

void table_add_double(struct table *table, double value) {
    char text[NUMBER_TEXT_SIZE];
    number_format_double(value, text);
    table_add(table, "%s%s", text, fraction_of(text));
}

void table_format_float(float value, char text[static TABLE_NUMBER_SIZE]) {
    char number[NUMBER_TEXT_SIZE];
    if (isinf(value)) {
        snprintf(text, TABLE_NUMBER_SIZE, "%sINFINITY", value < 0 ? "-" : "");
        return;
    }
    number_format_float(value, number);
    snprintf(text, TABLE_NUMBER_SIZE, "%s%sf", number, fraction_of(number));
}

void table_end(struct table *table, const char *instead) {
    if (table->column == 0)
        fprintf(table->stream, "%*s%s", INDENT, "", instead);
    fputc('\n', table->stream);
}

static void add_element(struct table *table, const struct table_array *array, size_t i) {
    char text[TABLE_NUMBER_SIZE];
    if (array->type == NUMBER_DOUBLE) {
        table_add_double(table, ((const double *)array->values)[i]);
        return;
    }
    if (array->type == NUMBER_FLOAT)
        table_format_float(((const float *)array->values)[i], text);
    else if (array->format)
        snprintf(text, sizeof text, array->format,
                 (uint64_t)number_integer_at(array->type, array->values, i));
    else
        snprintf(text, sizeof text, "%" PRIi64, number_integer_at(array->type, array->values, i));
    table_add(table, "%s", text);
}

void table_write(FILE *stream, const struct table_array *array) {
    struct table table = {.stream = stream};
    for (size_t i = 0; i < array->count; i++)
        add_element(&table, array, i);
    table_end(&table, array->instead);
}
