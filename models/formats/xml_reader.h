/* XML parsing on top of expat. Collects the text of the innermost elements and turns every failure
 * into a one-line error with a line number. The caller sets the first group of members and zeroes
 * the others:
 *
 *     struct xml_reader xml = {.name = name, .error = error, .data = &mine, .begin = on_begin,
 *                              .end = on_end};
 *     status = xml_read(&xml, text, size); */
#ifndef MODELS_FORMATS_XML_READER_H
#define MODELS_FORMATS_XML_READER_H

#include "base/status.h"

#include <expat.h>
#include <stdbool.h>
#include <stddef.h>

struct xml_reader {
    const char *name; /* name of the file, for errors */
    struct error *error;
    void *data; /* for the caller's use */
    /* Called when an element begins or ends. Any status but STATUS_OK ends the reading. */
    enum status (*begin)(struct xml_reader *xml, const char *element, const char **attributes);
    enum status (*end)(struct xml_reader *xml, const char *element);
    bool many_roots;  /* the text is a sequence of elements without a common root */
    size_t lines_cut; /* number of lines in the file before the text; added to line numbers */

    /* The text of an element for which `begin` called xml_expect_text. Valid in `end`; never
     * NULL. */
    char *text;
    size_t text_size;

    size_t text_capacity; /* the rest is internal */
    const char *text_element;
    size_t depth;
    XML_Parser parser;
    enum status status;
};

enum status xml_read(struct xml_reader *xml, const char *text, size_t size);

/* Call this in `begin` if the element contains text and no other elements. Text in any other
 * element is an error, except white space. `element` must stay valid until the element ends. */
void xml_expect_text(struct xml_reader *xml, const char *element);

/* Sets an error "NAME:LINE: ...". */
enum status xml_refuse(const struct xml_reader *xml, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

size_t xml_line(const struct xml_reader *xml);

bool xml_is_space(char c);
const char *xml_skip_spaces(const char *at, const char *end);

/* Is the text XML whose first element is <ROOT>? */
bool xml_has_root(const char *text, size_t size, const char *root);

#endif
