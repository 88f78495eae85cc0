#include "harness/html/html_parts.h"

#include <string.h>

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

/* Ends the line at `text` and returns the next one. */
static char *cut_line(char *text) {
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
    char *next = cut_line(text);
    cJSON_AddItemToObject(table, "head", cut_cells(text));
    text = next;
    if (begins(text, "|-"))
        text = cut_line(text);
    cJSON *rows = cJSON_AddArrayToObject(table, "rows");
    for (; *text == '|'; text = next) {
        next = cut_line(text);
        cJSON_AddItemToArray(rows, cut_cells(text));
    }
    return text;
}

static char *cut_list(char *text, cJSON *blocks) {
    cJSON *items = cJSON_AddArrayToObject(add_block(blocks, "list"), "items");
    for (char *next; begins(text, "- "); text = next) {
        next = cut_line(text);
        cJSON_AddItemToArray(items, cJSON_CreateString(text + 2));
    }
    return text;
}

static char *cut_heading(char *text, cJSON *blocks) {
    char *next = cut_line(text);
    size_t level = strspn(text, "#");
    cJSON *heading = add_block(blocks, "heading");
    cJSON_AddNumberToObject(heading, "level", (double)level);
    cJSON_AddStringToObject(heading, "text", trim(text + level));
    return next;
}

static char *cut_paragraph(char *text, cJSON *blocks) {
    char *next = cut_line(text);
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
