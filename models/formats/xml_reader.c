#include "models/formats/xml_reader.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY_ROOTS "roots" /* artificial element around several roots */

bool xml_is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

const char *xml_skip_spaces(const char *at, const char *end) {
    while (at < end && xml_is_space(*at))
        at++;
    return at;
}

size_t xml_line(const struct xml_reader *xml) {
    return xml->lines_cut + (size_t)XML_GetCurrentLineNumber(xml->parser);
}

enum status xml_refuse(const struct xml_reader *xml, const char *format, ...) {
    char text[ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(xml->error, STATUS_INPUT, "%s:%zu: %s", xml->name, xml_line(xml), text);
}

void xml_expect_text(struct xml_reader *xml, const char *element) {
    xml->text_element = element;
    xml->text_size = 0;
}

/* --- what expat calls ------------------------------------------------------------------------- */

static void stop(struct xml_reader *xml, enum status status) {
    xml->status = status;
    XML_StopParser(xml->parser, XML_FALSE);
}

static void on_start(void *data, const char *element, const char **attributes) {
    struct xml_reader *xml = data;
    enum status status = STATUS_OK;
    if (xml->status)
        return;
    xml->depth++;
    if (xml->many_roots && xml->depth == 1)
        return;
    if (xml->text_element)
        status = xml_refuse(xml, "unexpected <%s> in <%s>, which holds text only", element,
                            xml->text_element);
    else
        status = xml->begin(xml, element, attributes);
    if (status)
        stop(xml, status);
}

static void on_end(void *data, const char *element) {
    struct xml_reader *xml = data;
    if (xml->status)
        return;
    xml->depth--;
    if (xml->many_roots && xml->depth == 0)
        return;
    enum status status = xml->end(xml, element);
    xml->text_element = NULL;
    if (status)
        stop(xml, status);
}

static void on_text(void *data, const char *text, int length) {
    struct xml_reader *xml = data;
    size_t size = (size_t)length;
    if (xml->status)
        return;
    if (!xml->text_element) {
        if (xml_skip_spaces(text, text + size) < text + size)
            stop(xml, xml_refuse(xml, "unexpected text between elements"));
        return;
    }
    if (!memory_append((void **)&xml->text, &xml->text_capacity, &xml->text_size, text, size, 1))
        stop(xml, error_memory(xml->error, "the text of a model"));
}

/* Rejects document types, because they could define entities that expand without bound. */
static void on_doctype(void *data, const char *doctype, const char *system, const char *public,
                       int internal) {
    struct xml_reader *xml = data;
    (void)doctype, (void)system, (void)public, (void)internal;
    stop(xml, xml_refuse(xml, "DOCTYPE declarations are not supported"));
}

/* --- reading ---------------------------------------------------------------------------------- */

enum { CHUNK = 1 << 20 }; /* expat counts in int */

/* Expat's error codes for a truncated text. */
static bool ends_too_early(enum XML_Error code) {
    return code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN ||
           code == XML_ERROR_PARTIAL_CHAR || code == XML_ERROR_UNCLOSED_CDATA_SECTION;
}

static enum status refuse_malformed(const struct xml_reader *xml) {
    enum XML_Error code = XML_GetErrorCode(xml->parser);
    if (code == XML_ERROR_NO_MEMORY)
        return error_memory(xml->error, "a model");
    return xml_refuse(xml, "the text is not valid XML: %s",
                      ends_too_early(code) ? "the file ends too early. Is it truncated?"
                                           : XML_ErrorString(code));
}

static enum status parse(struct xml_reader *xml, const char *text, size_t size, bool last) {
    for (;;) {
        bool last_chunk = size <= CHUNK;
        int length = last_chunk ? (int)size : CHUNK;
        enum XML_Status outcome = XML_Parse(xml->parser, text, length, last && last_chunk);
        if (xml->status)
            return xml->status;
        if (outcome != XML_STATUS_OK)
            return refuse_malformed(xml);
        if (last_chunk)
            return STATUS_OK;
        text += length;
        size -= (size_t)length;
    }
}

static enum status parse_many_roots(struct xml_reader *xml, const char *text, size_t size) {
    static const char open[] = "<" MANY_ROOTS ">", close[] = "</" MANY_ROOTS ">";
    enum status status = parse(xml, open, sizeof open - 1, false);
    if (!status)
        status = parse(xml, text, size, false);
    if (!status && xml->depth != 1)
        status = xml_refuse(xml, "the file ends inside an element. Is it truncated?");
    return status ? status : parse(xml, close, sizeof close - 1, true);
}

enum status xml_read(struct xml_reader *xml, const char *text, size_t size) {
    xml->parser = XML_ParserCreate(NULL);
    if (!xml->parser || !memory_grow((void **)&xml->text, &xml->text_capacity, 0, 1)) {
        XML_ParserFree(xml->parser);
        return error_memory(xml->error, "a model");
    }
    XML_SetUserData(xml->parser, xml);
    XML_SetElementHandler(xml->parser, on_start, on_end);
    XML_SetCharacterDataHandler(xml->parser, on_text);
    XML_SetStartDoctypeDeclHandler(xml->parser, on_doctype);
    enum status status =
        xml->many_roots ? parse_many_roots(xml, text, size) : parse(xml, text, size, true);
    XML_ParserFree(xml->parser);
    free(xml->text);
    return status;
}

bool xml_has_root(const char *text, size_t size, const char *root) {
    const char *end = text + size, *at = xml_skip_spaces(text, end);
    while (end - at >= 2 && at[0] == '<' && (at[1] == '?' || at[1] == '!')) {
        at = memchr(at, '>', (size_t)(end - at));
        if (!at)
            return false;
        at = xml_skip_spaces(at + 1, end);
    }
    size_t length = strlen(root);
    if (end - at < 2 || *at++ != '<' || (size_t)(end - at) <= length ||
        memcmp(at, root, length) != 0)
        return false;
    return xml_is_space(at[length]) || at[length] == '>' || at[length] == '/';
}
