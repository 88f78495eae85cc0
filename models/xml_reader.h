/* What the readers of XML share: expat, with the text of the innermost elements gathered, and every
 * failure as one line with the line's number. The caller fills in the first members and zeroes the
 * others:
 *
 *     struct xml_reader xml = {.name = name, .error = error, .data = &mine, .begin = on_begin,
 *                              .end = on_end};
 *     status = xml_read(&xml, text, size);
 */
#ifndef MODELS_XML_READER_H
#define MODELS_XML_READER_H

#include "base/status.h"

#include <expat.h>
#include <stdbool.h>
#include <stddef.h>

struct xml_reader {
    const char *name; /* of the file, for errors */
    struct error *error;
    void *data; /* the caller's */
    /* An element begins or ends; a status that is not STATUS_OK ends the reading. */
    enum status (*begin)(struct xml_reader *xml, const char *element, const char **attributes);
    enum status (*end)(struct xml_reader *xml, const char *element);
    bool many_roots;  /* the text is any number of elements side by side */
    size_t lines_cut; /* lines of the file before the text: line numbers count them */

    /* In `end` of an element for which `begin` called xml_expect_text: its text, never NULL. */
    char *text;
    size_t text_size;

    size_t text_capacity; /* from here on private */
    const char *text_element;
    size_t depth;
    XML_Parser parser;
    enum status status;
};

enum status xml_read(struct xml_reader *xml, const char *text, size_t size);

/* For `begin`: the element holds text and no elements. Elsewhere there is nothing but spaces.
 * `element` must live until the element ends. */
void xml_expect_text(struct xml_reader *xml, const char *element);

/* "NAME:LINE: ..." */
enum status xml_refuse(const struct xml_reader *xml, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

size_t xml_line(const struct xml_reader *xml);

bool xml_is_space(char c);
const char *xml_skip_spaces(const char *at, const char *end);

/* Is the text XML whose first element is <ROOT>? */
bool xml_has_root(const char *text, size_t size, const char *root);

#endif
