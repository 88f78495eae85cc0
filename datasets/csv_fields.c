#include "datasets/csv_fields.h"

#include <stddef.h>
#include <string.h>

bool csv_is_blank(char c) {
    return c == ' ' || c == '\r' || c == '\t';
}

bool csv_next_line(const char **at, const char *end, struct csv_field *line) {
    while (*at < end) {
        const char *newline = memchr(*at, '\n', (size_t)(end - *at));
        *line = (struct csv_field){*at, newline ? newline : end};
        *at = newline ? newline + 1 : end;
        if (line->end > line->begin && line->end[-1] == '\r')
            line->end--;
        for (const char *c = line->begin; c < line->end; c++) {
            if (!csv_is_blank(*c))
                return true;
        }
    }
    return false;
}

static struct csv_field trim(const char *begin, const char *end) {
    while (begin < end && csv_is_blank(*begin))
        begin++;
    while (end > begin && csv_is_blank(end[-1]))
        end--;
    return (struct csv_field){begin, end};
}

/* The position after the quote that ends a field, or NULL. */
static const char *skip_quoted(const char *at, const char *end) {
    for (at++; at < end; at++) {
        if (*at != '"')
            continue;
        if (at + 1 == end || at[1] != '"')
            return at + 1;
        at++;
    }
    return NULL;
}

bool csv_next_field(char separator, const char **at, const char *line_end,
                    struct csv_field *field) {
    const char *begin = *at, *end;
    while (begin < line_end && *begin != separator && csv_is_blank(*begin))
        begin++;
    *at = begin;
    if (begin < line_end && *begin == '"') {
        const char *behind = skip_quoted(begin, line_end);
        if (!behind)
            return false;
        *field = (struct csv_field){begin + 1, behind - 1};
        for (end = behind; end < line_end && *end != separator; end++) {
            if (!csv_is_blank(*end))
                return false;
        }
    } else {
        end = memchr(begin, separator, (size_t)(line_end - begin));
        if (!end)
            end = line_end;
        *field = trim(begin, end);
    }
    while (separator == ' ' && end < line_end && csv_is_blank(*end))
        end++;
    *at = end == line_end ? NULL : separator == ' ' ? end : end + 1;
    return true;
}

void csv_begin_line(char separator, struct csv_field *line) {
    if (separator == ' ')
        *line = trim(line->begin, line->end);
}

char csv_find_separator(struct csv_field line) {
    static const char ranked[] = ";\t,";
    size_t best = sizeof ranked - 1;
    for (const char *at = line.begin; at && at < line.end; at++) {
        const char *found = memchr(ranked, *at, sizeof ranked - 1);
        if (found && (size_t)(found - ranked) < best)
            best = (size_t)(found - ranked);
        if (*at == '"' && (at = skip_quoted(at, line.end)))
            at--;
        if (!at)
            break;
    }
    return best < sizeof ranked - 1 ? ranked[best] : ' ';
}

bool csv_field_is(struct csv_field field, const char *text) {
    size_t length = strlen(text);
    return (size_t)(field.end - field.begin) == length && memcmp(field.begin, text, length) == 0;
}
