/* The files of a run, as facts of the page. */
#include "harness/html/html_parts.h"

#include "base/number.h"

#include <string.h>

/* --- CSV -------------------------------------------------------------------------------------- */

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

/* --- Markdown --------------------------------------------------------------------------------- */

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

/* Ends the line at `text` and returns the next one. */
static char *cut_text_line(char *text) {
    char *end = text + strcspn(text, "\n");
    if (*end)
        *end++ = '\0';
    return end;
}

static cJSON *add_block(cJSON *blocks, const char *kind) {
    cJSON *block = cJSON_CreateObject();
    cJSON_AddStringToObject(block, "kind", kind);
    cJSON_AddItemToArray(blocks, block);
    return block;
}

static char *trim(char *text) {
    text += strspn(text, " ");
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == ' ')
        text[--size] = '\0';
    return text;
}

/* Converts "| a | b |". */
static cJSON *cut_cells(char *line) {
    cJSON *cells = cJSON_CreateArray();
    for (char *cell = line + 1, *end; (end = strchr(cell, '|')) != NULL; cell = end + 1) {
        *end = '\0';
        cJSON_AddItemToArray(cells, cJSON_CreateString(trim(cell)));
    }
    return cells;
}

/* Converts the table that begins at `text`, and returns the line after it. */
static char *cut_table(char *text, cJSON *blocks) {
    cJSON *table = add_block(blocks, "table");
    char *next = cut_text_line(text);
    cJSON_AddItemToObject(table, "head", cut_cells(text));
    text = next;
    if (begins(text, "|-"))
        text = cut_text_line(text);
    cJSON *rows = cJSON_AddArrayToObject(table, "rows");
    for (; *text == '|'; text = next) {
        next = cut_text_line(text);
        cJSON_AddItemToArray(rows, cut_cells(text));
    }
    return text;
}

static char *cut_list(char *text, cJSON *blocks) {
    cJSON *items = cJSON_AddArrayToObject(add_block(blocks, "list"), "items");
    for (char *next; begins(text, "- "); text = next) {
        next = cut_text_line(text);
        cJSON_AddItemToArray(items, cJSON_CreateString(text + 2));
    }
    return text;
}

static char *cut_heading(char *text, cJSON *blocks) {
    char *next = cut_text_line(text);
    size_t level = strspn(text, "#");
    cJSON *heading = add_block(blocks, "heading");
    cJSON_AddNumberToObject(heading, "level", (double)level);
    cJSON_AddStringToObject(heading, "text", trim(text + level));
    return next;
}

static char *cut_paragraph(char *text, cJSON *blocks) {
    char *next = cut_text_line(text);
    if (*trim(text))
        cJSON_AddStringToObject(add_block(blocks, "paragraph"), "text", trim(text));
    return next;
}

cJSON *html_markdown(char *text) {
    cJSON *blocks = cJSON_CreateArray();
    while (*text)
        text = *text == '#'         ? cut_heading(text, blocks)
               : *text == '|'       ? cut_table(text, blocks)
               : begins(text, "- ") ? cut_list(text, blocks)
                                    : cut_paragraph(text, blocks);
    return blocks;
}
