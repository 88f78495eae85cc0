#include "harness/html/html_parts.h"

#include "base/number.h"

#include <string.h>

/* Ends the field at `text`, removes its quotes, and sets *next to the field after it on the same
 * line, or to NULL if it was the line's last. Returns where the next line begins. */
static char *cut_field(char *text, char **next) {
    char *from = text, *to = text;
    bool quoted = *from == '"';
    from += quoted;
    while (*from && (quoted || (*from != ',' && *from != '\n'))) {
        if (quoted && *from == '"' && from[1] != '"') {
            quoted = false;
            from++;
            continue;
        }
        from += quoted && *from == '"'; /* "" is one quote */
        *to++ = *from++;
    }
    char end = *from;
    *next = end == ',' ? from + 1 : NULL;
    *to = '\0';
    return end ? from + 1 : from;
}

static cJSON *field_json(const char *text, bool is_text) {
    double value;
    const char *end = text + strlen(text);
    if (is_text)
        return cJSON_CreateString(text);
    if (*text == '\0')
        return cJSON_CreateNull();
    return number_parse_double(text, end, &value) == end ? html_number(value)
                                                         : cJSON_CreateString(text);
}

/* Converts the line at *text, and moves *text to the next line. */
static cJSON *cut_line(char **text) {
    cJSON *line = cJSON_CreateArray();
    for (char *field = *text; field;) {
        char *next;
        bool is_text = *field == '"';
        *text = cut_field(field, &next);
        cJSON_AddItemToArray(line, field_json(field, is_text));
        field = next;
    }
    return line;
}

cJSON *html_csv(char *text) {
    cJSON *csv = cJSON_CreateObject();
    cJSON_AddItemToObject(csv, "columns", *text ? cut_line(&text) : cJSON_CreateArray());
    cJSON *lines = cJSON_AddArrayToObject(csv, "lines");
    while (*text)
        cJSON_AddItemToArray(lines, cut_line(&text));
    return csv;
}
